"""The Decision page: the plan beside another one, public numbers only."""

from __future__ import annotations

from types import SimpleNamespace

import pytest

from dpcore.ledger.store import default_folder
from dpcore.planning.comparison import Row
from tests.app.test_pages import button, by_label, fill, use_upload
from tests.app.test_questions import shown
from ui import approval


@pytest.fixture
def decided(open_page):
    """The page with a plan of one mean."""
    use_upload(open_page)
    assert "Nothing is planned yet" in shown(open_page("compare"))
    app = open_page("release")
    by_label(app.selectbox, "Statistic").set_value("mean").run()
    button(app, "Add to plan").click().run()
    return open_page("compare")


@pytest.mark.parametrize(
    ("first", "second", "told"),
    [
        (None, None, ""),
        (3000.0, 3000.0, "3,000"),
        (3000.0, None, "3,000"),
        (None, 50.0, "50"),
        (3000.0, 50.0, "3,000 (A; B: 50)"),
    ],
)
def test_plans_that_want_to_see_different_things_are_told_apart(first, second, told):
    row = Row(first=SimpleNamespace(wanted=first), second=SimpleNamespace(wanted=second))
    assert approval.wanted(row, *(SimpleNamespace(name="A"), SimpleNamespace(name="B"))) == told


def compared(app):
    """Return the one question under both plans."""
    frames = [frame.value for frame in app.dataframe]
    return next(frame for frame in frames if "± is of" in frame).iloc[0]


def test_two_totals_are_compared_from_public_numbers(decided):
    app = decided
    by_label(app.number_input, "Total ε of the other").set_value(0.1).run()
    assert "52.5%" in [metric.value for metric in app.metric]
    assert "do not hold what values move that stand in for missing ones" in shown(app)
    assert compared(app)["ε, the other (ε 0.1)"] == "0.1"
    assert "at most 53 of 100" in shown(app)
    by_label(app.number_input, "Total ε of the other").set_value(-1.0).run()
    assert any("choose a number from" in info.value for info in app.info)


def test_a_plan_is_set_aside_and_both_change_places(decided):
    app = decided
    way = by_label(app.radio, "Compare the plan with")
    way.set_value("a plan that was kept, or is in a file").run()
    assert "There is no other plan yet" in shown(app)
    button(app, "Set the plan aside as the other").click().run()
    app.switch_page("pages/plan.py").run()
    by_label(app.number_input, "Total ε").set_value(0.25).run()
    app.switch_page("pages/compare.py").run()
    assert compared(app)["ε, the plan (ε 0.25)"] == "0.25"
    button(app, "Exchange the two").click().run()
    assert compared(app)["ε, the other (ε 0.25)"] == "0.25"
    files = sorted((default_folder() / "plans").iterdir())
    assert [file.stem.endswith("-other") for file in files] == [True, False]


def test_the_page_to_sign_holds_what_was_typed(decided, monkeypatch):
    made = []
    real = approval.decision_page
    monkeypatch.setattr(approval, "decision_page", lambda *a: made.append(real(*a)) or made[-1])
    app = decided
    fill(app, text_area={"Purpose": "yearly report", "Who decides (one name a line)": "A\nB"})
    page = made[-1].html()
    for told in ("yearly report", "people.csv", "Signature: A", "Signature: B"):
        assert told in page
    assert "yearly" not in str(app.query_params)


def test_a_plan_that_was_released_is_not_paid_for_twice(decided, monkeypatch):
    made = []
    real = approval.decision_page
    monkeypatch.setattr(approval, "decision_page", lambda *a: made.append(a[0]) or real(*a))
    app = decided
    app.switch_page("pages/plan.py").run()
    by_label(app.number_input, "Total ε").set_value(2.5).run()
    button(app, "Release the whole plan").click().run()
    app.button(key="spend-plan").click().run()
    assert "Every question of the plan has its answer" in shown(app)
    app.switch_page("pages/compare.py").run()
    about = made[-1]
    assert about.plan.done
    assert about.fits
    assert about.together is None
    assert float(about.spent.epsilon) == 2.5
    assert "The plan has been released" in shown(app)
    app.switch_page("pages/meaning.py").run()
    by_label(app.radio, "Speak of").set_value("the plan").run()
    assert "all releases together come to ε 2.5:" in shown(app)
