"""Releases of bootstraps: price, refusals, draws, ledger, individual losses."""

import math
from dataclasses import replace
from datetime import UTC, datetime
from functools import cache

import numpy as np
import pandas as pd
import pytest
from scipy.stats import chi2, norm

from dpcore.analyses import bootstrap as bootstrap_plan
from dpcore.analyses import secure
from dpcore.analyses.base import Mode
from dpcore.analyses.bootstrap import BootstrapRequest
from dpcore.analyses.number import Query
from dpcore.data.dataset import Dataset
from dpcore.data.dialects import Dialect
from dpcore.data.readers.csv_reader import read_csv
from dpcore.errors import BudgetExceeded, ClaimError, ParameterError
from dpcore.individual.per_instance_loss import per_instance_losses
from dpcore.inference.bootstrap_intervals import FEWEST_PEOPLE
from dpcore.ledger.ledger import Ledger
from dpcore.ledger.transaction import release
from dpcore.mechanisms.gaussian import Gaussian
from dpcore.mechanisms.mechanism import Sensitivity
from dpcore.privacy.bootstrap_cost import Correction, resampled_epsilon
from dpcore.privacy.bootstrap_profiles import Bound
from dpcore.privacy.composition import compose
from dpcore.privacy.events import event_from
from dpcore.privacy_filter import PrivacyBudget, PrivacyCost, computed
from dpcore.relations import PrivacyUnit, TableSize
from dpcore.releases.record import Release
from dpcore.statistics.entries import Membership
from dpcore.statistics.kinds import StatisticKind
from tests.conftest import few
from tests.releases.questions import AGE
from tests.terms import ADD_REMOVE, SUBSTITUTION

NOW = datetime(2026, 1, 2, tzinfo=UTC)
N = 60
AGES = np.random.default_rng(5).uniform(0, 100, N)
KINDS = (StatisticKind.MEAN, StatisticKind.SUM, StatisticKind.COUNT, StatisticKind.PROPORTION)


def query(kind=StatisticKind.MEAN, *, people=N, relation=SUBSTITUTION, rows=1):
    old = Membership(interval=replace(AGE.bounds, lower=50.0))
    unit = PrivacyUnit(rows=rows)
    return Query(
        kind=kind,
        column=AGE,
        relation=relation,
        unit=unit,
        size=TableSize(people=people, public=unit.keeps_number(relation)),
        membership=old if kind.of_members else None,
    )


@cache
def asked(kind=StatisticKind.MEAN, *, people=N, **changes):
    settings = {"rho": 0.5, "delta": 1e-6, "times": 20}
    return BootstrapRequest(query=query(kind, people=people), **settings | changes)


def table(values=AGES, column=AGE):
    frame = pd.DataFrame({"age": values})
    return Dataset(name="t", frame=frame, columns=(column,))


def released(request, dataset, ledger, mode=Mode.RELEASE):
    return release(
        request, request.value(dataset), ledger=ledger, fingerprint="table", mode=mode, now=NOW
    )


def opened(level=20.0, delta=1e-5):
    ledger = Ledger.in_memory()
    budget = PrivacyBudget.of(epsilon=level, delta=delta)
    ledger.open_account("table", budget, SUBSTITUTION)
    return ledger


@pytest.mark.slow
def test_the_price_is_the_real_level_and_meets_the_claim():
    request = asked()
    real = resampled_epsilon(request.factor, rho=0.5, times=20, people=N, delta=1e-6)
    assert real <= request.claimed == pytest.approx(4.886554117, rel=1e-9)
    assert float(request.cost.epsilon) >= real
    assert float(request.cost.epsilon) == pytest.approx(real, rel=1e-9)
    assert str(request.cost.delta) == "0.000001"
    exact = N * N * 0.5 / request.factor
    assert float(request.cost.rho) == pytest.approx(exact, rel=1e-9)
    event = request.plan.event
    assert (event.kind, event.people, event.times) == ("bootstrap", N, 20)
    assert event.parameter == pytest.approx(math.sqrt(20 * request.factor), rel=1e-12)
    assert request.plan.noise == pytest.approx(event.parameter * 100 / N, rel=1e-9)


@pytest.mark.slow
def test_what_does_not_hold_is_refused_in_release_mode_only():
    assert asked().refusal(Mode.RELEASE) is None
    cases = (
        (asked(correction=Correction.PUBLISHED, times=3), "not 4.89"),
        (asked(correction=Correction.ASYMPTOTIC, times=3), "finite-sample"),
        (asked(bound=Bound.MEAN, times=3), "generic bound"),
    )
    for request, why in cases:
        assert request.refusal(Mode.CLASSROOM) is None
        assert why in request.refusal(Mode.RELEASE)
        assert not request.claim_holds
        # The price is by a bound that is proved, whatever was claimed.
        assert float(request.cost.epsilon) > request.claimed
        with pytest.raises(ClaimError):
            released(request, table(), opened())
    # Every change of a share is from one end to the other: there it is proved.
    share = asked(StatisticKind.PROPORTION, bound=Bound.MEAN, times=3)
    assert share.refusal(Mode.RELEASE) is None
    assert share.factor < asked(StatisticKind.PROPORTION, times=3).factor
    assert float(share.cost.epsilon) <= share.claimed * (1 + 1e-9)


def test_published_bootstraps_say_what_they_really_give():
    request = asked(correction=Correction.PUBLISHED, times=50, people=500)
    assert request.effective_epsilon == pytest.approx(6.74466, rel=1e-4)
    assert "have ε = 6.75 here" in request.refusal(Mode.RELEASE)
    done = released(replace(request, query=query()), table(), opened(99), Mode.CLASSROOM)
    assert done.mode is Mode.CLASSROOM
    assert "published" in done.mechanism_label


@pytest.mark.parametrize("kind", few(2, *KINDS))
def test_bootstraps_have_the_mean_and_variance_of_noisy_resamples(kind, monkeypatch):
    # With hardly any noise, the bootstraps scatter as resamples of the table do.
    # Each bound fails once in 10^9 runs; variances off by a third are noticed.
    times, sure = 800, 1e-9
    request = asked(kind, correction=Correction.PUBLISHED, times=times)
    plan, cost, values = request.plan, request.cost, request.value(table())
    quiet = replace(plan, multiple=1e-6)
    drawn = np.array(quiet.answer(values, cost=cost).values)
    scale = 1 if plan.average else N
    center, variance = values.mean() * scale, values.var() / N * scale**2
    assert drawn.mean() == pytest.approx(center, abs=6.5 * math.sqrt(variance / times))
    squares = drawn.var() * times / variance
    assert chi2.sf(squares, times - 1) > sure
    assert chi2.cdf(squares, times - 1) > sure
    # Where everybody is drawn once, only the noise is left.
    once = np.ones(N, dtype=np.int64)
    monkeypatch.setattr(bootstrap_plan, "secure_counts", lambda *_: once)
    answer = plan.answer(values, cost=cost)
    errors = (np.array(answer.values) - center) / plan.noise
    assert chi2.sf((errors**2).sum(), times) > sure
    assert chi2.cdf((errors**2).sum(), times) > sure
    assert norm.sf(abs(errors.mean()) * math.sqrt(times)) > sure


@pytest.mark.slow
def test_the_answer_has_a_standard_error_and_an_interval():
    request = asked()
    answer = request.plan.answer(request.value(table()), cost=request.cost)
    assert answer.labels[0] == "bootstrap 1"
    assert len(answer.values) == len(answer.labels) == 20
    mean = np.mean(answer.values)
    assert answer.derived["mean of the bootstraps"] == pytest.approx(mean)
    lower, upper = (answer.derived[f"{end} end of the 95% interval"] for end in ("lower", "upper"))
    assert lower < mean < upper
    assert lower + upper == pytest.approx(2 * mean)
    alone = asked(times=1)
    answer = alone.plan.answer(alone.value(table()), cost=alone.cost)
    (only,) = np.array(answer.values)
    assert answer.derived == {"mean of the bootstraps": only}


def test_a_person_who_is_not_drawn_changes_no_bit(monkeypatch):
    counts = np.random.default_rng(1).multinomial(N, np.full(N, 1 / N))
    monkeypatch.setattr(bootstrap_plan, "secure_counts", lambda *_: counts)
    left_out = int(np.flatnonzero(counts == 0)[0])
    first, second = AGES.copy(), AGES.copy()
    second[left_out] = 99.9 - first[left_out]
    for kind in KINDS:
        request = asked(kind, correction=Correction.PUBLISHED)
        values = [request.value(table(ages)) for ages in (first, second)]
        found = [request.plan._resampled(one) for one in values]  # noqa: SLF001
        assert found[0] == found[1]


@pytest.mark.slow
def test_bootstraps_of_an_uploaded_table_land_in_the_ledger():
    text = "age\n" + "\n".join(f"{age:.1f}" for age in AGES) + "\n"
    frame = read_csv(text.encode(), Dialect())
    dataset = Dataset(name="t", frame=frame, columns=(AGE,))
    ledger, request = opened(), asked()
    done, again = (released(request, dataset, ledger) for _ in range(2))
    assert done == again  # the second time it is the same answer, for free
    other = released(replace(request, draw=2), dataset, ledger)
    assert other != replace(done, id=other.id, draw=2)
    assert Release.from_json(done.to_json()) == done
    assert done.request["kind"] == "bootstrap"
    account = ledger.account("table")
    assert account.releases == 2
    assert account.spent.epsilon == 2 * request.cost.epsilon
    events = [event_from(one.event) for one in ledger.releases("table")]
    assert [event.kind for event in events] == ["bootstrap"] * 2
    totals = compose(events, delta=1e-6)
    assert request.claimed < totals.pld < totals.basic
    with pytest.raises(BudgetExceeded):
        released(request, dataset, opened(level=1.0))


def test_everybodys_loss_is_at_most_the_worst_case():
    request = asked()
    ages = AGES.copy()
    ages[:2] = 0, 100
    asking = request.query
    exposure = per_instance_losses(
        request.plan, asking.statistic, ages, relation=SUBSTITUTION, delta=1e-6
    )
    assert exposure.worst_case == request.effective_epsilon
    assert np.all(exposure.epsilon <= exposure.worst_case)
    assert np.all(exposure.epsilon > 0)
    # Who could only move half as far loses less; who stays where they are nothing.
    plan = request.plan
    step = 100 / N
    losses = plan.pairwise_epsilon([[0.0]], [[0.0], [step / 4], [step / 2]], delta=1e-6)
    assert losses[0] == 0 < losses[1] < losses[2] < plan.worst_case(delta=1e-6)
    assert plan.pairwise_epsilon([0.0], [[0.0], [step]]).tolist() == [0, math.inf]
    assert math.isinf(plan.worst_case())


@pytest.mark.parametrize("values", [[40.0], [40.0] * 30, [0.0] * 30, [100.0] * 30])
@pytest.mark.parametrize("kind", [StatisticKind.MEAN, StatisticKind.PROPORTION])
def test_one_person_and_equal_people_get_noise(values, kind):
    request = asked(kind, people=len(values), times=3, correction=Correction.ASYMPTOTIC)
    answer = request.plan.answer(request.value(table(values)), cost=request.cost)
    assert len(set(answer.values)) == 3
    assert all(map(math.isfinite, answer.values))
    # With fewer people an interval would hold much too rarely.
    assert ("standard error" in answer.derived) is (len(values) >= FEWEST_PEOPLE)
    assert answer.derived.get("standard error", 1) > 0


@pytest.mark.parametrize(
    "wrong",
    [
        {"rho": 0.0},
        {"rho": 101.0},
        {"rho": math.nan},
        {"delta": 0.0},
        {"delta": 1e-13},
        {"delta": 0.9},
        {"times": 0},
        {"times": 10**5},
        {"bound": Bound.ATTAINED},
        {"people": 10**8},
        {"query": query(StatisticKind.VARIANCE)},
        {"query": query(rows=2)},
        {"query": query(relation=ADD_REMOVE)},
    ],
)
def test_what_cannot_be_bootstrapped_is_refused(wrong):
    with pytest.raises(ParameterError):
        asked(**wrong) if "query" not in wrong else BootstrapRequest(rho=0.5, delta=1e-6, **wrong)


def test_noise_of_bootstraps_is_checked_at_the_level_of_all_of_them(monkeypatch):
    checked = []

    def noted(mechanism, value, *, sensitivity, cost):
        checked.append((mechanism.noise, sensitivity, float(cost.rho)))
        return value

    monkeypatch.setattr(bootstrap_plan.secure, "draw", noted)
    plan = asked(times=20).plan
    plan.answer(AGES, cost=None)
    ((noise, sensitivity, rho),) = checked
    step = 100 / N
    assert sensitivity.l2 == pytest.approx(math.sqrt(20) * step, rel=1e-6)
    assert sensitivity.coordinates == 20
    # One copy of one person in all bootstraps: exact zCDP of Gaussian noise.
    assert rho == pytest.approx(20 * step**2 / (2 * noise**2), rel=1e-6)
    assert rho * N**2 == pytest.approx(plan.rho, rel=1e-6)


def test_a_level_too_small_for_its_noise_is_refused_by_the_sampler():
    plan = asked(times=20).plan
    short = replace(plan, multiple=plan.multiple * 0.999)
    with pytest.raises(ClaimError):
        secure.draw(
            Gaussian(noise=short.noise),
            np.zeros(20),
            sensitivity=Sensitivity(
                coordinates=20,
                l1=20 * plan.sensitivity,
                l2=math.sqrt(20) * plan.sensitivity,
                largest=plan.sensitivity,
            ),
            cost=PrivacyCost(rho=computed(20 / (2 * plan.multiple**2))),
        )
