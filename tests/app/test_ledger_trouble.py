"""A ledger that fails in the middle of a session takes no page with it."""

import contextlib
import errno
import os
import shutil
import sqlite3

import pytest

from dpcore.ledger.store import FileDatabase
from tests.app.conftest import close_tab
from tests.app.test_pages import (
    button,
    by_label,
    press_release,
    release_buttons,
    use_example,
    use_upload,
)
from tests.conftest import assert_says, everything
from tests.registry import HEADINGS

pytestmark = pytest.mark.usefixtures("framed")


@pytest.fixture
def path(home):
    return home / "ledger.sqlite3"


@pytest.fixture
def released(open_page):
    """Return Release with a table in use and one answer paid."""
    use_upload(open_page)
    app = open_page("release")
    press_release(app)
    assert not app.error
    return app


def spent(app):
    return app.sidebar.get("progress")[0].proto.text


def errors(app):
    return " ".join(error.value for error in app.error).replace("\\", "")


def noise(path):
    path.write_bytes(b"noise" * 3000)


def emptied(path):
    path.write_bytes(b"")


def no_key(path):
    path.with_name("key").unlink()


def no_checkpoint(path):
    path.with_name("checkpoint").unlink()


def no_folder(path):
    shutil.rmtree(path.parent)


HARMS = (noise, no_key, no_folder)
NEEDS_NO_LEDGER = ("home", "data", "about", "lab", "study1", "accuracy", "sensitivity")


@pytest.mark.parametrize("harm", HARMS)
def test_pages_go_on_and_recover_with_their_input(released, open_page, path, harm, tmp_path):
    copy = shutil.copytree(path.parent, tmp_path / "copy")
    by_label(released.number_input, "ε for this release").set_value(0.25).run()
    harm(path)
    app = released.run()
    assert "ledger" in errors(app)
    assert not release_buttons(app)
    for name in NEEDS_NO_LEDGER if harm is noise or everything() else ():
        app = open_page(name)
        assert app.title[0].value == HEADINGS[name]
        # The side bar alone says what is wrong.
        assert len(app.error) == len(app.sidebar.error) == 1
    for name in ("regression", "privacy_loss", "budget"):
        app = open_page(name)
        assert len(app.error) > len(app.sidebar.error) == 1 or name == "privacy_loss"
    shutil.rmtree(path.parent, ignore_errors=True)
    shutil.copytree(copy, path.parent)
    app = open_page("release")
    assert not app.error
    assert by_label(app.number_input, "ε for this release").value == 0.25
    press_release(app)
    assert not app.error
    assert "0.75 of 3" in spent(app)


def test_a_lock_of_another_program_freezes_no_look(released, path, monkeypatch):
    monkeypatch.setattr("dpcore.ledger.ledger._PATIENCE", 0.05)
    app = released
    with contextlib.closing(sqlite3.connect(path, isolation_level=None)) as foreign:
        foreign.execute("BEGIN EXCLUSIVE")
        by_label(app.number_input, "ε for this release").set_value(0.2).run()
        assert not app.error
        press_release(app)
        assert "another program is still writing" in errors(app)
        assert by_label(app.number_input, "ε for this release").value == 0.2
    press_release(app)
    assert not app.error
    assert "0.7 of 3" in spent(app)


def test_looking_at_the_pages_of_an_example_writes_nothing(open_page, path):
    app = use_example(open_page)
    by_label(app.sidebar.radio, "Mode").set_value("release").run()
    for name in ("release", "budget", "privacy_loss"):
        app = open_page(name)
        assert not app.error
    assert not path.exists()


@pytest.mark.parametrize(
    ("number", "told"), [(errno.ENOSPC, "Make room"), (errno.EROFS, "cannot be written to")]
)
def test_a_disk_that_takes_nothing_charges_nothing_and_is_told(released, monkeypatch, number, told):
    app = released
    real = FileDatabase.writing

    @contextlib.contextmanager
    def full(self, patience):
        with real(self, patience):
            raise OSError(number, os.strerror(number))
            yield

    by_label(app.number_input, "ε for this release").set_value(0.2).run()
    with monkeypatch.context() as patched:
        patched.setattr(FileDatabase, "writing", full)
        press_release(app)
        assert_says(errors(app), "Nothing was charged", told)
        assert "0.5 of 3" in spent(app)
    press_release(app)
    assert not app.error
    assert "0.7 of 3" in spent(app)


def test_lessons_need_no_ledger(released, open_page, path):
    assert not released.error
    noise(path)
    close_tab()
    app = use_example(open_page)
    for name in ("release", "privacy_loss", "regression"):
        app = open_page(name)
        assert not app.error
    by_label(app.sidebar.radio, "Mode").set_value("release").run()
    assert "ledger" in errors(app)


def begin_anew(app, reason):
    by_label(app.text_input, "Reason for a new ledger").set_value(reason)
    button(app, "Start a new ledger and record").click().run()
    return app


def test_the_ledger_page_begins_anew_on_record(released, open_page, path):
    emptied(path)
    app = open_page("budget")
    assert "has lost entries: 4 were written" in errors(app)
    begin_anew(app, "the disk broke")
    assert not app.error
    (told,) = (warning.value for warning in app.warning)
    assert_says(told, "This ledger began on", "the disk broke")
    assert by_label(app.metric, "Spent").value.startswith("ε = 0.5")
    press_release(open_page("release"))
    assert not released.error
    assert "1 of 3" in spent(released)


def test_beginning_anew_needs_a_reason(released, open_page, path):
    assert not released.error
    no_checkpoint(path)
    app = begin_anew(open_page("budget"), "")
    assert_says(errors(app), "needs a reason", "checkpoint of the ledger is gone")
    assert not path.with_name("checkpoint").exists()


def test_after_a_lost_key_the_table_is_used_again(released, open_page, path):
    no_key(path)
    assert "use the table again" in errors(begin_anew(open_page("budget"), "lost"))
    use_upload(open_page)
    press_release(open_page("release"))
    assert not released.error
    assert "0.5 of 3" in spent(released)
