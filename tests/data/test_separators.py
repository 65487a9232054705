"""Fields are the same whatever separates them, within quotation marks as outside."""

import csv
import io

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dpcore.data.cells import text_of
from dpcore.data.dialects import DELIMITERS, WHITE_SPACE, Dialect
from dpcore.data.readers.csv_reader import header_of, read_csv
from dpcore.data.readers.csv_records import separated
from dpcore.errors import DataError


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
        st.tuples(*[st.from_regex(r"[a-z0-9,;.]{1,5}", fullmatch=True)] * 3), min_size=1, max_size=6
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


def test_a_file_that_has_every_control_character_is_told():
    text = bytes(range(1, 32)) + b"a"
    with pytest.raises(DataError, match="Choose another"):
        separated(text, WHITE_SPACE)


def test_the_header_alone_is_that_of_the_table():
    data = 'Titel\nGröße§"a§b"\n1§2\n'.encode("cp1252")
    dialect = Dialect(encoding="cp1252", delimiter="§", skipped=1)
    assert header_of(data, dialect) == tuple(read_csv(data, dialect))
