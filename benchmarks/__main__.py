"""Upload a million rows in a real browser, do the main job, print what it took."""

from __future__ import annotations

import os
import statistics
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd
from playwright.sync_api import sync_playwright

from benchmarks import models, resampling, studies
from benchmarks.controls import (
    controls,
    matrix_controls,
    model_controls,
    resampling_controls,
)
from benchmarks.server import MeasuredServer
from benchmarks.walk import Walk
from tests.browser.server import system_browser

if TYPE_CHECKING:
    from collections.abc import Callable

_ROWS, _COLUMNS, _REPEATS = 1_000_000, 10, 9
_MATRIX = [f"v{i}" for i in range(6)]


def main() -> None:
    """Run the whole measurement and print a table."""
    with tempfile.TemporaryDirectory() as folder:
        path = _table(Path(folder))
        size = path.stat().st_size
        print(f"table: {_ROWS:,} x {_COLUMNS}, {size / 1e6:.0f} MB")
        with MeasuredServer(Path(folder)) as server, sync_playwright() as playwright:
            print(f"start to healthy: {server.started_in:.2f} s")
            browser = playwright.chromium.launch(
                executable_path=system_browser(), args=["--no-sandbox", "--disable-gpu"]
            )
            walk = Walk(browser.new_page(), server.url)
            walk.warm_up()
            base = server.memory()
            print(f"second page view: {walk.second_view():.2f} s")
            server.watch_peak()
            print(f"upload to usable: {_timed(lambda: walk.upload(path)):.2f} s")
            walk.use(_MATRIX, "10", "20")
            peak = server.peak()
            print(f"peak memory above base: {(peak - base) / size:.2f} x file")
            _releases(walk)
            walk.ask("mean")
            for change in controls(walk):
                _repeat(*change)
            in_use = (server.memory() - base) / size
            print(f"memory in use above base: {in_use:.2f} x file")
            walk.go("Individual privacy")
            walk.ask_matrix(_MATRIX[1:])
            took = _timed(walk.show_everybody)
            print(f"everybody's loss under a matrix, first time: {took:.2f} s")
            for change in matrix_controls(walk):
                _repeat(*change)
            in_use = (server.memory() - base) / size
            print(f"the same with a matrix of 6 columns: {in_use:.2f} x file")
            took = _timed(lambda: walk.explain(_MATRIX[1:]))
            print(f"everybody's loss from a model, columns chosen: {took:.2f} s")
            for change in model_controls(walk):
                _repeat(*change)
            for change in resampling_controls(walk):
                _repeat(*change)
            in_use = (server.memory() - base) / size
            print(f"the same with a model of 6 columns: {in_use:.2f} x file")
            browser.close()
    studies.main()
    models.main()
    resampling.main()


def _releases(walk: Walk) -> None:
    """Release three kinds of answers, and print how long each took."""
    walk.ask_mean()
    print(f"release of the mean, BIT Laplace: {_timed(walk.release):.2f} s")
    walk.ask("median")
    print(f"release of the median: {_timed(walk.release):.2f} s")
    walk.ask_matrix(_MATRIX[1:])
    columns = len(_MATRIX)
    print(f"release of a matrix of {columns} columns: {_timed(walk.release):.2f} s")


def _repeat(name: str, change: Callable[[], float]) -> None:
    times = [change() for _ in range(_REPEATS)]
    load = os.getloadavg()[0]
    print(
        f"{name}: median {statistics.median(times):.3f} s, worst {max(times):.3f} s "
        f"(load {load:.1f})",
        flush=True,
    )


def _table(folder: Path) -> Path:
    rng = np.random.default_rng(0)
    columns = {
        f"v{i}": rng.normal(15, 1.5, _ROWS).round(6).clip(10, 20)
        for i in range(_COLUMNS)
    }
    path = folder / "million.csv"
    pd.DataFrame(columns).to_csv(path, index=False)
    return path


def _timed(action: Callable[[], object]) -> float:
    start = time.perf_counter()
    action()
    return time.perf_counter() - start


if __name__ == "__main__":
    main()
