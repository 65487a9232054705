"""OpenDP's noise: measurements, and what their own maps confirm."""

from __future__ import annotations

import math
from functools import cache
from typing import Any

import numpy as np

from dpcore.arrays import FloatArray
from dpcore.errors import ClaimError, ParameterError

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
        f"noise of scale {noise:g} does not give the level {level:g} at a sensitivity "
        f"of {distance:g}."
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
