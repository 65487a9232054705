"""What is asked about the people of a table: public settings only."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Final

import streamlit as st

from dpcore.analyses.base import Request
from dpcore.planning.comparison import Option
from dpcore.relations import NeighboringRelation
from ui import controls, session
from ui.deciding.showing import sureness
from ui.offering import priced
from ui.study import Study

_WORLDS: Final = {
    NeighboringRelation.ADD_REMOVE: "the person had not been there",
    NeighboringRelation.SUBSTITUTION: "the person's record had been another",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """What is looked at. PUBLIC.

    Attributes:
        limit: What nobody should lose more than.
        relation: Which change of a record losses are about.
        by: The column that groups are compared by, if any.

    """

    limit: float
    relation: NeighboringRelation
    by: str | None


def ask(plan: Option, study: Study) -> Asked:
    """Show the controls, and return what is asked."""
    first, second = controls.row((1, 2))
    epsilon = plan.basket.planned
    limit = first.number(
        "Nobody should lose more than ε",
        round(epsilon / 2, 6) if 0 < epsilon < math.inf else 1.0,
        (0.0, None),
        key=f"touched-limit-{session.generation()}",
        kept="session",
        note=f"One {session.unit().noun}'s own ε: by what factor, e to its power, all "
        "answers together "
        f"can change the odds about this {session.unit().noun}. It starts from half of "
        "the plan's ε.",
    )
    pooled = any(
        isinstance(item.request, Request) and item.request.query.kind.pooled
        for item in plan.basket.items
    )
    usual = study.terms.relation if pooled else NeighboringRelation.ADD_REMOVE
    known = tuple(_WORLDS)
    relation = second.radio(
        "What if",
        known,
        index=known.index(usual),
        format_func=_WORLDS.__getitem__,
        key="touched-what-if",
        note=f"Compared with the table without the {session.unit().noun}, or with the "
        "most revealing "
        "other record. Compared with another record everybody could have been at the "
        f"far bound, so that {session.unit().nouns} differ less.",
    )
    choices = [
        column.name
        for column in study.dataset.columns
        if not column.kind.is_numeric and column.labels
    ]
    by = None
    if choices:
        shown = [study.dataset.short(name) for name in choices]
        place = controls.row((1, 2))[0].selectbox(
            "Compare groups by",
            range(len(choices)),
            index=None,
            format_func=shown.__getitem__,
            placeholder="a yes/no or category column",
            key=f"touched-groups-{session.generation()}",
            kept="session",
        )
        by = None if place is None else choices[place]
    return Asked(limit=limit, relation=relation, by=by)


def promise(plan: Option, study: Study) -> None:
    """Show what the plan promises everybody in any table. Public."""
    with controls.valid():
        cost = plan.price.cost
    first, second = st.columns(2)
    first.metric(
        "The plan promises everybody, in any table",
        priced(cost),
        help="Public: it depends on bounds and noise alone. Nobody in this table can "
        "lose more, for the change of a record that it promises to hide.",
    )
    second.metric(
        "An attacker who was 50 % sure becomes at most",
        sureness(plan),
        help="Public: how sure somebody who would have bet even odds on "
        f"{session.unit().indefinite} "
        "taking part can be after all answers, in the worst case.",
    )
    if study.terms.relation is not NeighboringRelation.ADD_REMOVE:
        st.caption(
            f"The promise is {study.terms.relation.comparison}. What "
            f"{session.unit().indefinite} "
            "loses by being there at all is another question; choose the same above to "
            "compare like with like."
        )
