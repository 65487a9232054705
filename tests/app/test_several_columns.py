"""Covariances, correlations and covariance matrices, followed over the pages."""

from __future__ import annotations

import numpy as np
import pytest

from dpcore.mechanisms.covariances import matrix_of
from tests.app.asking import choose, edit_shares, go, use_survey
from tests.app.figures import figures
from tests.app.test_pages import by_label, fill, release_button, release_buttons, use_example
from tests.app.test_questions import set_to, shown


def table(app, column):
    return next(d.value for d in app.dataframe if column in d.value)


def test_covariance_is_released_and_compared_as_one_number(open_page, follow):
    use_survey(open_page)
    app = choose(go(open_page("release"), "release"), "Statistic", "covariance")
    fill(app, selectbox={"Mechanism": "truncated", "And": 1})
    seen = follow(app)
    assert seen.title == "covariance of age and weight"
    assert len(seen.answer) == 1
    assert {"row", "age in use", "weight in use"} <= set(seen.exposed)
    assert "RMSE at ε" in seen.tradeoffs


def test_correlation_follows_from_what_is_released(open_page, follow):
    use_survey(open_page)
    app = choose(open_page("release"), "Statistic", "correlation")
    set_to(app, "number_input", "ε for this release", 30.0)
    seen = follow(app)
    first, second, product = seen.answer
    go(app, "release")
    metric = by_label(app.metric, "Private correlation of age and income")
    assert float(metric.value.replace("−", "-")) == pytest.approx(
        product / np.sqrt(first * second), abs=0.01
    )
    assert "The correlation in this table lies from " in shown(app)
    computed = "orrelation of age and income, values of age clamped between 0 and"
    assert any(computed in chart.alt for chart in figures(app))
    assert "RMSE of the correlation of age and income" in seen.tradeoffs
    assert by_label(app.selectbox, "Statistic").value == "correlation"


def each_number(app, name):
    """Return a column of the table of all numbers, unfolded."""
    app.session_state["folded-numbers"] = True
    return table(app.run(), name)[name]


def test_six_columns_of_a_survey_with_each_split_of_the_budget(open_page, follow):
    use_example(open_page)
    app = choose(open_page("release"), "Statistic", "covariance matrix")
    by_label(app.multiselect, "Together with").set_value([0, 1, 2, 3, 4]).run()
    assert by_label(app.metric, "Numbers released").value == "21"
    titles = set()

    assert np.ptp(each_number(app, "asked ε")) == pytest.approx(0, abs=1e-12)
    seen = follow(app)
    assert len(seen.answer) == 21
    assert matrix_of(np.array(seen.answer)).shape == (6, 6)
    assert len([name for name in seen.exposed if name.endswith(" in use")]) == 6
    assert "RMSE of the var(" in seen.tradeoffs
    titles.add((seen.title, *seen.answer))

    choose(go(app, "release"), "Split the budget", "same noise on all")
    assert np.ptp(each_number(app, "noise scale")) < 1e-6 * 21

    choose(go(app, "release"), "Split the budget", "own shares")
    edit_shares(app, {0: (40.0, True)})
    asked = each_number(app, "asked ε")
    assert asked[0] == pytest.approx(0.4 * 0.5)
    assert asked[1:].to_numpy() == pytest.approx(np.full(20, 0.6 * 0.5 / 20))
    assert "var(visits) 40%, var(coinsurance) 3%" in shown(app)
    seen = follow(app)
    titles.add((seen.title, *seen.answer))
    # Two questions, not one that is answered twice for free.
    assert len(titles) == 2


@pytest.mark.parametrize(
    ("share", "locked", "message"),
    [
        (30.0, True, "All shares are locked and add up to 180%"),
        (0.0, False, "Every share of the budget must be positive"),
    ],
)
def test_shares_that_do_not_fit_are_explained(open_page, share, locked, message):
    use_survey(open_page)
    app = choose(open_page("release"), "Statistic", "covariance matrix")
    choose(app, "Split the budget", "own shares")
    edit_shares(app, dict.fromkeys(range(6), (share, locked)))
    assert message in shown(app).replace("\\", "")
    assert not figures(app)
    assert not release_buttons(app)
    choose(app, "Split the budget", "equal parts")
    assert not release_button(app).disabled
