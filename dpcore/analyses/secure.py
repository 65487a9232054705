"""Draws for real releases, by OpenDP's exact samplers.

Floating-point noise reveals the value through its low bits (Mironov 2012), and NumPy's
generators can be predicted. OpenDP draws from the exact law with the randomness of the
operating system and rounds once, which is post-processing. It accepts NaN, infinity and
a scale of 0 without a word, so that all of these are refused here.

Folding at two bounds happens on a grid of whole numbers, so that the law stays exact:
folding reveals less than the noise that is folded, because each answer has several
origins. Floats would spoil that: they are denser near 0, so that an answer with many
digits would tell its origin. Hence the value and the width of the bounds are rounded to
a fixed grid, the noise is OpenDP's discrete Laplace noise on it, and the reflections
are exact. On the grid the same hyperbolic functions hold as on the line (the sum over
the reflections is geometric there too); rounding moves two values apart by at most one
step more, which a slightly larger scale pays for.
"""

from __future__ import annotations

import math
import os
import sys
from dataclasses import dataclass
from decimal import ROUND_FLOOR, Context, Decimal
from fractions import Fraction
from functools import cache, singledispatch
from importlib.metadata import version
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from dpcore.arrays import FloatArray
from dpcore.data.bounds import Interval
from dpcore.errors import ClaimError, ParameterError
from dpcore.formatting import significant
from dpcore.mechanisms.boundary_inflated import BoundaryInflatedLaplace
from dpcore.mechanisms.boundary_inflated_geometric import BoundaryInflatedGeometric
from dpcore.mechanisms.bounded_gaussian import BoundaryInflatedGaussian, TruncatedGaussian
from dpcore.mechanisms.exponential import Exponential
from dpcore.mechanisms.folded import FoldedLaplace, fold, least_scale_folded
from dpcore.mechanisms.gaussian import Gaussian
from dpcore.mechanisms.laplace import AveragedLaplace, Laplace
from dpcore.mechanisms.limited_laplace import LimitedLaplace
from dpcore.mechanisms.mechanism import Mechanism, Sensitivity
from dpcore.mechanisms.truncated import TruncatedLaplace
from dpcore.privacy_filter import PrivacyCost, float_below

_MOST_ULPS = 16


@cache
def opendp() -> Any:  # noqa: ANN401 - the untyped opendp module
    """Import OpenDP, which takes a second or more, and return it."""
    import opendp.prelude as dp  # noqa: PLC0415 - slow to import, so not at start-up

    dp.enable_features("contrib")
    return dp


def covering(law: str, size: int, noise: float, distance: float, level: float) -> Any:  # noqa: ANN401 - untyped library
    """Return a measurement whose own map confirms ``level`` at ``distance``.

    The scale is raised by the few last bits that this may take.

    Raises:
        ClaimError: The noise is too small.

    """
    for _ in range(_MOST_ULPS):
        measure = measurement(law, size, noise)
        if measure.map(distance) <= level:
            return measure
        noise = math.nextafter(noise, math.inf)
    raise ClaimError(
        f"noise of scale {significant(noise)} does not give the level {significant(level)} "
        f"at a sensitivity of {significant(distance)}."
    )


def measurement(law: str, size: int, noise: float) -> Any:  # noqa: ANN401 - untyped library
    """Return OpenDP's noise of scale ``noise`` on ``size`` numbers.

    The law is "laplace", "gaussian", "gumbel" (the index of the noisy maximum), or
    "discrete": Laplace noise on whole numbers.

    Raises:
        ParameterError: There is no such law.

    """
    dp = opendp()
    if law == "discrete":
        whole = dp.vector_domain(dp.atom_domain(T="i64"), size=size)
        return dp.m.make_laplace(whole, dp.l1_distance(T="i64"), scale=noise)
    if law == "gumbel":
        scores = dp.vector_domain(dp.atom_domain(T=float, nan=False))
        metric, measure = dp.linf_distance(T=float), dp.zero_concentrated_divergence()
        return dp.m.make_noisy_max(scores, metric, measure, scale=noise)
    domain = dp.vector_domain(dp.atom_domain(T=float, nan=False), size=size)
    if law == "laplace":
        return dp.m.make_laplace(domain, dp.l1_distance(T=float), scale=noise)
    if law == "gaussian":
        return dp.m.make_gaussian(domain, dp.l2_distance(T=float), scale=noise)
    raise ParameterError(f"there is no secure noise called {law!r}.")


def drawn_by(measure: Any, value: FloatArray) -> FloatArray:  # noqa: ANN401 - untyped library
    """Return one draw of the measurement around ``value``."""
    return np.array(measure(value.tolist()), dtype=np.float64)


TOLERANCE = 1e-9
"""By how much of itself a level may be off for the error of computing it."""
MOST_RAISED = 1e-3
"""By how much of itself the grid may raise the scale."""
_BITS = 61  # leaves the sum of value and noise within 64 bits
_LIMITED_BITS = 40  # of the scale of noise of limited range
_FARTHEST = 512.0  # noise farther out, over the scale, has probability e^-512


@dataclass(frozen=True, slots=True, kw_only=True)
class Grid:
    """Whole numbers from 0 to ``steps`` for the bounds, and the noise among them.

    Attributes:
        exponent: A step is ``2^exponent``.
        steps: The width of the bounds in steps, rounded up.
        scale: The scale of the noise in steps.

    """

    exponent: int
    steps: int
    scale: float

    @classmethod
    def of(cls, mechanism: FoldedLaplace, sensitivity: Sensitivity, level: float) -> Self:
        """Return the finest grid, with noise that gives ``level`` on it.

        Raises:
            ClaimError: The mechanism does not give ``level``.
            ParameterError: The bounds are too wide for the grid.

        """
        noise, width = mechanism.noise, mechanism.bounds.width
        if mechanism.epsilon(sensitivity) > level * (1 + TOLERANCE):
            raise ClaimError(
                f"folded noise of scale {significant(noise)} does not give the level "
                f"{significant(level)}."
            )
        exponent = math.frexp(max(width, _FARTHEST * noise))[1] - _BITS
        step = math.ldexp(1.0, exponent)
        steps = math.ceil(width / step)
        cells = sensitivity.coordinates
        needed = least_scale_folded(
            sensitivity.l1 / cells + step, level / cells, Interval(lower=0.0, upper=steps * step)
        )
        if needed > noise * (1 + MOST_RAISED):
            raise ParameterError(
                f"bounds {significant(width)} apart are too wide for folding noise of scale "
                f"{significant(noise)}; use the BIT Laplace mechanism."
            )
        return cls(exponent=exponent, steps=steps, scale=max(noise, needed) / step)

    def numbers(self, distances: FloatArray) -> list[int]:
        """Return the whole numbers nearest to distances from the lower bound."""
        return [round(math.ldexp(d, -self.exponent)) for d in distances.tolist()]

    def folded(self, numbers: list[int]) -> FloatArray:
        """Return whole numbers reflected into the bounds, as distances."""
        turns = [number % (2 * self.steps) for number in numbers]
        inside = [min(turn, 2 * self.steps - turn) for turn in turns]
        return np.array([math.ldexp(float(y), self.exponent) for y in inside])


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


@_draw.register(BoundaryInflatedGeometric)
def _(
    mechanism: BoundaryInflatedGeometric,
    value: FloatArray,
    *,
    sensitivity: Sensitivity,
    cost: PrivacyCost,
) -> FloatArray:
    counts = np.round(mechanism.bounds.clip(value)).astype(int)
    moved, level = math.ceil(sensitivity.l1), float_below(cost.epsilon)
    measure = covering("discrete", len(counts), mechanism.noise, moved, level)
    return mechanism.bounds.clip(measure(counts.tolist()))


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
@_draw.register(TruncatedGaussian)
def _(
    mechanism: TruncatedLaplace | TruncatedGaussian,
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
    law = "laplace" if isinstance(mechanism, TruncatedLaplace) else "gaussian"
    if math.isinf(lower) and math.isinf(upper):
        return drawn_by(measurement(law, len(value), mechanism.noise), value)
    inside = mechanism.bounds.clip(value)
    mirrored = math.isinf(lower)
    distance = upper - inside if mirrored else inside - lower
    drawn = _between(distance, upper - lower, mechanism.noise, law)
    return mechanism.bounds.clip(upper - drawn if mirrored else lower + drawn)


@_draw.register(Gaussian)
def _(
    mechanism: Gaussian, value: FloatArray, *, sensitivity: Sensitivity, cost: PrivacyCost
) -> FloatArray:
    return _gaussian(mechanism.noise, value, sensitivity, cost)


@_draw.register(BoundaryInflatedGaussian)
def _(
    mechanism: BoundaryInflatedGaussian,
    value: FloatArray,
    *,
    sensitivity: Sensitivity,
    cost: PrivacyCost,
) -> FloatArray:
    inside = mechanism.bounds.clip(value)
    return mechanism.bounds.clip(_gaussian(mechanism.noise, inside, sensitivity, cost))


@_draw.register(LimitedLaplace)
def _(
    mechanism: LimitedLaplace, value: FloatArray, *, sensitivity: Sensitivity, cost: PrivacyCost
) -> FloatArray:
    """Add whole steps of a fixed grid, drawn again where they exceed the range.

    How often that happens does not depend on the value. Rounding moves two values apart
    by at most one step more. On the grid noise of scale ``b`` and range ``A`` steps,
    with ``q = e^(-1/b)``, tells all about a change by ``h`` steps with probability
    ``q^(A-h+1) (1 - q^h) / (1 + q - 2 q^(A+1))``, from which the range follows.
    """
    exponent = math.frexp(mechanism.noise)[1] - _LIMITED_BITS
    step, cells = math.ldexp(1.0, exponent), len(value)
    moved = math.ceil(sensitivity.l1 / step) + cells
    largest = min(math.ceil(sensitivity.largest / step) + 1, moved)
    scale = max(mechanism.noise / step, moved / float_below(cost.epsilon))
    share = float_below(cost.delta) * largest / moved
    h, q = largest / scale, math.exp(-1 / scale)
    odds = h + math.log(-math.expm1(-h) + 2 * share * math.exp(-h)) - math.log(share)
    farthest = math.ceil(scale * (odds - math.log1p(q)) * (1 + TOLERANCE))
    if max(scale / mechanism.noise, farthest / mechanism.limit) * step > 1 + MOST_RAISED:
        raise ClaimError("the range of the noise is too short for the cost that is charged.")
    measure = covering("discrete", cells, scale, moved, float_below(cost.epsilon))
    noise = [farthest + 1] * cells
    while any(abs(one) > farthest for one in noise):
        drawn = measure([0] * cells)
        noise = [b if abs(a) > farthest else a for a, b in zip(noise, drawn, strict=True)]
    whole = [round(math.ldexp(one, -exponent)) for one in value.tolist()]
    return np.array([math.ldexp(a + b, exponent) for a, b in zip(whole, noise, strict=True)])


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


def candidates(width: float, noise: float, law: str = "laplace") -> int:
    """Return how many draws hold one within ``[0, width]``, but for 2^-64.

    From anywhere in the interval one draw stays inside with probability
    ``Z >= (1 - e^(-width/noise)) / 2``, attained at its ends; Gaussian noise with
    ``Z >= erf(width / (noise sqrt 2)) / 2``.

    >>> candidates(math.inf, 1.0)
    64

    Raises:
        ParameterError: There would be more than ``MOST_CANDIDATES``.

    """
    ratio = width / noise
    stays = (-math.expm1(-ratio) if law == "laplace" else math.erf(ratio / math.sqrt(2))) / 2
    least = 64 * math.log(2) / -math.log1p(-stays) if stays > 0 else math.inf
    if not least <= MOST_CANDIDATES:
        raise ParameterError(
            f"bounds {significant(width)} apart are too narrow for truncating noise of scale "
            f"{significant(noise)}; use the BIT Laplace mechanism, or spend more."
        )
    return math.ceil(least)


def _between(value: FloatArray, width: float, noise: float, law: str) -> FloatArray:
    """Return a draw around each value given that it falls in ``[0, width]``."""
    rounds = candidates(width, noise, law)
    measure = measurement(law, len(value) * rounds, noise)
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


def _gaussian(
    noise: float, value: FloatArray, sensitivity: Sensitivity, cost: PrivacyCost
) -> FloatArray:
    level = float_below(cost.rho)
    return drawn_by(covering("gaussian", len(value), noise, sensitivity.l2, level), value)


# Samples and resamples for real releases, drawn by the operating system.
#
# What a sample hides, it hides only from those who cannot tell who was drawn: a generator
# that can be predicted protects nobody.

MOST_DRAWS = 10**9
"""More draws than that do not fit into one release."""
_SHORT = 2**24
_WORDS = 2**64
_AT_ONCE = 2**20


def poisson_sample(people: int, rate: float) -> NDArray[np.bool_]:
    """Return who is in a sample that takes everybody with chance ``rate``.

    Shape ``(people,)``. Everybody is decided alone, by a word of 64 bits below
    ``floor(rate 2^64)``: with at most the chance asked for, never more.

    Raises:
        ParameterError: ``people`` is negative, or ``rate`` not in [0, 1].

    >>> int(poisson_sample(50, 1.0).sum()), int(poisson_sample(50, 0.0).sum())
    (50, 0)

    """
    _check_people(people)
    if not 0 <= rate <= 1:
        raise ParameterError(f"the rate of a sample must be from 0 to 1, got {rate}.")
    limit = int(Fraction(rate) * _WORDS)
    if limit == _WORDS:
        return np.ones(people, dtype=np.bool_)
    taken = np.empty(people, dtype=np.bool_)
    for start in range(0, people, _AT_ONCE):
        stop = min(start + _AT_ONCE, people)
        taken[start:stop] = _words(stop - start) < np.uint64(limit)
    return taken


def fixed_size_sample(people: int, count: int) -> NDArray[np.bool_]:
    """Return who is in a uniform sample of ``count`` people without replacement.

    Shape ``(people,)``. Everybody gets a random word of 64 bits, and the ``count``
    smallest are in: a shuffle that is cut off. Two equal words at the cut would favor
    somebody; then all are drawn again, which treats everybody alike.

    Raises:
        ParameterError: ``people`` is negative, or ``count`` not in [0, people].

    >>> int(fixed_size_sample(50, 7).sum())
    7

    """
    _check_people(people)
    if not 0 <= count <= people:
        raise ParameterError(f"a sample of {people} people has from 0 to {people}, got {count}.")
    if count in (0, people):
        return np.full(people, count > 0)
    while True:
        words = _words(people)
        cut = np.partition(words, (count - 1, count))
        if cut[count - 1] < cut[count]:
            return np.asarray(words <= cut[count - 1])


def secure_counts(people: int, draws: int) -> NDArray[np.int64]:
    """Return how often each person is drawn, with replacement, shape ``(people,)``.

    Each of the ``draws`` draws takes everybody with the same probability, exactly:
    random words at or above the largest multiple of ``people`` are thrown away.

    Raises:
        ParameterError: ``people`` is below 1, or ``draws`` is not in [0, 10^9].

    >>> int(secure_counts(5, 1000).sum()), secure_counts(1, 3).tolist()
    (1000, [3])

    """
    if people < 1:
        raise ParameterError(f"the number of people must be at least 1, got {people}.")
    if not 0 <= draws <= MOST_DRAWS:
        raise ParameterError(f"the number of draws must be in [0, {MOST_DRAWS}], got {draws}.")
    counts = np.zeros(people, dtype=np.int64)
    while draws > 0:
        drawn = _indices(people, min(draws, _AT_ONCE))
        counts += np.bincount(drawn, minlength=people)
        draws -= len(drawn)
    return counts


def _words(count: int) -> NDArray[np.uint64]:
    return np.frombuffer(os.urandom(8 * count), dtype=np.uint64)


def _check_people(people: int) -> None:
    if people < 0:
        raise ParameterError(f"the number of people must be at least 0, got {people}.")


def _indices(people: int, most: int) -> NDArray[np.int64]:
    """Return uniform positions, nearly always ``most`` of them, at times fewer."""
    # Words of 32 bits take less time, and hardly any is thrown away.
    size = 4 if people <= _SHORT else 8
    words = np.frombuffer(os.urandom(size * most), dtype=f"u{size}")
    whole = 2 ** (8 * size) // people * people
    if whole < 2 ** (8 * size):
        words = words[words < whole]
    return np.asarray(words % people, dtype=np.int64)
