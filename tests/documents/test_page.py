"""The frame of printed pages: nothing from outside, nothing unescaped, in order."""

import re
from dataclasses import replace
from itertools import pairwise

import pytest

from dpcore.documents.catalog import DOCUMENTS
from dpcore.documents.context import CuratorInput
from dpcore.documents.rendering import Exact, Numerals, environment
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
    text = re.sub(r"{#.*?#}", " ", path.read_text("utf-8").replace(" %}", "%}"), flags=re.DOTALL)
    assert [what for kind, what in refused(text) if kind in {"phrase", "notation"}] == []


@pytest.mark.parametrize("name", PAGES)
def test_headings_are_nested_and_cells_say_what_they_head(name):
    text = PAGES[name](answered())
    levels = list(map(int, re.findall(r"<h(\d)>", text)))
    assert levels[0] == 1
    assert levels.count(1) == 1
    assert all(after - before <= 1 for before, after in pairwise(levels))
    rows = re.findall(r"<tr>(.*?)</tr>", text, flags=re.DOTALL)
    for row in rows:
        assert row.startswith('<th scope="')
        assert row.count('<th scope="row"') + ('<th scope="col"' in row) == 1


@pytest.mark.parametrize(
    ("point", "comma"),
    [
        ("1,234.5", "1.234,5"),
        ("53,500 to 1.5 million, 2.5e-7.", "53.500 to 1,5 million, 2,5e-7."),
        ("-0.75 %, 12, 3", "-0,75 %, 12, 3"),
        ("ends with 1.5, then 2.", "ends with 1,5, then 2."),
        ("version 0.15.1, v1.5, x_1.5", "version 0.15.1, v1.5, x_1.5"),
        ("2026-11-23, SP 800-226", "2026-11-23, SP 800-226"),
    ],
)
def test_numbers_take_the_marks_of_the_reader_and_nothing_else_does(point, comma):
    assert Numerals.COMMA.written(point) == comma
    assert Numerals.POINT.written(point) == point
    assert Numerals.COMMA.written(Exact(point)) == point


def test_a_number_is_written_once_however_deep_it_is_included():
    template = "{% macro inner(x) %}{{ x }}{% endmacro %}{{ inner(inner(number)) }}"
    made = environment(Numerals.COMMA).from_string(template)
    assert made.render(number="1,234") == "1.234"
