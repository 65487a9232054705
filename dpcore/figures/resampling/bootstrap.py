"""Noisy bootstraps: their rules as lines, levels, releases, and coverage of intervals."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pandas as pd

from dpcore.arrays import FloatArray
from dpcore.data.quantities import Quantity
from dpcore.figures.theme import (
    GUIDE,
    HEIGHT,
    NEUTRAL,
    STYLES,
    LineStyle,
    Picture,
    axis,
    below,
    log_axis,
    plain,
    whole_decades,
)
from dpcore.figures.traces import (
    NAME,
    Trace,
    bars,
    cells,
    curves,
    date_ticks,
    dot,
    histogram,
    interval,
    landmark,
    line,
    points,
)
from dpcore.formatting import epsilon_text, in_full, nearest, percent, significant
from dpcore.inference.bootstrap_intervals import (
    CONSERVATIVE,
    LEVEL,
    MOST_CONSERVATIVE,
    Clipping,
    Estimate,
    Method,
    Rule,
)
from dpcore.privacy.bootstrap_profiles import multiplicities
from dpcore.studies.resampling.bootstrap_study import (
    BootstrapLevels,
    Experiment,
    Runs,
    coverage,
    error_range,
    exact_coverage,
    mean_error,
    no_length,
    z_scores,
)

COLOR = "#9C3D6E"
"""The color of the bootstrap on all pages."""


@dataclass(frozen=True, slots=True, kw_only=True)
class NamedMethod:
    """A method with the name and the line by which all figures know it."""

    method: Method
    name: str
    stroke: LineStyle


def methods(
    *, tail: float = CONSERVATIVE, level: float = LEVEL
) -> tuple[NamedMethod, NamedMethod, NamedMethod, NamedMethod]:
    """Return the three estimators of the source, and the corrected rule.

    ``tail`` is that of the conservative estimate, and of the corrected one.
    """

    def published(tail: float | None) -> Method:
        return Method(rule=Rule.PUBLISHED, tail=tail, level=level)

    return (
        NamedMethod(
            method=published(None),
            name="unbiased",
            stroke=LineStyle(color="#D55E00", dash="dash", symbol="square"),
        ),
        NamedMethod(
            method=published(tail),
            name="conservative",
            stroke=LineStyle(color="#0072B2", dash="solid", symbol="circle"),
        ),
        NamedMethod(
            method=published(MOST_CONSERVATIVE),
            name="most conservative",
            stroke=LineStyle(color="#009E73", dash="dot", symbol="diamond"),
        ),
        NamedMethod(
            method=Method(rule=Rule.CORRECTED, tail=tail, level=level),
            name="corrected",
            stroke=LineStyle(color=COLOR, dash="longdashdot", symbol="star"),
        ),
    )


def others(*, level: float = LEVEL) -> tuple[NamedMethod, NamedMethod]:
    """Return the other way to clip, and the interval that is proved."""
    kept = Method(rule=Rule.PUBLISHED, tail=None, clipping=Clipping.SAMPLING, level=level)
    proved = Method(rule=Rule.RIGOROUS, tail=(1 - level) / 5, level=level)
    return (
        NamedMethod(
            method=kept,
            name="unbiased, noise kept",
            stroke=LineStyle(color="#E69F00", dash="dashdot", symbol="cross"),
        ),
        NamedMethod(
            method=proved,
            name="rigorous",
            stroke=LineStyle(color="#6B6B6B", dash="longdash", symbol="pentagon"),
        ),
    )


def rule_line(
    x: Sequence[float] | FloatArray,
    y: Sequence[float],
    one: NamedMethod,
    hover: str,
    **more: Any,  # noqa: ANN401 - Plotly's own vocabulary
) -> Trace:
    """Return a line in the look of one rule."""
    known = {"hover": hover, "aside": NAME, "legendgroup": one.name} | more
    return line(x, y, one.name, one.stroke, **known)


def steps(values: FloatArray, edges: FloatArray, one: NamedMethod) -> Trace:
    """Return the outline of a histogram, as shares of all values."""
    counts, _ = np.histogram(values, edges)
    return rule_line(
        edges,
        [*(counts / len(values)), 0.0],
        replace(one, stroke=replace(one.stroke, width=2)),
        "%{x:,.3~r}: %{y:.1%}",
        steps=True,
    )


def unit_of(experiment: Experiment) -> str:
    """Return the unit in brackets, after a space, or nothing."""
    return f" ({experiment.population.unit})" if experiment.population.unit else ""


_NOISE = 1e-9
_FEWEST_DIGITS, _MOST_DIGITS = 4, 13


def length(number: float, experiment: Experiment) -> str:
    """Return how long an interval is, and say so where that is useless.

    >>> from dpcore.studies.resampling.bootstrap_study import Experiment
    >>> length(4.8123, Experiment()), length(130.0, Experiment())
    ('4.81 years long', 'wider than the possible range (100 years): trivial')

    """
    population = experiment.population
    unit = f" {population.unit}" if population.unit else ""
    width = population.bounds.width
    if number >= width:
        return f"wider than the possible range ({in_full(width)}{unit}): trivial"
    return f"{significant(number)}{unit} long"


def apart(claim: float, real: float) -> tuple[str, str] | None:
    """Return two numbers with as many digits as it takes to tell them apart.

    What is claimed is rounded up and what is real down, so that what is shown is so.
    ``None`` where the second does not exceed the first by much.

    >>> apart(4.8866, 5.168), apart(0.0001, 0.00010000625)
    (('4.887', '5.168'), ('0.0001', '0.000100006'))
    >>> apart(1.0, 1.0)
    """
    if real <= claim:
        return None
    if math.isinf(real):
        return significant(claim, 4), significant(real)
    for digits in range(_FEWEST_DIGITS, _MOST_DIGITS):
        place = 10.0 ** (math.floor(math.log10(real)) + 1 - digits)
        low = math.floor(real / place) * place
        high = math.ceil(claim / place - _NOISE) * place
        if low > high * (1 + _NOISE):
            return significant(claim, digits), significant(low, digits)
    return None


def share_text(share: float) -> str:
    """Return a coverage with one digit after the point, more near 100%."""
    return percent(share) if share > 0.999 else nearest(share)  # noqa: PLR2004


_MOST_TICKS = 8


def levels_picture(found: Sequence[BootstrapLevels], *, here: int, delta: float) -> Picture:
    """Return the claimed and the real epsilon against the number of bootstraps.

    ``found`` has at least one number of bootstraps, increasing; the page is set to
    ``here``.
    """
    times = [one.times for one in found]
    table: dict[str, list[float]] = {
        "bootstraps": [one.times for one in found],
        "claimed ε": [one.claimed for one in found],
        "at least": [one.attained for one in found],
        "at most, means": [one.mean for one in found],
        "at most, any statistic": [one.generic for one in found],
    }
    lines = {
        "claimed ε": ("claimed", LineStyle(color=NEUTRAL, dash="dash", width=2.0)),
        "at least": ("at least", LineStyle(color=COLOR, width=3.0)),
        "at most, means": ("at most, means", LineStyle(color=COLOR, dash="dash", width=2.0)),
        "at most, any statistic": ("at most, any", LineStyle(color=COLOR, dash="dot", width=2.0)),
    }
    known = [x for column in lines for x in table[column] if 0 < x < math.inf]
    one = next((level for level in found if level.times == here), found[-1])
    plural = "bootstrap" if one.times == 1 else "bootstraps"
    ticks = [1, 10, 100, 1000] if len(times) > _MOST_TICKS else times
    return Picture.of(
        (
            f"With {one.times} {plural} ε is at least {significant(one.attained, 4)} and "
            f"at most {significant(one.mean, 4, up=True)} for a mean, where "
            f"{significant(one.claimed, 4)} is claimed"
        ),
        table,
        drawn="Four lines against the number of bootstraps",
        more="; ".join(
            f"{level.times}: at least {epsilon_text(level.attained)}, at most "
            f"{epsilon_text(level.mean)} for means, {epsilon_text(level.generic)} for "
            "any statistic"
            for level in found
        ),
        traces=curves(
            table,
            "bootstraps",
            lines,
            hover="%{x} bootstraps: ε = %{y:,.4~r}",
            aside=NAME,
            marker={"size": 6},
        ),
        xaxis=log_axis("number of bootstraps", tickvals=ticks, ticktext=[f"{k}" for k in ticks]),
        # Powers of ten around all of them seldom move with epsilon.
        yaxis=log_axis(f"ε at δ = {significant(delta)}", *whole_decades(min(known), max(known))),
    )


_FAR = 6.0
"""In errors from sampling: how far releases are looked at."""


def one_picture(
    numbers: FloatArray,
    shown: Sequence[NamedMethod],
    *,
    noise: float,
    people: int | None,
    quantity: Quantity,
    statement: str = "answer",
    truth: float | None = None,
) -> Picture:
    """Return the noisy bootstraps of one table with their intervals; figure 6.

    There are at least two bootstraps, each with noise of variance ``noise``, and a
    public number of ``people``, if that is at least 2. Of the rules ``shown`` the last
    one is spoken of; ``truth`` is the mean of the population, where it is known.
    """
    found = {one.name: one.method.around(numbers, noise=noise, people=people) for one in shown}
    counts, edges = np.histogram(numbers, max(1, min(50, 2 * int(len(numbers) ** 0.5))))
    top = float(counts.max())
    heights = -top * np.arange(1, len(shown) + 1) / 10
    ends = {"symbol": "line-ns-open", "size": 12}
    traces = [
        histogram(
            counts,
            edges,
            "noisy bootstraps",
            {"color": "rgba(127,127,127,0.45)"},
            hover="around %{x:,.4~r}: %{y} bootstraps",
        ),
        *(
            line(
                _ends(found[one.name]),
                [height, height],
                one.name,
                replace(one.stroke, width=3),
                hover="%{x:,.4~r}",
                aside=NAME,
                marker=ends,
            )
            for one, height in zip(shown, heights, strict=True)
        ),
    ]
    if truth is not None:
        traces += landmark(truth, 1.02 * top, "true mean", "dash")
    unit = f" ({quantity.name})" if quantity.name else ""
    answer = f"{statement}{unit}, scaled to this run"
    rows = [
        {
            "method": name,
            "estimate": center,
            "standard error": e.standard_error,
            "lower end": lower,
            "upper end": upper,
        }
        | ({} if truth is None else {"holds": bool(e.lower <= truth <= e.upper)})
        for name, e in found.items()
        for center, lower, upper in [cells([e.center, e.lower, e.upper], quantity)]
    ]
    return Picture.of(
        _one_title(found, truth, quantity),
        rows,
        drawn=f"{len(numbers)} noisy bootstraps, their intervals below: {statement}",
        height=HEIGHT + below(answer),
        traces=traces,
        xaxis=axis(plain(answer), **date_ticks(quantity, edges[0], edges[-1])),
        yaxis=axis(
            "bootstraps",
            range=[-top * (len(shown) + 1) / 10, 1.15 * top],
            tick0=0,
            tickvals=np.unique(np.round(np.linspace(0, top, 5))),
        ),
    )


def _one_title(found: dict[str, Estimate], truth: float | None, quantity: Quantity) -> str:
    name, last = list(found.items())[-1]
    error = last.standard_error
    known = (last.center, *_ends(last))
    center, low, high = (quantity.measured(number, error) for number in known)
    title = f"The average is {center}, the {name} interval {low} to {high}"
    if truth is None:
        return title
    wrong = [each for each, e in found.items() if not e.lower <= truth <= e.upper]
    return f"{title}; " + (
        f"the true mean is outside the interval of: {', '.join(wrong)}"
        if wrong
        else "every interval contains the true mean"
    )


def _ends(estimate: Estimate) -> tuple[float, float]:
    return estimate.lower, estimate.upper


def one_shot_picture(experiment: Experiment, runs: Runs) -> Picture:
    """Return one-shot releases beside averages of bootstraps; figure 8.

    The axes do not move with the noise: they reach as far as six errors from sampling
    alone, and the first and last step count what lies farther out.
    """
    given = experiment.bagged_error_given_table
    plainly = experiment.one_shot_error_given_table
    middle = experiment.population.mean
    far = _FAR * math.sqrt(experiment.sampling)
    edges = np.linspace(middle - far, middle + far, 24 + 1)
    laws = {
        "one shot": (runs.one_shots, LineStyle(color=STYLES["gaussian"].color)),
        "average of bootstraps": (runs.centers, LineStyle(color=COLOR, dash="longdashdot")),
    }
    more = (given / plainly) ** 2 - 1
    return Picture.of(
        (
            f"Given the table, the average of bootstraps has {percent(more)} more variance; over "
            f"tables the standard errors are {significant(runs.one_shots.std())} and "
            f"{significant(runs.centers.std())}"
        ),
        {
            "release": list(laws),
            "standard error over tables, simulated": [
                float(values.std()) for values, _ in laws.values()
            ],
            "standard error over tables, exact": [
                experiment.one_shot_error,
                experiment.bagged_error,
            ],
            "standard error given the table, simulated": [
                float((values - runs.means).std()) for values, _ in laws.values()
            ],
            "standard error given the table, exact": [plainly, given],
        },
        drawn=f"Two histograms of {runs.tables:,} simulated releases",
        traces=[
            line(
                edges,
                [
                    *(np.histogram(np.clip(values, edges[0], edges[-1]), edges)[0] / runs.tables),
                    0.0,
                ],
                name,
                stroke,
                hover="%{x:,.4~r}: %{y:.1%}",
                aside=NAME,
                steps=True,
            )
            for name, (values, stroke) in laws.items()
        ],
        xaxis=axis(plain(f"released mean{unit_of(experiment)}"), range=edges[[0, -1]].tolist()),
        yaxis=axis("share of releases", tickformat=".0%", range=[0, 0.55]),
    )


def copies_picture(experiment: Experiment) -> Picture:
    """Return how often a row is drawn into a resample; figure 4.

    The table twin has the noise that the source gives to the part of the rows that are
    drawn ``i`` times, ``i p_i`` of the whole, and the loss of a row in that part if the
    parts were released on their own: ``i / p_i`` of what is claimed.
    """
    shares = multiplicities(experiment.people)
    shown = shares[: 8 + 1]
    i = np.arange(len(shown))
    noise = experiment.times * experiment.bootstraps.noise
    title = (
        f"{percent(float(shares[0]))} of the {experiment.people:,} rows are not "
        f"drawn, and {percent(float(shares[2:].sum()))} are drawn at least twice"
    )
    with np.errstate(divide="ignore", invalid="ignore"):
        loss = np.where(shown > 0, i / shown, np.inf)
    return Picture.of(
        title,
        {
            "times drawn": i,
            "share of rows": shown,
            "variance of the noise of this part": i * shown * noise,
            "loss of these rows / claimed loss": loss,
        },
        drawn=f"Bars of the shares of rows drawn 0 to {len(shown) - 1} times",
        traces=[
            bars(
                i,
                shown,
                "",
                {"color": COLOR},
                hover="%{x} times: %{y:.4%}",
                text=[percent(float(share)) for share in shown],
                textposition="outside",
                cliponaxis=False,
            )
        ],
        xaxis=axis("copies of a row", dtick=1),
        yaxis=axis("share of rows", tickformat=".0%"),
    )


_HEIGHT = 420
_LOW = 0.4
"""Of the level: the three estimators of the source cover that, with any noise."""
_REACH = 5.0
"""In errors from sampling: how far standard errors are looked at."""
_FARTHEST = 5.0


def coverage_picture(
    experiments: Sequence[Experiment], runs: Mapping[int, Runs], *, shown: Sequence[NamedMethod]
) -> Picture:
    """Return the coverage against the number of bootstraps; figure 7b of the source.

    ``experiments`` are one setting with increasing numbers of bootstraps, and ``runs``
    simulated tables by these numbers, where there are any. The methods ``shown``, at
    least one, have one level.
    """
    times = [experiment.times for experiment in experiments]
    level = shown[0].method.level
    ends, nominal = [times[0], times[-1]], f"nominal {percent(level)}"
    traces = [line(ends, [level, level], nominal, GUIDE, hover="")]
    rows: list[dict[str, Any]] = []
    for one in shown:
        exact = [exact_coverage(e, one.method) for e in experiments]
        traces.append(rule_line(times, exact, one, "%{x} bootstraps: %{y:.2%}"))
        found = {
            e.times: coverage(e, one.method, runs[e.times]) for e in experiments if e.times in runs
        }
        if found:
            # Simulated shares with bars of two standard errors, of Wilson's kind.
            shares = np.array(list(found.values()))
            tables = np.array([runs[k].tables for k in found])
            errors = 2 * np.sqrt((shares * (1 - shares) + 1 / tables) / (tables + 4))
            traces.append(
                points(
                    list(found),
                    shares,
                    f"{one.name}, simulated",
                    dot(one.stroke.color, 8, one.stroke.symbol),
                    hover="%{x} bootstraps: %{y:.1%} simulated",
                    error_y=interval(errors, thickness=1.4, width=3),
                    legendgroup=one.name,
                    showlegend=False,
                )
            )
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
    # The lower end of the axis: seldom another one, whatever the noise is.
    low = _LOW * level
    return Picture.of(
        _coverage_title(table, shown),
        table,
        drawn=f"Lines are coverages of {percent(level)} intervals if means are normal; "
        f"dots with bars, where there are any, are simulated",
        more="; ".join(
            f"{row['method']} with {row['bootstraps']} bootstraps {percent(row['coverage, exact'])}"
            for row in rows
            if row["bootstraps"] in {times[0], times[-1]}
        ),
        height=_HEIGHT,
        traces=traces,
        xaxis=axis("number of bootstraps", range=[0, 1.02 * times[-1]]),
        yaxis=axis(
            "coverage",
            tickformat=".0%",
            range=[(low if table["coverage, exact"].min() >= low else 0.0), 1.02],
        ),
    )


def _coverage_title(table: pd.DataFrame, shown: Sequence[NamedMethod]) -> str:
    """Say which interval covers least where, and what the corrected one does."""
    level = shown[0].method.level
    worst = table.sort_values("coverage, exact").iloc[0]
    if worst["coverage, exact"] >= level:
        return f"All of these intervals reach their nominal {percent(level)}"
    title = (
        f"Nominal {percent(level)} intervals cover the true mean in only "
        f"{percent(float(worst['coverage, exact']))} ({worst['method']}, "
        f"{worst['bootstraps']} bootstraps)"
    )
    corrected = [one.name for one in shown if one.method.rule is Rule.CORRECTED]
    mine = table[table["method"].isin(corrected)]["coverage, exact"]
    if len(mine):
        title += f"; corrected ones in at least {percent(float(mine.min()))}"
    return title


def ranges_picture(experiments: Sequence[Experiment], *, shown: Sequence[NamedMethod]) -> Picture:
    """Return the mean standard errors with 90% ranges; figure 7a of the source.

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
                "5% are below": low,
                "5% are above": high,
                "true standard error": experiment.bagged_error,
            }
            for k, mean, (low, high), experiment in zip(
                times, means, ranges, experiments, strict=True
            )
        ]
    true = [experiment.bagged_error for experiment in experiments]
    traces.append(line(times, true, "true", GUIDE, hover="true: %{y:,.4~r}"))
    unit = unit_of(experiments[-1])
    last = rows[len(times) - 1]
    first = shown[0].name
    return Picture.of(
        (
            f"With {times[-1]} bootstraps the {first} standard error is between "
            f"{significant(last['5% are below'])} and "
            f"{significant(last['5% are above'])} in 90% of tables; the true one is "
            f"{significant(true[-1])}"
        ),
        rows,
        drawn="Thick lines are means of standard errors, thin lines contain 90%",
        height=_HEIGHT,
        traces=traces,
        xaxis=axis("number of bootstraps"),
        yaxis=axis(f"standard error{unit}", rangemode="tozero"),
    )


def errors_picture(experiment: Experiment, runs: Runs, shown: Sequence[NamedMethod]) -> Picture:
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
    edges = np.linspace(0.0, high, 30 + 1)
    unbiased = errors["unbiased"]
    zero = float(np.mean(unbiased == 0))
    expected = no_length(experiment, shown[0].method)
    return Picture.of(
        (
            f"The unbiased standard error is 0 in {percent(zero)} of tables and too small in "
            f"{percent(float(np.mean(unbiased < true)))}; the conservative one is too small "
            f"in {percent(float(np.mean(errors['conservative'] < true)))}"
        ),
        [
            {
                "method": one.name,
                "mean of standard errors": float(errors[one.name].mean()),
                "expected mean": mean_error(experiment, one.method),
                "5% are below": float(np.quantile(errors[one.name], 0.05)),
                "5% are above": float(np.quantile(errors[one.name], 0.95)),
                "exactly 0": float(np.mean(errors[one.name] == 0)),
                "below the true one": float(np.mean(errors[one.name] < true)),
                "true standard error": true,
            }
            for one in shown
        ],
        more=f"True standard error {significant(true)}{unit}. {runs.tables:,} "
        f"simulated tables; a standard error of 0 is expected for {percent(expected)}",
        traces=[
            *(steps(np.minimum(errors[m.name], high), edges, m) for m in shown),
            *landmark(min(true, high), 1.02, "true" if true < high else "true: beyond", "dash"),
        ],
        xaxis=axis(f"standard error{unit}", range=[0.0, high]),
        yaxis=axis(
            "share of tables", tickformat=".0%", range=[0, 1.15], tickvals=[0, 0.25, 0.5, 0.75, 1]
        ),
    )


def scores_picture(experiment: Experiment, runs: Runs, shown: Sequence[NamedMethod]) -> Picture:
    """Return z-scores of the true mean against the standard normal; figure 9b.

    ``shown`` are those of ``lines.methods``.
    """
    edges = np.linspace(-_FARTHEST, _FARTHEST, 60 + 1)
    scores = {one.name: z_scores(experiment, one.method, runs) for one in shown}
    middle = (edges[1:] + edges[:-1]) / 2
    width = edges[1] - edges[0]
    normal = line(
        middle, width * np.exp(-(middle**2) / 2) / math.sqrt(2 * math.pi), "right", GUIDE, hover=""
    )
    beyond = {
        one.name: (
            float(np.mean(np.abs(scores[one.name]) > one.method.quantile(experiment.bootstraps))),
            1 - exact_coverage(experiment, one.method),
        )
        for one in shown
    }
    few = (1 - shown[0].method.level) * runs.tables
    unbiased = beyond["unbiased"][0]
    return Picture.of(
        (
            f"{round(unbiased * runs.tables):,} of {runs.tables:,} intervals with the "
            f"unbiased error miss the true mean, where {round(few):,} should; "
            f"{round(beyond['conservative'][0] * runs.tables):,} with the conservative one"
        ),
        [
            {
                "method": name,
                "intervals that miss": missed,
                "expected to miss": expected,
                "error of 0": float(np.mean(np.isinf(scores[name]))),
            }
            for name, (missed, expected) in beyond.items()
        ],
        drawn="Distributions of z-scores beside the standard normal",
        more=f"Scores beyond {in_full(_FARTHEST)}, infinite ones included, are outside the figure",
        traces=[normal, *(steps(scores[m.name], edges, m) for m in shown)],
        xaxis=axis("standardized error", range=[-_FARTHEST, _FARTHEST]),
        yaxis=axis("share of tables", tickformat=".0%"),
    )


def _line(x: list[int], y: list[float], one: NamedMethod, **more: object) -> Trace:
    return rule_line(x, y, one, "%{x} bootstraps: %{y:,.4~r}", **more)


def _end(x: list[int], y: list[float], one: NamedMethod) -> Trace:
    """Return one end of the range, thinner and without an entry of its own."""
    thin = replace(one, stroke=replace(one.stroke, dash="dot", width=1.2))
    return _line(x, y, thin, opacity=0.55, showlegend=False)
