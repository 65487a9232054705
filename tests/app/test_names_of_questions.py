"""Columns and questions by the names that the curator gives them, on all pages."""

from __future__ import annotations

from dpcore.releases.record import Release
from tests.app.hand import turn, views
from tests.app.test_pages import button, by_label, fill, press_release, put_in_use
from tests.app.test_several_rows import columns, visits
from tests.app.test_uploads import said, upload
from tests.conftest import assert_says

RECIPE = "any ward is north per patient"


def opened(app, start):
    turn(app, next(key for key in views(app) if key.startswith(start)), view=True)
    return app


def named_table(app, name):
    """Make one row a patient, with a column that has such a name."""
    upload(app, visits(), "visits.csv")
    opened(app, "whose-rows")
    by_label(app.multiselect, "Person ID columns").set_value(["patient"]).run()
    assert "Maximum" in [box.label for box in app.multiselect]
    assert "Earliest date" not in [box.label for box in app.multiselect]
    for label in ("Mean", "Most frequent value"):
        by_label(app.multiselect, label).set_value([]).run()
    by_label(app.multiselect, "Any row that meets a condition").set_value(["ward"])
    app.run()
    next(box for box in app.text_area if box.key and box.key.startswith("one-of-any")).set_value(
        "north"
    ).run()
    button(app, "Combine the rows of each person").click().run()
    assert "ward is north in any row" in columns(app)
    return rename(app, name)


def rename(app, name):
    named = next(box for box in app.selectbox if box.label == "Column")
    known = ("in any row", "in north")
    found = (any(part in one for part in known) for one in named.options)
    named.select_index([*found].index(True)).run()
    next(box for box in app.text_input if box.placeholder == RECIPE).set_value(name).run()
    return app


def test_a_name_is_on_every_page_and_in_the_file_and_costs_nothing(open_page, records):
    app = named_table(open_page("data"), "ever in north")
    assert "ever in north" in columns(app)
    put_in_use(app)
    app = open_page("release")
    assert by_label(app.selectbox, "Column").value == 0
    fill(app, selectbox={"Who counts": "yes"}, text_input={"Name of the question": "north at all"})
    press_release(app)
    assert not app.error
    answer = records[-1]
    assert answer.name == "north at all"
    assert "ever in north" in answer.title
    assert RECIPE not in answer.title
    assert answer.statement.count(f"“ever in north” is {RECIPE}") == 1
    assert "ever in north" not in str(answer.request)
    assert "north at all" in said(app)
    assert Release.from_json(answer.to_json()) == answer
    app = rename(open_page("data"), "a stay in north")
    app = open_page("release")
    assert_says(said(app), "a stay in north", "north at all")
    assert {one.id for one in records} == {answer.id}
    listed = next(one.value for one in app.dataframe if "question" in one.value)
    assert listed["question"].tolist() == ["north at all"]
