"""A database means what its CSV means, writes nothing, and says what is wrong."""

from __future__ import annotations

import contextlib
import io
import logging
import sqlite3
import sys
from contextlib import closing
from dataclasses import replace
from urllib.parse import quote

import numpy as np
import pandas as pd
import psycopg
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from dpcore.data import limits
from dpcore.data.cells import text_of
from dpcore.data.columns import yes_no
from dpcore.data.dialects import sniff
from dpcore.data.readers.csv_reader import read_csv
from dpcore.data.readers.databases import query
from dpcore.data.readers.databases.query import GatheredRows, arrays_of
from dpcore.data.readers.databases.reading import read, read_whole
from dpcore.data.readers.databases.sources import Database, asked
from dpcore.errors import DataError
from tests.data.agreeing import agree
from tests.data.test_readers import DATES, as_csv, people

PASSWORD = "s3cret-of-the-clinic"  # noqa: S105 - of the tests' own server
SCHEMA = "clinic"
TYPES = {
    "age": "smallint",
    "pay": "numeric(12,2)",
    "sex": "text",
    "member": "boolean",
    "came": "timestamp",
    "seen": "timestamp",
    "code": "text",
    "visits": "integer",
    "name": "text",
    "born": "date",
    "empty": "text",
    "asked": "boolean",
}
COLUMNS = ", ".join(TYPES)
IN_ORDER = f"SELECT {COLUMNS} FROM people ORDER BY id"  # noqa: S608 - of names above


def cell(value):
    if pd.isna(value):
        return None
    if isinstance(value, pd.Timestamp):
        return value.to_pydatetime()
    return value.item() if isinstance(value, np.generic) else value


def rows_of(frame):
    return [[cell(v) for v in row] for row in frame.astype(object).itertuples(index=False)]


def told(frame):
    text = as_csv(frame)
    return read_csv(text, sniff(text))


@pytest.fixture(scope="module")
def survey():
    return people().head(300)


@pytest.fixture(scope="module")
def server(cluster, survey):
    """A PostgreSQL with a table of people, and somebody who may only read it."""
    cluster.address(SCHEMA)
    columns = ", ".join(f"{name} {kind}" for name, kind in TYPES.items())
    cluster.run(
        f"CREATE TABLE people (id serial PRIMARY KEY, {columns})",
        "CREATE TYPE mood AS ENUM ('well', 'NA', 'so so', 'ill')",
        'CREATE TABLE "Odd names" ("a%b" int, ":c" text, m mood, t timestamptz, '
        "n numeric, b bigint, f float8, u uuid, h time, ok boolean)",
        "COMMENT ON COLUMN \"Odd names\".m IS 'How somebody feels'",
        'INSERT INTO "Odd names" VALUES '
        "(1, '100%', 'well', '2020-01-01 01:30+02', 1e400, 9007199254740993, "
        "'Infinity', '00000000-0000-0000-0000-000000000001', '08:30', true), (NULL, "
        "NULL, NULL, NULL, NULL, NULL, 'NaN', NULL, NULL, true)",
        "CREATE TABLE secret (a int)",
        "CREATE TABLE written (a int)",
        "INSERT INTO written VALUES (1)",
        "CREATE TABLE bad (j json, r bytea)",
        "INSERT INTO bad VALUES ('{}', '\\x00')",
        "DROP ROLE IF EXISTS guest",
        f"CREATE ROLE guest LOGIN PASSWORD '{PASSWORD}'",
        f"GRANT USAGE, CREATE ON SCHEMA {SCHEMA} TO guest",
        f"GRANT ALL ON ALL TABLES IN SCHEMA {SCHEMA} TO guest",
        f"GRANT ALL ON ALL SEQUENCES IN SCHEMA {SCHEMA} TO guest",
        "REVOKE ALL ON secret FROM guest",
        schema=SCHEMA,
    )
    marks = ", ".join(["%s"] * len(TYPES))
    with (
        psycopg.connect(
            host=str(cluster.folder),
            dbname="postgres",
            user=cluster.user,
            options=f"-csearch_path={SCHEMA}",
        ) as connection,
        connection.cursor() as cursor,
    ):
        # The last comes first: a table is read in the order of its key.
        ids = range(len(survey), 0, -1)
        cursor.executemany(
            f"INSERT INTO people (id, {COLUMNS}) VALUES (%s, {marks})",  # noqa: S608
            [[i, *row] for i, row in zip(ids, rows_of(survey)[::-1], strict=True)],
        )
    yield cluster
    cluster.run(f"DROP SCHEMA {SCHEMA} CASCADE", "DROP OWNED BY guest", "DROP ROLE guest")


def at(server, password=PASSWORD):
    return Database(name="clinic", address=server.address(SCHEMA, "guest", password))


@pytest.fixture
def file(tmp_path):
    """A file of SQLite with a table of people, and the database that it is."""
    path = tmp_path / "odd #name? %20.db"
    frame = people().head(200)[["age", "pay", "sex", "visits", "name", "code", "empty"]]
    with closing(sqlite3.connect(path)) as made, made:
        made.execute(
            "CREATE TABLE people (age, pay REAL, sex TEXT, visits, name, code TEXT, empty)"
        )
        made.executemany("INSERT INTO people VALUES (?, ?, ?, ?, ?, ?, ?)", rows_of(frame))
        made.execute("CREATE TABLE mixed (a, b, c)")
        made.executemany(
            "INSERT INTO mixed VALUES (?, ?, ?)",
            [(1, 1, None), (2.5, None, None), (None, "x", None), (4, 2.5, "7"), (5, 3, "8")],
        )
    return path, Database(name="school", address=f"sqlite:///{quote(str(path))}")


PIECES = ("*", "1", "'", "x'00'", "1e400", "1, 1", "\ud800", "NULL", "a.b", "$$", ":x", "%")


@pytest.fixture(scope="module")
def base(tmp_path_factory):
    path = tmp_path_factory.mktemp("base") / "empty.db"
    sqlite3.connect(path).close()
    return Database(name="empty", address=f"sqlite:///{path}")


@pytest.fixture
def _short_blocks(monkeypatch):
    """Have few rows come at a time."""
    monkeypatch.setattr(query, "_CELLS", 400)


@pytest.mark.usefixtures("_short_blocks")
def test_postgresql_means_what_the_csv_means(server, survey):
    wanted = told(survey)
    found = read_whole(at(server), IN_ORDER)
    agree(found.frame, wanted, dates=DATES)
    for name in ("people", "PEOPLE", f"{SCHEMA}.people", f'"{SCHEMA}"."people"'):
        whole = read_whole(at(server), name)
        assert [*whole.frame] == ["id", *TYPES]
        pd.testing.assert_frame_equal(whole.frame[[*TYPES]], found.frame)
    kinds = {column.name: str(column.kind) for column in found.columns}
    assert kinds == {
        **dict.fromkeys(("age", "code", "visits"), "whole number"),
        **dict.fromkeys(("pay", "empty"), "number"),
        "sex": "category",
        "name": "identifier",
        **dict.fromkeys(("member", "asked"), "yes/no"),
        **dict.fromkeys(DATES, "date"),
    }
    assert all(column.bounds is None for column in found.columns)


@pytest.mark.slow
@pytest.mark.usefixtures("_short_blocks")
def test_sqlite_means_what_the_csv_means(file):
    frame = people().head(200)[["age", "pay", "sex", "visits", "name", "code", "empty"]]
    wanted = told(frame)
    for text in ("people", "SELECT * FROM people;  -- all of them"):
        found = read_whole(file[1], text)
        agree(found.frame, wanted)


@pytest.mark.parametrize("cells", [1, 6, 10_000])
def test_values_of_several_types_are_as_written_however_they_come(file, cells, monkeypatch):
    monkeypatch.setattr(query, "_CELLS", cells)
    wanted = io.BytesIO(b"a,b,c\n1,1,\n2.5,,\n,x,\n4,2.5,7\n5,3,8\n").getvalue()
    found = read_whole(file[1], "mixed")
    agree(found.frame, read_csv(wanted, sniff(wanted)))
    assert found.frame["a"].astype(object).tolist()[:2] == ["1", "2.5"]
    assert found.frame["b"].astype(object).tolist()[2:] == ["x", "2.5", "3"]


def test_what_types_say_is_proposed_and_kept(server):
    found = read_whole(at(server), "Odd names")
    said = {column.name: column for column in found.columns}
    # NA is an answer of the type: only NULL is missing in a database.
    assert said["m"].labels == ("well", "NA", "so so", "ill")
    assert said["m"].description == "How somebody feels"
    assert said["ok"] == replace(yes_no("ok", ("False", "True")), missing_codes=())
    first = found.frame.iloc[0]
    assert first["t"] == "2019-12-31 23:30:00.000000Z"
    assert first["b"] == 2**53 + 1
    assert first["n"] == "1" + "0" * 400
    assert first["f"] == np.inf
    assert first["h"] == "08:30:00"
    assert first[["a%b", ":c"]].tolist() == [1, "100%"]
    assert found.frame.iloc[1].isna().tolist() == [True] * 9 + [False]


def test_text_with_signs_of_other_languages_is_asked_as_it_stands(server):
    text = "SELECT ':x %s %(y)s; --' AS a, 1::int AS b, '' AS c, $$;$$ AS d"
    assert read_whole(at(server), text).frame.iloc[0]["a"] == ":x %s %(y)s; --"


WRITES = (
    "INSERT INTO written VALUES (2)",
    "WITH x AS (INSERT INTO written VALUES (2) RETURNING a) SELECT * FROM x",
    "SELECT * FROM written FOR UPDATE",
    "SELECT nextval('people_id_seq')",
    "SELECT * INTO other FROM written",
    "drop table written",
    "SELECT set_config('transaction_read_only', 'off', false)",
    "SELECT 1; COMMIT; INSERT INTO written VALUES (2)",
    # A text that ends elsewhere for PostgreSQL than it seems to.
    r"SELECT E'\' AS a; COMMIT; INSERT INTO written VALUES (2); --'",
)


@pytest.mark.parametrize("text", WRITES)
def test_postgresql_is_not_written_to(server, text):
    with pytest.raises(DataError):
        read_whole(at(server), text)
    assert server.run("SELECT a FROM written", schema=SCHEMA) == [(1,)]
    assert server.run("SELECT to_regclass('other')", schema=SCHEMA) == [(None,)]


@pytest.mark.parametrize(
    "text",
    [
        "DELETE FROM people",
        "WITH x AS (SELECT 1) DELETE FROM people",
        "SELECT 1; DELETE FROM people",
        "PRAGMA query_only = OFF",
        "ATTACH 'other.db' AS other",
    ],
)
def test_sqlite_is_not_written_to(file, text):
    path, database = file
    before = path.read_bytes()
    with pytest.raises(DataError, match=r"write|only one statement"):
        read_whole(database, text)
    assert path.read_bytes() == before
    assert [each.name for each in path.parent.iterdir()] == [path.name]


WRONG = {
    "no table": ("patients", "no table “patients”"),
    "no table asked for": ("SELECT * FROM patients", "no table “patients”"),
    "no schema": ("hospital.patients", "no table “hospital.patients”"),
    "no column": ("SELECT agee FROM people", "no column “agee”"),
    "no column of": ("SELECT p.agee FROM people p", "no column “p.agee”"),
    "syntax": ("SELECT age FRM people", "syntax error"),
    "nothing": (" -- nothing\n;", "type the name of a table"),
    "several": ("SELECT 1; SELECT 2", "only one statement"),
    "same name": ("SELECT age, age FROM people", "same name as column 1"),
    "no rows": ("SELECT * FROM people WHERE age < 0", "no rows"),
    "no function": ("SELECT best(age) FROM people", "cannot run the query"),
}


@pytest.mark.parametrize(("text", "why"), WRONG.values(), ids=WRONG)
def test_what_is_wrong_with_a_question_is_told(server, file, text, why):
    for database in (at(server), file[1]):
        with pytest.raises(DataError, match=why) as error:
            read_whole(database, text)
        assert PASSWORD not in repr(error.value.__dict__) + str(error.value)


@pytest.mark.slow
@settings(max_examples=40)
@given(text=st.text(max_size=40) | st.sampled_from(PIECES).map("SELECT {}".format))
@example(text="SELECT '\0'")
def test_whatever_is_typed_gives_a_table_or_words(base, text):
    with contextlib.suppress(DataError):
        assert len(read_whole(base, text).frame)


def test_values_that_are_no_table_of_people_are_told(server):
    with pytest.raises(DataError, match="no columns"):
        read_whole(at(server), "SELECT FROM people")
    with pytest.raises(DataError, match="column 1 holds values of the type dict"):
        read_whole(at(server), "SELECT j FROM bad")
    with pytest.raises(DataError, match="type bytes"):
        read_whole(at(server), "SELECT r FROM bad")


def test_days_that_are_none_are_told(server):
    with pytest.raises(DataError, match="“infinity”"):
        read_whole(at(server), "SELECT 'infinity'::date")


def test_what_the_user_may_not_read_is_told(server):
    with pytest.raises(DataError, match="may not read that table"):
        read_whole(at(server), "secret")


def test_a_cell_that_breaks_a_query_is_not_quoted(server):
    with pytest.raises(DataError, match="a value in the table") as error:
        read_whole(at(server), "SELECT name::int FROM people")
    assert "a,1" not in str(error.value)


def test_too_many_rows_and_bytes_are_refused(file, monkeypatch):
    monkeypatch.setattr(limits, "MAX_ROWS", 199)
    with pytest.raises(DataError, match="more than 199 records"):
        read_whole(file[1], "people")
    monkeypatch.setattr(limits, "MAX_ROWS", 200)
    assert len(read_whole(file[1], "people").frame) == 200
    monkeypatch.setattr(limits, "MAX_UNPACKED", 0)
    with pytest.raises(DataError, match="unpacked it has more than"):
        read_whole(file[1], "people")


def test_whoever_is_not_let_in_is_told_why(server, tmp_path):
    def why(address):
        with pytest.raises(DataError) as error:
            read_whole(Database(name="x", address=address), "people")
        assert PASSWORD not in str(error.value)
        assert "guest" not in str(error.value)
        return str(error.value)

    known = at(server).address
    assert "password" in why(known.replace(PASSWORD, f"{PASSWORD}x"))
    assert "no database of that name" in why(known.replace("/postgres?", "/nothing?"))
    assert "host of the database is unknown" in why(
        f"postgresql://guest:{PASSWORD}@no.such.invalid/x"
    )
    assert "cannot be reached" in why(f"postgresql://guest:{PASSWORD}@127.0.0.1:1/x")
    assert "cannot be opened" in why(f"sqlite:///{tmp_path}/none.db")
    assert not list(tmp_path.glob("*.db"))
    for address in (f"mysql://guest:{PASSWORD}@host/x", PASSWORD, "sqlite://", "x://:y"):
        assert "is invalid" in why(address)
    other = tmp_path / "text.db"
    other.write_text("no database " * 99)
    assert "damaged" in why(f"sqlite:///{other}")


def backends(server):
    return server.run(
        "SELECT pid FROM pg_stat_activity WHERE usename = 'guest' AND state <> '' "
        "ORDER BY backend_start"
    )


@pytest.mark.usefixtures("_short_blocks")
@pytest.mark.parametrize("text", [IN_ORDER, "people"])
def test_a_connection_dropped_midway_is_told_and_nothing_kept(server, text):
    while backends(server):  # Those of readings before, which end by themselves.
        pass
    with closing(read(at(server), text)) as going:
        while next(going).rows < 20:
            pass
        (found,) = backends(server)
        server.run(f"SELECT pg_terminate_backend({found[0]})")
        with pytest.raises(DataError, match="lost before the last row"):
            list(going)
    while backends(server):
        pass


def test_whoever_stops_frees_the_server(server):
    # Rows, and one that never comes.
    for text in ("people", "SELECT pg_sleep(3600)"):
        going = read(at(server), text)
        while not backends(server):
            next(going)
        going.close()
        while backends(server):
            pass


def test_driver_that_is_missing_is_told(server, file, monkeypatch):
    monkeypatch.setitem(sys.modules, "psycopg", None)
    with pytest.raises(DataError, match="requirements-postgresql"):
        read_whole(at(server), "people")
    monkeypatch.setitem(sys.modules, "dpcore.data.readers.databases.query", None)
    with pytest.raises(DataError, match="requirements-postgresql"):
        read_whole(file[1], "people")


def test_no_credentials_in_logs_errors_and_descriptions(server, caplog):
    caplog.set_level(logging.DEBUG)
    for name in ("sqlalchemy.engine", "sqlalchemy.pool", "psycopg", "asyncio"):
        logging.getLogger(name).setLevel(logging.DEBUG)
    try:
        database = at(server)
        opened = read_whole(database, "people")
        for text in ("patients", "SELECT agee FROM people", "drop table people"):
            with pytest.raises(DataError):
                read_whole(database, text)
        with pytest.raises(DataError) as error:
            read_whole(at(server, f"{PASSWORD}x"), "people")
    finally:
        for name in ("sqlalchemy.engine", "sqlalchemy.pool", "psycopg", "asyncio"):
            logging.getLogger(name).setLevel(logging.NOTSET)
    seen = f"{caplog.text} {database!r} {opened.columns!r} {error.getrepr(style='short')}"
    assert "SELECT" in caplog.text
    assert PASSWORD not in seen


@pytest.mark.parametrize(
    ("text", "table"),
    [
        ("people", ("people",)),
        (' "Odd names" ; ', ("Odd names",)),
        ('a."b.c"', ("a", "b.c")),
        ("select", ("select",)),
        ("update", ("update",)),
        ("(SELECT 1) UNION (SELECT 2)", ()),
        ("/* why */ WITH a AS (SELECT 1) SELECT * FROM a", ()),
    ],
)
def test_a_name_is_told_from_a_statement(text, table):
    assert asked(text).table == table


CELLS = (
    *(0, 5, 5.0, -0.0, 2.5, 1e16, 12345678901, 12345678901.0, 2**53 + 1, 1e-7, -3),
    *("5", "5.0", "x", "NA", "12345678901234567890", None),
)


@settings(deadline=None, max_examples=150)
@given(
    cell=st.sampled_from(CELLS),
    others=st.lists(st.sampled_from(CELLS), max_size=6),
    rows=st.integers(1, 4),
)
def test_a_cell_of_an_untyped_column_is_written_alike_beside_any_others(cell, others, rows):
    """SQLite has a type for each cell, and a table may come in any number of blocks."""

    def first(cells):
        gathered = GatheredRows(["a"])
        for start in range(0, len(cells), rows):
            gathered.add(arrays_of([(each,) for each in cells[start : start + rows]]))
        frame, _ = gathered.whole()
        text = text_of(frame["a"])
        return None if text.isna().iloc[0] else text.iloc[0]

    assert first([cell, *others]) == first([cell])
