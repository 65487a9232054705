"""What the declarations do to an answer, for the curator alone. CONFIDENTIAL."""

from __future__ import annotations

from functools import partial

import streamlit as st

from dpcore.analyses.base import Request
from dpcore.analyses.bootstrap import BootstrapRequest
from dpcore.analyses.clamping_bias import CAUSES, Bias, bias
from dpcore.analyses.resized import ResizedRequest
from dpcore.analyses.subsampled import SubsampledRequest
from dpcore.data.dataset import Dataset
from dpcore.data.preparation.aggregation import PeopleDataset, ties
from dpcore.data.preparation.contribution_bounds import CappedDataset
from dpcore.formatting import capital, people, significant
from ui import confidential, results, session
from ui.study import Study
from ui.text import after_number, literal

AboutColumns = Request | BootstrapRequest | ResizedRequest | SubsampledRequest

_DIGITS = 4
_NOTHING = "Clamping and imputation change nothing here"


def show(asked: AboutColumns, study: Study, *, key: str = "bias") -> None:
    """Show the answer as it is computed beside that of the raw column, and why.

    Opened on one page it is still closed on another, which has another ``key``.
    """
    what = "what the bounds and missing values do to this answer"
    confidential.area(key, what, partial(_show, asked, study))


def _show(asked: AboutColumns, study: Study) -> None:
    found = session.remember(
        "bias", study.about(asked.query), lambda: bias(asked.query, study.in_memory)
    )
    outside(found, asked.query.unit.counted)
    beyond_the_cap(study.in_memory)
    tied(asked, study)
    if len(found.labels) == 1:
        _one_number(found, asked)
    else:
        _parts(found)
    st.caption(
        "More ε or more rows reduce the noise, not the bias. Do not tune bounds from this "
        "panel: that would leak."
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


def tied(asked: AboutColumns, study: Study) -> None:
    """Say how many people have ties in a most frequent value, which no number below knows of."""
    dataset = study.in_memory
    for column in asked.query.columns:
        if column.tie_rule and isinstance(dataset, PeopleDataset):
            about = f"{study.about(asked.query)} {column.name}"
            found = session.remember("ties", about, partial(ties, dataset, column.name))
            whole = session.unit().number(dataset.rows)
            st.markdown(f"Ties in {literal(column.title)}: {found:,} of {whole}.")


def outside(found: Bias, counted: str) -> None:
    """Say how many values are missing, below and above, column by column."""
    lines = []
    for column in found.columns:
        clamped = f"clamped {column.below:,} low, {column.above:,} high; " if column.clamped else ""
        lines.append(
            f"{literal(column.name)}: {clamped}missing {column.missing:,}; "
            f"n = {column.people:,} {counted}."
        )
    st.markdown("\n\n".join(lines))


def _one_number(found: Bias, asked: AboutColumns) -> None:
    """Show the value both ways, and what moved it."""
    quantity = asked.query.quantity
    unit, off = after_number(quantity.suffix), after_number(quantity.of_differences)
    computed, raw, moved = (float(each[0]) for each in (found.computed, found.raw, found.total))
    results.metrics(
        {
            "After clamping, imputation and minimum": (
                f"{quantity.about(computed, _DIGITS)}{unit}",
                f"{literal(capital(asked.statement))}. Noise is added to this number.",
            ),
            "Raw data": (
                f"{quantity.about(raw, _DIGITS)}{unit}",
                f"Of the values as they were read, with all {session.unit().counted}.",
            ),
            "Bias": (
                f"{significant(moved, _DIGITS)}{off}",
                "The computed value minus the raw one. No interval covers it.",
            ),
        }
    )
    st.markdown(literal(f"{causes_text(found, asked)}."))


def causes_text(found: Bias, asked: AboutColumns) -> str:
    """Return what moved a single number, and by how much."""
    unit = after_number(asked.query.quantity.of_differences)
    moved = [
        f"{cause}: {significant(float(effect))}{unit}"
        for cause, effect in zip(CAUSES, found.effects[:, 0], strict=True)
        if effect
    ]
    return f"Bias by cause: {'; '.join(moved)}" if moved else _NOTHING


def _parts(found: Bias) -> None:
    """List several numbers both ways, each with what moved it."""
    effects = {c: each for c, each in zip(CAUSES, found.effects, strict=True) if each.any()}
    if not effects:
        st.markdown(f"{_NOTHING}.")
    numbers = {
        "after clamping, imputation and minimum": found.computed,
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
