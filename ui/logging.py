"""Logs say that something failed, and never what the message was.

The message of an unexpected error may quote a cell of the table ("could not convert
string to float: ..."). Streamlit writes it to the log at every setting.
"""

from __future__ import annotations

import logging
import sys
import traceback
from pathlib import Path

_STEPS = 5
# Somebody pressed "Stop" as the work ended. It names a part of the page, and no data.
_GONE = "Couldn't find fragment with id"
_NO_WALL = (
    "Started without asgi.py: responses carry no security headers, and only the checks "
    "of Streamlit apply. Start the app with: streamlit run asgi.py"
)
_LOGGERS = (
    "streamlit.error_util",
    "streamlit.runtime.backend_operation_handler",
    "streamlit.runtime.scriptrunner.script_runner",
)


class _Redact(logging.Filter):
    """Keep the place of an error and the name of its type; drop its message."""

    def filter(self, record: logging.LogRecord) -> bool:
        if str(record.msg).startswith(_GONE):
            return True
        kind, _, trace = record.exc_info or (None, None, None)
        name = kind.__name__ if kind is not None else "error"
        steps = traceback.extract_tb(trace)[-_STEPS:]
        place = ", ".join(f"{Path(s.filename).name}:{s.lineno}" for s in steps)
        record.msg = f"{name} at [{place}]; its message may quote data and is withheld."
        record.args = ()
        record.exc_info = None
        record.exc_text = None
        return True


def withhold_messages() -> None:
    """Install the filter once for the whole server."""
    for name in _LOGGERS:
        logger = logging.getLogger(name)
        if not any(isinstance(known, _Redact) for known in logger.filters):
            logger.addFilter(_Redact())


def warn_without_wall() -> None:
    """Log that the app runs without `asgi.py`, where it does."""
    if "asgi" not in sys.modules:
        logging.getLogger(__name__).warning(_NO_WALL)
