"""One confidential object for each open tab, let go of soon after the tab has closed.

Streamlit's caches are no place for these objects: any client can have all of them
cleared. A thread asks Streamlit twice a second which tabs are still open.
"""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable
from typing import Generic, TypeVar

from streamlit import runtime

_T = TypeVar("_T")

_EVERY_SECONDS = 0.5
_LOG = logging.getLogger(__name__)


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
