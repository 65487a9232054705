"""From an upload to the coefficients of a model, its price and a second draw."""

from __future__ import annotations

import numpy as np
import pytest
from playwright.sync_api import expect

from dpcore.analyses.base import Mode
from dpcore.releases.record import Release
from tests.browser.visitor import Visitor, visit

# In CI the page says the same in process: tests/app/test_regression.py.
pytestmark = [pytest.mark.browser, pytest.mark.exhaustive]

PEOPLE = 4000
EPSILON = 0.7


def survey() -> str:
    """Return a table in which pay rises with age, and members get a little more."""
    rng = np.random.default_rng(21)
    age = rng.integers(18, 66, PEOPLE)
    member = rng.choice(["no", "yes"], PEOPLE)
    pay = (15 * age + 90 * (member == "yes") + rng.normal(0, 60, PEOPLE)).round(2)
    lines = [f"{p},{a},{m}" for p, a, m in zip(pay, age, member, strict=True)]
    return "\n".join(["pay,age,member", *lines, ""])


def use(visitor: Visitor) -> None:
    """Declare pay, and leave the bounds of age to the page that needs them."""
    visitor.go("data")
    visitor.upload(survey())
    visitor.edit_columns()
    visitor.choose("Column", "pay")
    visitor.use(0, 1500, budget=5)


def declare_age(visitor: Visitor) -> None:
    # It begins with predictors that are declared already.
    visitor.choose("Predictors", "age")
    visitor.page.keyboard.press("Escape")
    expect(visitor.page.get_by_text("has no public bounds yet")).to_be_visible()
    assert visitor.release_button.count() == 0
    visitor.number("Lower bound", 18)
    visitor.number("Upper bound", 66)


def test_upload_to_coefficients_and_a_second_draw(context, server):
    visitor = visit(context, server.url)
    use(visitor)
    visitor.go("regression")
    declare_age(visitor)
    expect(visitor.heading("Regression")).to_be_visible()
    visitor.number("ε for this release", EPSILON)
    assert f"ε = {EPSILON}" in visitor.release_button.inner_text()
    # Nothing of the fit is there before a release, nor any picture.
    expect(visitor.page.get_by_role("figure")).to_have_count(0)
    first = released(visitor, draw=1)
    assert first.mode is Mode.RELEASE
    assert float(first.cost.epsilon) == pytest.approx(EPSILON)
    assert first.values[first.labels.index("age")] > 0
    expect(visitor.page.get_by_text("Public: safe to share")).to_be_visible()
    expect(visitor.page.get_by_role("figure")).to_have_count(1)
    expect(visitor.page.get_by_text("In the units of the columns", exact=True)).to_be_visible()

    visitor.draw_again(2)
    second = download(visitor, draw=2)
    assert second.labels == first.labels
    assert second.values != first.values

    visitor.go("budget")
    assert visitor.metric("Spent").startswith(f"ε = {2 * EPSILON:g}")
    assert visitor.metric("Left").startswith(f"ε = {5 - 2 * EPSILON:g}")

    # The answer is still there, and mechanisms without a guarantee are refused.
    visitor.go("regression")
    expect(visitor.page.get_by_text("Release 2 of this question")).to_be_visible()
    visitor.choose("Model", "Poisson")
    expect(visitor.release_button).to_be_disabled()
    expect(visitor.page.get_by_text("guarantees nothing").first).to_be_visible()
    expect(visitor.page.get_by_test_id("stException")).to_have_count(0)


def released(visitor: Visitor, *, draw: int) -> Release:
    visitor.press_release()
    return download(visitor, draw=draw)


def download(visitor: Visitor, *, draw: int) -> Release:
    shown = visitor.page.get_by_text(f"Release {draw} of this question")
    expect(shown).to_be_visible()
    visitor.settle()
    return Release.from_json(visitor.download("Download JSON"))
