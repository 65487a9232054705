"""The shape of the repository: straight pages, one place for each thing."""

from __future__ import annotations

import ast

import pytest

from tests.conftest import ROOT
from tests.registry import NAMES

SOURCES = [
    path
    for folder in ("dpcore", "ui", "pages")
    for path in sorted((ROOT / folder).rglob("*.py"))
]
PAGES = sorted((ROOT / "pages").glob("*.py"))


def test_every_page_is_registered():
    assert {path.stem for path in PAGES} == set(NAMES)


@pytest.mark.parametrize("path", PAGES, ids=lambda path: path.stem)
def test_page_is_a_straight_line(path):
    text = path.read_text()
    tree = ast.parse(text)
    kinds = (ast.FunctionDef, ast.ClassDef, ast.While)
    assert not any(isinstance(node, kinds) for node in ast.walk(tree))
    assert f'session.require_router("pages/{path.name}")' in text


@pytest.mark.parametrize("path", SOURCES, ids=lambda path: path.stem)
def test_nothing_is_cached_across_sessions_unpickled_or_forgotten(path):
    text = path.read_text()
    assert "cache_data" not in text
    assert "pickle" not in text
    assert "unsafe_allow_html" not in text
    # It forgets what is pressed meanwhile in a part of the page: `session.end_page`.
    assert "st.stop()" not in text


# A bound may stay empty; the box of the people is set to those of the small table.
RAW_NUMBERS = {"Lower bound", "Upper bound", "People"}


def test_numbers_are_asked_for_by_the_controls():
    asked = {
        ast.unparse(node.args[0]).strip("'")
        for path in SOURCES
        if path != ROOT / "ui" / "controls.py"
        for node in ast.walk(ast.parse(path.read_text()))
        if isinstance(node, ast.Call) and "number_input" in ast.unparse(node.func)
    }
    assert asked == RAW_NUMBERS


KINDS = {"GlmFit", "RidgeFit"} | {
    node.name
    for path in (ROOT / "dpcore/models/laws").glob("*.py")
    for node in ast.parse(path.read_text()).body
    if isinstance(node, ast.ClassDef) and node.bases
}


def test_every_metric_says_what_it_is():
    bare = [
        f"{path.name}: {ast.unparse(node.args[0])}"
        for path in SOURCES
        for node in ast.walk(ast.parse(path.read_text()))
        if isinstance(node, ast.Call)
        and ast.unparse(node.func).endswith(".metric")
        and not any(keyword.arg == "help" for keyword in node.keywords)
    ]
    assert bare == []


@pytest.mark.parametrize("path", SOURCES, ids=lambda path: path.stem)
def test_no_kind_of_law_or_fit_is_asked_what_it_is(path):
    for node in ast.walk(ast.parse(path.read_text())):
        match node:
            case ast.Call(func=ast.Name(id="isinstance"), args=[_, kind]):
                named = {
                    part.id for part in ast.walk(kind) if isinstance(part, ast.Name)
                }
                assert not named & KINDS
            case ast.MatchClass(cls=ast.Name(id=kind)):
                assert kind not in KINDS
