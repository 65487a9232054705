"""Statistics of rows, where a person is protected with all of them.

A table counts at most ``m`` rows of each person; a person may have none. Two tables are
neighbors if all rows of one person are there or not (add/remove), or are others, as
many or not (substitution). What is computed is the statistic of the rows; what a person
can change, and does, is that of all their rows together.

An entry is a person here: ``packed`` puts the rows of each into one line.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Final

import numpy as np
from numpy.typing import NDArray

from dpcore.arrays import FloatArray
from dpcore.data.bounds import Interval
from dpcore.data.dataset import Dataset
from dpcore.errors import ParameterError
from dpcore.mechanisms.mechanism import Sensitivity
from dpcore.relations import NeighboringRelation, PrivacyUnit
from dpcore.statistics.checks import checked, kinds
from dpcore.statistics.group_sums import MeanMoments
from dpcore.statistics.statistic import NeighborValues, Rows, Statistic, Sums
from dpcore.statistics.sums_and_means import Mean

_SUBSTITUTION: Final = NeighboringRelation.SUBSTITUTION
_ADD_REMOVE: Final = NeighboringRelation.ADD_REMOVE


def packed(
    values: FloatArray, person: NDArray[np.intp], most: int
) -> tuple[FloatArray, NDArray[np.intp]]:
    """Return one line a person with all their rows, and which person each line is.

    ``values`` has shape ``(n,)`` or ``(n, w)``, and ``person`` is whose each row is,
    shape ``(n,)``. A line holds ``most`` rows of ``w`` numbers, NaN where a person has
    fewer; shapes ``(p, most * w)`` and ``(p,)``.

    Raises:
        ParameterError: Somebody has more rows.

    >>> packed(np.array([1.0, 2.0, 3.0]), np.array([4, 0, 4]), 2)
    (array([[ 2., nan],
           [ 1.,  3.]]), array([0, 4]))

    """
    table = np.asarray(values, dtype=np.float64)
    table = table if table.ndim > 1 else table[:, np.newaxis]
    if not len(person):
        return np.empty((0, most * table.shape[1])), np.empty(0, dtype=np.intp)
    present, line = kinds(person)
    order = np.argsort(line, kind="stable")
    owned = np.bincount(line)
    if owned.max() > most:
        raise ParameterError(f"somebody has more than {most} rows.")
    place = np.arange(len(line)) - np.repeat(np.cumsum(owned) - owned, owned)
    lines = np.full((len(present), most, table.shape[1]), np.nan)
    lines[line[order], place] = table[order]
    return lines.reshape(len(present), -1), present


def owners_of(counted: NDArray[np.intp], dataset: Dataset, unit: PrivacyUnit) -> NDArray[np.intp]:
    """Return whose the rows ``counted`` of a table are, each once. CONFIDENTIAL.

    The rows themselves where everybody has one; else the numbers of the people, in the
    order of the table.
    """
    if unit.cap is None:
        return counted
    return np.unique(dataset.persons[counted])


def entries_of_people(
    values: FloatArray, counted: NDArray[np.intp], dataset: Dataset, unit: PrivacyUnit
) -> FloatArray:
    """Return an entry for each person, of those of the rows ``counted``. CONFIDENTIAL.

    That is the row itself where everybody has one, and all rows in a line otherwise.

    Raises:
        ParameterError: The table counts another number of rows a person than was asked.

    """
    if dataset.cap != unit.cap:
        raise ParameterError(
            "the question and the table count another number of rows a person. Ask again."
        )
    if unit.cap is None:
        return values
    return packed(values, dataset.persons[counted], unit.cap)[0]


def unpacked(entries: FloatArray, most: int) -> tuple[FloatArray, NDArray[np.intp]]:
    """Return the rows, shape ``(n, w)``, and the line of each, ascending.

    Raises:
        ParameterError: The entries do not hold so many rows each.

    """
    lines = np.asarray(entries, dtype=np.float64)
    if lines.ndim != 2 or lines.shape[1] % most:  # noqa: PLR2004 - a table
        raise ParameterError(f"{most} rows a person are needed, got shape {lines.shape}.")
    rows = lines.reshape(len(lines), most, -1)
    line, place = np.nonzero(~np.isnan(rows).any(axis=2))
    return rows[line, place], line


def of_people(of_rows: Statistic, most: int) -> Statistic:
    """Return the statistic of people with up to ``most`` rows each, of that of rows.

    Raises:
        ParameterError: None is known.

    """
    if isinstance(of_rows, Mean):
        return MeanOfPeople(each=of_rows, most=most)
    if of_rows.additive:
        return AdditiveOfPeople(each=of_rows, most=most)
    raise ParameterError("this is not asked where several rows of a person count.")


@dataclass(frozen=True, slots=True, kw_only=True)
class AdditiveOfPeople(Statistic):
    """A statistic to which every row adds something of its own: sums and counts.

    A person adds the sum of what up to ``m`` rows add. So, with those of one row,

    * add/remove: the norms are ``m`` times as large, attained by ``m`` rows alike;
    * substitution: what a person adds is one of the sums of up to ``m`` rows, and
      their convex hull is ``m`` times that of a row and of none. A norm is convex, so
      that it is largest between two corners of it: ``m`` rows alike, or none. Again
      ``m`` times what one row changes that may come, go or become another.

    Attributes:
        each: The statistic of the rows; their number is private.
        most: How many rows of one person count at most, ``m``.

    """

    each: Statistic
    most: int

    in_parts: ClassVar[bool] = False
    neighbors_of_parts: ClassVar[bool] = False

    @property
    def labels(self) -> tuple[str, ...]:
        """Return the name of each coordinate."""
        return self.each.labels

    @property
    def range(self) -> Interval:
        """Return the public interval that contains every coordinate."""
        return self.each.range

    def partial(self, values: FloatArray) -> Sums:
        """Return what is needed of all rows of some people."""
        found: Sums = self.each.partial(self._rows(values)[0])
        return found

    def finalize(self, whole: Sums) -> FloatArray:
        """Return the statistic of all rows, shape ``(k,)``."""
        return self.each.finalize(whole)

    def sensitivity(self, relation: NeighboringRelation) -> Sensitivity:
        """Return the most that one person can change it, over all tables."""
        one = self.each.sensitivity(relation)
        return one.times(self.most, coordinates=len(self.labels))

    def neighbors(
        self, values: FloatArray, relation: NeighboringRelation, whole: Sums | None = None
    ) -> NeighborValues:
        """Return where the statistic would move for each person.

        Under substitution the person has no row instead, or ``m`` alike: of every cell,
        or with a value at a bound. These are all corners (see above), so that nothing
        else reveals more where losses grow with the distance. Of several columns only
        the bounds count that are farther from what the person adds.
        """
        lines = np.asarray(values)
        actual = self.finalize(whole or self.partial(values))
        corners = self.most * self._of_one_row()

        def moved(rows: Rows) -> FloatArray:
            added = self._added(lines[rows])
            rest = (actual - added)[:, np.newaxis]
            if relation is _SUBSTITUTION:
                others = corners
                if isinstance(self.each, MeanMoments):
                    # Either end of a group: of both, the farther bound of each column.
                    far = np.where(added > 0, -1.0, 1.0)[:, np.newaxis]
                    others = np.where(corners[1::2] == corners[::2], 1.0, far)
                    others = others * corners[1::2]
                rest = np.concatenate([rest, rest + others], axis=1)
            return self.range.clip(rest)

        return NeighborValues(actual=actual, reached=moved, kinds=len(lines))

    def neighbors_added(
        self,
        values: FloatArray,
        relation: NeighboringRelation,  # noqa: ARG002 - how many rows is private
    ) -> FloatArray:
        """Return the statistic after somebody joins with ``m`` extreme rows alike."""
        return np.asarray(self.value(values) + self.most * self._of_one_row())

    def sampling_sd(self, estimate: FloatArray) -> FloatArray:
        """Return that of the rows, times the root of ``m``.

        If people are a simple random sample, what the rows of one add varies together:
        the square of a sum of ``m`` numbers is at most ``m`` times that of their
        squares.
        """
        return np.asarray(self.most**0.5 * self.each.sampling_sd(estimate))

    def _rows(self, entries: FloatArray) -> tuple[FloatArray, NDArray[np.intp]]:
        rows, line = unpacked(entries, self.most)
        return (rows if self.each.row_width else rows[:, 0]), line

    def _of_one_row(self) -> FloatArray:
        """Return what each extreme row adds, shape ``(c, k)``."""
        width = self.each.row_width
        nothing = np.empty((0, width) if width else 0)
        added = self.each.neighbors_added(nothing, _ADD_REMOVE)
        return np.asarray(added - self.each.value(nothing))

    def _added(self, lines: FloatArray) -> FloatArray:
        """Return what each person adds, shape ``(p, k)``."""
        rows, line = self._rows(lines)
        found = self.each.neighbors(rows, _ADD_REMOVE)
        without = found.alternatives[:, 0]
        each = found.actual - (without if found.kind is None else without[found.kind])
        starts = np.flatnonzero(np.diff(line, prepend=-1))
        added = np.zeros((len(lines), len(self.labels)))
        if len(starts):
            added[line[starts]] = np.add.reduceat(each, starts, axis=0)
        return added


@dataclass(frozen=True, slots=True, kw_only=True)
class MeanOfPeople(Statistic):
    """Mean of rows of which one person may have up to ``m``, or a share of them.

    ``c + sum(x - c) / max(n, N)`` with ``n`` the private number of rows, ``N`` the
    public minimum of rows, and ``c`` the middle of bounds of width ``R``, as ``Mean``.

    Add/remove: ``R m / (N + m)``. Let ``a <= m`` rows join ``k`` others.

    * From ``k >= N`` on the mean goes a part ``a / (k + a)`` of the way to theirs, at
      most ``R a / (N + a)``.
    * Up to ``k + a <= N`` it moves by at most ``a (R / 2) / N``.
    * Between, with ``n = k + a``, by at most ``(R / 2) (2 a / n - 1 + k / N)`` with
      ``n >= N``, which is convex in ``n`` and has these two at its ends (if ``a > N``,
      ``R / 2`` for ``k = 0``).

    The first is the largest and grows with ``a``, and it is attained.

    Substitution: ``R min(1, m / N)``. With ``a`` rows before and ``b`` after, of ``k``
    others: both tables of ``N`` rows or more, at most the larger of ``a / (k + a)`` and
    ``b / (k + b)`` of ``R``; both of ``N`` at most, ``R (a + b) / (2 N)``; one of
    either, at most ``R b / (k + b)`` with ``k + b > N``. None is above ``R m / N``, nor
    above ``R``, and ``m`` rows at either bound beside ``max(N - m, 0)`` others attain
    it.

    Attributes:
        each: The mean of the rows, or the share of those that are members.
        most: How many rows of one person count at most, ``m``.

    """

    each: Mean
    most: int

    in_parts: ClassVar[bool] = False
    neighbors_of_parts: ClassVar[bool] = False

    @property
    def labels(self) -> tuple[str, ...]:
        """Return the name of the one coordinate."""
        return self.each.labels

    @property
    def range(self) -> Interval:
        """Return the bounds: a mean never leaves them."""
        return self.each.bounds

    def partial(self, values: FloatArray) -> Sums:
        """Return the number of all rows of some people, and their distances added up."""
        heights, _ = self._heights(values)
        return Sums(people=len(heights), total=np.array([heights.sum()]))

    def finalize(self, whole: Sums) -> FloatArray:
        """Return the mean of all rows, shape ``(1,)``."""
        return self._at(whole.total, np.array([whole.people]))

    def sensitivity(self, relation: NeighboringRelation) -> Sensitivity:
        """Return the most that one person can change the mean, over all tables."""
        least, width = self.each.size.people, self.each.bounds.width
        if relation is _ADD_REMOVE:
            return Sensitivity.scalar(width * (self.most / (least + self.most)))
        return Sensitivity.scalar(width * min(1.0, self.most / least))

    def neighbors(
        self, values: FloatArray, relation: NeighboringRelation, whole: Sums | None = None
    ) -> NeighborValues:
        """Return where the mean would move for each person.

        Under substitution to what ``m`` rows at either bound make of it: with fewer of
        them, or others, it lies between.
        """
        heights, line = self._heights(values)
        everybody = whole or Sums(people=len(heights), total=np.array([heights.sum()]))
        own = np.zeros(len(np.asarray(values)))
        np.add.at(own, line, heights)
        owned = np.bincount(line, minlength=len(own)).astype(np.intp)
        rest, others = everybody.total[0] - own, everybody.people - owned
        if relation is _ADD_REMOVE:
            reached = [self._at(rest, others)]
        else:
            reached = [self._at(rest + self.most * end, others + self.most) for end in self._ends]
        return NeighborValues.at_once(
            self.finalize(everybody), np.stack(reached, axis=-1)[..., np.newaxis]
        )

    def neighbors_added(
        self,
        values: FloatArray,
        relation: NeighboringRelation,  # noqa: ARG002 - how many rows is private
    ) -> FloatArray:
        """Return the mean after somebody with ``m`` rows at a bound joins."""
        whole, ends = self.partial(values), np.array(self._ends)
        rows = np.full(2, whole.people + self.most)
        return self._at(whole.total + self.most * ends, rows)[:, np.newaxis]

    def sampling_sd(self, estimate: FloatArray) -> FloatArray:
        """Return that of the rows, times the root of ``m`` (``AdditiveOfPeople``)."""
        return np.asarray(self.most**0.5 * self.each.sampling_sd(estimate))

    @property
    def _ends(self) -> tuple[float, float]:
        half = self.each.bounds.width / 2
        return -half, half

    def _heights(self, entries: FloatArray) -> tuple[FloatArray, NDArray[np.intp]]:
        """Return the rows' distances from the middle, shape ``(n,)``, and lines."""
        rows, line = unpacked(entries, self.most)
        bounds = self.each.bounds
        clamped = bounds.clip(checked(rows[:, 0], self.each.size))
        return clamped - (bounds.lower + bounds.width / 2), line

    def _at(self, total: FloatArray, rows: NDArray[np.intp]) -> FloatArray:
        bounds = self.each.bounds
        mean = total / np.maximum(rows, self.each.size.people)
        # Rounding could leave the bounds by a last digit.
        return bounds.clip(bounds.lower + bounds.width / 2 + mean)
