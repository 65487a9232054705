"""Dates and whole numbers on the pages: declared, derived, filtered and released."""

from __future__ import annotations

import datetime as dt
import re

from tests.app.asking import choose
from tests.app.test_data_page import status
from tests.app.test_pages import button, by_label, fill, in_use, margin, put_in_use
from tests.app.test_questions import release, set_to, shown

FIRST = dt.date(2024, 1, 1)
VISITS = "person;birth;admission;visits\n" + "".join(
    f"{100 + i};{FIRST - dt.timedelta(days=9000 + 40 * i):%d.%m.%Y};"
    f"{FIRST + dt.timedelta(days=i * 7 % 366):%d.%m.%Y};{i % 9}\n"
    for i in range(200)
)
DATE = re.compile(r"2024-\d{2}-\d{2}")


def uploaded(open_page, text=VISITS):
    app = open_page("data")
    app.file_uploader[0].set_value(("visits.csv", text.encode(), "text/csv")).run()
    return app


def day(app, label, value):
    set_to(app, "date_input", label, value)


def declare_dates(app):
    for place, first in ((1, dt.date(1920, 1, 1)), (2, FIRST)):
        choose(app, "Column", place)
        day(app, "First possible date", first)
        day(app, "Last possible date", dt.date(2024, 12, 31))
        assert not app.error
    return app


def test_types_and_date_formats_are_proposed_and_declared(open_page):
    app = uploaded(open_page)
    choose(app, "Column", 2)
    assert by_label(app.selectbox, "Type").value == "date"
    assert by_label(app.selectbox, "Dates are written as").value == "day-month-year"
    choose(app, "Column", 3)
    assert by_label(app.selectbox, "Type").value == "whole number"
    declare_dates(app)
    day(app, "First possible date", dt.date(2025, 1, 1))
    assert "must lie before the last" in app.error[0].value


def test_a_mean_and_a_histogram_of_dates_are_released_as_dates(open_page):
    app = declare_dates(uploaded(open_page))
    fill(app, selectbox={"Column": 0, "Type": "identifier"})
    put_in_use(app)
    assert in_use(app), shown(app)
    app = open_page("release")
    assert list(by_label(app.selectbox, "Column").options) == [*("birth", "admission", "visits")]
    choose(app, "Column", 2)
    assert "sum" not in by_label(app.selectbox, "Statistic").options
    choose(app, "Statistic", "mean")
    assert margin(app).value.endswith(" days")
    release(app)
    (metric,) = (one for one in app.metric if one.label.startswith("Private"))
    assert DATE.fullmatch(metric.value)
    choose(app, "Statistic", "histogram")
    assert by_label(app.selectbox, "Bins").value == "month"
    release(app)
    assert re.search(r"2024\\-\d\d", shown(app))
    choose(app, "Statistic", "median")
    release(app)
    (metric,) = (one for one in app.metric if one.label.startswith("Private"))
    assert DATE.fullmatch(metric.value)
    choose(app, "Statistic", "proportion")
    day(app, "Counts from", FIRST)
    day(app, "Counts up to", dt.date(2024, 6, 30))
    release(app)
    range_text = "admission from 2024\\-01\\-01 to 2024\\-06\\-30"
    assert any(range_text in one.label for one in app.metric)


def test_columns_are_derived_of_dates_and_rows_chosen_by_them(open_page):
    app = declare_dates(uploaded(open_page))
    app = opened(app, "new-columns")
    fill(app, selectbox={"Derived column": "age in years at a date", "At": "admission"})
    button(app, "Add the column").click().run()
    assert "age since birth at admission" in by_label(app.selectbox, "Column").options
    app = opened(app, "new-columns")
    choose(app, "Derived column", "days between two dates")
    button(app, "Add the column").click().run()
    assert "admission minus birth" in by_label(app.selectbox, "Column").options
    app = opened(app, "conditions")
    by_label(app.multiselect, "Columns with a condition").set_value(["admission"]).run()
    day(app, "admission from", dt.date(2024, 3, 1))
    day(app, "admission to", dt.date(2024, 3, 31))
    button(app, "Keep only these rows").click().run()
    assert "admission from 2024\\-03\\-01 to 2024\\-03\\-31" in shown(app)


def opened(app, start):
    """Open a folded part of the page, by how its key starts."""
    app.session_state[f"{start}-{app.session_state['_generation']}"] = True
    return app.run()


def test_dates_that_arrive_as_their_form_closes_are_declared(open_page, monkeypatch):
    app = uploaded(open_page)
    choose(app, "Column", 2)
    monkeypatch.setattr("tests.app.conftest._OPEN", set())
    by_label(app.date_input, "First possible date").set_value(FIRST)
    day(app, "Last possible date", dt.date(2024, 12, 31))
    app.run()
    assert not [box for box in app.date_input if box.label == "First possible date"]
    assert status(app, "admission") == "ready"
