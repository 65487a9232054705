"""The resized bootstrap in pictures: its profile, its scores, and attacks on them."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from dpcore.figures.marks import (
    Mark,
    dot,
    histogram,
    interval,
    line,
    points,
    vertical,
)
from dpcore.figures.resampling.endings import ending, told_once
from dpcore.figures.resampling.resized.parts import (
    COMMON,
    PUBLISHED,
    RARE,
    REPAIRED,
    attack_table,
    chance,
    whole,
)
from dpcore.figures.theme import (
    GUIDE,
    NEUTRAL,
    STROKES,
    Picture,
    Stroke,
    axis,
    frame,
    log_axis,
    whole_decades,
)
from dpcore.wording import epsilon_text, people, significant

if TYPE_CHECKING:
    from dpcore.arrays import FloatArray
    from dpcore.mechanisms.resized.bootstrap import ResizedBootstrap
    from dpcore.mechanisms.resized.repair import NoisyResample
    from dpcore.studies.resampling.resized.attacks import AttackCurve, ScoreHistogram

_POINTS = 81
_LEAST = 1e-8
_FARTHEST = 1000.0
_FEWER = Stroke(color=NEUTRAL, dash="dash", symbol="circle-open", width=2)
_MORE = Stroke(color=RARE, symbol="x", width=2)
_PERCENT = axis("probability", tickformat=".0%")
_CHANCE = _PERCENT | {"range": [-0.02, 1.05]}


def profile_picture(
    bootstrap: ResizedBootstrap, ones: int, repaired: NoisyResample
) -> Picture:
    """Return how often the promise of each epsilon fails: claimed, real, repaired."""
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
    epsilon = np.geomspace(*span, _POINTS)
    # Just below its level the repaired form falls to 0 steeply.
    epsilon = np.union1d(epsilon, level * (1 - np.geomspace(1e-8, 0.1, 15)))
    epsilon = np.union1d(epsilon, level * (1 + 1e-9))
    here = np.array([max(pair.delta(x) for pair in pairs) for x in epsilon.tolist()])
    fixed = np.array([repaired.delta(x) for x in epsilon.tolist()])
    chosen = f"a trait that {people(ones)} of {bootstrap.people:,} have"
    lines = {
        "a trait that one person has": (
            np.full(len(epsilon), tau),
            Stroke(color=RARE, dash="dash", width=3),
        ),
        chosen: (here, Stroke(color=COMMON, dash="dot")),
        "repaired, any table (at most)": (fixed, Stroke(color=REPAIRED.color)),
    }
    traces = [
        line(
            epsilon,
            np.where(values > 0, values, np.nan),
            name,
            stroke,
            hover="ε %{x:.3g}: δ %{y:.3g}",
        )
        for name, (values, stroke) in lines.items()
    ]
    ends = [
        mark
        for values, stroke in lines.values()
        for mark in ending(epsilon, values, least=_LEAST, color=stroke.color)
    ]
    title = (
        f"No ε is enough: a rare trait is given away for sure with probability "
        f"{chance(tau)}, whatever the ε"
    )
    figure = frame(
        traces=[*traces, *told_once(ends)],
        height=400,
        shapes=[
            vertical(
                claim,
                f"claimed: δ 0 from ε {epsilon_text(claim)} on",
                GUIDE,
                xanchor="left",
                yanchor="top",
            )
        ],
        xaxis=log_axis("privacy parameter ε", dtick=1, range=np.log10(span).tolist()),
        yaxis=log_axis(
            "δ: how often ε fails",
            range=[math.log10(_LEAST), 0],
            exponentformat="power",
        ),
    )
    return Picture.of(
        title,
        figure,
        f"δ against ε. A flat line at {significant(tau)} for a trait that one "
        f"person has; for {chosen} it falls from {significant(here[0])} to "
        f"{significant(here[-1])}; repaired it is at most {significant(fixed[0])} "
        f"and 0 from ε {epsilon_text(repaired.epsilon())} on",
        pd.DataFrame(
            {"ε": epsilon} | {name: values for name, (values, _) in lines.items()}
        ),
    )


def reveal_picture(
    curve: AttackCurve, bootstrap: ResizedBootstrap, beliefs: FloatArray
) -> Picture:
    """Return how likely proof is, against the number of scores.

    ``beliefs`` says how sure as many Laplace answers can make an attacker at most. They
    are no proof, and stand in the table and in what hovering says.
    """
    enough = bootstrap.looks_until(0.95)
    traces = [
        *_attack(curve, "proof from resized bootstraps", RARE),
        line(
            curve.scores,
            np.zeros(len(curve.scores)),
            "proof from Laplace answers, ε = 1/Z each: never",
            STROKES["laplace"],
            hover="%{x:,} answers: no proof; a half-sure attacker at most "
            "%{customdata:.3%} sure",
            customdata=beliefs,
        ),
    ]
    title = (
        f"{significant(enough)} {'score proves' if enough == 1 else 'scores prove'} a "
        "rare trait with 95 % probability; "
        "answers with noise never prove it"
    )
    return Picture.of(
        title,
        frame(
            traces=traces,
            height=400,
            xaxis=log_axis("scores asked for", **whole(curve.scores)),
            yaxis=_CHANCE,
        ),
        "The chance of proof rises with the number of scores, from "
        f"{chance(float(curve.exact[0]))} for one to "
        f"{chance(float(curve.exact[-1]))} for {int(curve.scores[-1]):,}",
        attack_table(curve).assign(**{"Laplace: how sure at most": beliefs}),
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
            f"The average of about {significant(reached)} scores gives the exact "
            f"count {ones:,} of {people_there:,} with 95 % probability"
        )
    return Picture.of(
        title,
        frame(
            traces=_attack(curve, "exact count found", PUBLISHED.color),
            height=360,
            xaxis=log_axis("scores that are averaged", **whole(curve.scores)),
            yaxis=_CHANCE,
        ),
        "A rising line against the number of scores",
        attack_table(curve),
    )


def scores_picture(found: ScoreHistogram, ones: int, tau: float) -> Picture:
    """Return the scores of two tables that differ in one person."""
    centers = (found.edges[:-1] + found.edges[1:]) / 2
    names = (f"{ones:,} ones, exactly", f"{ones + 1:,} ones, exactly")
    distance = float(np.abs(found.more - found.fewer).sum() / 2)
    score = "score %{x:.4g}: %{y:.2%}"
    traces = [
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
                (names[1], found.more, _MORE),
            )
        ),
    ]
    title = (
        f"With {ones:,} ones or {ones + 1:,}, scores mostly look alike: an attacker "
        f"who sees one gains {chance(distance)}"
    )
    if ones == 0:
        title = (
            "Without the person every score is 0; with the person it is not, "
            f"{chance(tau)} of the time, and that is proof"
        )
    return Picture.of(
        title,
        frame(
            traces=traces,
            height=360,
            xaxis=axis("score: share of ones in the resample (scaled to these)"),
            yaxis=axis("probability (scaled to these)", tickformat=".0%"),
        ),
        "Bars of simulated scores under two lines of exact ones",
        pd.DataFrame(
            {
                "score from": found.edges[:-1],
                "to": found.edges[1:],
                names[0]: found.fewer,
                names[1]: found.more,
                "simulated": found.simulated,
            }
        ),
    )


def _attack(curve: AttackCurve, name: str, color: str) -> list[Mark]:
    hover = "%{x:,} scores: %{y:.2%}"
    exact = Stroke(color=color)
    return [
        line(curve.scores, curve.exact, f"{name}, exactly", exact, hover=hover),
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
