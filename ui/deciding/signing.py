"""The page to sign: what only people know is typed here, and the file is made."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING, Final

import streamlit as st

from dpcore.documents.decision import Decision, Typed, decision_page
from dpcore.releases.record import Mode
from ui import controls, session
from ui.documents import numerals

if TYPE_CHECKING:
    from dpcore.planning.options import Option
    from ui.study import Study

_LONGEST: Final = 600
_MOST_NAMES: Final = 12


def offer(plan: Option, other: Option, study: Study) -> None:
    """Ask for what only people know, and offer the page."""
    st.header("A page to sign")
    st.markdown(
        "One page of A4 with purpose, table, questions, errors, budget, the other plan "
        "and lines to sign on. What is left empty becomes a line to write on."
    )
    typed = _typed()
    style = numerals.ask(controls.row((1, 1))[0], key="sign-numerals")
    account = session.account(study)
    page = decision_page(
        Decision(
            table=study.dataset.name,
            plan=plan,
            other=other,
            relation=study.terms.relation,
            unit=study.terms.unit,
            size=study.size(),
            budget=account.budget,
            spent=account.spent,
            typed=typed,
            lesson=session.mode() is Mode.CLASSROOM,
            prepared=datetime.now(UTC).date(),
        ),
        style,
    )
    st.download_button(
        "Download the page to sign (HTML)",
        page.html,
        file_name="decision.html",
        mime="text/html",
        key="sign-page",
        on_click="ignore",
        type="primary",
        help="Opens in any browser without a network, and prints on A4. Nothing in it "
        "is computed from the table.",
    )


def _typed() -> Typed:
    """Ask for what is typed; it is kept in this tab, and in no address."""
    left, right = st.columns(2)
    with left:
        purpose = _area("Purpose", "purpose", "What are the numbers for?")
        reason = _area("Why not the other plan?", "reason", "In a sentence or two.")
    with right:
        period = _line("Period", "period", "From when to when, and when it is renewed.")
        place = _line("Place", "place", "Where it is signed.")
        names = _area("Who decides (one name a line)", "names", "")
    lines = [line.strip() for line in names.splitlines() if line.strip()]
    return Typed(
        purpose=purpose,
        period=period,
        reason=reason,
        deciders=tuple(lines[:_MOST_NAMES]),
        place=place,
    )


def _line(label: str, name: str, hint: str) -> str:
    return st.text_input(
        label,
        key=f"sign-{name}-{session.generation()}",
        placeholder=hint,
        max_chars=_LONGEST,
        persist_state="session",
    )


def _area(label: str, name: str, hint: str) -> str:
    return st.text_area(
        label,
        key=f"sign-{name}-{session.generation()}",
        placeholder=hint,
        max_chars=_LONGEST,
        height=90,
        persist_state="session",
    )
