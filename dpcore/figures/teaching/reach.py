"""How far each person of a made-up table can move a statistic."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from dpcore.figures.marks import rows, vertical
from dpcore.figures.teaching.neighbors import NEWCOMER
from dpcore.figures.theme import (
    CONFIDENTIAL,
    NEUTRAL,
    Picture,
    Stroke,
    axis,
    frame,
    plain,
)
from dpcore.studies.teaching.small_tables import Change
from dpcore.wording import significant

if TYPE_CHECKING:
    from dpcore.figures.teaching.neighbors import Scene

_ROW, _AROUND = 28, 130
_TIE = 1e-9


def reach_picture(scene: Scene, worst: float) -> Picture:
    """Return how far each person can move the statistic, beside the worst case.

    Bars without a limit end at the edge and say so.
    """
    reach = scene.neighbor.reach
    names = (NEWCOMER,) if scene.change is Change.ADDITION else scene.names
    known = [x for x in (*reach, worst) if np.isfinite(x)]
    edge = 1.15 * max([*known, 0.0]) or 1.0
    lengths = np.where(np.isfinite(reach), reach, edge)
    bars = rows(
        [plain(name) for name in names],
        lengths,
        [significant(float(x)) if np.isfinite(x) else "∞" for x in reach],
        CONFIDENTIAL,
        textposition="auto",
        marker={"color": CONFIDENTIAL, "line": {"color": "#8A5A00", "width": 1}},
        textfont={"size": 13},
        insidetextfont={"color": "black"},
    )
    most = vertical(
        worst,
        f"worst case (DP) {significant(worst, up=True)}",
        Stroke(color=NEUTRAL, dash="dash"),
        xanchor="right",
        yanchor="bottom",
    )
    label = "largest change"
    figure = frame(
        traces=[bars],
        height=_AROUND + _ROW * len(names),
        margin={"l": 60, "r": 24, "t": 36, "b": 50},
        shapes=[most] if np.isfinite(worst) else [],
        xaxis=axis(label, range=[0, edge]),
        yaxis={"autorange": "reversed", "fixedrange": True},
    )
    title = _share(scene, worst)
    each = ", ".join(
        f"{name} {significant(float(x))}" for name, x in zip(names, reach, strict=True)
    )
    return Picture.of(
        title,
        figure,
        f"Bars of the {label} of the {scene.statistic.label}: {each}",
        pd.DataFrame({"person": names, label: reach, "worst case (DP)": worst}),
    )


def _share(scene: Scene, worst: float) -> str:
    local = scene.neighbor.local
    equals = int((scene.neighbor.reach >= local * (1 - _TIE)).sum())
    if scene.neighbor.person is None:
        reaches = f"A {NEWCOMER} can change it by up to {significant(local)}"
    elif equals > 1:
        reaches = f"{equals} people can do most here: {significant(local)}"
    else:
        reaches = f"{scene.who} can do most here: {significant(local)}"
    if np.isinf(worst):
        return f"{reaches}; over all tables nothing limits one person"
    share = significant(100 * local / worst) if worst > 0 else "100"
    return f"{reaches}, {share} % of the worst case over all tables"
