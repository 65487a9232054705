"""Everybody's loss from a secret sample: against all samples of tiny tables."""

import itertools

import numpy as np
import pytest
from scipy.stats import norm

from dpcore.analyses.number import Query
from dpcore.analyses.subsampled import SubsampledRequest
from dpcore.errors import ParameterError
from dpcore.individual.per_instance_loss import per_instance_losses
from dpcore.individual.release_losses import release_losses, sampled_losses
from dpcore.privacy.composition import compose
from dpcore.statistics.kinds import StatisticKind
from tests.releases.questions import AGE, terms
from tests.terms import ADD_REMOVE, SUBSTITUTION


def asked(people, relation=SUBSTITUTION, kind=StatisticKind.MEAN, **changes):
    fixed = relation is SUBSTITUTION
    settings = {
        "query": Query(kind=kind, column=AGE, **terms(people, relation=relation)),
        "law": "laplace",
        "epsilon": 1.0,
        "share": 0.2,
        "people": people if fixed else None,
    }
    return SubsampledRequest(**settings | changes)


def samples(request, values):
    """Return the statistic of every sample, and how likely each is."""
    plan, n = request.plan, len(values)
    if plan.people is not None:
        chosen = [list(c) for c in itertools.combinations(range(n), plan.base_rows)]
        weights = np.full(len(chosen), 1 / len(chosen))
    else:
        sizes = range(n + 1)
        chosen = [list(c) for k in sizes for c in itertools.combinations(range(n), k)]
        taken = np.array([len(c) for c in chosen])
        weights = plan.rate**taken * (1 - plan.rate) ** (n - taken)
    statistic = plan.base.query.statistic
    return np.array([float(statistic.value(values[c])[0]) for c in chosen]), weights


def pure_loss(request, here, there):
    """Return the largest log ratio of the two laws with Laplace noise."""
    noise = request.plan.base.mechanism.noise
    (first, p), (second, q) = samples(request, here), samples(request, there)
    # The densities are sums of exponentials between these points.
    both = np.concatenate([first, second])
    ends = both.min() - 60 * noise, both.max() + 60 * noise
    at = np.unique(np.append(both, ends))[:, np.newaxis]
    one, other = (
        np.log(np.exp(-np.abs(at - law) / noise) @ chances)
        for law, chances in ((first, p), (second, q))
    )
    return float(np.abs(one - other).max())


def gaussian_delta(request, here, there, epsilon):
    """Return the larger delta of the two directions with Gaussian noise."""
    noise = request.plan.base.mechanism.noise
    (first, p), (second, q) = samples(request, here), samples(request, there)
    both = np.concatenate([first, second])
    at = np.linspace(both.min() - 9 * noise, both.max() + 9 * noise, 4001)
    one, other = (
        norm.pdf((at[:, np.newaxis] - law) / noise) @ chances / noise
        for law, chances in ((first, p), (second, q))
    )
    gaps = (one - np.exp(epsilon) * other, other - np.exp(epsilon) * one)
    return max(float(np.trapezoid(np.maximum(gap, 0), at)) for gap in gaps)


def exposure_of(request, values, delta=0.0):
    query = request.query
    return per_instance_losses(
        request.plan, query.statistic, values, relation=query.relation, delta=delta
    )


def losses_of(request, values):
    query, everybody = request.query, np.arange(len(values))
    return sampled_losses(
        request.plan,
        query.statistic,
        values,
        rows=everybody,
        people=len(values),
        relation=query.relation,
    )


def test_who_makes_room_for_somebody_far_away_loses_more_than_the_own_change():
    values = np.array([50.0] + [100.0] * 9)
    request = asked(10)
    other = values.copy()
    other[0] = 0.0
    exact = pure_loss(request, values, other)
    assert exact == pytest.approx(0.6498, abs=1e-4)
    assert exposure_of(request, values).epsilon[0] >= exact


@pytest.mark.parametrize("kind", [StatisticKind.MEAN, StatisticKind.SUM])
@pytest.mark.parametrize("relation", [SUBSTITUTION, ADD_REMOVE])
def test_no_loss_is_understated_in_tiny_tables(relation, kind):
    rng = np.random.default_rng(11)
    closest = 0.0
    for _ in range(40):
        n = int(rng.integers(3, 7))
        request = asked(
            n,
            relation,
            kind,
            epsilon=float(rng.choice([0.2, 1.0, 3.0])),
            share=float(rng.choice([0.4, 0.7, 1.0])),
        )
        values = np.where(rng.random(n) < 0.5, rng.choice([0.0, 100.0], n), rng.uniform(0, 100, n))
        shown = exposure_of(request, values)
        others = [np.delete(values, 0)]
        if relation is SUBSTITUTION:
            others = [np.append(end, others[0]) for end in (0.0, 100.0)]
        exact = max(pure_loss(request, values, other) for other in others)
        assert exact <= shown.epsilon[0] * (1 + 1e-9) + 1e-12
        assert shown.epsilon[0] <= shown.worst_case
        closest = max(closest, exact / shown.worst_case)
    # The guarantee itself is not far from attained.
    assert closest > 0.6


def test_no_delta_is_understated_with_gaussian_noise():
    rng = np.random.default_rng(12)
    delta = 0.01
    for _ in range(20):
        n = int(rng.integers(4, 8))
        request = asked(n, law="gaussian", delta=delta, share=0.5, epsilon=0.8)
        values = rng.choice([0.0, 50.0, 90.0, 100.0], n)
        shown = exposure_of(request, values, delta).epsilon[0]
        for end in (0.0, 100.0):
            other = np.append(end, values[1:])
            assert gaussian_delta(request, values, other, shown) <= delta * (1 + 1e-6)


def test_one_person_in_a_sample_of_fixed_size_composes_by_the_worst_case():
    values = np.array([50.0] + [100.0] * 9)
    request = asked(10)
    losses = losses_of(request, values)
    own = losses.of(0)
    assert own == request.plan.event
    least = compose([own] * 5, delta=1e-6)
    assert least.basic == pytest.approx(5 * request.effective_epsilon)


def test_losses_from_a_sample_have_one_entrance():
    values = np.array([50.0] + [100.0] * 9)
    request = asked(10)
    query = request.query
    with pytest.raises(ParameterError, match="sampled_losses"):
        release_losses(
            request.plan,
            query.statistic,
            values,
            rows=np.arange(10),
            people=10,
            relation=query.relation,
        )
