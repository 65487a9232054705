"""Shares that add up: their privacy by enumeration, their intervals by simulation."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.special import gammaincc
from scipy.stats import binom

from dpcore.analyses import secure
from dpcore.analyses.shares import fitting
from dpcore.errors import ParameterError
from dpcore.inference.proportion_intervals import UNIT, Average, allowing
from dpcore.postprocessing.share_constraints import ConstraintKind
from dpcore.privacy_filter import computed, typed
from tests.conftest import few
from tests.releases.questions import asked, shares
from tests.statistics.neighbors import pairs_of
from tests.terms import ADD_REMOVE, SUBSTITUTION

RESCALE, PROJECT = ConstraintKind.RESCALE, ConstraintKind.PROJECT
TREE, ALL_BUT_ONE = ConstraintKind.TREE, ConstraintKind.ALL_BUT_ONE
KEYS = ("laplace", "bit", "truncated", "truncated-published", "folded")
FITTING = [(key, kind) for key in KEYS for kind in fitting(key)]


@pytest.mark.parametrize("relation", [SUBSTITUTION, ADD_REMOVE])
@pytest.mark.parametrize(("key", "kind"), FITTING)
def test_no_small_table_reveals_more_than_the_worst_case(key, kind, relation):
    plan = shares(key, kind, relation=relation, people=4).plan
    people = [4] if relation is SUBSTITUTION else range(1, 6)
    here, there = pairs_of(plan.query.statistic, range(3), relation, people)
    for delta in (0.0, 1e-3):
        levels = plan.pairwise_epsilon(here, there, delta=delta)
        assert levels.max() <= plan.worst_case(delta=delta) * (1 + 1e-12)
        assert plan.worst_case(delta=delta) <= plan.worst_case()


@pytest.mark.parametrize(
    ("key", "kind", "cells"),
    [
        ("bit", RESCALE, 3),
        ("truncated", RESCALE, 3),
        ("truncated-published", RESCALE, 3),
        ("laplace", PROJECT, 3),
        ("bit", ALL_BUT_ONE, 3),
        ("bit", TREE, 4),
    ],
)
@pytest.mark.parametrize("syntheses", [1, 3])
def test_the_worst_case_is_attained_under_substitution(key, kind, cells, syntheses):
    plan = shares(key, kind, cells=cells, syntheses=syntheses).plan
    pairs = pairs_of(plan.query.statistic, range(cells), SUBSTITUTION, [5])
    attained = plan.pairwise_epsilon(*pairs).max()
    assert attained == pytest.approx(plan.worst_case(), rel=1e-9)


@pytest.mark.parametrize(
    ("epsilon", "level"),
    [(0.1, 0.195204847), (0.5, 0.899666681), (1, 1.663593132), (10, 11.379545039)],
)
def test_published_truncation_of_a_vector_costs_what_is_known(epsilon, level):
    request = shares("truncated-published", cells=4, people=100, epsilon=epsilon)
    assert request.effective_epsilon == pytest.approx(level, abs=1e-9)


@pytest.mark.parametrize("syntheses", [1, 2, 7])
@pytest.mark.parametrize(("key", "kind"), FITTING)
def test_a_claim_that_holds_costs_what_was_typed(key, kind, syntheses):
    request = shares(key, kind, epsilon=0.3, syntheses=syntheses)
    if key == "truncated-published":
        assert not request.claim_holds
        assert request.cost.epsilon == computed(request.effective_epsilon)
        assert request.effective_epsilon > 0.3
    else:
        assert request.claim_holds
        assert request.cost.epsilon == typed(0.3)
        assert request.effective_epsilon == pytest.approx(0.3, rel=1e-9)
    plan = request.plan
    assert request.cost.rho == computed(plan.rho)
    level = request.effective_epsilon
    expected = 1 / level if plan.event.kind == "laplace" else level
    assert plan.event.parameter == pytest.approx(expected)
    assert 0 < plan.rho <= level * np.tanh(level / 2)


@pytest.mark.slow
@settings(deadline=None, max_examples=10)
@given(epsilon=st.floats(1e-3, 50), syntheses=st.integers(1, 20))
def test_every_draw_has_an_equal_part_of_the_cost(epsilon, syntheses):
    request = shares("bit", epsilon=epsilon, syntheses=syntheses)
    spent = []

    def draw(mechanism, value, *, sensitivity, cost):
        assert mechanism == request.plan.mechanism
        assert sensitivity == request.plan.sensitivity
        spent.append(cost.epsilon)
        return value

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(secure, "draw", draw)
        request.plan.answer(np.array([0.2, 0.3, 0.5]), cost=request.cost)
    assert len(spent) == syntheses
    assert len(set(spent)) == 1
    assert sum(map(Fraction, spent)) <= Fraction(typed(epsilon))
    assert float(sum(spent)) == pytest.approx(epsilon)


@pytest.mark.parametrize("kind", ConstraintKind)
@pytest.mark.parametrize("relation", [SUBSTITUTION, ADD_REMOVE])
@pytest.mark.parametrize("rows", [1, 4])
def test_rounding_is_covered_as_for_every_other_answer(kind, relation, rows):
    plan = shares("bit", kind, cells=9, relation=relation, rows=rows).plan
    exact = type(plan)(
        query=plan.query,
        key=plan.key,
        epsilon=plan.epsilon,
        constraint=plan.constraint,
        rounding=0.0,
    ).sensitivity
    needed = secure.widen(exact, 1.0)
    for name in ("l1", "l2", "largest", "coordinates"):
        assert getattr(plan.sensitivity, name) >= getattr(needed, name)
        assert getattr(plan.sensitivity, name) == pytest.approx(getattr(exact, name))


@settings(deadline=None, max_examples=60)
@given(
    counts=st.lists(st.integers(1, 10**6), min_size=26, max_size=26), branching=st.integers(2, 26)
)
def test_sums_as_floats_compute_them_stay_within_the_sensitivity(counts, branching):
    counts, people = np.array(counts), sum(counts)
    plan = shares("bit", TREE, cells=26, people=people, branching=branching).plan
    step = np.zeros(26)
    step[[0, -1]] = 1, -1
    here, there = (plan.constraint.read(each / people) for each in (counts, counts + step))
    moved, allowed = np.abs(there - here), plan.sensitivity
    assert moved.sum() <= allowed.l1
    assert np.sqrt((moved**2).sum()) <= allowed.l2
    assert moved.max() <= allowed.largest
    assert np.count_nonzero(moved) <= allowed.coordinates
    # Not by chance: rounding is far below what is covered.
    exact = 2 * plan.constraint.layers(26) / people
    assert moved.sum() - exact <= (allowed.l1 - exact) / 2


@pytest.mark.slow
@pytest.mark.parametrize("kind", few(2, *ConstraintKind))
@pytest.mark.parametrize("syntheses", [1, 4])
def test_noise_intervals_hold_for_all_shares_together(monkeypatch, kind, syntheses):
    rng, truth = np.random.default_rng(11), np.array([0.2, 0.0, 0.5, 0.3])

    def draw(mechanism, value, **_):
        return mechanism.simulate(value, rng=rng, size=value.shape)

    monkeypatch.setattr(secure, "draw", draw)
    request = shares("bit", kind, cells=4, people=400, syntheses=syntheses)
    plan, cost, held, answers = request.plan, request.cost, 0, 12
    for _ in range(answers):
        ends = np.array([*plan.answer(truth, cost=cost).intervals.noise.values()])
        held += np.all((ends[:, 0] <= truth) & (truth <= ends[:, 1]))
    assert binom.cdf(held, answers, 0.95) > 1e-3


@pytest.mark.slow
@pytest.mark.parametrize("kind", few(1, RESCALE, PROJECT, ALL_BUT_ONE))
def test_intervals_hold_for_rare_shares_and_all_together(monkeypatch, kind):
    rng, surveys, truth = np.random.default_rng(17), 60, np.array([0.01] * 3 + [0.97])

    def draw(mechanism, value, **_):
        return mechanism.simulate(value, rng=rng, size=value.shape)

    monkeypatch.setattr(secure, "draw", draw)
    request = shares("bit", kind, cells=4, people=100, epsilon=10.0)
    plan, cost, held = request.plan, request.cost, 0
    for _ in range(surveys):
        table = rng.multinomial(100, truth) / 100
        ends = np.array([*plan.answer(table, cost=cost).intervals.total.values()])
        held += np.all((ends[:, 0] <= truth) & (truth <= ends[:, 1]))
    # Half of them held while the sampling error was that at the released share.
    assert binom.cdf(held, surveys, 0.95) > 1e-3


@pytest.mark.parametrize("epsilon", [1.0, 10.0])
@pytest.mark.parametrize(("key", "delta"), [("laplace", 0.0), ("bit", 0.0), ("gaussian", 1e-6)])
def test_rare_shares_without_a_procedure_hold_together(monkeypatch, key, delta, epsilon):
    rng, truth, surveys = np.random.default_rng(18), np.array([0.01] * 3 + [0.97]), 8000
    query = shares(cells=4, people=100).query
    request = asked(query, key, epsilon=epsilon, delta=delta)
    mechanism = request.mechanism
    monkeypatch.setattr(secure, "draw", lambda _, value, **__: value)
    # A share is in the interval around each reading from here to there.
    law = Average(mechanism=mechanism, draws=1, bounds=UNIT)
    rare, common = (allowing(law, share, people=100, tail=0.05 / 4) for share in truth[2:])
    tables = rng.multinomial(100, truth, size=surveys) / 100
    drawn = mechanism.simulate(tables, rng=rng, size=tables.shape)
    held = (drawn[:, :3] >= rare[0]) & (drawn[:, :3] <= rare[1])
    both = held.all(axis=1) & (drawn[:, 3] >= common[0]) & (drawn[:, 3] <= common[1])
    assert both.mean() >= 0.95
    # And that is the interval of the answer.
    for reading, all_held in zip(drawn[:3], both, strict=False):
        answer = request.plan.answer(reading, cost=request.cost)
        ends = np.array([*answer.intervals.total.values()])
        assert np.all((ends[:, 0] <= truth) & (truth <= ends[:, 1])) == all_held


def test_nobody_seen_is_not_nobody_there():
    request = shares("bit", cells=4, people=100, epsilon=1e7)
    answer = request.plan.answer(np.array([0.0, 0.0, 0.0, 1.0]), cost=request.cost)
    # Where 100 people show none, up to four in a hundred may be so (rule of three).
    low, high = answer.intervals.total["a"]
    # Nothing but noise of 2e-9, whose draw may be many times as large.
    assert 0 <= low < 1e-6
    assert 0.03 < high < 0.05


def test_half_widths_are_those_of_readings():
    plan = shares("bit", ALL_BUT_ONE, cells=4, people=1000).plan
    laplace = plan.noise * np.log(20)
    *released, rest = plan.half_widths(0.95)
    assert released == pytest.approx([laplace] * 3)
    # One-sided noise of three draws, each nothing in half of all cases.
    orders = np.arange(1, 4)
    beyond = [1, 3, 3, 1] @ np.append(0, gammaincc(orders, rest / plan.noise)) / 8
    assert beyond == pytest.approx(0.025)
    assert shares(people=2, epsilon=0.01).plan.half_widths(0.95).tolist() == [1] * 3


def test_mechanisms_that_do_not_fit_are_refused():
    assert fitting("gaussian") == ()
    assert fitting("laplace") == (PROJECT,)
    assert set(fitting("bit")) == set(ConstraintKind)
    for key, kind in (("laplace", RESCALE), ("gaussian", PROJECT), ("truncated", ALL_BUT_ONE)):
        with pytest.raises(ParameterError, match=r"does not go with .* choose BIT"):
            _ = shares(key, kind).plan


def test_a_cell_that_is_not_there_is_refused_before_anything_is_drawn():
    with pytest.raises(ParameterError, match="from 0 to 2"):
        _ = shares("bit", ALL_BUT_ONE, remainder=3).cost
