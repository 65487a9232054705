"""Every control and button of a draft on Data, one after another."""

from __future__ import annotations

import pytest

from dpcore.data.columns import ColumnKind, MissingPolicy
from tests.app.test_pages import CSV, button, by_label, fill
from tests.app.test_uploads import columns, said, upload

MIXED = "age,smoker,party\n" + "".join(
    f"{20 + i % 50},{['no', 'yes'][i % 2]},{'abc'[i % 3]}\n" for i in range(60)
)


def moves(app):
    """What each control of the page can be set to, but for the table itself."""
    page = app.main
    for kind, elements in (
        ("selectbox", page.selectbox),
        ("radio", page.radio),
        ("checkbox", page.checkbox),
        ("toggle", page.toggle),
        ("number_input", page.number_input),
        ("text_input", page.text_input),
        ("text_area", page.text_area),
    ):
        for element in elements:
            if kind in {"selectbox", "radio"}:
                options = range(len(element.options))
            elif kind in {"checkbox", "toggle"}:
                options = (not element.value, element.value)
            else:
                options = (
                    (-1.0, 1.7e308, -1.7e308, 5e-324)
                    if kind == "number_input"
                    else ("", "no\nyes", "\0", "x" * 5_000)
                )
            if element.label not in {"Example data", "Column"}:
                yield kind, element.label, options


def put(app, kind, label, value):
    """Set a control, if it is still there."""
    found = [one for one in getattr(app.main, kind) if one.label == label]
    for element in found[:1]:
        if kind == "selectbox":
            element.select_index(value % len(element.options)).run()
        elif kind == "radio":
            element.set_value(element.options[value]).run()
        else:
            element.set_value(value).run()


def test_no_control_of_a_draft_and_no_button_after_it_raises(open_page):
    app = upload(open_page("data"), MIXED)
    seen = set()
    for position in range(3):
        by_label(app.selectbox, "Column").select_index(position).run()
        for kind, label, options in [*moves(app)]:
            if label in seen:
                continue
            seen.add(label)
            for value in options:
                put(app, kind, label, value)
            button(app, "Re-read file").click().run()
            if not columns_are_mixed(app):
                app = upload(app, MIXED)
            by_label(app.selectbox, "Column").select_index(position).run()
    assert len(seen) > 20
    put(app, "selectbox", "Budget counted in", 1)
    put(app, "number_input", "Privacy budget ρ", 5e-324)
    assert "With 4\\.94065645841e\\-324 nothing is charged" in said(app)
    put(app, "number_input", "Privacy budget ρ", 0.5)
    button(app, "Use this data").click().run()
    assert "In use: people" in said(app)
    upload(app, MIXED, "other.csv")
    button(app, "Forget this table").click().run()
    assert "In use: people" in said(app)
    button(app, "Continue to Release").click().run()
    assert app.title[0].value == "Release"


def test_the_first_column_to_declare_is_none_that_tells_people_apart(open_page):
    rows = "".join(f"{1000 + i},{20 + i % 50}\n" for i in range(40))
    app = upload(open_page("data"), "Personalnr,age\n" + rows)
    assert by_label(app.selectbox, "Column").value == 1
    by_label(app.selectbox, "Column").select_index(0).run()
    assert by_label(app.selectbox, "Column").value == 0
    app = upload(app, "Personalnr,user_id\n" + rows)
    assert by_label(app.selectbox, "Column").value == 0


def columns_are_mixed(app):
    named = any(box.label == "Column" for box in app.selectbox)
    return named and columns(app) == ["age", "smoker", "party"]


@pytest.mark.parametrize(
    ("lower", "upper"), [(1e308, 1.7e308), (-1.7e308, 1.7e308), (0.0, 5e-324), (1e101, 1e102)]
)
def test_bounds_that_no_sum_could_hold_are_refused_in_words(open_page, lower, upper):
    app = upload(open_page("data"), MIXED)
    fill(app, number_input={"Lower bound": lower, "Upper bound": upper})
    assert "at most 1e100 in size" in app.error[0].value
    fill(app, number_input={"Lower bound": 0.0, "Upper bound": 9.0})
    assert not app.error
    button(app, "Use this data").click().run()
    assert "In use: people" in said(app)


def test_a_missing_answer_is_left_out_until_a_label_is_chosen(open_page):
    app = upload(open_page("data"), MIXED)
    fill(app, selectbox={"Column": 2}, text_area={"Public list of categories": "red\nblue"})
    policy = by_label(app.selectbox, "If a value is missing")
    assert policy.value is MissingPolicy.DROP
    assert not [w for w in app.warning if "party" in w.value]
    policy.set_value(MissingPolicy.REPLACE).run()
    imputed = by_label(app.selectbox, "Impute missing values with")
    assert imputed.value is None
    assert "left out until a label is chosen" in said(app)
    assert declared(app, "party") == "left out"
    imputed.set_value("red").run()
    assert declared(app, "party") == "counts as red"
    by_label(app.text_area, "Public list of categories").set_value("a\nb").run()
    assert declared(app, "party") == "left out"


def test_a_missing_yes_or_no_is_left_out(open_page):
    app = upload(open_page("data"), "smoker\nyes\nno\n\nno\n")
    assert by_label(app.selectbox, "Kind").value is ColumnKind.YES_NO
    assert by_label(app.selectbox, "If a value is missing").value is MissingPolicy.DROP
    assert declared(app, "smoker") == "left out"


def declared(app, name):
    """What is declared about missing values of a column."""
    app.session_state[f"folded-columns-{generation(app)}"] = True
    app.run()
    table = next(d.value for d in app.dataframe if "a missing value" in d.value)
    return table.set_index("column")["a missing value"][name]


def generation(app):
    return app.session_state["_generation"]


def test_nobody_overlooks_what_a_missing_number_counts_as(open_page):
    app = upload(open_page("data"), CSV)
    fill(app, selectbox={"Column": 0}, number_input={"Lower bound": 0.0, "Upper bound": 250.0})
    asked, unsaid = "How should missing values of", "not confirmed"
    told = [warning.value for warning in app.warning]
    assert [any(words in one for one in told) for words in (asked, unsaid)] == [True] * 2
    assert any("counts as 125" in one for one in told)
    button(app, "Impute them as 125").click().run()

    def open_():
        told = [warning.value for warning in app.warning]
        return [x for x in told if asked in x or (unsaid in x and "counts as 1" in x)]

    assert open_() == []
    # Of other bounds nobody said it; the middle still follows them.
    by_label(app.number_input, "Upper bound").set_value(9.0).run()
    assert not app.error
    assert any(r"counts as 4" in warning.value for warning in app.warning)
    by_label(app.number_input, "Upper bound").set_value(250.0).run()
    assert open_() == []

    # What is chosen on screen is what the caption of the minimum speaks of.
    def used_for():
        told = next(c.value for c in app.caption if "Used for questions" in c.value)
        return told.partition("about ")[2].partition(".")[0]

    assert used_for() == "smoker"
    by_label(app.selectbox, "If a value is missing").set_value(MissingPolicy.DROP).run()
    assert used_for() == "age\\, smoker"
    captions = [caption.value for caption in app.caption]
    assert any("Averages divide by at least 100" in caption for caption in captions)


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
    assert any("imputed all the same, as 50" in one.value for one in app.caption)
    fill(app, selectbox={"Column": 2}, text_area={"Public list of categories": "a\nb\nc"})
    say_so()
    told = [w.value for w in app.warning if "not confirmed" in w.value]
    assert not [one for one in told if "age" in one or "party" in one]
    button(app, "Use this data").click().run()
    assert not app.error
    app = open_page("release")
    fill(app, selectbox={"Column": 0, "Statistic": "mean"})
    button(app, "Add to plan").click().run()
    assert not any("Nobody has said" in caption.value for caption in app.caption)
    # It comes back with the table, as it was said.
    app = upload(open_page("data"), MIXED)
    button(app, "Use what was declared before").click().run()
    box = by_label(app.selectbox, "If a value is missing")
    assert box.value == "nobody"
    # Somebody may be missing all the same: then it is no longer said.
    box.set_value(MissingPolicy.DROP).run()
