"""Figures of standard errors and of averages: takeaways, twins, and their size."""

from __future__ import annotations

import numpy as np
import pytest

from dpcore.data.quantities import Quantity
from dpcore.figures.resampling.averages import (
    limits_picture,
    normality_picture,
    rivals_picture,
    sharing_picture,
)
from dpcore.figures.resampling.bootstrap import (
    copies_picture,
    coverage_picture,
    errors_picture,
    levels_picture,
    methods,
    one_picture,
    one_shot_picture,
    others,
    ranges_picture,
    scores_picture,
)
from dpcore.studies.resampling.bootstrap_study import (
    BootstrapLevels,
    Experiment,
    one_table,
    simulate,
)
from dpcore.studies.resampling.laplace_averages import Equipartition, Rivals, normality
from tests.conftest import assert_says, few

AGES = Experiment()
SHOWN = methods()


@pytest.fixture(scope="module")
def runs():
    return simulate(AGES, 300, np.random.default_rng(2))


def largest(picture):
    return max(len(trace.x) for trace in picture.figure.data)


def test_coverage_names_the_worst_and_shows_what_was_simulated(runs):
    settings = [Experiment(times=k) for k in (5, 50, 200)]
    picture = coverage_picture(settings, {50: runs}, shown=(*SHOWN, *others()))
    assert "70% (unbiased, 200 bootstraps)" in picture.title
    assert set(picture.table[picture.table["simulated tables"] > 0]["bootstraps"]) == {50}
    assert len(picture.table) == 3 * 6
    unbiased = picture.table[picture.table["method"] == "unbiased"]
    assert unbiased["coverage, exact"].iloc[1] == pytest.approx(0.8043, abs=1e-4)
    bars = [t for t in picture.figure.data if t.mode == "markers"]
    assert all(np.all(np.array(t.error_y.array) > 0) for t in bars)


def test_coverage_that_is_kept_is_said_to_be():
    picture = coverage_picture([Experiment(times=k) for k in (5, 50)], {}, shown=SHOWN[3:])
    assert picture.title.startswith("All of these intervals")


def test_standard_errors_and_scores_of_simulated_tables(runs):
    errors = errors_picture(AGES, runs, SHOWN)
    assert "is 0 in" in errors.title
    table = errors.table.set_index("method")
    assert table.loc["unbiased", "expected mean"] == pytest.approx(0.7374, abs=1e-3)
    assert table.loc["most conservative", "exactly 0"] == 0
    scores = scores_picture(AGES, runs, SHOWN)
    assert_says(scores.title, "of 300 intervals", "where 15 should")
    missed = scores.table.set_index("method")["expected to miss"]
    assert missed["conservative"] == pytest.approx(1 - 0.974, abs=1e-4)
    assert max(largest(errors), largest(scores)) < 200


def test_one_table_with_and_without_the_truth():
    numbers = one_table(AGES, np.random.default_rng(3))
    known = {"noise": 2.0, "people": 500, "quantity": Quantity(unit="years")}
    picture = one_picture(numbers, SHOWN, truth=AGES.population.mean, **known)
    assert "true mean" in picture.title
    assert "holds" in picture.table
    released = one_picture(numbers, SHOWN, **known)
    assert "true" not in released.title + released.alt
    assert "holds" not in released.table
    corrected = SHOWN[3].method.around(numbers, noise=2.0, people=500)
    assert released.table["lower end"].iloc[3] == corrected.lower
    assert list(released.table["estimate"]) == [corrected.center] * 4


def test_two_equal_bootstraps_are_drawn():
    picture = one_picture(np.array([1.0, 1.0]), SHOWN, noise=0.1, people=None, quantity=Quantity())
    assert len(picture.figure.data) == 1 + len(SHOWN)


def test_shares_of_copies():
    shares = copies_picture(Experiment(people=1000)).table["share of rows"]
    assert shares[:6].to_list() == pytest.approx(
        [0.3676954248, 0.3680634883, 0.1840317441, 0.0612825094, 0.0152899554, 0.0030488079],
        abs=1e-10,
    )
    noise = copies_picture(Experiment(people=500)).table["variance of the noise of this part"]
    # The first row is that of people who are not drawn.
    assert noise[1:5].to_list() == pytest.approx(
        [0.7364955007, 0.7364955007, 0.3675097789, 0.1220122646], rel=1e-9
    )


def test_levels_say_what_is_claimed_and_what_holds():
    known = BootstrapLevels(times=50, claimed=4.8866, attained=5.1689, mean=5.278, generic=6.75)
    other = BootstrapLevels(times=1, claimed=4.8866, attained=34.0, mean=34.0, generic=43.4)
    picture = levels_picture([other, known], here=50, delta=1e-6)
    assert "at least 5.169 and at most 5.278" in picture.title
    assert picture.table["claimed ε"].to_list() == [4.8866, 4.8866]


def test_averages_against_gaussian_noise():
    limits = limits_picture(Rivals())
    assert_says(limits.title, "fewer than 8.92", "14 is claimed")
    picture = rivals_picture(Rivals(), 10)
    assert picture.table["draws"].to_list() == [1, 2, 3, 5, 7, 10]
    assert picture.table["variance at the same ε and δ"].iloc[-1] == pytest.approx(
        8.71154, abs=1e-5
    )


@pytest.mark.parametrize("picks", [False, True])
def test_normality_of_averages(picks):
    rng = np.random.default_rng(1)
    found = [normality(k, 200, rng) for k in (1, 10)]
    picture = normality_picture(found, picks=picks)
    assert picture.table["draws averaged"].to_list() == [1, 10]
    words = "pick" if picks else "From 10 draws on"
    assert words in picture.title
    assert "still fail" in normality_picture(found[:1], picks=False).title


def test_sharing_marks_what_spends_too_much():
    picture = sharing_picture(Equipartition())
    assert "spends ε = 1.115 instead of 1" in picture.title
    texts = picture.figure.data[0].text
    assert ["too much" in text for text in texts] == [False, False, True, *4 * [False]]


def test_ranges_widen_with_more_bootstraps():
    picture = ranges_picture([Experiment(times=k) for k in (17, 50, 200)], shown=SHOWN)
    unbiased = picture.table[picture.table["method"] == "unbiased"]
    width = unbiased["5% are above"] - unbiased["5% are below"]
    assert width.is_monotonic_increasing
    assert "between 0 and" in picture.title


def axes(picture):
    return picture.figure.layout.xaxis.range, picture.figure.layout.yaxis.range


def with_noise(rho):
    """Return every picture whose axes the noise must not move."""
    e = Experiment(rho=rho, people=100, times=10)
    found = simulate(e, 200, np.random.default_rng(2))
    several = [Experiment(rho=rho, people=100, times=k) for k in (2, 20)]
    return (
        coverage_picture(several, {}, shown=SHOWN),
        errors_picture(e, found, SHOWN),
        one_shot_picture(e, found),
    )


def test_noise_does_not_move_the_axes_of_bootstraps():
    usual = with_noise(0.5)
    for rho in (1e-4, 0.01, 20.0):
        for picture, other in zip(usual, with_noise(rho), strict=True):
            assert axes(picture) == axes(other)
            assert None not in axes(picture)
            low, high = axes(other)[1]
            for trace in other.figure.data:
                assert low <= np.min(trace.y) <= np.max(trace.y) <= high


def test_steps_count_every_table_however_far_out():
    *_, errors, shots = with_noise(1e-4)
    for picture, lines in ((errors, len(SHOWN)), (shots, 2)):
        for trace in picture.figure.data[:lines]:
            assert np.sum(trace.y) == pytest.approx(1)
    assert any(trace.name == "true: beyond" for trace in errors.figure.data)


@pytest.mark.parametrize("delta", few(1, 1e-12, 1e-6, 1e-2))
def test_epsilon_does_not_move_the_axes_of_averages(delta):
    each = [Rivals(epsilon=epsilon, delta=delta) for epsilon in (0.01, 1.0, 10.0)]
    for pictures in (
        [rivals_picture(one, 2) for one in each],
        [limits_picture(one) for one in each],
    ):
        assert len({picture.figure.layout.yaxis.range for picture in pictures}) == 1
        top = pictures[0].figure.layout.yaxis.range[1]
        assert max([np.max(t.y) for picture in pictures for t in picture.figure.data]) <= top
