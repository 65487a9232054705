"""Documents open without a network, are accessible, and fit on their paper."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest
from axe_core_python.sync_playwright import Axe

from dpcore.documents.catalog import DOCUMENTS
from dpcore.documents.decision import decision_page
from dpcore.documents.rendering import Numerals
from dpcore.planning.analysis_plan import AnalysisPlan, PlannedQuery
from dpcore.planning.comparison import Option
from tests.browser.test_accessibility import GRAVE
from tests.documents.subjects import answered, meant
from tests.documents.test_decision import TYPED, decision
from tests.planning.planned import item
from tests.releases.questions import apart

pytestmark = pytest.mark.browser
NOTICE, *OTHERS = [document for document in DOCUMENTS if document.mime == "text/html"]
PRINTED = [NOTICE, OTHERS[0], *(pytest.param(o, marks=pytest.mark.exhaustive) for o in OTHERS[1:])]


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


def test_the_page_to_sign_is_one_sheet(paper, tmp_path):
    page, _ = paper
    items = tuple(
        item(name, wanted=10.0, group=350)
        for name in ("mean", "group", "median", "group, gaussian")
    )
    gap = replace(PlannedQuery.of(apart()), wanted=10.0, group=350)
    about = decision(
        plan=Option(name="a", basket=AnalysisPlan(items=(*items, gap), total=5.0, delta=1e-6)),
        typed=replace(TYPED, deciders=("A. Berger", "B. Aydin", "C. Demir")),
    )
    file = tmp_path / "sheet.html"
    file.write_text(decision_page(about, Numerals.COMMA), encoding="utf-8")
    page.goto(file.as_uri())
    found = Axe().run(page)["violations"]
    assert [one["id"] for one in found if one["impact"] in GRAVE] == []
    sheets = page.pdf(prefer_css_page_size=True)
    assert len(re.findall(rb"/Type\s*/Page\b", sheets)) == 1


@pytest.mark.parametrize("document", PRINTED, ids=lambda document: document.name)
def test_a_document_opens_by_itself_and_prints_on_a4(document, paper, tmp_path):
    page, asked = paper
    planned = (meant(),) if document.name == "Public notice" else ()
    for subject in (answered(), *planned):
        asked.clear()
        file = tmp_path / document.named(subject)
        file.write_text(document.text(subject), encoding="utf-8")
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
        if document.name == "Public notice" and subject.planned:
            assert count == 1
            continue
        assert count >= 2
        if document.name == "Public notice":
            # What is hung up is the first sheet; all numbers stand on those after it.
            rest = page.locator("section.fresh")
            assert rest.count() == 1
            rest.evaluate("it => it.remove()")
            page.locator("footer").evaluate("it => it.remove()")
            sheets = page.pdf(prefer_css_page_size=True)
            assert len(re.findall(rb"/Type\s*/Page\b", sheets)) == 1
