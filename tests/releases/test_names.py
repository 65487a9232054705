"""What the curator calls columns and questions: shown everywhere, and no part of them.

The recipe of a column is its name, which stays in every question and statement.
"""

from __future__ import annotations

import csv
import io
from dataclasses import replace
from datetime import UTC, datetime

import numpy as np
import pytest

from dpcore.analyses.base import Mode
from dpcore.data.columns import Column, ColumnKind, check_titles
from dpcore.errors import ParameterError
from dpcore.ledger.ledger import Ledger
from dpcore.ledger.transaction import release
from dpcore.planning.analysis_plan import AnalysisPlan, PlannedQuery
from dpcore.planning.plan_files import from_json, to_json
from dpcore.privacy_filter import PrivacyBudget
from dpcore.relations import NeighboringRelation
from dpcore.releases.table import file_name, to_csv
from tests.planning.planned import ALL
from tests.planning.test_files import TABLE
from tests.releases.questions import AGE

NAMED = TABLE.with_columns(
    *(replace(column, display_name=f"{column.name.upper()} as shown") for column in TABLE.columns)
)


@pytest.mark.parametrize(
    "text", [" x", "x ", "two\nlines", "x" * 101, "age where age", "a, at most 5 rows"]
)
def test_a_name_that_no_line_can_show_or_that_looks_like_a_condition_is_refused(text):
    with pytest.raises(ParameterError, match="display name"):
        replace(AGE, display_name=text)


def test_no_two_columns_are_called_the_same():
    one = Column(name="a", kind=ColumnKind.NUMBER)
    other = Column(name="b", kind=ColumnKind.NUMBER)
    check_titles((one, replace(other, display_name="c")))
    check_titles((replace(one, display_name="a"), other))
    for shown in ("a", "c"):
        with pytest.raises(ParameterError, match="another column"):
            check_titles((replace(one, display_name="c"), replace(other, display_name=shown)))


def test_a_plan_follows_what_columns_are_called_but_for_names_that_were_typed():
    first, second = (PlannedQuery.of(ALL[name]) for name in ("mean", "sum"))
    plan = AnalysisPlan(items=(first, replace(second, name="all years together")))
    found = from_json(to_json(plan), NAMED).basket
    title = found.items[0].request.title
    assert "AGE as shown" in title
    assert [item.name for item in found.items] == [title, "all years together"]
    assert [item.own_name for item in found.items] == ["", "all years together"]
    again = from_json(to_json(found), TABLE).basket
    assert again == plan


ACCOUNT = "table"
NOW = datetime(2026, 11, 23, tzinfo=UTC)


def released(request, ledger, called=""):
    return release(
        request,
        np.array([40.0]),
        ledger=ledger,
        fingerprint=ACCOUNT,
        mode=Mode.RELEASE,
        now=NOW,
        called=called,
    )


@pytest.fixture
def ledger():
    opened = Ledger.in_memory()
    opened.open_account(ACCOUNT, PrivacyBudget.of(epsilon=9.0), NeighboringRelation.SUBSTITUTION)
    return opened


def test_files_have_a_column_of_names_only_where_there_are_names(ledger):
    named = released(ALL["mean"], ledger, "how old they are")
    other = replace(named, name="")
    assert "name" not in to_csv([other]).splitlines()[0].split(",")
    rows = [*csv.DictReader(io.StringIO(to_csv([named, other])))]
    assert [row["name"] for row in rows] == ["how old they are", ""]
    assert [row["title"] for row in rows] == [named.title] * 2
    assert file_name([named]).startswith("released-how-old-they-are-draw-1")
