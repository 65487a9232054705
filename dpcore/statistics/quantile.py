"""How well each of a public grid of candidates would serve as a quantile.

The quantile itself moves by the full width of the bounds when one record changes, so
that noise added to it says nothing. The exponential mechanism chooses a candidate by
its rank instead, which one record moves by at most 1 (Smith 2011).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from dpcore.data.bounds import Interval
from dpcore.errors import ParameterError
from dpcore.mechanisms.base import Sensitivity
from dpcore.relations import NeighboringRelation
from dpcore.statistics.base import Shifts
from dpcore.statistics.rank_moves import Ranks, extreme_moves
from dpcore.statistics.tables import can_join, check_bounds, checked, kinds

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from dpcore.data.bounds import FloatArray
    from dpcore.relations import TableSize


@dataclass(frozen=True, slots=True, kw_only=True)
class RankScores:
    """Score of each of k equally spaced candidates as the ``q``-quantile.

    Every value, clamped to the bounds, counts as its nearest candidate. With ``B`` of
    the ``n`` people below candidate ``c`` and ``C`` at most at it, the score is how far
    the rank ``q n`` is from those of ``c``::

        score(c) = -max(B - q n, q n - C, 0)

    so that some candidate has score 0, and with ties the tied candidate does.

    Sensitivity of each score, as the maximum is 1-Lipschitz in its largest argument:

    * one record replaced moves ``B`` and ``C`` by at most 1 and leaves ``q n``: 1;
    * one person more moves ``B - q n`` and ``C - q n`` by ``1 - q`` or ``-q`` each:
      ``max(q, 1 - q)``; a record that loses its value is removed, which is less than 1.

    No public minimum is needed where the number of people is private.

    Attributes:
        bounds: The public bounds; the first and last candidate.
        q: Which quantile, in [0, 1]; 0.5 is the median.
        size: What is public about the number of people.
        candidates: How many there are, at least 2.

    Raises:
        ParameterError: A parameter is outside its domain.

    >>> from dpcore.relations import TableSize
    >>> scores = RankScores(
    ...     bounds=Interval(lower=0.0, upper=4.0),
    ...     q=0.5,
    ...     size=TableSize(people=5, public=True),
    ...     candidates=5,
    ... )
    >>> scores.value([1.0, 2.0, 2.0, 3.0, 9.0])
    array([-2.5, -1.5,  0. , -0.5, -1.5])

    """

    bounds: Interval
    q: float
    size: TableSize
    candidates: int = 501

    def __post_init__(self) -> None:
        check_bounds(self.bounds)
        if not 0 <= self.q <= 1:
            message = f"q must be from 0 to 1, got {self.q}."
            raise ParameterError(message)
        if self.candidates < 2:  # noqa: PLR2004 - the two bounds
            message = f"candidates must be at least 2, got {self.candidates}."
            raise ParameterError(message)

    @property
    def grid(self) -> FloatArray:
        """Return the candidates, ascending, shape ``(k,)``."""
        return np.linspace(self.bounds.lower, self.bounds.upper, self.candidates)

    @property
    def grid_error(self) -> float:
        """Return half a step: how far counting as the nearest candidate moves."""
        return self.bounds.width / (self.candidates - 1) / 2

    @property
    def labels(self) -> tuple[str, ...]:
        """Return the candidates as text."""
        return tuple(f"{candidate:.12g}" for candidate in self.grid)

    @property
    def range(self) -> Interval:
        """Return what scores can be; without lower end if the number is private."""
        if not self.size.public:
            return Interval(lower=-np.inf, upper=0.0)
        return Interval(lower=-max(self.q, 1 - self.q) * self.size.people, upper=0.0)

    def value(self, values: FloatArray) -> FloatArray:
        """Return the scores, shape ``(k,)``.

        Raises:
            ParameterError: If a value is missing or a public size is not met.

        """
        return self._ranks(self._codes(values)).scores

    def sensitivity(self, relation: NeighboringRelation) -> Sensitivity:
        """Return the most that one record can change the scores, over all tables.

        All k of them at once, so that only ``largest`` is of use.
        """
        added = relation is NeighboringRelation.ADD_REMOVE
        largest = max(self.q, 1 - self.q) if added else 1.0
        k = self.candidates
        return Sensitivity(
            coordinates=k, l1=k * largest, l2=k**0.5 * largest, largest=largest
        )

    def shifts(self, values: FloatArray, relation: NeighboringRelation) -> Shifts:
        """Return where the scores would move for the people of each candidate.

        Under substitution the person goes to one of a few candidates, among which is
        the one that reveals most at delta 0 (see ``rank_moves.extreme_moves``).
        """
        codes = self._codes(values)
        present, kind = kinds(codes)
        ranks = self._ranks(codes)
        removed = ranks.without(present)
        if relation is NeighboringRelation.ADD_REMOVE:
            alternatives = removed[:, np.newaxis]
        else:
            moves = extreme_moves(ranks, present)
            joined = not self.size.public
            shape = (len(present), moves.shape[1] + joined, self.candidates)
            alternatives = np.empty(shape)
            # One move after the other, so that few temporaries are alive at a time.
            for column, targets in enumerate(moves.T):
                alternatives[:, column] = ranks.moved(present, targets)
            if joined:
                alternatives[:, -1] = removed
        return Shifts(actual=ranks.scores, alternatives=alternatives, kind=kind)

    def additions(
        self, values: FloatArray, relation: NeighboringRelation
    ) -> FloatArray:
        """Return the scores after a person joins each candidate, shape ``(k, k)``."""
        if not can_join(relation, self.size):
            return np.empty((0, self.candidates))
        ranks = self._ranks(self._codes(values))
        return ranks.joined(np.arange(self.candidates))

    def sampling_sd(self, estimate: FloatArray) -> FloatArray:
        """Return ``sqrt(n) / 2`` for each score, ``inf`` if the number is private.

        Each of ``n`` independent records moves a score by at most 1, and so adds at
        most 1/4 to its variance (Boucheron, Lugosi and Massart 2013, corollary 3.2).
        """
        bound = self.size.people**0.5 / 2 if self.size.public else np.inf
        return np.full(np.shape(estimate), bound)

    def _codes(self, values: FloatArray) -> NDArray[np.intp]:
        inside = self.bounds.clip(checked(values, self.size)) - self.bounds.lower
        places = inside / self.bounds.width * (self.candidates - 1)
        return np.rint(places).astype(np.intp)

    def _ranks(self, codes: NDArray[np.intp]) -> Ranks:
        counts = np.bincount(codes, minlength=self.candidates).astype(np.float64)
        return Ranks(counts=counts, q=self.q)
