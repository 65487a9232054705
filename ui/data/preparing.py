"""What can be made of the rows of a table before it is put in use."""

from __future__ import annotations

import streamlit as st

from dpcore.data.partitions.table import PartitionedDataset
from ui.data import filtering, whose, widening
from ui.study import Draft, Study


def ask(current: Draft | Study) -> list[str]:
    """Offer it; return what was chosen and not taken over, in words."""
    if isinstance(current.dataset, PartitionedDataset):
        st.caption(
            "This table stays in its files. New columns, conditions on rows, one row "
            "made of several, and a look at who could be recognized need all rows in "
            "memory: have the files written that way, or upload a sample as a file."
        )
        return []
    widening.ask(current)
    return [
        *["several rows of one person"] * whose.ask(current),
        *["only some of the rows"] * filtering.ask(current),
    ]
