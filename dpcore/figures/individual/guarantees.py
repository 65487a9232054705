"""The chain of guarantees, who is exposed in a model, and Figures 1 and 2 of Wang 2019.

CONFIDENTIAL pictures, but for the simulated ones of Wang. Down the chain, from the loss over all
tables and people to that of the average person here, no number is larger than the one before.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from dpcore.arrays import FloatArray
from dpcore.figures.theme import (
    CONFIDENTIAL,
    DOTTED,
    NEUTRAL,
    PLATE,
    PUBLIC,
    ROWS,
    SCALE,
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
    Values,
    box,
    dot,
    heat,
    line,
    lines,
    note,
    points,
    ring,
    vertical,
)
from dpcore.formatting import epsilon_text, percent, significant
from dpcore.individual.losses import GuaranteeLadder
from dpcore.relations import PERSON, PrivacyUnit
from dpcore.studies.individual.frontier import Frontier
from dpcore.studies.individual.leverage_map import IsoLine, LeverageMap
from dpcore.studies.wang2019 import (
    FigurePane,
    FigurePart,
    NestedLosses,
    SampleLosses,
    numbers,
    of_pane,
    times_less,
)

_MIDDLE = 0.5
_SPACE = 1.6


def ladder(
    names: Sequence[str], losses: Sequence[float], texts: Sequence[str], colors: Sequence[str]
) -> dict[str, Any]:
    """Return what is drawn. Points, because a bar has no beginning on a log axis.

    A loss of nothing stands at the left edge and an infinite one at the right edge,
    each as a triangle that points off the figure.
    """
    at = np.array(losses)
    known = at[np.isfinite(at) & (at > 0)]
    top = float(known.max()) if len(known) else 1.0
    low = max(float(known.min()) if len(known) else top, top * 10.0**-6)
    # Nearly equal losses must not look far apart.
    ends = whole_decades(min(low, top / 10.0) / _SPACE, top * _SPACE)
    drawn = np.clip(at, *ends)
    share = np.log(drawn / ends[0]) / np.log(ends[1] / ends[0])
    symbols = np.where(at < ends[0], "triangle-left", "circle")
    symbols = np.where(np.isinf(at), "triangle-right", symbols)
    drawn_as = points(
        drawn,
        names,
        marker=dot(colors, 15, symbols),
        hover="%{y}: %{text}",
        text=[f"<b>{text}</b>" for text in texts],
        # Towards the middle, where there is room.
        textposition=np.where(share > _MIDDLE, "middle left", "middle right"),
        cliponaxis=False,
    )
    return {
        "traces": [drawn_as],
        "height": 100 + 54 * len(names),
        "showlegend": False,
        "margin": {"l": 24, "r": 24, "t": 12, "b": 50},
        "xaxis": log_axis("privacy loss, ε", *ends),
        "yaxis": {"autorange": "reversed", "automargin": True},
    }


_ALIKE = 1.1
_NEARLY = 1.05
_LINE = LineStyle(color="#D55E00", dash="dash", width=1.5)
_FLAT = 0.1
_LIMIT = LineStyle(color="#CC79A7", dash="longdash")


def chain_picture(chain: GuaranteeLadder, *, key: str) -> Picture:
    """Return nested losses, each with how many times it is the average person's."""
    steps = chain.steps
    losses = np.array([loss for _, loss in steps])
    texts = chain.texts
    times = [_times(loss, chain.mean) for loss in losses.tolist()]
    if chain.mixed:
        times[0] = ""
    listed = "; ".join(
        f"{name} {text}" + (f" ({factor})" if factor else "")
        for (name, _), text, factor in zip(steps, texts, times, strict=True)
    )
    return Picture.of(
        _chain_title(chain),
        {
            "who": [name for name, _ in steps],
            "epsilon": losses,
            "times the average": [
                loss / chain.mean if chain.mean > 0 and (place or not chain.mixed) else np.nan
                for place, loss in enumerate(losses.tolist())
            ],
        },
        more=f"Points from the widest claim to the narrowest, with multiples of the average "
        f"loss: {listed}",
        **ladder(
            [name.replace(", ", ",<br>").replace(" here", "<br>here") for name, _ in steps],
            losses.tolist(),
            [
                f"{text}<br>{factor}" if factor else text
                for text, factor in zip(texts, times, strict=True)
            ],
            [PUBLIC, *[STYLES[key].color] * (len(steps) - 1)],
        ),
    )


def _times(loss: float, mean: float) -> str:
    if not (np.isfinite(loss) and mean > 0) or loss < _NEARLY * mean:
        return ""
    return f"{significant(loss / mean, 2)} × average"


def _chain_title(chain: GuaranteeLadder) -> str:
    bound = "at most " if chain.upper else ""
    most = bound + epsilon_text(chain.maximum)
    average = bound + epsilon_text(chain.mean)
    if np.isinf(chain.guarantee):
        return (
            f"No guarantee over all tables is known; here the most exposed {chain.unit.noun} "
            f"loses {most}, the average one {average}"
        )
    limit, one = epsilon_text(chain.guarantee), chain.unit.noun
    if chain.mixed and chain.relation is not None and chain.promised is not None:
        return (
            f"{chain.relation.comparison.capitalize()}, the most exposed {one} "
            f"here loses {most}, the average one {average}; the guarantee of {limit} "
            f"is for {chain.promised.phrase}, which is another question"
        )
    if not chain.mean > 0:
        return f"The guarantee allows {limit}; no {one} here loses anything"
    if np.isinf(chain.maximum):
        return f"No finite ε holds for the most exposed {one} here; the guarantee is {limit}"
    if chain.guarantee <= _ALIKE * chain.mean:
        return (
            f"The guarantee allows {limit}, and all {chain.unit.with_losses} lose about as much: "
            f"the most exposed {one} {most}, the average one {average}"
        )
    factor = significant(chain.guarantee / chain.maximum, 2)
    return (
        f"The guarantee allows {limit}: {factor} times what the most exposed {one} "
        f"here loses ({most}), {significant(chain.guarantee / chain.mean, 2)} times "
        f"the average ({average})"
    )


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class LossCauses:
    """Why the most exposed people are: an unusual record, or a badly predicted one.

    The move of the coefficients is the product of both, so that each is told in
    multiples of the median person's. Shapes ``(k,)``, the most exposed first.

    Attributes:
        rows: Row of each person in the table, from 1.
        pull: How strongly the record pulls, over the median of all people.
        cause: What the first is called.
        miss: How far the prediction without the person misses, over that median.
        epsilon: Own loss of each person.
        unit: The privacy unit, for its name.

    """

    rows: Sequence[int]
    pull: FloatArray
    cause: str
    miss: FloatArray
    epsilon: FloatArray
    unit: PrivacyUnit = PERSON


def split_picture(split: LossCauses) -> Picture:
    """Return, for each of the most exposed, both causes in multiples of the median."""
    names = [f"row {row}" for row in split.rows]
    parts = [
        (f"how unusual the record is ({split.cause})", split.pull, STYLES["laplace"]),
        ("how far the prediction misses it", split.miss, STYLES["bit"]),
    ]
    drawn = np.clip([split.pull, split.miss, np.ones(len(names))], 1e-3, 1e6)
    return Picture.of(
        _split_title(split),
        {
            "row": list(split.rows),
            f"{split.cause}, times the median": split.pull,
            "residual, times the median": split.miss,
            "own epsilon": split.epsilon,
        },
        drawn=f"Two dots for each of {len(names)} {split.unit.with_losses}",
        traces=[
            points(
                np.clip(times, 1e-3, 1e6),
                names,
                name,
                dot(stroke.color, 11, stroke.symbol),
                hover="%{y}: %{x:,.3~r} times the median",
            )
            for name, times, stroke in parts
        ],
        height=130 + 30 * len(names),
        xaxis=log_axis("times the median", drawn.min() / 2, 2 * drawn.max()),
        yaxis=ROWS,
        shapes=[vertical(1, stroke=DOTTED)],
    )


def _split_title(split: LossCauses) -> str:
    pull, miss = float(split.pull[0]), float(split.miss[0])
    who = f"Row {split.rows[0]} is most exposed"
    if not (np.isfinite(pull) and np.isfinite(miss)):
        return f"{who}: the fit rests on this record alone"
    return (
        f"{who}: {significant(pull, 2)} times the median leverage, {significant(miss, 2)} "
        "times the median residual"
    )


def audit_text(
    error: float, *, people: int, refitted: int = 100, unit: PrivacyUnit = PERSON
) -> str:
    """Return what the audit of an approximation found, as a sentence.

    ``refitted`` people, at most, were fitted again without them.

    >>> print(audit_text(0.012, people=5000))
    Checked by refitting without each of up to 100 of 5,000 people: the approximation was \
off by at most 1.2%.
    """
    checked = (
        f"all {people:,} {unit.with_losses}"
        if refitted >= people
        else f"up to {refitted:,} of {people:,} {unit.with_losses}"
    )
    found = (
        f"without one {unit.noun} there is no fit"
        if np.isinf(error)
        else f"the approximation was off by at most {significant(100 * error, 2)}%"
    )
    return f"Checked by refitting without each of {checked}: {found}."


def iso_epsilon_picture(
    found: LeverageMap,
    *,
    rows: Sequence[int],
    leverage: str,
    residual: str,
    unit: PrivacyUnit = PERSON,
) -> Picture:
    """Return cells of people colored by their loss, and the most exposed as points.

    ``rows`` are those of the points in the table, from 1; ``leverage`` and ``residual``
    are the names of the axes.
    """
    title, many = _map_title(found, rows, unit), unit.with_losses
    words = ", ".join(significant(line.epsilon) for line in found.lines)
    alt = (
        f"A map of {int(found.people.sum()):,} {many} by leverage and residual, "
        f"colored by mean loss. {title}."
    )
    if words:
        alt += f" Lines of equal loss: {words}."
    middles_x = np.sqrt(found.leverage_edges[1:] * found.leverage_edges[:-1])
    middles_y = (found.residual_edges[1:] + found.residual_edges[:-1]) / 2
    with np.errstate(divide="ignore"):
        shade = np.log10(found.epsilon)
    finite = shade[np.isfinite(shade)]
    low, high = (finite.min(), finite.max()) if len(finite) else (0.0, 1.0)
    ticks = np.linspace(low, high, 4)
    labels = [f"row {row}" for row in rows]
    return Picture.of(
        title,
        {
            "row": list(rows),
            leverage: found.top_leverage,
            "residual": found.top_residual,
            "own epsilon": found.top_epsilon,
        },
        alt=alt,
        traces=[
            heat(
                middles_x,
                middles_y,
                np.where(np.isneginf(shade), low, shade),
                SCALE,
                (low, high),
                hover=f"%{{customdata[0]:,}} {many}, mean ε = "
                "%{customdata[1]:,.3~r}<br>"
                "%{x:,.3~r} across, residual %{y:,.3~r}",
                customdata=np.dstack([found.people, found.epsilon]),
                hoverongaps=False,
                showscale=True,
                colorbar={
                    "orientation": "h",
                    "y": 1.0,
                    "yanchor": "bottom",
                    "thickness": 12,
                    "tickvals": ticks,
                    "ticktext": [significant(10.0**tick, 2) for tick in ticks.tolist()],
                    "title": {"text": "own epsilon (mean of the cell)", "side": "top"},
                },
            ),
            *[
                line(
                    iso.leverage,
                    side * iso.residual,
                    stroke=_LINE,
                    hover=f"on this line: ε = {significant(iso.epsilon)}",
                )
                for iso in found.lines
                for side in (1, -1)
            ],
            points(
                found.top_leverage,
                found.top_residual,
                marker=dot(CONFIDENTIAL, 11, "diamond", line={"color": "black", "width": 1.5}),
                hover="%{customdata[0]}: ε = %{customdata[1]}<br>"
                "%{x:,.3~r} across, residual %{y:,.3~r}",
                text=[labels[0], *[""] * (len(labels) - 1)],
                textposition="middle left",
                cliponaxis=False,
                customdata=[
                    [label, epsilon_text(loss)]
                    for label, loss in zip(labels, found.top_epsilon.tolist(), strict=True)
                ],
            ),
        ],
        height=460,
        showlegend=False,
        annotations=_line_names(found.lines, 0.9 * float(found.residual_edges[-1])),
        xaxis=log_axis(leverage, *found.leverage_edges[[0, -1]].tolist()),
        yaxis=axis(plain(residual), range=found.residual_edges[[0, -1]].tolist()),
    )


def _line_names(lines: Sequence[IsoLine], height: float) -> list[Trace]:
    """Name each line a quarter from its left end, where it is on the figure."""
    notes = []
    for iso in lines:
        inside = np.flatnonzero(iso.residual <= height)
        if len(inside) == 0 or iso.residual.max() < _FLAT * height:
            continue
        place = inside[len(inside) // 4]
        x, y = float(np.log10(iso.leverage[place])), float(iso.residual[place])
        notes.append(note(f"ε = {significant(iso.epsilon)}", x, y, **PLATE))
    return notes


def _map_title(found: LeverageMap, rows: Sequence[int], unit: PrivacyUnit) -> str:
    leverage, residual = found.above
    return (
        f"Most exposed: row {rows[0]}, ε = {epsilon_text(float(found.top_epsilon[0]))}, "
        f"leverage above {percent(leverage)} and residual above {percent(residual)} of "
        f"{unit.with_losses}"
    )


def frontier_picture(found: Frontier, *, key: str, unit: PrivacyUnit = PERSON) -> Picture:
    """Return error over loss: one line for the guarantee and two for people here.

    The same noise is at the same height on every line; the page's own is marked.
    """
    color = STYLES[key].color
    curves = [
        ("guarantee (DP)", found.guarantee, LineStyle(color=PUBLIC, dash="dash")),
        ("most exposed here", found.maximum, LineStyle(color=color)),
        ("average here", found.mean, LineStyle(color=color, dash="dot")),
    ]
    shown = np.concatenate([loss for _, loss, _ in curves])
    shown = shown[_known(shown)]
    ends = np.array([shown.min(), shown.max()] if len(shown) else [0.1, 1.0])
    levels = [
        (
            "without noise for privacy",
            found.without_noise,
            LineStyle(color=NEUTRAL, dash="dashdot"),
        ),
        ("Cramér-Rao limit", found.cramer_rao, _LIMIT),
    ]
    here = [(found.at(loss), stroke.color) for _, loss, stroke in curves]
    here = [(loss, color) for loss, color in here if _known(loss)]
    hover = "ε = %{x:,.3~r}: error %{y:,.3~r}"
    noise = significant(found.at(found.noise), 3)
    if np.isfinite(found.without_noise):
        size = (
            f"{significant(found.at(found.error), 3)}: {noise} from the noise, "
            f"{significant(found.penalty, 3)} from the penalty and "
            f"{significant(found.targets, 3)} from the scatter of the targets"
        )
    else:
        size = f"{noise} from the noise alone"
    most = epsilon_text(found.at(found.maximum))
    average = epsilon_text(found.at(found.mean))
    allowed = found.at(found.guarantee)
    guarantee = (
        f"the guarantee allows {epsilon_text(allowed)}"
        if np.isfinite(allowed)
        else "no guarantee is known"
    )
    title = (
        f"The RMSE of coefficients is {size}; {guarantee}, the most exposed {unit.noun} loses "
        f"{most}, the average one {average}"
    )
    limit = (
        f" Cramér-Rao limit: {significant(found.cramer_rao)}."
        if np.isfinite(found.cramer_rao)
        else ""
    )
    return Picture.of(
        title,
        {
            "precision gamma": found.gamma,
            "typical error": found.error,
            "from the noise alone": found.noise,
            "epsilon, guarantee": found.guarantee,
            "epsilon, most exposed": found.maximum,
            "epsilon, average": found.mean,
        },
        alt=f"Lines that fall as more privacy is given up. {title}.{limit}",
        traces=[
            *(
                line(
                    loss[_known(loss)],
                    found.error[_known(loss)],
                    name,
                    stroke,
                    hover=hover,
                    aside=NAME,
                )
                for name, loss, stroke in curves
            ),
            points(
                [loss for loss, _ in here],
                [found.at(found.error)] * len(here),
                marker=ring([color for _, color in here], 12),
                hover="the page is set here: ε = %{x:,.3~r}",
                showlegend=False,
            ),
            *(
                line(ends, [level, level], name, stroke, hover=hover, aside=NAME)
                for name, level, stroke in levels
                if np.isfinite(level)
            ),
        ],
        height=440,
        xaxis=log_axis("privacy loss, ε", dtick=1, exponentformat="power"),
        yaxis=log_axis("RMSE of coefficients", exponentformat="power"),
    )


def _known(losses: FloatArray | float) -> NDArray[np.bool_]:
    """Tell which losses have a place on a log axis."""
    return np.isfinite(losses) & (np.asarray(losses) > 0)


_POWERS = {"dtick": 1, "exponentformat": "power"}
_LOSSES = log_axis("privacy loss, ε", **_POWERS)
_DP = "DP (guarantee)"
_FOUND = "#009E73"
_GUARANTEE = LineStyle(color=NEUTRAL, dash="dash")


def nested_picture(losses: NestedLosses) -> Picture:
    """Return the ever narrower maxima as points on a log axis, each with its factor."""
    rows = {
        "guarantee (DP)": losses.guarantee,
        "worst case, this table: at most": losses.certificate,
        "worst case, this table: found": losses.for_all,
        "most exposed in the table": float(losses.losses.max()),
        "average in the table": float(losses.losses.mean()),
    }
    values = list(rows.values())
    factors = [times_less(value, losses.guarantee) for value in values]
    told = [*map(epsilon_text, values)]
    lesser = [f"<br>{_less(factor)}" for factor in factors[1:]]
    title = (
        "Compared with the guarantee, the worst case here is proved to lose "
        f"{_less(losses.times_at_least)} and found to lose {_less(losses.times_for_all)}; the most "
        f"exposed person loses {_less(losses.times_in_table)}"
    )
    return Picture.of(
        title,
        {"whose loss": list(rows), "epsilon": values, "times below the guarantee": factors},
        alt=f"{title}. "
        + "; ".join(f"{name}: {text}" for name, text in zip(rows, told, strict=True)),
        **ladder(
            [name.replace(", ", ",<br>").replace(" in the", "<br>in the") for name in rows],
            values,
            [text + less for text, less in zip(told, ["", *lesser], strict=True)],
            [NEUTRAL, PUBLIC, PUBLIC, CONFIDENTIAL, CONFIDENTIAL],
        ),
    )


def sizes_picture(parts: Sequence[FigurePart]) -> Picture:
    """Return a box of the losses for each number of people, below the guarantee."""
    mine = of_pane(parts, FigurePane.BY_SIZE)
    losses = [cast("NestedLosses", part.losses) for part in mine]
    people = [part.setting for part in mine]
    # Side by side: a box on a log axis would need a width of its own.
    places = list(range(len(people)))
    boxes = np.array([one.box for one in losses])
    boxes[:, 0] = np.maximum(boxes[:, 0], 1e-3 * boxes[:, 2])
    boxes[:, 1] = np.maximum(boxes[:, 1], boxes[:, 0])
    curves = [
        (_DP, [one.guarantee for one in losses], _GUARANTEE),
        ("worst case, found", [one.for_all for one in losses], LineStyle(color=_FOUND)),
    ]
    averages = [
        f"with {people[end]:,.0f} people the average person loses "
        f"{_less(losses[end].times_on_average)}"
        for end in dict.fromkeys((0, len(mine) - 1))
    ]
    return Picture.of(
        f"Compared with the guarantee, {'; '.join(averages)}",
        numbers(mine).drop(columns="pane"),
        drawn="Boxes of the losses from minimum to maximum against the number of people",
        traces=[
            *_lines(places, curves),
            box(places, boxes, "people in the table", CONFIDENTIAL, width=0.5),
        ],
        xaxis=axis(
            "number of people",
            tickvals=places,
            ticktext=[f"{n:,.0f}" for n in people],
            range=[-0.6, len(people) - 0.4],
        ),
        yaxis=_LOSSES,
    )


def precision_picture(parts: Sequence[FigurePart]) -> Picture:
    """Return privacy against accuracy of one posterior sample, both on log axes."""
    mine = of_pane(parts, FigurePane.BY_PRECISION)
    losses = [cast("SampleLosses", part.losses) for part in mine]
    average = LineStyle(color="#56B4E9", dash="dot")
    curves = [
        (_DP, [s.guarantee for s in losses], _GUARANTEE),
        (
            "worst case, at most",
            [s.for_all for s in losses],
            LineStyle(color=_FOUND, dash="longdash"),
        ),
        ("most exposed", [s.losses.max() for s in losses], LineStyle(color=CONFIDENTIAL)),
        ("average", [s.losses.mean() for s in losses], average),
    ]
    factors = [one.times_on_average for one in losses]
    floor = min(float(one.losses.mean()) for one in losses)
    between = " to ".join(dict.fromkeys([_less(min(factors)), _less(max(factors))]))
    return Picture.of(
        (
            f"Compared with the guarantee, the average person loses {between}; no loss of "
            f"accuracy shown brings the average below {significant(floor)}"
        ),
        numbers(mine).drop(columns="pane"),
        drawn="Losses of a posterior sample against its excess risk",
        traces=_lines([one.excess for one in losses], curves),
        xaxis=log_axis("excess risk d/(2 gamma)", **_POWERS),
        yaxis=_LOSSES,
    )


def _less(factor: float) -> str:
    return f"{significant(factor)} times less" if factor < np.inf else "nothing"


def _lines(x: Values, curves: list[tuple[str, list[float], LineStyle]]) -> list[Trace]:
    return lines(x, curves, hover="%{y:,.4~r}", aside=NAME, marker={})
