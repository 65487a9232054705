"""What the curator calls columns and questions: shown everywhere, and no part of them.

The recipe of a column is its name, which stays in every question and statement.
"""

from __future__ import annotations

import csv
import io
import json
from dataclasses import replace
from datetime import UTC, date, datetime

import numpy as np
import pytest

from dpcore.analyses.base import Mode
from dpcore.analyses.reading import request_from
from dpcore.data.columns import Column, ColumnKind, LabelEquality, check_titles
from dpcore.data.preparation.aggregation import Preparation
from dpcore.data.preparation.conditions import Comparison, NumberCondition, meeting
from dpcore.data.preparation.contribution_bounds import RowCap, at_most
from dpcore.data.preparation.steps import PreparationSteps
from dpcore.documents.question import relabelled, titled
from dpcore.errors import ParameterError
from dpcore.ledger.ledger import Ledger
from dpcore.ledger.transaction import release, release_all
from dpcore.planning.analysis_plan import AnalysisPlan, PlannedQuery
from dpcore.planning.plan_files import from_json, to_json
from dpcore.privacy_filter import PrivacyBudget
from dpcore.relations import NeighboringRelation
from dpcore.releases.declarations import DECLARATION, Declaration
from dpcore.releases.record import Release
from dpcore.releases.table import file_name, to_csv
from tests.planning.planned import ALL
from tests.planning.test_files import TABLE
from tests.releases.questions import AGE

OF_TABLE = [name for name in ALL if name != "model"]
NAMED = TABLE.with_columns(
    *(replace(column, display_name=f"{column.name.upper()} as shown") for column in TABLE.columns)
)


@pytest.mark.parametrize("name", OF_TABLE)
def test_a_display_name_makes_no_question_new_and_is_said_with_the_recipe(name):
    before = ALL[name]
    after = request_from(before.parameters(), NAMED)
    assert after.parameters() == before.parameters()
    assert after.analysis("f" * 8) == before.analysis("f" * 8)
    assert PlannedQuery.of(after).key == PlannedQuery.of(before).key
    for column in after.asked.columns:
        recipe = f"“{column.title}” is {column.name}"
        assert after.statement.count(recipe) == 1
    if before.asked.columns[0].name in before.title:
        assert after.asked.columns[0].title in after.title
    assert "as shown" not in json.dumps(after.parameters())


def test_a_statement_without_display_names_stays_as_it_was():
    for one in ALL.values():
        assert "” is " not in one.statement
        assert one.statement.startswith(one.title)


@pytest.mark.parametrize(
    "text", [" x", "x ", "two\nlines", "x" * 101, "age where age", "a, at most 5 rows"]
)
def test_a_name_that_no_line_can_show_or_that_looks_like_a_condition_is_refused(text):
    with pytest.raises(ParameterError, match="name to show"):
        replace(AGE, display_name=text)


def test_no_two_columns_are_called_the_same():
    one = Column(name="a", kind=ColumnKind.NUMBER)
    other = Column(name="b", kind=ColumnKind.NUMBER)
    check_titles((one, replace(other, display_name="c")))
    check_titles((replace(one, display_name="a"), other))
    for shown in ("a", "c"):
        with pytest.raises(ParameterError, match="another column"):
            check_titles((replace(one, display_name="c"), replace(other, display_name=shown)))


def test_a_column_with_a_condition_or_a_limit_is_another_and_has_no_name_yet():
    source = NAMED
    older = NumberCondition(column="age", comparison=Comparison.AT_MOST, number=50.0)
    kept = meeting(source, (older,))
    assert not any(column.display_name for column in kept.columns)
    undone = kept.undone()
    assert [one.display_name for one in undone.columns] == [
        one.display_name for one in source.columns
    ]
    capped = at_most(source, RowCap(owners=("region",), most=1), key=bytes(range(32)))
    assert not any(column.display_name for column in capped.columns)
    assert capped.undone().column("age").display_name == "AGE as shown"


def declaration(*columns):
    return Declaration(
        columns=columns,
        relation=NeighboringRelation.SUBSTITUTION,
        rows=1,
        minimum_people=3,
        day=date(2026, 1, 1),
    )


def test_a_declaration_keeps_display_names_and_writes_none_where_there_is_none():
    shown = replace(AGE, display_name="years of age")
    written = DECLARATION.write(declaration(shown))
    assert DECLARATION.read(written).columns == (shown,)
    assert "display_name" not in DECLARATION.write(declaration(AGE))["columns"][0]
    other = replace(AGE, name="b", display_name="years of age")
    with pytest.raises(ParameterError, match="another column"):
        declaration(shown, other)


def test_a_declaration_keeps_how_the_file_was_declared_before_its_steps():
    recipe = Preparation(owners=("who",), count=True)
    codes = Column(
        name="code",
        kind=ColumnKind.CATEGORY,
        labels=("1", "2"),
        equality=LabelEquality.AS_NUMBERS,
        missing_codes=("9",),
    )
    whole = replace(declaration(AGE), steps=PreparationSteps(whose=recipe), file=(AGE, codes))
    assert DECLARATION.read(DECLARATION.write(whole)) == whole
    assert "file" not in DECLARATION.write(declaration(AGE))


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


def test_an_answer_keeps_the_name_and_another_name_has_the_same_answer(ledger):
    request = ALL["mean"]
    first = released(request, ledger, "patients ever positive")
    spent = ledger.account(ACCOUNT).spent
    renamed = request_from(request.parameters(), NAMED)
    assert released(renamed, ledger, "something else") == first
    assert ledger.account(ACCOUNT).spent == spent
    assert first.known_as == first.name == "patients ever positive"
    assert Release.from_json(first.to_json()) == first
    nameless = replace(first, name="")
    assert "name" not in json.loads(nameless.to_json())
    assert nameless.known_as == first.title


def test_a_plan_gives_its_names_to_its_answers(ledger):
    requests = [ALL["mean"], ALL["sum"]]
    answers = release_all(
        requests,
        [np.array([40.0]), np.array([400.0])],
        cost=lambda new: new[0].cost,
        ledger=ledger,
        fingerprint=ACCOUNT,
        mode=Mode.RELEASE,
        now=NOW,
        called=["how old they are", ""],
    )
    assert [answer.name for answer in answers] == ["how old they are", ""]


def test_files_have_a_column_of_names_only_where_there_are_names(ledger):
    named = released(ALL["mean"], ledger, "how old they are")
    other = replace(named, name="")
    assert "name" not in to_csv([other]).splitlines()[0].split(",")
    rows = [*csv.DictReader(io.StringIO(to_csv([named, other])))]
    assert [row["name"] for row in rows] == ["how old they are", ""]
    assert [row["title"] for row in rows] == [named.title] * 2
    assert file_name([named]).startswith("released-how-old-they-are-draw-1")


def test_numbers_and_parameters_are_told_by_the_names_that_are_shown():
    shown = Column(name="age", kind=ColumnKind.NUMBER, display_name="years")
    assert relabelled("mean of age, average × age", [shown]) == ("mean of years, average × years")
    asked = {"query": {"crossed": [{"column": {"name": "age"}}], "kind": "age"}}
    assert titled(asked, [shown]) == {
        "query": {"crossed": [{"column": {"name": "years"}}], "kind": "age"}
    }
