"""The terms of a study: who is protected against what, and what it all may cost."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import streamlit as st

from dpcore.budget_filter import PrivacyBudget
from dpcore.figures.attackers import odds_text
from dpcore.privacy.conversions import epsilon_of_rho
from dpcore.relations import NeighboringRelation, PrivacyUnit
from dpcore.wording import epsilon_text, in_full
from ui import controls, session
from ui.study import Terms
from ui.text import literal

if TYPE_CHECKING:
    from collections.abc import Sequence

    from dpcore.releases.declarations import Declaration

_RELATIONS = {
    NeighboringRelation.SUBSTITUTION: "Substitution: a person's record is replaced; "
    "the number of people is public",
    NeighboringRelation.ADD_REMOVE: "Add/remove: a person is there or not; the number "
    "of people is private",
}
_SAMPLE = "a sample of the people it is about"
_EVERYBODY = "everybody it is about"
_RELATION = "relation"
_PAIR, _RHO = "ε and δ", "ρ (zero-concentrated)"
_USUAL_MINIMUM = 100
_USUAL_EPSILON, _USUAL_DELTA = 3.0, 1e-5
# Above it, somebody who was torn between two possibilities is right 98 times in 100.
_WEAK_EPSILON = 4.0


_WHY = (
    f"ε {_USUAL_EPSILON:g} is a start, not a recommendation: it pays for six questions "
    "at ε 0.5 each, and stays below the 4 from which this page calls a budget large. "
    "“Plan” shows what less would do; ask for no more than what must be seen needs."
)


def usual(people: int | None, noun: str) -> Terms:
    """Return the terms that the controls start from.

    ``people`` is a published number, or ``None`` where it is not public.
    """
    return Terms(
        relation=NeighboringRelation.SUBSTITUTION,
        unit=PrivacyUnit(noun=noun),
        budget=PrivacyBudget.of(epsilon=_USUAL_EPSILON, delta=_USUAL_DELTA),
        minimum_people=people or _USUAL_MINIMUM,
    )


def of(declared: Declaration) -> Terms:
    """Return the terms that were declared before, with the usual budget."""
    return Terms(
        relation=declared.relation,
        unit=PrivacyUnit(rows=declared.rows),
        budget=usual(declared.minimum_people, "person").budget,
        minimum_people=declared.minimum_people,
        everybody=declared.everybody,
    )


def on_screen(*, minimum: bool) -> Terms:
    """Return what was said so far of a table, for another form of the same one.

    ``minimum``: whether as many rows or people are left, so that their public minimum
    holds, too.
    """
    begun = usual(None, "person")
    number = session.public(_minimum_key())
    if not (minimum and isinstance(number, int)):
        number = begun.minimum_people
    everybody = session.public(_holds_key()) == _EVERYBODY
    return replace(begun, minimum_people=number, everybody=everybody)


def _minimum_key() -> str:
    return f"minimum-{session.generation()}"


def _holds_key() -> str:
    return f"holds-{session.generation()}"


def differences(typed: Terms, in_force: Terms) -> list[tuple[str, str, str]]:
    """Return what differs, what was typed, and what is in force, in words."""
    words = zip(_words(typed), _words(in_force), strict=True)
    return [(what, now, then) for (what, now), (_, then) in words if now != then]


def _words(terms: Terms) -> tuple[tuple[str, str], ...]:
    return (
        ("neighboring relation", terms.relation.phrase),
        (f"rows of one {terms.unit.noun}", f"at most {terms.unit.rows}"),
        ("public minimum", f"{terms.minimum_people:,}"),
        ("the table holds", _EVERYBODY if terms.everybody else _SAMPLE),
        ("budget", terms.budget.describe()),
    )


def set_relation(relation: NeighboringRelation) -> None:
    """Set the control of the relation, before it is shown."""
    session.set_public(_RELATION, relation)


def ask(
    *, start: Terms, people: int, cap: int | None = None, left_out: Sequence[str] = ()
) -> Terms:
    """Show the controls of the terms, which begin where ``start`` says.

    ``people`` is how many are in the table. ``cap`` is how many rows of one person
    count at most, where a column says whose. ``left_out`` names the columns of which
    people without a value are left out.
    """
    left, right = controls.row(2)
    relation = left.place.radio(
        "Neighboring relation",
        list(_RELATIONS),
        format_func=_RELATIONS.__getitem__,
        key=_RELATION,
        bind="query-params",
        help="What the guarantee hides: which record a person has, or whether the "
        "person is in the table at all.",
    )
    left.place.caption(
        "Does being in the table give something away? Of a list of patients it does: "
        "add/remove. Of a workforce that everybody knows it does not: substitution."
    )
    unit = _unit(right, start.unit, cap)
    minimum = right.number(
        f"Public minimum number of {unit.counted}",
        start.minimum_people,
        (3, None),
        key=_minimum_key(),
        kept="session",
        note="Used only where the number of people is private: with add/remove, where "
        "people with a missing value are left out, or where a person may own several "
        "rows (then it is one of rows). Averages divide by at least this number. A "
        "larger one means less noise, and bias if fewer are there.",
    )
    if relation is NeighboringRelation.SUBSTITUTION and not unit.several:
        right.place.caption(
            "Not used so far: with substitution the number of people is public. It "
            "counts only where people without a value are left out."
            if not left_out
            else f"Used for questions about {literal(', '.join(left_out))}: people "
            "without a value are left out there, so that their number is private, and "
            f"averages over all of them divide by at least {minimum:,}, as papers say. "
            "A group's average divides by the group's own released size."
        )
    everybody = left.place.radio(
        "The table holds",
        [_SAMPLE, _EVERYBODY],
        index=int(start.everybody),
        key=_holds_key(),
        persist_state="session",
        help="A sample differs by chance from the population that it was drawn from, "
        "and answers are given with that sampling error, too. Everybody, such as a "
        "complete workforce, is no sample: then noise is the only chance in an answer.",
    )
    left.place.caption(
        "Where several rows of a person count, answers are about this table alone, "
        "whatever is chosen here."
        if cap is not None
        else "If in doubt, leave “a sample”: every answer then has a second, wider "
        "interval, for all whom the sample stands for; that for the table itself is "
        "the same either way. A complete list, as of a whole workforce, is “everybody”."
    )
    with controls.valid():
        budget = _budget(f"{people:,} {unit.counted}", people)
    return Terms(
        relation=relation,
        unit=unit,
        budget=budget,
        minimum_people=minimum,
        everybody=everybody == _EVERYBODY,
    )


def _unit(cell: controls.Cell, start: PrivacyUnit, cap: int | None) -> PrivacyUnit:
    noun = start.noun
    if cap is not None:
        counts = "1 counts" if cap == 1 else f"{cap} count"
        cell.place.markdown(
            f"**Protected is one {noun} with all rows**, of which at most {counts}."
        )
        return PrivacyUnit(noun=noun, cap=cap)
    whole = cell.place.checkbox(
        f"Every row is one {noun}",
        value=start.rows == 1,
        key=f"whole-{session.generation()}",
        persist_state="session",
        help="The guarantee protects rows. If a person may own several, say how many.",
    )
    if whole:
        return PrivacyUnit(noun=noun)
    rows = cell.number(
        f"Rows that one {noun} may own at most",
        max(start.rows, 2),
        (2, None),
        key=f"rows-{session.generation()}",
        kept="session",
        note="A promise of yours, which cannot be checked here. Noise grows with it. "
        "How many rows somebody owns is protected, too: a person may own none, one or "
        "as many, so that the number of rows of the table is private.",
    )
    return PrivacyUnit(noun=noun, rows=rows)


def _budget(crowd: str, people: int) -> PrivacyBudget:
    """Show the controls of the budget, for a ``crowd`` of so many people.

    Raises:
        ParameterError: It cannot be agreed.

    """
    kind, first, second = controls.row(3)
    notion = kind.selectbox(
        "Budget counted in",
        [_PAIR, _RHO],
        key="notion",
        note="All releases together are limited by the sums of ε and δ, or by the sum "
        "of ρ.",
    )
    if notion == _RHO:
        rho = first.charged(
            "Privacy budget ρ",
            0.1,
            (1e-12, 1e4),
            key="budget-rho",
            note="Zero-concentrated privacy: costs simply add up, and many small "
            "releases cost less than with ε.",
        ).inside
        reading = epsilon_of_rho(rho, delta=1e-6)
        st.caption(
            f"All releases together: ρ {in_full(rho)}, at most ε "
            f"{epsilon_text(reading)} at δ 1e-6."
        )
        _warn(reading)
        return PrivacyBudget.of(rho=rho)
    typed = (
        first.charged_epsilon(
            "Privacy budget ε", _USUAL_EPSILON, (1e-9, 700.0, 0.5), key="budget"
        ),
        second.charged_delta("δ", _USUAL_DELTA, (0.0, 0.1), key="budget-delta"),
    )
    epsilon, delta = (one.inside for one in typed)
    st.caption(f"All releases together: {odds_text(epsilon, delta)}.")
    if epsilon == _USUAL_EPSILON:
        st.caption(_WHY)
    _warn(epsilon)
    if delta * people >= 1:
        st.warning(
            f"δ {in_full(delta)} is much for {crowd}: even a release that gave away "
            f"the whole records of about {delta * people:,.0f} of them would "
            f"keep this promise. Choose it far below 1 in {people:,}."
        )
    return PrivacyBudget.of(epsilon=epsilon, delta=delta)


def _warn(epsilon: float) -> None:
    """Say of a large budget that it protects little once it is spent."""
    if epsilon > _WEAK_EPSILON:
        st.warning(
            "A large budget. Once it is spent, somebody who was torn between two "
            "possibilities about a person may be nearly sure which is true. “Meaning” "
            "shows it in odds, and beside what others have chosen."
        )
