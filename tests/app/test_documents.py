"""The documents of an account and of a plan, offered where people look for them."""

from __future__ import annotations

import pytest
import streamlit as st

from tests.app.test_pages import button, by_label, fill, press_release, use_upload
from tests.app.test_questions import shown


@pytest.mark.usefixtures("files")
def test_documents_are_made_only_when_they_are_asked_for(open_page, monkeypatch):
    made = []
    offered = st.download_button

    def download(label, data, **settings):
        if label.startswith("Download: "):
            made.append((label, data, settings["file_name"]))
        return offered(label, data, **settings)

    monkeypatch.setattr(st, "download_button", download)
    use_upload(open_page)
    app = open_page("release")
    button(app, "Add to plan").click().run()
    for kind in ("plan", "releases"):
        if kind == "releases":
            press_release(open_page("release"))
        app = open_page("documents")
        assert "<h1>" in previews(app)
        label, _, name = made[-1]
        assert label == "Download: Public notice"
        assert ("plan" in name) == (kind == "plan")
        by_label(app.text_area, "Purpose").set_value("yearly report").run()
        assert "yearly report" in made[-1][1]()
        assert "yearly report" in previews(app)
        fill(app, selectbox={"Document": "Full report"}, radio={"Numbers in it": "1.234,5"})
        assert "Full report" in made[-1][0]
        assert made[-1][1]() == previews(app)
        fill(app, selectbox={"Document": "Public notice"})
    # The plan has other questions than what was released: both have documents.
    assert "To hang up" not in shown(app)


def test_without_releases_or_a_plan_the_next_step_is_offered(open_page):
    use_upload(open_page)
    app = open_page("documents")
    assert "Nothing is released or planned yet." in [info.value for info in app.info]


def previews(app):
    """Return the document on screen."""
    (frame,) = app.get("iframe")
    return frame.proto.srcdoc


@pytest.mark.parametrize(
    ("page", "key"), [("documents", "language-ledger"), ("sign_off", "sign-language")]
)
def test_a_language_of_an_older_link_or_session_leaves_a_page_as_it_is(open_page, files, page, key):
    use_upload(open_page)
    app = open_page("release")
    button(app, "Add to plan").click().run()
    if page == "documents":
        press_release(app)
    app = open_page(page)
    app.query_params[key] = "Deutsch"
    app.session_state[key] = app.session_state["_paper-language"] = "Deutsch"
    app.run()
    assert not [one for one in app.radio if "Language" in one.label]
    assert by_label(app.radio, "Numbers in it").value == "1,234.5"
    (name,) = [one for one in files if "sign-off" in one or "Public notice" in one]
    assert 'lang="en"' in files[name]()
