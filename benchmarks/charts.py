"""A changed figure until it is drawn, by two elements: ``python -m benchmarks.charts``.

A tab shows it by ``st.plotly_chart`` and another one by the chart that stays. A number is
typed into the one and the other in turn, from the key that sends it to the frame in which
the figure has changed. Frames without a figure are counted.
"""

from __future__ import annotations

import argparse
import statistics
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

from playwright.sync_api import sync_playwright

from benchmarks.server import MeasuredServer
from tests.browser.rest import listened, settled
from tests.browser.server import FLAGS, system_browser

if TYPE_CHECKING:
    from playwright.sync_api import Page

_ELEMENTS = ("streamlit", "ours")
_ROUNDS = 20
_LISTEN = """() => addEventListener("keydown", ({key}) => {
  if (key !== "Enter") return;
  const [before, began] = [document.querySelector(".xtitle")?.textContent, performance.now()];
  let empty = 0;
  const look = () => {
    const now = document.querySelector(".js-plotly-plot .xtitle")?.textContent;
    empty += now === undefined;
    if (now === undefined || now === before) requestAnimationFrame(look);
    else window.drawn = {milliseconds: performance.now() - began, empty};
  };
  requestAnimationFrame(look);
}, true)"""


def main() -> None:
    """Measure both in turn, and print their medians and the ratio."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=_ROUNDS)
    rounds = parser.parse_args().rounds
    entry = "benchmarks/two_charts.py"
    with (
        tempfile.TemporaryDirectory() as folder,
        MeasuredServer(Path(folder), entry) as server,
        sync_playwright() as playwright,
    ):
        browser = listened(playwright.chromium.launch(executable_path=system_browser(), args=FLAGS))
        pages = {by: _opened(browser.new_context().new_page(), server.url, by) for by in _ELEMENTS}
        taken: dict[str, list[dict[str, float]]] = {by: [] for by in _ELEMENTS}
        for number in range(1, rounds + 1):
            for by, page in pages.items():
                taken[by].append(_change(page, number))
    medians = {by: statistics.median(each["milliseconds"] for each in taken[by]) for by in taken}
    for by, all_drawn in taken.items():
        empty = sum(each["empty"] for each in all_drawn)
        print(f"{by}: {medians[by]:.0f} ms, frames without a figure {empty:.0f}")
    print(f"ratio {medians['ours'] / medians['streamlit']:.2f}")


def _opened(page: Page, url: str, by: str) -> Page:
    page.goto(f"{url}/?by={by}")
    page.locator(".js-plotly-plot .xtitle").wait_for()
    settled(page)
    page.evaluate(_LISTEN)
    return page


def _change(page: Page, number: int) -> dict[str, float]:
    page.bring_to_front()
    page.evaluate("() => { window.drawn = null; }")
    field = page.get_by_role("spinbutton")
    field.fill(str(number))
    field.press("Enter")
    page.wait_for_function("() => window.drawn")
    settled(page)
    found: dict[str, float] = page.evaluate("window.drawn")
    return found


if __name__ == "__main__":
    main()
