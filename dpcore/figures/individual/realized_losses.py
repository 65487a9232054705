"""How large a loss releases really cause one person. CONFIDENTIAL picture."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from dpcore.figures.theme import CONFIDENTIAL, NEUTRAL, PLATE, Picture, frame
from dpcore.figures.wording import epsilon_text, percent, significant

if TYPE_CHECKING:
    from dpcore.data.bounds import FloatArray
    from dpcore.studies.individual.one_person import Realized

_POINTS = 400
_HALF = 0.5
_SAME = 1e-9
# So that a jump at the end is not taken for the frame.
_ROOM = 1.12


def realized_picture(
    found: tuple[Realized, Realized],
    *,
    own: float,
    delta: float,
    observed: float | None,
    watermark: bool,
) -> Picture:
    """Return how large the loss of actual releases turns out, against what is certain.

    Args:
        found: The losses of simulated releases without the person, and with.
        own: The person's epsilon.
        delta: The delta that it goes with.
        observed: The loss of one actual release, marked; ``None`` if there is none.
        watermark: Whether the picture is for the classroom only.

    """
    traces: list[dict[str, Any]] = []
    parts = []
    for part, name, color, dash in (
        (found[1], "with the person", CONFIDENTIAL, "solid"),
        (found[0], "without", NEUTRAL, "dash"),
    ):
        places = np.linspace(0, len(part.losses) - 1, _POINTS).astype(np.intp)
        parts.append((name, part.losses[places], part.share[places]))
        traces.append(
            {
                "type": "scatter",
                "x": part.losses[places],
                "y": 100 * part.share[places],
                "mode": "lines",
                "name": name,
                "line": {"color": color, "dash": dash, "width": 2.5},
                "fill": "tozeroy",
                "fillcolor": "rgba(127,127,127,0.12)",
                "hovertemplate": "%{y:.1f} % of releases lose at most %{x:.3g}"
                "<extra></extra>",
            }
        )
    marks = [(own, "epsilon")] + ([] if observed is None else [(observed, "this one")])
    shapes = [
        {
            "type": "line",
            "x0": at,
            "x1": at,
            "yref": "paper",
            "y0": 0,
            "y1": 1,
            "line": {"color": NEUTRAL, "dash": "dot" if name == "epsilon" else "solid"},
        }
        for at, name in marks
        if np.isfinite(at)
    ]
    notes = [
        {
            "x": at,
            "y": 1.0 if name == "epsilon" else 0.06,
            "yref": "paper",
            "text": name,
            "showarrow": False,
            "xanchor": "right",
            "yanchor": "bottom",
            **({} if name == "epsilon" else PLATE),
        }
        for at, name in marks
        if np.isfinite(at)
    ]
    ends = [own, observed or 0.0, *(float(x[-1]) for _, x, _ in parts)]
    known = [end for end in ends if np.isfinite(end)]
    figure = frame(
        traces=traces,
        watermark=watermark,
        height=380,
        xaxis={
            "title": {"text": "loss that a release really caused"},
            "range": [0, _ROOM * (max(known, default=0.0) or 1.0)],
        },
        yaxis={"title": {"text": "share of releases, %"}, "range": [0, 103]},
        shapes=shapes,
        annotations=notes,
    )
    title = _takeaway(found[1].losses, own, delta)
    if observed is not None:
        title = f"This release caused a loss of {significant(observed)}. {title}"
    table = pd.concat(
        [
            pd.DataFrame({"world": name, "loss at most": losses, "share": share})
            for name, losses, share in parts
        ]
    )
    return Picture(
        title=title,
        figure=figure,
        alt=f"Share of releases against the loss they cause. {title}.",
        table=table,
    )


def _takeaway(losses: FloatArray, own: float, delta: float) -> str:
    """Say what half of the releases cost, or how many cost all that they may."""
    whole = float(np.mean(losses >= own * (1 - _SAME))) if np.isfinite(own) else 0.0
    at = f" (at δ {significant(delta)})" if delta > 0 else ""
    if whole > _HALF:
        often = (
            "Every release causes"
            if whole == 1
            else f"Of the releases, {percent(whole)} cause"
        )
        return (
            f"{often} this person the whole ε {epsilon_text(own)} that was "
            f"promised before the release{at}"
        )
    half = float(np.median(losses))
    return (
        f"Half of the releases cause this person a loss of at most "
        f"{significant(half)}; before the release, ε {epsilon_text(own)} was all that "
        f"could be promised{at}"
    )
