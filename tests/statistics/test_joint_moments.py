"""A mean and a mean square together: what follows, and where each person can move both."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from dpcore.data.bounds import Interval
from dpcore.errors import ParameterError
from dpcore.statistics.joint_moments import JointMoments
from tests.terms import ADD_REMOVE, SUBSTITUTION, private, public

BOUNDS = Interval(lower=10.0, upper=30.0)
VALUES = arrays(np.float64, st.integers(3, 9), elements=st.floats(0, 40, width=32))


@given(values=VALUES)
def test_mean_and_standard_deviation_follow(values):
    moments = JointMoments(bounds=BOUNDS, size=public(len(values)))
    clamped = BOUNDS.clip(values)
    found = moments.described(moments.value(values))
    np.testing.assert_allclose(found, [clamped.mean(), clamped.std()], atol=1e-5)


@given(values=VALUES, least=st.sampled_from([None, 2, 5, 12]))
def test_nobody_moves_both_farther_than_to_a_bound(values, least):
    size = public(len(values)) if least is None else private(least)
    moments = JointMoments(bounds=BOUNDS, size=size)
    here = moments.value(values)
    found = moments.neighbors(values, SUBSTITUTION).alternatives - here
    gone = moments.neighbors(values, ADD_REMOVE).alternatives[:, 0]
    for i in range(len(values)):
        rest = np.delete(values, i)
        alone = JointMoments(bounds=BOUNDS, size=public(len(rest)) if least is None else size)
        np.testing.assert_allclose(gone[i], alone.value(rest), atol=1e-9)
        reached = [moments.value(np.append(rest, x)) for x in np.linspace(10, 30, 21)]
        if least is not None:
            reached.append(moments.value(rest))
        moved = np.array(reached) - here
        for order in (1, 2):
            most = np.linalg.norm(found[i], ord=order, axis=-1).max()
            assert np.linalg.norm(moved, ord=order, axis=-1).max() <= most + 1e-9


def test_one_row_has_no_standard_deviation():
    with pytest.raises(ParameterError, match="2 rows"):
        JointMoments(bounds=BOUNDS, size=public(1))
