"""The loss of people who own several rows together, such as a household. CONFIDENTIAL.

Nobody can add up the losses of rows: rows that pull the same way lose more together
than their sum, rows that pull against each other less. The move of the coefficients
when all rows of a group leave has a closed form (``models.records.group_removals``).
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from dpcore.errors import ParameterError
from dpcore.models.glm import GlmFit
from dpcore.models.records import group_removals
from dpcore.models.release_laws import NoisyFit
from dpcore.privacy import gaussian

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from dpcore.data.bounds import FloatArray
    from dpcore.models.release_laws import Law
    from dpcore.models.ridge import RidgeFit


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class HouseholdLosses:
    """Losses of groups of rows. CONFIDENTIAL.

    Attributes:
        epsilon: Loss of each group whose rows leave together, shape ``(G,)``.
        added: Sum of the losses of its rows, each on its own, shape ``(G,)``.
        rows: Number of rows of each group, shape ``(G,)``.

    """

    epsilon: FloatArray = field(repr=False)
    added: FloatArray = field(repr=False)
    rows: NDArray[np.intp] = field(repr=False)

    @property
    def largest(self) -> int:
        """Return the group that loses most."""
        return int(np.argmax(self.epsilon))

    @property
    def above_sum(self) -> float:
        """Return the share of groups of several rows that lose more than their sum."""
        several = self.rows > 1
        if not several.any():
            return 0.0
        more = self.epsilon[several] > self.added[several] * (1 + 1e-9)
        return float(np.mean(more))


def grouped(law: Law, fit: RidgeFit | GlmFit) -> bool:
    """Tell whether the loss of a group is known in closed form."""
    linear = not isinstance(fit, GlmFit) and not fit.penalty.per_person
    return linear and isinstance(law, NoisyFit) and law.metric.public


def household_losses(
    law: Law,
    fit: RidgeFit | GlmFit,
    codes: NDArray[np.intp],
    *,
    epsilon: FloatArray,
    delta: float,
) -> HouseholdLosses:
    """Return the losses of groups, each of which leaves with all of its rows.

    Args:
        law: Noise of a public shape on the coefficients.
        fit: A linear model.
        codes: Group of each row of the fit, from 0, shape ``(n,)``.
        epsilon: Loss of each row on its own, shape ``(n,)``.
        delta: What goes with the losses.

    Raises:
        ParameterError: No closed form is known, or the codes do not fit.

    """
    if isinstance(fit, GlmFit) or not isinstance(law, NoisyFit):
        message = "groups need a linear model with noise of a public shape."
        raise ParameterError(message)
    if not law.metric.public:
        message = "groups need noise of a public shape."
        raise ParameterError(message)
    shifts = group_removals(fit, codes, law.metric)
    return HouseholdLosses(
        epsilon=gaussian.epsilon_of(math.sqrt(law.gamma) * shifts, delta),
        added=np.asarray(
            np.bincount(codes, weights=epsilon, minlength=len(shifts)), np.float64
        ),
        rows=np.bincount(codes, minlength=len(shifts)),
    )
