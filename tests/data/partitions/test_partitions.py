"""A table in files has the values of the same rows in memory; no other is opened."""

import os
from dataclasses import replace
from itertools import pairwise

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dpcore.analyses.groups import ANY_SIZE, GroupedQuery
from dpcore.analyses.number import Query
from dpcore.data.bounds import Interval
from dpcore.data.columns import Column, ColumnKind, MissingPolicy
from dpcore.data.dataset import Dataset
from dpcore.data.partitions.row_groups import VARIABLE, tables
from dpcore.data.partitions.table import open_table
from dpcore.errors import DataError, ParameterError
from dpcore.relations import PrivacyUnit, TableSize
from dpcore.statistics.bins import equal_edges
from dpcore.statistics.entries import Membership
from dpcore.statistics.grouping import Grouping
from dpcore.statistics.kinds import StatisticKind
from tests.conftest import few
from tests.terms import SUBSTITUTION

KEY = b"a key of sixteen bytes"
PEOPLE = 60
COLUMNS = (
    Column(
        name="age",
        kind=ColumnKind.NUMBER,
        bounds=Interval(lower=18.0, upper=90.0),
        missing=MissingPolicy.REPLACE,
        replacement=40.0,
    ),
    Column(
        name="ward",
        kind=ColumnKind.CATEGORY,
        labels=("north", "7"),
        missing=MissingPolicy.REPLACE,
        replacement="north",
    ),
    Column(name="smokes", kind=ColumnKind.YES_NO, labels=("False", "True")),
)


def rows(seed=1):
    rng = np.random.default_rng(seed)
    age = rng.normal(50, 20, PEOPLE)
    age[rng.random(PEOPLE) < 0.1] = np.nan
    ward = rng.choice(np.array(["north", " 7", "south", None], dtype=object), PEOPLE)
    smokes = rng.choice(np.array([True, False, None], dtype=object), PEOPLE)
    return pa.table({"age": age, "ward": pa.array(ward, pa.string()), "smokes": list(smokes)})


def write(folder, table, cuts=(), *, name="visits", group=7):
    place = folder / name
    place.mkdir(parents=True)
    ends = [0, *sorted(cuts), table.num_rows]
    for i, (start, end) in enumerate(pairwise(ends)):
        part = table.slice(start, end - start)
        pq.write_table(part, place / f"part-{i}.parquet", row_group_size=group)
    return place


def opened(folder, name="visits"):
    return open_table(folder, name).with_columns(*COLUMNS)


def in_memory(table):
    frame = table.to_pandas()
    frame["ward"] = frame["ward"].str.strip()
    frame["smokes"] = frame["smokes"].map(str, na_action="ignore")
    frame.index = pd.RangeIndex(2, table.num_rows + 2)
    return Dataset(name="visits", frame=frame, columns=COLUMNS)


def query(kind, column=0, **more):
    everyone = COLUMNS[column].missing is MissingPolicy.REPLACE
    size = TableSize(people=PEOPLE if everyone else 10, public=everyone)
    return Query(
        kind=kind,
        column=COLUMNS[column],
        relation=SUBSTITUTION,
        unit=PrivacyUnit(),
        size=size,
        **more,
    )


BY_WARD = GroupedQuery(
    part=replace(query(StatisticKind.MEAN), size=ANY_SIZE), group=Grouping.of(COLUMNS[1])
)
QUESTIONS = {
    "mean": query(StatisticKind.MEAN),
    "sum": query(StatisticKind.SUM),
    "variance": query(StatisticKind.VARIANCE),
    "median": query(StatisticKind.MEDIAN),
    "quantiles": query(StatisticKind.QUANTILES, qs=(0.25, 0.5)),
    "histogram": query(StatisticKind.HISTOGRAM, edges=equal_edges(COLUMNS[0].bounds, 5)),
    "wards": query(StatisticKind.PROPORTIONS, 1),
    "ward": query(StatisticKind.COUNT, 1, membership=Membership(label="7")),
    "smokers": query(StatisticKind.PROPORTION, 2, membership=Membership(label="True")),
    "by ward": BY_WARD,
}


@pytest.mark.parametrize("name", few(4, *QUESTIONS))
@settings(max_examples=4)
@given(
    seed=st.integers(0, 2**32 - 1),
    cuts=st.sets(st.integers(0, PEOPLE), max_size=3),
    group=st.integers(5, PEOPLE),
)
def test_questions_have_the_value_of_the_rows_in_memory(tmp_path_factory, name, seed, cuts, group):
    folder, table = tmp_path_factory.mktemp("tables"), rows(seed)
    write(folder, table, cuts, group=group)
    question = QUESTIONS[name]
    np.testing.assert_allclose(
        question.value(opened(folder)), question.value(in_memory(table)), rtol=1e-12, atol=1e-12
    )


def test_the_fingerprint_is_of_contents_and_not_of_names(tmp_path):
    one, other = tmp_path / "one", tmp_path / "other"
    write(one, rows(), (20,))
    write(other, rows(), (20,), name="renamed")
    changed = write(tmp_path / "third", rows(2), (20,))
    first = open_table(one, "visits").fingerprint(KEY)
    assert open_table(other, "renamed").fingerprint(KEY) == first
    assert open_table(changed.parent, "visits").fingerprint(KEY) != first
    assert open_table(one, "visits").fingerprint(KEY[::-1]) != first
    with pytest.raises(ParameterError):
        open_table(one, "visits").fingerprint(b"short")


def test_only_what_lies_in_the_folder_is_a_table(tmp_path):
    outside, folder = tmp_path / "outside", tmp_path / "tables"
    secret = write(outside, rows())
    write(folder, rows())
    pq.write_table(rows(), folder / "single.parquet")
    (folder / "notes.txt").write_text("no table")
    (folder / "empty").mkdir()
    (folder / ".hidden.parquet").write_bytes(b"PAR1")
    (folder / "linked").symlink_to(secret)
    (folder / "loop").symlink_to(folder / "loop")
    (folder / "half").mkdir()
    (folder / "half" / "a.parquet").symlink_to(secret / "part-0.parquet")
    assert tables(folder) == ("single.parquet", "visits")
    for name in ("../outside/visits", "linked", "half", "empty", "", ".", "/etc"):
        with pytest.raises(DataError, match="no table of this name"):
            open_table(folder, name)
    with pytest.raises(DataError, match=VARIABLE):
        tables(tmp_path / "nowhere")


def rewritten(place):
    pq.write_table(rows(3), place / "part-0.parquet")


def added(place):
    pq.write_table(rows(3), place / "part-9.parquet")


def gone(place):
    (place / "part-0.parquet").unlink()


def touched(place):
    os.utime(place / "part-0.parquet", ns=(1, 1))


@pytest.mark.parametrize("change", [rewritten, added, gone, touched])
def test_files_that_changed_are_not_computed_of(tmp_path, change):
    place = write(tmp_path, rows(), (20,))
    table = opened(tmp_path)
    change(place)
    for look in (lambda: QUESTIONS["mean"].value(table), lambda: table.fingerprint(KEY)):
        with pytest.raises(DataError, match=r"changed|no table") as said:
            look()
        assert str(tmp_path) not in str(said.value)


def test_a_change_while_parts_are_read_is_noticed(tmp_path):
    place = write(tmp_path, rows(), (20,), group=2)
    work = opened(tmp_path).each(lambda part: part.rows, ["age"])
    assert next(work) == 2
    added(place)
    with pytest.raises(DataError, match="changed"):
        list(work)


def test_a_damaged_part_is_named(tmp_path):
    place = write(tmp_path, rows(), (20,))
    file = place / "part-1.parquet"
    data = bytearray(file.read_bytes())
    data[4:200] = b"\xff" * 196
    file.write_bytes(data)
    table = opened(tmp_path)
    with pytest.raises(DataError, match=r"part-1\.parquet, rows \d+ to \d+ cannot be"):
        QUESTIONS["mean"].value(table)
    file.write_bytes(b"PAR1")
    with pytest.raises(DataError, match=r"part-1\.parquet cannot be read"):
        open_table(tmp_path, "visits")


def test_a_cell_that_is_not_as_declared_is_missing(tmp_path):
    table = rows()
    answers = pa.array(["True"] * 30 + ["secret"] + ["False"] * 29)
    write(tmp_path, table.set_column(2, "smokes", answers), (20,))
    secret = [part.invalid("smokes") for part in opened(tmp_path).each(same, ["smokes"])]
    assert sum(secret) == 1
    assert QUESTIONS["smokers"].value(opened(tmp_path)) == 30 / 59


def same(part):
    return part


STRANGE = {
    "day": pa.array([0, 1, None, 3], pa.date32()),
    "time": pa.array([0, 86_400, None, 90_000], pa.timestamp("s")),
    "answer": pa.array([" yes", "NA", None, "no"]).dictionary_encode(),
    "number as text": pa.array(["7", "7.0", None, "x"]),
    "exact": pa.array([1, None, 3, 4]).cast(pa.decimal128(24, 2)),
    "whole": pa.array([1, None, 3, 2**53], pa.int64()),
    "nothing": pa.nulls(4),
    "single": pa.array([0.5, None, float("inf"), -1.0], pa.float32()),
}


@pytest.mark.parametrize("name", STRANGE)
def test_what_a_cell_is_hangs_on_no_other_cell(tmp_path, name):
    table = pa.table({name: STRANGE[name], f"{name}.more": STRANGE[name]})
    write(tmp_path / "one", table, group=4)
    write(tmp_path / "four", table, (1,), group=1)
    one, four = (open_table(tmp_path / each, "visits") for each in ("one", "four"))
    whole = one.part(0, [name]).frame[name].astype(object)
    cells = [each.frame[name].astype(object) for each in four.each(lambda x: x, [name])]
    assert len(cells) == 4
    pd.testing.assert_series_equal(
        pd.concat(cells).reset_index(drop=True), whole.reset_index(drop=True)
    )
    assert whole.isna().sum() == {"nothing": 4}.get(name, 1)
