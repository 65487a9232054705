"""Upload a million rows in a real browser, do the main job, print what it took."""

from __future__ import annotations

import statistics
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd
from playwright.sync_api import sync_playwright

from benchmarks.server import Server, browser_path
from benchmarks.walk import Walk

if TYPE_CHECKING:
    from collections.abc import Callable

_ROWS, _COLUMNS, _REPEATS = 1_000_000, 10, 9


def main() -> None:
    """Run the whole measurement and print a table."""
    with tempfile.TemporaryDirectory() as folder:
        path = _table(Path(folder))
        size = path.stat().st_size
        print(f"table: {_ROWS:,} x {_COLUMNS}, {size / 1e6:.0f} MB")
        with Server(Path(folder)) as server, sync_playwright() as playwright:
            print(f"start to healthy: {server.started_in:.2f} s")
            browser = playwright.chromium.launch(
                executable_path=browser_path(), args=["--no-sandbox", "--disable-gpu"]
            )
            walk = Walk(browser.new_page(), server.url)
            walk.warm_up()
            base = server.memory()
            print(f"second page view: {walk.second_view():.2f} s")
            server.watch_peak()
            print(f"upload to usable: {_timed(lambda: walk.upload(path)):.2f} s")
            walk.use("10", "20")
            peak = server.peak()
            print(f"peak memory above base: {(peak - base) / size:.2f} x file")
            print(f"release: {_timed(walk.release):.2f} s")
            for name, change in walk.controls():
                times = [change() for _ in range(_REPEATS)]
                print(
                    f"{name}: median {statistics.median(times):.3f} s, "
                    f"worst {max(times):.3f} s"
                )
            in_use = (server.memory() - base) / size
            print(f"memory in use above base: {in_use:.2f} x file")
            browser.close()


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
