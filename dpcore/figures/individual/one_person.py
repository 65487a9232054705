"""One person's two laws, and what sticks out of one of them. CONFIDENTIAL picture."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from dpcore.figures.theme import CONFIDENTIAL, NEUTRAL, STROKES, Picture, frame
from dpcore.figures.wording import percent, significant

if TYPE_CHECKING:
    from collections.abc import Iterator

    from dpcore.data.bounds import FloatArray
    from dpcore.studies.individual.person_laws import Line

WITH, WITHOUT = "with the person", "without"
_FAINT = "rgba(127,127,127,0.12)"
_HEADROOM = 1.15
_LABELED = 0.02
_NEGLIGIBLE = 1e-12
_SMALLEST = 1e-290


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

    Below them stands the log of their ratio, with the band that ``epsilon`` allows:
    it shows how the laws differ where the eye cannot tell them apart.

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
    traces.append(
        {
            "type": "scatter",
            "x": line.x,
            "y": _log_ratio(line),
            "yaxis": "y3",
            "mode": "lines",
            "showlegend": False,
            "line": {"color": color, "width": 2.5},
            "hovertemplate": "%{x:.4g}: %{y:.3g}<extra>log of ratio</extra>",
        }
    )
    figure = frame(
        traces=traces,
        watermark=watermark,
        height=460,
        xaxis={"title": {"text": line.label}, "anchor": "y3"},
        yaxis={
            "title": {"text": "how likely"},
            "showticklabels": False,
            "range": [0, top],
            "domain": [0.42, 1],
        },
        yaxis3={"title": {"text": "log of ratio"}, "domain": [0, 0.34]},
        shapes=[_band(epsilon)],
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


def _log_ratio(line: Line) -> FloatArray:
    """Return ``log(with/without)``, NaN where a float cannot tell."""
    ratio = np.full(line.x.shape, np.nan)
    seen = (line.present > _SMALLEST) & (line.absent > _SMALLEST)
    ratio[seen] = np.log(line.present[seen]) - np.log(line.absent[seen])
    return ratio


def _band(epsilon: float) -> dict[str, Any]:
    return {
        "type": "rect",
        "xref": "paper",
        "yref": "y3",
        "x0": 0,
        "x1": 1,
        "y0": -epsilon,
        "y1": epsilon,
        "fillcolor": _FAINT,
        "line": {"width": 1, "color": NEUTRAL, "dash": "dot"},
        "layer": "below",
    }


def _laws_title(epsilon: float, delta: float, *, presence: bool) -> str:
    side = "with the person" if presence else "without the person"
    times = significant(float(np.exp(min(epsilon, 700.0))), up=True)
    if delta <= 0:
        return (
            f"At ε {significant(epsilon)} nothing sticks out: no release is more than "
            f"{times} times as likely in one world as in the other"
        )
    return (
        f"At ε {significant(epsilon)} a release may be {times} times as likely in one "
        f"world as in the other; what sticks out above that has probability "
        f"{delta_text(delta)} {side}"
    )


def delta_text(delta: float) -> str:
    """Return a delta, rounded up; a very small one as less than 1e-12.

    >>> delta_text(0.12345), delta_text(3e-40), delta_text(0.0)
    ('δ 0.124', 'δ below 1e-12', 'δ 0')
    """
    if 0 < delta < _NEGLIGIBLE:
        return "δ below 1e-12"
    return f"δ {significant(delta, up=True)}"


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
