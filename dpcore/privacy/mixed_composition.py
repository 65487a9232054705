"""What releases of different levels cost together, exactly in the worst case.

No (epsilon, delta)-DP mechanism loses more than a randomized response that tells all
with probability delta (Kairouz, Oh and Viswanath 2015), so that the worst composition
is that of such responses, whose losses are ``+e`` or ``-e``. Equal levels are counted
together: with ``g`` different ones, ``n_i`` times each, the loss takes
``(n_1 + 1) ... (n_g + 1)`` values, and

``delta(epsilon) = sum over losses l > epsilon of p(l) (1 - e^(epsilon - l))``.

Computing it is hard in general (Murtagh and Vadhan 2016): beyond ``MOST_LOSSES`` the
losses are rounded up to a grid, before they are added up.
"""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from scipy.special import gammaln

from dpcore.errors import ParameterError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import ArrayLike

    from dpcore.data.bounds import FloatArray

MOST_LOSSES = 1 << 18
"""Up to so many different losses the answer is exact."""
_ROUND_UP = 1 + 1e-12
_FEWEST_CELLS, _MOST_CELLS = 1 << 14, 1 << 16
_MOST_SUMS = 1 << 27
_NATS = 745.0


@dataclass(frozen=True, slots=True, kw_only=True)
class MixedComposition:
    """The worst privacy loss of several releases together.

    Attributes:
        loss: Losses in ascending order, shape ``(m,)``.
        probability: Their probabilities, shape ``(m,)``.
        told: The probability that something is told outright, from the deltas.
        pure: All levels added up: the largest loss, also where it is too rare to list.

    """

    loss: FloatArray
    probability: FloatArray
    told: float
    pure: float

    @classmethod
    def of(
        cls, levels: Sequence[float], deltas: Sequence[float] = ()
    ) -> MixedComposition:
        """Return the composition of releases with these levels.

        Args:
            levels: The epsilon of each release, at least one.
            deltas: The delta of each; empty for pure releases.

        Raises:
            ParameterError: A level is not in [0, inf), a delta not in [0, 1], there are
                no levels, or not as many deltas as levels.

        """
        _check(levels, deltas)
        loss, log_probability = np.zeros(1), np.zeros(1)
        # Without a level of 0, which tells nothing.
        for level, times in sorted(Counter(filter(None, levels)).items()):
            part, weight = _of_equal(level, times)
            if len(loss) * len(part) > MOST_LOSSES:
                loss, log_probability = _on_grid(loss, log_probability, part, weight)
                continue
            loss = (loss[:, np.newaxis] + part).ravel()
            log_probability = (log_probability[:, np.newaxis] + weight).ravel()
        order = np.argsort(loss)
        told = abs(math.expm1(math.fsum(math.log1p(-d) for d in deltas if d < 1)))
        return cls(
            loss=loss[order],
            probability=np.exp(log_probability[order]),
            told=1.0 if 1 in deltas else told,
            pure=math.fsum(levels),
        )

    def delta_of(self, epsilon: ArrayLike) -> FloatArray:
        """Return the smallest delta at each ``epsilon``, at least 0; any shape.

        >>> round(float(MixedComposition.of([0.1, 0.2, 0.3]).delta_of(0.0)), 6)
        0.148885
        """
        epsilon = np.asarray(epsilon, dtype=np.float64)
        flat = epsilon.ravel()
        delta = np.empty(flat.shape)
        for place, level in enumerate(flat):
            first = int(np.searchsorted(self.loss, level, side="right"))
            gap = level - self.loss[first:]
            delta[place] = np.sum(self.probability[first:] * -np.expm1(gap))
        whole = self.told + (1 - self.told) * delta
        return np.asarray(whole.reshape(epsilon.shape))

    def epsilon_of(self, delta: float) -> float:
        """Return the smallest epsilon at ``delta``, rounded up; ``inf`` if none is.

        Between two losses ``delta = A - e^epsilon B`` with the sums above them, which
        is solved once the two losses are found by halving.

        Raises:
            ParameterError: ``delta`` is not in [0, 1).

        >>> round(MixedComposition.of([0.1] * 50).epsilon_of(1e-6), 9)
        3.172902734

        """
        if not 0 <= delta < 1:
            message = f"delta must be at least 0 and below 1, got {delta}."
            raise ParameterError(message)
        if delta < self.told:
            return math.inf
        # From here on about what is not told outright.
        left = (delta - self.told) / (1 - self.told)
        if float(self.delta_of(0.0)) <= delta:
            return 0.0
        if left == 0:
            return self.pure
        low, high = 0.0, float(self.loss[-1])
        for _ in range(200):
            middle = (low + high) / 2
            if middle in (low, high):
                break
            exceeds = float(self.delta_of(middle)) > delta
            low, high = (middle, high) if exceeds else (low, middle)
        return min(high * _ROUND_UP, self.pure)


def _of_equal(level: float, times: int) -> tuple[FloatArray, FloatArray]:
    """Return the losses of ``times`` releases of one level, and log probabilities."""
    lies = np.arange(times + 1, dtype=np.float64)
    ways = gammaln(times + 1) - gammaln(lies + 1) - gammaln(times - lies + 1)
    log_probability = ways - lies * level - times * math.log1p(math.exp(-level))
    return (times - 2 * lies) * level, log_probability


def _on_grid(
    loss: FloatArray, log_probability: FloatArray, part: FloatArray, weight: FloatArray
) -> tuple[FloatArray, FloatArray]:
    """Return the sums of losses and parts, both rounded up to a grid: an upper bound.

    Probabilities that are no floats are left out.
    """
    loss, log_probability = _likely(loss, log_probability)
    part, weight = _likely(part, weight)
    cells = min(max(_MOST_SUMS // len(part), _FEWEST_CELLS), _MOST_CELLS)
    width = max(np.ptp(loss), np.ptp(part)) / cells
    first, mass = _binned(loss, log_probability, width)
    other, more = _binned(part, weight, width)
    if len(mass) < len(more):
        mass, more = more, mass
    total = np.zeros(len(mass) + len(more) - 1)
    # Term by term: a Fourier transform would drown the small probabilities.
    for shift in np.flatnonzero(more):
        total[shift : shift + len(mass)] += more[shift] * mass
    present = np.flatnonzero(total)
    return first + other + present * width, np.log(total[present])


def _likely(
    loss: FloatArray, log_probability: FloatArray
) -> tuple[FloatArray, FloatArray]:
    here = log_probability > -_NATS
    return loss[here], log_probability[here]


def _binned(
    loss: FloatArray, log_probability: FloatArray, width: float
) -> tuple[float, FloatArray]:
    """Return the least loss and the probabilities of the cells from there on."""
    first = float(loss.min())
    cell = np.ceil((loss - first) / width).astype(np.intp)
    mass = np.bincount(cell, weights=np.exp(log_probability))
    return first, mass.astype(np.float64)


def _check(levels: Sequence[float], deltas: Sequence[float]) -> None:
    if not levels or not all(0 <= level < math.inf for level in levels):
        message = "there must be a release, and every epsilon be in [0, inf)."
        raise ParameterError(message)
    if deltas and len(deltas) != len(levels):
        message = "every release needs an epsilon and a delta."
        raise ParameterError(message)
    if not all(0 <= delta <= 1 for delta in deltas):
        message = "the delta of a release must be from 0 to 1."
        raise ParameterError(message)
