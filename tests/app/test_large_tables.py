"""A table that stays in its files goes all the way that an uploaded one does."""

from __future__ import annotations

import os
import threading
import time

import pytest

from dpcore.analyses.base import Question
from dpcore.data.partitions.row_groups import VARIABLE
from dpcore.individual.per_instance_loss import counted_losses
from dpcore.ledger.transaction import release
from dpcore.relations import NeighboringRelation
from dpcore.statistics.kinds import StatisticKind
from tests.app.test_groups import PUBLIC
from tests.app.test_pages import (
    CSV,
    button,
    by_label,
    charts,
    in_use,
    mode,
    open_table,
    press_release,
    put_in_use,
    release_button,
    tables,
    use_large_table,
    use_upload,
    write_table,
)
from tests.app.test_presses import PRESSED
from tests.app.test_questions import set_to
from tests.app.test_uploads import columns, labels, said
from tests.conftest import assert_says, few
from ui import releasing, session

__all__ = ["tables"]

DOOR = "Open the table"
SOON = 20.0
CHANGED = "have changed since it was opened"


@pytest.fixture
def asked(monkeypatch):
    """Return the requests and values that answers are drawn from, as they come."""
    found = []

    def noted(request, value, **named):
        found.append((request, value))
        return release(request, value, **named)

    monkeypatch.setattr("ui.releasing.release", noted)
    return found


def choose(app, **chosen):
    for label, value in chosen.items():
        set_to(app, "selectbox", label.replace("_", " "), value)
    return app


def declare_smoker(app):
    choose(app, Column="smoker", Type="category")
    by_label(app.text_area, "Public list of categories").set_value("no\nyes").run()
    # Text files have usual codes for missing values, files with types have none.
    by_label(app.text_input, "Missing-value codes").set_value("").run()


def bar(app):
    return "".join(one.proto.text for one in app.get("progress")[-1:])


def test_a_folder_that_is_not_there_or_empty_is_told(open_page, tmp_path, monkeypatch):
    monkeypatch.setenv(VARIABLE, str(tmp_path / "gone"))
    app = open_page("data")
    assert VARIABLE in app.warning[0].value.replace("\\", "")
    (tmp_path / "gone").mkdir()
    assert "is empty" in said(app.run())
    assert DOOR not in labels(app)


def test_opening_reads_no_row(open_page, tables, monkeypatch):
    def read(*_):
        raise AssertionError

    monkeypatch.setattr("dpcore.data.partitions.table.read_part", read)
    app = open_table(open_page)
    assert "**visits** · not in use yet · stays in its files · 2 columns" in said(app)
    assert columns(app) == ["age", "smoker"]
    assert "need all rows in memory" in said(app)
    popovers = {each.proto.popover.label for each in app.get("popover")}
    assert not {"Derived columns", "Filter rows", "Several rows of one unit"} & popovers
    (tables / "visits" / "part-1.parquet").write_bytes(b"PAR1 no table PAR1")
    button(app, DOOR).click().run()
    assert "part-1.parquet cannot be read" in app.error[0].value.replace("\\", "")
    assert "Your previous data are unchanged" in said(app)


@pytest.mark.usefixtures("tables")
@pytest.mark.parametrize(
    "question",
    few(
        2,
        {"Statistic": "pooled variance", "public": True},
        {"Column": "smoker", "Statistic": StatisticKind.PROPORTIONS.value},
        {"Statistic": "mean", "By_group": 0},
        {"Statistic": "median"},
    ),
    ids=str,
)
def test_the_same_is_asked_and_computed_as_of_an_upload(open_page, asked, question):
    for use in (use_upload, use_large_table):
        app = use(open_page)
        declare_smoker(app)
        # The account of an upload with the same columns is another one's.
        for radio in (each for each in app.radio if each.label == "These are"):
            radio.set_value("").run()
            app.checkbox[-1].set_value(True).run()
        put_in_use(app)
        assert not app.error
        chosen = {"Column": "age", **question}
        public = chosen.pop("public", False)
        app = choose(open_page("release"), **chosen)
        for box in (each for each in app.checkbox if each.label == PUBLIC):
            box.set_value(public).run()
        press_release(app)
        assert not app.error
    (uploaded, expected), (opened, value) = asked
    assert opened.parameters() == uploaded.parameters()
    assert pytest.approx(expected, rel=1e-12, abs=1e-12) == value


@pytest.mark.usefixtures("tables")
def test_from_the_folder_to_the_ledger_and_to_one_person(open_page, asked):
    declare_smoker(use_large_table(open_page))
    app = choose(open_page("release"), Column="age")
    press_release(app)
    assert "Release 1 of this question" in said(app)
    # Its answer is stored: it is not released again, and the parts are not read for it.
    assert release_button(app.run()).disabled
    assert [value is None for _, value in asked] == [False]
    choose(app, Statistic="histogram")
    press_release(app)
    assert list(app.dataframe[-1].value["question"]) == ["histogram of age", "mean of age"]
    app = open_page("budget")
    assert len(app.dataframe[0].value) == 2

    choose(open_page("release"), Statistic="mean")
    app = open_page("privacy_loss")
    by_label(app.radio, "Compared with").set_value(NeighboringRelation.ADD_REMOVE).run()
    by_label(app.toggle, "Show everybody's own privacy loss").set_value(True).run()
    assert not app.error
    shown = said(app)
    assert_says(shown, "Most exposed", "People are counted in bins")
    # Four are 20 and four 69 years old, as far from the mean on both sides.
    assert "8 people are tied at rank 1" in shown
    listed = app.dataframe[-1].value
    assert list(listed.columns)[:3] == ["rank", "row", "value in use"]
    assert len(charts(app)) == 1
    choose(app, Compare_groups_by="smoker")
    assert len(charts(app)) == 2
    app.session_state["individual-view"] = "One person"
    app.run()
    row = int(listed["row"].iloc[0])
    by_label(app.number_input, "Row, from 1 to 200").set_value(row).run()
    assert f"Row {row}: own privacy loss" in said(app)
    assert app.dataframe[-1].value["own epsilon"][0] == listed["own epsilon"][0]


def test_files_that_changed_are_told_and_nothing_is_charged(open_page, tables):
    use_large_table(open_page)
    app = open_page("release")
    os.utime(tables / "visits" / "part-0.parquet", (1, 1))
    press_release(app)
    assert CHANGED in app.error[0].value
    assert not session.kept_ledger().accounts()[0].releases
    # The same on Data, where it was open and not in use.
    app = open_table(open_page)
    os.utime(tables / "visits" / "part-0.parquet", (2, 2))
    put_in_use(app)
    assert CHANGED in app.error[0].value


@pytest.mark.usefixtures("tables")
def test_a_plan_is_released_whole_and_the_pages_about_it_open(open_page):
    declare_smoker(use_large_table(open_page))
    choose(open_page("release"), Column="age", Statistic="mean")
    for statistic in ("mean", "histogram", "sum"):
        button(choose(open_page("release"), Statistic=statistic), "Add to plan").click().run()
    release_the_plan(open_page)
    assert spent() == 3


@pytest.mark.usefixtures("tables")
def test_a_total_is_chosen_over_the_parts(open_page):
    use_large_table(open_page)
    button(open_page("release"), "Add to plan").click().run()
    app = open_page("plan_privacy_loss")
    press_release(app)
    assert not app.error
    assert spent() == 1


@pytest.mark.usefixtures("tables")
@pytest.mark.parametrize("statistic", ["mean", "median"])
def test_a_lesson_shows_the_answer_without_noise(open_page, statistic):
    app = use_large_table(open_page)
    mode(app).set_value("classroom").run()
    app = choose(open_page("release"), Statistic=statistic)
    press_release(app)
    assert "Classroom: answers without noise" in said(app)
    assert not app.error
    told = "not offered for a table that stays in its files" in said(app)
    assert told is (statistic == "median")


@pytest.mark.usefixtures("tables")
def test_what_is_computed_for_the_curator_alone_stops_and_begins_again(open_page, monkeypatch):
    use_large_table(open_page)
    waits = threading.Event()

    def slow(*about, **more):
        waits.wait(SOON)
        return counted_losses(*about, **more)

    monkeypatch.setattr("ui.individual.counted_losses.counted_losses", slow)
    monkeypatch.setattr("ui.work._AT_FIRST", -1.0)
    monkeypatch.setattr("ui.work._PATIENCE", -1.0)
    app = open_page("privacy_loss")
    by_label(app.toggle, "Show everybody's own privacy loss").set_value(True).run()
    button(app, "Stop").click().run()
    assert "Nothing of it is kept" in said(app)
    assert not app.dataframe
    waits.set()
    monkeypatch.setattr("ui.work._AT_FIRST", SOON)
    button(app, "Begin again").click().run()
    assert "Most exposed" in said(app)


@pytest.fixture
def slowly(monkeypatch, tables):
    """Go on with the work only when the page is drawn anew, a piece at a time."""
    monkeypatch.setattr("ui.work._AT_FIRST", -1.0)
    monkeypatch.setattr("ui.work._PATIENCE", -1.0)
    return tables


def test_taking_the_fingerprint_tells_how_far_it_is_and_stops(open_page, slowly):
    del slowly
    app = open_table(open_page)
    put_in_use(app)
    assert "0 of 0 MB are read" in bar(app)
    # A timer of the browser takes it further.
    sent = app._tree.messages  # noqa: SLF001 - no public way
    assert any(one.HasField("auto_rerun") for one in sent)
    button(app, "Stop").click().run()
    assert "Stop" not in labels(app)
    assert not in_use(app)


def test_another_table_has_no_part_in_a_fingerprint_that_is_taken(open_page, slowly):
    write_table(slowly, CSV.replace("age", "years"), "other")
    app = open_table(open_page)
    put_in_use(app)
    app = open_table(open_page, "other")
    for _ in range(4):
        app.run()
    assert "**other**" in said(app)
    assert not in_use(app)


@pytest.fixture
def computing(open_page, tables, monkeypatch):
    """Release on a table in parts, whose answer is computed while the page is drawn."""
    use_large_table(open_page)
    app = open_page("release")
    waits = threading.Event()
    value = Question.value

    def slow(*about):
        waits.wait(SOON)
        return value(*about)

    monkeypatch.setattr(Question, "value", slow)
    monkeypatch.setattr("ui.work._AT_FIRST", -1.0)
    monkeypatch.setattr("ui.work._PATIENCE", -1.0)
    press_release(app)
    assert "0 of 8 parts are read" in bar(app)
    yield app, waits, tables
    waits.set()


def release_the_plan(open_page):
    """Open the pages about a plan, and release it whole."""
    for name in ("compare", "plan_privacy_loss", "audit", "meaning", "accuracy", "plan"):
        app = open_page(name)
        for place in (each for each in app.toggle if each.label.startswith("Show ")):
            place.set_value(True)
        app.run()
        assert not app.error
    app.button(key="plan-release").click().run()
    next(each for each in app.button if each.label.startswith("Spend ")).click().run()
    assert not app.error
    assert any(head.value == "Answers" for head in app.header)


def spent():
    return sum(each.releases for each in session.kept_ledger().accounts())


def again(app, *, of=None):
    """Run the page within its frame, which hands on what is being computed."""
    if "_computed" in app.session_state:
        app.session_state["_pressed"] = app.session_state["_computed"]
        del app.session_state["_computed"]
    (of or app).run()
    return app


def until_answered(app):
    deadline = time.monotonic() + SOON
    while "Release 1 of this question" not in said(app):
        assert time.monotonic() < deadline, said(app)
        again(app)
    return app


def test_an_answer_is_computed_over_several_runs_and_charged_in_the_last(computing):
    app, waits, _ = computing
    assert "of 8 parts are read" in bar(again(app))
    assert not spent()
    waits.set()
    until_answered(app)
    assert spent() == 1
    assert not app.error


def test_nothing_is_charged_where_it_is_stopped_and_it_can_be_asked_again(computing):
    app, waits, _ = computing
    again(app, of=button(app, "Stop").click())
    assert "Stopped. Nothing was released, and nothing was charged." in said(app)
    assert not app.error
    waits.set()
    assert not bar(again(app)).startswith("Computing")
    assert not spent()
    press_release(app)
    until_answered(app)
    assert spent() == 1


def test_nothing_is_charged_where_the_question_changes_meanwhile(computing):
    app, waits, _ = computing
    again(app, of=by_label(app.selectbox, "Statistic").set_value("variance"))
    assert "The question changed" in app.error[0].value
    waits.set()
    again(again(app))
    assert not spent()


def test_nothing_is_charged_where_files_change_meanwhile(computing):
    app, waits, tables = computing
    os.utime(tables / "visits" / "part-0.parquet", (1, 1))
    waits.set()
    deadline = time.monotonic() + SOON
    while not app.error:
        assert time.monotonic() < deadline
        again(app)
    assert CHANGED in app.error[0].value
    assert not spent()


@pytest.mark.parametrize("met", [True, False])
def test_what_is_computed_is_given_up_where_the_page_did_not_ask_for_it(monkeypatch, met):
    notes, ended = {"_computed": PRESSED}, []
    monkeypatch.setattr(releasing.session, "public", notes.get)
    monkeypatch.setattr(releasing.session, "take", lambda key: notes.pop(key, None))
    monkeypatch.setattr(releasing.session, "set_public", notes.__setitem__)
    monkeypatch.setattr(releasing.partwise, "forget_values", lambda: ended.append(1))
    with releasing.heard():
        assert releasing.pressed() == PRESSED
        if met:
            notes["_computed"] = notes.pop("_pressed")
    assert notes == ({"_computed": PRESSED} if met else {})
    assert bool(ended) is not met
