"""One record changes the meaning of no other: what the sensitivities rest on.

A column is read from a text file, a Parquet file in memory, the same one in parts, or a
database, under any public declaration. One record is replaced or removed. What every
other record means must stay, and no statistic may move by more than its sensitivity.
"""

from __future__ import annotations

import csv
import io
import sqlite3
import tempfile
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dpcore.analyses.number import Query
from dpcore.data.bounds import Interval
from dpcore.data.cells import TEXT_CODES, Notation
from dpcore.data.columns import Column, ColumnKind, LabelEquality, MissingPolicy
from dpcore.data.dataset import Dataset
from dpcore.data.dates import DateFormat, DateOrder
from dpcore.data.dialects import Dialect, FileFormat
from dpcore.data.partitions.table import open_table
from dpcore.data.preparation.aggregation import identities
from dpcore.data.readers.databases.reading import read_whole
from dpcore.data.readers.databases.sources import Database
from dpcore.data.readers.files import read
from dpcore.relations import NeighboringRelation, PrivacyUnit, TableSize
from dpcore.statistics.entries import Membership
from dpcore.statistics.kinds import StatisticKind, allowed
from tests.terms import SUBSTITUTION

CODES = ["1", "1.0", "01", "+1", "2", "2.0", "1.1", "1.10", "1e0", "-0", "0"]
LONG = ["94787126902443648899", "94787126902443648898", "947871269024436488"]
WORDS = ["refused", "NA", "null", "n/a", "DE", "a", "A", "yes", "Yes", "no", "NO", ""]
NUMBERS = ["2.5", "1,5", "1.234", "-9", "-9.0", "inf", "nan", "1e400", "0.30000000001"]
DATES = ["2024-02-29", "29.02.2024", "02/29/2024", "2024-02-29 13:30", "20240229"]
CELLS = st.sampled_from([*CODES, *LONG, *WORDS, *NUMBERS, *DATES])
LISTS = [
    ("1", "2", "3"),
    ("1", "01"),
    ("1.1", "1.10"),
    ("DE", "NA"),
    ("94787126902443648899", "94787126902443648898"),
]


@st.composite
def declarations(draw):
    kind = draw(st.sampled_from(list(ColumnKind)))
    equality = draw(st.sampled_from([*LabelEquality]))
    parts = {
        "missing_codes": draw(st.sampled_from([TEXT_CODES, (), ("-9", "refused")])),
        "notation": draw(st.sampled_from([Notation(), Notation(decimal=",", thousands=".")])),
    }
    if kind.is_numeric:
        low = 15_000.0 if kind is ColumnKind.DATE else -3.0
        parts |= {"bounds": Interval(lower=low, upper=low + 6_000.0)}
        parts |= {"missing": MissingPolicy.REPLACE, "replacement": low + 1.0}
        order = draw(st.sampled_from(DateOrder))
        parts |= {"dates": DateFormat(order=order, time_of_day=draw(st.booleans()))}
    elif kind is ColumnKind.YES_NO:
        parts |= {"labels": draw(st.sampled_from([("no", "yes"), ("0", "1")]))}
    elif kind is ColumnKind.CATEGORY:
        known = [one for one in LISTS if equality is LabelEquality.AS_WRITTEN]
        parts |= {"labels": draw(st.sampled_from([*known, ("1", "2", "3")]))}
    if kind.has_labels:
        parts |= {"missing": MissingPolicy.REPLACE, "replacement": parts["labels"][0]}
    if not kind.is_numeric:
        parts |= {"equality": equality}
    return Column(name="x", kind=kind, **parts)


def as_text(cells: list[str]) -> bytes:
    text = io.StringIO()
    writer = csv.writer(text, quoting=csv.QUOTE_ALL)
    writer.writerows([("x", "k"), *((cell, "k") for cell in cells)])
    return text.getvalue().encode()


def as_parquet(cells: list[str], rows: int = 1 << 20) -> bytes:
    file = io.BytesIO()
    table = pa.table({"x": pa.array(cells), "k": ["k"] * len(cells)})
    pq.write_table(table, file, row_group_size=rows)
    return file.getvalue()


def from_text(cells: list[str]) -> Dataset:
    opened = read(as_text(cells), FileFormat(dialect=Dialect()))
    return Dataset(name="t", frame=opened.frame, columns=opened.columns)


def from_parquet(cells: list[str]) -> Dataset:
    opened = read(as_parquet(cells))
    return Dataset(name="t", frame=opened.frame, columns=opened.columns)


def from_database(cells: list[str]) -> Dataset:
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder, "d.sqlite3")
        with sqlite3.connect(file) as database:
            database.execute("CREATE TABLE t (x TEXT, k TEXT)")
            rows = [(cell, "k") for cell in cells]
            database.executemany("INSERT INTO t VALUES (?, ?)", rows)
        database.close()
        opened = read_whole(Database(name="d", address=f"sqlite:///{file}"), "t")
    return Dataset(name="t", frame=opened.frame, columns=opened.columns)


def in_parts(cells: list[str], folder: str):
    Path(folder, "t.parquet").write_bytes(as_parquet(cells, rows=2))
    return open_table(Path(folder), "t.parquet")


def meaning(table, column: Column) -> tuple[list[object], list[bool], list[int]]:
    """Return what each cell of a table means, under a declaration."""
    values: list[object] = []
    missing: list[bool] = []
    for part in table.with_columns(column).each(lambda part: part, ["x"]):
        if column.kind.is_numeric:
            values += [None if np.isnan(one) else one for one in part.numbers("x")]
        else:
            values += part.codes("x").tolist()
        missing += part.missing("x").tolist()
    return values, missing


@settings(max_examples=100, deadline=None)
@given(
    cells=st.lists(CELLS, min_size=2, max_size=7),
    other=CELLS,
    column=declarations(),
    door=st.sampled_from([from_text, from_parquet]),
    removed=st.booleans(),
)
def test_a_record_changes_the_meaning_of_no_other(cells, other, column, door, removed):
    neighbor = cells[1:] if removed else [other, *cells[1:]]
    values, missing = meaning(door(cells), column)
    others, absent = meaning(door(neighbor), column)
    assert values[1:] == others[not removed :]
    assert missing[1:] == absent[not removed :]


@settings(max_examples=60, deadline=None)
@given(cells=st.lists(CELLS, min_size=1, max_size=7), column=declarations())
def test_a_cell_means_the_same_in_memory_and_in_parts(cells, column):
    with tempfile.TemporaryDirectory() as folder:
        assert meaning(from_parquet(cells), column) == meaning(in_parts(cells, folder), column)


@settings(max_examples=10, deadline=None)
@given(cells=st.lists(CELLS, min_size=4, max_size=12), column=declarations())
def test_text_means_the_same_in_a_file_and_in_a_database(cells, column):
    # Text that is not typed can be nothing but text.
    assert meaning(from_text(cells), column) == meaning(from_database(cells), column)


@settings(max_examples=60, deadline=None)
@given(
    cells=st.lists(CELLS, min_size=2, max_size=6),
    other=CELLS,
    equality=st.sampled_from([LabelEquality.AS_WRITTEN, LabelEquality.AS_NUMBERS]),
    door=st.sampled_from([from_text, from_parquet]),
)
def test_a_record_changes_no_other_identifier(cells, other, equality, door):
    column = Column(name="x", kind=ColumnKind.IDENTIFIER, equality=equality)

    def same(cells):
        found = identities(door(cells).with_columns(column), "x")[1:]
        return (found[:, None] == found[None, :]).tolist(), (found < 0).tolist()

    assert same(cells) == same([other, *cells[1:]])


KINDS = (
    StatisticKind.MEAN,
    StatisticKind.SUM,
    StatisticKind.VARIANCE,
    StatisticKind.HISTOGRAM,
    StatisticKind.PROPORTIONS,
    StatisticKind.COUNT,
    StatisticKind.PROPORTION,
    StatisticKind.MEDIAN,
)


def queries(column: Column, people: int, relation: NeighboringRelation):
    """Return every question of one column that takes its kind."""
    public = relation is SUBSTITUTION
    size = TableSize(people=people if public else 3, public=public)
    known = {"relation": relation, "unit": PrivacyUnit(), "size": size}
    if column.kind.has_labels:
        member = Membership(label=column.labels[-1])
        members = (StatisticKind.COUNT, StatisticKind.PROPORTION)
        cells = (StatisticKind.HISTOGRAM, StatisticKind.PROPORTIONS)
        for kind in members:
            yield Query(kind=kind, column=column, membership=member, **known)
        for kind in cells:
            yield Query(kind=kind, column=column, **known)
        return
    assert column.bounds is not None
    edges = (column.bounds.lower, column.bounds.lower + 2, column.bounds.upper)
    for kind in (kind for kind in KINDS if kind in allowed(column.kind)):
        if kind in {StatisticKind.COUNT, StatisticKind.PROPORTION}:
            member = Membership(interval=Interval(lower=edges[0], upper=edges[1]))
            yield Query(kind=kind, column=column, membership=member, **known)
        elif kind in {StatisticKind.HISTOGRAM, StatisticKind.PROPORTIONS}:
            yield Query(kind=kind, column=column, edges=edges, **known)
        elif kind is not StatisticKind.MEDIAN:
            yield Query(kind=kind, column=column, **known)


@settings(max_examples=60, deadline=None)
@given(
    cells=st.lists(CELLS, min_size=3, max_size=7),
    other=CELLS,
    column=declarations().filter(lambda one: one.is_declared),
    door=st.sampled_from([from_text, from_parquet]),
    relation=st.sampled_from([*NeighboringRelation]),
)
def test_no_statistic_moves_by_more_than_its_sensitivity(cells, other, column, door, relation):
    replaced = relation is SUBSTITUTION
    neighbor = [other, *cells[1:]] if replaced else cells[1:]
    tables = [door(each).with_columns(column) for each in (cells, neighbor)]
    for query in queries(column, len(cells), relation):
        first, second = (np.atleast_1d(query.value(table)) for table in tables)
        moved = np.abs(first - second)
        sensitivity = query.sensitivity
        assert moved.sum() <= sensitivity.l1 * (1 + 1e-9) + 1e-9
        assert np.sqrt((moved**2).sum()) <= sensitivity.l2 * (1 + 1e-9) + 1e-9


@pytest.mark.parametrize("labels", LISTS)
def test_every_label_of_a_list_is_met_by_itself_alone(labels):
    column = Column(name="x", kind=ColumnKind.CATEGORY, labels=labels)
    for door in (from_text, from_parquet, from_database):
        table = door([*labels, *labels[1:]]).with_columns(column)
        assert table.codes("x").tolist() == [*range(len(labels)), *range(1, len(labels))]
