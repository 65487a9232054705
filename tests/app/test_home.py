"""Home: a file is dropped there, and work goes on from there."""

from tests.app.test_pages import CSV, use_upload
from tests.app.test_uploads import said


def test_home_offers_to_continue_with_the_data_in_use(open_page):
    assert "Continue" not in said(open_page("home"))
    use_upload(open_page)
    app = open_page("home")
    assert "Continue: **people\\.csv** · ε = 3 of 3 left" in said(app)


def test_a_file_dropped_on_home_is_read_on_data(open_page):
    app = open_page("home")
    app.file_uploader[0].set_value(("people.csv", CSV.encode(), "text/csv")).run()
    assert app.title[0].value == "Data"
    assert "not in use yet" in said(app)
