"""What was declared about an upload: kept beside the ledger, and found again.

Only what was typed or confirmed is kept, and only of uploads in Release mode.
"""

from __future__ import annotations

import contextlib
from datetime import UTC, datetime

from dpcore.data.dataset import Dataset
from dpcore.data.dialects import FileFormat
from dpcore.data.partitions.table import PartitionedDataset, Table
from dpcore.data.preparation.steps import PreparationSteps, as_read, steps_of
from dpcore.data.readers.files import Opened
from dpcore.errors import LedgerError, ParameterError
from dpcore.releases.declarations import Declaration, Declarations
from dpcore.releases.record import Mode
from dpcore.releases.storage import default_folder
from ui import session
from ui.data import fingerprinting
from ui.study import Draft, Earlier, Study

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


def keep(study: Study) -> None:
    """Keep what was declared about an upload, for when it comes again.

    Where that fails nothing is lost but the convenience.
    """
    if study.example is not None:
        return
    agreed, steps = study.terms, steps_of(study.dataset)
    declaration = Declaration(
        columns=study.dataset.columns,
        relation=agreed.relation,
        rows=agreed.unit.rows,
        minimum_people=agreed.minimum_people,
        everybody=agreed.everybody,
        day=datetime.now(UTC).date(),
        steps=steps,
        file=as_read(study.in_memory).columns if steps != PreparationSteps() else (),
        noun=agreed.unit.noun,
        plural=agreed.unit.plural,
        file_format=study.file_format,
    )
    with contextlib.suppress(LedgerError):
        _kept().keep(study.fingerprint, declaration, study.dataset.header)


def look_up_steps(dataset: Dataset) -> Declaration | None:
    """Return what was declared last of a file with these columns, after its steps."""
    return _kept().of_file(dataset.header)


def _kept() -> Declarations:
    return Declarations(default_folder() / _FOLDER)
