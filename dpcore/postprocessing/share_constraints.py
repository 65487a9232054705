"""Procedures that make the released shares of all categories add up to 1."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import Final

import numpy as np

from dpcore.arrays import FloatArray
from dpcore.codec import WHOLE, Part, Schema, choice, optional
from dpcore.errors import ParameterError
from dpcore.postprocessing import constrained_proportions
from dpcore.postprocessing.universal_histogram import Tree

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
        if (self.remainder is not None) is not (self.kind is ConstraintKind.ALL_BUT_ONE):
            raise ParameterError("all but one, and no other procedure, needs the cell left over.")
        if self.remainder is not None and self.remainder < 0:
            raise ParameterError("the cell left over must be counted from 0.")
        if not 1 <= self.syntheses <= MOST_SYNTHESES:
            raise ParameterError(f"syntheses must be from 1 to {MOST_SYNTHESES}.")
        if self.branching < _FEWEST:
            raise ParameterError("a tree needs at least two children a node.")

    @property
    def text(self) -> str:
        """Return what it does, in words.

        >>> Constraint(kind=ConstraintKind.PROJECT).text
        'made to add up to 1 (nearest shares)'
        """
        return f"made to add up to 1 ({self.kind.value})"

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

    def readings(self, noisy: FloatArray, cells: int) -> FloatArray:
        """Return the noisy number that tells of each cell by itself, last axis.

        Of the cell that gets what the others leave, that is what their noisy shares
        leave of 1, which may be less than 0.
        """
        if self.kind is ConstraintKind.TREE:
            return self.tree(cells).shares(noisy)
        if self.kind is not ConstraintKind.ALL_BUT_ONE:
            return noisy
        readings = np.empty((*noisy.shape[:-1], cells))
        *released, last = self._order(cells)
        readings[..., released] = noisy
        readings[..., last] = 1 - noisy.sum(axis=-1)
        return readings

    def layers(self, cells: int) -> int:
        """Return how many of the noisy numbers each share is counted in."""
        return self.tree(cells).depth if self.kind is ConstraintKind.TREE else 1

    def _order(self, cells: int) -> tuple[int, ...]:
        remainder = cells - 1 if self.remainder is None else self.remainder
        if not 0 <= remainder < cells:
            raise ParameterError(f"the cell left over must be from 0 to {cells - 1}.")
        return (*(cell for cell in range(cells) if cell != remainder), remainder)


CONSTRAINT: Final = Schema(
    Constraint,
    kind=choice(ConstraintKind),
    remainder=optional(WHOLE),
    branching=Part(
        codec=optional(WHOLE),
        of=lambda asked: asked.branching if asked.kind is ConstraintKind.TREE else None,
    ),
    syntheses=WHOLE,
)
