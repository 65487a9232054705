"""What an attacker gets out of scores of resized bootstraps: proof, and exact counts.

Simulated tables of 0/1 rows. Every curve is given exactly and by simulation.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from dpcore.arrays import FloatArray
from dpcore.errors import ParameterError
from dpcore.mechanisms.resized_bootstrap import ResizedBootstrap, binomial
from dpcore.privacy.interpretation import best_guess

RUNS = 2000
"""How many attackers are simulated unless said otherwise."""
_POINTS = 40
_CERTAINTY = 0.999
_FACTOR = 1.96
_BARS = 40
_EXACT_MOST = 10**7


@dataclass(frozen=True, slots=True, kw_only=True)
class AttackCurve:
    """How often an attack succeeds, against the number of scores."""

    scores: NDArray[np.int64]
    """Numbers of scores ``K``, ascending."""
    exact: FloatArray
    """Chance of success."""
    simulated: FloatArray
    """Share of simulated attackers who succeed."""
    error: FloatArray
    """Standard error of ``simulated``."""

    def reaching(self, chance: float) -> int | None:
        """Return the first number of scores shown with at least that chance."""
        (enough,) = np.nonzero(self.exact >= chance)
        return int(self.scores[enough[0]]) if len(enough) else None


@dataclass(frozen=True, slots=True, kw_only=True)
class ScoreHistogram:
    """Scores in two worlds: with ``ones`` ones, and with one more."""

    edges: FloatArray
    """Edges of the bars, as shares."""
    fewer: FloatArray
    """Exact probability of each bar in the first world."""
    more: FloatArray
    simulated: FloatArray
    """Share of simulated scores in each bar, of the world with one more."""
    draws: int


def reveal(
    bootstrap: ResizedBootstrap, most: int, *, rng: np.random.Generator, runs: int = RUNS
) -> AttackCurve:
    """Return how likely up to ``most`` scores contain proof of a trait one person has.

    A score above 0 is proof: without the person no score could be. Exactly ``1 -
    (1 - 1/n)^(m K)``.

    Raises:
        ParameterError: ``most`` or ``runs`` is below 1.

    """
    scores = _spread(most, runs)
    exact = np.array([bootstrap.delta(scores=int(k)) for k in scores])
    first = rng.geometric(bootstrap.delta(), size=runs)
    return _curve(scores, exact, (first[:, None] <= scores).mean(axis=0), runs)


def averaging(
    bootstrap: ResizedBootstrap, ones: int, most: int, *, rng: np.random.Generator, runs: int = RUNS
) -> AttackCurve:
    """Return how likely the mean of ``K`` scores rounds to the exact number of ones.

    Raises:
        ParameterError: ``most`` or ``runs`` is below 1.

    """
    scores = _spread(most, runs)
    exact = np.array([bootstrap.recovered(ones, int(k)) for k in scores])
    trials = scores * bootstrap.draws
    # Scores of later numbers contain the earlier ones, as for one attacker who goes on.
    steps = np.diff(trials, prepend=0)
    found = rng.binomial(steps, ones / bootstrap.people, size=(runs, len(steps)))
    totals = np.cumsum(found, axis=1)
    off = np.abs(2.0 * bootstrap.people * totals - 2.0 * ones * trials)
    return _curve(scores, exact, (off < trials).mean(axis=0), runs)


def scores_to_average(bootstrap: ResizedBootstrap, ones: int) -> int:
    """Return about how many scores give the exact count with 95 % chance.

    ``(2 * 1.96)^2 n^2 p (1 - p) / m``, by the normal approximation; at least 1.
    """
    n = bootstrap.people
    spread = ones * (n - ones) / bootstrap.draws
    return max(1, math.ceil((2 * _FACTOR) ** 2 * spread))


def score_histogram(
    bootstrap: ResizedBootstrap, ones: int, *, draws: int, rng: np.random.Generator
) -> ScoreHistogram:
    """Return scores of a table with ``ones`` ones, and of one with one more.

    Raises:
        ParameterError: There is no table with one more one, or nothing to draw.

    """
    n, m = bootstrap.people, bootstrap.draws
    if not 0 <= ones < n:
        raise ParameterError(f"the number of ones must be in [0, {n - 1}], got {ones}.")
    if draws < 1:
        raise ParameterError(f"at least one score must be drawn, got {draws}.")
    far = 4 * math.sqrt(m * (ones + 1) / n * (1 - ones / n)) + 2
    low = max(0, math.floor(m * ones / n - far))
    high = min(m, math.ceil(m * (ones + 1) / n + far))
    width = math.ceil((high - low + 1) / _BARS)
    starts = np.arange(low, high + 1, width)
    edges = np.append(starts, starts[-1] + width) - 0.5
    fewer, more = (
        np.histogram(law.counts, edges, weights=law.mass)[0]
        for law in (binomial(m, k, n) for k in (ones, ones + 1))
    )
    drawn = rng.binomial(m, (ones + 1) / n, size=draws)
    simulated = np.histogram(drawn, edges)[0] / draws
    return ScoreHistogram(edges=edges / m, fewer=fewer, more=more, simulated=simulated, draws=draws)


def laplace_belief(bootstrap: ResizedBootstrap, scores: int) -> float:
    """Return how sure an attacker can get from as many honest Laplace answers.

    Half sure before, each answer at ``epsilon = 1/Z``: at most this, whatever the
    answers.
    """
    return float(best_guess(scores * bootstrap.claimed_epsilon))


def usual_most(bootstrap: ResizedBootstrap) -> int:
    """Return a number of scores by which proof is all but sure."""
    return bootstrap.looks_until(_CERTAINTY)


def _spread(most: int, runs: int) -> NDArray[np.int64]:
    if not 1 <= most <= _EXACT_MOST:
        raise ParameterError(f"the number of scores must be in [1, 10^7], got {most}.")
    if runs < 1:
        raise ParameterError(f"at least one attacker must be simulated, got {runs}.")
    return np.unique(np.rint(np.geomspace(1, most, _POINTS)).astype(np.int64))


def _curve(
    scores: NDArray[np.int64], exact: FloatArray, simulated: FloatArray, runs: int
) -> AttackCurve:
    error = np.sqrt(exact * (1 - exact) / runs)
    return AttackCurve(scores=scores, exact=exact, simulated=simulated, error=error)
