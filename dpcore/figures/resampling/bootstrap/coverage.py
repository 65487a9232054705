"""How often intervals from noisy bootstraps hold the truth."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from dpcore.figures.marks import Mark, dot, interval, line, points
from dpcore.figures.resampling.bootstrap.lines import rule_line
from dpcore.figures.theme import GUIDE, Picture, axis, frame
from dpcore.inference.bootstrap.intervals import Rule
from dpcore.studies.resampling.bootstrap.coverage import exact_coverage
from dpcore.studies.resampling.bootstrap.runs import coverage
from dpcore.wording import percent

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from dpcore.figures.resampling.bootstrap.lines import Named
    from dpcore.studies.resampling.bootstrap.coverage import Experiment
    from dpcore.studies.resampling.bootstrap.runs import Runs

_HEIGHT = 420
_LOW = 0.4
"""Of the level: the three estimators of the source cover that, with any noise."""


def coverage_picture(
    experiments: Sequence[Experiment],
    runs: Mapping[int, Runs],
    *,
    shown: Sequence[Named],
) -> Picture:
    """Return the coverage against the number of bootstraps; figure 7b of the source.

    Args:
        experiments: The same setting with several numbers of bootstraps, increasing.
        runs: Simulated tables by the number of bootstraps, where there are any.
        shown: Which methods, at least one, all of one level.

    """
    times = [experiment.times for experiment in experiments]
    level = shown[0].method.level
    ends, promised = [times[0], times[-1]], f"promised {percent(level)}"
    traces = [line(ends, [level, level], promised, GUIDE, hover="")]
    rows: list[dict[str, Any]] = []
    for one in shown:
        exact = [exact_coverage(e, one.method) for e in experiments]
        traces.append(rule_line(times, exact, one, "%{x} bootstraps: %{y:.2%}"))
        found = {
            e.times: coverage(e, one.method, runs[e.times])
            for e in experiments
            if e.times in runs
        }
        if found:
            traces.append(_dots(found, runs, one))
        rows += [
            {
                "bootstraps": k,
                "method": one.name,
                "coverage, exact": value,
                "coverage, simulated": found.get(k, math.nan),
                "simulated tables": runs[k].tables if k in found else 0,
            }
            for k, value in zip(times, exact, strict=True)
        ]
    table = pd.DataFrame(rows)
    if not runs:
        table = table.drop(columns=["coverage, simulated", "simulated tables"])
    title = _coverage_title(table, shown)
    return Picture(
        title=title,
        figure=frame(
            height=_HEIGHT,
            traces=traces,
            xaxis=axis("number of bootstraps", range=[0, 1.02 * times[-1]]),
            yaxis=axis(
                "intervals that hold the true mean",
                tickformat=".0%",
                range=[_floor(table, level), 1.02],
            ),
        ),
        alt=f"Lines are coverages of {percent(level)} intervals if means are normal; "
        f"dots with bars, where there are any, are simulated. {title}. "
        + "; ".join(
            f"{row['method']} with {row['bootstraps']} bootstraps "
            f"{percent(row['coverage, exact'])}"
            for row in rows
            if row["bootstraps"] in {times[0], times[-1]}
        )
        + ".",
        table=table,
    )


def _floor(table: pd.DataFrame, level: float) -> float:
    """Return the lower end of the axis: seldom another one, whatever the noise is."""
    low = _LOW * level
    return low if table["coverage, exact"].min() >= low else 0.0


def _coverage_title(table: pd.DataFrame, shown: Sequence[Named]) -> str:
    """Say which interval covers least where, and what the corrected one does."""
    level = shown[0].method.level
    worst = table.sort_values("coverage, exact").iloc[0]
    if worst["coverage, exact"] >= level:
        return f"All of these intervals hold what they promise, {percent(level)}"
    title = (
        f"Intervals that promise {percent(level)} hold the true mean in only "
        f"{percent(float(worst['coverage, exact']))} ({worst['method']}, "
        f"{worst['bootstraps']} bootstraps)"
    )
    corrected = [one.name for one in shown if one.method.rule is Rule.CORRECTED]
    mine = table[table["method"].isin(corrected)]["coverage, exact"]
    if len(mine):
        title += f"; corrected ones in at least {percent(float(mine.min()))}"
    return title


def _dots(found: Mapping[int, float], runs: Mapping[int, Runs], one: Named) -> Mark:
    """Return simulated shares with bars of two standard errors, of Wilson's kind."""
    shares = np.array(list(found.values()))
    tables = np.array([runs[k].tables for k in found])
    errors = 2 * np.sqrt((shares * (1 - shares) + 1 / tables) / (tables + 4))
    return points(
        list(found),
        shares,
        f"{one.name}, simulated",
        dot(one.stroke.color, 8, one.stroke.symbol),
        hover="%{x} bootstraps: %{y:.1%} simulated",
        error_y=interval(errors, thickness=1.4, width=3),
        legendgroup=one.name,
        showlegend=False,
    )
