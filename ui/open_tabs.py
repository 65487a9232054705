"""One confidential object for each open tab, let go of soon after the tab has closed.

Streamlit's caches are no place for these objects: any client can have all of them
cleared. A thread asks Streamlit twice a second which tabs are still open.

A collection of garbage visits every object that there is: most of 200,000 belong to
imported packages, and no answer reaches the browser for the 0.2 s that the visit takes.
As the first tab opens, these objects are set aside, where no collection looks. No table
is there yet, so that a collection finds every table that has gone. It visits 30,000
objects then, and 300 more for each open tab. There is one three seconds after the end
of a run, or of a tab, that had a table, and one for all meanwhile.
"""

from __future__ import annotations

import gc
import logging
import threading
import time
from collections.abc import Callable
from typing import Generic, TypeVar

from starlette.formparsers import MultiPartParser
from streamlit import runtime

_T = TypeVar("_T")

_EVERY_SECONDS = 0.5
_LOG = logging.getLogger(__name__)


_PAUSE_SECONDS = 3.0


class OpenTabs(Generic[_T]):
    """The objects of all open tabs.

    Args:
        close: Ends what an object holds, after its tab has closed.
        is_open: Tells of the id of a session whether its tab is open.

    """

    def __init__(
        self, close: Callable[[_T], None], is_open: Callable[[str], bool] | None = None
    ) -> None:
        self._close = close
        self._is_open = is_open or _is_connected
        self._objects: dict[str, _T] = {}
        self._change = threading.Lock()
        self._watched = False

    def get(self, session_id: str, make: Callable[[], _T]) -> _T:
        """Return the object of a tab, made if the tab has none yet."""
        with self._change:
            if session_id not in self._objects:
                self._objects[session_id] = make()
                if not self._watched:
                    self._watched = True
                    threading.Thread(target=self._watch, daemon=True).start()
            return self._objects[session_id]

    def all(self) -> list[_T]:
        """Return the objects of all open tabs."""
        with self._change:
            return [*self._objects.values()]

    def clear(self) -> None:
        """Let go of the objects of all tabs."""
        self._end([*self._objects])

    def let_closed_go(self) -> None:
        """Let go of the objects of tabs that have closed."""
        self._end([name for name in [*self._objects] if not self._is_open(name)])

    def _end(self, names: list[str]) -> None:
        for name in names:
            with self._change:
                gone = self._objects.pop(name, None)
            if gone is None:
                continue
            try:
                self._close(gone)
            except Exception as error:  # noqa: BLE001 - the other tabs are closed, too
                # A message may quote data.
                _LOG.error("Closing a tab failed: %s", type(error).__name__)

    def _watch(self) -> None:
        while self._watched:
            time.sleep(_EVERY_SECONDS)
            self.let_closed_go()
            with self._change:
                self._watched = bool(self._objects)


def _is_connected(session_id: str) -> bool:
    """Return whether Streamlit knows the session as connected to a tab."""
    try:
        return bool(runtime.get_instance().is_active_session(session_id))
    except RuntimeError:  # There is no server: pages run alone, as in tests.
        return True


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
