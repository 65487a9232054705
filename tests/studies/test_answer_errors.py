"""Errors of answers that follow from several numbers, against closed forms and draws."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dpcore.analyses.number import Query
from dpcore.errors import ParameterError
from dpcore.inference.group_ratios import estimate, point_ratios
from dpcore.mechanisms.laplace import Laplace
from dpcore.statistics.kinds import StatisticKind
from dpcore.studies.comparing.compared_points import AnswerSetting
from dpcore.studies.comparing.error_curves import of_table
from tests.conftest import few
from tests.inference.test_group_ratios import RATIOS
from tests.releases.questions import (
    AGE,
    apart,
    asked,
    by_group,
    chained,
    matrix,
    means,
    ranks,
    terms,
    weighted,
)

BY_GROUP = {
    "mean": by_group(),
    "variance": by_group(kind=StatisticKind.VARIANCE),
    "apart": apart(),
    "means": means(),
}
SIMULATED = BY_GROUP | {
    "matrix": matrix(people=500, columns=3),
    "correlation": matrix(people=500, kind=StatisticKind.CORRELATION),
}


def setting(request, **changes):
    return AnswerSetting(
        **({"request": request, "delta": 1e-6, "group": 1000, "place": 0.3} | changes)
    )


def errors(at, key):
    found = at.moments(key, at.position)
    return float(found.bias), float(found.spread), float(found.rmse)


def test_errors_and_margins_assume_the_same_mean_weight():
    usual = weighted(epsilon=1.0)
    half = replace(usual, query=replace(usual.query, mean_weight=0.5))
    assert half.parameters() == usual.parameters()
    assert errors(setting(half, group=2000), "laplace") == errors(setting(usual), "laplace")
    assert half.width(group=2000).half == pytest.approx(usual.width(group=1000).half)


@pytest.mark.slow
@pytest.mark.parametrize("name", few(2, *RATIOS))
@given(drawn=st.lists(st.floats(5.0, 500.0), min_size=3, max_size=3))
def test_a_point_is_the_ratio_that_an_answer_gives(name, drawn):
    ratio = RATIOS[name]
    rows = np.array([drawn[: ratio.degree + 1]])
    given_as = estimate(Laplace(noise=0.01), rows, ratio).ratios
    assert point_ratios(rows, ratio) == pytest.approx(given_as)


@pytest.mark.parametrize("key", ["laplace", "bit", "truncated"])
@pytest.mark.parametrize("place", [0.01, 0.4])
def test_the_errors_of_a_variance_are_the_closed_forms(key, place):
    at = setting(matrix(people=200, columns=2, epsilon=2.0), place=place)
    release = at.by(key).plan.release
    mechanism, value = release.step(0, release.largest[0]).mechanism, place * release.largest[0]
    bias, spread, rmse = errors(at, key)
    true = float(mechanism.bias(value))
    assert bias == pytest.approx(true, abs=0.05 * rmse)
    assert spread == pytest.approx(float(np.sqrt(mechanism.variance(value))), rel=0.05)
    assert rmse == pytest.approx(float(np.sqrt(mechanism.mse(value))), rel=0.05)
    if key == "laplace":
        off = errors(replace(at, number=2), key)[1]
        assert off == pytest.approx(np.sqrt(2) * release.scales[2], rel=0.05)


@pytest.mark.parametrize("name", few(2, *SIMULATED))
@given(place=st.floats(0.0, 1.0), epsilon=st.floats(0.5, 20.0), number=st.integers(0, 5))
def test_squares_add_up_wherever_the_value_lies(name, place, epsilon, number):
    at = setting(SIMULATED[name], place=place).at_epsilon(epsilon)
    at = replace(at, number=number % len(at.numbers))
    bias, spread, rmse = errors(at, "laplace")
    if not np.isnan(rmse):
        # A bias that chance explains counts as 0.
        assert rmse**2 == pytest.approx(bias**2 + spread**2, rel=2e-3)


@pytest.mark.parametrize("place", [0.3, 0.6, 1.0])
def test_a_deviation_by_group_is_the_root_of_the_variance_at_its_place(place):
    variance, deviation = (
        setting(by_group(kind=kind, epsilon=20.0), group=100_000, place=at)
        for kind, at in (
            (StatisticKind.VARIANCE, place**2),
            (StatisticKind.STANDARD_DEVIATION, place),
        )
    )
    assert deviation.position**2 == pytest.approx(variance.position)
    off = errors(deviation, "laplace")[1]
    assert errors(variance, "laplace")[1] == pytest.approx(2 * deviation.position * off, rel=0.02)


@pytest.mark.parametrize("name", BY_GROUP)
def test_groups_that_are_told_from_nobody_by_few_have_no_error(name):
    few = setting(BY_GROUP[name], group=1)
    assert np.isnan(errors(few, "laplace")).all()


def test_an_epsilon_too_small_to_truncate_with_has_no_error():
    at = setting(matrix("truncated", people=500, columns=3))
    assert np.isnan(errors(at.at_epsilon(1e-6), "truncated")).all()


@pytest.mark.parametrize("q", [0.1, 0.5, 0.9])
def test_the_law_of_a_quantile_is_that_of_its_draws(q):
    rng = np.random.default_rng(3)
    asked = ranks(q=q, people=80, epsilon=0.5)
    value = asked.plan.statistic.value(rng.gamma(2.0, 12.0, 80))
    found = of_table([asked], value)
    grid = asked.plan.statistic.grid
    drawn = grid[asked.plan.mechanism.simulate(value, rng=rng, size=(40_000,))]
    away = drawn - grid[np.argmax(value)]
    assert found.bias[0] == pytest.approx(away.mean(), abs=4 * away.std() / 200)
    assert found.spread[0] == pytest.approx(away.std(), rel=0.03)
    assert found.rmse[0] == pytest.approx(np.sqrt(np.mean(away**2)), rel=0.03)


def test_more_epsilon_brings_quantiles_nearer():
    rng = np.random.default_rng(5)
    for one in (ranks(people=500), chained(people=500)):
        value = one.plan.statistic.value(rng.uniform(20, 80, 500))
        curve = of_table([replace(one, epsilon=e) for e in (0.1, 1.0, 10.0)], value)
        assert (np.diff(curve.rmse) < 0).all()
        assert curve.key == one.mechanism_key


@pytest.mark.parametrize("place", [0.2, 0.5, 0.9])
def test_a_mean_and_its_deviation_have_the_errors_of_their_noise(place):
    query = Query(kind=StatisticKind.MEAN_AND_SPREAD, column=AGE, **terms(2000))
    at = setting(asked(query, "laplace", epsilon=2.0), place=place)
    assert at.of_people(500).people == 500
    noise = np.sqrt(at.by("laplace").mechanism.variance(0.0))
    assert errors(at, "laplace")[1] == pytest.approx(noise, rel=0.05)
    # The root moves by half of the variance's error over itself.
    deviation = replace(at, number=1)
    assert deviation.position == pytest.approx(place * AGE.bounds.width / 2)
    assert errors(deviation, "laplace")[1] == pytest.approx(noise / place, rel=0.05)


def test_what_is_not_simulated_is_refused():
    assert not ranks(people=80).query.simulated
    with pytest.raises(ParameterError, match="not simulated"):
        setting(ranks(people=80))
