"""The trade-off function, Gaussian levels and risks, against attacks that are carried out."""

import itertools
import math

import numpy as np
import pytest
from dp_accounting.pld import privacy_loss_distribution
from scipy.optimize import linprog
from scipy.special import ndtri
from scipy.stats import norm

from dpcore.errors import ParameterError
from dpcore.privacy.conversions import epsilon_of_rho
from dpcore.privacy.events import (
    ApproximateEvent,
    BootstrapEvent,
    FixedSampleEvent,
    GaussianEvent,
    LaplaceEvent,
    PureEvent,
    SampleEvent,
)
from dpcore.privacy.interpretation import (
    epsilon_for_risk,
    false_positive_rate,
    laplace_detection,
    laplace_ratio_for_risk,
    mu_for_risk,
)
from dpcore.privacy.laplace import two_cell_delta_of
from dpcore.privacy.tradeoff import ROUNDING, GaussianTradeOff, TradeOff, of_events
from dpcore.relations import NeighboringRelation
from tests.conftest import few
from tests.terms import ADD_REMOVE, SUBSTITUTION

RATES = np.concatenate([[0, 1e-9, 1e-6, 1e-3], np.linspace(0.01, 0.99, 99), [1 - 1e-9, 1]])
PRIORS = np.linspace(0, 1, 41)


def laplace(*ratios):
    return [LaplaceEvent.from_ratio(ratio) for ratio in ratios]


def pure(*levels):
    return [PureEvent(parameter=level) for level in levels]


def normal(*ratios):
    return [GaussianEvent.from_ratio(ratio) for ratio in ratios]


PLANS = {
    "one level": pure(1.0),
    "levels": pure(0.5, 0.5, 0.25),
    "Laplace": laplace(1.3),
    "Laplace, several": laplace(0.1, 0.1, 0.1, 0.7),
    "Gaussian": normal(0.6, 0.8),
    "mixed": laplace(0.5) + normal(0.5) + pure(0.4),
    "approximate": [ApproximateEvent(parameter=0.3, delta=1e-3), *normal(0.4)],
    "sample": [SampleEvent(parameter=1.0, law="gaussian", rate=0.2)] * 3,
    "nothing": [],
}
NAMES = [*PLANS, "a level with a delta", "zCDP"]


def curve_of(name):
    if name == "zCDP":
        return TradeOff.of_rho(0.3)
    return of_events(PLANS[name]) if name in PLANS else TradeOff.of_guarantee(0.7, 0.01)


def randomized_responses(levels):
    """Return the laws of all answers of several randomized responses, in both worlds."""
    laws = [(np.array([x, 1 - x]), np.array([1 - x, x])) for x in chances(levels)]
    here, there = ([one[side] for one in laws] for side in (0, 1))
    return outer(here), outer(there)


def chances(levels):
    return [1 / (1 + math.exp(-level)) for level in levels]


def outer(laws):
    found = np.ones(1)
    for law in laws:
        found = np.multiply.outer(found, law).ravel()
    return found


def geometric(epsilon, *, most=60):
    """Return the laws of two-sided geometric noise around 0 and 1."""
    ends = np.arange(-most, most + 1)
    law = np.exp(-epsilon * np.abs(ends))
    return law / law.sum(), np.exp(-epsilon * np.abs(ends - 1)) / law.sum()


def bayes(here, there, priors):
    """Return how often the best guess is right, by looking at every result."""
    return np.maximum(priors[:, None] * here, (1 - priors)[:, None] * there).sum(axis=1)


def most_powerful(here, there, rate):
    """Return the power of the best randomized test of a level, as a linear program."""
    found = linprog(-here, A_ub=[there], b_ub=[rate], bounds=(0, 1))
    return -found.fun


@pytest.mark.parametrize("levels", [(1.0,), (0.4,) * 7, (0.5, 1.0, 0.25), (3.0, 3.0)])
def test_bayes_attacks_on_randomized_responses_reach_the_risk(levels):
    here, there = randomized_responses(levels)
    curve = of_events(pure(*levels))
    assert curve.best_guess(PRIORS) == pytest.approx(bayes(here, there, PRIORS), abs=1e-9)
    for rate in (1e-9, 0.002, 0.05, 0.3, 0.9):
        power = most_powerful(here, there, rate)
        assert float(curve.detection(rate)) == pytest.approx(power, abs=1e-9)


def test_bayes_attacks_on_geometric_noise_reach_the_risk():
    here, there = geometric(0.8)
    curve = of_events(pure(0.8))
    assert curve.best_guess(PRIORS) == pytest.approx(bayes(here, there, PRIORS), abs=1e-6)
    twice = of_events(pure(0.8, 0.8))
    pairs = outer([here, here]), outer([there, there])
    assert twice.best_guess(PRIORS) == pytest.approx(bayes(*pairs, PRIORS), abs=1e-6)


def test_a_guess_of_one_record_among_many_reaches_the_risk():
    many, epsilon = 20, 0.4
    # Without the record the result is uniform; with it, it names the record e^epsilon times
    # as often, and each other one less often.
    named = math.exp(epsilon) / many
    law = np.full((many, many), (1 - named) / (many - 1))
    np.fill_diagonal(law, named)
    assert np.abs(np.log(law * many)).max() <= epsilon
    right = law.max(axis=0).sum() / many
    curve = of_events(pure(epsilon))
    assert curve.risk(1 / many, ADD_REMOVE) == pytest.approx(right, abs=1e-12)
    response = np.exp(epsilon * np.eye(many)) / (math.exp(epsilon) + many - 1)
    replaced = response.max(axis=0).sum() / many
    assert curve.risk(1 / many, SUBSTITUTION) == pytest.approx(replaced, abs=1e-12)
    assert replaced < right


def right_guesses(laws, prior):
    """Return how often the best guess of a candidate is right, by looking at every result."""
    return float((prior[:, None] * laws).max(axis=0).sum())


def response(epsilon, delta, candidates):
    """Return the laws that reveal all with delta, and else are a randomized response."""
    alike = np.exp(epsilon * np.eye(candidates))
    laws = (1 - delta) * alike / alike.sum(axis=1, keepdims=True)
    return np.hstack([laws, delta * np.eye(candidates)])


def geometric_around(epsilon, candidates, *, most=60):
    """Return the laws of two-sided geometric noise around 0, 1 and so on, each within 1."""
    places = np.arange(-most, most + candidates)
    at = np.linspace(0, 1, candidates)
    laws = np.exp(-epsilon * np.abs(places - at[:, None] * (candidates - 1)) / (candidates - 1))
    return laws / laws.sum(axis=1, keepdims=True)


@pytest.mark.parametrize("delta", [0.0, 0.02])
@pytest.mark.parametrize("candidates", [2, 3, 20, 500])
def test_the_best_guess_of_a_replaced_record_reaches_its_risk(candidates, delta):
    for epsilon in (0.1, 1.0, 4.0):
        laws = response(epsilon, delta, candidates)
        best = right_guesses(laws, np.full(candidates, 1 / candidates))
        curve = TradeOff.of_guarantee(epsilon, delta)
        assert curve.risk(1 / candidates, SUBSTITUTION) == pytest.approx(best, abs=1e-9)
        at = np.exp(epsilon) / (candidates - 1 + np.exp(epsilon))
        assert best == pytest.approx(delta + (1 - delta) * at, abs=1e-12)


def pairwise_curve(laws):
    """Return the trade-off function that covers every pair of laws, in both directions."""
    epsilon = np.linspace(0, 12, 241)
    pairs = itertools.permutations(laws, 2)
    losses = [
        [np.maximum(one - np.exp(each) * other, 0).sum() for each in epsilon]
        for one, other in pairs
    ]
    return TradeOff.of_profile(epsilon, np.max(losses, axis=0), largest_loss=math.inf)


@pytest.mark.parametrize("seed", few(2, *range(5)))
def test_no_best_guess_beats_the_risk_of_a_replaced_record(seed):
    rng = np.random.default_rng(seed)
    few = int(rng.integers(2, 6))
    laws = rng.dirichlet(np.full(5, 0.7), size=few)
    every = pairwise_curve(laws)
    noisy = geometric_around(1.5, few, most=400)
    plain = of_events(pure(1.5))
    for concentration in (0.2, 1.0, 50.0):
        prior = rng.dirichlet(np.full(few, concentration))
        for curve, known in ((every, laws), (plain, noisy), (plain, response(1.5, 0, few))):
            risk = curve.risk(float(prior.max()), SUBSTITUTION)
            assert right_guesses(known, prior) <= risk + 1e-6
            # An attribute is what several candidates share.
            shared = rng.integers(0, 2, few)
            groups = [prior * (shared == value) for value in np.unique(shared)]
            named = np.array([group @ known for group in groups]).max(axis=0).sum()
            top = max(float(group.sum()) for group in groups)
            assert named <= curve.risk(min(top, 1.0), SUBSTITUTION) + 1e-6


@pytest.mark.parametrize("name", few(4, *NAMES))
def test_the_risk_of_a_replaced_record_is_where_both_sides_meet(name):
    curve = curve_of(name)
    for prior in (1e-9, 1e-3, 0.05, 0.5, 0.8, 1 - 1e-9):
        risk = curve.risk(prior, SUBSTITUTION)
        assert prior - 1e-12 <= risk <= curve.risk(prior, ADD_REMOVE) + 1e-12
        rate = false_positive_rate(prior, risk, SUBSTITUTION)
        assert float(curve.detection(rate)) == pytest.approx(risk, rel=1e-6)
    assert curve.risk(0.0, SUBSTITUTION) == float(curve.detection(0.0))
    assert curve.risk(1.0, SUBSTITUTION) == 1


def test_bayes_attacks_on_laplace_noise_reach_the_risk():
    nodes, weights = np.polynomial.legendre.leggauss(30)
    edges = np.concatenate([[-40, -10], np.linspace(-2, 3, 81), [10, 40]])
    half, middle = np.diff(edges) / 2, (edges[1:] + edges[:-1]) / 2
    at = (middle[:, None] + half[:, None] * nodes).ravel()
    width = (half[:, None] * weights).ravel()
    here, there = (width * np.exp(-np.abs(at - place)) / 2 for place in (1.3, 0))
    curve = of_events(laplace(1.3))
    assert curve.best_guess(PRIORS) == pytest.approx(bayes(here, there, PRIORS), abs=1e-6)
    assert curve.detection(RATES) == pytest.approx(laplace_detection(RATES, r=1.3), abs=1e-8)


def test_two_numbers_with_laplace_noise_have_their_profile_in_closed_form():
    epsilon = np.linspace(0, 2.6, 53)
    exact = two_cell_delta_of(1.3, epsilon)
    assert of_events(laplace(1.3, 1.3)).delta(epsilon) == pytest.approx(exact, abs=1e-7)


def test_bayes_attacks_on_gaussian_noise_reach_the_risk():
    curve = of_events(normal(0.6, 0.8))
    at = np.linspace(-9, 10, 400_001)
    here, there = (norm.pdf(at, loc) * (at[1] - at[0]) for loc in (1, 0))
    assert curve.best_guess(PRIORS[::8]) == pytest.approx(bayes(here, there, PRIORS[::8]), abs=1e-6)
    assert curve.detection(RATES) == pytest.approx(norm.sf(norm.isf(RATES) - 1), abs=1e-12)


def test_gaussian_noise_adds_up_exactly():
    levels = [0.1, 0.25, 0.7, 0.7]
    level = of_events(normal(*levels)).level
    assert level.mu == pytest.approx(math.sqrt(sum(one**2 for one in levels)), rel=1e-14)
    assert level.regret == level.failure == 0


@pytest.mark.parametrize("name", few(4, *NAMES))
def test_a_trade_off_function_is_convex_falling_and_its_own_inverse(name):
    curve, even = curve_of(name), np.linspace(0, 1, 1001)
    missed = 1 - curve.detection(even)
    assert np.diff(missed, 2).min() >= -1e-12
    assert np.diff(missed).max() <= 1e-15
    assert np.all(missed <= 1 - even + 1e-15)
    again = 1 - curve.detection(np.clip(missed, 0, 1))
    assert np.all(again[missed > 1e-9] == pytest.approx(even[missed > 1e-9], abs=1e-7))


@pytest.mark.parametrize("name", NAMES)
def test_the_level_is_the_smallest_whose_curve_is_nowhere_above(name):
    curve = curve_of(name)
    level, extremes = curve.level, np.concatenate([RATES, np.geomspace(1e-11, 0.4, 500)])
    held = GaussianTradeOff.of(level.mu, failure=level.failure)
    assert np.all(held.detection(extremes) >= curve.detection(extremes) - 1e-15)
    if level.mu:
        less = GaussianTradeOff.of(level.mu * (1 - 1e-5), failure=level.failure)
        vertices = (1 - curve.failure) * curve.alarm if curve.alarm.size else RATES
        assert np.any(less.detection(vertices) < curve.detection(vertices))
    slopes = np.diff(curve.power) / np.diff(curve.alarm)
    priors = np.append(1 / (1 + slopes[:: max(len(slopes) // 700, 1)]), np.linspace(0, 1, 101))
    gap = held.best_guess(priors) - curve.best_guess(priors)
    assert gap.min() >= -1e-15
    assert gap.max() <= level.regret * (1 + 1e-9) + 1e-15
    assert gap.max() == pytest.approx(level.regret, rel=3e-3, abs=1e-7)


def test_the_regret_is_how_far_the_curve_is_moved_along_the_diagonal():
    curve = of_events(laplace(1.3))
    level, rates = curve.level, np.linspace(0, 1, 4001)
    other = 1 - GaussianTradeOff.of(level.mu, failure=level.failure).detection(rates)
    for factor, below in ((1.0001, True), (0.99, False)):
        moved = rates + factor * level.regret
        inside = moved <= 1
        gap = 1 - curve.detection(moved[inside]) - factor * level.regret - other[inside]
        assert (gap.max() <= 0) == below


def test_one_pure_level_has_its_level_in_closed_form():
    for epsilon in (0.01, 1.0, 50.0):
        mu = of_events(pure(epsilon)).level.mu
        assert mu == pytest.approx(-2 * ndtri(1 / (1 + math.exp(epsilon))), rel=1e-9)


def test_profiles_are_those_of_another_accountant():
    parts = [
        privacy_loss_distribution.from_laplace_mechanism(2.0, value_discretization_interval=1e-4),
        privacy_loss_distribution.from_gaussian_mechanism(2.0, value_discretization_interval=1e-4),
    ]
    other = parts[0].compose(parts[1])
    epsilon = np.linspace(0, 3, 31)
    ours = of_events(laplace(0.5) + normal(0.5)).delta(epsilon)
    assert ours == pytest.approx(other.get_delta_for_epsilon(epsilon), abs=1e-7)


def test_zcdp_covers_gaussian_noise_and_keeps_its_conversion():
    rho = 0.5
    curve = TradeOff.of_rho(rho)
    assert np.all(curve.detection(RATES) >= GaussianTradeOff.of(1.0).detection(RATES))
    for delta in (1e-9, 1e-5, 0.1):
        assert float(curve.delta(epsilon_of_rho(rho, delta))) <= delta * 1.01


@pytest.mark.slow
def test_samples_and_resamples_have_a_curve_too():
    fixed = of_events([FixedSampleEvent(parameter=1.0, law="laplace", rate=0.1)] * 2)
    resampled = of_events([BootstrapEvent(parameter=10.0, people=20, times=2), *pure(0.1)])
    for curve in (fixed, resampled):
        risk = float(curve.detection(0.05))
        assert 0.05 < risk < 0.2
        assert math.isfinite(curve.level.mu)


def test_losses_too_large_to_discretize_reveal_all_or_add_up():
    assert of_events(laplace(math.inf)).detection(1e-9) == 1
    assert of_events(pure(1e4)).level.mu == math.inf
    assert math.isinf(TradeOff.of_guarantee(1.0, 0.5).largest_loss)
    both = of_events(laplace(510.0) + normal(1.0))
    assert both.level.mu == pytest.approx(math.hypot(1, of_events(pure(510.0)).level.mu))


@pytest.mark.parametrize(
    ("prior", "risk"), [*itertools.combinations([1e-9, 1e-4, 0.05, 0.4, 0.7, 1 - 1e-9 / 2], 2)]
)
@pytest.mark.parametrize("relation", NeighboringRelation)
def test_the_noise_for_a_risk_gives_that_risk(prior, risk, relation):
    alarm = false_positive_rate(prior, risk, relation)
    epsilon, mu = epsilon_for_risk(alarm, risk), mu_for_risk(alarm, risk)
    found = [
        TradeOff.of_guarantee(epsilon).risk(prior, relation),
        GaussianTradeOff.of(mu).risk(prior, relation),
    ]
    assert found == pytest.approx([risk] * 2, rel=1e-7)
    assert max(found) <= risk + 1e-15
    power = float(laplace_detection(alarm, r=laplace_ratio_for_risk(alarm, risk)))
    assert power == pytest.approx(risk, rel=1e-7)
    assert power <= risk + 1e-15
    delta = risk / 10
    epsilon = epsilon_for_risk(alarm, risk, delta=delta)
    if epsilon > 0:
        risk_then = TradeOff.of_guarantee(epsilon, delta).risk(prior, relation)
        assert risk_then == pytest.approx(risk, rel=1e-7)


def test_a_risk_below_the_prior_is_refused():
    for call in (epsilon_for_risk, mu_for_risk, laplace_ratio_for_risk):
        with pytest.raises(ParameterError, match="at least the prior"):
            call(0.1, 0.05)
    assert epsilon_for_risk(0.05, 0.06, delta=0.5) == 0


def test_the_level_speaks_of_all_results_where_nothing_is_convolved():
    assert of_events(pure(1.0)).level.failure == 0
    assert of_events(pure(1.0, 1.0)).level.failure == ROUNDING
    assert of_events([ApproximateEvent(parameter=1.0, delta=1e-5)]).level.failure == pytest.approx(
        1e-5
    )
    several = [ApproximateEvent(parameter=0.0, delta=0.1)] * 3
    assert of_events(several).detection(0.0) == pytest.approx(1 - 0.9**3)
