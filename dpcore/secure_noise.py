"""Noise for real releases, by OpenDP's exact samplers.

Floating-point noise reveals the value through its low bits (Mironov 2012), and NumPy's
generators can be predicted. OpenDP draws from the exact law with the randomness of the
operating system and rounds once, which is post-processing. A mechanism makes its
``secure_draw`` of these.
"""

from __future__ import annotations

import math
from functools import cache
from importlib.metadata import version
from typing import Any

import numpy as np

from dpcore.arrays import FloatArray
from dpcore.data.bounds import Interval
from dpcore.errors import ClaimError, ParameterError
from dpcore.formatting import significant

TOLERANCE = 1e-9
"""By how much of itself a level may be off for the error of computing it."""
MOST_RAISED = 1e-3
"""By how much of itself a grid may raise the scale."""
MOST_CANDIDATES = 20_000
"""A truncated draw that needs more candidates than that is refused."""
_MOST_ULPS = 16


@cache
def opendp() -> Any:  # noqa: ANN401 - the untyped opendp module
    """Import OpenDP, which takes a second or more, and return it."""
    import opendp.prelude as dp  # noqa: PLC0415 - slow to import, so not at start-up

    dp.enable_features("contrib")
    return dp


def covering(law: str, size: int, noise: float, distance: float, level: float) -> Any:  # noqa: ANN401 - untyped library
    """Return a measurement whose own map confirms ``level`` at ``distance``.

    Raises:
        ClaimError: As ``covering_scale``.

    """
    return measurement(law, size, covering_scale(law, size, noise, distance, level))


def covering_scale(law: str, size: int, noise: float, distance: float, level: float) -> float:
    """Return the scale of that measurement: ``noise``, raised by the few last bits it takes.

    Raises:
        ClaimError: The noise is too small.

    """
    for _ in range(_MOST_ULPS):
        if measurement(law, size, noise).map(distance) <= level:
            return noise
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


@cache
def sampler() -> str:
    """Return the name of what draws the noise."""
    return f"OpenDP {version('opendp')}"


def warm_up() -> None:
    """Import OpenDP, and draw once for nobody, ahead of the first release."""
    drawn_by(measurement("laplace", 1, 1.0), np.zeros(1))


def truncated(law: str, value: FloatArray, *, noise: float, bounds: Interval) -> FloatArray:
    """Return a draw around each value given that it falls within the bounds, by rejection.

    A fixed number ``N`` of candidates is drawn whatever the data; the first one inside
    the bounds counts. None is inside with probability at most ``(1 - Z)^N <= 2^-64``;
    then there is a further round. So the law is exact, and the time that a draw takes
    is the same for all tables but for an event of that probability.

    Everything is shifted so that a finite bound lies at 0, where floats are dense, and
    rounding moves no candidate across it; shifting back is post-processing.
    """
    lower, upper = bounds.lower, bounds.upper
    if math.isinf(lower) and math.isinf(upper):
        return drawn_by(measurement(law, len(value), noise), value)
    inside = bounds.clip(value)
    mirrored = math.isinf(lower)
    distance = upper - inside if mirrored else inside - lower
    drawn = _between(distance, upper - lower, noise, law)
    return bounds.clip(upper - drawn if mirrored else lower + drawn)


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
