"""Noisy marginal tables that agree about what they share, in least squares.

Tables of the same people have the same sum, and the same totals of a column that they
share. Released with independent noise they have not. The nearest tables that have, in
least squares, follow from the released ones, and are the best linear unbiased estimates.

**A closed form.** The counts of a table ``T`` are a sum of effects, one for each subset
``S`` of its columns: the totals by ``S``, less their means along every column. Effects
of different subsets are orthogonal. The totals by ``S`` that ``T`` gives have a variance
proportional to ``m = |T| / |S|``, the number of cells in each of them. So the best
estimate of an effect is the mean over all tables that contain ``S``, with the weights
``1/m``, and every table is the sum of its effects, each divided by ``m``. (The residual
basis of Xiao, He, Zhang and Kifer 2023, "An optimal and scalable matrix mechanism for
noisy marginals under convex loss functions", for noise of one scale.)

Where the number of people is public it is the effect of the empty set, without error.
The map of the noise is an orthogonal projection: no number gets noisier.
"""

from __future__ import annotations

import math
from itertools import combinations
from typing import Final

import numpy as np

from dpcore.arrays import FloatArray
from dpcore.statistics.marginals import Marginals

_CLOSE: Final = 1e-6
_MOST_STEPS: Final = 20_000


def consistent(marginals: Marginals, noisy: FloatArray) -> FloatArray:
    """Return the nearest counts that agree, shape ``(..., cells)`` as ``noisy``.

    They are unbiased, and may be negative. The sum is the number of people where that
    is public.

    >>> from dpcore.relations import TableSize
    >>> size = TableSize(people=9, public=False)
    >>> names = tuple("abcdef")
    >>> both = Marginals(shape=(2, 2), tables=((0,), (0, 1)), labels=names, size=size)
    >>> consistent(both, np.array([3.0, 0.0, 0.0, 0.0, 0.0, 0.0]))
    array([2., 0., 1., 1., 0., 0.])
    """
    size = marginals.size
    return _projected(marginals, noisy, people=float(size.people) if size.public else None)


def nonnegative(marginals: Marginals, counts: FloatArray) -> FloatArray:
    """Return the nearest counts that agree and are at least 0, in least squares.

    By alternating projections (Dykstra 1983; Boyle and Dykstra 1986); totals agree up to
    ``_CLOSE``. The distance of all counts together from the true ones does not grow, as these
    agree and are at least 0. But no count is unbiased any more: small ones are too large on
    average, and where the sum is public others are too small. Intervals of ``counts`` do not
    hold for them.

    >>> from dpcore.relations import TableSize
    >>> size = TableSize(people=3, public=True)
    >>> one = Marginals(shape=(3,), tables=((0,),), labels=("a", "b", "c"), size=size)
    >>> nonnegative(one, np.array([-1.0, 1.0, 3.0])).round(6).tolist()
    [0.0, 0.5, 2.5]
    """
    found, below = consistent(marginals, counts), np.zeros(len(counts))
    for _ in range(_MOST_STEPS):
        inside = np.maximum(found + below, 0.0)
        below = found + below - inside
        found = consistent(marginals, inside)
        if found.min() > -_CLOSE and np.abs(found - inside).max() < _CLOSE:
            break
    return np.maximum(found, 0.0)


def noise_weights(marginals: Marginals) -> FloatArray:
    """Return how much of the noise of each cell is in the first cell of each table.

    Shape ``(tables, cells)``, of ``consistent``. All cells of a table are alike, but for
    the order of their weights.
    """
    people = 0.0 if marginals.size.public else None
    # A projection is symmetric: what a cell takes from others is what it gives to them.
    return _projected(marginals, first_cells(marginals), people=people)


def first_cells(marginals: Marginals) -> FloatArray:
    """Return the first cell of each table, as a row with 1 there and 0 elsewhere."""
    places = np.cumsum([0, *marginals.counts[:-1]])
    return np.asarray(np.eye(len(marginals.labels))[places])


def _projected(marginals: Marginals, noisy: FloatArray, *, people: float | None) -> FloatArray:
    parts = dict(zip(marginals.tables, marginals.split(noisy), strict=True))
    batch, effects = noisy.ndim - 1, dict[tuple[int, ...], FloatArray]()
    if people is not None:
        effects[()] = np.full(noisy.shape[:-1], people)

    def beyond(table: tuple[int, ...], columns: tuple[int, ...]) -> tuple[tuple[int, ...], int]:
        """Return the axes of a table that are of other columns, and their cells."""
        rest = [column for column in table if column not in columns]
        axes = tuple(batch + table.index(column) for column in rest)
        return axes, math.prod(marginals.shape[column] for column in rest)

    def effect(columns: tuple[int, ...]) -> FloatArray:
        found, weights = np.zeros(()), 0.0
        for table, counts in parts.items():
            if {*columns} <= {*table}:
                axes, cells = beyond(table, columns)
                found, weights = found + counts.sum(axis=axes) / cells, weights + 1 / cells
        for axis in range(batch, found.ndim):
            found = found - found.mean(axis=axis, keepdims=True)
        return np.asarray(found / weights)

    made = []
    for table in parts:
        total = np.zeros(())
        for columns in (s for size in range(len(table) + 1) for s in combinations(table, size)):
            if columns not in effects:
                effects[columns] = effect(columns)
            axes, cells = beyond(table, columns)
            total = total + np.expand_dims(effects[columns], axes) / cells
        made.append(total.reshape(*noisy.shape[:-1], -1))
    return np.concatenate(made, axis=-1)
