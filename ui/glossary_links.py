"""The glossary: beside every page, of a lesson, and as a view with links to pages."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache

import streamlit as st

from dpcore.glossary import TERMS, GlossaryEntry, matching, term, without_brackets
from ui import layout, session
from ui.text import literal


def beside() -> None:
    """Offer to look up any term without leaving the page."""
    words = st.popover(
        "Glossary", icon=":material/dictionary:", key="glossary-beside", on_change="rerun"
    )
    layout.opened(words, _look_up)


def _look_up() -> None:
    chosen = st.selectbox(
        "Term",
        [entry.word for entry in TERMS],
        index=None,
        placeholder="Type a term",
        key="glossary-term",
    )
    if chosen is not None:
        st.markdown(_line(term(chosen)))
    st.page_link("pages/glossary.py", label="All terms")


def offer(terms: Iterable[GlossaryEntry], label: str) -> None:
    """Offer terms with what they mean; nothing if there are none."""
    lines = [_line(one) for one in terms]
    if not lines:
        return
    with st.popover(label, icon=":material/dictionary:"):
        st.markdown("\n\n".join(lines))
        st.page_link("pages/glossary.py", label="All terms")


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
    st.header(one.word, anchor=False)
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
