"""Numbers computed of an answer by which two worlds may be told apart.

An answer of one number is its own score. Of several numbers an attacker can form
others: their projection on the line from one world's answers to the other's, the
likelihood ratio, a number alone, or the difference of two. Whatever has to be estimated
is estimated from the draws that are searched, never from those that are tested.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import combinations
from typing import Final

import numpy as np
from numpy.typing import NDArray

from dpcore.arrays import FloatArray
from dpcore.studies.auditing.trial import Drawn, Trial

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


def scores(trial: Trial, searched: Drawn) -> list[Score]:
    """Return the scores to search, the plain ones first."""
    columns = searched.first.shape[1]
    if columns == 1:
        return [Score(name="the answer", of=lambda x: x[:, 0])]
    found = [*_alone(trial, searched)]
    if columns <= _FEW:
        found += _differences(trial)
    found += _together(searched)
    if trial.evidence is not None:
        found.append(Score(name="the evidence by the exact densities", of=trial.evidence))
    return found


def _alone(trial: Trial, searched: Drawn) -> Iterator[Score]:
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


def _together(searched: Drawn) -> Iterator[Score]:
    """Yield projections, on the difference and on Fisher's direction, and evidence.

    The evidence is the log-likelihood ratio of two normal laws fitted to the draws.
    """
    apart = np.abs(_apart(searched))
    kept = np.sort(np.argsort(-apart, kind="stable")[:_TOGETHER])
    one, other = searched.first[:, kept], searched.second[:, kept]
    moved = one.mean(axis=0) - other.mean(axis=0)
    sharp = np.linalg.solve((_covariance(one) + _covariance(other)) / 2, moved)
    first, second = _normal(one), _normal(other)
    known: dict[str, Callable[[FloatArray], FloatArray]] = {
        "the sum along the difference of both": lambda x: x @ moved,
        "the sum weighted to tell most": lambda x: x @ sharp,
        "the evidence by fitted normal laws": lambda x: first(x) - second(x),
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


def _apart(searched: Drawn) -> FloatArray:
    """Return how far apart the means of each number are, in standard deviations."""
    moved = searched.first.mean(axis=0) - searched.second.mean(axis=0)
    spread = np.sqrt((searched.first.var(axis=0) + searched.second.var(axis=0)) / 2)
    return np.asarray(moved / np.maximum(spread, _LEAST))
