"""The sign-off sheet of the plan: who approves it, what for, and the page to print."""

from __future__ import annotations

import re
from datetime import UTC, datetime
from functools import partial
from typing import Final

import streamlit as st

from dpcore.analyses.base import Mode
from dpcore.documents.decision import Decision, decision_page
from dpcore.documents.gathering import changes_of
from dpcore.planning.comparison import Option
from ui import controls, downloads, plans, session, typed
from ui.budget import documents
from ui.study import Study
from ui.text import literal

_LONGEST: Final = 40


def state(study: Study) -> str:
    """Return in a few words who approves the plan, and whether it is signed."""
    known = typed.of(study)
    names = literal(", ".join(known.deciders))
    return (
        f"{f'Approver: {names}' if names else 'No approver named'} · {known.signed or 'not signed'}"
    )


def show(plan: Option, other: Option, study: Study) -> None:
    """Ask for what only people know, and offer the sheet."""
    documents.for_signing(study)
    documents.signed(study)
    account = session.account(study)
    style = documents.ask_numerals(controls.HERE, key="sign-numerals")
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
        told=plans.smallest_of((*plan.basket.items, *other.basket.items), study),
        typed=typed.of(study),
        lesson=session.mode() is Mode.CLASSROOM,
        prepared=datetime.now(UTC).date(),
    )
    if not about.fits:
        st.warning(
            "The plan costs more than is left of the budget, and the sheet says so. "
            "Choose a smaller total on Questions."
        )
    elif about.plan.done and about.spent.epsilon:
        st.caption("The plan has been released. Its cost is part of what is spent.")
    elif not about.other_fits:
        st.caption("The alternative costs more than is left of the budget.")
    table = re.sub(r"\W+", "_", re.sub(r"\.\w+$", "", about.table))
    downloads.button(
        "Download sign-off sheet (HTML)",
        downloads.File(
            name=f"decision-{table[:_LONGEST]}-{about.prepared.isoformat()}.html",
            mime="text/html",
            content=partial(decision_page, about, style),
        ),
        key="sign-page",
        kind="primary",
        note="Opens in any browser without a network, and prints on A4.",
    )
    st.caption(
        f"One A4 page, which also shows {literal(other.name)} as set on Compare. "
        "Empty fields become lines to write on."
    )
