"""The Meaning page speaks of the question and account on screen; it spends nothing."""

import pytest

from dpcore.figures.attackers import surest
from dpcore.formatting import epsilon_text
from dpcore.privacy.events import LaplaceEvent
from dpcore.privacy.tradeoff import of_events
from tests.app.figures import figures
from tests.app.test_pages import button, by_label, release_button, use_upload
from tests.app.test_questions import set_to
from tests.conftest import assert_says

OF, OWN = "Budget to explain", "Custom ε"


def said(app):
    texts = [element.value.replace("\\", "") for element in [*app.markdown, *app.caption]]
    return " ".join([*texts, *(figure.title for figure in figures(app))])


def look(app, side):
    app.query_params["meaning-side"] = side
    return app.run()


def test_it_explains_the_account_in_use(open_page):
    use_upload(open_page)
    app = open_page("meaning")
    assert_says(said(app), surest(3.0, delta=1e-5), "all releases about these people together")
    label = look(app, "Label").code[0].value
    assert_says(label, "number of people (200)", "Nothing is spent so far")


@pytest.mark.parametrize(
    ("of", "side", "subject", "chart"),
    [
        ("the whole budget of this table", "In odds", "This budget", "Right guesses"),
        ("the question on Release", "Before and after", OWN, "an attacker who was 50% sure"),
        (None, "Found or named wrongly", "This budget", "becomes right at most"),
        (None, "Correct and false identifications", "This budget", "becomes right at most"),
        (None, "Trade-off and risk", "This budget", "becomes right at most"),
    ],
)
def test_older_links_lead_to_the_view_of_today(open_page, of, side, subject, chart):
    app = use_upload(open_page)
    app.query_params["meaning-side"] = side
    if of is not None:
        app.query_params["meaning-of"] = of
    app.switch_page("pages/meaning.py").run()
    assert by_label(app.radio, OF).value == subject
    assert chart.casefold() in said(app).casefold()


def test_it_works_without_a_table(open_page):
    app = open_page("meaning")
    set_to(app, "number_input", "Privacy parameter ε", 0.693)
    assert f"becomes at most {surest(0.693)} sure" in said(app)
    set_to(app, "number_input", "Privacy parameter ε", 2.0)
    assert f"becomes at most {surest(2.0)} sure" in said(app)
    set_to(app, "slider", "Attacker's certainty before (%)", 10)
    assert surest(2.0, prior=0.1) in said(app)
    set_to(app, "number_input", "δ", 1e-6)
    assert_says(said(app), "best guess was right 90% of the time", "at most 90.1% of the time")
    assert f"turns 10% into at most {surest(2.0, prior=0.1)}" in said(app)
    assert "not agreed" in look(app, "Label").code[0].value
    look(app, "Others")
    assert "Broadband Coverage" in said(app)
    set_to(app, "number_input", "ρ as ε at δ", 1e-10)
    assert "Converted here: ε = 17.5 at most, at δ = 10⁻¹⁰." in said(app)
    assert "not confirmed by its board" in " ".join(c.value for c in app.caption)


def test_the_releases_have_one_number_one_curve_and_a_risk(open_page):
    use_upload(open_page)
    app = open_page("release")
    set_to(app, "number_input", "ε for this release", 0.5)
    release_button(app).click().run()
    button(app, "Spend ε = 0.5").click().run()
    app = open_page("meaning")
    assert by_label(app.radio, OF).value == "Released so far"
    app = look(app, "Trade-off")
    level = of_events([LaplaceEvent.from_ratio(0.5)]).level
    assert by_label(app.metric, "Gaussian DP μ").value == epsilon_text(level.mu)
    assert "A guess right 1 in 20 times becomes right at most 8% of the time" in said(app)
    set_to(app, "number_input", "Prior: a guess is right 1 time in", 1e9)
    assert by_label(app.metric, "Risk at prior 1 in 1,000,000,000").value == "0.1%"
    set_to(app, "number_input", "Acceptable risk: right at most 1 time in", 2e8)
    limits = app.dataframe[-1].value["limit"]
    assert limits.tolist()[:2] == ["ε = 1.6", "ε = 1.6"]
    set_to(app, "number_input", "Acceptable risk: right at most 1 time in", 1e9)
    set_to(app, "number_input", "Prior: a guess is right 1 time in", 5.0)
    assert_says(" ".join(one.value for one in app.info), "below the prior")
