"""Parts of a whole: every procedure keeps the bounds and the sum, and its own law."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import kstest

from dpcore.data.bounds import Interval
from dpcore.errors import ParameterError
from dpcore.mechanisms.boundary_inflated import BoundaryInflatedLaplace
from dpcore.mechanisms.bounded import Bounding, draw
from dpcore.mechanisms.truncated import TruncatedLaplace
from dpcore.postprocessing.share_constraints import all_but_one, leaving_over, project, rescale

LAWS = {Bounding.TRUNCATED: TruncatedLaplace, Bounding.INFLATED: BoundaryInflatedLaplace}
SHARES = np.array([0.10, 0.15, 0.25, 0.50])
numbers = st.lists(st.floats(-5, 5), min_size=1, max_size=8)


def rng(seed=0):
    return np.random.default_rng(seed)


@pytest.mark.parametrize("bounding", Bounding)
def test_draws_with_different_scales_and_bounds_have_their_own_laws(bounding):
    noise, upper = np.array([0.05, 0.5]), np.array([1.0, 0.4])
    size = (20_000, 2)
    drawn = draw(np.full(size, 0.3), noise=noise, upper=upper, bounding=bounding, rng=rng())
    for column in range(2):
        bounds = Interval(lower=0.0, upper=upper[column])
        inside = (drawn[:, column] > 0) & (drawn[:, column] < upper[column])
        assert ((drawn[:, column] >= 0) & (drawn[:, column] <= upper[column])).all()
        for factor, fits in ((1.0, True), (1.3, False)):
            law = LAWS[bounding](noise=factor * noise[column], bounds=bounds)
            low, high = law.cdf([0.0, np.nextafter(upper[column], 0)], 0.3)
            result = kstest(
                drawn[inside, column], lambda x, a=low, b=high, f=law: (f.cdf(x, 0.3) - a) / (b - a)
            )
            assert bool(result.pvalue > 1e-4) is fits


@pytest.mark.parametrize("bounding", Bounding)
def test_draw_without_noise_or_room_is_the_nearest_point(bounding):
    options = {"bounding": bounding, "rng": rng()}
    values = [0.0, 0.2, 1.0]
    assert draw(values, noise=0.0, **options) == pytest.approx(values)
    assert draw(0.7, noise=0.1, lower=0.2, upper=0.2, **options) == 0.2
    assert draw(0.7, noise=0.0, upper=0.0, **options) == 0.0


@pytest.mark.parametrize("noise", [-1.0, np.nan, np.inf])
def test_scale_outside_its_domain_is_refused(noise):
    with pytest.raises(ParameterError, match="scale"):
        draw(0.5, noise=noise, bounding=Bounding.INFLATED, rng=rng())


def test_bounds_in_the_wrong_order_are_refused():
    with pytest.raises(ParameterError, match="lower bound"):
        draw(0.5, noise=1.0, upper=-0.1, bounding=Bounding.INFLATED, rng=rng())


@given(st.lists(st.floats(0, 1e300), min_size=1, max_size=8))
def test_rescaled_parts_are_shares_in_proportion(parts):
    shares = rescale(parts)
    assert shares.sum() == pytest.approx(1.0)
    assert (shares >= 0).all()
    largest = max(parts)
    if largest > 0:
        expected = np.array(parts) / largest
        assert shares / shares.max() == pytest.approx(expected, abs=1e-12)
    else:
        assert shares == pytest.approx(1 / len(parts))


@pytest.mark.parametrize("parts", [[0.2, -0.1], [np.nan, 1.0], [np.inf, 1.0], []])
def test_parts_that_cannot_be_rescaled_are_refused(parts):
    with pytest.raises(ParameterError):
        rescale(parts)


@given(numbers, st.integers(0, 2**32 - 1))
def test_projection_is_the_nearest_vector_of_shares(parts, seed):
    nearest = project(parts)
    assert nearest.sum() == pytest.approx(1.0)
    assert (nearest >= 0).all()
    others = rng(seed).dirichlet(np.ones(len(parts)), 50)
    # An obtuse angle to every other point of a convex set: only the nearest has it.
    angles = (others - nearest) @ (np.array(parts) - nearest)
    assert (angles <= 1e-9).all()
    assert project(nearest) == pytest.approx(nearest, abs=1e-12)


def test_projection_of_huge_parts_keeps_its_digits():
    assert project([1e9 + 0.75, 1e9 + 0.25]) == pytest.approx([0.75, 0.25])


def test_projection_refuses_what_is_not_finite():
    with pytest.raises(ParameterError, match="finite"):
        project([np.nan, 0.2])


@pytest.mark.parametrize("order", [(0, 1), (0, 1, 1, 2), (1, 2, 3, 4)])
def test_order_that_misses_a_cell_is_refused(order):
    with pytest.raises(ParameterError, match="order"):
        all_but_one(SHARES, noise=0.1, order=order, bounding=Bounding.INFLATED, rng=rng())


@given(st.integers(2, 10), st.data())
def test_order_ends_at_the_cell_left_over(cells, data):
    cell = data.draw(st.integers(0, cells - 1))
    order = leaving_over(cell, cells)
    assert order[-1] == cell
    assert sorted(order) == list(range(cells))
