"""One person's view, and what-if, in process: statistics and models."""

from __future__ import annotations

import pytest

from tests.app.test_pages import by_label, charts, fill, mode, use_example, use_upload
from tests.app.test_questions import set_to, shown
from tests.conftest import few

NUMBER, MODEL = "a number (statistic)", "a regression model"
ONE, WHAT_IF = "One person", "What-if"
INNER = {ONE: "person-side", WHAT_IF: "what-if-side"}
WORLDS, ATTACKER, RELEASES, BOUNDS = (
    (ONE, side) for side in ("Two worlds", "An attacker", "Actual releases", "Bounds")
)
MOVE = (WHAT_IF, "Move one person, watch everybody")
CROWD = (WHAT_IF, "Blend into the crowd")


def look(app, where, *, kind=NUMBER):
    """Open one side of a view of the page."""
    view, side = where
    for key, choice in (("what-is-released", kind), ("individual-view", view), (INNER[view], side)):
        app.session_state[key] = choice
        app.query_params[key] = choice
        app.run()
    if app.toggle and not app.toggle[0].value:
        app.toggle[0].set_value(True).run()
    assert not app.error, [error.value for error in app.error]
    return app


def lesson(open_page, key):
    """Open the page on an example, in Classroom mode."""
    assert mode(use_example(open_page, key)).value == "classroom"
    return open_page("privacy_loss")


def held(app):
    """Return what all controls on screen are set to."""
    kinds = ("slider", "selectbox", "number_input", "radio")
    return [element.value for kind in kinds for element in getattr(app, kind)]


def titles(app):
    """Return the takeaways of the pictures on screen."""
    found = (m.value.replace("\\", "") for m in app.markdown)
    return [text[2:-2] for text in found if text.startswith("**") and text[-2:] == "**"]


@pytest.mark.parametrize(
    ("key", "kind"),
    few(2, ("rand-hie", NUMBER), ("fair", MODEL), ("rand-hie", MODEL), ("anes96", MODEL)),
)
def test_every_side_of_a_person_is_drawn(open_page, key, kind):
    app = lesson(open_page, key)
    (worlds,) = titles(look(app, WORLDS, kind=kind))
    assert " in all" in worlds
    test, belief, *_ = titles(look(app, ATTACKER, kind=kind))
    assert "50% sure beforehand" in test
    assert "in 90% of releases" in belief
    assert "The attacker was right in" in shown(app)
    (releases,) = titles(look(app, RELEASES, kind=kind))
    assert "This release caused a loss of" in releases
    (bounds,) = titles(look(app, BOUNDS, kind=kind))
    assert "loss is exactly" in bounds
    (moved,) = titles(look(app, MOVE, kind=kind))
    assert "The own loss becomes" in moved
    look(app, CROWD, kind=kind)
    if key == "fair" and kind == MODEL:
        assert "a fit of its own" in app.info[0].value
        return
    (crowd,) = titles(app)
    assert "equal records" in crowd
    for figure in charts(app):
        notes = figure["layout"]["shapes"]
        assert any(note.get("name") == "watermark" for note in notes)


@pytest.mark.parametrize("mechanism", few(1, "posterior", "objective"))
def test_other_releases_of_models(open_page, mechanism):
    app = look(lesson(open_page, "anes96"), WORLDS, kind=MODEL)
    set_to(app, "selectbox", "Mechanism", mechanism)
    assert titles(look(app, WORLDS, kind=MODEL))
    assert "loss is exactly" in titles(look(app, BOUNDS, kind=MODEL))[0]
    if mechanism == "posterior":
        assert titles(look(app, MOVE, kind=MODEL))
        assert titles(look(app, CROWD, kind=MODEL))


def test_moves_hold_no_value_of_the_table_and_no_row_is_in_the_address(open_page):
    use_upload(open_page, "age,smoker\n" + "".join(f"{61.25 + i % 3},yes\n" for i in range(50)))
    app = look(open_page("privacy_loss"), MOVE)
    fill(app, selectbox={"Person": "a row of the table"}, number_input={"Row": 7})
    assert 61.25 not in held(app)
    assert "row" not in " ".join(app.query_params).lower()
    before = titles(app)
    app.slider[0].set_value(-60.0).run()
    assert titles(app) != before
    assert 61.25 not in held(app)


def test_rows_without_a_value_are_no_part_of_the_release(open_page):
    use_upload(open_page, "age,smoker\n,yes\n" + "".join(f"{20 + i},yes\n" for i in range(50)))
    app = set_to(open_page("data"), "selectbox", "If a value is missing", "drop")
    app = look(open_page("privacy_loss"), WORLDS)
    fill(app, selectbox={"Person": "a row of the table"}, number_input={"Row": 1})
    assert "no value of what is asked for" in app.info[0].value
    set_to(app, "number_input", "Row", 2)
    assert titles(app)


def test_newcomers_join_and_penalties_change(open_page):
    app = look(lesson(open_page, "anes96"), MOVE, kind=MODEL)
    set_to(app, "radio", "What to do", "let a newcomer join")
    assert "(it was" not in titles(app)[0]
    look(app, CROWD, kind=MODEL)
    for view, words in (
        ("a larger table", "In a table of"),
        ("another penalty", "With a penalty of"),
    ):
        set_to(app, "radio", "What changes", view)
        app.query_params["crowd-view"] = view
        app.run()
        assert words in titles(app)[0]


@pytest.mark.parametrize("statistic", few(1, "median", "histogram", "count"))
def test_statistics_without_one_number_still_say_what_they_can(open_page, statistic):
    app = look(lesson(open_page, "rand-hie"), WORLDS)
    set_to(app, "selectbox", "Statistic", statistic)
    for where in (WORLDS, ATTACKER, RELEASES, BOUNDS, MOVE, CROWD):
        look(app, where)
    assert by_label(app.selectbox, "Statistic").value == statistic
