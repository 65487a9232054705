"""What figures are drawn with: the one place that spells out Plotly.

A picture is ``Picture.of`` around traces, shapes and notes. *Traces* are data, in the order in
which they cover each other: ``line``, ``lines``, ``curves``, ``points``, ``bars``, ``rows``,
``histogram``, ``area``, ``densities``, ``lollipop``, ``box``, ``heat``, ``regions``,
``border``, ``landmark``.
*Shapes* and *notes* are words and lines that help to read them: ``vertical``, ``now``,
``level``, ``band``, ``note``, ``above``. Axes are in ``theme``.

>>> from dpcore.figures.theme import STYLES, axis, frame
>>> drawn = frame(
...     traces=[line([0, 1], [2, 3], "mean", STYLES["laplace"], hover="%{y:,.3~r}")],
...     shapes=[now(0.5)],
...     xaxis=axis("epsilon"),
... )
>>> drawn["data"][0]["line"]["color"], drawn["layout"]["shapes"][0]["label"]["text"]
('#0072B2', 'now')

All of them take further attributes in Plotly's own words, such as ``showlegend`` or
``yaxis``. What hovering says is one text for all traces: ``hover`` in Plotly's words,
with ``aside`` in the small box beside it, where ``NAME`` is the name of the trace.
Without ``hover`` Plotly says the numbers; with an empty one nothing is said.

A name or a word that came with the data goes through ``theme.plain`` first.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final

import numpy as np
from numpy.typing import ArrayLike, NDArray

from dpcore.arrays import FloatArray
from dpcore.data.quantities import Quantity
from dpcore.figures.theme import NEUTRAL, LineStyle

Values = Sequence[Any] | NDArray[Any]

Trace = dict[str, Any]
"""A trace, a shape, a note or a marker, in Plotly's own words."""
NAME = "%{fullData.name}"
"""What ``aside`` is where hovering shall say of which trace the numbers are."""
FAINT = "rgba(127,127,127,0.12)"
"""What lies under a curve."""
_GRAY = LineStyle(color=NEUTRAL, width=2)


def line(
    x: Values,
    y: Values,
    name: str = "",
    stroke: LineStyle = _GRAY,
    *,
    hover: str | None = None,
    aside: str = "",
    fill: str = "",
    steps: bool = False,
    marker: Trace | None = None,
    text: Values | None = None,
    **more: Any,
) -> Trace:
    """Return a line through points; NaN leaves a gap.

    ``steps`` says whether it stays level up to the next point, as shares of people do;
    ``fill`` is the color of what lies between the line and 0, ``marker`` that of a dot
    at every point (see ``dot``), and ``text`` stands at the points.
    """
    drawn = {"color": stroke.color, "dash": stroke.dash, "width": stroke.width}
    if steps:
        drawn["shape"] = "hv"
    if fill:
        more = {"fill": "tozeroy", "fillcolor": fill} | more
    return (
        _scatter(x, y, "lines" if marker is None else "lines+markers", name, marker, text)
        | {"line": drawn}
        | _hover(hover, aside)
        | more
    )


def lines(
    x: Values,
    curves: Iterable[tuple[str, Values, LineStyle]],
    *,
    hover: str,
    aside: str = "",
    **more: Any,
) -> list[Trace]:
    """Return lines through the same places, each with its name, heights and stroke."""
    return [
        line(x, y, name, stroke, hover=hover, aside=aside, **more) for name, y, stroke in curves
    ]


def curves(
    table: Mapping[str, Values],
    x: str,
    drawn: Mapping[str, tuple[str, LineStyle]],
    *,
    hover: str,
    scale: float = 1.0,
    **more: Any,
) -> list[Trace]:
    """Return columns of a table as lines over the column ``x``, named beside them.

    >>> table = {"people": [1, 2], "share": np.array([0.5, 0.25])}
    >>> style = LineStyle(color="black")
    >>> (curve,) = curves(table, "people", {"share": ("found", style)}, hover="", scale=100)
    >>> curve["name"], curve["x"], curve["y"].tolist()
    ('found', [1, 2], [50.0, 25.0])
    """
    return lines(
        table[x],
        [
            (name, table[column] if scale == 1 else scale * np.asarray(table[column]), style)
            for column, (name, style) in drawn.items()
        ],
        hover=hover,
        **more,
    )


def points(
    x: Values,
    y: Values,
    name: str = "",
    marker: Trace | None = None,
    *,
    hover: str | None = None,
    aside: str = "",
    text: Values | None = None,
    **more: Any,
) -> Trace:
    """Return dots, each with ``text`` beside it if given; simulated numbers are dots.

    ``marker`` is a ``dot``, a ``ring`` or ``theme.TRUTH``; intervals around the dots
    are ``error_x`` or ``error_y``, see ``interval``.
    """
    return _scatter(x, y, "markers", name, marker, text) | _hover(hover, aside) | more


def dot(
    color: str | Sequence[str], size: float = 8, symbol: str | Values = "circle", **more: Any
) -> Trace:
    """Return the marker of a point."""
    return {"color": color, "size": size, "symbol": symbol} | more


def ring(color: str | Sequence[str], size: float = 13) -> Trace:
    """Return a marker that shows where the page is set to: white, with an edge."""
    return {"color": "white", "size": size, "line": {"color": color, "width": 3}}


def interval(up: ArrayLike, down: ArrayLike | None = None, **more: Any) -> Trace:
    """Return how far the bars at points or bars reach, to both sides if only ``up``."""
    return {"array": up} | ({} if down is None else {"arrayminus": down}) | more


def densities(
    x: FloatArray,
    laws: Mapping[str, FloatArray],
    strokes: Sequence[LineStyle],
    *,
    hover: str,
    fill: str = FAINT,
) -> list[Trace]:
    """Return the densities of laws by name, over the highest of them.

    So every epsilon has one scale. An infinite density leaves a gap.
    """
    known = np.concatenate(list(laws.values()))
    top = float(np.max(known[np.isfinite(known)], initial=0.0)) or 1.0
    return [
        line(
            x,
            np.where(np.isfinite(density), density / top, np.nan),
            name,
            stroke,
            hover=hover,
            aside=NAME,
            fill=fill,
        )
        for (name, density), stroke in zip(laws.items(), strokes, strict=True)
    ]


def area(
    x: FloatArray, upper: FloatArray, lower: FloatArray, color: str, name: str = "", **more: Any
) -> Trace:
    """Return what lies between two curves, without a line of its own."""
    around, edge = (np.concatenate(p) for p in ((x, x[::-1]), (upper, lower[::-1])))
    shaded = {"fill": "toself", "fillcolor": color} | _hover("", "")
    return _scatter(around, edge, "none", name) | shaded | more


def lollipop(
    at: float,
    height: float,
    stroke: LineStyle,
    *,
    hover: str,
    text: str = "",
    side: str = "right",
    **more: Any,
) -> Trace:
    """Return a number that is released with probability ``height``, as a stem."""
    return line(
        [at, at],
        [0, height],
        "",
        stroke,
        hover=hover,
        marker={"color": stroke.color, "size": [0, 9]},
        text=["", text],
        textposition=f"middle {side}",
        showlegend=False,
        cliponaxis=False,
        **more,
    )


def landmark(at: float, to: float, name: str, dash: str) -> list[Trace]:
    """Return a labelled vertical line that stands out on any color, light or dark."""
    looks = (
        ("", LineStyle(color="white", width=6)),
        (name, LineStyle(color="black", dash=dash, width=2.5)),
    )
    return [
        line(
            [at, at],
            [0, to],
            name,
            stroke,
            hover=f"{name}: %{{x:,.6~r}}",
            text=["", word],
            textposition="top center",
            cliponaxis=False,
            showlegend=False,
        )
        for word, stroke in looks
    ]


def bars(
    x: Values,
    y: Values,
    name: str = "",
    marker: Trace | None = None,
    *,
    hover: str | None = None,
    aside: str = "",
    **more: Any,
) -> Trace:
    """Return upright bars, ``marker`` is their ``{"color": …}``."""
    return (
        {"type": "bar", "x": x, "y": y, "marker": marker or {"color": NEUTRAL}}
        | ({"name": name} if name else {})
        | _hover(hover, aside)
        | more
    )


def histogram(
    counts: Values,
    edges: FloatArray,
    name: str = "",
    marker: Trace | None = None,
    *,
    hover: str,
    log: bool = False,
    **more: Any,
) -> Trace:
    """Return bars of ``counts`` between ``edges``, on a ``log`` axis or not."""
    low, high = edges[:-1], edges[1:]
    more = {"width": high - low} | more
    return bars(
        np.sqrt(low * high) if log else (low + high) / 2, counts, name, marker, hover=hover, **more
    )


def with_edge(edges: FloatArray, at: float) -> FloatArray:
    """Return edges of bars, the nearest inner one moved to ``at``, a little above it.

    So no bar crosses the line of a worst case, and what is equal to it stands before it.
    """
    if not edges[1] < at < edges[-1]:
        return edges
    moved = edges.copy()
    moved[1 + np.argmin(np.abs(edges[1:-1] - at))] = at * (1 + _ROUNDING)
    return moved


def rows(
    names: Sequence[str],
    lengths: Values,
    text: Sequence[str],
    color: str | Sequence[str],
    *,
    hover: str = "%{y}: %{text}",
    **more: Any,
) -> Trace:
    """Return lying bars with their names before and ``text`` behind; see ``ROWS``."""
    lying = {"orientation": "h", "textposition": "outside", "cliponaxis": False}
    return bars(lengths, names, "", {"color": color}, hover=hover, text=text) | lying | more


def box(x: Values, five: FloatArray, name: str, color: str, **more: Any) -> Trace:
    """Return boxes of minimum, quartiles and maximum, the columns of ``five``."""
    numbers = dict(zip(("lowerfence", "q1", "median", "q3", "upperfence"), five.T, strict=True))
    known = {"type": "box", "name": name, "x": x, "marker": {"color": color}}
    return known | numbers | more


def heat(
    x: Values,
    y: Values,
    z: Values,
    scale: Sequence[tuple[float, str]],
    ends: tuple[float, float],
    *,
    hover: str,
    **more: Any,
) -> Trace:
    """Return cells colored by ``z``, from the first to the last color of ``scale``."""
    cells = {"type": "heatmap", "x": x, "y": y, "z": z, "colorscale": scale}
    return cells | {"zmin": ends[0], "zmax": ends[1], "showscale": False} | _hover(hover, "") | more


def regions(
    x: Values,
    y: Values,
    which: NDArray[Any],
    colors: Sequence[str],
    *,
    hover: str = "",
    **more: Any,
) -> Trace:
    """Return cells of the color that ``which`` counts in ``colors``: who wins where."""
    parts = len(colors)
    scale = [
        (edge / parts, color) for place, color in enumerate(colors) for edge in (place, place + 1)
    ]
    return heat(x, y, which, scale, (-0.5, parts - 0.5), hover=hover, **more)


def border(x: Values, y: Values, z: Values, level: float, color: str) -> Trace:
    """Return the line along which ``z`` has a level, around a region of a map."""
    return {
        "type": "contour",
        "x": x,
        "y": y,
        "z": z,
        "contours": {"start": level, "end": level, "size": 1, "coloring": "none"},
        "line": {"width": 3, "color": color},
        "showscale": False,
    } | _hover("", "")


def vertical(
    at: float, text: str = "", stroke: LineStyle = _GRAY, *, layer: str = "above", **label: Any
) -> Trace:
    """Return a vertical line across the figure, its words upright at the upper end.

    ``xanchor`` says which side of the words touches the line: "right" for words to the
    left of it; without a ``textangle`` (``None``) they run along it.
    """
    words = {"text": text, "textposition": "end", "textangle": 0} | label
    across = {"x0": at, "x1": at, "yref": "paper", "y0": 0, "y1": 1, "layer": layer}
    return _straight(stroke, words) | across


def now(at: float, text: str = "now", **label: Any) -> Trace:
    """Return the pale vertical line where the page is set to."""
    return vertical(at, text, LineStyle(color="rgba(127,127,127,0.6)", width=1), **label)


def level(
    at: float,
    text: str = "",
    stroke: LineStyle = _GRAY,
    *,
    axes: tuple[str, str] = ("paper", "y"),
    **label: Any,
) -> Trace:
    """Return a horizontal line across the figure, or across the panel of ``axes``."""
    across = {"xref": axes[0], "yref": axes[1], "x0": 0, "x1": 1, "y0": at, "y1": at}
    return _straight(stroke, {"text": text} | label) | across


def band(
    low: float, high: float, fill: str, edge: LineStyle | None = None, *, yref: str = "y"
) -> Trace:
    """Return a shaded stripe across the figure, behind all else."""
    stripe = {"type": "rect", "xref": "paper", "yref": yref, "layer": "below"} | {
        "x0": 0,
        "x1": 1,
        "y0": low,
        "y1": high,
    }
    return stripe | {"fillcolor": fill, "line": _pen(edge) if edge else {"width": 0}}


def note(text: str, x: object, y: object, **more: Any) -> Trace:
    """Return words at a place; ``x`` and ``y`` on a log axis are powers of ten.

    With ``ax`` and ``ay`` the words stand off, so many pixels, and an arrow leads from
    there. Words on colors stand on a plate: ``**PLATE``.
    """
    return {"text": text, "x": x, "y": y, "showarrow": "ax" in more} | more


def above(text: str, x: float, y: float = 1.0, **more: Any) -> Trace:
    """Return words to the left of ``x`` on the upper edge, or at that share of it."""
    return note(text, x, y, **{"yref": "paper", "xanchor": "right", "yanchor": "bottom"} | more)


def _scatter(
    x: Values,
    y: Values,
    mode: str,
    name: str,
    marker: Trace | None = None,
    text: Values | None = None,
) -> Trace:
    trace: Trace = {"type": "scatter", "x": x, "y": y, "mode": mode}
    if name:
        trace["name"] = name
    if marker is not None:
        trace["marker"] = marker
    if text is not None:
        trace |= {"mode": f"{mode}+text", "text": text}
    return trace


def _hover(hover: str | None, aside: str) -> Trace:
    if hover is None:
        return {}
    if not hover:
        return {"hoverinfo": "skip"}
    return {"hovertemplate": f"{hover}<extra>{aside}</extra>"}


def _straight(stroke: LineStyle, words: Trace) -> Trace:
    label = {"label": words} if words["text"] else {}
    return {"type": "line", "line": _pen(stroke)} | label


def _pen(stroke: LineStyle) -> Trace:
    return {"color": stroke.color, "dash": stroke.dash, "width": stroke.width}


# Dates on the axes of figures, which are drawn of numbers.


def placed(traces: Iterable[Trace], along: str, quantity: Quantity) -> list[Trace]:
    """Return marks with dates where they have days since 1970 on the axis ``along``.

    What hovering says of them is a date, too. Other quantities stay as they are.
    """
    if not quantity.is_date:
        return [*traces]
    return [_placed(trace, along, quantity) for trace in traces]


def date_axis(quantity: Quantity) -> dict[str, Any]:
    """Return what an axis of a quantity is beside its title.

    >>> from dpcore.data.quantities import DATES, Quantity
    >>> date_axis(Quantity(unit=DATES)), date_axis(Quantity(unit="years"))
    ({'type': 'date'}, {})
    """
    return {"type": "date"} if quantity.is_date else {}


def date_ticks(quantity: Quantity, low: float, high: float) -> dict[str, Any]:
    """Return five dates from ``low`` to ``high`` for an axis that stays one of days.

    Bars with a width in days stand on such an axis.
    """
    if not quantity.is_date:
        return {}
    places = np.linspace(low, high, 5)
    return {"tickvals": places.tolist(), "ticktext": cells(places, quantity)}


def cells(values: Sequence[float] | Any, quantity: Quantity) -> Any:
    """Return numbers as a column of a table: dates as text, others as they are."""
    if not quantity.is_date:
        return values
    return [_text(value, quantity) for value in values]


def _placed(trace: Trace, along: str, quantity: Quantity) -> Trace:
    changed = dict(trace)
    changed[along] = [_text(value, quantity) for value in trace[along]]
    hover = trace.get("hovertemplate")
    if hover is not None:
        changed["hovertemplate"] = _NUMBERS[along].sub(f"%{{{along}}}", hover)
    return changed


def _text(value: float | None, quantity: Quantity) -> str | None:
    if value is None or math.isnan(value):
        return None
    return quantity.about(value)


_ROUNDING: Final = 1e-9
_NUMBERS: Final = {along: re.compile(rf"%\{{{along}:[^}}]*\}}") for along in "xy"}
