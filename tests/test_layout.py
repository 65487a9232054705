"""The shape of the repository: small files, small pages, one place for each thing."""

from __future__ import annotations

import ast

import pytest

from tests.conftest import ROOT

SOURCES = [
    path
    for folder in ("dpcore", "ui", "pages")
    for path in sorted((ROOT / folder).rglob("*.py"))
]
PAGES = sorted((ROOT / "pages").glob("*.py"))


@pytest.mark.parametrize("path", SOURCES, ids=lambda path: path.stem)
def test_file_is_short(path):
    assert len(path.read_text().splitlines()) <= 300


@pytest.mark.parametrize("path", PAGES, ids=lambda path: path.stem)
def test_page_is_a_straight_line(path):
    text = path.read_text()
    assert len(text.splitlines()) <= 100
    tree = ast.parse(text)
    kinds = (ast.FunctionDef, ast.ClassDef, ast.While)
    assert not any(isinstance(node, kinds) for node in ast.walk(tree))
    assert f'session.require_router("pages/{path.name}")' in text


@pytest.mark.parametrize("path", SOURCES, ids=lambda path: path.stem)
def test_nothing_is_cached_across_sessions_or_unpickled(path):
    text = path.read_text()
    assert "cache_data" not in text
    assert "pickle" not in text
    assert "unsafe_allow_html" not in text
