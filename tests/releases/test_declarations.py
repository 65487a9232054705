"""Declarations come back as they were kept, or not at all."""

from __future__ import annotations

import json
import os
import tempfile
from dataclasses import replace
from datetime import date
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dpcore.data.bounds import Interval
from dpcore.data.columns import Column, ColumnKind, MissingPolicy
from dpcore.data.dialects import Dialect, FileFormat
from dpcore.errors import LedgerError, ParameterError
from dpcore.relations import NeighboringRelation
from dpcore.releases.declarations import Declaration, Declarations

ACCOUNT, OTHER = "a" * 64, "b" * 64
AGE = Column(
    name="age",
    kind=ColumnKind.NUMBER,
    bounds=Interval(lower=18, upper=99),
    missing=MissingPolicy.REPLACE,
    replacement=50.0,
    unit="years",
    description="age at the visit",
)
PARTY = Column(name="party", kind=ColumnKind.CATEGORY, labels=("red", "blue"))
DECLARATION = Declaration(
    columns=(AGE, PARTY),
    relation=NeighboringRelation.ADD_REMOVE,
    rows=3,
    minimum_people=150,
    everybody=True,
    day=date(2026, 11, 22),
)
NAMES = ("age", "party")
TEXTS = st.text(st.characters(exclude_categories=["Cs"]), max_size=20)
LABELS = st.lists(TEXTS.map(str.strip).filter(bool), min_size=1, unique=True)
NUMBERS = (
    st.lists(st.floats(-1e99, 1e99), min_size=2, max_size=2)
    .map(sorted)
    .filter(lambda ends: ends[1] - ends[0] > 1e-6)
    .map(lambda ends: Interval(lower=ends[0], upper=ends[1]))
)
COLUMNS = st.one_of(
    st.builds(
        Column,
        name=TEXTS,
        kind=st.just(ColumnKind.NUMBER),
        bounds=st.none() | NUMBERS,
        unit=TEXTS,
        description=TEXTS,
    ),
    st.builds(
        Column,
        name=TEXTS,
        kind=st.just(ColumnKind.CATEGORY),
        labels=LABELS.map(tuple),
        unit=TEXTS,
        description=TEXTS,
    ),
)
DECLARATIONS = st.builds(
    Declaration,
    columns=st.lists(COLUMNS, max_size=5, unique_by=lambda one: one.name).map(tuple),
    relation=st.sampled_from(NeighboringRelation),
    rows=st.integers(1, 10**6),
    minimum_people=st.integers(3, 10**9),
    everybody=st.booleans(),
    day=st.dates(),
)


FORMATS = (
    FileFormat(
        dialect=Dialect(encoding="cp1250", delimiter=";", decimal=",", skipped=2),
        missing_codes=("-9", "NA"),
        header=("age", "party"),
    ),
    FileFormat(sheet="Tests", title_rows=3, header=("age", "party")),
    FileFormat(),
)


@pytest.mark.parametrize("file_format", FORMATS)
def test_the_format_of_a_file_comes_back_and_is_found_without_its_columns(tmp_path, file_format):
    declarations = Declarations(tmp_path)
    declarations.keep(OTHER, replace(DECLARATION, columns=(AGE,)))
    declared = replace(DECLARATION, file_format=file_format)
    declarations.keep(ACCOUNT, declared)
    assert declarations.of_table(ACCOUNT, NAMES) == declared
    assert declarations.file_formats() == (file_format,)


def test_a_declaration_without_a_format_is_written_as_ever(tmp_path):
    Declarations(tmp_path).keep(ACCOUNT, DECLARATION)
    (only,) = tmp_path.iterdir()
    assert "file_format" not in json.loads(only.read_bytes())


@pytest.fixture
def kept(tmp_path):
    declarations = Declarations(tmp_path / "declared")
    declarations.keep(ACCOUNT, DECLARATION)
    return declarations


@pytest.fixture
def path(kept, tmp_path):  # noqa: ARG001 - kept is written first
    (only,) = (tmp_path / "declared").iterdir()
    return only


@given(declaration=DECLARATIONS)
def test_whatever_was_declared_comes_back(declaration):
    names = [column.name for column in declaration.columns]
    with tempfile.TemporaryDirectory() as folder:
        declarations = Declarations(Path(folder))
        declarations.keep(ACCOUNT, declaration)
        assert declarations.of_table(ACCOUNT, names) == declaration
        assert declarations.of_columns(reversed(names)) == declaration
        assert declarations.knows(names)
        assert declarations.of_columns([*names, "more"]) is None
        assert not declarations.knows([*names, "more"])


def test_each_table_has_its_own_and_the_latest_stands_for_its_columns(kept, tmp_path):
    later = replace(DECLARATION, columns=(PARTY, replace(AGE, unit="months")))
    kept.keep(OTHER, later)
    # A clock may be coarse.
    for file in (tmp_path / "declared").iterdir():
        os.utime(file, ns=(2, 2) if OTHER in file.name else (1, 1))
    assert kept.of_table(ACCOUNT, NAMES) == DECLARATION
    assert kept.of_table(OTHER, NAMES) == later
    assert kept.of_columns(NAMES) == later
    assert kept.of_table("c" * 64, NAMES) is None
    kept.keep(ACCOUNT, replace(DECLARATION, rows=7))
    assert kept.of_table(ACCOUNT, NAMES).rows == 7
    assert len([*(tmp_path / "declared").iterdir()]) == 2


def test_only_the_owner_may_read_them(path):
    assert path.stat().st_mode & 0o077 == 0
    assert path.parent.stat().st_mode & 0o077 == 0


def test_a_file_that_breaks_off_leaves_what_was_there(kept, path, monkeypatch):
    def full(_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("os.fsync", full)
    with pytest.raises(LedgerError, match="No space left"):
        kept.keep(ACCOUNT, replace(DECLARATION, rows=9))
    assert kept.of_table(ACCOUNT, NAMES) == DECLARATION
    assert [*path.parent.iterdir()] == [path]


def test_declarations_without_later_fields_can_be_read(kept, path):
    content = json.loads(path.read_text())
    del content["everybody"]
    for column in content["columns"]:
        del column["unit"], column["description"]
    path.write_text(json.dumps(content))
    found = kept.of_table(ACCOUNT, NAMES)
    plain = tuple(replace(c, unit="", description="") for c in DECLARATION.columns)
    assert found == replace(DECLARATION, columns=plain, everybody=False)


def changes(content):
    """Every part of a declaration in turn replaced by something else."""
    parts = content.items() if isinstance(content, dict) else enumerate(content)
    for key, part in [*parts]:
        for other in (None, -1, 1e400, 10**400, True, "\ud800", "x" * 10_001, [], {}):
            content[key] = other
            yield
        if isinstance(part, dict | list):
            content[key] = part
            yield from changes(part)
        content[key] = part


def test_what_nobody_could_have_declared_counts_as_nothing(kept, path):
    content = json.loads(path.read_text())
    ways = 0
    for _ in changes(content):
        path.write_text(json.dumps(content))
        found = kept.of_table(ACCOUNT, NAMES)
        ways += 1
        if found is not None:
            # Only what somebody could have declared: it can be kept again.
            kept.keep(ACCOUNT, found)
            assert kept.of_table(ACCOUNT, NAMES) == found
    assert ways > 200


@pytest.mark.parametrize(
    "text",
    [
        b"",
        b"\xff",
        b"[]",
        b"{}",
        b"null",
        b"[" * 200_000,
        b'{"columns": ' + b"9" * 5000 + b"}",
        b" " * (1 << 24) + b"{}",
    ],
    ids=lambda text: repr(text[:12]),
)
def test_damaged_files_count_as_nothing(kept, path, text):
    path.write_bytes(text)
    assert kept.of_table(ACCOUNT, NAMES) is None
    assert kept.of_columns(NAMES) is None
    kept.keep(OTHER, DECLARATION)
    assert kept.of_columns(NAMES) == DECLARATION


def test_declarations_about_other_columns_count_as_nothing(kept, path):
    text = path.read_text().replace('"party"', '"address"')
    path.write_text(text)
    assert kept.of_table(ACCOUNT, NAMES) is None


@pytest.mark.parametrize(
    "change", [{"rows": 0}, {"minimum_people": 2}, {"rows": 10**13}, {"columns": (AGE, AGE)}]
)
def test_impossible_declarations_are_refused(change):
    with pytest.raises(ParameterError):
        replace(DECLARATION, **change)
