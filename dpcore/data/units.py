"""Which rows belong to one unit, by a column that identifies units. CONFIDENTIAL."""

from __future__ import annotations

from typing import Final

import numpy as np
from numpy.typing import NDArray

from dpcore.data.cells import canonical_cells, has_any, is_number
from dpcore.data.columns import LabelEquality
from dpcore.data.dataset import Dataset

NOBODY: Final = -1
"""The unit of a row that does not say whose it is."""


def identities(dataset: Dataset, name: str) -> NDArray[np.intp]:
    """Return a number for each identifier of a column, shape ``(n,)``.

    Two cells are the same identifier if they are written alike, or if they are the same
    number where the column is declared to hold numeric codes. That is so for each two
    of them alone, whatever the type of the column and its other cells. A row without an
    identifier has the number ``NOBODY``.

    Raises:
        ParameterError: There is no such column.

    """
    from pandas import factorize  # noqa: PLC0415 - slow to import

    column, cells = dataset.column(name), dataset.frame[name]
    numeric = column.equality is not LabelEquality.AS_WRITTEN
    alone = cells.isna().to_numpy() | has_any(cells, column.missing_codes, numeric=numeric)
    # Equal numbers are written alike in a column that is held as numbers.
    compared = canonical_cells(cells) if numeric and not is_number(cells) else cells
    return np.where(alone, NOBODY, factorize(compared)[0]).astype(np.intp)


def unit_codes(dataset: Dataset, name: str, rows: NDArray[np.intp]) -> NDArray[np.intp]:
    """Return everybody's unit, from 0 in the order of the table, shape ``(m,)``.

    A row without an identifier is a unit of its own.

    ``rows`` are the rows, from 0, of the people in question, shape ``(m,)``.

    Raises:
        ParameterError: There is no such column.

    """
    from pandas import factorize  # noqa: PLC0415 - slow to import

    codes = identities(dataset, name)[rows]
    alone = codes == NOBODY
    codes[alone] = codes.max(initial=0) + 1 + np.arange(int(alone.sum()))
    return factorize(codes)[0].astype(np.intp)
