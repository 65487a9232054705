import dataclasses

import numpy as np
import pandas as pd
import pytest

from dpcore.data.bounds import Interval
from dpcore.data.columns import Column, ColumnKind
from dpcore.data.dataset import Dataset
from dpcore.data.dialects import Dialect
from dpcore.data.proposals import proposed
from dpcore.data.reading import read_csv
from dpcore.errors import DataError, ParameterError

SENTINEL = "SECRET-4711"


def _dataset(text, **dialect):
    frame = read_csv(text.encode(), Dialect(**dialect))
    return Dataset(name="t.csv", frame=frame, columns=proposed(frame))


def _number(name="a", lower=0, upper=10):
    bounds = Interval(lower=lower, upper=upper)
    return Column(name=name, kind=ColumnKind.NUMBER, bounds=bounds)


def _category(*labels):
    return Column(name="a", kind=ColumnKind.CATEGORY, labels=labels)


def test_numbers_are_as_they_are_with_nan_for_missing():
    dataset = _dataset("a,b\n1,x\n,y\n-5.5,z\ninf,z\n1e400,z\n")
    expected = [1, np.nan, -5.5, np.inf, np.inf]
    np.testing.assert_array_equal(dataset.numbers("a"), expected)
    assert dataset.numbers("a").dtype == np.float64
    assert dataset.missing("a").tolist() == [False, True, False, False, False]
    assert dataset.people == 5


def test_infinite_cells_are_clamped_like_any_value_outside():
    dataset = _dataset("a\ninf\n-inf\n1e400\n5\n").with_columns(_number())
    bounds = dataset.column("a").bounds
    assert bounds.clip(dataset.numbers("a")).tolist() == [10, 0, 10, 5]
    assert dataset.outside("a") == 3


@pytest.mark.parametrize(
    ("text", "dialect", "line", "more"),
    [
        (f"a\n1\n{SENTINEL}\n3\n", {}, 3, None),
        (f"a\n1\n\n\n{SENTINEL}\nx\n{SENTINEL}\n", {}, 5, "2 more"),
        (f'b,a\n"x\ny",1\nz,{SENTINEL}\n', {}, 4, None),
        (f"a;b\n1,5;1\n{SENTINEL};2\n", {"delimiter": ";", "decimal": ","}, 3, None),
        (f'a\n"1,000"\n{SENTINEL}\n', {"thousands": ","}, 3, None),
        ("a\n=1+1\n2\n", {}, 2, None),
    ],
)
def test_first_cell_that_is_no_number_is_named_by_line(text, dialect, line, more):
    dataset = _dataset(text, **dialect)
    with pytest.raises(DataError) as caught:
        dataset.numbers("a")
    assert caught.value.line == line
    assert f"line {line}" in str(caught.value)
    assert (more or "") in str(caught.value)
    assert SENTINEL not in str(caught.value)


def test_numbers_in_another_notation_are_not_silently_taken():
    # With decimal commas and no thousands separator, 1.000 may mean one thousand.
    dataset = _dataset("a;b\n2,5;1\n1.000;2\n", delimiter=";", decimal=",")
    with pytest.raises(DataError):
        dataset.numbers("a")


def test_yes_and_no_count_as_one_and_zero():
    dataset = _dataset("a\nyes\nNA\nno\n")
    np.testing.assert_array_equal(dataset.numbers("a"), [1, np.nan, 0])
    wrong = Column(name="a", kind=ColumnKind.YES_NO, labels=("no", "sure"))
    with pytest.raises(DataError, match="line 2"):
        dataset.with_columns(wrong).numbers("a")


@pytest.mark.parametrize(
    ("cells", "labels", "codes"),
    [
        ("x y NA z", ("y", "x"), [1, 0, -1, 2]),
        ("1 2 NA 3", ("1", "2"), [0, 1, -1, 2]),
        ("1.0 2.0 2.5 3", ("1", "2", "x"), [0, 1, 3, 3]),
        ("1 2 x 01", ("1", "2"), [0, 1, 2, 2]),
        ("x y x y", (), [0, 0, 0, 0]),
    ],
)
def test_codes_are_positions_in_the_public_labels(cells, labels, codes):
    text = "a\n" + cells.replace(" ", "\n")
    dataset = _dataset(text).with_columns(_category(*labels))
    assert dataset.codes("a").tolist() == codes
    assert dataset.codes("a").dtype == np.int64
    assert dataset.outside("a") == codes.count(len(labels))


def test_codes_of_many_distinct_texts():
    words = [f"w{i}" for i in range(3000)]
    dataset = _dataset("a\n" + "\n".join(words)).with_columns(_category("w7", "w2999"))
    codes = dataset.codes("a")
    assert (codes[7], codes[2999], codes[0]) == (0, 1, 2)


def test_numbers_have_no_codes():
    with pytest.raises(ParameterError, match="category"):
        _dataset("a\n1\n").codes("a")


@pytest.mark.parametrize(
    ("lower", "upper", "touches", "outside"),
    [(1, 7, True, 0), (0, 7, False, 0), (1, 8, False, 0), (2, 6, False, 2)],
)
def test_bounds_read_from_the_data_are_noticed(lower, upper, touches, outside):
    column = _number(lower=lower, upper=upper)
    dataset = _dataset("a\n3\n7\nNA\n1\n").with_columns(column)
    assert dataset.touches_bounds("a") is touches
    assert dataset.outside("a") == outside


def test_edge_tables():
    assert _dataset("a\n5\n").with_columns(_number()).outside("a") == 0
    same = _dataset("a\n5\n5\n5\n").with_columns(_number(lower=5, upper=6))
    assert not same.touches_bounds("a")
    nobody = _dataset("a,b\n,1\n").with_columns(_number())
    assert not nobody.touches_bounds("a")
    assert nobody.outside("a") == 0


def test_what_is_not_there_is_refused():
    dataset = _dataset("a\n1\n")
    for ask in (dataset.column, dataset.numbers, dataset.codes, dataset.missing):
        with pytest.raises(ParameterError, match="no column"):
            ask(SENTINEL)
    with pytest.raises(ParameterError, match="no column"):
        dataset.with_columns(_number("b"))
    for ask in (dataset.outside, dataset.touches_bounds):
        with pytest.raises(ParameterError, match="bounds"):
            ask("a")
    with pytest.raises(ParameterError, match="same order"):
        Dataset(name="t", frame=pd.DataFrame({"a": [1]}), columns=())


def test_with_columns_leaves_the_original_alone():
    dataset = _dataset("a,b\n1,2\n")
    changed = dataset.with_columns(_number("b"))
    assert changed.columns == (dataset.columns[0], _number("b"))
    assert not dataset.column("b").is_declared
    assert changed.frame is dataset.frame


def test_repr_shows_no_data_and_nothing_can_be_assigned():
    dataset = _dataset(f"a\n{SENTINEL}\n")
    assert SENTINEL not in repr(dataset)
    assert "t.csv" in repr(dataset)
    with pytest.raises(dataclasses.FrozenInstanceError):
        dataset.name = "x"


def test_numbers_cannot_change_the_table():
    dataset = _dataset("a\n1.5\n2.5\n")
    numbers = dataset.numbers("a")
    if numbers.flags.writeable:
        numbers[0] = 99
    assert dataset.numbers("a").tolist() == [1.5, 2.5]


def test_the_cell_that_is_no_number_is_named_beside_cells_of_very_many_digits():
    dataset = _dataset("a\n" + "9" * 5000 + "\nx\n").with_columns(_number())
    with pytest.raises(DataError) as caught:
        dataset.numbers("a")
    assert (caught.value.line, caught.value.column) == (3, 1)
    assert "more in this column" not in str(caught.value)
