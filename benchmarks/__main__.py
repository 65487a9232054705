"""Upload a million rows in a real browser, do the main job, print what it took."""

from __future__ import annotations

import argparse
import statistics
import tempfile
import time
from collections.abc import Callable, Iterable
from itertools import count
from pathlib import Path

import numpy as np
import pandas as pd
from playwright.sync_api import sync_playwright

from benchmarks import ledgers, models, resampling, studies
from benchmarks.controls import (
    Change,
    controls,
    matrix_controls,
    model_controls,
    plan_controls,
    regression_controls,
    release_controls,
    resampling_controls,
    view_controls,
)
from benchmarks.server import MeasuredServer
from benchmarks.timing import Spans
from benchmarks.walk import Walk
from tests.browser.rest import DEADLINE, listened
from tests.browser.server import FLAGS, Server, system_browser

_ROWS, _COLUMNS, _REPEATS = 1_000_000, 10, 9
_READS = 7
_MATRIX = [f"v{i}" for i in range(6)]


def main() -> None:
    """Run the whole measurement and print a table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "--small",
        action="store_true",
        help="only the pages, each control once, on a small table: does it end?",
    )
    if parser.parse_args().small:
        _pages(2_000, repeats=1, quiet=50)
        return
    _pages(_ROWS, repeats=_REPEATS, quiet=500)
    ledgers.main()
    studies.main()
    models.main()
    resampling.main()


def _pages(rows: int, *, repeats: int, quiet: int) -> None:
    """Do the main job in a browser, beside an empty page on the same machine."""
    with (
        tempfile.TemporaryDirectory() as folder,
        MeasuredServer(Path(folder)) as server,
        Server(Path(folder, "empty"), "benchmarks/empty.py") as plain,
        sync_playwright() as playwright,
    ):
        print(f"start to healthy: {server.started_in:.2f} s")
        browser = listened(playwright.chromium.launch(executable_path=system_browser(), args=FLAGS))
        context = browser.new_context()
        context.set_default_timeout(DEADLINE)
        empty = Walk(context.new_page(), plain.url, quiet=quiet)
        empty.open()
        rng = np.random.default_rng(0)
        columns = {
            f"v{i}": rng.normal(15, 1.5, rows).round(6).clip(10, 20) for i in range(_COLUMNS)
        }
        path = Path(folder) / "table.csv"
        pd.DataFrame(columns).to_csv(path, index=False)
        _job(Walk(context.new_page(), server.url, quiet=quiet), server, path, Times(empty, repeats))
        browser.close()


def _job(walk: Walk, server: MeasuredServer, path: Path, times: Times) -> None:
    """Do the main job, and print how long each of its parts takes."""
    size = path.stat().st_size
    reading = Spans()
    # Before and after the upload: on a shared machine one moment is like no other.
    reading.again(lambda: pd.read_csv(path), _READS)
    print(f"table: {_COLUMNS} columns, {size / 1e6:.3g} MB")
    walk.warm_up()
    base = server.memory()

    def in_use(what: str) -> None:
        print(f"{what}: {(server.memory() - base) / size:.2f} x file")

    print(f"second page view: {walk.second_view():.2f} s")
    server.watch_peak()
    used = server.processor()
    uploaded = walk.uploaded(path)
    used = server.processor() - used
    reading.again(lambda: pd.read_csv(path), _READS)
    print(f"pandas' own reading: {reading}")
    print(
        f"upload to usable: {uploaded:.2f} s (pandas' own reading, ratio "
        f"{uploaded / reading.middle:.1f}), {used:.2f} s of the server's processor"
    )
    walk.use_columns(_MATRIX, 10, 20)
    print(f"peak memory above base: {(server.peak() - base) / size:.2f} x file")
    # The first release is asked about once more, and is not timed.
    walk.choose("Statistic", "sum")
    walk.confirm()
    times.of_all(release_controls(walk, _MATRIX))
    walk.choose("Statistic", "mean")
    times.of_all(controls(walk))
    in_use("memory in use above base")
    walk.go("release")
    walk.ask_mean()
    walk.plan(50, _MATRIX)
    times.of_all(plan_controls(walk))
    walk.go("privacy_loss")
    walk.ask_matrix(_MATRIX[1:])
    took = _timed(walk.show_everybody)
    print(f"everybody's loss under a matrix, first time: {took:.2f} s")
    times.of_all(matrix_controls(walk))
    in_use("the same with a matrix of 6 columns")
    took = _timed(lambda: walk.explain(_MATRIX[1:]))
    print(f"everybody's loss from a model, columns chosen: {took:.2f} s")
    times.of_all(model_controls(walk))
    print("Privacy loss of a model:")
    times.of_views(view_controls(walk))
    times.of_all(regression_controls(walk))
    times.of_all(resampling_controls(walk))
    in_use("the same with a model of 6 columns")


class Times:
    """Times of controls, each beside the time of an empty page in the same minute."""

    def __init__(self, empty: Walk, repeats: int) -> None:
        self._empty = empty
        self._repeats = repeats
        self._numbers = count(1)
        ((_, self._turn),) = view_controls(empty)

    def of_all(self, changes: Iterable[Change]) -> None:
        """Change each control, and the number of the empty page in between."""
        self._beside(changes, self._of_empty)

    def of_views(self, changes: Iterable[Change]) -> None:
        """Turn to each view, and to the other one of the empty page in between.

        A turn draws a figure anew, where a control changes one.
        """
        self._beside(changes, self._turn)

    def _beside(self, changes: Iterable[Change], turn: Callable[[], float]) -> None:
        for name, change in changes:
            times, empty = zip(*[(change(), turn()) for _ in range(self._repeats)], strict=True)
            took, least = statistics.median(times), statistics.median(empty)
            print(
                f"{name}: median {took:.3f} s, worst {max(times):.3f} s (an empty "
                f"page: {least:.3f} s, ratio {took / least:.2f})",
                flush=True,
            )

    def _of_empty(self) -> float:
        return self._empty.typed("Number", str(next(self._numbers)))


def _timed(action: Callable[[], object]) -> float:
    start = time.perf_counter()
    action()
    return time.perf_counter() - start


if __name__ == "__main__":
    main()
