"""Equally long cells that losses are counted in: a product tells a loss its cell."""

from __future__ import annotations

import math
from dataclasses import dataclass, field

import numpy as np

from dpcore.arrays import FloatArray


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Grid:
    """Cells from 0 to an end; losses above an edge and at most the next are in one.

    A loss times ``k / end``, rounded up, is the number of its cell, from 1. A product
    is rounded, too, so each edge is the largest float whose product is not above its
    number: no loss is counted in a cell beside its own, and none has to be looked up.

    Attributes:
        edges: Ends of the ``k`` cells, ascending from 0, shape ``(k + 1,)``.
        cells_per_loss: What losses are multiplied by: no product is above ``k``.

    """

    edges: FloatArray = field(repr=False)
    cells_per_loss: float

    @classmethod
    def of(cls, *, end: float, cells: int) -> Grid:
        """Return the grid of so many cells from 0 to a positive ``end``."""
        number = np.arange(1.0, cells + 1)
        per_loss = cells / end
        while end * per_loss > cells:
            per_loss = math.nextafter(per_loss, 0)
        edges = number / per_loss
        while (too_far := edges * per_loss > number).any():
            edges = np.where(too_far, np.nextafter(edges, 0), edges)
        while (further := np.nextafter(edges, np.inf) * per_loss <= number).any():
            edges = np.where(further, np.nextafter(edges, np.inf), edges)
        edges = np.concatenate([[0.0], edges[:-1], [end]])
        return cls(edges=edges, cells_per_loss=per_loss)

    @property
    def end(self) -> float:
        """Return where the last cell ends."""
        return float(self.edges[-1])

    def counts(self, losses: FloatArray) -> FloatArray:
        """Return how many losses, from 0 to the end, are in each cell, ``(k,)``.

        The first cell has those that are 0, too.

        >>> Grid.of(end=2.0, cells=4).counts(np.array([0.0, 0.5, 0.6, 2.0]))
        array([2., 1., 0., 1.])
        """
        cell = losses * self.cells_per_loss
        np.ceil(cell, out=cell)
        counts = np.bincount(cell.astype(np.int32), minlength=len(self.edges))
        counts[1] += counts[0]
        return counts[1:].astype(np.float64)
