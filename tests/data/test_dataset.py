import dataclasses
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from dpcore.data.bounds import Interval
from dpcore.data.columns import Column, ColumnKind
from dpcore.data.dataset import Dataset
from dpcore.data.dialects import Dialect
from dpcore.data.proposals import proposed
from dpcore.data.readers.csv_reader import read_csv
from dpcore.errors import ParameterError

NAN = np.nan
SENTINEL = "SECRET-4711"


def _dataset(text, **dialect):
    frame = read_csv(text.encode(), Dialect(**dialect))
    return Dataset(name="t.csv", frame=frame, columns=proposed(frame))


def _number(name="a", lower=0, upper=10):
    bounds = Interval(lower=lower, upper=upper)
    return Column(name=name, kind=ColumnKind.NUMBER, bounds=bounds)


def _category(*labels):
    return Column(name="a", kind=ColumnKind.CATEGORY, labels=labels)


@pytest.mark.parametrize(
    ("text", "dialect", "numbers", "invalid"),
    [
        ("a\n1\nrefused\n3\n", {}, [1, NAN, 3], 1),
        ("a,b\n1,x\n,x\nNA,x\nrefused,x\n", {}, [1, NAN, NAN, NAN], 1),
        ('b,a\n"x\ny",1\nz,one\n', {}, [1, NAN], 1),
        ("a;b\n1,5;1\n2.5;2\n", {"delimiter": ";", "decimal": ","}, [1.5, NAN], 1),
        ('a\n"1,000"\n"1,00"\n', {"thousands": ","}, [1000, NAN], 1),
        ("a\n=1+1\n2\n", {}, [NAN, 2], 1),
        ("a\n1_000\n0x1\n١\n+5\n.5\n5.\n1e2\n", {}, [*3 * [NAN], 5, 0.5, 5, 100], 3),
    ],
)
def test_text_in_a_column_of_numbers_is_invalid_and_missing(text, dialect, numbers, invalid):
    dataset = _dataset(text, **dialect)
    notation = Dialect(**dialect).notation
    dataset = dataset.with_columns(replace(_number(), notation=notation))
    np.testing.assert_array_equal(dataset.numbers("a"), numbers)
    assert dataset.missing("a").tolist() == np.isnan(numbers).tolist()
    assert dataset.invalid("a") == invalid


@pytest.mark.parametrize(
    ("cells", "labels", "codes"),
    [
        ("x y NA z", ("y", "x"), [1, 0, -1, 2]),
        ("1 2 NA 3", ("1", "2"), [0, 1, -1, 2]),
        ("1.0 2.0 2.5 3", ("1.0", "2", "x"), [0, 3, 3, 3]),
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


def test_repr_shows_no_data_and_nothing_can_be_assigned():
    dataset = _dataset(f"a\n{SENTINEL}\n")
    assert SENTINEL not in repr(dataset)
    assert "t.csv" in repr(dataset)
    with pytest.raises(dataclasses.FrozenInstanceError):
        dataset.name = "x"
