"""The fingerprint of a table that is put in use, by which its account is found again.

That of files which stay where they are reads every byte of them, with progress.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from typing import Final

import streamlit as st

from dpcore.data.dataset import Dataset
from dpcore.data.legacy_fingerprints import earlier_fingerprint
from dpcore.data.partitions.table import BytesRead, PartitionedDataset, Table
from dpcore.errors import DPCoreError, LedgerError
from dpcore.ledger import people
from ui import session, work
from ui.study import Draft, Study, Taken
from ui.work import Told

_SLOT: Final = "fingerprint"
_EARLIER: Final = "earlier-fingerprint"
_READS: Final = "_fingerprint_reads"
Piece = BytesRead | Taken | DPCoreError


def taken(dataset: Table, current: Draft | Study, *, pressed: bool) -> Taken | None:
    """Return the fingerprint of a table that is to be used; ``None`` before it is.

    ``pressed`` tells whether that was asked for in this run.
    """
    if not isinstance(dataset, Dataset):
        if not pressed:
            return _read_on(dataset, None)
        known = (
            Taken(fingerprint=current.fingerprint, key=current.key)
            if isinstance(current, Study)
            else current.taken
        )
        if known is not None and known.key == _key(None):
            dataset.check_unchanged()
            return known
        session.count_up(_READS)
        return _read_on(dataset, _key(None))
    if not pressed:
        return None
    with st.spinner("Computing the fingerprint of the table …"):
        return of_memory(dataset, current.example)


def of_memory(dataset: Dataset, example: str | None) -> Taken:
    """Return the fingerprint of a table in memory."""
    key = _key(example)
    here = dataset.fingerprint(key) if example else recognized(dataset, key)
    return Taken(fingerprint=here, key=key)


def recognized(dataset: Dataset, key: bytes) -> str:
    """Return the fingerprint by which the ledger knows a table, or would know it.

    An account of before cells were kept as they are written goes on under its name, so
    that answers to questions whose meaning stays are found again.
    """
    here = dataset.fingerprint(key)
    # What is wrong with the ledger is said when the table is put in use.
    with contextlib.suppress(LedgerError):
        book = session.kept_ledger()
        if book.account(here) is None and people.may_have_account(book, dataset.header):
            before = session.remember(
                _EARLIER, f"{here} {id(dataset.frame)}", lambda: earlier_fingerprint(dataset, key)
            )
            if before is not None and book.account(before) is not None:
                return before
    return here


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
                Taken(fingerprint=reading.fingerprint, key=key) if reading.fingerprint else reading
            )
    except DPCoreError as error:
        yield error


def _told(latest: Piece) -> Told:
    """Return how far reading is, in words."""
    if not isinstance(latest, BytesRead):
        return Told(None, "All files are read.")
    read, total = (f"{count / 2**20:,.0f}" for count in latest[:2])
    words = (
        f"Computing the fingerprint of the table, which identifies its account: {read} of "
        f"{total} MB are read. Leaving the page stops it."
    )
    return Told(latest.read / max(latest.total, 1), words)


def _key(example: str | None) -> bytes:
    try:
        return session.fingerprint_key()
    except LedgerError:
        if example is None:
            raise
        # A lesson needs no ledger, and Live mode will say what is wrong with it.
        return session.spare_key()
