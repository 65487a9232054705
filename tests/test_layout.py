"""The shape of the repository: straight pages, one place for each thing."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest

from tests.conftest import EXAMPLES, ROOT, examples_of
from tests.registry import NAMES

SOURCES = {
    path.relative_to(ROOT).as_posix(): path.read_text()
    for folder in ("dpcore", "ui", "pages")
    for path in sorted((ROOT / folder).rglob("*.py"))
}
PAGES = {name: text for name, text in SOURCES.items() if name.startswith("pages/")}


def nodes(name):
    """Return all that a source file consists of."""
    return ast.walk(ast.parse(SOURCES[name]))


@pytest.mark.parametrize(
    ("asked", "given"), [(4, (4, 4, 4)), (60, (10, 25, 60)), (2000, (200, 500, 2000))]
)
def test_properties_have_their_share_of_examples(asked, given):
    assert tuple(examples_of(asked, tier) for tier in EXAMPLES.values()) == given


def test_every_page_is_registered():
    assert {Path(name).stem for name in PAGES} == set(NAMES)


def test_pages_are_straight_lines():
    kinds = (ast.FunctionDef, ast.ClassDef, ast.While)
    branched = {name for name in PAGES if any(isinstance(node, kinds) for node in nodes(name))}
    assert branched == set()
    begun = r'(places\.begin|form\.draw|form\.explore)\(\s*"{}"'
    unrouted = {
        name
        for name, text in PAGES.items()
        if not re.search(begun.format(Path(name).stem), text)
        and f'session.require_router("{name}")' not in text
    }
    assert unrouted == set()


@pytest.mark.parametrize(
    "banned",
    [
        "cache_data",
        "pickle",
        "unsafe_allow_html",
        # It forgets what is pressed meanwhile in a fragment: use `session.end_page`.
        "st.stop()",
    ],
)
def test_nothing_is_cached_across_sessions_unpickled_or_forgotten(banned):
    assert {name for name, text in SOURCES.items() if banned in text} == set()


# A bound and a minimum of a column may stay empty; the box of the people is set to those of the
# small table.
RAW_NUMBERS = {
    "f'{end.capitalize()} bound",
    "At least so many have a value",
    "Impute missing values with",
    "People",
}


def test_numbers_are_asked_for_by_the_controls():
    asked = {
        ast.unparse(node.args[0]).strip("'")
        for name, text in SOURCES.items()
        if name != "ui/controls.py" and "number_input" in text
        for node in nodes(name)
        if isinstance(node, ast.Call) and "number_input" in ast.unparse(node.func)
    }
    assert asked == RAW_NUMBERS


def test_every_metric_says_what_it_is():
    bare = [
        f"{name}: {ast.unparse(node.args[0])}"
        for name, text in SOURCES.items()
        if ".metric(" in text
        for node in nodes(name)
        if isinstance(node, ast.Call)
        and ast.unparse(node.func).endswith(".metric")
        and not any(keyword.arg == "help" for keyword in node.keywords)
    ]
    assert bare == []


def test_no_kind_of_law_or_fit_is_asked_what_it_is():
    kinds = {"GlmFit", "RidgeFit"} | {
        node.name
        for name in SOURCES
        if name.startswith("dpcore/models/model_mechanisms/")
        for node in nodes(name)
        if isinstance(node, ast.ClassDef) and node.bases
    }
    asked = [
        f"{name}: {ast.unparse(node)}"
        for name, text in SOURCES.items()
        if any(kind in text for kind in kinds)
        for node in nodes(name)
        if _kinds_asked(node) & kinds
    ]
    assert asked == []


def _kinds_asked(node):
    match node:
        case ast.Call(func=ast.Name(id="isinstance"), args=[_, kind]):
            return {part.id for part in ast.walk(kind) if isinstance(part, ast.Name)}
        case ast.MatchClass(cls=ast.Name(id=kind)):
            return {kind}
    return set()
