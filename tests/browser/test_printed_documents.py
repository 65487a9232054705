"""Documents open without a network, are accessible, and fit on their paper."""

from __future__ import annotations

import re

import pytest
from axe_core_python.sync_playwright import Axe

from dpcore.documents.catalog import DOCUMENTS
from tests.browser.test_accessibility import GRAVE
from tests.documents.subjects import answered, meant

pytestmark = pytest.mark.browser
PRINTED = [document for document in DOCUMENTS if document.mime == "text/html"]


@pytest.fixture(scope="module")
def paper(browser):
    """A page of a browser without a network, and whatever it asked for."""
    context = browser.new_context(
        viewport={"width": 1280, "height": 900}, offline=True, java_script_enabled=True
    )
    page, asked = context.new_page(), []
    page.on("request", lambda request: asked.append(request.url))
    yield page, asked
    context.close()


@pytest.mark.parametrize("document", PRINTED, ids=lambda document: document.name)
def test_a_document_opens_by_itself_and_prints_on_a4(document, paper, tmp_path):
    page, asked = paper
    planned = (meant(),) if document.name == "Public notice" else ()
    told = [
        (subject, spoken)
        for subject in (answered(), *planned)
        for spoken in document.languages
    ]
    for subject, spoken in told:
        asked.clear()
        file = tmp_path / document.named(subject)
        file.write_text(document.written(spoken)(subject), encoding="utf-8")
        page.goto(file.as_uri())
        assert asked == [file.as_uri()]
        found = Axe().run(page)["violations"]
        assert [one["id"] for one in found if one["impact"] in GRAVE] == []
        page.set_viewport_size({"width": 390, "height": 844})
        wide = "document.documentElement.scrollWidth"
        assert page.evaluate(wide) <= 390
        page.set_viewport_size({"width": 1280, "height": 900})
        sheets = page.pdf(prefer_css_page_size=True)
        assert b"/MediaBox [0 0 595" in sheets or b"/MediaBox [0 0 594" in sheets
        count = len(re.findall(rb"/Type\s*/Page\b", sheets))
        assert count == 1 if document.name == "Public notice" else count >= 2
