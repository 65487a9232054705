"""The resized bootstrap: fair comparisons, and attacks on its scores.

To set both to "epsilon = 1/Z" compares a guarantee that holds with one that does not.
Three fair ways: the same advantage of an attacker who looks once (total variation), the
same (epsilon, delta), or the same error. All of it is about a share, which one person
moves by 1/n.

Simulated tables of 0/1 rows. Every curve is given exactly and by simulation.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from dpcore.arrays import FloatArray
from dpcore.errors import ParameterError
from dpcore.formatting import significant
from dpcore.mechanisms.resized_bootstrap import ResizedBootstrap, binomial
from dpcore.privacy.interpretation import best_guess, laplace_detection


@dataclass(frozen=True, slots=True, kw_only=True)
class Rival:
    """Noise on the share of all rows that does as well as a resample in one respect."""

    key: str
    """One of "claim", "advantage", "pair", "error" or "uniform"."""
    name: str
    """What it has in common, in plain words."""
    epsilon: float
    """Its pure epsilon; ``inf`` for uniform noise, which has none."""
    variance: float
    """Its variance, whatever the share."""
    delta: float = 0.0
    """Where it is no Laplace noise: its delta at every epsilon, the chance of an answer
    that is proof; else 0.
    """

    def deltas(self, epsilon: ArrayLike) -> FloatArray:
        """Return the exact profile: ``1 - e^((epsilon - epsilon_0)/2)`` for Laplace."""
        at = np.asarray(epsilon, dtype=np.float64)
        if self.delta:
            return np.full(at.shape, self.delta)
        return np.asarray(-np.expm1(np.minimum(at - self.epsilon, 0.0) / 2))

    def detection(self, alarm: ArrayLike) -> FloatArray:
        """Return the best chance of detection at a chance of a false alarm."""
        at = np.asarray(alarm, dtype=np.float64)
        if self.delta:
            return np.minimum(1.0, self.delta + at)
        return laplace_detection(at, r=self.epsilon)

    def failing(self, chance: float) -> float:
        """Return the epsilon at which ``delta`` is ``chance``: ``eps_0 + 2 log(1-c)``.

        0 where it is less often at every epsilon, or for noise that always fails.

        >>> rival = Rival(key="pair", name="", epsilon=0.3, variance=1.0)
        >>> round(rival.failing(0.1), 6)
        0.089279
        """
        if self.delta or chance >= 1:
            return 0.0
        return max(0.0, self.epsilon + 2 * math.log1p(-chance))


def laplace_variance(people: int, epsilon: float) -> float:
    """Return ``2 / (epsilon n)^2``: Laplace noise on a share of ``n`` people."""
    return 2 / (epsilon * people) ** 2


def same_advantage(bootstrap: ResizedBootstrap) -> float:
    """Return the epsilon of Laplace noise with total variation tau: ``-2 log(1-tau)``.

    >>> from dpcore.mechanisms.resized_bootstrap import ResizedBootstrap
    >>> round(same_advantage(ResizedBootstrap.from_ratio(1000, 10)), 12)
    0.200100066717
    """
    return 2 * bootstrap.reverse_epsilon


def same_pair(bootstrap: ResizedBootstrap) -> float:
    """Return the epsilon of Laplace noise whose delta at 1/Z is tau.

    ``1/Z - 2 log(1 - tau)``.
    """
    return bootstrap.claimed_epsilon + same_advantage(bootstrap)


def uniform_variance(bootstrap: ResizedBootstrap) -> float:
    """Return the variance of uniform noise that is (0, tau)-DP, too.

    Its width is ``1/(n tau)``: then the two laws of neighbors overlap but for tau.
    """
    return 1 / (bootstrap.people * bootstrap.delta()) ** 2 / 12


def rivals(bootstrap: ResizedBootstrap, ones: int) -> tuple[Rival, ...]:
    """Return what a resample of ``ones`` ones in ``n`` is compared with.

    Where all rows are equal a resample has no error, and no noise matches it.

    Raises:
        ParameterError: ``ones`` is not in [0, n].

    """
    n = bootstrap.people
    if not 0 <= ones <= n:
        raise ParameterError(f"the number of ones must be in [0, {n}], got {ones}.")
    spread = float(bootstrap.variance(ones / n))
    claim = significant(bootstrap.claimed_epsilon)
    levels = {
        "claim": (f"Laplace noise, ε = {claim} as claimed", bootstrap.claimed_epsilon),
        "pair": (f"Laplace noise with the same δ at ε = {claim}", same_pair(bootstrap)),
        "advantage": (
            "Laplace noise with the same attacker’s advantage",
            same_advantage(bootstrap),
        ),
    }
    if spread > 0:
        level = math.sqrt(2 / spread) / n
        levels["error"] = ("Laplace noise with the same RMSE", level)
    found = [
        Rival(key=key, name=name, epsilon=level, variance=laplace_variance(n, level))
        for key, (name, level) in levels.items()
        if math.isfinite(level)
    ]
    uniform = Rival(
        key="uniform",
        name="uniform noise with the same δ at every ε",
        epsilon=math.inf,
        variance=uniform_variance(bootstrap),
        delta=bootstrap.delta(),
    )
    return (*found, uniform)


def break_even(bootstrap: ResizedBootstrap, rival: Rival) -> float:
    """Return the ``n p (1 - p)`` above which a rival has the smaller variance.

    A resample has ``p (1 - p) / m``.
    """
    return rival.variance * bootstrap.draws * bootstrap.people


def detection(bootstrap: ResizedBootstrap, alarm: ArrayLike) -> FloatArray:
    """Return the best detection of a trait that one person has, from one score.

    A straight line from ``(0, tau)`` to ``(1, 1)``: either there is proof, or nothing
    is known beyond a guess.
    """
    at = np.asarray(alarm, dtype=np.float64)
    tau = bootstrap.delta()
    return np.asarray(tau + (1 - tau) * at)


def detection_around(bootstrap: ResizedBootstrap, ones: int) -> tuple[FloatArray, FloatArray]:
    """Return false alarms and detections of the best tests of one more one.

    One corner for each number of ones to ask for; in between tests are mixed.

    Raises:
        ParameterError: There is no neighbor with one more one.

    """
    more, fewer = bootstrap.pair(ones).laws
    low = min(more.counts[0], fewer.counts[0])
    size = int(max(more.counts[-1], fewer.counts[-1]) - low) + 1
    corners = []
    for law in (fewer, more):
        mass = np.zeros(size)
        start = int(law.counts[0] - low)
        mass[start : start + len(law.mass)] = law.mass
        corners.append(np.concatenate([[0.0], np.cumsum(mass[::-1])]))
    return np.minimum(corners[0], 1.0), np.minimum(corners[1], 1.0)


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
    off = np.abs(2.0 * bootstrap.people * np.cumsum(found, axis=1) - 2.0 * ones * trials)
    return _curve(scores, exact, (off < trials).mean(axis=0), runs)


def scores_to_average(bootstrap: ResizedBootstrap, ones: int) -> int:
    """Return about how many scores give the exact count with 95% chance.

    ``(2 * 1.96)^2 n^2 p (1 - p) / m``, by the normal approximation; at least 1.
    """
    spread = ones * (bootstrap.people - ones) / bootstrap.draws
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
