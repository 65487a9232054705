"""Questions about several columns: what is allowed, read, and written down."""

from dataclasses import replace

import numpy as np
import pytest

from dpcore.analyses.matrix import MOST_COLUMNS, JointQuery
from dpcore.errors import ParameterError
from dpcore.relations import PrivacyUnit
from dpcore.statistics.grouping import Grouping
from dpcore.statistics.kinds import StatisticKind
from dpcore.statistics.pooled import GroupSizes
from tests.statistics.columns import DROP, category, dataset, number
from tests.terms import ADD_REMOVE, SUBSTITUTION, private, public

AGE = number("age", unit="years")
INCOME = number("income", 10.0, unit="euros")
HEIGHT = number("height", 2.0)
REGION = category()
SIZES = GroupSizes(sizes=(2, 2, 2))
MATRIX = StatisticKind.COVARIANCE_MATRIX
POOLED = {"group": Grouping.of(REGION), "groups": SIZES}


def query(kind=StatisticKind.COVARIANCE, numbers=(AGE, INCOME), **changes):
    known = {"relation": SUBSTITUTION, "unit": PrivacyUnit(), "size": public(6)}
    if kind.pooled:
        known |= POOLED
    return JointQuery(kind=kind, numbers=numbers, **(known | changes))


@pytest.mark.parametrize(
    ("kind", "numbers", "title", "unit"),
    [
        (StatisticKind.COVARIANCE, (AGE, INCOME), "covariance of age and income", "years × euros"),
        (StatisticKind.COVARIANCE, (AGE, HEIGHT), "covariance of age and height", ""),
        (StatisticKind.CORRELATION, (AGE, INCOME), "correlation of age and income", ""),
        (MATRIX, (AGE, INCOME, HEIGHT), "covariance matrix of age, income and height", ""),
        (StatisticKind.POOLED_VARIANCE, (AGE,), "pooled variance of age within region", "(years)²"),
        (
            StatisticKind.POOLED_COVARIANCE,
            (AGE, INCOME),
            "pooled covariance of age and income within region",
            "years × euros",
        ),
    ],
)
def test_title_and_unit_say_what_is_asked(kind, numbers, title, unit):
    asked = query(kind, numbers)
    assert asked.title == title
    assert asked.unit_text == unit
    assert asked.column == numbers[0]
    assert asked.columns == ((*numbers, REGION) if kind.pooled else numbers)
    assert asked.bounds == asked.statistic.range


@pytest.mark.parametrize(
    ("kind", "numbers", "changes", "match"),
    [
        (StatisticKind.MEAN, (AGE,), {}, "asked of one column"),
        (StatisticKind.COVARIANCE, (AGE,), {}, "needs 2 different columns"),
        (StatisticKind.COVARIANCE, (AGE, AGE), {}, "needs 2 different columns"),
        (StatisticKind.CORRELATION, (AGE, INCOME, HEIGHT), {}, "needs 2 different"),
        (StatisticKind.POOLED_VARIANCE, (AGE, INCOME), {}, "needs 1 different column"),
        (MATRIX, (AGE,), {}, f"2 to {MOST_COLUMNS} different columns"),
        (
            MATRIX,
            tuple(number(f"c{j}") for j in range(MOST_COLUMNS + 1)),
            {},
            f"2 to {MOST_COLUMNS} different columns",
        ),
        (MATRIX, (AGE, REGION), {}, "'region' needs to be a column of numbers"),
        (
            MATRIX,
            (AGE, number("weight", bounds=None)),
            {},
            "'weight' needs .* public bounds; declare them",
        ),
        (StatisticKind.POOLED_VARIANCE, (AGE,), {"group": None}, "needs a column of"),
        (StatisticKind.POOLED_VARIANCE, (AGE,), {"groups": None}, "needs a column of"),
        (StatisticKind.COVARIANCE, (AGE, INCOME), POOLED, "has no use for a column"),
        (
            StatisticKind.POOLED_VARIANCE,
            (AGE,),
            {"groups": GroupSizes(sizes=(3, 3), labels_public=False)},
            "'region' has 3 groups, people of no listed label included",
        ),
        (
            StatisticKind.POOLED_VARIANCE,
            (AGE,),
            {"size": private(6)},
            "with one row for each person, and impute missing values",
        ),
        (
            StatisticKind.POOLED_VARIANCE,
            (AGE,),
            {"size": public(7)},
            "needs a public number of people",
        ),
        (MATRIX, (AGE, INCOME), {"relation": ADD_REMOVE}, "private under add/remove"),
        (
            MATRIX,
            (AGE, number("weight", missing=DROP)),
            {},
            "where those with a missing value are left out",
        ),
        (MATRIX, (AGE, INCOME), {"size": public(2)}, "at least 3"),
    ],
)
def test_questions_without_an_answer_are_refused(kind, numbers, changes, match):
    with pytest.raises(ParameterError, match=match):
        query(kind, numbers, **changes)


def test_as_many_columns_as_allowed_make_a_matrix():
    columns = tuple(number(f"c{j}") for j in range(MOST_COLUMNS))
    assert len(query(MATRIX, columns).statistic.labels) == 210


def test_a_correlation_reads_variances_and_the_covariance():
    asked = query(StatisticKind.CORRELATION)
    assert asked.statistic == query(MATRIX).statistic
    assert asked.statistic.labels == ("var(age)", "var(income)", "cov(age, income)")


def test_sensitivity_is_that_of_all_rows_of_a_unit():
    once = query(MATRIX).sensitivity
    assert once.l1 == pytest.approx((100**2 + 10**2 + 1000) / 6)
    twice = query(MATRIX, unit=PrivacyUnit(rows=2), size=private(6)).sensitivity
    assert twice.l1 == pytest.approx(2 * once.l1)
    assert (once.coordinates, twice.coordinates) == (3, 3)


def test_missing_numbers_are_replaced():
    table = dataset(
        (AGE, INCOME), age=[10.0, np.nan, 30.0, 400.0], income=[1.0, 2.0, np.nan, np.inf]
    )
    asked = query(size=public(4))
    assert asked.rows(table).tolist() == [0, 1, 2, 3]
    expected = [[10, 1], [50, 2], [30, 5], [400, np.inf]]
    assert asked.values(table).tolist() == expected


def test_whoever_misses_one_number_is_left_out_of_all():
    weight = number("weight", missing=DROP)
    table = dataset(
        (AGE, weight, number("height", 2.0, missing=DROP)),
        age=[np.nan, 20.0, 30.0, 40.0],
        weight=[50.0, np.nan, 70.0, 80.0],
        height=[1.0, 1.0, 1.0, np.nan],
    )
    asked = query(numbers=(AGE, weight), size=private(3))
    assert asked.rows(table).tolist() == [0, 2, 3]
    assert asked.values(table).tolist() == [[50, 50], [30, 70], [40, 80]]
    three = query(MATRIX, (AGE, *table.columns[1:]), size=private(3))
    assert three.rows(table).tolist() == [0, 2]


def test_everybody_without_a_listed_label_is_in_the_last_group():
    table = dataset(
        (AGE, REGION),
        age=[10.0, np.nan, 30.0, 40.0, 50.0, 60.0],
        region=["south", "north", "east", None, "south", "north"],
    )
    asked = query(StatisticKind.POOLED_VARIANCE, (AGE,))
    codes = [[10, 1], [50, 0], [30, 2], [40, 2], [50, 1], [60, 0]]
    values = asked.values(table)
    assert values.tolist() == codes
    # Scatter of (10, 50), (50, 60) and (30, 40), over 6 - 3.
    assert asked.statistic.value(values) == pytest.approx([(800 + 50 + 50) / 3])


def test_public_groups_of_listed_labels_alone_hold_everybody():
    groups = GroupSizes(sizes=(3, 3))
    asked = query(StatisticKind.POOLED_VARIANCE, (AGE,), groups=groups)
    ages = [10.0, 20.0, 30.0, 40.0, 50.0, 60.0]
    table = dataset((AGE, REGION), age=ages, region=["north", "south"] * 3)
    # Scatter of (10, 30, 50) and (20, 40, 60), over 6 - 2.
    assert asked.statistic.value(asked.values(table)) == pytest.approx([400])
    stranger = dataset((AGE, REGION), age=ages, region=["north", "south"] * 2 + 2 * [0])
    with pytest.raises(ParameterError):
        asked.statistic.value(asked.values(stranger))


def test_other_groups_than_declared_are_refused():
    other = category(labels=("south", "north"))
    table = dataset((AGE, other), age=[1.0] * 6, region=["north", "south"] * 3)
    with pytest.raises(ParameterError, match="have changed since"):
        query(StatisticKind.POOLED_VARIANCE, (AGE,)).values(table)


def test_equal_analyses_have_equal_parameters():
    plain = replace(AGE, unit="", description="Age in years")
    assert query(numbers=(plain, INCOME)).parameters() == query().parameters()
    # With private labels only the number of groups and of people are used.
    private_labels = [
        query(
            StatisticKind.POOLED_VARIANCE,
            (AGE,),
            groups=GroupSizes(sizes=sizes, labels_public=False),
        )
        for sizes in ((2, 2, 2), (6, 0, 0))
    ]
    first, second = (each.parameters() for each in private_labels)
    assert first == second
