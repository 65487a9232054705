"""A table that PostgreSQL unloads in ranges is the one that its cursor gives."""

from __future__ import annotations

import threading
from contextlib import closing
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dpcore.data.doors.databases import querying
from dpcore.data.doors.databases.asking import asked
from dpcore.data.doors.databases.named import Database
from dpcore.data.doors.databases.querying import Query
from dpcore.data.doors.databases.ranges import in_turn, ranges_of
from dpcore.data.doors.databases.reading import read, read_whole
from dpcore.data.fingerprints import table_fingerprint
from dpcore.errors import DataError
from tests.data.test_doors import KEY

SCHEMA = "ward"
BROKEN = "it is broken."
# Of every type that is unloaded, what is hard to write or to read.
HARD = {
    "smallint": ("-32768", "0", "32767"),
    "bigint": ("9007199254740993", "-9223372036854775808", "1"),
    "numeric": ("0.1", "1e400", "123456789012345678901234567890.5"),
    "numeric(12,2)": ("-0.05", "1234567890.12", "'NaN'"),
    "real": ("0.1", "3.4e38", "'-Infinity'"),
    "double precision": ("0.1", "1e-320", "'NaN'"),
    "boolean": ("true", "false", "true"),
    "text": ("''", "'NA, “x”\r\n\"y\"\\.'", "' \\N'"),
    "varchar(9)": ("'é,;'", "'\\.'", "'1'"),
    "char(4)": ("'a'", "'b c'", "''"),
    "uuid": ("'AAAAAAAA-0000-0000-0000-000000000001'",) * 3,
    "date": ("'0001-01-01'", "'9999-12-31'", "'2020-02-29'"),
    "timestamp": ("'2020-01-01 01:30'", "'1900-01-01 00:00:00.5'", "'2020-01-01'"),
    "timestamptz": ("'2020-01-01 01:30+02'", "'2020-07-01 00:00:00.000001+00'") * 2,
    "mood": ("'so so'", "'NA'", "'well'"),
    "time": ("'08:30'", "'08:30:00.5'", "'23:59'"),
}
NAMES = [f"c{place}" for place in range(len(HARD))]


@pytest.fixture(scope="module")
def ward(cluster):
    address = cluster.address(SCHEMA)
    types = dict(zip(NAMES, HARD, strict=True))
    rows = [
        ", ".join("NULL" if i % 4 == 3 else each[i % 4] for each in HARD.values())
        for i in range(12)
    ]
    cluster.run(
        "CREATE TYPE mood AS ENUM ('well', 'so so', 'NA')",
        f"CREATE TABLE hard (id int, {', '.join(map(' '.join, types.items()))})",
        *(
            f"INSERT INTO hard VALUES ({i}, {row})"  # noqa: S608 - of the words above
            for i, row in enumerate(rows)
        ),
        *(
            f"CREATE TABLE hard_{name} AS SELECT id, {name} FROM hard"  # noqa: S608
            for name in NAMES
        ),
        *(f"ALTER TABLE hard_{name} ADD PRIMARY KEY (id)" for name in NAMES),
        'CREATE TABLE keys (b text, "A%" bigint, a int, PRIMARY KEY ("A%", b))',
        "INSERT INTO keys SELECT 'x' || i % 7, i / 7 * 1000 - 9000, CASE WHEN i % 3 > "
        "0 THEN i END FROM generate_series(0, 180) i",
        f"INSERT INTO keys VALUES ('x', {-(2**63)}), ('', {2**63 - 1})",  # noqa: S608
        "CREATE TABLE named AS SELECT b || a AS n, a FROM keys WHERE a IS NOT NULL",
        "ALTER TABLE named ADD PRIMARY KEY (n)",
        "CREATE TABLE one AS SELECT i FROM generate_series(5, 30) i",
        "ALTER TABLE one ADD PRIMARY KEY (i)",
        "CREATE TABLE days AS SELECT 1 AS id, 'infinity'::date AS d",
        "ALTER TABLE days ADD PRIMARY KEY (id)",
        "CREATE TABLE none (id int PRIMARY KEY)",
        "DROP ROLE IF EXISTS lonely",
        "CREATE ROLE lonely LOGIN CONNECTION LIMIT 1",
        f"GRANT USAGE ON SCHEMA {SCHEMA} TO lonely",
        "GRANT SELECT ON keys TO lonely",
        schema=SCHEMA,
    )
    yield Database(name="ward", address=address)
    cluster.run(f"DROP SCHEMA {SCHEMA} CASCADE", "DROP ROLE lonely")


@pytest.fixture(params=[1, 7, 1000])
def cells(request, monkeypatch):
    """Have a cell, a few rows, or all of them come at a time."""
    monkeypatch.setattr(querying, "_CELLS", request.param)


def connections(monkeypatch):
    """Return a list which grows by every connection that unloads."""
    found = []
    from dpcore.data.doors.databases import unloading  # noqa: PLC0415 - needs a driver

    unloaded = unloading.unloaded

    def counted(connection, *words, **named):
        found.append(connection)
        return unloaded(connection, *words, **named)

    monkeypatch.setattr(unloading, "unloaded", counted)
    return found


TABLES = {**{f"hard_{name}": "id" for name in NAMES}, "keys": '"A%", b', "named": "n", "one": "i"}


@pytest.mark.usefixtures("cells")
@pytest.mark.parametrize(("table", "key"), TABLES.items())
def test_it_is_the_table_of_the_cursor(ward, table, key, monkeypatch):
    by_cursor = read_whole(ward, f"SELECT * FROM {table} ORDER BY {key}")  # noqa: S608
    used = connections(monkeypatch)
    found = read_whole(ward, table)
    assert bool(used) is (table != f"hard_{NAMES[-1]}")  # a time is for the driver
    assert table_fingerprint(found.frame, key=KEY) == table_fingerprint(by_cursor.frame, key=KEY)
    assert found.frame.dtypes.equals(by_cursor.frame.dtypes)
    assert found.frame.index.equals(by_cursor.frame.index)
    assert [column.kind for column in found.columns] == [
        column.kind for column in by_cursor.columns
    ]
    for name in found.frame:
        left, right = found.frame[name], by_cursor.frame[name]
        same = left.isna() & right.isna() | (left.astype(str) == right.astype(str))
        assert same.all(), name


def test_two_connections_see_one_moment(ward, cluster, monkeypatch):
    monkeypatch.setattr(querying, "_CELLS", 6)
    used = connections(monkeypatch)
    before = read_whole(ward, "keys").frame
    assert len(set(used)) == 2
    with closing(read(ward, "keys")) as going:
        while next(going).rows < 20:
            pass
        # What is read last is gone meanwhile, and what is read next is another one.
        cluster.run('DELETE FROM keys WHERE "A%" > 9000', "UPDATE keys SET a = 0", schema=SCHEMA)
        *_, last = going
    assert table_fingerprint(last.opened.frame, key=KEY) == table_fingerprint(before, key=KEY)
    after = read_whole(ward, "keys").frame
    assert len(after) < len(before)
    assert np.all(after["a"] == 0)


def test_one_connection_is_enough_where_no_other_is_allowed(ward, monkeypatch, cluster):
    monkeypatch.setattr(querying, "_CELLS", 6)
    used = connections(monkeypatch)
    lonely = Database(name="x", address=cluster.address(SCHEMA, "lonely"))
    found = read_whole(lonely, "keys")
    assert len(set(used)) == 1
    assert found.frame.equals(read_whole(ward, "keys").frame)


def test_what_is_no_table_of_people_is_told_as_ever(ward):
    with pytest.raises(DataError, match="“infinity”"):
        read_whole(ward, "days")
    with pytest.raises(DataError, match="no rows"):
        read_whole(ward, "none")


def test_whoever_stops_in_the_middle_leaves_no_connection(ward, cluster, monkeypatch):
    monkeypatch.setattr(querying, "_CELLS", 1)
    going = Query(ward, asked("keys")).blocks()
    while not next(going).columns:
        pass
    going.close()
    while cluster.run(
        "SELECT pid FROM pg_stat_activity WHERE query LIKE 'COPY%' AND state <> 'idle'"
    ):
        pass


@given(
    first=st.integers(-(2**63), 2**63 - 1),
    width=st.integers(1, 2**63) | st.integers(1, 30),
    count=st.integers(0, 50),
)
def test_ranges_hold_every_key_once(first, width, count):
    found = ranges_of(first, first + width - 1, count)
    assert 1 <= len(found) <= max(count, 1)
    assert found[0][0] == first
    assert found[-1][1] == first + width - 1
    assert all(low <= high for low, high in found)
    assert all(before[1] + 1 == after[0] for before, after in pairwise(found))


@given(parts=st.lists(st.lists(st.integers(), max_size=40), max_size=9), readers=st.integers(1, 3))
def test_blocks_come_in_the_order_of_the_parts(parts, readers):
    def reader(part):
        yield from part

    found = [*in_turn([reader] * readers, parts, lambda: None)]
    assert found == [block for part in parts for block in part]


@pytest.mark.parametrize("place", range(4))
def test_an_error_comes_in_its_turn_and_stops_all(place):
    closed, waits = [], threading.Event()

    def reader(part):
        try:
            for block in range(100):
                yield part, block
                if part == place:
                    raise DataError(BROKEN)
                if part > place:
                    waits.wait()
        finally:
            closed.append(part)

    found = []
    with pytest.raises(DataError, match=BROKEN):
        found.extend(in_turn([reader] * 2, [0, 1, 2, 3], waits.set))
    whole = [(part, block) for part in range(place) for block in range(100)]
    assert found == [*whole, (place, 0)]
    assert place in closed
