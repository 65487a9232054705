"""The Regression page in process: every model on the examples, in both modes."""

from __future__ import annotations

import json

import pytest
from streamlit.testing.v1 import AppTest

from dpcore.relations import NeighboringRelation
from tests.app.asking import number
from tests.app.figures import figures
from tests.app.test_pages import (
    button,
    by_label,
    charts,
    fill,
    mode,
    price,
    put_in_use,
    release_button,
    release_buttons,
    use_example,
    use_upload,
)
from tests.app.test_questions import release, set_to, shown
from tests.conftest import PATIENCE, ROOT, assert_says

# The page, as app.py runs it.
FRAMED = f"""
import runpy

from ui import releasing, session

session.start()
with releasing.heard():
    runpy.run_path("{ROOT}/pages/regression.py")
"""
TABLE = "income,age,member\n" + "".join(
    f"{20 + i % 50 + i % 7},{20 + i % 60},{('yes', 'no')[i % 3 > 0]}\n" for i in range(300)
)


def clicked(app, label):
    button(app, label).click().run()
    return app


@pytest.mark.parametrize(
    ("key", "target", "models"),
    [
        ("fair", "affair", {"Logistic", "Linear"}),
        ("anes96", "own position", {"Linear", "Huber", "Poisson"}),
    ],
)
def test_page_offers_a_model_that_can_be_released_at_once(open_page, key, target, models):
    assert mode(use_example(open_page, key)).value == "classroom"
    app = open_page("regression")
    explain = by_label(app.selectbox, "Outcome")
    assert explain.options[explain.index] == target
    assert set(by_label(app.selectbox, "Model").options) == models
    assert not app.warning
    release(app)
    assert_says(shown(app), "in the units of the columns", "The released model beside the fit")
    drawn = [json.dumps(chart) for chart in charts(app)]
    assert all("Classroom" in chart for chart in drawn)
    assert sum("without noise" in chart for chart in drawn) == 1


def test_every_mechanism_releases_or_says_why_not(open_page):
    assert mode(use_example(open_page, "anes96")).value == "classroom"
    app = open_page("regression")
    for label in by_label(app.selectbox, "Mechanism").options:
        set_to(app, "selectbox", "Mechanism", label)
        if release_button(app).disabled:
            assert any("guarantees nothing" in warning.value for warning in app.warning)
            clicked(app, "Simulate another draw")
            continue
        set_to(app, "number_input", "ε for this release", 0.6)
        release(app)


def test_poisson_regression_is_never_released_but_simulated(open_page):
    assert mode(use_example(open_page)).value == "classroom"
    app = open_page("regression")
    set_to(app, "selectbox", "Model", "Poisson")
    assert release_button(app).disabled
    assert "no noise is enough" in shown(app)
    before = charts(app)
    clicked(app, "Simulate another draw")
    assert charts(app) != before


def test_release_mode_shows_nothing_of_the_fit_outside_its_area(open_page):
    use_upload(open_page, TABLE, 0.0, 100.0)
    app = open_page("regression")
    # It starts from declared columns; another one is asked for its bounds.
    by_label(app.multiselect, "Predictors").select("age").run()
    by_label(app.number_input, "Lower bound").set_value(0.0)
    by_label(app.number_input, "Upper bound").set_value(100.0).run()
    assert "Explained" not in [metric.label for metric in app.metric]
    assert not charts(app)
    release(app)
    (drawn,) = charts(app)
    assert "without noise" not in [trace.get("name") for trace in drawn["data"]]


def test_no_penalty_is_answered_with_what_to_do(open_page):
    assert mode(use_example(open_page, "fair")).value == "classroom"
    app = open_page("regression")
    by_label(app.checkbox, "Balance penalty and noise").uncheck().run()
    set_to(app, "number_input", "Penalty λ", 0.0)
    assert "every coefficient needs a public penalty" in shown(app)
    assert not release_buttons(app)


def test_numbers_in_units_have_intervals_where_the_noise_is_public(open_page):
    assert mode(use_example(open_page, "anes96")).value == "classroom"
    app = open_page("regression")
    release(app)
    table = app.dataframe[0].value
    found = [frame.value for frame in app.dataframe if "from" in frame.value.columns]
    assert len(found) == 1, table
    for low, middle, high in found[0][["from", "penalized coefficient", "to"]].map(number).values:
        assert low <= middle <= high
    assert "is another quantity" in shown(app)
    set_to(app, "selectbox", "Mechanism", "Posterior sample (OPS)")
    release(app)
    assert not [f for f in app.dataframe if "from" in f.value.columns]
    assert "No interval is known in these units" in shown(app)


def asked_of(open_page, people, most):
    """Return the page for the first people of the table and a public maximum."""
    text = "\n".join(TABLE.split("\n")[: people + 1]) + "\n"
    app = open_page("data")
    app.file_uploader[0].set_value(("people.csv", text.encode(), "text/csv")).run()
    fill(
        app,
        button_group={"Neighboring relation": NeighboringRelation.ADD_REMOVE},
        number_input={"Lower bound": 0.0, "Upper bound": 100.0},
    )
    put_in_use(app)
    app = open_page("regression")
    # Closed at first, with the controls of the penalty.
    return set_to(app, "number_input", "Public maximum number of people", most)


def test_release_mode_does_not_tell_whether_the_maximum_was_exceeded(open_page):
    said = set()
    for people in (250, 251, 300):
        app = asked_of(open_page, people, 250)
        assert_says(
            shown(app),
            "Only the first 250 people of the table are read",
            "the noise covers two moves of a row",
        )
        controls = [(box.label, str(box.value)) for box in app.number_input]
        said.add((str(controls), price(app)))
        release(app)
        assert not app.error
        assert len(charts(app)) == 1
    assert len(said) == 1


def test_the_error_of_the_penalty_stands_beside_that_of_the_noise(open_page):
    assert mode(use_example(open_page)).value == "classroom"
    app = open_page("regression")
    said = shown(app)
    assert_says(
        said,
        "Noise: RMS prediction error ≤ 7.4 visits",
        "Shrinkage (ridge penalty λ = 470): RMS prediction error ≤ 7.4 visits",
    )
    release(app)
    assert "They are not those of an ordinary least-squares fit" in shown(app)
    assert any(
        "by a penalty of 470, not those of an ordinary least-squares fit; values" in chart.alt
        for chart in figures(app)
    )
    fit = next(d.value for d in app.dataframe if "without the penalty" in d.value)
    assert list(fit["penalized coefficient"]) != list(fit["without the penalty"])
    assert "All coefficients together are" in shown(app)


def test_a_press_that_met_no_question_charges_nothing_when_one_comes_back(open_page):
    used = use_example(open_page)
    assert mode(used).value == "classroom"
    app = AppTest.from_string(FRAMED, default_timeout=PATIENCE)
    app.session_state = used.session_state
    features = by_label(app.run().multiselect, "Predictors")
    before = features.value
    features.set_value([])
    release_button(app).click().run()
    assert not app.metric
    assert "The release was not made" in shown(app)
    by_label(app.multiselect, "Predictors").set_value(before).run()
    assert not [one for one in app.button if (one.key or "").startswith("again-")]
