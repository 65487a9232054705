"""A file from its arrival until it is in use, read anew, or forgotten."""

from __future__ import annotations

import pytest

from tests.app.test_pages import CSV, button, by_label, in_use, put_in_use
from tests.conftest import assert_says
from ui import session

ROWS = "".join(f"{20 + i % 50};{i % 7},5\n" for i in range(40))


@pytest.fixture
def vault(monkeypatch):
    kept = session._Vault(remove_files=lambda: None)  # noqa: SLF001 - no public way
    monkeypatch.setattr(session, "_vault", lambda: kept)
    return kept


def upload(app, text, name="people.csv"):
    data = text if isinstance(text, bytes) else text.encode()
    app.session_state["file-format"] = True
    app.file_uploader[0].set_value((name, data, "text/csv")).run()
    return app


def columns(app):
    return list(by_label(app.selectbox, "Column").options)


def labels(app):
    return [one.label for one in app.button]


def said(app):
    kinds = (app.markdown, app.caption, app.info, app.warning, app.success)
    return "\n".join(element.value for kind in kinds for element in kind)


@pytest.fixture
def page(open_page):
    return upload(open_page("data"), CSV)


def test_the_uploader_is_empty_once_the_file_is_read_and_the_page_names_it(page):
    assert page.file_uploader[0].value is None
    assert "**people\\.csv** · not in use yet · 1.3 kB" in said(page)
    put_in_use(page)
    assert "not in use yet" not in said(page)
    assert "Re-read file" not in labels(page)


def test_a_draft_can_be_forgotten(page):
    button(page, "Remove").click().run()
    assert "Choose your data" in said(page)
    assert "people" not in said(page)
    assert "Re-read file" not in labels(page)
    page = upload(page, CSV)
    put_in_use(page)
    upload(page, CSV, "other.csv")
    button(page, "Remove").click().run()
    assert in_use(page).startswith("people\\.csv")


def test_a_file_that_cannot_be_read_keeps_its_message_and_can_be_read_otherwise(page):
    page = upload(page, f"a;b\n{ROWS}".encode("utf-16")[:-1], "broken.csv")
    assert page.file_uploader[0].value is None
    assert "encoding" in page.error[0].value
    assert_says(
        said(page), "Your previous data are unchanged", "**broken\\.csv** · 0.6 kB · not read"
    )
    assert columns(page) == ["age", "smoker"]
    by_label(page.selectbox, "Encoding").set_value("latin-1").run()
    button(page, "Re-read file").click().run()
    assert page.error
    button(page, "Forget this file").click().run()
    assert not page.error
    assert columns(page) == ["age", "smoker"]
    assert "Re-read file" not in labels(page)


def test_the_dialect_of_a_file_that_was_read_or_not_can_be_changed(open_page):
    app = upload(open_page("data"), f"Report of May\na;b\n{ROWS}")
    assert columns(app) == ["a", "b"]
    assert "The first line was left out: the header" in said(app)
    by_label(app.number_input, "Lines before the header").set_value(0).run()
    button(app, "Re-read file").click().run()
    assert "has 2 fields where the header has 1" in app.error[0].value
    by_label(app.number_input, "Lines before the header").set_value(1).run()
    button(app, "Re-read file").click().run()
    assert not app.error
    assert columns(app) == ["a", "b"]
    by_label(app.selectbox, "Separator").set_value("\t").run()
    button(app, "Re-read file").click().run()
    assert columns(app) == ["a;b"]
    assert "Only one column was found" in said(app)
    by_label(app.number_input, "Lines before the header").set_value(500).run()
    button(app, "Re-read file").click().run()
    assert "No line is left" in app.error[0].value
    assert columns(app) == ["a;b"]


def test_the_first_rows_show_a_wrong_encoding_to_the_curator_alone(open_page):
    text = "name;b\n" + "Anna;1\n" * 40 + "Zoë;2\n"
    app = upload(open_page("data"), text.encode("cp1252"))
    assert not app.code
    by_label(app.toggle, "Show first rows").set_value(True).run()
    assert_says(app.code[0].value, "Anna", "Zoë")
    assert "41 rows and 2 columns were read" in said(app)
    by_label(app.selectbox, "Encoding").set_value("mac-roman").run()
    button(app, "Re-read file").click().run()
    assert "ZoÎ" in app.code[0].value


def test_missing_codes_are_set_for_all_columns_at_once(open_page, vault):
    app = upload(open_page("data"), "a;b\n1;x\n-9;y\n2;-9\n")
    codes = by_label(app.text_area, "Missing-value codes of all columns")
    assert codes.value.splitlines()[:2] == ["NA", "N/A"]
    codes.set_value("-9\n99").run()
    button(app, "Re-read file").click().run()
    draft = vault.draft
    assert [column.missing_codes for column in draft.dataset.columns] == [("-9", "99")] * 2
    assert draft.dataset.missing("a").tolist() == [False, True, False]


def test_the_declared_format_is_reused_for_the_next_version_of_a_file(open_page, vault):
    """Its content suggests another one by then, which is said and offered."""
    first = "Größe;Preis\n1,5;Jörg\n2,5;Käthe\n".encode("mac-roman")
    app = upload(open_page("data"), first)
    by_label(app.text_area, "Missing-value codes of all columns").set_value("x").run()
    button(app, "Re-read file").click().run()
    assert "is reused" not in said(app)
    put_in_use(app)
    plain = said(app).replace("\\", "")
    assert "File format: encoding Mac Roman, separator semicolon" in plain
    app = upload(app, "Größe;Preis\n1;Anna\n2;Bo\n".encode("mac-roman"), "next.csv")
    plain = said(app).replace("\\", "")
    assert_says(
        plain,
        "The file format of an earlier version of this file is reused",
        "The file itself suggests decimal mark point",
    )
    assert vault.draft.file_format.missing_codes == ("x",)
    button(app, "Use the suggested format").click().run()
    assert not app.error
    assert vault.draft.file_format.dialect.decimal == "."
    assert "is reused" not in said(app)


def test_a_reading_that_breaks_off_is_not_tried_again_by_itself(page, monkeypatch):

    def broken(*_, **__):
        raise OverflowError

    with monkeypatch.context() as patch:
        patch.setattr("ui.data.upload.read", broken)
        with pytest.raises(AssertionError):
            page.file_uploader[0].set_value(("b.csv", b"a\n1\n", "text/csv")).run()
        assert page.exception
        page.run()
    assert "broke off" in page.error[0].value
    assert "**b\\.csv** · 0.0 kB · not read" in said(page)
    assert columns(page) == ["age", "smoker"]
    button(page, "Re-read file").click().run()
    assert not page.error
    assert columns(page) == ["a"]


def test_a_closed_tab_ends_the_reading_and_no_table_is_kept(open_page, monkeypatch, vault):
    def read_as_the_tab_closes(*_, proceed, **__):
        session._close(vault)  # noqa: SLF001 - as Streamlit does
        proceed()
        raise AssertionError

    app = open_page("data")
    monkeypatch.setattr("ui.data.upload.read", read_as_the_tab_closes)
    upload(app, "a,b\n1,2\n")
    assert vault.draft is None
