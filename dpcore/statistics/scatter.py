"""Sums of products of deviations from a mean, and what each person adds to them.

With ``d`` a person's deviations from the mean of the ``n`` people of the group, the
others have ``S' = S - n d_x d_y / (n - 1)`` around ``m' = m - d / (n - 1)``, and a new
record ``(u, w)`` among them makes it ``S' + (u - m'_x)(w - m'_y)(n - 1) / n`` (the
updating formula of Welford 1962). A product is bilinear, so over the rectangle of all
records its extremes are at corners; a square is lowest at the mean.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Self

import numpy as np
from numpy.typing import NDArray

from dpcore.arrays import FloatArray
from dpcore.data.bounds import Interval
from dpcore.statistics.blocks import Rows
from dpcore.statistics.parts import Moments
from dpcore.statistics.rows import heights

Pairs = tuple[tuple[int, int], ...]
"""Which two columns each coordinate multiplies; the same one twice for a square."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Scatter:
    """Deviations of everybody from the mean of their group. CONFIDENTIAL.

    They are computed from the entries when asked for: kept, they would take as much
    memory once more.

    Attributes:
        entries: Everybody's numbers as they are, ``(n, d)``.
        bounds: The bounds of each of the ``d`` columns.
        pairs: The two columns of each of the ``k`` coordinates.
        codes: Group of each person, shape ``(n,)``; ``None`` if there is one group.
        counts: Number of people in each of the ``J`` groups.
        steps: The mean of each group, measured from the lower bounds, as a first
            number and what rounding left of it, each ``(J, d)``.
        sums: Sum of the products over all people and groups, ``(k,)``.

    """

    entries: FloatArray = field(repr=False)
    bounds: tuple[Interval, ...]
    pairs: Pairs
    codes: NDArray[np.intp] | None = field(repr=False)
    counts: FloatArray = field(repr=False)
    steps: tuple[FloatArray, FloatArray] = field(repr=False)
    sums: FloatArray = field(repr=False)

    @classmethod
    def of(
        cls,
        entries: FloatArray,
        *,
        bounds: tuple[Interval, ...],
        pairs: Pairs,
        codes: NDArray[np.intp] | None = None,
        groups: int = 1,
    ) -> Self:
        """Return those of ``entries``, shape ``(n, d)``, which are clamped."""
        deviations = heights(entries, bounds)
        n = len(deviations)
        counts = (
            np.array([float(n)])
            if codes is None
            else np.bincount(codes, minlength=groups).astype(np.float64)
        )
        # The second round takes out the rounding error of the first.
        first = _group_means(deviations, codes, counts)
        deviations -= first[0] if codes is None else first[codes]
        second = _group_means(deviations, codes, counts)
        deviations -= second[0] if codes is None else second[codes]
        # A matrix product would add one after the other, and its rounding error would
        # grow with n, beyond what releases allow for. NumPy's sum adds pairwise.
        product = np.empty(n)
        products = [
            np.sum(np.multiply(deviations[:, i], deviations[:, j], out=product)) for i, j in pairs
        ]
        return cls(
            entries=entries,
            bounds=bounds,
            pairs=pairs,
            codes=codes,
            counts=counts,
            steps=(first, second),
            sums=np.array(products),
        )

    @property
    def people(self) -> int:
        """Return the number of people ``n``."""
        return len(self.entries)

    @property
    def moments(self) -> Moments:
        """Return what is needed of these people where others are in other parts."""
        return Moments(counts=self.counts, means=self.means, pairs=self.pairs, sums=self.sums)

    @property
    def means(self) -> FloatArray:
        """Return the mean of each group, measured from the lower bounds, ``(J, d)``."""
        first, second = self.steps
        return first + second

    def each(self, rows: Rows) -> FloatArray:
        """Return the deviations of some people, shape ``(r, d)``."""
        deviations = heights(self.entries[rows], self.bounds)
        for step in self.steps:
            deviations -= step[0] if self.codes is None else step[self.codes[rows]]
        return deviations

    def without(self, rows: Rows) -> FloatArray:
        """Return the sums without each of the people, shape ``(r, k)``."""
        each, n = self.each(rows), self._count(rows)
        first, second = self._columns
        grown = n / np.maximum(n - 1, 1)
        rest = self.sums - each[:, first] * each[:, second] * grown
        return np.where(first == second, np.maximum(rest, 0.0), rest)

    def added_instead(self, rows: Rows) -> tuple[FloatArray, FloatArray]:
        """Return the least and most that another record in the group adds, (r, k)."""
        n = self._count(rows)
        means = self.means[0] if self.codes is None else self.means[self.codes[rows]]
        rest = means - self.each(rows) / np.maximum(n - 1, 1)
        low, high = self._extremes(rest)
        share = (n - 1) / np.maximum(n, 1)
        return low * share, high * share

    def added_by_newcomer(self) -> tuple[FloatArray, FloatArray]:
        """Return the least and most that one more person adds to each group, (J, k)."""
        low, high = self._extremes(self.means)
        share = (self.counts / (self.counts + 1))[:, np.newaxis]
        return low * share, high * share

    @property
    def _columns(self) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
        first, second = np.array(self.pairs, dtype=np.intp).T
        return first, second

    def _count(self, rows: Rows) -> FloatArray:
        if self.codes is None:
            return self.counts[:, np.newaxis]
        return self.counts[self.codes[rows], np.newaxis]

    def _extremes(self, means: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Return the lowest and highest product of deviations from ``means``."""
        first, second = self._columns
        widths = np.array([column.width for column in self.bounds])
        below, above = -means, widths - means
        low = np.minimum(below[:, first] * above[:, second], above[:, first] * below[:, second])
        high = np.maximum(below[:, first] * below[:, second], above[:, first] * above[:, second])
        return np.where(first == second, 0.0, low), high


def _group_means(
    deviations: FloatArray, codes: NDArray[np.intp] | None, counts: FloatArray
) -> FloatArray:
    """Return the mean of each group, shape ``(J, d)``; 0 for a group of nobody."""
    if codes is None:
        total = deviations.sum(axis=0)[np.newaxis]
    else:
        total = np.stack(
            [np.bincount(codes, weights=column, minlength=len(counts)) for column in deviations.T],
            axis=-1,
        )
    means: FloatArray = total / np.maximum(counts, 1)[:, np.newaxis]
    return means


def largest_scatter(people: int) -> float:
    """Return ``F(n) = floor(n^2 / 4) / n``, the most that n points in [0, 1] scatter.

    It is the largest sum of squared deviations, with half of the points at either end,
    and by Cauchy and Schwarz the largest sum of products; 0 for nobody.

    >>> [largest_scatter(n) for n in (0, 1, 2, 4)]
    [0.0, 0.0, 0.5, 1.0]
    """
    return people * people // 4 / max(people, 1)
