"""What is handed out: the questions of a path on paper, and their answers apart."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import streamlit as st

from dpcore.documents.handout import answer_key, handout
from dpcore.documents.page import Page
from dpcore.lessons.paths import Path


def show_handout(path: Path) -> None:
    """Offer both, made once they are asked for."""
    area = st.expander("Print this path for a class", key="lesson-handout", on_change="rerun")
    if not area.open:
        return
    with area:
        st.caption(
            "Situations and questions to answer on paper; the key has the right "
            "answers, the reasons, and notes for whoever teaches. Open the file and "
            "print it, or save it as a PDF."
        )
        with st.container(horizontal=True):
            for label, page, name in (
                ("Download the handout", handout, "handout"),
                ("Download the answer key", answer_key, "answers"),
            ):
                st.download_button(
                    label,
                    partial(_file, page, path),
                    file_name=f"lessons-{path.key}-{name}.html",
                    mime="text/html",
                    key=f"lesson-print-{name}",
                    on_click="ignore",
                )


def _file(page: Callable[[Path], Page], path: Path) -> bytes:
    return page(path).html().encode()
