"""A table of a database is copied whole to a file of parts, or not at all."""

from __future__ import annotations

import sqlite3
from contextlib import closing

import pytest

from dpcore.data.cells import text_of
from dpcore.data.doors.databases import querying
from dpcore.data.doors.databases.named import Database
from dpcore.data.doors.databases.reading import read_whole
from dpcore.data.partitions import copying
from dpcore.data.partitions.copying import copied
from dpcore.data.partitions.folder import tables
from dpcore.data.partitions.opening import open_table
from dpcore.errors import DataError

ROWS = 900


@pytest.fixture(scope="module")
def hospital(cluster):
    address = cluster.address("hospital")
    cluster.run(
        "CREATE TABLE visits AS SELECT i AS id, CASE WHEN i % 7 > 0 THEN i % 90 END AS "
        "age, (i % 1000 / 10.0)::numeric(9,2) AS pay, 'w' || i % 3 AS ward, i % 2 = 0 "
        "AS member, DATE '2020-01-01' + i % 99 AS came, NULL::text AS nothing, "
        "TIMESTAMPTZ '2020-01-01 01:00+02' + i * interval '1 s' AS seen FROM "
        "generate_series(1, 900) i",
        "ALTER TABLE visits ADD PRIMARY KEY (id)",
        schema="hospital",
    )
    yield Database(name="hospital", address=address)
    cluster.run("DROP SCHEMA hospital CASCADE")


@pytest.fixture(autouse=True)
def few_rows_a_part(monkeypatch):
    monkeypatch.setattr(querying, "_CELLS", 8 * 70)
    monkeypatch.setattr(copying, "_ROWS", 200)


def test_parts_hold_what_is_read_into_memory(hospital, tmp_path):
    *_, last = copied(hospital, "visits", tmp_path, "visits.parquet")
    assert last.rows == ROWS
    assert tables(tmp_path) == ("visits.parquet",)
    found = open_table(tmp_path, "visits.parquet")
    assert [part.rows for part in found.parts] == [210, 210, 210, 210, 60]
    whole = read_whole(hospital, "visits")
    assert [each.name for each in found.columns] == list(whole.frame.columns)
    names = list(whole.frame.columns)
    parts = [found.part(place, names).frame for place in range(len(found.parts))]
    # Cells are those that are held in memory: every declaration means the same.
    for name in names:
        cells = [cell for part in parts for cell in text_of(part[name]).fillna("")]
        assert cells == text_of(whole.frame[name]).fillna("").tolist(), name
    assert all(part["nothing"].isna().all() for part in parts)
    assert (tmp_path / "visits.parquet").stat().st_mode & 0o077 == 0


def test_half_a_table_is_none(hospital, tmp_path, monkeypatch):
    going = copied(hospital, "visits", tmp_path, "visits.parquet")
    while next(going).rows < 300:
        assert tables(tmp_path) == ()
    going.close()
    assert list(tmp_path.iterdir()) == []
    for text, why in (
        ("visitors", "no table"),
        ("SELECT * FROM visits WHERE id < 0", "no rows"),
        ("SELECT 1 / (id - 800) FROM visits ORDER BY id", "a value in the table"),
        ("SELECT '{}'::json AS a", "type dict"),
    ):
        with pytest.raises(DataError, match=why):
            list(copied(hospital, text, tmp_path, "visits.parquet"))
        assert list(tmp_path.iterdir()) == []
    monkeypatch.setattr(copying.Path, "rename", _full)
    with pytest.raises(DataError, match="with room"):
        list(copied(hospital, "visits", tmp_path, "visits.parquet"))
    assert list(tmp_path.iterdir()) == []


def _full(*_):
    raise OSError


def test_no_table_is_written_over_nor_outside_the_folder(hospital, tmp_path):
    (tmp_path / "here").mkdir()
    (tmp_path / "here" / "a.parquet").write_bytes(b"a table")
    for name in ("a.parquet", "../b.parquet", "_b.parquet", ".b.parquet", "b", "b/c"):
        with pytest.raises(DataError, match="choose another name"):
            list(copied(hospital, "visits", tmp_path / "here", name))
    assert (tmp_path / "here" / "a.parquet").read_bytes() == b"a table"
    with pytest.raises(DataError, match="folder of large tables cannot be read"):
        list(copied(hospital, "visits", tmp_path / "there", "b.parquet"))


def test_columns_without_types_are_told(tmp_path):
    with closing(sqlite3.connect(tmp_path / "x.db")) as made, made:
        made.execute("CREATE TABLE a AS SELECT 1 AS b")
    school = Database(name="school", address=f"sqlite:///{tmp_path}/x.db")
    with pytest.raises(DataError, match="any type"):
        list(copied(school, "a", tmp_path, "a.parquet"))
    assert tables(tmp_path) == ()
