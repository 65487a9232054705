"""Quantiles: a choice by rank of one, and noise on nested counts for several."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.special import bdtrik

from dpcore.analyses import secure
from dpcore.analyses.measurement import Answer, LabelledIntervals, OneMechanism, Width
from dpcore.arrays import FloatArray
from dpcore.inference.intervals import LEVEL, level_of_each
from dpcore.inference.quantile_intervals import chain, exact_places, reaches
from dpcore.mechanisms.exponential import Exponential
from dpcore.mechanisms.gaussian import Gaussian
from dpcore.mechanisms.laplace import Laplace
from dpcore.privacy_filter import PrivacyCost
from dpcore.statistics.quantiles import CumulativeCounts, RankScores

_CLEAR = 1e-9


@dataclass(frozen=True, slots=True, kw_only=True)
class RankPlan(OneMechanism):
    """The exponential mechanism on rank scores; the answer is the chosen candidate.

    How far its *rank* is off is public; how far its value is off depends on how dense
    the data are around it, which is not. The noise of the mechanism is in ranks.
    """

    mechanism: Exponential
    statistic: RankScores
    label: str

    @property
    def numbers(self) -> int:
        """Return how many numbers are told, those that follow included."""
        return 1

    def half_widths(self, level: float) -> FloatArray:
        """Return how many ranks the answer is off with probability ``level``."""
        return np.array([self._reach(1 - level)])

    def enclosing(self, level: float, *, sampled: bool) -> tuple[float | None, float | None]:
        """Return which two quantiles, asked for alike, have this one between them.

        Releases of both, at the same epsilon each, enclose the quantile of the table
        with probability ``level``, but for ``grid_error`` on either side; of the
        population instead if people are ``sampled``. ``None`` stands for a side on
        which only the bound of the column will do.

        Let ``c`` be released for ``p``, and be off by at most ``r`` ranks, so that at
        most ``p n + r`` people are below ``c``. At least ``q n`` people have the
        quantile ``t`` of the table or less; were ``c`` above ``t``, all of them would
        be below ``c``. So ``c`` is at most ``t`` where ``p n + r < q n``, ties or not.
        Of the population's quantile the ``q n`` is a binomial count, and its own
        quantile stands in. The other side is the mirror image.

        What encloses the quantile of the population encloses that of the table, too,
        and more often: the binomial count is below its median, so that it is at most
        ``q n``, and ``r`` is larger for the smaller ``missed``. Both make ``p`` smaller
        than the table alone needs.

        """
        people, q = self.statistic.size.people, self.statistic.q
        missed = (1 - level) / (4 if sampled else 2)
        ranks = self._reach(missed)

        def below(share: float) -> float | None:
            """Return the quantile that lies below the one of ``share``."""
            rank = share * people
            if sampled:
                # At most this many with probability ``missed``, or less.
                rank = np.floor(bdtrik(missed, people, share))
            # Strictly below, rounding included.
            found = (rank - ranks) / people - _CLEAR
            return float(found) if found > 0 else None

        lower, mirrored = below(q), below(1 - q)
        return lower, None if mirrored is None else 1 - mirrored

    def width(self, *, unit: str, group: int) -> Width:  # noqa: ARG002 - a common signature
        """Return the half-width of the worst of all numbers at once, at 95%."""
        (ranks,) = self.half_widths(LEVEL)
        return Width(half=float(ranks), unit="ranks", of="places in the sorted table")

    def answer(self, value: FloatArray, *, cost: PrivacyCost) -> Answer:
        """Return the chosen candidate, and how many ranks it is off at most."""
        (index,) = secure.draw(self.mechanism, value, sensitivity=self.sensitivity, cost=cost)
        (ranks,) = self.half_widths(LEVEL)
        return Answer(
            labels=(self.label,),
            values=(float(self.statistic.grid[int(index)]),),
            derived={f"ranks off at most, {LEVEL:.0%}": float(ranks)},
        )

    def _reach(self, missed: float) -> float:
        return self.mechanism.distance_from_best(self.statistic.candidates, missed=missed)


@dataclass(frozen=True, slots=True, kw_only=True)
class ChainPlan(OneMechanism):
    """Noise on nested counts; the quantiles that they leave open follow from them.

    Attributes:
        statistic: The counts.
        shares: Which quantiles, ascending.
        names: What each of them is called.

    """

    mechanism: Laplace | Gaussian
    statistic: CumulativeCounts
    shares: tuple[float, ...]
    names: tuple[str, ...]

    @property
    def numbers(self) -> int:
        """Return how many numbers are told, those that follow included."""
        return len(self.names)

    def half_widths(self, level: float) -> FloatArray:
        """Return how many ranks off each quantile is counted, at the worst value."""
        missed = 1 - level
        return np.array([float(reaches(self.mechanism, q, missed).max()) for q in self.shares])

    @property
    def ranks(self) -> FloatArray:
        """Return the same for all quantiles together."""
        return self.half_widths(level_of_each(len(self.shares)))

    def truth(self, value: FloatArray) -> FloatArray:
        """Return the quantiles of the table on the grid. CONFIDENTIAL."""
        return self._values(exact_places(value, self.shares))

    def width(self, *, unit: str, group: int) -> Width:  # noqa: ARG002 - a common signature
        """Return the half-width of the worst of all numbers at once, at 95%."""
        ranks = float(self.ranks.max())
        return Width(half=ranks, unit="ranks", of="places in the sorted table")

    def answer(self, value: FloatArray, *, cost: PrivacyCost) -> Answer:
        """Return the quantiles with their intervals, in order."""
        drawn = secure.draw(self.mechanism, value, sensitivity=self.sensitivity, cost=cost)
        found = chain(self.mechanism, drawn, self.shares, size=self.statistic.size, level=LEVEL)
        return Answer(
            labels=self.names,
            values=tuple(self._values(found.places).tolist()),
            intervals=LabelledIntervals(
                level=LEVEL, noise=self._ends(found.noise), total=self._ends(found.total)
            ),
        )

    def _values(self, places: FloatArray) -> FloatArray:
        return np.asarray(self.statistic.grid[places.astype(np.intp)])

    def _ends(self, places: FloatArray) -> dict[str, tuple[float, float]]:
        """Return the ends in the column's unit: half a step of the grid farther."""
        ends = self.statistic.around(places.astype(np.intp))
        pairs = [(float(low), float(high)) for low, high in ends]
        return dict(zip(self.names, pairs, strict=True))
