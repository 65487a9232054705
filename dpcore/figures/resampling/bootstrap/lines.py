"""The lines by which all figures know the rules of the bootstrap."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from dpcore.arrays import FloatArray
from dpcore.figures.marks import NAME, Mark, line
from dpcore.figures.theme import Stroke
from dpcore.inference.bootstrap_intervals import (
    CONSERVATIVE,
    LEVEL,
    MOST_CONSERVATIVE,
    Clipping,
    Method,
    Rule,
)
from dpcore.studies.resampling.bootstrap_study import Experiment

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

    ``tail`` is that of the conservative estimate, and of the corrected one.
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
    kept = Method(rule=Rule.PUBLISHED, tail=None, clipping=Clipping.SAMPLING, level=level)
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


def rule_line(
    x: Sequence[float] | FloatArray,
    y: Sequence[float],
    one: Named,
    hover: str,
    **more: Any,  # noqa: ANN401 - Plotly's own vocabulary
) -> Mark:
    """Return a line in the look of one rule."""
    known = {"hover": hover, "aside": NAME, "legendgroup": one.name} | more
    return line(x, y, one.name, one.stroke, **known)


def steps(values: FloatArray, edges: FloatArray, one: Named) -> Mark:
    """Return the outline of a histogram, as shares of all values."""
    counts, _ = np.histogram(values, edges)
    thin = replace(one, stroke=replace(one.stroke, width=2))
    shares = [*(counts / len(values)), 0.0]
    return rule_line(edges, shares, thin, "%{x:.3g}: %{y:.1%}", steps=True)


def unit_of(experiment: Experiment) -> str:
    """Return the unit in brackets, after a space, or nothing."""
    return f" ({experiment.population.unit})" if experiment.population.unit else ""
