"""Released numbers, cells and quantiles with their intervals; in Classroom mode also the truth."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from dpcore.arrays import FloatArray
from dpcore.data.quantities import Quantity
from dpcore.figures.label_grid import GRAY, LabelGrid
from dpcore.figures.theme import (
    HEIGHT,
    NEUTRAL,
    TRUTH,
    LineStyle,
    Picture,
    axis,
    below,
    categories,
    on_axis,
    plain,
)
from dpcore.figures.traces import (
    NAME,
    Trace,
    bars,
    cells,
    date_axis,
    interval,
    line,
    note,
    placed,
    points,
    ring,
)
from dpcore.formatting import capital, listed, measured, significant
from dpcore.inference.intervals import Intervals
from dpcore.releases.digits import ends_text, reach, with_ends
from dpcore.releases.table import TOO_FEW
from dpcore.statistics.grouping import enumerated

TOTAL = "#4C96CC"
"""Seen on a light and on a dark page: a contrast of 3 or more to both."""
NOISE = "#0072B2"
STATED = "#D55E00"
_NUMBER = Quantity()
_COUNT = Quantity(whole=True)


def interval_bars(
    at: Sequence[Any],
    noise: FloatArray,
    total: FloatArray | None,
    *,
    hover: str,
    panel: Trace | None = None,
) -> list[Trace]:
    """Return a bar at each place, those of the noise over those with sampling.

    Bars are upright, with gaps between them; in a ``panel`` of several they lie.
    """
    traces = []
    for name, ends, style in (
        ("noise and sampling", total, LineStyle(color=TOTAL, width=12)),
        ("noise only", noise, LineStyle(color=NOISE, width=5)),
    ):
        if ends is not None:
            x = [each for place in at for each in (place, place, None)]
            y = [each for low, high in ends.tolist() for each in (low, high, None)]
            if panel is None:
                traces.append(line(x, y, name, style, hover=hover, aside=NAME))
            else:
                lying: Trace = {"legendgroup": name} | panel
                traces.append(line(y, x, name, style, hover=hover, aside=NAME, **lying))
    return traces


def interval_columns(
    name: str,
    values: FloatArray,
    noise: FloatArray,
    total: FloatArray | None,
    quantity: Quantity = _NUMBER,
) -> dict[str, Any]:
    """Return numbers and the ends of their intervals as columns, written as in titles."""
    columns = dict[str, Any]()
    for of, ends in (("noise", noise), ("with sampling", total)):
        if ends is not None:
            shown, lower, upper = _written(values, ends, quantity)
            columns = {name: shown} | columns | {f"{of}, lower": lower, f"{of}, upper": upper}
    return columns


def _written(values: FloatArray, ends: FloatArray, quantity: Quantity) -> Iterator[tuple[str, ...]]:
    """Return numbers, their lower and their upper ends as texts; empty where none is known."""
    pairs = zip(values.ravel().tolist(), ends.reshape(-1, 2).tolist(), strict=True)
    rows = (
        ("", "", "") if math.isnan(value) else with_ends(value, (low, high), quantity)
        for value, (low, high) in pairs
    )
    return zip(*rows, strict=True)


def interval_rows(value: float, parts: dict[str, FloatArray], quantity: Quantity) -> dict[str, Any]:
    """Return a number and the ends of each of its intervals as columns, written as in titles."""
    ends = [(float(low), float(high)) for low, high in parts.values()]
    lower, upper = zip(*(ends_text(each, value, quantity) for each in ends), strict=True)
    shown = quantity.measured(value, reach(ends[0], value))
    return {"lower": lower, "result": [shown] * len(ends), "upper": upper}


def held_text(value: float, ends: FloatArray, quantity: Quantity) -> str:
    """Return a number with its unit and its interval from the noise."""
    text, low, high = with_ends(float(value), (float(ends[0]), float(ends[1])), quantity)
    return f"{f'{text} {quantity.suffix}'.rstrip()} (95% CI {low} to {high}, noise only)"


def intervals_text(
    value: float, noise: FloatArray, total: FloatArray | None, quantity: Quantity
) -> str:
    """Return the intervals of a released number in words.

    >>> noise, total = np.array([52.9, 55.5]), np.array([52.1, 56.3])
    >>> intervals_text(54.21, noise, total, Quantity(unit="years"))[:46]
    '95% CI 52.9 to 55.5 for the data (noise only),'
    >>> intervals_text(54.21, noise, total, Quantity(unit="years"))[46:]
    ' 52.1 to 56.3 for the population (noise and sampling)'
    """
    known = ((noise, "the data (noise only)"), (total, "the population (noise and sampling)"))
    said = [
        f"{' to '.join(ends_text((float(ends[0]), float(ends[1])), value, quantity))} for {of}"
        for ends, of in known
        if ends is not None
    ]
    return f"95% CI {', '.join(said)}"


def answer_text(
    value: float, noise: FloatArray, total: FloatArray | None, quantity: Quantity
) -> str:
    """Return the release in one line, with its intervals.

    >>> answer_text(54.21, np.array([52.9, 55.5]), None, Quantity(unit="years"))
    '54.2 years; 95% CI 52.9 to 55.5 for the data (noise only)'

    Beyond its bounds it has the digits of the noise, as in ledger and papers:

    >>> answer_text(-86.2, np.array([0.0, 44.1]), None, Quantity(unit="mg/l"))
    '−90 mg/l; 95% CI 0 to 50 for the data (noise only)'
    """
    shown = quantity.measured(value, reach((float(noise[0]), float(noise[1])), value))
    number = f"{shown} {quantity.suffix}".rstrip()
    return f"{number}; {intervals_text(value, noise, total, quantity)}"


def answer_picture(
    value: float,
    around: Intervals,
    *,
    statement: str,
    quantity: Quantity,
    sampled: bool,
    stated: dict[str, FloatArray] | None = None,
) -> Picture:
    """Return the released value of a scalar statistic with its intervals.

    Where the table is not ``sampled`` but everybody, there is no interval for a
    population. ``stated`` is an interval under a model that the reader states, by name.
    """
    noise, total = around.noise[0], around.total[0] if sampled else None
    parts = {"noise only": noise}
    if total is not None:
        parts["noise and sampling"] = total
    title = answer_text(value, noise, total, quantity)
    return _number_line(value, parts | (stated or {}), title, statement, quantity)


def resampled_picture(
    value: float, around: Intervals, *, statement: str, quantity: Quantity, sampled: bool
) -> Picture:
    """Return an answer from a sample with an interval for the table, and a wider one.

    Both cover the noise and who happened to be sampled. Where they read alike, or the
    table itself is no sample of a population (``sampled``), there is one of them.
    """
    noise, total = around.noise[0], around.total[0]
    known = [(float(low), float(high)) for low, high in (noise, total)]
    ends = [text for each in known for text in ends_text(each, value, quantity)]
    shown = quantity.measured(value, reach(known[0], value))
    title = f"{f'{shown} {quantity.suffix}'.rstrip()}; 95% CI {ends[0]} to {ends[1]} for this table"
    parts, alike = {"for this table": noise}, ""
    if sampled:
        parts["for the population"] = total
    if sampled and ends[:2] == ends[2:]:
        alike = "for this table and the population"
        title += " and the population"
    elif sampled:
        title += f", {ends[2]} to {ends[3]} for the population"
    title += " (noise and sampling)"
    return _number_line(value, parts, title, statement, quantity, alike=alike)


def _number_line(
    value: float,
    parts: dict[str, FloatArray],
    title: str,
    statement: str,
    quantity: Quantity,
    *,
    alike: str = "",
) -> Picture:
    """Return one point and its intervals, from the narrowest to the widest.

    Where they read ``alike``, the widest one stands for all of them, under that name.
    """
    strokes = (
        (LineStyle(color=NOISE, width=8), 0.0),
        (LineStyle(color=TOTAL, width=20), 0.0),
        (LineStyle(color=STATED, width=8), -0.5),
    )
    drawn = [
        (alike or name, ends, stroke)
        for (name, ends), stroke in zip(parts.items(), strokes, strict=False)
    ][-1 if alike else 0 :]
    hover = "%{x:,.6~r}"
    traces = [
        line(list(ends), [height, height], name, stroke, hover=hover, aside=NAME)
        for name, ends, (stroke, height) in drawn
    ]
    what = "released value"
    center = points([value], [0], what, ring(NOISE, 14), hover=hover, aside=what)
    bars = "a bar" if len(drawn) == 1 else "a thin and a thick bar"
    bars += ", and a bar below" if len(drawn) == len(strokes) else ""
    return Picture.of(
        title,
        {"interval (95%)": list(parts)} | interval_rows(value, parts, quantity),
        alt=f"One point with {bars} around it. {capital(statement)}: {title}.",
        height=230 + below(on_axis(statement)),
        traces=placed([*reversed(traces), center], "x", quantity),
        xaxis=axis(plain(on_axis(statement)), **date_axis(quantity)),
        yaxis=axis(visible=False, range=[-1, 1]),
    )


def parts_picture(  # noqa: PLR0913 - a figure is described by its words
    labels: Sequence[str],
    values: FloatArray,
    around: Intervals,
    *,
    statement: str,
    noun: str,
    quantity: Quantity,
    truth: FloatArray | None,
    sampled: bool,
    grid: LabelGrid | None = None,
) -> Picture:
    """Return released numbers as bars with noise intervals that hold together.

    Of the groups of several columns, the cells of a ``grid`` stand in place of the bars.

    ``statement`` says of what they are answers, and ``noun`` what each is called, such
    as "count"; ``truth`` is drawn only in Classroom mode. Where the table is not
    ``sampled`` there are no intervals for a population.
    """
    shown = [plain(label) for label in labels]
    low, high = around.noise.T
    traces = [
        bars(
            shown,
            values,
            f"released {noun}",
            # Error bars are seen on the bars and on the page, dark or light.
            {"color": NOISE, "opacity": 0.4},
            hover="%{x}: %{y:,.4~r}",
            error_y=interval(high - values, values - low, color=NEUTRAL, thickness=2.5),
        )
    ]
    total = around.total if sampled else None
    table: dict[str, Any] = _named("cell", labels, grid) | interval_columns(
        f"released {noun}", np.asarray(values), around.noise, total, quantity
    )
    if truth is not None:
        traces.append(points(shown, truth, f"{noun} without noise", TRUTH))
        table[f"{noun} without noise"] = truth
    # Bounds cut some intervals off on one side: the noise is the longer one.
    off = float(np.max(np.abs(around.noise - np.asarray(values)[:, np.newaxis])))
    whole = Quantity(whole=quantity.whole)
    title = parts_text(labels, values, off=off, noun=noun, quantity=quantity)
    title = title if truth is None else as_released(title)
    if grid is not None:
        drawing = grid.drawing(np.asarray(values), around.noise, whole, truth=truth)
        return Picture.of(title, table, drawn=_cells_of(noun, statement), **drawing)
    return Picture.of(
        title,
        table,
        drawn=f"{len(labels)} bars of a released {noun} with error bars: {statement}",
        height=HEIGHT + below(on_axis(statement)),
        traces=traces,
        xaxis=axis(plain(on_axis(statement))),
        yaxis=axis(plain(quantity.name or noun)),
    )


def parts_text(
    labels: Sequence[str], values: FloatArray, *, off: float, noun: str, quantity: Quantity
) -> str:
    """Return which number is the largest, as far as that can be told.

    All of them are within ``off``, at once.

    >>> counts = np.array([90.0, 20.0, 45.0])
    >>> number = {"noun": "count", "quantity": Quantity(unit="people", whole=True)}
    >>> parts_text("abc", counts, off=10.0, **number)
    '“a” has the largest count: 90 ± 10 people (95%, noise only)'
    >>> parts_text("abc", counts, off=30.0, **number)
    'The release cannot tell whether “a” or “c” has the largest count'
    >>> parts_text("abc", counts, off=50.0, **number)
    'The release cannot tell which count is the largest'
    """
    first, *others = np.argsort(values)[::-1]
    rivals = [place for place in others if values[first] - values[place] < 2 * off]
    if not rivals:
        held = quantity.measured(float(values[first]), off)
        text = f"“{labels[first]}” has the largest {noun}: {held} ± {measured(off, off)}"
        return f"{f'{text} {quantity.suffix}'.rstrip()} (95%, noise only)"
    if len(rivals) > 1:
        return f"The release cannot tell which {noun} is the largest"
    return (
        f"The release cannot tell whether “{labels[first]}” or “{labels[rivals[0]]}” has the "
        f"largest {noun}"
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class GroupNumbers:
    """What was released of each of ``G`` groups. PUBLIC.

    Attributes:
        groups: Their names.
        ratios: The number of each; NaN where there are too few people to say.
        noise: Its interval in the table, shape ``(G, 2)``; NaN likewise.
        total: The same for the population; None where the table is all of it.
        counts: People in each group.
        counts_noise: Their intervals, shape ``(G, 2)``.

    """

    groups: tuple[str, ...]
    ratios: FloatArray
    noise: FloatArray
    total: FloatArray | None
    counts: FloatArray
    counts_noise: FloatArray

    @property
    def unknown(self) -> NDArray[np.bool_]:
        """Tell which groups have too few people to say."""
        return np.isnan(self.ratios)

    @property
    def few(self) -> list[str]:
        """Return the names of those groups, in quotation marks."""
        return [f"“{self.groups[place]}”" for place in np.flatnonzero(self.unknown)]

    @property
    def together(self) -> str:
        """Say of all intervals that they hold together, and which groups have none."""
        few = f". {capital(TOO_FEW)}: {listed(self.few)}" if self.few else ""
        return f"All intervals hold at once{few}"

    @property
    def order(self) -> NDArray[np.intp]:
        """Return the places of the others, the largest number first."""
        known = np.flatnonzero(~self.unknown)
        return known[np.argsort(self.ratios[known])[::-1]]

    @property
    def largest(self) -> list[str]:
        """Return the groups that may have the largest number, in quotation marks.

        Whoever may have more than somebody surely has, however small the draw.
        """
        order = self.order
        surest = self.noise[order, 0].max()
        return [f"“{self.groups[place]}”" for place in order if self.noise[place, 1] >= surest]

    def text(self, quantity: Quantity) -> str:
        """Return the largest released number with its interval."""
        first = self.order[0]
        return held_text(self.ratios[first], self.noise[first], quantity)

    def bars(self, at: Sequence[Any], *, hover: str, panel: Trace | None = None) -> list[Trace]:
        """Return the intervals of the groups that can be told, at their places."""
        known = ~self.unknown
        return interval_bars(
            at,
            self.noise[known],
            None if self.total is None else self.total[known],
            hover=hover,
            panel=panel,
        )

    def count_columns(self, counted: str) -> dict[str, Any]:
        """Return the counts with their intervals as columns of a table."""
        names = f"released {counted}", f"{counted}, lower", f"{counted}, upper"
        written = _written(np.asarray(self.counts), self.counts_noise, _COUNT)
        return dict(zip(names, written, strict=True))


def groups_picture(
    numbers: GroupNumbers,
    *,
    statement: str,
    noun: str,
    quantity: Quantity,
    counted: str,
    truth: FloatArray | None,
    grid: LabelGrid | None = None,
) -> Picture:
    """Return released ratios as dots with intervals that hold together.

    Of several columns, the cells of a ``grid`` stand in place of the dots.

    A group whose count cannot tell it from an empty one has no dot and no rank: the
    words "too few to say" stand in its place.

    Each number is called ``noun``, such as "mean", and groups count what is
    ``counted``, such as "people"; ``truth`` is that of the table, NaN where there is
    none, in Classroom mode only.
    """
    shown = [plain(group) for group in numbers.groups]
    said = ~numbers.unknown
    hover = "%{x}: %{y:,.4~r}"
    known = [name for name, there in zip(shown, said, strict=True) if there]
    traces = numbers.bars(known, hover=hover)
    traces.append(
        points(known, numbers.ratios[said], f"released {noun}", ring(NOISE, 12), hover=hover)
    )
    table: dict[str, Any] = (
        _named("group", numbers.groups, grid)
        | interval_columns(
            f"released {noun}", numbers.ratios, numbers.noise, numbers.total, quantity
        )
        | numbers.count_columns(counted)
        | {"note": np.where(said, "", TOO_FEW)}
    )
    if truth is not None:
        there = ~np.isnan(truth)
        names = [name for name, one in zip(shown, there, strict=True) if one]
        traces.append(points(names, truth[there], f"{noun} without noise", TRUTH))
        table[f"{noun} without noise"] = cells(truth, quantity)
    title, more = groups_text(numbers, noun=noun, quantity=quantity), numbers.together
    title = title if truth is None else as_released(title)
    if grid is not None:
        drawing = grid.drawing(numbers.ratios, numbers.noise, quantity, truth=truth)
        more = f"{GRAY}. {more}"
        return Picture.of(title, table, drawn=_cells_of(noun, statement), more=more, **drawing)
    return Picture.of(
        title,
        table,
        more=more,
        drawn=f"{len(shown)} groups, {int(said.sum())} with a dot and bars for a "
        f"released {noun}: {statement}",
        height=HEIGHT + below(on_axis(statement)),
        traces=placed(traces, "y", quantity),
        annotations=[
            note(TOO_FEW, int(place), 0.5, yref="paper", textangle=-90) | {"font": {"size": 13}}
            for place in np.flatnonzero(~said)
        ],
        # All groups, in their order, those without a dot included.
        xaxis=categories(shown, plain(on_axis(statement))),
        yaxis=axis(plain(quantity.name or noun), **date_axis(quantity)),
    )


def _named(one: str, labels: Sequence[str], grid: LabelGrid | None) -> dict[str, Any]:
    """Return what numbers are of as columns of a table, a column for each of several."""
    if grid is None:
        return {one: list(labels)}
    return grid.columns(tuple(labels[-1:]))


def _cells_of(noun: str, statement: str) -> str:
    return f"A table with a released {noun} in each cell: {statement}"


_FEW_RIVALS: Final = 3
"""Groups that are named as those that may have the largest number, however few there are."""


def groups_text(numbers: GroupNumbers, *, noun: str, quantity: Quantity) -> str:
    """Return which group has the largest number, as far as that can be told."""
    if len(numbers.order) == 0:
        return (
            f"Every {noun} is uncertain: no group's count differs clearly from 0. Increase ε, or "
            "ask for fewer groups"
        )
    among, largest = "among the groups that are large enough, ", numbers.largest
    among = among if numbers.few else ""
    if len(numbers.groups) == 1:
        return f"{capital(noun)}: {numbers.text(quantity)}"
    if len(numbers.order) == 1:
        return f"Only {largest[0]} has a {noun} that is certain enough: {numbers.text(quantity)}"
    if len(largest) == 1:
        text = f"{largest[0]} has the largest {noun}: {numbers.text(quantity)}"
    elif len(largest) <= max(_FEW_RIVALS, len(numbers.order) / 2):
        text = f"{either(largest)} has the largest {noun}"
    else:
        text = f"the release cannot tell which group has the largest {noun}"
    return capital(f"{among}{text}")


def either(names: Sequence[str]) -> str:
    """Return names as a choice of them.

    >>> either(["a", "b", "c"])
    'a, b or c'
    """
    *others, last = names
    return f"{', '.join(others)} or {last}" if others else last


def as_released(title: str) -> str:
    """Say that a title is about the answer, where the true numbers stand beside it."""
    return f"As released, {title[0].lower()}{title[1:]}"


_NEVER_TOLD = "every quantile is too uncertain"


@dataclass(frozen=True, slots=True, kw_only=True)
class Quantiles:
    """What was released of several quantiles. PUBLIC.

    Attributes:
        shares: Which, ascending, from 0 to 1.
        values: The quantiles.
        noise: Their intervals in the table, shape ``(k, 2)``.
        total: The same for the population; None where the table is all of it.
        bounds: Between which values are counted.

    """

    shares: tuple[float, ...]
    values: FloatArray
    noise: FloatArray
    total: FloatArray | None
    bounds: tuple[float, float]

    @property
    def told(self) -> list[int]:
        """Return which of them more than the bounds enclose."""
        low, high = self.bounds
        open_ = (self.noise[:, 0] <= low) & (self.noise[:, 1] >= high)
        return [int(place) for place in np.flatnonzero(~open_)]


def chain_picture(
    found: Quantiles, *, statement: str, quantity: Quantity, counted: str, truth: FloatArray | None
) -> Picture:
    """Return quantiles as dots over their shares, with intervals that hold together.

    ``counted`` is whose values they are, such as "people"; ``truth`` are those of the
    table, in Classroom mode only.
    """
    percents = [100 * share for share in found.shares]
    hover = "%{x:,.4~r}%: %{y:,.5~r}"
    traces = interval_bars(percents, found.noise, found.total, hover=hover)
    traces.append(points(percents, found.values, "released quantile", ring(NOISE, 12), hover=hover))
    table: dict[str, Any] = {"percent below": percents} | interval_columns(
        "released quantile", found.values, found.noise, found.total, quantity
    )
    title = chain_text(found, quantity=quantity, counted=counted)
    if truth is not None:
        traces.append(points(percents, truth, "quantile without noise", TRUTH))
        table["quantile without noise"] = cells(truth, quantity)
        title = f"As released: {title}"
    return Picture.of(
        title,
        table,
        more="All intervals hold at once",
        drawn=f"{len(percents)} dots from left to right, none lower than the one "
        f"before, each with its bars: {statement}",
        height=HEIGHT,
        traces=placed(traces, "y", quantity),
        xaxis=axis(f"{counted} below, %", range=[0, 100]),
        yaxis=axis(plain(quantity.name or "value"), **date_axis(quantity)),
    )


def chain_text(found: Quantiles, *, quantity: Quantity, counted: str) -> str:
    """Return the quantile nearest to the middle that can be told."""
    told = found.told
    if not told:
        return f"At this price {_NEVER_TOLD}. Increase ε"
    middle = min(told, key=lambda place: abs(found.shares[place] - 0.5))
    held = held_text(found.values[middle], found.noise[middle], quantity)
    return f"{significant(100 * found.shares[middle], 6)}% of the {counted} have at most {held}"


# The counts of a cross table with their intervals, and the sums beside them.


@dataclass(frozen=True, slots=True, kw_only=True)
class CrossNumbers:
    """What was released of a cross table. PUBLIC.

    Attributes:
        grid: The columns that make the cells.
        counts: With an axis for each column.
        noise: Where those of the table lie, and two ends last.
        total: Those to be expected in such a sample; None where the table is all of
            the population.
        together: The numbers whose intervals hold together.
        totals: Whether sums of rows and columns are shown, for which no interval is known.

    """

    grid: LabelGrid
    counts: FloatArray
    noise: FloatArray
    total: FloatArray | None
    together: str = "all cells and sums"
    totals: bool = False

    @property
    def held(self) -> str:
        """Say which intervals hold together, and how far a count may be off."""
        return f"Intervals of {self.together} hold at once; a cell is within {self.reach}"

    @property
    def reach(self) -> str:
        """Return in words how far the ends of an interval lie from its count, at most."""
        off = float(np.max(np.abs(self.noise - self.counts[..., np.newaxis])))
        text = f"± {measured(off, off)}"
        if self.total is None:
            return text
        off = float(np.max(np.abs(self.total - self.counts[..., np.newaxis])))
        return f"{text} ({measured(off, off)} with sampling)"


def cross_picture(
    found: CrossNumbers, *, statement: str, unit: str, truth: FloatArray | None
) -> Picture:
    """Return a table of counts, colored by them, with an interval in each cell.

    ``truth`` holds the counts without noise, in the shape of ``counts``, in Classroom
    mode only: there they stand in the cells instead of the intervals.
    """
    title = cross_text(found, unit=unit)
    grid, exact = found.grid, None if truth is None else truth.ravel()
    table: dict[str, Any] = grid.columns() | interval_columns(
        "released count", found.counts, found.noise, found.total, _COUNT
    )
    if exact is not None:
        table[f"{unit} without noise"] = exact
        title = as_released(title)
    ends = found.noise.reshape(-1, 2)
    return Picture.of(
        title,
        table,
        more=found.held,
        drawn=_cells_of("count", statement),
        **grid.drawing(found.counts.ravel(), ends, _COUNT, truth=exact, totals=found.totals),
    )


def cross_text(found: CrossNumbers, *, unit: str) -> str:
    """Return which cell is the fullest, as far as that can be told."""
    order = np.argsort(found.counts, axis=None)[::-1]
    first, *places = zip(*np.unravel_index(order, found.counts.shape), strict=True)
    cell = enumerated(
        f"“{labels[place]}”" for labels, place in zip(found.grid.labels, first, strict=True)
    )
    count = held_text(found.counts[first], found.noise[first], _COUNT)
    if found.noise[first][0] > max(found.noise[place][1] for place in places):
        return f"Most {unit} are in {cell}: {count}"
    return f"The release cannot tell which cell has the most {unit}"
