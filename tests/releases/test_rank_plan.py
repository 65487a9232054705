"""Quantiles: the privacy of every small table, and how far ranks are off."""

import numpy as np
import pytest

from dpcore.analyses import secure
from dpcore.privacy_filter import computed, typed
from tests.releases.questions import ranks
from tests.statistics.neighbors import pairs_of
from tests.terms import ADD_REMOVE, SUBSTITUTION


@pytest.mark.parametrize("relation", [SUBSTITUTION, ADD_REMOVE])
@pytest.mark.parametrize("q", [None, 0.1, 0.9])
def test_no_small_table_reveals_more_than_the_worst_case(q, relation):
    plan = ranks(q=q, relation=relation, people=4).plan
    here, there = pairs_of(plan.statistic, (0.0, 40.0, 100.0), relation, [4])
    levels = plan.pairwise_epsilon(here, there)
    assert levels.max() <= plan.worst_case() * (1 + 1e-12)
    at_delta = plan.pairwise_epsilon(here, there, delta=0.01)
    assert at_delta.max() <= plan.worst_case(delta=0.01) * (1 + 1e-12)
    # Much of the guarantee is used, even by so few people: it is no looser one.
    assert levels.max() >= 0.4 * plan.worst_case()


@pytest.mark.parametrize("relation", [SUBSTITUTION, ADD_REMOVE])
def test_the_cost_is_what_was_typed_and_the_bounded_range_of_it(relation):
    request = ranks(epsilon=0.3, relation=relation)
    plan = request.plan
    assert request.claim_holds
    assert request.cost.epsilon == typed(0.3)
    assert request.cost.rho == computed(plan.rho)
    assert plan.rho == pytest.approx(0.3**2 / 8, rel=1e-9)
    assert plan.event.parameter == pytest.approx(0.3)
    reach = 1.0 if relation is SUBSTITUTION else 0.5
    assert plan.noise == pytest.approx(2 * reach / 0.3, rel=1e-5)


def test_ranks_are_off_by_no_more_than_is_said():
    plan, rng = ranks(people=200).plan, np.random.default_rng(4)
    values = rng.beta(2, 5, size=200) * 100
    scores = plan.statistic.value(values)
    chosen = plan.mechanism.simulate(scores, rng=rng, size=(4000,))
    candidates = plan.statistic.grid[chosen]
    # Ranks as people count them: on the grid that values are read on.
    read = np.rint(values * 5) / 5
    below = (read < candidates[:, np.newaxis] - 1e-9).sum(axis=1)
    within = (read <= candidates[:, np.newaxis] + 1e-9).sum(axis=1)
    off = np.maximum(np.maximum(below - 100, 100 - within), 0)
    for level in (0.5, 0.95):
        (width,) = plan.half_widths(level)
        assert (off <= width).mean() >= level
    # A tenth of the bound does not hold.
    assert (off <= plan.half_widths(0.95)[0] / 10).mean() < 0.95


def test_the_draw_is_confirmed_at_the_sensitivity_and_the_cost(monkeypatch):
    request, seen = ranks(epsilon=0.7, relation=ADD_REMOVE), {}

    def draw(mechanism, _, *, sensitivity, cost):
        seen.update(noise=mechanism.noise, reach=sensitivity.largest, cost=cost)
        return np.array([250.0])

    monkeypatch.setattr(secure, "draw", draw)
    answer = request.plan.answer(np.zeros(501), cost=request.cost)
    assert answer.values == (50.0,)
    assert seen["cost"] == request.cost
    assert 2 * seen["reach"] / seen["noise"] <= 0.7
    # Rounding is covered: of scores as large as those of a hundred million people.
    assert 0.5 < seen["reach"] < 0.5 + 1e-5
