"""The people behind a model of a table that lies in parts. CONFIDENTIAL.

They are named by their rows in the table, from 0. A part knows which rows are its own,
so that whoever is left out or looked at apart is found wherever a part is read.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Final, NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

from dpcore.arrays import FloatArray
from dpcore.data.dataset import Dataset
from dpcore.data.partitions.files import RowGroup
from dpcore.data.partitions.table import PartitionedDataset
from dpcore.errors import DataError, InPartsError
from dpcore.models.design import Design
from dpcore.models.factor import checked_table

People = NDArray[np.intp]

_T = TypeVar("_T")
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
