"""Subsampling in process: every view, its edges, and a release from a sample."""

from __future__ import annotations

import pytest

from tests.app.test_pages import (
    CSV,
    by_label,
    charts,
    fill,
    put_in_use,
    release_buttons,
    use_upload,
)
from tests.app.test_questions import release, set_to, shown
from tests.conftest import few

SHARE = "Share of rows in the sample, %"


def look_at(app, view):
    app.session_state["ss-view"] = view
    app.run()
    assert not app.error
    return app


@pytest.fixture
def view(open_page):
    return lambda name: look_at(open_page("subsampling"), name)


def metrics(app):
    return {metric.label: metric.value for metric in app.metric}


def test_claim_measurement_and_truth_stand_side_by_side(view):
    app = view("Claim and truth")
    found = metrics(app)
    assert found["Claimed: at most"] == "ε = 0.2"
    assert found["Exact"] == "ε = 0.159"
    assert found["Measured by simulation"].startswith("0.1")
    text = shown(app)
    said = app.markdown[1].value
    assert "claims ε = 0.397, and the cost is **2.19** (δ = 10⁻⁶)" in said
    for number in (
        "q = 0.797",
        "1.718 q",
        "0.551%",
        "multiplies ρ of zCDP by q²",
        "**fails**",
        "**depends**",
    ):
        assert number in text
    assert text.count("**holds**") == 5
    assert len(charts(app)) == 1
    set_to(app, "number_input", "ε on the sample", 20.0)
    assert metrics(app)["Measured by simulation"] == "too rare to measure"
    # A bound above the level of all rows says nothing, and is not quoted.
    assert metrics(app)["Claimed: at most"] == "ε = 20"
    assert "bound is trivial" in app.metric[0].delta
    assert "48.6 million" not in shown(app)
    set_to(app, "slider", "Sampling rate", 1.0)
    assert metrics(app)["Exact"] == "ε = 20"


@pytest.mark.parametrize("mechanism", few(1, "laplace", "gaussian"))
def test_upload_is_released_from_a_sample(open_page, mechanism):
    use_upload(open_page)
    app = look_at(open_page("subsampling"), "Release from a sample")
    set_to(app, "selectbox", "Mechanism", mechanism)
    assert not charts(app)
    release(app)
    found = metrics(app)
    label = next(name for name in found if name.startswith("Private"))
    before = found[label]
    assert len(charts(app)) == 1
    # The same question has the same answer, and nothing of the table is shown.
    assert release_buttons(app)[0].disabled
    assert metrics(app.run())[label] == before
    set_to(app, "slider", SHARE, 100.0)
    assert "subsampling has no effect" in shown(app)
    app = open_page("budget")
    assert "secret sample" in app.dataframe[-1].value["mechanism"].iloc[0]
    assert metrics(app)["Spent"].startswith("ε = 0.5")


def test_private_number_of_people_is_sampled_with_one_chance(open_page):
    app = open_page("data")
    app.file_uploader[0].set_value(("people.csv", CSV.encode(), "text/csv")).run()
    fill(
        app,
        number_input={"Lower bound": 0.0, "Upper bound": 100.0},
        button_group={"Neighboring relation": "add-remove"},
    )
    set_to(app, "number_input", "Public minimum number of people", 100)
    put_in_use(app)
    app = look_at(open_page("subsampling"), "Release from a sample")
    assert "each row with the same probability" in shown(app)
    set_to(app, "selectbox", "Statistic", "sum")
    release(app)
    assert any(name.startswith("Private") for name in metrics(app))


def test_losses_on_a_sample_stay_in_the_confidential_area(open_page):
    app = use_upload(open_page)
    app = look_at(open_page("subsampling"), "Release from a sample")
    toggle = by_label(app.toggle, "Show the privacy loss of each person")
    assert not charts(app)
    toggle.set_value(True).run()
    assert len(charts(app)) == 1
    app = look_at(open_page("subsampling"), "Does it pay?")
    assert len(charts(app)) == 1
    by_label(app.toggle, "Show the error for your column").set_value(True).run()
    assert len(charts(app)) == 2
