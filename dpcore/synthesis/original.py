"""What the original holds where the made-up table was invented. CONFIDENTIAL."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from itertools import combinations
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from dpcore.analyses.number import Query
from dpcore.analyses.reading import as_declared
from dpcore.arrays import FloatArray
from dpcore.data.dataset import Dataset
from dpcore.synthesis.fitting import Forest, mutual_information
from dpcore.synthesis.released_counts import Axis, Counted, cells_of

if TYPE_CHECKING:
    import pandas as pd


class Tie(NamedTuple):
    """How much one column tells of another, in nats. CONFIDENTIAL: ``original`` is."""

    first: str
    second: str
    original: float
    made_up: float
    kept: bool


def exact(one: Counted, dataset: Dataset) -> FloatArray:
    """Return the counts of the original without noise. CONFIDENTIAL.

    Raises:
        DataError: The table cannot be read as it was declared for the release.

    """
    found = one.request.value(as_declared(one.request, dataset))
    turned = one.names != tuple(column.name for column in one.request.query.columns)
    return found.reshape(one.counts.T.shape).T if turned else found.reshape(one.counts.shape)


def ties(forest: Forest, dataset: Dataset, made_up: pd.DataFrame) -> list[Tie]:
    """Return for every pair of columns what hangs together, before and after.

    Only people with both answers count. CONFIDENTIAL.

    Args:
        forest: What the made-up table was made from.
        dataset: The original.
        made_up: The made-up table.

    Raises:
        DataError: The table cannot be read as it was declared for the release.

    """
    axes, queries = forest.axes, _queries(forest.kept)
    own = {axis.name: _cells(queries[axis.name], dataset) for axis in axes}
    # A number made up for a bin lies in it, so that the same bins find it again.
    other = {axis.name: _made_up_cells(axis, made_up) for axis in axes}
    together = {frozenset(one.names) for one in forest.pairs}
    return [
        Tie(
            first=one.name,
            second=two.name,
            original=mutual_information(_crossed(own, one, two)),
            made_up=mutual_information(_crossed(other, one, two)),
            kept=frozenset((one.name, two.name)) in together,
        )
        for one, two in combinations(axes, 2)
    ]


def _queries(counted: Iterable[Counted]) -> dict[str, Query]:
    known: dict[str, Query] = {}
    for one in counted:
        for query in cells_of(one.request.query):
            known[query.column.name] = query
    return known


def _cells(query: Query, dataset: Dataset) -> NDArray[np.int64]:
    """Return the cell of everybody, -1 of those who are not counted."""
    declared = dataset.with_columns(query.column)
    found = np.full(dataset.people, -1)
    found[query.rows(declared)] = query.values(declared).astype(np.int64)
    return found


def _made_up_cells(axis: Axis, made_up: pd.DataFrame) -> NDArray[np.int64]:
    values = made_up[axis.name].to_numpy()
    if axis.edges is None:
        place = {name: at for at, name in enumerate(axis.names)}
        return np.array([place[value] for value in values], dtype=np.int64)
    inner = np.asarray(axis.edges[1:-1])
    return np.searchsorted(inner, values.astype(np.float64), side="right")


def _crossed(cells: Mapping[str, NDArray[np.int64]], one: Axis, two: Axis) -> NDArray[np.float64]:
    first, second = cells[one.name], cells[two.name]
    both = (first >= 0) & (second >= 0)
    shape = (len(one.names), len(two.names))
    flat = first[both] * shape[1] + second[both]
    return np.bincount(flat, minlength=shape[0] * shape[1]).reshape(shape).astype(float)
