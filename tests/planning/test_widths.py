"""The error of a planned question is the one shown before a release; and back."""

import itertools
import math

import numpy as np
import pytest

from dpcore.errors import ParameterError
from dpcore.planning.analysis_plan import PlannedQuery
from dpcore.planning.targets import epsilon_for, people_for
from dpcore.statistics.kinds import StatisticKind
from tests.conftest import few
from tests.planning.planned import ALL, QUICK, item
from tests.releases.questions import by_group, means


def test_error_of_the_spread_of_a_group_is_that_of_its_preview():
    asked = by_group(kind=StatisticKind.STANDARD_DEVIATION)
    (known,) = asked.plan.ratio_half_widths((3_000,))
    assert PlannedQuery(request=asked, name="spread", group=3_000).width.half == known


@pytest.mark.parametrize("name", few(5, *ALL))
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


@pytest.mark.parametrize("name", few(4, *QUICK))
def test_error_never_grows_with_epsilon(name):
    halves = [item(name, epsilon=x).width.half for x in np.geomspace(1e-4, 500, 25)]
    assert all(a >= b for a, b in itertools.pairwise(halves))


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
