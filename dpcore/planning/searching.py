"""A private search for the first of several counts above a threshold: its exact law.

The sparse vector technique with one answer (``AboveThreshold``, Dwork and Roth 2014,
algorithm 1; Lyu, Su and Li 2017 for counts that move together). Whole-numbered Laplace
noise is added to a threshold and to each count; told is the place of the first noisy
count above the noisy threshold, and nothing else.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import ArrayLike

from dpcore.arrays import FloatArray
from dpcore.errors import ParameterError
from dpcore.mechanisms.base import require_budget
from dpcore.mechanisms.laplace import least_scale

_NEVER: Final = 1e-18


@dataclass(frozen=True, slots=True, kw_only=True)
class AboveThreshold:
    """The first of several counts that is above a threshold, privately.

    It is ``epsilon``-DP where a neighbor changes every count by at most one, and all of
    them in the same direction or not at all. With scale ``b = 2/epsilon``, ``c`` and
    ``c'`` the counts of neighbors, ``k`` the threshold, and noise ``r`` on it and
    ``v_i`` on the counts, the place ``j`` is told with probability

        sum over z of P[r = z] P[c_i + v_i <= k + z for all i < j] P[c_j + v_j > k + z].

    Where no ``c'`` is below ``c``, hold the term at ``z`` against that of the neighbor
    at ``z + 1``: the first factor falls by ``e^(1/b)`` at most, the second does not
    fall, as ``c'_i <= c_i + 1``, nor does the third by more than ``e^(1/b)``, as ``c'_j
    >= c_j``. Where no ``c'`` is above ``c``, hold it against that at the same ``z``:
    the first two do not fall, and the third by ``e^(1/b)`` at most. So no probability
    differs by more than ``e^(2/b)``; that none is above, likewise.

    Attributes:
        noise: The scale ``b`` of all noise.
        threshold: What a count must be above, a whole number of at least 0.

    Raises:
        ParameterError: One of these is outside its domain.

    """

    noise: float
    threshold: int

    def __post_init__(self) -> None:
        if not 0 < self.noise < math.inf or self.threshold < 0:
            raise ParameterError("a search needs positive noise and a threshold of at least 0.")

    @classmethod
    def calibrate(cls, *, epsilon: float, threshold: int) -> AboveThreshold:
        """Return the search that is ``epsilon``-DP."""
        require_budget(epsilon)
        return cls(noise=least_scale(2.0, epsilon), threshold=threshold)

    @property
    def epsilon(self) -> float:
        """Return what it guarantees, ``2/b``."""
        return 2 / self.noise

    def first_above(self, counts: Sequence[float], threshold: float) -> int:
        """Return the place of the first noisy count above; their number if none is."""
        above = np.flatnonzero(np.asarray(counts) > threshold)
        return int(above[0]) if len(above) else len(counts)

    def probabilities(self, counts: ArrayLike) -> FloatArray:
        """Return the law of the place, of ``m`` counts shape ``(m + 1,)``.

        The last is the probability that none is above. What is less likely than 1e-18
        of the noise on the threshold is left out.
        """
        counts = np.asarray(counts, dtype=np.float64)
        reach = math.ceil(-self.noise * math.log(_NEVER))
        z = np.arange(-reach, reach + 1.0)
        below = self._below(self.threshold + z[:, np.newaxis] - counts)
        passed = np.cumprod(below, axis=1)
        before = np.concatenate([np.ones((len(z), 1)), passed], axis=1)
        here = np.concatenate([1 - below, np.ones((len(z), 1))], axis=1)
        return np.asarray(self._mass(z) @ (before * here))

    def off_by(self, searches: int, *, missed: float) -> int:
        """Return by how much a count may be misjudged, but with probability ``missed``.

        Whole-numbered noise exceeds a whole number ``t`` in size with probability ``2
        e^(-(t + 1)/b)/(1 + e^(-1/b))``, at most ``e^(-t/b)``; that on the threshold and
        on ``searches`` counts together stays within ``t = b log((searches +
        1)/missed)``, rounded up.
        """
        return 2 * math.ceil(self.noise * math.log((searches + 1) / missed))

    def _mass(self, z: FloatArray) -> FloatArray:
        """Return the probability of noise ``z``."""
        ratio = math.exp(-1 / self.noise)
        return np.asarray((1 - ratio) / (1 + ratio) * ratio ** np.abs(z))

    def _below(self, z: FloatArray) -> FloatArray:
        """Return the probability of noise of at most ``z``."""
        ratio = math.exp(-1 / self.noise)
        with np.errstate(over="ignore"):
            left = ratio ** np.maximum(-z, 0.0) / (1 + ratio)
            right = 1 - ratio ** (np.maximum(z, -1.0) + 1) / (1 + ratio)
        return np.where(z < 0, left, right)
