"""How often intervals around released shares hold, simulated from public numbers."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from dpcore.inference.intervals import LEVEL
from dpcore.inference.proportion_intervals import wald

if TYPE_CHECKING:
    from dpcore.data.bounds import FloatArray
    from dpcore.releases.share_plan import SharePlan


@dataclass(frozen=True, slots=True, kw_only=True)
class Coverage:
    """Of how many simulated surveys an interval holds each true share.

    Attributes:
        naive: The interval that knows only of sampling, not of the noise.
        released: The noise-aware interval of the plan.

    """

    naive: FloatArray
    released: FloatArray


def simulated(
    plan: SharePlan,
    shares: FloatArray,
    *,
    rng: np.random.Generator,
    size: tuple[int, ...],
) -> FloatArray:
    """Return simulated sanitized shares, shape ``(*size, cells)``.

    Args:
        plan: The procedure.
        shares: Shape ``(cells,)`` or ``(*size, cells)``.
        rng: Source of the simulation.
        size: How many.

    """
    sets, cells = plan.constraint.syntheses, shares.shape[-1]
    read = plan.constraint.read(shares)
    read = np.broadcast_to(read, (*size, read.shape[-1]))[..., np.newaxis, :]
    noisy = plan.mechanism.simulate(read, rng=rng, size=(*size, sets, read.shape[-1]))
    return np.asarray(plan.constraint.adjust(noisy, cells).mean(axis=-2))


def coverage(
    plan: SharePlan, shares: FloatArray, *, surveys: int, rng: np.random.Generator
) -> Coverage:
    """Return how often intervals hold if the population has these public ``shares``.

    Each survey draws as many people as the table has, then sanitizes their shares. Each
    interval here is for one share at 95 %, not for all shares together.
    """
    people, shares = plan.query.size.people, shares / shares.sum()
    surveyed = rng.multinomial(people, shares, size=surveys) / people
    released = simulated(plan, surveyed, rng=rng, size=(surveys,))
    naive = wald(released, people=people, level=LEVEL)
    aware = plan.interval(released, level=LEVEL)

    def held(ends: FloatArray) -> FloatArray:
        inside = (ends[..., 0] <= shares) & (shares <= ends[..., 1])
        return np.asarray(inside.mean(axis=0))

    return Coverage(naive=held(naive), released=held(aware))
