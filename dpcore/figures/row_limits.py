"""How many rows of each person should count: a figure of both errors."""

from __future__ import annotations

import numpy as np

from dpcore.figures.theme import (
    DOTTED,
    NEUTRAL,
    STYLES,
    LineStyle,
    Picture,
    log_axis,
    whole_decades,
)
from dpcore.figures.traces import line, now
from dpcore.formatting import percent, significant
from dpcore.studies.row_limits import LimitErrors

_FLOOR = 1e-6
"""Errors below it are drawn there: nobody can tell them from none."""


def limits_picture(found: LimitErrors, limit: int, *, of: str, table: bool) -> Picture:
    """Return what is left out under each limit, the noise, and both together.

    ``limit`` is the one that is chosen, ``of`` what is asked for, ``table`` whether all
    that is computed from the table, and is CONFIDENTIAL then.
    """
    best, here = found.at(found.best), found.at(limit)
    rows = "1 row" if found.best == 1 else f"{found.best} rows"
    by = "in this table" if table else "by this guess"
    scale = "all rows" if of == "a count" else "the bounds' width"
    title = (
        f"At most {rows} of each make {of} err least {by}: "
        f"{percent(float(found.total[best]))} of {scale}"
    )
    if here != best:
        title += f"; with {limit} it is {percent(float(found.total[here]))}"
    curves = (
        ("left out", np.hypot(found.bias, found.choice), DOTTED),
        ("noise", found.noise, STYLES["laplace"]),
        ("both", found.total, LineStyle(color=NEUTRAL, width=3)),
    )
    ends = whole_decades(
        max(_FLOOR, float(min(found.total.min(), found.noise.min()))), float(found.total.max())
    )
    return Picture.of(
        title,
        {
            "at most so many rows": found.limits,
            "share of rows that count": found.kept,
            "bias": found.bias,
            "chance of the choice": found.choice,
            "noise": found.noise,
            "error in all": found.total,
        },
        drawn=(
            "Two curves cross: what a limit leaves out falls, and noise grows with it. "
            f"At {limit}, {percent(float(found.kept[here]))} of the rows count, and "
            f"the noise is {significant(float(found.noise[here]))} of {scale}"
        ),
        traces=[
            line(found.limits, np.maximum(y, _FLOOR), name, stroke, hover="at most %{x}: %{y:.3g}")
            for name, y, stroke in curves
        ],
        shapes=[now(limit)],
        xaxis=log_axis("rows per person", range=[0.0, max(2.0, float(np.log10(limit)))]),
        yaxis=log_axis("typical error", range=[float(np.log10(end)) for end in ends]),
    )
