"""Which released counts one made-up table can keep all at once.

Tables of pairs of columns that make no ring can be chained: the answer of one column is
drawn given that of its neighbor, and every pair has the counts that it shall have. Of
more pairs, those are kept that tell the most (Chow and Liu 1968): the tree of the
greatest sum of mutual information, estimated from the released counts alone.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from scipy.special import xlogy

from dpcore.arrays import FloatArray
from dpcore.synthesis.released_counts import Axis, Counted

OTHER_CELLS = "its column is counted in other bins or answers elsewhere"
RING = "it would close a ring; the pairs that are kept tell more"
NOISIER = "the same was released with less noise"


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Forest:
    """Counts that one table can keep, and those that it cannot. PUBLIC.

    Attributes:
        axes: Every column once, with its cells.
        singles: Counts of one column.
        pairs: Counts of two columns that make no ring, each after those that lead to
            its first column.
        left_out: Other counts, with why they are not kept.

    """

    axes: tuple[Axis, ...]
    singles: tuple[Counted, ...]
    pairs: tuple[Counted, ...]
    left_out: tuple[tuple[Counted, str], ...]

    @property
    def kept(self) -> tuple[Counted, ...]:
        """Return all counts that are kept."""
        return (*self.singles, *self.pairs)


def plant(counted: Sequence[Counted]) -> Forest:
    """Return which of the released counts a table shall keep.

    A column that was counted in several ways is taken as it was counted most often; of
    the same question asked twice, the answer with the least noise is taken.
    """
    chosen = _cells_of_each(counted)
    left_out = [
        (one, OTHER_CELLS)
        for one in counted
        if any(axis.cells != chosen[axis.name].cells for axis in one.axes)
    ]
    fitting = [one for one in counted if all(one is not out for out, _ in left_out)]
    best, noisier = _least_noise(fitting)
    pairs, rings = _without_rings([one for one in best if len(one.axes) > 1])
    left_out += [(one, NOISIER) for one in noisier] + [(one, RING) for one in rings]
    singles = tuple(one for one in best if len(one.axes) == 1)
    seen = {axis.name: axis for one in (*pairs, *singles) for axis in one.axes}
    return Forest(axes=tuple(seen.values()), singles=singles, pairs=pairs, left_out=tuple(left_out))


def mutual_information(counts: FloatArray) -> float:
    """Return how much one answer tells of the other, in nats; negative counts are 0.

    >>> round(mutual_information(np.array([[5.0, 0.0], [0.0, 5.0]])), 6)
    0.693147
    >>> mutual_information(np.array([[4.0, 2.0], [2.0, 1.0]])) < 1e-12
    True

    """
    held = np.maximum(counts, 0.0)
    total = held.sum()
    if total <= 0:
        return 0.0
    shares = held / total
    apart = np.outer(shares.sum(axis=1), shares.sum(axis=0))
    inside = shares > 0
    return max(
        float(np.sum(xlogy(shares[inside], (shares / np.where(apart > 0, apart, 1.0))[inside]))),
        0.0,
    )


def _cells_of_each(counted: Iterable[Counted]) -> dict[str, Axis]:
    """Return for each column the cells that most of the counts share."""
    axes = [axis for one in counted for axis in one.axes]
    often = Counter((axis.name, axis.cells) for axis in axes)
    chosen: dict[str, Axis] = {}
    for axis in axes:
        known = chosen.get(axis.name)
        if known is None or _worth(axis, often) > _worth(known, often):
            chosen[axis.name] = axis
    return chosen


def _worth(axis: Axis, often: Mapping[Any, int]) -> tuple[int, int]:
    return often[axis.name, axis.cells], len(axis.names)


def _least_noise(counted: Iterable[Counted]) -> tuple[list[Counted], list[Counted]]:
    best: dict[frozenset[str], Counted] = {}
    noisier = []
    for one in counted:
        name = frozenset(one.names)
        known = best.get(name)
        if known is None:
            best[name] = one
        elif one.widths.mean() < known.widths.mean():
            best[name] = one
            noisier.append(known)
        else:
            noisier.append(one)
    return list(best.values()), noisier


def _without_rings(pairs: Iterable[Counted]) -> tuple[tuple[Counted, ...], list[Counted]]:
    """Return the pairs of the tree that tells the most, in order, and the others."""
    tree: dict[str, str] = {}
    kept, rings = [], []
    for one in sorted(pairs, key=lambda one: -mutual_information(one.counts)):
        first, second = (_root(tree, name) for name in one.names)
        if first == second:
            rings.append(one)
        else:
            tree[first] = second
            kept.append(one)
    return _in_order(kept), rings


def _root(tree: dict[str, str], name: str) -> str:
    while name in tree:
        name = tree[name]
    return name


def _in_order(pairs: list[Counted]) -> tuple[Counted, ...]:
    """Return pairs such that the first column of each is known, or begins a tree."""
    ordered: list[Counted] = []
    known: set[str] = set()
    waiting = list(pairs)
    while waiting:
        found = next((one for one in waiting if known.intersection(one.names)), waiting[0])
        waiting.remove(found)
        first = found.names[0] in known or found.names[1] not in known
        ordered.append(
            found
            if first
            else replace(
                found,
                axes=found.axes[::-1],
                counts=found.counts.T,
                ends=np.swapaxes(found.ends, 0, 1),
            )
        )
        known.update(found.names)
    return tuple(ordered)
