"""What many releases cost together, each with noise on a fresh secret sample.

Privacy loss distributions are convolved, in cells so narrow that rounding losses up
hardly shows (a thousandth is too wide where a single step loses little). Renyi
divergences, which add up, give the older and larger total.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from dpcore.errors import ParameterError
from dpcore.privacy import renyi
from dpcore.privacy.conversions import epsilon_of_rho, rho_of_pure
from dpcore.privacy.convolution_rounding import epsilon_of_convolved
from dpcore.privacy.subsampled import Law, epsilon_of, gaussian_divergence

MOST_TIMES = 10_000
"""The largest number of releases."""
LEAST_RATIO, LARGEST_RATIO = 1e-9, 1e4
"""From and up to which shift over the noise releases are counted."""
_ORDERS = (*range(2, 64), 80, 100, 128, 200, 256, 400, 512, 1024)
_WIDEST_CELL = 1e-4
_MOST_CELLS = 50_000
_SURE = 1e-15


@dataclass(frozen=True, slots=True, kw_only=True)
class RepeatedSamples:
    """The epsilon of several releases at one delta. Each is valid; the least counts.

    Attributes:
        basic: One release at ``delta / times``, added up.
        renyi: Renyi divergences added up (Gaussian noise), or zCDP levels (Laplace).
        pld: Privacy loss distributions convolved; ``inf`` at deltas below their
            rounding errors.

    """

    basic: float
    renyi: float
    pld: float

    @property
    def best(self) -> float:
        """Return the least."""
        return min(self.basic, self.renyi, self.pld)


def repeated(law: Law, ratio: float, rate: float, *, times: int, delta: float) -> RepeatedSamples:
    """Return what ``times`` releases cost, everybody sampled with chance ``rate``.

    One person more or less. ``ratio`` is the shift over the scale of Laplace, over the
    standard deviation of Gaussian noise.

    Raises:
        ParameterError: ``ratio`` is not from ``LEAST_RATIO`` to ``LARGEST_RATIO``,
            ``rate`` not in (0, 1], ``delta`` not in (0, 1), or ``times`` not from 1 to
            ``MOST_TIMES``.

    """
    if not LEAST_RATIO <= ratio <= LARGEST_RATIO:
        raise ParameterError(
            f"the shift over the noise must be from {LEAST_RATIO:g} to "
            f"{LARGEST_RATIO:g}, got {ratio}."
        )
    if not (0 < rate <= 1 and 0 < delta < 1):
        raise ParameterError(
            f"the rate must be in (0, 1] and delta in (0, 1), got {rate} and {delta}."
        )
    if not 1 <= times <= MOST_TIMES:
        raise ParameterError(f"there must be from 1 to {MOST_TIMES:,} releases, got {times}.")
    share = delta / times if law == "gaussian" else 0.0
    basic = times * float(epsilon_of(law, ratio, rate, share))
    added = _added(law, ratio, rate, times=times, delta=delta)
    reach = _added(law, ratio, rate, times=times, delta=_SURE)
    cell = max(_WIDEST_CELL, min(reach, basic or reach) / _MOST_CELLS)
    return RepeatedSamples(
        basic=basic,
        renyi=added,
        pld=_convolved(law, ratio, rate, times=times, delta=delta, cell=cell),
    )


def _added(law: Law, ratio: float, rate: float, *, times: int, delta: float) -> float:
    if law == "laplace":
        level = float(rho_of_pure(epsilon_of(law, ratio, rate, 0.0)))
        return epsilon_of_rho(times * level, delta)
    divergences = [gaussian_divergence(ratio, rate, order) for order in _ORDERS]
    orders = np.array(_ORDERS, dtype=np.float64)
    return renyi.epsilon_of(times * np.array(divergences), orders, delta)


def _convolved(
    law: Law, ratio: float, rate: float, *, times: int, delta: float, cell: float
) -> float:
    from dp_accounting.pld import privacy_loss_distribution  # noqa: PLC0415 - a second to import, rarely used

    of = (
        privacy_loss_distribution.from_gaussian_mechanism
        if law == "gaussian"
        else privacy_loss_distribution.from_laplace_mechanism
    )
    try:
        one = of(1 / ratio, sampling_prob=rate, value_discretization_interval=cell)
        whole = one.self_compose(times)
    except OverflowError:
        # Losses so large that the probability of one is no float.
        return math.inf
    return epsilon_of_convolved(whole, delta, steps=times)
