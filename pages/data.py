"""Data: choose a table, declare what is public about it, and set its budget."""

import streamlit as st

from dpcore.data.partitions.table import Table
from dpcore.data.preparation.steps import is_joined
from ui import places, session
from ui.asking import columns, finding, finding_labels, fit
from ui.data import (
    declaring,
    derived_columns,
    grid,
    privacy_units,
    row_conditions,
    same_people,
    terms,
    upload,
    using,
)
from ui.study import Draft
from ui.text import literal

places.begin("data")

upload.read_wanted()
current = session.draft() or session.study()
if current is None:
    st.markdown("Choose your data, declare public bounds, set the privacy budget.")
    session.tell_kept()
upload.show(current, using.forget)
if current is None:
    session.end_page()

drafted = isinstance(current, Draft)
keep = session.redraft if drafted else declaring.redeclare
dataset, wrong = grid.typed(current.dataset, keep)
reasons = [
    f"- **{literal(dataset.short(dataset.columns[at].name))}**: {literal(reason)}"
    for at, reason in wrong.items()
]
wrong = dict.fromkeys(wrong, "see below")
notice = session.notice()
place, actions = st.container(), st.container(horizontal=True, gap="xsmall", key="data-actions")
with actions:
    if st.button("Common bounds", help="Fill empty bounds by name, such as 0 to 100 for age."):
        grid.fill_common_bounds(dataset, keep)
        st.rerun()
    form = st.popover("Edit column", width="content", key="edit-column", on_change="rerun")
    edited: Table | None = dataset
    position = 0
    if columns.open_or_closing("edit-column", now=form.open):
        with form:
            position = columns.choose(dataset, every=True)
            edited = columns.declare(dataset, position, keep)
            kind = (edited or dataset).columns[position].kind
            if kind.is_numeric or kind.has_labels:
                fit.check(edited or dataset, position, codebook=current.example is not None)
    if edited is None:
        wrong[position] = "see Edit column"
    elif edited is not dataset:
        grid.begin_anew()
        if edited.columns[position].title != dataset.columns[position].title:
            # The list of columns was drawn before, with the name so far.
            st.rerun()
        dataset = edited
    current = session.draft() or session.require_study()
    declaration = st.popover("Declaration", key="declaration", on_change="rerun")
    if declaration.open:
        with declaration:
            grid.ask_declaration(dataset, keep)
            downloads = st.container()
    prepares = declaring.can_be_prepared(current)
    waiting: list[str] = []
    if prepares:
        derived_columns.ask(current)
        waiting += ["only some of the rows"] * row_conditions.ask(current)
    upload.offer_format(current)
with place:
    rows = st.container()
    if reasons:
        st.warning("\n".join(reasons))
    if notice is not None:
        st.info(notice)
    declaring.tell_steps(dataset)
    columns.tell_ending(dataset)
# Below the buttons, which it must not move from under a press.
if current.example is None:
    grid.ask_missing(dataset, keep)

with grid.drawn_last(rows, dataset, wrong):
    with st.container(horizontal=True, vertical_alignment="center", gap="small"):
        st.header("Privacy and budget")
        if prepares:
            waiting += ["several rows of one unit"] * privacy_units.ask(current)
        advanced = st.popover("Advanced")
    if prepares:
        privacy_units.warn(current)
    agreed = terms.ask(
        advanced,
        start=using.start(current),
        people=dataset.people,
        cap=dataset.cap,
        joined=is_joined(dataset),
        left_out=columns.left_out(dataset),
    )
    if declaration.open:
        with downloads:
            grid.offer_declaration(current, dataset, agreed)
    upload_drafted = drafted and current.example is None
    people = same_people.ask(dataset, agreed) if upload_drafted else None
    using.tell_mode(current)
    if waiting:
        st.warning(
            f"Not applied yet: **{' and '.join(waiting)}**. "
            "“Continue to Release” uses the table without it."
        )
    if not drafted:
        using.tell_not_in_force(agreed)
    account = finding.ask(dataset, current, agreed, keep)
    account = finding_labels.ask(dataset, current, agreed, keep) or account
    using.offer(
        dataset,
        current,
        agreed,
        people,
        wrong=[dataset.columns[one].name for one in wrong],
        account=account,
    )
    if not drafted:
        st.caption(f"{using.mode_text()}{using.in_force()}")
        using.tell_new_questions()
        upload.check_disclosure_risks()
