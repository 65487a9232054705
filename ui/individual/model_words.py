"""What to know of losses from a regression model. CONFIDENTIAL, as the page is."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from dpcore.figures.wording import epsilon_text
from dpcore.relations import NeighboringRelation

if TYPE_CHECKING:
    from dpcore.individual.model_exposure import ModelExposure


def replaced_text(exposure: ModelExposure, asked: NeighboringRelation) -> str:
    """Say what other records were found to reveal, and what none can exceed."""
    found = "Another record in somebody's place was found to reveal ε "
    found += f"{epsilon_text(exposure.maximum)}"
    guaranteed = asked is NeighboringRelation.SUBSTITUTION
    if guaranteed and exposure.worst_case < exposure.for_all_certificate:
        return f"{found}; no record can reveal more than the guarantee."
    if not np.isfinite(exposure.for_all_certificate):
        return f"{found}; no bound on all records is known without a penalty."
    certificate = epsilon_text(exposure.for_all_certificate)
    return f"{found}; no record in anybody's place can reveal more than {certificate}."


def floor_text(floor: float, *, sampled: bool) -> str:
    """Say what somebody loses whose target is predicted perfectly."""
    if floor > 0:
        why = (
            "narrows the distribution that the sample is drawn from"
            if sampled
            else "is part of what shapes the noise"
        )
        return (
            "A person whose target is predicted perfectly still loses: at the median "
            f"leverage ε {epsilon_text(floor)}. The residual is 0, but the person's "
            f"record {why}."
        )
    return (
        "A person whose target is predicted perfectly loses nothing: the coefficients "
        "are the same with and without them, and the noise has a public shape."
    )
