"""Who reads the parts of a table: threads of this machine, or a cluster's workers.

The cluster that the administrator names is one of Dask (``distributed``), and all that is
hard is Dask's: it hands out the work, gives what a lost worker had to another one, and
speaks TLS as it is configured. What a worker sends back is CONFIDENTIAL. No worker draws
noise, and none knows of a ledger.
"""

from __future__ import annotations

import contextlib
import gc
import math
import os
import time
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import CancelledError
from itertools import chain
from typing import TYPE_CHECKING, Any, Final, TypeVar

from dpcore import memory
from dpcore.errors import DataError, DPCoreError

if TYPE_CHECKING:
    from distributed import Client, Future

_P = TypeVar("_P")
_T = TypeVar("_T")
_AT_ONCE: Final = 2
"""Parts that are in memory at a time, each in a thread."""
_IN_TURN: Final = 4 * _AT_ONCE
"""Parts that are read before the work can be stopped."""
VARIABLE: Final = "EPSILON_STUDIO_CLUSTER"
_CONNECT: Final = 10.0
"""Seconds in which a scheduler has to be reached."""
_ANSWER: Final = 30.0
"""Seconds in which it has to answer: it may be busy reading the program's code."""
_LOOK: Final = 2.0
"""Seconds without a result after which the scheduler is asked whether it is there."""
_NOBODY: Final = 30.0
"""Seconds without any worker after which none is waited for."""
_TASKS: Final = 8
"""Tasks that a thread of a worker has at least, where there are parts enough."""
_TOGETHER: Final = 6
"""Parts of a task at most: to give one out takes as long as to read a small part."""
_FETCHED: Final = 2
"""Results fetched at a time, for each thread of a worker: a way there costs time."""
_AHEAD: Final = 2 * _FETCHED
"""Tasks given out at most, for each thread: others are done while some are fetched."""
_ASK: Final = "Ask the administrator"
_AWAY: Final = (
    f"the cluster that {VARIABLE} names cannot be reached. Nothing was charged. {_ASK} "
    "whether its scheduler runs."
)
_NO_WORKERS: Final = (
    f"the cluster that {VARIABLE} names has no workers. Nothing was charged. {_ASK} to start some."
)
_LOST: Final = (
    "several workers of the cluster were lost with the same part of the table. Nothing "
    f"was charged. {_ASK} whether workers have too little memory."
)
_OTHER: Final = (
    "a worker of the cluster failed ({name}). Nothing was charged. "
    f"{_ASK} whether workers have the same version of it, and read the same files."
)
_NO_PACKAGES: Final = (
    f"the packages for a cluster are not installed. {_ASK} to install "
    "epsilon-studio[cluster], or requirements-cluster.txt."
)


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


def cluster_address() -> str | None:
    """Return ``$EPSILON_STUDIO_CLUSTER``; ``None`` where it is not set."""
    return os.environ.get(VARIABLE) or None


def on_cluster(address: str, work: Callable[[_P], _T], parts: Sequence[_P]) -> Iterator[_T]:
    """Yield what workers make of every part, in the order of the parts.

    A few of them are one task, and a few tasks are given out ahead. Whoever asks no
    longer takes them back.

    Raises:
        DataError: The scheduler cannot be reached, or no more; there are no workers;
            or a part cannot be read, in the words of who tried to. Nothing has been
            charged by then.

    """
    with _connected(address) as client:
        threads = max(1, sum(_threads(client).values()))
        given: deque[Future] = deque()
        for some in shares(parts, threads):
            # Not pure: what was made of a file before is not what it holds now.
            given.append(client.submit(_in_plain_words, work, some, pure=False))
            if len(given) == _AHEAD * threads:
                oldest = [given.popleft() for _ in range(_FETCHED * threads)]
                yield from chain.from_iterable(_results(client, oldest))
        yield from chain.from_iterable(_results(client, [*given]))


def shares(parts: Sequence[_P], threads: int) -> Iterator[Sequence[_P]]:
    """Yield the parts of each task, in order: as many tasks for each thread.

    So none of them works while all others have nothing left.
    """
    together = min(max(len(parts) // (_TASKS * threads), 1), _TOGETHER)
    rounds = math.ceil(len(parts) / (together * threads))
    tasks = min(rounds * threads, len(parts))
    for task in range(tasks):
        yield parts[len(parts) * task // tasks : len(parts) * (task + 1) // tasks]


@contextlib.contextmanager
def _connected(address: str) -> Iterator[Client]:
    """Connect to a scheduler, and let go of it with all that it was given."""
    try:
        from distributed import Client  # noqa: PLC0415 - slow to import, not for all
    except ImportError:
        raise DataError(_NO_PACKAGES) from None
    client = None
    # Of an address that is none, it raises anything.
    with contextlib.suppress(Exception):
        client = Client(address, timeout=_CONNECT, set_as_default=False, asynchronous=False)
    if client is None:
        # What is left of it stops its loop as it goes. In the midst of another one's
        # start that would wait for itself for ever: it goes here.
        gc.collect()
        raise DataError(_AWAY)
    try:
        with _explained():
            yield client
    finally:
        # What is gone cannot be told that nobody waits.
        with contextlib.suppress(OSError):
            client.close(timeout=_CONNECT)


@contextlib.contextmanager
def _explained() -> Iterator[None]:
    """Say in plain words why a cluster does not do what it was asked.

    Raises:
        DataError: Instead of an error of Dask, whose words may come from a worker.

    """
    from distributed.client import ClosedClientError  # noqa: PLC0415 - slow to import
    from distributed.scheduler import KilledWorker  # noqa: PLC0415 - slow to import

    try:
        yield
    except DPCoreError:
        raise
    except KilledWorker:
        raise DataError(_LOST) from None
    except (OSError, CancelledError, ClosedClientError):
        raise DataError(_AWAY) from None
    except Exception as error:  # noqa: BLE001 - whatever the worker's Python raises
        raise DataError(_OTHER.format(name=type(error).__name__)) from None


def _threads(client: Client) -> dict[str, int]:
    """Return how many threads each worker has.

    Raises:
        DataError: The scheduler does not say so in time.

    """
    try:
        known = client.sync(client.scheduler.ncores, callback_timeout=_ANSWER)
    # A client that has given up has no scheduler.
    except (OSError, AttributeError):
        raise DataError(_AWAY) from None
    return dict(known)


def _results(client: Client, futures: list[Future]) -> list[Any]:
    """Return results, and ask from time to time whether they can still come."""
    from distributed import wait  # noqa: PLC0415 - slow to import, not for all

    peopled = time.monotonic()
    while True:
        # A task has no such error of its own: it tells all in plain words.
        with contextlib.suppress(TimeoutError):
            with client.as_current():
                wait(futures, timeout=_LOOK)
            return list(client.sync(_fetched, client, futures, callback_timeout=_ANSWER))
        if _threads(client):
            peopled = time.monotonic()
        elif time.monotonic() - peopled > _NOBODY:
            raise DataError(_NO_WORKERS)


async def _fetched(client: Client, futures: list[Future]) -> list[Any]:
    return list(await client.gather(futures, asynchronous=True))


def _in_plain_words(work: Callable[[_P], _T], parts: Sequence[_P]) -> list[_T]:
    """Do the work, on a worker, whose log and answer hold no error that quotes a cell.

    Raises:
        DPCoreError: As the work does; a DataError for any other error.

    """
    try:
        with memory.some_at_hand():
            return [work(part) for part in parts]
    except DPCoreError:
        raise
    except Exception as error:  # noqa: BLE001 - its words may quote a cell
        raise DataError(_OTHER.format(name=type(error).__name__)) from None
