"""Repeated draws are seen on axes that hold still while epsilon moves."""

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from dpcore.data.bounds import Interval
from dpcore.data.quantities import Quantity
from dpcore.figures.draws import Shot, draws_picture
from dpcore.mechanisms.catalog import CATALOG
from dpcore.mechanisms.mechanism import Sensitivity

DRAWS = 200
STATEMENT = "mean of pay, missing values imputed as 82,500"


def drawn(key, epsilon, shot, sensitivity, seed=1):
    mechanism = CATALOG[key].calibrate(
        sensitivity=Sensitivity.scalar(sensitivity),
        epsilon=epsilon,
        delta=1e-6 if CATALOG[key].needs_delta else 0.0,
        bounds=shot.bounds,
    )
    draws = mechanism.simulate(shot.truth, rng=np.random.default_rng(seed), size=(DRAWS,))
    picture = draws_picture(
        key,
        draws,
        shot=shot,
        released=float(draws[0]),
        bias=float(mechanism.bias(shot.truth)),
        statement=STATEMENT,
        quantity=Quantity(),
    )
    return draws, picture


def axes(picture):
    layout = picture.figure.layout
    return layout.xaxis.range, layout.yaxis.range


def shot_of(truth=40.0, sensitivity=0.005, width=100.0):
    return Shot.around(truth, sensitivity=sensitivity, bounds=Interval(lower=0.0, upper=width))


@settings(deadline=None, max_examples=60)
@given(
    st.sampled_from(["laplace", "bit", "truncated", "folded"]),
    st.floats(1e-4, 50),
    st.floats(0, 1),
    st.floats(1e-6, 1),
)
def test_every_draw_is_counted_and_those_beyond_are_told(key, epsilon, place, sensitivity):
    shot = shot_of(place, sensitivity, 1.0)
    draws, picture = drawn(key, epsilon, shot, sensitivity)
    assert picture.table["draws"].sum() == DRAWS
    low, high = axes(picture)[0]
    outside = int(((draws < shot.window.lower) | (draws > shot.window.upper)).sum())
    assert (f"; {outside} of {DRAWS} lie farther out" in picture.title) == (outside > 0)
    assert low <= shot.truth <= high
    assert picture.table["draws"].iloc[[0, -1]].sum() == outside
    for line in picture.figure.data[2:]:
        assert low <= min(line.x) <= max(line.x) <= high


def test_only_draws_on_a_bound_are_said_to_lie_there():
    """Chosen candidates repeat, too, and are on no bound for that."""
    picture = draws_picture(
        "exponential",
        np.repeat([39.0, 40.0, 41.0], 20),
        shot=shot_of(),
        released=40.0,
        bias=0.0,
        statement="median",
        quantity=Quantity(),
    )
    assert "on a bound" not in picture.title
    bounded = drawn("bit", 0.01, shot_of(0.5, 0.05, 1.0), 0.05)[1]
    assert "of the draws lie exactly on a bound" in bounded.title
