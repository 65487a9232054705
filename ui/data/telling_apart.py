"""Whether a column tells people apart: looked up, for the curator alone."""

from __future__ import annotations

import streamlit as st

from dpcore.data.dataset import Dataset
from dpcore.data.preparation.identifiers import NOBODY, Ownerless, persons
from ui import confidential, session
from ui.text import literal


def show(source: Dataset, owners: tuple[str, ...], ownerless: Ownerless) -> None:
    """Offer to look whether rows say that they are of several people. CONFIDENTIAL."""
    what = "whether this column tells people apart"
    with confidential.area("telling-apart", what, ready=False) as shown:
        if not shown:
            return
        about = f"{session.generation()} {id(source.frame)} {owners} {ownerless}"
        people, rows = session.remember(
            "telling-apart", about, lambda: _counted(source, owners, ownerless)
        )
        whose = literal(" and ".join(owners))
        if not people:
            st.warning(f"No row has a value of {whose}.")
        elif people == 1:
            st.warning(
                f"All rows have the same {whose}: they would be one person. Choose the "
                "column that names the owner of a row."
            )
        elif people == rows:
            st.warning(
                f"No two rows have the same {whose}. It may number visits and not "
                "patients: then only single rows are protected."
            )
        else:
            st.caption(f"Rows with an owner: {rows:,}. Owners: {people:,}.")


def _counted(source: Dataset, owners: tuple[str, ...], ownerless: Ownerless) -> tuple[int, int]:
    """Return how many people there are, and how many rows say that they are theirs."""
    person = persons(source, owners, ownerless)
    return int(person.max(initial=NOBODY)) + 1, int((person > NOBODY).sum())
