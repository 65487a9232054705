"""What if a record were another one: its own loss, and everybody's. CONFIDENTIAL."""

from __future__ import annotations

from typing import TYPE_CHECKING

import streamlit as st

from ui import tabs
from ui.individual import what_if_crowd, what_if_move

if TYPE_CHECKING:
    from collections.abc import Callable

    from ui.individual.subject import Subject
    from ui.study import Study


def show(subject: Subject, study: Study) -> None:
    """Show the view of a subject."""
    sides: dict[str, Callable[[Subject, Study], None]] = {
        "Move one person, watch everybody": what_if_move.show,
        "Blend into the crowd": what_if_crowd.show,
    }
    tabs.show(sides, subject, study, key="what-if-side")
    with st.expander("What is this?", key="what-if-definitions"):
        st.markdown(
            "A person's loss depends on everybody's records: an outlier pulls the "
            "mean or the fit towards itself, and others then lie farther from it, or "
            "nearer. That is why nobody's loss is a property of their own, and why "
            "even one's own loss must not be told to anybody.\n\n"
            "For a linear model the losses after a move follow from a change of the "
            "Hessian of rank two (Sherman, Morrison and Woodbury), exactly. With k "
            "copies more of a person their leverage h becomes h/(1 + k h) and their "
            "residual r becomes r/(1 + k h). Other models and statistics are computed "
            "anew. The noise stays what it is now; calibrated anew to a larger table "
            "it would shrink, and losses with it would not."
        )
