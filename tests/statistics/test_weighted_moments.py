"""Weighted sums of groups: sensitivity enumerated, losses recomputed, questions of a table."""

from dataclasses import replace
from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from statsmodels.stats.weightstats import DescrStatsW

from dpcore.analyses.clamping_bias import bias
from dpcore.analyses.groups import ANY_SIZE
from dpcore.analyses.measurement import OneMechanism
from dpcore.analyses.number import Query
from dpcore.analyses.weighted import WeightedQuery
from dpcore.data.bounds import Interval
from dpcore.individual.per_instance_loss import per_instance_losses
from dpcore.mechanisms.gaussian import Gaussian
from dpcore.mechanisms.laplace import Laplace
from dpcore.relations import NeighboringRelation, PrivacyUnit
from dpcore.statistics.entries import Membership
from dpcore.statistics.group_sums import WeightedMoments
from dpcore.statistics.grouping import Grouping
from dpcore.statistics.kinds import StatisticKind
from dpcore.statistics.user_level import AdditiveOfPeople, packed
from dpcore.studies.auditing.lower_bound import audit
from dpcore.studies.auditing.trials import TrialDraws, batches, worst
from tests.conftest import few
from tests.releases.questions import weighted
from tests.statistics.columns import DROP, category, dataset, number, yes_no
from tests.statistics.neighbors import changes, check
from tests.terms import ADD_REMOVE, SUBSTITUTION

BOUNDS = Interval(lower=-1.0, upper=3.0)
CAP = 2.0
ONE, TWO = (), ("a",)


def moments(groups=ONE, least=0.0):
    return WeightedMoments(
        labels_of_groups=groups, bounds=BOUNDS, weights=Interval(lower=least, upper=CAP)
    )


def by_hand(statistic, table):
    """Parts of the cap, divided between the bounds by height, added up by group."""
    found = np.zeros((len(statistic.groups), 2))
    for value, weight, group in table:
        height = (min(max(value, -1.0), 3.0) + 1) / 4
        part = min(max(weight, statistic.weights.lower), CAP) / CAP
        found[int(group)] += part * np.array([1 - height, height])
    return found.ravel()


@pytest.mark.parametrize("groups", [ONE, TWO])
@pytest.mark.parametrize("least", [0.0, 0.5])
@pytest.mark.parametrize("relation", NeighboringRelation)
def test_sensitivity_is_the_largest_change_of_any_small_table(groups, least, relation):
    statistic = moments(groups, least)
    codes = range(len(statistic.groups))
    records = tuple(product((-1.0, 1.0, 3.0), (0.0, 0.5, 2.0, 9.0), codes))
    moves = changes(
        lambda table: by_hand(statistic, table), records, relation, range(1, 3), drop=True
    )
    check(statistic.sensitivity(relation), moves)


tables = st.lists(
    st.tuples(
        st.sampled_from([-2.0, -1.0, 0.25, 1.5, 3.0]),
        st.sampled_from([-1.0, 0.0, 0.3, 1.0, 2.0, 5.0]),
        st.integers(0, 1),
    ),
    min_size=1,
    max_size=6,
)


@pytest.mark.parametrize("groups", [ONE, TWO])
@pytest.mark.parametrize("relation", NeighboringRelation)
@pytest.mark.parametrize("noise", [Laplace(noise=2.0), Gaussian(noise=1.5)])
@settings(deadline=None, max_examples=12)
@given(table=tables)
def test_losses_are_those_of_every_other_table(groups, relation, noise, table):
    """Brute force over records of all weights, at the bounds and between them."""
    statistic = moments(groups)
    table = [(value, weight, code * len(groups)) for value, weight, code in table]
    delta = 0.0 if isinstance(noise, Laplace) else 1e-5
    plan = OneMechanism(mechanism=noise, sensitivity=statistic.sensitivity(relation))
    values = np.array(table, dtype=float)
    found = per_instance_losses(plan, statistic, values, relation=relation, delta=delta)
    here = by_hand(statistic, table)
    np.testing.assert_allclose(statistic.value(values), here, atol=1e-12)
    records = list(product((-1.0, 1.0, 3.0), (0.0, 1.0, 2.0), range(len(statistic.groups))))
    for i, (_, weight, _) in enumerate(table):
        rest = [record for j, record in enumerate(table) if j != i]
        others = [rest]
        if relation is SUBSTITUTION:
            others += [[*rest, record] for record in records]
        losses = [
            float(noise.pairwise_epsilon(here, by_hand(statistic, other), delta=delta))
            for other in others
        ]
        assert found.epsilon[i] == pytest.approx(max(losses), rel=1e-9, abs=1e-12)
        if relation is ADD_REMOVE and not delta:
            part = min(max(weight, 0.0), CAP) / CAP
            assert found.epsilon[i] == pytest.approx(part / noise.noise, abs=1e-12)
    assert found.maximum <= found.for_all * (1 + 1e-12)
    assert found.for_all <= found.worst_case * (1 + 1e-9)


@pytest.mark.parametrize("relation", NeighboringRelation)
def test_people_with_several_rows_change_no_more_than_all_their_rows(relation):
    statistic = moments()
    of_people = AdditiveOfPeople(each=statistic, most=2)
    rows = list(product((-1.0, 1.0, 3.0), (0.5, 2.0), (0.0,)))
    sets = [[], *([row] for row in rows), *map(list, product(rows, repeat=2))]
    values = [by_hand(statistic, table) for table in sets]
    pairs = product(values, values if relation is SUBSTITUTION else values[:1])
    moves = np.array([first - second for first, second in pairs])
    limit = of_people.sensitivity(relation)
    assert np.abs(moves).sum(axis=1).max() == pytest.approx(limit.l1)
    assert np.linalg.norm(moves, axis=1).max() == pytest.approx(limit.l2)
    entries, _ = packed(np.array([rows[0], rows[3], rows[5]]), np.array([0, 1, 1]), 2)
    reached = of_people.neighbors(entries, relation).distances()
    farthest = [
        max(
            np.abs(by_hand(statistic, other) - by_hand(statistic, own)).sum()
            for other in (sets if relation is SUBSTITUTION else [[]])
        )
        for own in ([rows[0]], [rows[3], rows[5]])
    ]
    np.testing.assert_allclose(reached, farthest)


@pytest.mark.parametrize("relation", few(1, *NeighboringRelation))
def test_audit_refutes_noise_that_knows_no_cap(relation):
    """A sensitivity of weights up to 1, where they go up to the cap of 4."""
    trial = worst(weighted(epsilon=2.0, relation=relation))
    assert trial.exact == pytest.approx(trial.claim.epsilon, rel=1e-6)
    few = replace(trial, batch=2_000)
    drawn = TrialDraws.together(batches(few, 2_000))
    assert not audit(few, drawn, confidence=1 - 1e-9).refuted
    # Such noise is a quarter of what is needed: as if it promised a quarter of its epsilon.
    planted = replace(few, claim=replace(trial.claim, epsilon=trial.claim.epsilon / 4))
    assert audit(planted, drawn, confidence=1 - 1e-9).refuted


AGE, WEIGHT, REGION = number("age", missing=DROP), number("w", 4.0, missing=DROP), category()
CELLS = {
    "age": [20.0, 40.0, None, 120.0, 50.0, 30.0],
    "w": [1.0, 9.0, 2.0, 0.5, None, 3.0],
    "region": ["north", "south", "north", "north", "south", "elsewhere"],
    "smoker": ["yes", "no", "yes", "yes", "yes", "no"],
}
TABLE = dataset((AGE, WEIGHT, REGION, yes_no()), **CELLS)


def question(*group, column=AGE, weight=WEIGHT, relation=ADD_REMOVE, **parts):
    kind = StatisticKind.PROPORTION if parts else StatisticKind.MEAN
    known = {"relation": relation, "unit": PrivacyUnit(), "size": ANY_SIZE}
    part = Query(kind=kind, column=column, **known, **parts)
    return WeightedQuery(part=part, group=Grouping.of(*group), weight=weight)


def test_the_weighted_mean_of_a_table_is_that_of_statsmodels():
    """Whoever lacks value or weight is left out; both are clamped."""
    query = question()
    counted = DescrStatsW([20.0, 40.0, 100.0, 30.0], weights=[1.0, 4.0, 0.5, 3.0])
    below, above = query.value(TABLE)
    assert 4 * (below + above) == pytest.approx(counted.sum_weights)
    assert 100 * above / (below + above) == pytest.approx(counted.mean)
    assert 4 * 100 * above == pytest.approx(counted.sum)
    of_share = question(column=yes_no(), membership=Membership(label="yes")).value(TABLE)
    assert 4 * of_share.sum() == pytest.approx(1 + 4 + 2 + 0.5 + 3)
    assert 4 * of_share[1] == pytest.approx(1 + 2 + 0.5)
    by_region = question(REGION).value(TABLE).reshape(3, 2)
    np.testing.assert_allclose(4 * by_region.sum(axis=1), [1.5, 4.0, 3.0])


def test_raw_values_and_weights_are_told_apart_from_clamped_ones():
    found = bias(question(), TABLE)
    raw = DescrStatsW([20.0, 40.0, 120.0, 30.0], weights=[1.0, 9.0, 0.5, 3.0])
    used = DescrStatsW([20.0, 40.0, 100.0, 30.0], weights=[1.0, 4.0, 0.5, 3.0])
    assert found.stages[0] == pytest.approx(raw.mean)
    assert found.stages[-1] == pytest.approx(used.mean)
    assert [column.above for column in found.columns] == [1, 1]
