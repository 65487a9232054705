"""The coefficients of a released model, with intervals, and in Classroom the truth."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from dpcore.arrays import FloatArray
from dpcore.figures.theme import PUBLIC, TRUTH, Picture, axis, below, on_axis, plain
from dpcore.figures.traces import dot, interval, points
from dpcore.formatting import significant

_LONGEST = 22


def coefficients_picture(
    labels: Sequence[str],
    values: FloatArray,
    ends: FloatArray | None,
    *,
    truth: FloatArray | None = None,
    samples: int = 1,
    simulated: bool = False,
    statement: str = "",
) -> Picture:
    """Return coefficients side by side, on the scale of the model.

    ``ends`` are where the coefficients of the table lie but for 5%, shape ``(d, 2)``;
    of several samples, ``values`` is the mean, and ``ends`` are the least and the
    largest. ``truth`` is CONFIDENTIAL, and a ``simulated`` draw must not leave.
    """
    # By place: names that are cut short may look alike.
    places = np.arange(len(labels))
    names = [plain(label) for label in labels]
    sampled = f"mean of {samples} samples" if samples > 1 else "released"
    traces = [
        points(
            values,
            places,
            "simulated" if simulated else sampled,
            dot(PUBLIC, 11),
            hover="%{customdata}: %{x:,.4~r}",
            customdata=names,
            error_x=_bars(values, ends),
        )
    ]
    table: dict[str, Any] = {
        "coefficient": list(labels),
        "simulated" if simulated else "released": values,
    }
    if ends is not None:
        table |= {"lower": ends[:, 0], "upper": ends[:, 1]}
    if truth is not None:
        table["without noise"] = truth
        exact = points(
            truth, places, "without noise", TRUTH, hover="%{customdata}: %{x:,.4~r} without noise"
        )
        traces.append(exact | {"customdata": names})
    scale = f"penalized coefficient (model scale){': ' if statement else ''}{on_axis(statement)}"
    return Picture.of(
        _takeaway(values, ends, truth, samples),
        table,
        drawn="One point a coefficient with its interval, and a line at 0"
        f"{f': {statement}' if statement else ''}",
        height=130 + 34 * len(names) + below(scale),
        traces=traces,
        xaxis=axis(plain(scale), zeroline=True, zerolinecolor="rgba(127,127,127,0.7)"),
        yaxis={
            "range": [len(names) - 0.5, -0.5],
            "tickvals": places,
            "ticktext": [plain(short(label)) for label in labels],
            "automargin": True,
        },
        showlegend=truth is not None,
    )


def short(label: str) -> str:
    """Return a name with its middle left out where it is long.

    The labels of a category begin alike: what tells them apart is at the end.

    >>> short("husband's occupation: student"), short("age")
    ("husband's o…n: student", 'age')
    """
    if len(label) <= _LONGEST:
        return label
    half = _LONGEST // 2
    return f"{label[:half].rstrip()}…{label[1 - half :].lstrip()}"


def _takeaway(
    values: FloatArray, ends: FloatArray | None, truth: FloatArray | None, samples: int
) -> str:
    if truth is not None:
        off = float(np.abs(values - truth).max())
        return f"The noise moved the coefficients by at most {significant(off)}"
    count = len(values)
    if ends is None:
        return f"{count} penalized coefficients as they were drawn"
    clear = int(np.count_nonzero((ends[:, 0] > 0) | (ends[:, 1] < 0)))
    if samples > 1:
        return f"All samples agree on the sign of {clear} of {count} penalized coefficients"
    return f"Sign of the penalized coefficient certain for {clear} of {count} (95%, noise only)"


def _bars(values: FloatArray, ends: FloatArray | None) -> dict[str, object]:
    if ends is None:
        return {"visible": False}
    up, down = ends[:, 1] - values, values - ends[:, 0]
    return interval(up, down, color=PUBLIC, thickness=2)
