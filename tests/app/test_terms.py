"""Terms on the Data page that are not those in force look so."""

from __future__ import annotations

import pytest

from tests.app.test_pages import (
    CSV,
    by_label,
    in_use,
    mode,
    press_release,
    put_in_use,
    use_example,
    use_upload,
)
from tests.app.test_uploads import said, upload
from tests.conftest import assert_says


def marked(app):
    return next((w.value for w in app.warning if "not applied" in w.value), "")


@pytest.mark.parametrize(
    ("kind", "label", "value", "says"),
    [
        ("number_input", "Privacy budget ε", 2.0, "in force: **ε = 3"),
        ("button_group", "Neighboring relation", "add-remove", "in force: **substitution"),
        ("checkbox", "Every row is one person", False, "in force: **at most 1**"),
        ("selectbox", "Privacy definition", "ρ (zero-concentrated)", "**ε = 3"),
    ],
)
def test_a_term_that_was_only_typed_is_marked_with_what_is_in_force(
    open_page, kind, label, value, says
):
    app = use_upload(open_page)
    assert not marked(app)
    by_label(getattr(app, kind), label).set_value(value).run()
    assert says in marked(app)
    money = label in {"Privacy budget ε", "δ", "Privacy definition"}
    assert ("Manage the budget" in marked(app)) is money
    assert ("“Save”" in marked(app)) is not money
    put_in_use(app)
    # The budget of a table that the ledger knows is changed there alone.
    assert bool(marked(app)) is money


def test_a_lesson_goes_on_with_the_budget_that_is_typed(open_page):
    app = use_example(open_page)
    assert mode(app).value == "classroom"
    press_release(open_page("release"))
    app = open_page("data")
    by_label(app.number_input, "Privacy budget ε").set_value(0.25).run()
    assert "in force: **ε = 3" in marked(app)
    assert "Manage the budget" not in marked(app)
    assert "“Save”" in marked(app)
    put_in_use(app)
    assert "is spent already" in app.error[0].value
    by_label(app.number_input, "Privacy budget ε").set_value(2.0).run()
    put_in_use(app)
    assert not marked(app)
    assert lesson(open_page) == ("ε = 2, δ = 10⁻⁵", "ε = 0.5, δ = 0")


def test_a_lesson_waits_while_other_terms_or_another_table_are_in_use(open_page):
    assert mode(use_example(open_page)).value == "classroom"
    press_release(open_page("release"))
    app = open_page("data")
    by_label(app.button_group, "Neighboring relation").set_value("add-remove").run()
    assert_says(marked(app), "Earlier lesson results", "1 release.")
    put_in_use(app)
    assert lesson(open_page)[1] == "ε = 0, δ = 0"
    assert mode(use_upload(open_page)).value == "release"
    app = open_page("data")
    by_label(app.button_group, "Neighboring relation").set_value("substitution").run()
    assert mode(use_example(open_page)).value == "classroom"
    assert lesson(open_page)[1] == "ε = 0.5, δ = 0"


def test_a_chosen_mode_stays_whatever_table_is_put_in_use(open_page):
    app = use_example(open_page)
    assert mode(app).value == "classroom"
    app = upload(open_page("data"), CSV)
    assert "It begins in Live mode" in said(app)
    mode(app).set_value("release").run()
    by_label(app.sidebar.radio, "Mode").set_value("classroom").run()
    app = upload(open_page("data"), CSV)
    assert "It begins in" not in said(app)
    put_in_use(app)
    assert in_use(app) == "people\\.csv"
    assert "Classroom mode: results" in said(app)


def lesson(open_page):
    """Return the budget and what is spent of it."""
    app = open_page("budget")
    (progress,) = app.main.get("progress")
    return progress.proto.text.removeprefix("Budget: "), by_label(app.metric, "Spent").value
