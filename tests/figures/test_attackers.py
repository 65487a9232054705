"""One guarantee has one number, and no attacker does better than it says."""

import itertools
import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dpcore.figures.attackers import belief_text, odds_text, person_text, surest
from dpcore.formatting import at_least, at_most, three_digits
from dpcore.mechanisms.catalog import CATALOG
from dpcore.mechanisms.mechanism import Sensitivity
from dpcore.mechanisms.person_laws import ScalarLaws
from dpcore.privacy.interpretation import best_guess, posterior
from dpcore.studies.individual import hypothesis_tests
from tests.conftest import assert_says
from tests.terms import UNIT

KEEPING = [key for key, entry in CATALOG.items() if entry.claim_holds]
EPSILONS = st.floats(0.01, 8)
PRIORS = st.floats(0.01, 0.99)
DELTAS = st.floats(1e-6, 0.05)


@given(EPSILONS, st.floats(0, 0.2), PRIORS)
def test_the_bound_is_reached_by_the_release_that_tells_most(epsilon, delta, prior):
    bound = best_guess(epsilon, delta=delta, prior=prior)
    # Enumerate all tests of the release that tells most (Kairouz and others).
    share = np.exp(epsilon) / (1 + np.exp(epsilon))
    first = np.array([delta, (1 - delta) * share, (1 - delta) * (1 - share), 0.0])
    second = first[::-1]
    tests = np.array(list(itertools.product([0, 1], repeat=4)))
    right = prior * tests @ first + (1 - prior) * (1 - tests) @ second
    assert bound == pytest.approx(right.max(), abs=1e-12)


@settings(deadline=None, max_examples=40)
@given(st.sampled_from(KEEPING), EPSILONS, DELTAS, PRIORS, st.floats(0, 1))
def test_no_mechanism_lets_an_attacker_do_better(key, epsilon, delta, prior, shift):
    entry = CATALOG[key]
    delta = delta if entry.needs_delta else 0.0
    mechanism = entry.calibrate(
        sensitivity=Sensitivity.scalar(0.5), epsilon=epsilon, delta=delta, bounds=UNIT
    )
    laws = ScalarLaws(mechanism=mechanism, absent=0.2, present=0.2 + shift / 2, label="")
    guess = hypothesis_tests.best_guess(laws, prior)
    assert guess <= best_guess(epsilon, delta=delta, prior=prior) + 1e-9


@given(EPSILONS, PRIORS)
def test_without_a_delta_it_is_the_belief_after_the_release_that_tells_most(epsilon, prior):
    after = float(posterior(prior, epsilon))
    assert surest(epsilon, prior=prior) == at_most(after)
    assert best_guess(epsilon, delta=0.0) == pytest.approx(float(posterior(0.5, epsilon)))


def test_every_sentence_has_the_same_number():
    said = (
        belief_text(1.0),
        odds_text(1.0),
        person_text(0.9, 0.69, delta=0.0, prior=0.5, guarantee=1.0),
        person_text(1.0, 0.69, delta=0.0, prior=0.5, guarantee=None),
    )
    assert all("becomes at most 73.2% sure" in text for text in said)


@given(st.floats(0.001, 0.999), st.floats(0.001, 0.999))
def test_the_ratio_of_two_shares_is_that_of_the_numbers_shown(first, second):
    shown = [float(three_digits(share)[:-1]) for share in (first, second)]
    assert math.log(shown[0] / shown[1]) == pytest.approx(math.log(first / second), abs=0.011)


def test_a_known_number_is_rounded_to_the_nearest_and_a_limit_up():
    said = person_text(0.90041, 0.7241, delta=0.0, prior=0.5, guarantee=1.00041)
    assert_says(
        said,
        "guess is right 72.4% of the time",
        "own loss, ε = 0.9,",
        "By the guarantee, ε = 1.01,",
        "at most 73.2% sure",
    )


def test_a_delta_is_counted_and_named():
    assert surest(1.0, delta=1e-12) == "73.2%"
    assert surest(1.0, delta=0.1) == "75.8%"
    assert_says(odds_text(1.0, 0.1), "δ = 0.1:", "right at most 75.8% of the time, δ included")
    text = person_text(0.5, 0.6, delta=0.1, prior=0.5, guarantee=1.0)
    assert "ε = 1 at δ = 0.1" in text
    assert "after the release that tells most" not in text


@given(st.floats(0, 1))
def test_limits_are_rounded_outwards(share):
    low, high = (float(text[:-1]) for text in (at_least(share), at_most(share)))
    assert low <= 100 * share <= high
