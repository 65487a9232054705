"""The folded area that offers documents about an account or a plan."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import streamlit as st

from dpcore.documents.catalog import offered
from dpcore.documents.context import DocumentContext
from dpcore.documents.page import Numerals
from dpcore.errors import DPCoreError
from ui import controls, downloads, results
from ui.documents import asking, numerals
from ui.study import Study
from ui.text import sentence_of


def show(gather: Callable[[], DocumentContext], study: Study, *, key: str) -> None:
    """Offer documents about what ``gather`` returns, once the area is opened."""
    place = st.expander("Documents", key=f"documents-{key}", on_change="rerun")
    if not place.open:
        return
    with place:
        try:
            subject = gather()
        except DPCoreError as error:
            st.info(sentence_of(error))
            return
        _offer(subject, study, key)


def _offer(subject: DocumentContext, study: Study, key: str) -> None:
    if subject.facts.lesson or not subject.planned:
        results.public_badge()
    left, right = controls.row(2)
    known = offered(subject)
    chosen = known[
        left.selectbox(
            "Document",
            list(known),
            key=f"document-{key}",
            note="To hang up, to file, to hand on or to check. Nothing in it is "
            "computed from the table but what was released.",
        )
    ]
    style = Numerals.POINT
    if chosen.read:
        style = numerals.ask(right, key=f"numerals-{key}")
    if chosen.asks:
        subject = subject.knowing(asking.for_documents(study))
    said = subject.planned and chosen.dated
    told = " It says that it is only planned." if said else ""
    st.caption(f"{chosen.sentence}{told}")
    downloads.button(
        f"Download: {chosen.name}",
        downloads.File(
            name=chosen.named(subject),
            mime=chosen.mime,
            content=partial(chosen.text, subject.written(style)),
        ),
        key=f"document-file-{key}",
    )
