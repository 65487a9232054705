"""The rows of a made-up table, dealt out by whole counts."""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from dpcore.arrays import FloatArray
from dpcore.data.columns import Column
from dpcore.data.quantities import is_whole, quantity_of
from dpcore.synthesis.fitting import WholeCounts
from dpcore.synthesis.forest import Forest
from dpcore.synthesis.released_counts import Axis

if TYPE_CHECKING:
    import pandas as pd


_STEPS = 2
"""A bin has at least a hundred values: two decimals of its width."""


def deal(
    forest: Forest,
    counts: WholeCounts,
    *,
    rng: np.random.Generator,
    whole_numbers: Collection[str] = (),
) -> pd.DataFrame:
    """Return a made-up table with exactly these counts, its rows in random order.

    Answers of a pair are dealt out within those who share the first one, blindly:
    nothing hangs together that no kept pair holds together. A number is drawn evenly
    from its bin.

    Args:
        forest: What the columns are.
        counts: How many give each answer, and each pair of answers.
        rng: Shuffles the rows, and draws numbers within their bins.
        whole_numbers: Names of the columns whose numbers are whole.

    """
    import pandas as pd  # noqa: PLC0415 - slow to import

    cells: dict[str, NDArray[np.int64]] = {}
    for one, table in zip(forest.pairs, counts.pairs, strict=True):
        first, second = one.names
        if first not in cells:
            cells[first] = _shuffled(counts.columns[first], rng)
        cells[second] = _given(cells[first], table, rng)
    for axis in forest.axes:
        if axis.name not in cells:
            cells[axis.name] = _shuffled(counts.columns[axis.name], rng)
    return pd.DataFrame(
        {
            axis.name: _answers(
                axis,
                cells[axis.name],
                whole=axis.name in whole_numbers or is_whole(axis.column),
                rng=rng,
            )
            for axis in forest.axes
        }
    )


def as_written(made_up: pd.DataFrame, columns: Iterable[Column]) -> pd.DataFrame:
    """Return a made-up table with its dates as text."""
    shown = made_up.copy(deep=False)
    for column in columns:
        quantity = quantity_of(column)
        if quantity.is_date and column.name in shown:
            shown[column.name] = [quantity.exactly(day) for day in shown[column.name]]
    return shown


def _shuffled(counts: NDArray[np.int64], rng: np.random.Generator) -> NDArray[np.int64]:
    return rng.permutation(np.repeat(np.arange(len(counts)), counts))


def _given(
    first: NDArray[np.int64], table: NDArray[np.int64], rng: np.random.Generator
) -> NDArray[np.int64]:
    """Return the second answer of everybody, given the first."""
    second = np.empty_like(first)
    for answer, counts in enumerate(table):
        second[first == answer] = _shuffled(counts, rng)
    return second


def _answers(
    axis: Axis, cells: NDArray[np.int64], *, whole: bool, rng: np.random.Generator
) -> FloatArray | NDArray[np.object_]:
    if axis.edges is None:
        return np.array(axis.names, dtype=object)[cells]
    edges = np.asarray(axis.edges)
    low, high = edges[:-1][cells], edges[1:][cells]
    spread = rng.random(len(cells))
    if whole:
        last = (cells == len(edges) - 2) & axis.has_last_edge
        return _whole(low, high, last=last, spread=spread)
    # No more decimals than a bin can be meant to have, rounded down to stay inside.
    narrowest = float(np.diff(edges).min())
    step = 10.0 ** -max(_STEPS - math.floor(math.log10(narrowest)), 0)
    drawn = low + spread * (high - low)
    return np.asarray(np.clip(np.floor(drawn / step) * step, low, high).round(15))


def _whole(
    low: FloatArray, high: FloatArray, *, last: NDArray[np.bool_], spread: FloatArray
) -> FloatArray:
    """Return whole numbers from bins that leave out their upper end, but for the last.

    A bin without a whole number gives the nearest one to its middle.
    """
    least = np.ceil(low)
    most = np.where(last, np.floor(high), np.ceil(high) - 1)
    number = most - least + 1
    drawn = least + np.floor(spread * number)
    return np.where(number >= 1, drawn, np.rint((low + high) / 2))
