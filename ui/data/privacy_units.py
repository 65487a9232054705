"""Whose row it is, where one person has several, and what counts of each person.

One row is made of them, or at most so many count. Here lies what else is made of the rows
of a table before it is put in use.
"""

from __future__ import annotations

from functools import partial

import streamlit as st

from dpcore.data.columns import TIES, Column, ColumnKind
from dpcore.data.dataset import Dataset
from dpcore.data.disclosure_risks import numbers_people
from dpcore.data.preparation.aggregation import (
    NOBODY,
    Derived,
    Ownerless,
    PeopleDataset,
    Preparation,
    Recipe,
    one_row_each,
    persons,
)
from dpcore.data.preparation.conditions import Condition, LabelCondition
from dpcore.data.preparation.contribution_bounds import CappedDataset, RowCap, at_most
from dpcore.errors import DPCoreError
from dpcore.formatting import capital
from dpcore.relations import NeighboringRelation
from ui import confidential, controls, session
from ui.data import contribution_limits, declaring, terms
from ui.data.row_conditions import condition, whole
from ui.study import Draft, Study
from ui.text import literal, sentence_of

# So many columns are filled in; more are chosen by hand.
_FILLED = 20
_LABELS = {
    Recipe.MEAN: "Mean",
    Recipe.SUM: "Sum",
    Recipe.MAXIMUM: "Maximum",
    Recipe.MINIMUM: "Minimum",
    Recipe.EARLIEST: "Earliest date",
    Recipe.LATEST: "Latest date",
    Recipe.FIRST: "First value",
    Recipe.LAST: "Last value",
    Recipe.MOST_FREQUENT: "Most frequent value",
    Recipe.DISTINCT: "Number of distinct values",
}
_NO_OWNER = (ColumnKind.DATE, ColumnKind.YES_NO)
_USUAL = Preparation(owners=("",))
_OWNERLESS = {Ownerless.DROP: "leave it out", Ownerless.ALONE: "treat it as a separate person"}

_ONE, _SEVERAL = "one row, computed from all rows", "their rows, up to a limit"
_USUAL_MOST = 5
_MOST = 1000


def ask(current: Draft | Study) -> bool:
    """Offer to make one row a person of an upload that has several.

    What is made is another table, not in use before it is accepted. Return whether it
    is chosen and not taken over.
    """
    dataset = whole(current.in_memory)
    made = dataset.preparation if isinstance(dataset, PeopleDataset) else None
    rule = dataset.rule if isinstance(dataset, CappedDataset) else None
    source = _source(dataset)
    form = st.popover(
        "Several rows of one unit", key=f"whose-rows-{session.generation()}", on_change="rerun"
    )
    waiting = False
    if not form.open:
        return waiting
    with form:
        st.caption(
            "A table of visits, say, has several rows of one patient. Choose the person ID "
            "column, and how the rows of each person are combined. "
            "The guarantee then protects a person with all rows together, however many."
        )
        asked = _form(source, made, rule)
        if isinstance(asked, RowCap):
            waiting = _offer_limit(source, asked, current.in_memory)
            kept = declaring.conditions_on(source, current.in_memory)
            contribution_limits.show(source, asked, kept)
        elif asked is not None:
            waiting = asked != made
            _offer(source, current.in_memory, asked, same=not waiting)
        done = made is not None or rule is not None
        if done and st.button("Treat every row as one person again"):
            declaring.keep_prepared(source)
    return waiting


def warn(current: Draft | Study) -> None:
    """Say what follows if every row is a person, and was not before, or may not be."""
    source = whole(current.in_memory)
    if isinstance(source, PeopleDataset | CappedDataset):
        return
    declared = declaring.look_up_steps(source)
    if declared is None or declared.steps.whose is None:
        _ask_owner(source)
        return
    owners, noun = literal(" and ".join(declared.steps.whose.owners)), terms.noun()
    st.warning(
        f"Each row is treated as one {noun}. A table with these columns was used with all rows of "
        f"each {owners} protected together. If one {noun} has several rows, only single "
        "rows are protected. Its loss is then up to that many times larger."
    )


def _ask_owner(source: Dataset) -> None:
    """Name the columns by whose headings one person may have several rows."""
    found = [one for one in source.columns if numbers_people(one.name)]
    owners = [one for one in found if one.kind not in _NO_OWNER]
    if not owners:
        return
    # A column without two equal values was proposed as an identifier.
    tell = st.caption if owners[0].kind is ColumnKind.IDENTIFIER else st.warning
    noun = terms.noun()
    tell(
        f"Each row is treated as one {noun}. If one {literal(owners[0].name)} can have several "
        "rows, choose it under “Several rows of one unit”. Otherwise only single rows are "
        "protected."
    )


def _offer(source: Dataset, dataset: Dataset, asked: Preparation, *, same: bool) -> None:
    """Offer to make one row a person: of all rows, whatever conditions hold now."""
    kept = declaring.conditions_on(source, dataset)
    if kept:
        texts = literal(" and ".join(one.text for one in kept))
        st.warning(
            f"“Only rows where {texts}” will hold no longer: one row a person is made "
            "of all rows of the person. Set a condition on what is made, or count "
            "“their rows, up to a limit”, which keeps it. Codes for “no answer” are "
            "left out under “Derived columns”."
        )
    if st.button("Combine the rows of each person", disabled=same):
        declaring.make(
            "Combining the rows of each person …",
            partial(one_row_each, source, asked),
            relation=NeighboringRelation.ADD_REMOVE,
        )


def _form(
    source: Dataset, made: Preparation | None, rule: RowCap | None
) -> Preparation | RowCap | None:
    """Show the controls; return what they say, ``None`` where that is no recipe."""
    # Streamlit keeps controls longer than the tab: they must not hold the table.
    names, key = list(source.header), session.generation()
    before = made or rule or _USUAL
    left, right = controls.row(2)
    owners = left.place.multiselect(
        "Person ID columns",
        names,
        default=[name for name in before.owners if name],
        placeholder="such as a patient's number",
        key=f"owners-{key}",
        persist_state="session",
        help="Rows with the same value are of one person. Of several columns, all have "
        "to be the same: a household in a village, a person on a day.",
    )
    if not owners:
        return None
    ownerless = right.selectbox(
        "Rows without a person ID",
        list(Ownerless),
        index=list(Ownerless).index(before.ownerless),
        format_func=_OWNERLESS.__getitem__,
        key=f"ownerless-{key}",
        kept="session",
    )
    confidential.area(
        "telling-apart",
        "whether this column identifies people",
        partial(_show_owners, source, tuple(owners), ownerless),
        ready=False,
    )
    if _ask_way(rule):
        return _ask_limit(tuple(owners), ownerless, rule)
    derived = [one for recipe in _LABELS for one in _derived(source, recipe, owners, made, key)]
    conditions = st.container()
    count = st.checkbox(
        "Number of rows of the person",
        value=made is None or made.count,
        key=f"rows-of-each-{key}",
        persist_state="session",
    )
    st.caption(
        "Missing values do not count. “First” and “last” follow the order of the file. "
        "A value taken from one row and a mean keep the bounds of their column. Then declare "
        "the bounds of sums in the list of columns. The number of people starts as private "
        "(add/remove). Choose substitution under “Privacy and budget” if it is public."
    )
    try:
        with conditions:
            derived += _ask_any(source, owners, made)
        return Preparation(
            owners=tuple(owners), derived=tuple(derived), count=count, ownerless=ownerless
        )
    except DPCoreError as error:
        st.error(sentence_of(error))
        return None


def _derived(
    source: Dataset, recipe: Recipe, owners: list[str], made: Preparation | None, key: int
) -> list[Derived]:
    """Ask of which columns a recipe is made."""
    usable = [
        column
        for column in source.columns
        if column.name not in owners and recipe.suits(column.kind)
    ]
    if not usable:
        return []
    if made is not None:
        start = [one.column for one in made.derived if one.recipe is recipe]
    else:
        start = [one.name for one in usable if _usual(one.kind) is recipe][:_FILLED]
    names = [column.name for column in usable]
    chosen = st.multiselect(
        _LABELS[recipe],
        names,
        default=[name for name in start if name in names],
        placeholder="no column",
        key=f"{recipe}-{key}-{hash(tuple(names))}",
        persist_state="session",
    )
    if chosen and recipe is Recipe.MOST_FREQUENT:
        st.caption(
            f"{capital(TIES)}. If ties are common, the shares of labels mislead. Then use “Any row "
            "that meets a condition”."
        )
    return [Derived(recipe=recipe, column=name) for name in chosen]


def _usual(kind: ColumnKind) -> Recipe:
    if kind is ColumnKind.DATE:
        return Recipe.EARLIEST
    return Recipe.MEAN if kind.is_numeric else Recipe.MOST_FREQUENT


def _source(dataset: Dataset) -> Dataset:
    if isinstance(dataset, CappedDataset):
        return dataset.undone()
    return dataset.source if isinstance(dataset, PeopleDataset) else dataset


def _ask_any(source: Dataset, owners: list[str], made: Preparation | None) -> list[Derived]:
    """Ask which columns have such a condition, and for each of them which.

    Raises:
        ParameterError: What is typed is no condition.

    """
    usable = {
        column.name: column
        for column in source.columns
        if column.name not in owners
        and Recipe.ANY.suits(column.kind)
        and column.kind is not ColumnKind.DATE
    }
    if not usable:
        return []
    kept = {
        one.column: one.condition
        for one in (() if made is None else made.derived)
        if one.condition is not None
    }
    names = list(usable)
    generation = session.generation()
    chosen = st.multiselect(
        "Any row that meets a condition",
        names,
        default=[name for name in kept if name in names],
        placeholder="no column",
        key=f"any-{generation}-{hash(tuple(names))}",
        persist_state="session",
        help="Yes for a person with at least one such row, such as a positive test. "
        "The condition becomes public.",
    )
    return [
        Derived(
            recipe=Recipe.ANY,
            column=name,
            condition=condition(
                usable[name],
                f"any-{generation}-{names.index(name)}",
                _start(usable[name], kept.get(name)),
            ),
        )
        for name in chosen
    ]


def _start(column: Column, kept: Condition | None) -> tuple[Condition, ...]:
    """Return the condition that the controls start with: yes, where that is a label."""
    if kept is not None:
        return (kept,)
    if column.kind is ColumnKind.YES_NO:
        return (LabelCondition(column=column.name, labels=column.labels[1:]),)
    return ()


def _ask_way(rule: RowCap | None) -> bool:
    """Ask what counts of each person; return whether rows do, at most so many."""
    way = controls.HERE.radio(
        "What is used of each person",
        [_ONE, _SEVERAL],
        index=int(rule is not None),
        key=f"way-of-rows-{session.generation()}",
        kept="session",
        note="One row: every person has the same weight, and all questions are available. Rows: "
        "answers are about visits, not patients. Patients with more rows have more weight, up to "
        "the limit.",
    )
    return way == _SEVERAL


def _ask_limit(owners: tuple[str, ...], ownerless: Ownerless, rule: RowCap | None) -> RowCap:
    """Ask how many rows of each person count at most."""
    whose = literal(" and ".join(owners))
    most = controls.HERE.number(
        f"At most so many rows of each {whose} count",
        _USUAL_MOST if rule is None else rule.most,
        (1, _MOST),
        key=f"row-cap-{session.generation()}",
        kept="session",
        note="The rows of each person are sampled by a secret key, independently of other "
        "people and of the file order. The same file always gives the same rows.",
    )
    st.caption(
        f"The guarantee protects each {whose} with all rows together: one can change {most} "
        "rows. Noise grows with the limit; a low one leaves rows out. Counts, sums, means, "
        "shares and histograms can be asked, of all rows or by group; how many rows there are "
        "is private."
    )
    return RowCap(owners=owners, most=most, ownerless=ownerless)


def _offer_limit(source: Dataset, asked: RowCap, dataset: Dataset) -> bool:
    """Offer to count at most so many rows; conditions that hold now stay.

    Return whether it is chosen and not taken over.
    """
    before = dataset if isinstance(dataset, CappedDataset) else None
    kept = declaring.conditions_on(source, dataset)
    same = before is not None and before.rule == asked
    rows = "1 row" if asked.most == 1 else f"{asked.most} rows"
    label = f"Count at most {rows} of each"
    if not st.button(label, disabled=same):
        if not same:
            st.caption(f"Not applied until you press “{label}”.")
        return not same
    declaring.make(
        "Sampling the rows that count …",
        lambda: at_most(source, asked, kept, key=session.fingerprint_key()),
        same_rows=before is not None,
        relation=NeighboringRelation.ADD_REMOVE,
    )
    return True


def _show_owners(source: Dataset, owners: tuple[str, ...], ownerless: Ownerless) -> None:
    """Offer to look whether rows say that they are of several people. CONFIDENTIAL."""
    about = f"{session.generation()} {id(source.frame)} {owners} {ownerless}"
    people, rows = session.remember(
        "telling-apart", about, lambda: _counted(source, owners, ownerless)
    )
    whose = literal(" and ".join(owners))
    if not people:
        st.warning(f"No row has a value of {whose}.")
    elif people == 1:
        st.warning(
            f"All rows have the same {whose}: they would be one person. Choose the person ID "
            "column."
        )
    elif people == rows:
        st.warning(
            f"No two rows have the same {whose}. It may number visits and not "
            "patients: then only single rows are protected."
        )
    else:
        st.caption(f"Rows with a person ID: {rows:,}. People: {people:,}.")


def _counted(source: Dataset, owners: tuple[str, ...], ownerless: Ownerless) -> tuple[int, int]:
    """Return how many people there are, and how many rows say that they are theirs."""
    person = persons(source, owners, ownerless)
    return int(person.max(initial=NOBODY)) + 1, int((person > NOBODY).sum())
