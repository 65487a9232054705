"""Choosing what a made-up table shall keep, and planning the counts for it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import streamlit as st

from dpcore.analyses.request import Request
from dpcore.errors import ParameterError
from dpcore.formatting import significant
from dpcore.synthesis.questions import questions
from ui import controls, plans, session
from ui.study import Study

_ALONE: Final = "nothing: each column is counted by itself"
_HUB: Final = "every column with one of them"
_FIRST, _MOST_BINS = 5, 20


def offer(study: Study, *, opened: bool) -> None:
    """Offer to plan the counts that a made-up table is made from."""
    place = st.expander("Plan the counts that it is made from", expanded=opened, key="made-up-plan")
    with place:
        st.markdown(
            "Counts are the only thing that is asked of the table, and the only thing "
            "that costs. The made-up table itself costs nothing more, however many "
            "rows or copies of it are made."
        )
        try:
            _ask(study)
        except ParameterError as error:
            st.info(str(error), icon="✏️")


def _ask(study: Study) -> None:
    ready = [column for column in study.dataset.columns if column.is_declared]
    if not ready:
        st.info("No column has bounds or a list of answers yet; set them on Data.")
        st.page_link("pages/data.py", label="Go to Data")
        return
    study.terms.unit.check_one_row("a made-up table is")
    names = [study.dataset.short(column.name) for column in ready]
    chosen = st.multiselect(
        "Columns of the made-up table",
        range(len(names)),
        default=list(range(min(_FIRST, len(names)))),
        format_func=names.__getitem__,
        key=f"made-up-columns-{session.generation()}",
        persist_state="session",
        help="Those with bounds or a list of answers. What was never counted cannot be made up.",
    )
    first, second, third = controls.row((3, 1, 1))
    way = first.radio(
        "What shall hang together",
        [_HUB, _ALONE],
        key="made-up-ties",
        kept="table",
        note="With one of them, say pay with each of the others: each pair is counted "
        "in a cross table. What two others have in common is kept only as far as it "
        "comes through that one.",
    )
    bins = second.number("Bins of a number", 8, (2, _MOST_BINS), key="made-up-bins", kept="table")
    epsilon = third.number(
        "ε for all counts",
        1.0,
        (1e-6, 100.0, 0.1),
        key="made-up-epsilon",
        kept="table",
        note="In equal parts. It is charged when the plan is released. Where other "
        "questions are planned, all share the total that is set on Plan.",
    )
    hub = None
    if way == _HUB and len(chosen) > 1:
        place = controls.row((1, 2))[0].selectbox(
            "The one that all others are counted with",
            range(len(chosen)),
            format_func=[names[at] for at in chosen].__getitem__,
            key=f"made-up-hub-{session.generation()}",
            kept="session",
        )
        hub = ready[chosen[place]]
    asked = questions(
        [ready[at] for at in chosen],
        hub=hub,
        bins=bins,
        epsilon=epsilon,
        relation=study.terms.relation,
        unit=study.terms.unit,
        size=study.size,
    )
    _plan(asked, epsilon, study)


def _plan(asked: Sequence[Request], epsilon: float, study: Study) -> None:
    missing = [one for one in asked if plans.planned(study, one) is None]
    cells = sum(len(one.query.statistic.labels) for one in asked)
    width = float(max(one.plan.half_widths(0.95).max() for one in asked))
    st.caption(
        f"{len(asked)} questions with {cells} counts; a count would be off by at most "
        f"{significant(width)} in 95 of 100 answers. Fewer columns or a larger ε make "
        "it more exact; fewer bins make its cells fuller."
    )
    st.button(
        f"Add {len(missing)} questions to the plan" if missing else "All are planned",
        key="made-up-add",
        disabled=not missing,
        on_click=_add,
        args=(tuple(missing), epsilon),
        help="Spends nothing. Release them on Plan, and come back.",
    )
    if not missing:
        st.page_link("pages/plan.py", label="Release them on Plan")


def _add(requests: tuple[Request, ...], epsilon: float) -> None:
    """Plan the questions; a plan of nothing else has the total that was typed here."""
    study = session.study()
    alone = study is not None and not plans.plan(study).items
    for request in requests:
        plans.add(request)
    if alone:
        plans.share(epsilon)
