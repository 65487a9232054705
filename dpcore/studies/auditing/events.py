"""Scores and events that may tell two worlds apart, and the most telling event.

An answer of one number is its own score. Of several numbers an attacker can form
others: their projection on the line from one world's answers to the other's, the
likelihood ratio, a number alone, or the difference of two. Whatever has to be estimated
is estimated from the draws that are searched, never from those that are tested.

A score is cut into cells: between quantiles of what was drawn, and a cell of its own
for every number that comes again and again, such as a bound that noise is clamped to.
Looked at are all thresholds, from either side, and the cells put in the order of how
much likelier they are in one world, which finds intervals and atoms too (the best tests
are of that form, by the lemma of Neyman and Pearson).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from itertools import combinations
from typing import Final

import numpy as np
from numpy.typing import NDArray

from dpcore.arrays import FloatArray
from dpcore.formatting import in_full, interval_ends, significant
from dpcore.studies.auditing.trials import WITH, Trial, TrialDraws

_FEW: Final = 4
"""Up to so many numbers, all differences of two are looked at."""
_ALONE: Final = 3
"""So many numbers are looked at alone: those whose means differ most."""
_TOGETHER: Final = 30
"""So many numbers are looked at together: the same."""
_RIDGE: Final = 1e-12
_LEAST: Final = 1e-300


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Score:
    """A number computed of an answer.

    Attributes:
        name: What it is called within a sentence, such as "the answer".
        of: Takes answers ``(n, k)`` and returns ``(n,)``.

    """

    name: str
    of: Callable[[FloatArray], FloatArray]


def scores(trial: Trial, searched: TrialDraws) -> list[Score]:
    """Return the scores to search, the plain ones first."""
    columns = searched.first.shape[1]
    if columns == 1:
        return [Score(name="the answer", of=lambda x: x[:, 0])]
    found = [*_alone(trial, searched)]
    if columns <= _FEW:
        found += _differences(trial)
    found += _together(searched)
    if trial.evidence is not None:
        found.append(Score(name="the exact log-likelihood ratio", of=trial.evidence))
    return found


def _alone(trial: Trial, searched: TrialDraws) -> Iterator[Score]:
    apart = np.abs(_apart(searched))
    for place in np.argsort(-apart, kind="stable")[:_ALONE].tolist():
        yield Score(name=f"“{trial.labels[place]}”", of=_combining({place: 1.0}))


def _differences(trial: Trial) -> Iterator[Score]:
    for i, j in combinations(range(len(trial.labels)), 2):
        yield Score(
            name=f"“{trial.labels[i]}” less “{trial.labels[j]}”", of=_combining({i: 1.0, j: -1.0})
        )


def _combining(weights: dict[int, float]) -> Callable[[FloatArray], FloatArray]:
    """Return the sum of some numbers of an answer, each times its weight."""
    return lambda x: np.asarray(x[:, list(weights)] @ np.array(list(weights.values())))


def _together(searched: TrialDraws) -> Iterator[Score]:
    """Yield projections, on the difference and on Fisher's direction, and evidence.

    The evidence is the log-likelihood ratio of two normal laws fitted to the draws.
    """
    kept = np.sort(np.argsort(-np.abs(_apart(searched)), kind="stable")[:_TOGETHER])
    one, other = searched.first[:, kept], searched.second[:, kept]
    moved = one.mean(axis=0) - other.mean(axis=0)
    sharp = np.linalg.solve((_covariance(one) + _covariance(other)) / 2, moved)
    first, second = _normal(one), _normal(other)
    known: dict[str, Callable[[FloatArray], FloatArray]] = {
        "the projection on the difference of the means": lambda x: x @ moved,
        "the optimally weighted sum": lambda x: x @ sharp,
        "the log-likelihood ratio of fitted normal distributions": lambda x: first(x) - second(x),
    }
    for name, of in known.items():
        yield Score(name=name, of=_of_columns(of, kept))


def _of_columns(
    of: Callable[[FloatArray], FloatArray], kept: NDArray[np.intp]
) -> Callable[[FloatArray], FloatArray]:
    return lambda x: of(x[:, kept])


def _normal(drawn: FloatArray) -> Callable[[FloatArray], FloatArray]:
    middle, root = drawn.mean(axis=0), np.linalg.cholesky(_covariance(drawn))
    inverse = np.linalg.inv(root)
    size = float(np.log(np.diag(root)).sum())

    def log_density(x: FloatArray) -> FloatArray:
        scaled = (x - middle) @ inverse.T
        return np.asarray(-(scaled**2).sum(axis=1) / 2 - size)

    return log_density


def _covariance(drawn: FloatArray) -> FloatArray:
    """Return the covariance, with a trace of noise where a number never moves."""
    found = np.atleast_2d(np.cov(drawn, rowvar=False))
    spread = float(np.trace(found)) / len(found)
    return np.asarray(found + np.eye(len(found)) * max(spread * _RIDGE, _LEAST))


def _apart(searched: TrialDraws) -> FloatArray:
    """Return how far apart the means of each number are, in standard deviations."""
    moved = searched.first.mean(axis=0) - searched.second.mean(axis=0)
    spread = np.sqrt((searched.first.var(axis=0) + searched.second.var(axis=0)) / 2)
    return np.asarray(moved / np.maximum(spread, _LEAST))


_CELLS: Final = 128
_A_CELL: Final = 25
"""So many draws of a world a cell holds on average, at least."""
_REPEATED: Final = 1e-3
"""What is drawn with that share is a cell of its own."""
_TWICE: Final = 5
_NEVER: Final = 1e-300
_BETTER: Final = 1.05
"""By so much a set of cells must seem better than a threshold, to be preferred."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class ScoreCells:
    """A score cut into cells, in the order of the score.

    Cell ``2 i`` lies between two cuts, cell ``2 i + 1`` is the cut ``i`` itself.
    """

    score: Score
    cuts: FloatArray

    @property
    def number(self) -> int:
        """Return how many cells there are."""
        return 2 * len(self.cuts) + 1

    def of(self, answers: FloatArray) -> NDArray[np.intp]:
        """Return the cell of each of the answers ``(n, k)``."""
        values = self.score.of(answers)
        below = np.searchsorted(self.cuts, values, side="left")
        return below + np.searchsorted(self.cuts, values, side="right")

    def counts(self, drawn: TrialDraws) -> NDArray[np.intp]:
        """Return how many answers of either world each cell holds, ``(2, cells)``."""
        return np.stack(
            [
                np.bincount(self.of(answers), minlength=self.number)
                for answers in (drawn.first, drawn.second)
            ]
        )

    def ranked(self, counts: NDArray[np.intp]) -> NDArray[np.intp]:
        """Return the cells from the likeliest of the first world to the second's."""
        return np.argsort(-((counts[0] + 0.5) / (counts[1] + 0.5)), kind="stable")


def cells(score: Score, searched: TrialDraws) -> ScoreCells:
    """Cut a score by what was drawn."""
    values = np.concatenate([score.of(searched.first), score.of(searched.second)])
    distinct, times = np.unique(values, return_counts=True)
    repeated = distinct[times >= max(_TWICE, _REPEATED * len(values))]
    rest = values[~np.isin(values, repeated)]
    number = min(_CELLS, max(2, len(values) // (2 * _A_CELL)))
    between = np.quantile(rest, np.linspace(0, 1, number + 1)[1:-1]) if len(rest) else rest
    return ScoreCells(score=score, cuts=np.unique(np.concatenate([repeated, between])))


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class CellEvent:
    """A set of cells: something that an answer does or does not.

    Attributes:
        cells: The score, cut into cells.
        held: Which cells belong to it, shape ``(cells,)``.
        likelier: The world that it speaks for.

    """

    cells: ScoreCells
    held: NDArray[np.bool_] = field(repr=False)
    likelier: int

    def seen(self, answers: FloatArray) -> int:
        """Return in how many of the answers ``(n, k)`` it happens."""
        return int(np.count_nonzero(self.held[self.cells.of(answers)]))

    @property
    def text(self) -> str:
        """Return it in words, as the main clause of a sentence."""
        return f"{self.cells.score.name} {_where(self.cells.cuts, self.held)}"


def _where(cuts: FloatArray, held: NDArray[np.bool_]) -> str:
    """Return in words which numbers are held."""
    runs = np.flatnonzero(np.diff(np.concatenate([[0], held.astype(int), [0]]))).reshape(-1, 2)
    if len(runs) == 0 or len(cuts) == 0:
        return "is anything" if held.any() else "is nothing"
    words = [_run(cuts, first, last - 1) for first, last in runs.tolist()]
    if len(words) > _TWICE:
        return f"lies in one of {len(words)} intervals, such as where it {words[0]}"
    return " or ".join([words[0], *(word.removeprefix("is ") for word in words[1:])])


def _run(cuts: FloatArray, first: int, last: int) -> str:
    """Return where a number lies that is in the cells from first to last."""
    top = 2 * len(cuts)
    if first == last and first % 2:
        return f"is exactly {in_full(float(cuts[first // 2]))}"
    low = None if first == 0 else float(cuts[(first - 1) // 2])
    high = None if last == top else float(cuts[last // 2])
    if low is not None and high is not None:
        return "is between {} and {}".format(*interval_ends(low, high))
    if high is not None:
        return f"is {'at most' if last % 2 else 'below'} {significant(high)}"
    if low is not None:
        return f"is {'at least' if first % 2 else 'above'} {significant(low)}"
    return "is anything"


def most_telling(
    candidates: list[ScoreCells], searched: TrialDraws, *, likelier: int, delta: float, z: float
) -> CellEvent:
    """Return the event that suggests the largest lower bound for one direction.

    Args:
        candidates: Scores, cut into cells.
        searched: Draws that are not tested on.
        likelier: The world that the event shall speak for.
        delta: What the claim allows besides epsilon.
        z: Normal quantile of the confidence of each limit.

    """
    best, found = -np.inf, None
    for one in candidates:
        for ranked, order, counts in _orders(one, searched, likelier):
            hits = np.minimum(np.cumsum(counts[:, order], axis=1), searched.number)
            low, high = (
                score_limits(hits[0], searched.number, z)[0],
                score_limits(hits[1], searched.number, z)[1],
            )
            bound = np.log(np.maximum(low - delta, _NEVER)) - np.log(high)
            place = int(bound.argmax())
            value, size = float(bound[place]), place + 1
            if value > (best * _BETTER if ranked and best > 0 else best) or found is None:
                best = value
                held = np.zeros(counts.shape[1], dtype=bool)
                held[order[:size]] = True
                held[1:-1] |= (~counts[:, 1:-1].any(axis=0)) & (held[:-2] & held[2:])
                found = CellEvent(cells=one, held=held, likelier=likelier)
    assert found is not None, "there is always a score"  # noqa: S101
    return found


def _orders(
    one: ScoreCells, searched: TrialDraws, likelier: int
) -> Iterator[tuple[bool, NDArray[np.intp], NDArray[np.intp]]]:
    """Yield orders of the cells, whether they are ranked, and what to judge them by.

    The likelier world comes first in the counts. An order that was found by counting
    looks better on the same draws than it is: it is judged by others.
    """
    counts = one.counts(searched)
    ranking, judging = (one.counts(half) for half in searched.halves())
    if likelier != WITH:
        counts, ranking, judging = counts[::-1], ranking[::-1], judging[::-1]
    places = np.arange(one.number)
    yield False, places, counts
    yield False, places[::-1], counts
    yield True, one.ranked(ranking), 2 * judging


def score_limits(
    hits: NDArray[np.intp] | FloatArray, draws: float, z: float
) -> tuple[FloatArray, FloatArray]:
    """Return approximate limits of probabilities (Wilson 1927): fast, for a search."""
    share = hits / draws
    square = z * z / draws
    middle = share + square / 2
    reach = z * np.sqrt(share * (1 - share) / draws + square / (4 * draws))
    return (
        np.asarray((middle - reach) / (1 + square)),
        np.asarray((middle + reach) / (1 + square)),
    )
