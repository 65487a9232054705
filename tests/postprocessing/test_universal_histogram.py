"""Trees of sums: consistency is least squares, repair keeps it and the bounds."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dpcore.errors import ParameterError
from dpcore.postprocessing import universal_histogram as noise_maps
from dpcore.postprocessing.universal_histogram import Tree, half_sums, multiplier

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


@given(trees, st.integers(0, 2**32 - 1))
def test_repaired_nodes_are_consistent_and_not_negative(tree, seed):
    shape = (20, len(tree.children) - 1)
    noisy = np.random.default_rng(seed).normal(0.1, 1, shape)
    nodes = tree.consistent(noisy, nonnegative=True)
    assert (nodes >= 0).all()
    assert tree.sums(tree.shares(nodes)) == pytest.approx(nodes, abs=1e-9)
    assert tree.shares(nodes).sum(axis=-1) == pytest.approx(1.0)


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
