"""The parts of the Trade-offs page. Everything on it comes from public numbers."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
import streamlit as st

from dpcore.figures.comparing.tradeoffs import Axis, curves_picture, winners_picture
from dpcore.figures.wording import significant
from dpcore.releases.record import Mode
from dpcore.statistics.grouped_query import GroupedQuery
from dpcore.statistics.kinds import StatisticKind
from dpcore.studies.comparing import tradeoffs
from dpcore.studies.comparing.comparable import (
    comparable,
    each_number,
    fewest_people,
    with_people,
)
from dpcore.studies.comparing.tradeoffs import Fairness, Metric, Setting
from dpcore.studies.comparing.winners import winners as winners_over
from ui import results, session
from ui.text import literal

if TYPE_CHECKING:
    from dpcore.data.bounds import FloatArray
    from dpcore.releases.request import Request
    from dpcore.studies.comparing.comparable import Comparable
    from dpcore.studies.comparing.tradeoffs import Curve

_POINTS = 21
_DOTS = 6
_DRAWS = 2000
_SEED = 1
_NOTHING = 1e-4


def require_comparable(asked: Request) -> Comparable:
    """Return the question; where mechanisms cannot be compared, say why and stop."""
    query = asked.query
    if not comparable(query):
        st.info(literal(_nothing_to_compare(query.kind)))
        st.page_link("pages/release.py", label="See its noise on Release")
        if query.kind.of_matrix:
            st.page_link(
                "pages/study1.py", label="Compare matrices on Study 1: covariances"
            )
        st.stop()
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
            f"There is nothing to compare for a {kind}. It is not a number with noise "
            "on it: the exponential mechanism chooses one of many possible answers, "
            "and how far off that is in value depends on the data."
        )
    if kind is StatisticKind.CORRELATION:
        return (
            "There is nothing to compare for a correlation. It has no noise of its "
            "own: it follows from two released variances and a released covariance. "
            "Choose “variance” or “covariance” to compare mechanisms for these."
        )
    return (
        "There is nothing to compare for a covariance matrix. Its numbers share the "
        "budget, and each is drawn within what the earlier ones allow, so that it has "
        "no single noise. Choose “variance” or “covariance” to compare mechanisms for "
        "one of its numbers."
    )


def setting(asked: Request, query: Comparable, place: float) -> Setting:
    """Return the point that the page is set to."""
    return Setting(
        query=query,
        epsilon=asked.epsilon,
        delta=asked.used_delta or 1e-6,
        place=place,
    )


def against_epsilon(at: Setting, fairness: Fairness, metric: Metric) -> None:
    """Draw the comparison over the privacy parameter."""
    low, high = _epsilons(at)
    keys = fairness.mechanisms
    curves = tradeoffs.against_epsilon(at, keys, np.geomspace(low, high, _POINTS))
    few = np.geomspace(low, high, _DOTS)
    settings = [replace(at, epsilon=float(epsilon)) for epsilon in few]
    dots = tradeoffs.against_epsilon(at, keys, few)
    axis = Axis(label="epsilon", at=at.epsilon, log=True)
    _draw(curves, dots, settings, metric, axis, at)


def against_people(at: Setting, fairness: Fairness, metric: Metric) -> None:
    """Draw the comparison over the number of people."""
    now = at.query.size.people
    low, high = max(fewest_people(at.query), now // 30), max(now * 30, 1000)
    keys = fairness.mechanisms
    people = _whole(low, high, _POINTS)
    few = _whole(low, high, _DOTS)
    settings = [replace(at, query=with_people(at.query, int(n))) for n in few]
    curves = tradeoffs.against_people(at, keys, people)
    dots = tradeoffs.against_people(at, keys, few)
    by_group = isinstance(at.query, GroupedQuery)
    label = "number of people in a group" if by_group else "number of people"
    axis = Axis(label=label, at=float(now), log=True)
    _draw(curves, dots, settings, metric, axis, at)


def against_position(at: Setting, fairness: Fairness, metric: Metric) -> None:
    """Draw the comparison over where the true value lies."""
    keys = fairness.mechanisms
    curves = tradeoffs.against_position(at, keys, _POINTS)
    dots = tradeoffs.against_position(at, keys, _DOTS)
    settings = [replace(at, place=place) for place in np.linspace(0, 1, _DOTS)]
    name = each_number(at.query) or at.query.title
    axis = Axis(label=f"true {name}", at=at.position, log=False)
    _draw(curves, dots, settings, metric, axis, at)


def winners(at: Setting, fairness: Fairness) -> None:
    """Draw which mechanism has the least error, over position and epsilon."""
    low, high = _epsilons(at)
    picture = winners_picture(
        winners_over(at, fairness.mechanisms, np.geomspace(low, high, 40), 49),
        axis="where the true value lies between its bounds (0 lower, 1 upper)",
        each=each_number(at.query),
        watermark=session.mode() is Mode.CLASSROOM,
    )
    results.show(picture, "winners")


def why(at: Setting, fairness: Fairness) -> None:
    """Say in two or three sentences what decides, with the numbers on screen."""
    keys = fairness.mechanisms
    bit, truncated = (at.mechanism(key) for key in keys[1:3])
    here = at.position
    unit = f" {at.query.unit_text}" if at.query.unit_text else ""
    laplace = at.mechanism("laplace")
    spread = float(np.sqrt(laplace.variance(here)))
    text = (
        f"Plain Laplace noise has no bias and a spread of {significant(spread)}{unit} "
        f"everywhere. Bounds trade spread for bias: at a true value of "
        f"{significant(here)}{unit}, BIT (clamping) has "
        f"{_bias(float(bit.bias(here)), spread, unit)}, truncation (redraw until "
        f"inside) {_bias(float(truncated.bias(here)), spread, unit)}."
    )
    if fairness is Fairness.NOMINAL:
        real = truncated.epsilon(at.query.sensitivity)
        text += (
            f" At the same nominal ε {significant(at.epsilon)} truncation looks "
            f"better than it is: its true ε is {significant(real, up=True)}."
        )
    else:
        text += (
            f" At the same true ε, truncation needs the noise scale "
            f"{significant(truncated.noise)} where Laplace and BIT need "
            f"{significant(laplace.noise)}."
        )
    st.markdown(text)


def _draw(
    curves: tuple[Curve, ...],
    at_dots: tuple[Curve, ...],
    settings: list[Setting],
    metric: Metric,
    axis: Axis,
    at: Setting,
) -> None:
    rng = np.random.default_rng(_SEED)
    dots = tradeoffs.simulated(at_dots, settings, metric, draws=_DRAWS, rng=rng)
    picture = curves_picture(
        curves,
        dots,
        metric,
        axis=axis,
        unit=at.query.unit_text,
        each=each_number(at.query),
        watermark=session.mode() is Mode.CLASSROOM,
    )
    results.show(picture, "curves")


def _epsilons(at: Setting) -> tuple[float, float]:
    """Return a range of epsilon that reaches down to where the bounds matter.

    Below ``sensitivity / width`` the noise is wider than the bounds are apart.
    """
    narrow = at.query.sensitivity.l1 / at.query.bounds.width
    low = min(0.01, at.epsilon / 3, max(narrow, 1e-7))
    return low, max(10.0, at.epsilon * 3)


def _bias(value: float, spread: float, unit: str) -> str:
    if abs(value) < _NOTHING * spread:
        return "practically none"
    return f"a bias of {significant(value)}{unit}"


def _whole(low: int, high: int, points: int) -> FloatArray:
    return np.unique(np.geomspace(low, high, points).round())


def details() -> None:
    """Define what the page compares."""
    st.markdown(
        "**Bias** is how far the average release lies from the true value, **spread** "
        "the standard deviation of the release, **typical error** the root of their "
        "squares' sum. Lines are closed forms, dots the same quantity over "
        f"{_DRAWS:,} simulated releases, with two standard errors.\n\n"
        "**Laplace** adds noise of scale sensitivity/ε. **BIT** clamps it to the "
        "bounds: an answer beyond becomes the bound. **Truncated** redraws until "
        "the answer lies inside. **Gaussian** adds normal noise at (ε, δ).\n\n"
        "Clamping is post-processing and costs no privacy. Redrawing is not: how often "
        "it happens depends on the secret, and the truncated law as published gives up "
        "to twice its ε."
    )
