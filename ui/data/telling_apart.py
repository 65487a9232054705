"""Whether a column tells people apart: looked up, for the curator alone."""

from __future__ import annotations

from typing import TYPE_CHECKING

import streamlit as st

from dpcore.data.preparation.owners import persons
from dpcore.data.units import NOBODY
from ui import confidential, session
from ui.text import literal

if TYPE_CHECKING:
    from dpcore.data.dataset import Dataset
    from dpcore.data.preparation.recipes import Ownerless


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
                f"All rows say the same {whose}: they would be one person, who then "
                "makes every answer alone. Choose the column that says whose row it is."
            )
        elif people == rows:
            st.warning(
                f"No two rows have the same {whose}. It may number visits and not "
                "patients: then only single rows are protected."
            )
        else:
            st.caption(f"{rows:,} rows have an owner, and there are {people:,} owners.")


def _counted(
    source: Dataset, owners: tuple[str, ...], ownerless: Ownerless
) -> tuple[int, int]:
    """Return how many people there are, and how many rows say that they are theirs."""
    person = persons(source, owners, ownerless)
    return int(person.max(initial=NOBODY)) + 1, int((person > NOBODY).sum())
