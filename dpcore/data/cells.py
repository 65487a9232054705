"""What the cells of a text column are: missing, numbers in disguise, or text."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dpcore.data.dialects import Dialect

if TYPE_CHECKING:
    import numpy as np
    import pandas as pd
    from numpy.typing import NDArray

MISSING = ("", "NA", "N/A", "n/a", "#N/A", "NaN", "nan", "<NA>", "NULL", "null")
"""Cells that stand for a missing value. "None" is not among them: it is an answer."""

_FEW = 1_000
_LONG = 300
_DIGITS = "[+-]?[0-9]+"
_SPELLINGS = {"": "", ",": ",", ".": r"\.", " ": "[ \u00a0\u202f]", "'": "['’]"}


def settle(column: pd.Series, dialect: Dialect) -> pd.Series:
    """Return a text column as numbers if all its cells are, otherwise as clean text.

    Surrounding white space is removed and ``MISSING`` cells become missing. Cells that
    are numbers in the dialect are written the plain way ("1.299,50" as "1299.50"). Text
    with few distinct values is stored as a category, which takes 2 bytes a row.
    """
    import pandas as pd  # noqa: PLC0415 - slow to import

    codes, cells = _distinct(column)
    cells, all_numbers = _plain_numbers(cells, dialect)
    if all_numbers:
        try:
            values = pd.to_numeric(within_floats(cells)).astype("float64")
        except ValueError:
            pass
        else:
            numbers = values.reindex(codes).to_numpy()
            return pd.Series(numbers, index=column.index, name=column.name)
    return _told_apart(column, codes, cells)


def as_text(column: pd.Series) -> pd.Series:
    """Return a column as clean text, also where all its cells are numbers.

    As ``settle`` does with text: what the cells of one part of a table are does not
    hang on those of others.
    """
    import pandas as pd  # noqa: PLC0415 - slow to import

    if not isinstance(column.dtype, pd.CategoricalDtype):
        column = column.astype("str").mask(column.isna())
    return _told_apart(column, *_distinct(column))


def _distinct(column: pd.Series) -> tuple[NDArray[np.intp], pd.Series]:
    """Return which distinct cell each is, and those without space around them."""
    import pandas as pd  # noqa: PLC0415 - slow to import

    codes, distinct = pd.factorize(column)
    cells = pd.Series(distinct, dtype="str").str.strip()
    return codes, cells.mask(cells.isin(MISSING))


def _told_apart(
    column: pd.Series, codes: NDArray[np.intp], cells: pd.Series
) -> pd.Series:
    """Return the text of a column, of the distinct cells that it has."""
    import pandas as pd  # noqa: PLC0415 - slow to import

    # Cleaning may have made equal what was distinct.
    merged, distinct = pd.factorize(cells)
    merged = pd.Series(merged).reindex(codes, fill_value=-1).to_numpy()
    categories = pd.Index(distinct, dtype="str")
    kept = pd.Categorical.from_codes(merged, categories=categories)
    text = pd.Series(kept, index=column.index, name=column.name)
    return text if len(categories) <= _FEW else text.astype("str")


def as_csv_has_it(values: pd.Series) -> pd.Series:
    """Return typed values as reading them from the CSV that pandas writes would.

    Numbers stay numbers. All else is the text that pandas would write, settled as any
    text is: days, times, answers of yes and no.
    """
    import pandas as pd  # noqa: PLC0415 - slow to import

    types = pd.api.types
    if types.is_numeric_dtype(values.dtype) and not types.is_bool_dtype(values.dtype):
        if values.isna().any() or not types.is_integer_dtype(values.dtype):
            values = values.astype("float64")
        return pd.to_numeric(values, downcast="integer")
    if not isinstance(values.dtype, pd.CategoricalDtype):
        values = values.astype("str").mask(values.isna())
    return settle(values, Dialect())


def within_floats(cells: pd.Series) -> pd.Series:
    """Return the cells with those of very many digits as the floats that they are.

    pandas would make integers of them that no float holds. Beyond the largest float
    they are infinite, as 1e400 is.
    """
    long = (cells.str.len() > _LONG) & cells.str.fullmatch(_DIGITS, na=False)
    if not long.any():
        return cells
    return cells.mask(long, cells[long].map(lambda cell: repr(float(cell))))


def _plain_numbers(cells: pd.Series, dialect: Dialect) -> tuple[pd.Series, bool]:
    """Return the cells with numbers written the plain way, and whether all may be."""
    if dialect.decimal == "." and not dialect.thousands:
        return cells, True
    mark, group = _SPELLINGS[dialect.decimal], _SPELLINGS[dialect.thousands]
    grouped = f"[0-9]{{1,3}}(?:{group}[0-9]{{3}})+|" if group else ""
    number = (
        f"[+-]?(?:(?:{grouped}[0-9]+)(?:{mark}[0-9]*)?|{mark}[0-9]+)"
        "(?:[eE][+-]?[0-9]+)?|[+-]?(?i:inf|infinity)"
    )
    matches = cells.str.fullmatch(number, na=False)
    plain = cells.str.replace(group, "", regex=True) if group else cells
    plain = plain.str.replace(dialect.decimal, ".", regex=False)
    return plain.where(matches, cells), bool((matches | cells.isna()).all())
