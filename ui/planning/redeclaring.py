"""Questions of the plan that the table as declared now would make other ones.

They are never changed silently: what differs is listed, and one press takes it over.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import streamlit as st

from dpcore.planning.analysis_plan import AnalysisPlan
from dpcore.planning.redeclared import RedeclaredQuery, changes
from dpcore.releases.record import Release
from ui import plans, session
from ui.study import Study
from ui.text import literal

_SHOWN: Final = 5
"""How many changed questions are listed."""


def show(basket: AnalysisPlan, study: Study, known: Sequence[Release | None]) -> None:
    """Say which questions without a ``known`` answer are about an earlier declaration.

    What has its answer stays as it was asked.
    """
    pairs = zip(basket.items, known, strict=True)
    open_items = [item for item, answer in pairs if answer is None]
    found = changes(open_items, plans.declared(study))
    if not found:
        return
    with st.container(border=True, key="plan-declared-before"):
        st.warning(
            f"The declaration changed since {len(found)} of {len(open_items)} questions were "
            "planned. They are asked as planned until you update them."
        )
        more = len(found) - _SHOWN
        listed = [f"- {_said(one)}" for one in found[:_SHOWN]]
        st.markdown("\n".join([*listed, f"- and {more} more"] if more > 0 else listed))
        if any(one.now is not None for one in found):
            st.button(
                "Update to the current declaration",
                key="plan-follow",
                on_click=plans.follow,
                args=(found,),
                help="Names, weights, locks, ε and targets stay. It spends nothing.",
            )


def offer_earlier(study: Study) -> None:
    """Offer the plans of the other tables of these people, while there is none here."""
    earlier = plans.of_other_tables(study)
    if not earlier:
        return
    with st.container(border=True, key="plan-earlier"):
        st.markdown(
            f"**These {session.unit().nouns} have a plan for another dataset.** Its questions "
            "share what is left of the budget, unlocked."
        )
        for place, (name, basket) in enumerate(earlier):
            count = len(basket.items)
            st.button(
                f"Use the plan of “{literal(name)}” ({count} question{'s' if count > 1 else ''})",
                key=f"plan-earlier-{place}",
                on_click=plans.take_over,
                args=(basket,),
            )


def _said(one: RedeclaredQuery) -> str:
    told = literal("; ".join(one.told))
    name = f"**{literal(one.item.name)}**"
    if one.now is None:
        return f"{name} does not fit this dataset: {told}. Remove it, or add it again."
    return f"{name}: {told}."
