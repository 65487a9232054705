"""The chain of guarantees, from all tables down to the average person here.

Each number is at least as large as the next, where all compare the same tables.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from dpcore.formatting import epsilon_text, significant
from dpcore.relations import NeighboringRelation

_ONE = 1e-12


@dataclass(frozen=True, slots=True, kw_only=True)
class GuaranteeLadder:
    """Losses from the widest to the narrowest claim.

    Attributes:
        guarantee: Over all tables and people (DP). Infinite where there is none.
        for_all: The most that anybody is found to lose, in this table or joining it;
            NaN where it was not searched for.
        certificate: A bound that the loss for all never exceeds; NaN or infinite where
            none is known. It equals ``for_all`` where that is exact.
        maximum: The most that somebody in the table loses.
        mean: What the average person in the table loses.
        relation: What the losses compare with; ``None`` if it is what the guarantee
            compares with.
        promised: What the guarantee compares with.
        upper: Whether people's losses are upper bounds.

    """

    guarantee: float
    for_all: float
    certificate: float
    maximum: float
    mean: float
    relation: NeighboringRelation | None = None
    promised: NeighboringRelation | None = None
    upper: bool = False

    @property
    def mixed(self) -> bool:
        """Tell whether losses and the guarantee answer different questions."""
        return self.relation is not None and self.relation is not self.promised

    @property
    def proved(self) -> float:
        """Return what nobody here can exceed; NaN where nothing finite is known.

        A guarantee about the same change bounds everybody's loss, too.
        """
        known = self.certificate
        if not self.mixed:
            known = max(float(np.fmin(known, self.guarantee)), self.for_all)
        return known if np.isfinite(known) else np.nan

    @property
    def anybody(self) -> tuple[str, str]:
        """Return the most that anybody could lose, and how well that is known.

        The second is empty where the first is just that.
        """
        if np.isinf(self.for_all):
            return epsilon_text(self.for_all), ""
        if self.upper and np.isnan(self.proved):
            # Bounds for people here are no loss that was found.
            return "not known", ""
        if np.isnan(self.proved):
            return significant(self.for_all), "at least (found)"
        if self.upper or self.proved > self.for_all * (1 + _ONE):
            return epsilon_text(self.proved), "at most (proved)"
        return significant(self.for_all), ""

    @property
    def texts(self) -> tuple[str, ...]:
        """Return the loss of each step in words: limits are rounded up."""
        return tuple(
            significant(loss, up=place == 0 or self.upper or name.endswith("at most"))
            for place, (name, loss) in enumerate(self.steps)
        )

    @property
    def steps(self) -> tuple[tuple[str, float], ...]:
        """Return the name and the loss of each step that is known, widest first."""
        everybody = "this table, anybody"
        proved = self.proved
        above = proved > self.for_all * (1 + _ONE)
        certified = np.isnan(proved) or self.upper or above
        if np.isinf(self.for_all):
            certified = False
        found = np.nan if self.upper else self.for_all
        known = [
            ("any table, anybody (DP)", self.guarantee),
            (f"{everybody}: at most", proved if certified else np.nan),
            (f"{everybody}: found" if certified else everybody, found),
            ("most exposed person here", self.maximum),
            ("average person here", self.mean),
        ]
        return tuple((name, loss) for name, loss in known if not np.isnan(loss))
