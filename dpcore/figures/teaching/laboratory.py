"""Two worlds side by side, and the evidence that a release gives."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from dpcore.figures.theme import NEUTRAL, STROKES, Picture, frame
from dpcore.figures.wording import epsilon_text, percent, significant

if TYPE_CHECKING:
    from collections.abc import Iterator

    from dpcore.data.bounds import FloatArray
    from dpcore.studies.teaching.laboratory import Meter, Setup, TwoWorlds

_RELEASE = "released number (0 and 1 are the bounds)"
_BAND = "rgba(127,127,127,0.16)"
_FAINT = "rgba(127,127,127,0.10)"
_ASIDE = 0.006
_HEADROOM = 1.3
_SAME = 1e-9
_HALF = 0.5
_LABELED = 0.05
_MARGIN = 0.02


def worlds_picture(
    worlds: TwoWorlds, meter: Meter, *, setup: Setup, watermark: bool
) -> Picture:
    """Return both laws, and under them the log ratio with the promised band.

    Points that are released with positive probability are lollipops, whose height is
    that probability; below they are single dots.
    """
    color, epsilon = STROKES[setup.key].color, meter.nominal
    names = tuple(f"value {significant(at)}" for at in worlds.positions)
    looks = ((color, "solid"), (NEUTRAL, "dash"))
    top = _HEADROOM * max(epsilon, min(worlds.largest, 3 * epsilon))
    title = _takeaway(worlds, meter, setup)
    figure = frame(
        watermark=watermark,
        height=400,
        traces=[
            *_densities(worlds, names, looks),
            *_lollipops(worlds, looks),
            *_evidence(worlds, epsilon, setup.key),
        ],
        xaxis={
            "title": {"text": _RELEASE},
            "anchor": "y2",
            "range": [worlds.x[0] - _MARGIN, worlds.x[-1] + _MARGIN],
        },
        yaxis={
            "domain": [0.56, 1],
            "showticklabels": False,
            "rangemode": "tozero",
            "title": {"text": "how likely"},
        },
        yaxis2={
            "domain": [0, 0.5],
            "range": [-top, top],
            "title": {"text": "log of ratio"},
        },
        yaxis3={
            "overlaying": "y",
            "anchor": "x",
            "range": [0, 1.2],
            "visible": False,
        },
        shapes=[_band(epsilon)],
        annotations=_labels(worlds, meter),
        showlegend=True,
        legend={
            "orientation": "h",
            "yanchor": "bottom",
            "y": 1.0,
            "x": 1,
            "xanchor": "right",
            "traceorder": "normal",
        },
    )
    table = pd.DataFrame({"release": worlds.x, "log of ratio": worlds.log_ratio})
    for name, density in zip(names, (worlds.first, worlds.second), strict=True):
        table[f"density, {name}"] = density
    alt = _description(worlds, meter, title)
    return Picture(title=title, figure=figure, alt=alt, table=table)


def _densities(
    worlds: TwoWorlds, names: tuple[str, ...], looks: tuple[tuple[str, str], ...]
) -> list[dict[str, Any]]:
    return [
        {
            "type": "scatter",
            "x": worlds.x,
            "y": np.where(np.isfinite(density), density, np.nan),
            "mode": "lines",
            "name": name,
            "line": {"color": color, "dash": dash, "width": 2.5},
            "fill": "tozeroy",
            "fillcolor": _FAINT,
            "hovertemplate": "%{x:.3f}<extra>%{fullData.name}</extra>",
        }
        for density, name, (color, dash) in zip(
            (worlds.first, worlds.second), names, looks, strict=True
        )
    ]


def _lollipops(
    worlds: TwoWorlds, looks: tuple[tuple[str, str], ...]
) -> list[dict[str, Any]]:
    traces = []
    for atom in worlds.atoms:
        inward = 1 if atom.at < _HALF else -1
        ends = ((atom.first, 0), (atom.second, 2))
        for (share, aside), (color, dash) in zip(ends, looks, strict=True):
            x = atom.at + inward * aside * _ASIDE
            label = f"exactly {atom.at:g}: {percent(share)}"
            traces.append(
                {
                    "type": "scatter",
                    "x": [x, x],
                    "y": [0, share],
                    "yaxis": "y3",
                    "mode": "lines+markers+text",
                    "text": ["", label if share > _LABELED else ""],
                    "textposition": f"middle {'right' if inward > 0 else 'left'}",
                    "showlegend": False,
                    "cliponaxis": False,
                    "line": {"color": color, "dash": dash, "width": 2.5},
                    "marker": {"color": color, "size": [0, 9]},
                    "hovertemplate": "%{y:.3f} exactly on the bound<extra></extra>",
                }
            )
    return traces


def _evidence(worlds: TwoWorlds, epsilon: float, key: str) -> list[dict[str, Any]]:
    stroke = STROKES[key]
    traces: list[dict[str, Any]] = [
        {
            "type": "scatter",
            "x": worlds.x,
            "y": worlds.log_ratio,
            "yaxis": "y2",
            "mode": "lines",
            "showlegend": False,
            "line": {"color": stroke.color, "width": 2.5},
            "hovertemplate": "%{x:.3f}: %{y:.3f}<extra>log of ratio</extra>",
        }
    ]
    traces += [
        {
            "type": "scatter",
            "x": x,
            "y": y,
            "yaxis": "y2",
            "mode": "none",
            "fill": "toself",
            "fillcolor": stroke.color,
            "showlegend": False,
            "hoverinfo": "skip",
        }
        for x, y in _excesses(worlds, epsilon)
    ]
    if worlds.atoms:
        traces.append(
            {
                "type": "scatter",
                "x": [atom.at for atom in worlds.atoms],
                "y": [atom.log_ratio for atom in worlds.atoms],
                "yaxis": "y2",
                "mode": "markers",
                "showlegend": False,
                "cliponaxis": False,
                "marker": {"color": stroke.color, "size": 9},
                "hovertemplate": "exactly %{x:g}: %{y:.3f}<extra></extra>",
            }
        )
    return traces


def _excesses(
    worlds: TwoWorlds, epsilon: float
) -> Iterator[tuple[FloatArray, FloatArray]]:
    """Yield the outline of every piece of the line that lies outside the band."""
    most = epsilon * (1 + _SAME)
    with np.errstate(invalid="ignore"):
        sides = ((worlds.log_ratio > most, 1), (worlds.log_ratio < -most, -1))
    for outside, sign in sides:
        edges = np.flatnonzero(np.diff(outside, prepend=False, append=False))
        for start, stop in edges.reshape(-1, 2):
            x, y = worlds.x[start:stop], worlds.log_ratio[start:stop]
            band = np.full(x.shape, sign * epsilon)
            yield np.concatenate([x, x[::-1]]), np.concatenate([y, band])


def _band(epsilon: float) -> dict[str, Any]:
    return {
        "type": "rect",
        "xref": "paper",
        "yref": "y2",
        "x0": 0,
        "x1": 1,
        "y0": -epsilon,
        "y1": epsilon,
        "fillcolor": _BAND,
        "line": {"width": 1, "color": NEUTRAL, "dash": "dash"},
        "layer": "below",
    }


def _labels(worlds: TwoWorlds, meter: Meter) -> list[dict[str, Any]]:
    label = {
        "xref": "paper",
        "yref": "y2",
        "x": 1,
        "xanchor": "right",
        "showarrow": False,
    }
    labels: list[dict[str, Any]] = [
        label
        | {
            "y": meter.nominal,
            "yanchor": "top",
            "text": f"promised: at most ±{significant(meter.nominal)}",
        }
    ]
    if not meter.holds and worlds.largest > meter.nominal * (1 + _SAME):
        at = int(np.nanargmax(np.abs(worlds.log_ratio)))
        left = worlds.x[at] < _HALF
        labels.append(
            {
                "xref": "x",
                "yref": "y2",
                "x": worlds.x[at],
                "y": worlds.log_ratio[at],
                "ax": 60 if left else -60,
                "ay": 0,
                "xanchor": "left" if left else "right",
                "arrowcolor": NEUTRAL,
                "text": f"<b>given away here: {epsilon_text(worlds.largest)}</b>",
            }
        )
    return labels


def _takeaway(worlds: TwoWorlds, meter: Meter, setup: Setup) -> str:
    promised = significant(math.exp(meter.nominal), up=True)
    found = significant(math.exp(worlds.largest), up=True)
    inside = worlds.largest <= meter.nominal * (1 + _SAME)
    if not meter.holds and not inside:
        return (
            f"Near the bound a release is up to {found} times as likely in one world "
            f"as in the other; at most {promised} times was promised"
        )
    if not meter.holds:
        return (
            f"For these two values no release is more than {found} times as likely in "
            "one world as in the other; move the value to a bound to see the promise "
            "break"
        )
    if not inside:
        return (
            "The line leaves the band in the tails only, which are hit with "
            f"probability at most {significant(setup.delta)} (delta)"
        )
    if setup.delta > 0:
        return (
            f"No release drawn here is more than {found} times as likely in one world "
            f"as in the other; farther out the promise of {promised} times fails with "
            f"probability {significant(setup.delta)} (delta) at most"
        )
    return (
        f"No release is more than {found} times as likely in one world as in the "
        f"other: the promise of at most {promised} times is kept"
    )


def _description(worlds: TwoWorlds, meter: Meter, title: str) -> str:
    first, second = (significant(at) for at in worlds.positions)
    spikes = "".join(
        f" Exactly {atom.at:g} is released with probability {percent(atom.first)} or "
        f"{percent(atom.second)}, log ratio {significant(atom.log_ratio)}."
        for atom in worlds.atoms
    )
    return (
        f"Above, the laws of the release for the values {first} and {second}; below, "
        f"the logarithm of their ratio with a band of ±{significant(meter.nominal)}."
        f"{spikes} {title}."
    )
