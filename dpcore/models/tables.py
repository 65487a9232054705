"""The rows and targets behind a fit, in memory or in parts. CONFIDENTIAL.

A fit takes what it needs of rows in passes: a function makes a few numbers of each
part, and these are put together. A table in memory is one part.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from functools import partial
from typing import Final, Protocol, TypeVar

import numpy as np
from numpy.typing import NDArray

from dpcore.arrays import FloatArray
from dpcore.data.partitions.table import PartitionedDataset
from dpcore.statistics.parts import Totals

_T = TypeVar("_T")
_REACH: Final = 1e300
"""From here on a sum of finite numbers may overflow."""


class Passes(Protocol):
    """People whose rows are gone over part by part, in their order."""

    @property
    def people(self) -> int:
        """The number of people."""
        ...

    @property
    def columns(self) -> int:
        """The number ``d`` of entries of a row."""
        ...

    def each(self, kernel: Callable[[FloatArray, FloatArray], _T]) -> Iterator[_T]:
        """Yield what a function makes of the rows and targets of each part.

        Rows have shape ``(m, d)`` and targets ``(m,)``, of nobody as well. There is at
        least one part.

        Raises:
            DataError: A part cannot be read.

        """
        ...


class Table(Passes, Protocol):
    """Rows and targets that a model was fitted to."""

    @property
    def features(self) -> FloatArray:
        """All rows at once, shape ``(n, d)``.

        Raises:
            ParameterError: They lie in parts.

        """
        ...

    @property
    def target(self) -> FloatArray:
        """All targets at once, shape ``(n,)``; errors as for ``features``."""
        ...

    def each_named(
        self, kernel: Callable[[NDArray[np.intp], FloatArray, FloatArray], _T]
    ) -> Iterator[_T]:
        """Yield as ``each`` does, of a function that is told who they are first.

        People are named by numbers that ascend: their places among all people in
        memory, and their rows in a table in parts.
        """
        ...

    def named(self, places: NDArray[np.intp]) -> NDArray[np.intp]:
        """Return the names of those at some places among all people."""
        ...

    def counts(self, person: int) -> bool:
        """Return whether somebody of that name is one of the people."""
        ...

    def some(self, people: NDArray[np.intp]) -> tuple[FloatArray, FloatArray]:
        """Return rows and targets of some people, by name.

        Raises:
            DataError: A part cannot be read.

        """
        ...

    def without(self, people: NDArray[np.intp]) -> Passes:
        """Return all others."""
        ...

    def holding(self, people: NDArray[np.intp], x: FloatArray, y: FloatArray) -> Table:
        """Return the same table, which need not look for the rows of some people."""
        ...

    def read_by(self, dataset: PartitionedDataset) -> Table:
        """Return the same table, read by another reader of its parts."""
        ...


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
        """Yield what a function makes of all rows: they are one part."""
        yield kernel(self.features, self.target)

    def each_named(
        self, kernel: Callable[[NDArray[np.intp], FloatArray, FloatArray], _T]
    ) -> Iterator[_T]:
        """Yield the same of a function that is told who they are first."""
        yield kernel(np.arange(len(self.target)), self.features, self.target)

    def named(self, places: NDArray[np.intp]) -> NDArray[np.intp]:
        """Return the places themselves."""
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
        return Together(parts=(before, InMemory.of(x[person + 1 :], y[person + 1 :])))

    def holding(self, people: NDArray[np.intp], x: FloatArray, y: FloatArray) -> InMemory:
        """Return the table, which has all rows."""
        del people, x, y
        return self

    def read_by(self, dataset: PartitionedDataset) -> InMemory:
        """Return the table, which has no parts to read."""
        del dataset
        return self


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Together:
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


def packed(people: int, *sums: FloatArray | float) -> Totals:
    """Return sums over some people in one array, which ``unpacked`` takes apart."""
    return Totals(people=people, total=np.concatenate([np.ravel(part) for part in sums]))


def unpacked(totals: Totals, *shapes: tuple[int, ...]) -> list[FloatArray]:
    """Return the sums that were packed, in their shapes.

    >>> unpacked(packed(3, 1.0, np.eye(2)), (), (2, 2))[1].tolist()
    [[1.0, 0.0], [0.0, 1.0]]
    """
    ends = np.cumsum([math.prod(shape) for shape in shapes])
    parts = np.split(totals.total, ends[:-1])
    return [part.reshape(shape) for part, shape in zip(parts, shapes, strict=True)]


def summed(parts: Iterable[Totals]) -> Totals:
    """Return the sums over the people of all parts; there is at least one part.

    Rounded once, unless they are beyond the reach of floats.
    """
    every = list(parts)
    totals = np.stack([part.total for part in every])
    if len(every) == 1 or (np.abs(totals) < _REACH).all():
        return Totals.together(every)
    with np.errstate(over="ignore", invalid="ignore"):
        total = totals.sum(axis=0)
    return Totals(people=sum(part.people for part in every), total=total)
