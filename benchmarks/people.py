"""Many people at their main job at once, beside an empty Streamlit page.

Each of them uploads a table of 10,000 rows, declares a column, uses the table, and
spends on a mean. All of it stays on this machine: ``python -m benchmarks.people``.
"""

from __future__ import annotations

import argparse
import asyncio
import statistics
import tempfile
import time
from collections import defaultdict
from collections.abc import Awaitable
from pathlib import Path
from typing import Final

import numpy as np

from benchmarks.server import MeasuredServer
from tests.browser.tab import Tab

ROWS: Final = 10_000
MOST: Final = 80


def table(number: int) -> bytes:
    """Return a table of its own for each of them."""
    rng = np.random.default_rng(number)
    columns = rng.integers(0, 100, ROWS), rng.gamma(2.0, 900.0, ROWS).round(2)
    group = rng.choice(["a", "b", "c"], ROWS)
    lines = [f"{a},{p},{g}" for a, p, g in zip(*columns, group, strict=True)]
    # Tables with the same columns are taken for one of the same people.
    header = f"age {number},pay {number},group {number}"
    return "\n".join([header, *lines, ""]).encode()


class Curator(Tab):
    """A tab that uploads a table and releases a number of it."""

    def __init__(self, url: str, number: int) -> None:
        super().__init__(url)
        self._table = table(number)
        self.times: dict[str, float] = {}

    async def work(self) -> None:
        """Do the main job, and note how long each part takes."""
        async with self:
            await self.go("data")
            await self._timed("upload", self.upload(self._table))
            self.declare(lower="0", upper="100")
            await self.run()
            # As in a browser, the press itself opens the next page.
            await self._timed("use", self.press("Continue to Release"))
            self.leave_for("release")
            await self.run()
            await self.press("Release and spend ε = 0.5")
            await self._timed("spend", self.press("Spend ε = 0.5"))
            assert "Released ✓" in self.buttons, self.texts  # noqa: S101

    async def _timed(self, name: str, action: Awaitable[None]) -> None:
        start = time.perf_counter()
        await action
        self.times[name] = time.perf_counter() - start


async def _curators(server: MeasuredServer, count: int) -> dict[str, list[float]]:
    warm = Curator(server.url, MOST)  # What is imported once is not what is measured.
    await warm.work()
    people = [Curator(server.url, number) for number in range(count)]
    used = server.processor()
    ends = await asyncio.gather(*(one.work() for one in people), return_exceptions=True)
    used = server.processor() - used
    print(f"{used / count:.3f} s of the server's processor for each tab")
    failed = [end for end in ends if end is not None]
    print(f"{len(failed)} of {count} tabs failed {failed[:1]}")
    times = defaultdict(list)
    for one in people:
        for name, seconds in one.times.items():
            times[name].append(seconds)
    return times


async def _visitors(server: MeasuredServer, count: int) -> dict[str, list[float]]:
    async def visit() -> list[float]:
        async with Tab(server.url) as tab:
            waits = []
            for _ in range(4):
                start = time.perf_counter()
                await tab.run()
                waits.append(time.perf_counter() - start)
            return waits

    async with Tab(server.url):
        waits = await asyncio.gather(*(visit() for _ in range(count)))
    return {"run of the empty page": [wait for each in waits for wait in each]}


def main() -> None:
    """Measure the main job, and then the empty page."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--tabs", type=int, default=20)
    count = parser.parse_args().tabs
    if not 1 <= count <= MOST:
        parser.error(f"1 to {MOST} tabs")
    for measure, entry in ((_curators, "asgi.py"), (_visitors, "benchmarks/empty.py")):
        with tempfile.TemporaryDirectory() as folder, MeasuredServer(Path(folder), entry) as server:
            for name, times in asyncio.run(measure(server, count)).items():
                late = sorted(times)[min(len(times) - 1, int(0.95 * len(times)))]
                print(
                    f"{count} tabs, {name}: median {statistics.median(times):.2f} s, "
                    f"95% {late:.2f} s",
                    flush=True,
                )


if __name__ == "__main__":
    main()
