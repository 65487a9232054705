"""The resized bootstrap in process: simulated, on a column, refused and released."""

from __future__ import annotations

import pytest

from dpcore.analyses.resized import Form
from dpcore.data.columns import MissingPolicy
from tests.app.test_pages import (
    by_label,
    charts,
    fill,
    leave_out,
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
    assert "**9.52%**, where the claim" in text
    assert text.count("the fewest that come to 95%") == 1
    assert_says(
        text, "9.52%", "ε = 0.643 at δ = 10⁻⁶ for one score, 2.97 for 30", "9.9 times the claim"
    )
    assert len(charts(page)) == 1


@pytest.mark.parametrize("station", STATIONS)
def test_every_station_opens(page, station):
    page.session_state["resized-station"] = station
    page.run()
    assert len(charts(page)) == (2 if station == "Fair comparison" else 1)


def test_claimed_epsilon_is_taken_by_its_decimals(page):
    fill(page, number_input={"People": 100}, selectbox={"Sample size set by": "claimed ε = 1/Z"})
    by_label(page.number_input, "Claimed ε").set_value(0.07).run()
    assert "7 of 100 rows are drawn" in shown(page)


@pytest.mark.parametrize(
    ("label", "value", "message"),
    [
        ("Z", 1000.0, "strictly between 0 and the number of people"),
        ("People with the trait", 1001, "At most 1,000 people"),
        ("People", 5, "At most 5 people"),
    ],
)
def test_what_does_not_go_together_is_explained(page, label, value, message):
    by_label(page.number_input, label).set_value(value).run()
    assert message in page.info[0].value.replace("\\", "")
    assert not charts(page)


def test_words_follow_the_numbers(page):
    assert "is rarely drawn lowers it to 0.1" in shown(page)
    by_label(page.number_input, "Z").set_value(1.0).run()
    # As many draws as rows: a person may come up several times.
    text = shown(page)
    assert_says(text, "may be drawn several times raises it to 0.1")
    by_label(page.number_input, "Scores released").set_value(1).run()
    assert "1 score proves it with probability 63.2%; 3 are enough" in shown(page)
    assert "1 scores" not in shown(page)
    by_label(page.number_input, "People with the trait").set_value(1000).run()
    assert "A trait that all have" in shown(page)
    assert "0 times the claim" not in shown(page)


@pytest.mark.parametrize("ones", [0, 1, 1000])
def test_extreme_tables_are_shown(page, ones):
    by_label(page.number_input, "People with the trait").set_value(ones).run()
    for station in (*STATIONS[2:4], STATIONS[5]):
        page.session_state["resized-station"] = station
        page.run()
        assert not page.info


def test_one_person_is_always_drawn(page):
    fill(page, number_input={"People with the trait": 1, "People": 1, "Z": 0.5})
    assert page.metric[1].delta == "δ = 1 at every ε"


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


@pytest.mark.parametrize("column", [0, 1])
def test_repaired_form_of_a_file_is_released_and_listed(open_page, column):
    app = own(open_page, column)
    assert price(app) == "ε = 0.1"
    assert "As published it cannot be released" in shown(app)
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
    assert_says(text, "In this table: 10 people of 200.", "Own ε from one repaired answer")
    assert len(charts(app)) == 1
    for station in STATIONS[1::2]:
        app.session_state["resized-own-station"] = station
        app.run()
        assert not app.error


def test_mean_of_a_column_has_errors_and_no_finite_loss_as_published(open_page):
    app = own(open_page, 0)
    app.toggle[0].set_value(True).run()
    assert "Typical error, as published" in [metric.label for metric in app.metric]
    assert "no finite loss can be guaranteed" in shown(app)


def test_share_above_a_number_can_be_asked(open_page):
    app = own(open_page, 0)
    fill(
        app,
        selectbox={"Question": "share of people at or above a number"},
        number_input={"At or above": 65.0},
    )
    app.toggle[0].set_value(True).run()
    assert "In this table: 20 people of 200." in shown(app)


def test_published_form_can_be_drawn_in_the_classroom_only(open_page):
    app = own(open_page, 1)
    assert not [radio for radio in app.radio if radio.label == "What to draw"]
    mode(app).set_value("classroom").run()
    app = open_page("resized")
    fill(app, radio={"Data": "my column", "What to draw": Form.PUBLISHED})
    assert price(app).startswith("ε = 0, δ = 0.09")
    # It costs more than any sensible budget has.
    assert release_button(app).disabled
    assert "is left" in app.warning[0].value


def test_private_number_of_people_is_refused_with_what_to_do(open_page):
    leave_out(use_upload(open_page, "age,smoker\n" + "30,yes\n40,no\n" * 50), column=1)
    app = open_page("resized")
    fill(app, radio={"Data": "my column"}, selectbox={"Column": 1})
    assert "Impute missing values" in app.info[0].value
    assert not charts(app)
