"""The same question for every group: what is allowed, read, and written down."""

import numpy as np
import pytest

from dpcore.analyses.groups import ANY_SIZE, GroupedQuery
from dpcore.analyses.number import Query
from dpcore.errors import ParameterError
from dpcore.relations import PrivacyUnit, TableSize
from dpcore.statistics.entries import Membership
from dpcore.statistics.grouping import Grouping
from dpcore.statistics.kinds import StatisticKind
from tests.statistics.columns import DROP, category, dataset, number, yes_no
from tests.terms import ADD_REMOVE, SUBSTITUTION

AGE = number("age", unit="years")
REGION = category()
SMOKES = Membership(label="yes")


def part(kind=StatisticKind.MEAN, column=AGE, **changes):
    known = {"relation": SUBSTITUTION, "unit": PrivacyUnit(), "size": ANY_SIZE}
    return Query(kind=kind, column=column, **(known | changes))


def query(kind=StatisticKind.MEAN, column=AGE, *, by=(REGION,), **changes):
    return GroupedQuery(part=part(kind, column, **changes), group=Grouping.of(*by))


def test_title_and_unit_are_those_of_the_part_by_group():
    asked = query()
    assert (asked.title, asked.unit_text) == ("mean of age by region", "years")
    share = query(StatisticKind.PROPORTION, yes_no(), membership=SMOKES)
    assert share.title == "share of people with smoker = yes by region"
    assert share.unit_text == ""
    assert (share.kind, share.column) == (StatisticKind.PROPORTION, yes_no())
    assert share.columns == (yes_no(), REGION)
    assert not asked.size.public
    assert not any("at least" in said for said in asked.conditions)


@pytest.mark.parametrize("kind", [kind for kind in StatisticKind if kind.by_group])
def test_every_statistic_of_one_number_can_be_asked_by_group(kind):
    column = yes_no() if kind.of_members else AGE
    asked = query(kind, column, membership=SMOKES if kind.of_members else None)
    assert asked.groups == ("north", "south", "other")
    spread = kind.of_ratios and kind not in {StatisticKind.MEAN, StatisticKind.PROPORTION}
    parts = 1 + kind.of_ratios + spread
    assert len(asked.statistic.labels) == 3 * parts
    assert asked.bounds.lower == 0
    assert asked.bounds.upper == np.inf


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


def test_everybody_without_a_listed_label_is_in_the_last_group():
    table = dataset(
        (AGE, REGION), age=[10.0, np.nan, 30.0, 140.0], region=["south", "north", "east", None]
    )
    asked = query()
    values = asked.values(table)
    assert values.tolist() == [[10, 1], [50, 0], [30, 2], [140, 2]]
    # For every group what its values leave below them, and what they reach.
    parts = [0.5, 0.5, 0.9, 0.1, 0.7, 1.3]
    assert asked.statistic.value(values) == pytest.approx(parts)


def test_groups_of_people_left_out_are_left_out_too():
    age = number("age", missing=DROP)
    table = dataset((age, REGION), age=[10.0, np.nan, 30.0], region=["south", "north", "north"])
    asked = query(column=age)
    assert asked.rows(table).tolist() == [0, 2]
    assert asked.values(table).tolist() == [[10, 1], [30, 0]]


def test_members_are_counted_by_group():
    table = dataset(
        (yes_no(), REGION),
        smoker=["yes", "no", None, "yes"],
        region=["north", "north", "south", "east"],
    )
    asked = query(StatisticKind.COUNT, yes_no(), membership=SMOKES)
    assert asked.values(table).tolist() == [[1, 0], [0, 0], [0, 1], [1, 2]]
    assert asked.statistic.value(asked.values(table)).tolist() == [1, 0, 1]


def test_yes_and_no_make_groups_too():
    table = dataset((AGE, yes_no()), age=[10.0, 20.0, 30.0], smoker=["yes", "no", None])
    values = query(by=(yes_no(),)).values(table)
    assert values.tolist() == [[10, 1], [20, 0], [30, 2]]


def test_other_groups_than_declared_are_refused():
    other = category(labels=("south", "north"))
    table = dataset((AGE, other), age=[1.0], region=["north"])
    with pytest.raises(ParameterError, match="have changed since"):
        query().values(table)


def test_no_ratio_of_groups_is_the_analysis_that_had_a_minimum():
    asked = query()
    before = part().parameters() | {"group": asked.parameters()["group"]}
    assert before.keys() - asked.parameters().keys() == {"size"}
    assert asked.parameters()["moments"] == 1
    other = query(size=TableSize(people=7, public=False))
    assert other.parameters() == asked.parameters()
    # Counts and sums of groups keep the bytes that they had.
    total = query(StatisticKind.SUM)
    assert total.parameters()["size"] == {"people": 100, "public": False}
    assert "moments" not in total.parameters()
