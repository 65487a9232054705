"""Procedures that make the released shares of all categories add up to 1."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Final

import numpy as np
from numpy.typing import ArrayLike

from dpcore.arrays import FloatArray
from dpcore.codec import WHOLE, Part, Schema, choice, optional
from dpcore.data.bounds import Interval
from dpcore.errors import ParameterError
from dpcore.mechanisms.bounded import Bounding, draw
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
            return rescale(noisy)
        if self.kind is ConstraintKind.PROJECT:
            return project(noisy)
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


# Releasing the parts of a whole: each part in its bounds, and their sum what it is.
#
# Four ways to make noisy parts add up (Liu 2016, section 4.2): divide them by their sum,
# move them to the nearest point that adds up, release all but one and leave the rest to
# the last, or release a tree of sums (``universal_histogram``). The last axis is the axis
# of the parts; everything before it is carried along.

_UNIT = Interval(lower=0.0, upper=1.0)


def rescale(noisy: ArrayLike) -> FloatArray:
    """Return parts divided by their sum; equal shares where the sum is 0.

    Raises:
        ParameterError: A part is negative or not finite, or there is none.

    >>> rescale([0.2, 0.3, 0.0]).tolist(), rescale([0.0, 0.0]).tolist()
    ([0.4, 0.6, 0.0], [0.5, 0.5])

    """
    noisy = _parts(noisy)
    if not np.all((noisy >= 0) & (noisy < np.inf)):
        raise ParameterError("noisy parts must be finite and at least 0 to be re-scaled.")
    # Divided by the largest first: the sum neither overflows nor loses tiny parts.
    largest = noisy.max(axis=-1, keepdims=True)
    relative = np.where(largest > 0, noisy, 1.0) / np.where(largest > 0, largest, 1.0)
    return np.asarray(relative / relative.sum(axis=-1, keepdims=True))


def project(noisy: ArrayLike) -> FloatArray:
    """Return the nearest vector of shares: at least 0, with sum 1 (least squares).

    It is ``max(noisy - t, 0)`` with the one ``t`` that makes the sum 1, found by
    sorting (Held, Wolfe and Crowder 1974).

    Raises:
        ParameterError: A part is not finite, or there is none.

    >>> project([0.9, 0.3, -0.4]).round(12).tolist()
    [0.8, 0.2, 0.0]

    """
    parts = _parts(noisy)
    if not np.isfinite(parts).all():
        raise ParameterError("noisy parts must be finite to be projected.")
    # A shift of all parts leaves the answer as it is, and keeps large ones exact.
    parts = parts - parts.max(axis=-1, keepdims=True)
    falling = -np.sort(-parts, axis=-1)
    counts = np.arange(1, parts.shape[-1] + 1)
    thresholds = (np.cumsum(falling, axis=-1) - 1) / counts
    kept = np.sum(falling > thresholds, axis=-1, keepdims=True)
    threshold = np.take_along_axis(thresholds, kept - 1, axis=-1)
    return np.asarray(np.maximum(parts - threshold, 0.0))


def all_but_one(
    shares: ArrayLike,
    *,
    noise: ArrayLike,
    order: Sequence[int],
    bounding: Bounding,
    rng: np.random.Generator,
) -> FloatArray:
    """Return releases of all cells but the last of ``order``, which gets the rest.

    Each cell is released on [0, what the cells before it left], so that the rest is
    never negative (Liu 2016, Remark 1). Which cell comes last matters: it collects the
    noise of all others.

    Args:
        shares: Shape ``(..., k)``: the true shares.
        noise: Scale of the noise, broadcasting against ``(...)``.
        order: The cells from first to last, each once.
        bounding: How each release is kept within its bounds.
        rng: Source of the simulation.

    Raises:
        ParameterError: ``order`` does not name every cell once.

    """
    shares = _parts(shares)
    cells = shares.shape[-1]
    if sorted(order) != list(range(cells)):
        raise ParameterError(f"the order must name each of the cells 0 to {cells - 1} once.")
    released = np.zeros(shares.shape)
    left = np.ones(shares.shape[:-1])
    for cell in order[:-1]:
        released[..., cell] = draw(
            shares[..., cell], noise=noise, upper=left, bounding=bounding, rng=rng
        )
        left = np.maximum(left - released[..., cell], 0.0)
    released[..., order[-1]] = left
    return released


def leaving_over(cell: int, cells: int) -> tuple[int, ...]:
    """Return an order of all-but-one that ends at ``cell``, the farthest first.

    >>> leaving_over(3, 4), leaving_over(0, 4)
    ((0, 1, 2, 3), (3, 2, 1, 0))
    """
    return tuple(sorted(range(cells), key=lambda other: -abs(other - cell)))


def _parts(noisy: ArrayLike) -> FloatArray:
    noisy = np.asarray(noisy, dtype=np.float64)
    if noisy.ndim == 0 or noisy.shape[-1] == 0:
        raise ParameterError("at least one part is needed.")
    return noisy
