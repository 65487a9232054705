"""What the declarations do to an answer, for the curator alone. CONFIDENTIAL."""

from __future__ import annotations

import numpy as np
import streamlit as st

from dpcore.analyses.base import Request
from dpcore.analyses.bootstrap import BootstrapRequest
from dpcore.analyses.clamping_bias import CAUSES, Bias, bias
from dpcore.analyses.measurement import Direct
from dpcore.analyses.resized import ResizedRequest
from dpcore.analyses.subsampled import SubsampledRequest
from dpcore.data.dataset import Dataset
from dpcore.data.preparation.contribution_bounds import CappedDataset
from dpcore.formatting import capital, people, significant
from dpcore.inference.intervals import expect
from ui import confidential, results, session
from ui.study import Study
from ui.text import after_number, literal

AboutColumns = Request | BootstrapRequest | ResizedRequest | SubsampledRequest

_DIGITS = 4


def show(asked: AboutColumns, study: Study, *, key: str = "bias") -> None:
    """Show the answer as it is computed beside that of the raw column, and why.

    Opened on one page it is still closed on another, which has another ``key``.
    """
    what = "what the bounds and missing values do to this answer"
    with confidential.area(key, what) as shown:
        if not shown:
            return
        found = session.remember(
            "bias", study.about(asked.query), lambda: bias(asked.query, study.in_memory)
        )
        outside(found, asked.query.unit.counted)
        beyond_the_cap(study.in_memory)
        if len(found.labels) == 1:
            _three_parts(found, asked, study)
            unit = asked.query.quantity.of_differences
            name = f"effect on the answer{f', {unit}' if unit else ''}"
            results.table(
                {"cause": CAUSES, name: found.effects[:, 0]},
                column_config={name: results.SIX_DIGITS},
                key="bias-causes",
            )
        else:
            _parts(found)
        st.caption(
            "“Raw data” is the column as it was read: values as they are, "
            f"{session.unit().counted} "
            "without one left out, divided by how many there are. More ε means less "
            "noise, and more rows less of both. Bias stays: wider bounds, another "
            "value for missing ones or a smaller minimum change it, and none of that "
            "may be chosen by looking here."
        )


def beyond_the_cap(dataset: Dataset) -> None:
    """Say how many rows do not count, which no number below knows of."""
    if isinstance(dataset, CappedDataset):
        whole = people(dataset.undone().rows, "row")
        meeting = ", and rows have to meet the conditions" if dataset.conditions else ""
        st.markdown(
            f"Of {whole} of the table {dataset.rows:,} count here: "
            f"{literal(dataset.rule.describe())}{meeting}. The raw value and the bias below "
            "are those of these rows. The result does not describe all rows."
        )


def outside(found: Bias, counted: str) -> None:
    """Say how many values are missing, below and above, column by column."""
    rows = counted == "rows"

    def many(count: int) -> str:
        return people(count, "row") if rows else session.unit().number(count)

    lines = []
    for column in found.columns:
        clamped = (
            f"clamped {many(column.below)} low, {many(column.above)} high; "
            if column.clamped
            else ""
        )
        lines.append(
            f"{literal(column.name)}: {clamped}missing {many(column.missing)}; "
            f"n = {column.people:,}."
        )
    st.markdown("\n\n".join(lines))


def _three_parts(found: Bias, asked: AboutColumns, study: Study) -> None:
    """Show the value both ways, and its error in three parts."""
    quantity = asked.query.quantity
    unit = after_number(quantity.suffix)
    computed, raw, off = (float(numbers[0]) for numbers in (found.computed, found.raw, found.total))
    results.metrics(
        {
            "After clamping and imputation": (
                f"{quantity.about(computed, _DIGITS)}{unit}",
                f"{literal(capital(asked.statement))}. Noise is added to this number.",
            ),
            "Raw data": (
                f"{quantity.about(raw, _DIGITS)}{unit}",
                "Of the values as they were read.",
            ),
        }
    )
    noise, sampling = _public_errors(asked, study)
    results.metrics(
        {
            "Error: noise": (noise, "95 times of 100, at worst."),
            "Error: sampling": (sampling, "95 times of 100, at most."),
            "Error: bias": (
                f"{significant(off, _DIGITS)}{after_number(quantity.of_differences)}",
                "The computed value minus the raw one. No interval covers it.",
            ),
        }
    )


def _public_errors(asked: AboutColumns, study: Study) -> tuple[str, str]:
    """Return how far noise and sampling take the answer, in words."""
    query = asked.query
    unit = after_number(query.quantity.of_differences)
    if not (isinstance(asked, Request) and isinstance(asked.plan, Direct)):
        return "see above", "see above" if study.sampled else "none"
    ahead = expect(asked.mechanism, query.statistic, query.bounds)
    if not study.sampled:
        return f"± {significant(ahead.noise)}{unit}", "none"
    sampling = (
        "depends on the answer"
        if np.isinf(ahead.sampling)
        else f"± {significant(ahead.sampling)}{unit}"
    )
    return f"± {significant(ahead.noise)}{unit}", sampling


def causes_text(found: Bias, asked: AboutColumns) -> str:
    """Return what moved a single number, and by how much."""
    unit = after_number(asked.query.quantity.of_differences)
    moved = [
        f"{cause}: {significant(float(effect))}{unit}"
        for cause, effect in zip(CAUSES, found.effects[:, 0], strict=True)
        if effect
    ]
    return "; ".join(moved) or "Clamping and imputation change nothing here"


def _parts(found: Bias) -> None:
    """List several numbers both ways, each with what moved it."""
    effects = dict(zip(CAUSES, found.effects, strict=True))
    numbers = {
        "after clamping and imputation": found.computed,
        "raw data": found.raw,
        "bias": found.total,
        **effects,
    }
    # As text a number is cut at its end where the column is narrow, not at its start.
    table = {
        name: [significant(float(number), _DIGITS) for number in values]
        for name, values in numbers.items()
    }
    results.table({"number": found.labels, **table}, key="bias-parts")
