"""The Sensitivity explorer: every statistic, every neighbor, every way to edit."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from streamlit.testing.v1 import AppTest

from dpcore.data.bounds import Interval
from dpcore.studies.teaching.explorable import EXPLORABLE
from dpcore.studies.teaching.neighbors import worst_neighbor
from dpcore.studies.teaching.small_tables import RecordChange, TableSetting
from tests.app.test_pages import button, by_label, charts, fill
from tests.app.test_questions import set_to, shown
from tests.conftest import assert_says, everything
from ui.sensitivity_explorer import COLUMNS, PRESETS, START, ExplorerQuery, as_table, preset, read

BOUNDS = Interval(lower=0.0, upper=100.0)
SETTING = TableSetting(bounds=BOUNDS, groups=4)


def message(app):
    return app.header[0].value.replace("\\", "")


def edited(app, **state):
    """Type into the table, as the widget reports it."""
    key = app.data_editor[0].key
    app.session_state[key] = {"edited_rows": {}, "added_rows": [], "deleted_rows": []} | state
    app.run()
    return app


def frame(*rows):
    return pd.DataFrame(rows, columns=COLUMNS)


@pytest.fixture
def page(open_page):
    return open_page("sensitivity")


def test_every_statistic_answers_under_every_relation(page):
    changes = [*RecordChange]
    for place, key in enumerate(EXPLORABLE):
        set_to(page, "selectbox", "Statistic", key)
        for change in changes if everything() else changes[place % 2 :: 2]:
            set_to(page, "selectbox", "Neighboring datasets", change)
            assert not page.error
            assert "over all tables" in message(page)
            assert len(charts(page)) == 2


def test_message_is_that_of_the_table(page):
    assert message(page) == (
        "Here one person can move the mean by at most 12, and over all tables by 12.5"
    )
    said = shown(page).replace("\\", "")
    assert_says(
        said,
        "8 people at 0; one going from 0 to 100 moves it by 12.5",
        "Confidential for a real table",
    )


def test_worst_table_reaches_the_worst_case(page):
    for key in ("mean", "median", "standard-deviation", "pooled-variance"):
        set_to(page, "selectbox", "Statistic", key)
        button(page, PRESETS["worst"]).click().run()
        assert by_label(page.metric, "Local ÷ global").value == "100%"


def test_slider_moves_the_selected_person_and_the_table_follows(page):
    fill(page, selectbox={"Person to move": "Ana"}, slider={"Ana’s value": 77.0})
    assert page.data_editor[0].value["value"].tolist()[0] == 77.0
    assert by_label(page.slider, "Ana’s value").value == 77.0
    fill(page, selectbox={"Statistic": "covariance"}, slider={"Ana’s second value": 5.0})
    assert page.data_editor[0].value["second value"].tolist()[0] == 5.0
    fill(page, selectbox={"Statistic": "pooled-variance", "Ana’s group": "D"})
    assert page.data_editor[0].value["group"].tolist()[0] == "D"


def click(position):
    # Runs as a script of its own.
    import streamlit as st  # noqa: PLC0415

    from ui import sensitivity_explorer, session  # noqa: PLC0415

    sensitivity_explorer.choose(position)
    st.text(session.public("explorer-person"))


@pytest.mark.parametrize(
    ("position", "chosen"), [(2, "Cem"), (7, "Hal"), (None, "None"), (99, "None"), (-1, "None")]
)
def test_click_selects_a_person(position, chosen):
    assert AppTest.from_function(click, args=(position,)).run().text[0].value == chosen


def test_typed_values_count_and_survive_another_statistic(open_page):
    app = edited(open_page("sensitivity"), edited_rows={7: {"value": 50}})
    assert "move the mean by at most 11," in message(app)
    set_to(app, "selectbox", "Statistic", "covariance")
    assert app.data_editor[0].value["value"].tolist()[-1] == 50
    set_to(app, "selectbox", "Statistic", "mean")
    assert "move the mean by at most 11," in message(app)


def test_empty_table_says_what_to_do_and_can_be_filled_again(open_page):
    app = edited(open_page("sensitivity"), deleted_rows=list(range(8)))
    assert "The table is empty" in app.info[0].value
    for label in PRESETS.values():
        button(app, label).click().run()
    set_to(app, "number_input", "People", 5)
    assert "over all tables" in message(app)


def test_private_number_breaks_the_promise(page):
    fill(
        page,
        radio={"Question": "Is the number of people public?"},
        slider={"People in the table": 5},
    )
    assert by_label(page.metric, "BIT, n private").value == "ε = 1.03"
    assert by_label(page.metric, "Laplace, n private").value == "no finite ε"
    assert len(charts(page)) == 2


def test_reading_fills_in_what_is_missing():
    people, words = read(
        frame(
            ("Ben", 10, None, "A"),
            (None, "x", 3, "B"),
            (None, np.inf, -np.inf, "Z"),
            (np.nan, 20, 30, None),
        ),
        SETTING,
    )
    assert people == (("Ben", 10, 50, "A"), ("Ana", 100, 0, "D"), ("Cem", 20, 30, "D"))
    assert words == [
        "1 row without a value left out.",
        "1 row beyond the bounds moved to the nearest bound.",
    ]


@pytest.mark.parametrize("key", PRESETS)
@pytest.mark.parametrize("n", [1, 2, 5, 12])
@pytest.mark.parametrize("statistic", ["mean", "correlation", "pooled-variance"])
def test_presets_stay_inside_the_bounds(key, n, statistic):
    rows = as_table((START * 2)[:n], 0, SETTING).rows
    question = ExplorerQuery(key=statistic, setting=SETTING, change=RecordChange.SUBSTITUTION)
    got = preset(key, rows, question)
    assert got.shape == (n, 3)
    assert np.isfinite(got).all()
    assert (got[:, :2] >= 0).all()
    assert (got[:, :2] <= 100).all()
    assert worst_neighbor(question.statistic, got, SETTING, RecordChange.SUBSTITUTION).local >= 0
