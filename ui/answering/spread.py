"""A mean with its standard deviation on the Release page: noise before, answer after."""

from __future__ import annotations

from dataclasses import replace
from typing import Final, cast

import numpy as np
import streamlit as st

from dpcore.analyses.base import Request
from dpcore.analyses.mean_and_spread import SpreadPlan
from dpcore.arrays import FloatArray
from dpcore.figures import answers as figures
from dpcore.figures.theme import Picture
from dpcore.formatting import capital, percent, significant
from dpcore.inference.intervals import LEVEL
from dpcore.inference.parametric_bootstrap import SIMULATED, bootstrap_interval
from dpcore.inference.stated_models import (
    RELEASES,
    StatedModel,
    has_negative_values,
    model_interval,
)
from dpcore.releases.digits import ends_text, number_text
from dpcore.releases.record import Release
from dpcore.statistics.conditions import statement
from ui import controls, results, session
from ui.answering import numbers
from ui.answering.numbers import RELEASED
from ui.answering.views import AnswerView, Cells
from ui.text import after_number, literal

_SHARE = 6
"""The standard deviation that a preview assumes is this part of the bounds."""
_UNSTATED = "no model"
_CONCLUSION = "Under a stated model"
_NEGATIVE = (
    "The released mean is less than 2 standard deviations above 0, so a normal distribution "
    "has many values below 0."
)


def preview(asked: Request, cells: Cells) -> None:
    """Show how far off both numbers will be, and the mean with a typical spread."""
    plan = cast("SpreadPlan", asked.plan)
    bounds, unit = plan.statistic.bounds, after_number(asked.query.quantity.of_differences)
    assumed = bounds.width / _SHARE
    around = plan.around(np.array([plan.statistic.middle, assumed]))
    noise, total = (
        f"± {significant(float(np.ptp(ends[0])) / 2)}{unit}"
        for ends in (around.noise, around.total)
    )
    low, high = (significant(float(end)) for end in around.noise[1])
    results.metrics(
        {
            "Margin of error of the mean (95%, noise only)": (
                noise,
                (
                    "It costs what the mean costs alone. It holds together with the interval of "
                    "the standard deviation."
                ),
            ),
            f"Interval of an SD of {significant(assumed)}": (
                f"{low} to {high}{unit}",
                "A sixth of the bounds is assumed here. Noise only.",
            ),
        },
        places=cells,
    )
    numbers.sampling(
        cells[2],
        f"Noise and sampling, SD {significant(assumed)}",
        total,
        "This margin of error of the mean (95%) includes noise: a larger ε reduces that part. "
        "Sampling remains.",
    )


def show(answer: Release, asked: Request) -> None:
    """Show both numbers, and the mean on an axis, also under a model that is stated."""
    around, quantity = numbers.recorded(answer), asked.query.quantity
    unit = after_number(quantity.suffix)
    results.metrics(
        {
            f"Private {name} of {literal(asked.query.column.title)}": (
                number_text(answer, name, value) + unit,
                RELEASED,
            )
            for name, value in zip(answer.labels, answer.values, strict=True)
        }
    )
    place, sampled = st.container(), session.require_study().sampled
    stated = _stated(answer, asked) if sampled else None
    with place:
        query = asked.query
        results.show(
            figures.answer_picture(
                answer.values[0],
                around,
                statement=statement(
                    f"mean of {query.column.title}", query.conditions, query.columns
                ),
                quantity=quantity,
                sampled=sampled,
                stated=stated,
            ),
            "answer",
        )
    ends = around.total[1] if sampled else around.noise[1]
    low, high = ends_text((float(ends[0]), float(ends[1])), answer.values[1], quantity)
    whose = "population (noise and sampling)" if sampled else "data (noise only)"
    st.caption(
        f"Standard deviation (divisor n): 95% CI {low} to {high}{unit} for the {whose}. Both "
        "intervals hold together. The interval of the mean with sampling uses the upper end."
    )


def _stated(answer: Release, asked: Request) -> dict[str, FloatArray] | None:
    """Ask how values are distributed; return the interval of the mean under that model."""
    plan, quantity = cast("SpreadPlan", asked.plan), asked.query.quantity
    bounds = plan.statistic.bounds
    models = [one.value for one in StatedModel if bounds.upper > 0 or not one.positive]
    chosen = controls.HERE.selectbox(
        "Interval that includes clamping bias, if values are",
        [_UNSTATED, *models],
        key=f"stated-model-{answer.id}",
        kept="session",
        note="The distribution of the values before clamping. State it from knowledge outside "
        "the table. The interval uses the released numbers alone and costs nothing.",
    )
    results.conclude(answer, _CONCLUSION, "")
    if chosen == _UNSTATED:
        return None
    model, estimate = StatedModel(chosen), plan.estimate(np.array(answer.values))
    found = model_interval(estimate, bounds, model)
    if found is None:
        st.caption(
            f"No {chosen} distribution that is clamped to these bounds fits the released mean "
            "and standard deviation."
        )
        return None
    if negative := has_negative_values(model, bounds, *answer.values):
        st.warning(f"{_NEGATIVE} If values cannot be negative, state another distribution.")
    unit = after_number(quantity.suffix)
    low, high = ends_text((found.lower, found.upper), found.mean, quantity)
    told = (
        f"If values are {chosen} before clamping, the population mean has the 95% CI {low} to "
        f"{high}{unit}, clamping bias included. It held in {percent(found.coverage)} of "
        f"{RELEASES:,} releases simulated from that model. If they are not, nothing is claimed."
    )
    st.caption(told)
    results.conclude(answer, _CONCLUSION, told + f" {_NEGATIVE}" * negative)
    other = session.remember(
        "parametric-bootstrap",
        f"{answer.id}-{chosen}",
        lambda: bootstrap_interval(estimate, bounds, model),
    )
    if other is not None:
        low, high = ends_text((other.lower, other.upper), other.mean, quantity)
        st.caption(
            f"A parametric bootstrap of the same model gives {low} to {high}{unit}. It is "
            f"asymptotic, without a guarantee: it held in {round(other.coverage * SIMULATED)} of "
            f"{SIMULATED} releases simulated from the fitted model."
        )
    return {f"if {chosen}, unclamped": np.array([found.lower, found.upper])}


def picture(answer: Release, asked: Request, *, truth: FloatArray) -> Picture:
    """Return both numbers beside those of the table, for a lesson."""
    plan = cast("SpreadPlan", asked.plan)
    found = figures.parts_picture(
        answer.labels,
        np.array(answer.values),
        numbers.recorded(answer),
        statement=asked.statement,
        noun="number",
        quantity=asked.query.quantity,
        truth=plan.truth(truth),
        sampled=session.require_study().sampled,
    )
    numbers_as_released = " and ".join(
        f"{name} {number_text(answer, name, value)}"
        for name, value in zip(answer.labels, answer.values, strict=True)
    )
    return replace(found, title=figures.as_released(capital(numbers_as_released)))


def details(asked: Request) -> str:
    """Say what noise is added to, and what one person can change."""
    unit, most = asked.query.unit, significant(asked.query.sensitivity.l1, up=True)
    return (
        "Noise is added to the mean, and to the mean squared distance from the middle of the "
        f"bounds, over their width. One {unit.noun} can change both together by at most {most} "
        f"({asked.query.relation.phrase}). With a public number of {unit.counted} that is what "
        "the mean alone can change, so the second number needs no more noise. The standard "
        f"deviation follows from both. Of the {percent(1 - LEVEL)} that intervals may miss, a "
        "tenth is for the standard deviation."
    )


VIEWS: Final = (
    AnswerView(plan=SpreadPlan, preview=preview, show=show, picture=picture, details=details),
)
