"""Several released numbers by group, a panel for each, and the difference of two groups."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, Final

import numpy as np

from dpcore.arrays import FloatArray
from dpcore.data.quantities import Quantity
from dpcore.figures.answers import NOISE, TOTAL, GroupNumbers, as_released, either, interval_columns
from dpcore.figures.theme import TRUTH, LineStyle, Picture, axis, below, on_axis, plain
from dpcore.figures.traces import (
    NAME,
    Trace,
    cells,
    date_axis,
    line,
    note,
    placed,
    points,
    ring,
    vertical,
)
from dpcore.formatting import brief, capital, significant
from dpcore.inference.group_differences import IntervalEstimate
from dpcore.releases.digits import with_ends
from dpcore.releases.table import TOO_FEW

_NAMED: Final = 3
# Heights in pixels: a row of a panel, what is between two, and the room around them.
_ROW, _BETWEEN, _TOP, _BOTTOM = 30, 64, 70, 60


@dataclass(frozen=True, slots=True, kw_only=True)
class GroupPanel:
    """One of several numbers of each group. PUBLIC.

    Attributes:
        name: What it is, such as "mean age".
        quantity: What it is a number of.
        numbers: What was released of each group.
        truth: Those of the table, in Classroom mode only; NaN where there is none.

    """

    name: str
    quantity: Quantity
    numbers: GroupNumbers
    truth: FloatArray | None = None


def panels_picture(panels: tuple[GroupPanel, ...], *, statement: str, counted: str) -> Picture:
    """Return a panel for each number, with a row for each group.

    Groups stand in the same order in all panels. One whose count cannot tell it from an
    empty one has the words "too few to say" in place of a dot. ``counted`` is what
    groups count, such as "people", and ``statement`` says of what it is an answer.
    """
    groups = panels[0].numbers.groups
    inside = _ROW * (len(groups) + 1)
    height = len(panels) * inside + (len(panels) - 1) * _BETWEEN
    traces: list[Trace] = []
    notes: list[Trace] = []
    layout: dict[str, Any] = {}
    shown = [plain(brief(group, 26)) for group in groups]
    for place, panel in enumerate(panels):
        top = 1 - place * (inside + _BETWEEN) / height
        end = str(place + 1) if place else ""
        traces += placed(_traces(panel, end), "x", panel.quantity)
        notes += _notes(panel, end, top)
        last = place == len(panels) - 1
        layout[f"xaxis{end}"] = axis(
            plain(on_axis(statement)) if last else "", anchor=f"y{end}", **date_axis(panel.quantity)
        )
        layout[f"yaxis{end}"] = axis(
            domain=[max(top - inside / height, 0.0), top],
            anchor=f"x{end}",
            range=[len(groups) - 0.5, -0.5],
            tickvals=list(range(len(groups))),
            ticktext=shown,
            automargin=True,
        )
    title = panels_text(panels)
    told = any(panel.truth is not None for panel in panels)
    bottom = _BOTTOM + below(on_axis(statement))
    return Picture.of(
        as_released(title) if told else title,
        _table(panels, counted),
        more=panels[0].numbers.together,
        drawn=f"{len(panels)} panels of {len(groups)} groups, a dot and bars for each "
        f"released value: {statement}",
        height=height + _TOP + bottom,
        traces=traces,
        annotations=notes,
        legend={
            "orientation": "h", "yanchor": "bottom", "y": 1 + 30 / height, "x": 0
        },
        margin={"l": 20, "r": 24, "t": _TOP, "b": bottom},
        **layout,
    )  # fmt: skip


def panels_text(panels: tuple[GroupPanel, ...]) -> str:
    """Return which group has the largest of each number, where that can be told.

    >>> from dpcore.figures.answers import GroupNumbers
    >>> numbers = GroupNumbers(
    ...     groups=("women", "men"),
    ...     ratios=np.array([40.0, 50.0]),
    ...     noise=np.array([[39.0, 41.0], [48.0, 52.0]]),
    ...     total=None,
    ...     counts=np.array([100.0, 90.0]),
    ...     counts_noise=np.array([[90.0, 110.0], [80.0, 100.0]]),
    ... )
    >>> from dpcore.data.quantities import Quantity
    >>> age = GroupPanel(name="mean age", quantity=Quantity(), numbers=numbers)
    >>> panels_text((age,))
    '“men” has the largest mean age: 50.0 (95% CI 48.0 to 52.0, noise only)'
    """
    if len(panels[0].numbers.order) == 0:
        return (
            "Every number is uncertain: no group's count differs clearly from 0. Increase ε, or "
            "ask for fewer groups"
        )
    told = [
        f"{panel.numbers.largest[0]} has the largest {panel.name}: "
        + panel.numbers.text(panel.quantity)
        for panel in panels
        if len(panel.numbers.largest) == 1
    ]
    if not told:
        names = [panel.name for panel in panels]
        return f"The release cannot tell which group has the largest {either(names[:_NAMED])}"
    return "; ".join(told[:_NAMED])


def _traces(panel: GroupPanel, end: str) -> list[Trace]:
    numbers = panel.numbers
    said = np.flatnonzero(~numbers.unknown)
    axes: dict[str, Any] = {"xaxis": f"x{end}", "yaxis": f"y{end}", "showlegend": not end}
    hover = f"%{{x:,.4~r}} {plain(panel.quantity.suffix)}".rstrip()
    traces = numbers.bars(said.astype(float).tolist(), hover=hover, panel=axes)
    name = "released value"
    traces.append(
        points(numbers.ratios[said], said, name, ring(NOISE, 12), hover=hover,
               legendgroup=name, **axes)
    )  # fmt: skip
    if panel.truth is not None:
        known = np.flatnonzero(~np.isnan(panel.truth))
        name = "value without noise"
        traces.append(points(panel.truth[known], known, name, TRUTH, legendgroup=name, **axes))
    return traces


def _notes(panel: GroupPanel, end: str, top: float) -> list[Trace]:
    """Return the name of a panel above it, and what stands for groups too small."""
    unit = f", {panel.quantity.name}" if panel.quantity.name else ""
    above = {"xref": "paper", "yref": "paper", "xanchor": "left", "yanchor": "bottom"}
    notes = [
        note(
            f"<b>{plain(brief(panel.name, 40))}</b>{plain(unit)}",
            0,
            top,
            **above,
            font={"size": 14},
        )
    ]
    notes += [
        note(TOO_FEW, 0.5, int(place), xref=f"x{end} domain", yref=f"y{end}")
        for place in np.flatnonzero(panel.numbers.unknown)
    ]
    return notes


def _table(panels: tuple[GroupPanel, ...], counted: str) -> dict[str, Any]:
    """Return a row for each group of each panel."""
    parts: list[dict[str, Any]] = [
        {"number": [panel.name] * len(panel.numbers.groups), "group": panel.numbers.groups}
        | interval_columns(
            "released value",
            panel.numbers.ratios,
            panel.numbers.noise,
            panel.numbers.total,
            panel.quantity,
        )
        | {"unit": [panel.quantity.name] * len(panel.numbers.groups)}
        | panel.numbers.count_columns(counted)
        | (
            {}
            if panel.truth is None
            else {"value without noise": cells(panel.truth, panel.quantity)}
        )
        | {"note": np.where(panel.numbers.unknown, TOO_FEW, "")}
        for panel in panels
    ]
    return {
        name: [cell for part in parts for cell in part[name]]
        for name in parts[0]
        if all(name in part for part in parts)
    }


_HEIGHT = 240
FOR_ALL_PAIRS = "it holds for all pairs of groups at once"
"""How much holds together where any two groups of an answer may be compared."""


@dataclass(frozen=True, slots=True, kw_only=True)
class GroupDifference:
    """Two groups with what lies between them. PUBLIC: it follows from a release.

    Attributes:
        one: Name of the first group.
        other: Name of the one that it is compared with.
        apart: By how much ``one`` is larger.
        percent: The same in percent of ``other``; None where that cannot be told.

    """

    one: str
    other: str
    apart: IntervalEstimate
    percent: IntervalEstimate | None


def difference_picture(
    found: GroupDifference,
    *,
    noun: str,
    unit: str,
    statement: str,
    holds: str = FOR_ALL_PAIRS,
    truth: float | None = None,
) -> Picture:
    """Return the difference of two groups beside no difference at all.

    ``noun`` is what each group has, such as "mean", in ``unit``; ``statement`` says of
    what the release is an answer, and ``holds`` how much of it holds together.
    ``truth`` is the difference in the table, in Classroom mode only.
    """
    hover = "%{x:,.4~r}"
    drawn = (
        ("noise and sampling", found.apart.total, LineStyle(color=TOTAL, width=20)),
        ("noise only", found.apart.noise, LineStyle(color=NOISE, width=8)),
    )
    traces = [
        line(list(ends), [0, 0], name, stroke, hover=hover, aside=NAME)
        for name, ends, stroke in drawn
        if ends is not None
    ]
    traces.append(points([found.apart.value], [0], "difference", ring(NOISE, 14), hover=hover))
    title = difference_text(found, noun=noun, unit=unit)
    table = difference_table([found], noun=noun, unit=unit)
    if truth is not None:
        title = f"As released: {title}"
        table["difference without noise"] = [truth]
        traces.append(points([truth], [0], "difference without noise", TRUTH))
    caption = f"{noun}, “{found.one}” − “{found.other}”"
    caption += f", {unit}" if unit else ""
    return Picture.of(
        title,
        table,
        alt=f"One point with its bars, beside a line at no difference. "
        f"{capital(statement)}: {title}; {holds}.",
        height=_HEIGHT + below(caption),
        traces=traces,
        shapes=[_no_difference(found.apart.value)],
        xaxis=axis(plain(caption), rangemode="tozero"),
        yaxis=axis(visible=False, range=[-1, 1]),
    )


def _no_difference(value: float) -> Trace:
    """Return the line at 0, named below the legend, on the side of the ``value``."""
    return vertical(
        0, "no difference", textposition="start", xanchor="right" if value < 0 else "left"
    )


def untold_picture(truth: float, *, unit: str) -> Picture:
    """Return the difference in the table where the answer could tell none.

    In Classroom mode only. CONFIDENTIAL.
    """
    what = "difference without noise"
    known = not math.isnan(truth)
    value = f"{significant(truth)} {unit}".strip() if known else "not defined"
    return Picture.of(
        f"The released difference is uncertain; without noise it is {value}",
        {what: [truth]},
        drawn="One point beside a line at no difference",
        height=_HEIGHT,
        traces=[points([truth], [0], what, TRUTH)] if known else [],
        shapes=[_no_difference(truth)],
        xaxis=axis(plain(unit or "difference"), rangemode="tozero"),
        yaxis=axis(visible=False, range=[-1, 1]),
    )


def difference_text(found: GroupDifference, *, noun: str, unit: str) -> str:
    """Return which of two groups has more, and how much, as far as that can be told.

    >>> from dpcore.inference.group_differences import IntervalEstimate
    >>> apart = IntervalEstimate(value=-5000.0, noise=(-7300.0, -3100.0))
    >>> percent = IntervalEstimate(value=-12.0, noise=(-17.0, -7.0))
    >>> found = GroupDifference(one="women", other="men", apart=apart, percent=percent)
    >>> difference_text(found, noun="mean", unit="euros")[:59]
    'The mean of “women” is lower than for “men”, by 5,000 euros'
    """
    low, high = found.apart.noise
    if low <= 0 <= high:
        text = (
            f"The release cannot tell whether “{found.one}” or “{found.other}” has the larger "
            f"{noun}: the difference is {_amount(found.apart, 1, unit, form=_NOISE_ONLY)}"
        )
        sign, words = 1, ""
    else:
        sign, words = (1, "higher") if low > 0 else (-1, "lower")
        text = (
            f"The {noun} of “{found.one}” is {words} than for “{found.other}”, by "
            f"{_amount(found.apart, sign, unit, form=_NOISE_ONLY)}"
        )
    if found.percent is not None:
        text += f", or {_amount(found.percent, sign, '%')} relative to “{found.other}”"
    return text


def difference_table(pairs: list[GroupDifference], *, noun: str, unit: str) -> dict[str, list[Any]]:
    """Return pairs of groups as columns, a row for each pair."""
    unit = f", {unit}" if unit else ""
    table: dict[str, list[Any]] = {
        f"{noun} of": [pair.one for pair in pairs],
        "minus": [pair.other for pair in pairs],
    }
    known = any(pair.apart.total is not None for pair in pairs)
    amounts: dict[str, list[IntervalEstimate | None]] = {
        f"difference{unit}": [pair.apart for pair in pairs],
        "difference, %": [pair.percent for pair in pairs],
    }
    for name, held in amounts.items():
        table[name] = [None if one is None else one.value for one in held]
        for label in ("noise", "total") if known else ("noise",):
            ends = [None if one is None else getattr(one, label) for one in held]
            of = "noise" if label == "noise" else "with sampling"
            for side, end in enumerate(("lower", "upper")):
                table[f"{name}: {of}, {end}"] = [each and float(each[side]) for each in ends]
    return table


_NOISE_ONLY = "95% CI {}, noise only"


def _amount(held: IntervalEstimate, sign: int, unit: str, *, form: str = "{}") -> str:
    """Return a number with its interval in this ``form``, turned round where ``sign`` is -1."""
    low, high = held.noise if sign > 0 else (-held.noise[1], -held.noise[0])
    value, *ends = with_ends(sign * held.value, (low, high))
    unit = f" {unit}" if unit not in {"", "%"} else unit
    return f"{value}{unit} ({form.format(' to '.join(ends))})"
