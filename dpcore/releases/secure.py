"""Draws for real releases, by OpenDP's exact samplers.

Floating-point noise reveals the value through its low bits (Mironov 2012), and NumPy's
generators can be predicted. OpenDP draws from the exact law with the randomness of the
operating system and rounds once, which is post-processing. It accepts NaN, infinity and
a scale of 0 without a word, so that all of these are refused here.
"""

from __future__ import annotations

import math
import sys
from decimal import ROUND_FLOOR, Context, Decimal
from functools import singledispatch
from importlib.metadata import version

import numpy as np

from dpcore.arrays import FloatArray
from dpcore.data.bounds import Interval
from dpcore.errors import ParameterError
from dpcore.mechanisms.base import Mechanism, Sensitivity
from dpcore.mechanisms.boundary_inflated import BoundaryInflatedLaplace
from dpcore.mechanisms.exponential import Exponential
from dpcore.mechanisms.folded import FoldedLaplace, fold
from dpcore.mechanisms.gaussian import Gaussian
from dpcore.mechanisms.laplace import AveragedLaplace, Laplace
from dpcore.mechanisms.truncated import TruncatedLaplace
from dpcore.privacy_filter import PrivacyCost, float_below
from dpcore.releases.folding import Grid
from dpcore.releases.measurements import covering, drawn_by, measurement

MOST_CANDIDATES = 20_000
"""A truncated draw that needs more candidates than that is refused."""
ROUNDING_UNITS = 128
"""How many units of rounding, 2^-53 each, two neighboring statistics may differ by."""
_EXACTLY = Context(prec=60, rounding=ROUND_FLOOR)


def sampler() -> str:
    """Return the name of what draws the noise."""
    return f"OpenDP {version('opendp')}"


def warm_up() -> None:
    """Import OpenDP, and draw once for nobody, ahead of the first release."""
    drawn_by(measurement("laplace", 1, 1.0), np.zeros(1))


def widen(sensitivity: Sensitivity, magnitude: float) -> Sensitivity:
    """Return the sensitivity of the statistic as floats compute it.

    ``magnitude`` bounds the absolute value of the statistic. A pairwise sum of ``n``
    numbers is wrong by at most ``19 + log2(n / 128)`` units of rounding, below 40 for
    all tables that fit into memory, and each of the two neighboring tables errs.
    """
    slack = ROUNDING_UNITS * 2.0**-53 * magnitude
    cells = sensitivity.coordinates
    return Sensitivity(
        coordinates=cells,
        l1=sensitivity.l1 + cells * slack,
        l2=sensitivity.l2 + math.sqrt(cells) * slack,
        largest=sensitivity.largest + slack,
    )


def draw(
    mechanism: Mechanism | Exponential,
    value: FloatArray,
    *,
    sensitivity: Sensitivity,
    cost: PrivacyCost,
) -> FloatArray:
    """Return one secure draw of the mechanism around ``value``, shape ``(k,)``.

    For Laplace and Gaussian noise OpenDP's own accounting must confirm ``cost`` (its
    epsilon, or its rho); the scale is raised by the few last bits that this may take.

    Raises:
        ParameterError: A value is not finite, or the noise is 0, subnormal or infinite;
            or truncation would need too many candidates.
        ClaimError: The noise is too small for ``cost``.

    """
    if not np.isfinite(value).all():
        raise ParameterError("the statistic is not a finite number; nothing can be released.")
    if not sys.float_info.min <= mechanism.noise <= sys.float_info.max:
        raise ParameterError(
            f"the scale of the noise must be positive, finite and not subnormal, got "
            f"{mechanism.noise}."
        )
    value = np.asarray(value, dtype=np.float64)
    return _draw(mechanism, value, sensitivity=sensitivity, cost=cost)


@singledispatch
def _draw(
    mechanism: Mechanism | Exponential,
    value: FloatArray,  # noqa: ARG001 - the common signature
    *,
    sensitivity: Sensitivity,  # noqa: ARG001 - the common signature
    cost: PrivacyCost,  # noqa: ARG001 - the common signature
) -> FloatArray:
    raise ParameterError(f"there is no secure sampler for {type(mechanism).__name__}.")


@_draw.register(Laplace)
def _(
    mechanism: Laplace, value: FloatArray, *, sensitivity: Sensitivity, cost: PrivacyCost
) -> FloatArray:
    return _laplace(mechanism.noise, value, sensitivity, cost)


@_draw.register(BoundaryInflatedLaplace)
def _(
    mechanism: BoundaryInflatedLaplace,
    value: FloatArray,
    *,
    sensitivity: Sensitivity,
    cost: PrivacyCost,
) -> FloatArray:
    # Values within the bounds are never farther apart than these.
    width = mechanism.bounds.width
    reach = Sensitivity(
        coordinates=sensitivity.coordinates,
        l1=min(sensitivity.l1, sensitivity.coordinates * width),
        l2=sensitivity.l2,
        largest=min(sensitivity.largest, width),
    )
    inside = mechanism.bounds.clip(value)
    return mechanism.bounds.clip(_laplace(mechanism.noise, inside, reach, cost))


@_draw.register(AveragedLaplace)
def _(
    mechanism: AveragedLaplace, value: FloatArray, *, sensitivity: Sensitivity, cost: PrivacyCost
) -> FloatArray:
    k, level = mechanism.draws, float_below(cost.epsilon)
    distance = k * sensitivity.l1
    measure = covering("laplace", k * len(value), k * mechanism.noise, distance, level)
    table = drawn_by(measure, np.repeat(value, k)).reshape(-1, k)
    return np.asarray(table.mean(axis=1))


@_draw.register(FoldedLaplace)
def _(
    mechanism: FoldedLaplace, value: FloatArray, *, sensitivity: Sensitivity, cost: PrivacyCost
) -> FloatArray:
    """Reflect a Laplace draw: on the grid, as the level is below that of the draw."""
    bounds = mechanism.bounds
    if math.isinf(bounds.width):  # there the level is that of the draw
        end = bounds.lower if math.isfinite(bounds.lower) else bounds.upper
        end = end if math.isfinite(end) else 0.0
        drawn = _laplace(mechanism.noise, value - end, sensitivity, cost)
        around = Interval(lower=bounds.lower - end, upper=bounds.upper - end)
        return bounds.clip(end + fold(drawn, around))
    grid = Grid.of(mechanism, sensitivity, float_below(cost.epsilon))
    start = grid.numbers(fold(value, bounds) - bounds.lower)
    measure = measurement("discrete", len(start), grid.scale)
    return bounds.clip(bounds.lower + grid.folded(measure(start)))


@_draw.register(TruncatedLaplace)
def _(
    mechanism: TruncatedLaplace,
    value: FloatArray,
    *,
    sensitivity: Sensitivity,  # noqa: ARG001 - the law's own level is not l1/b
    cost: PrivacyCost,  # noqa: ARG001 - as above
) -> FloatArray:
    """Draw from the truncated law by rejection.

    A fixed number ``N`` of candidates is drawn whatever the data; the first one inside
    the bounds counts. None is inside with probability at most ``(1 - Z)^N <= 2^-64``;
    then there is a further round. So the law is exact, and the time that a draw takes
    is the same for all tables but for an event of that probability.

    Everything is shifted so that a finite bound lies at 0, where floats are dense, and
    rounding moves no candidate across it; shifting back is post-processing.
    """
    lower, upper = mechanism.bounds.lower, mechanism.bounds.upper
    if math.isinf(lower) and math.isinf(upper):
        return drawn_by(measurement("laplace", len(value), mechanism.noise), value)
    inside = mechanism.bounds.clip(value)
    mirrored = math.isinf(lower)
    distance = upper - inside if mirrored else inside - lower
    drawn = _between(distance, upper - lower, mechanism.noise)
    return mechanism.bounds.clip(upper - drawn if mirrored else lower + drawn)


@_draw.register(Gaussian)
def _(
    mechanism: Gaussian, value: FloatArray, *, sensitivity: Sensitivity, cost: PrivacyCost
) -> FloatArray:
    level = float_below(cost.rho)
    return drawn_by(covering("gaussian", len(value), mechanism.noise, sensitivity.l2, level), value)


@_draw.register(Exponential)
def _(
    mechanism: Exponential, value: FloatArray, *, sensitivity: Sensitivity, cost: PrivacyCost
) -> FloatArray:
    """Return the index of the highest of the scores ``value`` plus Gumbel noise.

    Shape ``(1,)``. OpenDP adds Gumbel noise where its map is to answer with a rho; for
    a pure level it draws by another law. A rho of ``epsilon^2 / 8`` is what it states
    for the exponential mechanism of that epsilon, so it confirms the one by the other.
    """
    level = float_below(_EXACTLY.divide(_EXACTLY.power(cost.epsilon, 2), Decimal(8)))
    noise, reach = mechanism.noise, sensitivity.largest
    return np.atleast_1d(drawn_by(covering("gumbel", 1, noise, reach, level), value))


def candidates(width: float, noise: float) -> int:
    """Return how many Laplace draws hold one within ``[0, width]``, but for 2^-64.

    From anywhere in the interval one draw stays inside with probability
    ``Z >= (1 - e^(-width/noise)) / 2``, attained at its ends.

    >>> candidates(math.inf, 1.0)
    64

    Raises:
        ParameterError: There would be more than ``MOST_CANDIDATES``.

    """
    stays = -math.expm1(-width / noise) / 2
    least = 64 * math.log(2) / -math.log1p(-stays) if stays > 0 else math.inf
    if not least <= MOST_CANDIDATES:
        raise ParameterError(
            f"bounds {width:g} apart are too narrow for truncating noise of scale "
            f"{noise:g}; use the BIT Laplace mechanism, or spend more."
        )
    return math.ceil(least)


def _between(value: FloatArray, width: float, noise: float) -> FloatArray:
    """Return a Laplace draw around each value given that it falls in ``[0, width]``."""
    rounds = candidates(width, noise)
    measure = measurement("laplace", len(value) * rounds, noise)
    drawn = np.full(len(value), np.nan)
    while np.isnan(drawn).any():
        table = drawn_by(measure, np.repeat(value, rounds)).reshape(-1, rounds)
        inside = (table >= 0) & (table <= width)
        first = table[np.arange(len(table)), inside.argmax(axis=1)]
        drawn = np.where(np.isnan(drawn) & inside.any(axis=1), first, drawn)
    return drawn


def _laplace(
    noise: float, value: FloatArray, sensitivity: Sensitivity, cost: PrivacyCost
) -> FloatArray:
    level = float_below(cost.epsilon)
    measure = covering("laplace", len(value), noise, sensitivity.l1, level)
    return drawn_by(measure, value)
