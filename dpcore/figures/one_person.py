"""One person's two laws, and the profile that follows. CONFIDENTIAL pictures."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from dpcore.figures.theme import CONFIDENTIAL, NEUTRAL, STROKES, Picture, frame
from dpcore.figures.wording import epsilon_text, percent, significant
from dpcore.studies.person_bounds import DELTAS, at_delta

if TYPE_CHECKING:
    from collections.abc import Iterator

    from dpcore.data.bounds import FloatArray
    from dpcore.studies.person_bounds import BoundCurve, Profile
    from dpcore.studies.person_laws import Line

WITH, WITHOUT = "with the person", "without"
_FAINT = "rgba(127,127,127,0.12)"
_HEADROOM = 1.15
_LABELED = 0.02
_DASHES = ("dash", "dot", "dashdot", "longdash", "longdashdot")


def laws_picture(
    line: Line,
    *,
    epsilon: float,
    delta: float,
    presence: bool,
    key: str,
    watermark: bool,
) -> Picture:
    """Return both laws, with the hockey-stick area at ``epsilon`` shaded.

    Args:
        line: The laws of the number that matters.
        epsilon: The level that is allowed for free.
        delta: What is left above it.
        presence: Whether the law with the person is the one that sticks out.
        key: Key of the mechanism, for its color.
        watermark: Whether the picture is for the classroom only.

    """
    color = STROKES[key].color
    looks = (
        (line.present, WITH, color, "solid"),
        (line.absent, WITHOUT, NEUTRAL, "dash"),
    )
    above, below = (
        (line.present, line.absent) if presence else (line.absent, line.present)
    )
    with np.errstate(over="ignore", invalid="ignore"):
        allowed = np.exp(min(epsilon, 700.0)) * below
    known = np.concatenate([line.present, line.absent])
    top = float(np.max(known[np.isfinite(known)], initial=0.0)) * _HEADROOM or 1.0
    traces: list[dict[str, Any]] = [
        {
            "type": "scatter",
            "x": line.x,
            "y": np.where(np.isfinite(density), density, np.nan),
            "mode": "lines",
            "name": name,
            "line": {"color": shade, "dash": dash, "width": 2.5},
            "fill": "tozeroy",
            "fillcolor": _FAINT,
            "hovertemplate": "%{x:.4g}<extra>%{fullData.name}</extra>",
        }
        for density, name, shade, dash in looks
    ]
    other = WITHOUT if presence else WITH
    traces.append(
        {
            "type": "scatter",
            "x": line.x,
            "y": np.minimum(allowed, 2 * top),
            "mode": "lines",
            "name": f"e^ε times “{other}”",
            "line": {"color": NEUTRAL, "dash": "dot", "width": 1.5},
            "hoverinfo": "skip",
        }
    )
    traces += [
        {
            "type": "scatter",
            "x": x,
            "y": y,
            "mode": "none",
            "fill": "toself",
            "fillcolor": CONFIDENTIAL,
            "opacity": 0.7,
            "name": "δ: sticks out",
            "showlegend": place == 0,
            "hoverinfo": "skip",
        }
        for place, (x, y) in enumerate(_excesses(line.x, above, allowed))
    ]
    traces += _spikes(line, color)
    figure = frame(
        traces=traces,
        watermark=watermark,
        height=400,
        xaxis={"title": {"text": line.label}},
        yaxis={
            "title": {"text": "how likely"},
            "showticklabels": False,
            "range": [0, top],
        },
        yaxis2={
            "overlaying": "y",
            "side": "right",
            "range": [0, _HEADROOM],
            "visible": False,
        },
    )
    title = _laws_title(epsilon, delta, presence=presence)
    table = pd.DataFrame(
        {"x": line.x, WITH: line.present, WITHOUT: line.absent}
    ).rename(columns={"x": line.label})
    return Picture(
        title=title,
        figure=figure,
        alt=f"The law of {line.label}, with the person and without. {title}."
        f"{_spikes_text(line)}",
        table=table,
    )


def _laws_title(epsilon: float, delta: float, *, presence: bool) -> str:
    side = "with the person" if presence else "without the person"
    times = significant(float(np.exp(min(epsilon, 700.0))), up=True)
    if delta <= 0:
        return (
            f"At ε {significant(epsilon)} nothing sticks out: no release is more than "
            f"{times} times as likely in one world as in the other"
        )
    return (
        f"What sticks out above {times} times the other law (ε {significant(epsilon)}) "
        f"has probability δ {significant(delta, up=True)} {side}"
    )


def _excesses(
    x: FloatArray, above: FloatArray, allowed: FloatArray
) -> Iterator[tuple[FloatArray, FloatArray]]:
    """Yield the outline of every piece where ``above`` exceeds what is allowed."""
    with np.errstate(invalid="ignore"):
        outside = above > allowed
    edges = np.flatnonzero(np.diff(outside, prepend=False, append=False))
    for start, stop in edges.reshape(-1, 2):
        part = slice(start, stop)
        yield (
            np.concatenate([x[part], x[part][::-1]]),
            np.concatenate([above[part], allowed[part][::-1]]),
        )


def _spikes(line: Line, color: str) -> list[dict[str, Any]]:
    width = float(line.x[-1] - line.x[0])
    traces = []
    for spike in line.spikes:
        inward = 1 if spike.at < line.x[len(line.x) // 2] else -1
        for share, aside, shade, dash in (
            (spike.present, 0, color, "solid"),
            (spike.absent, 1, NEUTRAL, "dash"),
        ):
            at = spike.at + inward * aside * 0.008 * width
            label = f"exactly {significant(spike.at)}: {percent(share)}"
            traces.append(
                {
                    "type": "scatter",
                    "x": [at, at],
                    "y": [0, share],
                    "yaxis": "y2",
                    "mode": "lines+markers+text",
                    "text": ["", label if share > _LABELED and not aside else ""],
                    "textposition": f"middle {'right' if inward > 0 else 'left'}",
                    "showlegend": False,
                    "cliponaxis": False,
                    "line": {"color": shade, "dash": dash, "width": 2.5},
                    "marker": {"color": shade, "size": [0, 9]},
                    "hovertemplate": "%{y:.4f} exactly on the bound<extra></extra>",
                }
            )
    return traces


def _spikes_text(line: Line) -> str:
    return "".join(
        f" Exactly {significant(spike.at)} is released with probability "
        f"{percent(spike.present)} with the person and {percent(spike.absent)} without."
        for spike in line.spikes
    )


def bounds_picture(
    profile: Profile, *, delta: float, own: float, key: str, watermark: bool
) -> Picture:
    """Return the exact profile with published bounds; dotted where they understate.

    Args:
        profile: The profile of one person.
        delta: Where bounds are compared.
        own: The person's exact epsilon there.
        key: Key of the mechanism, for its color.
        watermark: Whether the picture is for the classroom only.

    """
    shown = profile.delta > 0
    traces: list[dict[str, Any]] = [
        {
            "type": "scatter",
            "x": profile.epsilon[shown],
            "y": profile.delta[shown],
            "mode": "lines",
            "name": "exact",
            "line": {"color": STROKES[key].color, "width": 3.5},
            "hovertemplate": "ε %{x:.4g}: δ %{y:.3g}<extra>exact</extra>",
        }
    ]
    for place, bound in enumerate(profile.bounds):
        traces += _bound_traces(bound, _DASHES[place % len(_DASHES)])
    figure = frame(
        traces=traces,
        watermark=watermark,
        height=440,
        xaxis={"title": {"text": "ε: the log of the ratio that is allowed"}},
        yaxis={
            "type": "log",
            "exponentformat": "power",
            "title": {"text": "δ: what sticks out (log scale)"},
            "range": [-12, 0],
        },
        legend={"orientation": "h", "yanchor": "top", "y": -0.2, "x": 0},
        margin={"l": 60, "r": 24, "t": 24, "b": 120},
    )
    wrong = [
        bound for bound in profile.bounds if at_delta(bound, delta) < own * (1 - 1e-6)
    ]
    title = (
        f"At δ {significant(delta)} this person's loss is exactly {epsilon_text(own)}"
    )
    if wrong:
        least = min(wrong, key=lambda bound: at_delta(bound, delta))
        said = significant(at_delta(least, delta))
        title += f"; “{least.label}” says {said}, and promises too much"
    elif profile.bounds:
        title += "; all bounds shown are above it there"
    table = pd.DataFrame(
        {"delta": DELTAS} | {b.label: b.epsilon for b in profile.bounds}
    )
    if not profile.bounds:
        table = pd.DataFrame({"epsilon": profile.epsilon, "delta": profile.delta})
    return Picture(
        title=title,
        figure=figure,
        alt=f"The profile of one person's loss, delta against epsilon. {title}.",
        table=table,
    )


def _bound_traces(bound: BoundCurve, dash: str) -> list[dict[str, Any]]:
    """Return the curve of a bound, and crosses where it lies below the loss."""
    mark = "as published" if bound.published else "corrected or always valid"
    curve = {
        "type": "scatter",
        "x": bound.epsilon,
        "y": DELTAS,
        "mode": "lines",
        "name": bound.label,
        "line": {"color": NEUTRAL, "dash": dash, "width": 1.8},
        "hovertemplate": "ε %{x:.4g} at δ %{y:.3g}"
        f"<extra>{bound.label}, {mark}</extra>",
    }
    wrong = bound.understates
    if not wrong.any():
        return [curve]
    places = np.flatnonzero(wrong)[:: max(1, int(wrong.sum()) // 12)]
    crosses = {
        "type": "scatter",
        "x": bound.epsilon[places],
        "y": DELTAS[places],
        "mode": "markers",
        "name": f"{bound.label}: understates",
        "marker": {"color": CONFIDENTIAL, "symbol": "x", "size": 8},
        "hovertemplate": "below the loss: ε %{x:.4g} at δ %{y:.3g}<extra></extra>",
    }
    return [curve, crosses]
