"""A sharper answer to a question that was answered before, for the difference in epsilon.

Laplace noise of less epsilon is noise of more epsilon with further noise on it. On whole
steps let ``G(r)`` have probabilities proportional to ``e^(-r|k|)``. For ``a < b``

    G(a) = G(b) + W,    W = 0 with probability p = sinh^2(a/2) / sinh^2(b/2),
                        else W is distributed as G(a).

The proof divides the characteristic functions ``(cosh r - 1) / (cosh r - cos t)``. In the
limit of small steps ``p = (a/b)^2`` (Koufogiannis, Han and Pappas 2015). So a stored
answer ``y1 = f + G(a)`` can be taken for ``y2`` with noise: the second answer is drawn
given the first one by Bayes' rule. With ``d = y1 - f``, the noise of ``y2`` is ``d`` with
probability ``e^(-(b-a)|d|) sinh(a) / sinh(b)``, and else it has probabilities
proportional to ``e^(-b|z| - a|d-z|)``. Then ``y2`` alone has the law of a single answer at
``b``, and ``(y1, y2)`` is ``y2`` with post-processing: both cost what ``y2`` costs.

What was stored is ``y1`` rounded to a float, and clamped for some mechanisms. Its noise
is drawn again first, given that it was rounded and clamped to what was stored. So the
stored number is still ``y2`` with noise, rounded and clamped.

**The total of a ledger holds.** Let a filter debit ``e1`` for ``y1``, ``e2 - e1`` for
``y2`` before it is drawn, and ``(e, d)`` for any other answer that is ``(e, d)``-DP. Every
choice, that of ``e2`` included, may depend on all earlier answers. (Whitehouse, Ramdas,
Wu and Rogers 2022 and Rogers, Samorodnitsky, Wu and Ramdas 2023 have such filters for
Gaussian noise.) Take two neighboring tables, ``P`` and ``Q`` the laws of all that is
released. By Bayes' rule the factors of a question in the probability of a transcript
multiply to that of ``y2`` around ``f``, times the probability of ``y1`` given ``y2``, which
is without ``f``. That holds whatever is answered in between: the choices depend on the
transcript alone. Between the tables this product changes by a factor of at most
``e^(e2)``, and ``e2`` is the sum of the question's debits. Of any other answer let ``P'``
be the smaller of its law under ``P`` and ``e^e`` times that under ``Q``. It lacks at most
``d``. Multiplied over the transcript, ``P'(S) <= e^E Q(S)`` and ``P(S) <= P'(S) + D``,
``E`` and ``D`` the caps on the sums of the debits. That is (E, D)-DP.

**A third answer** is drawn given the second one. That is right if the first one given the
second one does not depend on ``f``, as stored. So it is for whole numbers: clamped, they
are beyond the bound by a geometric number whatever ``f`` is within the bounds. Where a
float was rounded, its last digits are lost, and they depend on ``f``. There an answer is
sharpened once.

**It would not hold in rho.** The debits of a question telescope for each transcript, and
not in the mean that zCDP takes: somebody who sharpens only after unlikely first answers
gets more than ``rho2 - rho1``. Given any first answer, the second is ``(e1 + e2)``-DP, and
that level counts as the rho of a sharper answer.

Rounding of the statistic: the two draws may sum a table in two orders. By Bayes' rule the
difference acts on the second draw as a further shift of each of the tables, which a wider
sensitivity covers (``Request.sensitivity``).
"""

from __future__ import annotations

import math
import secrets
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from typing import Final

import numpy as np

from dpcore import secure_noise
from dpcore.arrays import FloatArray
from dpcore.codec import NUMBER, TEXT, Schema, several
from dpcore.errors import ParameterError
from dpcore.mechanisms.boundary_inflated import BoundaryInflatedLaplace
from dpcore.mechanisms.boundary_inflated_geometric import BoundaryInflatedGeometric
from dpcore.mechanisms.laplace import Laplace
from dpcore.mechanisms.mechanism import Mechanism, Sensitivity
from dpcore.privacy_filter import PrivacyCost

Bits = Callable[[int], int]
"""Returns a uniform whole number of so many bits."""
SharpenedMechanism = Laplace | BoundaryInflatedLaplace | BoundaryInflatedGeometric
"""Mechanisms whose answers can be sharpened."""
SHARPENED: Final = ("laplace", "bit", "bit-discrete")
"""Their keys in the catalog."""
_FINEST = 1074  # all floats are whole multiples of 2^-1074
_ONE = Fraction(1)


@dataclass(frozen=True, slots=True, kw_only=True)
class EarlierAnswer:
    """An answer in the ledger that a sharper one is drawn for. PUBLIC.

    Attributes:
        id: Name of the request that it answers.
        epsilon: What it was calibrated to, with all that it sharpened itself.
        scale: The scale that its noise was drawn with, to the last bit.
        values: The answer.

    """

    id: str
    epsilon: float
    scale: float
    values: tuple[float, ...]


EARLIER: Final = Schema(
    EarlierAnswer, id=TEXT, epsilon=NUMBER, scale=NUMBER, values=several(NUMBER)
)


def sampler() -> str:
    """Return the name of what draws sharper answers."""
    return f"exact conditional draws, {secure_noise.sampler()}"


def sharper_draw(
    mechanism: Mechanism,
    value: FloatArray,
    earlier: EarlierAnswer,
    *,
    sensitivity: Sensitivity,
    cost: PrivacyCost,
    bits: Bits = secrets.randbits,
) -> FloatArray:
    """Return a draw of the mechanism around ``value``, given an earlier one.

    Args:
        mechanism: Draws an answer by itself. One of those that can be sharpened.
        value: The statistic. CONFIDENTIAL.
        earlier: The answer that was given with more noise.
        sensitivity: Of the statistic.
        cost: What the answer would cost by itself; OpenDP confirms it.
        bits: The source of chance.

    Raises:
        ClaimError: The noise is too small for ``cost``.
        ParameterError: The value is not finite, or the earlier answer is no answer to the
            same question with more noise.

    """
    if not isinstance(mechanism, SharpenedMechanism):
        raise ParameterError("only an answer with Laplace noise can be sharpened.")
    if len(earlier.values) != len(value) or not np.isfinite(value).all():
        raise ParameterError("the statistic is not a finite answer to the same question.")
    scale = mechanism.secure_scale(len(value), sensitivity=sensitivity, cost=cost)
    whole = isinstance(mechanism, BoundaryInflatedGeometric)
    steps = NoiseSteps(of_one=1 if whole else 2**_FINEST, mechanism=mechanism)
    before, now = (1 / (Fraction(each) * steps.of_one) for each in (earlier.scale, scale))
    if not before < now:
        raise ParameterError("a sharper answer needs less noise than the earlier one.")
    pairs = zip(steps.inside(value).tolist(), earlier.values, strict=True)
    return np.array([steps.drawn(Fraction(f), y, (before, now), bits) for f, y in pairs])


@dataclass(frozen=True, slots=True, kw_only=True)
class NoiseSteps:
    """The whole steps that noise is drawn in, and what becomes of them.

    Attributes:
        of_one: How many steps make 1.
        mechanism: Clamps answers to its bounds, or does not.

    """

    of_one: int
    mechanism: SharpenedMechanism

    def inside(self, value: FloatArray) -> FloatArray:
        """Return what noise is added to. CONFIDENTIAL."""
        match self.mechanism:
            case BoundaryInflatedGeometric(bounds=bounds):
                return np.round(bounds.clip(value))
            case BoundaryInflatedLaplace(bounds=bounds):
                return bounds.clip(value)
            case _:
                return value

    def answer(self, place: int) -> float:
        """Return the answer at a place: the nearest float, clamped."""
        rounded = place / self.of_one
        if isinstance(self.mechanism, (BoundaryInflatedLaplace, BoundaryInflatedGeometric)):
            return float(self.mechanism.bounds.clip(rounded))
        return rounded

    def origins(self, answer: float) -> tuple[int | None, int | None]:
        """Return the first and the last place with an answer; None where there is none."""
        first, last = (
            Fraction(answer) + Fraction(math.nextafter(answer, end))
            for end in (-math.inf, math.inf)
        )
        low, high = math.ceil(first * self.of_one / 2), math.floor(last * self.of_one / 2)
        low += self.answer(low) != answer  # half-way between two floats it is rounded to even
        high -= self.answer(high) != answer
        bounds = getattr(self.mechanism, "bounds", None)
        return (
            None if bounds is not None and answer <= bounds.lower else low,
            None if bounds is not None and answer >= bounds.upper else high,
        )

    def drawn(
        self, value: Fraction, earlier: float, rates: tuple[Fraction, Fraction], bits: Bits
    ) -> float:
        """Return a sharper answer, given the earlier one."""
        center = int(value * self.of_one)
        low, high = (None if end is None else end - center for end in self.origins(earlier))
        noise = noise_within(low, high, rates[0], bits)
        return self.answer(center + sharper_noise(noise, rates, bits))


def sharper_noise(noise: int, rates: tuple[Fraction, Fraction], bits: Bits) -> int:
    """Return noise of the second rate, given noise of the first one.

    Other than equal noise is drawn from two-sided geometric noise of rate ``b - a``, and
    kept with probability ``e^(-a(|z| + |d-z| - |d|))``.
    """
    if noise < 0:
        return -sharper_noise(-noise, rates, bits)
    a, b = rates
    if _survives((noise + 1) * (b - a), bits) and _first_part(a, b, bits):
        return noise
    while True:
        z = _two_sided(b - a, bits)
        if _survives(a * (abs(z) + abs(noise - z) - noise), bits):
            return z


def noise_within(low: int | None, high: int | None, rate: Fraction, bits: Bits) -> int:
    """Return noise of a rate, given that it is in an interval; None is an open end."""
    if high is not None and high < 0:
        return -noise_within(-high, None if low is None else -low, rate, bits)
    if low is not None and low >= 0:
        return low + _geometric(rate, bits, below=None if high is None else high - low + 1)
    narrow = low is not None and high is not None and (high - low) * rate <= 1
    while True:
        if narrow and low is not None and high is not None:
            noise = low + _below(high - low + 1, bits)
            kept = _survives(abs(noise) * rate, bits)
        else:
            noise = _two_sided(rate, bits)
            kept = (low is None or low <= noise) and (high is None or noise <= high)
        if kept:
            return noise


def _first_part(a: Fraction, b: Fraction, bits: Bits) -> bool:
    """Return True with probability ``(1 - e^(-2a)) / (1 - e^(-2b))``."""
    parts = math.lcm(a.denominator, b.denominator)
    place = _geometric(Fraction(1, parts), bits, below=int(2 * b * parts))
    return place < 2 * a * parts


def _two_sided(rate: Fraction, bits: Bits) -> int:
    """Return ``k`` with probability proportional to ``e^(-rate |k|)``."""
    while True:
        size, negative = _geometric(rate, bits), bool(bits(1))
        if size or not negative:
            return -size if negative else size


def _geometric(rate: Fraction, bits: Bits, *, below: int | None = None) -> int:
    """Return ``k`` from 0 with probability proportional to ``e^(-rate k)``.

    Canonne, Kamath and Steinke 2020, algorithm 2. ``below`` is where it ends, if it does.
    """
    while True:
        if below is not None and below * rate <= 1:
            k = _below(below, bits)
            if _survives(k * rate, bits):
                return k
            continue
        k = _below(rate.denominator, bits)
        if not _survives(Fraction(k, rate.denominator), bits):
            continue
        while _survives(_ONE, bits):
            k += rate.denominator
        if below is None or k // rate.numerator < below:
            return k // rate.numerator


def _survives(rate: Fraction, bits: Bits) -> bool:
    """Return True with probability ``e^-rate`` (algorithm 1 there)."""
    while rate > 1:
        if not _survives(_ONE, bits):
            return False
        rate -= 1
    k = 1
    while _below(rate.denominator * k, bits) < rate.numerator:
        k += 1
    return k % 2 == 1


def _below(count: int, bits: Bits) -> int:
    """Return a uniform whole number from 0, below ``count``."""
    length = (count - 1).bit_length()
    while (found := bits(length)) >= count:
        pass
    return found
