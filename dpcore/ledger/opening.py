"""Whether the ledger is on a server, and the way to it."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

from dpcore.errors import LedgerError

if TYPE_CHECKING:
    from dpcore.ledger.server import ServerLedger

_MISSING = (
    "EPSILON_STUDIO_LEDGER names a server, and the packages that speak to it are not "
    "installed. Install what requirements-postgresql.txt lists."
)


def address() -> str:
    """Return the address of the ledger's server, empty where a file holds it.

    It is ``$EPSILON_STUDIO_LEDGER``, and may hold a password: it is not to be shown.
    """
    return os.environ.get("EPSILON_STUDIO_LEDGER", "").strip()


def on_server(where: str, folder: Path) -> ServerLedger:
    """Return the ledger at an address; the key lies in the folder.

    It keeps its connections: close it, or keep it.

    Raises:
        LedgerError: The address is none of PostgreSQL, or packages are missing.

    """
    try:
        from dpcore.ledger.server import ServerLedger  # noqa: PLC0415 - only where it is asked for
    except ImportError:
        raise LedgerError(_MISSING) from None
    return ServerLedger.of(where, folder)
