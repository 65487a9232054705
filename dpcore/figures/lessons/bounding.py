"""What bounds cost: bias where they are tight, noise where they are wide."""

from __future__ import annotations

import numpy as np

from dpcore.arrays import FloatArray
from dpcore.figures.marks import lines, now
from dpcore.figures.theme import NEUTRAL, PUBLIC, Picture, Stroke, axis
from dpcore.wording import significant

_BIAS = Stroke(color="#D55E00", dash="dash")
_NOISE = Stroke(color=PUBLIC, dash="dot")
_ALL = Stroke(color=NEUTRAL, width=3)


def bounding_picture(
    upper: FloatArray, bias: FloatArray, noise: FloatArray, *, at: float, most: float, unit: str
) -> Picture:
    """Return bias, noise and their total over the upper bound, all shape ``(m,)``.

    ``noise`` is its standard deviation; the page is set to the bound ``at``, one of
    ``upper``, and the axis ends at ``most``.
    """
    total = np.hypot(bias, noise)
    best, here = int(np.argmin(total)), int(np.argmin(np.abs(upper - at)))
    title = (
        f"With an upper bound of {significant(at)} {unit} the average is off by "
        f"{significant(float(total[here]))} typically, of which "
        f"{significant(float(np.abs(bias[here])))} is bias; best would be a bound of "
        f"{significant(float(upper[best]))}"
    )
    return Picture.of(
        title,
        {"upper bound": upper, "bias": bias, "noise": noise, "total": total},
        drawn="Bias falls as the bound rises, noise rises, and their total has a least "
        "place between",
        traces=lines(
            upper,
            (
                ("bias", np.abs(bias), _BIAS),
                ("noise", noise, _NOISE),
                ("both together", total, _ALL),
            ),
            hover="bound %{x:.3g}: %{y:.3g}",
        ),
        shapes=[
            now(at, "your bound", xanchor="left" if 2 * at < upper[-1] else "right", yanchor="top")
        ],
        xaxis=axis(f"upper bound, {unit}", range=[0, float(upper[-1])]),
        yaxis=axis(f"how far off, {unit}", range=[0, most]),
    )
