"""One number before and after its release: the same axis, and nothing confidential by itself."""

from __future__ import annotations

import math

import numpy as np
import pytest

from dpcore.data.bounds import Interval
from dpcore.data.quantities import Quantity
from dpcore.figures.one_number import (
    NumberAxis,
    TrueValue,
    expected_picture,
    result_picture,
    share_within,
)
from dpcore.inference.intervals import Expectation, Intervals, noise_half_width
from dpcore.mechanisms.boundary_inflated import BoundaryInflatedLaplace
from dpcore.mechanisms.laplace import Laplace
from dpcore.mechanisms.truncated import TruncatedLaplace

YEARS = Quantity(unit="years")


def along(noise=2.0, sampling=3.0, *, sampled=True):
    ahead = Expectation(typical=1.0, noise=noise, sampling=sampling)
    return NumberAxis(ahead=ahead, sampled=sampled, quantity=YEARS)


def around(value, noise=2.0, total=4.0):
    return Intervals(
        level=0.95,
        noise=np.array([[value - noise, value + noise]]),
        total=np.array([[value - total, value + total]]),
    )


def span(picture):
    low, high = picture.spec["layout"]["xaxis"]["range"]
    return high - low


def expected(axis, mechanism=None, width=100.0):
    return expected_picture(
        mechanism or Laplace(noise=1.0), 40.0, axis, width=width, statement="mean of age"
    )


@pytest.mark.parametrize("sampled", [True, False])
def test_the_axis_is_as_wide_before_as_after(sampled):
    axis = along(sampled=sampled)
    answer = result_picture(40.0, around(40.0, total=3.0), axis, "mean of age")
    assert span(answer) >= span(expected(axis))
    assert span(answer) == span(expected(axis)) == 2 * (10 if sampled else 4)


def test_a_large_sampling_error_does_not_hide_the_noise():
    assert span(expected(along(noise=1.0, sampling=1000.0))) == 2 * 4
    assert span(expected(along(noise=1.0, sampling=math.inf))) == 2 * 4


def test_the_axis_stays_while_the_noise_changes_little():
    spans = [span(expected(along(noise=noise, sampled=False))) for noise in (0.9, 2.0, 3.1)]
    assert spans == [8, 8, 8]
    for noise in np.geomspace(1e-12, 1e12, 97):
        half = along(noise=noise, sampled=False).half
        assert 0.19 * half < noise <= 0.8 * half * (1 + 1e-12)


def test_before_a_release_nothing_but_public_numbers_is_drawn():
    picture = expected(along())
    assert "1% of the possible range" in picture.title
    assert picture.table["margin of error"].tolist() == [2.0, 3.0]
    inside = BoundaryInflatedLaplace(noise=1.0, bounds=Interval(lower=0.0, upper=100.0))
    assert expected(along(), inside).title == picture.title
    assert "range" not in expected(along(), width=math.inf).title


def test_a_margin_that_is_wider_only_near_a_bound_says_so():
    bounds = Interval(lower=0.0, upper=100.0)
    for mechanism, said in (
        (TruncatedLaplace(noise=10.0, bounds=bounds), "at least 95%"),
        (Laplace(noise=10.0), "95%"),
    ):
        margin = noise_half_width(mechanism, bounds=bounds, level=0.95)
        assert share_within(mechanism, 50.0, margin) == said
        (label, _) = expected(along(noise=margin), mechanism).spec["layout"]["annotations"]
        assert label["text"].startswith(f"{said} of releases")
        assert ("wherever the true value is" in label["text"]) is (said != "95%")


def test_the_title_and_its_table_have_the_same_numbers_rounded_outwards():
    picture = result_picture(54.2149, around(54.2149, 1.2571, 2.0003), along(), "mean of age")
    for low, high, off in zip(
        *map(picture.table.get, ("lower", "upper")), (1.2571, 2.0003), strict=True
    ):
        assert f"{low} to {high}" in picture.title
        assert 54.2149 - off - 0.1 < float(low) <= 54.2149 - off
        assert 54.2149 + off <= float(high) < 54.2149 + off + 0.1
    assert {*picture.table["result"]} == {"54.2"}


def test_the_true_value_is_drawn_for_the_curator_alone():
    axis, ends = along(), around(40.0)
    public = result_picture(40.0, ends, axis, "mean of age")
    true = TrueValue(computed=41.0, raw=43.5, bias=-2.5)
    known = result_picture(40.0, ends, axis, "mean of age", true=true)
    assert "true value" not in str(public.spec)
    assert "true value" not in " ".join(public.table.columns)
    assert "−2.5 years" in known.title
    assert known.table["raw data"].tolist() == [43.5, 43.5]
    low, high = known.spec["layout"]["xaxis"]["range"]
    assert low < 40.0
    assert high > 43.5
