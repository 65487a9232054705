"""The terms of a study: who is protected against what, and what it all may cost."""

from __future__ import annotations

import contextlib
from collections.abc import Sequence
from dataclasses import replace

import streamlit as st

from dpcore.errors import ParameterError
from dpcore.figures.attackers import odds_text
from dpcore.formatting import epsilon_text, in_full, plural_of
from dpcore.privacy.conversions import epsilon_of_rho
from dpcore.privacy_filter import PrivacyBudget
from dpcore.relations import NeighboringRelation, PrivacyUnit
from dpcore.releases.declarations import Declaration
from ui import controls, session
from ui.study import AccountTerms
from ui.text import literal

_RELATIONS = {
    NeighboringRelation.SUBSTITUTION: "Substitution",
    NeighboringRelation.ADD_REMOVE: "Add/remove",
}
_IN_OLDER_LINKS = {
    "Substitution: a person's record is replaced; the number of people is public": (
        NeighboringRelation.SUBSTITUTION
    ),
    "Add/remove: a person is there or not; the number of people is private": (
        NeighboringRelation.ADD_REMOVE
    ),
}
_SAMPLE = "a sample"
_EVERYBODY = "the whole population (census)"
_RELATION = "relation"
_SUGGESTED = "person, household, patient, visit, employee, student, person-year"
_PAIR, _RHO = "ε and δ", "ρ (zero-concentrated)"
_USUAL_MINIMUM = 100
_USUAL_EPSILON, _USUAL_DELTA = 3.0, 1e-5
# Above it, somebody who was torn between two possibilities is right 98 times in 100.
_WEAK_EPSILON = 4.0


_WHY = (
    f"ε = {_USUAL_EPSILON:g} is a start, not a recommendation: it pays for six questions "
    "at ε = 0.5 each, and stays below the 4 from which this page calls a budget large. "
    "“Plan” shows what less would do; ask for no more than what must be seen needs."
)


def usual(people: int | None, unit: PrivacyUnit) -> AccountTerms:
    """Return the terms that the controls start from.

    ``people`` is a published number, or ``None`` where it is not public. ``unit`` is
    what one row describes.
    """
    return AccountTerms(
        relation=NeighboringRelation.SUBSTITUTION,
        unit=unit,
        budget=PrivacyBudget.of(epsilon=_USUAL_EPSILON, delta=_USUAL_DELTA),
        minimum_people=people or _USUAL_MINIMUM,
    )


def of(declared: Declaration) -> AccountTerms:
    """Return the terms that were declared before, with the usual budget."""
    return AccountTerms(
        relation=declared.relation,
        unit=declared.unit,
        budget=usual(declared.minimum_people, declared.unit).budget,
        minimum_people=declared.minimum_people,
        everybody=declared.everybody,
    )


def on_screen(*, same_rows: bool, relation: NeighboringRelation | None = None) -> AccountTerms:
    """Return what was said so far of a table, for another form of the same one.

    ``same_rows`` says whether a row describes the same as before, so that its name and
    the public minimum hold, too. ``relation`` is the one to be chosen; without it, the
    one on screen stays.
    """
    unit, minimum = PrivacyUnit(), session.public(_minimum_key())
    if same_rows:
        noun, plural = (str(session.public(key) or "") for key in _name_keys())
        with contextlib.suppress(ParameterError):
            unit = PrivacyUnit(noun=noun.strip() or unit.noun, plural=plural.strip())
    begun = usual(minimum if same_rows and isinstance(minimum, int) else None, unit)
    chosen = relation or session.public(_RELATION) or begun.relation
    return replace(
        begun,
        relation=NeighboringRelation(str(chosen)),
        everybody=session.public(_holds_key()) == _EVERYBODY,
    )


def _name_keys() -> tuple[str, str]:
    return f"row-{session.generation()}", f"rows-named-{session.generation()}"


def _minimum_key() -> str:
    return f"minimum-{session.generation()}"


def _holds_key() -> str:
    return f"holds-{session.generation()}"


def differences(typed: AccountTerms, in_force: AccountTerms) -> list[tuple[str, str, str]]:
    """Return what differs, what was typed, and what is in force, in words."""
    words = zip(_words(typed), _words(in_force), strict=True)
    return [(what, now, then) for (what, now), (_, then) in words if now != then]


def _words(terms: AccountTerms) -> tuple[tuple[str, str], ...]:
    return (
        ("name of one row", f"{terms.unit.noun}, plural {terms.unit.nouns}"),
        ("neighboring relation", terms.relation.value),
        ("rows of one privacy unit", f"at most {terms.unit.rows}"),
        ("public minimum", f"{terms.minimum_people:,}"),
        ("the data are", _EVERYBODY if terms.everybody else _SAMPLE),
        ("budget", terms.budget.describe()),
    )


def ask(
    *, start: AccountTerms, people: int, cap: int | None = None, left_out: Sequence[str] = ()
) -> AccountTerms:
    """Show the controls of the terms, which begin where ``start`` says.

    ``people`` is how many are in the table. ``cap`` is how many rows of one unit count
    at most, where a column says whose. ``left_out`` names the columns whose missing
    values are left out.
    """
    with controls.valid():
        named = _name(start.unit, several=cap is not None)
    left, right = controls.row(2)
    controls.read_older(_RELATION, _IN_OLDER_LINKS)
    relation = left.radio(
        "Neighboring relation",
        list(_RELATIONS),
        index=list(_RELATIONS).index(start.relation),
        format_func=_RELATIONS.__getitem__,
        horizontal=False,
        key=_RELATION,
        kept="table",
        note="What the guarantee hides. Substitution hides which record a privacy unit "
        "has. Add/remove also hides whether it is in the table.",
    )
    explained = left.place.empty()
    left.place.caption(
        "Is membership itself sensitive, as in a list of patients? Use add/remove. Is "
        "membership public, as of staff? Use substitution."
    )
    unit = _unit(right, named, start.unit.rows, cap)
    explained.caption(
        f"Substitution: {unit.change(NeighboringRelation.SUBSTITUTION)}. The number of "
        f"{unit.counted} is {'private' if unit.several else 'public'}. Add/remove: "
        f"{unit.change(NeighboringRelation.ADD_REMOVE)}. The number of {unit.counted} "
        "is private."
    )
    minimum = right.number(
        f"Public minimum number of {unit.counted}",
        start.minimum_people,
        (3, None),
        key=_minimum_key(),
        kept="session",
        note=f"Used only where the number of {unit.counted} is private: with "
        f"add/remove, where missing values are left out, or where one {unit.noun} may "
        "own several rows. Averages divide by at least this number. A larger one means "
        "less noise, and bias if fewer are there.",
    )
    if relation is NeighboringRelation.SUBSTITUTION and not unit.several:
        right.place.caption(
            f"Not needed so far: with substitution the number of {unit.counted} is "
            "public. The minimum is used only where missing values are left out."
            if not left_out
            else f"Used for questions about {literal(', '.join(left_out))}. Their "
            f"missing values are left out, so the number of {unit.counted} with a "
            f"value is private. Averages divide by at least {minimum:,}, and documents "
            "say so. A group's average divides by the group's own released size."
        )
    everybody = left.place.radio(
        "The data are",
        [_SAMPLE, _EVERYBODY],
        index=int(start.everybody),
        key=_holds_key(),
        persist_state="session",
        help="A sample differs by chance from the population that it was drawn from. "
        "Answers from a sample have that sampling error, too. A census, such as a "
        "complete workforce, has no sampling error.",
    )
    left.place.caption(
        f"Where several rows of one {unit.noun} count, answers are about this table "
        "alone, whatever is chosen here."
        if unit.several
        else "If in doubt, choose a sample. Every answer then has a second, wider "
        "interval, for the population that the sample represents. The interval for the "
        "data themselves does not change."
    )
    with controls.valid():
        budget = _budget(start.budget, unit, people)
    return AccountTerms(
        relation=relation,
        unit=unit,
        budget=budget,
        minimum_people=minimum,
        everybody=everybody == _EVERYBODY,
    )


def _name(start: PrivacyUnit, *, several: bool) -> PrivacyUnit:
    """Ask what one row is called, or its owner where ``several`` rows of one count.

    Raises:
        ParameterError: What is typed is no name.

    """
    what = "one privacy unit" if several else "one row"
    (first, second), (noun_key, plural_key) = st.columns(2), _name_keys()
    noun = first.text_input(
        f"Name of {what}",
        start.noun,
        placeholder="person",
        key=noun_key,
        persist_state="session",
        help="Every page, interval and document uses this name. Suggestions: "
        f"{_SUGGESTED}. Another name changes no question and costs nothing.",
    ).strip()
    plural = second.text_input(
        "Plural",
        start.plural,
        placeholder=plural_of(noun or "person"),
        key=plural_key,
        persist_state="session",
        help="The name of several of them. If empty, it is the usual plural.",
    ).strip()
    return replace(start, noun=noun or "person", plural=plural, rows=1, cap=None)


def _unit(cell: controls.Cell, named: PrivacyUnit, before: int, cap: int | None) -> PrivacyUnit:
    """Ask how many rows one unit owns; it owned at most so many ``before``."""
    noun = named.noun
    if cap is not None:
        counts = "1 counts" if cap == 1 else f"{cap} count"
        cell.place.markdown(
            f"**Privacy unit: one {noun} with all rows**, of which at most {counts}."
        )
        return replace(named, cap=cap)
    whole = cell.place.checkbox(
        f"Every row is one {noun}",
        value=before == 1,
        key=f"whole-{session.generation()}",
        persist_state="session",
        help=f"The guarantee protects rows. If one {noun} may own several, say how many.",
    )
    if whole:
        return named
    rows = cell.number(
        f"Maximum rows of one {noun}",
        max(before, 2),
        (2, None),
        key=f"rows-{session.generation()}",
        kept="session",
        note="A promise of yours, which cannot be checked here. Noise grows with it. "
        f"The number of rows of one {noun} is protected, too, so the number of rows of "
        "the table is private.",
    )
    return replace(named, rows=rows)


def _budget(start: PrivacyBudget, unit: PrivacyUnit, people: int) -> PrivacyBudget:
    """Show the controls of the budget for a table of so many rows.

    Raises:
        ParameterError: It cannot be agreed.

    """
    kind, first, second = controls.row(3)
    notion = kind.selectbox(
        "Budget counted in",
        [_PAIR, _RHO],
        index=int(start.rho is not None),
        key="notion",
        kept="table",
        note="All releases together are limited by the sums of ε and δ, or by the sum of ρ.",
    )
    if notion == _RHO:
        rho = first.charged(
            "Privacy budget ρ",
            0.1 if start.rho is None else float(start.rho),
            (1e-12, 1e4),
            key="budget-rho",
            kept="table",
            note="Zero-concentrated privacy: costs simply add up, and many small "
            "releases cost less than with ε.",
        ).inside
        reading = epsilon_of_rho(rho, delta=1e-6)
        st.caption(
            f"All releases together: ρ = {in_full(rho)}, at most ε = {epsilon_text(reading)} "
            "at δ = 10⁻⁶."
        )
        _warn(reading, unit)
        return PrivacyBudget.of(rho=rho)
    typed = (
        first.charged_epsilon(
            "Privacy budget ε",
            float(start.epsilon or _USUAL_EPSILON),
            (1e-9, 700.0, 0.5),
            key="budget",
            kept="table",
        ),
        second.charged_delta(
            "δ",
            float(start.delta or 0) if start.epsilon else _USUAL_DELTA,
            (0.0, 0.1),
            key="budget-delta",
            kept="table",
        ),
    )
    epsilon, delta = (one.inside for one in typed)
    st.caption(f"All releases together: {odds_text(epsilon, delta, noun=unit.noun)}.")
    if epsilon == _USUAL_EPSILON:
        st.caption(_WHY)
    _warn(epsilon, unit)
    if delta * people >= 1:
        st.warning(
            f"δ = {in_full(delta)} is large for {people:,} {unit.counted}. A release of "
            f"the whole records of about {delta * people:,.0f} of them would keep this "
            f"guarantee. Choose δ far below 1 in {people:,}."
        )
    return PrivacyBudget.of(epsilon=epsilon, delta=delta)


def _warn(epsilon: float, unit: PrivacyUnit) -> None:
    """Say of a large budget that it protects little once it is spent."""
    if epsilon > _WEAK_EPSILON:
        st.warning(
            "A large budget. Once it is spent, an attacker who was torn between two "
            f"possibilities about one {unit.noun} may be nearly sure which is true. "
            "“Meaning” shows the odds, and budgets that others have chosen."
        )
