"""The command ``epsilon-studio``: start the app and open the browser, or check its needs."""

from __future__ import annotations

import argparse
import contextlib
import os
import sys
import tempfile
import threading
import time
import webbrowser
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Final

from dpcore.version import VERSION
from epsilon_studio import doctor, hosts
from epsilon_studio.location import FIRST_PORT, app_folder, free_port, is_free

_EVERYWHERE: Final = "0.0.0.0"  # noqa: S104 - asked for by `--classroom`
_EXAMPLE: Final = "?example=rand-hie"
_PATIENCE: Final = 120.0
_EVERY: Final = 0.2
_HOME: Final = "EPSILON_STUDIO_HOME"


def main(arguments: Sequence[str] | None = None) -> int:
    """Carry out the command; return its exit code."""
    asked = _parser().parse_args(arguments)
    if asked.home is not None:
        os.environ[_HOME] = str(asked.home.expanduser().resolve())
    if asked.action == "doctor":
        return doctor.main(asked.port)
    with _demonstration() if asked.demo else contextlib.nullcontext():
        _serve(asked)
    return 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="epsilon-studio", description="Differential privacy on your own table."
    )
    parser.add_argument(
        "action", nargs="?", choices=["doctor"], help="check the environment instead of starting"
    )
    parser.add_argument(
        "--port", type=int, help=f"port (default: the first free from {FIRST_PORT})"
    )
    parser.add_argument(
        "--home", type=Path, help="folder of the ledger and its key (default: ~/.epsilon-studio)"
    )
    parser.add_argument(
        "--demo",
        action="store_true",
        help="open a built-in survey, with a ledger that is discarded",
    )
    parser.add_argument(
        "--classroom",
        action="store_true",
        help="let the phones of a class in this network join, and open the lessons",
    )
    parser.add_argument("--no-browser", action="store_true", help="do not open the browser")
    parser.add_argument("--version", action="version", version=f"Epsilon Studio {VERSION}")
    return parser


@contextlib.contextmanager
def _demonstration() -> Iterator[None]:
    """Keep the ledger of a demonstration in a folder that is removed at the end."""
    with tempfile.TemporaryDirectory(prefix="epsilon-studio-") as folder:
        os.environ[_HOME] = folder
        os.environ["EPSILON_STUDIO_LEDGER"] = ""
        yield


def _serve(asked: argparse.Namespace) -> None:
    from streamlit.web import cli  # noqa: PLC0415 - `doctor` says if it is missing

    port = free_port() if asked.port is None else asked.port
    # Without an address to print, Streamlit asks a server outside for that of this computer.
    options = [f"--server.port={port}", f"--browser.serverAddress={hosts.LOCAL[0]}"]
    if asked.classroom:
        options.append(f"--server.address={_EVERYWHERE}")
        os.environ[hosts.VARIABLE] = " ".join((*hosts.named(), hosts.own_address()))
    page = ("/lessons" if asked.classroom else "/") + (_EXAMPLE if asked.demo else "")
    if not asked.no_browser and _has_screen():
        threading.Thread(target=_open, args=(port, page), daemon=True).start()
    cli.main(["run", str(app_folder() / "asgi.py"), *options], standalone_mode=False)


def _has_screen() -> bool:
    """Return whether a browser can open a window here; a terminal is no place for one."""
    return sys.platform != "linux" or any(map(os.environ.get, ("DISPLAY", "WAYLAND_DISPLAY")))


def _open(port: int, page: str) -> None:
    """Open a page in the browser, once the server answers."""
    end = time.monotonic() + _PATIENCE
    while is_free(port) and time.monotonic() < end:
        time.sleep(_EVERY)
    webbrowser.open(f"http://{hosts.LOCAL[0]}:{port}{page}")
