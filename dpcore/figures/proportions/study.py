"""Study 2 in the layout of the paper: a panel a cell, a line a procedure."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pandas as pd

from dpcore.figures.marks import NAME, Mark, interval, level, line, note
from dpcore.figures.theme import NEUTRAL, Picture, Stroke, axis, log_axis, plain
from dpcore.mechanisms.catalog import CATALOG
from dpcore.studies.proportion_study import Measure, Procedure, ProcedureAccuracy, ProportionDesign
from dpcore.wording import percent, significant

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
_AXES = {Measure.BIAS: "bias", Measure.RMSE: "typical error", Measure.COVERAGE: "coverage, %"}
_COLUMNS, _GAP = 2, 0.12
# Heights in pixels: a row of panels, what is between two, and the room around them.
_ROW, _BETWEEN, _TOP, _BOTTOM, _AXIS = 190, 48, 30, 100, 52
_ROOM = 0.28
# Neighboring lines are set apart by this factor, so that their bars do not overlap.
_APART = 1.025
_HUNDRED = 100.0
_ERRORS = 2.0
_HEADROOM = 1.04
_SIDES = 1.2


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

    def targets(self, design: ProportionDesign) -> list[int]:
        """Return the positions of the targets that are drawn."""
        cells = len(design.shares)
        last = len(design.targets)
        return list(range(cells, last) if self.pairs else range(cells))

    def lines(
        self, results: Sequence[ProcedureAccuracy]
    ) -> dict[Procedure, list[ProcedureAccuracy]]:
        """Return the results of each procedure, by growing sample size."""
        known: dict[Procedure, list[ProcedureAccuracy]] = {}
        for result in sorted(results, key=lambda r: r.people):
            here = result.epsilon == self.epsilon
            if here and result.mechanism in {None, self.mechanism}:
                known.setdefault(result.procedure, []).append(result)
        return {p: known[p] for p in self.procedures if p in known}


def study_picture(
    design: ProportionDesign, results: Sequence[ProcedureAccuracy], view: View
) -> Picture:
    """Return one measure against the sample size, with two standard errors.

    All of ``results`` fit on the axes, so that another epsilon does not move them.
    """
    lines = view.lines(results)
    targets = view.targets(design)
    sizes = sorted(design.people)
    ends = _ends(results, view, targets)
    layout, notes = _panels(design, targets, view.measure, sizes, ends)
    rows = math.ceil(len(targets) / _COLUMNS)
    names = ", ".join(target_name(design.targets[target]) for target in targets)
    return Picture.of(
        _takeaway(design, lines, view, targets),
        _shown(design, lines, view, targets),
        drawn=f"{len(targets)} panels, {names}: {view.measure} against the number of "
        f"people from {sizes[0]} to {sizes[-1]} (log scale), one line a procedure",
        height=_ROW * rows + _TOP + _BOTTOM,
        traces=[
            _trace(line, view.measure, target, panel, place - len(lines) / 2)
            for panel, target in enumerate(targets)
            for place, line in enumerate(lines.values())
        ],
        annotations=notes,
        legend={"orientation": "h", "yanchor": "top", "y": -_AXIS / (_ROW * rows)},
        margin={"l": 55, "r": 12, "t": _TOP, "b": _BOTTOM},
        **layout,
    )


def _trace(
    results: list[ProcedureAccuracy], measure: Measure, target: int, panel: int, place: float
) -> Mark:
    procedure = results[0].procedure
    stroke = LINES[procedure]
    pairs = [result.of(measure) for result in results]
    factor = _HUNDRED if measure is Measure.COVERAGE else 1.0
    people = np.array([result.people for result in results])
    suffix = str(panel + 1) if panel else ""
    errors = np.array([error[target] for _, error in pairs])
    return line(
        people * _APART**place,
        factor * np.array([value[target] for value, _ in pairs]),
        plain(str(procedure)),
        replace(stroke, width=2),
        hover="n %{customdata}: %{y:.4g} ± %{error_y.array:.2g}",
        aside=NAME,
        marker={"symbol": stroke.symbol, "size": 7},
        error_y=interval(_ERRORS * factor * errors, thickness=1, width=2),
        customdata=people,
        legendgroup=procedure.name,
        showlegend=panel == 0,
        xaxis=f"x{suffix}",
        yaxis=f"y{suffix}",
    )


def _ends(
    results: Sequence[ProcedureAccuracy], view: View, targets: list[int]
) -> list[float] | None:
    """Return the ends of an axis on which every epsilon and mechanism fits."""
    if view.measure is Measure.COVERAGE:
        return [0.0, _HUNDRED * _HEADROOM]
    known = [r.of(view.measure) for r in results if r.procedure in view.procedures]
    if not known:
        return None
    values, errors = (np.array(each)[:, targets] for each in zip(*known, strict=True))
    far = _HEADROOM * (np.abs(values) + _ERRORS * errors).max()
    return [0.0 if view.measure is Measure.RMSE else -far, far]


def _panels(
    design: ProportionDesign,
    targets: list[int],
    measure: Measure,
    sizes: list[int],
    ends: list[float] | None,
) -> tuple[dict[str, Any], list[Mark]]:
    """Return the axes of all panels, and their names above them."""
    rows = math.ceil(len(targets) / _COLUMNS)
    width = (1 - _GAP) / _COLUMNS
    between = _BETWEEN / (_ROW * rows)
    height = (1 - between * (rows - 1)) / rows
    layout: dict[str, Any] = {}
    notes: list[Mark] = []
    for panel, target in enumerate(targets):
        row, column = divmod(panel, _COLUMNS)
        left, top = column * (width + _GAP), 1 - row * (height + between)
        suffix = str(panel + 1) if panel else ""
        layout[f"xaxis{suffix}"] = log_axis(
            "people",
            domain=[left, left + width],
            anchor=f"y{suffix}",
            tickvals=sizes,
            range=[math.log10(sizes[0] / _SIDES), math.log10(sizes[-1] * _SIDES)],
            ticktext=_labels(sizes),
            tickangle=0,
            **({"matches": "x"} if panel else {}),
        )
        if panel + _COLUMNS < len(targets):
            layout[f"xaxis{suffix}"] |= axis()
        layout[f"yaxis{suffix}"] = axis(
            _AXES[measure] if column == 0 else "",
            domain=[max(top - height, 0.0), top],
            anchor=f"x{suffix}",
            range=ends,
            **({"matches": "y"} if panel else {}),
        )
        name = design.targets[target]
        true = sum(design.shares[cell] for cell in name)
        above = {"xref": "paper", "yref": "paper", "yanchor": "bottom"}
        text = f"{target_name(name)} = {true:.4g}"
        notes.append(note(text, left + width / 2, top, **above))
    right = {Measure.BIAS: 0.0, Measure.COVERAGE: 95.0}.get(measure)
    if right is not None:
        ends_of = [str(panel + 1) if panel else "" for panel in range(len(targets))]
        dotted = Stroke(color=NEUTRAL, dash="dot", width=1.5)
        layout["shapes"] = [
            level(right, stroke=dotted, axes=(f"x{end} domain", f"y{end}")) for end in ends_of
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
    design: ProportionDesign,
    lines: dict[Procedure, list[ProcedureAccuracy]],
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
        f"With {people} people, ε {significant(view.epsilon)} and {CATALOG[view.mechanism].label}"
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
            f"{where}, {worst} moves {name} {direction} by {significant(abs(value))} "
            f"on average{tail if least != worst else ''}"
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
    design: ProportionDesign,
    lines: dict[Procedure, list[ProcedureAccuracy]],
    view: View,
    targets: list[int],
) -> list[dict[str, Any]]:
    return [
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


def target_name(target: tuple[int, ...]) -> str:
    """Return what a sum of cells is called.

    >>> target_name((0, 3))
    'p1 + p4'
    """
    return " + ".join(f"p{cell + 1}" for cell in target)


def table(design: ProportionDesign, results: Sequence[ProcedureAccuracy]) -> pd.DataFrame:
    """Return every number of a run, one row a setting, procedure and target."""
    return pd.DataFrame(
        [
            {
                "epsilon": result.epsilon,
                "people": result.people,
                "mechanism": result.mechanism or "none",
                "procedure": str(result.procedure),
                "real epsilon": result.real_epsilon,
                "target": target_name(target),
                "true value": sum(design.shares[cell] for cell in target),
                "bias": result.bias[position],
                "bias, standard error": result.errors[0, position],
                "rmse": result.rmse[position],
                "rmse, standard error": result.errors[1, position],
                "coverage": result.coverage[position],
                "coverage, standard error": result.errors[2, position],
                "repetitions": design.repetitions,
            }
            for result in results
            for position, target in enumerate(design.targets)
        ]
    )
