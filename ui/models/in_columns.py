"""A released model in the units of the columns."""

from __future__ import annotations

import math
from typing import Final

import numpy as np
import pandas as pd
import streamlit as st

from dpcore.analyses.model import ModelRequest, in_units
from dpcore.arrays import FloatArray
from dpcore.data.columns import ColumnKind
from dpcore.data.quantities import quantity_of
from dpcore.formatting import significant
from dpcore.models.design import Term
from dpcore.models.loss_functions import ModelKind
from dpcore.releases.record import Release
from ui import results
from ui.models import scaling
from ui.text import literal

_MEANS: Final = {
    ModelKind.LINEAR: "the target",
    ModelKind.HUBER: "the target",
    ModelKind.LOGISTIC: "the log odds of yes",
    ModelKind.POISSON: "the logarithm of the expected count",
}
_UNKNOWN: Final = 2
"""Digits of a number whose noise is not known in its unit."""


def released(answer: Release, asked: ModelRequest, values: FloatArray) -> None:
    """List what a released model says in the units of the columns."""
    question = asked.question
    st.markdown(
        "**In the units of the columns**: what one more unit of a number, or one label "
        f"against another, adds to {_MEANS[question.model]}."
    )
    widths = asked.plan.unit_half_widths
    table = _table(asked)
    numbers = list(in_units(question.design, values).values())
    if widths is None:
        table["adds"] = [significant(number, _UNKNOWN) for number in numbers]
        results.table(table, key="in-units")
        st.caption("No interval is known in these units for this kind of release.")
    else:
        pairs = list(zip(numbers, widths.tolist(), strict=True))
        table["adds"] = [to_noise(number, width) for number, width in pairs]
        table["from"] = [to_noise(number - width, width) for number, width in pairs]
        table["to"] = [to_noise(number + width, width) for number, width in pairs]
        results.table(table, key="in-units")
        st.caption(
            "From and to hold the numbers of the penalized fit to this table, all "
            "together, in 95 of 100 draws; those of a fit without a penalty may lie "
            "elsewhere. Where 0 lies between them, the noise leaves even the sign open."
        )
    if question.design.intercept:
        st.caption(
            "“constant” is the prediction where every column is 0. The “intercept” of "
            "the figure is another quantity: it belongs to the middle of all bounds, "
            "and may differ from it even in sign."
        )
    scaling.references(question.design)
    chosen = answer.derived.get("chosen penalty")
    if chosen is not None:
        floor = significant(answer.derived["eigenvalue at least"])
        st.caption(
            "The first look found how much the table says about every combination of "
            f"coefficients: at least {floor} (the smallest eigenvalue of XᵀX, less a "
            "margin for its noise; 0 means that nothing can be relied on). The penalty "
            f"chosen for it is {significant(chosen)}."
        )
    unit = quantity_of(question.design.target).of_differences
    if unit:
        st.caption(f"The target is in {literal(unit)}.")


def exact(asked: ModelRequest, theta: FloatArray, plain: FloatArray | None) -> pd.DataFrame:
    """Return the fit itself, and without its penalty, in units. CONFIDENTIAL."""
    design = asked.question.design
    fitted = list(in_units(design, theta).values())
    table = _table(asked)
    table["adds"] = [significant(number, 4) for number in fitted]
    if plain is not None:
        unbent = list(in_units(design, plain).values())
        table["without the penalty"] = [significant(number, 4) for number in unbent]
    return table


def to_noise(number: float, width: float) -> str:
    """Return a number with no more digits than its noise leaves.

    >>> to_noise(123.456, 2.34), to_noise(0.0123456, 0.0021), to_noise(-1234.5, 321.0)
    ('123.5', '0.0123', '-1230')
    """
    if not (math.isfinite(number) and 0 < width < math.inf):
        return significant(number, _UNKNOWN)
    places = 1 - math.floor(math.log10(width))
    rounded = float(np.round(number, places)) + 0.0
    return f"{rounded:.{max(places, 0)}f}"


def _named(term: Term) -> str:
    """Return what a coefficient is of: of yes/no there is no such thing as one more."""
    if term.column.kind is not ColumnKind.YES_NO:
        return term.name
    no, yes = term.column.labels
    return f"{term.name}: {yes} against {no}"


def _table(asked: ModelRequest) -> pd.DataFrame:
    design = asked.question.design
    units = [
        quantity_of(term.column).of_differences
        if term.label is None
        else f"instead of {scaling.compared_with(design, term.column)}"
        for term in design.terms
    ]
    names = ["constant", *map(_named, design.terms)]
    return pd.DataFrame({"coefficient of": names, "per": ["", *units]})
