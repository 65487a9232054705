"""How often intervals from noisy bootstraps hold the truth, and their errors."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd

from dpcore.figures.marks import Mark, dot, interval, landmark, line, points
from dpcore.figures.resampling.bootstrap.lines import Named, rule_line, steps, unit_of
from dpcore.figures.theme import GUIDE, Picture, axis
from dpcore.inference.bootstrap_intervals import Rule
from dpcore.studies.resampling.bootstrap_study import (
    Experiment,
    Runs,
    coverage,
    error_range,
    exact_coverage,
    mean_error,
    no_length,
    z_scores,
)
from dpcore.wording import percent, significant

_HEIGHT = 420
_LOW = 0.4
"""Of the level: the three estimators of the source cover that, with any noise."""
_FAINT = 0.55
_BINS = 60
_FEWER = 30
_REACH = 5.0
"""In errors from sampling: how far standard errors are looked at."""
_FARTHEST = 5.0


def coverage_picture(
    experiments: Sequence[Experiment], runs: Mapping[int, Runs], *, shown: Sequence[Named]
) -> Picture:
    """Return the coverage against the number of bootstraps; figure 7b of the source.

    ``experiments`` are one setting with increasing numbers of bootstraps, and ``runs``
    simulated tables by these numbers, where there are any. The methods ``shown``, at
    least one, have one level.
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
            e.times: coverage(e, one.method, runs[e.times]) for e in experiments if e.times in runs
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
    return Picture.of(
        title,
        table,
        alt=f"Lines are coverages of {percent(level)} intervals if means are normal; "
        f"dots with bars, where there are any, are simulated. {title}. "
        + "; ".join(
            f"{row['method']} with {row['bootstraps']} bootstraps {percent(row['coverage, exact'])}"
            for row in rows
            if row["bootstraps"] in {times[0], times[-1]}
        )
        + ".",
        height=_HEIGHT,
        traces=traces,
        xaxis=axis("number of bootstraps", range=[0, 1.02 * times[-1]]),
        yaxis=axis(
            "intervals that hold the true mean",
            tickformat=".0%",
            range=[_floor(table, level), 1.02],
        ),
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


def ranges_picture(experiments: Sequence[Experiment], *, shown: Sequence[Named]) -> Picture:
    """Return the mean standard errors with 90 % ranges; figure 7a of the source.

    ``experiments`` are one setting with increasing numbers of bootstraps.
    """
    times = [experiment.times for experiment in experiments]
    rows: list[dict[str, Any]] = []
    traces = []
    for one in shown:
        means = [mean_error(e, one.method) for e in experiments]
        ranges = [error_range(e, one.method) for e in experiments]
        traces.append(_line(times, means, one))
        traces += [_end(times, [each[i] for each in ranges], one) for i in range(2)]
        rows += [
            {
                "bootstraps": k,
                "method": one.name,
                "mean standard error": mean,
                "5 % are below": low,
                "5 % are above": high,
                "true standard error": experiment.bagged_error,
            }
            for k, mean, (low, high), experiment in zip(
                times, means, ranges, experiments, strict=True
            )
        ]
    true = [experiment.bagged_error for experiment in experiments]
    traces.append(line(times, true, "true", GUIDE, hover="true: %{y:.4g}"))
    unit = unit_of(experiments[-1])
    last = rows[len(times) - 1]
    first = shown[0].name
    title = (
        f"With {times[-1]} bootstraps the {first} standard error lies anywhere between "
        f"{significant(last['5 % are below'])} and "
        f"{significant(last['5 % are above'])} in 9 of 10 tables; the true one is "
        f"{significant(true[-1])}"
    )
    return Picture.of(
        title,
        rows,
        drawn="Thick lines are means of standard errors, thin ones hold nine tenths",
        height=_HEIGHT,
        traces=traces,
        xaxis=axis("number of bootstraps"),
        yaxis=axis(f"standard error{unit} (scaled to this run)", rangemode="tozero"),
    )


def errors_picture(experiment: Experiment, runs: Runs, shown: Sequence[Named]) -> Picture:
    """Return the distributions of estimated standard errors; figure 9a.

    ``shown`` are those of ``lines.methods``. The axes do not move with the
    noise: they reach as far as five errors from sampling alone, and the last step
    counts what lies farther out.
    """
    unit = unit_of(experiment)
    true = experiment.bagged_error
    errors = {
        one.name: np.sqrt(one.method.variance(experiment.bootstraps, runs.spreads)) for one in shown
    }
    high = _REACH * math.sqrt(experiment.sampling) or 1.0
    edges = np.linspace(0.0, high, _FEWER + 1)
    where = "true" if true < high else "true: beyond"
    unbiased = errors["unbiased"]
    zero = float(np.mean(unbiased == 0))
    expected = no_length(experiment, shown[0].method)
    title = (
        f"The unbiased standard error is exactly 0 for {percent(zero)} of the tables, "
        f"and below the true one for {percent(float(np.mean(unbiased < true)))}; the "
        f"conservative one is too small for "
        f"{percent(float(np.mean(errors['conservative'] < true)))}"
    )
    return Picture.of(
        title,
        [
            {
                "method": one.name,
                "mean of standard errors": float(errors[one.name].mean()),
                "expected mean": mean_error(experiment, one.method),
                "5 % are below": float(np.quantile(errors[one.name], 0.05)),
                "5 % are above": float(np.quantile(errors[one.name], 0.95)),
                "exactly 0": float(np.mean(errors[one.name] == 0)),
                "below the true one": float(np.mean(errors[one.name] < true)),
                "true standard error": true,
            }
            for one in shown
        ],
        alt=f"{title}. True standard error {significant(true)}{unit}. {runs.tables:,} "
        f"simulated tables; a standard error of 0 is expected for {percent(expected)}.",
        traces=[
            *(steps(np.minimum(errors[m.name], high), edges, m) for m in shown),
            *landmark(min(true, high), 1.02, where, "dash"),
        ],
        xaxis=axis(f"estimated standard error{unit}, the last step: or more", range=[0.0, high]),
        yaxis=axis(
            "share of tables", tickformat=".0%", range=[0, 1.15], tickvals=[0, 0.25, 0.5, 0.75, 1]
        ),
    )


def scores_picture(experiment: Experiment, runs: Runs, shown: Sequence[Named]) -> Picture:
    """Return z-scores of the true mean against the standard normal; figure 9b.

    ``shown`` are those of ``lines.methods``.
    """
    edges = np.linspace(-_FARTHEST, _FARTHEST, _BINS + 1)
    scores = {one.name: z_scores(experiment, one.method, runs) for one in shown}
    middle = (edges[1:] + edges[:-1]) / 2
    width = edges[1] - edges[0]
    height = width * np.exp(-(middle**2) / 2) / math.sqrt(2 * math.pi)
    normal = line(middle, height, "right", GUIDE, hover="")
    beyond = {
        one.name: (
            float(np.mean(np.abs(scores[one.name]) > one.method.quantile(experiment.bootstraps))),
            1 - exact_coverage(experiment, one.method),
        )
        for one in shown
    }
    few = (1 - shown[0].method.level) * runs.tables
    unbiased = beyond["unbiased"][0]
    title = (
        f"{round(unbiased * runs.tables):,} of {runs.tables:,} intervals with the "
        f"unbiased error miss the true mean, where {round(few):,} should; "
        f"{round(beyond['conservative'][0] * runs.tables):,} with the conservative one"
    )
    return Picture.of(
        title,
        [
            {
                "method": name,
                "intervals that miss": missed,
                "expected to miss": expected,
                "error of 0": float(np.mean(np.isinf(scores[name]))),
            }
            for name, (missed, expected) in beyond.items()
        ],
        alt=f"Distributions of z-scores beside the standard normal. {title}. Scores "
        f"beyond {_FARTHEST:g}, infinite ones included, are outside the figure.",
        traces=[normal, *(steps(scores[m.name], edges, m) for m in shown)],
        xaxis=axis("estimated standard errors from the truth", range=[-_FARTHEST, _FARTHEST]),
        yaxis=axis("share of tables (scaled to this run)", tickformat=".0%"),
    )


def _line(x: list[int], y: list[float], one: Named, **more: object) -> Mark:
    return rule_line(x, y, one, "%{x} bootstraps: %{y:.4g}", **more)


def _end(x: list[int], y: list[float], one: Named) -> Mark:
    """Return one end of the range, thinner and without an entry of its own."""
    thin = replace(one, stroke=replace(one.stroke, dash="dot", width=1.2))
    return _line(x, y, thin, opacity=_FAINT, showlegend=False)
