"""The page to sign: what only people know is typed here, and the file is made."""

from __future__ import annotations

import re
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Final

import streamlit as st

from dpcore.analyses.base import Mode
from dpcore.documents.decision import Decision, decision_page
from dpcore.documents.gathering import changes_of
from dpcore.planning.comparison import Option
from dpcore.planning.group_sizes import SmallestGroup
from ui import controls, downloads, session
from ui.documents import asking, numerals
from ui.study import Study

_LONGEST: Final = 40


def offer(
    plan: Option, other: Option, study: Study, told_sizes: Mapping[str, SmallestGroup]
) -> None:
    """Ask for what only people know, and offer the page."""
    st.header("A page to sign")
    st.markdown(
        "One page of A4 with purpose, table, questions, errors, budget, the other plan "
        "and lines to sign on. What is left empty becomes a line to write on.\n\n"
        "What is typed here stands elsewhere, too: purpose, and people and period, in "
        "the notice; the same with who decides, why, and whether it was signed, in the "
        "report; purpose, and who decides and why, in the registry entry. The place "
        "stands on this page alone."
    )
    known = asking.for_signing(study)
    style = numerals.ask(controls.HERE, key="sign-numerals")
    account = session.account(study)
    about = Decision(
        table=study.dataset.name,
        plan=plan,
        other=other,
        relation=study.terms.relation,
        unit=study.terms.unit,
        size=study.size(),
        budget=account.budget,
        spent=account.spent,
        changes=changes_of(session.ledger().history(account.name)),
        told=told_sizes,
        typed=known,
        lesson=session.mode() is Mode.CLASSROOM,
        prepared=datetime.now(UTC).date(),
    )
    if not about.fits:
        st.warning(
            "The plan costs more than is left of the budget of these "
            f"{session.unit().nouns}, and the "
            "page says so. Raise the budget on Ledger, or plan less, before it is "
            "signed."
        )
    elif about.plan.done and account.spent.epsilon:
        st.caption(
            "The plan has been released: what it cost is part of what is spent, and "
            "the page says so."
        )
    if not about.other_fits:
        st.caption(
            "The other plan costs more than is left of the budget of these "
            f"{session.unit().nouns}: it "
            "could not be released as it stands, and the page says so."
        )
    downloads.button(
        "Download the page to sign (HTML)",
        downloads.File(
            name=f"decision-{_stem(about)}.html",
            mime="text/html",
            content=decision_page(about, style).html,
        ),
        key="sign-page",
        kind="primary",
        note="Opens in any browser without a network, and prints on A4. Nothing in it "
        "is computed from the table.",
    )


def _stem(about: Decision) -> str:
    """Return what tells a file of this page from others: the table, and the day."""
    table = re.sub(r"\W+", "_", re.sub(r"\.\w+$", "", about.table))
    return f"{table[:_LONGEST]}-{about.prepared.isoformat()}"
