"""Covariance matrices: privacy, what follows from them, and intervals that hold."""

from functools import partial
from itertools import combinations, product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dpcore.analyses import secure
from dpcore.errors import ParameterError
from dpcore.mechanisms.covariances import MECHANISMS, correlations_of, matrix_of
from dpcore.privacy_filter import computed, typed
from dpcore.statistics.kinds import StatisticKind
from tests.conftest import few
from tests.releases.questions import matrix
from tests.statistics.neighbors import pairs_of
from tests.terms import ADD_REMOVE, SUBSTITUTION

CORNERS = tuple(product((0.0, 1.0), repeat=2))


def simulated(monkeypatch, seed):
    """Let plans draw by NumPy, which is quicker than the secure samplers."""
    rng = np.random.default_rng(seed)

    def draw(mechanism, value, **_):
        return mechanism.simulate(value, rng=rng, size=value.shape)

    monkeypatch.setattr(secure, "draw", draw)


def table_of(people, columns, seed=2):
    """Columns that go along with the first one, or against it."""
    rng = np.random.default_rng(seed)
    first = rng.uniform(size=people)
    noise = 0.2 * rng.normal(size=(people, columns))
    signs = (-1.0) ** np.arange(columns)
    return np.clip(0.5 + (first - 0.5)[:, np.newaxis] * signs + noise, 0, 1)


@pytest.mark.parametrize("relation", [SUBSTITUTION, ADD_REMOVE])
@pytest.mark.parametrize("key", MECHANISMS)
def test_no_small_table_reveals_more_than_the_worst_case(key, relation):
    plan = matrix(key, people=4, relation=relation).plan
    records = (*CORNERS, (0.5, 0.5), (0.5, 1.0))
    here, there = pairs_of(plan.statistic, records, relation, [4])
    levels = plan.pairwise_epsilon(here, there)
    assert levels.max() <= plan.worst_case() * (1 + 1e-9)
    if key in {"laplace", "bit"}:
        # Everybody else in one corner and the record in the opposite one attain it.
        assert levels.max() == pytest.approx(plan.worst_case(), rel=1e-9)
        np.testing.assert_allclose(levels, plan.release.pairwise_epsilon(here, there), rtol=1e-12)
    assert np.array_equal(levels, plan.pairwise_epsilon(here, there, delta=0.1))


@pytest.mark.parametrize("key", few(1, "truncated", "truncated-published"))
@settings(deadline=None, max_examples=20)
@given(
    values=st.lists(st.tuples(st.floats(0, 1), st.floats(0, 1)), min_size=5, max_size=5),
    record=st.tuples(st.floats(0, 1), st.floats(0, 1)),
    who=st.integers(0, 4),
)
def test_nobody_loses_more_by_any_record_than_their_bound(key, values, record, who):
    plan = matrix(key, people=5).plan
    table = np.array(values)
    shifts = plan.statistic.neighbors(table, SUBSTITUTION)
    bound = plan.pairwise_epsilon(shifts.actual, shifts.alternatives[who, 0])
    table[who] = record
    loss = plan.release.pairwise_epsilon(shifts.actual, plan.statistic.value(table))
    assert loss <= bound * (1 + 1e-9) + 1e-12
    assert bound <= plan.worst_case() * (1 + 1e-9)


def test_truncation_may_reveal_more_of_the_shorter_move():
    # Why ``pairwise_epsilon`` looks both ways: towards the bound is the shorter way here.
    plan = matrix("truncated-published", people=10).plan
    actual = np.array([0.02, 0.15, 0.0])
    longer, shorter = (
        plan.release.pairwise_epsilon(actual, actual + np.array([move, 0, 0]))
        for move in (0.0205, -0.02)
    )
    assert shorter > longer
    moved = actual + np.array([0.0205, 0, 0])
    assert plan.pairwise_epsilon(actual, moved) >= shorter


@pytest.mark.parametrize("key", MECHANISMS)
def test_cost_is_what_was_typed_unless_the_claim_fails(key):
    request = matrix(key, columns=3, epsilon=0.3)
    level = request.effective_epsilon
    if key == "truncated-published":
        assert not request.claim_holds
        assert 0.3 < level <= 0.6
        assert request.cost.epsilon == computed(level)
    else:
        assert level == pytest.approx(0.3, rel=1e-9)
        assert request.cost.epsilon == typed(0.3)
    plan = request.plan
    assert plan.event.parameter == level
    assert 0 < plan.rho < level**2 / 2
    assert plan.worst_case(delta=0.1) == level


def test_weights_split_the_budget():
    weights = (1.0, 2.0, 5.0)
    plan = matrix(epsilon=0.8, weights=weights).plan
    assert plan.release.epsilons == pytest.approx([0.1, 0.2, 0.5])
    assert plan.noise == plan.release.scales.max()
    assert plan.half_widths(0.9)[2] < plan.half_widths(0.9)[0]
    with pytest.raises(ParameterError, match="one positive, finite weight for each"):
        _ = matrix(weights=(1.0, 2.0)).plan
    with pytest.raises(ParameterError, match="one positive, finite weight for each"):
        _ = matrix(weights=()).plan


@settings(deadline=None, max_examples=25)
@given(epsilon=st.floats(1e-2, 30), key=st.sampled_from(["laplace", "bit"]))
def test_every_step_is_drawn_at_its_part_of_the_cost(epsilon, key):
    plan, spent = matrix(key, epsilon=epsilon).plan, []

    def draw(_, value, *, sensitivity, cost):
        spent.append((float(cost.epsilon), sensitivity.largest))
        return value

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(secure, "draw", draw)
        value = np.array([0.1, 0.2, 0.05])
        answer = plan.answer(value, cost=matrix(key, epsilon=epsilon).cost)
    assert answer.values == pytest.approx(value)
    assert sum(epsilon for epsilon, _ in spent) <= epsilon
    assert [epsilon for epsilon, _ in spent] == plan.release.epsilons.tolist()
    # One person moves each number by 1 / 5; the rest covers rounding.
    for _, reach in spent:
        assert 0.2 < reach < 0.2 * (1 + 1e-12)


@pytest.mark.parametrize("key", MECHANISMS)
@pytest.mark.parametrize("columns", [2, 4])
def test_answers_follow_from_secure_draws(key, columns):
    request = matrix(key, columns=columns, people=60, epsilon=5.0)
    plan = request.plan
    value = plan.statistic.value(table_of(60, columns))
    answer = plan.answer(value, cost=request.cost)
    assert answer.labels == plan.statistic.labels
    if key != "laplace":
        variances = answer.values[:columns]
        assert min(variances) >= 0
        pairs = zip(combinations(variances, 2), answer.values[columns:], strict=True)
        for (x, y), covariance in pairs:
            assert abs(covariance) <= np.sqrt(x) * np.sqrt(y)
    for name, number in answer.derived.items():
        if name.startswith("corr"):
            assert -1 <= number <= 1
    check_repair(answer, columns)
    for ends in (answer.intervals.noise, answer.intervals.total):
        correlated = [name for name in answer.derived if name.startswith("corr")]
        assert tuple(ends) == (*answer.labels, *correlated)
        assert all(low <= high for low, high in ends.values())


def check_repair(answer, columns):
    """Without a repair the matrix is semidefinite; with one, the repaired one is."""
    repaired = [
        answer.derived.get(f"repaired {label}", number)
        for label, number in zip(answer.labels, answer.values, strict=True)
    ]
    smallest = np.linalg.eigvalsh(matrix_of(repaired))[0]
    assert smallest >= -1e-9 * max(repaired[:columns])
    was = np.linalg.eigvalsh(matrix_of(answer.values))[0]
    changed = any(name.startswith("repaired") for name in answer.derived)
    assert changed or was >= -1e-9


@pytest.mark.slow
@pytest.mark.parametrize("key", MECHANISMS)
def test_contradictions_are_repaired_and_correlations_stay_possible(monkeypatch, key):
    simulated(monkeypatch, 5)
    request = matrix(key, columns=3, people=20, epsilon=1.0)
    value, mended = request.plan.statistic.value(table_of(20, 3)), 0
    for _ in range(12):
        answer = request.plan.answer(value, cost=request.cost)
        correlations = [v for k, v in answer.derived.items() if k.startswith("corr")]
        assert np.all(np.abs(correlations) <= 1)
        check_repair(answer, 3)
        repaired = {k: v for k, v in answer.derived.items() if k.startswith("rep")}
        assert len(repaired) in {0, *range(6, 10)}
        for name, number in repaired.items():
            if name.startswith("repaired corr"):
                # The repaired number and the released one are named apart.
                assert name.removeprefix("repaired ") in answer.derived
                assert -1 <= number <= 1
        mended += bool(repaired)
    assert mended


@pytest.mark.slow
@pytest.mark.parametrize("key", few(1, "truncated", "bit", "laplace"))
def test_intervals_hold_for_all_numbers_together(monkeypatch, key):
    simulated(monkeypatch, 6)
    request = matrix(key, people=60, epsilon=1.5)
    plan, cost = request.plan, request.cost
    value, held = plan.statistic.value(table_of(60, 2)), np.zeros(2)
    for _ in range(60):
        around = plan.answer(value, cost=cost).intervals
        for place, ends in enumerate((around.noise, around.total)):
            low, high = np.array([*ends.values()]).T
            # The correlation is the last one: it holds together with the others.
            known = np.append(value, correlations_of(value))[: len(low)]
            held[place] += np.all((low - 1e-12 <= known) & (known <= high + 1e-12))
    # Three standard errors of 95% in 60.
    assert held.min() / 60 >= 0.95 - 3 * np.sqrt(0.95 * 0.05 / 60)


def test_shares_too_small_to_truncate_with_are_refused_before_anything_is_drawn():
    for key in ("truncated", "truncated-published"):
        ask = partial(matrix, key, epsilon=0.1)
        assert ask().cost
        with pytest.raises(ParameterError, match=r"share of ε = 9\.98 × 10⁻⁵.* BIT"):
            _ = ask(weights=(1.0, 1000.0, 1.0)).cost
    assert matrix("bit", epsilon=0.1, weights=(1.0, 1000.0, 1.0)).cost


def test_correlations_need_one_row_a_person():
    with pytest.raises(ParameterError, match="one row for each person"):
        _ = matrix(kind=StatisticKind.CORRELATION, rows=2).plan


def test_intervals_of_a_matrix_hold_together_and_not_one_by_one():
    plan = matrix("laplace", people=5000, columns=3).plan
    value = plan.statistic.value(table_of(5000, 3))
    answer = plan.answer(value, cost=typed(1.0))
    count = len(answer.labels)
    assert count == 6
    # Laplace noise leaves [-r, r] with chance e^(-r/b): 5% shared by all numbers.
    reach = plan.release.scales * np.log(count / 0.05)
    ends = np.array([answer.intervals.noise[label] for label in answer.labels])
    lengths = ends[:, 1] - ends[:, 0]
    assert lengths == pytest.approx(2 * reach, rel=1e-6)
