"""Secure draws of folded and averaged Laplace noise."""

import math

import numpy as np
import pytest
from scipy import stats

from dpcore.analyses import secure
from dpcore.data.bounds import Interval
from dpcore.errors import ClaimError, ParameterError
from dpcore.mechanisms.folded import FoldedLaplace, Grid
from dpcore.mechanisms.laplace import AveragedLaplace
from dpcore.mechanisms.mechanism import Sensitivity
from dpcore.privacy_filter import PrivacyCost, float_below
from dpcore.secure_noise import measurement
from tests.conftest import few
from tests.terms import ONE, UNIT

SURE = 1e-9
TENTH = Sensitivity.scalar(0.1)
FREE = PrivacyCost.of(epsilon=1e6, rho=1e6)


def draw(mechanism, value, *, sensitivity=ONE, cost=FREE):
    return secure.draw(mechanism, np.asarray(value, float), sensitivity=sensitivity, cost=cost)


@pytest.mark.parametrize(
    ("bounds", "value"),
    few(
        2,
        (UNIT, 0.1),
        (Interval(lower=1e6, upper=1e6 + 1), 1e6 + 0.9),
        (Interval(lower=2.0, upper=math.inf), 2.1),
        (Interval(lower=-math.inf, upper=-2.0), -2.1),
        (Interval(lower=-math.inf, upper=math.inf), 7.0),
    ),
    ids=str,
)
def test_folded_draws_follow_the_stated_law_and_no_wider_one(bounds, value):
    stated = FoldedLaplace(noise=0.2, bounds=bounds)
    wider = FoldedLaplace(noise=0.26, bounds=bounds)
    # Wider noise is told from the stated one but once in 10^9 runs; least well where
    # nothing is folded, and the law is Laplace's.
    draws = draw(stated, np.full(15_000, value))
    assert (draws == bounds.clip(draws)).all()
    assert stats.kstest(draws, stated.cdf, args=(value,)).pvalue > SURE
    assert stats.kstest(draws, wider.cdf, args=(value,)).pvalue < SURE


# The more draws, the better the average tells its width: noise wider by 30% is taken
# for the stated one less often than once in 10^9 runs.
@pytest.mark.slow
@pytest.mark.parametrize(("draws", "runs"), few(2, (1, 15_000), (2, 11_000), (10, 8_000)))
def test_averaged_draws_follow_the_stated_law_and_no_wider_one(draws, runs):
    stated = AveragedLaplace(noise=0.5, draws=draws)
    wider = AveragedLaplace(noise=0.65, draws=draws)
    drawn = draw(stated, np.full(runs, 3.0))
    assert stats.kstest(drawn, stated.cdf, args=(3.0,)).pvalue > SURE
    assert stats.kstest(drawn, wider.cdf, args=(3.0,)).pvalue < SURE


@pytest.mark.parametrize("epsilon", [0.1, 1 / 3, 3.0])
def test_calibrated_noise_gives_its_claim(epsilon):
    sensitivity = Sensitivity(coordinates=2, l1=0.14, l2=0.1, largest=0.07)
    cost = PrivacyCost.of(epsilon=epsilon)
    for law in (AveragedLaplace, FoldedLaplace):
        mechanism = law.calibrate(sensitivity=sensitivity, epsilon=epsilon, bounds=UNIT)
        drawn = draw(mechanism, [0.2, 0.5], sensitivity=sensitivity, cost=cost)
        assert drawn.shape == (2,)
        assert np.isfinite(drawn).all()


def test_noise_below_its_claim_is_refused():
    cost = PrivacyCost.of(epsilon=0.5)
    with pytest.raises(ClaimError, match=r"does not give the level"):
        draw(AveragedLaplace(noise=1.99), [0.0], cost=cost)
    made = FoldedLaplace.calibrate(sensitivity=TENTH, epsilon=0.5, bounds=UNIT)
    less = FoldedLaplace(noise=made.noise * 0.999, bounds=UNIT)
    with pytest.raises(ClaimError, match=r"does not give the level 0\.5"):
        draw(less, [0.5], sensitivity=TENTH, cost=cost)


def test_coordinates_keep_their_own_values():
    small = FoldedLaplace(noise=1e-6, bounds=UNIT)
    drawn = draw(small, [0.25, 0.5, 1.0], sensitivity=TENTH)
    assert drawn == pytest.approx([0.25, 0.5, 1.0], abs=1e-4)
    averaged = draw(AveragedLaplace(noise=1e-6), [1.0, -5.0, 1e3])
    assert averaged == pytest.approx([1.0, -5.0, 1e3], abs=1e-3)


@pytest.mark.parametrize("width", [1.0, 0.3, 1e12])
@pytest.mark.parametrize("epsilon", [1e-3, 1.0, 20.0])
def test_the_grid_is_fine_and_leaves_room_in_sixty_four_bits(width, epsilon):
    bounds = Interval(lower=0.0, upper=width)
    change = Sensitivity.scalar(width / 50)
    made = FoldedLaplace.calibrate(sensitivity=change, epsilon=epsilon, bounds=bounds)
    grid = Grid.of(made, change, epsilon)
    step = math.ldexp(1.0, grid.exponent)
    assert width <= grid.steps * step <= width * (1 + 2**-50) + step
    assert grid.steps + 512 * grid.scale < 2**62
    assert made.noise <= grid.scale * step <= made.noise * (1 + 1e-9)


def test_level_on_the_grid_is_within_the_claim():
    """Enumerate a coarse grid: the exact law of the folded whole numbers."""
    scale, steps, change = 7.0, 12, 3
    decay = math.exp(-1 / scale)
    origins = np.arange(-4000, 4001)
    turns = origins % (2 * steps)
    folded = np.minimum(turns, 2 * steps - turns)

    def law(start):
        weights = decay ** np.abs(origins - start)
        return np.bincount(folded, weights, minlength=steps + 1)

    laws = np.array([law(start) for start in range(steps + 1)])
    losses = np.log(laws[:, np.newaxis] / laws)
    starts = np.arange(steps + 1)
    near = np.abs(starts[:, np.newaxis] - starts) <= change
    exact = np.abs(losses[near]).max()
    bounds = Interval(lower=0.0, upper=float(steps))
    stated = FoldedLaplace(noise=scale, bounds=bounds)
    level = stated.epsilon(Sensitivity.scalar(float(change)))
    assert exact == pytest.approx(level, rel=1e-12)
    assert level < change / scale


def test_folding_whole_numbers_reflects_at_both_ends():
    grid = Grid(exponent=-1, steps=4, scale=1.0)
    numbers = grid.numbers(np.array([0.0, 0.74, 2.0]))
    assert numbers == [0, 1, 4]
    inside = grid.folded([-1, 0, 3, 4, 5, 8, 9, -8, 2**62])
    assert inside.tolist() == [0.5, 0.0, 1.5, 2.0, 1.5, 0.0, 0.5, 0.0, 0.0]


def test_bounds_too_wide_for_the_grid_are_refused():
    bounds = Interval(lower=0.0, upper=1e18)
    made = FoldedLaplace.calibrate(sensitivity=ONE, epsilon=1.0, bounds=bounds)
    with pytest.raises(ParameterError, match="too wide for folding"):
        draw(made, [0.5], cost=PrivacyCost.of(epsilon=1.0))


def test_a_cost_below_the_claim_is_not_enough():
    made = FoldedLaplace.calibrate(sensitivity=TENTH, epsilon=0.5, bounds=UNIT)
    level = float_below(PrivacyCost.of(epsilon=0.5).epsilon)
    assert made.epsilon(TENTH) <= level
    with pytest.raises(ClaimError):
        Grid.of(made, TENTH, 0.4999)


def test_an_unknown_law_is_refused():
    with pytest.raises(ParameterError, match="no secure noise called 'uniform'"):
        measurement("uniform", 1, 1.0)
