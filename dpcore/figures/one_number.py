"""One number before and after its release, on an axis of the same width.

Before: where a release may fall around the true value, which nobody knows. After: the
released number with its intervals. For the curator: the true value after clamping and
imputation, and that of the raw column, on the same axis.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from dpcore.arrays import FloatArray
from dpcore.data.quantities import Quantity
from dpcore.figures.answers import NOISE, TOTAL, interval_rows, intervals_text
from dpcore.figures.theme import TRUTH, LineStyle, Picture, axis
from dpcore.figures.traces import NAME, Trace, cells, date_ticks, line, note, points, ring
from dpcore.formatting import capital, percent, significant
from dpcore.inference.intervals import LEVEL, Expectation, Intervals
from dpcore.mechanisms.mechanism import Mechanism

_HEIGHT = 210
_STEPS = 161
_INSIDE = np.linspace(-1, 1, 61)
_BAND = "rgba(0,114,178,0.30)"
_TAILS = "rgba(0,114,178,0.12)"
_ROOM = 1.25
# Where an axis ends, times a power of ten: while the noise changes little, the axis stays.
_ENDS = (1, 4, 10)
# Nobody sees an axis wider than this many margins of error: what is on it becomes a dot.
_WIDEST = 2.0
_LEVEL = percent(LEVEL)
_SAME_LEVEL = 0.001
_RAW = {"symbol": "diamond-open", "size": 13, "color": "#7F7F7F", "line": {"width": 2}}


@dataclass(frozen=True, slots=True, kw_only=True)
class TrueValue:
    """What the curator knows of a number. CONFIDENTIAL."""

    computed: float
    raw: float
    bias: float
    """What clamping, imputation and a minimum add to it, 0 where it is rounding."""


@dataclass(frozen=True, slots=True, kw_only=True)
class NumberAxis:
    """The axis that a number is drawn on, before and after.

    Attributes:
        ahead: Margins of error, at 95%.
        sampled: Whether the table is a sample of a population.
        quantity: The unit of the number.

    """

    ahead: Expectation
    sampled: bool
    quantity: Quantity

    @property
    def half(self) -> float:
        """Half of what is on the axis, in the unit of the number: a round number."""
        noise, sampling = self.ahead.noise, self.ahead.sampling
        both = math.hypot(noise, sampling) if self.sampled and math.isfinite(sampling) else noise
        least = _ROOM * max(min(both, _WIDEST * noise), np.finfo(float).tiny * 1e10)
        decade = 10.0 ** math.floor(math.log10(least))
        return next(end * decade for end in _ENDS if end * decade >= least)

    def around(self, center: float, *others: float) -> tuple[float, float]:
        """Return the ends of the axis around a number, wider where others lie outside."""
        away = [abs(one - center) for one in others if math.isfinite(one)]
        reach = max([self.half, *(_ROOM * off for off in away)])
        return center - reach, center + reach


def share_within(mechanism: Mechanism, position: float, margin: float) -> str:
    """Return how many releases fall within a margin that holds at every position.

    Near a bound it may be 95% and more elsewhere.

    >>> from dpcore.mechanisms.laplace import Laplace
    >>> share_within(Laplace(noise=1.0), 40.0, 2.9957), share_within(Laplace(noise=1.0), 40.0, 3.5)
    ('95%', 'at least 95%')
    """
    ends = np.array([position - margin, position + margin])
    below, above = np.asarray(mechanism.cdf(ends, position))
    return _LEVEL if above - below < LEVEL + _SAME_LEVEL else f"at least {_LEVEL}"


def expected_picture(
    mechanism: Mechanism, position: float, along: NumberAxis, *, width: float, statement: str
) -> Picture:
    """Return where a release may fall around the true value, before it is drawn.

    The density is that at ``position``; the bands hold at the least favorable one.
    ``width`` is that of the range of possible values.
    """
    noise, sampling = along.ahead.noise, along.ahead.sampling
    half = along.half
    off, band = np.linspace(-half, half, _STEPS), min(noise, half) * _INSIDE
    density, inside = (np.asarray(mechanism.pdf(position + x, position)) for x in (off, band))
    # Noise that stays inside the bounds ends there.
    top = float(np.max(density[np.isfinite(density)], initial=0.0)) or 1.0
    height, shaded = (np.where(np.isfinite(y), y, top) / top for y in (density, inside))
    unit = along.quantity.of_differences
    after = f" {unit}" if unit else ""
    edge = LineStyle(color=NOISE, width=2)
    traces = [
        line(off, height, "density", edge, hover="", fill=_TAILS),
        line(band, shaded, "", LineStyle(color=NOISE, width=0), hover="", fill=_BAND),
    ]
    level = share_within(mechanism, position, noise)
    everywhere = "" if level == _LEVEL else ",<br>wherever the true value is"
    # At the edge of the picture, inside it: no label is cut off there.
    notes = [
        note(
            f"{level} of releases<br>in the shaded range{everywhere}",
            half,
            1.04,
            xanchor="right",
            yanchor="top",
            align="right",
            font={"size": 12},
        )
    ]
    table: dict[str, Any] = {"source": ["noise"], "margin of error": [noise]}
    title = f"Noise of scale {significant(mechanism.noise)}{after}"
    if math.isfinite(width):
        title += f", {percent(mechanism.noise / width)} of the possible range"
    if along.sampled and math.isfinite(sampling):
        drawn = min(sampling, half)
        traces.append(
            line(
                np.array([-drawn, drawn]),
                [-0.16, -0.16],
                "sampling",
                LineStyle(color=TOTAL, width=10),
                hover="",
            )
        )
        notes.append(
            note(
                f"sampling: at most ± {significant(sampling)}"
                f"{', wider than this picture' if drawn < sampling else ''}",
                0,
                -0.34,
                font={"size": 12},
            )
        )
        table = {"source": ["noise", "sampling"], "margin of error": [noise, sampling]}
    ticks = _ticks(half)
    return Picture.of(
        title,
        table,
        drawn=f"{capital(statement)}: density of the noise around the true value",
        height=_HEIGHT,
        traces=traces,
        xaxis=axis(
            f"distance from the true value{f', {unit}' if unit else ''}",
            range=[-half, half],
            tickvals=ticks,
            ticktext=["0" if tick == 0 else _signed(tick) for tick in ticks],
            tickangle=0,
        ),
        yaxis=axis(visible=False, range=[-0.5, 1.08], fixedrange=True),
        annotations=notes,
        margin={"l": 24, "r": 24, "t": 8, "b": 46},
        showlegend=False,
    )


def _ticks(half: float) -> list[float]:
    """Return five round places, 0 in their middle.

    >>> _ticks(1000.0)
    [-1000.0, -500.0, 0.0, 500.0, 1000.0]
    """
    decade = 10.0 ** math.floor(math.log10(half / 2.5))
    step = max(one * decade for one in (1, 2, 2.5, 4, 5, 10) if 2 * one * decade <= half)
    return [step * place for place in (-2, -1, 0, 1, 2)]


def _signed(tick: float) -> str:
    return f"{'−' if tick < 0 else '+'}{significant(abs(tick))}"


def result_picture(
    value: float,
    around: Intervals,
    along: NumberAxis,
    statement: str,
    *,
    true: TrueValue | None = None,
) -> Picture:
    """Return a released number with its intervals; CONFIDENTIAL with the ``true`` value."""
    noise, total = around.noise[0], around.total[0] if along.sampled else None
    quantity = along.quantity
    known = () if true is None else (true.computed, true.raw)
    low, high = along.around(value, *known, *noise, *(() if total is None else total))
    parts = {"noise only": noise} | ({} if total is None else {"noise and sampling": total})
    hover = "" if quantity.is_date else "%{x:,.6~r}"
    center = points([value], [0], "private result", ring(NOISE, 15), hover=hover, aside=NAME)
    traces = [*_bars(parts, hover), center]
    notes = [
        note(name, float(ends[1]), 0, xanchor="right", yshift=-22 - 16 * place, font={"size": 12})
        for place, (name, ends) in enumerate(parts.items())
    ]
    table: dict[str, Any] = {"interval (95%)": list(parts)} | interval_rows(value, parts, quantity)
    title = intervals_text(value, noise, total, quantity)
    if true is not None:
        traces += [
            points([at], [0.55], name, marker, hover=hover, aside=NAME)
            for at, name, marker in (
                (true.raw, "raw data", _RAW),
                (true.computed, "true value, clamped", TRUTH),
            )
        ]
        notes += _of_bias(true, quantity)
        table |= {
            "true value, clamped": cells([true.computed] * len(parts), quantity),
            "raw data": cells([true.raw] * len(parts), quantity),
        }
        title += f". Bias from clamping, imputation and minimum: {_difference(true.bias, quantity)}"
    return Picture.of(
        title,
        table,
        drawn=f"{capital(statement)}: the released number with its intervals",
        height=_HEIGHT,
        traces=traces,
        xaxis=axis(quantity.name, range=[low, high], nticks=6, **date_ticks(quantity, low, high)),
        yaxis=axis(visible=False, range=[-1.1, 1.1], fixedrange=True),
        annotations=notes,
        margin={"l": 24, "r": 24, "t": 8, "b": 46},
        showlegend=False,
    )


def _bars(parts: dict[str, FloatArray], hover: str) -> list[Trace]:
    strokes = (LineStyle(color=NOISE, width=8), LineStyle(color=TOTAL, width=20))
    drawn = zip(parts.items(), strokes, strict=False)
    return [
        line(list(ends), [0, 0], name, stroke, hover=hover, aside=NAME)
        for (name, ends), stroke in reversed([*drawn])
    ]


def _of_bias(true: TrueValue, quantity: Quantity) -> list[Trace]:
    """Return the arrow from the value of the column to the one that noise is added to."""
    words = note(
        f"true value {quantity.about(true.computed)} (bias {_difference(true.bias, quantity)})",
        true.computed,
        0.55,
        yshift=16,
        font={"size": 12},
    )
    if true.bias == 0:
        return [words]
    raw = note(
        f"raw data {quantity.about(true.raw)}", true.raw, 0.55, yshift=-16, font={"size": 12}
    )
    arrow: Trace = {
        "x": true.computed,
        "y": 0.55,
        "ax": true.raw,
        "ay": 0.55,
        "axref": "x",
        "ayref": "y",
        "text": "",
        "showarrow": True,
        "arrowhead": 2,
        "arrowwidth": 2,
        "arrowcolor": "#7F7F7F",
    }
    return [arrow, words, raw]


def _difference(off: float, quantity: Quantity) -> str:
    sign = "−" if off < 0 else "+" if off > 0 else ""
    unit = quantity.of_differences
    return f"{sign}{significant(abs(off))}{f' {unit}' if unit else ''}"
