"""A table of a database is read, declared and put in use as an uploaded one is."""

from __future__ import annotations

import logging
import sqlite3
from contextlib import closing
from types import SimpleNamespace

import pytest

from dpcore.data.readers.databases.sources import VARIABLE
from tests.app.test_pages import CSV, button, by_label, in_use, press_release, put_in_use
from tests.app.test_uploads import columns, labels, said, upload
from ui import session

ADDRESS = "postgresql://guest:s3cret@127.0.0.1:1/clinic"
READ = "Read from the database"


@pytest.fixture(autouse=True)
def at_once(monkeypatch):
    """Read to the end before a page goes on."""
    monkeypatch.setattr("ui.work._AT_FIRST", 60.0)


@pytest.fixture
def school(tmp_path, monkeypatch):
    """A database with the people of the CSV, and one that cannot be reached."""
    path = tmp_path / "school.db"
    lines = [line.split(",") for line in CSV.split()]
    with closing(sqlite3.connect(path)) as made, made:
        made.execute(f"CREATE TABLE people ({', '.join(lines[0])})")
        marks = ", ".join("?" * len(lines[0]))
        made.executemany(f"INSERT INTO people VALUES ({marks})", lines[1:])  # noqa: S608
    monkeypatch.setenv(VARIABLE, f"school = sqlite:///{path}\nclinic = {ADDRESS}")
    return path


def ask(app, text, name="school"):
    by_label(app.selectbox, "Database").set_value(name)
    by_label(app.text_area, "Table, or a SELECT").set_value(text)
    button(app, READ).click().run()
    return app


def test_a_line_that_is_none_is_told_and_the_page_goes_on(open_page, monkeypatch):
    monkeypatch.setenv(VARIABLE, ADDRESS)
    app = open_page("data")
    assert "Line 1 of" in app.warning[0].value
    assert "s3cret" not in said(app)
    assert columns(upload(app, CSV))


@pytest.mark.usefixtures("school")
def test_table_is_that_of_its_csv(open_page):
    app = upload(open_page("data"), CSV)
    told = columns(app)
    put_in_use(app)
    app = ask(app, "people")
    assert not app.error
    assert "**people \\(school\\)** · not in use yet" in said(app)
    assert columns(app) == told
    # By its fingerprint, which is that of the CSV.
    assert "This table was declared before" in said(app)
    put_in_use(app)
    assert in_use(app).startswith("people \\(school\\)")
    app = ask(app, "SELECT * FROM people WHERE age > 30")
    assert "**query \\(school\\)**" in said(app)


@pytest.mark.usefixtures("school")
def test_what_is_wrong_is_told_without_the_address(open_page, caplog):
    caplog.set_level(logging.DEBUG)
    app = upload(open_page("data"), CSV)
    for text, name, why in (
        ("patients", "school", "There is no table “patients”"),
        ("drop table people", "school", "would write"),
        ("", "school", "Type the name"),
        ("people", "clinic", "cannot be reached"),
    ):
        app = ask(app, text, name)
        shown = app.error[0].value.replace("\\", "")
        assert why in shown
        assert "Your previous data are unchanged" in said(app)
        everywhere = f"{shown} {said(app)} {app.session_state} {app.query_params}"
        assert "s3cret" not in everywhere + caplog.text
        assert "guest" not in everywhere
    assert columns(ask(app, "people"))
    assert not app.error


@pytest.fixture
def ended(monkeypatch):
    """Have pages read a row each time they are drawn; return which readings ended."""
    ended = []

    def read(_database, text):
        try:
            for rows in range(1000, 9000, 1000):
                yield SimpleNamespace(rows=rows, expected=None, opened=None)
        finally:
            ended.append(text)

    monkeypatch.setattr("ui.work._AT_FIRST", -1.0)
    monkeypatch.setattr("ui.work._PATIENCE", -1.0)
    monkeypatch.setattr("ui.data.server_tables.read", read)
    monkeypatch.setattr("ui.data.server_tables.Progress", SimpleNamespace)
    return ended


@pytest.mark.usefixtures("school")
def test_reading_tells_how_far_it_is_and_stops(open_page, ended):
    app = ask(open_page("data"), "people")
    assert "1,000 rows are read so far" in said(app)
    assert not ended
    button(app, "Stop").click().run()
    assert ended == ["people"]
    assert "Stop" not in labels(app)
    assert "rows are read" not in said(app)
    assert not app.error


@pytest.mark.usefixtures("school")
@pytest.mark.parametrize("other", [upload, ask], ids=["file", "question"])
def test_another_table_ends_reading(open_page, ended, other):
    other(ask(open_page("data"), "people"), CSV)
    assert ended == ["people"]


@pytest.mark.usefixtures("school")
def test_whoever_leaves_the_page_ends_reading(open_page, ended, monkeypatch):
    kept = session._Vault(remove_files=lambda: None)  # noqa: SLF001 - no public way
    monkeypatch.setattr(session, "_vault", lambda: kept)
    ask(open_page("data"), "people")
    # A page that is opened by its file runs without the frame that forgets.
    with session.only_what_is_shown("release"):
        pass
    assert ended == ["people"]


SECRET = "a-secret-of-the-clinic"  # noqa: S105 - of the tests' own server


@pytest.fixture
def clinic(cluster, monkeypatch):
    """A PostgreSQL whose address has a password, named to the pages."""
    cluster.address("pages_read")
    cluster.run(
        "CREATE TABLE people AS SELECT 20 + i AS age FROM generate_series(1, 60) i",
        "DROP ROLE IF EXISTS guest",
        f"CREATE ROLE guest LOGIN PASSWORD '{SECRET}'",
        "GRANT USAGE ON SCHEMA pages_read TO guest",
        "GRANT SELECT ON people TO guest",
        schema="pages_read",
    )
    address = cluster.address("pages_read", "guest", SECRET)
    monkeypatch.setenv(VARIABLE, f"clinic = {address}")
    yield
    cluster.run("DROP SCHEMA pages_read CASCADE", "DROP OWNED BY guest", "DROP ROLE guest")


@pytest.mark.usefixtures("clinic")
def test_credentials_are_in_no_log_file_link_or_state(open_page, home, caplog):
    caplog.set_level(logging.DEBUG)
    app = ask(open_page("data"), "people", "clinic")
    by_label(app.number_input, "Lower bound").set_value(0.0)
    by_label(app.number_input, "Upper bound").set_value(99.0).run()
    put_in_use(app)
    app = open_page("release")
    press_release(app)
    assert not app.error
    app = open_page("budget")
    files = [path.read_bytes() for path in home.rglob("*") if path.is_file()]
    assert len(files) > 2
    assert not any(SECRET.encode() in each for each in files)
    assert SECRET not in repr(app.session_state) + caplog.text + said(app) + repr(app.query_params)
