"""What epsilon bounds of an attacker, against the best attacker, by brute force.

An attacker says yes to a set of releases. Of two laws on few releases, all sets are
tried.
"""

import itertools
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dpcore.figures.attackers import (
    AttackerView,
    Sides,
    counted,
    surest,
    worlds_picture,
    worlds_text,
)
from dpcore.privacy.interpretation import best_guess
from dpcore.relations import NeighboringRelation
from dpcore.studies.meaning.attacker import Guarantee

LAWS = st.lists(st.tuples(st.integers(0, 50), st.integers(0, 50)), min_size=2, max_size=6).filter(
    lambda each: np.all(np.sum(each, axis=0) > 0)
)


def best_of_all(first, second, *, prior=0.5):
    """Return how often the best set of releases is right between two laws."""
    sets = itertools.product([False, True], repeat=len(first))
    return max(
        prior * first[np.array(yes)].sum() + (1 - prior) * second[~np.array(yes)].sum()
        for yes in sets
    )


def delta_of(first, second, epsilon):
    """Return the least delta at which two laws are indistinguishable at epsilon."""
    return max(
        float(np.maximum(one - math.exp(epsilon) * other, 0).sum())
        for one, other in ((first, second), (second, first))
    )


@given(LAWS, st.floats(0.05, 4), st.floats(0.01, 0.99))
def test_no_attacker_is_right_more_often_than_the_guarantee_says(each, epsilon, prior):
    first, second = (law / law.sum() for law in np.array(each, dtype=float).T)
    sure = Guarantee(epsilon=epsilon, delta=min(delta_of(first, second, epsilon), 1 - 1e-12))
    for at in (0.5, prior):
        assert best_of_all(first, second, prior=at) <= float(sure.best_guess(at)) + 1e-9
    right, of = counted(float(sure.best_guess(0.5)))
    assert best_of_all(first, second) * of <= right + 1e-6


@given(st.floats(0.05, 6), st.sampled_from([0.0, 1e-6, 0.05]))
def test_the_worst_mechanism_of_a_guarantee_reaches_it(epsilon, delta):
    # With probability delta it tells all, else which world it is with odds e^epsilon.
    told = (1 - delta) / (1 + math.exp(epsilon))
    first = np.array([delta, 1 - delta - told, told, 0.0])
    second = first[::-1]
    assert delta_of(first, second, epsilon) == pytest.approx(delta, abs=1e-12)
    best = best_of_all(first, second)
    assert best == pytest.approx(float(best_guess(epsilon, delta=delta)), abs=1e-12)
    assert best == pytest.approx((math.exp(epsilon) + delta) / (1 + math.exp(epsilon)), abs=1e-12)


@pytest.mark.parametrize("relation", NeighboringRelation)
@pytest.mark.parametrize("delta", [0.0, 0.01])
def test_all_say_the_share_of_right_guesses_over_both_worlds(relation, delta):
    sure = Guarantee(epsilon=1.0, delta=delta)
    right, of = counted(float(sure.best_guess(0.5)))
    assert (right, of) == (74, 100)
    told = AttackerView(guarantee=sure, sides=Sides.of(relation))
    text = worlds_text(told)
    most = surest(1.0, delta=delta)
    assert f"names the right kind of world in at most 74 of 100 ({most}, rounded up)" in text
    assert "Without a release it is 50 of 100." in text
    assert text.count("50 in which") == 2
    assert "when it is so" not in text
    picture = worlds_picture(told)
    assert picture.title == "Right guesses: 50 of 100 before, at most 74 after"
    assert [len(trace.x) for trace in picture.figure.data] == [50, 50, 74, 26]
