"""Whose row it is, where one person has several: one row a person is made of them."""

from __future__ import annotations

import streamlit as st

from dpcore.data.columns import ColumnKind
from dpcore.data.dataset import Dataset
from dpcore.data.preparation.aggregation import (
    Derived,
    PeopleDataset,
    Preparation,
    Recipe,
    one_row_each,
)
from dpcore.data.preparation.contribution_bounds import CappedDataset, RowCap
from dpcore.data.preparation.identifiers import Ownerless
from dpcore.errors import DPCoreError
from dpcore.relations import NeighboringRelation
from ui import controls, session
from ui.data import capping, declaring, ever, limits, telling_apart
from ui.data.filtering import whole
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
_USUAL = Preparation(owners=("",))
_OWNERLESS = {Ownerless.DROP: "leave it out", Ownerless.ALONE: "count it as a person of its own"}


def ask(current: Draft | Study) -> bool:
    """Offer to make one row a person of an upload that has several.

    What is made is another table, not in use before it is accepted. Return whether it
    is chosen and not taken over.
    """
    if current.example is not None:
        return False
    dataset = whole(current.in_memory)
    made = dataset.preparation if isinstance(dataset, PeopleDataset) else None
    rule = dataset.rule if isinstance(dataset, CappedDataset) else None
    source = _source(dataset)
    if made is not None:
        st.markdown(f"**Made of several rows a person:** {literal(made.describe())}.")
    if rule is not None:
        st.markdown(f"**Several rows a person:** {literal(rule.describe())}.")
    if made is None and rule is None:
        st.caption(
            "So far every row counts as one person: where this page says “people”, it "
            "means rows. If one person has several, say below whose they are."
        )
        _warn(source)
    form = st.expander(
        "Several rows of one person",
        expanded=made is not None or rule is not None,
        key=f"whose-rows-{session.generation()}",
        on_change="rerun",
    )
    asked: Preparation | RowCap | None = None
    waiting = False
    if not form.open:
        return waiting
    with form:
        st.caption(
            "A table of visits, say, has several rows of one patient. Choose the "
            "column that says whose row it is, and what is made of the rows of each. "
            "The guarantee then protects a person with all rows together, however many."
        )
        asked = _form(source, made, rule)
        if isinstance(asked, RowCap):
            waiting = capping.offer(source, asked, current.in_memory)
        elif asked is not None:
            waiting = asked != made
            _offer(source, current.in_memory, asked, same=not waiting)
        done = made is not None or rule is not None
        if done and st.button("Take every row as one person again"):
            capping.keep(source)
    # Its figure has a folded part, which has no place in another.
    if isinstance(asked, RowCap):
        limits.show(source, asked, capping.conditions_on(source, current.in_memory))
    return waiting


def _warn(source: Dataset) -> None:
    """Say what follows if every row is a person, and was not before."""
    declared = declaring.look_up_steps(source)
    if declared is None or declared.steps.whose is None:
        return
    owners = literal(" and ".join(declared.steps.whose.owners))
    st.warning(
        "Every row counts as one person here. A table with these columns was used with "
        f"all rows of each {owners} protected together. If one has several rows, used "
        "like this only single rows are protected: somebody loses up to as many times "
        "as much as the budget says, on the same account."
    )


def _offer(source: Dataset, dataset: Dataset, asked: Preparation, *, same: bool) -> None:
    """Offer to make one row a person: of all rows, whatever conditions hold now."""
    kept = capping.conditions_on(source, dataset)
    if kept:
        texts = literal(" and ".join(one.text for one in kept))
        st.warning(
            f"“Only rows where {texts}” will hold no longer: one row a person is made "
            "of all rows of the person. Set a condition on what is made, or count "
            "“their rows, at most so many”, which keeps it. Codes for “no answer” are "
            "left out under “New columns”."
        )
    if st.button("Make one row a person", disabled=same):
        _make(source, asked)


def _form(
    source: Dataset, made: Preparation | None, rule: RowCap | None
) -> Preparation | RowCap | None:
    """Show the controls; return what they say, ``None`` where that is no recipe."""
    # Streamlit keeps controls longer than the tab: they must not hold the table.
    names, key = list(source.header), session.generation()
    before = made or rule or _USUAL
    left, right = controls.row(2)
    owners = left.place.multiselect(
        "Columns that name the owner of a row",
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
        "Rows without an owner",
        list(Ownerless),
        index=list(Ownerless).index(before.ownerless),
        format_func=_OWNERLESS.__getitem__,
        key=f"ownerless-{key}",
        kept="session",
    )
    telling_apart.show(source, tuple(owners), ownerless)
    if capping.ask_way(rule):
        return capping.ask(tuple(owners), ownerless, rule)
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
        "Of equally frequent values, the least or the first in the alphabet is taken. "
        "A value taken from one row keeps the bounds of its column. Declare the bounds "
        "of sums and means below. The number of people starts as private (add/remove). "
        "Choose substitution below if it is public."
    )
    try:
        with conditions:
            derived += ever.ask(source, owners, made)
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
    return [Derived(recipe=recipe, column=name) for name in chosen]


def _usual(kind: ColumnKind) -> Recipe:
    if kind is ColumnKind.DATE:
        return Recipe.EARLIEST
    return Recipe.MEAN if kind.is_numeric else Recipe.MOST_FREQUENT


def _source(dataset: Dataset) -> Dataset:
    if isinstance(dataset, CappedDataset):
        return dataset.undone()
    return dataset.source if isinstance(dataset, PeopleDataset) else dataset


def _make(source: Dataset, preparation: Preparation) -> None:
    try:
        with st.spinner("Putting together the rows of each person …"):
            made = one_row_each(source, preparation)
    except DPCoreError as error:
        st.error(sentence_of(error))
        return
    capping.keep(made, relation=NeighboringRelation.ADD_REMOVE)
