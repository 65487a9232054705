"""Every control and button of a draft on Data, and what is asked of what is declared there."""

from __future__ import annotations

import pytest

from dpcore.data.columns import MissingPolicy
from tests.app.asking import edit, rows
from tests.app.test_pages import CSV, button, by_label, fill, in_use, put_in_use
from tests.app.test_uploads import said, upload

MIXED = "age,smoker,party\n" + "".join(
    f"{20 + i % 50},{['no', 'yes'][i % 2]},{'abc'[i % 3]}\n" for i in range(60)
)


@pytest.mark.parametrize(("lower", "upper"), [(-1.7e308, 1.7e308), (1e101, 1e102)])
def test_bounds_that_no_sum_could_hold_are_refused_in_words(open_page, lower, upper):
    app = upload(open_page("data"), MIXED)
    fill(app, number_input={"Lower bound": lower, "Upper bound": upper})
    assert "at most 10¹⁰⁰ in size" in app.error[0].value
    fill(app, number_input={"Lower bound": 0.0, "Upper bound": 9.0})
    assert not app.error
    put_in_use(app)
    assert in_use(app).startswith("people")


def test_a_missing_answer_is_left_out_until_a_label_is_chosen(open_page):
    app = upload(open_page("data"), MIXED)
    fill(app, selectbox={"Column": 2}, text_area={"Public list of categories": "red\nblue"})
    policy = by_label(app.selectbox, "If a value is missing")
    assert policy.value is MissingPolicy.DROP
    assert not app.warning
    policy.set_value(MissingPolicy.REPLACE).run()
    imputed = by_label(app.selectbox, "Impute missing values with")
    assert imputed.value is None
    assert "left out until a label is chosen" in said(app)
    assert declared(app, "party") == "leave out"
    imputed.set_value("red").run()
    assert declared(app, "party") == "impute red"
    by_label(app.text_area, "Public list of categories").set_value("a\nb").run()
    assert declared(app, "party") == "leave out"


def declared(app, name):
    """What is declared about missing values of a column."""
    row = rows(app).loc[name]
    return f"{row['if missing']} {row['imputed value']}".strip()


def status(app, name):
    return rows(app)["status"][name]


def test_the_grid_declares_what_is_typed_into_it(open_page):
    app = upload(open_page("data"), MIXED)
    assert [*rows(app)["status"]] == ["needs bounds", "ready", "needs a list"]
    edit(app, {0: {"lower": "18"}})
    assert status(app, "age") == "needs bounds"
    edit(app, {0: {"lower": "18", "upper": "100"}, 2: {"labels": "a; b; c", "meaning": "a club"}})
    assert [*rows(app)["status"]] == ["imputes middle", "ready", "ready"]
    # The controls of a column show what the grid says, and the other way round.
    assert by_label(app.number_input, "Upper bound").value == 100
    by_label(app.number_input, "Upper bound").set_value(90.0).run()
    assert rows(app)["upper"]["age"] == "90"
    put_in_use(app)
    assert in_use(app)
    assert [*rows(app)["labels"]] == ["", "no; yes", "a; b; c"]
    edit(app, {0: {"if missing": "leave out", "unit": "years"}})
    assert declared(app, "age") == "leave out"
    assert by_label(app.text_input, "Unit").value == "years"


def test_a_row_that_cannot_be_used_says_so_and_nothing_is_put_in_use(open_page):
    app = upload(open_page("data"), MIXED)
    edit(app, {0: {"lower": "100", "upper": "18"}})
    assert status(app, "age") == "see below"
    assert "must lie below" in app.warning[0].value
    put_in_use(app)
    assert "Correct the declaration of age" in app.error[0].value
    edit(app, {0: {"lower": "10", "upper": "18"}})
    put_in_use(app)
    assert in_use(app)


def test_only_the_curator_sees_labels_outside_the_list(open_page):
    app = upload(open_page("data"), MIXED)
    fill(app, selectbox={"Column": 2}, text_area={"Public list of categories": "a\nb"})
    assert "Values outside" not in said(app)
    by_label(app.toggle, "Show how this list fits the data").set_value(True).run()
    assert "Values outside the list: c \\(20\\)" in said(app)


def test_common_bounds_fill_what_is_empty(open_page):
    app = upload(open_page("data"), MIXED)
    button(app, "Common bounds").click().run()
    assert [*rows(app).loc["age", ["lower", "upper", "unit"]]] == ["0", "100", "years"]
    assert "Filled in by column name: age 0 to 100 years" in app.info[0].value
    edit(app, {0: {"upper": "70"}})
    button(app, "Common bounds").click().run()
    assert rows(app)["upper"]["age"] == "70"


def test_a_cell_that_is_typed_back_declares_what_it_said_first(open_page):
    """The browser sends no such cell any more."""
    app = upload(open_page("data"), MIXED)
    first = rows(app)["type"].to_dict()
    edit(app, {at: {"type": "date"} for at in range(3)})
    assert {*rows(app)["type"]} == {"date"}
    edit(app, {0: {"lower": "18"}})
    assert rows(app)["type"].to_dict() == first


def test_a_declaration_is_downloaded_and_pasted(open_page, files):
    app = upload(open_page("data"), MIXED)
    edit(app, {0: {"lower": "18", "upper": "100"}, 2: {"labels": "a; b"}})
    pasted = [files[name]() for name in ("Download JSON", "Download CSVW-EO")]
    for text in pasted:
        app = upload(open_page("data"), MIXED, "other.csv")
        assert status(app, "party") == "needs a list"
        area = by_label(app.text_area, "Declaration in JSON or CSVW-EO metadata")
        area.set_value(text).run()
        button(app, "Fill in the grid").click().run()
        assert [*rows(app)["status"]] == ["imputes middle", "ready", "ready"]
        assert by_label(app.number_input, "Lower bound").value == 18
    for text in ("{", "[]", '{"tableSchema": 1}', "\0"):
        area = by_label(app.text_area, "Declaration in JSON or CSVW-EO metadata")
        area.set_value(text).run()
        button(app, "Fill in the grid").click().run()
        assert "This is no" in app.error[0].value


def test_an_imputed_middle_is_seen_and_follows_the_bounds(open_page):
    app = upload(open_page("data"), CSV)
    fill(app, selectbox={"Column": 0}, number_input={"Lower bound": 0.0, "Upper bound": 250.0})
    assert status(app, "age") == "imputes middle"
    assert declared(app, "age") == "impute 125"
    by_label(app.number_input, "Upper bound").set_value(9.0).run()
    assert not app.error
    assert declared(app, "age") == "impute 4"

    # The minimum is asked for where it is used.
    def used_for():
        told = next(c.value for c in app.caption if "public minimum" in c.value)
        return told.partition("with a value of ")[2].partition(" that you")[0]

    assert used_for() == "“smoker”"
    by_label(app.selectbox, "If a value is missing").set_value(MissingPolicy.DROP).run()
    assert used_for() == "“age”\\, “smoker”"
    by_label(app.number_input, "At least so many have a value").set_value(3).run()
    assert used_for() == "“smoker”"


def test_a_missing_number_is_asked_about_once_for_all_columns(open_page):
    csv = "age,bmi,smoker\n" + "".join(f"{20 + i},{18 + i},no\n" for i in range(9))

    def asked():
        return [one for one in app.radio if one.label.startswith("Missing numbers of")]

    for choice, one in (("leave out", "leave out"), ("none is missing", "none is missing 50")):
        app = upload(open_page("data"), csv)
        assert not asked()
        edit(app, {0: {"lower": "0", "upper": "100"}, 1: {"lower": "10", "upper": "90"}})
        (question,) = asked()
        assert question.label == r"Missing numbers of “age”\, “bmi”"
        question.set_value(choice).run()
        assert not asked()
        if one != choice:
            assert "Missing numbers of “age”\\, “bmi”: none are expected." in said(app)
        assert [declared(app, "age"), declared(app, "bmi")] == [one, one]
    app = upload(open_page("data"), csv)
    edit(app, {0: {"lower": "0", "upper": "100"}})
    asked()[0].set_value("impute").run()
    assert not asked()
    assert (declared(app, "age"), status(app, "age")) == ("impute 50", "imputes middle")
    edit(app, {0: {"lower": "0", "upper": "100"}, 1: {"lower": "10", "upper": "90"}})
    assert asked()[0].label == "Missing numbers of “bmi”"


def test_everybody_may_be_known_to_have_a_value(open_page):
    app = upload(open_page("data"), MIXED)
    for label, value in (("Lower bound", 0.0), ("Upper bound", 100.0)):
        by_label(app.number_input, label).set_value(value).run()
    choose = "none is missing, and that is public"

    def say_so():
        box = by_label(app.selectbox, "If a value is missing")
        assert choose in box.options
        box.set_value("nobody").run()

    say_so()
    assert status(app, "age") == "ready"
    fill(app, selectbox={"Column": 2}, text_area={"Public list of categories": "a\nb\nc"})
    say_so()
    assert {status(app, "age"), status(app, "party")} == {"ready"}
    put_in_use(app)
    assert not app.error
    app = open_page("release")
    fill(app, selectbox={"Column": 0, "Statistic": "mean"})
    button(app, "Add to plan").click().run()
    # It comes back with the table, as it was said.
    app = upload(open_page("data"), MIXED)
    button(app, "Use what was declared before").click().run()
    box = by_label(app.selectbox, "If a value is missing")
    assert box.value == "nobody"
    # Somebody may be missing all the same: then it is no longer said.
    box.set_value(MissingPolicy.DROP).run()
