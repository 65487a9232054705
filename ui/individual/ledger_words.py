"""What to know of totals over the ledger before they are read. Public."""

from __future__ import annotations

from typing import TYPE_CHECKING

import streamlit as st

from dpcore.figures.individual.compared import Compared
from dpcore.figures.wording import compared_with
from dpcore.releases.record import Mode
from ui import session

if TYPE_CHECKING:
    from dpcore.relations import NeighboringRelation
    from ui.individual.ledger_losses import LedgerLosses
    from ui.study import Study


def nothing(study: Study) -> str:
    """Say that there is no release to add up, and where there are some."""
    real = session.real_releases(study) if session.mode() is Mode.CLASSROOM else 0
    if real:
        plural = "" if real == 1 else "s"
        return (
            f"Nothing in this lesson; the real ledger has {real} release{plural} "
            "(Release mode)."
        )
    return (
        "Nothing has been released about this table yet. Release a number, and see "
        "here what it cost each person."
    )


def compared(ledger: LedgerLosses, relation: NeighboringRelation) -> Compared:
    """Say what the losses compare with, and what the charges do; return both."""
    others = {release.relation for release in ledger.releases} - {relation}
    st.markdown(f"Losses here are **{compared_with(relation)}**.")
    if others:
        named = " and ".join(sorted(other.phrase for other in others))
        st.caption(
            f"The account was charged for {named}. That is another question: a part of "
            "the difference between charge and losses comes from it, and not from the "
            "people. Choose the same under “What if” above to compare like with like."
        )
    return Compared(relation=relation, mixed=bool(others))
