"""What a secret sample is worth: the lemma, the Renyi curve, profiles, and errors."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from dpcore.figures.resampling.endings import ending, told_once
from dpcore.figures.resampling.subsampling_lines import EXACT, OTHER, SHARE, line, now
from dpcore.figures.theme import NEUTRAL, STROKES, Picture, frame
from dpcore.figures.wording import epsilon_text, percent, significant

if TYPE_CHECKING:
    from collections.abc import Mapping

    from dpcore.data.bounds import FloatArray
    from dpcore.privacy.subsampled import Law
    from dpcore.studies.resampling.subsampling_claims import (
        LemmaCurve,
        Measured,
        RenyiCurve,
    )

_CLAIM = {"color": "#D55E00", "dash": "dash", "width": 2.5}
_SMALLEST = 1e-300
_BOTTOM = 1e-12


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
    # Beyond the level without a sample the bound says nothing: it is left out.
    bound = np.where(curve.claimed <= ceiling, curve.claimed, np.nan)
    says = np.isfinite(bound)
    if says.any():
        ceiling = min(ceiling, 1.25 * float(max(bound[says].max(), curve.exact[-1])))
    else:
        ceiling = 1.1 * float(curve.exact[-1])
    lines: list[dict[str, Any]] = [
        *(
            [line(curve.rate, bound, "the source's bound", _CLAIM)]
            if says.any()
            else ()
        ),
        line(curve.rate, curve.one_sided, "if only joining is limited", OTHER),
        line(curve.rate, curve.exact, "exact", EXACT),
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
            "marker": {"color": "#6B6B6B", "symbol": "diamond", "size": 8},
            "hovertemplate": "%{x:.3g}: %{y:.3g}<extra>measured</extra>",
        },
    ]
    figure = frame(
        watermark=watermark,
        traces=lines,
        xaxis={"title": {"text": SHARE}, "range": [0, 1.02]},
        yaxis={"title": {"text": "ε of the answer"}, "range": [0, ceiling]},
        shapes=[now(at)],
    )
    exact = float(np.interp(at, curve.rate, curve.exact))
    claim = float(np.interp(at, curve.rate, curve.claimed))
    empty = claim >= curve.epsilon
    said = f"no more than {epsilon_text(curve.epsilon)}, which is empty"
    said = said if empty else epsilon_text(claim)
    title = (
        f"With {percent(at)} of the rows in a secret sample, ε "
        f"{epsilon_text(curve.epsilon)} becomes {epsilon_text(exact)}; the source's "
        f"bound says {said}"
    )
    table = pd.DataFrame(
        {
            SHARE: curve.rate,
            "exact ε": curve.exact,
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
            line(ends, level, "without a sample", {**OTHER, "color": NEUTRAL}),
            line(ends, np.full(2, curve.claimed_level), "if it shrank", _CLAIM),
            {
                **line(curve.order, curve.slope, "with the sample", EXACT),
                "mode": "lines+markers",
            },
        ],
        xaxis={"type": "log", "dtick": 1, "title": {"text": "order α (log scale)"}},
        yaxis={"title": {"text": "divergence over order"}, "rangemode": "tozero"},
    )
    title = (
        f"A sample of {percent(curve.rate)} leaves the zCDP level at ρ "
        f"{significant(curve.level)}: were it {significant(curve.claimed_level)}, "
        f"ε would be {epsilon_text(curve.claimed_epsilon)} at δ "
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
    lines, ends, table = [], [], {"ε": epsilon}
    for law, (whole, sampled) in profiles.items():
        color = STROKES[law].color
        for what, delta, dash in (
            ("whole table", whole, "dot"),
            ("sample", sampled, "solid"),
        ):
            style = {"color": color, "dash": dash, "width": 2.5}
            seen = np.where(delta > _SMALLEST, delta, np.nan)
            lines.append(line(epsilon, seen, f"{names[law]}, {what}", style))
            ends += ending(epsilon, delta, least=_BOTTOM, color=color)
            table[f"{names[law]}, {what}"] = delta
    figure = frame(
        watermark=watermark,
        traces=[*lines, *told_once(ends)],
        xaxis={"title": {"text": "privacy parameter ε"}},
        yaxis={
            "type": "log",
            "range": [-12, 0.1],
            "dtick": 3,
            "exponentformat": "power",
            "title": {"text": "δ: how often ε fails (log scale)"},
        },
    )
    parts = [
        f"{significant(float(whole[0]))} to {significant(float(one[0]))} ({names[law]})"
        for law, (whole, one) in profiles.items()
    ]
    title = (
        f"A secret sample of {percent(rate)} pulls the whole privacy profile down; at "
        f"ε 0 δ falls from {' and from '.join(parts)}"
    )
    return Picture(
        title=title,
        figure=figure,
        alt=f"Falling curves of δ against ε. {title}.",
        table=pd.DataFrame(table),
    )
