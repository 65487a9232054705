"""How well each of a public grid of candidates would serve as a quantile.

The quantile itself moves by the full width of the bounds when one record changes, so
that noise added to it says nothing. The exponential mechanism chooses a candidate by
its rank instead, which one record moves by at most 1 (Smith 2011).

For several quantiles people are counted in nested ranges. The counts of 512 values of a
grid would add up, over half of the grid, the noise of 256 counts. Counts of ranges of
ranges add up few: a value splits the grid into 22 of them, those up to it and those
beyond, and everybody is in three.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import pairwise
from typing import Final

import numpy as np
from numpy.typing import NDArray

from dpcore.arrays import FloatArray
from dpcore.data.bounds import Interval
from dpcore.errors import ParameterError
from dpcore.mechanisms.mechanism import Sensitivity
from dpcore.relations import NeighboringRelation, TableSize
from dpcore.statistics.checks import check_bounds, check_people, numeric
from dpcore.statistics.histogram import CellCounts
from dpcore.statistics.statistic import Sums

CANDIDATES: Final = 501
"""Candidates between the bounds of a column."""


class GridCounts(CellCounts):
    """What follows from the number of people at each of equally spaced values."""

    __slots__ = ()
    bounds: Interval

    def _codes(self, values: FloatArray) -> NDArray[np.intp]:
        """Return which value of the grid is nearest to everybody's, which are clamped."""
        inside = self.bounds.clip(numeric(values)) - self.bounds.lower
        places = inside / self.bounds.width * (self._count - 1)
        return np.rint(places).astype(np.intp)


@dataclass(frozen=True, slots=True, kw_only=True)
class RankScores(GridCounts):
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
        whole: Whether all values are whole numbers. Then candidates are rounded to
            whole numbers, which is post-processing of the choice among them.

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
    candidates: int = CANDIDATES
    whole: bool = False

    def __post_init__(self) -> None:
        check_bounds(self.bounds)
        if not 0 <= self.q <= 1:
            raise ParameterError(f"q must be from 0 to 1, got {self.q}.")
        if self.candidates < 2:  # noqa: PLR2004 - the two bounds
            raise ParameterError(f"candidates must be at least 2, got {self.candidates}.")

    @property
    def grid(self) -> FloatArray:
        """Return the candidates, ascending, shape ``(k,)``."""
        grid = np.linspace(self.bounds.lower, self.bounds.upper, self.candidates)
        return np.rint(grid) if self.whole else grid

    @property
    def step(self) -> float:
        """Return how far candidates are apart."""
        return self.bounds.width / (self.candidates - 1)

    @property
    def grid_error(self) -> float:
        """Return half a step: how far counting as the nearest candidate moves.

        With half of 1 for rounding; nothing where every whole number is a candidate.
        """
        if not self.whole:
            return self.step / 2
        return 0.0 if self.step == 1 else self.step / 2 + 0.5

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

    def finalize(self, whole: Sums) -> FloatArray:
        """Return the scores, shape ``(k,)``, of a whole table of such counts."""
        return self._ranks(whole).scores

    def sensitivity(self, relation: NeighboringRelation) -> Sensitivity:
        """Return the most that one record can change the scores, over all tables.

        All k of them at once, so that only ``largest`` is of use.
        """
        added = relation is NeighboringRelation.ADD_REMOVE
        largest = max(self.q, 1 - self.q) if added else 1.0
        k = self.candidates
        return Sensitivity(coordinates=k, l1=k * largest, l2=k**0.5 * largest, largest=largest)

    def _instead(
        self, whole: Sums, present: NDArray[np.intp], relation: NeighboringRelation
    ) -> FloatArray:
        """Return the scores without somebody of each candidate, or after a move.

        Under substitution the person goes to one of a few candidates, among which is
        the one that reveals most at delta 0 (see ``extreme_moves``).
        """
        ranks = self._ranks(whole)
        removed = ranks.without(present)
        if relation is NeighboringRelation.ADD_REMOVE:
            return removed[:, np.newaxis]
        moves = extreme_moves(ranks, present)
        joined = not self.size.public
        shape = (len(present), moves.shape[1] + joined, self.candidates)
        alternatives = np.empty(shape)
        # One move after the other, so that few temporaries are alive at a time.
        for column, targets in enumerate(moves.T):
            alternatives[:, column] = ranks.moved(present, targets)
        if joined:
            alternatives[:, -1] = removed
        return alternatives

    def _added(self, whole: Sums) -> FloatArray:
        return self._ranks(whole).joined(np.arange(self.candidates))

    def sampling_sd(self, estimate: FloatArray) -> FloatArray:
        """Return ``sqrt(n) / 2`` for each score, ``inf`` if the number is private.

        Each of ``n`` independent records moves a score by at most 1, and so adds at
        most 1/4 to its variance (Boucheron, Lugosi and Massart 2013, corollary 3.2).
        """
        bound = self.size.people**0.5 / 2 if self.size.public else np.inf
        return np.full(np.shape(estimate), bound)

    @property
    def _count(self) -> int:
        return self.candidates

    def _ranks(self, whole: Sums) -> Ranks:
        check_people(whole.people, self.size)
        return Ranks(counts=whole.total, q=self.q)


def rank_scores(bounds: Interval, q: float, size: TableSize, *, whole: bool) -> RankScores:
    """Return the scores of the usual candidates between the bounds of a column.

    Those of ``whole`` numbers are all whole numbers there, if they are no more.

    >>> from dpcore.relations import TableSize
    >>> few, size = Interval(lower=0.0, upper=3.5), TableSize(people=5, public=True)
    >>> rank_scores(few, 0.5, size, whole=True).grid
    array([0., 1., 2., 3.])
    """
    inside = whole_within(bounds) if whole else None
    if inside is None:
        return RankScores(bounds=bounds, q=q, size=size)
    count = min(int(inside.width) + 1, CANDIDATES)
    return RankScores(bounds=inside, q=q, size=size, candidates=count, whole=True)


def whole_within(bounds: Interval) -> Interval | None:
    """Return the least and the largest whole number within bounds.

    ``None`` where there are fewer than two.
    """
    low, high = float(np.ceil(bounds.lower)), float(np.floor(bounds.upper))
    return Interval(lower=low, upper=high) if low < high else None


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Ranks:
    """How many people count as each candidate. CONFIDENTIAL.

    Attributes:
        counts: Number of people at each candidate, shape ``(k,)``.
        q: The quantile sought.

    """

    counts: FloatArray = field(repr=False)
    q: float

    @property
    def target(self) -> float:
        """Return the rank sought, ``q n``."""
        return self.q * float(self.counts.sum())

    @property
    def at_most(self) -> FloatArray:
        """Return how many people are at each candidate or below, shape ``(k,)``."""
        return np.cumsum(self.counts)

    @property
    def below(self) -> FloatArray:
        """Return how many people are below each candidate, shape ``(k,)``."""
        return self.at_most - self.counts

    @property
    def scores(self) -> FloatArray:
        """Return the score of each candidate."""
        return _scores(self.below, self.at_most, self.target)

    def without(self, places: NDArray[np.intp]) -> FloatArray:
        """Return the scores without a person at each of ``places``, shape (m, k)."""
        return self._changed(places, -1.0, self.target - self.q)

    def joined(self, places: NDArray[np.intp]) -> FloatArray:
        """Return the scores after a person joins each of ``places``, shape (m, k)."""
        return self._changed(places, 1.0, self.target + self.q)

    def moved(self, start: NDArray[np.intp], end: NDArray[np.intp]) -> FloatArray:
        """Return the scores after one person moves from ``start`` to ``end``, (m, k).

        Between the two, everybody's rank changes by 1.
        """
        index = np.arange(len(self.counts))
        first, last = start[:, np.newaxis], end[:, np.newaxis]
        # Booleans as small integers: the two (m, k) sums are the only floats made.
        at_most = self.at_most + (_from(index, last) - _from(index, first))
        below = self.below + (_from(index, last + 1) - _from(index, first + 1))
        return _scores(below, at_most, self.target)

    def _changed(self, places: NDArray[np.intp], people: float, target: float) -> FloatArray:
        index, place = np.arange(len(self.counts)), places[:, np.newaxis]
        at_most = self.at_most + people * _from(index, place)
        below = self.below + people * _from(index, place + 1)
        return _scores(below, at_most, target)


def extreme_moves(ranks: Ranks, places: NDArray[np.intp]) -> NDArray[np.intp]:
    """Return where the people at ``places`` may go to reveal most, shape ``(m, a)``.

    Let a person move up from ``j`` to ``t``. A candidate strictly between changes by
    ``mid``, candidate ``t`` itself by ``end``; both depend on that candidate's ranks
    alone, and take at most five values in turn: far below the target ``(-1, 0)``, then
    the candidates around it, then ``(1, 1)`` far above. While ``t`` passes through a
    run of equal ``(mid, end)``,

    * the least and the greatest change of a score stay the same, and
    * the normalizer ``sum exp(score / s)`` changes by ``exp(score / s)`` times
      ``(e^(mid/s) - e^(end/s)) + (e^(end/s) - 1)``, of which the first bracket is 0
      above the target, the second is 0 below it, and around it all scores of a run are
      equal: so it rises all along the run, or falls.

    The largest absolute log ratio of two exponential mechanisms is a difference of the
    normalizers' logarithms and the least or greatest change, so it is attained at an
    end of some run. Moving down is the mirror image.

    Rows are padded with their last entry.
    """
    upward = _run_ends(_changes(ranks, -1.0))
    downward = _run_ends(_changes(ranks, 1.0))
    rows = [
        sorted(_ends_beyond(place, upward) | _ends_before(place, downward))
        for place in places.tolist()
    ]
    width = max(map(len, rows), default=0)
    padded = [row + row[-1:] * (width - len(row)) for row in rows]
    return np.array(padded, dtype=np.intp).reshape(len(rows), width)


def _from(index: NDArray[np.intp], place: NDArray[np.intp]) -> NDArray[np.int8]:
    return (index >= place).astype(np.int8)


def _scores(below: FloatArray, at_most: FloatArray, target: float) -> FloatArray:
    above = np.maximum(below - target, target - at_most)
    return np.asarray(-np.maximum(above, 0.0, out=above) + 0.0)


def _changes(ranks: Ranks, step: float) -> FloatArray:
    """Return ``mid`` and ``end`` of each candidate for a move up (-1) or down (1)."""
    below, at_most, target = ranks.below, ranks.at_most, ranks.target
    mid = _scores(below + step, at_most + step, target)
    ends = (below + step, at_most) if step < 0 else (below, at_most + step)
    return np.stack([mid, _scores(*ends, target)]) - ranks.scores


def _run_ends(changes: FloatArray) -> list[tuple[int, int]]:
    """Return the first and the last candidate of each run of equal changes."""
    # Ranks differ by whole numbers, so what differs at all differs by far more.
    differs = np.any(np.abs(np.diff(changes, axis=1)) > 1e-6, axis=0)  # noqa: PLR2004
    starts = [0, *(np.flatnonzero(differs) + 1).tolist(), changes.shape[1]]
    return [(first, after - 1) for first, after in pairwise(starts)]


def _ends_beyond(place: int, runs: list[tuple[int, int]]) -> set[int]:
    kept = [(max(first, place + 1), last) for first, last in runs if last > place]
    return {end for run in kept for end in run}


def _ends_before(place: int, runs: list[tuple[int, int]]) -> set[int]:
    kept = [(first, min(last, place - 1)) for first, last in runs if first < place]
    return {end for run in kept for end in run}


BRANCHES: Final = 8
LEVELS: Final = 3
GRID_SIZE: Final = BRANCHES**LEVELS
"""How many values the grid has."""
PIECES: Final = LEVELS * (BRANCHES - 1) + 1
"""Into how many ranges a value splits the grid: those up to it, and those beyond."""
_STARTS: Final = tuple(
    sum(BRANCHES**level for level in range(1, depth)) for depth in range(1, LEVELS + 2)
)


@dataclass(frozen=True, slots=True, kw_only=True)
class CumulativeCounts(GridCounts):
    """Number of people in 8 ranges of the bounds, in 8 of each, and in 8 of each again.

    Every value, clamped to the bounds, counts as its nearest of 512 equally spaced
    ones. The counts of the widest ranges stand first.

    Sensitivity: everybody is in one range of each width. Who joins or leaves changes
    three counts by 1 each: 3 added up, and the root of 3. Another record leaves three
    and joins three others, if it lies in another eighth of the bounds: 6, and the root
    of 6; nearer by, it changes fewer.

    Attributes:
        bounds: The public bounds; the first and the last value of the grid.
        size: What is public about the number of people.
        whole: Whether all values are whole numbers, as those of the grid then are.

    >>> from dpcore.relations import TableSize
    >>> size = TableSize(people=3, public=True)
    >>> counts = CumulativeCounts(bounds=Interval(lower=0.0, upper=511.0), size=size)
    >>> found = counts.value([1.0, 2.0, 600.0])
    >>> found[:8], float(found.sum())
    (array([2., 0., 0., 0., 0., 0., 0., 1.]), 9.0)

    """

    bounds: Interval
    size: TableSize
    whole: bool = False

    def __post_init__(self) -> None:
        check_bounds(self.bounds)

    @property
    def grid(self) -> FloatArray:
        """Return the values that are told apart, ascending, shape ``(512,)``.

        Where they are whole, some are alike if there are fewer between the bounds.
        """
        return np.rint(self._grid) if self.whole else self._grid

    def around(self, places: NDArray[np.intp]) -> FloatArray:
        """Return the ends of what counts as values of the grid, for pairs of places.

        Half a step of the grid lies on either side of both, shape ``(k, 2)``. A whole
        number between two numbers is between them when they are rounded, too.
        """
        half = self.grid_error * np.array([-1.0, 1.0])
        ends = self.bounds.clip(self._grid[places] + half)
        return np.rint(ends) if self.whole else ends

    @property
    def step(self) -> float:
        """Return how far values of the grid are apart, where they are at all."""
        step = self.bounds.width / (GRID_SIZE - 1)
        return max(step, 1.0) if self.whole else step

    @property
    def grid_error(self) -> float:
        """Return half a step: how far counting as the nearest value moves.

        Nothing where no two whole numbers count as the same.
        """
        step = self.bounds.width / (GRID_SIZE - 1)
        return 0.0 if self.whole and step <= 1 else step / 2

    @property
    def labels(self) -> tuple[str, ...]:
        """Return a name for each range: its first and its last value."""
        grid = self.grid
        names = []
        for level in range(1, LEVELS + 1):
            wide = GRID_SIZE // BRANCHES**level
            names += [
                f"{grid[start]:.12g} to {grid[start + wide - 1]:.12g}, width {wide}"
                for start in range(0, GRID_SIZE, wide)
            ]
        return tuple(names)

    @property
    def range(self) -> Interval:
        """Return ``[0, n]``, without an upper end if the number n is private."""
        return Interval(lower=0.0, upper=float(self.size.people) if self.size.public else np.inf)

    def finalize(self, whole: Sums) -> FloatArray:
        """Return the counts of all ranges, shape ``(584,)``, of a whole table."""
        check_people(whole.people, self.size)
        return whole.total

    def sensitivity(self, relation: NeighboringRelation) -> Sensitivity:
        """Return the most that one record can change the counts, over all tables."""
        moved = LEVELS if relation is NeighboringRelation.ADD_REMOVE else 2 * LEVELS
        return Sensitivity(
            coordinates=moved, l1=float(moved), l2=float(np.sqrt(moved)), largest=1.0
        )

    def _instead(
        self, whole: Sums, present: NDArray[np.intp], relation: NeighboringRelation
    ) -> FloatArray:
        """Return the counts without somebody of each value, or after a move.

        Under substitution the person goes to the farthest eighth of the bounds: all
        counts that can change do, by 1 each, and noise without bounds treats all
        counts alike.
        """
        left = whole.total - _ranges_of(present)
        reached = [left]
        if relation is NeighboringRelation.SUBSTITUTION:
            away = np.where(present < GRID_SIZE // 2, GRID_SIZE - 1, 0)
            moved = left + _ranges_of(away)
            reached = [moved] if self.size.public else [moved, left]
        return np.stack(reached, axis=1)

    def _added(self, whole: Sums) -> FloatArray:
        return np.asarray(whole.total + _ranges_of(np.arange(GRID_SIZE)))

    def sampling_sd(self, estimate: FloatArray) -> FloatArray:
        """Return a bound on the standard deviation of each count ``m``: ``sqrt(m)``."""
        return np.sqrt(np.maximum(estimate, 0.0))

    @property
    def _grid(self) -> FloatArray:
        return np.linspace(self.bounds.lower, self.bounds.upper, GRID_SIZE)

    @property
    def _count(self) -> int:
        return GRID_SIZE

    def _totals(self, counts: FloatArray) -> FloatArray:
        """Return the counts of all ranges, from those of the values of the grid."""
        return np.concatenate(
            [counts.reshape(BRANCHES**level, -1).sum(axis=1) for level in range(1, LEVELS + 1)]
        )


def split_at_each(counts: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return the people up to each value of the grid, and those beyond, shape (512,).

    Both are sums of counts that lie beside the ranges of the value, 22 in all. How many
    of them are in the first is in ``pieces_before``.
    """
    before, beyond = np.zeros((2, GRID_SIZE))
    for level in range(1, LEVELS + 1):
        each = counts[_STARTS[level - 1] : _STARTS[level]].reshape(-1, BRANCHES)
        upto = np.cumsum(each, axis=1)
        last = level == LEVELS
        wide = GRID_SIZE // BRANCHES**level
        before += np.repeat((upto if last else upto - each).ravel(), wide)
        beyond += np.repeat((upto[:, -1:] - upto).ravel(), wide)
    return before, beyond


def pieces_before() -> NDArray[np.intp]:
    """Return how many counts make up the people up to each value, shape ``(512,)``.

    >>> pieces_before()[[0, 7, 8, 511]].tolist()
    [1, 8, 2, 22]
    """
    places = np.arange(GRID_SIZE)
    digits = [places // BRANCHES**level % BRANCHES for level in range(LEVELS)]
    return np.asarray(np.sum(digits, axis=0) + 1)


def _ranges_of(codes: NDArray[np.intp]) -> FloatArray:
    """Return 1 for each range that a value lies in, shape ``(m, 584)``."""
    within = np.zeros((len(codes), _STARTS[-1]))
    rows = np.arange(len(codes))
    for level in range(1, LEVELS + 1):
        wide = GRID_SIZE // BRANCHES**level
        within[rows, _STARTS[level - 1] + codes // wide] = 1.0
    return within
