"""Bounded noise under audit: a claim that holds stands, and a planted fault does not."""

import pytest

from benchmarks.audits import BOUNDED, refuted


@pytest.mark.slow
@pytest.mark.parametrize("key", BOUNDED)
def test_honest_noise_is_hardly_ever_refuted_and_too_little_noise_is(key):
    # With 95% confidence, 5 of 20 honest audits are refuted once in 400 runs at most.
    assert refuted(key, 20, faulty=False) < 5
    assert refuted(key, 20, faulty=True) > 15
