"""Moving an account to another machine: closed here, sealed in a file, opened there.

A table is known by a fingerprint that is keyed with the machine's key, so that an
account means nothing elsewhere, and the key, which all other accounts hang on, stays
where it is. So the file carries a fingerprint of the same table under a code that is
made for this file alone. The code goes another way than the file. Who has both, and
guesses the whole table, can see that the guess is right; who has the file alone learns
what the ledger says anyway: public questions and released answers.

The same table has to be in use where the account arrives. What it spent, its answers,
its terms, its periods and the changes of its budget arrive; answers stay free of
charge. Answers about its other tables arrive as a record: those tables have other
fingerprints there, so that the same question is a new one. Nothing can keep a file from
being opened on two machines: whoever moves an account deletes it.
"""

from __future__ import annotations

import base64
import hashlib
import hmac
import json
import secrets
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from decimal import ROUND_CEILING, Context, Decimal
from typing import Final

from dpcore.budget_filter import BUDGET, COST, PrivacyBudget, PrivacyCost
from dpcore.codec import TEXT, WHOLE, Pair, Schema, if_any, object_in, parsed, several, since
from dpcore.errors import DataError, DPCoreError, LedgerError, ParameterError
from dpcore.relations import NeighboringRelation
from dpcore.releases import hash_chain
from dpcore.releases.account import Account
from dpcore.releases.hash_chain import Entry, EntryKind, EntryTable
from dpcore.releases.identity import analysis_id, canonical, request_id
from dpcore.releases.ledger import Ledger
from dpcore.releases.people import Description, put_under
from dpcore.releases.periods import PERIOD, Period
from dpcore.releases.record import Release
from dpcore.releases.scheduling import carry_periods
from dpcore.statistics.parameters import RELATION

Fingerprint = Callable[[bytes], str]
"""The fingerprint of a table under a key."""

FORMAT = "epsilon-studio account, version 1"
_DIVIDED_FORMAT = "epsilon-studio account, version 2"
"""Of an account with several tables or periods, which older programs do not know."""
_CODE_BYTES = 20
_GROUP = 4
_LEAST = Decimal("1E-12")
_UP = Context(prec=60, rounding=ROUND_CEILING)


@dataclass(frozen=True, slots=True, kw_only=True)
class Change:
    """A change of the budget that was made before.

    Attributes:
        recorded: When, ISO 8601, UTC.
        budget: The new cap.
        reason: Why, in the words of whoever changed it.

    """

    recorded: str
    budget: PrivacyBudget
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class OtherTable:
    """A table of the account besides the one in use, and what was answered about it."""

    name: str
    columns: tuple[str, ...]
    releases: tuple[Release, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class MovingAccount:
    """An account on its way. PUBLIC, but for ``table``, which a code keys.

    Attributes:
        move: Name of the move.
        table: Fingerprint of the table under the code of the file.
        reason: Why it was moved.
        first: The budget that the account was opened with.
        budget: The budget that it had when it was closed.
        relation: Which tables are neighbors, for every release.
        unit_rows: How many rows one unit may own, for every release.
        spent: What was spent of it.
        changes: How its budget was changed.
        releases: Its answers, in the order in which they were given.
        moves: The names of its moves so far, this one included.
        name: What the file of the table is called; empty where that was not kept.
        columns: The names of its columns, as far as they were kept.
        others: The other tables of the account.
        periods: Its periods, with what was spent in each.
        closed: Why it was closed for good, ``None`` while it was not.

    """

    move: str
    table: str
    reason: str
    first: PrivacyBudget
    budget: PrivacyBudget
    relation: NeighboringRelation
    unit_rows: int
    spent: PrivacyCost
    changes: tuple[Change, ...]
    releases: tuple[Release, ...]
    moves: tuple[str, ...]
    name: str = ""
    columns: tuple[str, ...] = ()
    others: tuple[OtherTable, ...] = ()
    periods: tuple[Period, ...] = ()
    closed: str | None = None


_WRONG: Final = (LookupError, TypeError, ValueError, OverflowError, RecursionError)
_CHANGE: Final = Schema(Change, recorded=TEXT, budget=BUDGET, reason=TEXT)
_RECORD: Final = Pair(
    lambda release: json.loads(release.to_json()),
    lambda content: Release.from_json(json.dumps(object_in(content))),
)
_ACCOUNT: Final = Schema(
    MovingAccount,
    move=TEXT,
    table=TEXT,
    reason=TEXT,
    first=BUDGET,
    budget=BUDGET,
    relation=RELATION,
    unit_rows=WHOLE,
    spent=COST,
    changes=several(_CHANGE),
    releases=several(_RECORD),
    moves=several(TEXT),
    name=since(TEXT),
    columns=if_any(several(TEXT)),
    others=if_any(
        several(Schema(OtherTable, name=TEXT, columns=several(TEXT), releases=several(_RECORD)))
    ),
    periods=if_any(several(PERIOD)),
    closed=if_any(TEXT),
)


def new_code() -> str:
    """Return a code for one file: 160 random bits in letters and digits, in groups."""
    text = base64.b32encode(secrets.token_bytes(_CODE_BYTES)).decode()
    return "-".join(text[i : i + _GROUP] for i in range(0, len(text), _GROUP))


def close(ledger: Ledger, fingerprint: str, *, reason: str) -> None:
    """Close an account for good: from now on it pays nothing in this ledger.

    Its answers stay, and stay free. What is left of its budget leaves with the file
    that ``packed`` makes.

    Raises:
        LedgerError: There is no account, or it was moved already.
        ParameterError: No reason is given.

    """
    if not reason.strip():
        raise ParameterError("moving an account needs a reason.")
    with ledger.transaction() as (entries, state):
        account = state.account(fingerprint)
        if account is None or account.moved:
            raise LedgerError("this table has no open account in the ledger that could move.")
        said = {"moved": secrets.token_hex(16), "reason": reason}
        left: dict[str, object] = {"left": account.budget.to_json()}
        _cap(entries, account.name, _used_up(account), said | left)


def packed(ledger: Ledger, fingerprint: str, *, code: str, table: Fingerprint) -> str:
    """Return the file of an account that was closed, sealed with a code.

    Args:
        ledger: Where it was closed.
        fingerprint: Its name there.
        code: What ``new_code`` returned. It is not in the file.
        table: The fingerprint of the table under a key.

    Raises:
        LedgerError: The account was not closed.

    """
    account = ledger.account(fingerprint)
    if account is None or account.moved is None:
        raise LedgerError("close the account first.")
    history = ledger.history(account.name)
    closing = next(e for e in reversed(history) if "moved" in e.content).content
    if "left" not in closing:
        raise LedgerError(
            "the ledger was begun anew since the account was closed, and does not know "
            "what was left of it. Use the file that was made before."
        )
    columns = {each.fingerprint: each.content for each in ledger.descriptions()}
    tables = {each.fingerprint: each.name for each in account.tables}
    moving = MovingAccount(
        move=account.moved,
        table=table(_key(code, b"table")),
        reason=str(closing["reason"]),
        first=BUDGET.read(history[0].content["budget"]),
        budget=BUDGET.read(closing["left"]),
        relation=account.relation,
        unit_rows=account.unit_rows,
        spent=account.spent,
        changes=tuple(_changes(history)),
        releases=ledger.releases(fingerprint),
        moves=tuple(_moves(history)),
        name=tables.get(fingerprint, ""),
        columns=_columns(columns, fingerprint),
        others=tuple(
            OtherTable(
                name=tables.get(other, ""),
                columns=_columns(columns, other),
                releases=ledger.releases(other),
            )
            for other in account.fingerprints
            if other != fingerprint
        ),
        periods=account.periods,
        closed=account.closed,
    )
    content = canonical(_ACCOUNT.write(moving))
    divided = moving.others or moving.periods or moving.closed is not None
    file = {"account": content, "seal": _seal(content, code)}
    return json.dumps({"format": _DIVIDED_FORMAT if divided else FORMAT, **file}, indent=2)


def _columns(descriptions: Mapping[str, Mapping[str, object]], table: str) -> tuple[str, ...]:
    return several(TEXT).read(descriptions.get(table, {}).get("columns", []))


def unpacked(text: str, *, code: str, table: Fingerprint) -> MovingAccount:
    """Return the account in a file.

    Raises:
        DataError: It is no such file, the code is another one, it was changed, or it is
            about another table.

    """
    try:
        file = object_in(parsed(text))
        content, seal = TEXT.read(file["account"]), TEXT.read(file["seal"])
        known = file["format"] in {FORMAT, _DIVIDED_FORMAT}
    except _WRONG:
        known = False
    if not known:
        raise DataError("this is not the file of an account. Choose the one that was saved.")
    if not hmac.compare_digest(seal.encode(), _seal(content, code).encode()):
        raise DataError(
            "the code is not the one of this file, or the file was changed. Type the "
            "code again as it was shown."
        )
    try:
        moving = _ACCOUNT.read(parsed(content))
    except (*_WRONG, DPCoreError):
        raise DataError("the file of the account cannot be read by this version.") from None
    if not hmac.compare_digest(moving.table, table(_key(code, b"table"))):
        raise DataError(
            "the account in this file is about another table than the one in use. Put "
            "the same table in use, read in the same way, and bring it in again."
        )
    return moving


def arrive(ledger: Ledger, fingerprint: str, moving: MovingAccount) -> None:
    """Open an account that has arrived, under the name of its table here.

    It takes the place of an account of which nothing was spent, and goes on with the
    one that it was here before it moved.

    Raises:
        DataError: It has arrived before, or the table has another account here.

    """
    with ledger.transaction() as (entries, state):
        account = state.account(fingerprint)
        name = fingerprint if account is None else account.name
        history = hash_chain.entries_of(entries, name)
        if any(entry.content.get("arrived") == moving.move for entry in history):
            raise DataError("the account in this file has arrived here already.")
        if account is None or not account.moved:
            _open(entries, name, account, moving)
            spent = PrivacyCost()
        elif account.moved in moving.moves:
            spent = account.spent
        else:
            raise DataError(_ANOTHER)
        _pay(entries, (fingerprint, name), moving, spent)
        _divide(entries, name, account, moving)
        arrived = {"arrived": moving.move, "moves": list(moving.moves)}
        reason = f"moved here from another machine: {moving.reason}"
        _cap(entries, name, moving.budget, arrived | {"reason": reason})


_ANOTHER = (
    "this table has an account here that paid for releases which the file does not "
    "know of. Two accounts about the same people cannot be joined."
)


def _open(
    entries: EntryTable, fingerprint: str, account: Account | None, moving: MovingAccount
) -> None:
    """Write the terms, and how the budget was changed before."""
    terms: dict[str, object] = {"relation": moving.relation.value, "unit_rows": moving.unit_rows}
    if account is None:
        terms["budget"] = moving.first.to_json()
        kind = EntryKind.ACCOUNT
    elif account.releases or account.spent != PrivacyCost() or account.closed:
        raise DataError(_ANOTHER)
    else:
        kind = EntryKind.RELATION
    hash_chain.append(entries, fingerprint=fingerprint, kind=kind, body=canonical(terms))
    for change in moving.changes:
        reason = f"{change.reason} (recorded {change.recorded} on another machine)"
        _cap(entries, fingerprint, change.budget, {"reason": reason})


def _pay(
    entries: EntryTable, names: tuple[str, str], moving: MovingAccount, spent: PrivacyCost
) -> None:
    """Write what was spent elsewhere as one debit, and the answers that it paid for.

    ``names`` are those of the table and of its account, here.
    """
    fingerprint, account = names
    named = {_name(fingerprint, one): (fingerprint, one) for one in moving.releases}
    for place, other in enumerate(moving.others, start=1):
        record = f"moved {moving.move} table {place}"
        named |= {one.id: (record, one) for one in other.releases}
    new = {
        name: (about, replace(one, id=name))
        for name, (about, one) in named.items()
        if not any(hash_chain.release_for(entries, known) for known in (name, one.id))
    }
    cost = _beyond(moving.spent, spent)
    if new or cost != PrivacyCost():
        hash_chain.append(
            entries,
            fingerprint=account,
            kind=EntryKind.DEBIT,
            request=f"moved {moving.move} for {account}",
            body=canonical({"cost": cost.to_json(), "plan": [*new]}),
        )
    for name, (about, one) in new.items():
        hash_chain.append(
            entries, fingerprint=about, kind=EntryKind.RELEASE, request=name, body=one.to_json()
        )
    _put_under(entries, names, moving, {about for about, _ in new.values()})


def _put_under(
    entries: EntryTable, names: tuple[str, str], moving: MovingAccount, new: set[str]
) -> None:
    """Say what the tables are called: that in use, and others with new answers."""
    fingerprint, account = names
    if moving.name:
        about = Description(name=moving.name, columns=moving.columns)
        put_under(entries, fingerprint, account, about)
    for place, other in enumerate(moving.others, start=1):
        record = f"moved {moving.move} table {place}"
        if record in new or not other.releases:
            about = Description(name=other.name, columns=other.columns)
            put_under(entries, record, account, about)


def _divide(entries: EntryTable, name: str, account: Account | None, moving: MovingAccount) -> None:
    """Write the periods, as they were left, and whether the account is closed."""
    arriving = {period.name for period in moving.periods}
    there = () if account is None else account.periods
    if any(period.name not in arriving for period in there):
        raise DataError(_OTHER_PERIODS)
    carry_periods(entries, name, moving.periods, moving.closed)


_OTHER_PERIODS = (
    "the account of this table has periods here that the file does not know of. Bring "
    "the file to another machine."
)


def _cap(
    entries: EntryTable, fingerprint: str, budget: PrivacyBudget, said: Mapping[str, object]
) -> None:
    """Write a new cap, with what is said of it."""
    hash_chain.append(
        entries,
        fingerprint=fingerprint,
        kind=EntryKind.BUDGET,
        body=canonical({"budget": budget.to_json(), **said}),
    )


def _name(fingerprint: str, release: Release) -> str:
    """Return the name of the request that a release answers, of the table here."""
    return request_id(analysis_id(fingerprint, release.request), release.draw)


def _changes(history: Iterable[Entry]) -> Iterator[Change]:
    for entry in history:
        content = entry.content
        if entry.kind is EntryKind.BUDGET and "moved" not in content:
            yield Change(
                recorded=entry.recorded,
                budget=BUDGET.read(content["budget"]),
                reason=str(content["reason"]),
            )


def _moves(history: Iterable[Entry]) -> Iterator[str]:
    for entry in history:
        content = entry.content
        if "moved" in content:
            yield TEXT.read(content["moved"])
        yield from several(TEXT).read(content.get("moves", []))


def _used_up(account: Account) -> PrivacyBudget:
    """Return the budget that what was spent uses up, so that nothing is left."""
    spent, budget = account.spent, account.budget
    if budget.rho is not None:
        return PrivacyBudget(rho=max(spent.rho, _LEAST))
    return PrivacyBudget(epsilon=max(spent.epsilon, _LEAST), delta=spent.delta)


def _beyond(all_of_it: PrivacyCost, part: PrivacyCost) -> PrivacyCost:
    """Return what is more in one cost than in another, rounded up."""
    return PrivacyCost(
        **{
            name: _more(getattr(all_of_it, name), getattr(part, name))
            for name in ("epsilon", "delta", "rho")
        }
    )


def _more(number: Decimal, least: Decimal) -> Decimal:
    if number <= least:
        return Decimal()
    return _UP.subtract(number, least)


def _key(code: str, purpose: bytes) -> bytes:
    """Return a key of the code; how it is typed, in groups or small, is no matter."""
    letters = "".join(filter(str.isalnum, code.upper()))
    return hmac.new(letters.encode(), purpose, hashlib.sha256).digest()


def _seal(content: str, code: str) -> str:
    key = _key(code, b"seal")
    return hmac.new(key, content.encode(), hashlib.sha256).hexdigest()
