"""The loss of people who own several rows together, such as a household. CONFIDENTIAL.

Nobody can add up the losses of rows: rows that pull the same way lose more together
than their sum, rows that pull against each other less. The move of the coefficients
when all rows of a group leave has a closed form (``group_removals`` of
``models.ridge_influence``); of a posterior sample see ``group_pairs``.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from dpcore.arrays import FloatArray
from dpcore.errors import ParameterError
from dpcore.individual.models.losses import leaving
from dpcore.models.model_mechanisms.model_mechanism import ModelMechanism
from dpcore.models.question import Fit


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


def grouped(law: ModelMechanism, fit: Fit) -> bool:
    """Tell whether the loss of a group is known."""
    return fit.linear and law.units_known and not fit.penalty.per_person


def household_losses(
    law: ModelMechanism, fit: Fit, codes: NDArray[np.intp], *, delta: float
) -> HouseholdLosses:
    """Return the losses of groups, each of which leaves with all of its rows.

    ``codes`` are the groups of the rows of the fit, from 0 and none left out.

    Raises:
        ParameterError: No formula is known, or the codes do not fit.

    """
    if not grouped(law, fit):
        message = "groups need a linear model, with noise of a public shape or a "
        message += "posterior sample."
        raise ParameterError(message)
    rng = np.random.default_rng(0)  # no audit: a linear model needs none
    together = leaving(law, fit, delta=delta, codes=codes, rng=rng).epsilon
    alone = leaving(law, fit, delta=delta, rng=rng).epsilon
    rows = np.bincount(codes)
    _, firsts = np.unique(codes, return_index=True)
    return HouseholdLosses(
        epsilon=together[firsts],
        added=np.asarray(np.bincount(codes, weights=alone), np.float64),
        rows=rows,
    )
