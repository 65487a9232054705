"""The resized bootstrap beside noise that does as well: errors, profiles, detection."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from dpcore.figures.resampling.resized_parts import (
    PUBLISHED,
    RARE,
    chance,
    line,
    whole,
)
from dpcore.figures.theme import NEUTRAL, STROKES, Picture, frame
from dpcore.figures.wording import epsilon_text, significant
from dpcore.studies.resampling import resized_alignments as alignments

if TYPE_CHECKING:
    from collections.abc import Sequence

    from dpcore.data.bounds import FloatArray
    from dpcore.mechanisms.resized_bootstrap import ResizedBootstrap
    from dpcore.studies.resampling.resized_alignments import Rival

_COLORS = {
    "claim": (STROKES["laplace"].color, "solid"),
    "pair": ("#56B4E9", "dash"),
    "advantage": ("#5F55C8", "longdash"),
    "error": ("#9C3D6E", "dashdot"),
    "uniform": ("#E69F00", "longdashdot"),
}
_POINTS = 101
_LEAST = 1e-6


def variance_picture(
    bootstrap: ResizedBootstrap,
    ones: int,
    rivals: Sequence[Rival],
    *,
    watermark: bool,
) -> Picture:
    """Return variances against the number of ones: claimed, real, and of rivals."""
    n = bootstrap.people
    most = max(1, n // 2)
    counts = np.unique(np.rint(np.geomspace(1, most, _POINTS)))
    real = bootstrap.variance(counts / n)
    claim = bootstrap.claimed_variance
    lines = {
        "resized bootstrap, really": (real, PUBLISHED.color, "dot"),
        "resized bootstrap, claimed": (np.full(len(counts), claim), RARE, "dash"),
    } | {
        rival.name: (np.full(len(counts), rival.variance), *_COLORS[rival.key])
        for rival in rivals
        if rival.key != "error"
    }
    here = float(bootstrap.variance(ones / n))
    title = (
        f"With {ones:,} ones in {n:,} the variance is {significant(here)}, "
        f"{significant(here / claim)} times the claim"
    )
    traces = [
        line(
            counts,
            values,
            name,
            {"color": color, "dash": dash, "width": 2.5},
            "%{x:,} ones: variance %{y:.3g}",
        )
        for name, (values, color, dash) in lines.items()
    ]
    return Picture(
        title=title,
        figure=frame(
            traces=traces,
            watermark=watermark,
            height=420,
            xaxis={
                "title": {"text": f"ones among {n:,} people (log scale)"},
                "type": "log",
                **whole(counts),
            },
            yaxis={
                "title": {"text": "variance of the share (log scale)"},
                "type": "log",
                "exponentformat": "power",
            },
        ),
        alt=(
            "The real variance rises with the number of ones; all others are flat. "
            f"{title}."
        ),
        table=pd.DataFrame(
            {"ones": counts} | {name: values for name, (values, *_) in lines.items()}
        ),
    )


def rivals_picture(
    bootstrap: ResizedBootstrap, ones: int, rival: Rival, *, watermark: bool
) -> Picture:
    """Return how often each epsilon fails: of scores, and of one rival."""
    finite = rival.epsilon if math.isfinite(rival.epsilon) else 0.0
    epsilon = np.linspace(
        0.0, max(1.3 * finite, 3 * bootstrap.claimed_epsilon), _POINTS
    )
    # Just below its level Laplace noise falls to 0 steeply.
    epsilon = np.union1d(epsilon, finite * (1 - np.geomspace(1e-6, 0.1, 12)))
    tau = bootstrap.delta()
    pairs = bootstrap.around(ones)
    here = np.array([max(pair.delta(x) for pair in pairs) for x in epsilon.tolist()])
    theirs = rival.deltas(epsilon)
    title = (
        f"{rival.name}: δ reaches 0 at ε {epsilon_text(rival.epsilon)}; the δ of "
        f"resized bootstraps stays at {significant(tau)} for a rare trait"
    )
    if rival.delta:
        width = 2 * math.sqrt(3 * rival.variance)
        title = (
            f"Uniform noise of width {significant(width)} fails at every ε, too, and "
            f"no more often: with probability {chance(tau)}"
        )
    return Picture(
        title=title,
        figure=frame(
            traces=_three(
                epsilon,
                {
                    "a rare trait": np.full(len(epsilon), tau),
                    f"{ones:,} ones": here,
                    rival.name: theirs,
                },
                rival,
                "ε %{x:.3g}: δ %{y:.3g}",
                least=_LEAST,
            ),
            watermark=watermark,
            xaxis={"title": {"text": "privacy parameter ε"}},
            yaxis={
                "title": {"text": "δ: how often ε fails (log scale)"},
                "type": "log",
                "range": [math.log10(_LEAST), 0],
                "exponentformat": "power",
            },
        ),
        alt=f"Three lines of δ against ε. {title}.",
        table=pd.DataFrame(
            {
                "ε": epsilon,
                "resized bootstrap, a rare trait": np.full(len(epsilon), tau),
                f"resized bootstrap, {ones:,} ones": here,
                rival.name: theirs,
            }
        ),
    )


def detection_picture(
    bootstrap: ResizedBootstrap, ones: int, rival: Rival, *, watermark: bool
) -> Picture:
    """Return the best chance of telling two tables apart: of scores, and of a rival."""
    alarm = np.concatenate([[0.0], np.geomspace(1e-4, 1.0, _POINTS - 1)])
    rare = alignments.detection(bootstrap, alarm)
    start = min(ones, bootstrap.people - 1)
    here = np.interp(alarm, *_upper(alignments.detection_around(bootstrap, start)))
    theirs = rival.detection(alarm)
    tau = bootstrap.delta()
    title = (
        f"Without any false alarm an attacker finds a rare trait {chance(tau)} of the "
        f"time in one score, and {chance(rival.certain)} against {rival.name}"
    )
    traces = _three(
        alarm,
        {"a rare trait": rare, f"{start:,} or {start + 1:,} ones": here}
        | {rival.name: theirs},
        rival,
        "false alarm %{x:.3f}: found %{y:.3f}",
    )
    blind = line(
        [0, 1], [0, 1], "guessing blindly", {"color": NEUTRAL, "dash": "dash"}, ""
    )
    return Picture(
        title=title,
        figure=frame(
            traces=[*traces, blind | {"hoverinfo": "skip", "hovertemplate": None}],
            watermark=watermark,
            xaxis={"title": {"text": "chance of a false alarm"}},
            yaxis={"title": {"text": "chance of finding the person"}},
        ),
        alt=f"Three lines above the diagonal. {title}.",
        table=pd.DataFrame(
            {
                "false alarm": alarm,
                "resized bootstrap, a rare trait": rare,
                f"resized bootstrap, {start:,} or {start + 1:,} ones": here,
                rival.name: theirs,
            }
        ),
    )


def _three(
    x: FloatArray,
    values: dict[str, FloatArray],
    rival: Rival,
    hover: str,
    *,
    least: float = 0.0,
) -> list[dict[str, object]]:
    styles = ((RARE, "dash"), (PUBLISHED.color, "dot"), _COLORS[rival.key])
    return [
        line(
            x,
            np.where(y >= least, y, np.nan),
            name,
            {"color": color, "dash": dash, "width": 2.5},
            hover,
        )
        for (name, y), (color, dash) in zip(values.items(), styles, strict=True)
    ]


def _upper(corners: tuple[FloatArray, FloatArray]) -> tuple[FloatArray, FloatArray]:
    """Return the corners with one detection, the best, at every false alarm."""
    alarm, found = corners
    distinct, first = np.unique(alarm[::-1], return_index=True)
    return distinct, found[::-1][first]
