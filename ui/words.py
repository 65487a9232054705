"""The words of the trade that a page uses, each said in a sentence beside it."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache
from typing import Final

import streamlit as st

from dpcore.glossary import GlossaryEntry, term, without_brackets
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
    "tradeoffs": (
        *("mechanism", "bias", "variance", "standard error", _EPSILON, _DELTA),
        *("Laplace noise", "scale", "bounds", "clamp", "sensitivity"),
        *(*_BOUNDED, "per-instance privacy loss", "post-processing", "release"),
        *("quantile", "histogram"),
        "noise",
    ),
    "individual": (
        *("per-instance privacy loss", "privacy loss", _EPSILON, "mechanism"),
        *("release", "bounds", "confidential", "differential privacy"),
        *("quantile", "variance", "histogram", *_BOUNDED),
    ),
    "ledger": ("ledger", "budget", "period", "release", _EPSILON, _DELTA, "attacker"),
    "meaning": (
        *(_EPSILON, _DELTA, "advantage", "budget", "release", "mechanism"),
        *("sensitivity", "public"),
        "attacker",
        "noise",
    ),
    "decision": ("budget", _EPSILON),
    "touched": (_EPSILON, "budget", "confidential"),
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
    "made_up": ("made-up table", "histogram", _EPSILON, "release", "noise"),
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
