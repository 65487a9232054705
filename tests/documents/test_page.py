"""The frame of printed pages: nothing from outside, nothing unescaped, in order."""

import re
from dataclasses import replace

import pytest

from dpcore.documents.catalog import DOCUMENTS
from dpcore.documents.context import CuratorInput
from tests.conftest import ROOT
from tests.documents.subjects import answered
from tests.documents.test_decision import decision, html_of
from tests.test_words import refused

EVIL = '<img src=x onerror=alert(1)> & "quoted"'
TYPED = CuratorInput(
    purpose=EVIL,
    period=EVIL,
    reason=EVIL,
    deciders=(EVIL,),
    place=EVIL,
    publisher=EVIL,
    contact=EVIL,
    signed=EVIL,
)
PAGES = {document.name: document.text for document in DOCUMENTS if document.mime == "text/html"} | {
    "Sheet": lambda _: html_of(decision(typed=TYPED, table=EVIL))
}


def evil():
    subject = answered().with_input(TYPED)
    columns = tuple(replace(one, description=EVIL, unit=EVIL) for one in subject.columns)
    return replace(subject, columns=columns, tables=(EVIL, "b"))


@pytest.mark.parametrize("name", PAGES)
def test_every_text_is_escaped_and_nothing_is_fetched(name):
    text = PAGES[name](evil())
    assert "<img" not in text
    assert "&lt;img" in text
    assert "default-src 'none'" in text
    assert not re.search(r"<(script|link|iframe)|https?://|url\(|@import", text)


@pytest.mark.parametrize(
    "path", sorted(ROOT.glob("dpcore/documents/templates/*.j2")), ids=lambda path: path.name
)
def test_templates_are_in_plain_words_and_one_notation(path):
    text = re.sub(r"{[#%].*?[#%]}", " ", path.read_text("utf-8"), flags=re.DOTALL)
    assert [what for kind, what in refused(text) if kind in {"phrase", "notation"}] == []
