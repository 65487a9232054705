"""A sum or count of each group of people, the groups being a public list of labels."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from dpcore.arrays import FloatArray
from dpcore.data.bounds import Interval
from dpcore.errors import ParameterError
from dpcore.mechanisms.base import Sensitivity
from dpcore.relations import NeighboringRelation
from dpcore.statistics.base import Shifts
from dpcore.statistics.blocks import ShiftBlocks
from dpcore.statistics.entries import name_of_others
from dpcore.statistics.parts import Totals
from dpcore.statistics.rows import grouped_rows
from dpcore.statistics.sums import Sum


@dataclass(frozen=True, slots=True, kw_only=True)
class Grouped:
    """The sum of each group, and of those in none of them; counts are sums of ones.

    ``values`` has shape ``(n, 2)``: the number, then the code of the group, with
    ``len(labels)`` for a group that is not on the public list. The size of a group is
    private under either relation, since a record carries its label along; sums need no
    size. What divides by it follows from ``GroupMoments`` instead.

    Sensitivity, with ``s_j`` that of part ``j`` to one person more or less: adding or
    removing a record changes one part, by ``max s_j``. Replacing a record may take it
    from one group to another: it changes two parts, at most by the two largest ``s_j``.
    A record that stays changes one part by its sensitivity to substitution; of bounds
    with both signs that is the larger in length. The parts share no records, so all of
    this is attained.

    Attributes:
        labels_of_groups: The public list of groups.
        parts: The sum of each group, and last that of all others; their sizes are
            private.

    """

    labels_of_groups: tuple[str, ...]
    parts: tuple[Sum, ...]

    def __post_init__(self) -> None:
        count = len(self.labels_of_groups)
        if count == 0 or len(self.parts) != count + 1:
            raise ParameterError(
                f"{count} groups need {count + 1} statistics, one of them for records "
                f"of no listed group, got {len(self.parts)}."
            )
        if any(part.size.public for part in self.parts):
            raise ParameterError("the sizes of groups are private: nothing is public about them.")

    @classmethod
    def alike(cls, *, labels_of_groups: tuple[str, ...], part: Sum) -> Self:
        """Return the same sum for every group."""
        count = len(labels_of_groups) + 1
        return cls(labels_of_groups=labels_of_groups, parts=(part,) * count)

    @property
    def labels(self) -> tuple[str, ...]:
        """Return the name of each group; the last is that of all others."""
        return (*self.labels_of_groups, name_of_others(self.labels_of_groups))

    @property
    def range(self) -> Interval:
        """Return the public interval that contains every coordinate."""
        ranges = [part.range for part in self.parts]
        return Interval(
            lower=min(each.lower for each in ranges), upper=max(each.upper for each in ranges)
        )

    def value(self, values: FloatArray) -> FloatArray:
        """Return the statistic of each group, shape ``(K + 1,)``."""
        return self.of_whole(self.part(values))

    def part(self, values: FloatArray) -> Totals:
        """Return the sum of each group of some people."""
        numbers, codes = self._read(values)
        sums = [part.part(numbers[codes == j]).total for j, part in enumerate(self.parts)]
        return Totals(people=len(codes), total=np.concatenate(sums))

    def together(self, parts: Sequence[Totals]) -> Totals:
        """Return the sums of the people of all parts."""
        return Totals.together(parts)

    def of_whole(self, whole: Totals) -> FloatArray:
        """Return the sums of a whole table."""
        return whole.total

    def sensitivity(self, relation: NeighboringRelation) -> Sensitivity:
        """Return the most that one record can change all parts together."""
        alone = [part.sensitivity(NeighboringRelation.ADD_REMOVE).l1 for part in self.parts]
        first, second = sorted(alone, reverse=True)[:2]
        if relation is NeighboringRelation.ADD_REMOVE:
            return Sensitivity.scalar(first)
        staying = max(part.sensitivity(relation).l1 for part in self.parts)
        return Sensitivity(
            coordinates=2,
            l1=max(staying, first + second),
            l2=max(staying, float(np.hypot(first, second))),
            largest=max(staying, first),
        )

    def shifts(self, values: FloatArray, relation: NeighboringRelation) -> Shifts:
        """Return where the statistics would move for each person, all at once."""
        moves = self._moves(values, relation)
        return Shifts(
            actual=moves.actual,
            alternatives=moves.alternatives(np.arange(len(moves.group))),
            kind=moves.kind,
        )

    def shift_blocks(self, values: FloatArray, relation: NeighboringRelation) -> ShiftBlocks:
        """Return where the statistics would move for each person, a block at a time.

        Under substitution the person stays, with an extreme value, or goes to another
        group: the one whose statistic a newcomer can raise most, or lower most. These
        are the moves of the greatest distance; a mechanism whose loss depends on the
        position too (truncated noise) may find another group a little worse.
        """
        moves = self._moves(values, relation)
        return ShiftBlocks(
            actual=moves.actual,
            people=len(moves.kind),
            of_rows=lambda rows: moves.alternatives(moves.kind[rows]),
        )

    def additions(
        self,
        values: FloatArray,
        relation: NeighboringRelation,  # noqa: ARG002 - sizes are private under both
    ) -> FloatArray:
        """Return the statistics after a person joins each of the groups, (c, K + 1)."""
        numbers, codes = self._read(values)
        actual = self.value(values)
        joined = self._joined(numbers, codes)
        count, extremes = joined.shape
        reached = np.tile(actual, (count, extremes, 1))
        everyone = np.arange(count)
        reached[everyone, :, everyone] = joined
        return reached.reshape(-1, count)

    def sampling_sd(self, estimate: FloatArray) -> FloatArray:
        """Return the largest bound of all parts; ``parts`` has that of each."""
        each = [part.sampling_sd(estimate) for part in dict.fromkeys(self.parts)]
        return np.asarray(np.maximum.reduce(each))

    def _read(self, values: FloatArray) -> tuple[FloatArray, NDArray[np.intp]]:
        numbers, codes = grouped_rows(values, columns=1, groups=len(self.parts))
        return numbers[:, 0], codes

    def _moves(self, values: FloatArray, relation: NeighboringRelation) -> _Moves:
        numbers, codes = self._read(values)
        kind, group, actual = np.empty(len(codes), dtype=np.intp), [], []
        staying, leaving, start = [], [], 0
        for j, part in enumerate(self.parts):
            members = numbers[codes == j]
            shifts = part.shifts(members, relation)
            alone = part.shifts(members, NeighboringRelation.ADD_REMOVE)
            kind[codes == j] = start + (
                np.arange(shifts.people) if shifts.kind is None else shifts.kind
            )
            actual.append(shifts.actual[0])
            group.append(np.full(len(shifts.alternatives), j, dtype=np.intp))
            staying.append(shifts.alternatives[..., 0])
            leaving.append(alone.alternatives[:, 0, 0])
            start += len(shifts.alternatives)
        joining = self._joined(numbers, codes) - np.array(actual)[:, np.newaxis]
        replaced = relation is NeighboringRelation.SUBSTITUTION
        return _Moves(
            actual=np.array(actual),
            kind=kind,
            group=np.concatenate(group),
            staying=np.concatenate(staying),
            leaving=np.concatenate(leaving),
            joining=_farthest_others(joining) if replaced else None,
        )

    def _joined(self, numbers: FloatArray, codes: NDArray[np.intp]) -> FloatArray:
        """Return each part after an extreme newcomer, shape ``(K + 1, 2)``."""
        joined = [
            part.additions(numbers[codes == j], NeighboringRelation.ADD_REMOVE)
            for j, part in enumerate(self.parts)
        ]
        return np.array([[each.min(), each.max()] for each in joined])


class _Moves(NamedTuple):
    """What each kind of people can do to the parts. CONFIDENTIAL."""

    actual: FloatArray
    kind: NDArray[np.intp]
    """Each person's kind, ``(n,)``."""
    group: NDArray[np.intp]
    """Group of each of the ``m`` kinds."""
    staying: FloatArray
    """The own part after the record changed within the group or was removed."""
    leaving: FloatArray
    """The own part without the person, ``(m,)``."""
    joining: tuple[tuple[NDArray[np.intp], FloatArray], ...] | None
    """For each own group another one to join, and how its part moves; if allowed."""

    def alternatives(self, kinds: NDArray[np.intp]) -> FloatArray:
        """Return the values of all parts instead, ``(r, a, K + 1)``."""
        rows, group = np.arange(len(kinds)), self.group[kinds]
        stays = self.staying.shape[1]
        joining = self.joining or ()
        reached = np.tile(self.actual, (len(kinds), stays + len(joining), 1))
        reached[rows, :stays, group] = self.staying[kinds]
        for side, (other, move) in enumerate(joining, start=stays):
            reached[rows, side, group] = self.leaving[kinds]
            reached[rows, side, other[group]] += move[group]
        return reached


def _farthest_others(moves: FloatArray) -> tuple[tuple[NDArray[np.intp], FloatArray], ...]:
    """Return for each group the other one that moves down most, and up most."""
    own = np.eye(len(moves), dtype=bool)
    lowest = np.where(own, np.inf, moves[:, 0]).argmin(axis=1)
    highest = np.where(own, -np.inf, moves[:, 1]).argmax(axis=1)
    return (lowest, moves[lowest, 0]), (highest, moves[highest, 1])
