"""The terms of a study: who is protected against what, and what it all may cost."""

from __future__ import annotations

import contextlib
from collections.abc import Sequence
from dataclasses import replace

import streamlit as st

from dpcore.errors import ParameterError
from dpcore.figures.attackers import surest
from dpcore.formatting import in_full, listed, plural_of
from dpcore.privacy.conversions import epsilon_of_rho
from dpcore.privacy.interpretation import best_guess
from dpcore.privacy_filter import PrivacyBudget
from dpcore.relations import NeighboringRelation, PrivacyUnit
from dpcore.releases.declarations import Declaration
from ui import controls, session
from ui.study import AccountTerms
from ui.text import literal

_RELATIONS = {relation: relation.label for relation in NeighboringRelation}
_IN_OLDER_LINKS = {
    "Substitution: a person's record is replaced; the number of people is public": (
        NeighboringRelation.SUBSTITUTION
    ),
    "Add/remove: a person is there or not; the number of people is private": (
        NeighboringRelation.ADD_REMOVE
    ),
}
_SUBSTITUTION = NeighboringRelation.SUBSTITUTION
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
    f"ε = {in_full(_USUAL_EPSILON)} is a starting point, not a recommendation. It covers six "
    "releases at ε = 0.5. Use Plan to see whether less is enough."
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


def noun() -> str:
    """Return what one row is called on screen."""
    return on_screen(same_rows=True).unit.noun


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
    advanced: st.delta_generator.DeltaGenerator,
    *,
    start: AccountTerms,
    people: int,
    cap: int | None = None,
    joined: bool = False,
    left_out: Sequence[str] = (),
) -> AccountTerms:
    """Show the controls of the terms, which begin where ``start`` says.

    Those that are rarely changed are in ``advanced``. ``people`` is how many are in the
    table. ``cap`` is how many rows of one unit count at most, where a column says whose.
    ``joined`` says whether each row was made of all rows of one unit. ``left_out`` names
    the columns whose missing values are left out.
    """
    first, second, third = controls.row((6, 6, 7))
    noun_cell, *money = controls.row((6, 6, 7))
    with controls.valid():
        named = _name(noun_cell, advanced, start.unit, several=cap is not None)
    unit = _unit(controls.Cell(place=advanced), named, start.unit.rows, cap, joined=joined)
    controls.read_older(_RELATION, _IN_OLDER_LINKS)
    relation = first.segmented(
        "Neighboring relation",
        _RELATIONS,
        start.relation,
        key=_RELATION,
        kept="table",
        note=f"What the guarantee protects. Substitution: {unit.change(_SUBSTITUTION)}; the "
        f"number of {unit.counted} is {'private' if unit.several else 'public'}. "
        f"Add/remove: {unit.change(NeighboringRelation.ADD_REMOVE)}; that number is "
        "private. Choose add/remove if membership itself is sensitive.",
    )
    everybody = second.segmented(
        "The data are",
        {_SAMPLE: "A sample", _EVERYBODY: "The whole population"},
        _EVERYBODY if start.everybody else _SAMPLE,
        key=_holds_key(),
        kept="session",
        note="A sample has a sampling error, so every result has a second, wider interval "
        "for the population. A census has none. If in doubt, choose a sample.",
    )
    private = relation is not _SUBSTITUTION or unit.several or bool(left_out)
    minimum = (third if private else controls.Cell(place=advanced)).number(
        f"Public minimum number of {unit.counted}",
        start.minimum_people,
        (3, None),
        key=_minimum_key(),
        kept="session",
        note=f"Used only where the number of {unit.counted} is private: with "
        f"add/remove, where missing values are left out, or where one {unit.noun} may "
        "own several rows. Averages divide by at least this number. A larger minimum means less "
        "noise, but bias if there are fewer.",
    )
    if private and minimum == _USUAL_MINIMUM:
        of = f" with a value of {literal(listed(left_out))}" if left_out else ""
        st.caption(
            f"Enter a public minimum: the smallest number of {unit.counted}{of} that you "
            f"can publish. Averages divide by it. For example, at {minimum} a table of "
            f"{minimum * 40:,} {unit.counted} would get 40 times the noise that it needs."
        )
    elif left_out:
        st.caption(
            f"If fewer than {minimum:,} may have a value of {literal(listed(left_out))}, type a "
            "smaller number under “at least” in the grid. Otherwise their results are biased."
        )
    with controls.valid():
        budget = _budget(money, advanced, start.budget, unit, people)
    return AccountTerms(
        relation=relation,
        unit=unit,
        budget=budget,
        minimum_people=minimum,
        everybody=everybody == _EVERYBODY,
    )


def _name(
    cell: controls.Cell,
    advanced: st.delta_generator.DeltaGenerator,
    start: PrivacyUnit,
    *,
    several: bool,
) -> PrivacyUnit:
    """Ask what one row is called, or its owner where ``several`` rows of one count.

    Raises:
        ParameterError: What is typed is no name.

    """
    what = "one privacy unit" if several else "one row"
    noun_key, plural_key = _name_keys()
    noun = cell.place.text_input(
        f"Name of {what}",
        start.noun,
        placeholder="person",
        key=noun_key,
        persist_state="session",
        help="Every page, interval and document uses this name. Suggestions: "
        f"{_SUGGESTED}. Another name changes no question and costs nothing.",
    ).strip()
    plural = advanced.text_input(
        "Plural",
        start.plural,
        placeholder=plural_of(noun or "person"),
        key=plural_key,
        persist_state="session",
        help="The plural. If empty, the regular plural is used.",
    ).strip()
    return replace(start, noun=noun or "person", plural=plural, rows=1, cap=None)


def _unit(
    cell: controls.Cell, named: PrivacyUnit, before: int, cap: int | None, *, joined: bool
) -> PrivacyUnit:
    """Ask how many rows one unit owns; it owned at most so many ``before``."""
    noun = named.noun
    if cap is not None:
        counts = "1 counts" if cap == 1 else f"{cap} count"
        cell.place.markdown(
            f"**Privacy unit: one {noun} with all rows**, of which at most {counts}."
        )
        return replace(named, cap=cap)
    whole = cell.place.checkbox(
        f"Every row is one {noun}" + f", with {named.protected(joined=True)}" * joined,
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
        note="This is your assumption. It cannot be checked. Noise grows with it. "
        f"The number of rows of one {noun} is protected, too, so the number of rows of "
        "the table is private.",
    )
    return replace(named, rows=rows)


def _budget(
    row: Sequence[controls.Cell],
    advanced: st.delta_generator.DeltaGenerator,
    start: PrivacyBudget,
    unit: PrivacyUnit,
    people: int,
) -> PrivacyBudget:
    """Show the controls of the budget for a table of so many rows, and what it means.

    Raises:
        ParameterError: It cannot be agreed.

    """
    more = controls.Cell(place=advanced)
    notion = more.selectbox(
        "Privacy definition",
        [_PAIR, _RHO],
        index=int(start.rho is not None),
        key="notion",
        kept="table",
        note="All releases together are limited by the sums of ε and δ, or by the sum of ρ.",
    )
    if notion == _RHO:
        rho = (
            row[0]
            .charged(
                "Privacy budget ρ",
                0.1 if start.rho is None else float(start.rho),
                (1e-12, 1e4),
                key="budget-rho",
                kept="table",
                note="Zero-concentrated DP: costs add up, and many small releases cost less "
                "than in ε.",
            )
            .inside
        )
        _gauge(row[1], epsilon_of_rho(rho, delta=1e-6), 1e-6, unit)
        return PrivacyBudget.of(rho=rho)
    typed = (
        row[0].charged_epsilon(
            "Privacy budget ε",
            float(start.epsilon or _USUAL_EPSILON),
            (1e-9, 700.0, 0.5),
            key="budget",
            kept="table",
            more=_WHY,
        ),
        more.charged_delta(
            "δ",
            float(start.delta or 0) if start.epsilon else _USUAL_DELTA,
            (0.0, 0.1),
            key="budget-delta",
            kept="table",
        ),
    )
    epsilon, delta = (one.inside for one in typed)
    _gauge(row[1], epsilon, delta, unit)
    if delta * people >= 1:
        st.warning(
            f"δ = {in_full(delta)} is large for {people:,} {unit.counted}. A release of "
            f"the whole records of about {delta * people:,.0f} of them would keep this "
            f"guarantee. Choose δ far below 1 in {people:,}."
        )
    return PrivacyBudget.of(epsilon=epsilon, delta=delta)


def _gauge(cell: controls.Cell, epsilon: float, delta: float, unit: PrivacyUnit) -> None:
    """Show how sure an attacker becomes at most once the budget is spent."""
    sure = best_guess(epsilon, delta=delta, prior=0.5)
    large = " A large budget." if epsilon > _WEAK_EPSILON else ""
    cell.place.progress(
        min(2 * float(sure) - 1, 1.0),
        text=f"Attacker's certainty about one {literal(unit.noun)}: 50% before, at most "
        f"{surest(epsilon, delta=delta).replace(' ', '')} after all releases.{large}",
    )
