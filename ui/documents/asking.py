"""Asking for what only people know: for the page to sign, and for every document."""

from __future__ import annotations

from typing import Final

import streamlit as st

from dpcore.documents.context import CuratorInput
from ui import controls, typed
from ui.study import Study
from ui.text import literal

_LONGEST: Final = 600


def for_signing(study: Study) -> CuratorInput:
    """Ask for what stands on the page to sign."""
    _offer_before(study)
    left, right = st.columns(2)
    with left:
        _purpose(study)
        _reason(study)
    with right:
        _period(study)
        _line(study, "Place", "place", "Where it is signed.")
        _deciders(study)
    return typed.of(study)


def before_release(study: Study) -> None:
    """Say who decides, and ask whether the page is signed. It holds nothing up."""
    left, right = controls.row(2)
    names = typed.of(study).deciders
    with left.place:
        st.markdown("**Before it is released: who decides, and is it signed?**")
        st.markdown(
            f"Named as deciding: {literal(', '.join(names))}."
            if names
            else "Nobody is named yet as deciding."
        )
        st.page_link("pages/decision.py", label="Name people, and make the page to sign")
    state = right.radio(
        "Is the page signed?",
        list(typed.STATES),
        key=typed.key("state", study),
        kept="session",
        note="You say so; nobody checks it. It stands in the report and the registry "
        "entry, in these words, and nowhere in the ledger. Nobody is kept from "
        "releasing by it.",
    )
    if typed.STATES[state] == typed.SIGNED:
        with right.place:
            hint = "Optional: a day, and names."
            _line(study, "When, and by whom?", "signed", hint)
    typed.of(study)


def for_documents(study: Study) -> CuratorInput:
    """Ask for what stands in the documents; what was typed for the page is there."""
    st.markdown(
        "**What only people know.** It is typed once, and stands in every document and "
        "on the page to sign on “Decision”. It is kept with this table. What is left "
        "empty becomes a line to write on."
    )
    _offer_before(study)
    left, right = st.columns(2)
    with left:
        _purpose(study)
        _reason(study)
        _deciders(study)
    with right:
        _period(study)
        who = "Who holds the table, and answers for it."
        _line(study, "Who publishes", "publisher", who)
        _line(study, "Contact", "contact", "Whom people can ask.")
    return typed.of(study)


def _offer_before(study: Study) -> None:
    """Offer what was typed of another table of the same people, as long as none is."""
    before = typed.of_other_tables(study)
    if not before:
        return
    name, known = [*before.items()][-1]
    if not typed.lacks(study, known):
        return
    st.button(
        f"Fill in what is empty as for “{literal(name)}”",
        key=typed.key("before", study),
        on_click=typed.take_over,
        args=(study, known),
        help="Purpose, place, publisher, contact and the names of who decides. Period, "
        "reason and signature are of each table by itself, and stay empty.",
    )


def _purpose(study: Study) -> None:
    _area(study, "Purpose", "purpose", "What are the numbers for?")


def _reason(study: Study) -> None:
    hint = "In a sentence or two."
    _area(study, "Why this plan, and not the other one?", "reason", hint)


def _period(study: Study) -> None:
    hint = "Whom, from when to when, and when it is renewed."
    _line(study, "People and period", "period", hint)


def _deciders(study: Study) -> None:
    _area(study, "Who decides (one name a line)", "names", "")


def _line(study: Study, label: str, name: str, hint: str) -> None:
    st.text_input(
        label,
        key=typed.key(name, study),
        placeholder=hint,
        max_chars=_LONGEST,
        persist_state="session",
    )


def _area(study: Study, label: str, name: str, hint: str) -> None:
    st.text_area(
        label,
        key=typed.key(name, study),
        placeholder=hint,
        max_chars=_LONGEST,
        height=90,
        persist_state="session",
    )
