"""How strongly large coefficients are penalized."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from dpcore.arrays import FloatArray
from dpcore.errors import ParameterError


@dataclass(frozen=True, slots=True, kw_only=True)
class Penalty:
    """The penalty ``theta^T Lambda theta / 2`` added to a sum of losses. PUBLIC.

    Attributes:
        strength: ``lambda``, in [0, inf).
        spares_first: Whether the first coefficient, the intercept, goes unpenalized.
            Then no bound on the sensitivity over all tables exists.
        per_person: Whether the mean of the losses is minimized instead of their sum,
            which multiplies the penalty of the sum by the number of people. Then it
            changes when somebody leaves.

    Raises:
        ParameterError: The strength lies outside its domain.

    """

    strength: float
    spares_first: bool = False
    per_person: bool = False

    def __post_init__(self) -> None:
        if not 0 <= self.strength < math.inf:
            raise ParameterError(f"the penalty must lie in [0, inf), got {self.strength}.")

    @property
    def constant(self) -> float:
        """Return what penalizes every coefficient, whoever comes or leaves, or 0."""
        return 0.0 if self.per_person else self.convexity(1)

    def diagonal(self, columns: int, people: int) -> FloatArray:
        """Return the diagonal of ``Lambda`` for the sum over ``people``.

        >>> Penalty(strength=0.5, spares_first=True).diagonal(3, 10)
        array([0. , 0.5, 0.5])
        """
        total = self.strength * people if self.per_person else self.strength
        diagonal = np.full(columns, total)
        if self.spares_first:
            diagonal[0] = 0.0
        return diagonal

    def convexity(self, people: int) -> float:
        """Return the smallest entry of ``Lambda``: how convex it makes any sum."""
        if self.spares_first:
            return 0.0
        return self.strength * people if self.per_person else self.strength
