"""The resized bootstrap beside noise that does as well: errors, profiles, detection."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from dpcore.figures.marks import Mark, line
from dpcore.figures.resampling.resized.parts import PUBLISHED, RARE, chance, whole
from dpcore.figures.theme import (
    GUIDE,
    STROKES,
    Picture,
    Stroke,
    axis,
    frame,
    log_axis,
    whole_decades,
)
from dpcore.studies.resampling.resized import alignments
from dpcore.wording import epsilon_text, significant

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from dpcore.arrays import FloatArray
    from dpcore.mechanisms.resized.bootstrap import ResizedBootstrap
    from dpcore.studies.resampling.resized.alignments import Rival

_STROKES = {
    "claim": Stroke(color=STROKES["laplace"].color),
    "pair": Stroke(color="#56B4E9", dash="dash"),
    "advantage": Stroke(color="#5F55C8", dash="longdash"),
    "error": Stroke(color="#9C3D6E", dash="dashdot"),
    "uniform": Stroke(color="#E69F00", dash="longdashdot"),
}
_RARE = Stroke(color=RARE, dash="dash")
_REAL = Stroke(color=PUBLISHED.color, dash="dot")
_POINTS = 101
_LEAST = 1e-6
_CLAIMS = 4.0
"""In claimed epsilons: the noise of the rivals reaches 0 at three at most."""


def variance_picture(
    bootstrap: ResizedBootstrap, ones: int, rivals: Sequence[Rival]
) -> Picture:
    """Return variances against the number of ones: claimed, real, and of rivals."""
    n = bootstrap.people
    most = max(1, n // 2)
    counts = np.unique(np.rint(np.geomspace(1, most, _POINTS)))
    real = bootstrap.variance(counts / n)
    claim = bootstrap.claimed_variance
    lines = {
        "resized bootstrap, really": (real, _REAL),
        "resized bootstrap, claimed": (np.full(len(counts), claim), _RARE),
    } | {
        rival.name: (np.full(len(counts), rival.variance), _STROKES[rival.key])
        for rival in rivals
        if rival.key != "error"
    }
    here = float(bootstrap.variance(ones / n))
    title = (
        f"With {ones:,} ones in {n:,} the variance is {significant(here)}, "
        f"{significant(here / claim)} times the claim"
    )
    hover = "%{x:,} ones: variance %{y:.3g}"
    traces = [
        line(counts, values, name, stroke, hover=hover)
        for name, (values, stroke) in lines.items()
    ]
    return Picture.of(
        title,
        frame(
            traces=traces,
            height=420,
            xaxis=log_axis(f"ones among {n:,} people", **whole(counts)),
            # Powers of ten around all of them seldom move with epsilon.
            yaxis=log_axis("variance of the share", *whole_decades(*_ends(lines))),
        ),
        "The real variance rises with the number of ones; all others are flat",
        pd.DataFrame(
            {"ones": counts} | {name: values for name, (values, _) in lines.items()}
        ),
    )


def _ends(lines: Mapping[str, tuple[FloatArray, Stroke]]) -> tuple[float, float]:
    known = np.concatenate([values[values > 0] for values, _ in lines.values()])
    return float(known.min()), float(known.max())


def rivals_picture(bootstrap: ResizedBootstrap, ones: int, rival: Rival) -> Picture:
    """Return how often each epsilon fails: of scores, and of one rival."""
    finite = rival.epsilon if math.isfinite(rival.epsilon) else 0.0
    epsilon = np.linspace(
        0.0, max(1.3 * finite, _CLAIMS * bootstrap.claimed_epsilon), _POINTS
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
    return Picture.of(
        title,
        frame(
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
            xaxis=axis(
                "privacy parameter ε (scaled to the claim)",
                range=[0, float(epsilon[-1])],
            ),
            yaxis=log_axis(
                "δ: how often ε fails",
                range=[math.log10(_LEAST), 0],
                exponentformat="power",
            ),
        ),
        "Three lines of δ against ε",
        pd.DataFrame(
            {
                "ε": epsilon,
                "resized bootstrap, a rare trait": np.full(len(epsilon), tau),
                f"resized bootstrap, {ones:,} ones": here,
                rival.name: theirs,
            }
        ),
    )


def detection_picture(bootstrap: ResizedBootstrap, ones: int, rival: Rival) -> Picture:
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
    blind = line([0, 1], [0, 1], "guessing blindly", GUIDE, hover="")
    return Picture.of(
        title,
        frame(
            traces=[*traces, blind],
            xaxis=axis("chance of a false alarm", range=[0, 1]),
            yaxis=axis("chance of finding the person", range=[0, 1.03]),
        ),
        "Three lines above the diagonal",
        pd.DataFrame(
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
) -> list[Mark]:
    strokes = (_RARE, _REAL, _STROKES[rival.key])
    return [
        line(x, np.where(y >= least, y, np.nan), name, stroke, hover=hover)
        for (name, y), stroke in zip(values.items(), strokes, strict=True)
    ]


def _upper(corners: tuple[FloatArray, FloatArray]) -> tuple[FloatArray, FloatArray]:
    """Return the corners with one detection, the best, at every false alarm."""
    alarm, found = corners
    distinct, first = np.unique(alarm[::-1], return_index=True)
    return distinct, found[::-1][first]
