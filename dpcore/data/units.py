"""Which rows belong to one unit, by a column that numbers units. CONFIDENTIAL."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from dpcore.data.dataset import Dataset


def unit_codes(dataset: Dataset, name: str, rows: NDArray[np.intp]) -> NDArray[np.intp]:
    """Return everybody's unit, from 0 in the order of the table, shape ``(m,)``.

    Rows with the same value of the column belong together, whatever is declared about
    it. A row without a value is a unit of its own.

    ``rows`` are the rows, from 0, of the people in question, shape ``(m,)``.

    Raises:
        ParameterError: There is no such column.

    """
    from pandas import factorize  # noqa: PLC0415 - slow to import

    alone = dataset.missing(name)[rows]
    codes, values = factorize(dataset.frame[name].to_numpy()[rows])
    codes = codes.astype(np.intp)
    codes[alone] = len(values) + np.arange(int(alone.sum()))
    # Missing values took none of the numbers, so that none is left out.
    return codes
