"""What a short run changes is sent when it has ended, so that a browser draws it once.

Streamlit sends each element as it is made, and says before that a run goes on. A browser
then draws the whole page as outdated, some of it anew, and all of it anew: three times
where once is enough. A run that takes longer sends what it has so far.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Final, cast
from weakref import WeakKeyDictionary

from streamlit.proto.ForwardMsg_pb2 import ForwardMsg
from streamlit.runtime.app_session import AppSession, AppSessionState

_SHORT_SECONDS: Final = 0.2
_STATUS: Final = "session_status_changed"
_flush: Final = AppSession.flush_browser_queue
_begun: Final = WeakKeyDictionary[AppSession, float]()


def sent_now(session: AppSession) -> list[ForwardMsg]:
    """Return what is to be sent now, with the last status alone."""
    # There is no public way.
    if session._state is not AppSessionState.APP_IS_RUNNING:  # noqa: SLF001
        _begun.pop(session, None)
    else:
        loop = asyncio.get_running_loop()
        if session not in _begun:
            _begun[session] = loop.time()
            wake = cast("Callable[[], None]", session._message_enqueued_callback)  # noqa: SLF001
            loop.call_at(_begun[session] + _SHORT_SECONDS, wake)
        if loop.time() < _begun[session] + _SHORT_SECONDS:
            return []
    messages = _flush(session)
    earlier = [id(each) for each in messages if each.HasField(_STATUS)][:-1]
    return [each for each in messages if id(each) not in earlier]


def install() -> None:
    """Send so, for as long as the process runs."""
    AppSession.flush_browser_queue = sent_now  # type: ignore[assignment, method-assign]
