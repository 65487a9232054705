"""Several quantiles from released counts of nested ranges, in order, with intervals.

Let ``t`` be the ``q``-quantile of the table: at least ``q n`` people have it or less,
and at most ``q n`` have less. With ``B`` people up to a value and ``C`` beyond it the
first says that ``(1 - q) B - q C >= 0`` at ``t``, and the second that it is at most 0
just below. Neither asks for ``n``, which may be private. Released are ``B`` and ``C``
with noise: sums of a known number of noises. A value of the grid is kept as ``t`` where
neither statement is contradicted more than such noise is rarer than agreed. The value
that is ``t`` is left out no more often than that, whatever the table holds, since it is
one value, the same for every draw; nothing is added for trying all the others.

For the population behind the table the people up to its quantile are a binomial count
of ``n``, whose own quantile, or Bernstein's inequality where ``n`` is private, says how
far sampling may take it.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

import numpy as np
from scipy.special import bdtrik, ndtri

from dpcore.arrays import FloatArray
from dpcore.inference.intervals import LEVEL
from dpcore.mechanisms.gaussian import Gaussian
from dpcore.mechanisms.laplace import Laplace
from dpcore.relations import TableSize
from dpcore.statistics.quantiles import BRANCHES, GRID_SIZE, PIECES, pieces_before, split_at_each

_PERIOD: Final = 256.0
"""Farther than half of it, in scales, no sum of so few Laplace variables reaches."""
_STEPS: Final = 1 << 15


@dataclass(frozen=True, slots=True, kw_only=True)
class QuantileSet:
    """Several quantiles as places on the grid, from 0. PUBLIC.

    Attributes:
        places: That of each quantile, ascending, shape ``(k,)``.
        noise: The first and the last place that the quantile of the table may have,
            shape ``(k, 2)``, both ascending.
        total: The same for the population.

    """

    places: FloatArray
    noise: FloatArray
    total: FloatArray


def chain(
    mechanism: Laplace | Gaussian,
    drawn: FloatArray,
    shares: tuple[float, ...],
    *,
    size: TableSize,
    level: float = LEVEL,
) -> QuantileSet:
    """Return the quantiles of ascending ``shares`` from released nested counts.

    All intervals of one sort hold together with confidence ``level``.
    """
    before, beyond = split_at_each(drawn)
    missed = (1 - level) / len(shares)
    places = estimated_places(before, beyond, shares)
    noise, total = np.empty((2, len(shares), 2))
    sampled = _sampling_errors(mechanism, drawn, shares, size, level=level)
    for row, q in enumerate(shares):
        away = (1 - q) * before - q * beyond
        inner = reaches(mechanism, q, missed)
        outer = reaches(mechanism, q, missed / 2)
        noise[row] = _kept(away, inner, (0.0, 0.0))
        total[row] = _kept(away, outer, sampled[row])
    return QuantileSet(
        places=places,
        noise=_in_order(noise, places),
        total=_in_order(_around(total, noise), places),
    )


def exact_places(counts: FloatArray, shares: tuple[float, ...]) -> FloatArray:
    """Return the first value of the grid that so many people have or less.

    Of counts without noise; 0 for nobody.
    """
    before, beyond = split_at_each(counts)
    return np.array([np.argmax((1 - q) * before - q * beyond >= 0) for q in shares], dtype=float)


def reaches(mechanism: Laplace | Gaussian, q: float, missed: float) -> FloatArray:
    """Return how far the noise in ``(1 - q) B - q C`` reaches at each value, (512,).

    To either side with half of the probability ``missed``.
    """
    upto = pieces_before()
    if isinstance(mechanism, Gaussian):
        sd = np.sqrt((1 - q) ** 2 * upto + q**2 * (PIECES - upto))
        return np.asarray(-ndtri(missed / 2) * mechanism.noise * sd)
    return mechanism.noise * np.array(_standard(q, missed))[upto - 1]


@lru_cache(maxsize=256)
def _standard(q: float, missed: float) -> tuple[float, ...]:
    """Return the reach of standard Laplace noise, for 1 to 22 pieces before a value.

    The density is the Fourier transform of ``prod 1 / (1 + w^2 t^2)``, on a grid of a
    128th of the larger weight, and the reach is rounded up on it.
    """
    largest = max(q, 1 - q)
    t = 2 * np.pi / _PERIOD * np.arange(_STEPS // 2 + 1)
    upto = np.arange(1, PIECES + 1)[:, np.newaxis]
    own, others = (np.log1p(np.square(w / largest * t)) for w in (1 - q, q))
    spectrum = np.exp(-upto * own - (PIECES - upto) * others)
    step = _PERIOD / _STEPS
    density = np.fft.irfft(spectrum, axis=1)[:, : _STEPS // 2] / step
    # From the middle outwards, by trapezoids.
    inner = (density[:, :-1] + density[:, 1:]) / 2 * step
    beyond = 0.5 - np.cumsum(inner, axis=1)
    first = np.argmax(beyond <= missed / 2, axis=1)
    return tuple(((first + 1) * step * largest).tolist())


def _kept(away: FloatArray, reach: FloatArray, sampled: tuple[float, float]) -> tuple[int, int]:
    """Return the first and last place that is not contradicted; all, if none is."""
    fewer, more = sampled
    enough = away >= -(reach + fewer)
    # At the last value everybody is counted, whatever the noise.
    enough[-1] = True
    few = np.concatenate([[True], (away <= reach + more)[:-1]])
    found = np.flatnonzero(enough & few)
    return (int(found[0]), int(found[-1])) if len(found) else (0, GRID_SIZE - 1)


def estimated_places(
    before: FloatArray, beyond: FloatArray, shares: tuple[float, ...]
) -> FloatArray:
    """Return where each share is reached by the nearest rising curve of shares."""
    from scipy.optimize import isotonic_regression  # noqa: PLC0415 - slow to import

    everybody = np.maximum(before + beyond, 1.0)
    curve = isotonic_regression(np.clip(before / everybody, 0.0, 1.0)).x
    curve[-1] = 1.0
    return np.searchsorted(curve, np.array(shares) - 1e-12).astype(np.float64)


def _sampling_errors(
    mechanism: Laplace | Gaussian,
    drawn: FloatArray,
    shares: tuple[float, ...],
    size: TableSize,
    *,
    level: float,
) -> list[tuple[float, float]]:
    """Return how many people fewer, and more, chance puts up to each quantile."""
    each = (1 - level) / len(shares) / 4
    if size.public:
        n = size.people
        return [(_binomial(n, q, each), _binomial(n, 1 - q, each)) for q in shares]
    widest = drawn[:BRANCHES].sum()
    # Union bound over the noises of the widest ranges.
    off = BRANCHES * float(mechanism.quantile(1 - (1 - level) / 4 / BRANCHES, 0.0))
    most = max(float(widest) + off, 1.0)
    log = math.log(2 / each)
    return [(_bernstein(most, q, log), _bernstein(most, 1 - q, log)) for q in shares]


def _binomial(people: int, q: float, missed: float) -> float:
    """Return how many people fewer than expected there are, but with ``missed``."""
    fewest = float(np.floor(bdtrik(missed, people, q)))
    return q * people - (fewest if np.isfinite(fewest) else 0.0)


def _bernstein(people: float, q: float, log: float) -> float:
    """Return the same for a number of people that may be smaller."""
    c = q * log / 3
    return min(c + math.sqrt(c * c + 2 * people * q * (1 - q) * log), q * people)


def _around(wider: FloatArray, inner: FloatArray) -> FloatArray:
    low, high = np.minimum(wider, inner), np.maximum(wider, inner)
    return np.stack([low[:, 0], high[:, 1]], axis=-1)


def _in_order(ends: FloatArray, places: FloatArray) -> FloatArray:
    """Return ends that rise with the shares, around what is released.

    A quantile is no lower than one of a smaller share: where all intervals hold, they
    hold so, too.
    """
    low = np.maximum.accumulate(ends[:, 0])
    high = np.minimum.accumulate(ends[::-1, 1])[::-1]
    return np.stack([np.minimum(low, places), np.maximum(high, places)], axis=-1)
