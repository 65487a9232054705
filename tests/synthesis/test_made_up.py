"""Made-up tables: they keep what was released, and read nothing else."""

from __future__ import annotations

import inspect
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dpcore.errors import ParameterError
from dpcore.synthesis import fitting
from dpcore.synthesis.fitting import fit
from dpcore.synthesis.original import exact, ties
from tests.synthesis.tables import (
    AGE,
    DATASET,
    PAY,
    PEOPLE,
    SICK,
    WARD,
    answered,
    asked,
    exactly,
    made,
)


def recounted(one, table):
    """Return the counts of a made-up table, from its values alone."""
    cells = []
    for axis in one.axes:
        values = table[axis.name]
        if axis.edges is None:
            cells.append(values.map(list(axis.names).index).to_numpy())
        else:
            numbers = values.to_numpy()
            assert numbers.min() >= axis.edges[0]
            assert numbers.max() <= axis.edges[-1]
            cells.append(np.searchsorted(axis.edges[1:-1], numbers, side="right"))
    found = np.zeros(one.counts.shape)
    np.add.at(found, tuple(cells), 1)
    return found


@pytest.mark.parametrize("hub", [AGE, None])
def test_its_questions_cost_together_what_is_asked_for(hub):
    costs = [float(request.cost.epsilon) for request in asked(hub=hub, epsilon=2.0)]
    assert len(costs) > 1
    assert sum(costs) == pytest.approx(2.0)


@pytest.mark.parametrize("public", [True, False])
@pytest.mark.parametrize("hub", [AGE, None])
def test_its_counts_lie_where_the_release_says_that_the_true_ones_lie(hub, public):
    counts = [answered(one) for one in asked(hub=hub, public=public, epsilon=8.0)]
    trees, fitted, whole, table = made(counts)
    assert len(table) == whole.people == round(fitted.people)
    if public:
        assert whole.people == PEOPLE
    for place, one in enumerate(trees.kept):
        fit_of = fitted.counts[place]
        low, high = np.moveaxis(one.ends, -1, 0)
        reach = fitted.stretch * one.widths + 1e-6
        assert (fit_of >= np.maximum(low, 0) - reach).all()
        assert (fit_of <= high + reach).all()
        assert abs(recounted(one, table) - fit_of).max() < 2


def test_counts_that_agree_are_kept_to_the_person():
    counts = [exactly(one) for one in asked()]
    trees, fitted, _, table = made(counts)
    assert fitted.stretch == 0
    for one in trees.kept:
        assert (recounted(one, table) == one.counts).all()
        assert (exact(one, DATASET) == one.counts).all()
    assert list(table["age"]) == [float(int(age)) for age in table["age"]]
    assert (table["pay"] == table["pay"].round(4)).all()


def test_what_was_not_counted_together_has_nothing_to_do_with_each_other():
    _, _, _, table = made([exactly(one) for one in asked(hub=None)])
    trees = fitting.plant([exactly(one) for one in asked(hub=None)])
    found = {(tie.first, tie.second): tie for tie in ties(trees, DATASET, table)}
    broken = found["age", "ward"]
    assert broken.original > 0.5
    assert broken.synthetic < 0.05
    assert not broken.kept
    trees, _, _, table = made([exactly(one) for one in asked()])
    found = {(tie.first, tie.second): tie for tie in ties(trees, DATASET, table)}
    kept = found["age", "ward"]
    assert kept.kept
    assert kept.synthetic == pytest.approx(kept.original, abs=1e-12)


def test_a_ring_gives_up_the_pair_that_tells_least():
    pairs = [(AGE, WARD), (AGE, PAY), (WARD, PAY)]
    counts = [exactly(asked(pair, hub=pair[0])[0]) for pair in pairs]
    trees = fitting.plant(counts)
    least = min(counts, key=lambda one: fitting.mutual_information(one.counts))
    assert trees.left_out == ((least, fitting.RING),)
    assert ("age", "ward") in [one.names for one in trees.pairs]


def test_contradictions_are_told():
    one, other = (exactly(each) for each in asked((AGE, WARD, SICK)))
    wrong = np.zeros_like(one.counts)
    wrong[0, 0] = PEOPLE
    one = replace(one, counts=wrong, ends=np.stack([wrong - 1, wrong + 1], axis=-1))
    trees = fitting.plant([one, other])
    fitted = fit(trees)
    assert fitted.stretch > 10
    assert sum(fitting.whole(trees, fitted).pairs[0].ravel()) == PEOPLE


def test_nobody_can_be_left_and_is_said():
    (request,) = asked((SICK,), hub=None, public=False)
    said = exactly(request)
    none = np.array([-3.0, -2.0])
    none = replace(said, counts=none, ends=np.stack([none - 5, none + 5], axis=-1))
    trees = fitting.plant([none])
    with pytest.raises(ParameterError, match="nobody in the table"):
        fitting.whole(trees, fit(trees))
    with pytest.raises(ParameterError, match="at least one column"):
        fit(fitting.plant([]))


def test_it_is_made_from_public_things_alone():
    for made_by in (fitting.plant, fit, fitting.whole, fitting.deal):
        kinds = [str(p.annotation) for p in inspect.signature(made_by).parameters.values()]
        assert not any("Dataset" in kind for kind in kinds)


@given(
    st.lists(st.floats(0, 50), min_size=1, max_size=9).filter(lambda x: sum(x) > 0.1),
    st.integers(1, 500),
)
def test_parts_are_rounded_by_less_than_a_person(parts, people):
    given_parts = np.array(parts)
    wanted = given_parts * people / given_parts.sum()
    found = fitting.apportion(given_parts, people)
    assert found.sum() == people
    assert abs(found - wanted).max() < 1 + 1e-9


@settings(max_examples=40)
@given(st.integers(1, 6), st.integers(1, 6), st.integers(0, 10**6))
def test_cells_are_rounded_to_the_sums(height, width, seed):
    cells = np.random.default_rng(seed).random((height, width)) * 4
    people = max(round(cells.sum()), 1)
    sums = [fitting.apportion(cells.sum(axis=axis), people) for axis in (1, 0)]
    found = fitting.rounded(cells, rows=sums[0], columns=sums[1])
    assert (found.sum(axis=1) == sums[0]).all()
    assert (found.sum(axis=0) == sums[1]).all()
    assert found.min() >= 0
