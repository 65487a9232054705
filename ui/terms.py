"""The terms of a study: who is protected against what, and what it all may cost."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import streamlit as st

from dpcore.budget import PrivacyBudget
from dpcore.figures.wording import epsilon_text
from dpcore.privacy.conversions import epsilon_of_rho
from dpcore.relations import NeighboringRelation, PrivacyUnit
from ui import session
from ui.asking import inputs

if TYPE_CHECKING:
    from streamlit.delta_generator import DeltaGenerator

_RELATIONS = {
    NeighboringRelation.SUBSTITUTION: "Substitution: a person's record is replaced; "
    "the number of people is public",
    NeighboringRelation.ADD_REMOVE: "Add/remove: a person is there or not; the number "
    "of people is private",
}
_PAIR, _RHO = "ε and δ", "ρ (zero-concentrated)"
_USUAL_MINIMUM = 100
_USUAL_EPSILON, _USUAL_DELTA = 3.0, 1e-5


@dataclass(frozen=True, slots=True, kw_only=True)
class Terms:
    """Public terms under which a table is used.

    Attributes:
        relation: Which tables count as neighbors.
        unit: Whom the guarantee protects.
        budget: What all releases together may cost.
        minimum_people: Stands in for the number of people where that is private.

    """

    relation: NeighboringRelation
    unit: PrivacyUnit
    budget: PrivacyBudget
    minimum_people: int


def usual(people: int, noun: str) -> Terms:
    """Return the terms that the controls start from, for a published number."""
    return Terms(
        relation=NeighboringRelation.SUBSTITUTION,
        unit=PrivacyUnit(noun=noun),
        budget=PrivacyBudget.of(epsilon=_USUAL_EPSILON, delta=_USUAL_DELTA),
        minimum_people=people,
    )


def ask(*, known_people: int | None, noun: str) -> Terms:
    """Show the controls of the terms; ``known_people`` is a published number."""
    left, right = st.columns(2)
    relation = left.radio(
        "Neighboring relation",
        list(_RELATIONS),
        format_func=_RELATIONS.__getitem__,
        key="relation",
        bind="query-params",
        help="What the guarantee hides: which record a person has, or whether the "
        "person is in the table at all.",
    )
    unit = _unit(right, noun)
    minimum = right.number_input(
        "Public minimum number of people",
        min_value=3,
        value=known_people or _USUAL_MINIMUM,
        key=f"minimum-{session.generation()}",
        persist_state="session",
        help="Used only where the number of people is private: with add/remove, or "
        "where people with a missing value are left out. Averages divide by at least "
        "this number. A larger one means less noise, and bias if fewer are there.",
    )
    return Terms(relation=relation, unit=unit, budget=_budget(), minimum_people=minimum)


def _unit(place: DeltaGenerator, noun: str) -> PrivacyUnit:
    whole = place.checkbox(
        f"Every row is one {noun}",
        value=True,
        key=f"whole-{session.generation()}",
        persist_state="session",
        help="The guarantee protects rows. If a person may own several, say how many.",
    )
    if whole:
        return PrivacyUnit(noun=noun)
    rows = place.number_input(
        f"Rows that one {noun} may own at most",
        min_value=2,
        value=2,
        key=f"rows-{session.generation()}",
        persist_state="session",
        help="A promise of yours, which cannot be checked here. Noise grows with it.",
    )
    return PrivacyUnit(noun=noun, rows=rows)


def _budget() -> PrivacyBudget:
    kind, first, second = st.columns(3)
    notion = kind.selectbox(
        "Budget counted in",
        [_PAIR, _RHO],
        key="notion",
        bind="query-params",
        help="All releases together are limited by the sums of ε and δ, or by the sum "
        "of ρ.",
    )
    if notion == _RHO:
        rho = first.number_input(
            "Privacy budget ρ",
            min_value=1e-12,
            max_value=1e4,
            value=0.1,
            format="%g",
            key="budget-rho",
            bind="query-params",
            help="Zero-concentrated privacy: costs simply add up, and many small "
            "releases cost less than with ε.",
        )
        reading = epsilon_text(epsilon_of_rho(rho, delta=1e-6))
        st.caption(f"All releases together: ρ {rho:g}, at most ε {reading} at δ 1e-6.")
        return PrivacyBudget.of(rho=rho)
    epsilon = first.number_input(
        "Privacy budget ε",
        min_value=1e-9,
        max_value=700.0,
        value=_USUAL_EPSILON,
        step=0.5,
        format="%g",
        key="budget",
        bind="query-params",
        help=inputs.EPSILON_HELP,
    )
    delta = second.number_input(
        "δ",
        min_value=0.0,
        max_value=0.1,
        value=_USUAL_DELTA,
        format="%g",
        key="budget-delta",
        bind="query-params",
        help=inputs.DELTA_HELP,
    )
    st.caption(f"All releases together: {inputs.odds(epsilon)}.")
    return PrivacyBudget.of(epsilon=epsilon, delta=delta)
