"""The terms that a page uses, each with its sentence, and the glossary with links to pages."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache
from typing import Final

import streamlit as st

from dpcore.glossary import TERMS, GlossaryEntry, matching, term, without_brackets
from ui import session
from ui.text import literal

_EPSILON, _DELTA, _RHO = "ε (epsilon)", "δ (delta)", "ρ (rho)"
_BOUNDED = ("boundary-inflated truncation", "truncated Laplace")
_PRICE = (_EPSILON, "interval", "half-width", "budget")

WORDS: Final = {
    "": ("differential privacy", _EPSILON, "attacker", "noise"),
    "data": (
        *("public", "bounds", "confidential", "unit of protection", "budget"),
        *("neighboring tables", "add or remove", "replace one"),
        *("interval", _EPSILON, _DELTA, _RHO, "release"),
        "attacker",
        "noise",
    ),
    "release": (
        *("release", "mechanism", "Laplace noise", "scale", *_PRICE),
        *("bounds", "clamp", "sensitivity", "quantile", "variance", "histogram"),
        *(*_BOUNDED, "per-instance privacy loss", "replace one", "public"),
        *("confidential", "audit"),
        "attacker",
        "noise",
    ),
    "mechanism_test": (
        *("audit", "mechanism", "Laplace noise", "scale", *_PRICE, _DELTA, "neighboring tables"),
        *("bounds", "clamp", "sensitivity", "quantile", "variance", "histogram", *_BOUNDED),
        *("per-instance privacy loss", "replace one", "release", "attacker", "noise", "public"),
    ),
    "regression": (
        "add or remove",
        *("ridge", "posterior sample", _EPSILON, _DELTA, "Gaussian noise", "scale"),
        *("bounds", "interval", "release", "public", "confidential"),
        "per-instance privacy loss",
        "noise",
    ),
    "plan": (
        *("budget", "composition", _EPSILON, _DELTA, _RHO, "zCDP", "best split"),
        *("privacy loss distribution", "Gaussian noise", "release", "half-width"),
        *("interval", "mechanism", "quantile", "variance", "histogram", "bootstrap"),
        *(*_BOUNDED, "per-instance privacy loss", "bounds"),
        "noise",
    ),
    "accuracy": (
        *("mechanism", "bias", "variance", "standard error", _EPSILON, _DELTA),
        *("Laplace noise", "scale", "bounds", "clamp", "sensitivity"),
        *(*_BOUNDED, "per-instance privacy loss", "post-processing", "release"),
        *("quantile", "histogram"),
        "noise",
    ),
    "privacy_loss": (
        *("per-instance privacy loss", "privacy loss", _EPSILON, "mechanism"),
        *("release", "bounds", "confidential", "differential privacy"),
        *("quantile", "variance", "histogram", *_BOUNDED),
    ),
    "budget": ("ledger", "budget", "period", "release", _EPSILON, _DELTA, "attacker"),
    "documents": ("release", "ledger", "budget"),
    "manage": ("ledger", "release", "budget", "period", _EPSILON, _DELTA, _RHO, "attacker"),
    "meaning": (
        *(_EPSILON, _DELTA, "advantage", "budget", "release", "mechanism"),
        *("sensitivity", "public"),
        "attacker",
        "noise",
    ),
    "compare": ("budget", _EPSILON),
    "plan_privacy_loss": (_EPSILON, "budget", "confidential", "privacy loss"),
    "lessons": (),
    "lab": (
        *("mechanism", "scale", "sensitivity", "bounds", "clamp", *_BOUNDED),
        *("per-instance privacy loss", _EPSILON, _DELTA, "release"),
        *("post-processing", "differential privacy"),
        "attacker",
        "noise",
    ),
    "sensitivity": (
        *("sensitivity", "local sensitivity", "neighboring tables", "bounds"),
        *("public", "confidential", "made-up table", "quantile", "variance"),
        *("Laplace noise", "scale", _EPSILON, _DELTA, "differential privacy"),
        "noise",
    ),
    "synthetic_data": ("made-up table", "histogram", _EPSILON, "release", "noise"),
    "audit": (
        *("audit", "mechanism", _EPSILON, _DELTA, "neighboring tables", "interval"),
        *("scale", "sensitivity", "bounds", "histogram", "bootstrap", "ledger"),
        *("resized bootstrap", "differential privacy", "release"),
        "attacker",
        "noise",
    ),
    "attacks": (
        *("release", _EPSILON, "budget", "ledger", "mechanism", "Laplace noise"),
        *("scale", "bounds", "per-instance privacy loss", "differential privacy"),
        "boundary-inflated truncation",
        "attacker",
        "noise",
    ),
    "glossary": (),
    "about": (),
    "standard_errors": (
        *("standard error", "bootstrap", "release", "interval", "budget"),
        *(_RHO, _EPSILON, _DELTA, "zCDP", "variance", "sensitivity"),
        *("Gaussian noise", "quantile", "privacy loss distribution"),
        *("composition", "differential privacy"),
        "noise",
    ),
    "subsampling": (
        *("Poisson sampling", "amplification by sampling", _EPSILON, _DELTA, _RHO),
        *("Gaussian noise", "zCDP", "release", "budget", "bounds"),
        "differential privacy",
        "attacker",
        "noise",
    ),
    "resized": (
        *("resized bootstrap", "bootstrap", _EPSILON, _DELTA, "variance"),
        *("Laplace noise", "scale", "bounds"),
        "attacker",
        "noise",
    ),
    "study1": (
        *("variance", "mechanism", "bias", "clamp", "bounds", _EPSILON, *_BOUNDED),
        *("Laplace noise", "neighboring tables", "public", "release"),
        "noise",
    ),
    "study2": (
        *(_EPSILON, "mechanism", *_BOUNDED, "Laplace noise", "bias", "interval"),
        *("mean squared error", "standard error", "histogram", "scale", "budget"),
        *("replace one", "public", "release"),
        "noise",
    ),
    "figures12": (
        *("ridge", "residual", "posterior sample", _EPSILON, _DELTA, "quantile"),
        *("per-instance privacy loss", "differential privacy", "public"),
        "noise",
    ),
}
"""The words of each page by its address, the first needed first.

A lesson says which words it uses by its own text.
"""


def beside(page: str) -> None:
    """Offer the words of a page, by its address; nothing where it has none."""
    offer([term(name) for name in WORDS[page]], "Words on this page")


def offer(terms: Iterable[GlossaryEntry], label: str) -> None:
    """Offer words with what they mean; nothing if there are none."""
    lines = [_line(one) for one in terms]
    if not lines:
        return
    with st.popover(label, icon=":material/dictionary:"):
        st.markdown("\n\n".join(lines))
        st.page_link("pages/glossary.py", label="All words, and what they are exactly")


@cache
def _line(entry: GlossaryEntry) -> str:
    return f"**{entry.word}:** {literal(without_brackets(entry.plain))}"


WORD = "word"
"""What an address says to lead to a word."""


def show() -> None:
    """Show a box to look for a word, and what was found, the alphabet otherwise."""
    typed = st.text_input(
        "Look for a word",
        placeholder="for instance: clamp",
        max_chars=60,
        key=WORD,
        bind="query-params",
        help="Part of a word is enough. The address leads to what is on screen.",
    )
    found = matching(typed)
    if not found:
        st.info(
            f"No word here contains “{literal(typed.strip())}”. Look for a part of it, "
            "or empty the box to read all words."
        )
        found = TERMS
    elif len(found) < len(TERMS):
        words = "word" if len(found) == 1 else "words"
        st.caption(f"{len(found)} {words} of {len(TERMS)}")
    for one in found:
        _tell(one)


def _tell(one: GlossaryEntry) -> None:
    st.subheader(one.word, anchor=False)
    if one.also:
        st.caption(f"also: {', '.join(one.also)}")
    st.markdown(literal(without_brackets(one.plain)))
    if one.exact:
        st.markdown(f"*Exactly:* {literal(without_brackets(one.exact))}")
    if one.source:
        st.caption(literal(one.source))
    with st.container(horizontal=True, vertical_alignment="center"):
        st.caption("See it at work:", width="content")
        st.page_link(f"pages/{one.page}.py", width="content")
        for name in dict.fromkeys(one.named):
            st.button(
                f"What is: {term(name).word}?",
                type="tertiary",
                on_click=_look_for,
                args=(name,),
                key=f"glossary-{one.word}-{name}",
            )


def _look_for(name: str) -> None:
    session.set_public(WORD, term(name).word)
