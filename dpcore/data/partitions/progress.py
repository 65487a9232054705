"""Work over the parts of a table that says how far it is, and can be stopped."""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor, wait
from dataclasses import dataclass, field, fields
from typing import Any, Final, Generic, NamedTuple, TypeVar

from dpcore.data.dataset import Dataset
from dpcore.data.partitions.table import PartitionedDataset

_T = TypeVar("_T")
_MOMENT: Final = 0.1
"""Seconds."""


class Reached(NamedTuple):
    """How far work is. Public: it tells nothing but where the files are cut."""

    parts: int
    """How many parts the table has."""
    done: int = 0
    """How many of them are done in this pass."""
    passes: int = 0
    """How many passes over all of them have ended before."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Found(Generic[_T]):
    """What the work was for. CONFIDENTIAL."""

    value: _T = field(repr=False)


class _StoppedError(Exception):
    """Nobody waits for the work any more."""


@dataclass(slots=True, kw_only=True)
class _Watch:
    """What a thread that works and one that waits for it tell each other."""

    reached: Reached
    stopped: bool = False

    def step(self, done: int) -> None:
        """Note that so many parts are done; end the work if it was stopped."""
        if self.stopped:
            raise _StoppedError
        last, passes = self.reached, self.reached.passes
        if done <= last.done:
            passes += 1
        self.reached = Reached(parts=last.parts, done=done, passes=passes)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class _Watched(PartitionedDataset):
    """A table that tells, after each of its parts, that it is done."""

    watch: _Watch = field(repr=False)

    def each(self, function: Callable[[Dataset], _T], columns: Sequence[str]) -> Iterator[_T]:
        """Yield what a function makes of every part, in their order."""
        # What a cluster sends to its workers must not hold the watch.
        plain = PartitionedDataset(**_fields_of(self))
        for done, made in enumerate(plain.each(function, columns), start=1):
            self.watch.step(done)
            yield made


def stepwise(
    table: PartitionedDataset, compute: Callable[[PartitionedDataset], _T]
) -> Generator[Reached | Found[_T], None, None]:
    """Compute something of a table, and yield ten times a second how far it is.

    At last what was found is yielded. It is computed in a thread of its own, so that
    whoever waits hears what else is asked. Whoever asks no longer has stopped it: it
    ends with the parts that are being read.

    Raises:
        DPCoreError: As ``compute`` does.

    """
    watch = _Watch(reached=Reached(parts=len(table.parts)))
    watched = _Watched(**_fields_of(table), watch=watch)
    pool = ThreadPoolExecutor(max_workers=1, thread_name_prefix="parts")
    coming = pool.submit(compute, watched)
    try:
        while not wait([coming], timeout=_MOMENT).done:
            yield watch.reached
        yield Found(value=coming.result())
    finally:
        # What was found may hold the table, and read it later on.
        watch.stopped = not coming.done()
        pool.shutdown(wait=False)


def _fields_of(table: PartitionedDataset) -> dict[str, Any]:
    names = (each.name for each in fields(PartitionedDataset))
    return {name: getattr(table, name) for name in names}
