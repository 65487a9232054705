"""Rank scores: values by definition, sensitivities by enumeration, moves by search."""

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from dpcore.data.bounds import Interval
from dpcore.errors import ParameterError
from dpcore.individual.per_instance_loss import per_instance_losses
from dpcore.mechanisms.exponential import Exponential
from dpcore.relations import NeighboringRelation, TableSize
from dpcore.statistics.quantiles import RankScores
from tests.conftest import few
from tests.individual.plans import Plan
from tests.terms import ADD_REMOVE, SUBSTITUTION

FIVE = Interval(lower=0.0, upper=4.0)
QUANTILES = (0.0, 0.1, 0.25, 0.5, 2 / 3, 0.731, 1.0)
tables = arrays(np.float64, st.integers(1, 9), elements=st.integers(0, 6))


def asked(n, q, *, candidates=5, bounds=FIVE, public=True):
    size = TableSize(people=n, public=public)
    return RankScores(bounds=bounds, q=q, size=size, candidates=candidates)


def seven(n, q, *, public=True):
    bounds = Interval(lower=0.0, upper=6.0)
    return asked(n, q, candidates=7, bounds=bounds, public=public)


def by_definition(values, q, grid):
    """How far the target rank is from the ranks of each candidate."""
    target = q * len(values)
    scores = []
    for candidate in grid:
        below = sum(value < candidate for value in values)
        at_most = sum(value <= candidate for value in values)
        scores.append(-max(below - target, target - at_most, 0))
    return scores


@settings(deadline=None, max_examples=100)
@given(tables, st.floats(0, 1))
def test_scores_by_their_definition(values, q):
    got = seven(len(values), q).value(values)
    np.testing.assert_allclose(got, by_definition(values, q, range(7)), atol=1e-12)
    assert got.max() == 0
    interval = seven(len(values), q).range
    assert (got >= interval.lower - 1e-12).all()
    assert interval.upper == 0


def test_values_count_as_their_nearest_candidate_within_the_bounds():
    got = asked(4, 0.5).value([-np.inf, 0.9, 1.2, 1e9])
    expected = by_definition([0, 1, 1, 4], 0.5, range(5))
    np.testing.assert_allclose(got, expected)
    scores = asked(4, 0.5)
    assert scores.grid.tolist() == [0, 1, 2, 3, 4]
    assert scores.labels == ("0", "1", "2", "3", "4")
    assert scores.grid_error == 0.5
    wide = Interval(lower=-1e308, upper=7e307)
    huge = RankScores(bounds=wide, q=0.5, size=scores.size)
    assert np.isfinite(huge.value([-1e308, 0.0, 1.0, 1e308])).all()


@pytest.mark.parametrize("q", few(3, *QUANTILES))
def test_sensitivity_covers_every_small_table_and_is_attained(q):
    changed = {SUBSTITUTION: [0.0], ADD_REMOVE: [0.0]}
    for n in (1, 2, 3, 4):
        for table in itertools.combinations_with_replacement(range(5), n):
            scores = asked(n, q).value(np.array(table, float))
            for i, new in itertools.product(range(n), range(5)):
                other = np.array([*table[:i], new, *table[i + 1 :]], float)
                moved = np.abs(asked(n, q).value(other) - scores)
                changed[SUBSTITUTION].append(moved.max())
            for new in range(5):
                joined = np.array([*table, new], float)
                moved = np.abs(asked(n + 1, q).value(joined) - scores)
                changed[ADD_REMOVE].append(moved.max())
    for relation, found in changed.items():
        bound = asked(4, q).sensitivity(relation)
        assert bound.coordinates == 5
        assert max(found) <= bound.largest + 1e-12
        assert max(found) == pytest.approx(bound.largest)
    assert asked(4, 0.3).sensitivity(ADD_REMOVE).largest == 0.7


@pytest.mark.parametrize("relation", NeighboringRelation)
@pytest.mark.parametrize("q", [0.0, 0.25, 0.5, 0.9])
@pytest.mark.parametrize("epsilon", [0.3, 1.0, 4.0])
def test_choices_are_private_for_every_pair_of_small_neighbors(relation, q, epsilon):
    made = Exponential.calibrate(
        sensitivity=asked(4, q).sensitivity(relation), epsilon=epsilon, bounds=FIVE
    )
    worst = 0.0
    for n in (1, 2, 3, 4):
        for table in itertools.combinations_with_replacement(range(5), n):
            law = np.log(made.probabilities(asked(n, q).value(np.array(table, float))))
            others = [
                (*table[:i], *new)
                for i in range(n)
                for new in ([(v, *table[i + 1 :]) for v in range(5)])
            ]
            if relation is ADD_REMOVE:
                others = [(*table, new) for new in range(5)]
            for other in others:
                scores = asked(len(other), q).value(np.array(other, float))
                ratio = np.abs(np.log(made.probabilities(scores)) - law).max()
                worst = max(worst, ratio)
    assert 0.3 * epsilon < worst <= epsilon * (1 + 1e-12)


@settings(deadline=None, max_examples=60)
@given(tables, st.sampled_from(QUANTILES))
def test_removal_is_the_scores_of_the_others(values, q):
    shifts = seven(3, q, public=False).neighbors(values, ADD_REMOVE)
    assert shifts.people == len(values)
    assert len(shifts.alternatives) == len(set(values))
    for i in range(len(values)):
        rest = by_definition(np.delete(values, i), q, range(7))
        got = shifts.alternatives[shifts.kind[i], 0]
        np.testing.assert_allclose(got, rest, atol=1e-12)
    assert shifts.actual.tolist() == seven(len(values), q).value(values).tolist()


@settings(deadline=None, max_examples=60)
@given(tables, st.sampled_from(QUANTILES))
def test_additions_are_the_scores_with_each_newcomer(values, q):
    private = seven(3, q, public=False)
    joined = private.neighbors_added(values, SUBSTITUTION)
    for new, got in enumerate(joined):
        expected = by_definition([*values, new], q, range(7))
        np.testing.assert_allclose(got, expected, atol=1e-12)
    assert seven(len(values), q).neighbors_added(values, SUBSTITUTION).shape == (0, 7)


@settings(deadline=None, max_examples=300)
@given(
    arrays(np.float64, st.integers(1, 14), elements=st.integers(0, 19)),
    st.one_of(st.sampled_from(QUANTILES), st.floats(0, 1)),
    st.floats(-2, 2),
)
def test_no_other_move_reveals_more_than_the_extreme_ones(values, q, log_noise):
    bounds = Interval(lower=0.0, upper=19.0)
    scores = asked(len(values), q, candidates=20, bounds=bounds)
    shifts = scores.neighbors(values, SUBSTITUTION)
    mechanism = Exponential(noise=10**log_noise)
    offered = mechanism.pairwise_epsilon(shifts.actual, shifts.alternatives).max(axis=1)
    for i in range(len(values)):
        every = np.tile(values, (20, 1))
        every[:, i] = np.arange(20)
        moved = np.stack([scores.value(each) for each in every])
        most = mechanism.pairwise_epsilon(shifts.actual, moved).max()
        assert offered[shifts.kind[i]] == pytest.approx(most, rel=1e-9, abs=1e-12)
        reached = {tuple(each.round(9)) for each in moved}
        for alternative in shifts.alternatives[shifts.kind[i]]:
            assert tuple(alternative.round(9)) in reached


@pytest.mark.parametrize("relation", NeighboringRelation)
@pytest.mark.parametrize("public", [True, False])
def test_nobody_loses_more_than_the_guarantee(relation, public):
    if public and relation is ADD_REMOVE:
        return
    rng = np.random.default_rng(0)
    for values in (rng.normal(3, 1, 40), np.zeros(7), np.r_[np.zeros(9), 6.0]):
        scores = seven(len(values) if public else 1, 0.5, public=public)
        sensitivity = scores.sensitivity(relation)
        mechanism = Exponential.calibrate(
            sensitivity=sensitivity, epsilon=1.0, bounds=scores.bounds
        )
        found = per_instance_losses(Plan(mechanism, sensitivity), scores, values, relation=relation)
        assert 0 < found.maximum <= found.for_all <= found.worst_case <= 1


@pytest.mark.parametrize("data", ["normal", "ties", "empty middle"])
def test_the_rank_of_the_answer_is_near_its_target(data):
    """By simulation: far ranks as rare as the public numbers promise."""
    rng = np.random.default_rng(7)
    n, q = 500, 0.3
    values = {
        "normal": rng.normal(50, 15, n),
        "ties": rng.integers(4, 7, n) * 10.0,
        "empty middle": np.r_[np.zeros(150), np.full(350, 100.0)],
    }[data]
    scores = RankScores(
        bounds=Interval(lower=0.0, upper=100.0),
        q=q,
        size=TableSize(people=n, public=True),
        candidates=201,
    )
    mechanism = Exponential.calibrate(
        sensitivity=scores.sensitivity(SUBSTITUTION), epsilon=0.5, bounds=scores.bounds
    )
    drawn = mechanism.simulate(scores.value(values), rng=rng, size=(4000,))
    answers = scores.grid[drawn]
    half = scores.grid_error * (1 + 1e-9)
    ordered = np.sort(values)
    below = np.searchsorted(ordered, answers - half, side="left")
    at_most = np.searchsorted(ordered, answers + half, side="right")
    away = np.maximum(np.maximum(below - q * n, q * n - at_most), 0)
    within = mechanism.distance_from_best(201, missed=0.05)
    assert within == pytest.approx(2 / 0.5 * np.log(201 / 0.05))
    assert (away > within).mean() <= 0.05


def test_parameters_outside_their_domain_are_refused():
    size = TableSize(people=3, public=True)
    for q in (-0.1, 1.1, np.nan):
        with pytest.raises(ParameterError, match="q must be"):
            RankScores(bounds=FIVE, q=q, size=size)
    with pytest.raises(ParameterError, match="candidates"):
        RankScores(bounds=FIVE, q=0.5, size=size, candidates=1)
    with pytest.raises(ParameterError, match="finite bounds"):
        RankScores(bounds=Interval(lower=1.0, upper=1.0), q=0.5, size=size)
    for bad in ([0.0, np.nan, 1.0], [0.0]):
        with pytest.raises(ParameterError, match=r"missing|public number"):
            asked(3, 0.5).value(bad)
