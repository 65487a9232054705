"""Losses of all people, from one release and from a whole ledger. CONFIDENTIAL."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from dpcore.arrays import FloatArray
from dpcore.figures.compositions import loss_rows
from dpcore.figures.theme import (
    CONFIDENTIAL,
    FITTING,
    NEUTRAL,
    PUBLIC,
    ROWS,
    STYLES,
    LineStyle,
    Picture,
    axis,
    log_axis,
    plain,
    whole_decades,
)
from dpcore.figures.traces import (
    NAME,
    Trace,
    above,
    bars,
    dot,
    histogram,
    interval,
    line,
    points,
    ring,
    vertical,
    with_edge,
)
from dpcore.formatting import epsilon_text, in_full, significant
from dpcore.individual.losses import GroupLosses, Losses
from dpcore.individual.person_totals import Counting, PersonTotals
from dpcore.mechanisms.catalog import EVERY
from dpcore.relations import PERSON, NeighboringRelation, PrivacyUnit
from dpcore.studies.individual.loss_comparisons import OtherExposure

_MARKS = ((0.5, "50%"), (0.9, "90%"), (0.99, "99%"), (1.0, "max"))
_NAMED = ("50%", "max")
BINS = 60
"""Of a histogram of people."""
_ALIKE = 0.99
_POINTS = 500
_DECADES = 8
_ROUNDING = 1e-6
_VISIBLE = 1e-3


def exposure_picture(
    exposure: Losses, *, key: str, alike: bool = True, unit: PrivacyUnit = PERSON
) -> Picture:
    """Return the histogram over the cumulative share, on one log axis.

    ``alike`` tells whether losses are about the change that the guarantee is about.
    """
    many = unit.with_losses
    stroke = STYLES[key]
    worst = exposure.worst_case
    floor, top = _span(exposure)
    edges = with_edge(np.geomspace(floor, top, BINS + 1), worst)
    x, share = exposure.ecdf(_POINTS)
    quantiles = exposure.quantiles([q for q, _ in _MARKS])
    drawn = np.maximum(quantiles, floor)
    marked = points(
        drawn,
        [100 * q for q, _ in _MARKS],
        marker=dot(CONFIDENTIAL, 9),
        hover="%{y}%: %{x:,.4~r}",
        text=[
            # A share of them loses at most that, as the title says.
            f"{name}: {epsilon_text(float(at))}" if name in _NAMED else ""
            for (_, name), at in zip(_MARKS, quantiles, strict=True)
        ],
        textposition=_sides(drawn, floor, top),
        cliponaxis=False,
        yaxis="y2",
    )
    median, maximum = float(quantiles[0]), exposure.maximum
    guarantee = (
        f"the guarantee is {epsilon_text(worst)}" + ("" if alike else ", about another change")
        if np.isfinite(worst)
        else "no guarantee is known"
    )
    most = "at most " if exposure.upper else ""
    most += epsilon_text(maximum)
    return Picture.of(
        (
            f"Half of the {many} lose at most {epsilon_text(median)}, the most exposed "
            f"{most}; {guarantee}"
            if epsilon_text(float(exposure.ordered[0])) != epsilon_text(maximum)
            else f"All {many} lose {most}; {guarantee}"
        ),
        {"epsilon at most": x, f"share of {many}": share},
        drawn=f"Histogram and cumulative share of the privacy loss of each {unit.noun}",
        traces=[
            loss_bars(exposure, edges, stroke.color, many),
            line(
                np.maximum(x, floor),
                100 * share,
                stroke=LineStyle(color=stroke.color),
                hover=f"%{{y:.1f}}% of {many} lose at most %{{x:,.3~r}}",
                steps=True,
                yaxis="y2",
            ),
            marked,
        ],
        height=460,
        showlegend=False,
        bargap=0,
        # Room for hundreds of thousands of people.
        margin={"l": 68, "r": 24, "t": 24, "b": 50},
        xaxis=log_axis("own privacy loss, ε", floor, top, anchor="y2", **FITTING),
        yaxis=axis(many, domain=[0.53, 1], **FITTING),
        yaxis2=axis(f"share of {many}, %", domain=[0, 0.47], range=[0, 108], **FITTING),
        **loss_lines({"worst case (DP)": worst}, "dash"),
    )


def _span(exposure: Losses) -> tuple[float, float]:
    """Return the ends of the log axis: at most eight decades, up to the worst case.

    They are powers of ten, so that they hold still while epsilon moves a little.
    """
    ordered = exposure.ordered
    positive = ordered[np.searchsorted(ordered, 0.0, side="right") :]
    known = [*positive[: np.searchsorted(positive, np.inf, side="left")][-1:]]
    if np.isfinite(exposure.worst_case):
        known.append(exposure.worst_case)
    top = max(known, default=0.0) or 1.0
    least = float(positive[0]) if len(positive) and np.isfinite(positive[0]) else top
    return whole_decades(max(least, top * 10.0**-_DECADES), top)


def _sides(places: FloatArray, floor: float, top: float) -> list[str]:
    """Return where the words of each mark stand, off the line that rises past it.

    The line runs below to the left of a mark and above to the right of it.
    """
    right = np.log(places / floor) > np.log(top / floor) / 2
    return ["top left" if far else "bottom right" for far in right]


def loss_bars(losses: Losses, edges: FloatArray, color: str, many: str) -> Trace:
    """Return how ``many``, such as people, lose how much; all smaller losses are in the first."""
    return histogram(
        losses.histogram(np.concatenate([[-1.0], edges[1:]])),
        edges,
        marker={"color": color},
        hover=f"around %{{x:,.3~r}}: %{{y:,}} {many}",
        log=True,
    )


def loss_lines(levels: dict[str, float], *dashes: str) -> dict[str, Any]:
    """Return labelled vertical lines, those that are on the axis."""
    known = {name: at for name, at in levels.items() if np.isfinite(at) and at > 0}
    if len(known) > 1 and min(known.values()) >= _ALIKE * max(known.values()):
        known = {" = ".join(known): max(known.values())}
    shapes = [
        vertical(at, stroke=LineStyle(color=NEUTRAL, dash=dash, width=2))
        for at, dash in zip(known.values(), dashes, strict=False)
    ]
    words = [
        above(name, float(np.log10(at)), 1.0 + 0.07 * row)
        for row, (name, at) in enumerate(known.items())
    ]
    return {"shapes": shapes, "annotations": words}


def groups_picture(
    groups: Sequence[GroupLosses], *, by: str, key: str, unit: PrivacyUnit = PERSON
) -> Picture:
    """Return who bears the loss: median to 90% and the largest, a group a row."""
    shown = [plain(group.label) for group in groups]
    most = max(groups, key=lambda group: group.mean)
    least = min(groups, key=lambda group: group.mean)
    highest, lowest = epsilon_text(most.mean), epsilon_text(least.mean)
    return Picture.of(
        (
            f"All groups have the same average loss ({highest})"
            if highest == lowest
            else f"The average loss is largest in “{most.label}” ({highest}) and smallest in "
            f"“{least.label}” ({lowest})"
        ),
        {
            "group": [group.label for group in groups],
            unit.with_losses: [group.people for group in groups],
            "mean": [group.mean for group in groups],
            "median": [group.median for group in groups],
            "90%": [group.ninth_decile for group in groups],
            "most exposed": [group.maximum for group in groups],
        },
        drawn=f"Median, 90% and largest loss for {len(groups)} groups",
        height=min(max(320, 60 + 34 * len(groups)), 900),
        traces=[
            points(
                [group.median for group in groups],
                shown,
                "median, bar up to 90%",
                dot(STYLES[key].color, 11),
                error_x=interval(
                    [group.ninth_decile - group.median for group in groups], [0.0] * len(groups)
                ),
            ),
            points(
                [group.maximum for group in groups],
                shown,
                "most exposed",
                dot(CONFIDENTIAL, 11, "diamond-open"),
            ),
        ],
        xaxis=axis("own privacy loss, ε"),
        yaxis=axis(plain(by), **ROWS),
    )


def exceeding_text(
    share: str, threshold: float, *, maximum: float, unit: PrivacyUnit = PERSON
) -> str:
    """Return what share of the units, in words, lose more than a threshold.

    Where the largest loss is told with the same digits, by how much they do.

    >>> exceeding_text("25%", 0.1, maximum=0.4)
    '25% of the people lose more than 0.1'
    >>> exceeding_text("0.04%", 0.2501, maximum=0.2502)
    '0.04% of the people lose more than 0.2501, by at most 0.0001'
    """
    told = f"{share} of the {unit.with_losses} lose more than {significant(threshold, 6)}"
    if maximum <= threshold or epsilon_text(maximum) != epsilon_text(threshold):
        return told
    return f"{told}, by at most {significant(maximum - threshold, 2, up=True)}"


def moments_picture(
    orders: FloatArray,
    moments: FloatArray,
    *,
    at: tuple[float, float],
    ends: tuple[float, float],
    key: str,
    unit: PrivacyUnit = PERSON,
) -> Picture:
    """Return the moments over their order, between the mean and the maximum.

    The ``moments`` are ``(mean of epsilon^order)^(1 / order)``, at ascending orders
    from 1; ``at`` has the order that the page is set to and its moment, and ``ends``
    the mean and the largest loss.
    """
    order, moment = at
    mean, largest = ends
    hover = "order %{x:,.3~r}: %{y:,.4~r}"
    span = [float(orders[0]), float(orders[-1])]
    levels = [
        line(
            span,
            [level, level],
            name,
            LineStyle(color=CONFIDENTIAL, dash=dash, width=2),
            hover=f"{name}: %{{y:,.4~r}}",
        )
        for name, level, dash in (
            (f"most exposed: {epsilon_text(largest)}", largest, "dash"),
            (f"average: {epsilon_text(mean)}", mean, "dot"),
        )
    ]
    thick, here = replace(STYLES[key], width=3), ring("black")
    return Picture.of(
        (
            f"The moment of order {in_full(order)} is {significant(moment)}, between the average "
            f"{unit.noun}'s loss ({epsilon_text(mean)}) and the largest ({epsilon_text(largest)})"
        ),
        {"order": orders, "moment": moments},
        drawn="A line that rises with the order of the moment",
        traces=[
            *levels,
            line(orders, moments, "moment", thick, hover=hover),
            points([order], [moment], marker=here, hover=hover, showlegend=False, cliponaxis=False),
        ],
        xaxis=log_axis("order of the moment", tickvals=[1, 2, 5, 10, 20, 50, 100, 200, 500, 1000]),
        yaxis=axis("privacy loss, ε", rangemode="tozero"),
    )


def others_picture(others: Sequence[OtherExposure], unit: PrivacyUnit = PERSON) -> Picture:
    """Return guarantee, largest and average loss of each mechanism, one a row."""
    names = [EVERY[other.key].label for other in others]
    colors = [STYLES[other.key].color for other in others]
    kinds = [
        ("guarantee (DP)", [o.worst_case for o in others], "line-ns-open"),
        ("most exposed here", [o.maximum for o in others], "diamond"),
        ("average here", [o.mean for o in others], "circle"),
    ]
    listed = "; ".join(
        f"{name}: most exposed {epsilon_text(o.maximum)}, average {epsilon_text(o.mean)}"
        for name, o in zip(names, others, strict=True)
    )
    return Picture.of(
        _others_title(others, unit),
        {
            "mechanism": names,
            "noise scale": [o.noise for o in others],
            "guarantee": [o.worst_case for o in others],
            "most exposed": [o.maximum for o in others],
            "average": [o.mean for o in others],
            "smallest loss / Laplace": [o.least for o in others],
            "largest loss / Laplace": [o.most for o in others],
        },
        more=f"{listed}",
        traces=[
            points(
                [x if np.isfinite(x) and x > 0 else None for x in losses],
                [name.replace(", ", ",<br>") for name in names],
                name,
                dot(
                    colors,
                    13,
                    symbol,
                    line={"width": 3 if symbol.endswith("open") else 0, "color": colors},
                ),
                hover=f"%{{y}}, {name}: %{{x:,.4~r}}",
            )
            for name, losses, symbol in kinds
        ],
        height=150 + 42 * len(names),
        xaxis=log_axis("privacy loss, ε", exponentformat="power"),
        yaxis=ROWS,
    )


def _others_title(others: Sequence[OtherExposure], unit: PrivacyUnit) -> str:
    most = max(others, key=lambda other: other.maximum)
    least = min(others, key=lambda other: other.maximum)
    return (
        f"The most exposed {unit.noun} loses {epsilon_text(least.maximum)} through "
        f"{EVERY[least.key].label} and {epsilon_text(most.maximum)} through "
        f"{EVERY[most.key].label}"
    )


def sentences(others: Sequence[OtherExposure]) -> tuple[str, ...]:
    """Say what clamping and redrawing do to everybody's loss, and why."""
    said = []
    for other in others:
        if np.isnan(other.least):
            continue
        if other.key == "bit":
            same = max(abs(other.least - 1), abs(other.most - 1)) <= _ROUNDING
            said.append(
                "BIT (clamping) changes no loss: the noise is the same, and clamping the "
                "answer does not use the table."
                if same
                else "BIT (clamping) changes losses here, because a result without one "
                "record lies outside the bounds."
            )
        if other.key == "truncated-published":
            said.append(_redrawing(other))
        if other.key == "truncated":
            said.append(
                "Calibrated truncation uses more noise, so its guarantee holds. Losses are "
                f"{significant(other.least)} to {significant(other.most)} times those with "
                "Laplace noise of the same guarantee."
            )
    return tuple(said)


def _redrawing(other: OtherExposure) -> str:
    why = "The rejection probability depends on the exact result."
    if other.most < 1 + _VISIBLE:
        return (
            "Truncation as published raises losses, but by less than 0.1% here, because the "
            f"bounds are far away. {why}"
        )
    return (
        f"Truncation as published raises losses to {significant(other.least)} to "
        f"{significant(other.most)} times the others. {why} Its guarantee is larger, ε = "
        f"{epsilon_text(other.worst_case)}, for the same reason."
    )


_SHARES: Final = (0.5, 0.9, 0.99, 1.0)


def counted_picture(
    losses: Losses, *, key: str, alike: bool = True, unit: PrivacyUnit = PERSON
) -> Picture:
    """Return the histogram over the cumulative share, from no loss to the worst case.

    ``alike`` tells whether losses are about the change that the guarantee is about.
    """
    stroke, worst, many = STYLES[key], losses.worst_case, unit.with_losses
    counts, edges = _bars(losses)
    # Where losses reach far beyond the guarantee, the line needs no point a cell.
    ends = np.arange(len(losses.counts))[:: -math.ceil(len(losses.counts) / 1_000)]
    ends = ends[::-1]
    upper = losses.ordered[ends + 1]
    share = np.cumsum(losses.counts)[ends] / losses.people
    quantiles = [losses.quantile(q)[1] for q in _SHARES]
    median, maximum = epsilon_text(quantiles[0]), epsilon_text(losses.maximum)
    about = "" if alike else ", about another change"
    return Picture.of(
        (
            f"Half of the {many} lose at most {median}, the most exposed {maximum}; the "
            f"guarantee is {epsilon_text(worst)}{about}"
        ),
        {"epsilon at most": upper, f"share of {many}": share},
        drawn=f"Histogram and cumulative share of the privacy loss of each {unit.noun}",
        traces=[
            histogram(
                counts,
                edges,
                marker={"color": stroke.color},
                hover=f"around %{{x:,.3~r}}: %{{y:,}} {many}",
            ),
            line(
                upper,
                100 * share,
                stroke=LineStyle(color=stroke.color),
                hover=f"%{{y:.1f}}% of {many} lose at most %{{x:,.3~r}}",
                steps=True,
                yaxis="y2",
            ),
            points(
                quantiles,
                [100 * q for q in _SHARES],
                marker=dot(CONFIDENTIAL, 9),
                hover="%{y}%: at most %{x:,.4~r}",
                text=[f"50%: {median}", "", "", f"max: {maximum}"],
                textposition=[
                    "bottom right",
                    *[("top left" if 2 * losses.maximum > losses.ordered[-1] else "bottom right")]
                    * 3,
                ],
                cliponaxis=False,
                yaxis="y2",
            ),
        ],
        height=460,
        showlegend=False,
        bargap=0,
        # Room for hundreds of thousands of people.
        margin={"l": 68, "r": 24, "t": 24, "b": 50},
        xaxis=axis("own privacy loss, ε", anchor="y2", **FITTING),
        yaxis=axis(many, domain=[0.53, 1], **FITTING),
        yaxis2=axis(f"share of {many}, %", domain=[0, 0.47], range=[0, 108], **FITTING),
        shapes=[vertical(worst, stroke=LineStyle(color=NEUTRAL, dash="dash", width=2))],
        annotations=[above("worst case (DP)", worst, 1.0)],
    )


def _bars(losses: Losses) -> tuple[FloatArray, FloatArray]:
    """Return counts of people in a few wide cells, and their edges."""
    starts = np.linspace(0, len(losses.counts), 50, endpoint=False).astype(np.intp)
    edges = losses.ordered[np.append(starts, len(losses.counts))]
    return np.add.reduceat(losses.counts, starts), edges


_SAME = 0.01
_STYLES = {
    Counting.SIMPLE: LineStyle(color="#D55E00", dash="dash"),
    Counting.ZCDP: LineStyle(color="#56B4E9", dash="dot"),
    Counting.BEST: LineStyle(color=CONFIDENTIAL),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class LossReference:
    """What losses compare with, and whether charges are for something else.

    Attributes:
        relation: Which change of a record the losses are about.
        mixed: Whether some charge is for another change.

    """

    relation: NeighboringRelation
    mixed: bool


def _clause(compared: LossReference | None) -> str:
    """Return the comparison in brackets; nothing where it is not known."""
    return "" if compared is None else f" ({compared.relation.comparison})"


def totals_picture(
    totals: Losses,
    *,
    charged: float,
    planned: float,
    compared: LossReference | None = None,
    unit: PrivacyUnit = PERSON,
) -> Picture:
    """Return how many units lost how much, beside what the account was charged.

    ``planned`` is the worst case over all tables, counted like the totals; without
    ``compared`` it is not said what the losses compare with.
    """
    many = unit.with_losses
    top = max((end for end in (totals.maximum, charged, planned) if np.isfinite(end)), default=0.0)
    top = 1.2 * top or 1.0
    finite = totals.ordered[np.isfinite(totals.ordered) & (totals.ordered > 0)]
    least = float(finite[0]) if len(finite) else top
    floor = min(max(0.999 * least, top * 10.0**-_DECADES), top / 10)
    edges = with_edge(np.geomspace(floor, top, BINS + 1), planned)
    losses, share = totals.ecdf(_POINTS)
    median = float(totals.quantiles(0.5))
    rows = [
        ("account was charged", epsilon_text(charged)),
        ("worst case, counted like the totals", epsilon_text(planned)),
        (f"most exposed {unit.noun}", epsilon_text(totals.maximum)),
        (f"half of the {many} at most", epsilon_text(median)),
    ]
    title = (
        f"Over all releases{_clause(compared)} the most exposed {unit.noun} lost "
        f"{epsilon_text(totals.maximum)}, half of the {many} at most "
        f"{epsilon_text(median)}; the account was charged {epsilon_text(charged)}"
    )
    if compared is not None and compared.mixed:
        title += ", which is for another change of a record"
    elif charged > (1 + _SAME) * planned:
        title += (
            f", release by release, where the worst case of all tables is "
            f"{epsilon_text(planned)} if it is composed in the same way"
        )
    return Picture.of(
        title,
        {"epsilon at most": losses, f"share of {many}": share},
        alt=f"Histogram of {many} by total loss. "
        + "; ".join(f"{name}: {value}" for name, value in rows),
        traces=[loss_bars(totals, edges, CONFIDENTIAL, many)],
        showlegend=False,
        bargap=0,
        margin={"l": 60, "r": 24, "t": 56, "b": 50},
        xaxis=log_axis("total loss, ε", edges[0], 1.3 * top),
        yaxis=axis(many),
        **loss_lines({"charged": charged, "worst case (DP)": planned}, "solid", "dash"),
    )


def odometer_picture(
    path: Sequence[PersonTotals],
    *,
    titles: Sequence[str],
    own: Sequence[float],
    charges: Sequence[float],
    compared: LossReference | None = None,
    unit: PrivacyUnit = PERSON,
) -> Picture:
    """Return one person's losses, a bar a release, and the totals after each.

    ``own`` is the person's epsilon of each release alone, and ``charges`` what the
    account was charged for it; ``compared`` is as for ``totals_picture``.
    """
    number = np.arange(1, len(path) + 1)
    shown = slice(max(0, len(path) - 500), None)
    ways = {way: np.array([float(step.of[way][0]) for step in path]) for way in _STYLES}
    lines = [
        _line(number[shown], ways[way][shown], way.value, stroke)
        for way, stroke in _STYLES.items()
        if np.isfinite(ways[way]).any()
    ]
    charged = np.cumsum(charges)
    drawn: dict[str, Any] = {
        "traces": [
            bars(
                number[shown],
                np.array(own)[shown],
                "this release alone",
                {"color": PUBLIC, "opacity": 0.6},
                hover="release %{x}: %{y:,.4~r}",
            ),
            *lines,
            _line(
                number[shown], charged[shown], "charged", LineStyle(color=NEUTRAL, dash="longdash")
            ),
        ],
        "xaxis": axis(
            "release",
            tick0=1,
            dtick=max(1, len(path) // 8),
            range=[float(number[shown][0]) - 0.6, len(path) + 0.6],
        ),
        "yaxis": axis(_of_this(unit), rangemode="tozero"),
    }
    if len(path) == 1:
        drawn = _only(own[0], ways, charges[0], _of_this(unit))
    best, most = ways[Counting.BEST], int(np.argmax(own))
    alike = len(own) > 1 and min(own) >= _ALIKE * max(own)
    mixed = compared is not None and compared.mixed
    # A part of a charge says nothing where the charge is for another change.
    paid = (
        f", {significant(100 * best[-1] / charged[-1], 2)}% of what was charged"
        if not mixed and np.isfinite(charged[-1]) and charged[-1] > 0 and np.isfinite(best[-1])
        else ""
    )
    title = (
        f"This {unit.noun} lost {epsilon_text(float(best[-1]))} over {len(path)} "
        f"release{'' if len(path) == 1 else 's'}{_clause(compared)}{paid}"
    )
    if len(path) > 1:
        title += "; as much in each" if alike else f"; most in release {most + 1}"
    return Picture.of(
        title,
        {
            "release": number,
            "what": list(titles),
            "own epsilon": list(own),
            "charged": list(charges),
            **{f"total so far, {way}": total for way, total in ways.items()},
        },
        drawn="Bars of the loss from each release, lines of the totals so far",
        **drawn,
    )


def _of_this(unit: PrivacyUnit) -> str:
    return f"ε of this {unit.noun}"


def _only(
    own: float, ways: dict[Counting, FloatArray], charged: float, name: str
) -> dict[str, Any]:
    """Return the ways of counting one release as bars: a path of one has no lines."""
    names = ["this release alone", *(way.value for way in _STYLES), "charged"]
    losses = [own, *(float(ways[way][0]) for way in _STYLES), charged]
    colors = [PUBLIC, *(stroke.color for stroke in _STYLES.values()), NEUTRAL]
    drawn = loss_rows(names, losses, [epsilon_text(loss) for loss in losses], colors, name)
    return drawn | {"height": 320, "showlegend": False}


def _line(x: NDArray[np.intp], y: FloatArray, name: str, stroke: LineStyle) -> Trace:
    hover, dots = "after %{x}: %{y:,.4~r}", {"size": 5}
    return line(x, y, name, stroke, hover=hover, aside=NAME, steps=True, marker=dots)
