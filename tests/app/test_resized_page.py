"""The resized bootstrap in process: simulated, on a column, refused and released."""

from __future__ import annotations

import pytest

from dpcore.analyses.resized import Form
from dpcore.data.columns import MissingPolicy
from tests.app.test_pages import (
    charts,
    fill,
    mode,
    press_release,
    price,
    release_button,
    use_upload,
)
from tests.app.test_study2 import shown
from tests.conftest import assert_says

TABLE = "age,smoker\n" + "".join(
    f"{20 + i % 50},{'yes' if i % 20 == 0 else 'no'}\n" for i in range(200)
)
STATIONS = ("Which ε holds", "Proof", "Averages", "Scores", "Errors", "Fair comparison")


@pytest.fixture
def page(open_page):
    return open_page("resized")


def test_first_view_shows_claim_measurement_and_repair(page):
    assert [metric.value for metric in page.metric if metric.label == "Privacy"] == [
        "ε = 0.1",
        "no finite ε",
        "ε = 0.1",
    ]
    assert page.metric[1].delta == "δ = 0.0952 at every ε"
    text = shown(page)
    assert "**9.52%**, and the claim" in text
    assert text.count("30 scores prove") == 1
    assert_says(
        text, "9.52%", "ε = 0.643 at δ = 10⁻⁶ for one score, 2.97 for 30", "9.9 times the claim"
    )
    assert len(charts(page)) == 1


def own(open_page, column):
    """Choose a column of an upload, and count people without a value as well."""
    use_upload(open_page, TABLE)
    app = open_page("resized")
    fill(app, radio={"Data": "my column"}, selectbox={"Column": column})
    if app.info:
        # People without a value make the number of people private.
        assert "public number of people" in app.info[0].value.replace("\\", "")
        unfold(app, column)
        fill(
            app,
            selectbox={
                "If a value is missing": MissingPolicy.REPLACE,
                "Impute missing values with": "no",
            },
        )
    assert not app.info
    return app


def unfold(app, column):
    app.session_state[f"resized-bounds-{session_number(app)}-{column}"] = True
    app.run()


def session_number(app):
    """Return the number of the table in use, which keys of its widgets end with."""
    return next(box.key for box in app.selectbox if box.label == "Column").removeprefix("column-")


def test_repaired_form_of_a_file_is_released_and_listed(open_page):
    app = own(open_page, 1)
    assert price(app) == "ε = 0.1"
    assert "The published version cannot be released" in shown(app)
    press_release(app)
    assert not app.error
    assert next(m for m in app.metric if m.label.startswith("Private")).value
    app.switch_page("pages/budget.py").run()
    row = next(d.value for d in app.dataframe if "mechanism" in d.value).iloc[0]
    assert row["privacy cost"] == "ε = 0.1"
    assert row["mechanism"] == "Resampled mean with Laplace noise"


def test_column_itself_is_shown_to_the_curator_only(open_page):
    app = own(open_page, 1)
    assert "In this table" not in shown(app)
    assert not charts(app)
    app.toggle[0].set_value(True).run()
    text = shown(app)
    assert_says(text, "In this table: 10 people of 200.", "Own ε of one repaired answer")
    assert len(charts(app)) == 1
    for station in STATIONS[1::2]:
        app.session_state["resized-own-station"] = station
        app.run()
        assert not app.error


def test_published_form_can_be_drawn_in_the_classroom_only(open_page):
    app = own(open_page, 1)
    assert not [radio for radio in app.radio if radio.label == "Version"]
    mode(app).set_value("classroom").run()
    app = open_page("resized")
    fill(app, radio={"Data": "my column", "Version": Form.PUBLISHED})
    assert price(app).startswith("ε = 0, δ = 0.09")
    # It costs more than any sensible budget has.
    assert release_button(app).disabled
    assert "is left" in app.warning[0].value
