"""Repeated simulated releases around the answer without noise. Classroom mode only.

The axes do not move with epsilon, so that more noise looks like more noise.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from dpcore.arrays import FloatArray
from dpcore.data.bounds import Interval
from dpcore.data.quantities import Quantity
from dpcore.figures.theme import HEIGHT, NEUTRAL, STYLES, Picture, axis, below, on_axis, plain
from dpcore.figures.traces import NAME, Trace, bars, cells, date_ticks, landmark
from dpcore.formatting import measured, percent

WIDEST = 0.1
"""The epsilon whose draws just fit into the picture, whatever epsilon is in use."""
_REACH = 30
"""In sensitivities: three noise scales of Laplace noise at the widest epsilon."""
_TALLEST, _TALL, _TOP = 1.12, 1.02, 1.25


@dataclass(frozen=True, slots=True, kw_only=True)
class Shot:
    """What is fixed about a picture of draws, whatever epsilon is. Classroom mode only.

    Attributes:
        truth: The answer without noise: of what its statement says was computed.
        bounds: What an answer can be without noise. Public.
        window: The answers that are drawn apart; others are counted at its edges.

    """

    truth: float
    bounds: Interval
    window: Interval

    @classmethod
    def around(cls, truth: float, *, sensitivity: float, bounds: Interval) -> Shot:
        """Return a picture that reaches as far as 30 people can move the answer.

        It looks at most half a range beyond the bounds.

        >>> unit = Interval(lower=0.0, upper=1.0)
        >>> Shot.around(0.4, sensitivity=0.01, bounds=unit).window
        Interval(lower=0.10000000000000003, upper=0.7)
        >>> Shot.around(0.4, sensitivity=0.5, bounds=unit).window
        Interval(lower=-0.5, upper=1.5)
        """
        far = bounds.width * 0.5
        return cls(
            truth=truth,
            bounds=bounds,
            window=Interval(
                lower=max(truth - _REACH * sensitivity, bounds.lower - far),
                upper=min(truth + _REACH * sensitivity, bounds.upper + far),
            ),
        )


def draws_picture(
    key: str,
    draws: FloatArray,
    *,
    shot: Shot,
    released: float,
    bias: float,
    statement: str,
    quantity: Quantity,
) -> Picture:
    """Return a histogram of simulated releases, on axes that hold still.

    The actual release is marked; ``bias`` is the exact mean error, and ``statement``
    says of what all of them are answers, with or without noise.
    """
    window, count = shot.window, len(draws)
    # Ends of a histogram, apart by more than floats are.
    middle = (window.lower + window.upper) / 2
    half = max(window.width / 2, 1e-9 * max(abs(window.lower), abs(window.upper)) or 1.0)
    counts, edges = np.histogram(draws, 31, (middle - half, middle + half))
    beyond = (int(np.sum(draws < edges[0])), int(np.sum(draws > edges[-1])))
    inside = window.lower <= released <= window.upper
    return Picture.of(
        _takeaway(draws, shot, bias, quantity.of_differences, sum(beyond)),
        {
            "from": cells([-np.inf, *edges], quantity),
            "to": cells([*edges, np.inf], quantity),
            "draws": [beyond[0], *counts, beyond[1]],
        },
        drawn="Histogram of simulated releases around the answer without noise, on "
        f"axes that are the same for every ε: {statement}",
        height=HEIGHT + below(on_axis(statement)),
        traces=[
            _bars(counts, edges[:-1], edges[1:], "simulated releases")
            | {"marker": {"color": STYLES[key].color}},
            _bars(np.array(beyond), edges[[0, -2]], edges[[1, -1]], "farther out")
            | {"marker": {"color": NEUTRAL, "pattern": {"shape": "/"}}, "showlegend": any(beyond)},
            *landmark(
                float(window.clip(released)),
                _TALL * count,
                "your release" if inside else "your release, farther out",
                "dot",
            ),
            *landmark(shot.truth, _TALLEST * count, "without noise", "solid"),
        ],
        barmode="stack",
        xaxis=axis(
            plain(on_axis(statement)),
            range=edges[[0, -1]].tolist(),
            **date_ticks(quantity, *edges[[0, -1]]),
        ),
        yaxis=axis(
            f"of {count} simulated releases",
            range=[0, _TOP * count],
            tickvals=[0, count / 4, count / 2, 3 * count / 4, count],
        ),
    )


def _bars(counts: NDArray[np.intp], lower: FloatArray, upper: FloatArray, name: str) -> Trace:
    return bars(
        (lower + upper) / 2,
        counts,
        name,
        hover="%{y} draws around %{x:,.4~r}",
        aside=NAME,
        width=upper - lower,
        opacity=0.7,
    )


def _takeaway(draws: FloatArray, shot: Shot, bias: float, unit: str, beyond: int) -> str:
    error = draws - shot.truth
    rmse = float(np.sqrt(np.mean(error**2)))
    doubt = float(2 * error.std() / np.sqrt(len(draws)))
    suffix = f" {unit}" if unit else ""
    title = (
        f"Released again and again, the answer is off by {measured(rmse, rmse / 10)}"
        f"{suffix} typically; on average by {measured(float(error.mean()), doubt)} ± "
        f"{measured(doubt, doubt)}{suffix} (exactly: {measured(bias, rmse / 10)})"
    )
    bounds = shot.bounds
    on_bounds = float(np.mean((draws == bounds.lower) | (draws == bounds.upper)))
    if on_bounds > 0:
        title += f"; {percent(on_bounds)} of the draws lie exactly on a bound"
    if beyond:
        title += (
            f"; {beyond} of {len(draws)} lie farther out than the picture reaches and "
            "are counted at its edges"
        )
    return title
