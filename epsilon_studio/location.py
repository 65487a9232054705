"""Where the files of the app lie, and on which port it is served."""

from __future__ import annotations

import socket
from pathlib import Path
from typing import Final

FIRST_PORT: Final = 8501
_PORTS: Final = 50
_LOOPBACK: Final = "127.0.0.1"


def app_folder() -> Path:
    """Return the folder of ``asgi.py``: inside the installed package, or the checkout."""
    here = Path(__file__).parent
    installed = here / "app"
    return installed if installed.is_dir() else here.parent


def command() -> str:
    """Return the command that starts the app, from the installation or the checkout."""
    is_installed = app_folder().parent == Path(__file__).parent
    return "epsilon-studio" if is_installed else ".venv/bin/python -m epsilon_studio"


def free_port(first: int = FIRST_PORT) -> int:
    """Return the first port from ``first`` on which nothing listens."""
    return next((port for port in range(first, first + _PORTS) if is_free(port)), first)


def is_free(port: int) -> bool:
    """Return whether nothing on this computer listens on a port."""
    with socket.socket() as probe:
        return probe.connect_ex((_LOOPBACK, port)) != 0
