"""Figures that only lessons have."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np

from dpcore.arrays import FloatArray
from dpcore.data.bounds import Interval
from dpcore.figures.theme import (
    GUIDE,
    NEUTRAL,
    PUBLIC,
    ROWS,
    STYLES,
    LineStyle,
    Picture,
    axis,
    in_lines,
    log_axis,
    plain,
)
from dpcore.figures.traces import (
    NAME,
    Trace,
    area,
    bars,
    dot,
    histogram,
    interval,
    level,
    line,
    lines,
    note,
    now,
    points,
    rows,
    vertical,
)
from dpcore.formatting import epsilon_text, in_full, people, percent, significant

_BIAS = LineStyle(color="#D55E00", dash="dash")


def bounding_picture(
    upper: FloatArray, bias: FloatArray, noise: FloatArray, *, at: float, most: float, unit: str
) -> Picture:
    """Return bias, noise and their total over the upper bound, all shape ``(m,)``.

    ``noise`` is its standard deviation; the page is set to the bound ``at``, one of
    ``upper``, and the axis ends at ``most``.
    """
    total = np.hypot(bias, noise)
    best, here = int(np.argmin(total)), int(np.argmin(np.abs(upper - at)))
    return Picture.of(
        (
            f"RMSE {significant(float(total[here]))} at an upper bound of {significant(at)} "
            f"{unit}, with a bias of {significant(float(np.abs(bias[here])))}; best bound "
            f"{significant(float(upper[best]))}"
        ),
        {"upper bound": upper, "bias": bias, "noise": noise, "total": total},
        drawn="Bias falls as the bound rises, noise rises, and their total has a least "
        "place between",
        traces=lines(
            upper,
            (
                ("bias", np.abs(bias), _BIAS),
                ("noise", noise, LineStyle(color=PUBLIC, dash="dot")),
                ("both together", total, LineStyle(color=NEUTRAL, width=3)),
            ),
            hover="bound %{x:,.3~r}: %{y:,.3~r}",
        ),
        shapes=[
            now(at, "your bound", xanchor="left" if 2 * at < upper[-1] else "right", yanchor="top")
        ],
        xaxis=axis(f"upper bound, {unit}", range=[0, float(upper[-1])]),
        yaxis=axis(f"how far off, {unit}", range=[0, most]),
    )


_MISSED = "#D55E00"


def covering_picture(
    answers: FloatArray, *, half: float, truth: float, reach: float, unit: str
) -> Picture:
    """Return answers, shape ``(m,)``, with intervals of half-width ``half``.

    The axis shows ``reach`` to both sides of the ``truth``, all in ``unit``.
    """
    held = np.abs(answers - truth) <= half
    row = np.arange(1, len(answers) + 1)
    looks = ((held, "holds the truth", PUBLIC, "circle"), (~held, "misses it", _MISSED, "x"))
    return Picture.of(
        (
            f"{int(held.sum())} of {len(answers)} intervals of ±{significant(half)} {unit} "
            "hold the truth"
        ),
        {
            "answer": answers,
            "from": answers - half,
            "to": answers + half,
            "holds the truth": ["yes" if one else "no" for one in held],
        },
        drawn="Dots with bars around a line, a few of which miss it",
        height=440,
        traces=[
            points(
                answers[which],
                row[which],
                name,
                dot(color, 6, symbol),
                hover="%{x:,.4~r}",
                error_x=interval(np.full(int(which.sum()), half), thickness=1.5),
            )
            for which, name, color, symbol in looks
        ],
        shapes=[vertical(truth, "the truth")],
        xaxis=axis(f"answer, {unit}", range=[truth - reach, truth + reach]),
        yaxis=axis("simulated release", range=[0, len(answers) + 4]),
    )


def found_picture(
    title: str,
    found: FloatArray,
    *,
    truth: float,
    bounds: Interval,
    ends: tuple[float, float],
    what: str,
) -> Picture:
    """Return how often each value was found, in percent.

    Args:
        title: The takeaway.
        found: What was found, shape ``(m,)``.
        truth: What is true.
        bounds: What is possible at all.
        ends: Of the axis; what lies beyond is counted at its ends.
        what: What was found, with its unit.

    """
    counts, edges = np.histogram(np.clip(found, *ends), 45, ends)
    shares = 100 * counts / len(found)
    possible = float(np.mean((found >= bounds.lower) & (found <= bounds.upper)))
    limits = " to ".join(significant(end) for end in (bounds.lower, bounds.upper))
    stripe = {
        "type": "rect",
        "layer": "below",
        "yref": "paper",
        "x0": bounds.lower,
        "x1": bounds.upper,
        "y0": 0,
        "y1": 1,
        "fillcolor": "rgba(127,127,127,0.25)",
        "line": {"width": 0},
    }
    return Picture.of(
        title,
        {"from": edges[:-1], "to": edges[1:], "found, %": shares},
        drawn=f"Bars of what {len(found)} simulated tricks found, of which "
        f"{percent(possible)} lie within what is possible at all, {limits}",
        traces=[
            histogram(
                shares,
                edges,
                "found",
                {"color": PUBLIC},
                hover="%{y:,.3~r}% found about %{x:,.3~r}",
                aside=NAME,
                showlegend=False,
            )
        ],
        bargap=0,
        shapes=[stripe, vertical(truth, "the truth", xanchor="left")],
        xaxis=axis(plain(what), range=list(ends)),
        yaxis=axis(f"share of {len(found)} tries, %", range=[0, 30]),
        annotations=[
            note("possible ages", bounds.upper, 0.8, yref="paper", xanchor="left", ax=30, ay=0)
        ],
    )


_MOST_TIMES: Final = 2.6
"""End of the axis, in promised epsilons: no way reveals more than 2."""
_MOST_BIAS: Final = 62.0
"""End of the axis, in percent: no answer is more than half of the range too high."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Fault:
    """One way of keeping to the bounds.

    Attributes:
        name: What it is called on the page.
        epsilon: What it gives away.
        bias: How far too high it is at the lower bound, as a share of the range.
        key: The mechanism, for its color.

    """

    name: str
    epsilon: float
    bias: float
    key: str


def faults_picture(faults: Sequence[Fault], *, promised: float) -> Picture:
    """Return what was given away above, as bars, and the biases below.

    The upper bars are drawn over what was ``promised``, so that no axis moves with it.
    """
    worst = max(faults, key=lambda fault: fault.epsilon)
    names = [plain(fault.name) for fault in faults]
    colors = [STYLES[fault.key].color for fault in faults]
    return Picture.of(
        (
            f"ε = {in_full(promised)} was promised; “{worst.name}” has ε = "
            f"{epsilon_text(worst.epsilon)}, and all answers are too high on average"
        ),
        {
            "way": [fault.name for fault in faults],
            "ε spent": [fault.epsilon for fault in faults],
            "too high by, share of the range": [fault.bias for fault in faults],
        },
        drawn="; ".join(
            f"{fault.name}: reveals ε = {epsilon_text(fault.epsilon)}, too high by "
            f"{percent(fault.bias)}"
            for fault in faults
        ),
        height=400,
        traces=[
            rows(
                names,
                [fault.epsilon / promised for fault in faults],
                [f"ε = {epsilon_text(fault.epsilon)}" for fault in faults],
                colors,
            ),
            rows(
                names,
                [100 * fault.bias for fault in faults],
                [f"{percent(fault.bias).removesuffix('%')} points" for fault in faults],
                colors,
                xaxis="x2",
                yaxis="y2",
            ),
        ],
        shapes=[
            vertical(1.0, stroke=LineStyle(color=NEUTRAL, dash="dash", width=2)) | {"y0": 0.61}
        ],
        xaxis=axis(
            "actual ε (dashed: promised)",
            range=[0, _MOST_TIMES],
            tickvals=[0, 1, 2],
            ticktext=["0", "as promised", "twice"],
            anchor="y",
        ),
        yaxis=axis("", domain=[0.63, 1], **ROWS),
        xaxis2=axis("too high, percentage points", range=[0, _MOST_BIAS], anchor="y2"),
        yaxis2=axis("", domain=[0, 0.33], anchor="x2", **ROWS),
        showlegend=False,
    )


_MARKED = "#D55E00"


def falling_picture(
    title: str,
    people: FloatArray,
    heights: FloatArray,
    *,
    what: str,
    ends: tuple[float, float],
    marked: Sequence[tuple[str, float, float]] = (),
) -> Picture:
    """Return a line over the number of people, both shape ``(m,)``.

    Args:
        title: The takeaway.
        people: How many there are.
        heights: What falls.
        what: What that is, with its unit.
        ends: Of the axis of heights.
        marked: Names of single dots, with their people and height.

    """
    return Picture.of(
        title,
        {"people": people, what: heights},
        drawn="A straight line that falls as people join"
        + "".join(f"; {name}: {significant(height)}" for name, _, height in marked),
        traces=[
            line(
                people,
                heights,
                stroke=LineStyle(color=STYLES["laplace"].color),
                hover="%{x:,.4~r} people: %{y:,.3~r}",
                showlegend=False,
            ),
            points(
                [at for _, at, _ in marked],
                [height for _, _, height in marked],
                marker=dot(_MARKED if marked else PUBLIC, 10),
                hover="%{text}: %{y:,.3~r}",
                text=[plain(name) for name, _, _ in marked],
                textposition="top right",
                cliponaxis=False,
                showlegend=False,
            ),
        ],
        xaxis=log_axis("people", float(people[0]), float(people[-1])),
        yaxis=log_axis(what, *ends),
    )


_SO = "#9C3D6E"


def claims_picture(
    title: str,
    levels: Mapping[str, float],
    *,
    claimed: str,
    ends: tuple[float, float],
    what: str,
    said: Callable[[float], str] = epsilon_text,
    ticks: Mapping[float, str] | None = None,
) -> Picture:
    """Return a bar for each name, the claimed one in gray; ``ends`` are of the axis.

    ``what`` names the axis, ``said`` writes a level behind its bar, and ``ticks`` are
    the words at places of the axis, where they are not its numbers.
    """
    least, most = ends
    words: Trace = {}
    if ticks is not None:
        words = {"tickvals": list(ticks), "ticktext": list(ticks.values())}
    return Picture.of(
        title,
        {"": list(levels), what: list(levels.values())},
        drawn="; ".join(f"{name}: {said(at)}" for name, at in levels.items()),
        height=90 + 44 * len(levels),
        traces=[
            rows(
                [plain(name) for name in levels],
                list(levels.values()),
                [said(at) for at in levels.values()],
                [NEUTRAL if name == claimed else _SO for name in levels],
            )
        ],
        xaxis=axis(what, range=[least, least + 1.25 * (most - least)], **words),
        yaxis=ROWS,
        showlegend=False,
    )


def running_picture(
    errors: FloatArray, *, sd: float, epsilon: float, reach: float, unit: str
) -> Picture:
    """Return how far off the average of the first answers is, for every number of them.

    ``errors`` are those of the single answers, shape ``(k,)``, in ``unit``; ``sd`` is
    their standard deviation and ``epsilon`` the price of each. The axis reaches as far
    as ``reach``.
    """
    count = np.arange(1, len(errors) + 1)
    average = np.cumsum(errors) / count
    typical = sd / np.sqrt(count)
    half = 2 * typical
    spent = epsilon * count
    one, all_ = (significant(float(error)) for error in typical[[0, -1]])
    return Picture.of(
        (
            f"The average of {len(errors)} answers is off by about {all_} {unit} instead of "
            f"{one}; the cost is ε = {epsilon_text(float(spent[-1]))} instead of "
            f"{epsilon_text(epsilon)}"
        ),
        {"answers": count, "average is off by": average, "ε spent": spent},
        drawn="A line that wanders ever closer around 0, in a band that narrows",
        traces=[
            area(
                count.astype(np.float64),
                np.minimum(half, reach),
                np.maximum(-half, -reach),
                "rgba(0,114,178,0.15)",
                "where most such averages lie",
            ),
            line(
                count,
                average,
                "average so far",
                STYLES["laplace"],
                hover="%{x} answers, ε = %{customdata:,.3~r}: off by %{y:,.3~r}",
                customdata=spent,
            ),
        ],
        shapes=[level(0, "the truth", textposition="end")],
        xaxis=log_axis("answers that are averaged", 1, 1000),
        yaxis=axis(f"error, {unit}", range=[-reach, reach]),
    )


def votes_picture(choices: Sequence[str], counts: Sequence[int], *, right: int) -> Picture:
    """Return how many chose each answer, with the right one marked.

    ``right`` is its place among the ``choices``. At least one count is positive.
    """
    total = sum(counts)
    names = [plain(choice) for choice in choices]
    ticks = [in_lines(f"{'✓ ' * (i == right)}{text}", 36) for i, text in enumerate(choices)]
    lines = 1 + max(tick.count("<br>") for tick in ticks)
    return Picture.of(
        f"{counts[right]} of {total} predicted it ({percent(counts[right] / total)})",
        {
            "answer": list(choices),
            "right": ["yes" if i == right else "no" for i in range(len(choices))],
            "predicted by": list(counts),
        },
        drawn="A bar for each answer, as long as the number of people who chose it",
        height=(20 + 20 * lines) * len(choices),
        traces=[
            rows(
                names,
                list(counts),
                [f"{count}" for count in counts],
                [PUBLIC if i == right else NEUTRAL for i in range(len(choices))],
                constraintext="none",
            )
        ],
        xaxis=axis(range=[0, 1.2 * max(counts)], visible=False),
        margin={"l": 0, "r": 24, "t": 0, "b": 0},
        yaxis=ROWS | {"tickvals": names, "ticktext": ticks},
        showlegend=False,
    )


def spending_picture(
    admitted: Sequence[bool], *, price: float, total: float, most: float
) -> Picture:
    """Return what is spent after each question; refused ones stand as hatched bars.

    ``price`` is the epsilon of each, ``total`` the budget, and ``most`` the end of the
    axis.
    """
    paid = np.asarray(admitted, dtype=bool)
    number = np.arange(1, len(paid) + 1)
    spent = price * np.cumsum(paid)
    wanted = spent + price * ~paid
    count = int(paid.sum())
    title = (
        f"No question at ε = {epsilon_text(price)} is answered out of ε = "
        f"{epsilon_text(total)}: each of them alone is too much"
        if count == 0
        else f"{people(count, 'question')} at ε = {epsilon_text(price)} "
        f"{'is' if count == 1 else 'are'} answered out of ε = {epsilon_text(total)}"
    )
    title += "; every further one is refused" if 0 < count < len(paid) else ""
    return Picture.of(
        title,
        {
            "question": number,
            "answered": ["yes" if one else "no" for one in paid],
            "ε spent": spent,
        },
        drawn="Bars that climb as far as the budget lets them; those of refused "
        "questions, hatched, show what would have been spent",
        traces=[
            bars(
                number[paid],
                spent[paid],
                "answered",
                {"color": PUBLIC},
                hover="question %{x}: ε = %{y:,.3~r} spent",
            ),
            bars(
                number[~paid],
                wanted[~paid],
                "refused",
                {"color": NEUTRAL, "pattern": {"shape": "/"}, "opacity": 0.5},
                hover="question %{x} would need ε %{y:,.3~r}",
            ),
        ],
        shapes=[level(total, "the budget", GUIDE, textposition="start")],
        xaxis=axis("question", range=[0.4, len(paid) + 0.6]),
        yaxis=axis("ε spent, or needed", range=[0, most]),
        barmode="overlay",
        showlegend=True,
    )
