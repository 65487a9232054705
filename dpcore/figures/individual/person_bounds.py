"""One person's exact profile beside published bounds. CONFIDENTIAL picture."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from dpcore.figures.marks import Mark, dot, line, points
from dpcore.figures.theme import (
    CONFIDENTIAL,
    NEUTRAL,
    STROKES,
    Picture,
    Stroke,
    axis,
    log_axis,
)
from dpcore.individual.person_bounds import DELTAS, at_delta
from dpcore.wording import significant

if TYPE_CHECKING:
    from dpcore.individual.person_bounds import BoundCurve, Profile

_DASHES = ("dash", "dot", "dashdot", "longdash", "longdashdot")


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
    wrong = [
        bound for bound in profile.bounds if at_delta(bound, delta) < own * (1 - 1e-6)
    ]
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
