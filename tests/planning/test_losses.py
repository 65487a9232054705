"""What a plan reveals about each person, and the epsilon at which nobody loses more."""

import math

import numpy as np
import pandas as pd
import pytest

from dpcore.data.columns import Column, ColumnKind
from dpcore.data.dataset import Dataset
from dpcore.errors import ParameterError
from dpcore.individual.per_instance_loss import per_instance_losses
from dpcore.planning.analysis_plan import PlannedQuery
from dpcore.planning.plan_losses import PlanLosses, times
from dpcore.relations import NeighboringRelation
from dpcore.statistics.kinds import StatisticKind
from tests.planning.planned import PEOPLE, of_age
from tests.releases.questions import AGE, by_group, ranks
from tests.terms import ADD_REMOVE

QUESTIONS = {
    "laplace": [of_age(), of_age(StatisticKind.SUM, epsilon=0.3)],
    "bounded": [of_age(key="bit"), of_age(key="truncated", epsilon=0.4)],
    "places": [ranks(people=PEOPLE), of_age()],
    "groups": [by_group(), of_age(StatisticKind.SUM)],
    "gaussian": [of_age(key="gaussian", delta=1e-6), of_age(StatisticKind.SUM)],
}


@pytest.fixture(scope="module")
def table():
    rng = np.random.default_rng(4)
    region = Column(name="region", kind=ColumnKind.CATEGORY, labels=("north", "south"))
    frame = pd.DataFrame(
        {
            "age": rng.gamma(2.0, 15.0, PEOPLE).round(1),
            "region": rng.choice(["north", "south"], PEOPLE),
        }
    )
    return Dataset(name="people", frame=frame, columns=(AGE, region))


def planned(name):
    return tuple(
        PlannedQuery(request=request, name=f"question {at}")
        for at, request in enumerate(QUESTIONS[name])
    )


@pytest.mark.parametrize("name", ["laplace", "bounded", "places", "groups"])
def test_total_of_a_person_is_the_sum_of_what_each_answer_reveals(table, name):
    items = planned(name)
    found = PlanLosses.of(items, table, ADD_REMOVE).totals(items, delta=0.0)
    known = sum(
        per_instance_losses(
            item.request.plan,
            item.request.query.statistic,
            item.request.query.values(table),
            relation=ADD_REMOVE,
        ).epsilon
        for item in items
    )
    assert found == pytest.approx(known, rel=1e-12)


@pytest.mark.parametrize("relation", NeighboringRelation)
@pytest.mark.parametrize("name", QUESTIONS)
def test_the_factor_at_which_nobody_loses_more_is_the_last_one(table, name, relation):
    items = planned(name)
    delta = 1e-5 if name == "gaussian" else 0.0
    losses = PlanLosses.of(items, table, relation)
    assert all(question.known for question in losses.questions)

    def most(factor):
        changed = [times(item, factor) for item in items]
        return losses.totals(changed, delta=delta).max()

    for limit in (0.02, 0.3):
        factor = losses.nobody_above(items, limit, delta=delta)
        assert most(factor) <= limit
        assert most(factor * (1 + 1e-6)) > limit
        assert most(factor) == pytest.approx(limit, rel=1e-5)


def test_factor_takes_few_looks_where_losses_are_in_proportion(table, monkeypatch):
    items, looks = planned("laplace"), []
    losses = PlanLosses.of(items, table, ADD_REMOVE)
    real = PlanLosses.totals

    def counted(self, *args, **named):
        looks.append(1)
        return real(self, *args, **named)

    monkeypatch.setattr(PlanLosses, "totals", counted)
    losses.nobody_above(items, 0.01, delta=0.0)
    assert len(looks) <= 4


def test_nobody_can_be_taken_beyond_a_very_large_limit_nor_to_none(table):
    items = planned("laplace")
    losses = PlanLosses.of(items, table, ADD_REMOVE)
    assert losses.nobody_above(items, 1e9, delta=0.0) == math.inf
    with pytest.raises(ParameterError, match="positive"):
        losses.nobody_above(items, 0.0, delta=0.0)
    with pytest.raises(ParameterError, match="fixed price alone"):
        losses.nobody_above(items, 1e-30, delta=0.0)
