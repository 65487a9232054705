"""Preparing a file as one with the same columns was: next quarter's, say."""

from __future__ import annotations

from dataclasses import replace

import streamlit as st

from dpcore.data.dataset import Dataset
from dpcore.data.preparation.steps import as_read, prepared
from dpcore.errors import DPCoreError
from dpcore.releases.declarations import Declaration
from ui import session
from ui.data import terms
from ui.study import Draft
from ui.text import literal


def offer(declared: Declaration) -> None:
    """Offer to take the steps that were taken before, with all that was declared."""
    day = f"{declared.day:%d %B %Y}".lstrip("0")
    steps = "\n".join(f"- {literal(one)}" for one in declared.steps.describe())
    with st.container(border=True):
        st.markdown(
            f"**A table with the same columns was prepared before**, on {day}:\n\n"
            f"{steps}\n\nBounds, lists, and who is protected come with it. Take it "
            "over as far as you know it to hold without looking into this table."
        )
        st.button("Prepare it the same way", on_click=_prepare)


def _as_declared(source: Dataset, declared: Declaration) -> Dataset:
    """Return a file with its columns as they were declared before the steps.

    Only how this file writes its numbers is its own.
    """
    return source.with_columns(
        *(replace(column, notation=source.column(column.name).notation) for column in declared.file)
    )


def _prepare() -> None:
    """Take the steps, and what was declared after them."""
    draft = session.draft()
    if draft is None or draft.before is None:
        return
    declared = draft.before
    try:
        key = session.fingerprint_key()
        source = as_read(draft.in_memory)
        made = prepared(_as_declared(source, declared), declared.steps, key=key)
        made = made.with_columns(*declared.columns)
    except DPCoreError as error:
        session.fail(str(error))
        return
    start = terms.of(declared)
    session.keep_draft(
        Draft(dataset=made, example=None, declared=True, start=start, file_format=draft.file_format)
    )
