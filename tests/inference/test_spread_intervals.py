"""Intervals of a mean with a released standard deviation, also under a stated model."""

from dataclasses import replace

import numpy as np
import pytest
from scipy import stats

from dpcore.analyses.number import Query
from dpcore.data.bounds import Interval
from dpcore.inference import parametric_bootstrap
from dpcore.inference.parametric_bootstrap import bootstrap_interval
from dpcore.inference.spread_intervals import SpreadEstimate, spread_intervals
from dpcore.inference.stated_models import StatedModel, has_negative_values, model_interval
from dpcore.mechanisms.gaussian import Gaussian
from dpcore.mechanisms.laplace import Laplace
from dpcore.statistics.kinds import StatisticKind
from tests.conftest import everything, few
from tests.releases.questions import AGE, asked, terms
from tests.terms import ADD_REMOVE

PEOPLE = 944
AGES = Interval(lower=0.0, upper=100.0)
RELEASES = 400 if everything() else 100
POPULATIONS = {
    "ages": stats.norm(38, 18),
    "few are far": stats.lognorm(s=0.8, scale=12),
    "two ages": stats.bernoulli(0.05, loc=0),
}
QUERY = Query(kind=StatisticKind.MEAN_AND_SPREAD, column=AGE, **terms(PEOPLE))
MODELS = {
    StatedModel.NORMAL: stats.norm(80, 30),
    StatedModel.LOG_NORMAL: stats.lognorm(s=0.8, scale=30),
    StatedModel.EXPONENTIAL: stats.expon(scale=40),
}


def request(key, epsilon=0.5):
    return asked(QUERY, key, epsilon=epsilon, delta=1e-6 if key == "gaussian" else 0.0)


def draws(law, plan, rng, releases):
    """Tables of a population, and what is released of each."""
    for _ in range(releases):
        values = law.rvs(PEOPLE, random_state=rng) * (100 if law.support()[1] == 1 else 1)
        clamped = np.clip(values, 0, 100)
        value = plan.statistic.value(clamped)
        yield (
            clamped,
            plan.statistic.described(plan.mechanism.simulate(value, rng=rng, size=value.shape)),
        )


def missed_too_often(missed, releases):
    return stats.binomtest(missed, releases, 0.05, alternative="greater").pvalue < 1e-3


def coverage(law, key, releases):
    plan, rng = request(key).plan, np.random.default_rng(5)
    scale = 100 if law.support()[1] == 1 else 1
    large = np.clip(scale * law.rvs(1_000_000, random_state=rng), 0, 100)
    missed = np.zeros(2, dtype=int)
    for table, released in draws(law, plan, rng, releases):
        around = plan.around(released)
        for place, (ends, of) in enumerate(((around.noise, table), (around.total, large))):
            truth = np.array([of.mean(), of.std()])
            missed[place] += not np.all((ends[:, 0] <= truth) & (truth <= ends[:, 1]))
    return missed


@pytest.mark.slow
@pytest.mark.parametrize("key", ["laplace", "gaussian"])
@pytest.mark.parametrize("name", POPULATIONS)
def test_both_intervals_hold_together_as_often_as_stated(name, key):
    for missed in coverage(POPULATIONS[name], key, RELEASES):
        assert not missed_too_often(int(missed), RELEASES)


def test_the_mean_has_the_noise_and_the_cost_that_it_has_alone():
    for relation in terms(PEOPLE)["relation"], ADD_REMOVE:
        known = terms(PEOPLE, relation=relation)
        both = asked(replace(QUERY, **known), "laplace")
        mean = asked(Query(kind=StatisticKind.MEAN, column=AGE, **known), "laplace")
        assert both.plan.noise == pytest.approx(mean.plan.noise, rel=1e-12)
        assert both.cost == mean.cost


@pytest.mark.parametrize("mechanism", [Laplace(noise=0.002), Gaussian(noise=0.002)])
def test_limits_of_the_variance_solve_the_score_test(mechanism):
    found = SpreadEstimate(mechanism=mechanism, mean=-0.1, sd=0.2, people=500)
    places = np.linspace(-0.3, 0.1, 5)
    ends = found.variances(places, 0.01, sampled=True)
    off = found.noise_about(places, 0.005)
    sd = np.sqrt(ends * (np.square(0.5 + np.abs(places))[:, np.newaxis] - ends) / 500)
    expected = off[:, np.newaxis] + stats.norm.isf(0.0025) * sd
    actual = np.abs(found.about(places)[:, np.newaxis] - ends)
    inside = (ends > 0) & (ends < 0.25 - np.square(places)[:, np.newaxis])
    np.testing.assert_allclose(actual[inside], expected[inside], rtol=1e-9)
    exact = mechanism.simulate(np.zeros(2), rng=np.random.default_rng(1), size=(200_000, 2))
    beyond = np.abs(exact @ [[-2 * places[0]], [1.0]]) > off[0]
    assert beyond.mean() == pytest.approx(0.005, abs=0.0008)


def test_without_noise_and_with_many_people_the_interval_is_the_usual_one():
    found = SpreadEstimate(mechanism=Laplace(noise=1e-9), mean=0.1, sd=0.2, people=10**7)
    around = spread_intervals(found)
    half = stats.norm.isf(0.0225) * 0.2 / np.sqrt(1e7)
    np.testing.assert_allclose(around.total[0], [0.1 - half, 0.1 + half], atol=0.01 * half)
    np.testing.assert_allclose(around.noise[1], 0.2, atol=1e-6)


@pytest.mark.parametrize("model", few(1, *StatedModel))
def test_clamped_moments_are_those_of_the_distribution(model):
    law = MODELS[model]
    values = np.clip(model.values(np.array(law.mean()), np.array(law.std())), 0, 100)
    scores = np.linspace(-6, 6, 241)
    weights = stats.norm.pdf(scores) / stats.norm.pdf(scores).sum()
    for power in (1, 2, 4):
        exact = law.expect(lambda x, p=power: np.clip(x, 0, 100) ** p)
        assert values**power @ weights == pytest.approx(exact, rel=5e-4)


def model_missed(model, key, releases, seed=2):
    plan, rng, law = request(key).plan, np.random.default_rng(seed), MODELS[model]
    missed = plain = 0
    for _, released in draws(law, plan, rng, releases):
        found = model_interval(plan.estimate(released), AGES, model)
        missed += found is None or not found.lower <= law.mean() <= found.upper
        low, high = plan.around(released).total[0]
        plain += not low <= law.mean() <= high
    return missed, plain


@pytest.mark.slow
@pytest.mark.parametrize("model", few(1, *StatedModel))
def test_a_stated_model_covers_the_mean_before_clamping(model):
    releases = 60 if everything() else 20
    missed, plain = model_missed(model, "laplace", releases)
    assert not missed_too_often(missed, releases)
    assert plain > 0.6 * releases


def test_a_few_releases_of_a_stated_model_cover_too():
    missed, plain = model_missed(StatedModel.NORMAL, "laplace", 2)
    assert missed == 0
    assert plain == 2


def test_a_model_that_does_not_fit_is_refused_and_its_coverage_is_simulated():
    found = SpreadEstimate(mechanism=Laplace(noise=0.001), mean=-0.1, sd=0.1, people=PEOPLE)
    assert model_interval(found, AGES, StatedModel.EXPONENTIAL) is None
    normal = model_interval(found, AGES, StatedModel.NORMAL)
    assert normal.mean == pytest.approx(40, abs=0.5)
    assert 0.94 < normal.coverage <= 1


@pytest.mark.parametrize(
    ("model", "law", "slope"),
    few(
        1,
        (StatedModel.NORMAL, stats.norm(50, 8), 1),
        # d/da E min(a E, 100) for an exponential E, in closed form.
        (StatedModel.EXPONENTIAL, stats.expon(scale=40), 1 - np.exp(-2.5) * 3.5),
    ),
)
def test_a_bootstrap_without_noise_and_with_many_people_is_that_of_the_delta_method(
    model, law, slope
):
    moments = [law.expect(lambda x, p=p: np.clip(x, 0, 100) ** p) for p in (1, 2)]
    sd = np.sqrt(moments[1] - moments[0] ** 2)
    found = SpreadEstimate(
        mechanism=Laplace(noise=1e-9), mean=moments[0] / 100 - 0.5, sd=sd / 100, people=10**6
    )
    interval = bootstrap_interval(found, AGES, model)
    assert interval.mean == pytest.approx(law.mean(), rel=5e-4)
    half = 1.96 * sd / 1000 / slope
    assert interval.upper - interval.mean == pytest.approx(half, rel=0.15)
    assert interval.mean - interval.lower == pytest.approx(half, rel=0.15)
    assert 0.91 < interval.coverage < 0.98


def test_no_bootstrap_is_made_of_numbers_that_no_member_has():
    found = SpreadEstimate(mechanism=Laplace(noise=0.05), mean=0.1, sd=0.0, people=50)
    assert bootstrap_interval(found, AGES, StatedModel.LOG_NORMAL) is None


@pytest.mark.slow
@pytest.mark.parametrize("model", few(1, *reversed(StatedModel)))
def test_a_bootstrap_is_shorter_and_covers_nearly_as_often_as_stated(model, monkeypatch):
    monkeypatch.setattr(parametric_bootstrap, "SIMULATED", 1)
    plan, rng, law = request("laplace").plan, np.random.default_rng(2), MODELS[model]
    missed, lengths = 0, []
    for _, released in draws(law, plan, rng, 60):
        found = plan.estimate(released)
        interval = bootstrap_interval(found, AGES, model)
        missed += not interval.lower <= law.mean() <= interval.upper
        if len(lengths) < 5:
            wide = model_interval(found, AGES, model)
            lengths.append((interval.upper - interval.lower) / (wide.upper - wide.lower))
    # It promises no 95%: of 60, 92% or more are covered but for chance.
    assert stats.binomtest(missed, 60, 0.08, alternative="greater").pvalue > 1e-3
    assert np.median(lengths) < 1


def test_a_normal_model_of_values_that_are_not_negative_is_doubted():
    for mean, doubted in ((35.0, True), (37.0, False)):
        assert has_negative_values(StatedModel.NORMAL, AGES, mean, 18.0) is doubted
    assert not has_negative_values(StatedModel.LOG_NORMAL, AGES, 10.0, 18.0)
    assert not has_negative_values(
        StatedModel.NORMAL, Interval(lower=-50.0, upper=50.0), 10.0, 18.0
    )


@pytest.mark.parametrize("key", ["laplace", "gaussian"])
def test_an_audit_refutes_a_square_that_is_weighted_too_much_and_nothing_else(key):
    plan = request(key).plan
    zero = plan.statistic.value(np.full(PEOPLE, 0.0))
    one = plan.statistic.value(np.append(np.full(PEOPLE - 1, 0.0), 100.0))
    other = plan.statistic.value(np.append(np.full(PEOPLE - 1, 0.0), 50.0))
    for far in (one, other):
        promised = request(key).effective_epsilon
        found = float(plan.pairwise_epsilon(zero, far, delta=request(key).used_delta))
        assert found <= promised * (1 + 1e-6)
    wrong = [value * [1.0, 4.0] for value in (zero, other)]
    assert float(plan.pairwise_epsilon(*wrong, delta=request(key).used_delta)) > promised
