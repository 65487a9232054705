"""Documents: what they are about, what only the curator knows, and the files."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from functools import partial
from typing import Any, Final

import streamlit as st

from dpcore.documents import gathering
from dpcore.documents.catalog import offered
from dpcore.documents.context import CuratorInput, DocumentContext
from dpcore.documents.rendering import Numerals
from dpcore.errors import DPCoreError
from dpcore.planning.analysis_plan import AnalysisPlan
from dpcore.releases.record import Release
from ui import accounts, controls, downloads, plans, releasing, results, session, typed
from ui.budget.meaning import facts_of
from ui.controls import Cell
from ui.study import Study
from ui.text import literal, sentence_of

_RELEASES: Final = "Releases"
_PLAN: Final = "Plan"
_PREVIEW: Final = 700
"""Height of the preview, in pixels."""
_HTML: Final = "text/html"


def show(study: Study) -> None:
    """Offer the documents of an account and of its plan, and show the chosen one."""
    basket, everything = plans.plan(study), accounts.all_releases(session.account(study))
    known = releasing.answers([item.request for item in basket.items], study)
    subjects: dict[str, Callable[[], DocumentContext]] = {}
    if everything:
        subjects[_RELEASES] = partial(_released, study, everything)
    if not all(known):
        subjects[_PLAN] = partial(_planned, study, basket, known)
    if not subjects:
        st.info("Nothing is released or planned yet.")
        st.page_link("pages/release.py", label="Release a statistic")
        session.end_page()
    about = next(iter(subjects))
    if len(subjects) > 1:
        about = controls.HERE.radio("About", [*subjects], key="documents-about")
    try:
        subject = subjects[about]()
    except DPCoreError as error:
        st.info(sentence_of(error))
        return
    _offer(subject, study, "plan" if about == _PLAN else "ledger")


def _offer(subject: DocumentContext, study: Study, key: str) -> None:
    """Offer the documents about a subject, with their settings in one row."""
    first, second, third = st.columns([3, 1, 1], vertical_alignment="bottom")
    known = offered(subject)
    chosen = known[Cell(place=first).selectbox("Document", list(known), key=f"document-{key}")]
    style = Numerals.POINT
    if chosen.read:
        numbers = second.popover("Numbers", width="stretch")
        style = ask_numerals(Cell(place=numbers), key=f"numerals-{key}")
    if chosen.asks:
        with third.popover("Entries", width="stretch"):
            subject = subject.with_input(for_documents(study))
    subject = subject.written(style)
    file = downloads.File(
        name=chosen.named(subject), mime=chosen.mime, content=partial(chosen.text, subject)
    )
    with st.container(horizontal=True, vertical_alignment="center"):
        label = f"Download: {chosen.name}"
        downloads.button(label, file, key=f"document-file-{key}", kind="primary")
        said = " It says that it is only planned." if subject.planned and chosen.dated else ""
        st.caption(f"{chosen.sentence}{said}", width="stretch")
    text = chosen.text(subject)
    if chosen.mime == _HTML:
        # Its own policy allows no script, and nothing from elsewhere.
        st.iframe(text, height=_PREVIEW, alt=f"Preview: {chosen.name}")
    else:
        st.code(text, language=None, height=_PREVIEW)


_CAPTIONS: Final = {Numerals.POINT: "as in English", Numerals.COMMA: "as in German"}


def ask_numerals(cell: Cell, *, key: str) -> Numerals:
    """Ask how numbers are written; the words of documents are English either way."""
    return Numerals(
        cell.radio(
            "Numbers in it",
            [style.value for style in Numerals],
            key=key,
            captions=[_CAPTIONS[style] for style in Numerals],
            note="The text of documents is English. Your own entries stay as you typed them.",
        )
    )


_LONGEST: Final = 600
_ENTRIES: Final = {
    "purpose": ("Purpose", "What are the numbers for?", True),
    "reason": ("Why this plan, and not the other one?", "In a sentence or two.", True),
    "names": ("Who decides (one name a line)", "", True),
    "period": ("People and period", "Privacy unit, period, and renewal.", False),
    "place": ("Place", "Where it is signed.", False),
    "publisher": ("Who publishes", "Who holds the table, and answers for it.", False),
    "contact": ("Contact", "Contact for questions.", False),
    "signed": ("Date and person", "Optional: a day, and names.", False),
}
"""What is asked for: its label, a hint, and whether it has several lines."""


def for_signing(study: Study) -> CuratorInput:
    """Ask for what stands on the page to sign."""
    _offer_before(study)
    left, right = st.columns(2)
    with left:
        _ask(study, "purpose", "reason")
    with right:
        _ask(study, "period", "place", "names")
    return typed.of(study)


def signed(study: Study) -> None:
    """Ask whether the sheet is signed. Nobody is kept from releasing by it."""
    left, right = controls.row(2)
    state = left.radio(
        "Signature",
        list(typed.STATES),
        key=typed.key("state", study),
        kept="session",
        note="Your statement, which is not checked. The report and the registry entry quote it.",
    )
    if typed.STATES[state] == typed.SIGNED:
        with right.place:
            _ask(study, "signed")


def for_documents(study: Study) -> CuratorInput:
    """Ask for what stands in the documents; what was typed for the page is there."""
    st.caption(
        "Entered once, used in every document and on the sign-off sheet. Empty entries "
        "become lines to write on."
    )
    _offer_before(study)
    left, right = st.columns(2)
    with left:
        _ask(study, "purpose", "reason", "names")
    with right:
        _ask(study, "period", "publisher", "contact")
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
        # Streamlit keeps what callbacks are given, also of a closed tab: never a table.
        on_click=_fill,
        args=(known,),
        help="Purpose, place, publisher, contact and the names of who decides. Period, reason "
        "and signature belong to one table and stay empty.",
    )


def _fill(known: CuratorInput) -> None:
    typed.take_over(session.require_study(), known)


def _ask(study: Study, *names: str) -> None:
    """Ask for some entries, one below the other."""
    for name in names:
        label, hint, lines = _ENTRIES[name]
        more: dict[str, Any] = {"height": 90} if lines else {}
        show: Callable[..., object] = st.text_area if lines else st.text_input
        show(
            label,
            key=typed.key(name, study),
            placeholder=hint,
            max_chars=_LONGEST,
            persist_state="session",
            **more,
        )


def _released(study: Study, releases: Sequence[Release]) -> DocumentContext:
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
    own = account.names.get(study.fingerprint, study.dataset.name)
    if {*tables.values()} <= {own}:
        # Another table of the account, of which nothing was released, needs no mention.
        tables = {}
    subject = gathering.released(
        releases,
        _behind(study),
        tables=tables,
        called=_called(study, releases),
        conclusions=results.conclusions(),
    )
    if not tables:
        return subject
    return replace(subject, name=own, before=typed.of_other_tables(study))


def _called(study: Study, releases: Sequence[Release]) -> dict[str, str]:
    """Return the names that people gave to questions themselves, by their marks."""
    titles = {release.title for release in releases}
    known = plans.names(study)
    return {mark: name for mark, name in known.items() if name not in titles}


def _planned(
    study: Study, basket: AnalysisPlan, known: Sequence[Release | None]
) -> DocumentContext:
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
        everybody=study.terms.everybody,
        entries=session.ledger().history(account.name),
        periods=account.periods,
        today=datetime.now(UTC).date().isoformat(),
    )
