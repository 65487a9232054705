"""Questions of the plan that the table as declared now would make other ones.

They are never changed silently: what differs is listed, and one press takes it over.
"""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from dpcore.planning.analysis_plan import AnalysisPlan
from dpcore.planning.redeclared import RedeclaredQuery, changes
from dpcore.releases.record import Release
from ui import plans, session
from ui.study import Study
from ui.text import literal


def show(basket: AnalysisPlan, study: Study, known: Sequence[Release | None]) -> None:
    """Say which questions without a ``known`` answer are about an earlier declaration.

    What has its answer stays as it was asked.
    """
    pairs = zip(basket.items, known, strict=True)
    open_items = [item for item, answer in pairs if answer is None]
    found = changes(open_items, plans.declared(study))
    if not found:
        return
    many = f"{len(found)} of {len(open_items)} questions were"
    if len(open_items) == 1:
        many = "the question was"
    with st.container(border=True, key="plan-declared-before"):
        st.warning(
            f"**What is declared has changed since {many} planned.** Until you say "
            "otherwise, it is asked as planned, and errors are those of then."
        )
        st.markdown("\n".join(f"- {_said(one)}" for one in found))
        if any(one.now is not None for one in found):
            st.button(
                "Plan with what is declared now",
                key="plan-follow",
                on_click=_follow,
                args=(found,),
                help="Names, weights, locks, ε, and what must be seen stay. Errors and "
                "prices become those of what is declared now. It spends nothing.",
            )


def offer_earlier(study: Study) -> None:
    """Offer the plans of the other tables of these people, while there is none here."""
    earlier = plans.of_other_tables(study)
    if not earlier:
        return
    with st.container(border=True, key="plan-earlier"):
        st.markdown(
            f"**These {session.unit().nouns} have been asked before.** Take a plan "
            "over, and its "
            "questions are asked of this table, as it is declared now. They share what "
            "is left of the account; a question that kept its ε there keeps none here: "
            "lock it anew if it shall."
        )
        for place, (name, basket) in enumerate(earlier):
            count = len(basket.items)
            st.button(
                f"Take over the plan of “{literal(name)}” ({count} "
                f"question{'s' if count > 1 else ''})",
                key=f"plan-earlier-{place}",
                on_click=_take_over,
                args=(basket,),
                help="Questions, names, weights, and what must be seen. Its total is "
                "what is left of the account, and no ε is locked. It spends nothing.",
            )


def _said(one: RedeclaredQuery) -> str:
    told = literal("; ".join(one.told))
    name = f"**{literal(one.item.name)}**"
    if one.now is None:
        return f"{name} cannot be asked of it: {told}. Take it out, or add it anew."
    return f"{name}: {told}."


def _follow(found: Sequence[RedeclaredQuery]) -> None:
    study = session.study()
    if study is not None:
        plans.follow(study, found)


def _take_over(basket: AnalysisPlan) -> None:
    study = session.study()
    if study is not None:
        plans.take_over(study, basket)
