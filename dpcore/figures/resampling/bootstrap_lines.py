"""The lines by which all figures know the rules of the bootstrap."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from dpcore.figures.theme import Stroke
from dpcore.inference.bootstrap_errors import (
    CONSERVATIVE,
    MOST_CONSERVATIVE,
    Clipping,
)
from dpcore.inference.bootstrap_intervals import LEVEL, Method, Rule

if TYPE_CHECKING:
    from collections.abc import Sequence

    from dpcore.data.bounds import FloatArray
    from dpcore.studies.resampling.bootstrap_coverage import Experiment

COLOR = "#9C3D6E"
"""The color of the bootstrap on all pages."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Named:
    """A method with the name and the line by which all figures know it."""

    method: Method
    name: str
    stroke: Stroke


def methods(
    *, tail: float = CONSERVATIVE, level: float = LEVEL
) -> tuple[Named, Named, Named, Named]:
    """Return the three estimators of the source, and the corrected rule.

    Args:
        tail: Of the conservative estimate, and of the corrected one.
        level: Confidence of the intervals.

    """

    def published(tail: float | None) -> Method:
        return Method(rule=Rule.PUBLISHED, tail=tail, level=level)

    return (
        Named(
            method=published(None),
            name="unbiased",
            stroke=Stroke(color="#D55E00", dash="dash", symbol="square"),
        ),
        Named(
            method=published(tail),
            name="conservative",
            stroke=Stroke(color="#0072B2", dash="solid", symbol="circle"),
        ),
        Named(
            method=published(MOST_CONSERVATIVE),
            name="most conservative",
            stroke=Stroke(color="#009E73", dash="dot", symbol="diamond"),
        ),
        Named(
            method=Method(rule=Rule.CORRECTED, tail=tail, level=level),
            name="corrected",
            stroke=Stroke(color=COLOR, dash="longdashdot", symbol="star"),
        ),
    )


def others(*, level: float = LEVEL) -> tuple[Named, Named]:
    """Return the other way to clip, and the interval that is proved."""
    kept = Method(
        rule=Rule.PUBLISHED, tail=None, clipping=Clipping.SAMPLING, level=level
    )
    proved = Method(rule=Rule.RIGOROUS, tail=(1 - level) / 5, level=level)
    return (
        Named(
            method=kept,
            name="unbiased, noise kept",
            stroke=Stroke(color="#E69F00", dash="dashdot", symbol="cross"),
        ),
        Named(
            method=proved,
            name="rigorous",
            stroke=Stroke(color="#6B6B6B", dash="longdash", symbol="pentagon"),
        ),
    )


def line(
    x: Sequence[float] | FloatArray, y: Sequence[float], one: Named, hover: str
) -> dict[str, Any]:
    """Return a line in the look of one rule."""
    return {
        "type": "scatter",
        "x": x,
        "y": y,
        "mode": "lines",
        "name": one.name,
        "legendgroup": one.name,
        "line": {"color": one.stroke.color, "dash": one.stroke.dash, "width": 2.5},
        "hovertemplate": f"{hover}<extra>%{{fullData.name}}</extra>",
    }


def steps(values: FloatArray, edges: FloatArray, one: Named) -> dict[str, Any]:
    """Return the outline of a histogram, as shares of all values."""
    counts, _ = np.histogram(values, edges)
    return line(edges, [*(counts / len(values)), 0.0], one, "%{x:.3g}: %{y:.1%}") | {
        "line": {
            "color": one.stroke.color,
            "dash": one.stroke.dash,
            "width": 2,
            "shape": "hv",
        }
    }


def unit_of(experiment: Experiment) -> str:
    """Return the unit in brackets, after a space, or nothing."""
    return f" ({experiment.population.unit})" if experiment.population.unit else ""
