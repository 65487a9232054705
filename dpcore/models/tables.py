"""The rows and targets behind a fit, in memory or in parts. CONFIDENTIAL.

A fit takes what it needs of rows in passes: a function makes a few numbers of each
part, and these are put together. A table in memory is one part.

The people behind a model of a table that lies in parts. CONFIDENTIAL.

They are named by their rows in the table, from 0. A part knows which rows are its own,
so that whoever is left out or looked at apart is found wherever a part is read.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Final, NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

from dpcore.arrays import FloatArray
from dpcore.data.dataset import Dataset
from dpcore.data.partitions.row_groups import RowGroup
from dpcore.data.partitions.table import PartitionedDataset
from dpcore.errors import DataError, InPartsError
from dpcore.models.design import Design
from dpcore.models.factor import checked_table
from dpcore.statistics.statistic import Sums

_T = TypeVar("_T")
_REACH: Final = 1e300
"""From here on a sum of finite numbers may overflow."""


class OfTable:
    """What a fit knows of the table that it was fitted to. CONFIDENTIAL."""

    __slots__ = ()
    table: Table

    @property
    def people(self) -> int:
        """Return the number of people."""
        return self.table.people

    @property
    def features(self) -> FloatArray:
        """Return all rows, shape ``(n, d)``.

        Raises:
            ParameterError: They lie in parts.

        """
        return self.table.features

    @property
    def target(self) -> FloatArray:
        """Return all targets, shape ``(n,)``; errors as for ``features``."""
        return self.table.target


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class InMemory:
    """Rows in memory: of everybody, or of some people of a larger table."""

    features: FloatArray = field(repr=False)
    """Shape ``(m, d)``."""
    target: FloatArray = field(repr=False)
    """Shape ``(m,)``."""
    people: int = field(repr=False)
    """How many people the table has: more than rows where these are some of them."""

    @classmethod
    def of(cls, x: FloatArray, y: FloatArray) -> InMemory:
        """Return the table of these rows and targets."""
        return cls(features=x, target=y, people=len(y))

    @property
    def columns(self) -> int:
        """Return the number of entries of a row."""
        return int(self.features.shape[1])

    def each(self, kernel: Callable[[FloatArray, FloatArray], _T]) -> Iterator[_T]:
        """Yield what a function makes of the rows and targets of each part: there is one.

        Rows have shape ``(m, d)`` and targets ``(m,)``.
        """
        yield kernel(self.features, self.target)

    def each_named(
        self, kernel: Callable[[NDArray[np.intp], FloatArray, FloatArray], _T]
    ) -> Iterator[_T]:
        """Yield the same of a function that is told who they are first.

        People are named by numbers that ascend: their places among all people in
        memory, and their rows in a table in parts.
        """
        yield kernel(np.arange(len(self.target)), self.features, self.target)

    def named(self, places: NDArray[np.intp]) -> NDArray[np.intp]:
        """Return the names of those at some places among all people: the places."""
        return places

    def counts(self, person: int) -> bool:
        """Return whether there is somebody at that place."""
        return 0 <= person < len(self.target)

    def some(self, people: NDArray[np.intp]) -> tuple[FloatArray, FloatArray]:
        """Return rows and targets of some people."""
        return self.features[people], self.target[people]

    def without(self, people: NDArray[np.intp]) -> Passes:
        """Return all others; where one leaves, nothing is copied."""
        x, y = self.features, self.target
        if len(people) != 1:
            return InMemory.of(np.delete(x, people, axis=0), np.delete(y, people))
        person = int(people[0])
        before = InMemory.of(x[:person], y[:person])
        return JoinedRows(parts=(before, InMemory.of(x[person + 1 :], y[person + 1 :])))

    def holding(self, people: NDArray[np.intp], x: FloatArray, y: FloatArray) -> InMemory:
        """Return the table, which has all rows."""
        del people, x, y
        return self

    def read_by(self, dataset: PartitionedDataset) -> InMemory:
        """Return the table, which has no parts to read."""
        del dataset
        return self


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class JoinedRows:
    """People of several tables, one after the other."""

    parts: tuple[Passes, ...]

    @property
    def people(self) -> int:
        """Return the number of people."""
        return sum(part.people for part in self.parts)

    @property
    def columns(self) -> int:
        """Return the number of entries of a row."""
        return self.parts[0].columns

    def each(self, kernel: Callable[[FloatArray, FloatArray], _T]) -> Iterator[_T]:
        """Yield what a function makes of the parts of each table."""
        for part in self.parts:
            yield from part.each(kernel)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Ones:
    """The people of a table, of whom nothing but their targets is known."""

    rows: Passes

    @property
    def people(self) -> int:
        """Return the number of people."""
        return self.rows.people

    @property
    def columns(self) -> int:
        """Return the number of entries of a row: a constant."""
        return 1

    def each(self, kernel: Callable[[FloatArray, FloatArray], _T]) -> Iterator[_T]:
        """Yield what a function makes of constant rows, and targets, of each part."""
        yield from self.rows.each(partial(_with_ones, kernel))


def _with_ones(kernel: Callable[[FloatArray, FloatArray], _T], x: FloatArray, y: FloatArray) -> _T:
    return kernel(np.ones((len(x), 1)), y)


def packed(people: int, *sums: FloatArray | float) -> Sums:
    """Return sums over some people in one array, which ``unpacked`` takes apart."""
    return Sums(people=people, total=np.concatenate([np.ravel(part) for part in sums]))


def unpacked(totals: Sums, *shapes: tuple[int, ...]) -> list[FloatArray]:
    """Return the sums that were packed, in their shapes.

    >>> unpacked(packed(3, 1.0, np.eye(2)), (), (2, 2))[1].tolist()
    [[1.0, 0.0], [0.0, 1.0]]
    """
    ends = np.cumsum([math.prod(shape) for shape in shapes])
    parts = np.split(totals.total, ends[:-1])
    return [part.reshape(shape) for part, shape in zip(parts, shapes, strict=True)]


def summed(parts: Iterable[Sums]) -> Sums:
    """Return the sums over the people of all parts; there is at least one part.

    Rounded once, unless they are beyond the reach of floats.
    """
    every = list(parts)
    totals = np.stack([part.total for part in every])
    if len(every) == 1 or (np.abs(totals) < _REACH).all():
        return Sums.combine(every)
    with np.errstate(over="ignore", invalid="ignore"):
        total = totals.sum(axis=0)
    return Sums(people=sum(part.people for part in every), total=total)


People = NDArray[np.intp]

_FIRST_LINE: Final = 2
"""Line of the first row, as the index of a part counts them."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Placed(RowGroup):
    """A part whose lines are counted through the table, not through its file."""

    real: RowGroup

    @property
    def where(self) -> str:
        """Return file and rows of the file, in words."""
        return self.real.where


class _Whom(NamedTuple):
    """Who of a table counts."""

    design: Design
    until: int
    """Row of the table from which on nobody counts."""
    gone: People
    """Rows of those who are left out, ascending."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class InParts:
    """Rows and targets of a model, made of a few parts of a table at a time."""

    dataset: PartitionedDataset = field(repr=False)
    whom: _Whom = field(repr=False)
    known: dict[str, tuple[int, ...]] = field(default_factory=dict, repr=False)
    """How many people each part has, once a pass was made."""
    held: dict[int, tuple[FloatArray, float]] = field(default_factory=dict, repr=False)
    """Row and target of a few people that need not be looked for."""

    @classmethod
    def of(cls, design: Design, dataset: PartitionedDataset, *, most: int) -> InParts:
        """Return the first ``most`` people of a table.

        Raises:
            DataError: A part cannot be read.

        """
        starts = np.cumsum([0, *(part.rows for part in dataset.parts)]).tolist()
        placed = tuple(
            _Placed(path=part.path, group=part.group, start=start, rows=part.rows, real=part)
            for start, part in zip(starts, dataset.parts, strict=False)
        )
        nobody = np.empty(0, dtype=np.intp)
        whole = cls(
            dataset=replace(dataset, parts=placed),
            whom=_Whom(design=design, until=dataset.rows, gone=nobody),
        )
        if dataset.rows <= most or whole.people <= most:
            return whole
        until = int(whole.named(np.array([most]))[0])
        last = int(np.searchsorted(starts, until, side="left"))
        return cls(
            dataset=replace(dataset, parts=placed[:last]), whom=whole.whom._replace(until=until)
        )

    @property
    def people(self) -> int:
        """Return the number of people."""
        return sum(self._counts)

    @property
    def columns(self) -> int:
        """Return the number of entries of a row."""
        return len(self.whom.design.labels)

    @property
    def features(self) -> FloatArray:
        """Refuse: not all rows are in memory at once."""
        raise _in_parts()

    @property
    def target(self) -> FloatArray:
        """Refuse: not all targets are in memory at once."""
        raise _in_parts()

    def each(self, kernel: Callable[[FloatArray, FloatArray], _T]) -> Iterator[_T]:
        """Yield what a function makes of some rows and targets at a time, in order."""
        yield from self.each_named(partial(_unnamed, kernel))

    def each_named(self, kernel: Callable[[People, FloatArray, FloatArray], _T]) -> Iterator[_T]:
        """Yield the same, of a function that is told their rows in the table first.

        Raises:
            DataError: A part cannot be read.

        """
        counts: list[int] = []
        function = partial(_of_part, self.whom, kernel)
        for people, made in self.dataset.each(function, self.names):
            counts.append(people)
            yield from made
        self.known["counts"] = tuple(counts)

    def some(self, people: People) -> tuple[FloatArray, FloatArray]:
        """Return rows and targets of some people; their parts alone are read.

        Raises:
            DataError: A part cannot be read.

        """
        x, y = np.empty((len(people), self.columns)), np.empty(len(people))
        held = np.array([person in self.held for person in people.tolist()], dtype=bool)
        for at in np.flatnonzero(held).tolist():
            x[at], y[at] = self.held[int(people[at])]
        ends = np.cumsum([part.rows for part in self.dataset.parts])
        places = np.searchsorted(ends, people, side="right")
        for place in np.unique(places[~held]).tolist():
            here = ~held & (places == place)
            part = self.dataset.part(place, self.names)
            within = people[here] - self.dataset.parts[place].start
            x[here], y[here] = _matrix(self.whom.design, part, within)
        return x, y

    def holding(self, people: People, x: FloatArray, y: FloatArray) -> InParts:
        """Return the same table, which need not look for the rows of some people."""
        rows = zip(x, y.tolist(), strict=True)
        held = dict(zip(people.tolist(), rows, strict=True))
        return replace(self, held=self.held | held)

    def read_by(self, dataset: PartitionedDataset) -> InParts:
        """Return the same table, read by another reader of its parts."""
        now = self.dataset
        return replace(self, dataset=replace(dataset, parts=now.parts, columns=now.columns))

    def without(self, people: People) -> InParts:
        """Return all others."""
        gone = np.union1d(self.whom.gone, people)
        return replace(self, whom=self.whom._replace(gone=gone), known={})

    def named(self, places: NDArray[np.intp]) -> People:
        """Return the rows of the people at some places among all of them, from 0.

        Raises:
            DataError: A part cannot be read.

        """
        counts = np.array(self._counts, dtype=np.intp)
        ends = np.cumsum(counts)
        parts = np.searchsorted(ends, places, side="right")
        found = np.empty(len(places), dtype=np.intp)
        for place in np.unique(parts).tolist():
            here = parts == place
            within = places[here] - (ends - counts)[place]
            of_table = self.dataset.parts[place]
            if counts[place] == of_table.rows:  # everybody counts
                found[here] = of_table.start + within
                continue
            part = self.dataset.part(place, self.names)
            found[here] = _people(self.whom, part)[0][within]
        return found

    def counts(self, person: int) -> bool:
        """Return whether the person of a row, from 0, is one of them.

        Raises:
            DataError: A part cannot be read.
            ParameterError: There is no such row.

        """
        if not person < self.whom.until:
            return False
        place, _ = self.dataset.place_of(person)
        part = self.dataset.part(place, self.names)
        return person in _people(self.whom, part)[0]

    @property
    def names(self) -> list[str]:
        """Return the names of the columns that are read."""
        return [column.name for column in self.whom.design.columns]

    @property
    def _counts(self) -> tuple[int, ...]:
        if "counts" not in self.known:
            for _ in self.each_named(_nothing):
                pass
        return self.known["counts"]


Table = InMemory | InParts
"""Rows and targets that a model was fitted to."""
Passes = Table | JoinedRows | Ones
"""People whose rows are gone over part by part, in their order."""


def _of_part(
    whom: _Whom, kernel: Callable[[People, FloatArray, FloatArray], _T], part: Dataset
) -> tuple[int, list[_T]]:
    """Return the number of people of a part, and what a function makes of its rows."""
    names = [column.name for column in whom.design.columns]
    try:
        made = list(part.each(partial(_of_block, whom, kernel), names))
    except DataError as error:
        # Its line would be one of the table; file and rows are said where it is read.
        raise DataError(str(error)) from None
    return sum(people for people, _ in made), [each for _, each in made]


def _of_block(
    whom: _Whom, kernel: Callable[[People, FloatArray, FloatArray], _T], block: Dataset
) -> tuple[int, _T]:
    who, within = _people(whom, block)
    return len(who), kernel(who, *_matrix(whom.design, block, within))


def _people(whom: _Whom, block: Dataset) -> tuple[People, People]:
    """Return who counts of some rows: by row of the table, and by row of these."""
    within = whom.design.rows(block)
    who = within + (int(block.frame.index[0]) - _FIRST_LINE)
    counted = who < whom.until
    if len(whom.gone):
        counted &= ~np.isin(who, whom.gone)
    return who[counted], within[counted]


def _matrix(design: Design, block: Dataset, within: People) -> tuple[FloatArray, FloatArray]:
    """Return rows and targets of some rows, of none as well."""
    if len(within) == 0:
        return np.empty((0, len(design.labels))), np.empty(0)
    table = design.matrix(block, within)
    return checked_table(table.features, table.target)


def _unnamed(
    kernel: Callable[[FloatArray, FloatArray], _T], who: People, x: FloatArray, y: FloatArray
) -> _T:
    del who
    return kernel(x, y)


def _nothing(who: People, x: FloatArray, y: FloatArray) -> None:
    del who, x, y


def _in_parts() -> InPartsError:
    message = (
        "this needs all rows of the model at once, and they lie in parts. Look at it "
        "with a sample of the rows, uploaded as a file."
    )
    return InPartsError(message)
