"""The rows of a table that show whether its file was read as it is written."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np
from numpy.typing import NDArray

from dpcore.data.cells import is_number, text_of

if TYPE_CHECKING:
    import pandas as pd

_FIRST: Final = 5
_BEYOND_ASCII: Final = 3
_LOOKED_AT: Final = 200_000
"""Rows among which letters beyond ASCII are looked for."""


def first_rows(frame: pd.DataFrame) -> pd.DataFrame:
    """Return some rows of a table as text. CONFIDENTIAL.

    A missing value is blank. They are the first five, and the first three with letters
    beyond ASCII: these show a wrong encoding, and may come late.
    """
    rows = np.arange(len(frame)) < _FIRST
    some = frame.iloc[:_LOOKED_AT]
    beyond = np.zeros(len(some), np.bool_)
    for name in frame.columns:
        if not is_number(frame[name]):
            beyond |= _beyond_ascii(some[name])
    found = np.flatnonzero(beyond)[:_BEYOND_ASCII]
    rows[found] = True
    shown = frame[rows]
    return shown.apply(lambda cells: text_of(cells).fillna(""))


def _beyond_ascii(cells: pd.Series) -> NDArray[np.bool_]:
    """Return which cells of text have letters beyond ASCII."""
    import pandas as pd  # noqa: PLC0415 - slow to import

    if isinstance(cells.dtype, pd.CategoricalDtype):
        known = [not str(each).isascii() for each in cells.cat.categories]
        return np.array([*known, False])[cells.cat.codes.to_numpy()]
    return np.array([isinstance(cell, str) and not cell.isascii() for cell in cells])
