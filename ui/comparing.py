"""The parts of the view Accuracy. Everything on it comes from public numbers."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final

import numpy as np
import streamlit as st

from dpcore.analyses.base import Question, Request
from dpcore.analyses.weighted import WeightedQuery
from dpcore.arrays import FloatArray
from dpcore.figures.tradeoffs import SweepAxis, curves_picture, errors_picture, winners_picture
from dpcore.formatting import percent, significant
from dpcore.mechanisms.catalog import EVERY
from dpcore.statistics.kinds import StatisticKind
from dpcore.studies.comparing import error_curves
from dpcore.studies.comparing.compared_points import (
    DRAWS,
    AnswerSetting,
    ComparedPoint,
    ErrorSetting,
    comparable,
    each_number,
    error_table,
)
from dpcore.studies.comparing.error_curves import Dots, ErrorCurve, ErrorMetric, Fairness
from ui import controls, margins, results, session
from ui.study import Study
from ui.text import after_number

ALL = "bias, SD and RMSE"
"""All metrics, side by side."""
MARGIN = "margin of error"
MIDDLE = 0.5
"""The assumed true value at first, as a share of the range."""
EARLIER_FAIRNESS = {"same true epsilon": Fairness.TRUE, "same nominal epsilon": Fairness.NOMINAL}
"""How earlier links name what mechanisms have in common."""
_USUAL = (0.01, 10.0)
_OFTEN = (0.1, 10.0)
"""Of epsilon; where others are set, a picture grows by whole decades."""
_DELTA = 1e-6
_POINTS = 21
_DOTS = 6
_DRAWS = 2000
_SEED = 1
_NOTHING = 1e-4


@dataclass(frozen=True, slots=True, kw_only=True)
class Shown:
    """What the page shows of a comparison; ``chosen`` is asked through above."""

    keys: tuple[str, ...]
    chosen: str
    metric: ErrorMetric | str


def show(asked: Request, study: Study, group: int) -> None:
    """Ask along which axis to compare, and draw the errors of the mechanisms.

    ``group`` is of how many people a group is assumed, where sizes are private.
    """
    query = asked.query
    noisy = comparable(query)
    first, second, third, fourth = controls.row(4)
    metric = second.selectbox(
        "Metric",
        [ALL, *ErrorMetric, MARGIN],
        key="metric",
        note="RMSE² = bias² + SD². The margin of error is drawn against ε, with the target of "
        "the plan.",
    )
    axis = first.selectbox(
        "x-axis",
        ["epsilon", "number of people", "true value", *(["who wins where"] * noisy)],
        key="axis",
        disabled=metric == MARGIN,
    )
    controls.read_older("fairness", EARLIER_FAIRNESS)
    fairness = third.selectbox(
        "Match by",
        list(Fairness),
        key="fairness",
        disabled=metric == MARGIN or not (noisy or query.kind.of_matrix),
        note="Truncation as published keeps the Laplace scale and so gives up to twice the "
        "nominal ε. At the same actual ε its scale is corrected.",
    )
    place = fourth.slider(
        "Assumed true value (share of the range)",
        MIDDLE,
        (0.0, 1.0, 0.01),
        key="place",
        disabled=metric == MARGIN,
        note="0 is the lower bound of the statistic, 1 the upper. It starts in the middle, "
        "as on Release. Nothing in this comparison is computed from the table.",
    )
    if metric == MARGIN:
        margins.show(asked, study, group)
        return
    keys = compared(asked, fairness)
    if comparable(query):
        at = setting(asked, query, place)
        _along(axis, at, Shown(keys=keys, chosen=asked.mechanism_key, metric=metric))
        why(at, fairness)
        return
    assumed = simulated_setting(asked, place, group)
    keys = assumed.answered_by(keys)
    _along(axis, assumed, Shown(keys=keys, chosen=asked.mechanism_key, metric=metric))
    _simulated_from(assumed, keys)


def _along(axis: str, at: ComparedPoint, shown: Shown) -> None:
    if axis == "who wins where" and isinstance(at, ErrorSetting):
        winners(at, shown.keys)
    elif axis == "number of people":
        against_people(at, shown)
    elif axis == "true value":
        against_position(at, shown)
    else:
        against_epsilon(at, shown)


def _simulated_from(at: AnswerSetting, keys: tuple[str, ...]) -> None:
    """Say what the simulation assumes, and list the errors of all numbers."""
    query, counted = at.request.query, at.request.query.unit.counted
    if query.kind.of_matrix:
        assumed = (
            f"{at.people:,} {counted}, with every variance at {percent(at.place)} of the "
            "largest possible one and no correlation"
        )
    elif at.of_table:
        assumed = (
            f"{at.people:,} {counted}, with values at both bounds for the mean and around the "
            "middle for the standard deviation"
        )
    else:
        pair = query.kind is StatisticKind.DIFFERENCE
        which = "two groups with the same mean" if pair else "a group"
        weights = ""
        if isinstance(query, WeightedQuery):
            weights = f" with mean weight {significant(query.assumed_mean_weight)}"
        assumed = (
            f"{which} of {at.group:,}{weights}. Releases with too few {counted} to say are left out"
        )
    st.caption(f"Simulated: {DRAWS:,} releases for assumed values of {assumed}.")
    if len(at.numbers) == 1:
        return
    st.markdown("**RMSE of every number at this ε**")
    found = session.remember("number-errors", f"{at} {keys}", lambda: error_table(at, keys))
    units = [replace(at, number=place).unit for place in range(len(at.numbers))]
    results.table(
        {"number": at.numbers, "unit": units}
        | {EVERY[key].label: errors for key, errors in found.items()},
        column_config={EVERY[key].label: results.THREE_DIGITS for key in found},
        key="number-errors",
    )


def setting(asked: Request, query: Question, place: float) -> ErrorSetting:
    """Return the point that the page is set to."""
    each = each_number(query)
    if each:
        after = "" if asked.constraint is None else ", before they are made to add up"
        st.caption(
            f"Each number of the answer has noise of its own, of the same kind: this "
            f"page is about the {each}{after}."
        )
    return ErrorSetting(
        query=query, epsilon=asked.epsilon, delta=asked.used_delta or _DELTA, place=place
    )


def simulated_setting(asked: Request, place: float, group: int) -> AnswerSetting:
    """Return the point that the page is set to, for the number that is chosen."""
    at = AnswerSetting(request=asked, delta=asked.used_delta or _DELTA, group=group, place=place)
    if len(at.numbers) == 1:
        return at
    chosen = controls.HERE.selectbox(
        "Number of the answer",
        range(len(at.numbers)),
        format_func=at.numbers.__getitem__,
        key=f"number-of-answer-{session.generation()}",
        kept="session",
    )
    return replace(at, number=chosen)


def compared(asked: Request, fairness: Fairness) -> tuple[str, ...]:
    """Return the mechanisms compared; say so where the chosen one stays out."""
    chosen = asked.mechanism_key
    keys = fairness.with_chosen(chosen)
    if chosen not in keys:
        st.caption(
            f"“{asked.entry.label}” has an actual ε above the nominal one and has no place at "
            "the same actual ε. Compare at the same nominal ε to see it."
        )
    return keys


def against_epsilon(at: ComparedPoint, shown: Shown) -> None:
    """Draw the comparison over the privacy parameter.

    The epsilon that is asked for adds a point, and changes nothing else.
    """
    low, high = _epsilons(at)
    keys = shown.keys

    def compute() -> tuple[tuple[ErrorCurve, ...], tuple[Dots, ...]]:
        grid = np.geomspace(low, high, _POINTS)
        few = np.geomspace(low, high, _DOTS)
        settings = [at.at_epsilon(float(epsilon)) for epsilon in few]
        return error_curves.against_epsilon(at, keys, grid), _simulated(few, settings, shown)

    whatever = f"{shown.metric} {keys} {_whatever_epsilon(at)}"
    curves, dots = session.remember("tradeoffs", whatever, compute)
    here = error_curves.at_setting(at, keys)
    with_here = (line.joined_by(one) for line, one in zip(curves, here, strict=True))
    _draw(tuple(with_here), dots, here, SweepAxis(label="ε", at=at.epsilon, log=True), at, shown)


def against_people(at: ComparedPoint, shown: Shown) -> None:
    """Draw the comparison over the number of people."""
    now = at.people
    low, high = max(at.fewest, now // 30), max(now * 30, 1000)
    people = np.unique([*_whole(low, high, _POINTS), float(now)])
    few = _whole(low, high, _DOTS)
    settings = [at.of_people(int(n)) for n in few]
    curves = error_curves.against_people(at, shown.keys, people)
    dots = _simulated(few, settings, shown)
    ends = [at.of_people(n) for n in (low, high)]
    axis = SweepAxis(label=at.people_label, at=float(now), log=True, heights=_still(ends, shown))
    here = error_curves.at_setting(at, shown.keys)
    _draw(curves, dots, here, axis, at, shown)


def against_position(at: ComparedPoint, shown: Shown) -> None:
    """Draw the comparison over where the true value lies."""
    curves = error_curves.against_position(at, shown.keys, _POINTS)
    few = np.linspace(*at.window, _DOTS)
    settings = [at.at_place(float(place)) for place in np.linspace(0, 1, _DOTS)]
    dots = _simulated(few, settings, shown)
    still = _still([at], shown)
    axis = SweepAxis(label=at.position_label, at=at.position, log=False, heights=still)
    here = error_curves.at_setting(at, shown.keys)
    _draw(curves, dots, here, axis, at, shown)


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
        f"Plain Laplace noise has no bias and a standard deviation of {significant(spread)}{unit} "
        f"everywhere. Bounds trade variance for bias: at a true value of "
        f"{quantity.about(here)}{after_number(quantity.suffix)}, BIT (clamping) has "
        f"{_bias(float(bit.bias(here)), spread, unit)}, truncation (redraw until "
        f"inside) {_bias(float(truncated.bias(here)), spread, unit)}."
    )
    if fairness is Fairness.NOMINAL:
        real = truncated.epsilon(at.query.sensitivity)
        text += (
            f" At the same nominal ε = {significant(at.epsilon)} truncation looks better "
            f"than it is: its actual ε is {significant(real, up=True)}."
        )
    else:
        text += (
            f" At the same actual ε, truncation needs the noise scale "
            f"{significant(truncated.noise)} where Laplace and BIT need "
            f"{significant(laplace.noise)}."
        )
    st.markdown(text)


def _simulated(x: FloatArray, settings: Sequence[ComparedPoint], shown: Shown) -> tuple[Dots, ...]:
    known = [each for each in settings if isinstance(each, ErrorSetting)]
    if not known or not isinstance(shown.metric, ErrorMetric):
        return ()
    rng = np.random.default_rng(_SEED)
    return error_curves.simulated(shown.keys, x, known, shown.metric, draws=_DRAWS, rng=rng)


def _draw(
    curves: tuple[ErrorCurve, ...],
    dots: tuple[Dots, ...],
    here: tuple[ErrorCurve, ...],
    axis: SweepAxis,
    at: ComparedPoint,
    shown: Shown,
) -> None:
    if not isinstance(shown.metric, ErrorMetric):
        picture = errors_picture(curves, here=here, along=axis, unit=at.unit, each=at.each)
        results.show(picture, "curves")
        return
    picture = curves_picture(
        curves,
        dots,
        shown.metric,
        here=here,
        chosen=shown.chosen,
        axis=axis,
        unit=at.unit,
        each=at.each,
    )
    results.show(picture, "curves")


def _whatever_epsilon(at: ComparedPoint) -> str:
    """Return what the comparison is about but for the epsilon, and its range."""
    low, high = _epsilons(at)
    return f"{at.at_epsilon(low)} {high}"


def _epsilons(at: ComparedPoint) -> tuple[float, float]:
    """Return a range of epsilon that reaches down to where the bounds matter.

    Below ``sensitivity / width`` the noise is wider than the bounds are apart. It holds
    still for every usual epsilon, and grows by whole decades for others.
    """
    usual = (min(_USUAL[0], max(at.narrow, 1e-7)), _USUAL[1])
    return _widened(usual, at.epsilon)


def _still(settings: Sequence[ComparedPoint], shown: Shown) -> tuple[float, float] | None:
    """Return ends of an axis that hold for every usual epsilon."""
    if shown.metric is ErrorMetric.BIAS or not isinstance(shown.metric, ErrorMetric):
        return None
    ends = _widened(_OFTEN, settings[0].epsilon)
    corners = [each.at_epsilon(end) for each in settings for end in ends]
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


METHODS: Final = (
    "**Bias** is the mean error of the release, **SD** its standard deviation, **RMSE** the "
    "root of its mean squared error. Lines are closed forms, dots the same quantity over "
    f"{_DRAWS:,} simulated releases, with two standard errors. Ratios of groups, their "
    "differences and matrices have no closed form: their lines are simulated. The error "
    "of a quantile depends on the data, so only its margin in ranks is public.\n\n"
    "**Laplace** adds noise "
    "of scale sensitivity/ε. **BIT** clamps it to the bounds: an answer beyond becomes "
    "the bound. **Truncated** redraws until the answer lies inside. **Gaussian** adds "
    "normal noise at (ε, δ).\n\nClamping is post-processing and costs no privacy. "
    "Redrawing is not: how often it happens depends on the secret, and the truncated law "
    "as published gives up to twice its ε."
)
