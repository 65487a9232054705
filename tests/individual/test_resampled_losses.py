"""Everybody's own loss from samples and bootstraps, against the exact laws."""

import itertools
import math
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from scipy.stats import laplace, norm

from dpcore.analyses.bootstrap import BootstrapRequest
from dpcore.analyses.number import Query
from dpcore.analyses.resized import ResizedRequest
from dpcore.analyses.subsampled import SubsampledRequest
from dpcore.data.bounds import Interval
from dpcore.data.columns import MissingPolicy
from dpcore.data.dataset import Dataset
from dpcore.individual.person_totals import EXACT_UP_TO, Counting, Levels, gather, person_totals
from dpcore.individual.release_losses import ReleaseLosses, release_losses, sampled_losses
from dpcore.privacy.bootstrap_cost import revealed_epsilon
from dpcore.privacy.composition import compose
from dpcore.privacy.events import (
    BootstrapEvent,
    FixedSampleEvent,
    GaussianEvent,
    LaplaceEvent,
    SampleEvent,
)
from dpcore.statistics.entries import Membership
from dpcore.statistics.kinds import StatisticKind
from tests.releases.questions import AGE, terms
from tests.terms import ADD_REMOVE, SUBSTITUTION

BOUNDS = Interval(lower=-20.0, upper=50.0)
FILLED = replace(AGE, bounds=BOUNDS, replacement=0.0)
DROPPED = replace(AGE, bounds=BOUNDS, missing=MissingPolicy.DROP, replacement=None)
VALUES = np.array([-20.0, 0.0, 11.0, 50.0])
N = len(VALUES)
DELTA = 0.01


def query(kind, relation=SUBSTITUTION):
    return Query(
        kind=kind,
        column=FILLED if relation is SUBSTITUTION else DROPPED,
        membership=Membership(interval=Interval(lower=10.0, upper=math.inf))
        if kind.of_members
        else None,
        **terms(N, relation=relation),
    )


def table(values=VALUES, column=FILLED):
    return Dataset(name="t", frame=pd.DataFrame({"age": values}), columns=(column,))


def excess(first, second, epsilon, cell):
    """The hockey-stick divergence of two densities on one grid, both directions."""
    scale = math.exp(epsilon)
    return max(
        float(np.maximum(p - scale * q, 0).sum() * cell)
        for p, q in ((first, second), (second, first))
    )


def mixture(centers, chances, law, noise, grid):
    return np.einsum("c,cx->x", chances, law.pdf(grid, np.c_[centers], noise))


def neighbors(entry, *, leaving, replaced):
    """Tables without a person, or with another record of theirs."""
    rest = np.delete(VALUES, entry)
    if leaving:
        yield rest
    if replaced:
        for other in (BOUNDS.lower, BOUNDS.upper, 0.0, 20.0):
            yield np.append(rest, other)


def poisson(values, rate):
    """Sums of every Poisson sample, and their chances."""
    picks = np.array(list(itertools.product([0, 1], repeat=len(values))))
    sizes = picks.sum(axis=1)
    return picks @ values, rate**sizes * (1 - rate) ** (len(values) - sizes)


def without_replacement(values, size):
    sums = np.array([sum(part) for part in itertools.combinations(values, size)])
    return sums, np.full(len(sums), 1 / len(sums))


def with_replacement(values, draws):
    means = np.array([np.mean(d) for d in itertools.product(values, repeat=draws)])
    return means, np.full(len(means), 1 / len(means))


LAWS = {"laplace": laplace, "gaussian": norm}


def sampled(kind, law, relation, *, asked=None, share=0.5, epsilon=1.0):
    request = SubsampledRequest(
        query=query(kind, relation),
        law=law,
        epsilon=epsilon,
        share=share,
        delta=DELTA if law == "gaussian" else 0.0,
        people=N if relation is SUBSTITUTION else None,
    )
    column = request.query.column
    found = sampled_losses(
        request.plan,
        request.query.statistic,
        request.query.values(table(column=column)),
        rows=np.arange(N),
        people=N,
        relation=asked or relation,
    )
    return request, found


@pytest.mark.parametrize("law", LAWS)
@pytest.mark.parametrize("asked", [ADD_REMOVE, SUBSTITUTION])
def test_poisson_sample_reveals_no_more_than_is_counted(law, asked):
    request, found = sampled(StatisticKind.SUM, law, ADD_REMOVE, asked=asked)
    noise = request.plan.base.mechanism.noise
    grid = np.linspace(-40 * noise, 40 * noise, 40_001)
    cell = grid[1] - grid[0]
    density = mixture(*poisson(VALUES, 0.5), LAWS[law], noise, grid)
    delta = DELTA if law == "gaussian" else 1e-12
    counted = np.asarray(found.epsilon(delta))
    for entry in range(N):
        leaving = asked is ADD_REMOVE
        worst = max(
            excess(
                density, mixture(*poisson(other, 0.5), LAWS[law], noise, grid), counted[entry], cell
            )
            for other in neighbors(entry, leaving=leaving, replaced=not leaving)
        )
        assert worst <= delta * (1 + 1e-6) + 1e-9
    assert found.of(3).kind.startswith("sub" if asked is ADD_REMOVE else "fixed")
    two = [found.of(3)] * 2
    together = person_totals([found] * 2, people=N, delta=2 * delta).of
    assert together[Counting.SIMPLE][3] >= compose(two, delta=2 * delta).pld * 0.99
    if asked is ADD_REMOVE:
        assert counted[1] == 0
        # Who is most exposed is not counted much too high either.
        rest = mixture(*poisson(VALUES[:-1], 0.5), LAWS[law], noise, grid)
        assert excess(density, rest, 0.5 * counted[-1], cell) > delta
        assert counted.max() <= request.epsilon * (1 + 1e-9)


@pytest.mark.parametrize("law", LAWS)
@pytest.mark.parametrize("kind", [StatisticKind.MEAN, StatisticKind.SUM, StatisticKind.COUNT])
def test_sample_of_fixed_size_reveals_no_more_than_is_counted(law, kind):
    request, found = sampled(kind, law, SUBSTITUTION)
    base = request.plan.base
    noise, of = base.mechanism.noise, np.asarray
    if kind is StatisticKind.COUNT:
        of = lambda values: np.asarray(values >= 10, dtype=float)  # noqa: E731
    divisor = 2 if kind is StatisticKind.MEAN else 1
    grid = np.linspace(-40 * noise, 40 * noise, 40_001)
    cell = grid[1] - grid[0]

    def law_of(values):
        sums, chances = without_replacement(of(values), 2)
        return mixture(sums / divisor, chances, LAWS[law], noise, grid)

    delta = DELTA if law == "gaussian" else 1e-12
    counted = np.asarray(found.epsilon(delta))
    same, _ = sampled(kind, law, SUBSTITUTION, asked=ADD_REMOVE)
    assert same == request
    for entry in range(N):
        for other in neighbors(entry, leaving=False, replaced=True):
            worst = excess(law_of(VALUES), law_of(other), counted[entry], cell)
            assert worst <= delta * (1 + 1e-6) + 1e-9
    assert (counted <= request.epsilon * (1 + 1e-9)).all()
    assert (counted > 0).all()


def test_weight_in_a_private_mean_is_not_known_and_counts_at_the_worst():
    request, found = sampled(StatisticKind.MEAN, "laplace", ADD_REMOVE)
    assert found.own.tolist() == [found.event.ratio] * N
    assert np.asarray(found.epsilon(0.0)) == pytest.approx(request.epsilon)
    plan = request.plan
    assert plan.pairwise_epsilon([3.0], [3.0]) == plan.worst_case() > 0
    _, other = sampled(StatisticKind.MEAN, "laplace", ADD_REMOVE, asked=SUBSTITUTION)
    assert other.own.tolist() == [2 * found.event.ratio] * N


def test_who_has_no_value_is_not_in_a_sample():
    request = SubsampledRequest(
        query=query(StatisticKind.SUM, ADD_REMOVE), law="laplace", epsilon=1.0, share=0.5
    )
    gaps = np.array([-20.0, np.nan, 11.0, 50.0])
    for asked in (ADD_REMOVE, SUBSTITUTION):
        found = sampled_losses(
            request.plan,
            request.query.statistic,
            gaps[[0, 2, 3]],
            rows=np.array([0, 2, 3]),
            people=N,
            relation=asked,
        )
        own = found.own * request.plan.base.mechanism.noise
        if asked is ADD_REMOVE:
            assert own == pytest.approx([20, 0, 11, 50], rel=1e-6)
        else:
            # The farther of both records from nobody's, or from each other.
            assert own == pytest.approx([70, 50, 50, 70], rel=1e-6)


def bootstrap(kind=StatisticKind.MEAN, *, times=1, people=N):
    request = BootstrapRequest(
        query=replace(query(kind), size=replace(query(kind).size, people=people)),
        rho=0.5,
        delta=DELTA,
        times=times,
    )
    return request, request.planned(4.0)


def bootstrap_losses(request, plan, values=VALUES):
    asked = request.query
    return release_losses(
        plan,
        asked.statistic,
        asked.values(table(values)),
        rows=np.arange(len(values)),
        people=len(values),
        relation=SUBSTITUTION,
    )


def test_bootstraps_reveal_no_more_than_is_counted():
    request, plan = bootstrap()
    found = bootstrap_losses(request, plan)
    noise = plan.noise
    grid = np.linspace(-9 * noise - 20, 9 * noise + 50, 1201)
    cell = grid[1] - grid[0]

    def law_of(values):
        return mixture(*with_replacement(values, N), norm, noise, grid)

    alone = np.asarray(found.epsilon(DELTA))
    assert (alone <= plan.worst_case(delta=DELTA) * (1 + 1e-9)).all()
    twice = person_totals([found] * 2, people=N, delta=DELTA).of[Counting.BEST]
    assert (alone < twice).all()
    here = law_of(VALUES)
    for entry in range(N):
        for other in neighbors(entry, leaving=False, replaced=True):
            there = law_of(other)
            assert excess(here, there, alone[entry], cell) <= DELTA
            both = np.outer(here, here), np.outer(there, there)
            assert excess(*both, twice[entry], cell**2) <= DELTA


def test_bootstraps_compose_like_one_of_as_many_resamples():
    request, plan = bootstrap(times=10, people=40)
    values = np.linspace(-20, 50, 40)
    found = bootstrap_losses(request, plan, values)
    expected = np.maximum(values + 20, 50 - values) / 40 / plan.noise
    assert found.own == pytest.approx(expected, rel=1e-9)
    told = revealed_epsilon(expected, times=10, people=40, delta=1e-3)
    alone = np.asarray(found.epsilon(1e-3))
    assert alone == pytest.approx(np.minimum(told, plan.worst_case(delta=1e-3)))
    assert np.unique(alone).size > 5
    assert found.of(3) == plan.event
    assert np.asarray(found.rho()) == pytest.approx(plan.rho * (expected / plan.event.ratio) ** 2)
    assert np.asarray(found.epsilon(1e-13)).tolist() == [math.inf] * 40
    # Twice ten bootstraps tell less than two times as much, and never less than 20.
    totals = person_totals([found, found], people=40, delta=1e-3).of
    whole = revealed_epsilon(expected, times=20, people=40, delta=1e-3)
    worst = person_totals([ReleaseLosses(event=plan.event)] * 2, people=1, delta=1e-3)
    for way in Counting:
        assert (totals[way] >= np.minimum(whole, worst.of[way] * 0.5)).all()
        assert (totals[way] <= worst.of[way] * (1 + 1e-9)).all()
    half = np.asarray(found.epsilon(0.5e-3))
    assert totals[Counting.SIMPLE] == pytest.approx(2 * half)


@pytest.mark.parametrize("delta", [0.0, 1e-3])
@pytest.mark.parametrize("kind", [StatisticKind.MEAN, StatisticKind.PROPORTION])
def test_resized_bootstrap_reveals_no_more_than_is_counted(kind, delta):
    request = ResizedRequest(query=query(kind), draws=3, epsilon=1.0, delta=delta)
    plan, asked = request.plan, request.query
    values = asked.values(table())
    found = release_losses(
        plan, asked.statistic, values, rows=np.arange(N), people=N, relation=SUBSTITUTION
    )
    assert found.event.delta == delta
    counted = np.asarray(found.epsilon(0.3))
    assert (counted <= 1 + 1e-9).all()
    grid = np.linspace(-40 * plan.noise - 20, 40 * plan.noise + 50, 8_001)
    cell = grid[1] - grid[0]
    of_members = kind.of_members

    def law_of(values):
        of = np.asarray(values >= 10, dtype=float) if of_members else values
        return mixture(*with_replacement(of, 3), laplace, plan.noise, grid)

    here = law_of(VALUES)
    for entry in range(N):
        for other in neighbors(entry, leaving=False, replaced=True):
            worst = excess(here, law_of(other), counted[entry], cell)
            assert worst <= delta + 1e-9
    totals = person_totals([found] * 2, people=N, delta=0.01).of
    assert totals[Counting.SIMPLE] == pytest.approx(2 * counted)


@pytest.mark.slow
@pytest.mark.parametrize("law", LAWS)
def test_each_person_of_a_sample_has_what_the_accountant_says(law):
    event = SampleEvent(law=law, parameter=0.5, rate=0.1)
    own = np.array([0.0, 0.1, 1.0, 2.0])
    plan = [
        ReleaseLosses(event=event, own=own),
        ReleaseLosses(event=GaussianEvent.from_ratio(0.5), own=own / 4),
    ]
    totals = person_totals(plan, people=4, delta=1e-6).of
    worst = [ReleaseLosses(event=one.event) for one in plan]
    limit = person_totals(worst, people=1, delta=1e-6).of
    names = {Counting.SIMPLE: "basic", Counting.ADVANCED: "advanced", Counting.ZCDP: "zcdp"}
    for person in range(1, 4):
        known = compose([one.of(person) for one in plan], delta=1e-6)
        for way, name in names.items():
            expected = pytest.approx(getattr(known, name), rel=1e-6)
            assert totals[way][person] == expected
        # The discretized loss errs upwards, by little.
        assert totals[Counting.BEST][person] >= known.pld * (1 - 1e-3)
    for way in Counting:
        assert totals[way][3] == pytest.approx(limit[way][0], rel=1e-6)
        assert totals[way][0] <= 1e-9
        assert (np.diff(totals[way]) >= 0).all()


def test_levels_round_up_by_little():
    rng = np.random.default_rng(1)
    values = np.exp(rng.uniform(-15, 3, EXACT_UP_TO + 1000))
    values[:4] = 0, np.inf, np.nan, 1e-300
    found = Levels.of(values).map(lambda level: level)
    assert found[:3].tolist() == [0, math.inf, math.inf]
    top = values[np.isfinite(values)].max()
    assert found[np.isfinite(found)].max() == top
    assert found[3] == pytest.approx(top * 1e-7)
    kept = values[4:] > top * 1e-7
    ratio = found[4:][kept] / values[4:][kept]
    assert 1 <= ratio.min() <= ratio.max() < 1.0005
    small = values[:50]
    assert Levels.of(small[3:]).map(lambda level: level).tolist() == small[3:].tolist()
    for equal in (0.0, 0.7, np.inf):
        same = np.full(EXACT_UP_TO + 1, equal)
        assert (Levels.of(same).map(lambda level: level) == equal).all()


@pytest.mark.slow
def test_totals_of_many_people_are_those_of_each_and_a_little_more():
    people = EXACT_UP_TO + 1
    own = np.random.default_rng(2).uniform(0, 0.2, people)
    events = [
        LaplaceEvent(parameter=5.0),
        GaussianEvent(parameter=5.0),
        SampleEvent(law="gaussian", parameter=5.0, rate=0.2),
        BootstrapEvent(parameter=5.0, people=people, times=20),
    ]
    plan = [ReleaseLosses(event=event, own=own) for event in events]
    gathered = gather([*plan, plan[1]], people=people)
    some = np.arange(0, people, 1000)
    few = [one.among(some) for one in plan]
    for delta in (1e-6, 1e-3):
        many = gathered.at(delta).of
        each = person_totals([*few, few[1]], people=len(some), delta=delta).of
        for way in Counting:
            ratio = many[way][some] / each[way]
            assert ratio.min() >= 1 - 1e-6
            # Bootstraps come from a table of levels.
            assert ratio.max() <= 1.003


@pytest.mark.slow
def test_a_new_delta_for_a_million_people_needs_no_look_at_each_release():
    people = 10**6
    own = np.random.default_rng(3).uniform(0, 0.1, people)
    events = [LaplaceEvent.from_ratio(0.1)] * 4 + [GaussianEvent.from_ratio(0.1)] * 5
    plan = [ReleaseLosses(event=event, own=own) for event in events]
    sample = FixedSampleEvent(law="gaussian", parameter=10.0, rate=0.1)
    plan.append(ReleaseLosses(event=sample, own=own))
    gathered = gather(plan, people=people)
    few = gather([replace(one, own=one.own[:7]) for one in plan], people=7)
    for way, total in few.at(1e-6).of.items():
        whole = gathered.at(1e-6).of[way]
        assert whole[:7] == pytest.approx(total, rel=1e-3)
