"""What the best attacker can do, against quadrature of the mechanisms' densities."""

import itertools
import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import brentq

from dpcore.data.bounds import Interval
from dpcore.errors import ParameterError
from dpcore.figures.attackers import surest
from dpcore.formatting import at_most
from dpcore.mechanisms.catalog import CATALOG
from dpcore.mechanisms.laplace import Laplace
from dpcore.mechanisms.mechanism import Sensitivity
from dpcore.privacy.events import LaplaceEvent
from dpcore.privacy.interpretation import best_guess, posterior
from dpcore.privacy.tradeoff import TradeOff, of_events
from dpcore.studies.meaning.attacker import Guarantee, ValuePair, of_mechanism, worst_pair
from tests.conftest import few

BOUNDS = Interval(lower=0.0, upper=1.0)
SHIFT = 0.3
KEYS = list(CATALOG)
EPSILONS = st.floats(0.05, 6)
PRIORS = st.floats(0.01, 0.99)
NODES, WEIGHTS = np.polynomial.legendre.leggauss(40)


def mechanism_of(key, epsilon, shift=SHIFT, delta=1e-4):
    entry = CATALOG[key]
    return entry.calibrate(
        sensitivity=Sensitivity.scalar(shift),
        epsilon=epsilon,
        delta=delta if entry.needs_delta else 0.0,
        bounds=BOUNDS,
    )


def pairs(key, epsilon):
    """Return a pair in the middle, one at a bound, and one off the middle."""
    mechanism = mechanism_of(key, epsilon)
    return [ValuePair(mechanism=mechanism, low=low, high=low + SHIFT) for low in (0.35, 0, 0.6)]


def likelier_from(pair, prior):
    """Return from which release on the higher value is the likelier one."""
    mechanism = pair.mechanism
    bounds, far = getattr(mechanism, "bounds", None), 12 * mechanism.noise
    ends = (pair.low - far, pair.high + far) if bounds is None else (0.0, 1.0)
    grid = np.linspace(*ends, 3001)[1:-1]
    there, missing = (mechanism.pdf(grid, at) for at in (pair.high, pair.low))
    over = (prior * there >= (1 - prior) * missing) & (there > 0)
    if over.all() or not over.any():
        return None
    place = int(over.argmax())

    def gain(x):
        there, missing = (float(mechanism.pdf(x, at)) for at in (pair.high, pair.low))
        return prior * there - (1 - prior) * missing

    return brentq(gain, grid[place - 1], grid[place], xtol=1e-15)


def integral(pair, of, *, cut=None, over=(-math.inf, math.inf)):
    """Integrate ``of(p, q)`` over the releases in a range, spikes at bounds included.

    Gauss-Legendre on pieces without a kink, each as wide as two scales at most.
    """
    mechanism = pair.mechanism
    bounds = getattr(mechanism, "bounds", None)
    far = 45 * mechanism.noise
    low, high = (
        (pair.low - far, pair.high + far) if bounds is None else (bounds.lower, bounds.upper)
    )
    low, high = max(low, over[0]), min(high, over[1])
    limit = getattr(mechanism, "limit", math.inf)
    limits = [at + side * limit for at in (pair.low, pair.high) for side in (-1, 1)]
    kinks = [pair.low, pair.high, *limits, *([] if cut is None else [cut])]
    ends = np.array(sorted({low, high, *(at for at in kinks if low < at < high)}))
    total = 0.0
    for start, stop in itertools.pairwise(ends):
        edges = np.linspace(start, stop, 3 + int((stop - start) / mechanism.noise / 2))
        half = np.diff(edges)[:, None] / 2
        x = edges[:-1, None] + half * (1 + NODES)
        values = of(mechanism.pdf(x, pair.low), mechanism.pdf(x, pair.high))
        total += float(np.sum(half * WEIGHTS * values))
    spikes = zip(mechanism.atoms(pair.low), mechanism.atoms(pair.high), strict=True)
    for at, (p, q) in zip((low, high), spikes, strict=True):
        if bounds is not None and at in {bounds.lower, bounds.upper}:
            total += float(of(p, q))
    return total


@pytest.mark.parametrize("key", KEYS)
@pytest.mark.parametrize("epsilon", [0.3, 2.0])
def test_advantage_and_best_guess_are_those_of_the_densities(key, epsilon):
    for pair in pairs(key, epsilon):
        assert integral(pair, lambda p, q: (p + q) / 2) == pytest.approx(1, abs=1e-10)
        told = integral(pair, lambda p, q: np.maximum(q - p, 0.0), cut=likelier_from(pair, 0.5))
        assert pair.advantage == pytest.approx(told, abs=1e-9)
        assert pair.best_guess(0.5) == pytest.approx((1 + told) / 2, abs=1e-9)
        ways = [
            integral(
                pair,
                lambda p, q, o=one: np.maximum(o * q, (1 - o) * p),
                cut=likelier_from(pair, one),
            )
            for one in (0.35, 0.65)
        ]
        for prior in (0.35, 0.65):
            assert pair.best_guess(prior) == pytest.approx(max(ways), abs=1e-9)


@pytest.mark.parametrize("key", few(5, *KEYS))
def test_detection_is_what_thresholds_find(key):
    middle, *others = pairs(key, 1.0)
    for pair in (middle, *others):
        for at in pair.low + SHIFT * np.array([-0.9, 0.2, 0.5, 1.1, 1.6]):
            if getattr(pair.mechanism, "bounds", None) and not 0 < at < 1:
                continue
            above = (float(at), math.inf)
            alarm, found = (
                integral(pair, of, over=above)
                for of in (lambda p, q: p + 0 * q, lambda p, q: q + 0 * p)
            )
            told = float(pair.detection(alarm))
            assert told >= found - 1e-9
            if pair is middle:  # Then both directions have one curve.
                assert told == pytest.approx(found, abs=1e-9)


@settings(max_examples=30)
@given(st.sampled_from(KEYS), EPSILONS, st.floats(0.02, 1.0), st.floats(0, 1))
def test_no_other_pair_is_told_apart_better(key, epsilon, shift, place):
    mechanism = mechanism_of(key, epsilon, shift)
    worst = worst_pair(mechanism, shift)
    low = place * (1 - shift)
    other = ValuePair(mechanism=mechanism, low=low, high=low + shift)
    assert other.advantage <= worst.advantage + 1e-12


@settings(max_examples=30)
@given(st.sampled_from(KEYS), EPSILONS, st.floats(0.02, 1.0), PRIORS)
def test_no_mechanism_tells_more_than_its_guarantee(key, epsilon, shift, prior):
    reading = of_mechanism(
        CATALOG[key],
        sensitivity=Sensitivity.scalar(shift),
        epsilon=epsilon,
        delta=1e-5,
        bounds=BOUNDS,
    )
    given_, attack = reading.guarantee, reading.attack
    alarm = np.linspace(0, 1, 41)
    assert np.all(attack.detection(alarm) <= given_.detection(alarm) + 1e-9)
    assert attack.best_guess(prior) <= given_.best_guess(prior) + 1e-9
    assert attack.advantage <= given_.advantage + 1e-9
    assert attack.loss_within(0.9) <= reading.largest_loss * (1 + 1e-9)


@settings(max_examples=25)
@given(st.sampled_from(KEYS), EPSILONS, st.floats(1.01, 2))
def test_more_epsilon_tells_more(key, epsilon, factor):
    less, more = (
        worst_pair(mechanism_of(key, level), SHIFT) for level in (epsilon, epsilon * factor)
    )
    assert less.advantage <= more.advantage + 1e-12
    alarm = np.linspace(0.01, 0.99, 9)
    assert np.all(less.detection(alarm) <= more.detection(alarm) + 1e-9)
    assert np.all(
        Guarantee(epsilon=epsilon).detection(alarm)
        <= Guarantee(epsilon=epsilon * factor).detection(alarm)
    )


@given(EPSILONS, st.one_of(st.just(0.0), st.floats(1e-9, 0.1)))
def test_all_say_the_one_attacker_number(epsilon, delta):
    sure = Guarantee(epsilon=epsilon, delta=delta)
    number = float(best_guess(epsilon, delta=delta))
    assert sure.best_guess(0.5) == number
    assert at_most(number) == surest(epsilon, delta=delta)
    assert sure.advantage == pytest.approx(2 * number - 1, abs=1e-12)
    if delta == 0:
        assert number == pytest.approx(float(posterior(0.5, sure.largest_loss)))


@given(EPSILONS, st.floats(0, 0.1), PRIORS)
def test_a_guarantee_is_as_good_as_its_curve(epsilon, delta, prior):
    sure = Guarantee(epsilon=epsilon, delta=delta)
    # Where the randomized response that reaches the guarantee says yes.
    corners = np.array([0.0, (1 - delta) / (1 + math.exp(epsilon)), 1 - delta])
    right = prior * sure.detection(corners) + (1 - prior) * (1 - corners)
    assert right.max() == pytest.approx(float(sure.best_guess(prior)), abs=1e-12)


@given(EPSILONS, st.floats(0, 0.1), PRIORS)
def test_a_guarantee_has_one_trade_off_function(epsilon, delta, prior):
    sure, curve = Guarantee(epsilon=epsilon, delta=delta), TradeOff.of_guarantee(epsilon, delta)
    alarm = np.linspace(0, 1, 51)
    assert curve.detection(alarm) == pytest.approx(sure.detection(alarm), abs=1e-12)
    assert float(curve.best_guess(prior)) == pytest.approx(float(sure.best_guess(prior)), abs=1e-12)
    assert curve.advantage == pytest.approx(sure.advantage, abs=1e-12)


@pytest.mark.parametrize("noise", few(1, 0.4, 3.0))
def test_the_curve_of_an_event_is_that_of_its_worst_pair(noise):
    curve, pair = of_events([LaplaceEvent(parameter=noise)]), worst_pair(Laplace(noise=noise), 1.0)
    alarm = np.linspace(0, 1, 201)
    assert curve.detection(alarm) == pytest.approx(pair.detection(alarm), abs=1e-8)


def test_a_value_that_cannot_change_tells_nothing_and_no_noise_tells_all():
    same = ValuePair(mechanism=Laplace(noise=1.0), low=2.0, high=2.0)
    assert same.advantage == same.loss_within(0.9) == 0
    assert same.best_guess(0.3) == 0.7
    assert same.best_guess(0.5) == 0.5
    bare = ValuePair(mechanism=Laplace(noise=0.0), low=0.0, high=1.0)
    assert bare.advantage == bare.best_guess(0.3) == 1
    assert math.isinf(bare.loss_within(0.5))


@pytest.mark.parametrize("share", few(1, 0.5, 0.95))
def test_so_many_releases_move_the_odds_no_farther(share):
    for key in KEYS:
        pair = worst_pair(mechanism_of(key, 1.0), SHIFT)
        draws = pair.mechanism.quantile(np.linspace(0.0005, 0.9995, 1000), pair.high)
        with np.errstate(divide="ignore", invalid="ignore"):
            losses = np.log(pair.mechanism.pdf(draws, pair.high)) - np.log(
                pair.mechanism.pdf(draws, pair.low)
            )
        within = np.mean(losses[np.isfinite(losses)] <= pair.loss_within(share) + 1e-9)
        assert within >= share - 0.02


def test_a_prior_outside_its_range_is_refused():
    with pytest.raises(ParameterError, match="prior"):
        Guarantee(epsilon=1.0).best_guess(1.5)
    with pytest.raises(ParameterError, match="prior"):
        worst_pair(Laplace(noise=1.0), 1.0).best_guess(-0.1)


@pytest.mark.parametrize("key", KEYS)
@pytest.mark.parametrize("upper", [math.inf, 1e6])
def test_counts_without_an_upper_bound_have_a_curve_too(key, upper):
    reading = of_mechanism(
        CATALOG[key],
        sensitivity=Sensitivity.scalar(1.0),
        epsilon=1.0,
        delta=1e-5,
        bounds=Interval(lower=0.0, upper=upper),
    )
    found = reading.attack.detection(np.linspace(0, 1, 21))
    assert found[0] == 0
    assert found[-1] == 1
    assert np.all(np.diff(found) > 0)
    assert 0 < reading.attack.advantage <= reading.guarantee.advantage
