"""What a cell means: a number, a date, one of some labels, or a missing value.

It follows from the cell and the public declaration of its column alone, never from any
other cell. So whoever changes one record of a table changes the meaning of no other:
the sensitivities of statistics rest on that. Tables in memory, in parts and from
databases are read by the functions of this file.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import TYPE_CHECKING, Any, Final

import numpy as np
from numpy.typing import NDArray

from dpcore.arrays import FloatArray
from dpcore.data.column_storage import text_of_array
from dpcore.data.dates import DateFormat, days_of
from dpcore.errors import ParameterError

if TYPE_CHECKING:
    import pandas as pd
    import pyarrow as pa


MISSING_CODE: Final = -1
"""Code of a missing value."""
TEXT_CODES: Final = ("NA", "N/A", "n/a", "#N/A", "NaN", "nan", "<NA>", "NULL", "null")
"""Cells of a text file that usually stand for a missing value, as blank ones always do.

"None" is not among them: it is an answer."""

DECIMALS: Final = (".", ",")
THOUSANDS: Final = ("", ",", ".", " ", "'")
_NUMBER: Final = r"^[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?$"
_INFINITE: Final = r"^[+-]?(?i:inf|infinity)$"
_ONE_NUMBER: Final = re.compile(f"(?:{_NUMBER})|(?:{_INFINITE})")
_LONGEST_EXPONENT: Final = 400
"""No float has more digits before or after its point."""
_PLAIN_BELOW, _EXACT_BELOW = 1e9, 2.0**53
"""Sizes from which Arrow may write a float with an exponent, and below which every
integer is a float."""
_SPELLINGS: Final = {" ": "[ \u00a0\u202f]", "'": "['’]", ",": ",", ".": r"\."}


@dataclass(frozen=True, slots=True, kw_only=True)
class Notation:
    """How the numbers of a text file are written. PUBLIC.

    Attributes:
        decimal: The decimal mark, one of ``DECIMALS``.
        thousands: What groups the digits of large numbers, one of ``THOUSANDS``; empty
            if nothing does. A space also stands for the no-break spaces, and ``'`` for
            the typographic apostrophe.

    Raises:
        ParameterError: A mark is none of these, or both are the same.

    """

    decimal: str = "."
    thousands: str = ""

    def __post_init__(self) -> None:
        for name, domain in (("decimal", DECIMALS), ("thousands", THOUSANDS)):
            if getattr(self, name) not in domain:
                allowed = ", ".join(repr(mark) for mark in domain)
                raise ParameterError(f"{name} must be one of {allowed}.")
        if self.decimal == self.thousands:
            raise ParameterError("the decimal mark and the thousands separator must differ.")


PLAIN: Final = Notation()
"""A decimal point, and nothing between thousands."""


def number(cell: str, notation: Notation = PLAIN) -> float:
    """Return the number that a cell or label is; NaN if it is none.

    >>> number("1.299,50", Notation(decimal=",", thousands=".")), number("refused")
    (1299.5, nan)
    """
    text = cell.strip()
    if notation == PLAIN:
        # Without Arrow: it takes as long for one number as for a thousand.
        return float(text) if _ONE_NUMBER.fullmatch(text) else math.nan
    import pyarrow as pa  # noqa: PLC0415 - slow to import

    return float(_parsed(pa.array([text]), notation)[0])


def numbers_of(cells: pd.Series, notation: Notation) -> FloatArray:
    """Return the number of each cell, shape ``(n,)``; NaN where it is none.

    Text is a number if it is one in ``notation``: digits with at most one decimal mark,
    a sign, an exponent, or "inf". The float is the nearest one, and infinite beyond the
    largest.
    """
    if is_number(cells) and not (notation != PLAIN and _is_pointed(cells)):
        return _floats(cells)
    return _of_distinct(cells, lambda text: _parsed(text, notation))


def _is_pointed(cells: pd.Series) -> bool:
    """Return whether numbers stand for text with a decimal point."""
    import pandas as pd  # noqa: PLC0415 - slow to import

    return isinstance(cells.dtype, pd.ArrowDtype) and cells.dtype.kind == "f"


def _floats(cells: pd.Series) -> FloatArray:
    """Return numbers as floats; those that are floats already are not copied."""
    import pandas as pd  # noqa: PLC0415 - slow to import
    import pyarrow as pa  # noqa: PLC0415 - slow to import

    if cells.dtype == pd.ArrowDtype(pa.float64()):
        array = pa.array(cells)
        return np.asarray(array.to_numpy(zero_copy_only=False))
    return cells.to_numpy(dtype=np.float64, na_value=np.nan)


def dates_of(cells: pd.Series, form: DateFormat) -> FloatArray:
    """Return the date of each cell in days since 1 January 1970; NaN where it is none.

    Numbers are dates only where their digits are: 20240501.
    """
    return _of_distinct(cells, lambda text: days_of(text, form))


def text_of(cells: pd.Series) -> pd.Series:
    """Return the text of each cell, null where there is none.

    That of a typed float is the shortest decimal which gives it, "5" and not "5.0". An
    integral one below 2**53 is written in plain digits, as an integer is.
    """
    import pandas as pd  # noqa: PLC0415 - slow to import

    if not is_number(cells):
        return cells.astype("str").where(cells.notna())
    text = _number_text(cells)
    return pd.Series(text.to_pandas().astype("str"), copy=False).set_axis(cells.index)


def float_texts(values: Iterable[float]) -> dict[float, str]:
    """Return the text of typed floats, each as in a column of floats."""
    import pandas as pd  # noqa: PLC0415 - slow to import

    distinct = [*dict.fromkeys(values)]
    texts = text_of(pd.Series(distinct, dtype="float64"))
    return dict(zip(distinct, texts, strict=True))


def label_codes(
    cells: pd.Series, labels: Sequence[str], *, numeric: bool, any_case: bool = False
) -> NDArray[np.int64]:
    """Return the position of each cell among ``k`` labels, shape ``(n,)``.

    A cell that is none of them has code ``k``, one that is null ``MISSING_CODE``.

    Args:
        cells: A column of a table.
        labels: No two of which denote the same cell.
        numeric: Whether a label that is a number is met by all cells that are the same
            number; otherwise labels are met as they are written.
        any_case: Whether capitals do not matter.

    """
    if is_number(cells):
        return _codes_of_numbers(cells, labels, numeric=numeric)
    import pyarrow as pa  # noqa: PLC0415 - slow to import
    import pyarrow.compute as pc  # noqa: PLC0415 - slow to import

    def comparable(text: pa.StringArray) -> pa.StringArray:
        text = canonical(text) if numeric else text
        return pc.utf8_lower(text) if any_case else text

    listed = comparable(pa.array(labels, pa.string()))

    def places(text: pa.StringArray) -> FloatArray:
        found = pc.index_in(comparable(text), value_set=listed)
        coded = found.fill_null(len(labels)).to_numpy(zero_copy_only=False)
        return np.asarray(coded, dtype=np.float64)

    found = _of_distinct(cells, places)
    return np.where(np.isnan(found), MISSING_CODE, found).astype(np.int64)


def has_any(cells: pd.Series, codes: Sequence[str], *, numeric: bool) -> NDArray[np.bool_]:
    """Return which cells are one of some codes, shape ``(n,)``.

    As text, or as numbers where ``numeric``: then -9 is also met by "-9.0".
    """
    if is_number(cells):
        codes = [code for code in codes if not np.isnan(number(code))]
        if not _is_pointed(cells):
            codes = [*codes, *filter(None, map(_in_32_bits, codes))]
    if not codes:
        return np.zeros(len(cells), dtype=np.bool_)
    met = label_codes(cells, codes, numeric=numeric)
    return (met >= 0) & (met < len(codes))


def _in_32_bits(code: str) -> str | None:
    """Return what a number became in a typed file of 32-bit floats, if that differs.

    Stata and Parquet have such columns: 99.9 is 99.9000015258789 there. A number that
    does not fit at all is none of theirs, so that no 0 or infinity is taken for a code.

    >>> _in_32_bits("99.9"), _in_32_bits("99"), _in_32_bits("1e300")
    ('99.9000015258789', None, None)
    """
    value = number(code)
    with np.errstate(all="ignore"):
        short = float(np.float32(value))
    fits = short != value and np.isclose(short, value, 1e-6, 0)
    return repr(short) if fits else None


def canonical(text: pa.StringArray) -> pa.StringArray:
    """Return text in which equal numbers are written alike, and all else as it is.

    Digits are compared exactly, however many there are: no float is made of them.

    >>> import pyarrow as pa
    >>> canonical(pa.array(["01", "1.0", "+1", "-0", "1e2", "A1"])).to_pylist()
    ['1', '1', '1', '0', '100', 'A1']
    """
    import pyarrow as pa  # noqa: PLC0415 - slow to import
    import pyarrow.compute as pc  # noqa: PLC0415 - slow to import

    plain = pc.match_substring_regex(text, r"^[+-]?[0-9]+(?:\.[0-9]*)?$")
    form = text
    for pattern, kept in (
        (r"^\+", ""),
        (r"(\.[0-9]*?)0*$", r"\1"),
        (r"\.$", ""),
        (r"^(-?)0+([0-9])", r"\1\2"),
        (r"^-0$", "0"),
    ):
        form = pc.replace_substring_regex(form, pattern, kept)
    form = pc.if_else(plain, form, text)
    other = pc.and_not(pc.match_substring_regex(text, _NUMBER), plain)
    if not pc.any(other).as_py():
        return form
    rare = [
        _decimal_text(cell) if one else cell
        for cell, one in zip(form.to_pylist(), other.to_pylist(), strict=True)
    ]
    return pa.array(rare, pa.string())


def canonical_cells(cells: pd.Series) -> pd.Series:
    """Return a column of text in which equal numbers are written alike."""
    import pandas as pd  # noqa: PLC0415 - slow to import
    import pyarrow as pa  # noqa: PLC0415 - slow to import

    text = pa.array(text_of(cells), pa.string())
    whole = text.combine_chunks() if isinstance(text, pa.ChunkedArray) else text
    return pd.Series(canonical(whole).to_pandas().astype("str"), copy=False).set_axis(cells.index)


def _decimal_text(cell: str) -> str:
    """Return a number with an exponent, or that begins with a point, in plain digits.

    One of very many digits, such as 1e999999999, stays as it is.
    """
    value = Decimal(cell)
    if not value:
        return "0"
    exponent = value.as_tuple().exponent
    if not isinstance(exponent, int) or abs(exponent) > _LONGEST_EXPONENT:
        return cell
    written = f"{value:f}"
    return written.rstrip("0").rstrip(".") if "." in written else written


def _codes_of_numbers(
    cells: pd.Series, labels: Sequence[str], *, numeric: bool
) -> NDArray[np.int64]:
    """Return the codes of a column that is held as numbers.

    All cells of the same number are written alike, so that it is enough to look how the
    number of a label is written.
    """
    import pandas as pd  # noqa: PLC0415 - slow to import
    import pyarrow as pa  # noqa: PLC0415 - slow to import

    missing = cells.isna().to_numpy()
    codes = np.full(len(cells), len(labels), dtype=np.int64)
    kind = number_type(cells)
    values = cells.to_numpy(kind.name, na_value=np.nan if kind.kind == "f" else 0)
    for code, label in enumerate(labels):
        value = _in_kind(label, kind)
        if value is None:
            continue
        written = text_of(pd.Series([value], dtype=cells.dtype)).iloc[0]
        texts = pa.array([written, label], pa.string())
        first, second = (canonical(texts) if numeric else texts).to_pylist()
        if first == second:
            codes[values == value] = code
    codes[missing] = MISSING_CODE
    return codes


def _in_kind(label: str, kind: np.dtype[Any]) -> Any:  # noqa: ANN401 - a NumPy number
    """Return the number of a label in the type of a column; ``None`` where it has none.

    Integers are compared exactly.
    """
    value = number(label)
    if np.isnan(value):
        return None
    if kind.kind == "f":
        return kind.type(value)
    if not np.isfinite(value):
        return None
    exact = Decimal(label)
    limits = np.iinfo(kind)
    whole = exact == exact.to_integral_value() and limits.min <= exact <= limits.max
    return kind.type(int(exact)) if whole else None


def is_number(cells: pd.Series) -> bool:
    """Return whether a column is held as numbers: see ``dpcore.data.column_storage``."""
    from pandas.api.types import is_bool_dtype, is_numeric_dtype  # noqa: PLC0415

    return bool(is_numeric_dtype(cells.dtype)) and not is_bool_dtype(cells.dtype)


def number_type(cells: pd.Series) -> np.dtype[Any]:
    """Return the NumPy type of a column that is held as numbers."""
    held: Any = cells.dtype
    kind: np.dtype[Any] = np.dtype(getattr(held, "numpy_dtype", held))
    return kind


def _number_text(cells: pd.Series) -> pa.StringArray:
    """Return numbers as they are written: see ``dpcore.data.column_storage``."""
    import pandas as pd  # noqa: PLC0415 - slow to import
    import pyarrow as pa  # noqa: PLC0415 - slow to import
    import pyarrow.compute as pc  # noqa: PLC0415 - slow to import

    if isinstance(cells.dtype, pd.ArrowDtype):
        array = pa.array(cells)
        whole = array.combine_chunks() if isinstance(array, pa.ChunkedArray) else array
        return text_of_array(whole)
    values = cells.to_numpy()
    if values.dtype.kind != "f":
        return pa.array(values).cast(pa.string())
    # Adding zero turns -0.0 into 0.0.
    values = values + 0
    text = pa.array(values, from_pandas=True).cast(pa.string())
    # Arrow writes an exponent from 1e10 on, and none in a column of integers.
    long = (np.abs(values) >= _PLAIN_BELOW) & (np.abs(values) < _EXACT_BELOW)
    long &= values == np.rint(values)
    if not long.any():
        return text
    whole = pa.array(np.where(long, values, 0).astype(np.int64)).cast(pa.string())
    return pc.if_else(pa.array(long), whole, text)


def _of_distinct(cells: pd.Series, meaning: Callable[[pa.StringArray], FloatArray]) -> FloatArray:
    """Return what each cell means; text that many rows have is looked at once."""
    import pandas as pd  # noqa: PLC0415 - slow to import
    import pyarrow as pa  # noqa: PLC0415 - slow to import

    if isinstance(cells.dtype, pd.CategoricalDtype):
        distinct = pa.array(cells.cat.categories.astype("str"), pa.string())
        found = np.append(meaning(distinct), np.nan)
        return found[cells.cat.codes.to_numpy()]
    text = (
        _number_text(cells)
        if is_number(cells)
        else pa.array(cells.astype("str").where(cells.notna()), pa.string())
    )
    if isinstance(text, pa.ChunkedArray):
        text = text.combine_chunks()
    missing = np.asarray(text.is_null())
    found = meaning(text.fill_null("") if missing.any() else text)
    found[missing] = np.nan
    return found


def _parsed(text: pa.StringArray, notation: Notation) -> FloatArray:
    """Return text as numbers, NaN where it is none, whatever other text there is."""
    import pyarrow as pa  # noqa: PLC0415 - slow to import
    import pyarrow.compute as pc  # noqa: PLC0415 - slow to import

    text = _point(text, notation)
    try:
        # Takes what the patterns below take, and no more.
        found = text.cast(pa.float64())
    except pa.ArrowInvalid:
        known = pc.or_(
            pc.match_substring_regex(text, _NUMBER), pc.match_substring_regex(text, _INFINITE)
        )
        found = pc.if_else(known, text, None).cast(pa.float64())
    return np.array(found.to_numpy(zero_copy_only=False), dtype=np.float64)


def _point(text: pa.StringArray, notation: Notation) -> pa.StringArray:
    """Return numbers of a notation with a decimal point, and all else as no number."""
    import pyarrow.compute as pc  # noqa: PLC0415 - slow to import

    if notation == PLAIN:
        return text
    mark = _SPELLINGS[notation.decimal]
    group = _SPELLINGS.get(notation.thousands, "")
    grouped = f"[0-9]{{1,3}}(?:{group}[0-9]{{3}})+|" if group else ""
    pattern = f"^[+-]?(?:(?:{grouped}[0-9]+)(?:{mark}[0-9]*)?|{mark}[0-9]+)(?:[eE][+-]?[0-9]+)?$"
    known = pc.or_(
        pc.match_substring_regex(text, pattern), pc.match_substring_regex(text, _INFINITE)
    )
    plain = pc.replace_substring_regex(text, group, "") if group else text
    plain = pc.replace_substring(plain, notation.decimal, ".")
    return pc.if_else(known, plain, "no number")
