"""What a release tells about one person, against simulation and known numbers."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import norm

from dpcore.analyses.number import Query
from dpcore.errors import DataError, ParameterError
from dpcore.individual.per_instance_loss import per_instance_losses
from dpcore.mechanisms.catalog import CATALOG
from dpcore.mechanisms.mechanism import Sensitivity
from dpcore.mechanisms.person_laws import ScalarLaws, gaussian_laws
from dpcore.models.model_mechanisms.perturbed_objective import PerturbedLaws
from dpcore.models.model_mechanisms.posterior_samples import PosteriorLaws
from dpcore.privacy.interpretation import laplace_detection
from dpcore.statistics.kinds import StatisticKind
from dpcore.studies.individual import hypothesis_tests
from dpcore.studies.individual.hypothesis_tests import ProfileLaws, laws_of_statistic
from tests.conftest import few
from tests.models.plain_pairs import PerturbedPairs
from tests.models.plain_pairs import area as posterior_area
from tests.releases import questions
from tests.terms import ADD_REMOVE, UNIT

PERSON_NINE = PerturbedPairs(
    leverage=np.array([1.55466114654]),
    spread=np.array([0.223510978275]),
    square=np.array([11.25]),
    residual=np.array([1.55621080035]),
    sigma=2.0,
)
OF_MODELS = {
    "one sample": PosteriorLaws(leverage=0.1, residual=1.0),
    "five samples": PosteriorLaws(leverage=0.1, residual=1.0, samples=5),
    "perturbed": PerturbedLaws(pairs=PERSON_NINE),
}


def scalar(key, absent, present, epsilon=1.0):
    entry = CATALOG[key]
    mechanism = entry.calibrate(
        sensitivity=Sensitivity.scalar(0.2),
        epsilon=epsilon,
        delta=1e-5 if entry.needs_delta else 0.0,
        bounds=UNIT,
    )
    return ScalarLaws(mechanism=mechanism, absent=absent, present=present, label="x")


def mean(key, *, delta=0.0, **changes):
    query = Query(kind=StatisticKind.MEAN, column=questions.AGE, **questions.terms(**changes))
    return questions.asked(query, key, delta=delta)


def histogram(key, *, delta=0.0):
    column = questions.shares().query.column
    query = Query(kind=StatisticKind.HISTOGRAM, column=column, **questions.terms())
    return questions.asked(query, key, delta=delta)


def everything():
    pairs = ((0.1, 0.3), (0.35, 0.15), (0.0, 0.2))
    return {f"{key} {a}": scalar(key, a, b) for key in CATALOG for a, b in pairs} | OF_MODELS


@pytest.mark.parametrize("laws", few(16, *everything().values()), ids=everything().keys())
def test_test_curve_and_profile_tell_the_same(laws):
    alarm, detection = laws.roc()
    assert (np.diff(alarm) >= 0).all()
    assert (np.diff(detection) >= 0).all()
    assert (alarm[0], detection[0], alarm[-1], detection[-1]) == (0, 0, 1, 1)
    for epsilon in (0.0, 0.3, 0.8):
        (delta,) = laws.delta(np.array([epsilon]))
        rate = np.exp(epsilon)
        one_way = np.max(detection - rate * alarm)
        found = max(one_way, np.max(1 - alarm - rate * (1 - detection)))
        # The curve is a grid of tests, none better than the best.
        assert found <= delta + 1e-9
        assert found == pytest.approx(delta, abs=2e-4)


@pytest.mark.parametrize("laws", few(16, *everything().values()), ids=everything().keys())
def test_simulated_evidence_has_the_profile(laws):
    rng = np.random.default_rng(7)
    absent, present = (laws.evidence(40_000, present=there, rng=rng) for there in (False, True))
    for epsilon in (0.0, 0.4):
        gains = (
            np.maximum(-np.expm1(epsilon - present), 0),
            np.maximum(-np.expm1(epsilon + absent), 0),
        )
        best = max(gains, key=np.mean)
        (delta,) = laws.delta(np.array([epsilon]))
        error = best.std() / np.sqrt(len(best))
        assert abs(best.mean() - delta) <= 5 * error + 1e-4


@pytest.mark.parametrize("laws", few(16, *everything().values()), ids=everything().keys())
def test_lines_hold_all_probability(laws):
    line = laws.line()
    assert line.x.size <= 2000
    for name in ("absent", "present"):
        density = getattr(line, name)
        known = ~np.isnan(density)
        mass = np.trapezoid(density[known], line.x[known])
        mass += sum(getattr(spike, name) for spike in line.spikes)
        assert mass == pytest.approx(1, abs=0.03)


def test_known_vectors():
    found = PerturbedLaws(pairs=PERSON_NINE).delta(np.array([0.0, 0.3, 1.0]))
    assert found == pytest.approx([0.61849690, 0.59436847, 0.54320029], abs=1e-8)
    five = OF_MODELS["five samples"].delta(np.array([1.0]))
    assert five == pytest.approx([0.0467256355], abs=1e-9)
    assert hypothesis_tests.area(gaussian_laws(1.0)) == pytest.approx(0.7602499389, abs=1e-5)
    laplace = scalar("laplace", 0.1, 0.3, epsilon=2.0)
    assert hypothesis_tests.area(laplace) == pytest.approx(0.8646647168, abs=1e-4)
    area = hypothesis_tests.area(OF_MODELS["one sample"])
    assert area == pytest.approx(posterior_area(0.1, 1.0), abs=1e-4)


def test_curve_is_the_closed_form():
    alarm, detection = gaussian_laws(1.3).roc()
    assert detection == pytest.approx(norm.cdf(1.3 + norm.ppf(alarm)), abs=1e-12)
    alarm, detection = scalar("laplace", 0.1, 0.3).roc()
    assert detection == pytest.approx(laplace_detection(alarm, r=1.0))


@given(mu=st.floats(0.01, 8), prior=st.floats(0.01, 0.99), epsilon=st.floats(0, 5))
def test_the_best_guess_is_at_least_the_prior_and_at_most_one(mu, prior, epsilon):
    laws = gaussian_laws(mu)
    assert max(prior, 1 - prior) - 1e-12 <= hypothesis_tests.best_guess(laws, prior) <= 1
    (advantage,) = laws.delta(np.array([0.0]))
    half = hypothesis_tests.best_guess(laws, 0.5)
    assert half == pytest.approx((1 + advantage) / 2, abs=1e-5)
    delta, _ = hypothesis_tests.hockey_stick(laws, epsilon)
    assert 0 <= delta <= advantage + 1e-12


def test_players_win_as_often_as_the_best_guess_says():
    laws = gaussian_laws(1.0)
    rng = np.random.default_rng(3)
    for prior in (0.5, 0.8):
        rounds = hypothesis_tests.play(laws, prior=prior, rounds=40_000, rng=rng)
        right = np.mean([turn.present == turn.guess for turn in rounds])
        assert right == pytest.approx(hypothesis_tests.best_guess(laws, prior), abs=0.01)


def test_realized_losses_exceed_epsilon_as_rarely_as_delta_allows():
    laws = gaussian_laws(1.0)
    for present in (False, True):
        found = hypothesis_tests.realized(
            laws, present=present, draws=50_000, rng=np.random.default_rng(1)
        )
        assert (np.diff(found.losses) >= 0).all()
        # P(L > 1) for L normal with mean 1/2 and sd 1, and P(L < -1).
        share = 1 - np.interp(1.0, found.losses, found.share)
        assert share == pytest.approx(0.308538 + 0.066807, abs=0.01)


def test_bounds_on_tests_from_a_profile_alone():
    exact = gaussian_laws(1.0)
    levels = np.linspace(0, 6, 400)
    known = ProfileLaws(levels=levels, deltas=exact.delta(levels))
    alarm, detection = known.roc()
    best = norm.cdf(1.0 + norm.ppf(alarm))
    assert (detection >= best - 1e-9).all()
    assert detection == pytest.approx(best, abs=2e-3)
    assert known.delta(np.array([0.5]))[0] >= exact.delta(np.array([0.5]))[0]


def exposed(request, values):
    query = request.query
    return per_instance_losses(
        request.plan,
        query.statistic,
        values,
        relation=query.relation,
        delta=request.used_delta,
        rows=query.unit.rows,
    )


AGES = np.array([20.0, 30, 45, 60, 90])
CELLS = np.array([0.0, 0, 1, 2, 1])
PAIRS = np.array([[0.1, 0.9], [0.4, 0.5], [0.6, 0.2], [0.9, 0.9], [0.3, 0.1]])
REQUESTS = {
    "mean, Laplace": (mean("laplace"), AGES),
    "mean, BIT": (mean("bit"), AGES),
    "mean, Gaussian": (mean("gaussian", delta=1e-6), AGES),
    "mean, households": (mean("laplace", rows=3), AGES),
    "mean, others leave": (mean("laplace", relation=ADD_REMOVE), AGES),
    "shares that add up": (questions.shares(), CELLS),
    "shares, Gaussian": (histogram("gaussian", delta=1e-6), CELLS),
    "shares, Laplace": (histogram("laplace"), CELLS),
    "median": (questions.ranks(), AGES),
    "matrix": (questions.matrix(), PAIRS),
}


@pytest.mark.parametrize(("request_", "values"), REQUESTS.values(), ids=REQUESTS)
def test_everybodys_laws_have_the_loss_of_the_exposure(request_, values):
    exposure = exposed(request_, values)
    for entry in range(len(values)):
        laws = laws_of_statistic(request_, exposure, entry, label="x")
        epsilon = float(exposure.epsilon[entry])
        at, above = laws.delta(np.array([epsilon * (1 - 1e-3), epsilon * (1 + 1e-3)]))
        assert above <= exposure.delta + 1e-9
        if epsilon > 0:
            assert at >= exposure.delta
        guess = hypothesis_tests.best_guess(laws, 0.5)
        # What epsilon and delta alone allow.
        most = (1 + exposure.delta) / (1 + np.exp(-epsilon)) + exposure.delta
        assert 0.5 <= guess <= most + 1e-3


def test_people_who_are_not_there_are_refused():
    request = mean("laplace")
    exposure = exposed(request, AGES)
    for entry in (-1, 5):
        with pytest.raises(DataError, match="5 people"):
            laws_of_statistic(request, exposure, entry, label="x")


def test_numbers_outside_their_domains_are_refused():
    laws = gaussian_laws(1.0)
    rng = np.random.default_rng(1)
    for wrong in (-0.1, 1.1, np.nan):
        with pytest.raises(ParameterError, match="prior"):
            hypothesis_tests.best_guess(laws, wrong)
        with pytest.raises(ParameterError, match="prior"):
            hypothesis_tests.play(laws, prior=wrong, rounds=3, rng=rng)
    for wrong in (-1.0, np.inf, np.nan):
        with pytest.raises(ParameterError, match="epsilon"):
            hypothesis_tests.hockey_stick(laws, wrong)
    for wrong in (-1.0, np.inf, np.nan):
        with pytest.raises(ParameterError, match="shift"):
            gaussian_laws(wrong)
        with pytest.raises(ParameterError, match="leverage"):
            PosteriorLaws(leverage=wrong, residual=1.0)
    with pytest.raises(ParameterError, match="sample"):
        PosteriorLaws(leverage=1.0, residual=1.0, samples=0)
