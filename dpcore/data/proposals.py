"""What is proposed to be declared about the columns of a file.

CONFIDENTIAL, since it is inferred from the values: it becomes part of the public
declaration once the curator uses the table. Bounds and lists of categories are left
open: nobody but the curator may say what they are.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Final

import numpy as np

from dpcore.data.cells import (
    PLAIN,
    TEXT_CODES,
    Notation,
    has_any,
    is_number,
    numbers_of,
)
from dpcore.data.columns import Column, ColumnKind, yes_no
from dpcore.data.dates import DateFormat, DateOrder, days_of

if TYPE_CHECKING:
    import pandas as pd
    import pyarrow as pa

    from dpcore.arrays import FloatArray

NO_YES: Final = (
    ("no", "yes"),
    ("n", "y"),
    ("false", "true"),
    ("f", "t"),
    ("off", "on"),
    ("nein", "ja"),
    ("nee", "ja"),
    ("nej", "ja"),
    ("non", "oui"),
    ("no", "si"),
    ("no", "sí"),
    ("no", "sì"),
    ("não", "sim"),
    ("nie", "tak"),
    ("falsch", "wahr"),
    ("faux", "vrai"),
    ("falso", "vero"),
    ("falso", "verdadero"),
)
"""Pairs that say no and yes in any table, in lower case."""

_MOST_ANSWERS: Final = 8
"""Spellings of yes and no in one column, such as True, TRUE and true."""
_LOOKED_AT: Final = 10_000
"""Distinct texts that are looked at to propose a type."""


def proposed(
    frame: pd.DataFrame,
    *,
    notation: Notation = PLAIN,
    missing_codes: tuple[str, ...] = TEXT_CODES,
) -> tuple[Column, ...]:
    """Return a first description of every column, for the curator to complete.

    Args:
        frame: A table as it was read.
        notation: How its numbers are written.
        missing_codes: Cells that stand for missing values.

    """
    like = Column(
        name="",
        kind=ColumnKind.CATEGORY,
        notation=notation,
        missing_codes=missing_codes,
    )
    return tuple(
        proposed_column(str(name), frame[name], like=like) for name in frame.columns
    )


def proposed_column(name: str, cells: pd.Series, *, like: Column) -> Column:
    """Return a first description of a column that is read ``like`` another one."""
    column = _of_numbers(name, cells) if is_number(cells) else None
    if column is None:
        kept = cells[~has_any(cells, like.missing_codes, numeric=False)].dropna()
        column = _of_text(name, kept, like.notation)
    return replace(column, notation=like.notation, missing_codes=like.missing_codes)


def _of_numbers(name: str, cells: pd.Series) -> Column:
    return _of_values(name, cells.to_numpy(dtype=np.float64, na_value=np.nan))


def _of_values(name: str, values: FloatArray) -> Column:
    zero, one = values == 0, values == 1
    if zero.any() and one.any() and (zero | one | np.isnan(values)).all():
        return yes_no(name, ("0", "1"))
    return Column(name=name, kind=ColumnKind.NUMBER)


def _of_text(name: str, cells: pd.Series, notation: Notation) -> Column:
    import pyarrow as pa  # noqa: PLC0415 - slow to import

    texts = sorted({str(cell) for cell in cells.unique()[:_LOOKED_AT]})
    pair = _yes_no(texts)
    if pair is not None:
        return yes_no(name, pair)
    numbers = numbers_of(cells, notation)
    if not np.isnan(numbers).any():
        return _of_values(name, numbers)
    dates = _dates(pa.array(texts))
    if dates is not None:
        return Column(name=name, kind=ColumnKind.DATE, dates=dates)
    return Column(name=name, kind=ColumnKind.CATEGORY)


def _yes_no(texts: list[str]) -> tuple[str, str] | None:
    """Return how no and yes are written, if nothing else is."""
    if len(texts) > _MOST_ANSWERS:
        return None
    spelled = {text.casefold(): text for text in texts}
    for no, yes in NO_YES:
        if spelled.keys() == {no, yes}:
            return spelled[no], spelled[yes]
    return None


def _dates(texts: pa.StringArray) -> DateFormat | None:
    """Return how dates are written if all texts are; day before month if in doubt."""
    for order in DateOrder:
        form = DateFormat(order=order, time_of_day=True)
        days = days_of(texts, form)
        if not np.isnan(days).any():
            timed = bool((days != np.floor(days)).any())
            return DateFormat(order=order, time_of_day=timed)
    return None
