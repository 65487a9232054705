"""A set of tables in one question: its price, its noise, and how far off it is."""

import math

import numpy as np
import pytest

from dpcore.analyses.base import Mode
from dpcore.inference.intervals import level_of_each, weighted_reach
from dpcore.mechanisms.gaussian import Gaussian
from dpcore.mechanisms.laplace import Laplace
from tests.inference.test_noise_sums import by_characteristic
from tests.releases.questions import crossed, marginals
from tests.terms import ADD_REMOVE, SUBSTITUTION

PAIRS = ((0, 1), (0, 2), (1, 2))


@pytest.mark.parametrize(("relation", "changed"), [(ADD_REMOVE, 3), (SUBSTITUTION, 6)])
def test_the_noise_is_that_of_all_tables_jointly(relation, changed):
    laplace = marginals("laplace", tables=PAIRS, relation=relation)
    assert laplace.plan.noise == pytest.approx(changed)
    assert laplace.cost.epsilon == 1
    gaussian = marginals(tables=PAIRS, relation=relation)
    scale = (
        math.sqrt(changed)
        * Gaussian.calibrate(
            sensitivity=crossed(relation=ADD_REMOVE).sensitivity,
            epsilon=1.0,
            delta=1e-6,
            bounds=gaussian.query.bounds,
        ).noise
    )
    assert gaussian.plan.noise == pytest.approx(scale)
    assert gaussian.plan.rho == pytest.approx(changed / (2 * gaussian.plan.noise**2))
    for request in (laplace, gaussian):
        assert request.refusal(Mode.RELEASE) is None
        people = np.zeros((5, 3))
        shifts = request.query.statistic.neighbors(people, relation)
        loss = request.plan.pairwise_epsilon(
            shifts.actual, shifts.alternatives, delta=request.used_delta
        )
        assert loss == pytest.approx(1.0)


def test_agreeing_tables_have_shorter_intervals():
    for key in ("laplace", "gaussian"):
        apart, agreeing = (
            marginals(key, tables=PAIRS, consistent=on, people=80).plan for on in (False, True)
        )
        assert apart.noise == agreeing.noise
        assert (agreeing.half_widths(0.99) < 0.95 * apart.half_widths(0.99)).all()
        assert apart.half_widths(0.99) == pytest.approx(
            float(apart.mechanism.quantile(0.995, 0.0)), rel=1e-9
        )
    # The price is that of what is asked for, and both are questions of their own.
    one, other = (marginals(consistent=on).parameters() for on in (False, True))
    assert one != other


@pytest.mark.parametrize("weights", [(0.9, 0.5, 0.5, 0.2), (0.3,) * 40 + (0.05,) * 60])
@pytest.mark.parametrize("missed", [0.05, 1e-4])
def test_weighted_laplace_noise_reaches_as_far_as_its_law_says(weights, missed):
    found = weighted_reach(Laplace(noise=2.0), np.array(weights), missed)
    exact = by_characteristic(2.0 * np.array(weights), found)
    # On the wide side, by a thousandth of what may be missed in each step.
    assert 0.99 * missed <= exact <= missed * (1 + 1e-3)


@pytest.mark.parametrize("key", ["laplace", "gaussian"])
@pytest.mark.parametrize("consistent", [False, True])
@pytest.mark.parametrize("relation", [ADD_REMOVE, SUBSTITUTION])
@pytest.mark.slow
def test_all_counts_lie_in_their_intervals(key, consistent, relation):
    request = marginals(key, tables=PAIRS, consistent=consistent, relation=relation, people=60)
    truth = request.query.statistic.value(np.arange(180.0).reshape(60, 3) % [3, 2, 3])
    held = []
    for _ in range(100):
        answer = request.plan.answer(truth, cost=request.cost)
        ends = np.array([answer.intervals.noise[label] for label in answer.labels])
        held.append(((ends[:, 0] - 1e-9 <= truth) & (truth <= ends[:, 1] + 1e-9)).all())
        if consistent:
            first, second, third = request.query.statistic.split(np.array(answer.values))
            assert first.sum(axis=1) == pytest.approx(second.sum(axis=1))
            assert first.sum(axis=0) == pytest.approx(third.sum(axis=1))
    assert np.mean(held) >= 0.95 - 3 * math.sqrt(0.05 * 0.95 / 100)
    assert request.width(group=0).half == request.plan.half_widths(level_of_each(len(truth))).max()
