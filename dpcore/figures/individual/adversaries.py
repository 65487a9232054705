"""What an attacker can tell about one person from a release. CONFIDENTIAL pictures."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from dpcore.figures.theme import CONFIDENTIAL, NEUTRAL, STROKES, Picture, frame
from dpcore.figures.wording import at_most, percent
from dpcore.studies.individual.one_person import posterior

if TYPE_CHECKING:
    from dpcore.data.bounds import FloatArray
    from dpcore.studies.individual.one_person import Round

_POINTS = 400
_BAND = "rgba(127,127,127,0.18)"
_QUANTILES = (0.05, 0.5, 0.95)


def detection_picture(
    curve: tuple[FloatArray, FloatArray],
    *,
    prior: float,
    guess: float,
    key: str,
    watermark: bool,
) -> Picture:
    """Return the receiver operating characteristic of the best test.

    Args:
        curve: Chances of a false alarm, ascending, and of detection.
        prior: How likely the attacker thought the person's presence before.
        guess: How often the best guess is right then.
        key: Key of the mechanism, for its color.
        watermark: Whether the picture is for the classroom only.

    """
    alarm, detection = _thinned(*curve)
    best = int(np.argmax(prior * detection + (1 - prior) * (1 - alarm)))
    even = float(np.max(detection - alarm))
    traces: list[dict[str, Any]] = [
        {
            "type": "scatter",
            "x": alarm,
            "y": detection,
            "mode": "lines",
            "name": "best test",
            "line": {"color": STROKES[key].color, "width": 3},
            "hovertemplate": "false alarm %{x:.3f}: found %{y:.3f}<extra></extra>",
        },
        {
            "type": "scatter",
            "x": [0, 1],
            "y": [0, 1],
            "mode": "lines",
            "name": "guessing blindly",
            "line": {"color": NEUTRAL, "dash": "dash", "width": 1.5},
            "hoverinfo": "skip",
        },
        {
            "type": "scatter",
            "x": [alarm[best]],
            "y": [detection[best]],
            "mode": "markers",
            "name": "best guess",
            "marker": {"size": 12, "symbol": "diamond", "color": CONFIDENTIAL},
            "hovertemplate": "false alarm %{x:.3f}: found %{y:.3f}<extra></extra>",
        },
    ]
    figure = frame(
        traces=traces,
        watermark=watermark,
        height=400,
        xaxis={
            "title": {"text": "chance of a false alarm (person not there)"},
            "range": [-0.02, 1.02],
        },
        yaxis={
            "title": {"text": "chance of finding the person"},
            "range": [-0.02, 1.02],
        },
    )
    blind = max(prior, 1 - prior)
    title = (
        f"Who is {percent(prior)} sure beforehand that the person is in the table "
        f"guesses right {at_most(guess)} of the time at best, and {percent(blind)} "
        "without the release"
    )
    return Picture(
        title=title,
        figure=figure,
        alt=(
            f"Chance of finding the person against the chance of a false alarm; they "
            f"differ by at most {percent(even)}. {title}."
        ),
        table=pd.DataFrame({"false alarm": alarm, "found": detection}),
    )


def belief_picture(
    evidence: tuple[FloatArray, FloatArray],
    *,
    prior: float,
    guarantee: float,
    key: str,
    watermark: bool,
) -> Picture:
    """Return beliefs after a release against beliefs before.

    Args:
        evidence: Evidence of simulated releases without the person, and with.
        prior: The belief that is marked.
        guarantee: The worst case over all tables: a pure epsilon, or infinite.
        key: Key of the mechanism, for its color.
        watermark: Whether the picture is for the classroom only.

    """
    color = STROKES[key].color
    before = np.linspace(0.001, 0.999, 201)
    absent, present = (
        np.quantile(part, _QUANTILES, method="inverted_cdf") for part in evidence
    )
    low, middle, high = (posterior(before, level) for level in present)
    traces: list[dict[str, Any]] = [
        {
            "type": "scatter",
            "x": 100 * np.concatenate([before, before[::-1]]),
            "y": 100 * np.concatenate([high, low[::-1]]),
            "mode": "none",
            "fill": "toself",
            "fillcolor": _BAND,
            "name": "9 of 10 releases with the person",
            "hoverinfo": "skip",
        },
        _belief(before, middle, "half of them are above", color, "solid"),
        _belief(
            before, posterior(before, absent[1]), "the same without", NEUTRAL, "dash"
        ),
    ]
    if np.isfinite(guarantee):
        traces += [
            _belief(before, posterior(before, sign * guarantee), name, NEUTRAL, "dot")
            for sign, name in ((1, "guarantee, any table"), (-1, "guarantee, lower"))
        ]
    at = posterior(prior, present)
    traces.append(
        {
            "type": "scatter",
            "x": [100 * prior],
            "y": [100 * float(at[1])],
            "error_y": {
                "type": "data",
                "symmetric": False,
                "array": [100 * float(at[2] - at[1])],
                "arrayminus": [100 * float(at[1] - at[0])],
                "thickness": 2,
                "width": 6,
            },
            "mode": "markers",
            "name": "the belief set here",
            "marker": {"size": 11, "symbol": "diamond", "color": CONFIDENTIAL},
            "hovertemplate": "before %{x:.1f} %: after %{y:.1f} %<extra></extra>",
        }
    )
    figure = frame(
        traces=traces,
        watermark=watermark,
        height=420,
        xaxis={"title": {"text": "belief before the release, %"}, "range": [0, 100]},
        yaxis={"title": {"text": "belief afterwards, %"}, "range": [0, 102]},
        legend={"orientation": "h", "yanchor": "top", "y": -0.2, "x": 0},
        margin={"l": 60, "r": 24, "t": 24, "b": 100},
    )
    title = (
        f"A belief of {percent(prior)} that the person is there ends between "
        f"{100 * float(at[0]):.3g} % and {100 * float(at[2]):.3g} % in 9 of 10 "
        "releases, if they are"
    )
    table = pd.DataFrame({"before": before, "5 %": low, "half": middle, "95 %": high})
    return Picture(
        title=title,
        figure=figure,
        alt=f"Belief after the release against belief before. {title}.",
        table=table,
    )


def game_text(rounds: tuple[Round, ...], guess: float) -> str:
    """Return how the attacker fared, beside the best that is possible.

    >>> from dpcore.studies.individual.one_person import Round
    >>> game_text((Round(True, 0.3, True), Round(False, 0.1, True)), 0.61)
    'The attacker was right in 1 of 2 rounds; in the long run 61 % at best'
    """
    right = sum(turn.present == turn.guess for turn in rounds)
    return (
        f"The attacker was right in {right} of {len(rounds)} rounds; in the long run "
        f"{at_most(guess)} at best"
    )


def _belief(
    before: FloatArray, after: FloatArray, name: str, color: str, dash: str
) -> dict[str, Any]:
    return {
        "type": "scatter",
        "x": 100 * before,
        "y": 100 * after,
        "mode": "lines",
        "name": name,
        "showlegend": not name.endswith("lower"),
        "line": {"color": color, "dash": dash, "width": 2},
        "hovertemplate": "before %{x:.1f} %: after %{y:.1f} %<extra>%{fullData.name}"
        "</extra>",
    }


def _thinned(alarm: FloatArray, detection: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return few points of a curve, the corner of the best even guess among them."""
    if len(alarm) <= _POINTS:
        return alarm, detection
    # As far apart along the curve as can be.
    along = np.cumsum(
        np.abs(np.diff(alarm, prepend=0)) + np.abs(np.diff(detection, prepend=0))
    )
    places = np.searchsorted(along, np.linspace(0, along[-1], _POINTS))
    corner = int(np.argmax(detection - alarm))
    places = np.unique(np.append(np.minimum(places, len(alarm) - 1), [0, corner]))
    return alarm[places], detection[places]
