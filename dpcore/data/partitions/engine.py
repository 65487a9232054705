"""Who reads the parts of a table: threads of this machine, or a cluster's workers."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Final, TypeVar

from dpcore.data.partitions.cluster import cluster_address, on_cluster

_P = TypeVar("_P")
_T = TypeVar("_T")
_AT_ONCE: Final = 2
"""Parts that are in memory at a time, each in a thread."""
_IN_TURN: Final = 4 * _AT_ONCE
"""Parts that are read before the work can be stopped."""


def of_each(work: Callable[[_P], _T], parts: Sequence[_P]) -> Iterator[_T]:
    """Yield what some work makes of every part, in the order of the parts.

    It is done a few parts ahead of whoever asks, and no further: by the cluster that
    the administrator names, and by Dask's threads where there is none.
    """
    address = cluster_address()
    if address is None:
        yield from _in_threads(work, parts)
    else:
        yield from on_cluster(address, work, parts)


def _in_threads(work: Callable[[_P], _T], parts: Sequence[_P]) -> Iterator[_T]:
    from dask.threaded import get  # noqa: PLC0415 - slow to import

    for start in range(0, len(parts), _IN_TURN):
        # A graph as Dask keeps it: to build one of larger pieces takes a part's time.
        tasks = dict(enumerate((work, part) for part in parts[start : start + _IN_TURN]))
        yield from get(tasks, list(tasks), num_workers=_AT_ONCE)
