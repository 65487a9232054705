"""How much noise each procedure leaves in a share, far from the bounds.

There every procedure is linear in the noise, so that the variance of a sum of cells is
a multiple of the variance of one flat release. The multiples tell, without a single
simulation, which procedure is the most accurate for which sum.

A *noise map* is the matrix that takes the noise of the releases to the released cells,
in units of one flat release of all cells: shape ``(cells, releases)``.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from dpcore.arrays import FloatArray
from dpcore.errors import ParameterError
from dpcore.postprocessing.universal_histogram import Tree

_FEWEST = 2


def projection(cells: int) -> FloatArray:
    """Return the noise map of moving all cells by the same amount: ``I - 1 1'/k``."""
    return np.asarray(np.eye(cells) - 1 / cells)


def universal_histogram(tree: Tree) -> FloatArray:
    """Return the noise map of a tree, whose noise is ``depth`` times as wide."""
    nodes = np.eye(len(tree.children) - 1)
    return tree.depth * tree.shares(tree.consistent(nodes, root=0.0)).T


def multiplier(noise: FloatArray, weights: ArrayLike) -> FloatArray:
    """Return the variance of weighted sums of cells over that of one flat release.

    Args:
        noise: A noise map, shape ``(cells, releases)``.
        weights: Shape ``(..., cells)``.

    """
    reached = np.asarray(weights, dtype=np.float64) @ noise
    return np.asarray(np.sum(reached**2, axis=-1))


def half_sums(leaves: int, *, branching: int = 2) -> tuple[float, float]:
    """Return the multipliers of the sum of half the cells: from a tree, and flat.

    Flat means moved to sum 1 by equal parts. A binary tree wins from 32 leaves on.

    Raises:
        ParameterError: ``leaves`` is odd or below 2.

    >>> [round(number, 3) for number in half_sums(32)]
    [6.452, 8.0]

    """
    if leaves < _FEWEST or leaves % 2:
        raise ParameterError("half of the leaves needs an even number of them, at least 2.")
    half = np.arange(leaves) < leaves // 2
    tree = universal_histogram(Tree.balanced(leaves, branching=branching))
    return (float(multiplier(tree, half)), float(multiplier(projection(leaves), half)))
