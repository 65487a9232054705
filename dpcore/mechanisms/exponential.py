"""The exponential mechanism: a private choice among public candidates."""

from __future__ import annotations

import math
from dataclasses import dataclass
from decimal import ROUND_FLOOR, Context, Decimal
from typing import Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from dpcore.arrays import FloatArray
from dpcore.data.bounds import Interval
from dpcore.errors import ParameterError
from dpcore.mechanisms import laplace_law as law
from dpcore.mechanisms.laplace import least_scale
from dpcore.mechanisms.mechanism import Sensitivity, require_budget, require_noise
from dpcore.mechanisms.pairs import floats
from dpcore.privacy.conversions import epsilon_of_range, rho_of_range
from dpcore.privacy.events import PureEvent
from dpcore.privacy_filter import PrivacyCost, float_below
from dpcore.secure_noise import covering, drawn_by

_EXACTLY = Context(prec=60, rounding=ROUND_FLOOR)


@dataclass(frozen=True, slots=True, kw_only=True)
class Exponential:
    """Choose candidate ``c`` with probability proportional to ``exp(score_c / s)``.

    (McSherry and Talwar 2007.) The same law has the candidate with the highest score
    after adding independent Gumbel noise of scale ``s`` to each score, which is how
    releases draw it. If one unit changes no score by more than ``D``, it is pure DP
    with ``epsilon = 2 D / s``, and its privacy loss has that range.

    The last axis of scores is that of the candidates. Unlike the mechanisms that add
    noise to a number, it has no density, bias or variance: the release is an index.

    Attributes:
        noise: The scale ``s``, in the units of the scores.

    Raises:
        ParameterError: ``noise`` is not in [0, inf).

    >>> mechanism = Exponential(noise=1.0)
    >>> mechanism.probabilities([0.0, 0.0, np.log(2.0)]).round(12)
    array([0.25, 0.25, 0.5 ])
    >>> float(mechanism.pairwise_epsilon([0.0, 0.0], [1.0, -1.0]).round(9))
    1.43378083

    """

    noise: float

    def __post_init__(self) -> None:
        require_noise(self.noise)

    @classmethod
    def calibrate(
        cls,
        *,
        sensitivity: Sensitivity,
        epsilon: float,
        delta: float = 0.0,
        bounds: Interval,  # noqa: ARG003 - the candidates are the only bounds
    ) -> Self:
        """Return the scale ``2 D / epsilon``, ``D`` the largest change of a score."""
        require_budget(epsilon, delta)
        return cls(noise=least_scale(2 * sensitivity.largest, epsilon))

    def probabilities(self, scores: ArrayLike) -> FloatArray:
        """Return the probability of each candidate, shape ``(..., k)``.

        Without noise, the candidates with the highest score share it evenly.
        """
        logits, normalizer = self._logits(np.asarray(scores, dtype=np.float64))
        return np.exp(logits - normalizer[..., np.newaxis])

    def simulate(
        self, scores: ArrayLike, *, rng: np.random.Generator, size: tuple[int, ...]
    ) -> NDArray[np.intp]:
        """Draw simulated choices for one vector of scores: indices, of shape ``size``.

        Not for real releases: NumPy's generator can be predicted.
        """
        cumulative = np.cumsum(self.probabilities(scores))
        cumulative /= cumulative[-1]
        return np.searchsorted(cumulative, law.uniform(rng, size))

    def distance_from_best(self, candidates: int, *, missed: float) -> float:
        """Return how far below the best score the choice may lie.

        It lies farther with probability at most ``missed``: the bound is
        ``s log(candidates / missed)`` (McSherry and Talwar 2007), of public numbers.

        Raises:
            ParameterError: There is no candidate, or ``missed`` is not in (0, 1].

        """
        if candidates < 1 or not 0 < missed <= 1:
            raise ParameterError(
                "a choice needs at least 1 candidate and a probability in (0, 1], got "
                f"{candidates} and {missed}."
            )
        return self.noise * math.log(candidates / missed)

    def pairwise_epsilon(
        self, first: ArrayLike, second: ArrayLike, *, delta: float = 0.0
    ) -> FloatArray:
        """Return the exact epsilon at ``delta`` between two vectors of scores.

        For ``delta = 0`` the largest absolute difference of log probabilities. Else,
        with the candidates in descending order of their loss, and ``P_j``, ``Q_j`` the
        probabilities of the first ``j``, the largest of ``log((P_j - delta) / Q_j)``.
        """
        first, second = floats(first, second)
        if delta >= 1:
            return np.zeros(np.broadcast_shapes(first.shape, second.shape)[:-1])
        if delta == 0:
            loss = self._losses(first, second)
            return np.asarray(np.maximum(loss.max(axis=-1), -loss.min(axis=-1)))
        one_way = self._level_at(first, second, delta)
        return np.maximum(one_way, self._level_at(second, first, delta))

    def pairwise_delta(self, first: ArrayLike, second: ArrayLike, *, epsilon: float) -> FloatArray:
        """Return the exact delta: the sum of ``(p - e^epsilon q)_+``, both ways."""
        log_p, log_q = map(self._log_probabilities, floats(first, second))

        def excess(p: FloatArray, q: FloatArray) -> FloatArray:
            # No probability exceeds 1, so neither need what is subtracted.
            raised = np.exp(np.minimum(q + epsilon, 0.0))
            return np.asarray(np.maximum(np.exp(p) - raised, 0.0).sum(axis=-1))

        return np.maximum(excess(log_p, log_q), excess(log_q, log_p))

    def epsilon(self, sensitivity: Sensitivity, *, delta: float = 0.0) -> float:
        """Return ``2 D / s``, or what a privacy loss of that range leaves at delta."""
        eta = self._range(sensitivity)
        return eta if delta == 0 else float(epsilon_of_range(eta, delta))

    def rho(self, sensitivity: Sensitivity) -> float:
        """Return ``epsilon^2 / 8`` (Cesar and Rogers 2021), or less if it is large."""
        return float(rho_of_range(self._range(sensitivity)))

    def secure_draw(
        self, value: FloatArray, *, sensitivity: Sensitivity, cost: PrivacyCost
    ) -> FloatArray:
        """Return the index of the highest of the scores ``value`` plus Gumbel noise.

        Shape ``(1,)``. OpenDP adds Gumbel noise where its map is to answer with a rho;
        for a pure level it draws by another law. A rho of ``epsilon^2 / 8`` is what it
        states for the exponential mechanism of that epsilon, so it confirms the one by
        the other.
        """
        level = float_below(_EXACTLY.divide(_EXACTLY.power(cost.epsilon, 2), Decimal(8)))
        measure = covering("gumbel", 1, self.noise, sensitivity.largest, level)
        return np.atleast_1d(drawn_by(measure, value))

    def event(self, sensitivity: Sensitivity) -> PureEvent:
        """Return a pure event of ``2 D / s``."""
        return PureEvent.from_ratio(self._range(sensitivity))

    def _range(self, sensitivity: Sensitivity) -> float:
        return float(law.scaled(2 * sensitivity.largest, self.noise))

    def _logits(self, scores: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Return scores below the best over the scale, and their log-sum-exp."""
        best = scores.max(axis=-1, keepdims=True)
        with np.errstate(over="ignore"):
            logits = law.scaled(scores - best, self.noise)
        return logits, np.asarray(np.log(np.exp(logits).sum(axis=-1)))

    def _log_probabilities(self, scores: FloatArray) -> FloatArray:
        logits, normalizer = self._logits(scores)
        return np.asarray(logits - normalizer[..., np.newaxis])

    def _losses(self, first: FloatArray, second: FloatArray) -> FloatArray:
        """Return ``log p - log q`` of each candidate; 0 where both are 0."""
        if self.noise == 0:
            log_p, log_q = map(self._log_probabilities, (first, second))
            both = np.isneginf(log_p) & np.isneginf(log_q)
            with np.errstate(invalid="ignore"):
                return np.asarray(np.where(both, 0.0, log_p - log_q))
        # Scores first: the difference of two large logarithms would cancel.
        _, before = self._logits(first)
        _, after = self._logits(second)
        rise = first.max(axis=-1, keepdims=True) - second.max(axis=-1, keepdims=True)
        with np.errstate(over="ignore"):
            moved = law.scaled(first - second - rise, self.noise)
        return np.asarray(moved - (before - after)[..., np.newaxis])

    def _level_at(self, first: FloatArray, second: FloatArray, delta: float) -> FloatArray:
        loss = self._losses(first, second)
        order = np.argsort(-loss, axis=-1)

        def arranged(scores: FloatArray) -> FloatArray:
            logs = np.broadcast_to(self._log_probabilities(scores), loss.shape)
            return np.take_along_axis(logs, order, axis=-1)

        spent = np.cumsum(np.exp(arranged(first)), axis=-1) - delta
        with np.errstate(divide="ignore", invalid="ignore"):
            other = np.logaddexp.accumulate(arranged(second), axis=-1)
            levels = np.where(spent > 0, np.log(spent) - other, 0.0)
        levels = np.where(np.isnan(loss), np.nan, levels)
        return np.asarray(np.maximum(levels.max(axis=-1), 0.0))
