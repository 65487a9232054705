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
from dpcore.figures.calendar import cells, date_ticks
from dpcore.figures.theme import (
    CONFIDENTIAL,
    DOTTED,
    GUIDE,
    NEUTRAL,
    ROWS,
    STYLES,
    Picture,
    axis,
    plain,
)
from dpcore.figures.traces import Trace, bars, dot, heat, note, points, rows, vertical
from dpcore.formatting import brief, epsilon_text, people, percent, significant
from dpcore.planning.comparison import BudgetComparison
from dpcore.planning.needs import every_target, total_text

_SHOWN: Final = "#A9D6EE"
_UNSAID: Final = "#E9E4D2"
_HIDDEN: Final = "#C4C7CC"
_SCALE: Final = (
    *((edge / 3, _HIDDEN) for edge in (0, 1)),
    *((edge / 3, _UNSAID) for edge in (1, 2)),
    *((edge / 3, _SHOWN) for edge in (2, 3)),
)
_ENOUGH, _SHORT = "✓ ", "✗ "
_CANNOT: Final = "can't say"


def slide_picture(found: BudgetComparison) -> Picture:
    """Return the half-width of every question under every budget.

    Cells that show what must be seen have a hook, and those that do not are gray and
    have a cross; where nobody said what must be seen they have neither. A star says
    that it hangs on a size of groups that was assumed.
    """
    marks = found.enough
    columns = [
        (f"{significant(total)}{' (plan)' if (i == found.own) else ''}")
        for i, total in enumerate(found.totals)
    ]
    texts = [
        [
            _cell(Width(half=half, unit=unit), mark, void=void, star=star)
            for half, mark, void in zip(halves, shown, voids, strict=True)
        ]
        for halves, shown, voids, star, unit in zip(
            found.halves.tolist(),
            marks.tolist(),
            found.void.tolist(),
            found.assumed,
            found.units,
            strict=True,
        )
    ]
    rows = len(found.names)
    title = _plan_title(found, marks)
    return Picture.of(
        title,
        _plan_table(found, marks, columns),
        alt=_alt(title, found, texts, columns),
        traces=[_cells(columns, marks, texts)],
        annotations=[_name(found, place) for place in range(rows)],
        height=70 + 62 * rows,
        margin={"l": 8, "r": 8, "t": 54, "b": 8},
        xaxis={
            "side": "top",
            "showgrid": False,
            "title": {"text": "in all, ε"},
            "fixedrange": True,
        },
        yaxis={
            "autorange": "reversed",
            "showgrid": False,
            "showticklabels": False,
            "ticks": "",
            "fixedrange": True,
        },
    )


def _cells(columns: list[str], marks: FloatArray, texts: list[list[str]]) -> Trace:
    """Return the cells, a line without any above each row, for the question's name."""
    rows = len(texts)
    shades = np.full((2 * rows, len(columns)), np.nan)
    shades[1::2] = np.where(np.isnan(marks), 1.0, 2 * marks)
    written: list[list[str]] = []
    for row in texts:
        written += [[""] * len(columns), row]
    return heat(
        columns,
        list(range(2 * rows)),
        shades,
        _SCALE,
        (-0.5, 2.5),
        hover="ε %{x}: %{text}",
        xgap=3,
        ygap=3,
        text=written,
        texttemplate="%{text}",
        textfont={"color": "#11131A", "size": 13},
    )


def _name(found: BudgetComparison, place: int) -> dict[str, Any]:
    wanted = found.wanted[place]
    must = f"; must show {significant(float(wanted))}" if math.isfinite(wanted) else ""
    unit = f", ± {found.units[place]}" if found.units[place] else ""
    return {
        "text": plain(brief(f"{found.names[place]}{unit}", 52 - len(must)) + must),
        "x": 0,
        "xref": "paper",
        "xanchor": "left",
        "y": 2 * place,
        "yanchor": "middle",
        "showarrow": False,
        "font": {"size": 13},
    }


def _cell(width: Width, mark: float, *, void: bool, star: bool) -> str:
    if math.isnan(width.half):
        return "no room"
    if void:
        return f"{_SHORT * (not math.isnan(mark))}says nothing"
    sign = "" if math.isnan(mark) else _ENOUGH if mark else _SHORT
    star = star and bool(sign)
    return f"{sign}{_CANNOT if math.isinf(width.half) else width.text}{'*' * star}"


def _plan_title(found: BudgetComparison, marks: FloatArray) -> str:
    """Say how many targets the plan meets, and the smallest total that meets all."""
    asked = np.isfinite(found.wanted)
    if not asked.any():
        if len(found.totals) == 1:
            return (
                f"What {people(len(found.names), 'planned answer')} will be off by; "
                "say what must be seen to judge them"
            )
        return (
            f"What {people(len(found.names), 'planned answer')} would be off by, under "
            f"{people(len(found.totals), 'budget')}; say what must be seen to compare "
            "them"
        )
    met, targets = int(np.nansum(marks[asked, found.own])), int(asked.sum())
    own = significant(found.totals[found.own])
    if met < targets:
        some = f"meets {met or 'none'} of {targets} targets"
        title = f"The plan {some if targets > 1 else 'misses the target'}"
        told = total_text(found.smallest, targets=targets, others=len(found.names) - targets)
        return f"{title} with ε = {own}" + (f"; {told}" if told else "")
    title = f"The plan meets {every_target(targets)} with ε = {own}"
    if math.isnan(found.smallest):
        return title
    least = epsilon_text(found.smallest)
    if found.smallest >= found.totals[found.own] or least == own:
        return f"{title}, and no smaller total does"
    return f"{title}; ε = {least} would do (best split)"


def _plan_table(found: BudgetComparison, marks: FloatArray, columns: list[str]) -> dict[str, Any]:
    table: dict[str, Any] = {
        "question": found.names,
        "unit": found.units,
        "of": found.notes,
        "must show": found.wanted,
    }
    for place, column in enumerate(columns):
        table[f"± at ε = {column}"] = found.halves[:, place]
        table[f"shown at ε = {column}"] = [
            "" if math.isnan(mark) else "yes" if mark else "no" for mark in marks[:, place].tolist()
        ]
    return table


def _alt(title: str, found: BudgetComparison, texts: list[list[str]], columns: list[str]) -> str:
    lines = []
    for name, unit, row in zip(found.names, found.units, texts, strict=True):
        cells = ", ".join(
            f"{cell.replace(_ENOUGH, 'enough ').replace(_SHORT, 'too wide ')} at ε = {at}"
            for at, cell in zip(columns, row, strict=True)
        )
        lines.append(f"{name}{f', in {unit}' if unit else ''}: {cells}")
    return f"Half-widths at 95%, by budget. {title}. {'; '.join(lines)}."


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
                hover="" if quantity.is_date else "about %{x:.4g}",
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
            f"{len(one.values)} with {one.name}"
            for one in possible
        ]
        limit = f"{significant(wanted)}{_after(unit)}"
        return f"{question}: so many answers are off by {limit} or less: " + ", ".join(near)
    half = [
        f"± {significant(float(np.median(np.abs(one.values - assumed))))}{_after(unit)}"
        f" with {one.name}"
        for one in possible
    ]
    return f"{question}: half of the answers are off by at most " + ", ".join(half)


def _after(unit: str) -> str:
    return f" {unit}" if unit else ""


@dataclass(frozen=True, slots=True, kw_only=True)
class LossSummary:
    """How much the people of a table lose under one total. CONFIDENTIAL.

    Attributes:
        name: What the total is called. Public.
        people: How many there are.
        above: How many lose more than the limit.
        median: What half of them lose at most.
        maximum: What the most exposed person loses.

    """

    name: str
    people: int
    above: int
    median: float
    maximum: float


def budgets_picture(crowds: Sequence[LossSummary], *, own: int, limit: float) -> Picture:
    """Return how many people lose more than ``limit`` under several totals."""
    now = crowds[own]
    return Picture.of(
        (
            f"Under {now.name} {now.above:,} of {now.people:,} above {significant(limit)} "
            f"({percent(now.above / now.people)}); the most exposed person loses "
            f"{significant(now.maximum)}"
        ),
        {
            "total": [crowd.name for crowd in crowds],
            "lose more": [crowd.above for crowd in crowds],
            "half lose at most": [crowd.median for crowd in crowds],
            "the most exposed loses": [crowd.maximum for crowd in crowds],
        },
        drawn="People who lose more than the limit, by total of the plan",
        traces=[
            bars(
                [plain(crowd.name) for crowd in crowds],
                [crowd.above for crowd in crowds],
                "",
                {"color": [CONFIDENTIAL if at == own else NEUTRAL for at in range(len(crowds))]},
                hover="%{x}: %{y:,} people",
                text=[f"{crowd.above:,}" for crowd in crowds],
                textposition="outside",
                cliponaxis=False,
            )
        ],
        showlegend=False,
        height=340,
        xaxis=axis("total ε"),
        yaxis=axis(f"people above {significant(limit)}", rangemode="tozero"),
    )


def groups_picture(crowds: Sequence[LossSummary], *, by: str, limit: float) -> Picture:
    """Return which share of each group loses more than ``limit``."""
    shown = crowds[:30]
    shares = [crowd.above / crowd.people for crowd in shown]
    most = max(range(len(shown)), key=shares.__getitem__)
    least = min(range(len(shown)), key=shares.__getitem__)
    texts = [
        f"{crowd.above:,} of {crowd.people:,}; most {significant(crowd.maximum)}" for crowd in shown
    ]
    # Labels may be alike once they are cut short.
    names = [plain(crowd.name) for crowd in shown]
    return Picture.of(
        (
            f"By {by}, nobody loses more than {significant(limit)}"
            if not any(shares)
            else f"{percent(shares[most])} of “{shown[most].name}” lose more than "
            f"{significant(limit)}, and {percent(shares[least])} of “{shown[least].name}”"
        ),
        {
            "group": [crowd.name for crowd in crowds],
            "people": [crowd.people for crowd in crowds],
            "lose more": [crowd.above for crowd in crowds],
            "half lose at most": [crowd.median for crowd in crowds],
            "the most exposed loses": [crowd.maximum for crowd in crowds],
        },
        drawn="Share of each group that loses more than the limit",
        traces=[rows(names, [100 * share for share in shares], texts, CONFIDENTIAL)],
        showlegend=False,
        height=90 + 44 * len(shown),
        xaxis=axis(
            f"above ε = {significant(limit)}, %",
            range=[0, 1.35 * max(100 * max(shares), 1.0) * 1.3],
        ),
        yaxis=ROWS
        | {"tickvals": names, "ticktext": [plain(brief(crowd.name, 24)) for crowd in shown]},
    )
