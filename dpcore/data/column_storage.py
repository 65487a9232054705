"""How the cells of a column are held in memory: without loss, so that none is changed.

A column of a text file is text. Where every cell is written as Python would write an
integer or a float, the numbers are held instead of the text: the text follows from
them. A column of a typed file (Parquet, Excel, a database) is held in its own type.

The type of a pandas column says which it is:

* an Arrow integer: integers, written as such ("5");
* an Arrow double: text of floats, written with a decimal point ("5.0");
* a NumPy number: typed numbers, integral ones written without a point ("5");
* a category or a string: text, with no white space around it.

A missing cell is null in all of them. Which of these a column takes is a matter of
memory alone: ``dpcore.data.cells`` gives a cell the same meaning in each.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    import pandas as pd
    import pyarrow as pa

FEW_VALUES: Final = 1_000
"""Text with at most so many distinct values is held as a category."""
_FIRST_PLAIN, _LAST_PLAIN, _SLASH = b"-9/"
EXACT_DIGITS: Final = 15
"""Decimals of so many digits are recovered from the nearest float."""
_SMALLEST, _LARGEST = 1e-4, 1e9
"""Sizes between which Arrow writes a float without an exponent."""
_ZERO, _POINT, _MINUS = b"0.-"
_ASCII_ENDS: Final = 0x80
_NO_BYTES: Final = np.empty(0, np.uint8)


def compressed(cells: pa.StringArray) -> pa.Array:
    """Return cells as numbers if their text follows from these, otherwise as they are.

    Blank cells become null. The result is an integer, double or string array, or one of
    nulls where all cells are blank.
    """
    import pyarrow as pa  # noqa: PLC0415 - slow to import
    import pyarrow.compute as pc  # noqa: PLC0415 - slow to import

    text = _Text.of(cells)
    plain = _is_plain(text.bytes)
    # White space is a space, a control character, or beyond ASCII.
    if not plain and ((text.bytes <= ord(" ")) | (text.bytes >= _ASCII_ENDS)).any():
        cells = pc.utf8_trim_whitespace(cells)
        text = _Text.of(cells)
    blank = text.lengths == 0
    if blank.any():
        if blank.all():
            return pa.nulls(len(cells))
        cells = pc.if_else(pa.array(blank), None, cells)
        text = text.where(~blank)
    if not plain and not _is_plain(text.bytes):
        return cells
    points = np.flatnonzero(text.bytes == _POINT)
    minuses = np.count_nonzero(text.bytes == _MINUS)
    if len(points) not in {0, len(text.starts)} or minuses != text.negative.sum():
        return cells  # without a cast: one that fails takes milliseconds
    try:
        numbers = cells.cast(pa.float64() if len(points) else pa.int64())
    except pa.ArrowInvalid:
        return cells
    python_would = (
        _plain_floats(cells, numbers, text, points) if len(points) else _plain_integers(text)
    )
    return numbers if python_would else cells


def joined(parts: Sequence[pa.Array]) -> pa.ChunkedArray:
    """Return the cells of consecutive parts, as numbers where they are so in all."""
    import pyarrow as pa  # noqa: PLC0415 - slow to import

    kinds = {part.type for part in parts if not pa.types.is_null(part.type)}
    if len(kinds) > 1:
        return pa.chunked_array([text_of_array(part) for part in parts], pa.string())
    (kind,) = kinds or {pa.string()}
    return pa.chunked_array([part.cast(kind) for part in parts], kind)


def column_of(cells: pa.ChunkedArray) -> pd.Series:
    """Return integers, doubles or text as the column of a table that is kept."""
    import pandas as pd  # noqa: PLC0415 - slow to import
    import pyarrow as pa  # noqa: PLC0415 - slow to import

    kind = cells.type
    if pa.types.is_integer(kind):
        return _as_arrow(cells.cast(_narrowest(cells)))
    if pa.types.is_floating(kind):
        return _as_arrow(cells)
    whole = cells.unify_dictionaries().combine_chunks()
    if isinstance(whole, pa.ChunkedArray):  # of no rows, or very long
        whole = pa.concat_arrays(whole.chunks) if whole.num_chunks else pa.array([], kind)
    if not _has_few_values(whole):
        return pd.Series(pd.array(whole.cast(pa.large_string()), dtype="str"))
    coded = whole if pa.types.is_dictionary(kind) else whole.dictionary_encode()
    codes = coded.indices.fill_null(-1).to_numpy(zero_copy_only=False)
    categories = pd.Index(coded.dictionary.to_pandas(), dtype="str")
    return pd.Series(pd.Categorical.from_codes(codes, categories))


def _has_few_values(cells: pa.Array) -> bool:
    """Return whether text has few distinct values; not where already some have many."""
    import pyarrow as pa  # noqa: PLC0415 - slow to import
    import pyarrow.compute as pc  # noqa: PLC0415 - slow to import

    if pa.types.is_dictionary(cells.type):
        return len(cells.dictionary) <= FEW_VALUES
    some = cells.slice(0, 16 * FEW_VALUES)
    return all(pc.count_distinct(part).as_py() <= FEW_VALUES for part in (some, cells))


def typed_column(cells: pa.ChunkedArray) -> pd.Series:
    """Return a column of a typed file in its own type.

    Integers and floats stay numbers. Decimals, answers of yes and no, dates and times
    are text: "12.50", "True", "2024-05-01", "2024-05-01 13:30:00"; a moment with a time
    zone is written in UTC, "2024-05-01 11:30:00Z". Null is missing, and so is text that
    is blank.
    """
    import pandas as pd  # noqa: PLC0415 - slow to import
    import pyarrow as pa  # noqa: PLC0415 - slow to import
    import pyarrow.compute as pc  # noqa: PLC0415 - slow to import

    kind = cells.type
    types = pa.types
    if types.is_dictionary(kind) and not is_text(kind.value_type):
        cells = cells.cast(kind.value_type)
        kind = cells.type
    if types.is_null(kind):
        return pd.Series(np.full(len(cells), np.nan))
    if types.is_integer(kind):
        return _as_arrow(cells.cast(_narrowest(cells)))
    if types.is_floating(kind):
        if types.is_float16(kind):
            cells = cells.cast(pa.float32())
        numbers = cells.to_numpy()
        return pd.Series(numbers, copy=False)
    if types.is_boolean(kind):
        cells = pc.if_else(cells, "True", "False")
    elif types.is_timestamp(kind) and kind.tz is not None:
        # Arrow writes the time of day in UTC, with a Z.
        cells = cells.cast(pa.timestamp(kind.unit, tz="UTC"))
    coded = cells
    if not types.is_dictionary(kind):
        coded = (cells if is_text(cells.type) else cells.cast(pa.string())).cast(pa.string())
        coded = coded.dictionary_encode()
    # Joined first: each part has all answers, which are cleaned once.
    whole = coded.unify_dictionaries().combine_chunks()
    parts = whole.chunks if isinstance(whole, pa.ChunkedArray) else [whole]
    cleaned = [_clean(each) for each in parts]
    return column_of(pa.chunked_array(cleaned, pa.dictionary(pa.int32(), pa.string())))


def label_cells(
    codes: NDArray[np.intp], missing: NDArray[np.bool_], labels: tuple[str, ...], index: pd.Index
) -> pd.Series:
    """Return the label of each row as a cell, by its position among the labels."""
    import pandas as pd  # noqa: PLC0415 - slow to import

    places = np.where(missing, -1, codes).tolist()
    known = pd.Categorical.from_codes(places, pd.Index(labels))
    return pd.Series(known, index=index).astype("str")


def is_text(kind: pa.DataType) -> bool:
    """Return whether a column of such a type is stored as text."""
    import pyarrow as pa  # noqa: PLC0415 - slow to import

    types = pa.types
    return bool(types.is_string(kind) or types.is_large_string(kind) or types.is_string_view(kind))


def typed_number_column(values: NDArray[Any]) -> pd.Series:
    """Return typed floats, of which whole columns of integers are held as integers.

    For files that know one type of number alone, such as those of Excel and SPSS: an
    integral number is written without a point in either case.
    """
    import pandas as pd  # noqa: PLC0415 - slow to import
    import pyarrow as pa  # noqa: PLC0415 - slow to import

    missing = np.isnan(values)
    whole = values[~missing]
    if len(whole) and (np.abs(whole) < 2**53).all() and (whole == np.rint(whole)).all():
        integers = np.where(missing, 0, values).astype(np.int64)
        cells = pa.chunked_array([pa.array(integers, mask=missing)])
        return _as_arrow(cells.cast(_narrowest(cells)))
    return pd.Series(values, copy=False)


def text_of_array(cells: pa.Array) -> pa.StringArray:
    """Return the text of the cells of a text file, whichever way they are held."""
    import pyarrow as pa  # noqa: PLC0415 - slow to import

    if pa.types.is_floating(cells.type):
        return _written_floats(cells)
    return cells.cast(pa.string())


def _written_floats(numbers: pa.Array) -> pa.StringArray:
    """Return floats as text, integral ones with a decimal point and a zero."""
    import pyarrow.compute as pc  # noqa: PLC0415 - slow to import

    text = numbers.cast("string")
    pointed = pc.find_substring(text, ".")
    whole = pc.equal(pointed, -1)
    return pc.if_else(whole, pc.binary_join_element_wise(text, ".0", ""), text)


class _Text(NamedTuple):
    """The bytes of some cells, and where in them each cell begins."""

    starts: NDArray[np.int32]
    lengths: NDArray[np.int32]
    bytes: NDArray[np.uint8]

    @classmethod
    def of(cls, cells: pa.StringArray) -> _Text:
        """Return the text of an array without nulls; it is not copied."""
        _, ends, data = cells.buffers()
        places = np.frombuffer(ends, np.int32, len(cells) + 1, 4 * cells.offset)
        first, size = int(places[0]), int(places[-1] - places[0])
        text = np.frombuffer(data, np.uint8, size, first) if size else _NO_BYTES
        return cls(places[:-1] - np.int32(first), places[1:] - places[:-1], text)

    def where(self, rows: NDArray[np.bool_]) -> _Text:
        """Return the text of some rows; all others are blank."""
        return self._replace(starts=self.starts[rows], lengths=self.lengths[rows])

    @property
    def negative(self) -> NDArray[np.bool_]:
        """Return which cells begin with a minus."""
        return np.asarray(self.bytes[self.starts] == _MINUS)

    def leading_zero(self, negative: NDArray[np.bool_]) -> NDArray[np.bool_]:
        """Return which numbers have a zero as their first digit."""
        return np.asarray(self.bytes[self.starts + negative] == _ZERO)


def _is_plain(text: NDArray[np.uint8]) -> bool:
    """Return whether all characters are digits, points and minus signs."""
    # In ASCII these are in a row, but for a slash.
    return not bool(
        text.size
        and (text.min() < _FIRST_PLAIN or text.max() > _LAST_PLAIN or (text == _SLASH).any())
    )


def _plain_integers(text: _Text) -> bool:
    """Return whether integers are without leading zeros, and no zero has a sign."""
    negative = text.negative
    longer = (text.lengths - negative > 1) | negative
    return not bool((text.leading_zero(negative) & longer).any())


def _plain_floats(
    cells: pa.StringArray, numbers: pa.Array, text: _Text, points: NDArray[np.int64]
) -> bool:
    """Return whether floats are written as Python would write them.

    With a digit before the point and one after it, no zeros before the first or after
    the last of them, and no exponent. A decimal of at most 15 digits is the shortest
    one that gives its float, so that Python writes it; of longer ones Arrow is asked.
    """
    import pyarrow as pa  # noqa: PLC0415 - slow to import
    import pyarrow.compute as pc  # noqa: PLC0415 - slow to import

    negative = text.negative
    before = points - text.starts - negative
    after = text.starts + text.lengths - points - 1
    if before.min(initial=1) < 1 or after.min(initial=1) < 1:
        return False
    kept = numbers.drop_null()
    last = text.bytes[text.starts + text.lengths - 1]
    leading = text.leading_zero(negative)
    zeros = (leading & (before > 1)) | ((last == _ZERO) & (after > 1))
    if zeros.any() or needs_exponent(kept):
        return False
    long = before + after > EXACT_DIGITS
    if not long.any():
        return True
    rows = pa.array(long)
    written = _written_floats(pc.filter(kept, rows))
    return bool(written.equals(pc.filter(cells.drop_null(), rows)))


def needs_exponent(numbers: pa.Array) -> bool:
    """Return whether some float may be written with an exponent, or is a negative zero.

    ``numbers`` are without nulls.
    """
    values = numbers.to_numpy(zero_copy_only=False)
    sizes = np.abs(values)
    if sizes.max(initial=0) >= _LARGEST:
        return True
    small = values[sizes < _SMALLEST]
    return bool((np.signbit(small) | (small > 0)).any())


def _narrowest(cells: pa.ChunkedArray) -> pa.DataType:
    import pyarrow as pa  # noqa: PLC0415 - slow to import
    import pyarrow.compute as pc  # noqa: PLC0415 - slow to import

    ends = pc.min_max(cells).as_py()
    low, high = ends["min"], ends["max"]
    if low is None:
        return pa.int8()
    for kind, bits in ((pa.int8(), 7), (pa.int16(), 15), (pa.int32(), 31)):
        if -(2**bits) <= low and high < 2**bits:
            return kind
    return pa.int64() if high < 2**63 else pa.uint64()


def _as_arrow(cells: pa.ChunkedArray) -> pd.Series:
    import pandas as pd  # noqa: PLC0415 - slow to import
    import pyarrow as pa  # noqa: PLC0415 - slow to import

    # One stretch of memory: what is computed of a column reads all of it.
    whole = cells
    if cells.num_chunks > 1:
        whole = pa.chunked_array([cells.combine_chunks()], cells.type)
    return pd.Series(pd.arrays.ArrowExtensionArray(whole), copy=False)


def _clean(coded: pa.DictionaryArray) -> pa.DictionaryArray:
    """Return text without white space around it, blank text as null, each text once."""
    import pyarrow as pa  # noqa: PLC0415 - slow to import
    import pyarrow.compute as pc  # noqa: PLC0415 - slow to import

    texts = pc.utf8_trim_whitespace(coded.dictionary.cast(pa.string()))
    texts = pc.if_else(pc.equal(texts, ""), None, texts)
    # Trimming may have made equal what was distinct.
    merged = texts.dictionary_encode()
    places = pc.take(merged.indices, coded.indices).cast(pa.int32())
    return pa.DictionaryArray.from_arrays(places, merged.dictionary)
