"""From an upload to a covariance matrix, a median and shares, in one tab."""

from __future__ import annotations

import json

import numpy as np
import pytest
from playwright.sync_api import expect

from dpcore.releases.record import Release
from tests.browser.visitor import visit

pytestmark = pytest.mark.browser

PEOPLE = 2000
REGIONS = ("north", "south", "west")
MATRIX, MEDIAN, SHARES = "covariance matrix", "median", "all shares"


def survey() -> str:
    rng = np.random.default_rng(11)
    age = rng.integers(18, 90, PEOPLE)
    income = (20 * age + rng.gamma(2.0, 400.0, PEOPLE)).round(2)
    # "east" is on no public list.
    region = rng.choice([*REGIONS, "east"], PEOPLE, p=[0.4, 0.3, 0.2, 0.1])
    lines = [f"{a},{i},{r}" for a, i, r in zip(age, income, region, strict=True)]
    return "\n".join(["age,income,region", *lines, ""])


def declare(visitor, column, *, upper=None):
    visitor.edit_columns()
    visitor.choose("Column", column)
    if upper is not None:
        visitor.number("Lower bound", 0)
        visitor.number("Upper bound", upper)
        return
    field = visitor.page.get_by_role("textbox", name="Public list of categories")
    field.fill("\n".join(REGIONS))
    field.press("Control+Enter")
    visitor.settle()


def released(visitor, question: str) -> Release:
    # This question and what it costs are on screen, and no answer to the one before.
    expect(visitor.page.locator(".st-key-card")).to_contain_text(question, ignore_case=True)
    expect(visitor.page.locator(".st-key-beside")).to_contain_text("Attacker: 50%")
    expect(visitor.page.get_by_text("Release 1 of this question")).to_have_count(0)
    visitor.press_release()
    expect(visitor.page.get_by_text("Release 1 of this question")).to_be_visible()
    visitor.settle()
    return Release.from_json(visitor.download("Download JSON"))


def test_matrix_median_and_shares_of_an_upload(context, server):
    visitor = visit(context, server.url)
    visitor.go("data")
    visitor.upload(survey())
    declare(visitor, "region")
    declare(visitor, "income", upper=5000)
    visitor.choose("Column", "age")
    # Shares divide by at least so many: the noise is that of a table of this size.
    visitor.number("Public minimum number of people", PEOPLE)
    visitor.use(0, 100, budget=10)
    visitor.go("release")
    visitor.number("ε for this release", 3)
    visitor.choose("Statistic", MATRIX)
    assert "ε = 3" in visitor.release_button.inner_text()
    matrix = released(visitor, "Covariance matrix of age and income")
    assert matrix.labels == ("var(age)", "var(income)", "cov(age, income)")
    assert float(matrix.cost.epsilon) == 3
    expect(visitor.page.get_by_text("Public: safe to share")).to_be_visible()

    visitor.go("privacy_loss")
    visitor.open_confidential()
    expect(visitor.page.get_by_text("Who is most exposed")).to_be_visible()
    worst = float(visitor.metric("Any table, anybody (DP)"))
    most = float(visitor.metric("Largest loss here"))
    assert worst == 3
    assert 0 < most < worst

    visitor.go("accuracy")
    expect(visitor.page.get_by_text("RMSE of the var(age) at epsilon 3")).to_be_visible()
    expect(visitor.page.get_by_text("RMSE of every number at this ε")).to_be_visible()
    box = visitor.page.get_by_role("combobox", name="Statistic", exact=True)
    expect(box).to_have_value(MATRIX)
    visitor.go("release")
    expect(box).to_have_value(MATRIX)

    visitor.number("ε for this release", 1)
    visitor.choose("Statistic", MEDIAN)
    median = released(visitor, "Median of age")
    assert 40 < median.values[0] < 66

    visitor.choose("Column", "region")
    visitor.choose("Statistic", SHARES)
    visitor.choose("Mechanism", "BIT Laplace")
    visitor.choose("Make the shares add up to 1", "divide by their sum")
    shares = released(visitor, "All shares of region")
    assert shares.labels == (*REGIONS, "other")
    assert sum(shares.values) == pytest.approx(1)
    assert shares.values == pytest.approx([0.4, 0.3, 0.2, 0.1], abs=0.05)

    visitor.go("budget")
    assert "5" in visitor.metric("Spent")
    listed = json.loads(visitor.download("Download JSON"))
    kept = [Release.from_json(json.dumps(record)) for record in listed]
    assert kept == [matrix, median, shares]
