"""Secure samples: exact sizes, the right chances, every subset alike."""

from itertools import combinations

import numpy as np
import pytest

from dpcore import secure_samples
from dpcore.errors import ParameterError
from dpcore.secure_samples import fixed_size_sample, poisson_sample


def test_everybody_is_taken_with_the_chance_asked_for():
    people = 1_000_000
    for rate in (0.003, 0.25, 0.9):
        taken = poisson_sample(people, rate)
        sd = np.sqrt(people * rate * (1 - rate))
        assert abs(taken.sum() - people * rate) < 6.5 * sd
        # Accept and reject: a rate that is off by 3% or more would be noticed.
        if rate > 0.1:
            assert abs(taken.sum() - people * rate * 1.03) > 6.5 * sd
        # Of neighbors both are in, as often as of people who are drawn apart. Beside
        # the sure 9, of a few in a million even 40 such pairs are no chance.
        pairs, both = int((taken[1:] & taken[:-1]).sum()), rate**2
        sd = np.sqrt(people * (both * (1 - both) + 2 * rate**3 * (1 - rate)))
        assert pairs == pytest.approx(people * both, abs=7 * sd + 10)


def test_chance_is_never_more_than_asked_for(monkeypatch):
    words = np.array([0, 1, 2**61 - 1, 2**61, 2**64 - 1], dtype=np.uint64)
    monkeypatch.setattr(secure_samples, "_words", lambda count: words[:count])
    assert poisson_sample(5, 0.125).tolist() == [True, True, True, False, False]
    assert poisson_sample(5, 2.0**-64).tolist() == [True] + [False] * 4
    assert not poisson_sample(5, 2.0**-65).any()


def test_blocks_are_drawn_apart(monkeypatch):
    monkeypatch.setattr(secure_samples, "_AT_ONCE", 7)
    assert poisson_sample(100, 1 - 2.0**-53).shape == (100,)
    assert 300 < poisson_sample(1000, 0.5).sum() < 700


def test_every_subset_is_equally_likely():
    subsets = list(combinations(range(5), 2))
    seen = dict.fromkeys(subsets, 0)
    draws = 20_000
    for _ in range(draws):
        seen[tuple(np.flatnonzero(fixed_size_sample(5, 2)).tolist())] += 1
    expected = draws / len(subsets)
    # Ten counts, each beyond that in 3 of 10^10 runs.
    assert max(abs(n - expected) for n in seen.values()) < 6 * np.sqrt(expected)


def test_tie_at_the_cut_is_drawn_again(monkeypatch):
    draws = iter([[5, 3, 3, 9], [5, 3, 4, 9]])
    monkeypatch.setattr(secure_samples, "_words", lambda _: np.array(next(draws), dtype=np.uint64))
    assert fixed_size_sample(4, 1).tolist() == [False, True, False, False]


def test_edges():
    assert poisson_sample(0, 0.5).shape == (0,)
    assert fixed_size_sample(0, 0).shape == (0,)
    assert fixed_size_sample(3, 3).all()
    assert not fixed_size_sample(3, 0).any()
    assert fixed_size_sample(1, 1).tolist() == [True]
    for call in (
        lambda: poisson_sample(-1, 0.5),
        lambda: poisson_sample(3, 1.5),
        lambda: poisson_sample(3, float("nan")),
        lambda: fixed_size_sample(3, 4),
        lambda: fixed_size_sample(3, -1),
    ):
        with pytest.raises(ParameterError):
            call()
