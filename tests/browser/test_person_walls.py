"""What is true of a table in Live mode: shown in the confidential areas, nowhere else.

Each view is visited once, and is looked at for all who may use it, too.
"""

from __future__ import annotations

import re

import numpy as np
import pytest
from playwright.sync_api import BrowserContext, expect

from dpcore.data.bounds import Interval
from dpcore.formatting import significant
from dpcore.individual.counterfactual import move_in_statistic
from dpcore.individual.person_totals import Counting, person_totals
from dpcore.individual.release_losses import release_losses
from dpcore.relations import NeighboringRelation
from dpcore.statistics.kinds import StatisticKind
from dpcore.studies.attacks.noise import attack_mean
from dpcore.studies.individual.hypothesis_tests import laws_of_statistic
from tests.browser import model_secrets
from tests.browser.server import Server
from tests.browser.test_accessibility import (
    ABOUT_ANSWERS,
    DESK,
    PHONE,
    fits_windows,
    grave,
    stands,
    violations,
)
from tests.browser.test_walls import (
    EPSILON,
    INCOMES,
    PATHS,
    PEOPLE,
    REGIONS,
    TOP,
    exposure,
    request,
    several,
    use_all,
)
from tests.browser.test_walls import secrets as numbers
from tests.browser.visitor import visit
from tests.browser.wire import Wire, alone, spellings, within
from tests.conftest import everything
from tests.registry import ABOUT_A_TABLE

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


class Watch:
    """A visitor in Live mode, what the browser is sent, and what it shows in public."""

    def __init__(self, context: BrowserContext, server: Server) -> None:
        text, crossed = several()
        self.views, self.models = secrets(), model_secrets.secrets(text)
        known = numbers() | crossed | self.models
        known |= {f"{view}, {name}": n for view, of in self.views.items() for name, n in of.items()}
        self.needles = {w: name for name, number in known.items() for w in spellings(number)}
        self.wire, self.server = Wire(context), server
        self.visitor = visit(context, server.url)
        self.page = self.visitor.page
        self.seen: list[str] = []
        use_all(self.visitor, text)

    def found(self) -> set[str]:
        """Return the names of the numbers that came to the browser."""
        return {self.needles[n] for n in self.wire.holds(*self.needles)}

    def see(self) -> None:
        """Keep what is public: the page, and its address."""
        self.visitor.unfold()
        content = PATHS.sub("", self.page.content())
        self.seen += [content, self.visitor.text, self.page.url]

    def release(self, **chosen: str) -> None:
        """Ask for another statistic, and keep the answer and its file."""
        for label, option in chosen.items():
            self.visitor.choose(label, option)
        self.visitor.press_release()
        expect(self.page.get_by_text("Release 1 of this question")).to_be_visible()
        self.visitor.settle()
        self.see()
        self.seen.append(self.visitor.download("Download JSON"))

    def closed(self) -> None:
        """Nothing of the table came to the browser, or into the log."""
        log = self.server.log.read_text(encoding="utf-8")
        everything = "\n".join([*self.seen, *self.wire.urls, log]).encode()
        assert {self.needles[n] for n in self.needles if within(n, everything)} == set()
        assert self.found() == set()

    def choose_model(self) -> None:
        self.page.get_by_text("a regression model", exact=True).click()
        self.visitor.settle()

    def look_at(self, view: str) -> list[str]:
        """Open a view; return the address, and what the page says outside the area."""
        self.page.get_by_role("tab", name=view, exact=True).click()
        self.visitor.settle()
        fits_windows(self.visitor, view, PHONE, DESK)
        expect(self.page.get_by_test_id("stException")).to_have_count(0)
        area = self.page.locator("[class*=st-key-confidential-]")
        return [self.page.url, self.visitor.text.replace(area.inner_text(), "")]


def test_live_mode_keeps_what_is_true_in_its_areas(context, server):
    watch = Watch(context, server)
    watch.visitor.number("ε for this release", EPSILON)
    watch.release()
    assert watch.wire.holds("mean of yearly")
    watch.visitor.go("privacy_loss")
    watch.choose_model()
    for label in reversed(model_secrets.MECHANISMS.values()):
        watch.visitor.choose("Mechanism", label)
        watch.see()
    watch.page.get_by_text("a number (statistic)", exact=True).click()
    watch.visitor.settle()
    watch.page.get_by_text("the table without the record").click()
    watch.visitor.settle()
    watch.see()
    watch.closed()
    outside = areas(watch)
    watch.visitor.go("release")
    watch.visitor.button("Add to plan").click()
    watch.visitor.settle()
    watch.wire.frames.clear()
    watch.seen += outside
    outside += elsewhere(watch)
    watch.closed()
    losses = [watch.views["All people"]["largest loss"]]
    losses += [watch.models[f"{key}, largest"] for key in model_secrets.MECHANISMS]
    shown = [significant(loss, up=up) for loss in losses for up in (False, True)]
    assert [loss for loss in shown if any(alone(loss, part) for part in outside)] == []
    assert [url for url in watch.wire.urls if re.search("income|hours|north|region", url)] == []
    assert watch.wire.outside(server.url) == []

    # A lesson shows the truth beside a release.
    watch.visitor.go("release")
    watch.visitor.pick("Classroom")
    watch.visitor.press_release()
    expect(watch.page.get_by_text("Do the intervals hold?")).to_be_visible()
    assert {f"share of {name}" for name in REGIONS} <= watch.found()
    for figure in watch.page.locator(".js-plotly-plot").all():
        expect(figure.get_by_text("Classroom").first).to_be_visible()


def areas(watch: Watch) -> list[str]:
    """Open each view: what it shows comes then; return what is outside of it."""
    watch.visitor.open_confidential()
    outside = []
    for view in VIEWS:
        outside += watch.look_at(view)
        known = [written for n in watch.views[view].values() for written in spellings(n)]
        assert watch.wire.holds(*known), view
        watch.wire.frames.clear()
    watch.choose_model()
    for view in (*VIEWS[1:4], VIEWS[0]):
        outside += watch.look_at(view)
        watch.visitor.unfold()
        found = violations(watch.page)
        assert grave(found) == [], found
    assert any(name.startswith("output") for name in watch.found())
    return outside


def elsewhere(watch: Watch) -> list[str]:
    """Ask for everything else, on every page; return what those about answers say."""
    visitor, said = watch.visitor, []
    for name in ABOUT_A_TABLE:
        visitor.go(name)
        watch.see()
        if name in ABOUT_ANSWERS or everything():
            stands(visitor, name)
        else:
            fits_windows(visitor, name, PHONE, DESK)
        if name in {"regression", "release", "budget", "accuracy"}:
            said += [watch.page.url, visitor.text]
        if name in {"release", "budget"}:
            said += [visitor.download(f"Download {kind}") for kind in ("JSON", "CSV")]
    watch.seen += said
    visitor.go("release")
    for statistic in ("proportion", "histogram", "covariance matrix", "median"):
        watch.release(Statistic=statistic)
    visitor.choose("Statistic", "variance")
    visitor.choose("By group", "region")
    # A list of several options stays open.
    watch.page.keyboard.press("Escape")
    visitor.settle()
    watch.release()
    visitor.choose("Column", "region")
    sums = {"Mechanism": "BIT Laplace", "Make the shares add up to 1": "divide by their sum"}
    watch.release(Statistic="all shares", **sums)
    for name in ("privacy_loss", "accuracy", "budget"):
        visitor.go(name)
        watch.see()
    return said
