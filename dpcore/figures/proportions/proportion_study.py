"""Study 2 in the layout of the paper: a panel a cell, a line a procedure."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from dpcore.figures.proportions.proportion_tables import target_name
from dpcore.figures.theme import Picture, Stroke, frame, plain
from dpcore.figures.wording import percent, significant
from dpcore.mechanisms.catalog import CATALOG
from dpcore.studies.proportions.proportion_design import Procedure
from dpcore.studies.proportions.proportion_study import Measure

if TYPE_CHECKING:
    from collections.abc import Sequence

    from dpcore.studies.proportions.proportion_design import Design
    from dpcore.studies.proportions.proportion_study import Accuracy

# No pair of color and dash is that of a mechanism: here a line is a procedure.
LINES = {
    Procedure.ORIGINAL: Stroke(color="#7F7F7F", dash="solid", symbol="circle-open"),
    Procedure.RESCALING: Stroke(color="#0072B2", dash="longdash", symbol="square"),
    Procedure.SYNTHESIS: Stroke(color="#009E73", dash="solid", symbol="diamond"),
    Procedure.ALL_BUT_ONE: Stroke(color="#D55E00", dash="dot", symbol="triangle-up"),
    Procedure.REVERSED: Stroke(color="#E69F00", dash="longdashdot", symbol="hexagram"),
    Procedure.HISTOGRAM: Stroke(color="#CC79A7", dash="longdashdot", symbol="cross"),
    Procedure.NOISE_AWARE: Stroke(color="#56B4E9", dash="dashdot", symbol="star"),
    Procedure.PROJECTION: Stroke(color="#009E73", dash="longdash", symbol="x"),
}
_AXES = {
    Measure.BIAS: "bias",
    Measure.RMSE: "typical error",
    Measure.COVERAGE: "coverage, %",
}
_COLUMNS, _GAP = 2, 0.12
# Heights in pixels: a row of panels, what is between two, and the room around them.
_ROW, _BETWEEN, _TOP, _BOTTOM, _AXIS = 190, 48, 30, 100, 52
_ROOM = 0.28
# Neighboring lines are set apart by this factor, so that their bars do not overlap.
_APART = 1.025
_HUNDRED = 100.0
_ERRORS = 2.0


@dataclass(frozen=True, slots=True, kw_only=True)
class View:
    """What of a run is drawn.

    Attributes:
        measure: Bias, typical error or coverage.
        mechanism: Key of the mechanism.
        epsilon: Privacy parameter.
        procedures: The lines.
        pairs: Whether sums of two cells are drawn instead of cells.

    """

    measure: Measure
    mechanism: str
    epsilon: float
    procedures: tuple[Procedure, ...]
    pairs: bool = False

    def targets(self, design: Design) -> list[int]:
        """Return the positions of the targets that are drawn."""
        cells = len(design.shares)
        last = len(design.targets)
        return list(range(cells, last) if self.pairs else range(cells))

    def lines(self, results: Sequence[Accuracy]) -> dict[Procedure, list[Accuracy]]:
        """Return the results of each procedure, by growing sample size."""
        known: dict[Procedure, list[Accuracy]] = {}
        for result in sorted(results, key=lambda r: r.people):
            here = result.epsilon == self.epsilon
            if here and result.mechanism in {None, self.mechanism}:
                known.setdefault(result.procedure, []).append(result)
        return {p: known[p] for p in self.procedures if p in known}


def study_picture(
    design: Design, results: Sequence[Accuracy], view: View, *, watermark: bool
) -> Picture:
    """Return one measure against the sample size, with two standard errors."""
    lines = view.lines(results)
    targets = view.targets(design)
    sizes = sorted(design.people)
    traces = [
        _trace(line, view.measure, target, panel, place - len(lines) / 2)
        for panel, target in enumerate(targets)
        for place, line in enumerate(lines.values())
    ]
    layout, notes = _panels(design, targets, view.measure, sizes)
    rows = math.ceil(len(targets) / _COLUMNS)
    figure = frame(
        watermark=watermark,
        height=_ROW * rows + _TOP + _BOTTOM,
        traces=traces,
        annotations=notes,
        legend={"orientation": "h", "yanchor": "top", "y": -_AXIS / (_ROW * rows)},
        margin={"l": 55, "r": 12, "t": _TOP, "b": _BOTTOM},
        **layout,
    )
    title = _takeaway(design, lines, view, targets)
    names = ", ".join(target_name(design.targets[target]) for target in targets)
    return Picture(
        title=title,
        figure=figure,
        alt=f"{len(targets)} panels, {names}: "
        f"{view.measure} against the number of people from {sizes[0]} to {sizes[-1]} "
        f"(log scale), one line a procedure. {title}.",
        table=_shown(design, lines, view, targets),
    )


def _trace(
    line: list[Accuracy], measure: Measure, target: int, panel: int, place: float
) -> dict[str, Any]:
    procedure = line[0].procedure
    stroke = LINES[procedure]
    pairs = [result.of(measure) for result in line]
    factor = _HUNDRED if measure is Measure.COVERAGE else 1.0
    people = np.array([result.people for result in line])
    suffix = str(panel + 1) if panel else ""
    return {
        "type": "scatter",
        "x": people * _APART**place,
        "y": factor * np.array([value[target] for value, _ in pairs]),
        "error_y": {
            "array": _ERRORS * factor * np.array([error[target] for _, error in pairs]),
            "thickness": 1,
            "width": 2,
        },
        "customdata": people,
        "mode": "lines+markers",
        "name": plain(str(procedure)),
        "legendgroup": procedure.name,
        "showlegend": panel == 0,
        "line": {"color": stroke.color, "dash": stroke.dash, "width": 2},
        "marker": {"symbol": stroke.symbol, "size": 7},
        "xaxis": f"x{suffix}",
        "yaxis": f"y{suffix}",
        "hovertemplate": "n %{customdata}: %{y:.4g} ± %{error_y.array:.2g}"
        "<extra>%{fullData.name}</extra>",
    }


def _panels(
    design: Design, targets: list[int], measure: Measure, sizes: list[int]
) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    """Return the axes of all panels, and their names above them."""
    rows = math.ceil(len(targets) / _COLUMNS)
    width = (1 - _GAP) / _COLUMNS
    between = _BETWEEN / (_ROW * rows)
    height = (1 - between * (rows - 1)) / rows
    layout: dict[str, Any] = {}
    notes: list[dict[str, Any]] = []
    for panel, target in enumerate(targets):
        row, column = divmod(panel, _COLUMNS)
        left, top = column * (width + _GAP), 1 - row * (height + between)
        suffix = str(panel + 1) if panel else ""
        lowest = panel + _COLUMNS >= len(targets)
        layout[f"xaxis{suffix}"] = {
            "type": "log",
            "domain": [left, left + width],
            "anchor": f"y{suffix}",
            "tickvals": sizes,
            "ticktext": _labels(sizes),
            "tickangle": 0,
            "title": {"text": "people (log scale)" if lowest else ""},
        } | ({"matches": "x"} if panel else {})
        layout[f"yaxis{suffix}"] = {
            "domain": [max(top - height, 0.0), top],
            "anchor": f"x{suffix}",
            "title": {"text": _AXES[measure] if column == 0 else ""},
            "rangemode": "tozero" if measure is Measure.RMSE else "normal",
        } | ({"matches": "y"} if panel else {})
        name = design.targets[target]
        true = sum(design.shares[cell] for cell in name)
        notes.append(
            {
                "text": f"{target_name(name)} = {true:.4g}",
                "x": left + width / 2,
                "y": top,
                "xref": "paper",
                "yref": "paper",
                "yanchor": "bottom",
                "showarrow": False,
            }
        )
    level = {Measure.BIAS: 0.0, Measure.COVERAGE: 95.0}.get(measure)
    if level is not None:
        layout["shapes"] = [
            {
                "type": "line",
                "xref": f"x{panel + 1 if panel else ''} domain",
                "yref": f"y{panel + 1 if panel else ''}",
                "x0": 0,
                "x1": 1,
                "y0": level,
                "y1": level,
                "line": {"color": "#7F7F7F", "width": 1.5, "dash": "dot"},
            }
            for panel in range(len(targets))
        ]
    return layout, notes


def _labels(sizes: list[int]) -> list[str]:
    """Return the labels of the axis, blank where they would touch on a phone.

    >>> _labels([50, 100, 200, 500, 1000])
    ['50', '', '200', '', '1000']
    """
    room = _ROOM * math.log(sizes[-1] / sizes[0])
    kept = [sizes[-1]]
    for size in reversed(sizes[:-1]):
        if math.log(kept[-1] / size) >= room:
            kept.append(size)
    return [str(size) if size in kept else "" for size in sizes]


def _takeaway(
    design: Design,
    lines: dict[Procedure, list[Accuracy]],
    view: View,
    targets: list[int],
) -> str:
    """Say what the smallest sample does to the best and the worst procedure."""
    private = {
        procedure: line[0]
        for procedure, line in lines.items()
        if procedure is not Procedure.ORIGINAL and line
    }
    if not private:
        return "Choose a procedure to compare"
    people = min(result.people for result in private.values())
    where = (
        f"With {people} people, ε {significant(view.epsilon)} and "
        f"{CATALOG[view.mechanism].label}"
    )
    sizes = {
        procedure: np.abs(result.of(view.measure)[0][targets])
        for procedure, result in private.items()
    }
    if view.measure is Measure.BIAS:
        worst = max(sizes, key=lambda procedure: float(sizes[procedure].max()))
        least = min(sizes, key=lambda procedure: float(sizes[procedure].max()))
        target = targets[int(sizes[worst].argmax())]
        value = float(private[worst].bias[target])
        name = target_name(design.targets[target])
        direction = "up" if value > 0 else "down"
        tail = f"; the largest bias of {least} is {significant(sizes[least].max())}"
        return (
            f"{where}, {worst} moves {name} {direction} by "
            f"{significant(abs(value))} on average{tail if least != worst else ''}"
        )
    means = {procedure: float(size.mean()) for procedure, size in sizes.items()}
    low, high = min(means, key=means.__getitem__), max(means, key=means.__getitem__)
    if view.measure is Measure.RMSE:
        return (
            f"{where}, {low} is off by {significant(means[low])} on average over the "
            f"panels, {high} by {significant(means[high])}"
        )
    return (
        f"{where}, 95 % intervals cover the truth in only {percent(means[low])} of "
        f"cases with {low}, in {percent(means[high])} with {high}"
    )


def _shown(
    design: Design,
    lines: dict[Procedure, list[Accuracy]],
    view: View,
    targets: list[int],
) -> pd.DataFrame:
    return pd.DataFrame(
        [
            {
                "procedure": str(procedure),
                "people": result.people,
                "target": target_name(design.targets[target]),
                str(view.measure): result.of(view.measure)[0][target],
                "standard error": result.of(view.measure)[1][target],
            }
            for procedure, line in lines.items()
            for result in line
            for target in targets
        ]
    )
