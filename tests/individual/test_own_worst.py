"""Personalized worst cases lie between everybody's own loss and the guarantee."""

from itertools import product

import numpy as np
import pytest

from dpcore.data.bounds import Interval
from dpcore.errors import ParameterError
from dpcore.individual.publishable import own_worst_shift
from dpcore.relations import NeighboringRelation, TableSize
from dpcore.statistics.kinds import StatisticKind
from dpcore.statistics.sums_and_means import Mean, Sum

BOUNDS = Interval(lower=-1.0, upper=3.0)
VALUES = np.array([-1.0, 0.0, 0.5, 2.9, 3.0])
KINDS = {StatisticKind.SUM: Sum, StatisticKind.MEAN: Mean}


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(
    ("relation", "public"),
    [
        (NeighboringRelation.SUBSTITUTION, True),
        (NeighboringRelation.SUBSTITUTION, False),
        (NeighboringRelation.ADD_REMOVE, False),
    ],
)
def test_between_own_shift_and_sensitivity(kind, relation, public):
    size = TableSize(people=5, public=public)
    statistic = KINDS[kind](bounds=BOUNDS, size=size)
    most = [
        own_worst_shift(kind, value, bounds=BOUNDS, size=size, relation=relation)
        for value in VALUES
    ]
    own = statistic.neighbors(VALUES, relation).distances()
    assert (own <= np.array(most) * (1 + 1e-12)).all()
    sensitivity = statistic.sensitivity(relation).l1
    assert max(most) == pytest.approx(sensitivity, rel=1e-12)
    if kind is StatisticKind.MEAN and public:
        np.testing.assert_allclose(own, most, rtol=1e-12)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("relation", NeighboringRelation)
def test_no_table_moves_farther_and_one_moves_as_far(kind, relation):
    size = TableSize(people=2, public=False)
    statistic = KINDS[kind](bounds=BOUNDS, size=size)
    ends = [-1.0, 3.0]
    # Another record, or none: the number of people is private.
    others = [
        [],
        *([[end] for end in ends] if relation is NeighboringRelation.SUBSTITUTION else []),
    ]
    for value in VALUES.tolist():
        moves = [
            abs(float(statistic.value([*rest, value])[0] - statistic.value([*rest, *other])[0]))
            for count in range(1, 5)
            for rest in product(ends, repeat=count)
            for other in others
        ]
        most = own_worst_shift(kind, value, bounds=BOUNDS, size=size, relation=relation)
        assert max(moves) == pytest.approx(most, rel=1e-12)


def test_other_statistics_and_values_outside():
    known = {
        "bounds": BOUNDS,
        "size": TableSize(people=5, public=True),
        "relation": NeighboringRelation.SUBSTITUTION,
    }
    assert own_worst_shift(StatisticKind.VARIANCE, 0.0, **known) is None
    with pytest.raises(ParameterError, match="within"):
        own_worst_shift(StatisticKind.SUM, 4.0, **known)
    with pytest.raises(ParameterError, match="within"):
        own_worst_shift(StatisticKind.SUM, float("nan"), **known)
