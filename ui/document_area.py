"""The area of documents: what they are about, what only the curator knows, and the files."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from functools import partial
from typing import Final

import streamlit as st

from dpcore.documents import gathering
from dpcore.documents.catalog import offered
from dpcore.documents.context import CuratorInput, DocumentContext
from dpcore.documents.rendering import Numerals
from dpcore.errors import DPCoreError
from dpcore.planning.analysis_plan import AnalysisPlan
from dpcore.releases.record import Release
from ui import controls, downloads, plans, results, session, typed
from ui.controls import Cell
from ui.interpretation import facts_of
from ui.study import Study
from ui.text import literal, sentence_of


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
        style = ask_numerals(right, key=f"numerals-{key}")
    if chosen.asks:
        subject = subject.knowing(for_documents(study))
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


_CAPTIONS: Final = {
    Numerals.POINT: "as in English",
    Numerals.COMMA: "as in German; the text is English",
}


def ask_numerals(cell: Cell, *, key: str) -> Numerals:
    """Ask how numbers are written; the words of documents are English either way."""
    return Numerals(
        cell.radio(
            "Numbers in it",
            [style.value for style in Numerals],
            key=key,
            captions=[_CAPTIONS[style] for style in Numerals],
            note="How a reader is used to see them. The text of documents is English; "
            "what you type stays as it is, in any language.",
        )
    )


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


def signed(study: Study) -> None:
    """Ask whether the sheet is signed. Nobody is kept from releasing by it."""
    left, right = controls.row(2)
    state = left.radio(
        "Signature",
        list(typed.STATES),
        key=typed.key("state", study),
        kept="session",
        note="As you say: nobody checks it. The report and the registry entry quote it.",
    )
    if typed.STATES[state] == typed.SIGNED:
        with right.place:
            _line(study, "When, and by whom?", "signed", "Optional: a day, and names.")


def for_documents(study: Study) -> CuratorInput:
    """Ask for what stands in the documents; what was typed for the page is there."""
    st.markdown(
        "**What only people know.** It is typed once, and stands in every document and "
        "on the sign-off sheet. It is kept with this table. What is left "
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


def released(study: Study, releases: Sequence[Release]) -> DocumentContext:
    """Return what was released on the account of a table, about all its tables."""
    account = session.account(study)
    tables: dict[str, str] = {}
    if len(account.tables) > 1:
        book = session.ledger()
        tables = {
            one.id: name
            for fingerprint, name in account.names.items()
            for one in book.releases(fingerprint)
        }
    subject = gathering.released(
        releases, _behind(study), tables=tables, called=_called(study, releases)
    )
    if not tables:
        return subject
    return replace(
        subject,
        name=account.names.get(study.fingerprint, study.dataset.name),
        before=typed.of_other_tables(study),
    )


def _called(study: Study, releases: Sequence[Release]) -> dict[str, str]:
    """Return the names that people gave to questions themselves, by their marks."""
    titles = {release.title for release in releases}
    known = plans.names(study)
    return {mark: name for mark, name in known.items() if name not in titles}


def planned(study: Study, basket: AnalysisPlan, known: Sequence[Release | None]) -> DocumentContext:
    """Return what is planned for a table, and has no ``known`` answer yet.

    Raises:
        ParameterError: A question cannot be carried out.

    """
    pairs = zip(basket.items, known, strict=True)
    items = tuple(item for item, answer in pairs if answer is None)
    return gathering.planned(replace(basket, items=items), _behind(study))


def _behind(study: Study) -> gathering.Background:
    account = session.account(study)
    return gathering.Background(
        facts=facts_of(study),
        dataset=study.dataset,
        everybody=not study.sampled,
        entries=session.ledger().history(account.name),
        periods=account.periods,
        today=datetime.now(UTC).date().isoformat(),
    )
