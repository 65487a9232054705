"""The fingerprint that a table had before cells were kept as they are written.

Columns whose cells were all numbers were held as numbers then. Ledgers name tables by
these fingerprints: so a table with answers is found again, and keeps those to questions
that mean what they meant.
"""

from __future__ import annotations

import io
from typing import TYPE_CHECKING, Final

from dpcore.data.cells import TEXT_CODES, Notation, is_number, text_of
from dpcore.data.dataset import Dataset
from dpcore.data.fingerprints import table_fingerprint
from dpcore.data.preparation.aggregation import PeopleDataset
from dpcore.data.preparation.conditions import FilteredDataset
from dpcore.data.preparation.contribution_bounds import CappedDataset
from dpcore.data.preparation.derived_columns import WidenedDataset

if TYPE_CHECKING:
    import pandas as pd


_MISSING: Final = ("", *TEXT_CODES)
_LONG: Final = 300
_DIGITS: Final = "[+-]?[0-9]+"
_SPELLINGS: Final = {"": "", ",": ",", ".": r"\.", " ": "[ \u00a0\u202f]", "'": "['’]"}


def earlier_fingerprint(dataset: Dataset, key: bytes) -> str | None:
    """Return the fingerprint that a table would have had.

    Tables that differ only in how their numbers are written, 1.0 and 1, have the same.
    ``None`` where rows are told apart by an identifier: that may name other people now.

    Raises:
        ParameterError: The key has less than 16 or more than 64 bytes.

    """
    while isinstance(dataset, FilteredDataset | WidenedDataset):
        dataset = dataset.source
    if isinstance(dataset, PeopleDataset | CappedDataset):
        return None
    frame = dataset.frame.copy(deep=False)
    for column in dataset.columns:
        frame[column.name] = _held(dataset.frame[column.name], column.notation)
    return table_fingerprint(frame, key=key)


def _held(cells: pd.Series, notation: Notation) -> pd.Series:
    """Return the cells of a column as numbers if all of them are, else as text."""
    import pandas as pd  # noqa: PLC0415 - slow to import

    if is_number(cells) and not (
        isinstance(cells.dtype, pd.ArrowDtype) and cells.dtype.kind == "f"
    ):
        return cells.astype(cells.dtype)
    text = text_of(cells)
    text = text.mask(text.isin(_MISSING))
    found = _parsed(text, notation)
    if found is None:
        plain, all_numbers = _plain_numbers(text, notation)
        if all_numbers:
            try:
                found = pd.to_numeric(_within_floats(plain)).astype("float64")
            except ValueError:
                found = None
        text = plain
    return text if found is None else found.set_axis(cells.index)


def _parsed(text: pd.Series, notation: Notation) -> pd.Series | None:
    """Return a column as pandas parses its text by default, if that is numbers.

    Its floats may differ from the nearest ones in their last digit.
    """
    import pandas as pd  # noqa: PLC0415 - slow to import

    if text.str.contains('[\n\r",;\t]', na=False).any() and notation.decimal == ".":
        return None
    lines = "\n".join(text.fillna("").tolist())
    try:
        found = pd.read_csv(
            io.StringIO(f"x\n{lines}\n"),
            sep="\t",
            decimal=notation.decimal,
            keep_default_na=False,
            na_values=[""],
            skip_blank_lines=False,
            low_memory=False,
        )["x"]
    except (pd.errors.ParserError, ValueError):
        return None
    return found.astype("float64") if is_number(found) and len(found) == len(text) else None


def _within_floats(cells: pd.Series) -> pd.Series:
    """Return the cells with those of very many digits as the floats that they are.

    pandas would make integers of them that no float holds. Beyond the largest float
    they are infinite, as 1e400 is.
    """
    long = (cells.str.len() > _LONG) & cells.str.fullmatch(_DIGITS, na=False)
    if not long.any():
        return cells
    return cells.mask(long, cells[long].map(lambda cell: repr(float(cell))))


def _plain_numbers(cells: pd.Series, notation: Notation) -> tuple[pd.Series, bool]:
    """Return the cells with numbers written the plain way, and whether all may be."""
    if notation.decimal == "." and not notation.thousands:
        return cells, True
    mark, group = _SPELLINGS[notation.decimal], _SPELLINGS[notation.thousands]
    grouped = f"[0-9]{{1,3}}(?:{group}[0-9]{{3}})+|" if group else ""
    number = (
        f"[+-]?(?:(?:{grouped}[0-9]+)(?:{mark}[0-9]*)?|{mark}[0-9]+)"
        "(?:[eE][+-]?[0-9]+)?|[+-]?(?i:inf|infinity)"
    )
    matches = cells.str.fullmatch(number, na=False)
    plain = cells.str.replace(group, "", regex=True) if group else cells
    plain = plain.str.replace(notation.decimal, ".", regex=False)
    return plain.where(matches, cells), bool((matches | cells.isna()).all())
