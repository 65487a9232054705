"""Who bears the loss, group by group. CONFIDENTIAL."""

from __future__ import annotations

from typing import TYPE_CHECKING

import streamlit as st

from dpcore.data.columns import ColumnKind
from dpcore.figures.individual import exposures
from ui import results, session

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from dpcore.individual.losses import Losses
    from ui.study import Study


def by_column(
    losses: Losses, study: Study, *, rows: NDArray[np.intp], mechanism_key: str
) -> None:
    """Show who bears the loss, by a category.

    Args:
        losses: Everybody's loss.
        study: The table in use.
        rows: The row of the table, from 0, of each person.
        mechanism_key: Key of the mechanism, for its stroke.

    """
    choices = [
        column.name
        for column in study.dataset.columns
        if column.kind is not ColumnKind.NUMBER and column.labels
    ]
    if not choices:
        st.caption("Declare a yes/no or category column on “Data” to compare groups.")
        return
    position = st.selectbox(
        "Compare groups by",
        range(len(choices)),
        index=None,
        format_func=choices.__getitem__,
        placeholder="a yes/no or category column",
        key=f"groups-{session.generation()}",
        persist_state="session",
    )
    if position is None:
        return
    column = study.dataset.column(choices[position])
    codes = study.dataset.codes(column.name)[rows]
    results.show(
        exposures.groups_picture(
            losses.by_group(codes, column.labels), by=column.name, key=mechanism_key
        ),
        "groups",
    )
