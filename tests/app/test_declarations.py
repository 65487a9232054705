"""What was declared about an upload comes back with it; nothing else does."""

from __future__ import annotations

import json

from streamlit.testing.v1 import AppTest

from tests.app.conftest import close_tab
from tests.app.test_pages import (
    CSV,
    button,
    by_label,
    fill,
    in_use,
    mode,
    put_in_use,
    use_example,
    use_upload,
)
from tests.app.test_uploads import said, upload
from tests.conftest import PATIENCE, ROOT

OFFER = "Use what was declared before"
OTHER = CSV.replace("20,yes", "21,no", 1)
COLUMNS = "smoker,age\n" + "".join(
    f"{['no', 'yes', 'maybe'][i % 3]},{30 + i % 9}\n" for i in range(60)
)


def reloaded():
    """The Data page in a tab of its own."""
    close_tab()
    app = AppTest.from_file(str(ROOT / "app.py"), default_timeout=PATIENCE).run()
    app.switch_page("pages/data.py").run()
    return app


def declare(open_page, text=CSV):
    app = use_upload(open_page, text, 18.0, 99.0)
    fill(
        app,
        text_input={"Unit": "years", "Meaning": "age at the visit"},
        button_group={"Neighboring relation": "add-remove"},
        checkbox={"Every row is one person": False},
    )
    by_label(app.number_input, "Maximum rows of one person").set_value(3)
    by_label(app.number_input, "Public minimum number of rows").set_value(150)
    by_label(app.button_group, "The data are").set_value("the whole population (census)").run()
    put_in_use(app)
    return app


def written(home):
    return [path.read_text() for path in (home / "declared").glob("*.json")]


def test_a_reload_offers_what_was_declared_and_fills_it_in(open_page):
    declare(open_page)
    app = upload(reloaded(), CSV)
    assert "This table was declared before" in said(app)
    assert by_label(app.number_input, "Lower bound").value is None
    button(app, OFFER).click().run()
    assert OFFER not in [one.label for one in app.button]
    assert "is filled in" in said(app)
    assert not app.warning
    assert by_label(app.number_input, "Lower bound").value == 18
    assert by_label(app.number_input, "Upper bound").value == 99
    assert by_label(app.text_input, "Unit").value == "years"
    assert by_label(app.text_input, "Meaning").value == "age at the visit"
    assert by_label(app.button_group, "Neighboring relation").value == "add-remove"
    assert by_label(app.number_input, "Public minimum number of rows").value == 150
    assert by_label(app.number_input, "Maximum rows of one person").value == 3
    assert by_label(app.button_group, "The data are").value == "the whole population (census)"
    put_in_use(app)
    assert in_use(app).startswith("people")
    assert not app.error


def test_another_table_with_the_same_columns_is_offered_it_too(open_page):
    declare(open_page)
    for text in (OTHER, COLUMNS):
        app = upload(reloaded(), text)
        assert "A table with the same columns was declared before" in said(app)
        button(app, OFFER).click().run()
        names = [column.strip() for column in text.split("\n")[0].split(",")]
        by_label(app.selectbox, "Column").select_index(names.index("age")).run()
        assert by_label(app.number_input, "Upper bound").value == 99
        put_in_use(app)
    # A category that only the other table has is not among the public ones.
    assert not any("maybe" in text for text in written_of(app))


def written_of(app):
    return [element.value.to_csv() for element in app.dataframe]


def test_what_is_declared_later_replaces_what_was(open_page, home):
    app = declare(open_page)
    by_label(app.number_input, "Upper bound").set_value(120.0).run()
    (text,) = written(home)
    assert json.loads(text)["columns"][0]["bounds"] == [18, 120]
    mode(app).set_value("classroom").run()
    app = open_page("data")
    by_label(app.number_input, "Upper bound").set_value(130.0).run()
    assert written(home) == [text]


def test_nothing_is_written_of_examples_drafts_or_values(open_page, home):
    use_example(open_page)
    app = upload(open_page("data"), CSV)
    fill(app, number_input={"Lower bound": 18.0, "Upper bound": 99.0})
    assert written(home) == []
    put_in_use(app)
    (text,) = written(home)
    content = json.loads(text)
    assert content.pop("day")
    assert content.pop("file_format")["dialect"]["delimiter"] == ","
    for column in content["columns"]:
        # How cells are read is proposed from the file, and declared with it.
        reading = {"dates", "equality", "missing_codes", "notation"}
        assert reading <= column.keys()
        for part in reading:
            del column[part]
    # Kinds, and a yes/no pair that the user confirmed; no count, sum or value.
    assert content == {
        "columns": [
            {
                "name": "age",
                "kind": "whole number",
                "bounds": [18, 99],
                "labels": [],
                "missing": "replace",
                "replacement": 58,
                "unit": "",
                "description": "",
            },
            {
                "name": "smoker",
                "kind": "yes/no",
                "bounds": None,
                "labels": ["no", "yes"],
                "missing": content["columns"][1]["missing"],
                "replacement": content["columns"][1]["replacement"],
                "unit": "",
                "description": "",
            },
        ],
        "relation": "substitution",
        "rows": 1,
        "minimum_people": 100,
        "everybody": False,
    }


def test_hostile_declarations_are_offered_as_text_or_not_at_all(open_page, home):
    declare(open_page)
    (path,) = (home / "declared").glob("*.json")
    content = json.loads(path.read_text())
    content["columns"][0]["description"] = "![x](https://evil.test/p.png)"
    path.write_text(json.dumps(content))
    app = upload(reloaded(), CSV)
    button(app, OFFER).click().run()
    assert "](https" not in said(app)
    path.write_text('{"columns": [')
    assert OFFER not in [one.label for one in upload(reloaded(), CSV).button]
