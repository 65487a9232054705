"""Secure draws of the exponential mechanism."""

import math

import numpy as np
import pytest
from scipy import stats

from dpcore.analyses import secure
from dpcore.data.bounds import Interval
from dpcore.errors import ClaimError, ParameterError
from dpcore.mechanisms.exponential import Exponential
from dpcore.mechanisms.mechanism import Sensitivity
from dpcore.privacy_filter import PrivacyCost
from tests.terms import ONE

# Permute-and-flip then lies at a distance of about 200, where 42 would do: it is missed
# less often than once in 10^11 runs.
DRAWS = 1200
SURE = 1e-9
FREE = PrivacyCost.of(epsilon=1e6, rho=1e6)


def draw(mechanism, scores, *, sensitivity=ONE, cost=FREE):
    return secure.draw(mechanism, np.asarray(scores, float), sensitivity=sensitivity, cost=cost)


@pytest.mark.slow
def test_choices_follow_the_exponential_law_and_not_permute_and_flip():
    scores = [0.0, -1.0, -2.0]
    mechanism = Exponential(noise=1.0)
    seen = np.zeros(3)
    for _ in range(DRAWS):
        (index,) = draw(mechanism, scores)
        seen[int(index)] += 1
    stated = mechanism.probabilities(scores)
    assert stats.chisquare(seen, DRAWS * stated).pvalue > SURE
    # That law has 0.057, 0.178, 0.765 here: a sampler for it would be caught.
    flipped = DRAWS * np.array([0.765, 0.178, 0.057])
    assert stats.chisquare(seen, flipped).pvalue < SURE


def test_a_choice_is_one_index():
    drawn = draw(Exponential(noise=1e-3), [-5.0, 0.0, -7.0, -1.0])
    assert drawn.tolist() == [1.0]
    assert drawn.dtype == np.float64
    assert draw(Exponential(noise=1.0), [-3.5]).tolist() == [0.0]


@pytest.mark.parametrize("epsilon", [1e-6, 0.1, 1 / 3, 0.7, 1.0, 10.0])
@pytest.mark.parametrize("largest", [0.5, 0.7, 1.0])
def test_calibrated_choices_pass_the_samplers_own_accounting(epsilon, largest):
    scores = secure.widen(Sensitivity(coordinates=3, l1=3.0, l2=2.0, largest=largest), 1e8)
    mechanism = Exponential.calibrate(
        sensitivity=scores, epsilon=epsilon, bounds=Interval(lower=0.0, upper=1.0)
    )
    cost = PrivacyCost.of(epsilon=epsilon, rho=mechanism.rho(scores))
    drawn = draw(mechanism, [0.0, -1.0, -2.0], sensitivity=scores, cost=cost)
    assert drawn[0] in {0, 1, 2}


def test_a_choice_below_its_claim_is_refused():
    cost = PrivacyCost.of(epsilon=0.5)
    assert draw(Exponential(noise=4.0), [0.0, 0.0], cost=cost)[0] in {0, 1}
    with pytest.raises(ClaimError, match="does not give the level"):
        draw(Exponential(noise=3.999), [0.0, 0.0], cost=cost)


def test_scores_that_are_not_finite_are_refused():
    for bad in (math.nan, -math.inf):
        with pytest.raises(ParameterError, match="finite"):
            draw(Exponential(noise=1.0), [0.0, bad])
    with pytest.raises(ParameterError, match="scale of the noise"):
        draw(Exponential(noise=0.0), [0.0, -1.0])
