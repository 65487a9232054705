"""How many rows of each person should count: what is left out, against the noise.

A limit of ``m`` rows leaves out what people have beyond it, and noise is made for ``m``
rows. Both have closed forms: from a public guess of how many rows people have, or, for
the curator alone, from the table.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Final

import numpy as np
from numpy.typing import NDArray

from dpcore.arrays import FloatArray
from dpcore.data.bounds import Interval
from dpcore.errors import ParameterError

LIMITS: Final = (1, 2, 3, 4, 5, 6, 8, 10, 12, 15, 20, 25, 30, 40, 50, 70, 100)
"""The limits that are compared, whatever the table."""
_ROOT_2 = 2**0.5


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class LimitErrors:
    """The typical error of an answer under each limit, and what it is made of.

    Standard deviations and biases, of a count in rows of all rows, of a mean in widths
    of its bounds.

    Attributes:
        limits: How many rows of each person count at most, shape ``(k,)``.
        kept: Share of all rows that count.
        bias: By how much leaving out rows moves the answer, without its sign.
        choice: What the choice of rows does, by chance.
        noise: Standard deviation of Laplace noise.

    """

    limits: NDArray[np.intp]
    kept: FloatArray = field(repr=False)
    bias: FloatArray = field(repr=False)
    choice: FloatArray = field(repr=False)
    noise: FloatArray = field(repr=False)

    @property
    def total(self) -> FloatArray:
        """Return the root of the mean squared error."""
        return np.asarray(np.hypot(np.hypot(self.bias, self.choice), self.noise))

    @property
    def best(self) -> int:
        """Return the limit of the least error, the smaller of two alike."""
        return int(self.limits[np.argmin(self.total)])

    def at(self, limit: int) -> int:
        """Return the place of a limit."""
        return int(np.flatnonzero(self.limits == limit)[0])


def with_limit(limit: int) -> NDArray[np.intp]:
    """Return the limits that are compared, with one that is asked about."""
    return np.unique([*LIMITS, limit])


@dataclass(frozen=True, slots=True, kw_only=True)
class Guess:
    """What is supposed of a table, without a look at it. PUBLIC.

    Attributes:
        rows: Number of all rows, of which averages divide by at least so many.
        each: How many rows a person has on average, at least 1. How many they have has
            a geometric law: after each row there is another one with the same chance.
        gap: By how much the rows that are left out differ from those that count, on
            average, in widths of the bounds.

    Raises:
        ParameterError: A number is out of its range.

    """

    rows: int
    each: float
    gap: float = 0.0

    def __post_init__(self) -> None:
        if self.rows < 1 or not 1 <= self.each < np.inf or not 0 <= self.gap <= 1:
            raise ParameterError("suppose at least 1 row, of each at least 1, and a gap up to 1.")

    def count(self, epsilon: float, limits: NDArray[np.intp]) -> LimitErrors:
        """Return the errors of the number of rows, as shares of all.

        With ``q = 1 - 1 / each`` a share ``q^m`` of all rows is left out: somebody has
        more than ``j`` rows with probability ``q^j``, and rows beyond ``m`` are the
        tail sum ``q^m / (1 - q)`` of ``1 / (1 - q)``.
        """
        left = self._left(limits)
        return LimitErrors(
            limits=limits,
            kept=1 - left,
            bias=left,
            choice=np.zeros(len(limits)),
            noise=_ROOT_2 * limits / epsilon / self.rows,
        )

    def mean(self, epsilon: float, limits: NDArray[np.intp]) -> LimitErrors:
        """Return the errors of a mean of the rows, in widths of its bounds.

        The mean of those that count differs from that of all by the share left out
        times the gap between the two. Noise as ``MeanOfPeople`` has it.
        """
        left = self._left(limits)
        return LimitErrors(
            limits=limits,
            kept=1 - left,
            bias=left * self.gap,
            choice=np.zeros(len(limits)),
            noise=_ROOT_2 * limits / (self.rows + limits) / epsilon,
        )

    def _left(self, limits: NDArray[np.intp]) -> FloatArray:
        return np.asarray((1 - 1 / self.each) ** limits)


def count_errors(person: NDArray[np.intp], epsilon: float, limits: NDArray[np.intp]) -> LimitErrors:
    """Return the errors of the number of rows of a table. CONFIDENTIAL.

    ``person`` is whose each row is, from 0, shape ``(n,)``. Errors are shares of all
    rows.
    """
    owned = np.bincount(person)
    kept = np.array([np.minimum(owned, m).sum() for m in limits]) / len(person)
    return LimitErrors(
        limits=limits,
        kept=kept,
        bias=1 - kept,
        choice=np.zeros(len(limits)),
        noise=_ROOT_2 * limits / epsilon / len(person),
    )


def mean_errors(
    values: FloatArray,
    person: NDArray[np.intp],
    bounds: Interval,
    *,
    least: int,
    epsilon: float,
    limits: NDArray[np.intp],
) -> LimitErrors:
    """Return the errors of the mean of a column, in widths of its bounds. CONFIDENTIAL.

    Every choice of ``k = min(m, c)`` of the ``c`` rows of a person is as likely. So
    the sum of those that stay has mean ``k`` times the person's mean, and variance ``k
    (1 - k / c) S^2`` with the person's ``S^2`` of divisor ``c - 1`` (Cochran 1977,
    theorem 2.2). What is compared is the mean of all rows within the bounds.

    ``values`` are the numbers of the column, shape ``(n,)``, and ``person`` is whose
    each of them is, from 0. Averages divide by ``least`` rows at least.
    """
    heights = (bounds.clip(values) - bounds.lower) / bounds.width - 1 / 2
    owned = np.bincount(person)
    own = np.bincount(person, weights=heights) / np.maximum(owned, 1)
    squares = np.bincount(person, weights=np.square(heights - own[person]))
    spread = squares / np.maximum(owned - 1, 1)
    truth = float(heights.mean())
    bias, choice, kept = (np.empty(len(limits)) for _ in range(3))
    for place, m in enumerate(limits):
        stays = np.minimum(owned, m)
        divisor = max(int(stays.sum()), least)
        bias[place] = abs(float(stays @ own) / divisor - truth)
        varies = stays * (1 - stays / np.maximum(owned, 1)) * spread
        choice[place] = float(varies.sum()) ** 0.5 / divisor
        kept[place] = stays.sum() / len(person)
    noise = _ROOT_2 * limits / (least + limits) / epsilon
    return LimitErrors(limits=limits, kept=kept, bias=bias, choice=choice, noise=noise)
