"""How far the law of a release moves when one person leaves. CONFIDENTIAL.

The total variation distance of the two laws is the delta that goes with epsilon 0: the
chance by which any test for the person beats guessing, and what bounds overfitting
(``generalization``).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

import numpy as np

from dpcore.statistics.blocks import ShiftBlocks

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

    from dpcore.arrays import FloatArray
    from dpcore.data.bounds import Interval
    from dpcore.individual.exposure import Exposure
    from dpcore.statistics.base import Shifts


class Distinguishable(Protocol):
    """A mechanism whose two laws can be told apart by so much."""

    def pair_delta(
        self, first: ArrayLike, second: ArrayLike, *, epsilon: float
    ) -> FloatArray:
        """Return the smallest delta between two values of the statistic."""
        ...


def total_variations(
    mechanism: Distinguishable, exposure: Exposure, *, within: Interval, rows: int = 1
) -> FloatArray:
    """Return everybody's total variation, shape ``(n,)``, in [0, 1].

    Args:
        mechanism: What draws the release.
        exposure: Everybody's loss from it, with the shifts behind.
        within: The range of the statistic.
        rows: How many rows one unit may own; they all shift it alike.

    """
    actual = exposure.shifts.actual

    def largest(block: Shifts) -> FloatArray:
        found = np.zeros(len(block.alternatives))
        for column in range(block.alternatives.shape[1]):
            there = block.alternatives[:, column]
            if rows > 1:
                there = within.clip(actual + rows * (there - actual))
            np.maximum(
                found, mechanism.pair_delta(actual, there, epsilon=0.0), out=found
            )
        return found

    shifts = exposure.shifts
    if isinstance(shifts, ShiftBlocks):
        return shifts.map(largest)
    return shifts.of_people(largest(shifts))


def lengths(exposure: Exposure, *, rows: int = 1) -> FloatArray:
    """Return how far everybody can move the statistic, in Euclidean length, ``(n,)``.

    ``rows`` rows of a unit move it by as many times as much, at most.
    """
    actual = exposure.shifts.actual

    def longest(block: Shifts) -> FloatArray:
        moved = block.alternatives - actual
        return np.asarray(np.sqrt((moved * moved).sum(axis=-1)).max(axis=-1))

    shifts = exposure.shifts
    found = (
        shifts.map(longest)
        if isinstance(shifts, ShiftBlocks)
        else shifts.of_people(longest(shifts))
    )
    return rows * found
