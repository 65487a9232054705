"""Everybody's loss from a model, and what else can be read from losses, in process."""

from __future__ import annotations

import pytest

from dpcore.relations import NeighboringRelation
from tests.app.test_pages import by_label, charts, fill, mode, put_in_use, use_example, use_upload
from tests.app.test_questions import shown
from tests.conftest import assert_says, few

AWAY = NeighboringRelation.ADD_REMOVE
CLOSER = ("closer-moments", "closer-overfitting", "closer-bounds", "closer-frontier")


def look(app, *, model=None, released=None, replaced=False):
    """Open the model view, the confidential area and its pictures, for who leaves."""
    by_label(app.radio, "What is released").set_value("a regression model").run()
    if model is not None:
        by_label(app.selectbox, "Model").set_value(model).run()
    if released is not None:
        by_label(app.selectbox, "Mechanism").set_value(released).run()
    what_if = by_label(app.radio, "Compared with")
    if what_if.value is not AWAY and not replaced:
        what_if.set_value(AWAY).run()
    for toggle in app.toggle:
        if not toggle.value:
            toggle.set_value(True).run()
    for folded in ("chain", "model-why"):
        app.session_state[folded] = True
    healthy(app.run())
    return app


def healthy(app):
    assert not app.error, [error.value for error in app.error]


def number(app, label):
    return float(by_label(app.metric, label).value.removeprefix("ε ").replace("∞", "inf"))


@pytest.mark.parametrize(
    ("example", "model", "guaranteed", "nonlinear"),
    few(
        1,
        ("fair", "Logistic", True, True),
        ("rand-hie", "Poisson", False, True),
        ("anes96", "Linear", True, False),
    ),
)
def test_model_view_works_on_the_examples(open_page, example, model, guaranteed, nonlinear):
    use_example(open_page, example)
    app = look(open_page("privacy_loss"), model=model)
    worst = number(app, "Guarantee (DP)")
    for_all = number(app, "Worst case, this table")
    maximum = number(app, "Largest loss here")
    assert worst >= for_all >= maximum >= number(app, "Average loss here") > 0
    assert (worst < float("inf")) is guaranteed
    text = shown(app).replace("\\", "")
    assert ("Approximation audited" in text) is nonlinear
    if nonlinear:
        assert float(text.split("Approximation audited: ")[1].split("%")[0]) < 5
    else:
        assert "Exact for everybody" in text
    listed = next(d.value for d in app.dataframe if "own epsilon" in d.value)
    assert len(listed) == 10
    assert listed["own epsilon"].is_monotonic_decreasing
    assert f"row {listed['row'][0]}," in text
    # Bars, distribution, map and split, none of them a record of a person.
    assert len(charts(app)) == 4


def test_slow_releases_are_drawn_from_some_people(open_page):
    use_example(open_page, "fair")
    app = look(open_page("privacy_loss"), released="objective")
    for key in ("closer-overfitting", "closer-frontier"):
        app.session_state[key] = True
    before = len(charts(app))
    app.run()
    healthy(app)
    assert len(charts(app)) == before + 1
    assert "Overfitting, by total variation" in [m.label for m in app.metric]
    assert_says(
        shown(app),
        "losses are upper bounds",
        "number is at most that",
        "The average is over 2,000 people of",
    )


def together(app, name):
    """Say by which column rows belong together."""
    households = by_label(app.selectbox, "Rows with the same value belong together: by")
    households.select_index(households.options.index(name)).run()
    healthy(app)


@pytest.mark.parametrize("released", few(1, "posterior", "output"))
def test_households_of_an_upload_lose_together(open_page, released):
    rows = [f"{i % 7},{i % 5},h{i // 2}" for i in range(120)]
    use_upload(open_page, "\n".join(["visits,age,house", *rows, ""]), upper=10.0)
    app = open_page("privacy_loss")
    by_label(app.radio, "What is released").set_value("a regression model").run()
    by_label(app.number_input, "Lower bound").set_value(0.0)
    by_label(app.number_input, "Upper bound").set_value(10.0).run()
    app = look(app, released=released)
    alone = number(app, "Average loss here")
    together(app, "house")
    assert "60 units with up to 2 rows" in shown(app)
    assert number(app, "Average loss here") > alone
    assert ("upper bounds elsewhere" in shown(app)) is (released == "posterior")
    by_label(app.selectbox, "Mechanism").set_value("objective").run()
    labels = [box.label for box in app.selectbox]
    assert "Rows with the same value belong together: by" not in labels


def test_another_record_is_the_first_question_where_the_study_is_about_it(open_page):
    use_example(open_page)
    app = look(open_page("privacy_loss"), model="Linear", replaced=True)
    what_if = by_label(app.radio, "Compared with")
    assert what_if.value is NeighboringRelation.SUBSTITUTION
    replaced = number(app, "Largest loss here")
    text = shown(app).replace("\\", "")
    assert_says(
        text, "no proof that it is the worst", "no record in anybody's place can reveal more than"
    )
    assert replaced <= number(app, "Worst case, this table")
    assert by_label(app.metric, "Worst case, this table").delta == "at most (proved)"
    for side in ("One person", "What-if"):
        app.session_state["individual-view"] = side
        app.run()
        healthy(app)
    app.session_state["individual-view"] = "All people"
    what_if.set_value(AWAY).run()
    healthy(app)
    assert number(app, "Largest loss here") <= replaced


def test_every_picture_of_a_model_is_watermarked_in_classroom_mode_only(open_page):
    app = use_example(open_page, "anes96")
    for chosen in ("classroom", "release"):
        mode(app).set_value(chosen).run()
        app = look(open_page("privacy_loss"))
        for key in CLOSER:
            app.session_state[key] = True
        app.run()
        figures = charts(app)
        assert len(figures) >= 7
        for figure in figures:
            notes = figure["layout"].get("shapes", [])
            assert any(note.get("name") == "watermark" for note in notes) is (chosen == "classroom")


def test_somebody_without_whom_there_is_no_fit_is_listed_as_given_away(open_page):
    rows = [f"{i % 7},{i % 5},no" for i in range(60)]
    app = use_upload(open_page, "\n".join(["visits,age,rare", *rows, "3,3,yes", ""]))
    fill(app, selectbox={"Column": 1}, number_input={"Lower bound": 0.0, "Upper bound": 10.0})
    app = look(open_page("privacy_loss"))
    by_label(app.checkbox, "Balance penalty and noise").uncheck().run()
    fill(app, number_input={"Penalty λ": 0.0}, checkbox={"Set the precision instead of ε": True})
    for key in CLOSER:
        app.session_state[key] = True
    app.run()
    healthy(app)
    assert number(app, "Largest loss here") == float("inf")
    listed = next(d.value for d in app.dataframe if "own epsilon" in d.value)
    assert listed["row"][0] == 61
    assert listed["own epsilon"][0] == float("inf")
    assert_says(shown(app), "1 person not on the map", "without a finite ε")


def test_an_audit_shows_how_far_it_is_and_can_be_stopped(open_page, monkeypatch):
    """Each run of the page takes one piece of five people."""
    monkeypatch.setattr("ui.work._AT_FIRST", 0.0)
    monkeypatch.setattr("ui.work._PATIENCE", 0.0)
    monkeypatch.setattr("ui.individual.model_losses._MOST_REFITS", 5)
    use_example(open_page, "anes96")
    app = open_page("privacy_loss")
    fill(app, radio={"What is released": "a regression model"}, selectbox={"Model": "Huber"})
    for toggle in app.toggle:
        if not toggle.value:
            toggle.set_value(True).run()
    assert app.get("progress")
    assert not charts(app)
    by_label(app.button, "Stop").click().run()
    healthy(app)
    assert any("Stopped at" in warning.value for warning in app.warning)
    text = shown(app)
    assert "Approximation audited" in text
    assert "up to 100 of" not in text
    assert number(app, "Largest loss here") > 0
    by_label(app.button, "Go on").click().run()
    for _ in range(60):
        if not app.get("progress"):
            break
        app.run()
    healthy(app)
    assert not any("Stopped at" in warning.value for warning in app.warning)
    assert charts(app)


def test_a_bound_on_people_that_is_too_small_names_the_control(open_page):
    app = open_page("data")
    text = "visits,age\n" + "\n".join(["3,30", "1,20"] * 40)
    app.file_uploader[0].set_value(("people.csv", text.encode(), "text/csv")).run()
    fill(
        app,
        button_group={"Neighboring relation": AWAY},
        number_input={"Lower bound": 0.0, "Upper bound": 100.0},
    )
    put_in_use(app)
    app = open_page("regression")
    by_label(app.number_input, "Lower bound").set_value(0.0)
    fill(app, number_input={"Upper bound": 100.0})
    fill(app, number_input={"Public maximum number of people": 50})
    for toggle in app.toggle:
        if not toggle.value:
            toggle.set_value(True).run()
    assert "Raise the public maximum number of people" in shown(app)
