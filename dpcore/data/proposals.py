"""What is proposed to be declared about the columns of a file.

CONFIDENTIAL, since it is inferred from the values: it becomes part of the public
declaration once the curator uses the table. Bounds and lists of categories are left
open: nobody but the curator may say what they are.
"""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING, Final

import numpy as np

from dpcore.arrays import FloatArray, in_blocks
from dpcore.data.cells import PLAIN, TEXT_CODES, Notation, has_any, is_number, numbers_of
from dpcore.data.columns import Column, ColumnKind, yes_no
from dpcore.data.dates import DateFormat, DateOrder, days_of

if TYPE_CHECKING:
    import pandas as pd
    import pyarrow as pa


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
    ("ne", "ano"),
    ("nem", "igen"),
    ("nu", "da"),
    ("hayır", "evet"),
    ("нет", "да"),
    ("όχι", "ναι"),
    ("いいえ", "はい"),
    ("否", "是"),
)
"""Pairs that say no and yes in any table, in lower case."""

USUAL_CODES: Final = frozenset(
    (
        *("-", "--", ".", "..", "?", "na", "n.a.", "n/a", "#n/a", "none", "null"),
        *("nan", "missing", "unknown", "refused", "not available", "not reported"),
    )
)
"""Words that stand for a missing value where all other cells are numbers, in lower
case."""
_MOST_CODES: Final = 5
"""Different words of that kind in one column."""
_MOST_ANSWERS: Final = 8
"""Spellings of yes and no in one column, such as True, TRUE and true."""
_CODES: Final = frozenset(range(4, 13))
"""How many digits codes have that are no numbers, such as postcodes."""
_MANY: Final = 50
"""Cells that all differ are proposed as an identifier where there are so many."""
_IDENTIFYING: Final = re.compile(r"(?:^|[^a-z])(?:id|nr|no|number)$", re.IGNORECASE)
_DAYS_IN_DIGITS: Final = (19_000_101, 21_001_231)
_LOOKED_AT: Final = 10_000
"""Distinct texts that are looked at to propose a type."""


def proposed(
    frame: pd.DataFrame, *, notation: Notation = PLAIN, missing_codes: tuple[str, ...] = TEXT_CODES
) -> tuple[Column, ...]:
    """Return a first description of every column, for the curator to complete.

    Args:
        frame: A table as it was read.
        notation: How its numbers are written.
        missing_codes: Cells that stand for missing values.

    """
    like = Column(name="", kind=ColumnKind.CATEGORY, notation=notation, missing_codes=missing_codes)
    return tuple(proposed_column(str(name), frame[name], like=like) for name in frame.columns)


def proposed_column(name: str, cells: pd.Series, *, like: Column) -> Column:
    """Return a first description of a column that is read ``like`` another one."""
    codes = like.missing_codes
    if is_number(cells):
        column = _of_values(name, cells.to_numpy(dtype=np.float64, na_value=np.nan))
    else:
        kept = cells[~has_any(cells, codes, numeric=False)].dropna()
        column = _of_text(name, kept, like.notation)
        if column.kind in {ColumnKind.CATEGORY, ColumnKind.IDENTIFIER}:
            numbers = ~np.isnan(numbers_of(kept, like.notation))
            # Words for missing values in a column that else has numbers only.
            words = sorted(map(str, kept[~numbers].unique())) if numbers.any() else []
            usual = all(word.casefold() in USUAL_CODES for word in words)
            if words and usual and len(words) <= _MOST_CODES:
                column = Column(name=name, kind=ColumnKind.NUMBER)
                codes += tuple(words)
    return replace(column, notation=like.notation, missing_codes=codes)


def _of_values(name: str, values: FloatArray) -> Column:
    parts = (block[~np.isnan(block)] for block in in_blocks(values))
    # Mostly the first block tells that a column has other numbers, too.
    whole = all((part == np.rint(part)).all() for part in parts)
    known = values[~np.isnan(values)] if whole else values[:0]
    if not len(known):
        return Column(name=name, kind=ColumnKind.NUMBER)
    one = known == 1
    if one.any() and not one.all() and (one | (known == 0)).all():
        return yes_no(name, ("0", "1"))
    if _IDENTIFYING.search(name):
        import pandas as pd  # noqa: PLC0415 - slow to import

        if _differ(pd.Series(known)):
            return Column(name=name, kind=ColumnKind.IDENTIFIER)
    dates = _dates_in_digits(known)
    if dates is not None:
        return Column(name=name, kind=ColumnKind.DATE, dates=dates)
    return Column(name=name, kind=ColumnKind.WHOLE)


def _differ(cells: pd.Series) -> bool:
    """Return whether no two cells are the same, and there are enough to tell."""
    return len(cells) >= _MANY and bool(cells.is_unique)


def _dates_in_digits(values: FloatArray) -> DateFormat | None:
    """Return how numbers such as 19970131 are dates, if all are."""
    import pyarrow as pa  # noqa: PLC0415 - slow to import

    known = np.unique(values)[:_LOOKED_AT]
    first, last = _DAYS_IN_DIGITS
    if known[0] < first or known[-1] > last:
        return None
    form = DateFormat(order=DateOrder.ISO)
    days = days_of(pa.array([f"{number:.0f}" for number in known]), form)
    return None if np.isnan(days).any() else form


def _of_text(name: str, cells: pd.Series, notation: Notation) -> Column:
    import pyarrow as pa  # noqa: PLC0415 - slow to import

    texts = sorted({str(cell) for cell in cells.unique()[:_LOOKED_AT]})
    pair = _yes_no(texts)
    if pair is not None:
        return yes_no(name, pair)
    numbers = numbers_of(cells, notation)
    if not (_are_codes(texts) or np.isnan(numbers).any()):
        return _of_values(name, numbers)
    dates = _dates(pa.array(texts))
    if dates is not None:
        return Column(name=name, kind=ColumnKind.DATE, dates=dates)
    kind = ColumnKind.IDENTIFIER if _differ(cells) else ColumnKind.CATEGORY
    return Column(name=name, kind=kind)


def _are_codes(texts: list[str]) -> bool:
    """Return whether all have as many digits, and one begins with 0, as postcodes do.

    >>> _are_codes(["04102", "10115"]), _are_codes(["04", "10"]), _are_codes(["04102", "110"])
    (True, False, False)
    """
    padded = any(text.startswith("0") for text in texts)
    lengths = {len(text) for text in texts}
    return padded and len(lengths) == 1 and lengths <= _CODES and all(map(str.isdecimal, texts))


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
