"""What Live mode keeps behind the confidential areas, and what a link carries."""

from __future__ import annotations

import re

import numpy as np
import pytest
from playwright.sync_api import expect

from dpcore.analyses.base import Request
from dpcore.analyses.number import Query
from dpcore.data.bounds import Interval
from dpcore.data.columns import Column, ColumnKind, MissingPolicy
from dpcore.individual.per_instance_loss import per_instance_losses
from dpcore.relations import NeighboringRelation, PrivacyUnit, TableSize
from dpcore.statistics.kinds import StatisticKind
from tests.browser.visitor import Visitor, visit
from tests.individual.plans import Plan

pytestmark = pytest.mark.browser

PEOPLE = 1013
INCOMES = np.random.default_rng(7).gamma(3.0, 9123.4567, PEOPLE).round(4)
TOP = 100_000.0
COLUMN = "yearly_income"
EPSILON = 0.2
# The lines of a figure: with so many digits, six in a row are there by chance. What
# they are drawn from is searched on its way to the browser.
PATHS = re.compile(r' d="[^"]*"')
# The last is on no public list.
REGIONS = ("north", "south", "west", "elsewhere")


def request(kind: StatisticKind) -> Request:
    """Return the question as the Release page asks it of the table of this test."""
    column = Column(
        name=COLUMN,
        kind=ColumnKind.NUMBER,
        bounds=Interval(lower=0.0, upper=TOP),
        missing=MissingPolicy.REPLACE,
        replacement=TOP / 2,
    )
    query = Query(
        kind=kind,
        column=column,
        relation=NeighboringRelation.SUBSTITUTION,
        unit=PrivacyUnit(),
        size=TableSize(people=PEOPLE, public=True),
    )
    return Request(query=query, mechanism_key="laplace", epsilon=EPSILON)


def exposure():
    asked = request(StatisticKind.MEAN)
    return per_instance_losses(
        Plan(asked.mechanism, asked.query.sensitivity),
        asked.query.statistic,
        INCOMES,
        relation=NeighboringRelation.ADD_REMOVE,
        delta=0.0,
        rows=1,
    )


def secrets() -> dict[str, float]:
    """Return true statistics and losses, each with more digits than chance has."""
    inside = np.clip(INCOMES, 0, TOP)
    losses = exposure()
    return {
        "mean": float(inside.mean()),
        "sum": float(inside.sum()),
        "variance": float(inside.var()),
        "sample variance": float(inside.var(ddof=1)),
        "deviation": float(inside.std()),
        "sample deviation": float(inside.std(ddof=1)),
        "proportion": float((inside >= TOP / 2).mean()),
        "lowest": float(INCOMES.min()),
        "highest": float(INCOMES.max()),
        "largest loss": losses.maximum,
        "median loss": float(np.median(losses.epsilon)),
        "smallest loss": float(losses.epsilon.min()),
    }


def several() -> tuple[str, dict[str, float]]:
    """Return a table of three columns, and what nobody may learn about it."""
    rng = np.random.default_rng(8)
    hours = (INCOMES / 2000 + rng.gamma(2.0, 7.1234, PEOPLE)).round(4)
    region = rng.choice(4, PEOPLE, p=[0.37, 0.29, 0.21, 0.13])
    rows = zip(INCOMES, hours, region, strict=True)
    lines = [f"{income},{hour},{REGIONS[place]}" for income, hour, place in rows]
    inside = np.clip([INCOMES, hours], 0, [[TOP], [80.0]])
    first, product, _, second = np.cov(inside).ravel()
    known = {
        "covariance": product,
        "product, divisor n": product * (PEOPLE - 1) / PEOPLE,
        "variance of incomes": first,
        "variance of hours": second,
        "correlation": product / np.sqrt(first * second),
        "median": float(np.median(INCOMES)),
    }
    for place, name in enumerate(REGIONS):
        mine = inside[0, region == place]
        known[f"share of {name}"] = len(mine) / PEOPLE
        known[f"variance of {name}"] = float(mine.var(ddof=1))
    return "\n".join([f"{COLUMN},hours,region", *lines, ""]), known


def use_all(visitor: Visitor, text: str) -> None:
    """Declare the three columns of the table, and take it into use."""
    visitor.go("data")
    visitor.upload(text)
    visitor.edit_columns()
    visitor.choose("Column", "region")
    field = visitor.page.get_by_role("textbox", name="Public list of categories")
    field.fill("\n".join(REGIONS[:3]))
    field.press("Control+Enter")
    visitor.settle()
    visitor.choose("Column", "hours")
    visitor.number("Lower bound", 0)
    visitor.number("Upper bound", 80)
    visitor.choose("Column", COLUMN)
    visitor.use(0, TOP, budget=9)


@pytest.mark.usefixtures("undrawn")
def test_link_opens_the_same_page_and_releases_nothing(browser, context, server):
    visitor = visit(context, server.url)
    visitor.use_example()
    visitor.choose("Statistic", "sum")
    visitor.choose("Mechanism", "BIT Laplace")
    visitor.number("ε for this release", 0.7)
    wanted = ("mechanism=BIT", "epsilon=0.7", "statistic=sum", "example=rand-hie")
    link = visitor.page.url
    assert [part for part in wanted if part not in link] == [], link
    elsewhere = browser.new_context()
    page = elsewhere.new_page()
    page.goto(link)
    for label, value in (("Statistic", "sum"), ("Mechanism", "BIT Laplace")):
        expect(page.get_by_role("combobox", name=label, exact=True)).to_have_value(value)
    field = page.get_by_role("spinbutton", name="ε for this release")
    expect(field).to_have_value("0.7")
    expect(page.get_by_text("0 of 3 ε spent")).to_be_visible()
    expect(page.get_by_text("Release 1 of this question")).to_have_count(0)
    expect(page.get_by_text("95% CI")).to_have_count(0)
    elsewhere.close()
