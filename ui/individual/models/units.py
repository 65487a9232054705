"""Which rows belong together: households, or people with several rows.

The choice of the column is public; what follows from its values is not.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import streamlit as st

from dpcore.data.units import unit_codes
from dpcore.models.kinds import ModelKind
from dpcore.relations import NeighboringRelation
from dpcore.wording import people
from ui import session

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from dpcore.releases.models.request import ModelRequest
    from ui.study import Study


def ask(study: Study, asked: ModelRequest, relation: NeighboringRelation) -> int | None:
    """Ask which column numbers the units; ``None`` where rows stand for themselves."""
    unit = asked.question.unit
    assumed = (
        "Every row counts as a unit of its own."
        if unit.rows == 1
        else f"Every row stands for a unit of {unit.rows} rows like it, the most that "
        f"one {unit.noun} may own (declared on “Data”)."
    )
    linear = asked.question.model is ModelKind.LINEAR
    leaves = relation is NeighboringRelation.ADD_REMOVE
    if not (leaves and linear and asked.law.units_known):
        if unit.rows > 1:
            st.caption(
                f"{assumed} Which rows really belong together can be taken into "
                "account for linear models, released with noise of a public shape or "
                "as posterior samples, when units leave."
            )
        return None
    names = [column.name for column in study.dataset.columns]
    position = st.selectbox(
        "Rows with the same value belong together: by",
        range(len(names)),
        index=None,
        format_func=names.__getitem__,
        placeholder="the column that numbers households, if there is one",
        key=f"households-{session.generation()}",
        persist_state="session",
        help=f"{assumed} With a column, all rows of a household leave together. The "
        "guarantee stays what it is: about the number of rows declared on “Data”.",
    )
    return int(position) if position is not None else None


def codes_of(
    study: Study, asked: ModelRequest, position: int | None
) -> NDArray[np.intp] | None:
    """Return everybody's unit. CONFIDENTIAL."""
    if position is None:
        return None
    name = study.dataset.columns[position].name
    return session.remember(
        "model-units",
        f"{position} {study.about(asked.question)}",
        lambda: unit_codes(study.dataset, name, asked.question.rows(study.dataset)),
    )


def tell(asked: ModelRequest, codes: NDArray[np.intp]) -> None:
    """Say how many units there are, and whether the guarantee covers them."""
    rows, allowed = np.bincount(codes), asked.question.unit.rows
    st.caption(
        f"{people(len(rows), 'unit')} with up to {people(int(rows.max()), 'row')}: "
        "every row below shows what its whole unit loses."
    )
    more = int(np.count_nonzero(rows > allowed))
    if more:
        st.warning(
            f"The guarantee covers {people(allowed, 'row')} of a unit, and {more:,} "
            "here have more. Declare on “Data” how many rows one may own."
        )
