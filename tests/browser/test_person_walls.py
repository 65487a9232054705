"""What the views of Individual privacy show, and where: in their area, nowhere else."""

from __future__ import annotations

import numpy as np
import pytest
from playwright.sync_api import expect

from dpcore.data.bounds import Interval
from dpcore.formatting import significant
from dpcore.individual.counterfactual import move_in_statistic
from dpcore.individual.person_totals import Counting, person_totals
from dpcore.individual.release_losses import release_losses
from dpcore.relations import NeighboringRelation
from dpcore.statistics.kinds import StatisticKind
from dpcore.studies.attacks.noise import attack_mean
from dpcore.studies.individual.hypothesis_tests import laws_of_statistic
from tests.browser import test_model_walls
from tests.browser.test_walls import (
    EPSILON,
    INCOMES,
    PEOPLE,
    TOP,
    exposure,
    request,
    several,
    use_all,
)
from tests.browser.visitor import Visitor, visit
from tests.browser.wire import Wire, alone, spellings, within

pytestmark = pytest.mark.browser

BOUNDS = Interval(lower=0.0, upper=TOP)
TOTALS_DELTA = 1e-5
VIEWS = ("All people", "One person", "What-if", "Publishing losses", "All releases")


def secrets() -> dict[str, dict[str, float]]:
    """Return what each view shows of the mean, with more digits than chance has."""
    asked, losses = request(StatisticKind.MEAN), exposure()
    most = int(np.argmax(losses.epsilon))
    typical = losses.ordered[PEOPLE // 2]
    middle = int(np.flatnonzero(losses.epsilon == typical)[0])
    line = laws_of_statistic(asked, losses, most, label="").line()
    pushed = float(BOUNDS.clip(INCOMES[middle] + TOP / 2))
    moved = move_in_statistic(asked, losses, middle, pushed)
    told = attack_mean(INCOMES, 0, bounds=BOUNDS, epsilon=EPSILON, rng=np.random.default_rng(1))
    spent = release_losses(
        asked.plan,
        asked.query.statistic,
        INCOMES,
        rows=np.arange(PEOPLE),
        people=PEOPLE,
        relation=NeighboringRelation.ADD_REMOVE,
    )
    totals = person_totals([spent], people=PEOPLE, delta=TOTALS_DELTA)
    return {
        "All people": {"largest loss": losses.maximum},
        "One person": {"end of a law": float(line.x[0]), "other": float(line.x[-1])},
        "What-if": {"own before": moved.own_before, "own after": moved.own_after},
        "Publishing losses": {"told": told.told, "recovered": told.recovered, "truth": told.truth},
        "All releases": {"total": float(totals.of[Counting.BEST].max())},
    }


def test_views_of_one_release_stay_in_their_area(context, server):
    text, _ = several()
    known = secrets()
    models = test_model_walls.secrets(text)
    every = [n for view in known.values() for n in view.values()]
    needles = {written for number in (*every, *models.values()) for written in spellings(number)}
    wire = Wire(context)
    visitor = visit(context, server.url)
    use_all(visitor, text)
    visitor.go("release")
    visitor.number("ε for this release", EPSILON)
    visitor.press_release()
    expect(visitor.page.get_by_text("Release 1 of this question")).to_be_visible()
    visitor.settle()
    visitor.go("privacy_loss")
    visitor.page.get_by_text("the table without the person").click()
    visitor.settle()
    outside = [visitor.text]
    assert wire.holds(*needles) == []

    visitor.open_confidential()
    for view in VIEWS:
        outside += look_at(visitor, view)
        # The search finds what the view shows, once it is open.
        found = [name for name, n in known[view].items() if wire.holds(*spellings(n))]
        assert found, view
        wire.frames.clear()
    visitor.page.get_by_text("a regression model", exact=True).click()
    visitor.settle()
    wire.frames.clear()
    for view in (*VIEWS[1:4], VIEWS[0]):
        outside += look_at(visitor, view)
    names = [name for name, number in models.items() if wire.holds(*spellings(number))]
    assert any(name.startswith("output") for name in names), names

    # Elsewhere there is nothing of it, nor in a file, an address or the log.
    wire.frames.clear()
    for name in ("regression", "release", "budget", "accuracy"):
        visitor.go(name)
        outside += [visitor.page.url, visitor.text]
        if name in {"release", "budget"}:
            outside += [visitor.download(f"Download {kind}") for kind in ("JSON", "CSV")]
    assert wire.holds(*needles) == []
    log = server.log.read_text(encoding="utf-8")
    everything = "\n".join([*outside, *wire.urls, log]).encode()
    losses = [known["All people"]["largest loss"]]
    losses += [models[f"{key}, largest"] for key in ("output", "posterior")]
    shown = [significant(loss, up=up) for loss in losses for up in (False, True)]
    assert [needle for needle in needles if within(needle, everything)] == []
    assert [loss for loss in shown if any(alone(loss, part) for part in outside)] == []
    for url in wire.urls:
        assert "income" not in url
        assert "hours" not in url


def look_at(visitor: Visitor, view: str) -> list[str]:
    """Open a view; return the address, and what the page says outside the area."""
    visitor.page.get_by_role("tab", name=view, exact=True).click()
    visitor.settle()
    expect(visitor.page.get_by_test_id("stException")).to_have_count(0)
    area = visitor.page.locator("[class*=st-key-confidential-]")
    return [visitor.page.url, visitor.text.replace(area.inner_text(), "")]
