"""Home: a file is dropped there, and work goes on from there."""

from tests.app.conftest import close_tab
from tests.app.test_pages import CSV, press_release, use_upload
from tests.app.test_uploads import said


def test_home_offers_to_continue_with_the_data_in_use(open_page):
    assert "Continue" not in said(open_page("home"))
    use_upload(open_page)
    app = open_page("home")
    assert "Continue: **people\\.csv** · ε = 3 of 3 left" in said(app)


def test_after_a_reload_pages_say_that_the_table_is_gone_and_the_ledger_is_not(open_page):
    kept = "upload the same file again"
    assert kept not in said(open_page("home"))
    use_upload(open_page)
    press_release(open_page("release"))
    assert kept not in said(open_page("home"))
    close_tab()
    for name in ("home", "data", "release"):
        assert kept in said(open_page(name))


def test_a_file_dropped_on_home_is_read_on_data(open_page):
    app = open_page("home")
    app.file_uploader[0].set_value(("people.csv", CSV.encode(), "text/csv")).run()
    assert app.title[0].value == "Data"
    assert "not in use yet" in said(app)
