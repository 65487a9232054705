"""The people behind a model of a table that lies in parts. CONFIDENTIAL."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import partial
from typing import TYPE_CHECKING, TypeVar

import numpy as np

from dpcore.errors import ParameterError
from dpcore.models.factor import checked_table

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from numpy.typing import NDArray

    from dpcore.arrays import FloatArray
    from dpcore.data.dataset import Dataset
    from dpcore.data.partitions.parquet import Part
    from dpcore.data.partitions.table import PartitionedDataset
    from dpcore.models.design import Design

    People = NDArray[np.intp]

_T = TypeVar("_T")


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class InParts:
    """Rows and targets of a model, made of a few parts of a table at a time."""

    design: Design
    dataset: PartitionedDataset = field(repr=False)
    gone: dict[int, People] = field(default_factory=dict, repr=False)
    """By part, who of its people are left out, by position among them."""
    known: dict[str, tuple[int, ...]] = field(default_factory=dict, repr=False)
    """How many people each part has, once a pass was made."""

    @classmethod
    def of(cls, design: Design, dataset: PartitionedDataset, *, most: int) -> InParts:
        """Return the first ``most`` people of a table.

        Raises:
            DataError: A part cannot be read.

        """
        whole = cls(design=design, dataset=dataset)
        if dataset.rows <= most or sum(whole.counts) <= most:
            return whole
        ends = np.cumsum(whole.counts)
        last = int(np.searchsorted(ends, most))
        kept = most - int(ends[last]) + whole.counts[last]
        return cls(
            design=design,
            dataset=replace(dataset, parts=dataset.parts[: last + 1]),
            gone={last: np.arange(kept, whole.counts[last])},
            known={"counts": whole.counts[: last + 1]},
        )

    @property
    def counts(self) -> tuple[int, ...]:
        """Return how many people each part has, those who are left out included."""
        if "counts" not in self.known:
            for _ in self.each(_nothing):
                pass
        return self.known["counts"]

    @property
    def people(self) -> int:
        """Return the number of people."""
        return sum(self.counts) - sum(len(left) for left in self.gone.values())

    @property
    def columns(self) -> int:
        """Return the number of entries of a row."""
        return len(self.design.labels)

    @property
    def features(self) -> FloatArray:
        """Refuse: not all rows are in memory at once."""
        raise _in_parts()

    @property
    def target(self) -> FloatArray:
        """Refuse: not all targets are in memory at once."""
        raise _in_parts()

    def each(self, kernel: Callable[[FloatArray, FloatArray], _T]) -> Iterator[_T]:
        """Yield what a function makes of some rows and targets at a time, in order.

        Raises:
            DataError: A part cannot be read.

        """
        counts: list[int] = []
        for parts, left in self._runs():
            run = replace(self.dataset, parts=parts)
            function = partial(_of_part, self.design, left, kernel)
            for people, made in run.each(function, self.names):
                counts.append(people)
                yield from made
        self.known.setdefault("counts", tuple(counts))

    def some(self, people: People) -> tuple[FloatArray, FloatArray]:
        """Return rows and targets of some people; their parts alone are read.

        Raises:
            DataError: A part cannot be read.

        """
        places, within = self._found(people)
        x, y = np.empty((len(people), self.columns)), np.empty(len(people))
        for place in np.unique(places).tolist():
            here = places == place
            part = self.dataset.part(place, self.names)
            x[here], y[here] = _matrix(self.design, part, within[here])
        return x, y

    def without(self, people: People) -> InParts:
        """Return all others."""
        places, within = self._found(people)
        nobody = np.empty(0, np.intp)
        gone = dict(self.gone)
        for place in np.unique(places).tolist():
            also = within[places == place]
            gone[place] = np.union1d(gone.get(place, nobody), also)
        return replace(self, gone=gone)

    @property
    def names(self) -> list[str]:
        """Return the names of the columns that are read."""
        return [column.name for column in self.design.columns]

    def _found(self, people: People) -> tuple[People, People]:
        """Return the part of each person, and the position among its people.

        Only those at the end of a table are left out of one that is asked.
        """
        counts = np.array(self.counts, dtype=np.intp)
        ends = np.cumsum(counts)
        places = np.searchsorted(ends, people, side="right")
        return places, people - (ends - counts)[places]

    def _runs(self) -> Iterator[tuple[tuple[Part, ...], People | None]]:
        """Return parts that are gone over together: whoever loses people, alone."""
        parts, start = self.dataset.parts, 0
        for place, left in sorted(self.gone.items()):
            if place > start:
                yield parts[start:place], None
            yield parts[place : place + 1], left
            start = place + 1
        if start < len(parts):
            yield parts[start:], None


def _of_part(
    design: Design,
    left: People | None,
    kernel: Callable[[FloatArray, FloatArray], _T],
    part: Dataset,
) -> tuple[int, list[_T]]:
    """Return the number of people of a part, and what a function makes of its rows."""
    if left is not None:
        rows = design.rows(part)
        others = np.delete(np.arange(len(rows)), left)
        return len(rows), [kernel(*_matrix(design, part, others))]
    names = [column.name for column in design.columns]
    made = list(part.each(partial(_of_block, design, kernel), names))
    return sum(people for people, _ in made), [each for _, each in made]


def _of_block(
    design: Design, kernel: Callable[[FloatArray, FloatArray], _T], block: Dataset
) -> tuple[int, _T]:
    x, y = _matrix(design, block)
    return len(y), kernel(x, y)


def _matrix(
    design: Design, part: Dataset, people: People | None = None
) -> tuple[FloatArray, FloatArray]:
    """Return rows and targets of the people of a part, or of some; of nobody too."""
    rows = design.rows(part)
    rows = rows if people is None else rows[people]
    if len(rows) == 0:
        return np.empty((0, len(design.labels))), np.empty(0)
    table = design.matrix(part, rows)
    return checked_table(table.features, table.target)


def _nothing(x: FloatArray, y: FloatArray) -> None:
    del x, y


def _in_parts() -> ParameterError:
    message = (
        "this needs all rows of the model at once, and they lie in parts. Look at it "
        "with a sample of the rows, uploaded as a file."
    )
    return ParameterError(message)
