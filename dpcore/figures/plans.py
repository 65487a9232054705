"""What plans buy: errors by budget, possible answers, and losses of people (CONFIDENTIAL)."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np

from dpcore.analyses.measurement import Width
from dpcore.arrays import FloatArray
from dpcore.data.quantities import Quantity
from dpcore.figures.theme import (
    CONFIDENTIAL,
    DOTTED,
    FITTING,
    GUIDE,
    PUBLIC,
    STYLES,
    LineStyle,
    Picture,
    axis,
    in_lines,
    log_axis,
    log_ticks,
    plain,
    whole_decades,
)
from dpcore.figures.traces import (
    Trace,
    cells,
    date_ticks,
    dot,
    histogram,
    level,
    line,
    note,
    points,
    vertical,
    with_edge,
)
from dpcore.formatting import brief, people, significant
from dpcore.individual.losses import Losses
from dpcore.planning.comparison import BudgetComparison
from dpcore.planning.needs import every_target
from dpcore.relations import PERSON, PrivacyUnit

_MOST_PANELS: Final = 12
_PANEL, _GAP, _LINE = 64, 30, 17
"""Pixels of a panel, of a name of one line above it, and of each further line."""
_LETTERS: Final = 20
"""How long such a line is on a phone."""
_BOTTOM: Final = 48
_ROOM: Final = 1.6
"""By which factor an axis goes on beyond the errors and the target."""


def margins_picture(found: BudgetComparison) -> Picture:
    """Return a small line a question: its margin of error against the total.

    A dot marks the total of the plan, a dotted line the target. A star says that the
    margin depends on an assumed group size. The table has all questions.
    """
    count = min(len(found.names), _MOST_PANELS)
    across = min(count, 2)
    down = math.ceil(count / across)
    labels = [_label(found, place) for place in range(count)]
    gap = _GAP + _LINE * max(label.count("<br>") for label in labels)
    plot = _PANEL * down + gap * (down - 1)
    traces: list[Trace] = []
    shapes: list[Trace] = []
    notes: list[Trace] = []
    axes: dict[str, Any] = {}
    ends = found.totals[0], found.totals[-1]
    span = [math.log10(ends[0]), math.log10(max(ends[1], ends[0] * 1.01))]
    for place in range(count):
        end = str(place + 1) if place else ""
        row, column = divmod(place, across)
        top = 1 - row * (_PANEL + gap) / plot
        last = place + across >= count
        axes[f"xaxis{end}"] = axis(
            "total ε" if last else "",
            type="log",
            range=span,
            domain=[0.53 * column, 0.53 * column + 0.47] if across > 1 else [0, 1],
            anchor=f"y{end}",
            showticklabels=last,
            **log_ticks(*ends),
        )
        axes[f"yaxis{end}"] = _margin_axis(found, place) | {
            "domain": [max(top - _PANEL / plot, 0), top],
            "anchor": f"x{end}",
        }
        traces += _margin_traces(found, place, end)
        wanted = float(found.wanted[place])
        if math.isfinite(wanted):
            word = f"target {significant(wanted)}"
            where = f"x{end} domain", f"y{end}"
            side = "end" if _is_met(found, place) else "start"
            shapes.append(level(wanted, word, DOTTED, axes=where, textposition=side))
        notes.append(
            note(
                labels[place],
                0,
                1,
                xref=f"x{end} domain",
                yref=f"y{end} domain",
                align="left",
                xanchor="left",
                yanchor="bottom",
                font={"size": 13},
            )
        )
    title = _plan_title(found)
    return Picture.of(
        title,
        {"total ε": found.totals}
        | {
            f"{place}. {name}, ±{f' {unit}' if unit else ''}": halves
            for place, (name, unit, halves) in enumerate(
                zip(found.names, found.units, found.halves, strict=True), 1
            )
        },
        alt=_margins_alt(title, found),
        traces=traces,
        shapes=shapes,
        annotations=notes,
        showlegend=False,
        height=plot + gap + _BOTTOM,
        margin={"l": 16, "r": 16, "t": gap, "b": _BOTTOM},
        **axes,
    )


def _label(found: BudgetComparison, place: int) -> str:
    """Return number and name of a question, in lines: the list above has the unit."""
    return in_lines(f"{place + 1}. {found.names[place]}{'*' * found.assumed[place]}", _LETTERS)


def margin_picture(found: BudgetComparison) -> Picture:
    """Return the margin of error of a single question against epsilon, with its target."""
    unit, wanted = found.units[0], float(found.wanted[0])
    ends = found.totals[0], found.totals[-1]
    halves = found.halves[0][np.isfinite(found.halves[0]) & (found.halves[0] > 0)]
    shown = np.append(halves, wanted) if math.isfinite(wanted) else halves
    low, high = (shown.min(), shown.max()) if len(shown) else (1.0, 10.0)
    title = _margin_title(found)
    return Picture.of(
        title,
        {"ε": found.totals, f"margin of error{f', {unit}' if unit else ''}": found.halves[0]},
        alt=f"Margin of error of {found.names[0]} against ε. {title}.",
        traces=_margin_traces(found, 0, ""),
        shapes=[level(wanted, f"target {significant(wanted)}", DOTTED)]
        if math.isfinite(wanted)
        else [],
        showlegend=False,
        height=260,
        xaxis=log_axis("ε", *ends),
        yaxis=log_axis(f"± {plain(unit)}".rstrip(), low / _ROOM, high * _ROOM) | FITTING,
    )


def _margin_title(found: BudgetComparison) -> str:
    """Return the margin of error of a single question, and whether it meets the target."""
    own, wanted = significant(found.totals[found.own]), float(found.wanted[0])
    if not math.isfinite(float(found.halves[0, found.own])):
        return f"No margin of error can be given at ε = {own}"
    after = _after(found.units[0])
    said = f"Margin of error at ε = {own}: ± {_margin_text(found, 0)}{after}"
    if not math.isfinite(wanted):
        return said
    verdict = "meets" if _is_met(found, 0) else "misses"
    return f"{said}, which {verdict} the target of ± {significant(wanted)}{after}"


def _margin_axis(found: BudgetComparison, place: int) -> dict[str, Any]:
    """Return the log axis of one panel, around its errors and its target."""
    known = np.append(found.halves[place], found.wanted[place])
    known = known[np.isfinite(known) & (known > 0)]
    low, high = (known.min(), known.max()) if len(known) else (1.0, 10.0)
    ends = [math.log10(low / _ROOM), math.log10(high * _ROOM)]
    return axis(type="log", range=ends, showticklabels=False, showgrid=False) | FITTING


def _margin_traces(found: BudgetComparison, place: int, end: str) -> list[Trace]:
    halves = np.where(np.isfinite(found.halves[place]), found.halves[place], np.nan)
    where: dict[str, Any] = {"xaxis": f"x{end}", "yaxis": f"y{end}"}
    own = float(halves[found.own])
    hover = f"ε = %{{x:,.3~r}}: ± %{{y:,.3~r}}{_after(plain(found.units[place]))}"
    stroke = LineStyle(color=PUBLIC)
    curve = line(list(found.totals), halves, "", stroke, hover=hover, **where)
    if math.isnan(own):
        return [curve]
    here = points(
        [found.totals[found.own]],
        [own],
        marker=dot(PUBLIC, 10),
        hover=hover,
        text=[f"± {_margin_text(found, place)}"],
        # Off the line of the target, and off its word.
        textposition="bottom left" if _is_met(found, place) else "top right",
        cliponaxis=False,
        **where,
    )
    return [curve, here]


def _is_met(found: BudgetComparison, place: int) -> bool:
    return bool(found.enough[place, found.own] == 1)


def _margin_text(found: BudgetComparison, place: int) -> str:
    half = float(found.halves[place, found.own])
    if not math.isfinite(half):
        return "not available"
    return Width(half=half, unit=found.units[place]).text


def _plan_title(found: BudgetComparison) -> str:
    """Return how many targets the plan meets at its total."""
    targets, own = int(np.isfinite(found.wanted).sum()), significant(found.totals[found.own])
    if not targets:
        return f"Margin of error of {people(len(found.names), 'question')} by total ε"
    met = int(np.nansum(found.enough[:, found.own]))
    if met == targets:
        return f"The plan meets {every_target(targets)} at ε = {own}"
    if targets == 1:
        return f"The plan misses the target at ε = {own}"
    return f"The plan meets {met or 'none'} of {targets} targets at ε = {own}"


def _margins_alt(title: str, found: BudgetComparison) -> str:
    own = significant(found.totals[found.own])
    lines = [
        f"{place + 1}. {name}: ± {_margin_text(found, place)}{_after(found.units[place])}"
        + (f", target {significant(wanted)}" if math.isfinite(wanted) else "")
        for place, (name, wanted) in enumerate(zip(found.names, found.wanted.tolist(), strict=True))
    ]
    return f"Margin of error against total ε. {title}. At ε = {own}: {'; '.join(lines)}."


_BINS: Final = 30


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Possible:
    """What could come out under one plan. PUBLIC.

    Attributes:
        name: The plan, with its epsilon.
        values: Equally likely outcomes, ascending.
        key: Of the mechanism.

    """

    name: str
    values: FloatArray
    key: str


def outcomes_picture(
    question: str,
    possible: Sequence[Possible],
    *,
    assumed: float,
    quantity: Quantity,
    wanted: float | None,
) -> Picture:
    """Return a quantile dotplot for each plan, one above the other, on one axis.

    Each dot is one of so many equally likely answers. Lines mark the assumed value, and
    what must be seen to either side of it.
    """
    edges = _edges(possible, assumed, wanted)
    traces, notes, base = [], [], 0.0
    for one in reversed(possible):
        # Where each dot stands: in the middle of its bin, on those before it.
        width = edges[1] - edges[0]
        places = np.round((one.values - edges[0]) / width).astype(int)
        heights = np.zeros(len(one.values))
        for at in np.unique(places):
            inside = places == at
            heights[inside] = np.arange(np.count_nonzero(inside))
        stroke = STYLES.get(one.key, GUIDE)
        traces.append(
            points(
                edges[0] + width * places,
                base + heights,
                one.name,
                dot(stroke.color, 10, stroke.symbol),
                # Dots of dates stand on an axis of days.
                hover="" if quantity.is_date else "about %{x:,.4~r}",
                aside=plain(one.name),
                showlegend=False,
            )
        )
        top = base + float(heights.max()) + 1.6
        notes.append(
            note(
                f"<b>{plain(brief(one.name, 60))}</b>",
                0,
                top,
                xref="paper",
                xanchor="left",
                font={"size": 13},
            )
        )
        base = top + 3.0
    ends = 2 * edges[0] - edges[2], 2 * edges[-1] - edges[-3]
    had = f"{quantity.about(assumed, 6)}{_after(quantity.suffix)}"
    lines = [vertical(assumed, "assumed", GUIDE, layer="below")]
    if wanted is not None:
        lines += [vertical(assumed + side * wanted, "", DOTTED, layer="below") for side in (-1, 1)]
    return Picture.of(
        _outcomes_title(question, possible, assumed, quantity.of_differences, wanted),
        {one.name: cells(one.values, quantity) for one in possible},
        drawn=f"{len(possible[0].values)} equally likely answers under each plan, if "
        f"the table had {had}",
        traces=traces,
        annotations=notes,
        shapes=lines,
        height=int(110 + 13 * base),
        xaxis=axis(
            f"answer{', ' + plain(quantity.name) if quantity.name else ''}",
            range=list(ends),
            **date_ticks(quantity, *ends),
        ),
        yaxis={"visible": False, "range": [-1.0, base], "fixedrange": True},
    )


def _edges(possible: Sequence[Possible], assumed: float, wanted: float | None) -> FloatArray:
    """Return the places of the columns that dots stand in, for all plans alike.

    What must be seen lies half-way between two of them, so that as many dots stand
    within its lines as answers do.
    """
    reach = float(np.abs(np.concatenate([one.values for one in possible]) - assumed).max())
    reach = max(reach, wanted or 0.0) or 1.0
    width = 2 * reach / (_BINS - 1)
    if wanted is None or wanted < width / 2:
        return np.linspace(assumed - reach, assumed + reach, _BINS)
    width = wanted / (max(1, round(wanted / width)) - 0.5)
    half = math.ceil(reach / width)
    return np.asarray(assumed + width * np.arange(-half, half + 1))


def _outcomes_title(
    question: str, possible: Sequence[Possible], assumed: float, unit: str, wanted: float | None
) -> str:
    if wanted is not None:
        near = [
            f"{int(np.count_nonzero(np.abs(one.values - assumed) <= wanted))} of "
            f"{len(one.values)} under {one.name}"
            for one in possible
        ]
        limit = f"{significant(wanted)}{_after(unit)}"
        return f"Results for {question} within ± {limit}: " + ", ".join(near)
    half = [
        f"± {significant(float(np.median(np.abs(one.values - assumed))))}{_after(unit)}"
        f" under {one.name}"
        for one in possible
    ]
    return f"Half of the results for {question} are within " + ", ".join(half)


def _after(unit: str) -> str:
    return f" {unit}" if unit else ""


_CELLS: Final = 40
_SMALLEST: Final = 1e-6
"""Of what a log axis shows, as a part of the largest number on it."""


def losses_picture(
    losses: Losses, *, guarantee: float, limit: float, log: bool, unit: PrivacyUnit = PERSON
) -> Picture:
    """Return the histogram of everybody's loss, with the threshold and the guarantee.

    CONFIDENTIAL. The first bar has all who lose less.
    """
    ordered, many = losses.ordered, unit.with_losses
    above = int(np.count_nonzero(ordered > limit))
    known = [float(one) for one in (ordered[-1], limit, guarantee) if 0 < one < math.inf]
    top = max(known, default=1.0) * 1.02
    if log:
        least = ordered[np.searchsorted(ordered, top * _SMALLEST)] if ordered[-1] > 0 else top
        floor, top = whole_decades(min(float(least), top / 2), top)
        edges, along = np.geomspace(floor, top, _CELLS + 1), log_axis("own loss ε", floor, top)
    else:
        edges, along = np.linspace(0.0, top, _CELLS + 1), axis("own loss ε", range=[0.0, top])
    edges = with_edge(edges, guarantee)
    counts = losses.histogram(np.concatenate([[-1.0], edges[1:]]))
    levels = {"threshold": (limit, DOTTED), "guarantee": (guarantee, GUIDE)}
    return Picture.of(
        f"{above:,} of {len(ordered):,} {many} lose more than ε = {significant(limit)}",
        {"own loss ε, from": edges[:-1], "to": edges[1:], many: counts},
        drawn=f"Histogram of the privacy loss of each {unit.noun} from the plan",
        more=f"The worst is ε = {significant(float(ordered[-1]))}",
        traces=[
            histogram(
                counts,
                edges,
                marker={"color": CONFIDENTIAL},
                hover=f"around ε = %{{x:,.3~r}}: %{{y:,}} {many}",
                log=log,
            )
        ],
        shapes=[
            vertical(at, name, stroke, xanchor="right")
            for name, (at, stroke) in levels.items()
            if 0 < at < math.inf
        ],
        showlegend=False,
        bargap=0,
        height=260,
        xaxis=along,
        yaxis=axis(many),
    )
