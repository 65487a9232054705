"""What a secret sample is worth: the lemma, the Renyi curve, profiles, and errors."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from dpcore.figures.theme import NEUTRAL, STROKES, Picture, frame, plain
from dpcore.figures.wording import epsilon_text, percent, significant

if TYPE_CHECKING:
    from collections.abc import Mapping

    from dpcore.data.bounds import FloatArray
    from dpcore.privacy.subsampled import Law
    from dpcore.studies.subsampling import ErrorParts, SimulatedErrors
    from dpcore.studies.subsampling_claims import LemmaCurve, Measured, RenyiCurve

_EXACT = {"color": "#0072B2", "dash": "solid", "width": 3}
_CLAIM = {"color": "#D55E00", "dash": "dash", "width": 2.5}
_OTHER = {"color": "#CC79A7", "dash": "dashdot", "width": 2.5}
_SHARE = "share of the rows in the sample"
_SMALLEST = 1e-300


def lemma_picture(
    curve: LemmaCurve, measured: Measured, *, at: float, watermark: bool
) -> Picture:
    """Return the epsilon against the share of rows: claimed, measured and exact.

    Args:
        curve: What is claimed and what is exact.
        measured: What simulated releases show.
        at: The share that the page is set to.
        watermark: Whether the picture is for the classroom only.

    """
    shown = np.isfinite(measured.estimate)
    center = np.where(shown, measured.estimate, np.nan)
    ceiling = max(float(curve.exact[-1]) * 2.5, float(curve.exact[-1]) + 0.5)
    lines: list[dict[str, Any]] = [
        _line(curve.rate, curve.claimed, "the source's bound", _CLAIM),
        _line(curve.rate, curve.one_sided, "if only joining is limited", _OTHER),
        _line(curve.rate, curve.exact, "exact", _EXACT),
        {
            "type": "scatter",
            "x": measured.rate[shown],
            "y": center[shown],
            "error_y": {
                "type": "data",
                "symmetric": False,
                "array": np.minimum(measured.high - center, ceiling)[shown],
                "arrayminus": np.minimum(center - measured.low, ceiling)[shown],
                "thickness": 1.5,
                "width": 4,
            },
            "mode": "markers",
            "name": "measured",
            "marker": {"color": "#4D4D4D", "symbol": "diamond", "size": 8},
            "hovertemplate": "%{x:.3g}: %{y:.3g}<extra>measured</extra>",
        },
    ]
    figure = frame(
        watermark=watermark,
        traces=lines,
        xaxis={"title": {"text": _SHARE}, "range": [0, 1.02]},
        yaxis={"title": {"text": "epsilon of the answer"}, "range": [0, ceiling]},
        shapes=[_now(at)],
    )
    exact = float(np.interp(at, curve.rate, curve.exact))
    claim = float(np.interp(at, curve.rate, curve.claimed))
    title = (
        f"With {percent(at)} of the rows in a secret sample, epsilon "
        f"{epsilon_text(curve.epsilon)} becomes {epsilon_text(exact)}; the source's "
        f"bound says {epsilon_text(claim)}"
    )
    table = pd.DataFrame(
        {
            _SHARE: curve.rate,
            "exact epsilon": curve.exact,
            "the source's bound": curve.claimed,
            "if only joining is limited": curve.one_sided,
        }
    )
    alt = (
        f"{title}. Measured on {measured.draws:,} simulated releases with and without "
        "one person, at "
        + ", ".join(
            f"{percent(float(q))}: {significant(float(e))}"
            for q, e in zip(measured.rate[shown], center[shown], strict=True)
        )
        + "."
    )
    return Picture(title=title, figure=figure, alt=alt, table=table)


def renyi_picture(curve: RenyiCurve, *, watermark: bool) -> Picture:
    """Return divergence over order, which climbs to the level without a sample."""
    ends = curve.order[[0, -1]]
    level = np.full(2, curve.level)
    figure = frame(
        watermark=watermark,
        traces=[
            _line(ends, level, "without a sample", {**_OTHER, "color": NEUTRAL}),
            _line(ends, np.full(2, curve.claimed_level), "if it shrank", _CLAIM),
            {
                **_line(curve.order, curve.slope, "with the sample", _EXACT),
                "mode": "lines+markers",
            },
        ],
        xaxis={"type": "log", "title": {"text": "order α (log scale)"}},
        yaxis={"title": {"text": "divergence over order"}, "rangemode": "tozero"},
    )
    title = (
        f"A sample of {percent(curve.rate)} leaves the zCDP level at ρ "
        f"{significant(curve.level)}: were it {significant(curve.claimed_level)}, "
        f"epsilon would be {epsilon_text(curve.claimed_epsilon)} at delta "
        f"{significant(curve.delta)}, and it is {epsilon_text(curve.exact_epsilon)}"
    )
    table = pd.DataFrame({"order": curve.order, "divergence over order": curve.slope})
    return Picture(
        title=title,
        figure=figure,
        alt=f"A curve that climbs from {significant(float(curve.slope[0]))} at order "
        f"2 to the level without a sample. {title}.",
        table=table,
    )


def profile_picture(
    epsilon: FloatArray,
    profiles: Mapping[Law, tuple[FloatArray, FloatArray]],
    *,
    rate: float,
    watermark: bool,
) -> Picture:
    """Return delta against epsilon, of noise on the table and on a sample.

    Args:
        epsilon: Shape ``(m,)``, ascending.
        profiles: For each law of noise, delta without and with the sample.
        rate: Share of the rows in the sample.
        watermark: Whether the picture is for the classroom only.

    """
    names = {"laplace": "Laplace", "gaussian": "Gaussian"}
    lines, table = [], {"epsilon": epsilon}
    for law, (whole, sampled) in profiles.items():
        color = STROKES[law].color
        for what, delta, dash in (
            ("whole table", whole, "dot"),
            ("sample", sampled, "solid"),
        ):
            style = {"color": color, "dash": dash, "width": 2.5}
            seen = np.where(delta > _SMALLEST, delta, np.nan)
            lines.append(_line(epsilon, seen, f"{names[law]}, {what}", style))
            table[f"{names[law]}, {what}"] = delta
    figure = frame(
        watermark=watermark,
        traces=lines,
        xaxis={"title": {"text": "epsilon"}},
        yaxis={
            "type": "log",
            "range": [-12, 0.1],
            "dtick": 3,
            "exponentformat": "power",
            "title": {"text": "delta (log scale)"},
        },
    )
    parts = [
        f"{significant(float(whole[0]))} to {significant(float(one[0]))} ({names[law]})"
        for law, (whole, one) in profiles.items()
    ]
    title = (
        f"A secret sample of {percent(rate)} pulls the whole privacy profile down; at "
        f"epsilon 0 delta falls from {' and from '.join(parts)}"
    )
    return Picture(
        title=title,
        figure=figure,
        alt=f"Falling curves of delta against epsilon. {title}.",
        table=pd.DataFrame(table),
    )


def error_picture(
    parts: ErrorParts,
    *,
    full: float,
    simulated: SimulatedErrors | None,
    at: float,
    unit: str,
    watermark: bool,
) -> Picture:
    """Return the typical error of a release from a sample, and of one from all rows.

    Args:
        parts: Sampling and noise variances over the shares.
        full: Mean squared error of releasing from the whole table.
        simulated: The experiment, where there is one.
        at: The share that the page is set to.
        unit: Unit of the statistic; empty if it has none.
        watermark: Whether the picture is for the classroom only.

    """
    total, whole = np.sqrt(parts.total), float(np.sqrt(full))
    label = f"typical error{f', {unit}' if unit else ''}"
    lines = [
        _line(parts.rate, np.sqrt(parts.noise), "noise", _OTHER),
        _line(
            parts.rate,
            np.where(parts.sampling > 0, np.sqrt(parts.sampling), np.nan),
            "who is sampled",
            {"color": "#009E73", "dash": "dot", "width": 2.5},
        ),
        _line(parts.rate, total, "both", _EXACT),
        _line(
            parts.rate[[0, -1]],
            np.full(2, whole),
            "all rows, same epsilon",
            {"color": NEUTRAL, "dash": "dash", "width": 2.5},
        ),
    ]
    if simulated is not None:
        lines.append(
            {
                "type": "scatter",
                "x": simulated.rate,
                "y": simulated.rmse,
                "error_y": {"array": simulated.error, "thickness": 1.2, "width": 3},
                "mode": "markers",
                "name": "simulated",
                "marker": {"color": "#4D4D4D", "symbol": "diamond", "size": 7},
                "hovertemplate": "%{y:.4g}<extra>simulated</extra>",
            }
        )
    figure = frame(
        watermark=watermark,
        traces=lines,
        xaxis={"type": "log", "title": {"text": f"{_SHARE} (log scale)"}},
        yaxis={
            "type": "log",
            "exponentformat": "power",
            "title": {"text": plain(f"{label} (log scale)")},
        },
        shapes=[_now(at)],
    )
    here = float(np.exp(np.interp(np.log(at), np.log(parts.rate), np.log(total))))
    suffix = f" {unit}" if unit else ""
    title = (
        f"At the same final epsilon, a release from {percent(at)} of the rows is off "
        f"by {significant(here)}{suffix}, one from all rows by "
        f"{significant(whole)}{suffix}: {significant(here / whole)} times less"
    )
    table = pd.DataFrame(
        {
            _SHARE: parts.rate,
            "error from who is sampled": np.sqrt(parts.sampling),
            "error from noise": np.sqrt(parts.noise),
            "both": total,
        }
    )
    return Picture(
        title=title,
        figure=figure,
        alt=f"Curves that fall as the sample grows, down to that of all rows. {title}.",
        table=table,
    )


def _line(
    x: FloatArray, y: FloatArray, name: str, style: Mapping[str, Any]
) -> dict[str, Any]:
    return {
        "type": "scatter",
        "x": x,
        "y": y,
        "mode": "lines",
        "name": name,
        "line": dict(style),
        "hovertemplate": "%{x:.3g}: %{y:.4g}<extra>%{fullData.name}</extra>",
    }


def _now(at: float) -> dict[str, Any]:
    return {
        "type": "line",
        "x0": at,
        "x1": at,
        "yref": "paper",
        "y0": 0,
        "y1": 1,
        "line": {"color": "rgba(127,127,127,0.6)", "width": 1},
        "label": {"text": "now", "textposition": "end"},
    }
