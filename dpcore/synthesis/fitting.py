"""The nearest counts that could be those of a table.

Noisy counts are no counts: some are negative, and tables that share a column disagree
about it. The fitted ones are at least 0, agree, and stay within the intervals of the
release if anything can: what the table really holds is within all of them, but for the
probability that was said, and so is a solution. Among such counts, those are taken
whose distances from the released ones, in half-widths, have the least sum: a linear
program.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from dpcore.arrays import FloatArray
from dpcore.errors import ParameterError
from dpcore.synthesis.counted import Counted
from dpcore.synthesis.forest import Forest
from dpcore.synthesis.programs import least

_SLACK = 1e-7


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Fitted:
    """Counts that agree. PUBLIC.

    Attributes:
        counts: For each of the kept counts of the forest, in that order, real numbers
            of at least 0 in the same shape.
        people: What each of them sums to.
        stretch: By how much the intervals had to be widened, in half-widths; 0 where
            all counts lie within theirs.

    """

    counts: tuple[FloatArray, ...]
    people: float
    stretch: float


def fit(forest: Forest) -> Fitted:
    """Return the nearest counts that agree.

    Raises:
        ParameterError: There are no counts.

    """
    if not forest.kept:
        raise ParameterError("a made-up table needs released counts of at least one column.")
    program = _Program.of(forest)
    found = program.solve(0.0)
    stretch = 0.0
    if found is None:
        stretch = program.least_stretch()
        found = program.solve(stretch * (1 + _SLACK) + _SLACK)
    if found is None:  # the solver's own tolerance
        raise ParameterError("these counts could not be made to agree.")
    parts = np.split(found, np.cumsum(program.sizes)[:-1])
    counts = tuple(
        part.reshape(one.counts.shape) for part, one in zip(parts, forest.kept, strict=True)
    )
    return Fitted(counts=counts, people=float(counts[0].sum()), stretch=stretch)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class _Program:
    """Unknown counts ``x`` and their distances ``d``, one after another.

    ``agree`` holds the equations of ``x`` alone, with ``right`` on their right.
    """

    released: FloatArray
    low: FloatArray
    high: FloatArray
    widths: FloatArray
    agree: sparse.csr_matrix
    right: FloatArray
    sizes: tuple[int, ...]

    @classmethod
    def of(cls, forest: Forest) -> _Program:
        kept = forest.kept
        ends = np.concatenate([one.ends.reshape(-1, 2) for one in kept])
        agree, right = _equations(kept)
        return cls(
            released=np.concatenate([one.counts.ravel() for one in kept]),
            low=ends[:, 0],
            high=ends[:, 1],
            widths=np.concatenate([one.widths.ravel() for one in kept]),
            agree=agree,
            right=right,
            sizes=tuple(one.counts.size for one in kept),
        )

    def solve(self, stretch: float) -> FloatArray | None:
        """Return the nearest counts within the stretched intervals, if there are."""
        number = len(self.released)
        one = sparse.identity(number)
        none = sparse.csr_matrix((len(self.right), number))
        off = sparse.vstack([sparse.hstack([one, -one]), sparse.hstack([-one, -one])])
        found = least(
            np.concatenate([np.zeros(number), 1 / self.widths]),
            equal=(sparse.hstack([self.agree, none]), self.right),
            below=(off, np.concatenate([self.released, -self.released])),
            within=np.concatenate([self._within(stretch), self._positive(number)]),
        )
        return None if found is None else np.maximum(found[:number], 0.0)

    def least_stretch(self) -> float:
        """Return by how many half-widths the intervals have to be widened at least."""
        number = len(self.released)
        one, wider = sparse.identity(number), sparse.csr_matrix(-self.widths[:, None])
        none = sparse.csr_matrix((len(self.right), 1))
        off: Any = [sparse.hstack([one, wider]), sparse.hstack([-one, wider])]
        found = least(
            np.append(np.zeros(number), 1.0),
            equal=(sparse.hstack([self.agree, none]), self.right),
            below=(sparse.vstack(off), np.concatenate([self.high, -self.low])),
            within=self._positive(number + 1),
        )
        return np.inf if found is None else float(found[-1])

    def _within(self, stretch: float) -> FloatArray:
        low = np.maximum(self.low - stretch * self.widths, 0.0)
        high = np.maximum(self.high + stretch * self.widths, 0.0)
        return np.stack([low, high], axis=1)

    @staticmethod
    def _positive(number: int) -> FloatArray:
        return np.tile([0.0, np.inf], (number, 1))


def _equations(kept: Sequence[Counted]) -> tuple[sparse.csr_matrix, FloatArray]:
    """Return that counts of a column agree, and that all sum to the same number."""
    sums = [_sums(kept, place) for place in range(len(kept))]
    public = next((one.people for one in kept if one.people is not None), None)
    rows: list[sparse.csr_matrix] = []
    right: list[float] = []
    if public is not None:
        rows.append(sums[0][None])
        right.append(float(public))
    first: dict[str, sparse.csr_matrix] = {}
    total = sums[0][None]
    for place, one in enumerate(kept):
        rows.append(sums[place][None] - total)
        right.append(0.0)
        for axis in one.axes:
            own = sums[place][axis.name]
            if axis.name in first:
                rows.append(own - first[axis.name])
                right += [0.0] * own.shape[0]
            else:
                first[axis.name] = own
    return sparse.csr_matrix(sparse.vstack(rows)), np.array(right)


def _sums(kept: Sequence[Counted], place: int) -> dict[str | None, sparse.csr_matrix]:
    """Return how the counts of each column, and of everybody, follow from unknowns."""
    before = sum(one.counts.size for one in kept[:place])
    number = sum(one.counts.size for one in kept)
    own = kept[place]
    at = before + np.arange(own.counts.size)
    cells = np.indices(own.counts.shape).reshape(len(own.axes), -1)

    def of(cell: NDArray[np.intp], size: int) -> sparse.csr_matrix:
        return sparse.csr_matrix((np.ones(len(at)), (cell, at)), shape=(size, number))

    known: dict[str | None, sparse.csr_matrix] = {
        axis.name: of(cells[i], len(axis.names)) for i, axis in enumerate(own.axes)
    }
    known[None] = of(np.zeros(len(at), dtype=int), 1)
    return known
