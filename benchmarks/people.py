"""Many people at their main job at once, beside an empty Streamlit page.

Each of them uploads a table of 10,000 rows, declares a column, uses the table, and
spends on a mean. All of it stays on this machine: ``python -m benchmarks.people``.
"""

from __future__ import annotations

import argparse
import asyncio
import http.client
import json
import statistics
import tempfile
import time
from collections import defaultdict
from collections.abc import Awaitable
from pathlib import Path
from typing import TYPE_CHECKING, Final
from urllib.parse import urlsplit

import numpy as np
from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.Common_pb2 import UploadedFileInfo
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg
from streamlit.proto.WidgetStates_pb2 import WidgetState

from benchmarks.server import MeasuredServer
from tests.browser.tab import PATIENCE, Tab

if TYPE_CHECKING:
    from streamlit.proto.Delta_pb2 import Delta

ROWS: Final = 10_000
MOST: Final = 80
_BOUNDARY = "epsilon-studio"


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
        self._server = url
        self._grid = ""
        self._uploader = ""
        self._session = ""
        self._table = table(number)
        self.times: dict[str, float] = {}

    async def work(self) -> None:
        """Do the main job, and note how long each part takes."""
        async with self:
            await self._go("data")
            await self._timed("upload", self._upload())
            self.declare(lower="0", upper="100")
            await self.run()
            # As in a browser, the press itself opens the next page.
            await self._timed("use", self.press("Continue to Release"))
            self._leave_for("release")
            await self.press("Release and spend ε = 0.5")
            await self._timed("spend", self.press("Spend ε = 0.5"))
            assert "Released ✓" in self._buttons, self.texts  # noqa: S101

    async def _go(self, page: str) -> None:
        self._leave_for(page)
        await self.run()

    def _leave_for(self, page: str) -> None:
        self._page = page
        self._widgets.clear()
        self.texts.clear()

    def declare(self, **cells: str) -> None:
        """Type cells of the first column into the grid; the next run of the page reads them."""
        edits = {"edited_rows": {"0": cells}, "added_rows": [], "deleted_rows": []}
        self._widgets[self._grid] = WidgetState(id=self._grid, string_value=json.dumps(edits))

    async def _timed(self, name: str, action: Awaitable[None]) -> None:
        start = time.perf_counter()
        await action
        self.times[name] = time.perf_counter() - start

    async def _upload(self) -> None:
        message = BackMsg()
        message.file_urls_request.request_id = "1"
        message.file_urls_request.file_names.append("people.csv")
        message.file_urls_request.session_id = self._session
        await self._socket.send(message.SerializeToString())
        while True:
            answer = ForwardMsg.FromString(await self._socket.recv(decode=False))
            if answer.WhichOneof("type") == "file_urls_response":
                break
        place = answer.file_urls_response.file_urls[0]
        await asyncio.to_thread(self._put, place.upload_url)
        info = UploadedFileInfo(file_id=place.file_id, name="people.csv", size=len(self._table))
        info.file_urls.CopyFrom(place)
        state = WidgetState(id=self._uploader)
        state.file_uploader_state_value.uploaded_file_info.append(info)
        self._widgets[state.id] = state
        await self.run()
        # The page takes the file over, and shows another uploader.
        del self._widgets[state.id]

    def _put(self, path: str) -> None:
        """Send the file as a browser does, with the token of the server's cookie."""
        place = http.client.HTTPConnection(urlsplit(self._server).netloc, timeout=PATIENCE)
        place.request("GET", "/_stcore/health")
        with place.getresponse() as answer:
            answer.read()
            cookie = str(answer.getheader("set-cookie")).partition(";")[0]
        head = (
            f'--{_BOUNDARY}\r\nContent-Disposition: form-data; name="file"; '
            'filename="people.csv"\r\nContent-Type: text/csv\r\n\r\n'
        )
        place.request(
            "PUT",
            path,
            head.encode() + self._table + f"\r\n--{_BOUNDARY}--\r\n".encode(),
            {
                "Content-Type": f"multipart/form-data; boundary={_BOUNDARY}",
                "Cookie": cookie,
                "X-Xsrftoken": cookie.partition("=")[2].strip('"'),
            },
        )
        with place.getresponse() as answer:
            assert answer.status < 300, answer.read()  # noqa: PLR2004, S101
            answer.read()
        place.close()

    def _took(self, frame: bytes) -> bool:
        message = ForwardMsg.FromString(frame)
        if message.WhichOneof("type") == "new_session":
            self._session = message.new_session.initialize.session_id or self._session
        return super()._took(frame)

    def _draw(self, delta: Delta) -> None:
        super()._draw(delta)
        element = delta.new_element
        kind = element.WhichOneof("type")
        if kind == "dataframe":
            self._grid = element.dataframe.id or self._grid
        elif kind == "file_uploader":
            self._uploader = element.file_uploader.id


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
