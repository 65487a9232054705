"""Study 1: where the sanitized numbers lie, against the number of people."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from dpcore.arrays import FloatArray
from dpcore.figures.marks import NAME, Mark, dot, level, line, points
from dpcore.figures.theme import STROKES, Picture, Stroke, axis
from dpcore.mechanisms.catalog import CATALOG
from dpcore.studies.covariance_study import LABELS, STATISTICS, ScenarioOutcome, Summary, numbers
from dpcore.wording import percent, significant

_HEIGHT = 340
_APART = 0.22
_INVISIBLE = 0.005
_ROOM = 1.04
_COVARIANCE, _CORRELATION = STATISTICS[2:]
_LEGEND = {"bit": "BIT", "truncated": "calibrated", "truncated-published": "published"}
_SHORT = {
    "bit": "BIT",
    "truncated": "calibrated truncation",
    "truncated-published": "truncation as published",
}


def panel_picture(outcomes: Sequence[ScenarioOutcome], statistic: str) -> Picture:
    """Return the means and percentiles of one statistic, one color a mechanism.

    The outcomes are those of one correlation. Thin bars run from the 2.5 to the 97.5
    percentile, thick ones from the 25 to the 75; dots are simulated means, lines the
    exact ones. In the legend "published" and "calibrated" are the two truncations.
    The axis holds everything that can be released, whatever epsilon is; for a
    covariance that would be too much to see anything, so that its title says the scale.
    """
    people = sorted({outcome.scenario.people for outcome in outcomes})
    keys = list(dict.fromkeys(outcome.scenario.key for outcome in outcomes))
    traces: list[Mark] = []
    for place, key in enumerate(keys):
        mine = [outcome for outcome in outcomes if outcome.scenario.key == key]
        offset = (place - (len(keys) - 1) / 2) * _APART
        at = np.array([people.index(o.scenario.people) for o in mine]) + offset
        traces += _traces(key, at, [outcome.of[statistic] for outcome in mine])
    truth = outcomes[0].of[statistic].truth
    title = _takeaway(outcomes, statistic)
    return Picture.of(
        title,
        numbers(outcomes, [statistic]),
        alt=f"{title}. {_words(outcomes, statistic)}",
        traces=traces,
        height=_HEIGHT,
        xaxis=axis(
            "number of people",
            tickvals=list(range(len(people))),
            ticktext=[f"{n:,}" for n in people],
            range=[-0.5, len(people) - 0.2],
        ),
        yaxis=_axis(outcomes, statistic),
        shapes=[
            level(
                truth,
                f"true {significant(truth)}",
                Stroke(color="rgba(127,127,127,0.9)", dash="dot", width=2),
                textposition="end",
                font={"size": 12},
            )
        ],
    )


def _axis(outcomes: Sequence[ScenarioOutcome], statistic: str) -> dict[str, Any]:
    text = f"released {LABELS[statistic]}"
    if statistic == _COVARIANCE:
        return axis(f"{text} (scaled to this run)")
    top = _ROOM * max(outcome.largest[statistic] for outcome in outcomes)
    least = -top if statistic == _CORRELATION else top - _ROOM * top
    return axis(text, range=[least, top])


def _traces(key: str, at: FloatArray, summaries: list[Summary]) -> list[Mark]:
    stroke = STROKES[key]
    quiet: Mark = {"hover": "", "legendgroup": key, "showlegend": False}
    bars = [
        line(
            np.repeat(at, 3),
            [
                y
                for summary in summaries
                for y in (summary.percentiles[low], summary.percentiles[high], None)
            ],
            stroke=Stroke(color=stroke.color, width=width),
            opacity=opacity,
            **quiet,
        )
        for low, high, width, opacity in ((0, 4, 1.5, 1.0), (1, 3, 9, 0.45))
    ]
    exact = [summary.exact for summary in summaries]
    means = points(
        at,
        [summary.mean for summary in summaries],
        _LEGEND[key],
        dot(stroke.color, 9, stroke.symbol),
        hover="mean %{y:.3g} (exactly %{customdata[5]:.3g}), true %{customdata[6]:.3g}"
        "<br>half between %{customdata[1]:.3g} and %{customdata[3]:.3g}"
        "<br>95 % between %{customdata[0]:.3g} and %{customdata[4]:.3g}",
        aside=NAME,
        legendgroup=key,
        customdata=[[*summary.percentiles, summary.exact, summary.truth] for summary in summaries],
    )
    return [*bars, line(at, exact, stroke=replace(stroke, width=2), **quiet), means]


def _takeaway(outcomes: Sequence[ScenarioOutcome], statistic: str) -> str:
    """Return what the fewest people lead to."""
    few = min(outcome.scenario.people for outcome in outcomes)
    here = [o for o in outcomes if o.scenario.people == few]
    summaries = [(o.scenario.key, o.of[statistic]) for o in here]
    name = LABELS[statistic]
    known = [(key, s) for key, s in summaries if not np.isnan(s.exact)]
    if not known:
        return f"With {few:,} people no release has a {name}"
    if all(abs(s.exact_bias) <= _INVISIBLE * (s.sd or 1.0) for _, s in known):
        key, widest = max(known, key=lambda k: k[1].percentiles[4])
        low, high = widest.percentiles[0], widest.percentiles[4]
        return (
            f"With {few:,} people the {name} is right on average, yet 95 % of the "
            f"releases lie between {significant(low)} and {significant(high)} "
            f"({_SHORT[key]})"
        )
    truth = significant(known[0][1].truth)
    parts = [
        f"too {way} by {_sizes(known, sign)}"
        for way, sign in (("large", 1), ("small", -1))
        if any(sign * s.exact_bias > 0 for _, s in known)
    ]
    return f"With {few:,} people a {name} of {truth} comes out {', '.join(parts)}"


def _sizes(known: list[tuple[str, Summary]], sign: int) -> str:
    """Return the biases in one direction, the smallest first."""
    biases = sorted((sign * s.exact_bias, key) for key, s in known)
    return ", ".join(f"{significant(size)} ({_SHORT[key]})" for size, key in biases if size > 0)


def _words(outcomes: Sequence[ScenarioOutcome], statistic: str) -> str:
    sentences = []
    for outcome in outcomes:
        summary, known = outcome.of[statistic], outcome.scenario
        low, high = summary.percentiles[0], summary.percentiles[4]
        sentences.append(
            f"{CATALOG[known.key].label}, {known.people:,} people: mean "
            f"{significant(summary.mean)}, 95 % between {significant(low)} and "
            f"{significant(high)}"
            + (f", {percent(summary.at_ends)} exactly -1 or 1" if summary.at_ends else "")
        )
    return "; ".join(sentences) + "."
