"""Study 2 in the layout of the paper, and closer looks: triangles, trees, intervals."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pandas as pd

from dpcore.arrays import FloatArray
from dpcore.figures.theme import NEUTRAL, ROWS, TRUTH, LineStyle, Picture, axis, log_axis, plain
from dpcore.figures.traces import NAME, Trace, dot, interval, level, line, note, now, points, rows
from dpcore.formatting import percent, significant
from dpcore.mechanisms.catalog import CATALOG
from dpcore.postprocessing.universal_histogram import half_sums
from dpcore.studies.proportion_intervals import Cloud, IntervalPrice
from dpcore.studies.proportion_study import Measure, Procedure, ProcedureAccuracy, ProportionDesign

# No pair of color and dash is that of a mechanism: here a line is a procedure.
LINES = {
    Procedure.ORIGINAL: LineStyle(color="#7F7F7F", dash="solid", symbol="circle-open"),
    Procedure.RESCALING: LineStyle(color="#0072B2", dash="longdash", symbol="square"),
    Procedure.SYNTHESIS: LineStyle(color="#009E73", dash="solid", symbol="diamond"),
    Procedure.ALL_BUT_ONE: LineStyle(color="#D55E00", dash="dot", symbol="triangle-up"),
    Procedure.REVERSED: LineStyle(color="#E69F00", dash="longdashdot", symbol="hexagram"),
    Procedure.HISTOGRAM: LineStyle(color="#CC79A7", dash="longdashdot", symbol="cross"),
    Procedure.NOISE_AWARE: LineStyle(color="#56B4E9", dash="dashdot", symbol="star"),
    Procedure.PROJECTION: LineStyle(color="#009E73", dash="longdash", symbol="x"),
}
_AXES = {Measure.BIAS: "bias", Measure.RMSE: "typical error", Measure.COVERAGE: "coverage, %"}
_COLUMNS, _GAP = 2, 0.12
# Heights in pixels: a row of panels, what is between two, and the room around them.
_ROW, _BETWEEN, _TOP, _BOTTOM, _AXIS = 190, 48, 30, 100, 52
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
    layout, notes = _panels(design, targets, view.measure, sizes, _ends(results, view, targets))
    rows = math.ceil(len(targets) / _COLUMNS)
    names = ", ".join(target_name(design.targets[target]) for target in targets)
    return Picture.of(
        _takeaway(design, lines, view, targets),
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
        ],
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
) -> Trace:
    procedure = results[0].procedure
    stroke = LINES[procedure]
    pairs = [result.of(measure) for result in results]
    factor = _HUNDRED if measure is Measure.COVERAGE else 1.0
    people = np.array([result.people for result in results])
    suffix = str(panel + 1) if panel else ""
    return line(
        people * _APART**place,
        factor * np.array([value[target] for value, _ in pairs]),
        plain(str(procedure)),
        replace(stroke, width=2),
        hover="n %{customdata}: %{y:,.4~r} ± %{error_y.array:,.2~r}",
        aside=NAME,
        marker={"symbol": stroke.symbol, "size": 7},
        error_y=interval(
            _ERRORS * factor * np.array([error[target] for _, error in pairs]), thickness=1, width=2
        ),
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
) -> tuple[dict[str, Any], list[Trace]]:
    """Return the axes of all panels, and their names above them."""
    rows = math.ceil(len(targets) / _COLUMNS)
    width = (1 - _GAP) / _COLUMNS
    between = _BETWEEN / (_ROW * rows)
    height = (1 - between * (rows - 1)) / rows
    layout: dict[str, Any] = {}
    notes: list[Trace] = []
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
        notes.append(
            note(
                f"{target_name(name)} = {significant(true, 4)}",
                left + width / 2,
                top,
                xref="paper",
                yref="paper",
                yanchor="bottom",
            )
        )
    right = {Measure.BIAS: 0.0, Measure.COVERAGE: 95.0}.get(measure)
    if right is not None:
        ends_of = [str(panel + 1) if panel else "" for panel in range(len(targets))]
        dotted = LineStyle(color=NEUTRAL, dash="dot", width=1.5)
        layout["shapes"] = [
            level(right, stroke=dotted, axes=(f"x{end} domain", f"y{end}")) for end in ends_of
        ]
    return layout, notes


def _labels(sizes: list[int]) -> list[str]:
    """Return the labels of the axis, blank where they would touch on a phone.

    >>> _labels([50, 100, 200, 500, 1000])
    ['50', '', '200', '', '1,000']
    """
    room = 0.28 * math.log(sizes[-1] / sizes[0])
    kept = [sizes[-1]]
    for size in reversed(sizes[:-1]):
        if math.log(kept[-1] / size) >= room:
            kept.append(size)
    return [f"{size:,}" if size in kept else "" for size in sizes]


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
        f"With {people} people, ε = {significant(view.epsilon)} and {CATALOG[view.mechanism].label}"
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
        f"{where}, 95% intervals cover the truth in only {percent(means[low])} of "
        f"cases with {low}, in {percent(means[high])} with {high}"
    )


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
                "real epsilon": result.effective_epsilon,
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


_HIGH = math.sqrt(3) / 2
_CORNERS = np.array([[0.0, 0.0], [1.0, 0.0], [0.5, _HIGH]])
_STEP = 1.3


def simplex_picture(
    clouds: Sequence[Cloud], shares: Sequence[float], names: tuple[str, str, str]
) -> Picture:
    """Return one triangle a procedure: each corner is everybody in one cell.

    All stand on the same two axes, which are far quicker to draw than two for each.
    """
    corners = [
        np.add(_CORNERS, [_STEP * (panel % 2), -_STEP * (panel // 2)])
        for panel in range(len(clouds))
    ]
    x, y = np.array([shares @ at for at in corners]).T
    hidden = {"visible": False, "fixedrange": True}
    nearest = min(clouds, key=lambda cloud: cloud.distance)
    farthest = max(clouds, key=lambda cloud: cloud.distance)
    emptied = "; ".join(
        f"{cloud.procedure} empties a cell in {percent(cloud.emptied)} of releases"
        for cloud in clouds
    )
    return Picture.of(
        (
            f"{str(nearest.procedure).capitalize()} stays nearest to the truth (typical "
            f"distance {significant(nearest.distance)}), {farthest.procedure} strays "
            f"farthest ({significant(farthest.distance)})"
        ),
        [
            {
                "procedure": str(cloud.procedure),
                "typical distance": cloud.distance,
                "a cell is 0": cloud.emptied,
            }
            for cloud in clouds
        ],
        drawn=f"{len(clouds)} triangles of releases around the truth",
        more=f"{emptied}",
        height=480,
        traces=[
            _edges(corners),
            *(_dots(cloud, at, names) for cloud, at in zip(clouds, corners, strict=True)),
            points(x, y, marker=TRUTH | {"size": 12}, hover="truth"),
        ],
        annotations=[
            note
            for cloud, at in zip(clouds, corners, strict=True)
            for note in _corner_notes(plain(str(cloud.procedure)), names, at)
        ],
        margin={"l": 8, "r": 8, "t": 8, "b": 8},
        showlegend=False,
        xaxis=hidden | {"range": [-0.1, _STEP + 1.1]},
        yaxis=hidden | {"range": [-_STEP - 0.12, 1.1], "scaleanchor": "x"},
    )


def tree_picture(leaves: int, branching: int) -> Picture:
    """Return the noise in the sum of half the cells: from a tree, and released flat."""
    sizes = [4, 8, 16, 32, 64, 128]
    pairs = np.array([half_sums(size, branching=branching) for size in sizes])
    tree, flat = pairs[sizes.index(leaves)]
    wins = [size for size, (up, down) in zip(sizes, pairs, strict=True) if up < down]
    start = f"it wins from {wins[0]} cells on" if wins else "it wins for no size shown"
    names = (str(Procedure.HISTOGRAM), "released flat, moved to sum 1")
    strokes = (LINES[Procedure.HISTOGRAM], LINES[Procedure.PROJECTION])
    return Picture.of(
        (
            f"With {leaves} cells a tree leaves {significant(tree / flat)} times the noise "
            f"variance of flat releases in the sum of half of them; {start}"
        ),
        {"cells": sizes, names[0]: pairs[:, 0], names[1]: pairs[:, 1]},
        drawn="Two rising lines against the number of cells",
        traces=[
            line(
                sizes,
                values,
                plain(name),
                stroke,
                hover="%{x} cells: %{y:,.3~r}",
                aside=NAME,
                marker={"symbol": stroke.symbol, "size": 8},
            )
            for name, values, stroke in zip(names, pairs.T, strokes, strict=True)
        ],
        shapes=[now(leaves, textangle=None)],
        xaxis=log_axis("cells", **_read_at(sizes)),
        yaxis=log_axis("relative noise variance", **_read_at([1, 2, 4, 8, 16, 32])),
    )


def prices_picture(prices: Sequence[IntervalPrice]) -> Picture:
    """Return how wide each interval is, with how often it covers beside the bar."""
    labels = [
        price.name if price.sets == 1 else f"{price.name}, {price.sets} sets" for price in prices
    ]
    known = {price.name: price for price in prices if price.sets == 1}
    aware, naive = known["noise-aware"], known["Wald"]
    split = [price for price in prices if price.sets > 1]
    title = (
        f"95% intervals: Wald's covers in {percent(naive.coverage)} of cases, the "
        f"noise-aware one in {percent(aware.coverage)}"
    )
    if split:
        best = max(split, key=lambda price: price.coverage)
        title += f", multiple synthesis in at most {percent(best.coverage)} ({best.sets} sets)"
    bars = rows(
        [plain(label) for label in labels],
        [price.width for price in prices],
        [f"covers {percent(price.coverage)}" for price in prices],
        LINES[Procedure.RESCALING].color,
        hover="%{y}: width %{x:,.3~r}, %{text}",
        textposition="auto",
    )
    return Picture.of(
        title,
        {
            "interval": labels,
            "coverage": [price.coverage for price in prices],
            "mean width": [price.width for price in prices],
        },
        drawn=f"Bars of the mean width of {len(prices)} intervals",
        traces=[bars],
        xaxis=axis("mean 95% width", range=[0, 1]),
        yaxis=ROWS,
    )


def _read_at(numbers: list[int]) -> dict[str, Any]:
    """Return the ticks of an axis that is read at these numbers."""
    return {"tickvals": numbers, "ticktext": [f"{number:,}" for number in numbers]}


def _edges(corners: list[FloatArray]) -> Trace:
    gap = [[math.nan, math.nan]]
    x, y = np.vstack([np.vstack([at, at[:1], gap]) for at in corners]).T
    return line(x, y, stroke=LineStyle(color=NEUTRAL, width=1.5), hover="")


def _dots(cloud: Cloud, corners: FloatArray, names: tuple[str, str, str]) -> Trace:
    words = ", ".join(
        f"{plain(name)} %{{customdata[{cell}]:.2f}}" for cell, name in enumerate(names)
    )
    x, y = (cloud.releases @ corners).T
    return points(
        x,
        y,
        marker=dot(LINES[cloud.procedure].color, 5, opacity=0.55),
        hover=words,
        customdata=cloud.releases,
    )


def _corner_notes(title: str, names: tuple[str, str, str], corners: FloatArray) -> list[Trace]:
    left, bottom = corners[0]
    words = [
        *zip(names, [(-0.02, -0.06), (1.02, -0.06), (0.5, _HIGH + 0.05)], strict=True),
        (f"<b>{title}</b>", (0.5, 1.05)),
    ]
    return [note(text, left + x, bottom + y, xref="x", yref="y") for text, (x, y) in words]
