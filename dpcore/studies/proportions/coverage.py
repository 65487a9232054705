"""How often intervals around released shares hold, simulated from public numbers."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from dpcore.arrays import FloatArray
from dpcore.inference.exact_shares import allowing
from dpcore.inference.intervals import LEVEL
from dpcore.inference.share_intervals import wald
from dpcore.releases.plans.shares import SharePlan


@dataclass(frozen=True, slots=True, kw_only=True)
class Coverage:
    """Of how many simulated surveys an interval holds each true share."""

    naive: FloatArray
    """The interval that knows only of sampling, not of the noise."""
    released: FloatArray
    """The interval of the plan, which knows of both."""


def coverage(
    plan: SharePlan, shares: FloatArray, *, surveys: int, rng: np.random.Generator
) -> Coverage:
    """Return how often intervals hold if the population has these public ``shares``.

    Each survey draws as many people as the table has, then sanitizes their shares. Each
    interval here is for one share at 95 %, not for all shares together, and not yet
    stretched to the share that is released.
    """
    people, shares = plan.query.size.people, shares / shares.sum()
    surveyed = rng.multinomial(people, shares, size=surveys) / people
    read, sets = plan.constraint.read(surveyed), plan.constraint.syntheses
    numbers = read.shape[-1]
    noisy = plan.mechanism.simulate(
        np.broadcast_to(read, (surveys, numbers))[..., np.newaxis, :],
        rng=rng,
        size=(surveys, sets, numbers),
    )
    released = plan.constraint.adjust(noisy, len(shares)).mean(axis=-2)
    naive = wald(released, people=people, level=LEVEL)
    readings = plan.constraint.readings(noisy, len(shares)).mean(axis=-2)
    allowed = np.array(
        [
            allowing(law, share, people=people, tail=1 - LEVEL)
            for law, share in zip(plan.laws, shares.tolist(), strict=True)
        ]
    )
    held = (allowed[:, 0] <= readings) & (readings <= allowed[:, 1])
    inside = (naive[..., 0] <= shares) & (shares <= naive[..., 1])
    return Coverage(naive=inside.mean(axis=0), released=held.mean(axis=0))
