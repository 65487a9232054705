"""Compare and Sign-off: the plan beside another one, public numbers only."""

from __future__ import annotations

import pytest

from dpcore.ledger.store import default_folder
from tests.app.test_pages import button, by_label, fill, use_upload
from tests.app.test_questions import shown
from tests.conftest import assert_says
from ui.planning import sign_off


@pytest.fixture
def decided(open_page):
    """The page with a plan of one mean."""
    use_upload(open_page)
    assert "There are no planned questions yet" in shown(open_page("compare"))
    app = open_page("release")
    by_label(app.selectbox, "Statistic").set_value("mean").run()
    button(app, "Add to plan").click().run()
    return open_page("compare")


def test_a_plan_is_saved_and_both_change_places(decided):
    app = decided
    by_label(app.radio, "Compare with").set_value("a saved plan").run()
    assert "There is no saved plan yet" in shown(app)
    button(app, "Save the plan as alternative").click().run()
    app.switch_page("pages/plan.py").run()
    by_label(app.number_input, "Total ε").set_value(0.25).run()
    app.switch_page("pages/compare.py").run()
    assert_says(unescaped(app), "The plan (ε = 0.25)", "The alternative (ε = 3)")
    button(app, "Swap the two").click().run()
    assert_says(unescaped(app), "The plan (ε = 3)", "The alternative (ε = 0.25)")
    files = sorted((default_folder() / "plans").iterdir())
    assert [file.stem.endswith("-other") for file in files] == [True, False]


def unescaped(app):
    return shown(app).replace("\\", "")


@pytest.fixture
def made(monkeypatch):
    """What each sign-off sheet was about that was offered."""
    found = []
    real = sign_off.Decision
    monkeypatch.setattr(sign_off, "Decision", lambda **a: found.append(real(**a)) or found[-1])
    return found


def test_the_sheet_holds_what_was_typed_and_what_was_compared(decided, files):
    app = decided
    by_label(app.number_input, "Total ε").set_value(0.1).run()
    app.switch_page("pages/sign_off.py").run()
    assert "the alternative (ε = 0.1)" in shown(app).replace("\\", "")
    fill(app, text_area={"Purpose": "yearly report", "Who decides (one name a line)": "A\nB"})
    page = files["Download sign-off sheet (HTML)"]()
    for told in ("yearly report", "people.csv", "Signature: A", "Signature: B"):
        assert told in page
    assert "yearly" not in str(app.query_params)


def test_a_plan_that_was_released_is_not_paid_for_twice(decided, made):
    app = decided
    app.switch_page("pages/plan.py").run()
    by_label(app.number_input, "Total ε").set_value(2.5).run()
    app.button(key="plan-release").click().run()
    app.button(key="spend-plan").click().run()
    assert app.button(key="plan-release").label == "Released ✓"
    app.switch_page("pages/sign_off.py").run()
    about = made[-1]
    assert about.plan.done
    assert about.fits
    assert about.together is None
    assert float(about.spent.epsilon) == 2.5
    assert "The plan has been released" in shown(app)
    app.switch_page("pages/compare.py").run()
    assert "already released · all releases then: ε = 2.5" not in shown(app)
    assert " · already released" in shown(app)
    app.switch_page("pages/meaning.py").run()
    by_label(app.radio, "Budget to explain").set_value("The plan").run()
    assert "all releases come to ε = 2.5:" in unescaped(app)
