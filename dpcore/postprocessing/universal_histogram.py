"""Universal histograms: a tree of noisy sums, made consistent (Hay et al. 2010).

The root is public (for shares it is 1). Every other node is released with noise of one
scale; a record touches one node on each layer, so that the sensitivity grows with the
depth. Afterwards the nodes are moved, in least squares, to where every parent is the
sum of its children, and negative ones are repaired from the top down.

The two passes of Hay et al. are for trees whose nodes all have ``k`` children. Stated
with variances they hold for every tree: going up, a node averages its own release
(variance 1) with the sum of its children (variance ``s``), weighted ``s : 1``; going
down, what is missing to the parent is shared in proportion to the variances.

How much noise each procedure leaves in a share, far from the bounds.

There every procedure is linear in the noise, so that the variance of a sum of cells is
a multiple of the variance of one flat release. The multiples tell, without a single
simulation, which procedure is the most accurate for which sum.

A *noise map* is the matrix that takes the noise of the releases to the released cells,
in units of one flat release of all cells: shape ``(cells, releases)``.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Self

import numpy as np
from numpy.typing import ArrayLike

from dpcore.arrays import FloatArray
from dpcore.errors import ParameterError

_FEWEST = 2


@dataclass(frozen=True, slots=True, kw_only=True)
class Tree:
    """Which sums of cells are released.

    Attributes:
        children: The children of each node; node 0 is the root, and a parent stands
            before its children. A node without children is a leaf.
        cells: The cell that each leaf holds, in the order of the leaves.

    Raises:
        ParameterError: The nodes are no such tree, or the leaves do not hold each
            cell once.

    """

    children: tuple[tuple[int, ...], ...]
    cells: tuple[int, ...]

    def __post_init__(self) -> None:
        below = [child for family in self.children for child in family]
        ordered = all(child > node for node, family in enumerate(self.children) for child in family)
        if sorted(below) != list(range(1, len(self.children))) or not ordered:
            raise ParameterError("every node except the root needs one earlier parent.")
        if any(len(family) == 1 for family in self.children):
            raise ParameterError("a parent needs at least two children.")
        if sorted(self.cells) != list(range(len(self.leaves))):
            raise ParameterError("the leaves must hold each cell once.")

    @classmethod
    def balanced(
        cls, cells: int, *, branching: int = 2, order: Sequence[int] | None = None
    ) -> Self:
        """Return a tree with ``branching`` children a node, as even as cells allow.

        Args:
            cells: Number of leaves, at least 2.
            branching: Children of a node, at least 2; fewer where cells run out.
            order: The cells from the first leaf to the last; as numbered if not given.

        Raises:
            ParameterError: There are too few cells or children.

        >>> Tree.balanced(4).children
        ((1, 2), (3, 4), (5, 6), (), (), (), ())

        """
        if cells < _FEWEST or branching < _FEWEST:
            raise ParameterError("a tree needs at least two cells and two children a node.")
        order = tuple(range(cells)) if order is None else tuple(order)
        groups = [order]
        families: list[tuple[int, ...]] = []
        while len(families) < len(groups):
            group = groups[len(families)]
            parts = _parts(group, branching) if len(group) > 1 else []
            families.append(tuple(range(len(groups), len(groups) + len(parts))))
            groups += parts
        leaves = (group[0] for group in groups if len(group) == 1)
        return cls(children=tuple(families), cells=tuple(leaves))

    @classmethod
    def folded(cls, cells: int) -> Self:
        """Return a binary tree that pairs the first cell with the last, and so on.

        With four cells its inner nodes are p1 + p4 and p2 + p3 (Liu 2016, section 4.2).
        """
        pairs = zip(range(cells), reversed(range(cells)), strict=True)
        order = dict.fromkeys(cell for pair in pairs for cell in pair)
        return cls.balanced(cells, order=tuple(order))

    @property
    def leaves(self) -> tuple[int, ...]:
        """Return the nodes that are leaves, in the order of ``cells``."""
        return tuple(n for n, family in enumerate(self.children) if not family)

    @property
    def depth(self) -> int:
        """Return how many released nodes one record touches at most."""
        depths = [0] * len(self.children)
        for node, family in enumerate(self.children):
            for child in family:
                depths[child] = depths[node] + 1
        return max(depths)

    def sums(self, shares: ArrayLike) -> FloatArray:
        """Return the true nodes but the root, shape ``(..., nodes - 1)``."""
        shares = np.asarray(shares, dtype=np.float64)
        nodes = np.zeros((len(self.children), *shares.shape[:-1]))
        nodes[list(self.leaves)] = np.moveaxis(shares, -1, 0)[list(self.cells)]
        for node in reversed(range(len(self.children))):
            if self.children[node]:
                nodes[node] = nodes[list(self.children[node])].sum(axis=0)
        return np.moveaxis(nodes[1:], 0, -1)

    def consistent(
        self, noisy: ArrayLike, *, root: float = 1.0, nonnegative: bool = False
    ) -> FloatArray:
        """Return nodes near ``noisy`` where every parent is the sum of its children.

        They are the nearest ones in least squares. If they shall be ``nonnegative``
        too, the way down repairs every family once its parent is repaired: negative
        children become 0, and the others are re-scaled to the parent (Liu 2016,
        footnote 4); a parent of 0 leaves 0 to all.

        Args:
            noisy: Shape ``(..., nodes - 1)``: every node but the root.
            root: The public value of the root.
            nonnegative: Whether negative nodes are repaired.

        """
        noisy = np.asarray(noisy, dtype=np.float64)
        nodes = np.empty((len(self.children), *noisy.shape[:-1]))
        nodes[0] = root
        nodes[1:] = np.moveaxis(noisy, -1, 0)
        variance = np.ones(len(self.children))
        for node in reversed(range(1, len(self.children))):
            family = list(self.children[node])
            if family:
                s = variance[family].sum()
                nodes[node] = (s * nodes[node] + nodes[family].sum(axis=0)) / (1 + s)
                variance[node] = s / (1 + s)
        for node, children in enumerate(self.children):
            family = list(children)
            if family:
                missing = nodes[node] - nodes[family].sum(axis=0)
                part = variance[family] / variance[family].sum()
                moved = nodes[family] + np.multiply.outer(part, missing)
                nodes[family] = _repaired(moved, nodes[node]) if nonnegative else moved
        return np.moveaxis(nodes[1:], 0, -1)

    def shares(self, nodes: ArrayLike) -> FloatArray:
        """Return the cells of ``nodes``, shape ``(..., k)``, in their own order."""
        nodes = np.asarray(nodes, dtype=np.float64)
        cells = np.empty((*nodes.shape[:-1], len(self.cells)))
        cells[..., list(self.cells)] = nodes[..., [leaf - 1 for leaf in self.leaves]]
        return cells


def _repaired(family: FloatArray, parent: FloatArray) -> FloatArray:
    """Return a family, shape ``(k, ...)``, without negative members."""
    kept = np.maximum(family, 0.0)
    total = kept.sum(axis=0)
    equal = np.full_like(kept, 1 / len(kept))
    repaired = np.divide(kept, total, out=equal, where=total > 0) * parent
    return np.where(np.any(family < 0, axis=0), repaired, family)


def _parts(group: Sequence[int], parts: int) -> list[tuple[int, ...]]:
    """Return a group cut into at most that many runs, as even as possible."""
    runs = np.array_split(np.asarray(group), min(parts, len(group)))
    return [tuple(int(cell) for cell in run) for run in runs]


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
