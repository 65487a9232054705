"""Who bears the loss from a model, group by group. CONFIDENTIAL."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pandas as pd
import streamlit as st

from dpcore.data.columns import ColumnKind
from dpcore.figures.individual import exposures
from dpcore.figures.wording import epsilon_text, percent
from dpcore.studies.individual.household_losses import grouped, household_losses
from ui import results, session
from ui.individual import exposure_details as details
from ui.individual import persons
from ui.text import literal

if TYPE_CHECKING:
    from ui.individual.subject import ModelSubject
    from ui.study import Study

_MOST = 10


def by_column(subject: ModelSubject, study: Study) -> None:
    """Show who bears the loss, by a category."""
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
    rows = subject.exposure.rows
    codes = study.dataset.codes(column.name)[rows]
    results.show(
        exposures.groups_picture(
            subject.exposure.by_group(codes, column.labels),
            by=column.name,
            key=subject.request.mechanism_key,
            watermark=details.watermark(),
        ),
        "groups",
    )


def households(subject: ModelSubject, study: Study) -> None:
    """Show what groups of rows lose that leave together."""
    law, fit, codes = subject.request.law, subject.fit, subject.codes
    if not grouped(law, fit):
        st.info(
            "The loss of several rows together is known for a linear model with noise "
            "of a public shape on its coefficients, or released as posterior samples. "
            "For other releases the losses of the rows, added up, are a bound only "
            "where every one is computed without those before it."
        )
        return
    if codes is None:
        st.info(
            "Compare with the table without the person, and choose above which column "
            "says who belongs together."
        )
        return
    found = session.remember(
        "households",
        persons.identity(subject, study),
        lambda: household_losses(law, fit, codes, delta=subject.request.delta),
    )
    place = found.largest
    several = int(np.count_nonzero(found.rows > 1))
    st.markdown(
        literal(
            f"{len(found.rows):,} groups, {several:,} with several rows. The most "
            f"exposed one has {found.rows[place]:,} rows and loses "
            f"{epsilon_text(float(found.epsilon[place]))}; its rows, each on its own, "
            f"add up to {epsilon_text(float(found.added[place]))}. Together more than "
            f"their sum lose {percent(found.above_sum)} of the groups with several "
            "rows: their rows pull the same way."
        )
    )
    order = np.argsort(-found.epsilon, kind="stable")[:_MOST]
    st.dataframe(
        pd.DataFrame(
            {
                "rows": found.rows[order],
                "loss together": found.epsilon[order],
                "losses of the rows, added": found.added[order],
            }
        ),
        hide_index=True,
        key="households",
    )
