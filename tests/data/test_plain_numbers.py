"""Numbers parsed at once are those that the text of each cell gives."""

from __future__ import annotations

from functools import partial

import pyarrow as pa
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from dpcore.data.column_storage import compressed, text_of_array
from dpcore.data.readers import plain_numbers as module
from dpcore.data.readers.csv_reader import _parsed
from dpcore.data.readers.plain_numbers import plain_numbers

PLAIN = st.one_of(
    st.integers(-(10**18), 10**18).map(str),
    st.integers(-99, 99).map(str),
    st.floats(-1e8, 1e8).map(lambda number: repr(round(number, 4))),
    st.sampled_from(["", "0", "0.0", "10", "-3.25", "0.0001"]),
)
STRANGE = st.sampled_from(
    (
        *("-0", "-0.0", "01", "1.50", "1.0", ".5", "5.", "1e5", "nan", "-", "x", "1-2"),
        *("1.2.3", "--1", "0.00001", "1000000000.5", "0.1234567890123456", "+1"),
        "00.5",
    )
)


@st.composite
def blocks(draw):
    """Return a record a row; each column mostly of numbers of one type."""
    rows, fields = draw(st.integers(1, 60)), draw(st.integers(2, 4))
    cells = st.one_of(PLAIN, PLAIN, PLAIN, STRANGE) if draw(st.booleans()) else PLAIN
    return [[draw(cells) for _ in range(fields)] for _ in range(rows)]


@given(blocks(), st.sampled_from([1, 2, 7, 1 << 16]), st.sampled_from(",;-"))
@example([["1", "0.5"]] * 60, 7, ",")
@example([["10", "0.5"], ["", ""], ["100", "2.5"]], 2, ",")
@example([["1", "0.5"], ["2", "3.50"]], 1 << 16, ",")
@example([["12345678901234", "0.5"]], 1, ";")
def test_parsed_at_once_or_cell_by_cell_is_the_same(rows, size, delimiter):
    if any(delimiter in cell for row in rows for cell in row):
        rows = [[cell.replace(delimiter, "") for cell in row] for row in rows]
    text = "\n".join(delimiter.join(row) for row in rows).encode()
    terms = {"delimiter": delimiter, "fields": len(rows[0]), "a_line_each": True}
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(module, "_SLICE", size)
        found = plain_numbers(text, delimiter=delimiter, parse=partial(_parsed, text, **terms))
    if found is None:
        return
    for column, cells in zip(found, zip(*rows, strict=True), strict=True):
        written = pa.array(cells, pa.string())
        assert column.equals(compressed(written))
        assert [text or "" for text in text_of_array(column).to_pylist()] == [*cells]


def test_usual_numbers_are_parsed_at_once():
    rows = [[str(i), f"{i / 4 + 0.125}", "" if i % 3 else "-7.5"] for i in range(900)]
    text = "\n".join(",".join(row) for row in rows).encode()
    terms = {"delimiter": ",", "fields": 3, "a_line_each": True}
    found = plain_numbers(text, delimiter=",", parse=partial(_parsed, text, **terms))
    assert found is not None
    assert [column.type for column in found] == [pa.int64(), pa.float64(), pa.float64()]
