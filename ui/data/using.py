"""Taking a table into use, and links that open a built-in example."""

from __future__ import annotations

import contextlib
from collections.abc import Collection
from dataclasses import replace
from typing import TYPE_CHECKING

import streamlit as st

from dpcore.analyses.base import Mode
from dpcore.data.dialects import FileFormat
from dpcore.data.examples import EXAMPLES
from dpcore.data.partitions.table import Table
from dpcore.errors import DPCoreError, LedgerError, ParameterError
from dpcore.relations import NeighboringRelation
from dpcore.releases.declared import read_by_column, types_of
from dpcore.releases.record import Release
from ui import roles, session
from ui.data import declaring, fingerprinting, same_people, terms, upload
from ui.data.same_people import Whose
from ui.data.upload import load_example
from ui.run_queue import RUNS
from ui.study import AccountTerms, Draft, Study, Taken
from ui.text import literal, sentence_of

if TYPE_CHECKING:
    from streamlit.delta_generator import DeltaGenerator

_LINK = "example"
_STAYS = "_stays_on_data"
_ADD_REMOVE = NeighboringRelation.ADD_REMOVE
_NUMBER_IS_PRIVATE = (
    "the number of rows that meet the conditions is private. Choose add/remove as "
    "neighboring relation, or use all rows again."
)

_OTHER_ROWS = (
    "the contribution bound has changed in the meantime. Check the terms, and press again."
)


def offer(
    dataset: Table,
    current: Draft | Study,
    agreed: AccountTerms,
    whose: Whose | None,
    *,
    wrong: Collection[str] = (),
    account: DeltaGenerator | None = None,
) -> None:
    """Offer to put a table in use on these terms, and open Release; say why it cannot be.

    ``wrong`` names the columns whose declaration cannot be used. ``account`` is the part of
    the page whose press asked for the account alone: the page stays open then.
    """
    drafted = isinstance(current, Draft)
    with st.container(horizontal=True, vertical_alignment="center"):
        pressed = st.button("Continue to Release" if drafted else "Save", type="primary")
        if pressed or account is not None:
            session.set_public(_STAYS, not pressed)
        pressed = pressed or account is not None
        if not drafted:
            st.page_link("pages/release.py", label="Continue to Release")
    try:
        if pressed and wrong:
            names = ", ".join(wrong)
            raise ParameterError(f"correct the declaration of {names}, or clear its cells.")
        if pressed:
            same_people.check_said(whose)
        taken = fingerprinting.taken(dataset, current, pressed=pressed)
        if taken is None:
            return
        study = accept(
            dataset, current.example, agreed, taken, whose, file_format=current.file_format
        )
    except DPCoreError as error:
        (account or st).error(sentence_of(error))
        session.end_page()
    session.use(study)
    if drafted and not session.take(_STAYS):
        session.go("pages/release.py")
    st.rerun()


def accept(
    dataset: Table,
    example: str | None,
    agreed: AccountTerms,
    taken: Taken,
    whose: Whose | None = None,
    *,
    file_format: FileFormat | None = None,
) -> Study:
    """Return the study of a table on these terms, and agree them with the ledger.

    ``whose`` says which account the people of the table have, and ``file_format`` how
    its file was read. A table that already has
    releases keeps the budget that was fixed for it; the Manage page changes it. A
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
    study = replace(_study(dataset, example, agreed, taken), file_format=file_format)
    if session.mode_in_use(example) is Mode.CLASSROOM:
        _agree_lesson(study)
    if example is None and roles.may(roles.Action.RELEASE):
        RUNS.step_aside()
        same_people.agree(study, whose)
        declaring.keep(study)
    return study


def _study(dataset: Table, example: str | None, agreed: AccountTerms, taken: Taken) -> Study:
    return Study(
        dataset=dataset, fingerprint=taken.fingerprint, key=taken.key, terms=agreed, example=example
    )


def start(current: Draft | Study) -> AccountTerms:
    """Return the terms that the controls of a table begin with."""
    if isinstance(current, Study):
        return current.terms
    published = None if current.example is None else current.dataset.people
    return current.start or terms.usual(published, upload.unit(current.example))


def use_example(key: str) -> None:
    """Put a built-in example in use with the usual terms.

    A lesson about it that was begun before goes on, with the budget that it has.
    """
    dataset = load_example(key).in_memory
    agreed = terms.usual(dataset.people, upload.unit(key))
    session.start_anew()
    session.use(_study(dataset, key, agreed, fingerprinting.of_memory(dataset, key)))


def tell_not_in_force(typed: AccountTerms) -> None:
    """Mark the terms on screen that are not those of the table in use.

    The budget in force is that of the table's account, which keeps what was fixed
    first.
    """
    study = session.require_study()
    in_force = study.terms
    with contextlib.suppress(LedgerError):
        in_force = replace(in_force, budget=session.account(study).budget)
    lines = [
        f"- {what}: {now} (in force: **{then}**)"
        for what, now, then in terms.differences(typed, in_force)
    ]
    if not lines:
        return
    kept = typed.budget != in_force.budget and session.mode() is Mode.RELEASE
    if kept:
        lines[-1] += ". The ledger keeps it; “Manage the budget” changes it, on record"
    if len(lines) > kept:
        lines += ["", "The terms apply once you press “Save”."]
        lines += _tell_lesson(study, typed)
    st.warning("\n".join(["**Shown above, but not applied:**", "", *lines]))


def _tell_lesson(study: Study, typed: AccountTerms) -> list[str]:
    """Say where the lesson so far stays, if the new terms begin another."""
    same = (typed.relation, typed.unit.rows) == (study.terms.relation, study.terms.unit.rows)
    if same or session.mode() is not Mode.CLASSROOM:
        return []
    releases = session.account(study).releases
    if not releases:
        return []
    line = (
        "Earlier lesson results belong to the current terms: "
        f"{releases} release{'s' if releases > 1 else ''}."
    )
    return [line]


def tell_mode(current: Draft | Study) -> None:
    """Say before a table is put in use where that changes the mode."""
    after = session.mode_in_use(current.example)
    if after is not session.mode():
        st.caption(f"It begins in {session.MODES[after]} mode. A mode chosen in the sidebar stays.")


def mode_text() -> str:
    """Return what a release does in the mode that is in force."""
    if session.mode() is Mode.RELEASE:
        return "Live mode: results are real and spend the budget of this table."
    return "Classroom mode: results are for teaching and spend nothing."


def in_force() -> str:
    """Return which budget is in force, in Live mode: that of the account.

    It need not be the one on screen: what was fixed first stays until the Manage page
    changes it.
    """
    study = session.study()
    if study is None or session.mode() is not Mode.RELEASE:
        return ""
    with contextlib.suppress(LedgerError):
        return f" Its budget: {session.account(study).budget.describe()}."
    return ""


def tell_new_questions() -> None:
    """Say which earlier results are of questions that mean something else now."""
    study = session.study()
    if study is None or session.mode() is not Mode.RELEASE:
        return
    kept: tuple[Release, ...] = ()
    with contextlib.suppress(LedgerError):
        kept = session.ledger().releases(study.fingerprint)
    changed = sum(read_by_column(each.request) for each in kept)
    if changed:
        results = "result uses" if changed == 1 else "results use"
        st.info(
            f"{changed} earlier {results} labels that are numbers or missing "
            "codes. They stay valid. Labels are now compared cell by cell, so "
            "asking again is a new question with its own privacy cost."
        )
    types = {column.name: column.kind for column in study.dataset.columns}
    before = {
        (name, earlier)
        for each in kept
        for name, earlier in types_of(each.request).items()
        if name in types and earlier != types[name]
    }
    for name, earlier in sorted(before):
        st.info(
            f"Earlier results use {literal(name)} as {earlier}. It is declared as "
            f"{types[name]} now, so asking again is a new question with its own "
            f"privacy cost. Declare it as {earlier} to see earlier results for free."
        )


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
    if (
        study is None
        and session.draft() is None
        and wanted in {example.key for example in EXAMPLES}
    ):
        with st.spinner("Loading the survey …"):
            use_example(str(wanted))
        st.rerun()
    named = study.example if study is not None else None
    if named is not None and wanted != named:
        st.query_params[_LINK] = named
    elif named is None and wanted is not None:
        del st.query_params[_LINK]


def _agree_lesson(study: Study) -> None:
    """Bring the lesson about the table, if one was begun, to its new budget."""
    book, budget = session.lesson(study), study.terms.budget
    account = book.account(study.fingerprint)
    if account is not None and account.budget != budget:
        book.change_budget(study.fingerprint, budget, "typed on Data")
