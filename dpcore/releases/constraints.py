"""Making released shares add up to 1, and what that does to their noise."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING, Final

import numpy as np

from dpcore.errors import ParameterError
from dpcore.inference import constrained_proportions, variance_multipliers
from dpcore.inference.universal_histogram import Tree

if TYPE_CHECKING:
    from dpcore.data.bounds import FloatArray

MOST_SYNTHESES: Final = 20
_FEWEST: Final = 2


class ConstraintKind(StrEnum):
    """How released shares are made to add up to 1."""

    RESCALE = "divide by their sum"
    PROJECT = "nearest shares"
    ALL_BUT_ONE = "all but one"
    TREE = "universal histogram"


@dataclass(frozen=True, slots=True, kw_only=True)
class Constraint:
    """A procedure for shares, all of it public.

    Attributes:
        kind: Which procedure.
        remainder: All but one: the cell that gets what the others leave.
        branching: Universal histogram: children of a node.
        syntheses: How many independent answers share the budget; their mean is
            released, and their scatter says how far off it is.

    """

    kind: ConstraintKind
    remainder: int | None = None
    branching: int = 2
    syntheses: int = 1

    def __post_init__(self) -> None:
        if (self.remainder is not None) is not (
            self.kind is ConstraintKind.ALL_BUT_ONE
        ):
            message = "all but one, and no other procedure, needs the cell left over."
            raise ParameterError(message)
        if self.remainder is not None and self.remainder < 0:
            message = "the cell left over must be counted from 0."
            raise ParameterError(message)
        if not 1 <= self.syntheses <= MOST_SYNTHESES:
            message = f"syntheses must be from 1 to {MOST_SYNTHESES}."
            raise ParameterError(message)
        if self.branching < _FEWEST:
            message = "a tree needs at least two children a node."
            raise ParameterError(message)

    def tree(self, cells: int) -> Tree:
        """Return the tree over that many cells."""
        return Tree.balanced(cells, branching=self.branching)

    def read(self, shares: FloatArray) -> FloatArray:
        """Return the numbers that noise is added to, last axis; CONFIDENTIAL."""
        cells = shares.shape[-1]
        if self.kind is ConstraintKind.TREE:
            return self.tree(cells).sums(shares)
        if self.kind is ConstraintKind.ALL_BUT_ONE:
            return shares[..., list(self._order(cells)[:-1])]
        return shares

    def adjust(self, noisy: FloatArray, cells: int) -> FloatArray:
        """Return the shares, at least 0 and with sum 1, that follow from ``noisy``.

        Post-processing: it reads released numbers only.
        """
        if self.kind is ConstraintKind.RESCALE:
            return constrained_proportions.rescale(noisy)
        if self.kind is ConstraintKind.PROJECT:
            return constrained_proportions.project(noisy)
        if self.kind is ConstraintKind.TREE:
            tree = self.tree(cells)
            return tree.shares(tree.consistent(noisy, nonnegative=True))
        shares, left = np.zeros((*noisy.shape[:-1], cells)), np.ones(noisy.shape[:-1])
        *released, last = self._order(cells)
        for place, cell in enumerate(released):
            shares[..., cell] = np.clip(noisy[..., place], 0.0, left)
            left = left - shares[..., cell]
        shares[..., last] = left
        return shares

    def layers(self, cells: int) -> int:
        """Return how many of the noisy numbers each share is counted in."""
        return self.tree(cells).depth if self.kind is ConstraintKind.TREE else 1

    def multipliers(self, shares: FloatArray) -> FloatArray:
        """Return the noise variance of each share over that of one flat release.

        To first order, away from the bounds; at released ``shares``, whose last axis
        is that of the cells.
        """
        cells = shares.shape[-1]
        if self.kind is ConstraintKind.RESCALE:
            # The squared rows of ``variance_multipliers.rescaling`` at every vector.
            return np.asarray((1 - shares) ** 2 + (cells - 1) * shares**2)
        if self.kind is ConstraintKind.PROJECT:
            noise = variance_multipliers.projection(cells)
        elif self.kind is ConstraintKind.TREE:
            noise = variance_multipliers.universal_histogram(self.tree(cells))
        else:
            noise = variance_multipliers.all_but_one(self._order(cells))
        return variance_multipliers.multiplier(noise, np.eye(cells))

    def parameters(self) -> dict[str, object]:
        """Return all that defines the procedure, ready for JSON."""
        return {
            "kind": self.kind.value,
            "remainder": self.remainder,
            "branching": self.branching if self.kind is ConstraintKind.TREE else None,
            "syntheses": self.syntheses,
        }

    def _order(self, cells: int) -> tuple[int, ...]:
        remainder = cells - 1 if self.remainder is None else self.remainder
        if not 0 <= remainder < cells:
            message = f"the cell left over must be from 0 to {cells - 1}."
            raise ParameterError(message)
        return (*(cell for cell in range(cells) if cell != remainder), remainder)
