"""Bootstraps, a secret sample and a repaired resample, released from the browser."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest
from playwright.sync_api import expect

from dpcore.analyses.base import Mode
from dpcore.releases.record import WATERMARK, Release
from tests.browser.held import gate
from tests.browser.visitor import Visitor, table, visit

# In CI the three are released in process, and test_large_tables.py stops and goes on.
pytestmark = [pytest.mark.browser, pytest.mark.exhaustive]

PEOPLE = 3000
AGES = np.random.default_rng(22).integers(18, 90, PEOPLE)
BUDGET = 5
LONG = {"Bootstraps to release": 2, "ε for this release": 50}
SHORT = {"Bootstraps to release": 20, "ε for this release": 0.5}
TITLES = {
    "standard_errors": "Bootstrap, corrected",
    "subsampling": "secret sample",
    "resized": "Resampled mean",
}


def released(visitor: Visitor) -> Release:
    visitor.press_release()
    expect(visitor.page.get_by_text("Release 1 of this question")).to_be_visible()
    visitor.settle()
    return Release.from_json(visitor.download("Download JSON"))


def fill(visitor: Visitor, numbers: dict[str, float]) -> None:
    """Enter numbers, without waiting for what the page makes of each."""
    for label, number in numbers.items():
        field = visitor.page.get_by_role("spinbutton", name=label, exact=True)
        field.fill(f"{number:g}")
        field.press("Enter")


def bootstrapped(visitor: Visitor, home: Path) -> Release:
    """Stop the search for noise, go on, and release at a price that is found soon."""
    visitor.go("standard_errors")
    visitor.page.get_by_role("tab", name="Your table", exact=True).click()
    visitor.settle()
    looking = visitor.page.get_by_text("Looking for the noise that is enough")
    long, short = (
        # Between two settings another search began, and has a "Stop" of its own.
        looking.filter(has_text=re.compile(f"for {times} bootstraps at ε = {epsilon}$"))
        for times, epsilon in (LONG.values(), SHORT.values())
    )
    # Held as well, a simulation of the page would show a second "Stop".
    visitor.await_work()
    gate(home).touch()
    fill(visitor, LONG)
    expect(long).to_be_visible()
    visitor.button("Stop").click()
    stopped = visitor.page.get_by_text(re.compile(r"Stopped at [\d.]+%"))
    expect(stopped).to_be_visible()
    assert visitor.release_button.count() == 0
    visitor.button("Go on").click()
    expect(long).to_be_visible()
    fill(visitor, SHORT)
    expect(short).to_be_visible()
    gate(home).unlink()
    expect(looking).to_have_count(0)
    expect(visitor.release_button).to_be_enabled()
    visitor.settle()
    release = released(visitor)
    assert len(release.values) == SHORT["Bootstraps to release"]
    assert np.mean(release.values) == pytest.approx(AGES.mean(), abs=5)
    assert visitor.metric("Standard error")
    return release


def sampled(visitor: Visitor) -> Release:
    visitor.go("subsampling")
    visitor.page.get_by_role("tab", name="Release from a sample").click()
    visitor.settle()
    visitor.number("ε for this release", 0.5)
    assert "Noise relative to all rows" in visitor.text
    release = released(visitor)
    assert release.values[0] == pytest.approx(AGES.mean(), abs=8)
    return release


def resized(visitor: Visitor) -> Release:
    visitor.go("resized")
    visitor.pick("my column")
    visitor.number("ε of the repair", 0.5)
    expect(visitor.page.get_by_text("As published it cannot be released")).to_be_visible()
    release = released(visitor)
    assert release.values[0] == pytest.approx(AGES.mean(), abs=15)
    return release


def test_resampled_answers_are_released_and_charged(context, held):
    visitor = visit(context, held.url)
    visitor.use_upload(table(AGES.tolist()), budget=BUDGET)
    releases = [bootstrapped(visitor, held.home), sampled(visitor), resized(visitor)]
    assert {release.mode for release in releases} == {Mode.RELEASE}
    for release, label in zip(releases, TITLES.values(), strict=True):
        assert label in release.mechanism_label, release.mechanism_label
        assert 0.49 < float(release.cost.epsilon) < 0.51
    visitor.go("budget")
    spent = sum(float(release.cost.epsilon) for release in releases)
    shown = float(re.search(r"ε = ([\d.]+)", visitor.metric("Spent"))[1])
    assert shown == pytest.approx(spent, abs=1e-3)
    for name in TITLES:
        visitor.go(name)
        expect(visitor.page.get_by_test_id("stException")).to_have_count(0)


def test_examples_are_drawn_for_the_classroom(context, server):
    visitor = visit(context, server.url)
    visitor.use_example()
    visitor.go("resized")
    visitor.pick("my column")
    badge = visitor.page.get_by_text("Classroom: not a private release")
    expect(badge).to_have_count(0)
    expect(visitor.page.get_by_text("As published it cannot")).to_have_count(0)
    release = released(visitor)
    expect(badge).to_be_visible()
    assert release.mode is Mode.CLASSROOM
    assert WATERMARK in visitor.download("Download CSV").splitlines()[1]
    for figure in visitor.page.locator(".js-plotly-plot").all():
        expect(figure.get_by_text("Classroom").first).to_be_visible()
    visitor.go("budget")
    expect(visitor.page.get_by_role("figure").get_by_text("Classroom").first).to_be_visible()
