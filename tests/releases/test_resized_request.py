"""Resampled means as requests: refused as published, released and charged repaired."""

from __future__ import annotations

import itertools
import math
from dataclasses import replace
from datetime import UTC, datetime
from decimal import Decimal

import numpy as np
import pytest

from dpcore import secure_samples
from dpcore.analyses import resized as resized_plan
from dpcore.analyses.base import Mode
from dpcore.analyses.number import Query
from dpcore.analyses.resized import Form, RepairedPlan, ResizedRequest
from dpcore.data.dataset import Dataset
from dpcore.data.dialects import Dialect
from dpcore.data.readers.csv_reader import read_csv
from dpcore.errors import ClaimError, ParameterError
from dpcore.individual.per_instance_loss import per_instance_losses
from dpcore.ledger.ledger import Ledger
from dpcore.ledger.transaction import release
from dpcore.mechanisms.resized_repair import NoisyResample
from dpcore.privacy.composition import compose
from dpcore.privacy.events import event_from
from dpcore.privacy_filter import PrivacyBudget
from dpcore.relations import NeighboringRelation
from dpcore.releases.record import Release
from dpcore.secure_samples import secure_counts
from dpcore.statistics.entries import Membership
from dpcore.statistics.kinds import StatisticKind
from tests.releases.questions import terms
from tests.statistics.columns import number, yes_no
from tests.terms import SUBSTITUTION

NOON = datetime(2026, 1, 2, 12, tzinfo=UTC)
AGE = number("age", unit="years")
SMOKER = yes_no()


def mean(people=100, **changes):
    known = terms(people, **changes)
    return Query(kind=StatisticKind.MEAN, column=AGE, **known)


def share(people=100, **changes):
    condition = Membership(label="yes")
    return Query(
        kind=StatisticKind.PROPORTION,
        column=SMOKER,
        membership=condition,
        **terms(people, **changes),
    )


def request(query=None, **changes):
    return ResizedRequest(**{"query": query or mean(), "draws": 10} | changes)


def account(ledger, *, epsilon=2.0, delta=0.0, rows=1):
    budget = PrivacyBudget.of(epsilon=epsilon, delta=delta)
    ledger.open_account("table", budget, SUBSTITUTION, rows)
    return ledger


def carry_out(ledger, asked, value, *, mode=Mode.RELEASE):
    return release(asked, value, ledger=ledger, fingerprint="table", mode=mode, now=NOON)


def table(text):
    columns = (AGE, SMOKER)
    frame = read_csv(text.encode(), Dialect())
    return Dataset(name="people", frame=frame, columns=columns)


PEOPLE = table(
    "age,smoker\n" + "".join(f"{i % 90},{'yes' if i < 30 else 'no'}\n" for i in range(100))
)


@pytest.mark.parametrize("query", [mean(), share()])
def test_repaired_release_of_a_file_is_charged_what_was_asked(query):
    ledger = account(Ledger.in_memory())
    asked = request(query, epsilon=0.5)
    done = carry_out(ledger, asked, asked.value(PEOPLE))
    assert done.cost.epsilon == Decimal("0.5")
    assert done.cost.delta == 0
    assert done.event["kind"] == "pure"
    assert done.event["parameter"] == 0.5
    assert done.noise == asked.plan.noise > 0
    assert ledger.account("table").spent.epsilon == Decimal("0.5")
    assert Release.from_json(done.to_json()) == done
    # The same question again: the same answer, for free.
    assert carry_out(ledger, asked, asked.value(PEOPLE)) == done
    another = carry_out(ledger, replace(asked, draw=2), asked.value(PEOPLE))
    assert another.values != done.values
    assert ledger.account("table").spent.epsilon == 1
    events = [event_from(each.event) for each in (done, another)]
    assert compose(events, delta=0.0).basic == pytest.approx(1.0)


def test_published_form_is_refused_in_release_mode():
    ledger = account(Ledger.in_memory(), delta=0.5)
    asked = request(form=Form.PUBLISHED)
    assert asked.cost.epsilon == 0
    tau = 1 - 0.99**10
    assert float(asked.cost.delta) == pytest.approx(tau)
    assert float(asked.cost.delta) >= tau
    assert asked.cost.rho == math.inf
    with pytest.raises(ClaimError, match="no finite ε"):
        carry_out(ledger, asked, asked.value(PEOPLE))
    assert ledger.account("table").spent.delta == 0
    shown = carry_out(ledger, asked, asked.value(PEOPLE), mode=Mode.CLASSROOM)
    assert shown.event == asked.plan.event.to_dict()
    assert shown.noise == 0
    assert ledger.account("table").spent.delta == asked.cost.delta


@pytest.mark.slow
def test_answers_have_the_mean_and_the_variance_of_resample_and_noise(monkeypatch):
    # Intervals take longer than the draw, and have a test of their own.
    monkeypatch.setattr(RepairedPlan, "_intervals", lambda *_: None)
    rows = np.r_[np.zeros(70), np.full(30, 100.0)]
    plan = request(epsilon=5.0).plan
    cost = request(epsilon=5.0).cost
    runs, noise = 600, 2 * plan.noise**2
    draws = np.array([plan.answer(rows, cost=cost).values[0] for _ in range(runs)])
    # Seven standard errors, by the exact moments: the ten rows have 12.684 as the
    # fourth moment of their sum, in hundreds; Laplace noise has 6 squared variances.
    expected = 2100.0 / 10 + noise
    fourth = 126_840.0 + 6 * 210.0 * noise + 6 * noise**2
    assert draws.mean() == pytest.approx(30.0, abs=7 * math.sqrt(expected / runs))
    error = math.sqrt((fourth - expected**2) / runs)
    assert draws.var() == pytest.approx(expected, abs=7 * error)


def test_intervals_cover_the_mean_of_the_table(monkeypatch):
    # From a seed: that draws have the law is held above, and not judged here.
    rng = np.random.default_rng(5)

    def draw(mechanism, value, **_):
        return mechanism.simulate(value, rng=rng, size=value.shape)

    monkeypatch.setattr(resized_plan.secure, "draw", draw)
    monkeypatch.setattr(secure_samples.os, "urandom", rng.bytes)
    rows = np.r_[np.zeros(70), np.full(30, 100.0)]
    asked = request(epsilon=2.0)
    plan, cost = asked.plan, asked.cost
    covered, wider = 0, 0.0
    for _ in range(50):
        answer = plan.answer(rows, cost=cost)
        low, high = answer.intervals.noise["mean"]
        low_all, high_all = answer.intervals.total["mean"]
        covered += low <= 30.0 <= high
        wider += (high_all - low_all) - (high - low)
    assert covered >= 0.95 * 50 - 5 * math.sqrt(50 * 0.05)
    assert wider > 0


def test_resampled_rows_are_those_of_the_secure_source(monkeypatch):
    asked = []

    def noted(people, draws):
        asked.append((people, draws))
        return secure_counts(people, draws)

    monkeypatch.setattr(resized_plan, "secure_counts", noted)
    request().plan.answer(np.full(100, 7.0), cost=request().cost)
    assert asked == [(100, 10)]


def test_table_that_does_not_fit_is_refused():
    with pytest.raises(ParameterError, match="number of rows"):
        request(mean(99)).value(PEOPLE)
    text = Dataset(
        name="odd", frame=read_csv(b"age,smoker\nold,no\n3,no\n", Dialect()), columns=(AGE, SMOKER)
    )
    found = ResizedRequest(query=mean(2), draws=2).value(text)
    assert found.tolist() == [AGE.replacement, AGE.bounds.clip(3.0)]


@pytest.mark.parametrize("form", list(Form))
@pytest.mark.parametrize("query", [mean(), share()])
def test_everybody_loses_at_most_what_is_guaranteed(form, query):
    asked = request(query, form=form)
    values = asked.value(PEOPLE)
    exposure = per_instance_losses(
        asked.plan, query.statistic, values, relation=SUBSTITUTION, delta=0.0
    )
    assert (exposure.epsilon > 0).all()
    assert exposure.maximum <= exposure.worst_case
    if form is Form.REPAIRED:
        assert exposure.worst_case <= 0.5
        assert exposure.mean < 0.5
    else:
        assert exposure.worst_case == math.inf
        assert math.isfinite(exposure.maximum) is asked.shares


def test_losses_of_shares_as_published_are_those_of_the_pair():
    asked = request(share(), form=Form.PUBLISHED)
    first = np.array([[0.3], [0.3], [0.0], [0.3]])
    second = np.array([[0.31], [0.29], [0.01], [0.3]])
    found = asked.plan.pairwise_epsilon(first, second, delta=1e-3)
    pairs = [asked.bootstrap.pair(k).epsilon(1e-3) for k in (30, 29, 0)]
    assert found.tolist() == [*pairs, 0.0]
    tau = asked.bootstrap.delta()
    assert asked.plan.worst_case(delta=tau) == 0
    assert asked.plan.worst_case(delta=tau * 0.99) == math.inf


def test_units_of_several_rows_are_refused_since_their_number_is_private():
    with pytest.raises(ParameterError, match="one row for each person"):
        request(share(rows=3))


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"draws": 1}, "more than one row"),
        ({"draws": 0}, "more than one row"),
        ({"draws": 10**10}, "draws"),
        ({"epsilon": 0.0}, "epsilon"),
        ({"epsilon": math.inf}, "epsilon"),
        ({"delta": 1.0}, "δ"),
        ({"delta": 0.01}, "one in 100 people"),
    ],
)
def test_numbers_outside_their_domain_are_refused(changes, message):
    with pytest.raises(ParameterError, match=message):
        request(**changes)


def test_means_of_several_rows_a_unit_do_not_tell_what_changed():
    one_row = request(mean(4), draws=4, epsilon=1.0).plan
    resample = NoisyResample.calibrate(people=4, draws=4, epsilon=1.0, delta=one_row.delta, rows=2)
    two = replace(one_row, resample=resample)
    rows, other = np.array([0.0, 100.0, 50.0, 50.0]), np.array([50.0, 52.0, 50.0, 50.0])
    means = [
        np.array([sum(drawn) / 4 for drawn in itertools.product(table, repeat=4)])
        for table in (rows, other)
    ]
    at = np.unique(np.concatenate([*means, [-1e4, 1e4]]))[:, np.newaxis]
    one, two_ = (np.log(np.exp(-np.abs(at - law) / two.noise).mean(axis=1)) for law in means)
    exact = float(np.abs(one - two_).max())
    assert exact > 0.2
    found = two.pairwise_epsilon([rows.mean()], [other.mean()])
    assert found == two.worst_case() >= exact
    # Also where the means are equal, and the rows are not.
    assert two.pairwise_epsilon([50.0], [50.0]) == two.worst_case()
    published = request(mean(4), draws=3, form=Form.PUBLISHED).plan
    bootstrap = replace(published.bootstrap, rows=2)
    published = replace(published, bootstrap=bootstrap)
    assert published.pairwise_epsilon([50.0], [50.0]) == math.inf


def test_private_number_of_people_and_other_questions_are_refused():
    private = mean(relation=NeighboringRelation.ADD_REMOVE)
    with pytest.raises(ParameterError, match="public number of people"):
        request(private)
    median = Query(kind=StatisticKind.MEDIAN, column=AGE, **terms(100))
    with pytest.raises(ParameterError, match="mean of a number"):
        request(median)


def test_below_its_own_delta_a_repaired_resample_promises_only_what_it_gives():
    plan = request(share(), delta=1e-3, epsilon=0.5).plan
    assert plan.worst_case(delta=1e-3) == pytest.approx(0.5)
    pure = float(plan.resample.epsilon())
    assert pure > 0.5
    assert plan.worst_case(delta=0.0) == pytest.approx(pure)
    levels = [plan.worst_case(delta=d) for d in (0.0, 1e-9, 1e-5, 9.99e-4)]
    assert levels == sorted(levels, reverse=True)
    assert min(levels) > 0.5
    # It is what enumeration of all resamples of this share gives.
    for delta, level in zip((1e-5, 9.99e-4), levels[2:], strict=True):
        assert plan.resample.delta(level) <= delta * (1 + 1e-9)
