"""One person's exact profile beside published bounds. CONFIDENTIAL picture."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from dpcore.figures.theme import CONFIDENTIAL, NEUTRAL, STROKES, Picture, frame
from dpcore.figures.wording import epsilon_text, significant
from dpcore.studies.individual.person_bounds import DELTAS, at_delta

if TYPE_CHECKING:
    from dpcore.studies.individual.person_bounds import BoundCurve, Profile

_DASHES = ("dash", "dot", "dashdot", "longdash", "longdashdot")


def bounds_picture(
    profile: Profile,
    *,
    delta: float,
    own: float,
    key: str,
    watermark: bool,
    exact: bool = True,
) -> Picture:
    """Return the exact profile with published bounds; dotted where they understate.

    Args:
        profile: The profile of one person.
        delta: Where bounds are compared.
        own: The person's epsilon there.
        key: Key of the mechanism, for its color.
        watermark: Whether the picture is for the classroom only.
        exact: Whether the profile is exact, and not an upper bound.

    """
    name = "exact" if exact else "at most"
    shown = profile.delta > 0
    traces: list[dict[str, Any]] = [
        {
            "type": "scatter",
            "x": profile.epsilon[shown],
            "y": profile.delta[shown],
            "mode": "lines",
            "name": name,
            "line": {"color": STROKES[key].color, "width": 3.5},
            "hovertemplate": f"ε %{{x:.4g}}: δ %{{y:.3g}}<extra>{name}</extra>",
        }
    ]
    for place, bound in enumerate(profile.bounds):
        traces += _bound_traces(bound, _DASHES[place % len(_DASHES)])
    figure = frame(
        traces=traces,
        watermark=watermark,
        height=440,
        xaxis={"title": {"text": "ε: the log of the ratio that is allowed"}},
        yaxis={
            "type": "log",
            "exponentformat": "power",
            "title": {"text": "δ: what sticks out (log scale)"},
            "range": [-12, 0],
        },
        legend={"orientation": "h", "yanchor": "top", "y": -0.2, "x": 0},
        margin={"l": 60, "r": 24, "t": 24, "b": 120},
    )
    wrong = [
        bound for bound in profile.bounds if at_delta(bound, delta) < own * (1 - 1e-6)
    ]
    title = (
        f"At δ {significant(delta)} this person's loss is "
        f"{'exactly' if exact else 'at most'} {epsilon_text(own)}"
    )
    if wrong:
        least = min(wrong, key=lambda bound: at_delta(bound, delta))
        said = significant(at_delta(least, delta))
        title += f"; “{least.label}” says {said}, and promises too much"
    elif profile.bounds:
        title += "; all bounds shown are above it there"
    table = pd.DataFrame(
        {"delta": DELTAS} | {b.label: b.epsilon for b in profile.bounds}
    )
    if not profile.bounds:
        table = pd.DataFrame({"epsilon": profile.epsilon, "delta": profile.delta})
    return Picture(
        title=title,
        figure=figure,
        alt=f"The profile of one person's loss, delta against epsilon. {title}.",
        table=table,
    )


def _bound_traces(bound: BoundCurve, dash: str) -> list[dict[str, Any]]:
    """Return the curve of a bound, and crosses where it lies below the loss."""
    mark = "as published" if bound.published else "corrected or always valid"
    curve = {
        "type": "scatter",
        "x": bound.epsilon,
        "y": DELTAS,
        "mode": "lines",
        "name": bound.label,
        "line": {"color": NEUTRAL, "dash": dash, "width": 1.8},
        "hovertemplate": "ε %{x:.4g} at δ %{y:.3g}"
        f"<extra>{bound.label}, {mark}</extra>",
    }
    wrong = bound.understates
    if not wrong.any():
        return [curve]
    places = np.flatnonzero(wrong)[:: max(1, int(wrong.sum()) // 12)]
    crosses = {
        "type": "scatter",
        "x": bound.epsilon[places],
        "y": DELTAS[places],
        "mode": "markers",
        "name": f"{bound.label}: understates",
        "marker": {"color": CONFIDENTIAL, "symbol": "x", "size": 8},
        "hovertemplate": "below the loss: ε %{x:.4g} at δ %{y:.3g}<extra></extra>",
    }
    return [curve, crosses]
