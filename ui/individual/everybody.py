"""Everybody's loss, from the guarantee down to single groups. CONFIDENTIAL."""

from __future__ import annotations

from typing import TYPE_CHECKING

import streamlit as st

from dpcore.data.columns import ColumnKind
from dpcore.figures.individual import exposures
from dpcore.individual.chain import Chain
from dpcore.relations import NeighboringRelation
from ui import results, session
from ui.individual import details
from ui.individual.subject import ModelSubject

if TYPE_CHECKING:
    from collections.abc import Callable

    import numpy as np
    from numpy.typing import NDArray

    from dpcore.individual.losses import Losses
    from ui.individual.subject import AnySubject
    from ui.study import Study


def show(
    subject: AnySubject,
    study: Study,
    *,
    remarks: Callable[[], object],
    most_exposed: Callable[[], object],
    closer: Callable[[], object],
) -> None:
    """Show everybody's loss from a release.

    What is to be said of such losses, who is most exposed and why, and what else can be
    read from them differs from subject to subject.
    """
    losses, key = subject.exposure, subject.request.mechanism_key
    found, proved = subject.for_all
    steps = Chain(
        guarantee=losses.worst_case,
        for_all=found,
        certificate=proved,
        maximum=losses.maximum,
        mean=losses.mean,
        relation=subject.relation,
        promised=subject.promised,
        upper=losses.upper,
    )
    details.chain(steps, key=key)
    remarks()
    details.distribution(losses, key=key)
    most_exposed()
    _groups(losses, study, rows=subject.rows(study), mechanism_key=key)
    closer()
    _why_not_publish(subject.relation, model=isinstance(subject, ModelSubject))


def moments(subject: AnySubject, study: Study) -> None:
    """Offer the moments of the losses, folded away."""
    key = subject.request.mechanism_key
    details.folded(
        "From the average person to the most exposed: moments",
        "closer-moments",
        lambda: details.moments(subject.exposure, subject.identity(study), key=key),
    )


def _groups(
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


def _why_not_publish(relation: NeighboringRelation, *, model: bool) -> None:
    """Say why these numbers stay with the curator."""
    told = (
        "Compared with another record, a person's loss often depends on their own "
        "value and the public bounds alone, but the average, the picture and the list "
        "above still read everybody's values"
        if relation is NeighboringRelation.SUBSTITUTION and not model
        else "Each number here is a function of everybody's records: who is told their "
        "own loss can often solve for the exact answer"
    )
    st.markdown(
        f"**Why none of this may be published.** {told}. Even the average or a picture "
        "of losses has no privacy guarantee."
    )
