"""Tables that call their columns what nobody should, and questions asked twice."""

from __future__ import annotations

from tests.app.test_pages import by_label, release_button, use_example, use_upload
from tests.app.test_questions import release, set_to

NUMBERED = "row,counted\n" + "".join(
    f"{20 + i % 50},{'yes' if i % 3 == 0 else 'no'}\n" for i in range(60)
)


def exposed(open_page):
    """The table of the most exposed people, on a page opened anew."""
    app = open_page("privacy_loss")
    if app.toggle:
        app.toggle[0].set_value(True).run()
    return next(e.value for e in app.dataframe if "own epsilon" in e.value.columns)


def test_a_column_called_row_leaves_the_row_numbers_alone(open_page):
    use_upload(open_page, NUMBERED)
    set_to(open_page("release"), "selectbox", "By group", 0)
    table = exposed(open_page)
    assert table["row"].between(1, 60).all()
    assert set(table["counted in use"]) <= {"yes", "no"}
    assert (table["row in use"] == 20 + (table["row"] - 1) % 50).all()


def test_a_covariance_is_the_same_question_whichever_column_is_first(open_page):
    use_example(open_page, "fair")
    app = open_page("release")
    columns = by_label(app.selectbox, "Column").options
    for first, second in (("age", "years married"), ("years married", "age")):
        by_label(app.selectbox, "Column").select_index(columns.index(first)).run()
        set_to(app, "selectbox", "Statistic", "covariance")
        others = by_label(app.selectbox, "And").options
        by_label(app.selectbox, "And").select_index(others.index(second)).run()
        if first == "age":
            release(app)
    assert release_button(app).label == "Released ✓"
    assert len(app.dataframe[-1].value) == 1
