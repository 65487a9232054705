"""Units of several rows: how many they own may change, by enumeration of tables."""

from itertools import chain, combinations_with_replacement, product

import numpy as np
import pytest

from dpcore.analyses.groups import GroupedQuery
from dpcore.analyses.matrix import JointQuery
from dpcore.analyses.number import Query
from dpcore.data.bounds import Interval
from dpcore.data.columns import Column, ColumnKind
from dpcore.errors import ParameterError
from dpcore.relations import NeighboringRelation, PrivacyUnit, TableSize
from dpcore.statistics.entries import Membership
from dpcore.statistics.grouping import Grouping
from dpcore.statistics.kinds import StatisticKind
from tests.statistics.columns import REPLACE, category, number, yes_no
from tests.terms import ADD_REMOVE, SUBSTITUTION

PAY = number("pay", bounds=Interval(lower=100.0, upper=101.0), replacement=100.5)
SIGNED = number("signed", bounds=Interval(lower=-1.0, upper=3.0), replacement=0.0)
ENDS = (0.0, 40.0, 100.0)
COLOR = Column(
    name="color", kind=ColumnKind.CATEGORY, labels=("a", "b"), missing=REPLACE, replacement="a"
)


def terms(relation, rows, least=3):
    return {
        "relation": relation,
        "unit": PrivacyUnit(rows=rows),
        "size": TableSize(people=least, public=False),
    }


def one(kind, column=None, **named):
    def build(**known):
        return Query(kind=kind, column=column or number("age"), **named, **known)

    return build


def several(kind, **named):
    def build(**known):
        return JointQuery(kind=kind, numbers=(PAY, SIGNED), **named, **known)

    return build


def by_group(**known):
    part = Query(kind=StatisticKind.MEAN, column=number("age"), **known)
    return GroupedQuery(part=part, group=Grouping.of(category()))


PAIRS = tuple(product((100.0, 101.0), (-1.0, 3.0)))
QUESTIONS = {
    "sum": (one(StatisticKind.SUM, PAY), (100.0, 101.0)),
    "signed sum": (one(StatisticKind.SUM, SIGNED), (-1.0, 0.0, 3.0)),
    "count": (one(StatisticKind.COUNT, yes_no(), membership=Membership(label="yes")), (0.0, 1.0)),
    "rows": (one(StatisticKind.COUNT, yes_no(), membership=Membership(label=None)), (1.0,)),
    "share": (
        one(StatisticKind.PROPORTION, yes_no(), membership=Membership(label="yes")),
        (0.0, 1.0),
    ),
    "mean": (one(StatisticKind.MEAN), ENDS),
    "variance": (one(StatisticKind.VARIANCE), ENDS),
    "standard deviation": (one(StatisticKind.STANDARD_DEVIATION), ENDS),
    "population variance": (one(StatisticKind.POPULATION_VARIANCE), ENDS),
    "histogram": (one(StatisticKind.HISTOGRAM, COLOR), (0.0, 1.0, 2.0)),
    "shares": (one(StatisticKind.PROPORTIONS, COLOR), (0.0, 1.0, 2.0)),
    "median": (one(StatisticKind.MEDIAN), ENDS),
    "quantile": (one(StatisticKind.QUANTILE, q=0.2), ENDS),
    "covariance": (several(StatisticKind.COVARIANCE), PAIRS),
    "covariance matrix": (several(StatisticKind.COVARIANCE_MATRIX), PAIRS),
    "means by group": (by_group, tuple(product((0.0, 100.0), (0.0, 1.0, 2.0)))),
}


def owned(records, most):
    """Return all that a unit may own: from no row to so many."""
    return tuple(
        chain.from_iterable(
            combinations_with_replacement(records, rows) for rows in range(most + 1)
        )
    )


def moves(question, records, *, rows, others):
    """Return how far a unit can move a statistic: every change of its rows.

    Of every table of up to ``others`` more rows, shape (c, k).
    """
    memo = {}

    def value(table):
        key = tuple(sorted(table))
        if key not in memo:
            width = np.shape(records[0])
            memo[key] = question.statistic.value(np.array(key).reshape(-1, *width))
        return memo[key]

    return np.array(
        [
            value((*rest, *after)) - value((*rest, *before))
            for rest in owned(records, others)
            for before in owned(records, rows)
            for after in (owned(records, rows) if question.relation is SUBSTITUTION else [()])
        ]
    )


@pytest.mark.parametrize("relation", NeighboringRelation)
@pytest.mark.parametrize("rows", [1, 2])
@pytest.mark.parametrize("name", QUESTIONS)
def test_no_unit_moves_a_statistic_farther_than_its_sensitivity(name, rows, relation):
    build, records = QUESTIONS[name]
    if name == "rows" and rows == 1 and relation is SUBSTITUTION:
        with pytest.raises(ParameterError, match="is public"):
            build(**terms(relation, rows))
        return
    question = build(**terms(relation, rows))
    few = len(records) > 4 or name == "covariance matrix"
    changes = moves(question, records, rows=rows, others=2 if few else 4)
    bound = question.sensitivity
    slack = 1 + 1e-12
    assert np.abs(changes).sum(axis=1).max() <= bound.l1 * slack
    assert np.linalg.norm(changes, axis=1).max() <= bound.l2 * slack
    assert np.abs(changes).max() <= bound.largest * slack
    assert (np.abs(changes) > 1e-12).sum(axis=1).max() <= bound.coordinates


@pytest.mark.parametrize("name", ["sum", "signed sum", "count", "rows"])
@pytest.mark.parametrize("rows", [2, 3])
def test_totals_move_as_far_as_is_charged(name, rows):
    build, records = QUESTIONS[name]
    question = build(**terms(SUBSTITUTION, rows))
    farthest = np.abs(moves(question, records, rows=rows, others=1)).max()
    assert farthest == pytest.approx(question.sensitivity.l1)


def test_two_rows_in_place_of_one_move_a_sum_by_what_one_of_them_is():
    asked = QUESTIONS["sum"][0](**terms(SUBSTITUTION, 2))
    value = asked.statistic.value
    moved = value(np.array([101.0, 101.0])) - value(np.array([100.0]))
    assert moved.tolist() == [102.0]
    assert asked.sensitivity.l1 >= 102.0


@pytest.mark.parametrize("build", [one(StatisticKind.SUM, PAY), several(StatisticKind.COVARIANCE)])
def test_how_many_rows_there_are_is_private_where_units_own_several(build):
    known = {"relation": SUBSTITUTION, "size": TableSize(people=5, public=True)}
    assert build(unit=PrivacyUnit(), **known).size.public
    with pytest.raises(ParameterError, match=r"number of rows is private.*minimum"):
        build(unit=PrivacyUnit(noun="household", rows=2), **known)
    with pytest.raises(ParameterError, match="private under add/remove"):
        build(unit=PrivacyUnit(), **(known | {"relation": ADD_REMOVE}))
