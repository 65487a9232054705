"""At most so many rows of each person: the controls, and what the number does."""

from __future__ import annotations

from typing import NoReturn

import streamlit as st

from dpcore.data.dataset import Dataset
from dpcore.data.preparation.conditions import Condition, FilteredDataset
from dpcore.data.preparation.contribution_bounds import CappedDataset, RowCap, at_most
from dpcore.data.preparation.identifiers import Ownerless
from dpcore.errors import DPCoreError
from dpcore.relations import NeighboringRelation
from ui import controls, session
from ui.data import declaring, terms
from ui.study import Draft
from ui.text import literal, sentence_of

_ONE, _SEVERAL = "one row, made of all of them", "their rows, at most so many"
_USUAL_MOST = 5
_MOST = 1000


def ask_way(rule: RowCap | None) -> bool:
    """Ask what counts of each person; return whether rows do, at most so many."""
    way = controls.HERE.radio(
        "What counts of each person",
        [_ONE, _SEVERAL],
        index=int(rule is not None),
        key=f"way-of-rows-{session.generation()}",
        kept="session",
        note="One row: everybody weighs the same, and everything can be asked. Rows: "
        "answers are about visits, not patients, and whoever has more of them weighs "
        "more, up to the limit.",
    )
    return way == _SEVERAL


def ask(owners: tuple[str, ...], ownerless: Ownerless, rule: RowCap | None) -> RowCap:
    """Ask how many rows of each person count at most."""
    whose = literal(" and ".join(owners))
    most = controls.HERE.number(
        f"At most so many rows of each {whose} count",
        _USUAL_MOST if rule is None else rule.most,
        (1, _MOST),
        key=f"row-cap-{session.generation()}",
        kept="session",
        note="Which rows count is chosen by a key that nobody sees, for each person "
        "from their own rows alone: neither others nor the order of the file matter, "
        "and the same rows are chosen when the file comes again.",
    )
    st.caption(
        f"The guarantee protects each {whose} with all rows together: what one can "
        f"change is what {most} rows can. Noise grows with the limit; a low one leaves "
        "rows out. Counts, sums, means, shares and histograms can be asked, of all "
        "rows or by group; how many rows there are is private."
    )
    return RowCap(owners=owners, most=most, ownerless=ownerless)


def offer(source: Dataset, asked: RowCap, dataset: Dataset) -> bool:
    """Offer to count at most so many rows; conditions that hold now stay.

    Return whether it is chosen and not taken over.
    """
    before = dataset if isinstance(dataset, CappedDataset) else None
    kept = conditions_on(source, dataset)
    same = before is not None and before.rule == asked
    rows = "1 row" if asked.most == 1 else f"{asked.most} rows"
    label = f"Count at most {rows} of each"
    if not st.button(label, disabled=same):
        if not same:
            st.caption(f"Not taken over before you press “{label}”.")
        return not same
    try:
        with st.spinner("Choosing the rows that count …"):
            made = at_most(source, asked, kept, key=session.fingerprint_key())
    except DPCoreError as error:
        st.error(sentence_of(error))
        return True
    return keep(made, same_rows=before is not None, relation=NeighboringRelation.ADD_REMOVE)


def conditions_on(source: Dataset, dataset: Dataset) -> tuple[Condition, ...]:
    """Return the conditions that rows of ``source`` meet to be in a table of them."""
    if isinstance(dataset, CappedDataset):
        return dataset.conditions
    if isinstance(dataset, FilteredDataset) and dataset.source.frame is source.frame:
        return dataset.conditions
    return ()


def keep(
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
            earlier=declaring.look_up(dataset),
            start=terms.on_screen(same_rows=same_rows, relation=relation),
            file_format=None if current is None else current.file_format,
        )
    )
    st.rerun()
