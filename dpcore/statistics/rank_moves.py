"""Rank scores of candidates, and the moves of one person that change them most."""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from dpcore.data.bounds import FloatArray


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

    def _changed(
        self, places: NDArray[np.intp], people: float, target: float
    ) -> FloatArray:
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
