"""Many tabs close at once: ``python -m benchmarks.leaving``.

Each tab is a websocket that runs the first page, with or without an example in use.
From the moment that they close, the health of the server is asked for every 20 ms.
"""

from __future__ import annotations

import argparse
import asyncio
import tempfile
import time
import urllib.request
from pathlib import Path

from benchmarks.server import MeasuredServer
from tests.browser.tab import Tab

_EVERY, _AFTERWARDS = 0.02, 5.0
_TABS = (20, 80)
_LINKS = {"without a table": "", "with a table": "example=rand-hie"}


def main() -> None:
    """Measure each number of tabs with and without a table, and print it."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--tabs", type=int, nargs="*", default=_TABS)
    for tabs in parser.parse_args().tabs:
        for name, link in _LINKS.items():
            with tempfile.TemporaryDirectory() as folder, MeasuredServer(Path(folder)) as server:
                waits = asyncio.run(_leave(server.url, tabs, link))
            print(
                f"{tabs} tabs {name}: longest wait for an answer "
                f"{max(waits):.2f} s, waits together {sum(waits):.2f} s"
            )


async def _leave(url: str, tabs: int, link: str) -> list[float]:
    """Open tabs, close all of them at once, and return the waits that followed."""
    opened = [await Tab(url, query=link).__aenter__() for _ in range(tabs)]
    await asyncio.sleep(_AFTERWARDS)
    watch = asyncio.create_task(asyncio.to_thread(_waits, url))
    await asyncio.gather(*(tab.__aexit__() for tab in opened))
    return await watch


def _waits(url: str) -> list[float]:
    """Ask for the health again and again; return the seconds of each answer."""
    waits = []
    end = time.monotonic() + _AFTERWARDS
    while time.monotonic() < end:
        start = time.monotonic()
        urllib.request.urlopen(f"{url}/_stcore/health", timeout=120).read()
        waits.append(time.monotonic() - start)
        time.sleep(_EVERY)
    return waits


if __name__ == "__main__":
    main()
