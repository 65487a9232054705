"""One look for every figure: colors, dashes, watermark, alternative text.

Colors are from sets that readers with a color vision deficiency can tell apart (Okabe
and Ito first). Every pair of a color and a dash belongs to one mechanism on all pages.

Figures are read on a light and on a dark page. What is neither a trace of its own color
nor on a plate of its own takes ``NEUTRAL``, or a dark line with a light edge.
"""

from __future__ import annotations

import itertools
import math
import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from textwrap import wrap
from typing import Any, Final

import numpy as np
import pandas as pd
import plotly.graph_objects as go

from dpcore.formatting import significant
from dpcore.mechanisms.catalog import CATALOG

Table = pd.DataFrame | dict[str, Any] | list[dict[str, Any]]
Spec = dict[str, Any]
"""Traces and layout of a figure in Plotly's own words."""

HEIGHT = 380
_GRID = {
    "gridcolor": "rgba(127,127,127,0.18)",
    "zeroline": False,
    "separatethousands": True,
    # 48,000 and not 48k, up to a million.
    "minexponent": 6,
}
CONFIDENTIAL = "#E69F00"
PUBLIC = "#0072B2"
NEUTRAL = "#7F7F7F"
# In decades: above, powers of ten are enough to read from.
_FEW_TICKS = 2
# In letters: a longer title does not fit beside its axis on a phone.
_LONGEST_TITLE = 38
_CONDITIONS: Final = re.compile(
    r"(?:, |; )"
    r"(?:values |missing |unlisted |ties |coefficients |whoever |divided |“|[^,;]* without a ).*",
    re.DOTALL,
)
"""What a statement adds to the question."""
ROWS = {
    "autorange": "reversed",
    "automargin": True,
    "showgrid": False,  # it would cross out what stands behind the bars
}
"""Of an axis whose marks are read from the top down."""
FITTING = {"automargin": False}
"""Of an axis whose numbers fit into the margin: to measure them is to draw twice."""
PLATE = {"font": {"color": "white", "size": 12}, "bgcolor": "rgba(50,54,64,0.85)"}
"""Of a word that stands on colors: read on a light and on a dark page."""
TRUTH = {"symbol": "diamond", "size": 11, "color": "black", "line": {"color": "white", "width": 2}}
"""Marker of an exact value: its light edge shows on dark, its dark core on light."""
SCALE = (
    (0.0, "#4F5F8F"),
    (0.2, "#707173"),
    (0.4, "#8A8678"),
    (0.6, "#A59C74"),
    (0.8, "#C3B369"),
    (1.0, "#E8CF3C"),
)
"""From low to high: cividis without the ends that a dark or a light page hides."""
# A shape, because the words of annotations stand above bars and lines.
_WATERMARK = {
    "type": "rect",
    "xref": "paper",
    "yref": "paper",
    "x0": 0,
    "x1": 1,
    "y0": 0,
    "y1": 1,
    "line": {"width": 0},
    "label": {
        "text": "Classroom",
        "textangle": -24,
        "textposition": "middle center",
        "font": {"size": 44, "color": "rgba(127,127,127,0.2)"},
    },
    "name": "watermark",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class LineStyle:
    """How the line of one mechanism is drawn, and its dots."""

    color: str
    dash: str = "solid"
    symbol: str = "circle"
    width: float = 2.5


GUIDE = LineStyle(color=NEUTRAL, dash="dash", width=2)
"""Of a line that is no mechanism's: a guarantee, a limit, what would be right."""
DOTTED = LineStyle(color=NEUTRAL, dash="dot", width=2)
"""Of such a line where there is a dashed one, or for a place on an axis."""
OTHER = LineStyle(color=NEUTRAL, dash="dash")
"""Of the other of two worlds, beside the line of a mechanism."""
STYLES = {
    "laplace": LineStyle(color="#0072B2", dash="solid", symbol="circle"),
    "bit": LineStyle(color="#D55E00", dash="dash", symbol="square"),
    "truncated": LineStyle(color="#009E73", dash="dot", symbol="diamond"),
    "truncated-published": LineStyle(color="#CC79A7", dash="dashdot", symbol="cross"),
    "folded": LineStyle(color="#56B4E9", dash="longdash", symbol="star"),
    "gaussian": LineStyle(color="#E69F00", dash="solid", symbol="triangle-up"),
    "averaged": LineStyle(color="#6B6B6B", dash="dot", symbol="pentagon"),
    "bit-discrete": LineStyle(color="#D55E00", dash="longdash", symbol="square-dot"),
    "bit-gaussian": LineStyle(color="#D55E00", dash="longdashdot", symbol="square-open"),
    "truncated-gaussian": LineStyle(color="#009E73", dash="longdashdot", symbol="diamond-open"),
    "bounded-gaussian": LineStyle(color="#009E73", dash="dashdot", symbol="diamond-dot"),
    "limited": LineStyle(color="#CC79A7", dash="solid", symbol="triangle-nw"),
    "generalized": LineStyle(color="#8C510A", dash="dash", symbol="hexagon"),
    "gaussian-classic": LineStyle(color="#E69F00", dash="dash", symbol="triangle-down"),
    "gaussian-pdp": LineStyle(color="#E69F00", dash="dot", symbol="triangle-left"),
    "gaussian-pdp-exact": LineStyle(color="#E69F00", dash="dashdot", symbol="triangle-right"),
    "gaussian-pdp-one-sided": LineStyle(color="#E69F00", dash="longdash", symbol="triangle-ne"),
    "exponential": LineStyle(color="#5F55C8", dash="longdashdot", symbol="hexagon"),
    "resized-published": LineStyle(color="#117733", dash="dot", symbol="x"),
    "resized-repaired": LineStyle(color="#117733", dash="solid", symbol="circle-open"),
    "bootstrap": LineStyle(color="#9C3D6E", dash="longdashdot", symbol="asterisk"),
    "subsampled-laplace": LineStyle(color="#0072B2", dash="dashdot", symbol="circle-dot"),
    "subsampled-gaussian": LineStyle(color="#E69F00", dash="14px,3px", symbol="y-up"),
    "output": LineStyle(color="#999933", dash="solid", symbol="triangle-up"),
    "output-public": LineStyle(color="#999933", dash="dash", symbol="triangle-down"),
    "output-fisher": LineStyle(color="#999933", dash="dashdot", symbol="diamond-wide"),
    "output-democratic": LineStyle(color="#999933", dash="dot", symbol="diamond-tall"),
    "posterior": LineStyle(color="#44AA99", dash="solid", symbol="star-triangle-up"),
    "adaptive": LineStyle(color="#44AA99", dash="dash", symbol="star-diamond"),
    "objective": LineStyle(color="#AA4499", dash="longdash", symbol="bowtie"),
}
_DASHES = ("solid", "dash", "dot", "dashdot", "longdash", "longdashdot")
STYLES |= {
    key: LineStyle(color="#CC6677", dash=dash, symbol="bowtie-open")
    for key, dash in zip((key for key in CATALOG if key not in STYLES), _DASHES, strict=False)
}
"""A mechanism without a style of its own has one that is free."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Picture:
    """A figure with its title, its twin in words and its twin in numbers.

    Attributes:
        title: The takeaway, in plain text. It stands above the figure and not in it,
            so that it wraps on a phone.
        spec: Its traces and its layout in Plotly's own words, which a page sends as
            they are: a figure of Plotly's Python package checks each of them again.
        alt: The takeaway with its numbers, for readers who cannot see the figure.
        table: What the figure shows, in full precision.

    """

    title: str
    spec: Spec
    alt: str
    table: pd.DataFrame

    @classmethod
    def of(
        cls,
        title: str,
        table: Table,
        *,
        drawn: str = "",
        more: str = "",
        alt: str = "",
        **figure: Any,
    ) -> Picture:
        """Return the picture of what ``frame`` is told to draw.

        Its twin in words says what is ``drawn``, then the takeaway, and then ``more``, if
        it is not given as a whole, as ``alt``.
        """
        return cls(
            title=title,
            spec=frame(**figure),
            alt=alt or " ".join(f"{part}." for part in (drawn, title, more) if part),
            table=pd.DataFrame(table),
        )

    @property
    def figure(self) -> go.Figure:
        """The same as a Plotly figure, for whoever goes on with it in Python."""
        return go.Figure(self.spec)

    def stamped(self, *, classroom: bool) -> Picture:
        """Return the picture with the watermark, if it is one of ``classroom``.

        It says that a picture is not a private release. Whoever shows a picture decides: it
        belongs where something was computed from a table or released for a lesson. A
        picture of public settings or of simulated tables has nothing to hide and carries
        none, and nor does its download.
        """
        if not classroom:
            return self
        traces, layout = self.spec["data"], self.spec["layout"]
        # It would be hidden below a trace that fills the figure.
        full = any(trace["type"] == "heatmap" for trace in traces)
        mark = _WATERMARK | {"layer": "above" if full else "below"}
        shapes = [*layout.get("shapes", ()), mark]
        return replace(self, spec={"data": traces, "layout": layout | {"shapes": shapes}})


def axis(title: str = "", **more: Any) -> dict[str, Any]:
    """Return an axis with its title and unit; ``title`` is no text from the data."""
    return {"title": {"text": title}} | more


def categories(labels: Sequence[str], title: str = "", **more: Any) -> dict[str, Any]:
    """Return an axis with one place for each label, in their order.

    ``frame`` makes such an axis wherever positions are text. A figure calls this one
    where a label may have no mark, or where the order is not that of the marks.

    Plotly is given the type, because it guesses otherwise: it reads "1" and "2" as
    numbers and leaves out "other", and it reads "2024-01" as a date.

    >>> made = categories(["1", "1.10", "other"])
    >>> made["type"], made["categoryarray"], made["range"]
    ('category', ['1', '1.10', 'other'], [-0.5, 2.5])
    """
    return _in_order(labels, axis(title) | more)


def frame(*, height: int = HEIGHT, traces: Sequence[dict[str, Any]] = (), **layout: Any) -> Spec:
    """Return ``traces`` with a layout in the house look.

    An axis with text as positions becomes an axis of ``categories``, whatever the text
    looks like.

    Raises:
        ValueError: If one axis has both numbers and text as positions, or text that
            its ``categories`` do not have.

    >>> drawn = frame(traces=[{"type": "bar", "x": ["1", "2024-01"], "y": [3, 4]}])
    >>> drawn["layout"]["xaxis"]["type"], drawn["layout"]["xaxis"]["categoryarray"]
    ('category', ['1', '2024-01'])

    """
    known: dict[str, Any] = {
        "height": height,
        "margin": {"l": 60, "r": 24, "t": 24, "b": 50},
        "legend": {"orientation": "h", "yanchor": "bottom", "y": 1.02, "x": 0},
        "hovermode": "closest",
        "dragmode": False,
        "xaxis": {},
        "yaxis": {},
    } | layout
    labels = _labels(traces)
    axes = {
        name: _GRID | _wrapped(_of_labels(name, axis, labels.get(name, ())))
        for name, axis in known.items()
        if name.startswith(("xaxis", "yaxis"))
    }
    words = {
        name: [_by_place(mark, axes) for mark in known[name]]
        for name in ("annotations", "shapes")
        if name in known
    }
    return {"data": list(traces), "layout": known | axes | words}


def _labels(traces: Sequence[dict[str, Any]]) -> dict[str, list[str]]:
    """Return the labels of each axis with text as positions, as they first appear."""
    positions: dict[str, list[Any]] = {}
    for trace, side in itertools.product(traces, "xy"):
        at = trace.get(side, ())
        if isinstance(at, np.ndarray) and at.dtype.kind not in "OU":
            at = at[:1].tolist()
        # None is a gap in a line.
        known = [each for each in at if each is not None]
        name = f"{side}axis{trace.get(f'{side}axis', side)[1:]}"
        positions.setdefault(name, []).extend(known)
    found = {}
    for name, known in positions.items():
        text = [str(each) for each in known if isinstance(each, str)]
        if text and len(text) < len(known):
            raise ValueError(f"numbers and text as positions of {name}")
        if text:
            found[name] = list(dict.fromkeys(text))
    return found


def _of_labels(name: str, known: dict[str, Any], labels: Sequence[str]) -> dict[str, Any]:
    """Return an axis with the type that its labels need; numbers leave it unchanged."""
    if not labels or known.get("type") == "date":
        return known
    if "categoryarray" not in known:
        return _in_order(labels, known)
    if undeclared := set(labels) - set(known["categoryarray"]):
        raise ValueError(f"labels that {name} does not declare: {sorted(undeclared)}")
    return known


def _in_order(labels: Sequence[str], known: dict[str, Any]) -> dict[str, Any]:
    """Return an axis with its labels in order, the first at the top if reversed."""
    ends = [-0.5, len(labels) - 0.5]
    if known.get("autorange") == "reversed":
        ends.reverse()
    rest = {key: value for key, value in known.items() if key != "autorange"}
    return (
        {"range": ends}
        | rest
        | {"type": "category"}
        | {"categoryorder": "array", "categoryarray": list(labels)}
    )


def _by_place(mark: dict[str, Any], axes: dict[str, Any]) -> dict[str, Any]:
    """Return a note or a shape with a place on the axis instead of its label.

    Plotly reads the label "1" of a note as the second place of a category axis.
    """
    moved = {}
    for key in ("x", "x0", "x1", "y", "y0", "y1"):
        at, side = mark.get(key), key[0]
        reference = mark.get(f"{side}ref", side)
        order = axes.get(f"{side}axis{reference[1:]}", {}).get("categoryarray", ())
        if isinstance(at, str) and at in order:
            moved[key] = list(order).index(at)
    return mark | moved


def below(title: str) -> int:
    """Return the height that the lines of a long axis title need, in pixels.

    >>> below("mean of age"), below("x " * 60) > below("x " * 30)
    (0, True)
    """
    return 18 * (len(wrap(title, _LONGEST_TITLE)) - 1) if title else 0


def on_axis(statement: str) -> str:
    """Return the question without its conditions, which the text and the table state.

    >>> on_axis("mean of age by sex, women less men; missing values imputed as 50")
    'mean of age by sex, women less men'
    >>> on_axis("histogram of armed, people without a value left out")
    'histogram of armed'
    """
    return _CONDITIONS.sub("", statement)


def in_lines(text: str, width: int) -> str:
    """Return a text that stands whole in a picture, in lines of at most so many letters.

    >>> in_lines("mean of pay by region", 12)
    'mean of pay<br>by region'
    """
    return "<br>".join(plain(line) for line in wrap(text, width))


def _wrapped(axis: dict[str, Any]) -> dict[str, Any]:
    """Return an axis whose title is broken into lines that fit on a phone."""
    text = axis.get("title", {}).get("text", "")
    if len(text) <= _LONGEST_TITLE or "<br>" in text:
        return axis
    # What stands in brackets about the scale stays together.
    text = text.replace("(log scale)", "(log\N{NO-BREAK SPACE}scale)")
    lines = wrap(text, _LONGEST_TITLE, break_long_words=False, break_on_hyphens=False)
    return axis | {"title": axis["title"] | {"text": "<br>".join(lines)}, "automargin": True}


def log_axis(title: str, *ends: float, **more: Any) -> dict[str, Any]:
    """Return a log axis; between two ``ends`` with numbers to read off it."""
    known: dict[str, Any] = {"type": "log"} | axis(f"{plain(title)} (log scale)")
    if ends:
        low, high = ends
        span = [float(np.log10(low)), float(np.log10(high))]
        known |= {"range": span, **log_ticks(low, high)}
    return known | more


def whole_decades(low: float, high: float) -> tuple[float, float]:
    """Return the powers of ten around two numbers: ends that seldom move with them.

    >>> whole_decades(0.03, 0.5), whole_decades(2.0, 2.0)
    ((0.01, 1.0), (1.0, 10.0))
    """
    first, last = math.floor(math.log10(low)), math.ceil(math.log10(high))
    return 10.0**first, 10.0 ** max(last, first + 1)


def log_ticks(low: float, high: float) -> dict[str, Any]:
    """Return numbers to read off a log axis, also where it holds no power of ten.

    >>> log_ticks(0.3, 3.0)["ticktext"], log_ticks(1e-6, 1.0)["dtick"]
    (['0.3', '0.5', '1', '2', '3'], 1)
    """
    decades = np.log10(high / low)
    if decades > _FEW_TICKS:
        return {"dtick": 1, "exponentformat": "power"}
    few, many = (1, 2, 5), (1, 1.5, 2, 3, 4, 5, 6, 8)
    digits = many if decades <= 1 / 2 else (1, 2, 3, 5) if decades <= 1 else few
    first, last = (int(np.floor(np.log10(end))) for end in (low, high))
    known = [float(f"{digit}e{power}") for power in range(first, last + 1) for digit in digits]
    shown = [tick for tick in known if low <= tick <= high]
    return {"tickvals": shown, "ticktext": [significant(tick) for tick in shown]}


def plain(text: str) -> str:
    """Return ``text`` so that Plotly shows it as it is, without markup.

    >>> plain("<b>age</b>")
    '&lt;b&gt;age&lt;/b&gt;'
    """
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
