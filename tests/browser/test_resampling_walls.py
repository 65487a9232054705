"""What the pages of resampling show of one's own column, and where."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from playwright.sync_api import expect

from dpcore.analyses.subsampled import SubsampledRequest
from dpcore.data.bounds import Interval
from dpcore.figures.resampling.bootstrap import methods
from dpcore.formatting import significant
from dpcore.individual.per_instance_loss import per_instance_losses
from dpcore.relations import NeighboringRelation
from dpcore.statistics.kinds import StatisticKind
from dpcore.studies.resampling.bootstrap_study import Experiment, People, exact_coverage
from dpcore.studies.resampling.subsampling_study import SampledMean
from tests.browser.test_walls import COLUMN, INCOMES, PATHS, PEOPLE, TOP, request
from tests.browser.visitor import Visitor, table, visit
from tests.browser.wire import Wire, spellings, within

pytestmark = pytest.mark.browser

BOUNDS = Interval(lower=0.0, upper=TOP)
PRICE = 0.5
PUBLIC = 1e-6


def sampled() -> SubsampledRequest:
    """Return a total from a tenth of the rows, as the page asks for it."""
    return SubsampledRequest(
        query=request(StatisticKind.SUM).query,
        law="laplace",
        epsilon=PRICE,
        delta=0.0,
        share=0.1,
        people=PEOPLE,
    )


def secrets() -> dict[str, dict[str, float]]:
    """Return what each area shows, with more digits than chance has."""
    inside = BOUNDS.clip(INCOMES)
    people = People.of(inside, bounds=BOUNDS, name=COLUMN, unit="")
    mine = Experiment(population=people, people=500, rho=0.5, times=50)
    unbiased, *_ = methods(tail=0.05, level=0.95)
    at = SampledMean.of(inside - TOP / 2, width=TOP, epsilon=PRICE)
    by_sample = np.sqrt(at.fixed_size(np.geomspace(1 / PEOPLE, 1, 100)).sampling)
    asked = sampled()
    losses = per_instance_losses(
        asked.plan,
        asked.query.statistic,
        INCOMES,
        relation=NeighboringRelation.SUBSTITUTION,
        delta=asked.used_delta,
    )
    ends = losses.quantiles([0.5, 0.9])
    return {
        "standard-errors": {
            f"coverage of {k}": exact_coverage(replace(mine, times=k), unbiased.method)
            for k in (20, 50, 200)
        },
        "sampled-column": {"one row": float(by_sample[0])},
        # Any other row may take the place of one that was not drawn: here everybody
        # loses as much as is promised, which is public.
        "subsampled-losses": {
            name: end
            for name, end in zip(("median", "90%"), ends.tolist(), strict=True)
            if abs(end - PRICE) > PUBLIC
        },
        "resized": {"mean": float(inside.mean())},
    }


@pytest.mark.usefixtures("undrawn")
def test_resampling_keeps_the_column_in_its_areas(context, server):
    watch = Watch(Wire(context), visit(context, server.url))
    visitor = watch.visitor
    visitor.use_upload(table(INCOMES, column=COLUMN), bounds=(0, TOP), budget=9)

    visitor.go("standard_errors")
    visitor.page.get_by_role("tab", name="Your table", exact=True).click()
    visitor.settle()
    visitor.number("Bootstraps to release", 5)
    expect(visitor.release_button).to_be_enabled()
    watch.closed()
    watch.opened("standard-errors")
    watch.released()

    watch.leave("subsampling", "Does it pay?")
    watch.closed()
    watch.opened("sampled-column")
    watch.leave("subsampling", "Release from a sample")
    visitor.choose("Statistic", "sum")
    visitor.number("ε for this release", PRICE)
    watch.closed()
    watch.opened("subsampled-losses")
    watch.released()

    watch.leave("resized")
    visitor.pick("my column")
    watch.closed()
    watch.opened("resized")
    watch.released()

    watch.leave("budget")
    watch.closed()
    watch.download()
    log = server.log.read_text(encoding="utf-8")
    everything = "\n".join([*watch.seen, *watch.wire.urls, log]).encode()
    assert [needle for needle in watch.needles if within(needle, everything)] == []
    for loss in watch.known["subsampled-losses"].values():
        for up in (False, True):
            shown = f"ε = {significant(loss, up=up)}"
            assert [part for part in watch.seen if shown in part] == []
    for url in watch.wire.urls:
        assert "income" not in url


class Watch:
    """A visitor, what comes over the wire, and what stands outside the areas."""

    def __init__(self, wire: Wire, visitor: Visitor) -> None:
        self.wire, self.visitor = wire, visitor
        self.known = secrets()
        self.needles = [
            written
            for area in self.known.values()
            for number in area.values()
            for written in spellings(number)
        ]
        self.seen: list[str] = []

    def closed(self) -> None:
        """Nothing of the table came to the browser before the area is open."""
        self.visitor.settle()
        page = self.visitor.page
        self.seen += [page.url, PATHS.sub("", page.content())]
        assert self.wire.holds(*self.needles) == []

    def opened(self, area: str) -> None:
        """Open an area: what it shows comes now, and stands in it alone."""
        place = self.visitor.page.locator(f".st-key-confidential-{area}")
        place.get_by_text("Show ").first.click()
        expect(place.locator(".js-plotly-plot, strong").first).to_be_visible()
        self.visitor.settle()
        known = self.known[area].values()
        seen = [self.wire.holds(*spellings(number)) for number in known]
        assert not seen or any(seen), area
        outside = self.visitor.text.replace(place.inner_text(), "")
        self.seen += [self.visitor.page.url, outside]

    def released(self) -> None:
        """Release with the area open: files hold the answer and nothing else."""
        self.visitor.press_release()
        drawn = self.visitor.page.get_by_text("Release 1 of this question")
        expect(drawn).to_be_visible()
        self.visitor.settle()
        self.download()

    def download(self) -> None:
        """Keep both files of what was released."""
        kinds = ("JSON", "CSV")
        self.seen += [self.visitor.download(f"Download {kind}") for kind in kinds]

    def leave(self, name: str, tab: str | None = None) -> None:
        """Go where nothing of the table may come to the browser any more."""
        self.visitor.go(name)
        if tab is not None:
            self.visitor.page.get_by_role("tab", name=tab, exact=True).click()
            self.visitor.settle()
        # The page before may have answered once more on the way.
        self.wire.frames.clear()
