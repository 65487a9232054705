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


def previews(app):
    """Return the document on screen."""
    (frame,) = app.get("iframe")
    return frame.proto.srcdoc
