"""Requests for models: prices, refusals, secure draws, what the record says."""

import json
import math
from dataclasses import replace
from datetime import UTC, datetime
from decimal import Decimal

import numpy as np
import pytest

from dpcore.analyses import model as model_plan
from dpcore.analyses import secure
from dpcore.analyses.base import Mode
from dpcore.analyses.identity import canonical
from dpcore.analyses.model import MODEL_MECHANISMS, offered_for
from dpcore.errors import ClaimError, DataError, ParameterError
from dpcore.individual.model_losses import model_losses
from dpcore.ledger.ledger import Ledger
from dpcore.ledger.transaction import release
from dpcore.models import guarantees
from dpcore.models.diagnostics import diagnose
from dpcore.models.loss_functions import ModelKind
from dpcore.models.penalty import Penalty
from dpcore.models.ridge import fit_ridge
from dpcore.privacy.composition import compose
from dpcore.privacy.events import event_from
from dpcore.privacy_filter import PrivacyBudget
from dpcore.relations import PrivacyUnit
from dpcore.releases.record import Release
from tests.releases.models import question, request, table, without_anybody
from tests.terms import ADD_REMOVE

PAIRS = [(key, model) for model in ModelKind for key in offered_for(model)]
HOLDING = [(k, m) for k, m in PAIRS if m in MODEL_MECHANISMS[k].guaranteed]
NOW = datetime(2026, 1, 1, tzinfo=UTC)


def ledger_for(asked, epsilon=3.0):
    ledger = Ledger.in_memory()
    budget = PrivacyBudget.of(epsilon=epsilon, delta=1e-3)
    ledger.open_account("table", budget, asked.relation, asked.unit.rows)
    return ledger


@pytest.mark.parametrize(("key", "model"), PAIRS)
def test_only_what_guarantees_something_can_be_released(key, model):
    asked = request(key, model)
    holds = (key, model) in HOLDING
    for mode in Mode:
        assert (asked.refusal(mode) is None) is holds
    assert math.isfinite(asked.guarantee) is holds
    assert asked.cost.epsilon.is_finite() is holds
    if holds:
        assert asked.cost.epsilon == Decimal("1.0")
        assert asked.cost.delta == Decimal("1e-6")
        return
    assert asked.refusal(Mode.RELEASE).endswith(".")
    with pytest.raises(ClaimError, match="guarantees nothing"):
        release(
            asked, None, ledger=ledger_for(asked), fingerprint="table", mode=Mode.RELEASE, now=NOW
        )


@pytest.mark.parametrize(("key", "model"), HOLDING)
def test_release_spends_its_price_once_and_can_be_read_back(key, model):
    asked = request(key, model)
    ledger, dataset = ledger_for(asked), table()
    named = {"ledger": ledger, "fingerprint": "table", "now": NOW}
    value = asked.value(dataset)
    first = release(asked, value, mode=Mode.RELEASE, **named)
    again = release(asked, value, mode=Mode.RELEASE, **named)
    assert first == again
    assert ledger.account("table").spent.epsilon == asked.cost.epsilon
    assert Release.from_json(first.to_json()) == first
    assert json.loads(canonical(first.request))["kind"] == "model"
    other = release(replace(asked, draw=2), value, mode=Mode.RELEASE, **named)
    assert other.values != first.values
    names = ("constant", "a", "b")
    assert all(f"{name}, in units" in first.derived for name in names)
    event = event_from(first.event)
    assert compose([event], delta=1e-6).basic <= 1.0 + 1e-6


@pytest.mark.parametrize(("key", "model"), HOLDING)
def test_secure_draws_have_the_law_that_is_simulated(key, model, monkeypatch):
    """With the same normal numbers both give the same release, but for the grid."""
    asked, fit = request(key, model), question(model).fit(table())
    numbers = np.random.default_rng(5)

    def draw(mechanism, value, **_):
        return value + mechanism.noise * numbers.standard_normal(value.shape)

    monkeypatch.setattr(secure, "draw", draw)
    drawn = np.array(asked.plan.answer(fit, cost=asked.cost).values)[-3:]
    simulated = asked.law.simulations(fit, rng=np.random.default_rng(5))[0]
    np.testing.assert_allclose(drawn, simulated, rtol=1e-4, atol=1e-5)


@pytest.mark.slow
@pytest.mark.parametrize(("key", "model"), HOLDING)
def test_intervals_hold_the_fit_of_the_table(key, model, monkeypatch):
    asked, fit = request(key, model), question(model).fit(table())
    numbers = np.random.default_rng(11)

    def draw(mechanism, value, **_):
        return value + mechanism.noise * numbers.standard_normal(value.shape)

    monkeypatch.setattr(secure, "draw", draw)
    theta, missed = fit.theta, 0
    plan, cost = asked.plan, asked.cost
    draws = 20 if key == "adaptive" else 200
    for _ in range(draws):
        answer = plan.answer(fit, cost=cost)
        if key == "adaptive":
            strength = answer.derived["chosen penalty"]
            theta = question(penalty=Penalty(strength=strength)).fit(table()).theta
        around = answer.intervals.noise
        ends = np.array([around[name] for name in asked.question.labels])
        missed += bool(np.any((theta < ends[:, 0]) | (theta > ends[:, 1])))
    # One in 20 at most on average; the seed is fixed.
    assert missed <= draws // 8
    if key.startswith("output"):
        assert missed > 0


def test_a_precision_of_ones_own_costs_what_it_gives():
    usual = request().law.gamma
    assert request(gamma=usual).guarantee == pytest.approx(1.0, rel=1e-9)
    assert request(gamma=4 * usual).cost.epsilon > Decimal("1.5")
    sampled = request("posterior")
    same = request("posterior", gamma=sampled.law.gamma)
    assert same.guarantee == pytest.approx(1.0, rel=1e-6)
    logistic = request("objective", ModelKind.LOGISTIC)
    gamma = logistic.law.sigma**-2
    more = request("objective", ModelKind.LOGISTIC, gamma=2 * gamma)
    assert math.isinf(more.guarantee)
    assert "with the noise of the theorem" in more.refusal(Mode.RELEASE)


def test_unpenalized_intercept_has_no_guarantee_to_calibrate_to():
    asked = question(penalty=Penalty(strength=20.0, spares_first=True))
    with pytest.raises(ParameterError, match="every coefficient needs a public penalty"):
        request(asked=asked)
    assert math.isinf(request(asked=asked, gamma=1.0).guarantee)


def test_nonsense_is_refused():
    with pytest.raises(ParameterError, match="must be one of"):
        request("posterior", ModelKind.LOGISTIC, gamma=1.0)
    with pytest.raises(ParameterError, match="must be one of"):
        request("laplace", gamma=None)
    for wrong in ({"epsilon": 0.0}, {"delta": 0.0}, {"delta": 0.5}, {"epsilon": math.inf}):
        with pytest.raises(ParameterError, match="epsilon must be in"):
            request(**wrong)
    for gamma in (0.0, -1.0, math.nan, math.inf):
        with pytest.raises(ParameterError, match="precision gamma"):
            request(gamma=gamma)
    with pytest.raises(ParameterError, match="sampled"):
        request(samples=2)
    with pytest.raises(ParameterError, match="sampled"):
        request("posterior", samples=0)
    with pytest.raises(ParameterError, match="public matrix"):
        request(matrix=((1.0,),))
    with pytest.raises(ParameterError, match="positive definite"):
        request("output-public", matrix=((1.0, 2.0), (2.0, 1.0)))


RELEASED = [
    (key, model) for key, entry in MODEL_MECHANISMS.items() for model in sorted(entry.guaranteed)
]


@pytest.mark.parametrize(("key", "model"), RELEASED)
def test_a_release_of_nobody_answers(key, model):
    asked, empty = without_anybody(model)
    released = request(key, model, asked=asked)
    answer = released.plan.answer(released.value(empty), cost=released.cost)
    assert np.isfinite(answer.values).all()
    with pytest.raises(DataError, match="nobody"):
        model_losses(released, released.value(empty), relation=ADD_REMOVE)


def test_a_search_that_stops_short_of_the_minimum_still_answers(monkeypatch):
    monkeypatch.setattr("dpcore.models.glm._STEPS", 1)
    asked = request("objective", ModelKind.LOGISTIC)
    fit = asked.value(table())
    assert not fit.found
    assert not diagnose(fit).found
    assert np.isfinite(asked.plan.answer(fit, cost=asked.cost).values).all()


def test_extreme_numbers_are_refused():
    for number in (1e-310, 1e-320, 1e13):
        with pytest.raises(ParameterError, match="between 10⁻¹² and 10¹²"):
            request("output-public", matrix=tuple(map(tuple, np.eye(3) * number)))
    many = question(ModelKind.LOGISTIC, unit=PrivacyUnit(rows=100))
    with pytest.raises(ParameterError, match="delta is too small"):
        request("objective", ModelKind.LOGISTIC, asked=many, epsilon=900.0)
    for strength in (1e-30, 1e-300):
        faint = question(penalty=Penalty(strength=strength))
        with pytest.raises(ParameterError, match="raise the penalty"):
            request(asked=faint)
    with pytest.raises(ParameterError, match="beyond the reach"):
        guarantees.gaussian_gamma(1e-120, epsilon=1.0, delta=1e-6)


@pytest.mark.parametrize("key", ["output", "output-public"])
@pytest.mark.parametrize("intercept", [True, False])
def test_intervals_in_units_hold_the_fit_as_often_as_they_say(key, intercept):
    design = replace(question().design, intercept=intercept)
    matrix = np.diag([2.0, 5.0, 0.5][: 2 + intercept])
    asked = request(
        key,
        asked=question(design=design),
        matrix=tuple(map(tuple, matrix)) if key == "output-public" else None,
    )
    fit = asked.value(table())
    rng = np.random.default_rng(0)
    truth = design.in_units(fit.theta)
    drawn = asked.law.simulations(fit, rng=rng, draws=4000)
    units = [design.in_units(theta) for theta in drawn]
    constants = np.array([one.constant for one in units]) - truth.constant
    slopes = np.array([one.slopes for one in units]) - truth.slopes
    off = np.abs(np.column_stack([constants, slopes]))
    held = (off <= asked.plan.unit_half_widths).all(axis=1).mean()
    assert 0.94 < held < 0.995
    assert request("posterior").plan.unit_half_widths is None


@pytest.mark.parametrize("model", [ModelKind.LINEAR, ModelKind.HUBER])
def test_no_fit_is_longer_than_what_noise_is_compared_with(model):
    x = np.ones(40)
    frame = table(40).frame.assign(y=x, member="yes", a=x, b=x)
    asked = question(model, most_people=40, penalty=Penalty(strength=10.0))
    fit = asked.fit(replace(table(40), frame=frame))
    reach = guarantees.longest_fit(asked)
    assert np.linalg.norm(fit.theta) <= reach
    assert request(asked=asked, model=model, epsilon=1e-4).plan.mostly_noise
    assert not request(asked=asked, model=model, epsilon=90.0).plan.mostly_noise
    assert guarantees.longest_fit(question(penalty=Penalty(strength=0.0))) == math.inf


@pytest.mark.parametrize("key", ["posterior", "adaptive"])
def test_grid_of_a_release_does_not_tell_how_many_people_there_are(monkeypatch, key):
    # The step follows the public maximum: tables of 40 and of 160 round alike.
    steps = []

    def noted(numbers, spread):
        steps.append(spread)
        return numbers

    monkeypatch.setattr(model_plan, "gridded", noted)
    # What is released first, and shapes the step as well, is the same of all tables.
    monkeypatch.setattr(secure, "draw", lambda _, value, **__: np.ones_like(value))
    asked = request(key)
    rng = np.random.default_rng(6)
    for people in (40, 160, 200):
        x = rng.standard_normal((people, 3))
        x /= np.linalg.norm(x, axis=1, keepdims=True)
        fit = fit_ridge(x, x[:, 0] / 2, penalty=asked.question.penalty)
        asked.plan.answer(fit, cost=asked.cost)
    assert len(set(steps)) == 1
    # Below the least deviation of any table of at most 200 people.
    if key == "posterior":
        assert steps[0] <= asked.law.noise / math.sqrt(20 + 200)
