"""What the original holds where the synthetic table was invented. CONFIDENTIAL."""

from __future__ import annotations

from itertools import combinations
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from dpcore.analyses.spanning_tree import cells_of
from dpcore.arrays import FloatArray
from dpcore.data.dataset import Dataset
from dpcore.synthesis.fitting import Forest, mutual_information
from dpcore.synthesis.released_counts import Axis, Counted, crossed

if TYPE_CHECKING:
    import pandas as pd


class Tie(NamedTuple):
    """How much one column tells of another, in nats. CONFIDENTIAL: ``original`` is.

    ``apart`` is the share of rows in another cell: half the sum of absolute differences
    of the shares of both tables. CONFIDENTIAL, too.
    """

    first: str
    second: str
    original: float
    synthetic: float
    apart: float
    kept: bool


def exact(one: Counted, dataset: Dataset) -> FloatArray:
    """Return the counts of the original without noise. CONFIDENTIAL.

    Raises:
        DataError: The table cannot be read as it was declared for the release.

    """
    return crossed([_cells(axis, dataset) for axis in one.axes], one.axes)


def ties(forest: Forest, dataset: Dataset, synthetic: pd.DataFrame) -> list[Tie]:
    """Return for every pair of columns what hangs together, before and after.

    Only people with both answers count. CONFIDENTIAL.

    Args:
        forest: What the synthetic table was made from.
        dataset: The original.
        synthetic: The synthetic table.

    Raises:
        DataError: The table cannot be read as it was declared for the release.

    """
    own = {axis.name: _cells(axis, dataset) for axis in forest.axes}
    other = {axis.name: axis.cells_in(synthetic) for axis in forest.axes}
    together = {frozenset(one.names) for one in forest.pairs}
    found = []
    for pair in combinations(forest.axes, 2):
        names = [axis.name for axis in pair]
        before, after = (crossed([cells[name] for name in names], pair) for cells in (own, other))
        found.append(
            Tie(
                first=names[0],
                second=names[1],
                original=mutual_information(before),
                synthetic=mutual_information(after),
                apart=float(np.abs(before / before.sum() - after / after.sum()).sum()) / 2,
                kept=frozenset(names) in together,
            )
        )
    return found


def _cells(axis: Axis, dataset: Dataset) -> NDArray[np.intp]:
    """Return the cell of everybody, -1 of those who are not counted."""
    found = cells_of(axis.query, dataset.with_columns(axis.column))
    return found if axis.has_no_value else np.where(found < len(axis.names), found, -1)
