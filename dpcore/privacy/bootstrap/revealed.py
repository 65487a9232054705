"""What noisy resamples reveal about one person whose own change is known.

Were it told how often a person was drawn into each of ``k`` resamples, ``J_1`` to
``J_k``, the rest would be Gaussian releases with shifts ``J_b mu``, and all of them
together one shift by ``mu sqrt(J_1^2 + ... + J_k^2)``. Telling more reveals more, so
that the average of that profile over the multiplicities is an upper bound::

    delta(epsilon) <= E[delta_(mu sqrt(T))(epsilon)],   T = J_1^2 + ... + J_k^2

It holds for every pair of values of the person and every rest of the table, with ``mu``
the change by one copy between these two values, over the noise. The generic bound does
not hold with a person's own ``mu``: where the rows that take the place of a person's
copies are far away, the answer really tells the multiplicities, and this bound is
attained.
"""

from __future__ import annotations

from functools import lru_cache

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import ndtr

from dpcore.arrays import FloatArray
from dpcore.errors import ParameterError
from dpcore.privacy import gaussian
from dpcore.privacy.bootstrap.profile import TAIL, multiplicities, unlisted
from dpcore.privacy.bootstrap.real_cost import LEAST_DELTA, require_times

_NEGLIGIBLE = 1e-18
_MOST_STEPS = 60
_CLOSE = 1e-12
_DIRECT = 96
_MOST_VALUES = 600
_KNOTS = 193
_LEAST_KNOT = 1e-5
_ROUNDING = 1e-9


@lru_cache(maxsize=64)
def squares(times: int, people: int) -> tuple[FloatArray, FloatArray, float]:
    """Return the law of ``T``: its values, their probabilities, and the rest.

    Values that are together rarer than ``1e-18`` a resample are left out: the small
    ones are counted as the least that is listed, and of the large ones the probability
    is the third number.

    Raises:
        ParameterError: ``times`` is not from 1 to 10,000, or there is nobody.

    """
    require_times(times)
    chances = multiplicities(people)
    one = np.zeros((len(chances) - 1) ** 2 + 1)
    one[np.arange(len(chances)) ** 2] = chances
    law, first, lost = np.ones(1), 0, times * unlisted(people)
    for digit in f"{times:b}":
        law, first, more = _trimmed(np.convolve(law, law), 2 * first)
        lost = 2 * lost + more
        if digit == "1":
            law, first, more = _trimmed(np.convolve(law, one), first)
            lost += more
    present = np.flatnonzero(law)
    values, law = first + present.astype(np.float64), law[present]
    if values.size > _MOST_VALUES:
        # Several values together count as the largest of them.
        starts = np.arange(0, values.size, -(-values.size // _MOST_VALUES))
        values = values[np.append(starts[1:], values.size) - 1]
        law = np.add.reduceat(law, starts)
    return values, law, lost + TAIL


def revealed_delta(mu: ArrayLike, epsilon: ArrayLike, *, times: int, people: int) -> FloatArray:
    """Return the bound on delta; broadcasts ``mu`` and ``epsilon``, both at least 0."""
    values, chances, lost = squares(times, people)
    mu = np.asarray(mu, dtype=np.float64)[..., np.newaxis]
    parts = gaussian.delta_of(mu * np.sqrt(values), np.asarray(epsilon)[..., np.newaxis])
    moved = np.where(mu[..., 0] > 0, lost, 0.0)
    return np.asarray(np.minimum(parts @ chances + moved, 1.0))


def revealed_epsilon(
    mu: ArrayLike, *, times: int, people: int, delta: float, most: float | None = None
) -> FloatArray:
    """Return the bound on epsilon at ``delta`` for each ``mu``, elementwise.

    ``mu`` is how far a person shifts a resampled answer, in standard deviations of its
    noise, in [0, inf].

    Many values at once are interpolated in a table, from above: epsilon is convex in
    ``mu`` but for values that cost next to nothing.

    NaN stays NaN. ``most`` is a public number that no ``mu`` exceeds but by rounding:
    its table is remembered.

    Raises:
        ParameterError: A parameter is outside its domain.

    >>> bound = revealed_epsilon(1.0, times=1, people=500, delta=1e-6)
    >>> round(float(bound), 2)
    43.86

    """
    mu = np.asarray(mu, dtype=np.float64)
    if not np.all(np.isnan(mu) | (mu >= 0)):
        raise ParameterError("shifts over the noise must be at least 0.")
    if not LEAST_DELTA <= delta < 1:
        raise ParameterError(f"delta must be from {LEAST_DELTA:g} to below 1, got {delta}.")
    result = np.where(np.isnan(mu), np.nan, np.where(np.isinf(mu), np.inf, 0.0))
    proper = np.isfinite(mu) & (mu > 0)
    shifts = mu[proper]
    if shifts.size <= _DIRECT:
        result[proper] = _solved(shifts, times, people, delta)
        return result
    if most is None:
        table = _tabulated(float(shifts.max()), times, people, delta)
    else:
        table = _remembered(most * (1 + _ROUNDING), times, people, delta)
    result[proper] = np.interp(shifts, *table, right=np.inf)
    return result


def _tabulated(most: float, times: int, people: int, delta: float) -> tuple[FloatArray, FloatArray]:
    knots = most * np.geomspace(_LEAST_KNOT, 1.0, _KNOTS)
    return knots, np.maximum.accumulate(_solved(knots, times, people, delta))


_remembered = lru_cache(maxsize=64)(_tabulated)


def _solved(mu: FloatArray, times: int, people: int, delta: float) -> FloatArray:
    """Return where the bound falls to ``delta``, from above, for finite ``mu``.

    By Newton steps for the logarithm, and halving where these leave the bracket.
    """
    values, chances, lost = squares(times, people)
    roots = np.sqrt(values)

    def profile(mu: FloatArray, epsilon: FloatArray) -> FloatArray:
        return revealed_delta(mu, epsilon, times=times, people=people)

    result = np.zeros_like(mu)
    index = np.flatnonzero(profile(mu, np.zeros_like(mu)) > delta)
    # Were every T the largest one, the profile would lie above that of the mixture.
    high = gaussian.epsilon_of(mu[index] * roots[-1], delta - lost)
    low, at = np.zeros_like(high), high.copy()
    result[index] = high
    for _ in range(_MOST_STEPS):
        found = profile(mu[index], at)
        above = found > delta
        low, high = np.where(above, at, low), np.where(above, high, at)
        result[index] = high
        with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
            # The derivative of each profile is delta - Phi(mu/2 - epsilon/mu).
            length = mu[index, np.newaxis] * roots
            sure = ndtr(length / 2 - at[:, np.newaxis] / length) @ chances
            to = at + np.log(found / delta) * found / (sure - (found - lost))
        here = np.abs(to - at) <= _CLOSE * at
        if here.any():
            # A little further, to be at or below delta.
            ahead = np.maximum(to, at)[here] * (1 + _CLOSE)
            enough = profile(mu[index[here]], ahead) <= delta
            result[index[here]] = np.where(enough, np.minimum(ahead, high[here]), high[here])
        inside = (to > low) & (to < high)
        at = np.where(inside, to, (low + high) / 2)[~here]
        index, low, high = index[~here], low[~here], high[~here]
        if not index.size:
            break
    return result


def _trimmed(law: FloatArray, first: int) -> tuple[FloatArray, int, float]:
    """Cut off both tails: the lower one is counted where it was cut."""
    start = int(np.searchsorted(np.cumsum(law), _NEGLIGIBLE))
    stop = law.size - int(np.searchsorted(np.cumsum(law[::-1]), _NEGLIGIBLE))
    kept = law[start:stop].copy()
    kept[0] += law[:start].sum()
    return kept, first + start, float(law[stop:].sum())
