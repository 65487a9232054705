"""How large a loss releases really cause one person. CONFIDENTIAL picture."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from dpcore.figures.marks import FAINT, above, line, vertical
from dpcore.figures.theme import (
    CONFIDENTIAL,
    DOTTED,
    OTHER,
    PLATE,
    Picture,
    Stroke,
    axis,
)
from dpcore.wording import percent, significant

if TYPE_CHECKING:
    from dpcore.arrays import FloatArray
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
) -> Picture:
    """Return how large the loss of actual releases turns out, against what is certain.

    ``found`` are the losses of simulated releases without the person, and with;
    ``delta`` goes with the person's ``own`` epsilon. The loss ``observed`` of an actual
    release is marked, if there is one.
    """
    traces, parts = [], []
    for part, name, stroke in (
        (found[1], "with the person", Stroke(color=CONFIDENTIAL)),
        (found[0], "without", OTHER),
    ):
        places = np.linspace(0, len(part.losses) - 1, _POINTS).astype(np.intp)
        parts.append((name, part.losses[places], part.share[places]))
        traces.append(
            line(
                part.losses[places],
                100 * part.share[places],
                name,
                stroke,
                hover="%{y:.1f} % of releases lose at most %{x:.3g}",
                fill=FAINT,
            )
        )
    shapes, notes = [], []
    if np.isfinite(own):
        shapes.append(vertical(own, stroke=DOTTED))
        notes.append(above("epsilon", own))
    if observed is not None and np.isfinite(observed):
        shapes.append(vertical(observed))
        notes.append(above("this one", observed, 0.06, **PLATE))
    ends = [own, observed or 0.0, *(float(x[-1]) for _, x, _ in parts)]
    known = [end for end in ends if np.isfinite(end)]
    title = _takeaway(found[1].losses, own, delta)
    if observed is not None:
        title = f"This release caused a loss of {significant(observed)}. {title}"
    table = pd.concat(
        [
            pd.DataFrame({"world": name, "loss at most": losses, "share": share})
            for name, losses, share in parts
        ]
    )
    return Picture.of(
        title,
        table,
        drawn="Share of releases against the loss they cause",
        traces=traces,
        xaxis=axis(
            "loss that a release really caused (up to the own epsilon)",
            range=[0, _ROOM * (max(known, default=0.0) or 1.0)],
        ),
        yaxis=axis("share of releases, %", range=[0, 103]),
        shapes=shapes,
        annotations=notes,
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
            f"{often} this person a loss as large as any can: their own "
            f"ε {significant(own)}{at}"
        )
    half = float(np.median(losses))
    return (
        f"Half of the releases cause this person a loss of at most "
        f"{significant(half)}; before the release only their own ε "
        f"{significant(own)} could be told{at}"
    )
