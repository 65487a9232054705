"""What releases of models guarantee over all tables, in numbers. PUBLIC.

Bounds are about one row that comes or goes. Where a person owns ``k`` rows there are
``k`` such moves between neighbors, and twice as many where records are replaced or a
table is truncated (``ModelQuestion.moves``); ``m`` moves of (e, d) each make (m e, d
(e^(m e) - 1)/(e^e - 1)) together, since the delta of each move is multiplied by ``e^e``
for every later one (group privacy).

Bounds that need the number of rows are about linear models, whose tables are truncated
at the public maximum: they hold for any table.

Why the worst pair of a posterior sample is at a corner (Wang 2019, proposition 16). At the
same leverage a larger residual never lowers the profile: both laws are symmetric and
unimodal, and the weighted overlap of two such densities shrinks as their centers part. At
the same ``residual/sqrt(1 + leverage)`` a larger leverage dominates a smaller one: the pair
of the smaller arises from that of the larger by scaling, shifting and adding normal noise,
which is post-processing. Together: nobody with leverage up to ``m`` and residual up to ``e``
loses more than the pair ``(m, e sqrt(1 + m))``. In millions of trials with ``m`` up to 1,
even ``(m, e)`` was never exceeded; for that sharper corner no proof is known.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

import numpy as np
from numpy.typing import ArrayLike, NDArray

from dpcore.arrays import FloatArray
from dpcore.errors import ParameterError
from dpcore.mechanisms.search import first_where
from dpcore.models import leverage_and_residual
from dpcore.models.glm import GRADIENT
from dpcore.models.influence import max_glm_influence, max_ridge_influence
from dpcore.models.metrics import Metric
from dpcore.models.question import ModelQuestion
from dpcore.privacy import gaussian
from dpcore.privacy.halving import halved

_FARTHEST: Final = 60.0
"""Logarithm of the largest residual that is tried, and of the smallest."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RecordBounds:
    """Public bounds on every record."""

    features: float = 1.0
    """Largest Euclidean length of a row of features, positive and finite."""
    target: float = 1.0
    """Largest absolute target, positive and finite."""

    def __post_init__(self) -> None:
        if not (0 < self.features < math.inf and 0 < self.target < math.inf):
            raise ParameterError("the bounds of features and target must be in (0, inf).")

    def leverage(self, floor: float) -> float:
        """Return the largest leverage if all eigenvalues of ``H`` are at least that."""
        return self.features**2 / floor if floor > 0 else math.inf

    def residual(self, length: float) -> float:
        """Return the largest residual of a fit with coefficients of that length."""
        return self.target + self.features * length


BOUNDS: Final = RecordBounds(features=1.0, target=1.0)
"""Rows are at most 1 long, and targets within -1 and 1."""
SLOPE, CURVATURE = 1.0, 0.25
"""Largest slope and curvature of the losses of a logistic regression."""
_SMALLEST_ROOT: Final = 1e-100
ROUNDING: Final = 2.0**-46
"""How far a sum over people may be off, in the size of what is added up.

As much as ``analyses.secure`` allows for: 128 units of rounding.
"""
FAINTEST: Final = 1e-12
"""Penalty over the number of people below which rounding may leave no fit."""
_QUADRATURE: Final = 1 - 1e-4
_PRIVATE_SIDE: Final = 1 - 1e-12


def strength_of(question: ModelQuestion) -> float:
    """Return the penalty of every coefficient that guarantees rest on, or 0.

    It is 0 as well where the penalty is so small that a table could have no fit in
    floating point: whether a release fails must not depend on the table.
    """
    strength = question.penalty.constant
    return strength if strength >= FAINTEST * question.most_people else 0.0


def per_move(epsilon: float, delta: float, moves: int) -> tuple[float, float]:
    """Return the (epsilon, delta) of each move that make this together, rounded down.

    >>> per_move(1.0, 1e-6, 1)
    (1.0, 1e-06)
    >>> e, d = per_move(1.0, 1e-6, 2)
    >>> bool(d * (1 + math.exp(e)) <= 1e-6), e
    (True, 0.49999999999999994)
    """
    if moves == 1:
        return epsilon, delta
    each = math.nextafter(epsilon / moves, 0)
    return each, delta * _share(each, moves) * _PRIVATE_SIDE


def longest_fit(question: ModelQuestion) -> float:
    """Return how long the coefficients of any table can be; infinite if unbounded.

    The penalty of the fit is at most what coefficients of 0 would lose, and its
    gradient is at most the sum of the steepest slopes.
    """
    strength, people = strength_of(question), question.most_people
    if strength == 0:
        return math.inf
    loss = question.loss
    if loss is None:
        return min(math.sqrt(people / strength) / 2, people / strength)
    if math.isinf(loss.steepest):
        return math.inf
    most = float(loss.value(np.zeros(2), np.array([0.0, 1.0])).max())
    return min(math.sqrt(2 * most * people / strength), people * loss.steepest / strength)


def max_influence(question: ModelQuestion, metric: Metric) -> float:
    """Return how far one person can move the coefficients in any table.

    Includes what the arithmetic of the fit may add. Infinite where no bound is known.
    """
    loss, penalty = question.loss, question.penalty
    if strength_of(question) == 0:
        return math.inf
    if loss is None:
        shift = max_ridge_influence(penalty, people=question.most_people, metric=metric)
    else:
        shift = max_glm_influence(loss, penalty, metric=metric)
    if math.isinf(shift):
        return shift
    slack = 2 * fit_error(question) * math.sqrt(metric.largest)
    return shift * question.moves + slack


def posterior_epsilon(
    question: ModelQuestion, *, gamma: float, samples: int, delta: float
) -> float:
    """Return the guarantee of posterior samples, by bisection and rounded up.

    The worst pair has the largest leverage and covers the largest residual
    (see above); that holds for several samples, too, since a pair that
    arises from another by post-processing does so in every sample.
    """
    worst = _worst_pair(question)
    if worst is None:
        return math.inf
    return _posterior_level(worst[0], worst[1] * math.sqrt(gamma), delta, samples, question.moves)


@lru_cache(maxsize=256)
def _posterior_level(
    leverage: float, residual: float, delta: float, samples: int, moves: int
) -> float:
    def within(epsilon: float) -> bool:
        each, left = per_move(epsilon, delta, moves)
        return _posterior_delta(leverage, residual, each, samples) <= left

    return _least(within)


def posterior_gamma(
    question: ModelQuestion, *, epsilon: float, delta: float, samples: int
) -> float:
    """Return the largest precision of posterior samples within (epsilon, delta).

    0 where there is none: without a penalty, or one too small.
    """
    worst = _worst_pair(question)
    if worst is None:
        return 0.0
    each, left = per_move(epsilon, delta, question.moves)
    scaled = _largest_residual(worst[0], each, left, samples)
    return (scaled / worst[1]) ** 2 * _PRIVATE_SIDE


def objective_sigma(question: ModelQuestion, *, epsilon: float, delta: float) -> float:
    """Return the noise of objective perturbation for a logistic regression.

    ``sigma^2 = (8 log(2/delta) + 4 epsilon)/epsilon^2`` for slopes of at most 1.

    Raises:
        ParameterError: The delta of each of several moves vanishes.

    """
    each, left = per_move(epsilon, delta, question.moves)
    if left == 0:
        raise ParameterError(
            f"delta is too small, or epsilon too large, for {question.moves} moves: "
            "the delta of each of them vanishes."
        )
    spread = math.sqrt(8 * math.log(2 / left) + 4 * each)
    return SLOPE * spread / each * (1 + 1e-12)


def objective_epsilon(question: ModelQuestion, sigma: float, delta: float) -> float:
    """Return the guarantee of objective perturbation with that noise, rounded up.

    The inverse of ``objective_sigma``, and no less than the penalty allows. Infinite
    without a penalty.
    """
    strength = strength_of(question)

    def within(epsilon: float) -> bool:
        enough = objective_penalty(question, epsilon=epsilon) <= strength
        return enough and (objective_sigma(question, epsilon=epsilon, delta=delta) <= sigma)

    return _least(within)


def objective_penalty(question: ModelQuestion, *, epsilon: float) -> float:
    """Return the least penalty of that guarantee, ``2 curvature/epsilon``."""
    each, _ = per_move(epsilon, 0.5, question.moves)
    return 2 * CURVATURE / each


def gaussian_gamma(shift: float, *, epsilon: float, delta: float) -> float:
    """Return the largest precision of Gaussian noise within (epsilon, delta).

    Raises:
        ParameterError: It is beyond the reach of floats.

    """
    root = gaussian.mu_for(epsilon, delta) / shift
    if not _SMALLEST_ROOT < root < 1 / _SMALLEST_ROOT:
        raise ParameterError(
            "the noise for this epsilon, delta and penalty is beyond the reach of "
            "floating point; choose less extreme numbers."
        )
    return root**2 * (1 - 1e-14)


def _share(epsilon: float, moves: int) -> float:
    """Return the part of delta that each of several moves may have."""
    total = moves * epsilon
    if total > 700:  # noqa: PLR2004 - beyond the reach of exp
        return math.exp(epsilon - total)
    return math.expm1(epsilon) / math.expm1(total) if epsilon > 0 else 1 / moves


def _worst_pair(question: ModelQuestion) -> tuple[float, float] | None:
    """Return the largest leverage, and the residual that covers all of them."""
    strength = strength_of(question)
    if strength == 0:
        return None
    leverage = BOUNDS.leverage(strength)
    length = longest(question.most_people, BOUNDS, penalty=strength)
    residual = BOUNDS.residual(length)
    return leverage, float(covering_residual(leverage, residual))


@lru_cache(maxsize=256)
def _largest_residual(leverage: float, epsilon: float, delta: float, samples: int) -> float:
    """Return the largest ``sqrt(gamma) residual`` of samples within both, or 0."""
    if _posterior_delta(leverage, 0.0, epsilon, samples) > delta:
        return 0.0

    def too_far(log: float) -> bool:
        return _posterior_delta(leverage, math.exp(log), epsilon, samples) > delta

    low, _ = halved(too_far, -60.0, 60.0)
    return math.exp(low) if low > -60.0 else 0.0  # noqa: PLR2004 - the start


def _least(within: Callable[[float], bool]) -> float:
    """Return the least epsilon within which a guarantee holds, ``inf`` without one."""
    high = 1.0
    while not within(high):
        high *= 2
        if high > 1e6:  # noqa: PLR2004 - no guarantee to speak of
            return math.inf
    return halved(within, 0.0, high)[1]


def _posterior_delta(leverage: float, residual: float, epsilon: float, samples: int) -> float:
    delta = float(leverage_and_residual.delta_of(leverage, residual, epsilon, samples=samples))
    return delta if samples == 1 else delta / _QUADRATURE


def fit_error(question: ModelQuestion) -> float:
    """Return how far the coefficients of any table may be from the exact ones.

    Linear: the error of solving with ``H``, whose condition number is at most ``1 +
    n/lambda``, relative to the length. Others: the search ends where the gradient is no
    longer than ``GRADIENT``, or than what rounding leaves of the sum over everybody,
    and the minimum is at most ``1/lambda`` times as far away: ``lambda |v|^2 <= v^T
    (gradient)`` for every convex loss. All of that is known without the table.

    ``ROUNDING`` has a reserve for such a model of more rows than the public maximum: a
    row adds a few units of rounding, and 128 are allowed for. Ten times the maximum is
    tested.
    """
    people, strength = question.most_people, question.penalty.convexity(1)
    columns, length = len(question.labels), longest_fit(question)
    if question.loss is None:
        return ROUNDING * columns * (people / strength + 1) * length
    steepest = question.loss.steepest
    # Predictions are no larger than the coefficients are long.
    rounding = ROUNDING * people * (2 + steepest + length)
    return (GRADIENT * min(1.0, steepest) + rounding) / strength


def covering_residual(leverage: ArrayLike, residual: ArrayLike) -> FloatArray:
    """Return the residual that, at ``leverage``, covers all pairs up to both numbers.

    Proved, see the top of this module: ``residual sqrt(1 + leverage)``.
    """
    m = np.asarray(leverage, dtype=np.float64)
    return np.asarray(np.asarray(residual, dtype=np.float64) * np.sqrt(1 + m))


def longest(people: int, bounds: RecordBounds, *, penalty: float) -> float:
    """Return the largest length of the coefficients over all tables.

    ``|y| max s/(s^2 + lambda) = sqrt(n) B_y / (2 sqrt(lambda))``, at a singular value
    ``s = sqrt(lambda)``; ``inf`` without a penalty.
    """
    if penalty <= 0:
        return math.inf
    return math.sqrt(people) * bounds.target / (2 * math.sqrt(penalty))


def for_all(
    *,
    gamma: ArrayLike,
    delta: float,
    floor: float,
    length: float,
    bounds: RecordBounds,
    proved: bool = False,
) -> FloatArray:
    """Return the most that any newcomer to one table loses. CONFIDENTIAL.

    Args:
        gamma: Shape ``(...)``, positive.
        delta: The delta of the losses.
        floor: Smallest eigenvalue of ``H`` of the table.
        length: Length of its coefficients.
        bounds: Public bounds of the records.
        proved: Whether to use the corner with a proof instead of the sharper one, which
            has been checked by trial up to a leverage of 1.

    Raises:
        ParameterError: The sharper corner is asked for beyond a leverage of 1.

    """
    m, e = bounds.leverage(floor), bounds.residual(length)
    if proved:
        e = float(covering_residual(m, e))
    elif m > 1:
        raise ParameterError(
            "beyond a leverage of 1 the sharper corner is not known to be the worst "
            "pair: raise lambda, or ask for the proved one."
        )
    return leverage_and_residual.epsilon_of(m, np.sqrt(np.asarray(gamma, dtype=float)) * e, delta)


def worst_case(
    *,
    gamma: ArrayLike,
    delta: float,
    penalty: float,
    people: int,
    bounds: RecordBounds,
    proved: bool = False,
) -> FloatArray:
    """Return the guarantee: the most that anybody loses in any table of that size.

    The number of people is public, and the larger one of two neighboring tables.
    Arguments and errors as ``for_all``.
    """
    return for_all(
        gamma=gamma,
        delta=delta,
        floor=penalty,
        length=longest(people, bounds, penalty=penalty),
        bounds=bounds,
        proved=proved,
    )


def gamma_for(
    *, epsilon: float, delta: float, leverage: ArrayLike, residual: ArrayLike
) -> FloatArray:
    """Return the largest ``gamma`` at which pairs stay within (epsilon, delta).

    Rounded down, to the private side; 0 where the narrower posterior alone, without any
    residual, is above delta already. Broadcasts. Residuals are positive, and not yet
    multiplied by ``sqrt(gamma)``.

    Raises:
        ParameterError: A parameter is outside its domain.

    """
    m, e = np.broadcast_arrays(
        np.asarray(leverage, dtype=np.float64), np.asarray(residual, dtype=np.float64)
    )
    if not (0 <= epsilon < math.inf and 0 < delta < 1):
        raise ParameterError(
            f"epsilon must be in [0, ∞) and delta in (0, 1), got ε = {epsilon}, δ = {delta}."
        )
    if not (np.all(m >= 0) and np.all(e > 0)):
        raise ParameterError("leverages must be at least 0 and residuals positive.")

    def within(minus_log: FloatArray) -> NDArray[np.bool_]:
        return np.asarray(leverage_and_residual.delta_of(m, np.exp(-minus_log), epsilon) <= delta)

    ends = np.full(m.shape, _FARTHEST)
    scaled = np.exp(-first_where(within, -ends, ends))
    possible = leverage_and_residual.delta_of(m, 0.0, epsilon) <= delta
    possible &= scaled > np.exp(-ends)
    return np.where(possible, (scaled / e) ** 2 * _PRIVATE_SIDE, 0.0)
