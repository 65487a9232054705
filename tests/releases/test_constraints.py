"""Procedures that make shares add up: always shares, and the ones of the library."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from dpcore.errors import ParameterError
from dpcore.postprocessing import share_constraints
from dpcore.postprocessing.share_constraints import MOST_SYNTHESES, Constraint, ConstraintKind
from dpcore.postprocessing.universal_histogram import Tree
from tests.conftest import few

RESCALE, PROJECT = ConstraintKind.RESCALE, ConstraintKind.PROJECT
TREE, ALL_BUT_ONE = ConstraintKind.TREE, ConstraintKind.ALL_BUT_ONE


def constraint(kind, cells=3, **changes):
    known = {"remainder": cells - 1} if kind is ALL_BUT_ONE else {}
    return Constraint(kind=kind, **(known | changes))


def every_constraint(cells):
    """All procedures for so many cells: every remainder, and trees of two kinds."""
    yield constraint(RESCALE)
    yield constraint(PROJECT)
    for branching in (2, 3):
        yield constraint(TREE, branching=branching)
    for remainder in range(cells):
        yield constraint(ALL_BUT_ONE, remainder=remainder)


def shares_of(rows):
    """Random points of the simplex with ``rows`` cells."""
    whole = st.lists(st.integers(0, 50), min_size=rows, max_size=rows)
    return whole.filter(any).map(lambda counts: np.array(counts) / sum(counts))


@pytest.mark.parametrize("cells", few(3, *range(2, 10)))
@settings(deadline=None, max_examples=25)
@given(data=st.data())
def test_without_noise_every_procedure_gives_back_the_shares(cells, data):
    shares = data.draw(shares_of(cells))
    for each in every_constraint(cells):
        read = each.read(shares)
        np.testing.assert_allclose(each.adjust(read, cells), shares, atol=1e-12)


@pytest.mark.parametrize("cells", few(3, *range(2, 10)))
@settings(deadline=None, max_examples=25)
@given(data=st.data())
def test_answers_are_shares_whatever_the_noise(cells, data):
    inside = st.one_of(st.sampled_from([0.0, 1.0, 5e-324]), st.floats(0, 1))
    anything = st.floats(-1e300, 1e300)
    for each in every_constraint(cells):
        count = each.read(np.zeros(cells)).shape[-1]
        elements = anything if each.kind is PROJECT else inside
        noisy = data.draw(arrays(np.float64, (2, count), elements=elements))
        answer = each.adjust(noisy, cells)
        assert answer.shape == (2, cells)
        assert answer.min() >= 0
        np.testing.assert_allclose(answer.sum(axis=-1), 1, rtol=1e-9)


@pytest.mark.parametrize("cells", [2, 4, 7])
def test_nothing_but_zeros_still_makes_shares(cells):
    for each in every_constraint(cells):
        count = each.read(np.zeros(cells)).shape[-1]
        answer = each.adjust(np.zeros(count), cells)
        assert answer.sum() == pytest.approx(1)
        if each.kind is ALL_BUT_ONE:
            assert answer[each.remainder] == 1
        elif each.kind in {RESCALE, PROJECT}:
            assert answer == pytest.approx(np.full(cells, 1 / cells))


@settings(deadline=None, max_examples=50)
@given(noisy=arrays(np.float64, 5, elements=st.floats(-2, 2)))
def test_adjusting_is_that_of_the_library(noisy):
    inside = np.clip(noisy, 0, 1)
    np.testing.assert_array_equal(
        constraint(RESCALE).adjust(inside, 5), share_constraints.rescale(inside)
    )
    np.testing.assert_array_equal(
        constraint(PROJECT).adjust(noisy, 5), share_constraints.project(noisy)
    )
    tree = Tree.balanced(5, branching=3)
    nodes = np.resize(inside, len(tree.children) - 1)
    np.testing.assert_array_equal(
        constraint(TREE, branching=3).adjust(nodes, 5),
        tree.shares(tree.consistent(nodes, nonnegative=True)),
    )


@pytest.mark.parametrize("remainder", range(4))
def test_all_but_one_clamps_each_cell_to_what_is_left(remainder):
    each = constraint(ALL_BUT_ONE, 4, remainder=remainder)
    others = [cell for cell in range(4) if cell != remainder]
    shares = np.array([0.1, 0.2, 0.3, 0.4])
    assert each.read(shares).tolist() == shares[others].tolist()
    answer = each.adjust(np.array([0.7, 0.6, 0.5]), 4)
    assert answer[others] == pytest.approx([0.7, 0.3, 0.0])
    assert answer[remainder] == 0
    answer = each.adjust(np.array([0.1, 0.0, 0.2]), 4)
    assert answer[remainder] == pytest.approx(0.7)


@pytest.mark.parametrize(
    ("cells", "branching", "layers"), [(2, 2, 1), (4, 2, 2), (9, 2, 4), (9, 3, 2)]
)
def test_a_share_is_counted_once_a_layer_of_the_tree(cells, branching, layers):
    each = constraint(TREE, branching=branching)
    assert each.layers(cells) == layers
    counted = [np.count_nonzero(each.read(row)) for row in np.eye(cells)]
    assert max(counted) == layers
    for other in (RESCALE, PROJECT, ALL_BUT_ONE):
        assert constraint(other, cells).layers(cells) == 1


@pytest.mark.parametrize("each", [*every_constraint(4)])
def test_readings_are_the_shares_with_the_noise_that_is_each_ones_own(each):
    shares, rng = np.array([0.1, 0.15, 0.25, 0.5]), np.random.default_rng(3)
    read = each.read(shares)
    assert each.readings(read, 4) == pytest.approx(shares)
    noise = rng.normal(size=(7, 2, len(read)))
    moved = each.readings(read + noise, 4) - shares
    assert moved.shape == (7, 2, 4)
    own = [cell for cell in range(4) if np.isin(moved[0, 0, cell].round(9), noise[0, 0].round(9))]
    if each.kind is ALL_BUT_ONE:
        assert moved.sum(axis=-1) == pytest.approx(0)
        assert own == [cell for cell in range(4) if cell != each.remainder]
    else:
        assert own == [0, 1, 2, 3]


@pytest.mark.parametrize(
    ("changes", "match"),
    [
        ({"kind": ALL_BUT_ONE}, "needs the cell left over"),
        ({"kind": RESCALE, "remainder": 0}, "no other procedure"),
        ({"kind": ALL_BUT_ONE, "remainder": -1}, "counted from 0"),
        ({"kind": RESCALE, "syntheses": 0}, "from 1 to 20"),
        ({"kind": RESCALE, "syntheses": MOST_SYNTHESES + 1}, "from 1 to 20"),
        ({"kind": TREE, "branching": 1}, "at least two children"),
    ],
)
def test_other_parameters_are_refused(changes, match):
    with pytest.raises(ParameterError, match=match):
        Constraint(**changes)


def test_a_cell_that_is_not_there_cannot_be_left_over():
    with pytest.raises(ParameterError, match="from 0 to 2"):
        constraint(ALL_BUT_ONE, remainder=3).read(np.zeros(3))
