"""Shares of a budget, as people type them."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dpcore.analyses.matrix import rebalanced
from dpcore.errors import ParameterError

shares = st.lists(st.floats(1e-6, 90.0), min_size=2, max_size=12).map(tuple)


@given(shares)
def test_shares_add_up_to_100_and_keep_their_proportions(typed):
    even = rebalanced(typed, (False,) * len(typed))
    assert math.fsum(even) == pytest.approx(100)
    assert [s * typed[0] for s in even] == pytest.approx([s * even[0] for s in typed])


@given(shares)
def test_a_locked_share_stays(typed):
    locked = (True, *(False,) * (len(typed) - 1))
    split = rebalanced(typed, locked)
    assert split[0] == typed[0]
    assert math.fsum(split) == pytest.approx(100)


@pytest.mark.parametrize("typed", [0.0, -1.0, math.nan, math.inf, 1e308])
@pytest.mark.parametrize("lock", [False, True])
def test_a_share_that_is_none_is_refused(typed, lock):
    with pytest.raises(ParameterError, match="must be positive, at most 1,000,000%"):
        rebalanced((typed, typed, 5.0), (lock, lock, False))
