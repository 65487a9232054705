"""What an answer says of itself: what was computed, from whom, how far off it is."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from dpcore.formatting import in_full, significant
from tests.app.figures import figures
from tests.app.test_declarations import reloaded
from tests.app.test_pages import (
    again_button,
    button,
    by_label,
    fill,
    put_in_use,
    release_button,
    use_upload,
)
from tests.app.test_questions import release, set_to, shown
from tests.conftest import assert_says, few
from tests.releases.test_rebuilding import REQUESTS
from ui.answering.answers import biases_of

PAY = np.random.default_rng(1).lognormal(11.0, 0.6, 812).round(0)
PAY[::40] = np.nan
CSV = "pay,who\n" + "".join(
    f"{'' if np.isnan(pay) else pay},{who}\n" for who, pay in enumerate(PAY)
)
STATEMENT = (
    "Mean of pay, values clamped between 15,000 and 150,000; missing values imputed as 82,500"
)
COMPUTED = float(pd.Series(PAY).fillna(82_500).clip(15_000, 150_000).mean())
RAW = float(np.nanmean(PAY))


@pytest.fixture
def pay(open_page):
    def use(*, everybody=False, app=None, unit="euros"):
        app = app or open_page("data")
        app.file_uploader[0].set_value(("pay.csv", CSV.encode(), "text/csv")).run()
        fill(
            app,
            number_input={"Lower bound": 15_000.0, "Upper bound": 150_000.0},
            text_input={"Unit": unit, "Meaning": "gross pay a year"},
        )
        if everybody:
            holds = by_label(app.button_group, "The data are")
            holds.set_value("the whole population (census)").run()
        put_in_use(app)
        app.switch_page("pages/release.py").run()
        return app

    return use


CURATOR = "Show the true value and everybody's loss"


def test_the_curator_alone_sees_the_bias_and_before_a_release(pay):
    app = pay()
    numbers = [significant(value, 4) for value in (COMPUTED, RAW, COMPUTED - RAW)]
    assert not any(number in shown(app) for number in numbers)
    by_label(app.toggle, CURATOR).set_value(True).run()
    below, above = int((PAY < 15_000).sum()), int((PAY > 150_000).sum())
    assert f"clamped {below} low, {above} high" in shown(app)
    release(app)
    (chart, _) = figures(app)
    drawn = {trace["name"]: trace["x"] for trace in chart.json["data"]}
    assert drawn["true value, clamped"] == [pytest.approx(COMPUTED)]
    assert drawn["raw data"] == [pytest.approx(RAW)]
    assert significant(abs(COMPUTED - RAW)) in chart.alt


def test_the_curator_sees_the_bias_of_answers_from_resamples_too(pay):
    app = pay()
    app.session_state["se-station"] = "Your table"
    app.session_state["ss-view"] = "Release from a sample"
    app.session_state["resized-data"] = "my column"
    for page in ("standard_errors", "subsampling", "resized"):
        app.switch_page(f"pages/{page}.py").run()
        assert "After clamping and imputation" not in {metric.label for metric in app.metric}
        (toggle,) = [each for each in app.toggle if "bounds and missing" in each.label]
        toggle.set_value(True).run()
        off = by_label(app.metric, "Bias").value
        assert off == f"{significant(COMPUTED - RAW, 4)} euros"


def test_everybody_has_no_sampling_error(pay, monkeypatch):
    files = []
    monkeypatch.setattr("ui.results.file_name", lambda releases: files.extend(releases) or "text")
    app = pay(everybody=True)
    assert "Sampling error: none" in shown(app)
    app = release(app)
    (chart,) = figures(app)
    assert "for the population" not in chart.alt
    assert "noise and sampling" not in chart.spec
    assert "for the data" in chart.alt
    assert all(release.intervals.total is None for release in files)
    assert files


def test_a_sample_has_a_sampling_error_in_words_picture_and_files(pay, monkeypatch):
    files = []
    monkeypatch.setattr("ui.results.file_name", lambda releases: files.extend(releases) or "text")
    (chart,) = figures(release(pay()))
    assert "for the population" in chart.alt
    assert files[0].intervals.total is not None
    assert files[0].statement == STATEMENT[0].lower() + STATEMENT[1:]


def listed(app):
    return [d.value for d in app.dataframe if "privacy cost" in d.value]


def test_the_first_real_spending_is_confirmed_and_later_ones_are_not(pay):
    app = pay()
    release_button(app).click().run()
    release_button(app).click().run()
    assert not listed(app)
    assert_says(shown(app), "first real release", "ε = 0.5")
    button(app, "Cancel").click().run()
    assert not any(each.label.startswith("Spend ") for each in app.button)
    release_button(app).click().run()
    # Another question is another spending.
    set_to(app, "number_input", "ε for this release", 0.4)
    assert not any(each.label.startswith("Spend ") for each in app.button)
    release_button(app).click().run()
    button(app, "Spend ε = 0.4").click().run()
    assert len(listed(app)[0]) == 1
    set_to(app, "number_input", "ε for this release", 0.3)
    release_button(app).click().run()
    assert len(listed(app)[0]) == 2
    assert not any(each.label.startswith("Spend ") for each in app.button)
    # Another tab has a hand of its own, which has not been asked.
    app = pay(app=reloaded())
    set_to(app, "number_input", "ε for this release", 0.4)
    assert release_button(app).label == "Released ✓"
    again_button(app).click().run()
    assert "2 releases were made about these people before" in shown(app)
    assert len(listed(app)[0]) == 2
    app.session_state["_drawn"] = 0.0  # long ago
    button(app, "Spend ε = 0.4").click().run()
    assert len(listed(app)[0]) == 3
    set_to(app, "number_input", "ε for this release", 0.2)
    release_button(app).click().run()
    assert len(listed(app)[0]) == 4


CHARGED = {
    "release": ["ε for this release", "δ for this release"],
    "regression": ["ε for this release", "δ for this release"],
    "standard_errors": ["ε for this release", "δ"],
    "subsampling": ["ε for this release"],
    "resized": ["ε of the repair"],
    "data": ["Privacy budget ε", "δ"],
}


@pytest.mark.parametrize("name", few(3, *CHARGED))
def test_a_number_that_cannot_be_charged_stays_in_its_box_and_is_refused(open_page, name):
    app = use_upload(open_page)
    app.session_state["se-station"] = "Your table"
    app.session_state["se-way"] = "one shot"
    app.session_state["ss-view"] = "Release from a sample"
    app.session_state["resized-data"] = "my column"
    app.session_state["mechanism"] = "gaussian"
    app.switch_page(f"pages/{name}.py").run()
    start = "Save" if name == "data" else "Release"

    def last():
        return [one for one in app.button if one.label.startswith(start)]

    assert not last()[0].disabled
    for label in CHARGED[name]:
        before = by_label(app.number_input, label).value
        for wrong in (1e9, -1.0):
            set_to(app, "number_input", label, wrong)
            assert by_label(app.number_input, label).value == wrong
            assert f"With {in_full(wrong)} nothing is charged" in literal(app)
            assert not last()
        set_to(app, "number_input", label, before)
        assert not last()[0].disabled


def literal(app):
    return shown(app).replace("\\", "")


def test_a_draw_that_cannot_be_paid_for_is_not_offered(pay):
    app = pay()
    set_to(app, "number_input", "ε for this release", 2.0)
    release(app)
    assert again_button(app).disabled
    assert "ε = 1 left; no other like this fits" in shown(app)
    set_to(app, "number_input", "ε for this release", 1.0)
    release(app)
    assert again_button(app).disabled


@pytest.mark.parametrize(
    ("name", "biases"),
    [
        ("mean", "clamping and imputation"),
        ("by group", "clamping and imputation"),
        ("count of everybody", ""),
    ],
)
def test_an_interval_leaves_out_the_biases_that_its_question_has(name, biases):
    assert biases_of(REQUESTS[name]) == biases
