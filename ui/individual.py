"""The views of the Individual privacy page: one subject, looked at from several sides.

Only the view that is open is computed.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import streamlit as st

from ui import (
    exposing,
    model_exposing,
    one_person,
    person_totals,
    publishing,
    what_if,
)
from ui.subject import StatisticSubject

if TYPE_CHECKING:
    from collections.abc import Callable

    from ui.study import Study
    from ui.subject import Subject


def views(subject: Subject, study: Study) -> None:
    """Show the subject, from the side that is open."""
    sides: dict[str, Callable[[Subject, Study], None]] = {
        "Everybody": _everybody,
        "One person": one_person.show,
        "What if": what_if.show,
        "Why not publish, and what may be": publishing.show,
        "Over the whole ledger": person_totals.show,
    }
    tabs = st.tabs(list(sides), key="individual-view", bind="query-params")
    for tab, show in zip(tabs, sides.values(), strict=True):
        if tab.open:
            with tab:
                show(subject, study)


def _everybody(subject: Subject, study: Study) -> None:
    if isinstance(subject, StatisticSubject):
        exposing.show(subject, study)
    else:
        model_exposing.show(subject, study)
