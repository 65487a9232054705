"""What the process holds in memory, and how long the interpreter looks through it.

A collection of garbage visits every object that there is: most of 200,000 belong to
imported packages, and no answer reaches the browser for the 0.2 s that the visit takes.
As the first tab opens, these objects are set aside, where no collection looks. No table
is there yet, so that a collection finds every table that has gone. It visits 30,000
objects then, and 300 more for each open tab. There is one three seconds after the end
of a run, or of a tab, that had a table, and one for all meanwhile.
"""

from __future__ import annotations

import gc
import threading
from collections.abc import Callable

from starlette.formparsers import MultiPartParser

_PAUSE_SECONDS = 3.0


def set_aside() -> None:
    """Set aside every object that is there, for as long as the process runs."""
    gc.collect()
    gc.freeze()


def collect() -> None:
    """Free the garbage among the objects that are not set aside."""
    gc.collect()


class Postponed:
    """A job that runs once, a moment later, however often it is requested until then.

    It runs in a thread of its own, so that the event loop goes on answering.
    """

    def __init__(self, job: Callable[[], None], seconds: float = _PAUSE_SECONDS) -> None:
        self._job = job
        self._seconds = seconds
        self._pending = threading.Lock()

    def request(self) -> None:
        """Run the job soon, unless a run is pending already."""
        if self._pending.acquire(blocking=False):
            timer = threading.Timer(self._seconds, self._run)
            timer.daemon = True
            timer.start()

    def _run(self) -> None:
        # First: a request that comes during the job needs another run.
        self._pending.release()
        self._job()


def keep_uploads(largest: int) -> None:
    """Receive files of up to that many bytes in memory.

    Left alone, what is larger than 1 MB passes through a file on disk, where nothing
    confidential belongs, and a thread for every 64 kB of it.
    """
    MultiPartParser.spool_max_size = largest
