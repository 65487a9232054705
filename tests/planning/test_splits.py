"""Splits of a total: they fit, they are what they say, and the best one is best."""

import math
from dataclasses import replace
from decimal import Decimal
from functools import cache

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dpcore.analyses.number import Query
from dpcore.data.bounds import Interval
from dpcore.errors import ParameterError
from dpcore.mechanisms.catalog import CATALOG
from dpcore.planning.analysis_plan import AnalysisPlan, PlannedQuery, Split
from dpcore.planning.comparison import compare
from dpcore.planning.splits import parts, scaled, settled
from dpcore.planning.targets import assumed_aim
from dpcore.privacy_filter import typed
from dpcore.statistics.kinds import StatisticKind
from tests.conftest import everything, few
from tests.planning.planned import ALL, item, of_age
from tests.releases.questions import AGE, asked, terms

NAMES = ("mean", "median", "variance", "sum")
THREE = tuple(item(name, wanted=1.0, weight=w) for w, name in enumerate(NAMES[:3], 1))


def worst(items, epsilons):
    pairs = zip(items, epsilons, strict=True)
    return max(one.at(epsilon).width.half / one.wanted for one, epsilon in pairs)


POOL = {
    f"{key}, {kind}, {people}": PlannedQuery.of(
        of_age(kind, key, people=people, delta=1e-6 if entry.needs_delta else 0.0)
    )
    for key, entry in CATALOG.items()
    for kind in (StatisticKind.MEAN, StatisticKind.VARIANCE)
    for people in (50, 812)
} | {name: PlannedQuery.of(ALL[name]) for name in ("median", "matrix", "group")}
GRID = np.geomspace(1e-5, 30, 250)


@cache
def halves(name):
    """Return the half-widths of a question on a grid of epsilons."""
    return np.array([POOL[name].half_at(epsilon) for epsilon in GRID.tolist()])


def least_worst(epsilons, ratios, total):
    """Return the least largest ratio over all splits on a grid, and where it is.

    Of all combinations of points: for a largest ratio each question needs its first
    point that is no worse, whatever the others have.
    """
    for ratio in np.unique(np.concatenate(ratios)):
        if all((own <= ratio).any() for own in ratios):
            first = [int(np.argmax(own <= ratio)) for own in ratios]
            needed = [grid[at] for grid, at in zip(epsilons, first, strict=True)]
            if math.fsum(needed) <= total:
                return ratio, needed
    return math.inf, None


def brute_force(names, items, total):
    """Return the least largest ratio, on a grid and on a finer one around the first."""
    ratios = [halves(name) / one.wanted for name, one in zip(names, items, strict=True)]
    ratio, needed = least_worst([GRID] * len(items), ratios, total)
    if needed is None:
        return ratio
    step = GRID[1] / GRID[0]
    finer = [np.geomspace(at / step, at * step, 41) for at in needed]
    ratios = [
        np.array([one.half_at(epsilon) / one.wanted for epsilon in grid.tolist()])
        for one, grid in zip(items, finer, strict=True)
    ]
    return min(ratio, least_worst(finer, ratios, total)[0])


@pytest.mark.slow
@settings(max_examples=60 if everything() else 2, deadline=None)
@given(
    st.lists(
        st.tuples(st.sampled_from(sorted(POOL)), st.floats(-1.5, 1.5)), min_size=2, max_size=5
    ),
    st.floats(-2, 1.3).map(lambda power: 10**power),
)
def test_best_split_is_best_for_all_mechanisms(chosen, total):
    names = [name for name, _ in chosen]
    items = tuple(
        replace(POOL[name], name=f"{name} {place}", wanted=POOL[name].half_at(5.0) * 10**power)
        for place, (name, power) in enumerate(chosen)
    )
    found = parts(items, total, Split.BEST)
    assert math.fsum(found) <= total
    assert worst(items, found) <= 1.01 * brute_force(names, items, total)


@pytest.mark.slow
@pytest.mark.parametrize("name", few(5, *POOL))
def test_half_widths_never_rise_with_epsilon(name):
    found = halves(name)
    found = found[np.isfinite(found)]
    assert (found[1:] <= found[:-1] * (1 + 1e-12)).all()


def test_best_split_beside_an_answer_whose_noise_does_not_stay_within_its_bounds():
    column = replace(AGE, bounds=Interval(lower=0.0, upper=50.0), replacement=25.0)
    mean, variance = (
        PlannedQuery.of(asked(Query(kind=kind, column=column, **terms(50)), key))
        for kind, key in ((StatisticKind.MEAN, "bit"), (StatisticKind.VARIANCE, "laplace"))
    )
    items = (replace(mean, wanted=3.28), replace(variance, wanted=23.08))
    found = parts(items, 0.4997, Split.BEST)
    assert worst(items, found) == pytest.approx(14.8153, rel=1e-3)


@pytest.mark.parametrize("split", Split)
@pytest.mark.parametrize("total", [0.1, 1.0, 7.0])
def test_parts_never_exceed_the_total_and_leave_little(split, total):
    found = parts(THREE, total, split)
    added = sum(map(typed, found), Decimal())
    assert added <= typed(total)
    if split is not Split.TYPED:
        assert float(added) == pytest.approx(total, rel=1e-4)


def test_locks_beyond_the_total_are_refused_and_a_full_plan_is_not():
    kept = tuple(replace(one.at(0.5), locked=True) for one in THREE)
    with pytest.raises(ParameterError, match="Unlock one"):
        parts((kept[0], kept[1], THREE[2]), 1.0, Split.EQUAL)
    with pytest.raises(ParameterError):
        parts(kept, 1.0, Split.EQUAL)
    assert parts(kept, 1.5, Split.EQUAL) == (0.5, 0.5, 0.5)


def test_best_split_assumes_what_nobody_said_and_asks_where_it_cannot():
    unsaid = item("sum")
    said = replace(unsaid, wanted=assumed_aim(unsaid))
    assert parts((*THREE, unsaid), 1.0, Split.BEST) == parts((*THREE, said), 1.0, Split.BEST)
    with pytest.raises(ParameterError, match="must be seen"):
        parts((*THREE, PlannedQuery.of(ALL["model"])), 1.0, Split.BEST)


def test_typed_parts_stay_where_they_fit_and_keep_their_proportions_elsewhere():
    typed_parts = tuple(one.at(x) for one, x in zip(THREE, (0.1, 0.2, 0.3), strict=True))
    assert parts(typed_parts, 1.0, Split.TYPED) == (0.1, 0.2, 0.3)
    for found in (parts(typed_parts, 0.3, Split.TYPED), scaled(typed_parts, 3.0, Split.TYPED)):
        assert np.array(found) / sum(found) == pytest.approx([1 / 6, 1 / 3, 1 / 2], rel=1e-5)


@given(st.lists(st.floats(0.01, 5.0), min_size=3, max_size=3), st.floats(0.1, 20.0))
def test_a_total_that_nobody_typed_cuts_no_typed_epsilon(epsilons, left):
    items = tuple(one.at(x) for one, x in zip(THREE, epsilons, strict=True))
    basket = AnalysisPlan(items=items, total=left, split=Split.TYPED, follows_budget=True)
    found = settled(basket)
    assert found.items == items
    assert found.total == max(left, basket.planned)
    assert settled(found) == found
    # The plan is compared by what its questions have.
    compared = compare(found)
    own = compared.epsilons[:, compared.own]
    assert own == pytest.approx(epsilons, rel=1e-5)
