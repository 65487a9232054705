"""The same question for every group: what is allowed, read, and written down."""

import pytest

from dpcore.analyses.groups import ANY_SIZE, GroupedQuery
from dpcore.analyses.number import Query
from dpcore.errors import ParameterError
from dpcore.relations import PrivacyUnit, TableSize
from dpcore.statistics.grouping import Grouping
from dpcore.statistics.kinds import StatisticKind
from tests.statistics.columns import category, dataset, number, yes_no
from tests.terms import ADD_REMOVE, SUBSTITUTION

AGE = number("age", unit="years")
REGION = category()


def part(kind=StatisticKind.MEAN, column=AGE, **changes):
    known = {"relation": SUBSTITUTION, "unit": PrivacyUnit(), "size": ANY_SIZE}
    return Query(kind=kind, column=column, **(known | changes))


def query(kind=StatisticKind.MEAN, column=AGE, *, by=(REGION,), **changes):
    return GroupedQuery(part=part(kind, column, **changes), group=Grouping.of(*by))


@pytest.mark.parametrize(
    ("kind", "column", "changes", "match"),
    [
        (StatisticKind.MEDIAN, AGE, {}, "cannot be asked by group; choose"),
        (StatisticKind.HISTOGRAM, yes_no(), {}, "cannot be asked by group; choose"),
        (StatisticKind.PROPORTIONS, yes_no(), {}, "cannot be asked by group; choose"),
        (StatisticKind.MEAN, AGE, {"by": (number("income"),)}, "'income' needs a pub"),
        (StatisticKind.MEAN, AGE, {"by": (category(labels=()),)}, "declare it on"),
        (
            StatisticKind.MEAN,
            AGE,
            {"size": TableSize(people=4, public=True)},
            "sizes of groups are private: nothing is public",
        ),
    ],
)
def test_questions_without_an_answer_are_refused(kind, column, changes, match):
    with pytest.raises(ParameterError, match=match):
        query(kind, column, **changes)


@pytest.mark.parametrize("rows", [1, 3])
def test_sensitivity_is_that_of_all_rows_of_a_unit(rows):
    removed = query(relation=ADD_REMOVE, unit=PrivacyUnit(rows=rows)).sensitivity
    # A row adds 1 to its group, divided between two numbers.
    assert removed.l1 == rows
    moved = query(unit=PrivacyUnit(rows=rows)).sensitivity
    assert moved.l1 == 2 * rows
    assert moved.coordinates == min(4 * rows, 6)


def test_other_groups_than_declared_are_refused():
    other = category(labels=("south", "north"))
    table = dataset((AGE, other), age=[1.0], region=["north"])
    with pytest.raises(ParameterError, match="have changed since"):
        query().values(table)
