"""The same question to the same table through other mechanisms. CONFIDENTIAL.

Clamping (BIT) is done after the noise, so that it changes nobody's loss while both
answers lie within the bounds. Redrawing (truncation) is part of the draw: how often it
happens depends on the answer, and everybody's loss rises.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace

import numpy as np

from dpcore.arrays import FloatArray
from dpcore.errors import ParameterError
from dpcore.individual.exposure import Exposure, expose
from dpcore.releases.request import Request, offered

KEYS = ("laplace", "bit", "truncated-published", "truncated", "gaussian")
"""The mechanisms that are compared, where they are offered."""


@dataclass(frozen=True, slots=True, kw_only=True)
class OtherExposure:
    """Losses through one mechanism. CONFIDENTIAL, all but the guarantee."""

    key: str
    noise: float
    worst_case: float
    """The guarantee that it gives, whatever it claims."""
    maximum: float = field(repr=False)
    """Loss of the most exposed person."""
    mean: float = field(repr=False)
    """Loss of the average person."""
    least: float = field(repr=False)
    """Smallest loss of a person over that through plain Laplace noise; NaN where nobody
    loses anything.
    """
    most: float = field(repr=False)
    """Largest such quotient."""


def other_exposures(asked: Request, known: Exposure, *, delta: float) -> tuple[OtherExposure, ...]:
    """Return the losses through each mechanism calibrated to the same epsilon.

    ``known`` are those through the mechanism that ``asked`` names.
    """
    found = []
    baseline: FloatArray | None = None
    for key in KEYS:
        entry = offered(asked.query.kind).get(key)
        if entry is None:
            continue
        try:
            request = replace(
                asked, mechanism_key=key, delta=delta if entry.needs_delta else 0.0, constraint=None
            )
            plan = request.plan
        except ParameterError:
            # Such noise does not exist for this budget.
            continue
        exposure = expose(
            plan,
            asked.query.statistic,
            known.values,
            relation=known.relation,
            delta=request.used_delta,
            rows=asked.query.unit.rows,
            known=known.moves,
        )
        if baseline is None:
            baseline = exposure.epsilon
        losing = (baseline > 0) & np.isfinite(baseline)
        quotients = exposure.epsilon[losing] / baseline[losing]
        found.append(
            OtherExposure(
                key=key,
                noise=plan.noise,
                worst_case=exposure.worst_case,
                maximum=exposure.maximum,
                mean=exposure.mean,
                least=float(quotients.min()) if len(quotients) else np.nan,
                most=float(quotients.max()) if len(quotients) else np.nan,
            )
        )
    return tuple(found)
