"""What was typed for one table is not there for the next one."""

from __future__ import annotations

import pytest
from streamlit.testing.v1 import AppTest

from dpcore.data.columns import MissingPolicy
from tests.app.asking import choose, go
from tests.app.test_pages import by_label, fill, in_use, put_in_use
from tests.app.test_questions import set_to
from tests.app.test_uploads import said, upload

FIRST = "age,party\n" + "".join(f"{20 + i % 60},{'ab'[i % 2]}\n" for i in range(200))
OTHER = "pay,ward\n" + "".join(f"{900 + i % 70},{'xy'[i % 2]}\n" for i in range(150))
TERMS = {
    ("button_group", "Neighboring relation"): "add-remove",
    ("number_input", "Public minimum number of people"): 150,
    ("number_input", "Privacy budget ε"): 7.0,
    ("number_input", "δ"): 1e-7,
    ("button_group", "The data are"): "the whole population (census)",
    ("text_input", "Name of one row"): "person",
}
ASKED = {
    ("selectbox", "Statistic"): "histogram",
    ("number_input", "Bins of equal width"): 23,
    ("selectbox", "Mechanism"): "gaussian",
    ("number_input", "δ for this release"): 1e-7,
    ("number_input", "ε for this release"): 0.25,
}


def state(app, settings):
    """The settings on screen, with ``None`` for what is not there."""
    found = {}
    for kind, label in settings:
        boxes = [one for one in getattr(app.main, kind) if one.label == label]
        found[kind, label] = boxes[0].value if boxes else None
    return found


def use_first(open_page):
    """Put a table in use with settings of its own on Data and on Release."""
    app = upload(open_page("data"), FIRST)
    fill(app, selectbox={"Column": 0}, number_input={"Lower bound": 18.0, "Upper bound": 81.0})
    set_to(app, "selectbox", "If a value is missing", MissingPolicy.DROP)
    for (kind, label), value in TERMS.items():
        set_to(app, kind, label, value)
    put_in_use(app)
    assert in_use(app), said(app)
    app = open_page("release")
    choose(app, "Column", 0)
    for (kind, label), value in ASKED.items():
        set_to(app, kind, label, value)
    assert state(app, ASKED) == ASKED
    return app


def bound(app, column=0):
    fill(
        app, selectbox={"Column": column}, number_input={"Lower bound": 0.0, "Upper bound": 2000.0}
    )


def test_nothing_of_a_table_is_there_for_one_with_other_columns(open_page):
    use_first(open_page)
    app = upload(open_page("data"), OTHER)
    assert state(app, TERMS) == {
        ("button_group", "Neighboring relation"): "substitution",
        ("number_input", "Public minimum number of people"): 100,
        ("number_input", "Privacy budget ε"): 3.0,
        ("number_input", "δ"): 1e-5,
        ("button_group", "The data are"): "a sample",
        ("text_input", "Name of one row"): "person",
    }
    assert "declared before" not in said(app)
    assert "relation" not in app.query_params
    assert by_label(app.number_input, "Lower bound").value is None
    bound(app)
    assert by_label(app.selectbox, "If a value is missing").value is MissingPolicy.REPLACE
    put_in_use(app)
    assert in_use(app), said(app)
    app = go(app, "release")
    assert state(app, ASKED)["selectbox", "Statistic"] != "histogram"
    fill(app, selectbox={"Column": 0, "Statistic": "histogram"})
    anew = state(app, ASKED)
    assert anew["number_input", "Bins of equal width"] == 10
    assert anew["selectbox", "Mechanism"] == "laplace"
    assert anew["number_input", "ε for this release"] == 0.5
    set_to(app, "selectbox", "Mechanism", "gaussian")
    assert by_label(app.number_input, "δ for this release").value == 1e-6


def test_a_link_names_the_relation_of_the_first_table_alone(open_page):
    text = "Add/remove: a person is there or not; the number of people is private"
    app = open_page("about")
    app.query_params["relation"] = text
    app = upload(open_page("data"), FIRST)
    assert by_label(app.button_group, "Neighboring relation").value == "add-remove"
    app = upload(app, OTHER)
    assert by_label(app.button_group, "Neighboring relation").value == "substitution"


def test_losses_are_of_the_change_that_the_guarantee_of_the_next_table_is_about(open_page):
    use_first(open_page)
    app = open_page("privacy_loss")
    compared = by_label(app.radio, "Compared with")
    assert compared.value == "add-remove"
    app = upload(open_page("data"), OTHER)
    bound(app)
    put_in_use(app)
    app = go(app, "privacy_loss")
    assert by_label(app.radio, "Compared with").value == "substitution"


def test_losses_follow_the_relation_that_is_saved_anew(open_page):
    use_first(open_page)
    assert by_label(open_page("privacy_loss").radio, "Compared with").value == "add-remove"
    app = open_page("data")
    set_to(app, "button_group", "Neighboring relation", "substitution")
    by_label(app.button, "Save").click().run()
    app = go(app, "privacy_loss")
    compared = by_label(app.radio, "Compared with")
    assert compared.value == "substitution"
    compared.set_value(compared.options[0]).run()
    assert by_label(go(app, "privacy_loss").radio, "Compared with").value == "add-remove"


def shown_from(kind, start):
    from ui import controls  # noqa: PLC0415 - a page of its own

    getattr(controls.HERE, kind)("Share", start, (0.1, 0.9, 0.1), key="share", kept="page")


@pytest.mark.parametrize("kind", ["number", "slider"])
@pytest.mark.parametrize(("start", "shown"), [(0.0, 0.1), (0.5, 0.5), (1.0, 0.9)])
def test_a_control_begins_at_the_nearest_number_within_its_limits(kind, start, shown):
    app = AppTest.from_function(shown_from, args=(kind, start)).run()
    assert not app.exception
    assert [box.value for box in (*app.number_input, *app.slider)] == [shown]
