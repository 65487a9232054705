"""Privacy loss of the plan: confidential, masked until asked, and nothing of it leaves."""

from __future__ import annotations

import pytest

from dpcore.relations import NeighboringRelation
from tests.app.test_pages import button, by_label, charts, press_release, use_upload
from tests.app.test_questions import shown

CSV = (
    "pay,level\n"
    + "".join(f"{30_000 + 7 * i},{'high' if i % 4 == 0 else 'low'}\n" for i in range(200))
    + "1476543,high\n"
)
AREA = "Show privacy loss per person"


@pytest.fixture
def touched(open_page):
    """The page with a plan of one sum, of a table with one very high pay."""
    use_upload(open_page, CSV, upper=2e6)
    assert "There are no planned questions yet" in shown(open_page("plan_privacy_loss"))
    app = open_page("release")
    by_label(app.selectbox, "Statistic").set_value("sum").run()
    button(app, "Add to plan").click().run()
    app = open_page("plan_privacy_loss")
    # It starts with the change that the guarantee is about.
    compared = by_label(app.radio, "Compared with the data")
    assert compared.value is NeighboringRelation.SUBSTITUTION
    return compared.set_value(NeighboringRelation.ADD_REMOVE).run()


def told(app):
    """Return all that the page says, in words and in numbers."""
    frames = [frame.value.to_csv() for frame in app.dataframe]
    metrics = [f"{m.label} {m.value} {m.delta}" for m in app.metric]
    return "\n".join([shown(app), *frames, *metrics, str(charts(app))])


def test_nothing_of_the_table_is_shown_before_the_curator_asks(touched):
    app = touched
    assert not charts(app)
    assert not app.dataframe
    assert "Worst here" not in told(app)
    by_label(app.toggle, AREA).set_value(True).run()
    assert charts(app)
    (most,) = (f.value for f in app.dataframe if "largest losses" in f.value)
    assert most["largest losses"][0] == "the person with the highest pay"
    # One person has nearly all of the loss; the others hardly any.
    assert "1 of 201 people lose more than" in told(app)
    assert not app.get("download_button")


def test_values_are_masked_until_they_are_asked_for(touched):
    app = touched
    by_label(app.toggle, AREA).set_value(True).run()
    for text in ("1476543", "1,476,543", "1.48 million", "row"):
        assert text not in "".join(frame.value.to_csv() for frame in app.dataframe)
        assert text == "row" or text not in told(app)
    by_label(app.toggle, "Show rows and values").set_value(True).run()
    (most,) = (f.value for f in app.dataframe if "largest losses" in f.value)
    assert most["row"][0] == "201"
    assert "1.47654 million" in most["pay, value"][0]


def test_simulated_tables_tell_by_their_epsilon_alone(touched):
    app = touched
    app.session_state["touched-leak"] = True
    app.run()
    by_label(app.number_input, "Pay of that person, € (simulated)").set_value(250_000.0).run()
    assert "≈ 250,000 €" in shown(app)
    by_label(app.number_input, "Pay of that person, € (simulated)").set_value(40_000.0).run()
    assert "Here both are the same" in shown(app)


def test_a_private_choice_is_charged_and_nothing_else_is_told(touched):
    app = touched
    by_label(app.number_input, "ε for the choice").set_value(0.4).run()
    assert "The noise miscounts by at most" in shown(app)
    press_release(app)
    answer = [m.value for m in app.metric if m.label == "Chosen total ε"]
    assert answer or "Too many exceed the threshold" in shown(app)
    assert "Add to plan" not in [button.label for button in app.button]
    assert not charts(app)
    if answer:
        button(app, "Use as the total of the plan").click().run()
        assert f"Guarantee for everyone: **ε = {answer[0]}**" in shown(app)
    # The ledger has it, and pages that trace questions back stand it.
    app.switch_page("pages/budget.py").run()
    listing = app.dataframe[0].value
    assert listing["question"][0].startswith("the largest total ε of a plan")
    assert list(listing["privacy cost"]) == ["ε = 0.4"]
    app.switch_page("pages/privacy_loss.py").run()
    app.session_state["individual-view"] = "All releases"
    by_label(app.toggle, "Show everybody's own privacy loss").set_value(True).run()
