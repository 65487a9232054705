"""Releases through bounded noise: asked, priced, drawn, charged, described."""

import pytest

from dpcore.mechanisms.catalog import EVERY
from tests.app.asking import choose, go, shown, use_survey
from tests.app.test_questions import release, set_to

pytestmark = pytest.mark.app


@pytest.mark.parametrize(("key", "kind"), [("limited", "mean"), ("bit-discrete", "histogram")])
def test_release_costs_its_delta_and_is_described(open_page, key, kind):
    app = use_survey(open_page)
    app = go(app, "release")
    if kind == "histogram":
        choose(app, "Column", 3)
    choose(app, "Statistic", kind)
    choose(app, "Mechanism", key)
    set_to(app, "number_input", "ε for this release", 0.5)
    costs = "ε = 0.5"
    if EVERY[key].needs_delta:
        set_to(app, "number_input", "δ for this release", 1e-7)
        costs += ", δ = 10⁻⁷"
    release(app)
    assert f"{EVERY[key].label}, noise scale" in shown(app)
    assert f"Cost: {costs}" in shown(app)
    row = app.dataframe[-1].value.iloc[0]
    assert row["privacy cost"] == costs
    for page in ("accuracy", "privacy_loss"):
        assert not go(app, page).exception
        assert app.session_state["mechanism"] == key
