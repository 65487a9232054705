"""How soon averages of Laplace draws cannot be told from normal ones.

Figure 3 of Brawner and Honaker 2018: samples of averages of ``k`` Laplace draws are
tested for normality, and compared with truly normal samples. Both test statistics are
computed here for all samples at once; ``scipy.stats`` tests one sample at a time and
takes a second to import.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from scipy.special import log_ndtr, ndtr, ndtri

from dpcore.arrays import FloatArray
from dpcore.errors import ParameterError

LEVEL = 0.05
"""Significance of both tests."""
_CRITICAL = 0.752
_FEWEST, _MOST = 12, 5_000
_PART = 1_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Normality:
    """How often samples of averages of ``k`` draws pass for normal."""

    draws: int
    """Number ``k`` of Laplace draws averaged."""
    samples: int
    """How many samples were tested."""
    anderson: float
    """Share not rejected by Anderson and Darling's test."""
    shapiro: float
    """Share not rejected by Shapiro and Wilk's test."""
    anderson_picks: float
    """Share of pairs in which the truly normal sample has the smaller Anderson-Darling
    statistic; 0.5 is guessing.
    """
    shapiro_picks: float
    """Share of pairs in which it has the larger Shapiro-Wilk statistic."""

    def error(self, share: float) -> float:
        """Return the standard error of one of the shares."""
        return float(np.sqrt(share * (1 - share) / self.samples))


def anderson_darling(samples: FloatArray) -> FloatArray:
    """Return the Anderson-Darling statistics of samples, one a row.

    ``-n - sum (2i - 1) [log Phi(y_i) + log(1 - Phi(y_(n+1-i)))] / n`` of the sorted
    standardized sample, with mean and standard deviation estimated, times ``1 + 0.75/n
    + 2.25/n^2`` (Stephens 1986, case 3). Above 0.752 normality is rejected at 5 %.

    Raises:
        ParameterError: As ``shapiro_wilk``.

    """
    x, n = _sorted(samples), samples.shape[-1]
    y = (x - x.mean(axis=-1, keepdims=True)) / x.std(axis=-1, ddof=1, keepdims=True)
    weights = 2 * np.arange(1, n + 1) - 1.0
    logs = log_ndtr(y) + log_ndtr(-y[..., ::-1])
    raw = -n - logs @ weights / n
    return np.asarray(raw * (1 + 0.75 / n + 2.25 / n**2))


def shapiro_wilk(samples: FloatArray) -> FloatArray:
    """Return the Shapiro-Wilk statistics ``W`` of samples, one a row.

    ``(sum a_i x_(i))^2 / sum (x_i - mean)^2`` with the weights that Royston 1992 gives
    for samples of 12 to 5000.

    Raises:
        ParameterError: A sample has fewer than 12 or more than 5000 values, or they all
            are equal.

    """
    x = _sorted(samples)
    centered = x - x.mean(axis=-1, keepdims=True)
    squares = np.sum(centered**2, axis=-1)
    return np.asarray((centered @ _weights(x.shape[-1])) ** 2 / squares)


def shapiro_p_values(w: FloatArray, n: int) -> FloatArray:
    """Return the p-values of Shapiro-Wilk statistics of samples of ``n``.

    ``log(1 - W)`` is about normal, with the moments of Royston 1992.
    """
    size = np.log(n)
    mean = np.polyval([0.0038915, -0.083751, -0.31082, -1.5861], size)
    sd = np.exp(np.polyval([0.0030302, -0.082676, -0.4803], size))
    return np.asarray(ndtr(-(np.log1p(-w) - mean) / sd))


def normality(draws: int, samples: int, rng: np.random.Generator, *, size: int = 100) -> Normality:
    """Test ``samples`` samples of ``size`` averages of ``draws`` Laplace draws.

    Raises:
        ParameterError: ``draws`` or ``samples`` is not a whole number from 1, or the
            size is not one that the tests know.

    """
    for name, number in (("draws", draws), ("samples", samples)):
        if number != int(number) or number < 1:
            raise ParameterError(f"the number of {name} must be a whole number from 1.")
    counts = np.zeros(4)
    for start in range(0, samples, _PART):
        shape = (min(_PART, samples - start), size)
        # A sum of k Laplace variables is a difference of two Gamma variables.
        averages = rng.gamma(draws, size=shape) - rng.gamma(draws, size=shape)
        normal = rng.standard_normal(shape)
        a, w = anderson_darling(averages), shapiro_wilk(averages)
        passed = shapiro_p_values(w, size) > LEVEL
        counts += [
            np.count_nonzero(a <= _CRITICAL),
            np.count_nonzero(passed),
            np.count_nonzero(anderson_darling(normal) < a),
            np.count_nonzero(shapiro_wilk(normal) > w),
        ]
    shares = counts / samples
    return Normality(
        draws=draws,
        samples=samples,
        anderson=float(shares[0]),
        shapiro=float(shares[1]),
        anderson_picks=float(shares[2]),
        shapiro_picks=float(shares[3]),
    )


def run(
    draws: Sequence[int], samples: int, rng: np.random.Generator, *, size: int = 100
) -> Iterator[Normality]:
    """Yield the answer for each number of draws, each with a generator of its own."""
    for k, own in zip(draws, rng.spawn(len(draws)), strict=True):
        yield normality(k, samples, own, size=size)


def _sorted(samples: FloatArray) -> FloatArray:
    n = samples.shape[-1]
    if not _FEWEST <= n <= _MOST:
        raise ParameterError(f"a sample must have {_FEWEST} to {_MOST:,} values, got {n}.")
    x = np.sort(samples, axis=-1)
    if not np.isfinite(x).all() or np.any(x[..., 0] == x[..., -1]):
        raise ParameterError("the values of a sample must be finite, and not all equal.")
    return np.asarray(x)


def _weights(n: int) -> FloatArray:
    """Return the antisymmetric weights: normal scores, the two largest adjusted."""
    scores = ndtri((np.arange(1, n + 1) - 0.375) / (n + 0.25))
    squares = float(scores @ scores)
    unit = scores / np.sqrt(squares)
    u = 1 / np.sqrt(n)
    last = unit[-1] + np.polyval([-2.706056, 4.434685, -2.07119, -0.147981, 0.221157, 0.0], u)
    second = unit[-2] + np.polyval([-3.582633, 5.682633, -1.752461, -0.293762, 0.042981, 0.0], u)
    rest = (squares - 2 * scores[-1] ** 2 - 2 * scores[-2] ** 2) / (1 - 2 * last**2 - 2 * second**2)
    weights = scores / np.sqrt(rest)
    weights[[0, 1, -2, -1]] = -last, -second, second, last
    return np.asarray(weights)
