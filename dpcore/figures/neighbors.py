"""A small synthetic table: its worst neighbor, how far each person can move it, and why."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from dpcore.arrays import FloatArray
from dpcore.errors import ParameterError
from dpcore.figures.theme import CONFIDENTIAL, DOTTED, NEUTRAL, LineStyle, Picture, axis, plain
from dpcore.figures.traces import Trace, dot, note, points, rows, vertical
from dpcore.formatting import significant
from dpcore.studies.teaching.explorable import Explorable
from dpcore.studies.teaching.neighbors import Neighbor, sizes
from dpcore.studies.teaching.small_tables import (
    GROUP,
    SECOND,
    VALUE,
    Columns,
    RecordChange,
    TableSetting,
)

NEWCOMER = "newcomer"
_ROW, _AROUND, _AROUND_BARS = 28, 110, 130
_TIE = 1e-9
_SYMBOLS = ("circle", "square", "diamond", "triangle-up", "star", "hexagon")
_FADED = {"marker": {"opacity": 1}}


@dataclass(frozen=True, slots=True, kw_only=True)
class Scene:
    """A synthetic table with its worst neighbor, and how its people are called.

    Attributes:
        rows: The table, shape ``(n, 3)``, inside the bounds.
        names: One name a person.
        statistic: What is asked about.
        setting: What is public.
        change: How neighboring tables differ.
        neighbor: The worst neighbor of the table.
        selected: The person that is marked for moving, if any.

    """

    rows: FloatArray
    names: tuple[str, ...]
    statistic: Explorable
    setting: TableSetting
    change: RecordChange
    neighbor: Neighbor
    selected: int | None = None

    @property
    def who(self) -> str:
        """Return the name of the person who changes most."""
        person = self.neighbor.person
        return NEWCOMER if person is None else self.names[person]

    def place(self, record: FloatArray) -> str:
        """Return a record as the columns of the statistic show it.

        Two values as a pair; the group as a letter.
        """
        value = significant(float(record[VALUE]))
        if self.statistic.columns is Columns.TWO:
            return f"({value}, {significant(float(record[SECOND]))})"
        if self.statistic.columns is Columns.GROUPED:
            return f"{value} in group {letter(record[GROUP])}"
        return value

    @property
    def move(self) -> str:
        """Return what happens in the worst neighbor, in words."""
        record, person = self.neighbor.record, self.neighbor.person
        if person is None and record is not None:
            return f"a newcomer at {self.place(record)}"
        before = self.place(self.rows[0 if person is None else person])
        if record is None:
            return f"{self.who}, at {before}, leaving"
        return f"{self.who} going from {before} to {self.place(record)}"


def letter(group: float) -> str:
    """Return the letter of a group.

    >>> letter(0.0), letter(3.0)
    ('A', 'D')
    """
    return chr(ord("A") + int(group))


def people_picture(scene: Scene) -> Picture:
    """Return everybody between the bounds, and who moves where in the worst neighbor.

    People are the first trace; its ``customdata`` is their position in the table.
    """
    draw = _plane if scene.statistic.columns is Columns.TWO else _strip
    listed = "; ".join(
        f"{name} {scene.place(row)}" for name, row in zip(scene.names, scene.rows, strict=True)
    )
    columns: dict[str, Any] = {"person": scene.names, "value": scene.rows[:, VALUE]}
    if scene.statistic.columns is Columns.TWO:
        columns["second value"] = scene.rows[:, SECOND]
    if scene.statistic.columns is Columns.GROUPED:
        columns["group"] = [letter(group) for group in scene.rows[:, GROUP]]
    return Picture.of(
        _takeaway(scene),
        columns,
        drawn=f"{len(scene.rows)} simulated people: {listed}",
        showlegend=False,
        xaxis=_between(scene, "value"),
        **draw(scene),
    )


def _takeaway(scene: Scene) -> str:
    neighbor, label = scene.neighbor, scene.statistic.label
    if np.isnan(neighbor.here):
        return f"This table has no {label}"
    here = significant(neighbor.here)
    if neighbor.local == 0:
        return f"The {label} is {here}, and no one person can move it"
    if np.isinf(neighbor.local):
        return f"Nothing limits how far {scene.who} can move the {label} from {here}"
    there = significant(neighbor.there)
    return f"The {label} moves from {here} to {there} with {scene.move}"


def _strip(scene: Scene) -> dict[str, Any]:
    """Return one row a person, their values between the bounds."""
    names = [plain(name) for name in scene.names]
    if scene.change is RecordChange.ADDITION:
        names.append(NEWCOMER)
    traces, arrows = _marks(
        scene, scene.rows[:, VALUE], np.arange(len(scene.names), dtype=np.float64)
    )
    return {
        "traces": traces,
        "height": _AROUND + _ROW * len(names),
        "margin": {"l": 60, "r": 24, "t": 36, "b": 50},
        "annotations": arrows,
        "shapes": _lines(scene),
        "yaxis": {
            "tickvals": np.arange(len(names)),
            "ticktext": names,
            "range": [len(names) - 0.4, -0.6],
            "fixedrange": True,
        },
    }


def _plane(scene: Scene) -> dict[str, Any]:
    """Return everybody by both values."""
    traces, arrows = _marks(scene, scene.rows[:, VALUE], scene.rows[:, SECOND])
    return {
        "traces": traces,
        "height": 420,
        "annotations": arrows,
        "yaxis": _between(scene, "second value"),
    }


def _between(scene: Scene, label: str) -> dict[str, Any]:
    bounds = scene.setting.bounds
    edge = bounds.width / 20
    return axis(f"{label}", range=[bounds.lower - edge, bounds.upper + edge], fixedrange=True)


def _marks(scene: Scene, x: FloatArray, y: FloatArray) -> tuple[list[Trace], list[Trace]]:
    """Return the people, the ring around the selected, and the move as an arrow."""
    neighbor, plane = scene.neighbor, scene.statistic.columns is Columns.TWO
    person, record = neighbor.person, neighbor.record
    colors = [NEUTRAL] * len(x)
    symbols = ["circle"] * len(x)
    if scene.statistic.columns is Columns.GROUPED:
        symbols = [_SYMBOLS[int(group)] for group in scene.rows[:, GROUP]]
    moves = neighbor.local > 0
    if person is not None and moves:
        colors[person] = CONFIDENTIAL
        symbols[person] = "x" if record is None else symbols[person]
    grouped = scene.statistic.columns is Columns.GROUPED
    words = [f"\u2003{letter(g)}" if grouped else "" for g in scene.rows[:, GROUP]]
    people = points(
        x,
        y,
        marker=dot(colors, 15, symbols, opacity=1),
        text=[plain(name) for name in scene.names] if plane else words,
        textposition="top center" if plane else "middle right",
        customdata=np.arange(len(x)),
        selected=_FADED,
        unselected=_FADED,
        hovertext=[
            f"{name}: {scene.place(row)}" for name, row in zip(scene.names, scene.rows, strict=True)
        ],
        hoverinfo="text",
    )
    traces, arrows = [people], []
    if scene.selected is not None:
        one = [scene.selected]
        traces.append(points(x[one], y[one], marker=_ghost(25, "#0072B2"), hover=""))
    if record is not None and moves:
        end_x = record[[VALUE]]
        where = float(len(y)) if person is None else y[person]
        end_y = record[[SECOND]] if plane else [where]
        traces.append(points(end_x, end_y, marker=_ghost(15, CONFIDENTIAL), hover=""))
        if person is not None:
            arrows.append(_arrow((x[person], y[person]), (end_x[0], end_y[0])))
    return traces, arrows


def _ghost(size: int, color: str) -> Trace:
    """Return a ring that one can look through."""
    return dot("rgba(0,0,0,0)", size, line={"color": color, "width": 3})


def _arrow(start: tuple[float, float], end: tuple[float, float]) -> Trace:
    return note(
        "",
        *end,
        ax=start[0],
        ay=start[1],
        axref="x",
        ayref="y",
        arrowhead=2,
        arrowwidth=2.5,
        arrowcolor=CONFIDENTIAL,
        standoff=8,
        startstandoff=8,
    )


def _lines(scene: Scene) -> list[Trace]:
    """Return where the statistic lies before and after, or where members begin."""
    here, there = scene.neighbor.here, scene.neighbor.there
    label = scene.statistic.label
    if label.endswith("upper half"):
        return [_upright(scene.setting.middle, "upper half from here on", "center")]
    if not (scene.statistic.on_axis and np.isfinite(here)):
        return []
    rises = there >= here
    now = _upright(here, f"{label} {significant(here)}", "right" if rises else "left")
    if not np.isfinite(there) or there == here:
        return [now]
    return [
        now,
        _upright(
            there,
            f"then {significant(there)}",
            "left" if rises else "right",
            LineStyle(color=CONFIDENTIAL, dash="dash", width=2),
        ),
    ]


def _upright(at: float, text: str, anchor: str, stroke: LineStyle = DOTTED) -> Trace:
    return vertical(at, text, stroke, layer="below", xanchor=anchor, yanchor="bottom")


def reach_picture(scene: Scene, worst: float) -> Picture:
    """Return how far each person can move the statistic, beside the worst case.

    Bars without a limit end at the edge and say so.
    """
    reach = scene.neighbor.reach
    names = (NEWCOMER,) if scene.change is RecordChange.ADDITION else scene.names
    known = [x for x in (*reach, worst) if np.isfinite(x)]
    edge = 1.15 * max([*known, 0.0]) or 1.0
    bars = rows(
        [plain(name) for name in names],
        np.where(np.isfinite(reach), reach, edge),
        [significant(float(x)) if np.isfinite(x) else "∞" for x in reach],
        CONFIDENTIAL,
        textposition="auto",
        marker={"color": CONFIDENTIAL, "line": {"color": "#8A5A00", "width": 1}},
        textfont={"size": 13},
        insidetextfont={"color": "black"},
    )
    most = vertical(
        worst,
        f"worst case (DP) {significant(worst, up=True)}",
        LineStyle(color=NEUTRAL, dash="dash"),
        xanchor="right",
        yanchor="bottom",
    )
    label = "largest change"
    each = ", ".join(
        f"{name} {significant(float(x))}" for name, x in zip(names, reach, strict=True)
    )
    return Picture.of(
        _share(scene, worst),
        {"person": names, label: reach, "worst case (DP)": worst},
        drawn=f"Bars of the {label} of the {scene.statistic.label}: {each}",
        traces=[bars],
        height=_AROUND_BARS + _ROW * len(names),
        margin={"l": 60, "r": 24, "t": 36, "b": 50},
        shapes=[most] if np.isfinite(worst) else [],
        xaxis=axis(label, range=[0, edge]),
        yaxis={"autorange": "reversed", "fixedrange": True},
    )


def _share(scene: Scene, worst: float) -> str:
    local = scene.neighbor.local
    equals = int((scene.neighbor.reach >= local * (1 - _TIE)).sum())
    if scene.neighbor.person is None:
        reaches = f"A {NEWCOMER} can change it by up to {significant(local)}"
    elif equals > 1:
        reaches = f"{equals} people can do most here: {significant(local)}"
    else:
        reaches = f"{scene.who} can do most here: {significant(local)}"
    if np.isinf(worst):
        return f"{reaches}; over all tables nothing limits one person"
    share = significant(100 * local / worst) if worst > 0 else "100"
    return f"{reaches}, {share}% of the worst case over all tables"


def why(key: str, scene: Scene, worst: float) -> str:
    """Return two or three sentences on the statistic of that key.

    ``worst`` is its global sensitivity.
    """
    if key == "pooled-variance":
        return _pooled(scene)
    n, width = len(scene.rows), significant(scene.setting.bounds.width)
    larger = n + (scene.change is RecordChange.ADDITION)
    most = significant(worst, up=True)
    return {
        "mean": f"Each of {larger} people makes up one {larger}th of the mean. A value "
        f"that crosses all {width} between the bounds moves it by {width}/{larger} = "
        f"{most}; with more people, by less.",
        "sum": _sum(scene, most),
        "count": "Whatever one person does, one person more or less is counted: 1. "
        "The bounds do not matter, and neither does the number of people.",
        "proportion": f"One person more or less is counted, among {larger}: {most}.",
        "variance": (
            f"A single person at the far bound, away from everybody else, makes a variance "
            f"of {width}²/{larger} = {most}. Where people are spread already, one of them "
            "matters less."
        ),
        "population-variance": f"A single person at the far bound, away from everybody "
        f"else, makes a variance of (n - 1)/n² times {width}²: {most}.",
        "standard-deviation": f"Exactly {width}/√{larger} = {most}, but a poor route: "
        "the worst table has no spread at all, and ordinary ones move far less. The "
        "root of a sanitized variance is usually much closer.",
        "median": _order("median", most),
        "quantile": _order("quantile", most),
        "covariance": f"With everybody else in one corner, one person in the opposite "
        f"corner makes a covariance of {width}²/{larger} = {most}. With more people, "
        "less.",
        "correlation": "Where the others all but agree, one person sets the direction: "
        "the correlation can jump from +1 to -1, however many people there are. "
        "Release both variances and the covariance, and divide afterwards.",
        "slope": "If the others have nearly equal first values, one person can change the "
        "slope without limit. At a distance of 0.001 it changes a thousandfold. "
        "Release sums and products instead, and fit afterwards.",
    }[key]


def _sum(scene: Scene, most: str) -> str:
    lower = significant(scene.setting.bounds.lower)
    upper = significant(scene.setting.bounds.upper)
    if scene.change is RecordChange.SUBSTITUTION:
        return (
            f"A replaced value moves the sum by at most the distance of the bounds, "
            f"{most}, whatever the others are."
        )
    return (
        f"A person who comes or goes brings or takes the whole value: at most {most}, "
        f"the bound farther from 0 of {lower} and {upper}. Bounds around 0 make it "
        "small: subtract a public number from all values first."
    )


def _order(name: str, most: str) -> str:
    return (
        f"A {name} looks at one or two people only. With everybody at either bound, "
        f"one person decides on which side it falls: {most}, however many people there "
        "are. Noise of that size would drown it; the exponential mechanism, which asks "
        "for ranks, is the way out."
    )


def _pooled(scene: Scene) -> str:
    setting, groups = scene.setting, sizes(scene.rows, scene.setting)
    if scene.change is RecordChange.SUBSTITUTION:
        if setting.group_is_public:
            return (
                "A replaced record stays in its group here. If the group is private too, it "
                "may move into another group, and the worst case grows."
            )
        return (
            "The group is private. In the worst case a record moves into the group of "
            "everybody else, with a value far from theirs."
        )
    added = _worst(scene, groups, RecordChange.ADDITION)
    removed = _worst(scene, groups, RecordChange.REMOVAL)
    return (
        f"With groups of {', '.join(str(size) for size in groups if size)}, a person "
        f"who joins moves it by up to {added}, a person who leaves by up to {removed}. "
        "The published formula considers leaving only; with many small groups joining "
        "is worse, and the noise has to cover both."
    )


def _worst(scene: Scene, groups: tuple[int, ...], change: RecordChange) -> str:
    try:
        worst = scene.statistic.sensitivity(groups, scene.setting, change)
    except ParameterError:
        return "(too few people to tell)"
    return significant(worst, up=True)
