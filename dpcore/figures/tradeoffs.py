"""Curves of bias, spread and error, and maps of which mechanism wins where."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from operator import itemgetter
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from dpcore.arrays import FloatArray
from dpcore.figures.theme import (
    DOTTED,
    FITTING,
    NEUTRAL,
    PLATE,
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
    border,
    dot,
    interval,
    level,
    line,
    note,
    now,
    points,
    regions,
    ring,
)
from dpcore.formatting import epsilon_text, in_full, percent, significant
from dpcore.mechanisms.catalog import EVERY
from dpcore.studies.comparing.error_curves import Dots, ErrorCurve, ErrorMetric, Fairness, Winners
from dpcore.studies.comparing.error_maps import (
    CLEARLY,
    FLIP_AT_BOUND,
    FLIP_ONE_SIDED,
    ErrorMaps,
    MapQuantity,
)
from dpcore.studies.comparing.private_size import PrivateSize
from dpcore.studies.row_limits import LimitErrors

_WORDS = {ErrorMetric.RMSE: "typical error", ErrorMetric.BIAS: "bias", ErrorMetric.SPREAD: "spread"}


_LABELS = {key: entry.label for key, entry in EVERY.items()}
_VISIBLE = 0.01
_UNSEEN = 1e-4
_FAR_BELOW = 1e-5
_GAP = 0.06
_PANELS = {ErrorMetric.BIAS: "|Bias|", ErrorMetric.SPREAD: "SD", ErrorMetric.RMSE: "RMSE"}
_MARGIN = 0.1
_TIE = "no difference (under 1%)"
_LINE = 0.18
"""The height of a line of text on the log axis of a map."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SweepAxis:
    """The quantity along which mechanisms are compared.

    Attributes:
        label: What it is called.
        at: Where the page is set to.
        log: Whether it is drawn on a log scale.
        heights: The ends of the other axis, which do not move with epsilon; ``None``
            to fit it to the curves.

    """

    label: str
    at: float
    log: bool
    heights: tuple[float, float] | None = None


def curves_picture(  # noqa: PLR0913 - a figure is described by its words
    curves: Sequence[ErrorCurve],
    dots: Sequence[Dots],
    metric: ErrorMetric,
    *,
    here: Sequence[ErrorCurve],
    chosen: str,
    axis: SweepAxis,
    unit: str,
    each: str = "",
) -> Picture:
    """Return one line a mechanism, with simulated dots, along ``axis``.

    Args:
        curves: The lines. Spread and error are drawn on a log scale.
        dots: What was simulated.
        metric: What the lines show.
        here: The same mechanisms at the very point that the page is set to, which the
            takeaway is about: the lines know points beside it only.
        chosen: Key of the mechanism that was chosen on the page.
        axis: Along what they are compared.
        unit: Unit of the answer.
        each: Which of several numbers of an answer the lines are about, such as "share
            of one category".

    """
    # An axis is too short to name the number: the title does.
    label = f"{_WORDS[metric]}{f', {unit}' if unit else ''}"
    lines = [
        line(
            curve.x,
            curve.of(metric),
            _LABELS[curve.key],
            STYLES[curve.key],
            hover="%{x:,.4~r}: %{y:,.4~r}",
            aside=NAME,
        )
        for curve in curves
    ]
    title = _curves_title(here, metric, axis, unit, f" of the {each}" if each else "", chosen)
    return Picture.of(
        title,
        _errors_table(curves, axis),
        alt=f"Lines of {label} against {axis.label}, one a mechanism. {title}",
        traces=[*lines, *(_dots_trace(each) for each in dots)],
        xaxis=_scale(axis.label, log=axis.log) | FITTING,
        yaxis=_heights(label, axis, metric),
        shapes=[now(axis.at, xanchor="right", yanchor="top")],
    )


def errors_picture(
    curves: Sequence[ErrorCurve],
    *,
    here: Sequence[ErrorCurve],
    along: SweepAxis,
    unit: str,
    each: str = "",
) -> Picture:
    """Return bias, standard deviation and RMSE side by side, with the same axes.

    Arguments are those of ``curves_picture``. A bias that nobody would see beside the
    error is left out of its panel, which has a log axis as the others have.
    """
    unbiased = [
        _LABELS[curve.key] for curve in curves if np.isnan(_seen(curve, ErrorMetric.BIAS)).all()
    ]
    none = len(unbiased) == len(curves)
    bias = "No mechanism has a visible bias" if none else f"No visible bias: {', '.join(unbiased)}"
    traces: list[Trace] = []
    notes: list[Trace] = []
    shapes: list[Trace] = []
    axes: dict[str, Any] = {}
    least, most = (float(end(curves[0].x)) for end in (np.min, np.max))
    decades = math.ceil(math.log10(most / least) / 2) if along.log else 1
    for place, metric in enumerate((ErrorMetric.BIAS, ErrorMetric.SPREAD, ErrorMetric.RMSE)):
        panel = "" if place == 0 else str(place + 1)
        left, right = place / 3 + _GAP * place / 2, place / 3 + 1 / 3 - _GAP * (2 - place) / 2
        traces += [
            line(
                curve.x,
                _seen(curve, metric),
                _LABELS[curve.key],
                STYLES[curve.key],
                hover="%{x:,.4~r}: %{y:,.4~r}",
                aside=NAME,
                xaxis=f"x{panel}",
                yaxis="y",
                showlegend=place == 0,
                legendgroup=curve.key,
            )
            for curve in curves
        ]
        # Panels are narrow on a phone: one title for all, and two powers of ten.
        scale = _scale(along.label, log=along.log) | FITTING
        if place != 1:
            scale.pop("title")
        scale |= {"tickangle": 0, **({"dtick": decades} if along.log else {"nticks": 3})}
        axes[f"xaxis{panel}"] = scale | {"domain": [left, right], "anchor": "y"}
        notes.append(
            note(
                _PANELS[metric] + (": none" if none and place == 0 else ""),
                left,
                1.0,
                xref="paper",
                yref="paper",
                xanchor="left",
                yanchor="bottom",
                font={"size": 13},
            )
        )
        shapes.append(now(along.at, "") | {"xref": f"x{panel}"})
    ranked = sorted(here, key=lambda curve: float(curve.rmse[0]))
    of_each = f" of the {each}" if each else ""
    errors = ", ".join(f"{_LABELS[curve.key]} {_error_text(curve)}" for curve in ranked)
    return Picture.of(
        f"RMSE{of_each} at {along.label} = {significant(along.at)}: "
        + " to ".join(f"{_error_text(one)} ({_LABELS[one.key]})" for one in (ranked[0], ranked[-1]))
        + (f", in {unit}" if unit else ""),
        _errors_table(curves, along),
        drawn=f"Bias, standard deviation and RMSE against {along.label}, a line a mechanism",
        more=f"{errors}{f'. {bias}' if unbiased else ''}",
        traces=traces,
        height=360,
        yaxis=_scale(f"error{f', {unit}' if unit else ''}", log=True) | FITTING | _ends(curves),
        annotations=notes,
        shapes=shapes,
        legend={"orientation": "h", "yanchor": "bottom", "y": 1.1, "x": 0},
        margin={"l": 60, "r": 24, "t": 60, "b": 50},
        **axes,
    )


def _error_text(curve: ErrorCurve) -> str:
    error = float(curve.rmse[0])
    return "too few people to say" if math.isnan(error) else significant(error)


def _ends(curves: Sequence[ErrorCurve]) -> dict[str, Any]:
    """Return powers of ten around all errors, but for those far below the largest."""
    errors = np.concatenate([_seen(curve, metric) for curve in curves for metric in _PANELS])
    errors = errors[errors > 0]
    if not len(errors):
        return {}
    most = float(errors.max())
    ends = whole_decades(max(float(errors.min()), _FAR_BELOW * most), most)
    return {"range": [math.log10(end) for end in ends]}


def _seen(curve: ErrorCurve, metric: ErrorMetric) -> FloatArray:
    """Return what a log axis can show of an error."""
    size = np.abs(curve.of(metric))
    return np.where(size > _UNSEEN * curve.rmse, size, np.nan)


def _errors_table(curves: Sequence[ErrorCurve], along: SweepAxis) -> pd.DataFrame:
    return pd.concat(
        [
            pd.DataFrame(
                {
                    "mechanism": _LABELS[curve.key],
                    along.label: curve.x,
                    "bias": curve.bias,
                    "spread": curve.spread,
                    "typical error": curve.rmse,
                    "actual ε": curve.epsilon,
                }
            )
            for curve in curves
        ],
        ignore_index=True,
    )


def winners_picture(winners: Winners, *, axis: str, each: str = "") -> Picture:
    """Return the map of the mechanism with the least error.

    ``each`` is as for ``curves_picture``.
    """
    of_each = f" of the {each}" if each else ""
    labels = np.array([*(_LABELS[key] for key in winners.keys), _TIE])
    ground = regions(
        winners.position,
        winners.epsilon,
        winners.best,
        [*(STYLES[key].color for key in winners.keys), NEUTRAL],
        hover="place %{x:.2f}, ε = %{y:,.3~r}: %{customdata[0]}, "
        "%{customdata[1]:.1f}% below the next",
        opacity=0.75,
        customdata=np.dstack([labels[winners.best], 100 * winners.saving]),
    )
    shares = sorted(
        ((winners.share(index), label) for index, label in enumerate(labels[:-1])), reverse=True
    )
    rest = ", ".join(f"{label} {percent(share)}" for share, label in shares)
    return Picture.of(
        (
            f"{shares[0][1]} has clearly the least error{of_each} on "
            f"{percent(shares[0][0])} of the map; on "
            f"{percent(winners.share(len(labels) - 1))} the best two are equal"
        ),
        {
            "ε": np.repeat(winners.epsilon, len(winners.position)),
            "place between the bounds": np.tile(winners.position, len(winners.epsilon)),
            "least error": labels[winners.best].ravel(),
            "smaller than the next by, %": 100 * winners.saving.ravel(),
        },
        more=f"{rest}",
        traces=[ground],
        height=420,
        xaxis=_scale(axis, log=False),
        yaxis=_scale("ε", log=True),
        annotations=[
            _word(winners, plain(label), np.argwhere(winners.best == index))
            for index, label in enumerate(labels)
            if (winners.best == index).any()
        ],
    )


def _word(winners: Winners, label: str, where: NDArray[np.intp]) -> Trace:
    """Return the name of a winner in the middle of the cells that it wins."""
    row, column = where[len(where) // 2]
    return note(label, *(winners.position[column], np.log10(winners.epsilon[row])), **PLATE)


def _dots_trace(dots: Dots) -> Trace:
    stroke = STYLES[dots.key]
    return points(
        dots.x,
        dots.value,
        f"{_LABELS[dots.key]}, simulated",
        dot(stroke.color, 8, stroke.symbol),
        hover="%{y:,.4~r} ± %{error_y.array:,.2~r}",
        aside="simulated",
        error_y=interval(dots.error, thickness=1.2, width=3),
        showlegend=False,
    )


def _scale(label: str, *, log: bool) -> dict[str, Any]:
    if log:
        return log_axis(label, dtick=1, exponentformat="power")
    return axis(plain(label), type="linear")


def _heights(label: str, axis: SweepAxis, metric: ErrorMetric) -> dict[str, Any]:
    """Return the axis of what is compared, as still as it can be held.

    A bias near 0 would not be seen beside the largest one of any epsilon.
    """
    if metric is ErrorMetric.BIAS:
        moves = "" if axis.label == "ε" else ", scaled to this epsilon"
        return _scale(f"{label}{moves}", log=False)
    if axis.heights is None:
        return _scale(label, log=True) | FITTING
    low, high = np.log10(axis.heights)
    return _scale(label, log=True) | FITTING | {"range": [low - _MARGIN, high + _MARGIN]}


def _curves_title(
    here: Sequence[ErrorCurve],
    metric: ErrorMetric,
    axis: SweepAxis,
    unit: str,
    of_each: str,
    chosen: str,
) -> str:
    heights = {curve.key: float(np.abs(curve.of(metric)[0])) for curve in here}
    known = [height for height in heights.values() if not math.isnan(height)]
    least, most = min(known, default=math.nan), max(known, default=math.nan)
    errors = [float(curve.rmse[0]) for curve in here]
    if metric is ErrorMetric.BIAS and most < _VISIBLE * min(errors):
        return (
            f"At {axis.label} = {significant(axis.at)} no mechanism has a visible "
            f"bias{of_each}: the bounds are far away on the scale of the noise"
        )
    if math.isnan(most):
        return f"At {axis.label} = {significant(axis.at)}, there are too few people to say"
    best = _joined(key for key, height in heights.items() if height <= 1.001 * least)
    worst = _joined(key for key, height in heights.items() if height >= 0.999 * most)
    if best == worst:
        return f"At {axis.label} = {significant(axis.at)}, all have the same {metric}{of_each}"
    suffix = f" {unit}" if unit else ""
    text = (
        f"Smallest {metric}{of_each} at {axis.label} = {significant(axis.at)}: {best} "
        f"({significant(least)}{suffix}), largest: {worst} ({significant(most)}{suffix})"
    )
    own = heights.get(chosen)
    if own is not None and 1.001 * least < own < 0.999 * most:
        label = _LABELS[chosen]
        text += f"; {label} has {significant(own)}{suffix}"
    return text


def _joined(keys: Iterable[str]) -> str:
    return " and ".join(_LABELS[key] for key in keys)


_LEVELS = tuple(digit * 10.0**power for power in range(-6, 2) for digit in (1, 2, 5))
_STEEP = 0.2
_LABEL_AT = 0.3
_VISIBLE_SHARE = 0.02


def map_picture(maps: ErrorMaps, key: str, *, here: tuple[float, float]) -> Picture:
    """Return the map of one mechanism on the ground of who has the lowest one.

    The level lines are those of ``key``, and ``here`` is the place and the Laplace
    scale that the page is set to.
    """
    flips = maps.quantity is MapQuantity.MSE and maps.fairness is Fairness.NOMINAL
    title = _map_title(maps)
    shares = ", ".join(
        f"{_LABELS[name]} {percent(maps.share(index))}" for index, name in enumerate(maps.keys)
    )
    columns = {
        "scale / range": np.repeat(maps.scale, len(maps.place)),
        "value": np.tile(maps.place, len(maps.scale)),
        "least": np.array([*(_LABELS[name] for name in maps.keys), _TIE])[maps.best].ravel(),
    }
    for name, values in zip(maps.keys, maps.heights, strict=True):
        columns[f"{maps.quantity}, {_LABELS[name]}"] = values.ravel()
    return Picture.of(
        title,
        columns,
        drawn=f"A map over position and scale, with level lines of the {maps.quantity} "
        f"of {_LABELS[key]}. Lowest on: {shares}; no difference on "
        f"{percent(maps.share(len(maps.keys)))}",
        height=420,
        traces=[
            regions(
                maps.place,
                maps.scale,
                maps.best.astype(np.uint8),
                [*(STYLES[key].color for key in maps.keys), NEUTRAL],
                opacity=0.35,
            ),
            *[
                border(
                    maps.place,
                    maps.scale,
                    np.clip(maps.lead[index], -_STEEP, _STEEP).astype(np.float32),
                    CLEARLY,
                    STYLES[key].color,
                )
                for index, key in enumerate(maps.keys)
                if 0 < maps.share(index) < 1
            ],
            *(_flip_lines() if flips else ()),
            *_level_lines(maps, key),
            points(
                [here[0]],
                [here[1]],
                marker=ring("black"),
                hover="the page is set here",
                cliponaxis=False,
            ),
        ],
        xaxis=axis("true value", range=[0, 1]),
        yaxis=log_axis(
            "Laplace scale / range",
            range=[np.log10(maps.scale[0]), np.log10(maps.scale[-1])],
            tickvals=[0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5],
        ),
        annotations=[*_region_names(maps), *(_flip_notes() if flips else ())],
        showlegend=False,
    )


def _region_names(maps: ErrorMaps) -> list[Trace]:
    labels = [*(f"{_LABELS[key]} wins" for key in maps.keys), _TIE]
    notes = []
    for index, label in enumerate(labels):
        if maps.share(index) < _VISIBLE_SHARE:
            continue
        row, column = _heart(maps.best == index)
        place, scale = maps.place[column], maps.scale[row]
        notes.append(
            note(plain(label), place, np.log10(scale), xanchor=_anchor(float(place)), **PLATE)
        )
    notes.sort(key=itemgetter("y"))
    for lower, upper in pairwise(notes):
        upper["y"] = max(upper["y"], lower["y"] + _LINE)
    return notes


def _anchor(place: float) -> str:
    """Return which side of a label lies there, so that it stays on a narrow map."""
    near = "left" if place < _LABEL_AT else "center"
    return "right" if place > 1 - _LABEL_AT else near


def _heart(inside: FloatArray) -> tuple[int, int]:
    """Return the cell with the most room around it, the middle one of several."""
    depth = np.zeros(inside.shape, dtype=np.intp)
    left = np.pad(inside.astype(bool), 1)
    while left.any():
        depth += left[1:-1, 1:-1]
        core = left[1:-1, 1:-1] & left[:-2, 1:-1] & left[2:, 1:-1]
        left = np.pad(core & left[1:-1, :-2] & left[1:-1, 2:], 1)
    deepest = np.argwhere(depth == depth.max())
    row, column = deepest[len(deepest) // 2]
    return int(row), int(column)


def _level_lines(maps: ErrorMaps, key: str) -> list[Trace]:
    heights = maps.heights[maps.keys.index(key)]
    levels = [level for level in _LEVELS if heights.min() < level < heights.max()]
    step = -(-len(levels) // 8)
    unit = "" if maps.quantity is MapQuantity.BIAS else "²"
    lines = []
    for height in levels[::-1][:: max(step, 1)]:
        scale = maps.level_line(key, height)
        drawn = np.flatnonzero(~np.isnan(scale))
        if len(drawn) == 0:
            continue
        text = np.full(scale.shape, "", dtype=object)
        nearest = drawn[np.argmin(np.abs(maps.place[drawn] - _LABEL_AT))]
        text[nearest] = in_full(height)
        side = "right" if maps.place[nearest] < _LABEL_AT / 2 else "center"
        lines.append(
            line(
                maps.place,
                scale,
                stroke=LineStyle(color=NEUTRAL, width=1.5),
                hover=f"{maps.quantity} {in_full(height)} range{unit}: "
                "value %{x:.2f}, scale %{y:,.3~r}",
                text=text,
                textposition=f"top {side}",
            )
        )
    return lines


def _map_title(maps: ErrorMaps) -> str:
    shares = sorted(((maps.share(index), key) for index, key in enumerate(maps.keys)), reverse=True)
    won = [
        f"{_LABELS[key]} on {percent(share)}" for share, key in shares if share >= _VISIBLE_SHARE
    ]
    bounded = " of the bounded ones" if maps.quantity is MapQuantity.BIAS else ""
    return (
        f"At the {maps.fairness}, the least {maps.quantity}{bounded}: {', '.join(won)} of the map"
    )


def _flip_lines() -> list[Trace]:
    """Return the lines along which truncation and BIT change order near a bound."""
    away = np.linspace(0.03, 0.16, 20)
    hover = "distance / scale = 1.148"
    return [line(x, away / FLIP_ONE_SIDED, stroke=DOTTED, hover=hover) for x in (away, 1 - away)]


def _flip_notes() -> list[Trace]:
    """Return the labels of both flips."""
    arrow = {"arrowcolor": NEUTRAL, **PLATE}
    bound, near = (float(np.log10(x)) for x in (1 / FLIP_AT_BOUND, 0.06 / FLIP_ONE_SIDED))
    on, by = ("on a bound: range / scale = 1.127", "near one: distance / scale = 1.148")
    return [note(on, 0, bound, ax=90, ay=-8, **arrow), note(by, 0.06, near, ax=110, ay=4, **arrow)]


def flip_sentence() -> str:
    """Return the two places at which truncation and BIT change order, in words.

    >>> flip_sentence().split(".")[0]
    'At equal scale the order changes twice'
    """
    return (
        "At equal scale the order changes twice. With the value on a bound, truncation has "
        f"the larger error if the range exceeds {significant(FLIP_AT_BOUND, 4)} scales. With "
        "the other bound far away, it has the larger error within "
        f"{significant(FLIP_ONE_SIDED, 4)} scales of the near bound."
    )


# A private number of people in the scale of the noise: the leak, and the cure.

_POINTS = 241
_LEAST, _LARGEST = 0.2, 3.1
"""Powers of ten of the numbers of people that the page knows."""
_WIDTHS = 3
"""How many widths of the bounds the figure looks beyond them."""


def leak_picture(size: PrivateSize, *, widest: float) -> Picture:
    """Return how much each possible answer speaks for or against one person.

    The axes hold what the epsilon ``widest`` needs, so that no smaller one moves them.
    """
    bounds, epsilon = size.bounds, size.epsilon
    reach = _WIDTHS * bounds.width
    y = np.linspace(bounds.lower - reach, bounds.upper + reach, _POINTS)
    revealed = size.log_ratio(y)
    inside = np.linspace(bounds.lower, bounds.upper, _POINTS)
    ends = size.log_ratio_at_bounds()
    clamped = np.concatenate([[ends[0]], size.log_ratio(inside[1:-1]), [ends[1]]])
    bit = STYLES["bit"]
    far = abs(float(revealed[0]))
    largest = replace(size, epsilon=max(widest, epsilon))
    deepest = abs(float(largest.log_ratio(y[:1])[0]))
    return Picture.of(
        (
            f"Claimed ε = {epsilon_text(epsilon)}; an answer of {significant(y[0])} reveals "
            f"{epsilon_text(far)}, and farther out ever more"
        ),
        {"published mean": y, "log ratio, Laplace": revealed},
        drawn=f"A tent that falls on both sides without limit, to -{epsilon_text(far)} "
        f"at {significant(y[0])}. Clamped, it ends at the bounds, never farther from 0 "
        f"than {epsilon_text(size.clamped_level)}",
        traces=[
            line(y, revealed, "Laplace, not clamped", STYLES["laplace"]),
            line(inside, clamped, "BIT (clamped)", replace(bit, width=4)),
            points(
                [bounds.lower, bounds.upper],
                ends,
                "BIT at a bound",
                dot(bit.color, 10, bit.symbol),
                showlegend=False,
            ),
        ],
        shapes=[
            level(
                at,
                f"claimed: {word}{epsilon_text(epsilon)}",
                LineStyle(color=NEUTRAL, dash="dash"),
                textposition="start",
                yanchor="bottom" if at > 0 else "top",
            )
            for at, word in ((epsilon, "at most "), (-epsilon, "at least −"))
        ],
        xaxis=axis("published mean", range=[float(y[0]), float(y[-1])]),
        yaxis=axis(
            "log likelihood ratio", range=[-1.1 * deepest, largest.clamped_level + 0.15 * deepest]
        ),
    )


def price_picture(
    sizes: Sequence[PrivateSize],
    simulated: FloatArray,
    now: PrivateSize,
    *,
    place: float,
    epsilons: tuple[float, float],
) -> Picture:
    """Return the error of the noisy average beside that of a public number of people.

    ``simulated`` holds the typical error of the noisy average and its standard error,
    shape ``(m, 2)``, one row for each of ``sizes``; the last row is that of ``now``.
    The axes hold every epsilon of ``epsilons``, from the least to the largest.
    """
    people = np.array([size.people for size in sizes], dtype=np.float64)
    public = np.array([size.public_error(place) for size in sizes])
    noisy, error = simulated[:, 0], simulated[:, 1]
    order = np.argsort(people)
    more = float(noisy[-1] / public[-1]) - 1
    price = (
        f"{percent(more)} more error than with a public number"
        if more > 0
        else "no more error than with a public number"
    )
    powers = {"exponentformat": "power", "dtick": 1}
    # The ends of the errors that any epsilon has, as powers of ten.
    known = [
        replace(size, epsilon=epsilon).public_error(place) for size in sizes for epsilon in epsilons
    ]
    # Of many people and few: a noisy average errs a few times as much.
    low, high = whole_decades(min(known), 3.0 * max(known))
    return Picture.of(
        f"Hiding the number among {now.people} people costs {price}",
        {
            "people": people[order],
            "noisy average": noisy[order],
            "standard error": error[order],
            "number public (BIT)": public[order],
        },
        drawn=f"Typical error against the number of people. At {now.people} people: "
        f"noisy average {significant(float(noisy[-1]))}, public number "
        f"{significant(float(public[-1]))}",
        traces=[
            line(people[order], public[order], "number public (BIT)", STYLES["bit"]),
            points(
                people,
                noisy,
                "noisy average, simulated",
                dot(NEUTRAL, 9, "diamond"),
                error_y=interval(2 * error, thickness=1.2, width=3),
            ),
        ],
        xaxis=log_axis("number of people", range=[_LEAST, _LARGEST], **powers),
        yaxis=log_axis("typical error", range=[math.log10(low), math.log10(high)], **powers),
    )


# How many rows of each person should count: a figure of both errors.

_FLOOR = 1e-6
"""Errors below it are drawn there: nobody can tell them from none."""


def limits_picture(found: LimitErrors, limit: int, *, of: str, table: bool) -> Picture:
    """Return what is left out under each limit, the noise, and both together.

    ``limit`` is the one that is chosen, ``of`` what is asked for, ``table`` whether all
    that is computed from the table, and is CONFIDENTIAL then.
    """
    best, here = found.at(found.best), found.at(limit)
    rows = "1 row" if found.best == 1 else f"{found.best} rows"
    by = "in this table" if table else "by this guess"
    scale = "all rows" if of == "a count" else "the bounds' width"
    title = (
        f"At most {rows} of each make {of} err least {by}: "
        f"{percent(float(found.total[best]))} of {scale}"
    )
    if here != best:
        title += f"; with {limit} it is {percent(float(found.total[here]))}"
    curves = (
        ("left out", np.hypot(found.bias, found.choice), DOTTED),
        ("noise", found.noise, STYLES["laplace"]),
        ("both", found.total, LineStyle(color=NEUTRAL, width=3)),
    )
    ends = whole_decades(
        max(_FLOOR, float(min(found.total.min(), found.noise.min()))), float(found.total.max())
    )
    return Picture.of(
        title,
        {
            "at most so many rows": found.limits,
            "share of rows that count": found.kept,
            "bias": found.bias,
            "chance of the choice": found.choice,
            "noise": found.noise,
            "error in all": found.total,
        },
        drawn=(
            "Two curves cross: what a limit leaves out falls, and noise grows with it. "
            f"At {limit}, {percent(float(found.kept[here]))} of the rows count, and "
            f"the noise is {significant(float(found.noise[here]))} of {scale}"
        ),
        traces=[
            line(
                found.limits, np.maximum(y, _FLOOR), name, stroke, hover="at most %{x}: %{y:,.3~r}"
            )
            for name, y, stroke in curves
        ],
        shapes=[now(limit)],
        xaxis=log_axis("rows per person", range=[0.0, max(2.0, float(np.log10(limit)))]),
        yaxis=log_axis("typical error", range=[float(np.log10(end)) for end in ends]),
    )
