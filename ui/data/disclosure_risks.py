"""Whether a table of one's own may be shown to a class, which knows people."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from dpcore.data.disclosure_risks import DisclosureRisk, disclosure_risks
from ui import confidential, session
from ui.study import Study
from ui.text import literal


def check() -> None:
    """Offer to look for what would let a class recognize somebody in an upload."""
    study = session.study()
    if study is None or study.example is not None or study.parts is not None:
        return
    with st.popover("Use in a class", key="folded-class"):
        st.markdown(
            "In Classroom mode single rows and true values are on the screen. A class "
            "recognizes people by what it knows of them: their names, a day, a rare "
            "answer, or a few harmless answers together. A built-in survey, or a "
            "made-up table, shows the same without anybody in it."
        )
        # A class must not see it only because the mode was changed.
        with confidential.area("class", "what people could be recognized by", ready=False) as shown:
            if shown:
                _tell(_found(study))
        st.page_link("pages/synthetic_data.py", label="Make a table of people who do not exist")


def _found(study: Study) -> tuple[DisclosureRisk, ...]:
    with st.spinner("Looking through the columns …"):
        return session.remember(
            "class", study.fingerprint, lambda: disclosure_risks(study.in_memory.frame)
        )


def _tell(found: Sequence[DisclosureRisk]) -> None:
    if not found:
        st.markdown(
            "**No risk was found.** That proves nothing: someone who knows a person well may "
            "still find their row. Ask the people, or show synthetic data."
        )
        return
    columns = {name for one in found for name in one.columns}
    several = "columns" if len(columns) > 1 else "column"
    st.markdown(
        f"**Do not show it unchanged:** people could be recognized by {len(columns)} "
        f"{several}. “Derived columns”, above, makes bins of numbers; columns to be left "
        "out have to go before the file is uploaded."
    )
    for one in found:
        st.markdown(f"- **{literal(', '.join(one.columns))}**: {one.what} {one.advice}")
