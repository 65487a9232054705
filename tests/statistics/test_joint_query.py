"""Questions about several columns: what is allowed, read, and written down."""

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
