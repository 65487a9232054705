"""Whether a table is about people who have an account already: asked before its use.

The account of a table like this one is offered first, so that who reads no further
spends on from the budget that there is. Only names are compared.
"""

from __future__ import annotations

import contextlib
from dataclasses import dataclass

import streamlit as st

from dpcore.data.dataset import Dataset
from dpcore.data.partitions.table import Table
from dpcore.data.preparation.steps import steps_of
from dpcore.errors import LedgerError
from dpcore.formatting import people as people_of
from dpcore.ledger import people
from dpcore.ledger.account import Account
from dpcore.ledger.people import Description, Likeness
from ui import accounts, session
from ui.data import declaring, fingerprinting
from ui.study import AccountTerms, Study
from ui.text import literal

_OTHERS = ""
_PRESSED_TOO_EARLY = (
    "tables like this one have a privacy budget already. Say below whether these are the "
    "same people, and press again."
)
_MADE = "Here a row is a person, computed from several rows."
_ALL_ROWS = "Here a person is protected with all rows."
_PUT_TOGETHER = (
    "If single rows were protected before, the loss of a person with several rows is multiplied "
    "by their number."
)
_NOT_SAID = (
    "tick that nobody in this table is in the others, or choose the account of these "
    "people. Otherwise a person in both would be charged on two budgets, and neither limit would "
    "hold."
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Whose:
    """What was said of the people of a table.

    Attributes:
        account: The name of the account that they have; ``None`` for a new one.
        others: The accounts of which it was said that their people are others.
        said: Whether that was said, where it has to be.

    """

    account: str | None
    others: tuple[str, ...] = ()
    said: bool = True


def ask(dataset: Table, agreed: AccountTerms) -> Whose | None:
    """Ask whose account pays for a table; ``None`` where there is nothing to ask.

    That is so where the table has an account, or where no account was described.
    """
    found: tuple[Likeness, ...] = ()
    # What is wrong with the ledger is said when the table is put in use.
    with contextlib.suppress(LedgerError):
        found = _offered(dataset)
    if not found:
        return None
    alike = [one for one in found if one.alike]
    with st.container(border=True, key="same-people"):
        st.markdown("**Does a privacy budget of these people exist already?**")
        chosen = _choose(found, alike)
        st.caption(
            "Only the names of columns and files were compared, not cells. Only you know "
            "whether the people are the same. A later quarter of the same people, or "
            "another order of rows, belongs to the same account."
        )
        if steps_of(dataset).whose is not None:
            who = _ALL_ROWS if dataset.cap is not None else _MADE
            st.caption(f"{who} {_PUT_TOGETHER}")
        if chosen != _OTHERS:
            _tell_account(_named(found, chosen), agreed)
            return Whose(account=chosen)
        said = not alike or st.checkbox(
            "Nobody in this table is in the tables named above",
            key=f"nobody-{session.generation()}",
        )
        if alike:
            st.caption(
                "The budget above is then an additional one. The ledger records this declaration."
            )
        return Whose(account=None, others=tuple(one.account.name for one in alike), said=said)


def _choose(found: tuple[Likeness, ...], alike: list[Likeness]) -> str:
    if alike:
        chosen = st.radio(
            "These are",
            [*(one.account.name for one in alike), _OTHERS],
            format_func=lambda name: literal(_choice(found, name)),
            key=f"whose-{session.generation()}",
        )
        if chosen != _OTHERS or len(alike) == len(found):
            return chosen
    rest = [one.account.name for one in found if one not in alike]
    return st.selectbox(
        "Tables with other columns",
        [_OTHERS, *rest],
        format_func=lambda name: _choice(found, name),
        key=f"whose-else-{session.generation()}",
    )


def _choice(found: tuple[Likeness, ...], name: str) -> str:
    if name == _OTHERS:
        return "Entirely different people: a new account"
    one = _named(found, name)
    account = one.account
    if account.moved is not None or account.closed is not None:
        left = "closed, and cannot be charged"
    else:
        left = accounts.rest(account)
    return f"The same people as in {_title(one)}, or some of them: {left}"


def _title(one: Likeness) -> str:
    return f"“{one.name}”" if one.name else "a table with the same columns"


def _named(found: tuple[Likeness, ...], name: str) -> Likeness:
    return next(one for one in found if one.account.name == name)


def _tell_account(one: Likeness, agreed: AccountTerms) -> None:
    """Say what follows from the choice of an account that there is."""
    account = one.account
    st.markdown(
        f"The account of {literal(_title(one))} goes on: what was spent stays spent, "
        f"and its budget of {account.budget.describe()} counts, not the one above. "
        f"{one.shared} of {one.columns} columns have the same names."
    )
    if not account.is_unused and not _same_terms(account, agreed):
        rows = people_of(account.unit_rows, "row")
        st.warning(
            f"This account uses {account.relation.label} and at most {rows} of one "
            f"{agreed.unit.noun}. Choose the same above, because costs under other terms "
            "cannot be added."
        )


def check_said(whose: Whose | None) -> None:
    """Refuse a table of which it has to be said whether its people are others.

    Raises:
        LedgerError: It was not said.

    """
    if whose is not None and not whose.said:
        raise LedgerError(_NOT_SAID)


def agree(study: Study, whose: Whose | None) -> None:
    """Open the account of a table, or put it under that of the same people.

    Raises:
        LedgerError: It was not said whether people are the same, or the account of
            these people is kept for other terms, or the ledger cannot be used.

    """
    book, terms = session.kept_ledger(), study.terms
    about, rows = _description(study.dataset), terms.unit.rows
    account = book.account(study.fingerprint)
    if account is None:
        if whose is None and any(one.alike for one in _offered(study.dataset)):
            raise LedgerError(_PRESSED_TOO_EARLY)
        check_said(whose)
        if whose is not None and whose.account is not None:
            theirs = book.account(whose.account)
            if theirs is not None and theirs.is_unused and not _same_terms(theirs, terms):
                book.change_relation(whose.account, terms.relation, rows)
            people.join(
                book,
                study.fingerprint,
                whose.account,
                about,
                relation=terms.relation,
                unit_rows=rows,
            )
            return
        others = () if whose is None else whose.others
        people.open_account(
            book, study.fingerprint, terms.budget, terms.relation, rows, about, others=others
        )
        return
    if not _same_terms(account, terms):
        book.change_relation(study.fingerprint, terms.relation, rows)
    people.describe(book, study.fingerprint, about)


def _same_terms(account: Account, terms: AccountTerms) -> bool:
    return (account.relation, account.unit_rows) == (terms.relation, terms.unit.rows)


def _offered(dataset: Table) -> tuple[Likeness, ...]:
    """Return the accounts that a table may belong to; none where it has one."""
    book = session.kept_ledger()
    known = book.accounts()
    if not known:
        return ()
    # Files that stay where they are were not read so far. Where they have an account
    # it is among those that look alike, and goes on.
    if isinstance(dataset, Dataset):
        key = session.fingerprint_key()
        about = f"{session.generation()} {session.uploads()} {dataset.name} {id(dataset.frame)}"
        here = session.remember(
            "offered-fingerprint", about, lambda: fingerprinting.recognized(dataset, key)
        )
        if any(here in account.fingerprints for account in known):
            return ()
    return people.likenesses(book, _description(dataset), declaring.with_columns(dataset))


def _description(dataset: Table) -> Description:
    return Description(name=dataset.name, columns=dataset.header)
