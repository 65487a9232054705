"""What an attacker can tell about one person from a release. CONFIDENTIAL pictures."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from dpcore.figures.marks import NAME, Mark, area, dot, interval, line, points
from dpcore.figures.theme import (
    CONFIDENTIAL,
    DOTTED,
    GUIDE,
    NEUTRAL,
    STROKES,
    Picture,
    Stroke,
    axis,
)
from dpcore.studies.individual.one_person import posterior
from dpcore.wording import at_least, at_most, nearest, percent

if TYPE_CHECKING:
    from dpcore.arrays import FloatArray
    from dpcore.studies.individual.one_person import Round

_POINTS = 400
_BAND = "rgba(127,127,127,0.18)"
_GUESS = dot(CONFIDENTIAL, 12, "diamond")
_QUANTILES = (0.05, 0.5, 0.95)


def detection_picture(
    curve: tuple[FloatArray, FloatArray], *, prior: float, guess: float, key: str
) -> Picture:
    """Return the receiver operating characteristic of the best test.

    ``curve`` has the chances of a false alarm, ascending, and of detection; ``guess``
    says how often the best guess is right, with that belief before.
    """
    alarm, detection = _thinned(*curve)
    best = int(np.argmax(prior * detection + (1 - prior) * (1 - alarm)))
    even = float(np.max(detection - alarm))
    hover = "false alarm %{x:.3f}: found %{y:.3f}"
    test = Stroke(color=STROKES[key].color, width=3)
    diagonal = Stroke(color=NEUTRAL, dash="dash", width=1.5)
    blind = max(prior, 1 - prior)
    title = (
        f"Who is {percent(prior)} sure beforehand that the person is in the table "
        f"guesses right {nearest(guess)} of the time at best, and {percent(blind)} "
        "without the release"
    )
    return Picture.of(
        title,
        {"false alarm": alarm, "found": detection},
        drawn=f"Chance of finding the person against the chance of a false alarm; they "
        f"differ by at most {percent(even)}",
        traces=[
            line(alarm, detection, "best test", test, hover=hover),
            line([0, 1], [0, 1], "guessing blindly", diagonal, hover=""),
            points([alarm[best]], [detection[best]], "best guess", _GUESS, hover=hover),
        ],
        height=400,
        xaxis=axis("chance of a false alarm (person not there)", range=[-0.02, 1.02]),
        yaxis=axis("chance of finding the person", range=[-0.02, 1.02]),
    )


def belief_picture(
    evidence: tuple[FloatArray, FloatArray], *, prior: float, guarantee: float, key: str
) -> Picture:
    """Return beliefs after a release against beliefs before.

    ``evidence`` is that of simulated releases without the person, and with; the belief
    ``prior`` is marked. The ``guarantee`` over all tables is a pure epsilon, or
    infinite.
    """
    color = STROKES[key].color
    before = np.linspace(0.001, 0.999, 201)
    absent, present = (
        np.quantile(part, _QUANTILES, method="inverted_cdf") for part in evidence
    )
    low, middle, high = (posterior(before, level) for level in present)
    guessed, told = Stroke(color=color, width=2), "9 of 10 releases with the person"
    traces = [
        area(100 * before, 100 * high, 100 * low, _BAND, told),
        _belief(before, middle, "half of them are above", guessed),
        _belief(before, posterior(before, absent[1]), "the same without", GUIDE),
    ]
    if np.isfinite(guarantee):
        traces += [
            _belief(before, posterior(before, sign * guarantee), name, DOTTED)
            for sign, name in ((1, "guarantee, any table"), (-1, "guarantee, lower"))
        ]
    at = posterior(prior, present)
    least, half, most = (100 * float(each) for each in at)
    traces.append(
        points(
            [100 * prior],
            [half],
            "the belief set here",
            _GUESS | {"size": 11},
            hover="before %{x:.1f} %: after %{y:.1f} %",
            error_y=interval([most - half], [half - least], thickness=2, width=6),
        )
    )
    title = (
        f"A belief of {percent(prior)} that the person is there ends at least at "
        f"{at_least(float(at[0]))} and at most at {at_most(float(at[2]))} in 9 of 10 "
        "releases, if they are"
    )
    return Picture.of(
        title,
        {"before": before, "5 %": low, "half": middle, "95 %": high},
        drawn="Belief after the release against belief before",
        traces=traces,
        height=420,
        xaxis=axis("belief before the release, %", range=[0, 100]),
        yaxis=axis("belief afterwards, %", range=[0, 102]),
        legend={"orientation": "h", "yanchor": "top", "y": -0.2, "x": 0},
        margin={"l": 60, "r": 24, "t": 24, "b": 100},
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
        f"{nearest(guess)} at best"
    )


def _belief(before: FloatArray, after: FloatArray, name: str, stroke: Stroke) -> Mark:
    return line(
        100 * before,
        100 * after,
        name,
        stroke,
        hover="before %{x:.1f} %: after %{y:.1f} %",
        aside=NAME,
        showlegend=not name.endswith("lower"),
    )


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
