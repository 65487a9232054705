"""Resamples drawn by the operating system: complete, unbiased and fast."""

from __future__ import annotations

import os

import numpy as np
import pytest
from scipy.stats import chi2

from dpcore import secure_samples
from dpcore.errors import ParameterError
from dpcore.secure_samples import secure_counts

# Of a fair draw that is refused, and of an unfair one that is not.
SURE = 1e-9


@pytest.mark.parametrize(
    ("people", "draws"), [(1, 0), (1, 7), (3, 0), (7, 1), (1000, 100), (5, 2**21 + 3)]
)
def test_every_draw_takes_somebody(people, draws):
    counts = secure_counts(people, draws)
    assert counts.shape == (people,)
    assert counts.dtype == np.int64
    assert counts.min() >= 0
    assert counts.sum() == draws


@pytest.mark.parametrize("people", [2, 3, 10, 1000])
def test_everybody_is_drawn_equally_often(people):
    draws = 200_000
    counts = secure_counts(people, draws)
    distance = ((counts - draws / people) ** 2 / (draws / people)).sum()
    assert chi2.sf(distance, people - 1) > SURE


def test_a_slightly_uneven_draw_would_be_noticed(monkeypatch):
    def uneven(people, most):
        words = np.frombuffer(os.urandom(most), dtype=np.uint8)
        return (words % people).astype(np.int64)  # 256 is no multiple of 10

    monkeypatch.setattr(secure_samples, "_indices", uneven)
    # A million draws: the distance lies near 375, and 61 would be seen already; with
    # 200,000 draws it lies near 82, and every fifth run would see too little.
    counts = secure_counts(10, 1_000_000)
    assert chi2.sf(((counts - 100_000) ** 2 / 100_000).sum(), 9) < SURE


@pytest.mark.parametrize(
    ("word", "people"), [(np.uint32, 3), (np.uint64, 2**24 + 1), (np.uint64, 2**40)]
)
def test_words_beyond_the_largest_multiple_are_thrown_away(monkeypatch, word, people):
    bits = 8 * np.dtype(word).itemsize
    last = 2**bits // people * people
    beyond = [last] if last < 2**bits else []
    words = np.array([*beyond, last - 1, 0, 1, 2], dtype=word)
    monkeypatch.setattr(os, "urandom", lambda size: words.tobytes()[-size:])
    drawn = secure_samples._indices(people, len(words))  # noqa: SLF001
    assert drawn.tolist() == [people - 1, 0, 1, 2]


def test_draws_with_replacement_have_the_variance_of_a_multinomial():
    counts = secure_counts(10, 10 * 20_000).reshape(-1)
    assert abs(counts - 20_000).max() < 7 * np.sqrt(20_000 * 0.9)
    # Seven standard errors each; 2.844 is the fourth moment of 10 draws at 1/10. Draws
    # without replacement would have no variance, draws in pairs twice as much.
    runs = 8000
    first = np.array([secure_counts(10, 10)[0] for _ in range(runs)])
    assert first.mean() == pytest.approx(1.0, abs=7 * np.sqrt(0.9 / runs))
    assert first.var() == pytest.approx(0.9, abs=7 * np.sqrt((2.844 - 0.81) / runs))


def test_two_resamples_differ():
    assert not np.array_equal(secure_counts(1000, 1000), secure_counts(1000, 1000))


@pytest.mark.parametrize(("people", "draws"), [(0, 1), (-1, 1), (5, -1), (5, 10**10)])
def test_absurd_numbers_are_refused(people, draws):
    with pytest.raises(ParameterError, match="must be"):
        secure_counts(people, draws)
