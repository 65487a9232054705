"""Releases from a secret sample: price, law, intervals, ledger, individual losses."""

import io
import math
from dataclasses import replace
from datetime import UTC, datetime

import numpy as np
import pandas as pd
import pytest

from dpcore import secure_samples
from dpcore.analyses import secure
from dpcore.analyses.base import Mode, Request
from dpcore.analyses.number import Query
from dpcore.analyses.subsampled import SubsampledRequest
from dpcore.data.columns import MissingPolicy
from dpcore.data.dataset import Dataset
from dpcore.errors import ParameterError
from dpcore.individual.per_instance_loss import per_instance_losses
from dpcore.ledger.ledger import Ledger
from dpcore.ledger.transaction import release
from dpcore.privacy.composition import compose
from dpcore.privacy.events import LaplaceEvent, event_from
from dpcore.privacy.subsampling_amplification import amplify, subsampled_delta
from dpcore.privacy_filter import PrivacyBudget
from dpcore.relations import NeighboringRelation, PrivacyUnit, TableSize
from dpcore.releases.record import Release
from dpcore.statistics.entries import Membership
from dpcore.statistics.kinds import StatisticKind
from tests.conftest import few
from tests.releases.questions import AGE as FILLED
from tests.terms import ADD_REMOVE, SUBSTITUTION

AGE = replace(FILLED, missing=MissingPolicy.DROP, replacement=None)
NOW = datetime(2026, 1, 2, tzinfo=UTC)
N = 400
AGES = np.random.default_rng(5).uniform(0, 100, N)
KINDS = (StatisticKind.MEAN, StatisticKind.SUM, StatisticKind.COUNT, StatisticKind.PROPORTION)


def query(kind=StatisticKind.MEAN, relation=ADD_REMOVE, *, people=N, column=None):
    fixed = relation is SUBSTITUTION
    column = column or (FILLED if fixed else AGE)
    counted = kind.of_members
    old = Membership(interval=replace(column.bounds, lower=50.0))
    return Query(
        kind=kind,
        column=column,
        relation=relation,
        unit=PrivacyUnit(),
        size=TableSize(people=people, public=fixed and column is FILLED),
        membership=old if counted else None,
    )


def asked(law="laplace", kind=StatisticKind.MEAN, relation=ADD_REMOVE, **changes):
    settings = {
        "query": query(kind, relation),
        "law": law,
        "epsilon": 0.5,
        "share": 0.1,
        "delta": 1e-6,
        "people": N if relation is SUBSTITUTION else None,
    }
    return SubsampledRequest(**settings | changes)


def table(values=AGES, column=AGE):
    return Dataset(name="t", frame=pd.DataFrame({"age": values}), columns=(column,))


def draws(request, dataset, times):
    value, cost = request.value(dataset), request.cost
    plan = request.plan
    return [plan.answer(value, cost=cost) for _ in range(times)]


def predictable(monkeypatch, seed):
    """Let samples and noise come from a seed: where they are not what is judged."""
    rng = np.random.default_rng(seed)

    def draw(mechanism, value, **_):
        return mechanism.simulate(value, rng=rng, size=value.shape)

    monkeypatch.setattr(secure, "draw", draw)
    monkeypatch.setattr(secure_samples.os, "urandom", rng.bytes)


@pytest.mark.parametrize("relation", [ADD_REMOVE, SUBSTITUTION])
@pytest.mark.parametrize("law", ["laplace", "gaussian"])
@pytest.mark.parametrize("kind", KINDS)
def test_price_is_what_was_asked_for(kind, law, relation):
    request = asked(law, kind, relation)
    assert request.cost.epsilon == pytest.approx(0.5)
    assert float(request.cost.delta) == (1e-6 if law == "gaussian" else 0)
    assert request.effective_epsilon == pytest.approx(0.5, rel=1e-9)
    event = request.plan.event
    scheme = "fixed-size" if relation is SUBSTITUTION else "subsampled"
    assert event.kind == f"{scheme}-{law}"
    assert event.rate == 0.1
    # The level on the sample, amplified, is what is paid.
    base = request.plan.base
    if law == "laplace":
        assert float(amplify(base.effective_epsilon, 0.1)) == pytest.approx(0.5)
        assert event.rho < 0.5**2 / 2
    else:
        delta = float(subsampled_delta("gaussian", event.ratio, 0.1, 0.5))
        assert delta == pytest.approx(1e-6, rel=1e-6)
    assert request.refusal(Mode.RELEASE) is None
    # Sampling saves nothing: the same price buys less noise on the whole table.
    whole = Request(query=request.query, mechanism_key=law, epsilon=0.5, delta=1e-6)
    assert request.plan.noise > whole.mechanism.noise


@pytest.mark.slow
@pytest.mark.parametrize(
    ("kind", "relation"),
    few(
        2,
        (StatisticKind.SUM, ADD_REMOVE),
        (StatisticKind.MEAN, SUBSTITUTION),
        (StatisticKind.MEAN, ADD_REMOVE),
        (StatisticKind.COUNT, SUBSTITUTION),
        (StatisticKind.PROPORTION, SUBSTITUTION),
    ),
)
def test_answer_is_right_on_average_and_its_interval_holds(kind, relation, monkeypatch):
    request = asked("laplace", kind, relation, epsilon=5.0, share=0.5)
    column = request.query.column
    dataset = table(column=column)
    truth = float(request.query.statistic.value(request.query.values(dataset))[0])
    plan, entries = request.plan, request.value(dataset)
    values = plan.scale * np.array([plan.drawn(entries)[0] for _ in range(400)])
    error = values.std() / math.sqrt(len(values))
    assert abs(values.mean() - truth) < 5 * error + 0.01 * abs(truth)
    predictable(monkeypatch, 8)
    answers = draws(request, dataset, 10)
    label = answers[0].labels[0]
    ends = [answer.intervals.noise[label] for answer in answers]
    held = np.mean([low <= truth <= high for low, high in ends])
    assert held >= 0.6
    # Not by being useless: an interval is at most a few spreads wide.
    assert np.mean([high - low for low, high in ends]) < 12 * values.std()
    wider = [answer.intervals.total[label] for answer in answers]
    assert all(b[1] - b[0] >= a[1] - a[0] for a, b in zip(ends, wider, strict=True))


def test_release_from_a_csv_lands_in_the_ledger_and_composes():
    text = "age\n" + "\n".join(f"{age:.3f}" for age in AGES)
    dataset = Dataset(name="t", frame=pd.read_csv(io.StringIO(text)), columns=(AGE,))
    ledger = Ledger.in_memory()
    budget = PrivacyBudget.of(epsilon=2.0, delta=1e-5)
    ledger.open_account("table", budget, NeighboringRelation.ADD_REMOVE)
    kept = []
    for request in (asked("laplace"), asked("gaussian", StatisticKind.SUM)):
        for _ in range(2):  # the second time it is the same answer, for free
            done = release(
                request,
                request.value(dataset),
                ledger=ledger,
                fingerprint="table",
                mode=Mode.RELEASE,
                now=NOW,
            )
        kept.append(done)
        assert Release.from_json(done.to_json()) == done
        assert done.request == request.parameters()
        assert "sample" in done.mechanism_label
    account = ledger.account("table")
    assert float(account.spent.epsilon) == pytest.approx(1.0)
    assert float(account.spent.delta) == pytest.approx(1e-6)
    events = [event_from(done.event) for done in kept]
    assert events == [asked().plan.event, asked("gaussian", StatisticKind.SUM).plan.event]
    total = compose([*events, LaplaceEvent.from_ratio(0.5)], delta=3e-6)
    assert 0.5 < total.pld <= total.basic <= 1.5 + 1e-6
    again = release(
        replace(asked(), draw=2),
        asked().value(dataset),
        ledger=ledger,
        fingerprint="table",
        mode=Mode.RELEASE,
        now=NOW,
    )
    assert again.to_json() != kept[0].to_json()
    assert again.id != kept[0].id


@pytest.mark.parametrize("law", ["laplace", "gaussian"])
@pytest.mark.parametrize(
    ("kind", "relation"),
    [
        (StatisticKind.SUM, ADD_REMOVE),
        (StatisticKind.MEAN, SUBSTITUTION),
        (StatisticKind.MEAN, ADD_REMOVE),
    ],
)
def test_nobody_loses_more_than_the_guarantee(law, kind, relation):
    request = asked(law, kind, relation)
    values = request.query.values(table(column=request.query.column))
    exposure = per_instance_losses(
        request.plan, request.query.statistic, values, relation=relation, delta=request.used_delta
    )
    assert exposure.maximum <= exposure.worst_case * (1 + 1e-9)
    if kind is StatisticKind.SUM:
        # A person's own noise-to-shift ratio, amplified: nobody else matters.
        person = int(np.argmax(exposure.epsilon))
        own = AGES[person] / request.plan.base.mechanism.noise
        if law == "laplace":
            expected = float(amplify(own, 0.1))
            assert exposure.epsilon[person] == pytest.approx(expected, rel=1e-9)
        assert np.ptp(exposure.epsilon) > 0.1
    if kind is StatisticKind.MEAN and relation is ADD_REMOVE:
        assert np.allclose(exposure.epsilon, request.effective_epsilon)


def test_dropped_values_keep_their_rows():
    holes = AGES.copy()
    holes[::3] = np.nan
    request = asked(query=query(relation=SUBSTITUTION, people=200, column=AGE), people=N)
    assert request.rate == 0.1
    assert request.plan.base.query.size == TableSize(people=20, public=False)
    entries = request.value(table(holes))
    assert entries.people == N
    assert len(entries.values) == len(entries.rows) == np.isfinite(holes).sum()
    assert np.isfinite(request.plan.drawn(entries)).all()


def test_sample_may_hold_nobody():
    request = asked(query=query(people=1), share=1.0, epsilon=1.0)
    few = asked(query=query(people=10), share=0.1, epsilon=50.0)
    for one in (request, few):
        entries = one.value(table(AGES[:1]))
        for _ in range(20):
            assert np.isfinite(one.plan.drawn(entries)).all()


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"share": 0.0}, "share"),
        ({"share": 1.5}, "share"),
        ({"share": math.nan}, "share"),
        ({"share": 0.002}, "would be empty"),
        ({"epsilon": 0.0}, "epsilon"),
        ({"epsilon": math.inf}, "epsilon"),
        ({"law": "bit"}, "noise"),
        ({"law": "gaussian", "delta": 0.0}, "delta"),
        ({"law": "gaussian", "delta": 0.2}, "delta"),
        ({"people": N}, "public"),
        ({"query": query(StatisticKind.VARIANCE)}, "sample answers"),
        ({"query": replace(query(), unit=PrivacyUnit(rows=2))}, "one row"),
    ],
)
def test_senseless_questions_are_refused(changes, message):
    with pytest.raises(ParameterError, match=message):
        asked(**changes)


def test_table_that_contradicts_its_public_size_is_refused():
    request = asked(relation=SUBSTITUTION)
    with pytest.raises(ParameterError, match="public number"):
        request.value(table(AGES[:5], FILLED))
