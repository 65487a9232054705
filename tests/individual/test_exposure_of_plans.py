"""Everybody's loss from the plans of many numbers: blocks, ranks, groups, cells."""

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pytest

from dpcore.individual.per_instance_loss import per_instance_losses
from dpcore.statistics.kinds import StatisticKind
from dpcore.statistics.statistic import NeighborValues
from tests.releases.questions import by_group, matrix, means, ranks, shares
from tests.terms import ADD_REMOVE, SUBSTITUTION

RELATIONS = (SUBSTITUTION, ADD_REMOVE)


@dataclass(frozen=True)
class Whole:
    """A statistic that offers no blocks: all shifts at once."""

    inner: Any

    def __getattr__(self, name):
        return getattr(self.inner, name)

    def neighbors(self, values, relation):
        found = self.inner.neighbors(values, relation)
        return NeighborValues.at_once(found.actual, found.alternatives, found.kind)


def numbers(people, columns, seed=1):
    return np.random.default_rng(seed).uniform(-0.1, 1.2, size=(people, columns))


def grouped(people, seed=2):
    rng = np.random.default_rng(seed)
    ages, codes = rng.uniform(0, 120, people), rng.integers(0, 3, people)
    return np.column_stack([ages, codes])


def exposed(request, values, **changes):
    query = request.query
    known = {"relation": query.relation}
    return per_instance_losses(request.plan, query.statistic, values, **(known | changes))


def cases(relation):
    yield matrix("bit", columns=3, people=40, relation=relation), numbers(40, 3)
    yield matrix("truncated", people=40, relation=relation), numbers(40, 2)
    yield by_group("laplace", relation=relation), grouped(40)
    total = by_group("truncated", relation=relation, kind=StatisticKind.SUM)
    yield total, grouped(40)
    spread = by_group(relation=relation, kind=StatisticKind.VARIANCE)
    yield spread, grouped(40)
    several = np.column_stack([100 * numbers(40, 1), grouped(40)])
    yield means(relation=relation), several


@pytest.mark.parametrize("relation", RELATIONS)
@pytest.mark.parametrize("case", range(6))
def test_losses_in_blocks_are_those_of_everybody_at_once(monkeypatch, relation, case):
    request, values = list(cases(relation))[case]
    statistic = request.query.statistic
    monkeypatch.setattr("dpcore.statistics.statistic._NUMBERS", 20)
    lazy = statistic.neighbors(values, relation)
    assert lazy.in_blocks
    assert len(list(lazy.blocks())) > 5
    assert sum(block.people for block in lazy.blocks()) == lazy.people == 40
    whole = Whole(statistic).neighbors(values, relation)
    assert not whole.in_blocks
    in_blocks = exposed(request, values)
    at_once = per_instance_losses(request.plan, Whole(statistic), values, relation=relation)
    np.testing.assert_allclose(in_blocks.epsilon, at_once.epsilon, rtol=1e-12)
    assert in_blocks.for_all == pytest.approx(at_once.for_all, rel=1e-12)
    np.testing.assert_allclose(lazy.distances(), whole.distances(), rtol=1e-12)
    few = np.array([7, 0, 39])
    np.testing.assert_allclose(lazy.distances(few), whole.distances(few), rtol=1e-12)
    assert len(lazy.alternatives) == in_blocks.people


@pytest.mark.parametrize("relation", RELATIONS)
@pytest.mark.parametrize("case", range(6))
def test_nobody_loses_more_than_the_guarantee(relation, case):
    request, values = list(cases(relation))[case]
    found = exposed(request, values)
    assert found.people == 40
    assert found.epsilon.min() > 0
    assert found.maximum <= found.for_all <= found.worst_case * (1 + 1e-9)


@pytest.mark.parametrize("case", range(6))
def test_removal_is_the_loss_between_the_tables_themselves(case):
    request, values = list(cases(ADD_REMOVE))[case]
    found, statistic = exposed(request, values), request.query.statistic
    for entry in (0, 17):
        rest = statistic.value(np.delete(values, entry, axis=0))
        expected = request.plan.pairwise_epsilon(statistic.value(values), rest)
        assert found.epsilon[entry] == pytest.approx(float(expected), rel=1e-6)


@pytest.mark.parametrize("relation", RELATIONS)
def test_most_exposed_of_records_are_listed_with_their_first_number(relation):
    values = np.full((9, 2), 0.4)
    values[4], values[6] = (1.0, 1.0), (0.9, 0.4)
    found = exposed(matrix(people=9, relation=relation), values)
    first, second = found.most_exposed(2)
    assert first.entry == 4
    assert first.value == 1.0
    assert first.epsilon == found.maximum
    assert first.shift == pytest.approx(float(found.shifts.distances()[4]))
    assert second.epsilon <= first.epsilon
    assert len(found.most_exposed(99)) == 9


def test_everybody_else_in_a_corner_loses_all_that_is_guaranteed():
    values = np.zeros((12, 2))
    values[5] = 1.0
    found = exposed(matrix(people=12), values)
    assert found.epsilon[5] == pytest.approx(1.0, rel=1e-9)
    assert found.most_exposed(1)[0].entry == 5
    # Leaving a group of one's own for another one moves two groups.
    ages = np.column_stack([np.full(5, 100.0), np.zeros(5)])
    ages[0] = 0.0, 1.0
    moved = exposed(by_group(), ages)
    assert moved.most_exposed(1)[0].epsilon > 0.5


@pytest.mark.parametrize("relation", RELATIONS)
def test_ranks_lose_at_the_quantile_and_not_by_distance(relation):
    request = ranks(people=9, relation=relation)
    values = np.array([10.0, 20.0, 30.0, 40.0, 50.0, 60.0, 70.0, 80.0, 90.0])
    found = exposed(request, values)
    assert found.epsilon.shape == (9,)
    assert found.maximum <= found.for_all <= found.worst_case * (1 + 1e-12)
    far = np.where(values == 90.0, 400.0, values)
    beyond = exposed(request, far)
    at_bound = exposed(request, np.where(values == 90.0, 100.0, values))
    np.testing.assert_allclose(beyond.epsilon, at_bound.epsilon)


@pytest.mark.parametrize("relation", RELATIONS)
def test_shares_lose_by_cell_whatever_makes_them_add_up(relation):
    request = shares(cells=3, people=6, relation=relation)
    found = exposed(request, np.array([0.0, 0.0, 0.0, 0.0, 1.0, 2.0]))
    assert len(set(found.epsilon[:4])) == 1
    assert found.epsilon[4] == pytest.approx(found.epsilon[5])
    assert found.for_all <= found.worst_case * (1 + 1e-12)
    several = replace(request, constraint=replace(request.constraint, syntheses=4))
    again = exposed(several, found.values)
    np.testing.assert_allclose(again.epsilon, found.epsilon, rtol=1e-9)


def test_newcomers_to_groups_are_within_the_guarantee():
    # Sizes of groups are private under either relation, so somebody may always join.
    request, values = by_group(), grouped(12)
    statistic = request.query.statistic
    joined = statistic.neighbors_added(values, SUBSTITUTION)
    assert len(joined) > 0
    losses = request.plan.pairwise_epsilon(statistic.value(values), joined)
    assert losses.max() <= request.plan.worst_case() * (1 + 1e-12)
