"""A sharper answer on the Release page: its price, the answer, and what is said of both."""

import re

import pytest

from tests.app.asking import use_survey
from tests.app.test_pages import button, press_release
from tests.app.test_questions import set_to, shown

SHARPER = "ε of the sharper answer"


def gauge(app):
    (bar,) = app.sidebar.get("progress")
    return str(bar.proto.text)


def offered(app):
    return any(each.label == SHARPER for each in app.number_input)


@pytest.fixture
def answered(open_page):
    use_survey(open_page)
    app = open_page("release")
    set_to(app, "selectbox", "Mechanism", "laplace")
    set_to(app, "number_input", "ε for this release", 0.5)
    press_release(app)
    return app


@pytest.mark.usefixtures("framed")
def test_a_sharper_answer_costs_the_difference_and_takes_the_place_of_the_first(answered):
    app = answered
    assert gauge(app).startswith("Budget: 0.5 of ")
    assert button(app, "Sharpen and spend ε = 0.5")
    assert "This answer can be sharpened once." in shown(app)
    set_to(app, "number_input", SHARPER, 2.0)
    before, after = map(
        float, re.search(r"\*\*± (.+)\*\* instead of ± (\d[\d.]*\d)", shown(app)).groups()[::-1]
    )
    assert after == pytest.approx(before / 4, rel=0.02)
    button(app, "Sharpen and spend ε = 1.5").click().run()
    assert not app.exception
    assert not app.error
    assert gauge(app).startswith("Budget: 2 of ")
    assert "for this one ε = 1.5 was charged" in shown(app).lower()
    assert not offered(app)
    listed = app.dataframe[-1].value
    assert list(listed["privacy cost"]) == ["ε = 1.5", "ε = 0.5"]
    assert [name.endswith("(sharpened later)") for name in listed["question"]] == [False, True]
    assert app.metric[0].label.startswith("Private ")


def test_an_epsilon_that_is_no_larger_charges_nothing(answered):
    app = answered
    set_to(app, "number_input", SHARPER, 0.5)
    assert not [each for each in app.button if each.label.startswith("Sharpen and")]
    assert "larger ε" in shown(app)
    set_to(app, "number_input", SHARPER, 200.5)
    assert button(app, "Sharpen and spend ε = 200").disabled


def test_a_mechanism_without_an_exact_law_offers_nothing(open_page):
    use_survey(open_page)
    app = open_page("release")
    set_to(app, "selectbox", "Mechanism", "truncated")
    press_release(app)
    assert not offered(app)
