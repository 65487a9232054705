"""What only people know, typed once: for the page to sign and for every document.

It is kept in this tab, and in no address.
"""

from __future__ import annotations

from typing import Final

import streamlit as st

from dpcore.documents.typed import Typed
from ui import controls, session
from ui.text import literal

_LONGEST: Final = 600
_MOST_NAMES: Final = 12
_SIGNED: Final = "the page was signed"
_STATES: Final = {
    "nobody said so yet": "",
    "yes, it is signed": _SIGNED,
    "nobody has to sign": "nobody had to sign",
}
"""What can be said of the page to sign, and how documents say it."""


def for_signing() -> Typed:
    """Ask for what stands on the page to sign."""
    left, right = st.columns(2)
    with left:
        purpose = _purpose()
        reason = _reason()
    with right:
        period = _period()
        place = _line("Place", "place", "Where it is signed.")
        deciders = _deciders()
    return Typed(
        purpose=purpose,
        period=period,
        reason=reason,
        deciders=deciders,
        place=place,
        signed=_signed(),
    )


def before_release() -> None:
    """Say who decides, and ask whether the page is signed. It holds nothing up."""
    left, right = controls.row(2)
    names = _lines(str(session.public(f"sign-names-{session.generation()}") or ""))
    with left.place:
        st.markdown("**Before it is released: who decides, and is it signed?**")
        st.markdown(
            f"Named as deciding: {literal(', '.join(names))}."
            if names
            else "Nobody is named yet as deciding."
        )
        st.page_link(
            "pages/decision.py", label="Name people, and make the page to sign"
        )
    state = right.radio(
        "Is the page signed?",
        list(_STATES),
        key=f"sign-state-{session.generation()}",
        kept="session",
        note="It stands in the report and the registry entry, in these words, and "
        "nowhere in the ledger. Nobody is kept from releasing by it.",
    )
    if _STATES[state] == _SIGNED:
        with right.place:
            _line("When, and by whom?", "signed", "Optional: a day, and names.")


def _signed() -> str:
    """Return what was said of signing; empty where nobody said anything."""
    told = _STATES.get(str(session.public(f"sign-state-{session.generation()}")), "")
    when = str(session.public(f"sign-signed-{session.generation()}") or "").strip()
    return f"{told}: {when}" if told == _SIGNED and when else told


def for_documents() -> Typed:
    """Ask for what stands in the documents; what was typed for the page is there."""
    st.markdown(
        "**What only people know.** It is typed once, and stands in every document and "
        "on the page to sign on “Decision”. What is left empty becomes a line to write "
        "on."
    )
    left, right = st.columns(2)
    with left:
        purpose = _purpose()
        reason = _reason()
        deciders = _deciders()
    with right:
        period = _period()
        publisher = _line(
            "Who publishes", "publisher", "Who holds the table, and answers for it."
        )
        contact = _line("Contact", "contact", "Whom people can ask.")
    return Typed(
        purpose=purpose,
        period=period,
        reason=reason,
        deciders=deciders,
        publisher=publisher,
        contact=contact,
        signed=_signed(),
    )


def _purpose() -> str:
    return _area("Purpose", "purpose", "What are the numbers for?")


def _reason() -> str:
    return _area("Why not the other plan?", "reason", "In a sentence or two.")


def _period() -> str:
    return _line("Period", "period", "From when to when, and when it is renewed.")


def _deciders() -> tuple[str, ...]:
    return _lines(_area("Who decides (one name a line)", "names", ""))


def _lines(names: str) -> tuple[str, ...]:
    lines = [line.strip() for line in names.splitlines() if line.strip()]
    return tuple(lines[:_MOST_NAMES])


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
