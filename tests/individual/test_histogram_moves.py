"""The two moves that a histogram offers per cell are the most revealing of all."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dpcore.data.bounds import Interval
from dpcore.mechanisms.boundary_inflated import BoundaryInflatedLaplace
from dpcore.mechanisms.gaussian import Gaussian
from dpcore.mechanisms.laplace import Laplace
from dpcore.mechanisms.truncated import TruncatedLaplace
from dpcore.relations import NeighboringRelation, TableSize
from dpcore.statistics.histogram import Histogram


@pytest.mark.parametrize("delta", [0.0, 1e-3])
@settings(deadline=None, max_examples=60)
@given(
    counts=st.lists(st.integers(0, 12), min_size=2, max_size=6).filter(any),
    noise=st.floats(0.1, 20),
)
def test_no_other_cell_reveals_more_than_the_emptiest_and_the_fullest(delta, counts, noise):
    people, size = sum(counts), len(counts)
    codes = np.repeat(np.arange(size), counts)
    asked = Histogram(labels=tuple("abcdef"[:size]), size=TableSize(people=people, public=True))
    shifts = asked.neighbors(codes, NeighboringRelation.SUBSTITUTION)
    bounds = Interval(lower=0.0, upper=float(people))
    mechanisms = [
        Laplace(noise=noise),
        BoundaryInflatedLaplace(noise=noise, bounds=bounds),
        TruncatedLaplace(noise=noise, bounds=bounds),
    ]
    if delta > 0:
        mechanisms.append(Gaussian(noise=noise))
    every_move = np.eye(size) - np.eye(size)[:, np.newaxis]
    for mechanism in mechanisms:
        offered = mechanism.pairwise_epsilon(shifts.actual, shifts.alternatives, delta=delta).max(
            axis=1
        )
        moves = mechanism.pairwise_epsilon(
            shifts.actual, shifts.actual + every_move[np.unique(codes)], delta=delta
        ).max(axis=1)
        np.testing.assert_allclose(offered, moves, rtol=1e-9, atol=1e-12)
