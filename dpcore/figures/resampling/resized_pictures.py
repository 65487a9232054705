"""The resized bootstrap in pictures: its profile and scores, attacks, and rivals.

The rivals are noise that does as well: by their errors, profiles and detection.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from dpcore.arrays import FloatArray
from dpcore.figures.resampling.subsampling import ending, labeled_once
from dpcore.figures.theme import (
    GUIDE,
    NEUTRAL,
    STYLES,
    LineStyle,
    Picture,
    axis,
    log_axis,
    whole_decades,
)
from dpcore.figures.traces import (
    Trace,
    curves,
    dot,
    histogram,
    interval,
    line,
    lines,
    points,
    vertical,
)
from dpcore.formatting import epsilon_text, people, significant
from dpcore.mechanisms import resized_bootstrap, resized_repair
from dpcore.mechanisms.resized_bootstrap import ResizedBootstrap
from dpcore.mechanisms.resized_repair import NoisyResample
from dpcore.studies.resampling import resized_study
from dpcore.studies.resampling.resized_study import AttackCurve, Rival, ScoreHistogram

_PUBLISHED = STYLES[resized_bootstrap.KEY]
_REPAIRED = STYLES[resized_repair.KEY]
_RARE = LineStyle(color="#D55E00", dash="dash")
"""What concerns a trait that one person has."""
_COMMON = LineStyle(color="#8C510A", dash="dot")
"""A trait that several people have, where it stands beside the repair."""
_REAL = LineStyle(color=_PUBLISHED.color, dash="dot")
_RIVALS = {
    "claim": LineStyle(color=STYLES["laplace"].color),
    "pair": LineStyle(color="#56B4E9", dash="dash"),
    "advantage": LineStyle(color="#5F55C8", dash="longdash"),
    "error": LineStyle(color="#9C3D6E", dash="dashdot"),
    "uniform": LineStyle(color="#E69F00", dash="longdashdot"),
}
_FEWER = LineStyle(color=NEUTRAL, dash="dash", symbol="circle-open", width=2)
_CHANCE = axis("probability", tickformat=".0%", range=[-0.02, 1.05])
_FEW = 100
_MARGIN = 0.04
_RIVAL_POINTS = 101
_LEAST = 1e-8
_RIVAL_LEAST = 1e-6
_FARTHEST = 1000.0
_CLAIMS = 4.0
"""In claimed epsilons: the noise of the rivals reaches 0 at three at most."""


def chance(share: float) -> str:
    """Return a probability as a percentage, with three digits.

    >>> chance(0.0952078), chance(0.0), chance(1.0)
    ('9.52%', '0%', '100%')
    """
    return f"{significant(100 * share)}%"


def _whole(numbers: ArrayLike) -> dict[str, Any]:
    """Return the ticks of a logarithmic axis of whole numbers: 1, 10, 100.

    Where they span less than that, 1, 2 and 5 as well. The axis ends at a power of ten,
    so that it seldom moves.

    >>> _whole([1, 40])["tickvals"], _whole([1, 40_000])["tickvals"][-2:]
    ([1, 2, 5, 10, 20, 50], [10000, 100000])
    """
    most = max(int(np.max(numbers)), 2)
    powers = range(math.ceil(math.log10(most)) + 1)
    steps = (1, 2, 5) if most < _FEW else (1,)
    ticks = [step * 10**power for power in powers for step in steps]
    ticks = ticks[: next((i for i, t in enumerate(ticks) if t >= most), len(ticks)) + 1]
    return {
        "tickvals": ticks,
        "ticktext": [f"{tick:,}" for tick in ticks],
        "range": [-_MARGIN, powers[-1] + _MARGIN],
    }


def _attack_table(curve: AttackCurve) -> dict[str, Any]:
    """Return the twin of a figure of an attack."""
    return {
        "scores": curve.scores,
        "exact": curve.exact,
        "simulated": curve.simulated,
        "standard error": curve.error,
    }


def profile_picture(bootstrap: ResizedBootstrap, ones: int, repaired: NoisyResample) -> Picture:
    """Return how often the guarantee of each epsilon fails: claimed, real, repaired."""
    claim = bootstrap.claimed_epsilon
    level = repaired.epsilon()
    tau = bootstrap.delta()
    pairs = bootstrap.around(ones)
    far = max(4 * claim, 1.5 * level)
    # As far as the least ε that never fails here, which the page quotes.
    never = max(max(pair.pure) for pair in pairs)
    if far < never < _FARTHEST * far:
        far = 1.2 * never
    # Powers of ten around all of that seldom move with epsilon.
    span = whole_decades(min(claim, level) / 10, far)
    epsilon = np.geomspace(*span, 81)
    # Just below its level the repaired form falls to 0 steeply.
    epsilon = np.union1d(epsilon, level * (1 - np.geomspace(1e-8, 0.1, 15)))
    epsilon = np.union1d(epsilon, level * (1 + 1e-9))
    here = np.array([max(pair.delta(x) for pair in pairs) for x in epsilon.tolist()])
    fixed = np.array([repaired.delta(x) for x in epsilon.tolist()])
    chosen = f"a trait that {people(ones)} of {bootstrap.people:,} have"
    deltas = {
        "a trait that one person has": np.full(len(epsilon), tau),
        chosen: here,
        "repaired, any table (at most)": fixed,
    }
    strokes = (replace(_RARE, width=3), _COMMON, LineStyle(color=_REPAIRED.color))
    shown = [np.where(delta > 0, delta, np.nan) for delta in deltas.values()]
    traces = lines(
        epsilon, zip(deltas, shown, strokes, strict=True), hover="ε = %{x:,.3~r}: δ = %{y:,.3~r}"
    )
    ends = [
        mark
        for delta, stroke in zip(deltas.values(), strokes, strict=True)
        for mark in ending(epsilon, delta, least=_LEAST, color=stroke.color)
    ]
    return Picture.of(
        (f"A trait of one person is revealed with probability {chance(tau)}"),
        {"ε": epsilon} | deltas,
        drawn=f"δ against ε. A flat line at {significant(tau)} for a trait of one person. For "
        f"{chosen} it falls from {significant(here[0])} to {significant(here[-1])}. For "
        f"the corrected form it is at most {significant(fixed[0])}, and 0 from ε = "
        f"{epsilon_text(repaired.epsilon())}",
        traces=[*traces, *labeled_once(ends)],
        height=400,
        shapes=[
            vertical(
                claim,
                f"claimed: δ = 0 from ε = {epsilon_text(claim)} on",
                GUIDE,
                xanchor="left",
                yanchor="top",
            )
        ],
        xaxis=log_axis("privacy parameter ε", dtick=1, range=np.log10(span).tolist()),
        yaxis=log_axis("δ", range=[math.log10(_LEAST), 0], exponentformat="power"),
    )


def reveal_picture(curve: AttackCurve, bootstrap: ResizedBootstrap, beliefs: FloatArray) -> Picture:
    """Return how likely proof is, against the number of scores.

    ``beliefs`` says how sure as many Laplace answers can make an attacker at most. They
    are no proof, and stand in the table and in what hovering says.
    """
    enough = bootstrap.looks_until(0.95)
    return Picture.of(
        (
            f"{significant(enough)} {'score proves' if enough == 1 else 'scores prove'} a "
            "rare trait with 95% probability; noisy answers never prove it"
        ),
        _attack_table(curve) | {"Laplace: certainty at most": beliefs},
        drawn="The probability of proof rises with the number of scores, from "
        f"{chance(float(curve.exact[0]))} for one to {chance(float(curve.exact[-1]))} "
        f"for {int(curve.scores[-1]):,}",
        traces=[
            *_attack(curve, "proof from resized bootstraps", _RARE.color),
            line(
                curve.scores,
                np.zeros(len(curve.scores)),
                "proof from Laplace answers, ε = 1/Z each: never",
                STYLES["laplace"],
                hover="%{x:,} answers: no proof; an attacker at 50% becomes at most "
                "%{customdata:.3%} sure",
                customdata=beliefs,
            ),
        ],
        height=400,
        xaxis=log_axis("number of scores", **_whole(curve.scores)),
        yaxis=_CHANCE,
    )


def averaging_picture(curve: AttackCurve, ones: int, people_there: int) -> Picture:
    """Return how likely an average of scores rounds to the exact number of ones."""
    reached = curve.reaching(0.95)
    if reached is None:
        title = (
            f"The average of {int(curve.scores[-1]):,} scores gives the exact count "
            f"{ones:,} with probability {chance(float(curve.exact[-1]))}"
        )
    else:
        title = (
            f"The average of about {significant(reached)} scores gives the exact count "
            f"{ones:,} of {people_there:,} with 95% probability"
        )
    return Picture.of(
        title,
        _attack_table(curve),
        drawn="A rising line against the number of scores",
        traces=_attack(curve, "exact count found", _PUBLISHED.color),
        height=360,
        xaxis=log_axis("scores averaged", **_whole(curve.scores)),
        yaxis=_CHANCE,
    )


def scores_picture(found: ScoreHistogram, ones: int, tau: float) -> Picture:
    """Return the scores of two tables that differ in one person."""
    centers = (found.edges[:-1] + found.edges[1:]) / 2
    names = (f"{ones:,} ones, exactly", f"{ones + 1:,} ones, exactly")
    distance = float(np.abs(found.more - found.fewer).sum() / 2)
    score = "score %{x:,.4~r}: %{y:.2%}"
    title = (
        f"With {ones:,} ones or {ones + 1:,}, scores are similar: one score gives an "
        f"attacker an advantage of {chance(distance)}"
    )
    if ones == 0:
        title = (
            "Without the person every score is 0. With the person it is above 0 with "
            f"probability {chance(tau)}"
        )
    return Picture.of(
        title,
        {
            "score from": found.edges[:-1],
            "to": found.edges[1:],
            names[0]: found.fewer,
            names[1]: found.more,
            "simulated": found.simulated,
        },
        drawn="Bars of simulated scores under two lines of exact ones",
        traces=[
            histogram(
                found.simulated,
                found.edges,
                f"{ones + 1:,} ones, {found.draws:,} simulated scores",
                {"color": "rgba(17,119,51,0.35)"},
                hover=score,
                aside="simulated",
                width=float(found.edges[1] - found.edges[0]) * 0.9,
            ),
            *(
                line(
                    centers,
                    mass,
                    name,
                    stroke,
                    hover=score,
                    marker={"symbol": stroke.symbol, "size": 8},
                )
                for name, mass, stroke in (
                    (names[0], found.fewer, _FEWER),
                    (names[1], found.more, LineStyle(color=_RARE.color, symbol="x", width=2)),
                )
            ),
        ],
        height=360,
        xaxis=axis("score"),
        yaxis=axis("probability", tickformat=".0%"),
    )


def _attack(curve: AttackCurve, name: str, color: str) -> list[Trace]:
    hover = "%{x:,} scores: %{y:.2%}"
    return [
        line(curve.scores, curve.exact, f"{name}, exactly", LineStyle(color=color), hover=hover),
        points(
            curve.scores,
            curve.simulated,
            "simulated attackers",
            dot(color, 6, "x-thin-open"),
            hover=hover,
            aside="simulated",
            error_y=interval(2 * curve.error, thickness=1, width=2),
        ),
    ]


def variance_picture(bootstrap: ResizedBootstrap, ones: int, rivals: Sequence[Rival]) -> Picture:
    """Return variances against the number of ones: claimed, real, and of rivals."""
    n = bootstrap.people
    counts = np.unique(np.rint(np.geomspace(1, max(1, n // 2), _RIVAL_POINTS)))
    claim = bootstrap.claimed_variance
    flat = np.ones(len(counts))
    variances = {
        "resized bootstrap, actual": (bootstrap.variance(counts / n), _REAL),
        "resized bootstrap, claimed": (claim * flat, _RARE),
        **{
            rival.name: (rival.variance * flat, _RIVALS[rival.key])
            for rival in rivals
            if rival.key != "error"
        },
    }
    table = {"ones": counts} | {name: values for name, (values, _) in variances.items()}
    known = np.concatenate([values[values > 0] for values, _ in variances.values()])
    here = float(bootstrap.variance(ones / n))
    return Picture.of(
        (
            f"With {ones:,} ones in {n:,} the variance is {significant(here)}, "
            f"{significant(here / claim)} times the claim"
        ),
        table,
        drawn="The actual variance rises with the number of ones; all others are flat",
        traces=curves(
            table,
            "ones",
            {name: (name, style) for name, (_, style) in variances.items()},
            hover="%{x:,} ones: variance %{y:,.3~r}",
        ),
        height=420,
        xaxis=log_axis(f"ones among {n:,} people", **_whole(counts)),
        # Powers of ten around all of them seldom move with epsilon.
        yaxis=log_axis(
            "variance of the share", *whole_decades(float(known.min()), float(known.max()))
        ),
    )


def rivals_picture(bootstrap: ResizedBootstrap, ones: int, rival: Rival) -> Picture:
    """Return how often each epsilon fails: of scores, and of one rival."""
    finite = rival.epsilon if math.isfinite(rival.epsilon) else 0.0
    epsilon = np.linspace(
        0.0, max(1.3 * finite, _CLAIMS * bootstrap.claimed_epsilon), _RIVAL_POINTS
    )
    # Just below its level Laplace noise falls to 0 steeply.
    epsilon = np.union1d(epsilon, finite * (1 - np.geomspace(1e-6, 0.1, 12)))
    tau = bootstrap.delta()
    pairs = bootstrap.around(ones)
    here = np.array([max(pair.delta(x) for pair in pairs) for x in epsilon.tolist()])
    ours = {"a rare trait": np.full(len(epsilon), tau), f"{ones:,} ones": here}
    theirs = {rival.name: rival.deltas(epsilon)}
    title = (
        f"With {rival.name}, δ is 0 from ε = {epsilon_text(rival.epsilon)} on; with resized "
        f"bootstraps it is {significant(tau)} for a rare trait"
    )
    if rival.delta:
        width = 2 * math.sqrt(3 * rival.variance)
        title = (
            f"Uniform noise of width {significant(width)} has the same δ at every ε: {chance(tau)}"
        )
    return Picture.of(
        title,
        {"ε": epsilon} | _of_resized(ours) | theirs,
        drawn="Three lines of δ against ε",
        traces=_three(
            epsilon, ours | theirs, rival, "ε = %{x:,.3~r}: δ = %{y:,.3~r}", least=_RIVAL_LEAST
        ),
        xaxis=axis("ε", range=[0, float(epsilon[-1])]),
        yaxis=log_axis("δ", range=[math.log10(_RIVAL_LEAST), 0], exponentformat="power"),
    )


def detection_picture(bootstrap: ResizedBootstrap, ones: int, rival: Rival) -> Picture:
    """Return the best chance of telling two tables apart: of scores, and of a rival."""
    alarm = np.concatenate([[0.0], np.geomspace(1e-4, 1.0, _RIVAL_POINTS - 1)])
    start = min(ones, bootstrap.people - 1)
    here = np.interp(alarm, *_upper(resized_study.detection_around(bootstrap, start)))
    ours = {
        "a rare trait": resized_study.detection(bootstrap, alarm),
        f"{start:,} or {start + 1:,} ones": here,
    }
    theirs = {rival.name: rival.detection(alarm)}
    tau = bootstrap.delta()
    return Picture.of(
        (
            f"Without false positives an attacker finds a rare trait in {chance(tau)} of scores, "
            f"and in {chance(rival.delta)} of answers with {rival.name}"
        ),
        {"false alarm": alarm} | _of_resized(ours) | theirs,
        drawn="Three lines above the diagonal",
        traces=[
            *_three(
                alarm, ours | theirs, rival, "false positives %{x:.3f}, true positives %{y:.3f}"
            ),
            line([0, 1], [0, 1], "guessing", GUIDE, hover=""),
        ],
        xaxis=axis("false-positive rate", range=[0, 1]),
        yaxis=axis("true-positive rate", range=[0, 1.03]),
    )


def _of_resized(ours: dict[str, FloatArray]) -> dict[str, FloatArray]:
    return {f"resized bootstrap, {name}": values for name, values in ours.items()}


def _three(
    x: FloatArray, values: dict[str, FloatArray], rival: Rival, hover: str, *, least: float = 0.0
) -> list[Trace]:
    return lines(
        x,
        zip(
            values,
            [np.where(y >= least, y, np.nan) for y in values.values()],
            (_RARE, _REAL, _RIVALS[rival.key]),
            strict=True,
        ),
        hover=hover,
    )


def _upper(corners: tuple[FloatArray, FloatArray]) -> tuple[FloatArray, FloatArray]:
    """Return the corners with one detection, the best, at every false alarm."""
    alarm, found = corners
    distinct, first = np.unique(alarm[::-1], return_index=True)
    return distinct, found[::-1][first]
