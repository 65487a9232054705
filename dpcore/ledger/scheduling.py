"""Opening, changing and closing periods of an account, and closing it, on record."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from datetime import date

from dpcore.analyses.identity import canonical
from dpcore.errors import ParameterError
from dpcore.ledger import chain, periods
from dpcore.ledger.account import Account, day_of
from dpcore.ledger.chain import EntryKind, EntryTable, LedgerEntry
from dpcore.ledger.ledger import Ledger, history_of, payable
from dpcore.ledger.periods import BudgetPeriod
from dpcore.privacy_filter import COST, PrivacyBudget, PrivacyCost


def open_period(ledger: Ledger, fingerprint: str, new: BudgetPeriod) -> BudgetPeriod:
    """Open a period of an account, and return it as it stands.

    What was spent in its days before counts in it. Where somebody else has opened the
    very same one meanwhile, that one is returned.

    Raises:
        LedgerError: There is no account, or it was moved or closed.
        ParameterError: It does not fit to the account and its other periods.

    """
    with ledger.transaction() as (entries, state):
        now = chain.now()
        account = payable(state, fingerprint).on(now.date())
        known = periods.named(account.periods, new.name)
        if known is not None:
            if known == replace(new, spent=known.spent):
                return known
            raise ParameterError(
                f"there is a period “{known.name}” already, {known.begins} to "
                f"{known.ends}. Choose another name and other days."
            )
        spent = spent_in(history_of(entries, account), new)
        opened = replace(new, spent=spent, closed=None)
        today = max(account.day or now.date(), now.date())
        periods.check(account.periods, opened, account.budget, account.spent, today)
        entries.append(
            fingerprint=account.name,
            kind=EntryKind.PERIOD,
            body=canonical(periods.PERIOD.write(opened)),
            at=now,
        )
        return opened


def change_period(
    ledger: Ledger, fingerprint: str, name: str, budget: PrivacyBudget, *, reason: str
) -> None:
    """Replace the budget of a period that is not over; the change stays on record.

    Raises:
        LedgerError: There is no account, or it was moved or closed.
        ParameterError: There is no such open period, no reason is given, or the budget
            is below what was spent, or above what is left of the time around it.

    """
    _require(reason)
    with ledger.transaction() as (entries, state):
        now = chain.now()
        account = payable(state, fingerprint).on(now.date())
        period = _open_one(account, name)
        changed = replace(period, budget=budget)
        others = tuple(one for one in account.periods if one.name != name)
        today = account.day or now.date()
        periods.check(others, changed, account.budget, account.spent, today)
        body = periods.PERIOD.write(changed) | {"reason": reason}
        entries.append(
            fingerprint=account.name, kind=EntryKind.PERIOD, body=canonical(body), at=now
        )


def close_period(ledger: Ledger, fingerprint: str, name: str, *, reason: str) -> None:
    """Close a period before its end: nothing more is spent in it. It stays on record.

    Raises:
        LedgerError: There is no account, or it was moved or closed.
        ParameterError: There is no such period, it is closed already, or no reason is
            given.

    """
    _require(reason)
    with ledger.transaction() as (entries, state):
        account = payable(state, fingerprint)
        _open_one(account, name)
        _close(entries, account.name, {"period": name, "reason": reason})


def close_account(ledger: Ledger, fingerprint: str, *, reason: str) -> None:
    """Close an account for good: nothing more can be charged to it. It stays on record.

    Raises:
        LedgerError: There is no account, or it was moved or closed already.
        ParameterError: No reason is given.

    """
    _require(reason)
    with ledger.transaction() as (entries, state):
        _close(entries, payable(state, fingerprint).name, {"reason": reason})


def carry_periods(
    entries: EntryTable, name: str, left: Sequence[BudgetPeriod], closed: str | None
) -> None:
    """Write the periods of an account, and whether it is closed, into another ledger.

    What was spent in each is part of it. Debits come before.
    """
    for period in left:
        entries.append(
            fingerprint=name, kind=EntryKind.PERIOD, body=canonical(periods.PERIOD.write(period))
        )
    if closed is not None:
        _close(entries, name, {"reason": closed})


def _open_one(account: Account, name: str) -> BudgetPeriod:
    period = periods.named(account.periods, name)
    if period is None or period.closed is not None:
        raise ParameterError(f"there is no open period “{name}” in this account.")
    return period


def _require(reason: str) -> None:
    if not reason.strip():
        raise ParameterError("changing or closing what was agreed needs a reason.")


def _close(entries: EntryTable, name: str, said: dict[str, str]) -> None:
    entries.append(fingerprint=name, kind=EntryKind.CLOSED, body=canonical(said))


def spent_in(history: Iterable[LedgerEntry], new: BudgetPeriod) -> PrivacyCost:
    """Return what was spent in the days of a period before it was opened.

    ``history`` holds every entry of the account in order. A debit counts on the day
    that the account took it for: its clock's, and once there are periods no day before
    one that the account had seen.
    """
    total, seen = PrivacyCost(), date.min
    for entry in history:
        day = max(seen, day_of(entry))
        if entry.kind is EntryKind.PERIOD or seen > date.min:
            seen = day
        if entry.kind is EntryKind.DEBIT and new.covers(day):
            total += COST.read(entry.content["cost"])
    return total
