"""Beginning a ledger anew when it cannot be trusted, on record.

What is still known to be spent is carried over: from the checkpoint where its seal
holds, otherwise from the chain as far as it is unbroken. The old files are kept in a
folder beside the new ones.

At no moment a crash makes the ledger forget: first the old files are copied, then the
new checkpoint is put in place, which no old database fits, and the new database comes
last. A crash before that leaves a ledger that is not trusted and can be begun anew
again, with the same sums.
"""

from __future__ import annotations

import contextlib
import sqlite3
from collections.abc import Iterator
from datetime import datetime
from pathlib import Path

from dpcore.analyses.identity import canonical
from dpcore.errors import LedgerError, ParameterError, UntrustedLedgerError
from dpcore.ledger import store
from dpcore.ledger.account import OPENED, Account
from dpcore.ledger.chain import EntryKind, EntryTable
from dpcore.ledger.checkpoint import Checkpoint, Tally
from dpcore.ledger.ledger import Ledger
from dpcore.ledger.people import carry_tables
from dpcore.ledger.scheduling import carry_periods
from dpcore.ledger.store import BUSY, FileDatabase, file_errors
from dpcore.privacy_filter import PrivacyCost

_PATIENCE = 10.0


def begin_anew(path: Path, *, reason: str, now: datetime) -> None:
    """Put a new ledger in the place of one that cannot be trusted.

    Its first entry says why, in whose words, and where the old files are.

    Raises:
        LedgerError: The ledger is in order, or the files cannot be written.
        ParameterError: No reason is given.

    """
    require_reason(reason)
    database = FileDatabase(path)
    found = _fault(path)
    kept = f"set-aside-{now:%Y%m%dT%H%M%S%fZ}"
    with file_errors():
        known = _salvaged(database)
        database.set_aside(kept)
        draft = path.with_name(f"{path.name}.new")
        body = {"found": found, "reason": reason, "kept": kept}
        state = _written(draft, known, canonical(body))
        with _alone(database):
            database.keep(state)
        database.replace(draft)


def require_reason(reason: str) -> None:
    """Refuse to begin anew without a word."""
    if not reason.strip():
        raise ParameterError("a new ledger needs a reason.")


def carry(entries: EntryTable, account: Account) -> None:
    """Open an account on its old terms, with one debit for all that was spent.

    Its tables stay under it, and its periods as they were. One that was moved away, or
    closed, stays closed.
    """
    fingerprint = account.fingerprint
    entries.append(
        fingerprint=fingerprint, kind=EntryKind.ACCOUNT, body=canonical(OPENED.write(account))
    )
    if account.spent != PrivacyCost():
        entries.append(
            fingerprint=fingerprint,
            kind=EntryKind.DEBIT,
            request=f"carried over for {fingerprint}",
            body=canonical({"cost": account.spent.to_json()}),
        )
    carry_tables(entries, account)
    carry_periods(entries, account.name, account.periods, account.closed)
    if account.moved is not None:
        body = {"budget": account.budget.to_json(), "moved": account.moved}
        reason = "moved to another machine before the ledger was restarted"
        entries.append(
            fingerprint=fingerprint,
            kind=EntryKind.BUDGET,
            body=canonical(body | {"reason": reason}),
        )


def _fault(path: Path) -> str:
    try:
        Ledger.at(path).verify()
    except UntrustedLedgerError as error:
        return str(error)
    raise LedgerError("the ledger is in order. There is nothing to restart.")


def _salvaged(database: FileDatabase) -> Checkpoint:
    """Return what is still known of the accounts."""
    known = None
    with contextlib.suppress(UntrustedLedgerError):
        known = database.checkpoint()
    tally = Tally(known or Checkpoint())
    with (
        contextlib.suppress(UntrustedLedgerError, sqlite3.DatabaseError),
        database.reading() as entries,
    ):
        tally.follow(entries, whole=known is None)
    return tally.reached(())


@contextlib.contextmanager
def _alone(database: FileDatabase) -> Iterator[None]:
    """Let no other program write meanwhile, as far as the old file can be locked."""
    with contextlib.ExitStack() as stack:
        stack.enter_context(database.turns.taken(store.PATIENCE, BUSY))
        with contextlib.suppress(UntrustedLedgerError), file_errors():
            stack.enter_context(database.writing(_PATIENCE))
        yield


def _written(draft: Path, known: Checkpoint, body: str) -> Checkpoint:
    """Write the new database; return the checkpoint at its end."""
    draft.unlink(missing_ok=True)
    new = FileDatabase(draft)
    with new.writing(0.0) as entries:
        entries.prepare()
        entries.append(fingerprint="", kind=EntryKind.ANEW, body=body)
        for account in known.every_account():
            carry(entries, account)
    tally = Tally(Checkpoint())
    with new.reading() as entries:
        tally.follow(entries, whole=True)
    for path in (new.log, draft.with_name(f"{draft.name}-shm")):
        path.unlink(missing_ok=True)
    return tally.reached(new.look)
