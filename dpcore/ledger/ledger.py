"""The privacy ledger: who may still ask what, and every answer that was given.

The file holds keyed fingerprints, public parameters and sanitized values, and nothing
else about a table.
"""

from __future__ import annotations

import contextlib
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import AbstractContextManager
from dataclasses import dataclass
from datetime import datetime
from functools import lru_cache
from pathlib import Path

from dpcore.analyses.identity import canonical, plan_id
from dpcore.errors import BudgetExceeded, DataError, LedgerError, ParameterError
from dpcore.ledger import chain, store
from dpcore.ledger.account import Account, account_after
from dpcore.ledger.chain import EntryKind, EntryTable, LedgerEntry
from dpcore.ledger.checkpoint import Checkpoint, followed
from dpcore.ledger.periods import limit
from dpcore.ledger.sharper_answers import check
from dpcore.ledger.store import BUSY, FileDatabase, MemoryDatabase, file_errors
from dpcore.privacy_filter import PrivacyBudget, PrivacyCost
from dpcore.relations import NeighboringRelation
from dpcore.releases.record import InPlan, Release

_PATIENCE = 10.0
"""Seconds to wait for another writer before a charge is refused."""
_KEPT = 4_096
"""How many records stay read: a page lists them anew each time it is drawn."""


class Ledger(ABC):
    """A ledger of privacy budgets.

    Several threads and processes may use it at once. Looking takes no lock. Whatever is
    looked up or charged, the chain is checked before; every method raises LedgerError
    if the ledger cannot be read or written, and UntrustedLedgerError if it is not as it
    was left.
    """

    @staticmethod
    def at(path: Path) -> LocalLedger:
        """Return the ledger in a file. The first entry creates it, for its owner only.

        Its key and its checkpoint lie in the same folder.
        """
        return LocalLedger(FileDatabase(path))

    @staticmethod
    def in_memory() -> LocalLedger:
        """Return an empty ledger that lives as long as the object."""
        return LocalLedger(MemoryDatabase())

    def open_account(
        self,
        fingerprint: str,
        budget: PrivacyBudget,
        relation: NeighboringRelation,
        unit_rows: int = 1,
    ) -> Account:
        """Return the account of a table; the first call sets its terms.

        A later call returns the account as it stands, whatever terms it names.
        """
        account = self._state().account(fingerprint)
        if account is not None:
            return account
        with self._write() as (entries, state):
            return opened(entries, state, fingerprint, budget, relation, unit_rows)

    def account(self, fingerprint: str) -> Account | None:
        """Return the account of a table's people as of today, ``None`` without one."""
        account = self._state().account(fingerprint)
        return None if account is None else account.on(chain.now().date())

    def accounts(self) -> tuple[Account, ...]:
        """Return all accounts, in the order in which they were opened."""
        today = chain.now().date()
        return tuple(account.on(today) for account in self._state().every_account())

    def change_budget(self, fingerprint: str, budget: PrivacyBudget, reason: str) -> Account:
        """Replace the cap; the change and its reason stay in the chain."""
        if not reason.strip():
            raise ParameterError("a change of the budget needs a reason.")
        with self._write() as (entries, state):
            account = payable(state, fingerprint)
            if not budget.admits(account.spent, PrivacyCost.of()):
                raise ParameterError(
                    f"{budget.caption(account.spent)} is spent already, and cannot be "
                    "taken back. The budget cannot be less than that."
                )
            entry = entries.append(
                fingerprint=account.name,
                kind=EntryKind.BUDGET,
                body=canonical({"budget": budget.to_json(), "reason": reason}),
            )
            return account_after(account, entry)

    def change_relation(
        self, fingerprint: str, relation: NeighboringRelation, unit_rows: int
    ) -> Account:
        """Replace the neighboring relation and the unit, as long as nothing was spent.

        Raises:
            LedgerError: There are releases: costs under two relations do not add up.

        """
        with self._write() as (entries, state):
            account = payable(state, fingerprint)
            if not account.is_unused:
                made = f"{account.releases} releases were made"
                raise LedgerError(
                    f"{made if account.releases else 'costs were charged'} for "
                    f"{account.relation.label}, and costs under two relations do not "
                    "add up. Keep the relation and the unit of this table."
                )
            entry = entries.append(
                fingerprint=account.name,
                kind=EntryKind.RELATION,
                body=canonical({"relation": relation.value, "unit_rows": unit_rows}),
            )
            return account_after(account, entry)

    def charge(
        self,
        fingerprint: str,
        request: str,
        cost: PrivacyCost,
        compute: Callable[[], Release],
        *,
        unit_rows: int = 1,
    ) -> Release:
        """Return the answer to a request, and spend its cost the first time.

        The answer is drawn ahead of the transaction, so that nobody waits for it. One
        transaction checks the limits, and writes the debit and the answer. A crash
        before its end leaves neither; after it, the same request returns the stored
        answer at no cost. A draw that was not stored is discarded: nobody sees it.

        Raises:
            BudgetExceeded: The cost does not fit into what is left.
            LedgerError: There is no account, it is kept for other rows a unit, or
                ``compute`` answered another request.

        """
        with self._read() as (entries, state):
            stored = entries.answer_to(request)
        if stored is not None:
            return _release(stored)
        charge = _Charge(fingerprint=fingerprint, unit_rows=unit_rows, cost=cost)
        charge.paying(state, chain.now())
        drawn = compute()
        with self._write() as (entries, state):
            stored = entries.answer_to(request)
            if stored is not None:
                return _release(stored)
            now = chain.now()
            account = charge.paying(state, now)
            _debit(entries, account, (request, cost), now)
            return _answer(entries, account, drawn, (request, cost, None))

    def charge_all(
        self,
        fingerprint: str,
        requests: Mapping[str, PrivacyCost],
        price: Callable[[tuple[str, ...]], PrivacyCost],
        compute: Callable[[str, InPlan], Release],
        *,
        unit_rows: int = 1,
    ) -> tuple[Release, ...]:
        """Return the answers to several requests, fixed before the first of them.

        Those that have no answer yet are answered in one transaction, all or none, for
        one debit: what ``price`` says of them together. The others are free. Where
        somebody else answers one meanwhile, the price is asked for anew.

        Args:
            fingerprint: The account.
            requests: What each request would cost alone, by its name.
            price: What those of these names cost as one plan. Called while the ledger
                is open to others, so that it may take its time.
            compute: Draws the answer to the request of a name, in a plan. Called ahead
                of the transaction; what it does not store is discarded.
            unit_rows: How many rows one unit may own.

        Raises:
            BudgetExceeded: The cost does not fit into what is left.
            LedgerError: There is no account, it is kept for other rows a unit, or
                ``compute`` answered another request.

        """
        while True:
            with self._read() as (entries, state):
                known = _stored(entries, requests)
            new = tuple(name for name in requests if name not in known)
            if new:
                plan = InPlan(name=plan_id(new), releases=len(new), cost=price(new))
                charge = _Charge(
                    fingerprint=fingerprint, unit_rows=unit_rows, cost=plan.cost, is_plan=True
                )
                charge.paying(state, chain.now())
                drawn = {name: compute(name, plan) for name in new}
                with self._write() as (entries, state):
                    if _stored(entries, requests).keys() != known.keys():
                        continue
                    now = chain.now()
                    account = charge.paying(state, now)
                    _debit(entries, account, (plan.name, plan.cost), now, new)
                    for name, answer in drawn.items():
                        promised = name, requests[name], plan
                        known[name] = _answer(entries, account, answer, promised)
            return tuple(known[name] for name in requests)

    def stored(self, request: str) -> Release | None:
        """Return the answer that was given to a request, ``None`` if there is none."""
        with self._read() as (entries, _):
            entry = entries.answer_to(request)
            return None if entry is None else _release(entry)

    def releases(self, fingerprint: str) -> tuple[Release, ...]:
        """Return all answers about a table, in the order in which they were given."""
        with self._read() as (entries, _):
            return _releases(entries, fingerprint)

    def draws(self, fingerprint: str, analysis: str) -> int:
        """Return how many answers the same analysis has had so far."""
        with self._read() as (entries, _):
            return entries.count_answers(fingerprint, f"{analysis}-")

    def history(self, fingerprint: str) -> tuple[LedgerEntry, ...]:
        """Return every entry of the account, about all its tables, in order."""
        with self._read() as (entries, state):
            return history_of(entries, state.account(fingerprint))

    def descriptions(self) -> tuple[LedgerEntry, ...]:
        """Return what was said of all tables of all accounts, the earliest first."""
        with self._read() as (entries, state):
            found = (
                entry
                for account in state.every_account()
                for table in account.tables
                for entry in entries.of(table.fingerprint, EntryKind.TABLE)
            )
            return tuple(sorted(found, key=lambda entry: entry.sequence))

    def beginnings(self) -> tuple[LedgerEntry, ...]:
        """Return the entries that say when the ledger was begun anew, and why."""
        with self._read() as (entries, _):
            return entries.of("", EntryKind.ANEW)

    def verify(self) -> None:
        """Follow the whole chain, however the file looks."""
        with self._read(whole=True):
            pass

    def transaction(self) -> AbstractContextManager[tuple[EntryTable, Checkpoint]]:
        """Begin a transaction, with the entries and where the chain stands."""
        return self._write()

    @abstractmethod
    def _read(
        self, *, whole: bool = False
    ) -> AbstractContextManager[tuple[EntryTable, Checkpoint]]:
        """See the database at one moment, and where its chain stands.

        The whole chain is followed, or what may have come to it.
        """

    def _state(self) -> Checkpoint:
        with self._read() as (_, state):
            return state

    @abstractmethod
    def _write(self) -> AbstractContextManager[tuple[EntryTable, Checkpoint]]:
        """Begin a transaction on a chain that was checked; the checkpoint follows."""


class LocalLedger(Ledger):
    """A ledger in one SQLite file, or in memory."""

    def __init__(self, database: FileDatabase | MemoryDatabase) -> None:
        self._database = database

    @contextlib.contextmanager
    def _read(self, *, whole: bool = False) -> Iterator[tuple[EntryTable, Checkpoint]]:
        database = self._database
        with file_errors():
            known = database.checkpoint()  # before the database, which may be ahead
            look = database.look
            whole = whole or not self._is_right(known, look)
            with database.reading() as entries:
                state = followed(entries, known, look, whole=whole)
                yield entries, state
        if database.look != look:
            return
        database.turns.seen = look
        if state.length and state != known:
            with contextlib.suppress(LedgerError), database.turns.taken(0.0, BUSY):
                self._catch_up()

    @contextlib.contextmanager
    def _write(self) -> Iterator[tuple[EntryTable, Checkpoint]]:
        """Begin a transaction when the turn of this thread has come.

        A chain that others may have written to is followed as a whole before, so that
        nobody waits for that.
        """
        database = self._database
        with database.turns.taken(store.PATIENCE, BUSY):
            if database.look != database.turns.seen:
                database.turns.close()
                with self._read():
                    pass
            with self._checked(_PATIENCE) as (entries, state):
                yield entries, state
            if not database.turns.is_awaited:
                self._catch_up()

    def _is_right(self, known: Checkpoint | None, look: tuple[int, ...]) -> bool:
        """Return whether this program left the file as it looks, or followed it so."""
        return known is not None and look in {known.look, self._database.turns.seen}

    @contextlib.contextmanager
    def _checked(self, patience: float) -> Iterator[tuple[EntryTable, Checkpoint]]:
        """Begin a transaction, and follow the chain from the checkpoint to its end.

        A checkpoint that was left behind is caught up first, so that never more than
        one transaction is beyond it. Where others have written meanwhile, it keeps no
        look of the file: the next who looks follows the whole chain.
        """
        database = self._database
        with file_errors():
            with database.writing(patience) as entries:
                known, look = database.checkpoint(), database.look
                is_right = known is None or self._is_right(known, look)
                state = followed(entries, known, look if is_right else (), whole=False)
                if state != known:
                    database.keep(state)
                entries.prepare()
                yield entries, state
            database.turns.seen = database.look if is_right else ()

    def _catch_up(self) -> None:
        """Take the checkpoint to the end of the chain that was just checked.

        Where another program is writing, or another thread waits for its turn, the next
        writer does so.
        """
        with contextlib.suppress(LedgerError), self._checked(0.0):
            pass


def opened(
    entries: EntryTable,
    state: Checkpoint,
    fingerprint: str,
    budget: PrivacyBudget,
    relation: NeighboringRelation,
    unit_rows: int,
) -> Account:
    """Return the account of a table, which is opened on these terms if there is none."""
    account = state.account(fingerprint)
    if account is not None:
        return account
    terms = {"budget": budget.to_json(), "relation": relation.value, "unit_rows": unit_rows}
    entry = entries.append(fingerprint=fingerprint, kind=EntryKind.ACCOUNT, body=canonical(terms))
    return account_after(None, entry)


def history_of(entries: EntryTable, account: Account | None) -> tuple[LedgerEntry, ...]:
    """Return every entry of an account, about all its tables, in order."""
    tables = () if account is None else account.fingerprints
    found = (entry for table in tables for entry in entries.of(table))
    return tuple(sorted(found, key=lambda entry: entry.sequence))


def payable(state: Checkpoint, fingerprint: str) -> Account:
    """Return an account that was neither moved nor closed; otherwise LedgerError."""
    account = state.account(fingerprint)
    if account is None:
        raise LedgerError("the table has no account in the ledger. Set its budget first.")
    if account.moved is not None:
        raise LedgerError(
            "the account of this table was moved to another machine, and pays nothing "
            "here. Ask there."
        )
    if account.closed is not None:
        raise LedgerError(
            "the account of these people is closed, and cannot be charged. What was "
            "answered stays, and is free."
        )
    return account


@dataclass(frozen=True, slots=True, kw_only=True)
class _Charge:
    """What a release, or a plan, costs an account with so many rows a unit."""

    fingerprint: str
    unit_rows: int
    cost: PrivacyCost
    is_plan: bool = False

    def paying(self, state: Checkpoint, now: datetime) -> Account:
        """Return the account, if it pays the cost today.

        Every limit that holds on the day of ``now`` is checked: of the account, and of
        its periods.
        """
        account = payable(state, self.fingerprint).on(now.date())
        if account.unit_rows != self.unit_rows:
            raise LedgerError(
                f"the account is kept for at most {account.unit_rows} rows a unit, and "
                f"{self.unit_rows} were asked for. Keep the terms of this table."
            )
        if not account.admits(self.cost):
            what = "plan" if self.is_plan else "release"
            raise BudgetExceeded(_refusal(account, self.cost, what))
        return account


def _debit(
    entries: EntryTable,
    account: Account,
    paid: tuple[str, PrivacyCost],
    now: datetime,
    requests: tuple[str, ...] = (),
) -> None:
    """Write the debit of a request, or of a plan, which names its requests."""
    name, cost = paid
    body: dict[str, object] = {"cost": cost.to_json()}
    if requests:
        body["plan"] = list(requests)
    if account.name != account.fingerprint:
        body["table"] = account.fingerprint
    entries.append(
        fingerprint=account.name, kind=EntryKind.DEBIT, request=name, body=canonical(body), at=now
    )


def _answer(
    entries: EntryTable,
    account: Account,
    release: Release,
    promised: tuple[str, PrivacyCost, InPlan | None],
) -> Release:
    """Write an answer that is the one to the request, cost and plan that were asked."""
    found = (release.id, release.debit, release.plan)
    if found != promised or release.relation is not account.relation:
        raise LedgerError("the answer has another request, cost or relation than asked.")
    if release.sharpens:
        check(release, account, _releases(entries, account.fingerprint))
    entries.append(
        fingerprint=account.fingerprint,
        kind=EntryKind.RELEASE,
        request=release.id,
        body=release.to_json(),
    )
    return release


def _stored(entries: EntryTable, requests: Iterable[str]) -> dict[str, Release]:
    """Return the answers that there are already, by their requests."""
    found = {name: entries.answer_to(name) for name in requests}
    return {name: _release(entry) for name, entry in found.items() if entry is not None}


def _releases(entries: EntryTable, fingerprint: str) -> tuple[Release, ...]:
    """Return all answers about a table, in the order in which they were given."""
    return tuple(_release(entry) for entry in entries.of(fingerprint, EntryKind.RELEASE))


def _release(entry: LedgerEntry) -> Release:
    try:
        return _read_once(entry.body)
    except DataError as error:
        raise LedgerError(f"entry {entry.sequence} of the ledger cannot be read: {error}") from None


@lru_cache(maxsize=_KEPT)
def _read_once(body: str) -> Release:
    """Return the record that a text holds; nothing ever changes one."""
    return Release.from_json(body)


def _refusal(account: Account, cost: PrivacyCost, what: str) -> str:
    budget = account.budget
    if account.bar is not None:
        return f"nothing was charged: {account.bar}"
    short = ", ".join(
        f"“{period.name}”"
        for period in account.current
        if not limit(account.periods, period).admits(period.spent, cost)
    )
    if short and budget.admits(account.spent, cost):
        return (
            f"the {what} costs {budget.caption(cost)}, but only "
            f"{budget.caption(account.remaining)} is left until the end of {short}. "
            "Lower its cost, use an earlier answer again, or wait for the next period."
        )
    return (
        f"the {what} costs {budget.caption(cost)}, but only "
        f"{budget.caption(account.remaining)} is left of {budget.describe()}. Lower "
        "its cost, use an earlier answer again, or raise the budget, which the ledger "
        "records."
    )
