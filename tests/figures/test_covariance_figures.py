"""Figures of covariances: small, described, and true to their numbers."""

from __future__ import annotations

import numpy as np
import pytest

from dpcore.figures.covariances import covariance_picture, ellipses_picture, panel_picture
from dpcore.figures.theme import STYLES
from dpcore.postprocessing.psd_repair import repair
from dpcore.releases.digits import ends_text
from dpcore.studies.covariance_study import COMPARED, STATISTICS, CovarianceDesign, run
from tests.figures.complete import assert_complete

DESIGN = CovarianceDesign(repetitions=200, people=(50, 800), correlations=(0.0, 0.9))
BROKEN = repair([[1.0, 1.0, 0.0], [1.0, 1.0, 1.0], [0.0, 1.0, 1.0]])
FLAT = repair([[0.0, 0.0], [0.0, 4.0]])
FINE = repair([[1.0, -0.5], [-0.5, 4.0]])
MANY = repair(np.eye(12))
LABELS = tuple("abcdefghijkl")


@pytest.fixture(scope="module")
def outcomes():
    return tuple(run(DESIGN, np.random.default_rng(0)))


def of(outcomes, correlation):
    return [o for o in outcomes if o.scenario.correlation == correlation]


def pictures(outcomes):
    for correlation in DESIGN.correlations:
        for name in STATISTICS:
            yield panel_picture(of(outcomes, correlation), name)
    for fixed in (BROKEN, FLAT, FINE, MANY):
        labels = ("<img src=x onerror=alert(1)>", *LABELS[1:])[: len(fixed.after)]
        yield covariance_picture(labels, fixed.before, fixed.after)
        yield ellipses_picture(labels, fixed.before, fixed.after, truth=fixed.after)


def test_every_picture_is_small_and_described(outcomes):
    for picture in pictures(outcomes):
        assert_complete(picture)
        assert "<img" not in picture.figure.to_json()
        assert "\\u003cimg" not in picture.figure.to_json()


def test_panel_shows_means_percentiles_and_truth(outcomes):
    mine = of(outcomes, 0.9)
    figure = panel_picture(mine, "cov").figure
    assert len(figure.data) == 4 * len(COMPARED)
    for key in COMPARED:
        traces = [t for t in figure.data if t.legendgroup == key]
        own = [o.of["cov"] for o in mine if o.scenario.key == key]
        thin, thick, exact, means = traces
        assert list(thin.y)[:2] == [own[0].percentiles[0], own[0].percentiles[4]]
        assert list(thick.y)[3:5] == [own[1].percentiles[1], own[1].percentiles[3]]
        assert list(exact.y) == [s.exact for s in own]
        assert list(means.y) == [s.mean for s in own]
        assert {t.line.color for t in (thin, thick, exact)} == {STYLES[key].color}
        assert exact.line.dash == STYLES[key].dash
    assert figure.layout.shapes[0].y0 == 1.8


def test_covariance_inside_its_noise_may_be_0():
    wide, clear = [-9.0, 9.0], [0.1, 1.0]
    noise = np.array([[0.5, 2.0], [0.5, 2.0], wide])
    for around, words in ((wide, "not distinguishable from 0"), (clear, "is distinguishable from")):
        noise[2] = around
        picture = covariance_picture("ab", FINE.before, FINE.after, noise=noise)
        assert words in picture.title
        assert ("may be 0" in picture.figure.data[0].text[0][1]) == (around is wide)
        assert "may be 0" not in picture.figure.data[0].text[0][0]
        ends = tuple(picture.table[["noise, lower", "noise, upper"]].iloc[2])
        assert ends == ends_text((around[0], around[1]), float(FINE.before[0, 1]))


def test_ellipse_holds_95_percent_of_a_gaussian():
    (trace,) = ellipses_picture("ab", FINE.before, FINE.after).figure.data
    points = np.array([trace.x, trace.y])
    squares = (points * np.linalg.solve(FINE.after, points)).sum(axis=0)
    assert squares == pytest.approx(np.full(len(squares), 5.991464547))
