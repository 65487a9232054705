"""Figures of covariances: small, described, and true to their numbers."""

from __future__ import annotations

import numpy as np
import pytest

from dpcore.figures.covariances import covariance_picture, ellipses_picture, panel_picture
from dpcore.figures.theme import STYLES
from dpcore.postprocessing.psd_repair import repair
from dpcore.studies.covariance_study import COMPARED, STATISTICS, CovarianceDesign, Degenerate, run
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


def test_takeaways_are_computed(outcomes):
    mine = of(outcomes, 0.9)
    assert panel_picture(mine, "v1").title == (
        "With 50 people a first variance of 1 comes out too large by 1.44 (BIT), 2.79 "
        "(truncation as published), 4.35 (calibrated truncation)"
    )
    assert "too small by 0.81 (trunc" in panel_picture(mine, "r").title
    assert "right on average, yet 95%" in panel_picture(of(outcomes, 0.0), "r").title


def test_panel_without_any_correlation_says_so():
    design = CovarianceDesign(
        repetitions=2, people=(3,), keys=("bit",), correlations=(0.5,), degenerate=Degenerate.DROP
    )
    for seed in range(20):
        picture = panel_picture(tuple(run(design, np.random.default_rng(seed))), "r")
        assert picture.title.startswith("With 3 people")
        assert "nan" not in picture.alt.lower()


def test_repair_is_shown_beside_what_was_released():
    picture = covariance_picture("abc", BROKEN.before, BROKEN.after)
    before, after = picture.figure.data
    assert before.text[0][1] == "1<br>r 1"
    assert after.text[0][1] == "0.761<br>r 0.761"
    assert picture.title.endswith("moves a correlation by up to 0.239")
    assert picture.table["as released"].tolist() == [1, 1, 1, 1, 0, 1]
    assert len(covariance_picture("ab", FINE.before, FINE.after).figure.data) == 1


@pytest.mark.parametrize("fixed", [BROKEN, FINE])
def test_a_released_matrix_names_what_was_computed(fixed):
    statement = "covariance matrix of a and b, values of a above 9 counted as 9"
    known = ("abc"[: len(fixed.before)], fixed.before, fixed.after)
    picture = covariance_picture(*known, statement=statement)
    assert statement[1:] in picture.alt
    layout = picture.figure.to_dict()["layout"]
    *_, last = (layout[name] for name in layout if name.startswith("xaxis"))
    assert last["title"]["text"].replace("<br>", " ").endswith("d: covariance matrix of a and b")


def test_covariance_inside_its_noise_may_be_0():
    wide, clear = [-9.0, 9.0], [0.1, 1.0]
    noise = np.array([[0.5, 2.0], [0.5, 2.0], wide])
    for around, words in ((wide, "not distinguishable from 0"), (clear, "is distinguishable from")):
        noise[2] = around
        picture = covariance_picture("ab", FINE.before, FINE.after, noise=noise)
        assert words in picture.title
        assert ("may be 0" in picture.figure.data[0].text[0][1]) == (around is wide)
        assert "may be 0" not in picture.figure.data[0].text[0][0]
        assert picture.table["noise, lower"].tolist()[2] == around[0]


def test_undefined_correlation_has_no_color_and_is_named():
    picture = covariance_picture("ab", FLAT.before, FLAT.after)
    shades = np.array(picture.figure.data[0].z, dtype=float)
    assert np.isnan(shades).tolist() == [[True, True], [True, False]]
    assert "variance of a is 0" in picture.title
    ellipse = ellipses_picture("ab", FLAT.before, FLAT.after)
    assert np.allclose(ellipse.figure.data[0].x, 0)
    assert "without a correlation" in ellipse.title


def test_ellipse_holds_95_percent_of_a_gaussian():
    (trace,) = ellipses_picture("ab", FINE.before, FINE.after).figure.data
    points = np.array([trace.x, trace.y])
    squares = (points * np.linalg.solve(FINE.after, points)).sum(axis=0)
    assert squares == pytest.approx(np.full(len(squares), 5.991464547))


def test_long_names_leave_room_for_the_numbers():
    names = ("L" * 200, "L" * 199)
    matrix = covariance_picture(names, FINE.before, FINE.after)
    ellipses = ellipses_picture(names, FINE.before, FINE.after)
    layout = matrix.figure.layout
    for text in layout.xaxis.ticktext + layout.yaxis.ticktext:
        lines = text.split("<br>")
        assert len(lines) <= 4
        assert max(map(len, lines)) <= 18
    assert len(ellipses.figure.layout.xaxis.title.text) <= 20
    # The two columns stay two.
    assert tuple(matrix.figure.data[0].x) == names
    assert set(matrix.table["row"]) == set(names)
