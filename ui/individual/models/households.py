"""Who bears the loss from a model, group by group. CONFIDENTIAL."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import streamlit as st

from dpcore.individual.models.households import grouped, household_losses
from dpcore.wording import percent, significant
from ui import results, session
from ui.text import literal

if TYPE_CHECKING:
    from ui.individual.subject import ModelSubject
    from ui.study import Study

_MOST = 10


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
        subject.identity(study),
        lambda: household_losses(law, fit, codes, delta=subject.request.delta),
    )
    place = found.largest
    several = int(np.count_nonzero(found.rows > 1))
    st.markdown(
        literal(
            f"{len(found.rows):,} groups, {several:,} with several rows. The most "
            f"exposed one has {found.rows[place]:,} rows and loses "
            f"{significant(float(found.epsilon[place]))}; its rows, each on its own, "
            f"add up to {significant(float(found.added[place]))}. Together more than "
            f"their sum lose {percent(found.above_sum)} of the groups with several "
            "rows: their rows pull the same way."
        )
    )
    order = np.argsort(-found.epsilon, kind="stable")[:_MOST]
    results.table(
        {
            "rows": found.rows[order],
            "loss together": found.epsilon[order],
            "losses of the rows, added": found.added[order],
        },
        key="households",
    )
