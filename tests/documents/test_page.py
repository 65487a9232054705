"""The frame of printed pages: nothing from outside, nothing unescaped, in order."""

import re

import pytest

from dpcore.documents.page import (
    Blanks,
    Code,
    Exact,
    Facts,
    Items,
    Numerals,
    Page,
    PageTable,
    Paragraph,
    Section,
)

EVIL = '<img src=x onerror=alert(1)> & "quoted"'
PIECES = (
    Paragraph(EVIL, kind="lead"),
    Section(
        title=EVIL,
        pieces=(
            Section(title="inner", pieces=(Items((EVIL,), ticked=True),), whole=True),
            Facts(((EVIL, EVIL), ("contact", ""))),
            Blanks((EVIL,)),
            Code(EVIL),
            PageTable(title=EVIL, head=("a", EVIL), rows=((EVIL, "1.5"),), numbers={1}),
        ),
        fresh=True,
    ),
)


def test_every_text_is_escaped_and_nothing_is_fetched():
    text = Page(title=EVIL, pieces=PIECES, mark=EVIL, foot=EVIL).html()
    assert "<img" not in text
    assert "default-src 'none'" in text
    assert not re.search(r"<(script|link|iframe)|https?://|url\(|@import", text)


def test_headings_are_nested_and_cells_say_what_they_head():
    text = Page(title="t", pieces=PIECES).html()
    assert re.findall(r"<h(\d)>", text) == ["1", "2", "3"]
    assert text.count('<th scope="col"') == 2
    assert text.count('<th scope="row"') == 1
    assert "to be filled in" in text


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
