"""Being let in by a PostgreSQL, which may be starting, or full for a moment.

Where no connection comes about, libpq hands over the words of the server and no
SQLSTATE.
"""

from __future__ import annotations

import re
import time
from enum import Enum, auto
from typing import TYPE_CHECKING, Final

from sqlalchemy.exc import OperationalError

if TYPE_CHECKING:
    from sqlalchemy import Connection, Engine
    from sqlalchemy.exc import DBAPIError

_PATIENCE: Final = 10.0
_FIRST_PAUSE, _LONGEST_PAUSE = 0.1, 1.0
_QUOTED: Final = r"[\"'„“”«»「]\s?"


class Refusal(Enum):
    """Why a server that answers lets nobody in.

    ``NOW`` is a refusal in another language that names neither user nor database: the
    server is starting, stopping or full.
    """

    STARTING = auto()
    FULL = auto()
    NOW = auto()
    USER = auto()
    DATABASE = auto()
    RULE = auto()

    @property
    def passes(self) -> bool:
        """Return whether the server may admit the same connection a moment later."""
        return self in {Refusal.STARTING, Refusal.FULL, Refusal.NOW}


_STATES: Final = {
    "57P03": Refusal.STARTING,
    "53300": Refusal.FULL,
    "28": Refusal.USER,
    "3D": Refusal.DATABASE,
}
"""By the beginning of an SQLSTATE, where there is one."""
_WORDS: Final = (
    (r"system is (starting up|shutting down|in recovery mode)", Refusal.STARTING),
    (r"system is not (yet )?accepting connections", Refusal.STARTING),
    (r"too many (clients|connections)|connection slots are reserved", Refusal.FULL),
    (r"no more connections allowed", Refusal.FULL),
    (r"pg_hba\.conf", Refusal.RULE),
    (r"database .* does not exist", Refusal.DATABASE),
    (r"authentication failed|role .* does not exist|no password", Refusal.USER),
)
"""Of servers that speak English, and of PgBouncer."""


def connected(engine: Engine) -> Connection:
    """Open a connection; try again for a while if the server is starting or full.

    Raises:
        DBAPIError: The server cannot be reached, or lets nobody in.

    """
    ends = time.monotonic() + _PATIENCE
    pause = _FIRST_PAUSE
    while True:
        try:
            return engine.connect()
        except OperationalError as error:
            why = refusal(error)
            if why is None or not why.passes or time.monotonic() + pause > ends:
                raise
        time.sleep(pause)
        pause = min(2 * pause, _LONGEST_PAUSE)


def refusal(error: DBAPIError) -> Refusal | None:
    """Return why the server refused a connection, ``None`` where it did not answer."""
    said = str(error.orig)
    state = getattr(error.orig, "sqlstate", None)
    if state is not None:
        known = _STATES.items()
        return next((why for code, why in known if state.startswith(code)), None)
    for words, why in _WORDS:
        if re.search(words, said):
            return why
    # The words of a server that answers, and refuses, begin so in most languages.
    _, fatal, words = said.partition("FATAL")
    if not fatal:
        return None
    asked = getattr(error.orig, "pgconn", None)
    names = {"db": Refusal.DATABASE, "user": Refusal.USER}
    for part, why in names.items():
        name = getattr(asked, part, None)
        if name is None or re.search(_QUOTED + re.escape(name.decode()), words):
            return why
    return Refusal.NOW
