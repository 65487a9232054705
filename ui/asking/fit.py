"""How a declaration fits the table: what only the curator may see of it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import streamlit as st

from dpcore.data.columns import ColumnKind
from dpcore.wording import people, percent
from ui import confidential, session

if TYPE_CHECKING:
    from dpcore.data.dataset import Dataset


def check(dataset: Dataset, position: int, *, codebook: bool) -> None:
    """Show the curator how the declaration fits the table. CONFIDENTIAL.

    With a published ``codebook`` nobody suspects that bounds were looked up.
    """
    column = dataset.columns[position]
    # A private draft stays closed even where another table is in Classroom mode.
    ready = codebook or session.draft() is None
    of_number = column.kind is ColumnKind.NUMBER
    what = f"how {'these bounds fit' if of_number else 'this list fits'} the data"

    def many(count: int) -> str:
        """Say how many: of a capped table rows count, and not people."""
        return people(count) if dataset.cap is None else people(count, "row")

    with confidential.area("fit", what, ready=ready) as shown:
        if not shown:
            return
        missing = int(dataset.missing(column.name).sum())
        outside = dataset.outside(column.name) if column.is_declared else 0
        st.markdown(f"{many(missing)} with a missing value.")
        if not column.is_declared:
            st.markdown("Declare the public bounds or categories to see how they fit.")
            return
        share = outside / max(dataset.rows, 1)
        where = "bounds" if of_number else "list"
        st.markdown(f"{many(outside)} outside the {where} ({percent(share)}).")
        if of_number and outside:
            below, above = dataset.beyond(column.name)
            st.markdown(
                f"{many(below)} below the lower bound, {many(above)} above the "
                "upper one. What that does to an answer, “Release” shows before it is "
                "released."
            )
        twenty = "people" if dataset.cap is None else "rows"
        if of_number and share > 0.05:  # noqa: PLR2004
            st.warning(
                f"Clamping moves more than one in twenty {twenty}. The release will be "
                "biased; wider bounds cost noise instead."
            )
        if of_number and not codebook and dataset.touches_bounds(column.name):
            st.warning(
                "These bounds are exactly the smallest and largest value of the table. "
                "If they were looked up there, they give those two people away: "
                "choose bounds that you would know without the table."
            )
