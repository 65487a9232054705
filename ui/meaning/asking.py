"""What the Meaning page speaks of: a budget, a question, or an ε that is typed."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Final

import streamlit as st

from dpcore.budget_filter import PrivacyBudget, PrivacyCost
from dpcore.data.bounds import Interval
from dpcore.errors import ParameterError
from dpcore.figures.attackers import AttackerView, Sides, belief_text
from dpcore.figures.privacy_label import LabelFacts
from dpcore.mechanisms.base import Sensitivity
from dpcore.mechanisms.catalog import CATALOG
from dpcore.planning.options import Option
from dpcore.relations import NeighboringRelation, PrivacyUnit
from dpcore.releases.record import Mode
from dpcore.studies.meaning import attacker
from dpcore.studies.meaning.attacker import Guarantee, WorstAttack
from dpcore.wording import epsilon_text, in_full
from ui import answered, controls, plans, session
from ui.asking import inputs
from ui.study import Study
from ui.text import literal

_BUDGET: Final = "the whole budget of this table"
_PLAN: Final = "the plan"
_QUESTION: Final = "the question on Release"
_OWN: Final = "an ε of your own"
_ANY: Final = "any"
_UNIT: Final = Interval(lower=0.0, upper=1.0)
_SHARE: Final = 0.1
"""How much of the range one person can move, where no question says."""
_LEAST: Final = 1e-9
_MOST: Final = 1 - 1e-9


@dataclass(frozen=True, slots=True, kw_only=True)
class InterpretationSubject:
    """What the page speaks of. PUBLIC.

    Attributes:
        told: The guarantee, and the best attacker against one mechanism.
        reading: What one release tells; ``None`` where several share the guarantee.
        facts: What the label is about.
        name: What the guarantee belongs to, in words.
        whole: Whether it is the whole budget, in what the account counts.

    """

    told: AttackerView
    reading: WorstAttack | None
    facts: LabelFacts
    name: str
    whole: bool = False


def ask() -> InterpretationSubject:
    """Show the controls of the subject, and return it."""
    study = session.study()
    if study is None:
        return _own(None)
    planned = plans.plan(study).items
    about = controls.HERE.radio(
        "Speak of",
        [_BUDGET, *([_PLAN] if planned else []), _QUESTION, _OWN],
        key="meaning-of",
        note="The whole budget is what all releases together may give away. A plan or "
        "a question is a part of it. Nothing here is computed from the table, or "
        "spent.",
    )
    asked = {_BUDGET: _budget, _PLAN: _plan, _QUESTION: _question}
    return asked.get(about, _own)(study)


def _budget(study: Study) -> InterpretationSubject:
    facts = facts_of(study)
    epsilon, delta = facts.total
    sure = Guarantee(epsilon=max(epsilon, _LEAST), delta=delta)
    return InterpretationSubject(
        told=AttackerView(guarantee=sure, sides=Sides.of(facts.relation)),
        reading=None,
        facts=facts,
        name=f"all releases about these {session.unit().nouns} together",
        whole=True,
    )


def _plan(study: Study) -> InterpretationSubject:
    """Return the answers to all planned questions, released together."""
    plan = answered.option("the plan", plans.plan(study), study)
    with controls.valid():
        cost = plan.price.cost
        if not cost.epsilon.is_finite():
            raise ParameterError("one of the planned questions guarantees nothing finite.")
    facts = facts_of(study)
    sure = Guarantee(epsilon=max(float(cost.epsilon), _LEAST), delta=min(float(cost.delta), _MOST))
    if facts.so_far[0] > 0:
        st.caption(_beside(plan, facts))
    many = len(plan.basket.items)
    counted = "its one answer" if many == 1 else f"its {many} answers together"
    return InterpretationSubject(
        told=AttackerView(guarantee=sure, sides=Sides.of(facts.relation)),
        reading=None,
        facts=facts,
        name=f"the plan, {counted}",
    )


def _beside(plan: Option, facts: LabelFacts) -> str:
    """Say what all releases come to with the plan, of which some may be answered."""
    before, _ = facts.so_far
    total = replace(facts, spent=facts.spent + plan.due.cost)
    epsilon, delta = total.so_far
    told = belief_text(epsilon, delta=min(delta, _MOST))
    count = len(plan.released)
    if plan.done:
        first = (
            "The plan has been released: what it cost is part of the ε "
            f"{epsilon_text(before)} that this account has spent."
        )
    elif count:
        first = (
            f"ε {epsilon_text(before)} of this account is already spent, with what "
            f"{count} of {len(plan.basket.items)} questions of the plan cost that have "
            "been answered."
        )
    else:
        first = f"ε {epsilon_text(before)} of this account is already spent."
    return (
        f"{first} What is said below is of the plan alone; all releases together come "
        f"to ε {epsilon_text(epsilon)}: {told}."
    )


def _question(study: Study) -> InterpretationSubject:
    request = inputs.ask(study)
    found = attacker.of_request(request)
    if found.guarantee is None:
        st.info(
            "This mechanism guarantees nothing finite for the question, so that there "
            "is no limit to tell. Choose another mechanism."
        )
        session.end_page()
    _say_flaw(request.epsilon, found.guarantee.epsilon, request.entry.flaw)
    return InterpretationSubject(
        told=AttackerView(
            guarantee=found.guarantee,
            sides=Sides.of(request.relation),
            attack=found.attack,
            label=request.mechanism_label,
            key=request.mechanism_key,
        ),
        reading=found,
        facts=facts_of(study),
        name=f"the released {request.title}",
    )


def _own(study: Study | None) -> InterpretationSubject:
    first, second, third, _ = controls.row(4)
    epsilon = first.number(
        "Privacy parameter ε",
        1.0,
        (0.01, 50.0, 0.1),
        key="meaning-epsilon",
        note=controls.EPSILON_HELP,
    )
    key = second.selectbox(
        "Mechanism",
        [*CATALOG, _ANY],
        format_func=lambda key: "any" if key == _ANY else CATALOG[key].label,
        key="meaning-mechanism",
        note="How the noise is made. “Any” is the worst that the guarantee allows; a "
        "mechanism gives away that much, or less.",
    )
    delta = 0.0
    if key == _ANY:
        delta = third.delta(value=0.0, within=(0.0, 0.1), key="meaning-delta-of-any")
    elif CATALOG[key].needs_delta:
        delta = third.delta(key="meaning-delta")
    terms = None if study is None else study.terms
    relation = NeighboringRelation.SUBSTITUTION if terms is None else terms.relation
    facts = LabelFacts(
        budget=PrivacyBudget.of(epsilon=epsilon, delta=delta),
        spent=PrivacyCost.of(),
        relation=relation,
        unit=PrivacyUnit() if terms is None else terms.unit,
        number=_number(study),
        proposed=True,
    )
    sides = Sides.of(relation)
    if key == _ANY:
        sure = Guarantee(epsilon=epsilon, delta=delta)
        told = AttackerView(guarantee=sure, sides=sides)
        return InterpretationSubject(told=told, reading=None, facts=facts, name=f"ε {epsilon:g}")
    entry = CATALOG[key]
    with controls.valid():
        found = attacker.of_mechanism(
            entry,
            sensitivity=Sensitivity.scalar(_SHARE),
            epsilon=epsilon,
            delta=delta,
            bounds=_UNIT,
        )
        if found.guarantee is None:
            raise ParameterError(f"{entry.label} guarantees nothing finite with these settings.")
    if entry.bounded:
        st.caption(
            "What noise within bounds gives away depends on how far one "
            f"{session.unit().noun} can "
            f"move the number: here by {100 * _SHARE:g} % of its range."
        )
    _say_flaw(epsilon, found.guarantee.epsilon, entry.flaw)
    told = AttackerView(
        guarantee=found.guarantee, sides=sides, attack=found.attack, label=entry.label, key=key
    )
    return InterpretationSubject(told=told, reading=found, facts=facts, name="one such release")


def facts_of(study: Study) -> LabelFacts:
    """Return the public facts of the account of a table."""
    account = session.account(study)
    return LabelFacts(
        budget=account.budget,
        spent=account.spent,
        relation=study.terms.relation,
        unit=study.terms.unit,
        number=_number(study),
        releases=account.releases,
        lesson=session.mode() is Mode.CLASSROOM,
    )


def _number(study: Study | None) -> int | None:
    if study is None or not study.public_number:
        return None
    return study.dataset.people


def _say_flaw(asked: float, given: float, flaw: str) -> None:
    if given > asked * (1 + 1e-9):
        reason = f": {flaw}" if flaw else ""
        st.warning(
            literal(
                f"ε {in_full(asked)} was asked for, and ε {epsilon_text(given)} is "
                f"really given{reason}. This page speaks of what is given."
            )
        )
