"""Closer looks at study 2, and their figures."""

from __future__ import annotations

import numpy as np
import pytest

from dpcore.errors import ParameterError
from dpcore.figures.proportions import prices_picture, simplex_picture, tree_picture
from dpcore.studies.proportion_intervals import Point, clouds, merged, prices
from dpcore.studies.proportion_study import BOUNDING, Procedure

SHARES = (0.1, 0.4, 0.5)
NAMES = ("p1", "others", "p4")


def rng(seed=0):
    return np.random.default_rng(seed)


@pytest.mark.parametrize("mechanism", BOUNDING)
def test_clouds_are_shares_around_the_truth(mechanism):
    point = Point(mechanism=mechanism, epsilon=1.0, people=1000)
    for cloud in clouds(SHARES, point, draws=400, rng=rng()):
        assert cloud.releases.sum(axis=-1) == pytest.approx(1.0)
        assert (cloud.releases >= 0).all()
        assert cloud.releases.mean(axis=0) == pytest.approx(SHARES, abs=1e-3)
        off = np.linalg.norm(cloud.releases - SHARES, axis=-1)
        assert cloud.distance == pytest.approx(np.sqrt((off**2).mean()))
        assert cloud.emptied == 0


def test_less_epsilon_spreads_the_clouds_and_empties_cells():
    near, far = (
        clouds(SHARES, Point(mechanism="bit", epsilon=epsilon, people=50), draws=400, rng=rng())
        for epsilon in (1.0, 0.1)
    )
    for one, other in zip(near, far, strict=True):
        assert one.distance < other.distance
        assert one.emptied < other.emptied
        assert other.emptied == np.any(other.releases < 1e-12, axis=-1).mean() > 0


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


def test_price_of_several_sets_is_their_share_of_epsilon():
    point = Point(mechanism="bit", epsilon=0.5, people=200)
    assert point.noise() == pytest.approx(0.01)
    assert point.noise(sets=5) == pytest.approx(0.05)
    assert point.noise(layers=2) == pytest.approx(0.02)


def test_pictures_are_described():
    point = Point(mechanism="truncated", epsilon=0.2, people=50)
    found = prices(0.1, point, sets=(2,), draws=50, rng=rng())
    drawn = clouds(SHARES, point, draws=50, rng=rng())
    pictures = [simplex_picture(drawn, SHARES, NAMES), tree_picture(64, 3), prices_picture(found)]
    for picture in pictures:
        assert picture.title in picture.alt
        assert any(character.isdigit() for character in picture.title)
        assert len(picture.table) > 0


def test_takeaways_are_read_off_the_numbers():
    assert "0.806 times" in tree_picture(32, 2).title
    assert "wins from 32 cells on" in tree_picture(8, 2).title
    point = Point(mechanism="bit", epsilon=0.1, people=50)
    drawn = clouds(SHARES, point, draws=100, rng=rng())
    title = simplex_picture(drawn, SHARES, NAMES).title
    assert title.lower().startswith(str(min(drawn, key=lambda cloud: cloud.distance).procedure))
    (least, *_) = prices(0.1, point, sets=(), draws=100, rng=rng())
    assert (
        f"{100 * least.coverage:.0f}%"
        in prices_picture(prices(0.1, point, sets=(), draws=100, rng=rng())).title
    )


def test_dots_lie_in_their_triangle():
    drawn = clouds(SHARES, Point(mechanism="bit", epsilon=0.1, people=50), draws=100, rng=rng())
    figure = simplex_picture(drawn, SHARES, NAMES).figure
    dots = [trace for trace in figure.data if trace.customdata is not None]
    assert len(dots) == len(drawn) == 4
    edges = figure.data[0]
    for panel, (trace, cloud) in enumerate(zip(dots, drawn, strict=True)):
        # A triangle is drawn by four points and a gap; its first corner is on the left.
        left, base = edges.x[5 * panel], edges.y[5 * panel]
        assert (left, base) == (1.3 * (panel % 2), -1.3 * (panel // 2))
        # Height over the base is the third share, by similar triangles.
        assert trace.y - base == pytest.approx(cloud.releases[:, 2] * np.sqrt(3) / 2)
        assert trace.x - left == pytest.approx(cloud.releases @ [0, 1, 0.5])
    assert Procedure.HISTOGRAM in {cloud.procedure for cloud in drawn}
