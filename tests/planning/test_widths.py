"""The error of a planned question is the one shown before a release; and back."""

import itertools
import math

import numpy as np
import pytest

from dpcore.analyses.bootstrap import BootstrapRequest
from dpcore.analyses.groups import GroupPlan
from dpcore.errors import ParameterError
from dpcore.inference.intervals import LEVEL, expect, level_of_each
from dpcore.planning.analysis_plan import PlannedQuery
from dpcore.planning.targets import epsilon_for, people_for
from dpcore.statistics.kinds import StatisticKind
from tests.planning.planned import ALL, QUICK, item, of_age
from tests.releases.questions import apart, by_group, chained, crossed, means


@pytest.mark.parametrize("name", ["mean", "bit", "gaussian", "sum", "variance"])
def test_error_of_a_number_is_that_of_its_preview(name):
    asked = QUICK[name]
    ahead = expect(asked.mechanism, asked.query.statistic, asked.query.bounds)
    assert item(name).width.half == ahead.noise
    assert item(name).width.unit == asked.unit_text


def test_error_of_several_numbers_is_that_of_all_at_once():
    asked = ALL["shares"]
    each = asked.plan.half_widths(level_of_each(3))
    assert item("shares").width.half == each.max()
    (ranks,) = ALL["median"].plan.half_widths(LEVEL)
    assert (item("median").width.half, item("median").width.unit) == (ranks, "ranks")
    assert item("model").width.half == ALL["model"].plan.half_widths.max()


@pytest.mark.parametrize("name", [name for name in ALL if "group" in name])
def test_error_of_a_group_is_that_of_its_size(name):
    plan = ALL[name].plan
    assert isinstance(plan, GroupPlan)
    for people in (1, 20, 41, 100, 3_000):
        for epsilon in (0.01, 1.0, 30.0):
            planned = item(name, epsilon=epsilon, group=people)
            (known,) = planned.request.plan.ratio_half_widths((people,))
            told = math.inf if math.isnan(known) else known
            assert planned.width.half == pytest.approx(told, rel=1e-12)


def test_error_of_the_spread_of_a_group_is_that_of_its_preview():
    asked = by_group(kind=StatisticKind.STANDARD_DEVIATION)
    (known,) = asked.plan.ratio_half_widths((3_000,))
    assert PlannedQuery(request=asked, name="spread", group=3_000).width.half == known


@pytest.mark.parametrize("name", ALL)
def test_error_and_epsilon_are_inverses(name):
    epsilons = (0.3, 2.0) if name in QUICK else (2.0,)
    for epsilon in epsilons:
        half = item(name, epsilon=epsilon).width.half
        if math.isinf(half):
            continue
        found = epsilon_for(item(name), half)
        assert found == pytest.approx(epsilon, rel=1e-6)
        assert item(name, epsilon=found).width.half == pytest.approx(half, rel=1e-6)


@pytest.mark.parametrize("name", ["mean", "bit", "variance", "matrix", "group"])
def test_error_and_people_are_inverses(name):
    planned = item(name, epsilon=2.0)
    half = planned.width.half
    found = people_for(planned, half)
    assert planned.of_people(found).width.half <= half * (1 + 1e-6)
    assert planned.of_people(found - 1).width.half > half * (1 - 1e-6)
    assert people_for(planned, half / 2) > found


def test_more_people_do_not_help_a_sum():
    assert people_for(item("sum"), 1.0) is None
    assert people_for(item("median"), 1.0) is None
    assert people_for(item("model"), 1.0) is None


@pytest.mark.parametrize("name", QUICK)
def test_error_never_grows_with_epsilon(name):
    halves = [item(name, epsilon=x).width.half for x in np.geomspace(1e-4, 500, 25)]
    assert all(a >= b for a, b in itertools.pairwise(halves))


@pytest.mark.parametrize("name", QUICK)
def test_error_at_an_epsilon_is_that_of_the_question_asked_with_it(name):
    for epsilon in (1e-3, 0.7, 40.0):
        known = item(name, epsilon=epsilon).width.half
        assert item(name).half_at(epsilon) == pytest.approx(known, rel=1e-12)
    assert item(name, wanted=item(name).width.half / (1 + 1e-12)).seen


def test_what_cannot_be_reached_is_refused():
    with pytest.raises(ParameterError, match="no ε up to"):
        epsilon_for(item("mean"), 1e-12)
    for wrong in (0.0, -1.0, math.inf, math.nan):
        with pytest.raises(ParameterError):
            epsilon_for(item("mean"), wrong)
        with pytest.raises(ParameterError):
            people_for(item("mean"), wrong)
    with pytest.raises(ParameterError):
        item("mean").at(0.0)


def test_price_of_a_bootstrap_is_fixed_where_it_was_asked():
    query = of_age(StatisticKind.MEAN).query
    asked = BootstrapRequest(query=query, rho=0.5, delta=1e-6, times=5)
    assert not PlannedQuery.of(asked).divisible
    with pytest.raises(ParameterError, match="fixed"):
        PlannedQuery.of(asked).at(1.0)


@pytest.mark.parametrize(
    "wrong",
    [
        {"name": " "},
        {"name": "x" * 201},
        {"weight": 0.0},
        {"weight": math.nan},
        {"wanted": 0.0},
        {"wanted": math.inf},
        {"group": 0},
    ],
)
def test_settings_outside_their_domain_are_refused(wrong):
    with pytest.raises(ParameterError):
        item("mean", **wrong)


@pytest.mark.parametrize(
    ("request_", "unit", "each"),
    [
        (apart(), "years", lambda plan: plan.half_width((100, 100))),
        (chained(), "ranks", lambda plan: plan.ranks.max()),
        (crossed(), "people", lambda plan: plan.half_widths(level_of_each(11))[0]),
    ],
)
def test_error_of_what_follows_from_counts_is_that_of_its_preview(request_, unit, each):
    planned = PlannedQuery(request=request_, name="planned")
    assert planned.width.unit == unit
    assert planned.width.half == each(request_.plan)
    for epsilon in (0.3, 4.0):
        half = planned.at(epsilon).width.half
        if math.isinf(half):  # too few in a group of a hundred
            continue
        assert epsilon_for(planned, half) == pytest.approx(epsilon, rel=1e-6)


def test_error_of_several_means_is_a_part_of_the_bounds_of_every_column():
    planned = PlannedQuery(request=means(), name="means", group=300)
    (known,) = planned.request.plan.height_half_widths((300,))
    assert planned.width.half == pytest.approx(known, rel=1e-9)
    assert planned.width.unit == "of range"
    assert "as a part of each column's range" in planned.width.of
    for epsilon in (0.3, 4.0):
        half = planned.at(epsilon).width.half
        assert epsilon_for(planned, half) == pytest.approx(epsilon, rel=1e-6)
    assert math.isinf(PlannedQuery(request=means(), name="means", group=3).width.half)


def test_people_of_a_difference_are_those_of_its_smaller_group():
    planned = PlannedQuery(request=apart(epsilon=2.0), name="gap", group=200)
    found = people_for(planned, planned.width.half / 2)
    assert found == pytest.approx(400, abs=1)
    assert math.isinf(PlannedQuery(request=apart(), name="gap", group=3).width.half)
