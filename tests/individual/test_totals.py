"""Everybody's total over several releases, against closed forms and the accountant."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dpcore.analyses.number import Query
from dpcore.data.dataset import Dataset
from dpcore.individual.model_losses import model_losses
from dpcore.individual.per_instance_loss import per_instance_losses
from dpcore.individual.person_totals import Counting, odometer, person_totals
from dpcore.individual.release_losses import ReleaseLosses, model_release_losses, release_losses
from dpcore.privacy import gaussian
from dpcore.privacy.composition import compose
from dpcore.privacy.conversions import epsilon_of_rho, epsilons_of_rho
from dpcore.privacy.events import (
    ApproximateEvent,
    FixedSampleEvent,
    GaussianEvent,
    LaplaceEvent,
    PureEvent,
    SampleEvent,
)
from dpcore.statistics.kinds import StatisticKind
from tests.releases import models
from tests.releases.questions import asked, by_group, matrix, ranks, shares, terms
from tests.statistics.columns import DROP, number
from tests.terms import ADD_REMOVE, SUBSTITUTION

KINDS = {"laplace": LaplaceEvent, "gaussian": GaussianEvent, "pure": PureEvent}
WAYS = {Counting.SIMPLE: "basic", Counting.ADVANCED: "advanced", Counting.ZCDP: "zcdp"}


def losses(kind, *own):
    largest = KINDS[kind].from_ratio(max(own))
    return ReleaseLosses(event=largest, own=np.array(own, dtype=float))


def total(parts, way, *, people=1, delta=1e-6):
    return person_totals(parts, people=people, delta=delta).of[way]


positive = st.floats(1e-3, 2.0)
plans = st.lists(
    st.tuples(st.sampled_from(["laplace", "gaussian", "pure"]), positive, positive),
    min_size=1,
    max_size=4,
)


@settings(max_examples=8)
@given(plans, st.sampled_from([1e-9, 1e-6, 1e-2]))
def test_each_person_has_what_the_accountant_says(parts, delta):
    plan = [losses(kind, *own) for kind, *own in parts]
    everybody = person_totals(plan, people=2, delta=delta)
    for person in (0, 1):
        events = [one.of(person) for one in plan]
        known = compose(events, delta=delta)
        for way, name in WAYS.items():
            expected = pytest.approx(getattr(known, name), rel=1e-6)
            assert everybody.of[way][person] == expected
        rho = sum(event.rho for event in events)
        zcdp = everybody.of[Counting.ZCDP][person]
        assert zcdp == pytest.approx(epsilon_of_rho(rho, delta), rel=1e-6)
        assert zcdp >= epsilon_of_rho(rho, delta) * (1 - 1e-12)
    best = everybody.of[Counting.BEST]
    assert all((best <= everybody.of[way]).all() for way in Counting)


@settings(max_examples=15)
@given(plans)
def test_nobody_loses_more_than_the_worst_case(parts):
    plan = [losses(kind, *own) for kind, *own in parts]
    worst = [ReleaseLosses(event=one.event) for one in plan]
    for way in Counting:
        mine, ledger = total(plan, way, people=2), total(worst, way, people=2)
        assert (mine <= ledger * (1 + 1e-6)).all()
        more = [*plan, losses("pure", 0.1, 0.2)]
        assert (total(more, way, people=2) >= mine * (1 - 1e-6)).all()


def test_smallest_total_of_a_mixture_covers_the_exact_one():
    plan = [losses("laplace", 0.3), losses("gaussian", 0.2), losses("pure", 0.1)]
    exact = compose([one.of(0) for one in plan], delta=1e-6)
    mixed = person_totals(plan, people=1, delta=1e-6).of
    assert exact.pld * (1 - 1e-9) <= mixed[Counting.BEST][0] <= exact.basic
    assert mixed[Counting.GAUSSIAN][0] <= mixed[Counting.SIMPLE][0] * (1 + 1e-12)


def test_interpolated_conversion_errs_on_the_private_side():
    rho = np.geomspace(1e-12, 1e3, 5_000)
    for delta in (1e-12, 1e-6, 0.1):
        exact = np.array([epsilon_of_rho(float(one), delta) for one in rho[::50]])
        found = epsilons_of_rho(rho, delta)[::50]
        assert (found >= exact * (1 - 1e-12)).all()
        np.testing.assert_allclose(found, exact, rtol=1e-5, atol=1e-12)
    np.testing.assert_array_equal(epsilons_of_rho([0, np.inf], 1e-6), [0, np.inf])
    np.testing.assert_array_equal(epsilons_of_rho([0, 1.0], 0.0), [0, np.inf])
    np.testing.assert_array_equal(epsilons_of_rho([1.0], 1.0), [0])


AGES = np.array([5.0, 20.0, 40.0, np.nan, 95.0, 120.0])
TABLE = Dataset(
    name="t",
    frame=pd.DataFrame({"age": AGES, "region": list("nnsssn")}),
    columns=(number("age", missing=DROP), number("region")),
)
WITH_GAPS = Query(
    kind=StatisticKind.SUM, column=number("age", missing=DROP), **terms(5, relation=ADD_REMOVE)
)


def of_request(request, dataset, relation):
    query = request.query
    return release_losses(
        request.plan,
        query.statistic,
        query.values(dataset),
        rows=query.rows(dataset),
        people=dataset.people,
        relation=relation,
        unit_rows=query.unit.rows,
    )


def test_who_has_no_value_loses_nothing_by_being_removed():
    own = of_request(asked(WITH_GAPS, "laplace"), TABLE, ADD_REMOVE).own
    np.testing.assert_allclose(own, [0.05, 0.2, 0.4, 0, 0.95, 1], rtol=1e-5)


def test_who_has_no_value_might_have_had_the_most_revealing_one():
    own = of_request(asked(WITH_GAPS, "laplace"), TABLE, SUBSTITUTION).own
    assert own[3] == pytest.approx(1.0, rel=1e-5)
    assert own[0] == pytest.approx(0.95, rel=1e-5)
    # The page of one release leaves them out, and states this limit.
    request = asked(WITH_GAPS, "laplace")
    values = request.query.values(TABLE)
    found = per_instance_losses(
        request.plan, request.query.statistic, values, relation=SUBSTITUTION
    )
    assert found.people == 5
    assert found.for_all >= own[3]


REGIONS = pd.DataFrame(
    {
        "age": [5.0, 20, 40, 95, 120],
        "region": ["north", "south", "south", "x", "north"],
        "color": list("aabba"),
        "a": [0.1, 0.9, 0.4, 0.3, 1.0],
        "b": [0.5, 0.2, 0.7, 0.7, 0.0],
    }
)


@pytest.mark.parametrize(
    ("request_", "relation"),
    [
        (by_group("gaussian", epsilon=1.0), SUBSTITUTION),
        (by_group("bit", kind=StatisticKind.SUM), SUBSTITUTION),
        (matrix(), SUBSTITUTION),
        (ranks(), SUBSTITUTION),
        (shares(), SUBSTITUTION),
        (asked(WITH_GAPS, "averaged"), ADD_REMOVE),
    ],
    ids=["gaussian", "bit", "matrix", "ranks", "shares", "averaged"],
)
def test_losses_of_every_plan_are_at_most_its_worst_case(request_, relation):
    if request_.mechanism_key == "gaussian":
        request_ = asked(request_.query, "gaussian", delta=1e-6)
    columns = request_.query.columns
    frame = REGIONS[[column.name for column in columns]]
    table = Dataset(name="t", frame=frame, columns=columns)
    found = of_request(request_, table, relation)
    assert found.own.shape == (5,)
    assert (found.own <= found.event.ratio * (1 + 1e-9)).all()
    assert found.own.max() > 0
    pair = total([found, ReleaseLosses(event=found.event)], Counting.BEST, people=5)
    assert np.isfinite(pair).all()


def test_worst_cases_and_approximate_releases():
    sure = ReleaseLosses(event=ApproximateEvent(parameter=0.5, delta=1e-7))
    gauss = losses("gaussian", 0.1, 0.3)
    both = person_totals([sure, gauss], people=2, delta=1e-6)
    alone = person_totals([gauss], people=2, delta=9e-7)
    np.testing.assert_allclose(
        both.of[Counting.GAUSSIAN], 0.5 + alone.of[Counting.GAUSSIAN], rtol=1e-12
    )
    assert np.isinf(both.of[Counting.ZCDP]).all()
    # Its own delta is more than there is.
    none = person_totals([sure, gauss], people=2, delta=1e-8)
    assert all(np.isinf(none.of[way]).all() for way in Counting)
    nothing = person_totals(
        [ReleaseLosses(event=PureEvent.from_ratio(np.inf))], people=2, delta=1e-6
    )
    assert np.isinf(nothing.of[Counting.BEST]).all()
    sampled = SampleEvent(law="gaussian", parameter=2.0, rate=0.1)
    mixed = [ReleaseLosses(event=sampled), gauss]
    best = total(mixed, Counting.BEST, people=2)
    exact = compose([sampled, gauss.of(1)], delta=1e-6)
    assert exact.pld * (1 - 1e-9) <= best[1] < np.inf


@pytest.mark.parametrize("key", ["output", "posterior"])
def test_models_compose_with_statistics(key):
    asked_model = models.request(key)
    dataset = models.table()
    fit = asked_model.question.fit(dataset)
    exposure = model_losses(asked_model, fit, relation=ADD_REMOVE)
    plan = asked_model.plan
    found = model_release_losses(plan.event, exposure, noise=plan.noise, people=dataset.people)
    alone = total([found], Counting.GAUSSIAN, people=200, delta=asked_model.delta)
    np.testing.assert_allclose(alone, exposure.epsilon, rtol=1e-8)
    together = [found, losses("pure", *np.full(200, 0.1))]
    both = total(together, Counting.GAUSSIAN, people=200, delta=asked_model.delta)
    np.testing.assert_allclose(both, alone + 0.1, rtol=1e-9)


def test_who_is_not_behind_a_model_loses_nothing_by_being_removed():
    asked_model = models.request()
    fit = asked_model.question.fit(models.table(50))
    rows = np.arange(1, 51)
    for relation, expected in ((ADD_REMOVE, 0.0), (SUBSTITUTION, None)):
        exposure = model_losses(asked_model, fit, relation=relation, rows=rows)
        event = asked_model.plan.event
        found = model_release_losses(event, exposure, noise=asked_model.plan.noise, people=52)
        worst = event.ratio if expected is None else expected
        assert found.own[[0, 51]].tolist() == [worst, worst]
        assert (found.own[rows] > 0).all()


def test_who_is_not_behind_a_model_counts_at_the_worst_case_for_another_record():
    wanted = models.request(asked=models.question(relation=SUBSTITUTION, most_people=9))
    dataset = models.table(9)
    exposure = model_losses(wanted, wanted.value(dataset), relation=SUBSTITUTION)
    event, noise = wanted.plan.event, wanted.law.noise
    found = model_release_losses(event, exposure, noise=noise, people=12)
    # The record might have been any other one, with a value of every column.
    np.testing.assert_allclose(found.own[9:], event.ratio)
    np.testing.assert_allclose(found.own[:9], exposure.influence.move / noise)
    both = total([found], Counting.GAUSSIAN, people=12, delta=wanted.delta)
    np.testing.assert_allclose(both[9:], wanted.guarantee, rtol=1e-9)
    assert (both[:9] < wanted.guarantee).all()


def test_gaussian_noise_together_shares_delta_with_whatever_else_needs_some():
    delta, mu = 1e-6, 0.3
    event = FixedSampleEvent.from_ratio(0.5, law="gaussian", rate=0.1)
    sampled = ReleaseLosses(event=event, own=np.array([0.5]))
    parts = [losses("gaussian", mu)] * 2 + [sampled] * 3
    # Three samples, and all of the plain noise as one.
    share = delta / 4
    together = float(gaussian.epsilon_of(mu * np.sqrt(2), share))
    expected = together + 3 * float(event.epsilon_of(0.5, share))
    found = total(parts, Counting.GAUSSIAN, delta=delta)[0]
    assert found == pytest.approx(expected, rel=1e-9)


def test_odometer_never_turns_back_and_ends_at_the_total():
    plan = [
        losses("laplace", 0.3, 0.1),
        losses("gaussian", 0.2, 0.4),
        ReleaseLosses(event=PureEvent.from_ratio(0.1)),
    ]
    whole = person_totals(plan, people=2, delta=1e-6)
    for person in (0, 1):
        path = odometer(plan, person, delta=1e-6)
        for way in Counting:
            steps = [float(step.of[way][0]) for step in path]
            assert steps == sorted(steps)
            assert steps[-1] == pytest.approx(whole.of[way][person], rel=1e-6)
    assert odometer([], 0, delta=1e-6) == ()


def test_without_releases_nobody_loses_anything():
    for way in Counting:
        assert total([], way, people=3).tolist() == [0, 0, 0]
