import contextlib
import csv
import io
from functools import partial

import pandas as pd
import pyarrow as pa
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from dpcore.data import limits
from dpcore.data.cells import PLAIN, numbers_of, text_of
from dpcore.data.column_storage import compressed, text_of_array
from dpcore.data.columns import ColumnKind
from dpcore.data.dataset import Dataset
from dpcore.data.dialects import DELIMITERS, WHITE_SPACE, Dialect, sniff
from dpcore.data.limits import MAX_BYTES
from dpcore.data.proposals import proposed
from dpcore.data.readers import csv_reader
from dpcore.data.readers import plain_numbers as module
from dpcore.data.readers.csv_reader import _parsed, read_csv
from dpcore.data.readers.csv_records import records, regular_lines
from dpcore.data.readers.plain_numbers import plain_numbers
from dpcore.errors import DataError
from tests.data.corpus import BAD, ODD, SENTINEL


def _cells(frame: pd.DataFrame, dialect: Dialect) -> dict[str, list[object]]:
    """Return what the cells mean under the declaration that is proposed of them."""
    columns = proposed(frame, notation=dialect.notation)
    table = Dataset(name="t", frame=frame, columns=columns)
    found = {}
    for column in columns:
        numeric = column.kind in {ColumnKind.NUMBER, ColumnKind.WHOLE}
        named = column.name
        values = table.numbers(named) if numeric else text_of(frame[named])
        missing = table.missing(named)
        found[named] = [None if gone else v for v, gone in zip(values, missing, strict=True)]
    return found


@pytest.mark.parametrize("bad", BAD, ids=lambda bad: bad.name)
def test_bad_file_is_refused_with_place_and_advice(bad):
    dialect = Dialect(encoding=bad.encoding, delimiter=bad.delimiter, skipped=bad.skipped)
    with pytest.raises(DataError) as caught:
        read_csv(bad.data, dialect)
    assert isinstance(sniff(bad.data), Dialect)
    message = str(caught.value)
    for words in bad.mentions:
        assert words.casefold() in message.casefold()
    assert (caught.value.line, caught.value.column) == (bad.line, bad.column)
    assert message.count(". ") >= 1 or message.count(";") >= 1, "it says what to do"
    assert SENTINEL not in message
    assert caught.value.__suppress_context__ or caught.value.__context__ is None


@pytest.mark.parametrize("odd", ODD, ids=lambda odd: odd.name)
def test_odd_file_is_read_as_meant(odd):
    dialect = sniff(odd.data)
    frame = read_csv(odd.data, dialect)
    assert _cells(frame, dialect) == odd.expected
    if odd.lines is not None:
        assert tuple(frame.index) == odd.lines


class _Sized(io.BytesIO):
    """A file that claims a size and must not be read."""

    def __init__(self, size):
        super().__init__()
        self._size = size

    def seek(self, offset, whence=io.SEEK_SET):
        return self._size if whence == io.SEEK_END else offset

    def getvalue(self):
        raise AssertionError

    read = getvalue


def test_file_over_the_limit_is_refused_unread():
    with pytest.raises(DataError, match="more than 200 MB"):
        read_csv(_Sized(MAX_BYTES + 1), Dialect())


def test_too_many_rows_are_refused(monkeypatch):
    monkeypatch.setattr(limits, "MAX_ROWS", 3)
    assert len(read_csv(b"a\n1\n2\n3\n", Dialect())) == 3
    with pytest.raises(DataError, match="more than 3 records"):
        read_csv(b"a\n1\n2\n3\n4\n", Dialect())


@pytest.mark.slow
def test_2000_columns_are_read():
    header = ",".join(f"c{i}" for i in range(2000))
    row = ",".join(str(i) for i in range(2000))
    frame = read_csv(f"{header}\n{row}\n".encode(), Dialect())
    assert frame.iloc[0].tolist() == list(range(2000))


def test_a_stream_is_read_from_its_beginning_and_stays_open():
    stream = io.BytesIO(b"a,b\n1,2\n")
    stream.read()
    assert read_csv(stream, Dialect()).shape == (1, 2)
    assert not stream.closed


def test_types_that_change_late_in_a_large_file_are_read_alike():
    # pandas guesses types block by block; a block holds far less than these rows.
    rows = 300_000
    data = b"a,b,c\n" + b"007,True,1\n" * rows + b"x,maybe,99999999999999999999\n"
    frame = read_csv(data, Dialect())
    assert frame["a"].value_counts().to_dict() == {"007": rows, "x": 1}
    assert frame["b"].value_counts().to_dict() == {"True": rows, "maybe": 1}
    assert frame["c"].iloc[-1] == "99999999999999999999"


@settings(deadline=None, max_examples=400)
@given(body=st.text(alphabet='a1,"\n\r \t', max_size=40), delimiter=st.sampled_from([",", "\t"]))
def test_each_record_of_any_file_is_a_row_or_the_file_is_refused(body, delimiter):
    text = f"p{delimiter}q\n{body}".encode()
    try:
        frame = read_csv(text, Dialect(delimiter=delimiter))
    except DataError:
        return
    assert frame.shape[1] == 2
    assert len(frame) >= 1
    assert frame.index.is_monotonic_increasing
    assert frame.index.is_unique
    assert frame.index[0] >= 2


@settings(deadline=None, max_examples=600)
@given(body=st.text(alphabet='a,,"\n\n', max_size=40), fields=st.integers(1, 3))
def test_counting_fast_agrees_with_counting_slowly(body, fields):
    text = (",".join("pqr"[:fields]) + "\n" + body).encode()
    fast = regular_lines(text, delimiter=",", fields=fields)
    if fast is not None:
        slow = [line for line, _ in records(text, delimiter=",", fields=fields)]
        assert list(fast) == slow


LONG = st.tuples(st.sampled_from(["", "+", "-"]), st.integers(0, 400), st.integers(0, 10**400 - 1))


@settings(deadline=None, max_examples=200)
@given(cells=st.lists(LONG.map(lambda one: f"{one[0]}{'0' * one[1]}{one[2]}"), min_size=1))
def test_numbers_of_any_length_are_those_that_a_float_holds(cells):
    frame = read_csv("\n".join(["a", *cells]).encode(), Dialect())
    assert numbers_of(frame["a"], PLAIN).tolist() == [float(cell) for cell in cells]


@settings(deadline=None, max_examples=100)
@given(
    preamble=st.lists(st.text("#a1,; \t", max_size=8).map(lambda text: f"# {text}"), max_size=5),
    named=st.booleans(),
    blanks=st.integers(0, 2),
    delimiter=st.sampled_from(DELIMITERS),
    ending=st.sampled_from(["\n", "\r\n", "\r"]),
)
def test_what_comes_before_the_header_changes_the_lines_and_nothing_else(
    preamble, named, blanks, delimiter, ending
):
    table = [delimiter.join(row) for row in ("pqr", "123", "xyz")]
    before = [f"sep={delimiter}"] * named + preamble + [""] * blanks
    data = ending.join([*before, *table, ""]).encode()
    dialect = sniff(data)
    frame = read_csv(data, dialect)
    assert dialect.delimiter == delimiter
    assert dialect.skipped == (named + len(preamble))
    assert list(frame) == ["p", "q", "r"]
    assert frame.to_numpy().tolist() == [["1", "2", "3"], ["x", "y", "z"]]
    assert list(frame.index) == [len(before) + 2, len(before) + 3]


@settings(deadline=None, max_examples=400)
@given(
    body=st.text(alphabet='a9#=;,"\0\n\r \t.-+e\u2028\ud7ff', max_size=60),
    digits=st.integers(0, 600),
)
def test_any_file_is_read_or_refused_with_a_reason(body, digits):
    data = body.replace("9", "9" * digits).encode()
    with contextlib.suppress(DataError):
        read_csv(data, sniff(data))


@given(
    body=st.lists(
        st.sampled_from(
            ["1", "2.50", " ", "  3", "x y", '"', '" z"', ",", ";", "\t", "\n", "\r\n"]
        ),
        max_size=30,
    ).map("".join),
    delimiter=st.sampled_from(DELIMITERS),
)
@settings(max_examples=300, deadline=None)
def test_a_file_is_read_alike_record_by_record(body, delimiter):
    data, dialect = f"a{delimiter}b\n{body}".encode(), Dialect(delimiter=delimiter)
    plain = _read_or_refused(data, dialect)
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(csv_reader, "regular_lines", lambda *_, **__: None)
        patched.setattr(csv_reader, "unquoted_lines", lambda *_, **__: None)
        slowly = _read_or_refused(data, dialect)
    if isinstance(plain, str) or isinstance(slowly, str):
        assert plain == slowly
    else:
        pd.testing.assert_frame_equal(plain, slowly, check_index_type=False)


def _read_or_refused(data, dialect):
    try:
        return read_csv(data, dialect)
    except DataError as error:
        return str(error)


_NUMBERS = st.lists(
    st.tuples(*[st.decimals(-(10**7), 10**7, places=2)] * 2), min_size=1, max_size=20
)


@settings(deadline=None, max_examples=150)
@given(
    rows=_NUMBERS,
    encoding=st.sampled_from(["utf-8", "utf-8-sig", "utf-16", "cp1252", "latin-1"]),
    delimiter=st.sampled_from(DELIMITERS),
    marks=st.sampled_from([".", ",", ".,", ",.", ". ", ", ", ".'"]),
    ending=st.sampled_from(["\n", "\r\n"]),
)
def test_numbers_survive_every_dialect(rows, encoding, delimiter, marks, ending):
    decimal, thousands = marks[0], marks[1:]

    def written(value):
        plain = f"{value:,.2f}" if thousands else f"{value:.2f}"
        swap = str.maketrans({".": decimal, ",": thousands})
        return f'"{plain.translate(swap)}"'

    lines = [f"größe{delimiter}b"]
    lines += [delimiter.join(written(value) for value in row) for row in rows]
    data = (ending.join(lines) + ending).encode(encoding)
    dialect = Dialect(encoding=encoding, delimiter=delimiter, decimal=decimal, thousands=thousands)
    frame = read_csv(data, dialect)
    assert list(frame) == ["größe", "b"]
    for name, expected in zip(frame, zip(*rows, strict=True), strict=True):
        found = numbers_of(frame[name], dialect.notation)
        assert found.tolist() == [float(number) for number in expected]


CELLS = st.sampled_from(
    ["1", "-7", "2.5", "", "NA", "x", "TRUE", "false", "1e400", "9" * 17, "-9" + "0" * 17]
)


@given(table=st.lists(st.tuples(CELLS, CELLS), min_size=1, max_size=12), together=st.integers(1, 5))
def test_a_file_is_read_alike_in_blocks_of_any_size(table, together):
    data = "a,b\n" + "".join(f"{first},{second}\n" for first, second in table)
    whole = read_csv(data.encode(), Dialect())
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(csv_reader, "_records_together", lambda _: together)
        parts = read_csv(data.encode(), Dialect())
    pd.testing.assert_frame_equal(parts, whole)


def cells(frame):
    return [*map(list, frame.apply(lambda each: text_of(each).fillna("")).to_numpy())]


@settings(deadline=None, max_examples=200)
@given(
    rows=st.lists(st.tuples(*[st.text('ab§→,;|" \n', max_size=6)] * 2), min_size=1, max_size=6),
    separator=st.sampled_from([*DELIMITERS, "§", "→", "^", "~", "x", "#"]),
    encoding=st.sampled_from(["utf-8", "utf-16"]),
)
def test_any_character_separates_as_a_comma_does(rows, separator, encoding):
    def read(mark):
        stream = io.StringIO()
        writer = csv.writer(stream, delimiter=mark, lineterminator="\n", quoting=1)
        writer.writerows([("p", "q"), *rows])
        return read_csv(
            stream.getvalue().encode(encoding), Dialect(encoding=encoding, delimiter=mark)
        )

    assert cells(read(separator)) == cells(read(","))


@settings(deadline=None, max_examples=200)
@given(
    rows=st.lists(
        st.tuples(*[st.text("abyz019,;.", min_size=1, max_size=5)] * 3), min_size=1, max_size=6
    ),
    blanks=st.lists(st.sampled_from([" ", "\t", "   ", " \t "]), min_size=4, max_size=4),
    quoted=st.booleans(),
    ending=st.sampled_from(["\n", "\r\n", "\r"]),
)
def test_any_run_of_blanks_separates_once(rows, blanks, quoted, ending):
    before, first, second, behind = blanks
    lines = [["p", "q", "r"], *map(list, rows)]
    if quoted:
        lines[1][1] = f'"{lines[1][1]} \t x"'
    text = ending.join(f"{before}{a}{first}{b}{second}{c}{behind}" for a, b, c in lines)
    frame = read_csv((text + ending).encode(), Dialect(delimiter=WHITE_SPACE))
    expected = [[*row] for row in rows]
    if quoted:
        expected[0][1] += " \t x"
    assert list(frame) == ["p", "q", "r"]
    assert cells(frame) == expected
    assert list(frame.index) == [*range(2, len(rows) + 2)]


USUAL = st.one_of(
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
    cells = st.one_of(USUAL, USUAL, USUAL, STRANGE) if draw(st.booleans()) else USUAL
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
