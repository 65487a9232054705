"""What releases of different levels cost together, exactly in the worst case.

No (epsilon, delta)-DP mechanism loses more than a randomized response that tells all
with probability delta (Kairouz, Oh and Viswanath 2015), so that the worst composition
is that of such responses, whose losses are ``+e`` or ``-e``. Equal levels are counted
together: with ``g`` different ones, ``n_i`` times each, the loss takes
``(n_1 + 1) ... (n_g + 1)`` values, and

``delta(epsilon) = sum over losses l > epsilon of p(l) (1 - e^(epsilon - l))``.

Computing it is hard in general (Murtagh and Vadhan 2016): beyond ``MOST_LOSSES`` the
losses are rounded up to a grid.
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


@dataclass(frozen=True, slots=True, kw_only=True)
class MixedComposition:
    """The worst privacy loss of several releases together.

    Attributes:
        loss: Losses in ascending order, shape ``(m,)``.
        probability: Their probabilities, shape ``(m,)``.
        told: The probability that something is told outright, from the deltas.

    """

    loss: FloatArray
    probability: FloatArray
    told: float

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
        for level, times in sorted(Counter(levels).items()):
            part, weight = _of_equal(level, times)
            loss = (loss[:, np.newaxis] + part).ravel()
            log_probability = (log_probability[:, np.newaxis] + weight).ravel()
            if len(loss) > MOST_LOSSES:
                loss, log_probability = _rounded_up(loss, log_probability)
        order = np.argsort(loss)
        told = abs(math.expm1(math.fsum(math.log1p(-d) for d in deltas if d < 1)))
        return cls(
            loss=loss[order],
            probability=np.exp(log_probability[order]),
            told=1.0 if 1 in deltas else told,
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
            return float(self.loss[-1])
        low, high = 0.0, float(self.loss[-1])
        for _ in range(200):
            middle = (low + high) / 2
            if middle in (low, high):
                break
            exceeds = float(self.delta_of(middle)) > delta
            low, high = (middle, high) if exceeds else (low, middle)
        return high * _ROUND_UP


def _of_equal(level: float, times: int) -> tuple[FloatArray, FloatArray]:
    """Return the losses of ``times`` releases of one level, and log probabilities."""
    lies = np.arange(times + 1, dtype=np.float64)
    ways = gammaln(times + 1) - gammaln(lies + 1) - gammaln(times - lies + 1)
    log_probability = ways - lies * level - times * math.log1p(math.exp(-level))
    return (times - 2 * lies) * level, log_probability


def _rounded_up(
    loss: FloatArray, log_probability: FloatArray
) -> tuple[FloatArray, FloatArray]:
    """Return fewer losses, each at least what it was: an upper bound."""
    cells = MOST_LOSSES // 16
    width = (loss.max() - loss.min()) / cells
    cell = np.ceil((loss - loss.min()) / width).astype(np.intp)
    mass = np.bincount(cell, weights=np.exp(log_probability), minlength=cells + 1)
    present = np.flatnonzero(mass)
    return loss.min() + present * width, np.log(mass[present])


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
