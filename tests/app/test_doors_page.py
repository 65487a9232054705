"""A Parquet file and a packed CSV are uploaded, declared and put in use as a CSV is."""

import gzip
import io

import pandas as pd
import pytest

from tests.app.test_pages import CSV, button, by_label, put_in_use
from tests.app.test_uploads import columns, labels, said, upload
from tests.data.test_workbooks_and_packages import coded


def as_excel(text):
    """Return a workbook whose first sheet is no table of people."""
    buffer = io.BytesIO()
    with pd.ExcelWriter(buffer) as book:
        pd.DataFrame({"read": []}).to_excel(book, sheet_name="notes", index=False)
        pd.read_csv(io.StringIO(text)).to_excel(book, sheet_name="people", index=False)
    return buffer.getvalue()


def as_parquet(text):
    buffer = io.BytesIO()
    pd.read_csv(io.StringIO(text)).to_parquet(buffer)
    return buffer.getvalue()


@pytest.mark.parametrize(
    ("name", "packed", "is_text"),
    [
        ("people.parquet", as_parquet, False),
        ("people.csv.gz", lambda text: gzip.compress(text.encode()), True),
        ("people.parquet.gz", lambda text: gzip.compress(as_parquet(text)), False),
    ],
)
def test_table_is_that_of_its_csv(open_page, name, packed, is_text):
    told = columns(upload(open_page("data"), CSV))
    app = upload(open_page("data"), packed(CSV), name)
    assert columns(app) == told
    assert "Re-read file" in labels(app)
    assert ("Separator" in [one.label for one in app.selectbox]) is is_text
    put_in_use(app)
    assert "not in use yet" not in said(app)


def test_what_is_wrong_is_said_and_the_file_can_be_forgotten(open_page):
    app = upload(open_page("data"), as_parquet(CSV)[:-5], "people.parquet")
    assert "damaged" in app.error[0].value
    assert "Re-read file" not in labels(app)
    button(app, "Forget this file").click().run()
    assert not app.error


def test_a_sheet_of_a_workbook_is_chosen(open_page):
    told = columns(upload(open_page("data"), CSV))
    app = upload(open_page("data"), as_excel(CSV), "people.xlsx")
    assert "no records" in app.error[0].value
    sheet = by_label(app.selectbox, "Sheet of the workbook")
    assert sheet.options == ["notes", "people"]
    sheet.set_value("people").run()
    assert not app.error
    assert columns(app) == told
    assert by_label(app.selectbox, "Sheet of the workbook").value == "people"
    put_in_use(app)
    assert "not in use yet" not in said(app)


def test_what_a_file_of_spss_says_of_its_columns_is_filled_in(open_page):
    data = coded(
        pd.DataFrame({"sex": [1.0, 2, 9, 2], "age": [30.0, 40, 50, 999]}),
        column_labels=["Sex of the person", "Age at the visit"],
        variable_value_labels={"sex": {1: "male", 2: "female", 9: "no answer"}},
        missing_ranges={"sex": [9], "age": [999]},
    )
    app = upload(open_page("data"), data, "people.sav")
    assert "declares missing codes (sex: 9; age: 999)" in said(app).replace("\\", "")
    assert by_label(app.text_area, "Public list of categories").value == "male\nfemale"
    assert by_label(app.text_input, "Meaning").value == "Sex of the person"
