"""The glossary on its page: words looked up, each with the page where it is met."""

from __future__ import annotations

import streamlit as st

from dpcore.glossary import TERMS, GlossaryEntry, matching, term, without_brackets
from ui import session
from ui.text import literal

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
