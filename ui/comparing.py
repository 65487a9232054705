"""The parts of the Trade-offs page. Everything on it comes from public numbers."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
import streamlit as st

from dpcore.analyses.base import Request
from dpcore.analyses.groups import GroupedQuery
from dpcore.arrays import FloatArray
from dpcore.figures.tradeoffs import SweepAxis, curves_picture, errors_picture, winners_picture
from dpcore.formatting import significant
from dpcore.statistics.kinds import StatisticKind
from dpcore.studies.comparing import error_curves
from dpcore.studies.comparing.error_curves import (
    Comparable,
    Dots,
    ErrorCurve,
    ErrorMetric,
    ErrorSetting,
    Fairness,
    comparable,
    each_number,
    fewest_people,
    with_people,
)
from ui import results, session
from ui.text import after_number, literal

ALL = "bias, SD and RMSE"
"""All metrics, side by side."""
_USUAL = (0.01, 10.0)
_OFTEN = (0.1, 10.0)
"""Of epsilon; where others are set, a picture grows by whole decades."""
_POINTS = 21
_DOTS = 6
_DRAWS = 2000
_SEED = 1
_NOTHING = 1e-4
_OF_SUMS = {
    StatisticKind.DIFFERENCE: "There is nothing to compare for a difference of groups. Noise "
    "is added to the counts and sums of both. The error of their "
    "difference depends on their private sizes. Release shows it "
    "for assumed sizes.",
    StatisticKind.MEANS: "There is nothing to compare for means of several columns. Noise is "
    "added to the counts and sums of groups. The error of a mean "
    "depends on the private size of its group. Release shows it for "
    "assumed sizes.",
    StatisticKind.QUANTILES: "There is nothing to compare for several quantiles. Noise is "
    "added to the numbers of rows in ranges. The error of a "
    "quantile depends on the density of the data around it.",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Shown:
    """What the page shows of a comparison; ``chosen`` is asked through above."""

    keys: tuple[str, ...]
    chosen: str
    metric: ErrorMetric | str


def require_comparable(asked: Request) -> Comparable:
    """Return the question; where mechanisms cannot be compared, say why and stop."""
    query = asked.query
    if not comparable(query):
        st.info(literal(_nothing_to_compare(query.kind)))
        st.page_link("pages/release.py", label="See its noise on Release")
        if query.kind.of_matrix:
            st.page_link("pages/study1.py", label="Compare matrices on Study 1: covariances")
        session.end_page()
    each = each_number(query)
    if each:
        after = "" if asked.constraint is None else ", before they are made to add up"
        st.caption(
            f"Each number of the answer has noise of its own, of the same kind: this "
            f"page is about the {each}{after}."
        )
    return query


def _nothing_to_compare(kind: StatisticKind) -> str:
    if kind.of_ranks:
        return (
            f"There is nothing to compare for a {kind}. The exponential mechanism adds no "
            "noise but chooses one of many values. The error in value depends on the data."
        )
    if kind in _OF_SUMS:
        return _OF_SUMS[kind]
    if kind.of_ratios:
        return (
            f"There is nothing to compare for the {kind} of groups. Noise is added to the "
            "counts and sums of groups. The error of a ratio depends on the private size of "
            "its group. Release shows it for assumed sizes. Ask for all "
            f"{session.unit().counted} together to compare mechanisms."
        )
    if kind is StatisticKind.CORRELATION:
        return (
            "There is nothing to compare for a correlation. It has no noise of its "
            "own: it follows from two released variances and a released covariance. "
            "Choose “variance” or “covariance” to compare mechanisms for these."
        )
    return (
        "There is nothing to compare for a covariance matrix. Its numbers share the budget, "
        "and the range of each depends on earlier ones, so no single noise applies. Choose "
        "“variance” or “covariance” to compare mechanisms for one of its numbers."
    )


def setting(asked: Request, query: Comparable, place: float) -> ErrorSetting:
    """Return the point that the page is set to."""
    return ErrorSetting(
        query=query, epsilon=asked.epsilon, delta=asked.used_delta or 1e-6, place=place
    )


def compared(asked: Request, fairness: Fairness) -> tuple[str, ...]:
    """Return the mechanisms compared; say so where the chosen one stays out."""
    chosen = asked.mechanism_key
    keys = fairness.with_chosen(chosen)
    if chosen not in keys:
        st.caption(
            f"“{asked.entry.label}” has an actual ε above the nominal one and has no place at "
            "the same true epsilon. Compare at the same nominal epsilon to see it."
        )
    return keys


def against_epsilon(at: ErrorSetting, shown: Shown) -> None:
    """Draw the comparison over the privacy parameter.

    The epsilon that is asked for adds a point, and changes nothing else.
    """
    low, high = _epsilons(at)
    keys = shown.keys

    def compute() -> tuple[tuple[ErrorCurve, ...], tuple[Dots, ...]]:
        grid = np.geomspace(low, high, _POINTS)
        few = np.geomspace(low, high, _DOTS)
        settings = [replace(at, epsilon=float(epsilon)) for epsilon in few]
        curves = error_curves.against_epsilon(at, keys, grid)
        return curves, _simulated(few, settings, shown)

    whatever = f"{shown.metric} {keys} {_whatever_epsilon(at)}"
    curves, dots = session.remember("tradeoffs", whatever, compute)
    here = error_curves.at_setting(at, keys)
    with_here = (line.joined_by(one) for line, one in zip(curves, here, strict=True))
    axis = SweepAxis(label="epsilon", at=at.epsilon, log=True)
    _draw(tuple(with_here), dots, here, axis, at.query, shown)


def against_people(at: ErrorSetting, shown: Shown) -> None:
    """Draw the comparison over the number of people."""
    now = at.query.size.people
    low, high = max(fewest_people(at.query), now // 30), max(now * 30, 1000)
    people = np.unique([*_whole(low, high, _POINTS), float(now)])
    few = _whole(low, high, _DOTS)
    settings = [replace(at, query=with_people(at.query, int(n))) for n in few]
    curves = error_curves.against_people(at, shown.keys, people)
    dots = _simulated(few, settings, shown)
    by_group = isinstance(at.query, GroupedQuery)
    label = f"number of {at.query.unit.counted}{' in a group' * by_group}"
    ends = [replace(at, query=with_people(at.query, n)) for n in (low, high)]
    axis = SweepAxis(label=label, at=float(now), log=True, heights=_still(ends, shown))
    here = error_curves.at_setting(at, shown.keys)
    _draw(curves, dots, here, axis, at.query, shown)


def against_position(at: ErrorSetting, shown: Shown) -> None:
    """Draw the comparison over where the true value lies."""
    curves = error_curves.against_position(at, shown.keys, _POINTS)
    few = np.linspace(*at.window, _DOTS)
    settings = [replace(at, place=place) for place in np.linspace(0, 1, _DOTS)]
    dots = _simulated(few, settings, shown)
    name = each_number(at.query) or at.query.title
    still = _still([at], shown)
    axis = SweepAxis(label=f"true {name}", at=at.position, log=False, heights=still)
    here = error_curves.at_setting(at, shown.keys)
    _draw(curves, dots, here, axis, at.query, shown)


def winners(at: ErrorSetting, keys: tuple[str, ...]) -> None:
    """Draw which mechanism has the least error, over position and epsilon."""
    found = session.remember(
        "winners",
        f"{keys} {_whatever_epsilon(at)}",
        lambda: error_curves.winners(at, keys, np.geomspace(*_epsilons(at), 40), 49),
    )
    picture = winners_picture(
        found,
        axis="where the true value lies between its bounds (0 lower, 1 upper)",
        each=each_number(at.query),
    )
    results.show(picture, "winners")


def why(at: ErrorSetting, fairness: Fairness) -> None:
    """Say in two or three sentences what decides, with the numbers on screen."""
    keys = fairness.mechanisms
    bit, truncated = (at.mechanism(key) for key in keys[1:3])
    here = at.position
    quantity = at.query.quantity
    unit = after_number(quantity.of_differences)
    laplace = at.mechanism("laplace")
    spread = float(np.sqrt(laplace.variance(here)))
    text = (
        f"Plain Laplace noise has no bias and a spread of {significant(spread)}{unit} "
        f"everywhere. Bounds trade spread for bias: at a true value of "
        f"{quantity.about(here)}{after_number(quantity.suffix)}, BIT (clamping) has "
        f"{_bias(float(bit.bias(here)), spread, unit)}, truncation (redraw until "
        f"inside) {_bias(float(truncated.bias(here)), spread, unit)}."
    )
    if fairness is Fairness.NOMINAL:
        real = truncated.epsilon(at.query.sensitivity)
        text += (
            f" At the same nominal ε = {significant(at.epsilon)} truncation looks better "
            f"than it is: its true ε is {significant(real, up=True)}."
        )
    else:
        text += (
            f" At the same true ε, truncation needs the noise scale "
            f"{significant(truncated.noise)} where Laplace and BIT need "
            f"{significant(laplace.noise)}."
        )
    st.markdown(text)


def _simulated(x: FloatArray, settings: list[ErrorSetting], shown: Shown) -> tuple[Dots, ...]:
    if not isinstance(shown.metric, ErrorMetric):
        return ()
    rng = np.random.default_rng(_SEED)
    return error_curves.simulated(shown.keys, x, settings, shown.metric, draws=_DRAWS, rng=rng)


def _draw(
    curves: tuple[ErrorCurve, ...],
    dots: tuple[Dots, ...],
    here: tuple[ErrorCurve, ...],
    axis: SweepAxis,
    query: Comparable,
    shown: Shown,
) -> None:
    if not isinstance(shown.metric, ErrorMetric):
        picture = errors_picture(
            curves, here=here, along=axis, unit=query.unit_text, each=each_number(query)
        )
        results.show(picture, "curves")
        return
    picture = curves_picture(
        curves,
        dots,
        shown.metric,
        here=here,
        chosen=shown.chosen,
        axis=axis,
        unit=query.unit_text,
        each=each_number(query),
    )
    results.show(picture, "curves")


def _whatever_epsilon(at: ErrorSetting) -> str:
    """Return what the comparison is about but for the epsilon, and its range."""
    low, high = _epsilons(at)
    return f"{replace(at, epsilon=low)} {high}"


def _epsilons(at: ErrorSetting) -> tuple[float, float]:
    """Return a range of epsilon that reaches down to where the bounds matter.

    Below ``sensitivity / width`` the noise is wider than the bounds are apart. It holds
    still for every usual epsilon, and grows by whole decades for others.
    """
    narrow = at.query.sensitivity.l1 / at.query.bounds.width
    usual = (min(_USUAL[0], max(narrow, 1e-7)), _USUAL[1])
    return _widened(usual, at.epsilon)


def _still(settings: Sequence[ErrorSetting], shown: Shown) -> tuple[float, float] | None:
    """Return ends of an axis that hold for every usual epsilon."""
    if shown.metric is ErrorMetric.BIAS or not isinstance(shown.metric, ErrorMetric):
        return None
    ends = _widened(_OFTEN, settings[0].epsilon)
    corners = [replace(each, epsilon=end) for each in settings for end in ends]
    return error_curves.error_range(corners, shown.keys, shown.metric)


def _widened(usual: tuple[float, float], epsilon: float) -> tuple[float, float]:
    """Return a range with ``epsilon`` in it, wider by whole decades if need be."""
    decade = math.log10(epsilon)
    return (
        min(usual[0], 10.0 ** math.floor(decade)) if epsilon < usual[0] else usual[0],
        max(usual[1], 10.0 ** math.ceil(decade)),
    )


def _bias(value: float, spread: float, unit: str) -> str:
    if abs(value) < _NOTHING * spread:
        return "practically none"
    return f"a bias of {significant(value)}{unit}"


def _whole(low: int, high: int, points: int) -> FloatArray:
    return np.unique(np.geomspace(low, high, points).round())


def details() -> None:
    """Define what the page compares."""
    st.markdown(
        "**Bias** is the mean error of the release, **spread** its standard deviation, "
        "**typical error** its RMSE. Lines are closed forms, dots the same quantity over "
        f"{_DRAWS:,} simulated releases, with two standard errors.\n\n**Laplace** adds noise "
        "of scale sensitivity/ε. **BIT** clamps it to the bounds: an answer beyond becomes "
        "the bound. **Truncated** redraws until the answer lies inside. **Gaussian** adds "
        "normal noise at (ε, δ).\n\nClamping is post-processing and costs no privacy. "
        "Redrawing is not: how often it happens depends on the secret, and the truncated law "
        "as published gives up to twice its ε."
    )
