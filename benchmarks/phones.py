"""A class of many phones beside an empty Streamlit page with as many tabs.

Phones join within half a minute, look for the question again and again, answer, and
leave; a request ten times a second measures how long the server keeps others waiting.
All of it stays on this machine: ``python -m benchmarks.phones --phones 300``.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import random
import statistics
import tempfile
import time
import urllib.request
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Final, Protocol, Self
from urllib.parse import urlsplit

from benchmarks.server import MeasuredServer
from tests.browser.tab import PATIENCE, Tab

MOST: Final = 400
_JOINING, _ANSWERING, _LEAVING = 30.0, 20.0, 10.0


class Visitor(Protocol):
    """Somebody who joins, answers and leaves."""

    async def __aenter__(self) -> Self:
        """Join."""
        ...

    async def __aexit__(self, *_: object) -> None:
        """Leave."""
        ...

    async def live(self) -> None:
        """Ask what is on screen until cancelled."""
        ...

    async def answer(self) -> None:
        """Answer, and see that it was taken."""
        ...


class EmptyTab(Tab):
    """A tab of the empty page: an answer is one run of it."""

    async def answer(self) -> None:
        """Run the page."""
        await self.run()


class Phone:
    """A phone of a class, with a network address of its own."""

    def __init__(self, address: str, number: int) -> None:
        self._place = urlsplit(address)
        self._choice = number % 2
        self._lock = asyncio.Lock()
        self._headers = {
            "Host": self._place.netloc,
            "X-Class": "1",
            # The server believes a proxy on its own machine.
            "X-Forwarded-For": f"10.0.{number // 250}.{number % 250 + 1}",
        }

    async def __aenter__(self) -> Self:
        """Open the page, take a seat, and see the question."""
        await self._connect()
        await self._ask("GET", "")
        await self._ask("POST", "/seat")
        await self._look()
        return self

    async def __aexit__(self, *_: object) -> None:
        """Leave."""
        self._writer.close()
        await self._writer.wait_closed()

    async def live(self) -> None:
        """Ask what is on screen, as the page does, until cancelled."""
        while True:
            await asyncio.sleep(self._shown["again"] * _between(0.8, 1.2))
            await self._look()

    async def answer(self) -> None:
        """Choose an answer, and see that it was taken."""
        path = f"/answer/{self._shown['lesson']}/{self._choice}"
        shown = json.loads(await self._ask("POST", path))
        assert shown["chosen"] == self._choice, shown  # noqa: S101

    async def _connect(self) -> None:
        self._reader, self._writer = await asyncio.open_connection("127.0.0.1", self._place.port)

    async def _look(self) -> None:
        self._shown = json.loads(await self._ask("GET", "/question"))

    async def _ask(self, method: str, path: str) -> bytes:
        headers = "".join(f"{name}: {text}\r\n" for name, text in self._headers.items())
        line = f"{method} {self._place.path}{path} HTTP/1.1\r\n"
        async with self._lock, asyncio.timeout(PATIENCE):
            if self._reader.at_eof():  # The server closes what was idle.
                await self._connect()
            self._writer.write(f"{line}{headers}\r\n".encode())
            head = (await self._reader.readuntil(b"\r\n\r\n")).decode()
            start, *lines = head.strip().split("\r\n")
            fields = [line.partition(": ") for line in lines]
            found = {name.lower(): text for name, _, text in fields}
            body = await self._reader.readexactly(int(found["content-length"]))
        assert " 200 " in start, head  # noqa: S101
        if "set-cookie" in found:
            self._headers["Cookie"] = found["set-cookie"].partition(";")[0]
        return body


class Health:
    """How long a request for the server's health waits, from now on."""

    def __init__(self, url: str) -> None:
        self._address = f"{url}/_stcore/health"
        self._waits: list[float] = []

    def take(self) -> float:
        """Return the longest wait since the last call."""
        waits, self._waits = self._waits, []
        return max(waits, default=0.0)

    async def watch(self) -> None:
        """Ask again and again, until cancelled."""
        while True:
            self._waits.append(await timed(asyncio.to_thread(self._ask)))
            await asyncio.sleep(0.1)

    def _ask(self) -> None:
        urllib.request.urlopen(self._address, timeout=PATIENCE).close()


async def timed(action: Awaitable[object]) -> float:
    """Return the seconds that an action takes."""
    start = time.perf_counter()
    await action
    return time.perf_counter() - start


@asynccontextmanager
async def running(work: Sequence[Awaitable[None]]) -> AsyncIterator[None]:
    """Do some endless work meanwhile; what fails in it is raised at the end."""
    tasks = [asyncio.ensure_future(each) for each in work]
    try:
        yield
    finally:
        failed = [task for task in tasks if task.done()]
        for task in tasks:
            task.cancel()
        for task in failed:
            task.result()


async def visit(name: str, server: MeasuredServer, visitors: Sequence[Visitor]) -> None:
    """Let all join, answer and leave, and print how long each of it takes."""
    health = Health(server.url)

    async def after(delay: float, action: Callable[[], Awaitable[object]]) -> float:
        await asyncio.sleep(delay)
        return await timed(action())

    def report(what: str, times: Sequence[float], used: float) -> None:
        print(
            f"{name}, {len(times)} {what}: median {statistics.median(times):.3f} s, "
            f"95% {sorted(times)[int(0.95 * len(times))]:.3f} s, "
            f"health at most {health.take():.2f} s, "
            f"{server.processor() - used:.1f} s of the server's processor",
            flush=True,
        )

    async with running([health.watch()]), asyncio.TaskGroup() as group:
        used, count = server.processor(), len(visitors)
        lives = []

        async def join(number: int, visitor: Visitor) -> float:
            took = await after(number * _JOINING / count, visitor.__aenter__)
            lives.append(group.create_task(visitor.live()))
            return took

        joining = [join(number, one) for number, one in enumerate(visitors)]
        report("join", await asyncio.gather(*joining), used)
        used = server.processor()
        presses = [after(_between(0, _ANSWERING), one.answer) for one in visitors]
        report("answer", await asyncio.gather(*presses), used)
        for life in lives:
            life.cancel()
        used = server.processor()
        leaving = [after(0, one.__aexit__) for one in visitors]
        times = await asyncio.gather(*leaving)
        await asyncio.sleep(_LEAVING)
        report("leave", times, used)


async def _class(server: MeasuredServer, count: int) -> None:
    async with Tab(server.url, "lessons") as teacher:
        await asyncio.sleep(_LEAVING)  # Imports in the background end.
        await teacher.press("Open a class for phones")
        address = next(code for code in teacher.codes if "/class/" in code)
        async with running([teacher.live()]):
            phones = [Phone(address, number) for number in range(count)]
            await visit("class", server, phones)
        health = Health(server.url)
        async with running([health.watch()]):
            took = await timed(teacher.press("End the class"))
        print(f"class ended in {took:.2f} s, health at most {health.take():.2f} s")


async def _empty(server: MeasuredServer, count: int) -> None:
    await visit("empty page", server, [EmptyTab(server.url) for _ in range(count)])


def _between(low: float, high: float) -> float:
    return random.uniform(low, high)  # noqa: S311 - when somebody presses


def main() -> None:
    """Measure a class, and then the empty page."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--phones", type=int, default=300)
    count = parser.parse_args().phones
    if not 1 < count <= MOST:
        parser.error(f"2 to {MOST} phones")
    for measure, entry in ((_class, "asgi.py"), (_empty, "benchmarks/empty.py")):
        with tempfile.TemporaryDirectory() as folder, MeasuredServer(Path(folder), entry) as server:
            asyncio.run(measure(server, count))


if __name__ == "__main__":
    main()
