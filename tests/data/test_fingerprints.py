from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dpcore.data.cells import Notation
from dpcore.data.columns import Column, ColumnKind
from dpcore.data.dataset import Dataset
from dpcore.data.dialects import sniff
from dpcore.data.fingerprints import table_fingerprint
from dpcore.data.preparation.conditions import Comparison, NumberCondition, meeting
from dpcore.data.proposals import proposed
from dpcore.data.readers.csv_reader import read_csv
from dpcore.data.readers.files import read
from dpcore.errors import ParameterError

KEY = b"0123456789abcdef"


def _of_file(data, key=KEY):
    return table_fingerprint(read_csv(data, sniff(data)), key=key)


def _dataset(data):
    opened = read(data)
    return Dataset(name="t", frame=opened.frame, columns=opened.columns)


def _of(key=KEY, **columns):
    return table_fingerprint(pd.DataFrame(columns), key=key)


def test_how_the_file_is_written_does_not_count():
    text = "größe,b\n1.5,x\n,yä\n"
    prints = {
        _of_file(data)
        for data in (
            text.encode(),
            text.strip().encode(),
            (text + "\n\n").encode(),
            text.replace("\n", "\r\n").encode(),
            text.replace("1.5", '" 1.5 "').encode(),
            text.encode("utf-8-sig"),
            text.encode("utf-16"),
            text.replace(",", "\t").encode("cp1252"),
        )
    }
    assert len(prints) == 1


def test_how_a_cell_is_written_counts():
    cells = ("1.5", "1.50", "01.5", "+1.5", "NA", "1,5")
    prints = {_of_file(f"a;b\n{cell};x\n".encode()) for cell in cells}
    assert len(prints) == len(cells)


def test_how_numbers_are_written_counts_where_it_is_declared():
    dataset = _dataset(b"a;b\n1.234;x\n")
    column = replace(dataset.columns[0], notation=Notation())
    other = dataset.with_columns(column)
    assert dataset.fingerprint(KEY) != other.fingerprint(KEY)


def test_what_else_is_declared_does_not_count():
    frame = pd.DataFrame({"a": [0, 1]})
    dataset = Dataset(name="x", frame=frame, columns=proposed(frame))
    column = Column(name="a", kind=ColumnKind.CATEGORY, labels=("1",))
    declared = dataset.with_columns(column)
    assert dataset.fingerprint(KEY) == declared.fingerprint(KEY)
    assert dataset.fingerprint(KEY) == table_fingerprint(frame, key=KEY)


def test_storage_of_equal_values_does_not_count():
    assert _of(a=[0.0, 1.0]) == _of(a=[-0.0, 1.0]) == _of(a=np.array([0, 1], "i1"))
    nans = np.array([0x7FF8000000000000, 0xFFF8000000000001], "u8").view("f8")
    assert _of(a=nans[:1]) == _of(a=nans[1:])
    words = ["b", "a", None, "b"]
    stored = pd.Series(words, dtype="str")
    ordered = pd.Categorical(words, categories=["a", "unused", "b"])
    assert _of(a=stored) == _of(a=ordered)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ({"a": ["ab", "c"]}, {"a": ["a", "bc"]}),
        ({"a": ["x"], "b": ["yz"]}, {"a": ["xy"], "b": ["z"]}),
        ({"a": ["x", "y"]}, {"a": ["y", "x"]}),
        ({"a": ["x", None]}, {"a": ["x", "x"]}),
        ({"a": ["1"]}, {"a": [1]}),
        ({"a": [1, 2]}, {"a": [2, 1]}),
        ({"a": [1.0]}, {"a": [np.nextafter(1.0, 2.0)]}),
        ({"a": [1.0]}, {"a": [np.nan]}),
        ({"a": [1], "b": [2]}, {"b": [2], "a": [1]}),
        ({"a": [1]}, {"b": [1]}),
        ({"a": [1, 2]}, {"a": [1], "b": [2]}),
    ],
)
def test_different_tables_differ(one, other):
    assert _of(**one) != _of(**other)


_TABLES = st.lists(
    st.tuples(st.text("ab1,", max_size=2), st.none() | st.floats(width=16, allow_nan=False)),
    min_size=1,
    max_size=4,
)


def _frame(rows):
    text, numbers = zip(*rows, strict=True)
    return pd.DataFrame(
        {"t": pd.Series(text, dtype="str"), "n": pd.Series(numbers, dtype="float64")}
    )


@settings(deadline=None, max_examples=200)
@given(one=_TABLES, other=_TABLES)
def test_fingerprints_agree_exactly_when_tables_do(one, other):
    same = one == other
    prints = {table_fingerprint(_frame(rows), key=KEY) for rows in (one, other)}
    assert (len(prints) == 1) == same


def test_key_decides_and_must_be_a_key():
    assert _of(a=[1]) != _of(key=KEY[::-1], a=[1])
    assert len(_of(a=[1])) == 64
    for key in (b"", b"x" * 15, b"x" * 65):
        with pytest.raises(ParameterError, match="16 to 64 bytes"):
            _of(key=key, a=[1])


def test_long_tables_are_hashed_to_their_end():
    values = np.zeros(200_001)
    changed = values.copy()
    changed[-1] = 1
    assert _of(a=values) != _of(a=changed)


def test_what_is_made_of_a_table_counts_how_its_cells_are_read():
    source = _dataset(b"age,who\n-9,a\n70,b\n").with_columns(
        Column(name="age", kind=ColumnKind.NUMBER)
    )
    coded = source.with_columns(replace(source.columns[0], missing_codes=("-9",)))
    old = NumberCondition(column="age", comparison=Comparison.AT_MOST, number=80.0)
    chosen, others = (meeting(table, (old,)) for table in (source, coded))
    assert (chosen.rows, others.rows) == (2, 1)
    assert chosen.fingerprint(KEY) != others.fingerprint(KEY)
    # As before where nothing unusual is declared.
    assert chosen.fingerprint(KEY) == source.fingerprint(KEY)
