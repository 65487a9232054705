"""Released numbers, cells and quantiles with their intervals; in Classroom mode also the truth."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from dpcore.arrays import FloatArray
from dpcore.data.quantities import Quantity
from dpcore.figures.calendar import cells, date_axis, placed
from dpcore.figures.theme import (
    HEIGHT,
    TRUTH,
    LineStyle,
    Picture,
    axis,
    below,
    categories,
    on_axis,
    plain,
)
from dpcore.figures.traces import NAME, bars, interval, line, note, points, ring
from dpcore.formatting import capital, measured
from dpcore.inference.intervals import Intervals
from dpcore.releases.digits import ends_text, reach, with_ends
from dpcore.releases.table import TOO_FEW

_TOTAL = "rgba(0,114,178,0.35)"
_NOISE = "#0072B2"
_HEIGHT = 230
_NAMED = 3


def answer_text(
    value: float, noise: FloatArray, total: FloatArray | None, quantity: Quantity
) -> str:
    """Return the release in one line, with its intervals.

    >>> noise = np.array([52.9, 55.5])
    >>> years = Quantity(unit="years")
    >>> answer_text(54.21, noise, np.array([52.1, 56.3]), years)
    '54.2 years; 95 %: 52.9 to 55.5 from the noise alone, 52.1 to 56.3 with sampling'
    >>> answer_text(54.21, noise, None, years)
    '54.2 years; 95 %: 52.9 to 55.5 from the noise alone'

    Beyond its bounds it has the digits of the noise, as in ledger and papers:

    >>> wide = np.array([0.0, 44.1]), np.array([0.0, 45.2])
    >>> answer_text(-86.2, *wide, Quantity(unit="mg/l"))
    '-90 mg/l; 95 %: 0 to 50 from the noise alone, 0 to 50 with sampling'
    """
    shown, low, high = with_ends(value, (float(noise[0]), float(noise[1])), quantity)
    sampling = ""
    if total is not None:
        ends = ends_text((float(total[0]), float(total[1])), value, quantity)
        sampling = f", {ends[0]} to {ends[1]} with sampling"
    return (
        f"{f'{shown} {quantity.suffix}'.rstrip()}; 95 %: {low} to {high} "
        f"from the noise alone{sampling}"
    )


def answer_picture(
    value: float, around: Intervals, *, statement: str, quantity: Quantity, sampled: bool
) -> Picture:
    """Return the sanitized value of a scalar statistic with its intervals.

    Where the table is not ``sampled`` but everybody, there is no interval for a
    population.
    """
    noise, total = around.noise[0], around.total[0] if sampled else None
    parts = {"noise alone": noise}
    if total is not None:
        parts["noise and sampling"] = total
    return _number_line(
        value, parts, answer_text(value, noise, total, quantity), statement, quantity
    )


def resampled_picture(
    value: float, around: Intervals, *, statement: str, quantity: Quantity, sampled: bool
) -> Picture:
    """Return an answer from a sample with an interval for the table, and a wider one.

    Both cover the noise and who happened to be sampled. Where they read alike, or the
    table itself is no sample of a population (``sampled``), there is one of them.
    """
    noise, total = around.noise[0], around.total[0]
    error = reach((float(noise[0]), float(noise[1])), value)
    ends = [quantity.measured(float(end), error) for end in (*noise, *total)]
    shown = quantity.measured(value, error)
    title = f"{f'{shown} {quantity.suffix}'.rstrip()}; 95 %: "
    parts, alike = {"for this table": noise}, ""
    if sampled:
        parts["for the population"] = total
    if not sampled:
        title += f"{ends[0]} to {ends[1]} for this table"
    elif ends[:2] == ends[2:]:
        alike = "for this table and the population"
        title += f"{ends[0]} to {ends[1]}, {alike} behind it"
    else:
        title += (
            f"{ends[0]} to {ends[1]} for this table, {ends[2]} to {ends[3]} for the "
            "population behind it"
        )
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
    strokes = (LineStyle(color=_NOISE, width=8), LineStyle(color=_TOTAL, width=20))
    drawn = [
        (alike or name, ends, stroke)
        for (name, ends), stroke in zip(parts.items(), strokes, strict=False)
    ][-1 if alike else 0 :]
    hover = "%{x:.6g}"
    traces = [
        line(list(ends), [0, 0], name, stroke, hover=hover, aside=NAME)
        for name, ends, stroke in drawn
    ]
    what = "sanitized value"
    center = points([value], [0], what, ring(_NOISE, 14), hover=hover, aside=what)
    bars = "a bar" if len(drawn) == 1 else "a thin and a thick bar"
    return Picture.of(
        title,
        {
            "what": list(parts),
            "lower": cells([float(low) for low, _ in parts.values()], quantity),
            "value": cells([value] * len(parts), quantity),
            "upper": cells([float(high) for _, high in parts.values()], quantity),
        },
        alt=f"One point with {bars} around it. {capital(statement)}: {title}.",
        height=_HEIGHT + below(statement),
        traces=placed([*reversed(traces), center], "x", quantity),
        xaxis=axis(plain(statement), **date_axis(quantity)),
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
) -> Picture:
    """Return sanitized numbers as bars with noise intervals that hold together.

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
            f"sanitized {noun}",
            {"color": _NOISE},
            hover="%{x}: %{y:,.4g}",
            opacity=0.75,
            error_y=interval(high - values, values - low),
        )
    ]
    table: dict[str, Any] = {
        "cell": list(labels),
        f"sanitized {noun}": values,
        "noise, lower": low,
        "noise, upper": high,
    }
    if sampled:
        table["with sampling, lower"] = around.total[:, 0]
        table["with sampling, upper"] = around.total[:, 1]
    if truth is not None:
        traces.append(points(shown, truth, f"{noun} without noise", TRUTH))
        table[f"{noun} without noise"] = truth
    # Bounds cut some intervals off on one side: the noise is the longer one.
    off = float(np.max(np.abs(around.noise - np.asarray(values)[:, np.newaxis])))
    whole = Quantity(whole=quantity.whole)
    first, second = np.argsort(values)[::-1][:2]
    title = (
        f"The largest {noun} is that of “{labels[first]}” with "
        f"{whole.measured(float(values[first]), off)}, then “{labels[second]}” with "
        f"{whole.measured(float(values[second]), off)}; all bars at once are within ± "
        f"{measured(off, off)}"
    )
    if values[first] - values[second] < 2 * off:
        title += ", so the order is not certain"
    return Picture.of(
        title if truth is None else _as_released(title),
        table,
        drawn=f"{len(labels)} bars of a sanitized {noun} with error bars: {statement}",
        height=HEIGHT + below(statement),
        traces=traces,
        xaxis=axis(plain(statement)),
        yaxis=axis(plain(quantity.name or noun)),
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


def groups_picture(
    numbers: GroupNumbers,
    *,
    statement: str,
    noun: str,
    quantity: Quantity,
    counted: str,
    truth: FloatArray | None,
) -> Picture:
    """Return sanitized ratios as dots with intervals that hold together.

    A group whose count cannot tell it from an empty one has no dot and no rank: the
    words "too few to say" stand in its place.

    Each number is called ``noun``, such as "mean", and groups count what is
    ``counted``, such as "people"; ``truth`` is that of the table, NaN where there is
    none, in Classroom mode only.
    """
    shown = [plain(group) for group in numbers.groups]
    said = ~np.isnan(numbers.ratios)
    drawn = (
        ("noise and sampling", numbers.total, LineStyle(color=_TOTAL, width=12)),
        ("noise alone", numbers.noise, LineStyle(color=_NOISE, width=5)),
    )
    hover = "%{x}: %{y:,.4g}"
    traces = [
        line(*_upright(shown, ends, said), name, stroke, hover=hover, aside=NAME)
        for name, ends, stroke in drawn
        if ends is not None
    ]
    traces.append(
        points(
            [name for name, there in zip(shown, said, strict=True) if there],
            numbers.ratios[said],
            f"sanitized {noun}",
            ring(_NOISE, 12),
            hover=hover,
        )
    )
    table = _group_table(numbers, noun=noun, counted=counted, quantity=quantity)
    if truth is not None:
        known = ~np.isnan(truth)
        there = [name for name, there in zip(shown, known, strict=True) if there]
        traces.append(points(there, truth[known], f"{noun} without noise", TRUTH))
        table[f"{noun} without noise"] = cells(truth, quantity)
    title = groups_text(numbers, noun=noun, quantity=quantity)
    return Picture.of(
        title if truth is None else _as_released(title),
        table,
        drawn=f"{len(shown)} groups, {int(said.sum())} with a dot and bars for a "
        f"sanitized {noun}: {statement}",
        height=HEIGHT + below(statement),
        traces=placed(traces, "y", quantity),
        annotations=[
            note(TOO_FEW, int(place), 0.5, yref="paper", textangle=-90) | {"font": {"size": 13}}
            for place in np.flatnonzero(~said)
        ],
        # All groups, in their order, those without a dot included.
        xaxis=categories(shown, plain(statement)),
        yaxis=axis(plain(quantity.name or noun), **date_axis(quantity)),
    )


def groups_text(numbers: GroupNumbers, *, noun: str, quantity: Quantity) -> str:
    """Return which group has the largest number, as far as that can be told."""
    said = np.flatnonzero(~np.isnan(numbers.ratios))
    few = [
        f"“{group}”"
        for place, group in enumerate(numbers.groups)
        if place not in set(said.tolist())
    ]
    if len(said) == 0:
        return (
            f"No {noun} can be told: no group's count can be told from that of an "
            "empty one. Spend more, or ask for fewer groups"
        )
    order = said[np.argsort(numbers.ratios[said])[::-1]]
    first = order[0]
    if len(order) == 1:
        text = f"One {noun} can be told: {_named(numbers, first, quantity)}"
    elif numbers.noise[first, 0] > numbers.noise[order[1:], 1].max():
        largest = "largest" if not few else f"largest {noun} that can be told"
        noun = "" if few else f" {noun}"
        text = f"The {largest}{noun} is that of {_named(numbers, first, quantity)}"
    else:
        # Whoever may have more than somebody surely has, however small the draw.
        surest = numbers.noise[order, 0].max()
        open_ = [place for place in order if numbers.noise[place, 1] >= surest]
        names = [f"“{numbers.groups[place]}”" for place in open_]
        others = len(names) - _NAMED
        listed = ", ".join(names[:_NAMED]) + (f" and {others} more" if others > 0 else "")
        among = " among those that can be told," if few else ""
        text = (
            f"Which {noun} is the largest cannot be told:{among} it may be that of any "
            f"of {len(names)}, {listed}. The largest that was drawn is "
            f"{_named(numbers, first, quantity)}"
        )
    text += "; all intervals hold at once"
    if few:
        others = len(few) - _NAMED
        more = f" and {others} more" if others > 0 else ""
        text += f"; too few to say: {', '.join(few[:_NAMED])}{more}"
    return text


def _as_released(title: str) -> str:
    """Say that a title is about the answer, where the true numbers stand beside it."""
    return f"As released, {title[0].lower()}{title[1:]}"


def _named(numbers: GroupNumbers, place: int, quantity: Quantity) -> str:
    """Return a group with its number and interval in words."""
    low, high = (float(end) for end in numbers.noise[place])
    value, lower, upper = with_ends(float(numbers.ratios[place]), (low, high), quantity)
    said = f"{value} {quantity.suffix}".rstrip()
    return f"“{numbers.groups[place]}” with {said} (95 %: {lower} to {upper})"


def _upright(
    shown: list[str], ends: FloatArray, said: FloatArray
) -> tuple[list[str | None], list[float | None]]:
    """Return the points of one upright bar a group, with gaps between them."""
    across: list[str | None] = []
    up: list[float | None] = []
    for place in np.flatnonzero(said):
        across += [shown[place], shown[place], None]
        up += [float(ends[place, 0]), float(ends[place, 1]), None]
    return across, up


def _group_table(
    numbers: GroupNumbers, *, noun: str, counted: str, quantity: Quantity
) -> dict[str, Any]:
    table: dict[str, Any] = {
        "group": list(numbers.groups),
        f"sanitized {noun}": cells(numbers.ratios, quantity),
        "noise, lower": cells(numbers.noise[:, 0], quantity),
        "noise, upper": cells(numbers.noise[:, 1], quantity),
    }
    if numbers.total is not None:
        table["with sampling, lower"] = cells(numbers.total[:, 0], quantity)
        table["with sampling, upper"] = cells(numbers.total[:, 1], quantity)
    table[f"sanitized {counted}"] = numbers.counts
    table[f"{counted}, lower"] = numbers.counts_noise[:, 0]
    table[f"{counted}, upper"] = numbers.counts_noise[:, 1]
    table["note"] = np.where(np.isnan(numbers.ratios), TOO_FEW, "")
    return table


_TOTAL, _NOISE = "rgba(0,114,178,0.35)", "#0072B2"
_NEVER_TOLD = "no quantile can be told: only the bounds enclose them"


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
    hover = "%{x:.4g} %: %{y:,.5g}"
    drawn = (
        ("noise and sampling", found.total, LineStyle(color=_TOTAL, width=12)),
        ("noise alone", found.noise, LineStyle(color=_NOISE, width=5)),
    )
    traces = [
        line(*_stems(percents, ends), name, stroke, hover=hover, aside=NAME)
        for name, ends, stroke in drawn
        if ends is not None
    ]
    traces.append(
        points(percents, found.values, "sanitized quantile", ring(_NOISE, 12), hover=hover)
    )
    table: dict[str, Any] = {
        "percent below": percents,
        "sanitized quantile": cells(found.values, quantity),
        "noise, lower": cells(found.noise[:, 0], quantity),
        "noise, upper": cells(found.noise[:, 1], quantity),
    }
    if found.total is not None:
        table["with sampling, lower"] = cells(found.total[:, 0], quantity)
        table["with sampling, upper"] = cells(found.total[:, 1], quantity)
    title = chain_text(found, quantity=quantity, counted=counted)
    if truth is not None:
        traces.append(points(percents, truth, "quantile without noise", TRUTH))
        table["quantile without noise"] = cells(truth, quantity)
        title = f"As released: {title}"
    return Picture.of(
        title,
        table,
        drawn=f"{len(percents)} dots from left to right, none lower than the one "
        f"before, each with its bars: {on_axis(statement)}",
        height=HEIGHT,
        traces=placed(traces, "y", quantity),
        xaxis=axis(f"percent of the {counted} with so much or less", range=[0, 100]),
        yaxis=axis(plain(quantity.name or "value"), **date_axis(quantity)),
    )


def chain_text(found: Quantiles, *, quantity: Quantity, counted: str) -> str:
    """Return the lowest, the middle and the highest quantile that can be told."""
    told = found.told
    if not told:
        return f"At this price {_NEVER_TOLD}. Spend more"
    middle = min(told, key=lambda place: abs(found.shares[place] - 0.5))
    parts: list[str] = []
    for place in dict.fromkeys((told[0], middle, told[-1])):
        low, high = (float(end) for end in found.noise[place])
        value, lower, upper = with_ends(float(found.values[place]), (low, high), quantity)
        after = f" {quantity.suffix}".rstrip()
        percent = f"{100 * found.shares[place]:.6g} %"
        have = "" if parts else f" of the {counted} have"
        said = f"{percent}{have} at most {value}{after}"
        parts.append(f"{said} (95 %: {lower} to {upper})")
    few = len(found.shares) - len(told)
    return f"{'; '.join(parts)}; all intervals hold at once" + (
        f"; {few} of {len(found.shares)} cannot be told" if few else ""
    )


def _stems(across: list[float], ends: FloatArray) -> tuple[list[float | None], list[float | None]]:
    """Return the points of one upright bar for each share, with gaps between them."""
    x: list[float | None] = []
    y: list[float | None] = []
    for place, (low, high) in zip(across, ends.tolist(), strict=True):
        x += [place, place, None]
        y += [low, high, None]
    return x, y
