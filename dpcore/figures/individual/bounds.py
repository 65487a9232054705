"""Published bounds beside one person's exact profile, and over all exact losses.

CONFIDENTIAL pictures. Below 1 times the exact loss, a bound understates.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from dpcore.figures.marks import NAME, Mark, band, dot, level, line, note, points
from dpcore.figures.theme import (
    CONFIDENTIAL,
    NEUTRAL,
    PLATE,
    STROKES,
    Picture,
    Stroke,
    axis,
    log_axis,
)
from dpcore.individual.person_bounds import DELTAS, BoundCurve, Profile, at_delta
from dpcore.studies.individual.loss_comparisons import BoundCheck
from dpcore.wording import percent, significant

_DASHES = ("dash", "dot", "dashdot", "longdash", "longdashdot")
_STROKES = (
    Stroke(color="#D55E00"),
    Stroke(color="#CC79A7", dash="dash"),
    Stroke(color="#0072B2", dash="dot"),
    Stroke(color="#009E73", dash="dashdot"),
    Stroke(color="#56B4E9", dash="longdash"),
)


def bounds_picture(
    profile: Profile, *, delta: float, own: float, key: str, exact: bool = True
) -> Picture:
    """Return the exact profile with published bounds; dotted where they understate.

    Bounds are compared with the person's ``own`` epsilon at ``delta``; a profile that
    is not ``exact`` is an upper bound.
    """
    name = "exact" if exact else "at most"
    shown = profile.delta > 0
    traces = [
        line(
            profile.epsilon[shown],
            profile.delta[shown],
            name,
            Stroke(color=STROKES[key].color, width=3.5),
            hover="ε %{x:.4g}: δ %{y:.3g}",
            aside=name,
        )
    ]
    for place, bound in enumerate(profile.bounds):
        traces += _bound_traces(bound, _DASHES[place % len(_DASHES)])
    wrong = [bound for bound in profile.bounds if at_delta(bound, delta) < own * (1 - 1e-6)]
    title = (
        f"At δ {significant(delta)} this person's loss is "
        f"{'exactly' if exact else 'at most'} {significant(own, up=not exact)}"
    )
    if wrong:
        least = min(wrong, key=lambda bound: at_delta(bound, delta))
        said = significant(at_delta(least, delta))
        title += f"; “{least.label}” says {said}, and promises too much"
    elif profile.bounds:
        title += "; all bounds shown are above it there"
    table = {"delta": DELTAS} | {b.label: b.epsilon for b in profile.bounds}
    if not profile.bounds:
        table = {"epsilon": profile.epsilon, "delta": profile.delta}
    return Picture.of(
        title,
        table,
        drawn="The profile of one person's loss, delta against epsilon",
        traces=traces,
        height=440,
        xaxis=axis("ε: the log of the ratio that is allowed"),
        yaxis=log_axis("δ: what sticks out", exponentformat="power", range=[-12, 0]),
        legend={"orientation": "h", "yanchor": "top", "y": -0.2, "x": 0},
        margin={"l": 60, "r": 24, "t": 24, "b": 120},
    )


def _bound_traces(bound: BoundCurve, dash: str) -> list[Mark]:
    """Return the curve of a bound, and crosses where it lies below the loss."""
    mark = "as published" if bound.published else "corrected or always valid"
    curve = line(
        bound.epsilon,
        DELTAS,
        bound.label,
        Stroke(color=NEUTRAL, dash=dash, width=1.8),
        hover="ε %{x:.4g} at δ %{y:.3g}",
        aside=f"{bound.label}, {mark}",
    )
    wrong = bound.understates
    if not wrong.any():
        return [curve]
    places = np.flatnonzero(wrong)[:: max(1, int(wrong.sum()) // 12)]
    crosses = points(
        bound.epsilon[places],
        DELTAS[places],
        f"{bound.label}: understates",
        dot(CONFIDENTIAL, 8, "x"),
        hover="below the loss: ε %{x:.4g} at δ %{y:.3g}",
    )
    return [curve, crosses]


def checks_picture(checks: Sequence[BoundCheck]) -> Picture:
    """Return each bound over the exact loss, along the exact losses of the people."""
    lines = [
        line(
            check.epsilon,
            check.lowest,
            check.label,
            stroke,
            hover="exact loss %{x:.3g}: the bound is %{y:.3g} times as much",
            aside=NAME,
        )
        for check, stroke in zip(checks, _STROKES, strict=False)
    ]
    quotients = np.concatenate([check.lowest for check in checks])
    low = min(0.5, 0.9 * float(quotients.min()))
    high = max(2.0, 1.1 * float(quotients.max()))
    listed = "; ".join(
        f"{check.label} understates for {percent(check.understated)}" for check in checks
    )
    return Picture.of(
        _checks_title(checks),
        {
            "bound": [check.label for check in checks],
            "people whom it promises too much, %": [100 * check.understated for check in checks],
            "largest exact loss over the bound": [check.worst for check in checks],
        },
        alt=f"Lines of bound over exact loss, the smallest of each group. {listed}.",
        traces=lines,
        height=460,
        xaxis=log_axis("exact privacy loss, epsilon", exponentformat="power"),
        yaxis=log_axis(
            "bound / exact",
            range=[np.log10(low), np.log10(high)],
            tickvals=[0.1, 0.2, 0.5, 1, 2, 5, 10, 100],
        ),
        shapes=[
            band(low, 1, "rgba(213,94,0,0.12)"),
            level(1, stroke=Stroke(color=NEUTRAL, width=2)),
        ],
        annotations=[
            note(
                "below 1: promises too much",
                0.01,
                np.log10(low),
                xref="paper",
                xanchor="left",
                yanchor="bottom",
                **PLATE,
            )
        ],
    )


def _checks_title(checks: Sequence[BoundCheck]) -> str:
    worst = max(
        (check for check in checks if check.published),
        key=lambda check: (check.understated, check.worst),
    )
    if worst.understated == 0:
        return "Here no published bound lies below anybody's exact loss"
    return (
        f"“{worst.label}” promises too much to {percent(worst.understated)} of the "
        f"people here: the exact loss is up to {significant(worst.worst, 2)} times the "
        "bound"
    )
