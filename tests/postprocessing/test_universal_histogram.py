"""Trees of sums: consistency is least squares, repair keeps it and the bounds."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dpcore.errors import ParameterError
from dpcore.postprocessing import universal_histogram as noise_maps
from dpcore.postprocessing.universal_histogram import Tree, half_sums, multiplier

FOUR = Tree.folded(4)
UNEVEN = Tree(
    children=((1, 2, 3), (), (4, 5), (6, 7), (), (8, 9), (), (), (), ()), cells=(3, 0, 1, 2, 4, 5)
)
trees = st.builds(
    lambda cells, branching: Tree.balanced(cells, branching=branching),
    st.integers(2, 20),
    st.integers(2, 5),
)


def least_squares(tree, noisy, root):
    """Solve the optimality conditions of the constrained problem."""
    nodes = len(tree.children)
    rows, right = [], []
    for node, family in enumerate(tree.children):
        if family:
            row = np.zeros(nodes)
            row[list(family)] = 1
            row[node] = -1
            rows.append(row[1:])
            right.append(root if node == 0 else 0.0)
    a = np.array(rows)
    zeros = np.zeros((len(a), len(a)))
    system = np.block([[np.eye(nodes - 1), a.T], [a, zeros]])
    return np.linalg.solve(system, np.concatenate([noisy, right]))[: nodes - 1]


@given(trees, st.integers(0, 2**32 - 1), st.floats(0.1, 10))
def test_consistent_nodes_are_the_nearest_ones(tree, seed, root):
    noisy = np.random.default_rng(seed).normal(0.3, 1, len(tree.children) - 1)
    found = tree.consistent(noisy, root=root)
    assert found == pytest.approx(least_squares(tree, noisy, root), abs=1e-9)


def test_consistent_nodes_are_the_nearest_ones_in_an_uneven_tree():
    noisy = np.random.default_rng(1).normal(size=9)
    found = UNEVEN.consistent(noisy)
    assert found == pytest.approx(least_squares(UNEVEN, noisy, 1.0), abs=1e-12)


@pytest.mark.parametrize("k", [2, 3, 5])
def test_weights_are_those_of_hay_where_every_node_has_k_children(k):
    tree = Tree.balanced(k**3, branching=k)
    height = 3
    # A unit of noise at one child of the root, seen there before the way down: what
    # remains after it is (1 - 1/k) of the weight of a node's own release.
    noisy = np.zeros(len(tree.children) - 1)
    noisy[0] = 1.0
    own = (k**height - k ** (height - 1)) / (k**height - 1)
    assert tree.consistent(noisy, root=0.0)[0] == pytest.approx(own * (1 - 1 / k))


@pytest.mark.parametrize(
    ("noisy", "expected"),
    [
        (
            (0.7, 0.2, 0.15, 0.5, 0.1, 0.3),
            ".7083333333 .2916666667 .1791666667 .5291666667 .0458333333 .2458333333",
        ),
        (
            (0.3, 0.95, 0, 0.6, 0.3, 0.45),
            ".2583333333 .7416666667 -.1708333333 .4291666667 .2958333333 .4458333333",
        ),
    ],
)
def test_vectors_of_four_cells(noisy, expected):
    assert FOUR.cells == (0, 3, 1, 2)
    numbers = [float(word) for word in expected.split()]
    assert FOUR.consistent(noisy) == pytest.approx(numbers, abs=1e-10)


def test_vector_of_the_repair():
    repaired = FOUR.consistent([0.3, 0.95, 0, 0.6, 0.3, 0.45], nonnegative=True)
    expected = [0.2583333333, 0.7416666667, 0, 0.2583333333, 0.2958333333, 0.4458333333]
    assert repaired == pytest.approx(expected, abs=1e-10)


@given(trees, st.integers(0, 2**32 - 1))
def test_repaired_nodes_are_consistent_and_not_negative(tree, seed):
    shape = (20, len(tree.children) - 1)
    noisy = np.random.default_rng(seed).normal(0.1, 1, shape)
    nodes = tree.consistent(noisy, nonnegative=True)
    assert (nodes >= 0).all()
    assert tree.sums(tree.shares(nodes)) == pytest.approx(nodes, abs=1e-9)
    assert tree.shares(nodes).sum(axis=-1) == pytest.approx(1.0)


def test_repair_leaves_good_nodes_alone_and_recomputes_below_a_repaired_parent():
    noisy = np.array([0.7, 0.2, 0.15, 0.5, 0.1, 0.3])
    same = FOUR.consistent(noisy, nonnegative=True)
    assert np.array_equal(same, FOUR.consistent(noisy))
    # The first parent falls below 0, so that all goes to the children of the other.
    far = FOUR.consistent([-3.0, 3.0, 0, 0, 0.2, 0.4], nonnegative=True)
    assert far == pytest.approx([0, 1, 0, 0, 0.4, 0.6])


@given(trees, st.integers(0, 2**32 - 1))
def test_true_sums_are_consistent_already(tree, seed):
    shares = np.random.default_rng(seed).dirichlet(np.ones(len(tree.cells)), 3)
    nodes = tree.sums(shares)
    assert tree.consistent(nodes, nonnegative=True) == pytest.approx(nodes)
    assert tree.shares(nodes) == pytest.approx(shares)


@given(st.integers(2, 40), st.integers(2, 5))
def test_balanced_tree_is_as_shallow_as_can_be(cells, branching):
    tree = Tree.balanced(cells, branching=branching)
    assert branching ** (tree.depth - 1) < cells <= branching**tree.depth
    assert len(tree.leaves) == cells


def test_folded_tree_pairs_first_and_last():
    assert FOUR.sums([0.1, 0.15, 0.25, 0.5]) == pytest.approx([0.6, 0.4, 0.1, 0.5, 0.15, 0.25])
    assert FOUR.depth == 2
    assert UNEVEN.depth == 3


@pytest.mark.parametrize(
    ("children", "cells"),
    [
        (((1,), ()), (0,)),
        (((1, 2), (), ()), (0, 0)),
        (((1, 2), (), ()), (0, 1, 2)),
        (((1, 2), (), (1, 2)), (0,)),
        (((2, 3), (), (), ()), (0, 1, 2)),
        (((2, 1), (1, 2), ()), (0,)),
    ],
)
def test_what_is_no_tree_is_refused(children, cells):
    with pytest.raises(ParameterError):
        Tree(children=children, cells=cells)


@pytest.mark.parametrize(("cells", "branching"), [(1, 2), (4, 1), (0, 2)])
def test_tree_needs_two_cells_and_two_children(cells, branching):
    with pytest.raises(ParameterError, match="two"):
        Tree.balanced(cells, branching=branching)


def test_multipliers_of_four_cells():
    cells, node, pairs = np.eye(4), [1, 0, 0, 1], [[1, 1, 0, 0], [1, 0, 1, 0]]
    tree = noise_maps.universal_histogram(FOUR)
    assert multiplier(tree, cells) == pytest.approx(7 / 3)
    assert multiplier(tree, node) == pytest.approx(4 / 3)
    assert multiplier(tree, pairs) == pytest.approx(4)
    flat = noise_maps.projection(4)
    assert multiplier(flat, cells) == pytest.approx(3 / 4)
    assert multiplier(flat, node) == pytest.approx(1)


def test_tree_beats_flat_releases_of_half_sums_from_32_leaves_on():
    expected = {8: (2.571, 2), 16: (4.267, 4), 32: (6.452, 8), 64: (9.143, 16)}
    for leaves, (tree, flat) in expected.items():
        assert half_sums(leaves) == pytest.approx((tree, flat), abs=5e-4)
        assert (half_sums(leaves)[0] < half_sums(leaves)[1]) is (leaves >= 32)
    cells = multiplier(noise_maps.universal_histogram(Tree.balanced(64)), np.eye(64)[0])
    assert cells == pytest.approx(21.8, abs=0.05)
    assert multiplier(noise_maps.projection(64), np.eye(64)[0]) == pytest.approx(63 / 64)


def test_multipliers_are_what_a_simulation_finds():
    rng = np.random.default_rng(2)
    tree = Tree.folded(6)
    noise = rng.laplace(0, tree.depth * 1e-3, (100_000, len(tree.children) - 1))
    shares = np.full(6, 1 / 6)
    released = tree.shares(tree.consistent(tree.sums(shares) + noise))
    found = released.var(axis=0) / 2e-6
    expected = multiplier(noise_maps.universal_histogram(tree), np.eye(6))
    assert found == pytest.approx(expected, rel=0.04)


@pytest.mark.parametrize("leaves", [0, 1, 7])
def test_half_of_an_odd_number_is_refused(leaves):
    with pytest.raises(ParameterError, match="even"):
        half_sums(leaves)
