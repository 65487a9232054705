"""Closer looks at study 2, and their figures."""

from __future__ import annotations

import numpy as np
import pytest

from dpcore.errors import ParameterError
from dpcore.figures.proportions import prices_picture, simplex_picture, tree_picture
from dpcore.studies.proportion_intervals import Point, clouds, merged, prices

SHARES = (0.1, 0.4, 0.5)
NAMES = ("p1", "others", "p4")


def rng(seed=0):
    return np.random.default_rng(seed)


def test_merging_keeps_first_and_last():
    assert merged((0.2, 0.3, 0.5)) == (0.2, 0.3, 0.5)
    with pytest.raises(ParameterError, match="three"):
        merged((0.5, 0.5))


def test_intervals_that_know_the_noise_cover_and_wald_does_not():
    point = Point(mechanism="bit", epsilon=0.5, people=200)
    found = prices(0.3, point, sets=(2, 5), draws=4000, rng=rng(1))
    covered = {(price.name, price.sets): price.coverage for price in found}
    assert covered["Wald", 1] < 0.93
    assert covered["noise-aware", 1] == pytest.approx(0.95, abs=0.015)
    assert covered["test inversion", 1] == pytest.approx(0.95, abs=0.02)
    assert covered["multiple synthesis", 5] == pytest.approx(0.95, abs=0.02)
    width = {(price.name, price.sets): price.width for price in found}
    assert width["Wald", 1] < width["noise-aware", 1] < width["multiple synthesis", 5]
    assert all(0 < price.width <= 1 for price in found)


def test_pictures_are_described():
    point = Point(mechanism="truncated", epsilon=0.2, people=50)
    found = prices(0.1, point, sets=(2,), draws=50, rng=rng())
    drawn = clouds(SHARES, point, draws=50, rng=rng())
    pictures = [simplex_picture(drawn, SHARES, NAMES), tree_picture(64, 3), prices_picture(found)]
    for picture in pictures:
        assert picture.title in picture.alt
        assert any(character.isdigit() for character in picture.title)
        assert len(picture.table) > 0
