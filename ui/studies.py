"""Taking a table into use, and links that open a built-in example."""

from __future__ import annotations

from typing import TYPE_CHECKING

import streamlit as st

from dpcore.data.examples import EXAMPLES
from dpcore.releases.ledger import Ledger
from dpcore.releases.storage import default_folder
from ui import session, terms, upload
from ui.study import Study
from ui.upload import load_example

if TYPE_CHECKING:
    from dpcore.data.dataset import Dataset
    from ui.terms import Terms

_LINK = "example"


def accept(dataset: Dataset, example: str | None, agreed: Terms) -> Study:
    """Return the study of a table on these terms, and agree them with the ledger.

    A table that already has releases keeps the budget that was fixed for it; the Ledger
    page changes it.

    Raises:
        LedgerError: If the relation or the unit differ from those of earlier releases.

    """
    fingerprint = dataset.fingerprint(session.fingerprint_key())
    if example is None:
        _agree(fingerprint, agreed)
    return Study(
        dataset=dataset, fingerprint=fingerprint, terms=agreed, example=example
    )


def use_example(key: str) -> None:
    """Put a built-in example in use with the usual terms."""
    dataset = load_example(key).dataset
    noun = upload.noun(key)
    session.start_anew()
    session.use(accept(dataset, key, terms.usual(dataset.people, noun)))


def tell_kept_budget() -> None:
    """Say so where the table's account keeps another budget than was declared."""
    study = session.study()
    if study is None:
        return
    budget = session.account(study).budget
    if budget != study.terms.budget:
        st.info(
            f"The ledger knows this table, with {budget.describe()}. That stays in "
            "force; it can be changed, on record, on the Ledger page."
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


def _agree(fingerprint: str, agreed: Terms) -> None:
    """Bring the account on disk to the terms, where nothing was released on others."""
    ledger = Ledger.at(default_folder() / "ledger.sqlite3")
    account = ledger.account(fingerprint)
    if account is None:
        return
    rows = agreed.unit.rows
    if (account.relation, account.unit_rows) != (agreed.relation, rows):
        ledger.change_relation(fingerprint, agreed.relation, rows)
