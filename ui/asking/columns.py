"""Declaring what is public about a column: its kind, bounds or categories."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import pandas as pd
import streamlit as st

from dpcore.data.bounds import Interval
from dpcore.data.columns import Column, ColumnKind, MissingPolicy
from dpcore.data.templates import TEMPLATES
from dpcore.errors import DPCoreError, ParameterError
from dpcore.figures.wording import people, percent
from ui import confidential, session
from ui.text import literal

if TYPE_CHECKING:
    from collections.abc import Callable

    from dpcore.data.dataset import Dataset

_KINDS: list[ColumnKind] = list(ColumnKind)
_NAMED = 6
_MISSING = {
    MissingPolicy.REPLACE: "count the person with a public value",
    MissingPolicy.DROP: "leave the person out",
}


def choose(dataset: Dataset) -> int:
    """Return the position of the column chosen in the selector shared by all pages."""
    # Streamlit keeps this function longer than the tab: it must not hold the table.
    names = [column.name for column in dataset.columns]
    return st.selectbox(
        "Column",
        range(len(names)),
        format_func=names.__getitem__,
        key=f"column-{session.generation()}",
        persist_state="session",
    )


def declare(
    dataset: Dataset, position: int, keep: Callable[[Dataset], None]
) -> Dataset | None:
    """Show the form of one column; keep and return what was declared.

    An invalid entry is explained in place; the last valid declaration stays kept, and
    ``None`` is returned, so that nobody asks under bounds that are not on screen.
    """
    column = dataset.columns[position]
    if column.description:
        st.caption(literal(column.description))
    try:
        declared = _form(column, f"{session.generation()}-{position}")
    except ParameterError as error:
        st.error(literal(str(error)))
        return None
    if declared == column:
        return dataset
    changed = dataset.with_columns(declared)
    keep(changed)
    return changed


def check(dataset: Dataset, position: int, *, codebook: bool) -> None:
    """Show the curator how the declaration fits the table. CONFIDENTIAL.

    With a published ``codebook`` nobody suspects that bounds were looked up.
    """
    column = dataset.columns[position]
    # A private draft stays closed even where another table is in Classroom mode.
    ready = codebook or session.draft() is None
    what = "how these bounds fit the data"
    with confidential.area("fit", what, ready=ready) as shown:
        if not shown:
            return
        try:
            missing = int(dataset.missing(column.name).sum())
            outside = dataset.outside(column.name) if column.is_declared else 0
        except DPCoreError as error:
            st.error(literal(str(error)))
            return
        st.markdown(f"{people(missing)} with a missing value.")
        if not column.is_declared:
            st.markdown("Declare the public bounds or categories to see how they fit.")
            return
        share = outside / max(dataset.people, 1)
        where = "bounds" if column.kind is ColumnKind.NUMBER else "list"
        st.markdown(f"{people(outside)} outside the {where} ({percent(share)}).")
        if column.kind is ColumnKind.NUMBER and share > 0.05:  # noqa: PLR2004
            st.warning(
                "Clamping moves more than one in twenty people. The release will be "
                "biased; wider bounds cost noise instead."
            )
        numeric = column.kind is ColumnKind.NUMBER
        if numeric and not codebook and dataset.touches_bounds(column.name):
            st.warning(
                "These bounds are exactly the smallest and largest value of the table. "
                "If they were looked up there, they give those two people away: "
                "choose bounds that you would know without the table."
            )


def _form(column: Column, key: str) -> Column:
    left, right = st.columns(2)
    kind = left.selectbox(
        "Kind",
        _KINDS,
        index=_KINDS.index(column.kind),
        key=f"kind-{key}",
        persist_state="session",
        help="Number: has bounds. Yes/no: two labels. Category: a public list.",
    )
    if kind is not column.kind:
        labels = ("no", "yes") if kind is ColumnKind.YES_NO else ()
        column = replace(
            column,
            kind=kind,
            bounds=None,
            labels=labels,
            missing=MissingPolicy.DROP,
            replacement=None,
        )
    if kind is ColumnKind.NUMBER:
        column = _number_form(column, key, right)
    else:
        column = _label_form(column, key, right)
    return column


def _number_form(
    column: Column, key: str, place: st.delta_generator.DeltaGenerator
) -> Column:
    place.selectbox(
        "Template",
        range(len(TEMPLATES)),
        index=None,
        format_func=lambda index: TEMPLATES[index].title,
        placeholder="Fill in usual bounds",
        key=f"template-{key}",
        on_change=_fill_in,
        args=(key,),
        help="Bounds that are common knowledge. They are never taken from your table.",
    )
    bounds = column.bounds
    lower_cell, upper_cell = st.columns(2)
    lower = lower_cell.number_input(
        "Lower bound",
        value=None if bounds is None else bounds.lower,
        format="%g",
        placeholder="public number",
        key=f"lower-{key}",
        persist_state="session",
    )
    upper = upper_cell.number_input(
        "Upper bound",
        value=None if bounds is None else bounds.upper,
        format="%g",
        placeholder="public number",
        key=f"upper-{key}",
        persist_state="session",
    )
    if lower is None or upper is None:
        return replace(
            column, bounds=None, missing=MissingPolicy.DROP, replacement=None
        )
    if lower >= upper:
        message = f"the lower bound ({lower:g}) must lie below the upper ({upper:g})."
        raise ParameterError(message)
    middle = (lower + upper) / 2
    policy, cell = _missing_form(column, key)
    replacement: float | None = None
    if policy is MissingPolicy.REPLACE:
        replacement = cell.number_input(
            "Public value for a missing one",
            value=_usual(column, middle),
            format="%g",
            key=f"replacement-{key}-{lower}-{upper}",
            persist_state="session",
        )
    return replace(
        column,
        bounds=Interval(lower=lower, upper=upper),
        missing=policy,
        replacement=replacement,
    )


def _label_form(
    column: Column, key: str, place: st.delta_generator.DeltaGenerator
) -> Column:
    if column.kind is ColumnKind.YES_NO:
        no = place.text_input(
            "Written in the table for no",
            column.labels[0],
            key=f"no-{key}",
            persist_state="session",
        )
        yes = place.text_input(
            "Written in the table for yes",
            column.labels[1],
            key=f"yes-{key}",
            persist_state="session",
        )
        labels: tuple[str, ...] = (no.strip(), yes.strip())
    else:
        text = place.text_area(
            "Public list of categories",
            "\n".join(column.labels),
            placeholder="one on each line",
            key=f"labels-{key}",
            persist_state="session",
            help="Type what the questionnaire offered, not what the table contains: "
            "which categories occur is confidential. All others count as “other”.",
        )
        labels = tuple(line.strip() for line in text.splitlines() if line.strip())
    policy, cell = _missing_form(column, key)
    replacement: str | None = None
    if policy is MissingPolicy.REPLACE and labels:
        known = column.replacement if column.replacement in labels else labels[0]
        replacement = cell.selectbox(
            "Public value for a missing one",
            labels,
            index=labels.index(str(known)),
            key=f"replacement-{key}-{hash(labels)}",
            persist_state="session",
        )
    if not labels:
        policy = MissingPolicy.DROP
    return replace(column, labels=labels, missing=policy, replacement=replacement)


def _missing_form(
    column: Column, key: str
) -> tuple[MissingPolicy, st.delta_generator.DeltaGenerator]:
    left, right = st.columns(2)
    policy = left.selectbox(
        "If a value is missing",
        list(_MISSING),
        index=list(_MISSING).index(column.missing) if column.is_declared else 0,
        format_func=_MISSING.__getitem__,
        key=f"missing-{key}",
        persist_state="session",
        help="Leaving people out makes their number private: a public minimum stands "
        "in for it, which costs some noise.",
    )
    return policy, right


def _fill_in(key: str) -> None:
    index = session.public(f"template-{key}")
    if isinstance(index, int):
        bounds = TEMPLATES[index].bounds
        session.set_public(f"lower-{key}", bounds.lower)
        session.set_public(f"upper-{key}", bounds.upper)


def tell_undeclared(dataset: Dataset) -> None:
    """Name the columns that no question can be asked of yet."""
    open_ = [column.name for column in dataset.columns if not column.is_declared]
    if open_:
        names = ", ".join(open_[:_NAMED]) + (" …" if len(open_) > _NAMED else "")
        st.info(
            f"Not declared yet: {literal(names)}. A number can be asked about once it "
            "has public bounds, a category once it has its list: choose the column "
            "above."
        )


def overview(dataset: Dataset) -> pd.DataFrame:
    """Return what is declared about every column."""
    columns = dataset.columns
    return pd.DataFrame(
        {
            "column": [column.name for column in columns],
            "kind": [column.kind.value for column in columns],
            "public bounds or list": [_declaration(column) for column in columns],
            "unit": [column.unit for column in columns],
            "meaning": [column.description for column in columns],
        }
    )


def _declaration(column: Column) -> str:
    if column.bounds is not None:
        return f"{column.bounds.lower:g} to {column.bounds.upper:g}"
    return ", ".join(column.labels) or "to be declared"


def _usual(column: Column, middle: float) -> float:
    """Return the kept replacement, or the middle if it was the middle before."""
    kept, bounds = column.replacement, column.bounds
    if kept is None or bounds is None or kept == (bounds.lower + bounds.upper) / 2:
        return middle
    return float(kept)
