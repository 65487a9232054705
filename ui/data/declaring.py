"""What was declared about an upload: kept beside the ledger, and found again.

Only what was typed or confirmed is kept, and only of uploads in Live mode.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime
from typing import NoReturn, cast

import streamlit as st

from dpcore.analyses.base import Mode
from dpcore.data.columns import Column
from dpcore.data.dataset import Dataset
from dpcore.data.dialects import FileFormat
from dpcore.data.partitions.table import PartitionedDataset, Table, TableT
from dpcore.data.preparation.conditions import Condition, FilteredDataset
from dpcore.data.preparation.contribution_bounds import CappedDataset
from dpcore.data.preparation.steps import (
    PreparationSteps,
    as_read,
    prepared,
    prepared_anew,
    steps_of,
)
from dpcore.data.readers.files import Opened
from dpcore.errors import DPCoreError, LedgerError, ParameterError
from dpcore.ledger.store import default_folder
from dpcore.relations import NeighboringRelation
from dpcore.releases.declarations import Declaration, Declarations
from ui import session
from ui.data import fingerprinting, terms
from ui.study import AccountTerms, Draft, Earlier, Study
from ui.text import literal, sentence_of

_FOLDER = "declared"


def file_formats() -> tuple[FileFormat, ...]:
    """Return the formats of files that were declared before, the latest first."""
    return _kept().file_formats()


def drafted(name: str, opened: Opened, *, reused: bool = False) -> Draft:
    """Return a table that was read, with what was declared before of one like it.

    ``reused`` says whether its file was read in a format that was declared before.

    Raises:
        DPCoreError: It is no table that can be used.

    """
    dataset = Dataset(name=name, frame=opened.frame, columns=opened.columns)
    return Draft(
        dataset=dataset,
        example=None,
        earlier=look_up(dataset),
        before=look_up_steps(dataset),
        missing=opened.missing,
        notes=opened.notes,
        file_format=opened.file_format,
        reused=reused,
    )


def opened(table: PartitionedDataset) -> Draft:
    """Return a table that stays in its files, with what was declared of one like it."""
    return Draft(dataset=table, example=None, earlier=_fitting(look_up(table), table))


def _fitting(earlier: Earlier | None, table: PartitionedDataset) -> Earlier | None:
    """Leave out what cannot be declared of it: that text is a number."""
    try:
        if earlier is not None:
            table.with_columns(*earlier.declaration.columns)
    except ParameterError:
        return None
    return earlier


def look_up(dataset: Table) -> Earlier | None:
    """Return what was declared before, if anything was.

    Files that stay where they are have not been read so far, so that only their columns
    tell which table it is.
    """
    names = [column.name for column in dataset.columns]
    kept = _kept()
    if not kept.knows(names):
        return None
    if isinstance(dataset, Dataset):
        with contextlib.suppress(LedgerError):
            account = fingerprinting.recognized(dataset, session.fingerprint_key())
            about_it = kept.of_table(account, names)
            if about_it is not None:
                return Earlier(declaration=about_it, same_table=True)
    alike = kept.of_columns(names)
    return None if alike is None else Earlier(declaration=alike, same_table=False)


def with_columns(dataset: Table) -> tuple[str, ...]:
    """Return the fingerprints of tables that were declared with the same columns."""
    return _kept().tables([column.name for column in dataset.columns])


def redeclare(dataset: Table) -> None:
    """Take over, and keep, what was newly declared about the table in use."""
    session.redeclare(dataset)
    study = session.study()
    if study is not None and session.mode() is Mode.RELEASE:
        keep(study)


def form_key(position: int) -> str:
    """Return what the keys of the controls of a column end with.

    It is another one after each change elsewhere, which the controls then show.
    """
    key = f"{session.generation()}-{position}"
    changes = session.count(f"_changed-{key}")
    return f"{key}-{changes}" if changes else key


def show_change(position: int) -> None:
    """Let the controls of a column show what was declared elsewhere."""
    session.count_up(f"_changed-{session.generation()}-{position}")


def redeclared(dataset: TableT, *columns: Column) -> TableT:
    """Return the table with other declarations of some of its columns.

    Raises:
        DPCoreError: A column that is made of them cannot be made any more.

    """
    changed = cast("TableT", dataset.with_columns(*columns))
    alike = all(dataset.column(one.name).reads_like(one) for one in columns)
    if isinstance(changed, Dataset) and not alike:
        # Derived columns and conditions are made of cells as they were read.
        changed = cast("TableT", prepared_anew(changed, key=session.fingerprint_key()))
    return changed


def keep(study: Study) -> None:
    """Keep what was declared about an upload, for when it comes again.

    Where that fails nothing is lost but the convenience.
    """
    if study.example is not None:
        return
    declaration = declaration_of(study, study.dataset, study.terms)
    with contextlib.suppress(LedgerError):
        _kept().keep(study.fingerprint, declaration, study.dataset.header)


def declaration_of(current: Draft | Study, dataset: Table, agreed: AccountTerms) -> Declaration:
    """Return what is declared of a table, as it is kept or downloaded."""
    steps = steps_of(dataset)
    return Declaration(
        columns=dataset.columns,
        relation=agreed.relation,
        rows=agreed.unit.rows,
        minimum_people=agreed.minimum_people,
        everybody=agreed.everybody,
        day=datetime.now(UTC).date(),
        steps=steps,
        file=as_read(current.in_memory).columns if steps != PreparationSteps() else (),
        noun=agreed.unit.noun,
        plural=agreed.unit.plural,
        file_format=current.file_format,
    )


def tell_steps(dataset: Table) -> None:
    """Say how the table was made of its file."""
    steps = steps_of(dataset).describe()
    if steps:
        st.caption(f"Prepared: {'; '.join(map(literal, steps))}.")


def look_up_steps(dataset: Dataset) -> Declaration | None:
    """Return what was declared last of a file with these columns, after its steps."""
    return _kept().of_file(dataset.header)


def conditions_on(source: Dataset, dataset: Dataset) -> tuple[Condition, ...]:
    """Return the conditions that rows of ``source`` meet to be in a table of them."""
    if isinstance(dataset, CappedDataset):
        return dataset.conditions
    if isinstance(dataset, FilteredDataset) and dataset.source.frame is source.frame:
        return dataset.conditions
    return ()


def can_be_prepared(current: Draft | Study) -> bool:
    """Tell whether another table can be made of the rows: of an upload that is in memory."""
    if isinstance(current.dataset, PartitionedDataset):
        st.caption(
            "This table stays in its files. Derived columns, filters and several rows per person "
            "need all rows in memory."
        )
        return False
    return current.example is None


def make(
    doing: str,
    of_rows: Callable[[], Dataset],
    *,
    same_rows: bool = False,
    relation: NeighboringRelation | None = None,
) -> None:
    """Make another table, and take it as ``keep_prepared`` does; say why it cannot be made."""
    try:
        with st.spinner(doing):
            made = of_rows()
    except DPCoreError as error:
        st.error(sentence_of(error))
    else:
        keep_prepared(made, same_rows=same_rows, relation=relation)


def keep_prepared(
    dataset: Dataset, *, same_rows: bool = False, relation: NeighboringRelation | None = None
) -> NoReturn:
    """Take a table that was made as the one that is not in use yet.

    The relation and what the table holds stay as they are on screen, unless another
    ``relation`` is named. The name of a row and the public minimum stay where
    ``same_rows`` says that a row describes the same as before.
    """
    current = session.draft() or session.study()
    session.keep_draft(
        Draft(
            dataset=dataset,
            example=None,
            earlier=look_up(dataset),
            start=terms.on_screen(same_rows=same_rows, relation=relation),
            file_format=None if current is None else current.file_format,
        )
    )
    st.rerun()


def _kept() -> Declarations:
    return Declarations(default_folder() / _FOLDER)


def offer_steps(declared: Declaration) -> None:
    """Offer to take the steps that were taken before, with all that was declared."""
    day = f"{declared.day:%d %B %Y}".lstrip("0")
    steps = "\n".join(f"- {literal(one)}" for one in declared.steps.describe())
    with st.container(border=True):
        st.markdown(
            f"**A table with the same columns was prepared before**, on {day}:\n\n"
            f"{steps}\n\nThis includes bounds, lists and the privacy unit. Reuse only what you "
            "know without looking into this table."
        )
        st.button("Prepare it the same way", on_click=_prepare)


def _prepare() -> None:
    """Take the steps, and what was declared after them."""
    draft = session.draft()
    if draft is None or draft.before is None:
        return
    declared = draft.before
    try:
        key = session.fingerprint_key()
        source = as_read(draft.in_memory)
        # Only how this file writes its numbers is its own.
        columns = (
            replace(column, notation=source.column(column.name).notation)
            for column in declared.file
        )
        made = prepared(source.with_columns(*columns), declared.steps, key=key)
        made = made.with_columns(*declared.columns)
    except DPCoreError as error:
        session.fail(str(error))
        return
    start = terms.of(declared)
    session.keep_draft(
        Draft(dataset=made, example=None, declared=True, start=start, file_format=draft.file_format)
    )
