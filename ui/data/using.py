"""Taking a table into use, and links that open a built-in example."""

from __future__ import annotations

import contextlib
from dataclasses import replace
from typing import TYPE_CHECKING

import streamlit as st

from dpcore.data.dataset import Dataset
from dpcore.data.examples import EXAMPLES
from dpcore.data.partitions.table import Reading
from dpcore.errors import DPCoreError, LedgerError, ParameterError
from dpcore.relations import NeighboringRelation
from dpcore.releases.record import Mode
from ui import session, work
from ui.data import declaring, same_people, terms, upload
from ui.data.upload import load_example
from ui.study import Study, Taken
from ui.text import literal
from ui.work import Told

if TYPE_CHECKING:
    from collections.abc import Iterator

    from dpcore.data.partitions.table import PartitionedDataset
    from dpcore.data.table import Table
    from ui.data.same_people import Whose
    from ui.study import Draft, Terms

_LINK = "example"
_SLOT, _READS = "fingerprint", "_fingerprint_reads"
Piece = Reading | Taken | DPCoreError
_ADD_REMOVE = NeighboringRelation.ADD_REMOVE
_NUMBER_IS_PRIVATE = (
    "how many rows meet the conditions is private: whoever is replaced may no longer "
    "meet them. Choose add/remove as neighboring relation, or take all rows again."
)

_OTHER_ROWS = (
    "how many rows of each person count has changed meanwhile. Look at the terms, and "
    "press again."
)


def offer(
    dataset: Table, current: Draft | Study, agreed: Terms, whose: Whose | None
) -> None:
    """Offer to put a table in use on these terms; say why it cannot be."""
    pressed = st.button("Use this data", type="primary")
    try:
        if isinstance(dataset, Dataset):
            taken = _taken(dataset, current.example) if pressed else None
        else:
            taken = _taken_of_files(dataset, current, whose, pressed=pressed)
        if taken is None:
            return
        study = accept(dataset, current.example, agreed, taken, whose)
    except DPCoreError as error:
        st.error(literal(str(error)))
        session.end_page()
    session.use(study)
    st.rerun()


def accept(
    dataset: Table,
    example: str | None,
    agreed: Terms,
    taken: Taken,
    whose: Whose | None = None,
) -> Study:
    """Return the study of a table on these terms, and agree them with the ledger.

    ``whose`` says which account the people of the table have. A table that already has
    releases keeps the budget that was fixed for it; the Ledger page changes it. A
    lesson takes the budget over.

    Raises:
        LedgerError: If the relation or the unit differ from those of earlier releases,
            it was not said whether people are the same, or the ledger cannot be used.
        ParameterError: If a lesson has spent more than its new budget, or the number
            of rows would be public where it depends on what rows say.

    """
    if dataset.cap != agreed.unit.cap:
        raise ParameterError(_OTHER_ROWS)
    if dataset.number_is_private and agreed.relation is not _ADD_REMOVE:
        raise ParameterError(_NUMBER_IS_PRIVATE)
    study = _study(dataset, example, agreed, taken)
    if session.mode_in_use(example) is Mode.CLASSROOM:
        _agree_lesson(study)
    if example is None:
        same_people.agree(study, whose)
        declaring.keep(study)
    return study


def _study(dataset: Table, example: str | None, agreed: Terms, taken: Taken) -> Study:
    return Study(
        dataset=dataset,
        fingerprint=taken.fingerprint,
        key=taken.key,
        terms=agreed,
        example=example,
    )


def _taken(dataset: Dataset, example: str | None) -> Taken:
    """Return the fingerprint of a table in memory."""
    with st.spinner("Taking the fingerprint of the table …"):
        key = _key(example)
        return Taken(fingerprint=dataset.fingerprint(key), key=key)


def _taken_of_files(
    table: PartitionedDataset,
    current: Draft | Study,
    whose: Whose | None,
    *,
    pressed: bool,
) -> Taken | None:
    """Return the fingerprint of files; ``None`` while they are read, and before.

    Every byte of them is read, once: a table that was in use is not read anew.
    """
    if not pressed:
        return _read_on(table, None)
    same_people.check_said(whose)
    known = _known(current)
    if known is not None and known.key == _key(None):
        table.check_unchanged()
        return known
    session.count_up(_READS)
    return _read_on(table, _key(None))


def _known(current: Draft | Study) -> Taken | None:
    if isinstance(current, Study):
        return Taken(fingerprint=current.fingerprint, key=current.key)
    return current.taken


def _read_on(table: PartitionedDataset, key: bytes | None) -> Taken | None:
    """Read the files of a table; a ``key`` begins it."""
    last = work.whole(
        _SLOT,
        f"{session.generation()} {session.count(_READS)}",
        None if key is None else lambda: _pieces(table, key),
        _told,
    )
    if isinstance(last, DPCoreError):
        raise last
    if isinstance(last, Taken):
        session.keep_taken(last)
        return last
    return None


def _pieces(table: PartitionedDataset, key: bytes) -> Iterator[Piece]:
    try:
        for reading in table.fingerprinting(key):
            yield (
                Taken(fingerprint=reading.fingerprint, key=key)
                if reading.fingerprint
                else reading
            )
    except DPCoreError as error:
        yield error


def _told(latest: Piece) -> Told:
    """Return how far reading is, in words."""
    if not isinstance(latest, Reading):
        return Told(None, "All files are read.")
    read, total = (f"{count / 2**20:,.0f}" for count in latest[:2])
    words = (
        "Taking the fingerprint of the table, by which its account is found again: "
        f"{read} of {total} MB are read. Whoever leaves the page stops it."
    )
    return Told(latest.read / max(latest.total, 1), words)


def _key(example: str | None) -> bytes:
    try:
        return session.fingerprint_key()
    except LedgerError:
        if example is None:
            raise
        # A lesson needs no ledger, and Release mode will say what is wrong with it.
        return session.spare_key()


def start(current: Draft | Study) -> Terms:
    """Return the terms that the controls of a table begin with."""
    if isinstance(current, Study):
        return current.terms
    published = None if current.example is None else current.dataset.people
    return current.start or terms.usual(published, upload.noun(current.example))


def use_example(key: str) -> None:
    """Put a built-in example in use with the usual terms.

    A lesson about it that was begun before goes on, with the budget that it has.
    """
    dataset = load_example(key).in_memory
    agreed = terms.usual(dataset.people, upload.noun(key))
    session.start_anew()
    session.use(_study(dataset, key, agreed, _taken(dataset, key)))


def tell_not_in_force(typed: Terms) -> None:
    """Mark the terms on screen that are not those of the table in use.

    The budget in force is that of the table's account, which keeps what was fixed
    first.
    """
    study = session.require_study()
    in_force = study.terms
    with contextlib.suppress(LedgerError):
        in_force = replace(in_force, budget=session.account(study).budget)
    lines = [
        f"- {what}: {now}; in force: **{then}**"
        for what, now, then in terms.differences(typed, in_force)
    ]
    if not lines:
        return
    kept = typed.budget != in_force.budget and session.mode() is Mode.RELEASE
    if kept:
        lines[-1] += ". The ledger keeps it; the Ledger page changes it, on record"
    if len(lines) > kept:
        lines += ["", "The terms apply once you press “Use this data”."]
        lines += _tell_lesson(study, typed)
    st.warning("\n".join(["**On screen, and not in force:**", "", *lines]))


def _tell_lesson(study: Study, typed: Terms) -> list[str]:
    """Say where the lesson so far stays, if the new terms begin another."""
    same = (typed.relation, typed.unit.rows) == (
        study.terms.relation,
        study.terms.unit.rows,
    )
    if same or session.mode() is not Mode.CLASSROOM:
        return []
    releases = session.account(study).releases
    if not releases:
        return []
    line = (
        "The lesson so far stays with the terms in force, and comes back with them: "
        f"{releases} release{'s' if releases > 1 else ''}."
    )
    return [line]


def tell_mode(current: Draft | Study) -> None:
    """Say before a table is put in use where that changes the mode."""
    after = session.mode_in_use(current.example)
    if after is not session.mode():
        st.caption(
            f"It begins in {after.capitalize()} mode. A mode that you choose at the "
            "side stays."
        )


def mode_text() -> str:
    """Return what a release does in the mode that is in force."""
    if session.mode() is Mode.RELEASE:
        return "Release mode: answers are real, and spend the budget of this table."
    return "Classroom mode: answers are for teaching, and spend nothing real."


def in_force() -> str:
    """Return which budget is in force, in Release mode: that of the account.

    It need not be the one on screen: what was fixed first stays until the Ledger page
    changes it.
    """
    study = session.study()
    if study is None or session.mode() is not Mode.RELEASE:
        return ""
    with contextlib.suppress(LedgerError):
        return f" Its budget in force: {session.account(study).budget.describe()}."
    return ""


def forget() -> None:
    """Drop the table, and the link that would open it again."""
    session.forget()
    st.query_params.pop(_LINK, None)


def follow_link() -> None:
    """Open the example that the address names, and name the one in use there.

    Only names of built-in examples are ever written to the address.
    """
    study = session.study()
    wanted = st.query_params.get(_LINK)
    if study is None and session.draft() is None and wanted in _keys():
        with st.spinner("Loading the survey …"):
            use_example(str(wanted))
        st.rerun()
    named = study.example if study is not None else None
    if named is not None and wanted != named:
        st.query_params[_LINK] = named
    elif named is None and wanted is not None:
        del st.query_params[_LINK]


def _keys() -> set[str]:
    return {example.key for example in EXAMPLES}


def _agree_lesson(study: Study) -> None:
    """Bring the lesson about the table, if one was begun, to its new budget."""
    book, budget = session.lesson(study), study.terms.budget
    account = book.account(study.fingerprint)
    if account is not None and account.budget != budget:
        book.change_budget(study.fingerprint, budget, "typed on Data")
