"""What ε means: the odds of an attacker, the label of a budget, and what others chose."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Final

import streamlit as st

from dpcore.analyses.base import Mode
from dpcore.data.bounds import Interval
from dpcore.data.preparation.steps import is_joined
from dpcore.errors import ParameterError
from dpcore.figures.attackers import (
    AttackerView,
    Sides,
    belief_picture,
    belief_text,
    readings_text,
    surest,
    worlds_picture,
    worlds_text,
)
from dpcore.figures.precedents import precedents_picture
from dpcore.figures.privacy_label import LabelFacts, sections, text_of
from dpcore.figures.risks import noise_for_risk, one_in, regret_text, tradeoff_picture
from dpcore.figures.theme import Picture
from dpcore.formatting import at_most, capital, epsilon_text, in_full, percent
from dpcore.mechanisms.catalog import CATALOG
from dpcore.mechanisms.mechanism import Sensitivity
from dpcore.planning.comparison import Option
from dpcore.privacy import tradeoff
from dpcore.privacy.conversions import epsilon_of_rho
from dpcore.privacy.events import event_from
from dpcore.privacy.tradeoff import TradeOff
from dpcore.privacy_filter import PrivacyBudget, PrivacyCost
from dpcore.relations import NeighboringRelation, PrivacyUnit
from dpcore.releases.record import in_force
from dpcore.studies.meaning import attacker
from dpcore.studies.meaning.attacker import Guarantee, WorstAttack
from dpcore.studies.meaning.precedents import (
    CONFIRMED,
    Model,
    Precedent,
    Protects,
    chosen,
    precedents,
)
from ui import accounts, controls, layout, plans, results, session
from ui.live_chart import Film
from ui.study import Study
from ui.text import literal

_BUDGET: Final = "This budget"
_RELEASED: Final = "Released so far"
_PLAN: Final = "The plan"
_OWN: Final = "Custom ε"
_OLDER: Final = {
    "the whole budget of this table": _BUDGET,
    "the plan": _PLAN,
    "the question on Release": _OWN,
    "an ε of your own": _OWN,
}
"""Subjects by their names in older links."""
_ANY: Final = "any"
_PRIOR: Final = "meaning-prior"
_EPSILON: Final = "meaning-epsilon"
_NUMBERS: Final = ("meaning-mu", "meaning-regret", "meaning-at-prior")
_FILMS: Final = 32
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
        curve: Computes the trade-off function of all of it together.
        whole: Whether it is the whole budget, in what the account counts.
        dragged: Whether ε is that of a slider, and no mechanism is chosen.

    """

    told: AttackerView
    reading: WorstAttack | None
    facts: LabelFacts
    name: str
    curve: Callable[[], TradeOff]
    whole: bool = False
    dragged: bool = False


def ask() -> InterpretationSubject:
    """Show the controls of the subject, and return it."""
    study = session.study()
    if study is None:
        return _own(None)
    controls.read_older("meaning-of", _OLDER)
    subjects = {
        _RELEASED: session.account(study).releases > 0,
        _BUDGET: True,
        _PLAN: bool(plans.plan(study).items),
        _OWN: True,
    }
    about = controls.HERE.radio(
        "Budget to explain",
        [name for name, offered in subjects.items() if offered],
        key="meaning-of",
        note="This budget limits all releases together. Nothing here is computed from "
        "the data, or spent.",
    )
    return {_BUDGET: _budget, _RELEASED: _released, _PLAN: _plan}.get(about, _own)(study)


def _budget(study: Study) -> InterpretationSubject:
    facts = facts_of(study)
    epsilon, delta = facts.total
    rho = facts.budget.rho
    sure = Guarantee(epsilon=max(epsilon, _LEAST), delta=delta)
    return InterpretationSubject(
        told=AttackerView(guarantee=sure, sides=Sides.of(facts.relation)),
        reading=None,
        facts=facts,
        name=f"all releases about these {session.unit().nouns} together",
        curve=lambda: (
            TradeOff.of_guarantee(epsilon, delta) if rho is None else TradeOff.of_rho(float(rho))
        ),
        whole=True,
    )


def _released(study: Study) -> InterpretationSubject:
    """Return what was released: all of it together, or one release."""
    facts = facts_of(study)
    known = accounts.all_releases(session.account(study))
    all_of_them = f"all releases together ({len(known)})"
    names = [all_of_them, *(f"{place}. {one.known_as}" for place, one in enumerate(known, 1))]
    at = controls.HERE.selectbox(
        "Releases", range(len(names)), format_func=names.__getitem__, key="meaning-release"
    )
    chosen = known if at == 0 else known[at - 1 : at]
    epsilon, delta = facts.so_far
    if at:
        epsilon, delta = replace(facts, spent=chosen[0].cost).so_far
    else:
        st.caption(
            "The trade-off function holds if the mechanisms and their ε do not depend on "
            "earlier results. The limit of the budget holds in any case."
        )
    sure = Guarantee(epsilon=max(epsilon, _LEAST), delta=min(delta, _MOST))
    return InterpretationSubject(
        told=AttackerView(guarantee=sure, sides=Sides.of(facts.relation)),
        reading=None,
        facts=facts,
        name=all_of_them if at == 0 else chosen[0].known_as,
        curve=lambda: tradeoff.of_events(event_from(one.event) for one in in_force(chosen)),
    )


def _plan(study: Study) -> InterpretationSubject:
    """Return the answers to all planned questions, released together."""
    plan = plans.with_answers("the plan", plans.plan(study), study)
    with controls.valid():
        cost = plan.price.cost
        if not cost.epsilon.is_finite():
            raise ParameterError("one of the planned questions has no finite ε.")
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
        curve=lambda: tradeoff.of_events(item.request.plan.event for item in plan.basket.items),
    )


def _beside(plan: Option, facts: LabelFacts) -> str:
    """Say what all releases come to with the plan, of which some may be answered."""
    before, _ = facts.so_far
    total = replace(facts, spent=facts.spent + plan.due.cost)
    epsilon, delta = total.so_far
    told = belief_text(epsilon, delta=min(delta, _MOST))
    count = len(plan.released)
    if plan.done:
        first = f"The plan is part of the ε = {epsilon_text(before)} that is spent."
    elif count:
        first = (
            f"ε = {epsilon_text(before)} is spent, {count} of {len(plan.basket.items)} "
            "planned questions included."
        )
    else:
        first = f"ε = {epsilon_text(before)} is already spent."
    return f"{first} With the plan, all releases come to ε = {epsilon_text(epsilon)}: {told}."


def _own(study: Study | None) -> InterpretationSubject:
    first, slider, second, third = controls.row([1, 1.5, 1.25, 1])
    epsilon = first.number(
        "Privacy parameter ε", 1.0, (0.001, 10.0, 0.1), key=_EPSILON, note=controls.EPSILON_HELP
    )
    slider.epsilon_slider(key=_EPSILON)
    key = second.selectbox(
        "Mechanism",
        [_ANY, *CATALOG],
        format_func=lambda key: "any" if key == _ANY else CATALOG[key].label,
        key="meaning-mechanism",
        note="“Any” is the worst case of the guarantee. A mechanism reveals that much or less.",
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
        joined=study is not None and is_joined(study.dataset),
    )
    sides = Sides.of(relation)
    if key == _ANY:
        told = AttackerView(guarantee=Guarantee(epsilon=epsilon, delta=delta), sides=sides)
        return InterpretationSubject(
            told=told,
            reading=None,
            facts=facts,
            name=f"ε = {in_full(epsilon)}",
            curve=lambda: _curve_of(told.guarantee),
            dragged=True,
        )
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
            raise ParameterError(f"{entry.label} has no finite ε with these settings.")
    if entry.bounded:
        st.caption(
            f"Assumption: one {session.unit().noun} moves the number by {in_full(100 * _SHARE)}% "
            "of its range."
        )
    _show_flaw(epsilon, found.guarantee.epsilon, entry.flaw)
    told = AttackerView(
        guarantee=found.guarantee, sides=sides, attack=found.attack, label=entry.label, key=key
    )
    return InterpretationSubject(
        told=told, reading=found, facts=facts, name="one such release", curve=lambda: found.curve
    )


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
        joined=is_joined(study.dataset),
    )


def _number(study: Study | None) -> int | None:
    return None if study is None or not study.public_number else study.dataset.people


def _show_flaw(asked: float, given: float, flaw: str) -> None:
    if given > asked * (1 + 1e-9):
        reason = f" {capital(flaw)}." if flaw else ""
        st.warning(
            literal(
                f"The actual ε is {epsilon_text(given)}, not {in_full(asked)}.{reason} This "
                "page explains the actual ε."
            )
        )


_CASES = 100
_SURE: Final = 1 + 1e-9
_CURVE, _OTHERS = "Trade-off", "Others"
_OLDER_TABS: Final = {
    "In odds": "100 worlds",
    "Before and after": "Odds",
    "Found or named wrongly": _CURVE,
    "Correct and false identifications": _CURVE,
    "Trade-off and risk": _CURVE,
    "Others' deployments": _OTHERS,
    "What others promised": _OTHERS,
}
"""Tabs by their names in older links."""


def answer(subject: InterpretationSubject) -> None:
    """Show what the guarantee leaves an attacker, a tab for each way to say it."""
    panes = {
        "Odds": _odds,
        "100 worlds": _worlds,
        _CURVE: _trade_off,
        "Label": _label,
        _OTHERS: _precedents,
    }
    layout.show(panes, subject, key="meaning-side", older=_OLDER_TABS)


def _odds(subject: InterpretationSubject) -> None:
    """Show how certain an attacker becomes, from each certainty before."""
    before = controls.HERE.slider(
        "Attacker's certainty before (%)",
        50,
        (1, 99),
        key=_PRIOR,
        note="From what they knew already. For a guess of one thing among many it is far below 50.",
    )
    told, prior = subject.told, before / _CASES
    sure = told.guarantee
    if told.attack is not None:
        results.show(belief_picture(told, prior), "belief", simulated=True)
    else:
        films = [_by_epsilon(subject, belief_picture, prior)] if subject.dragged else []
        results.show_film(_by_prior(sure, told.sides), before, "belief", *films)
    if sure.delta > 0:
        limited = (
            "With a δ, very unlikely releases may reveal everything. So the limit is on how "
            "often a guess of yes or no is right, over all releases. The guarantee allows no "
            "more than a release that reveals all with probability δ, and else turns "
            f"{before}% into at most {surest(sure.epsilon, prior=prior)}."
        )
    else:
        limited = "ε limits how far all releases it covers can move a belief, up or down."
    measured = "posterior belief after one result" if sure.delta == 0 else "accuracy of a guess"
    relation = subject.facts.relation
    other = ""
    if sure.delta > 0 or relation is NeighboringRelation.ADD_REMOVE:
        risk = TradeOff.of_guarantee(sure.epsilon, sure.delta).risk(prior, relation)
        other = (
            f" {_CURVE} limits the success rate of a guess right {percent(prior)} of the time: by "
            f"this guarantee, at most {at_most(risk)}."
        )
    st.caption(
        f"About {literal(subject.name)}. The attacker asks "
        f"{literal(subject.told.sides.asked)}. The same holds for any yes/no fact about "
        f"one record. {limited}\n\nThis is the {measured}.{other}"
    )
    if subject.reading is not None:
        text = readings_text(subject.told, subject.reading.largest_loss)
        st.caption(f"With {literal(subject.told.label)}: {text}")


@lru_cache(maxsize=_FILMS)
def _by_prior(sure: Guarantee, sides: Sides) -> Film:
    """Return the odds at each certainty before."""
    view = AttackerView(guarantee=sure, sides=sides)
    before = range(1, _CASES)
    return Film.of(_PRIOR, {each: belief_picture(view, each / _CASES) for each in before})


_Draw = Callable[[AttackerView, float], Picture]


def _by_epsilon(subject: InterpretationSubject, draw: _Draw, prior: float = 0.5) -> Film:
    """Return the pictures of any noise at each ε of the slider."""
    sure, sides = subject.told.guarantee, subject.told.sides
    return _pictures(draw, controls.stops(sure.epsilon), sure.delta, sides, prior)


@lru_cache(maxsize=_FILMS)
def _pictures(
    draw: _Draw, epsilons: tuple[float, ...], delta: float, sides: Sides, prior: float
) -> Film:
    each = [Guarantee(epsilon=epsilon, delta=delta) for epsilon in epsilons]
    pictures = [draw(AttackerView(guarantee=sure, sides=sides), prior) for sure in each]
    curves = map(_curve_of, each if draw is _curve else ())
    said = [_numbers(curve, prior, sides.relation) for curve in curves]
    texts: dict[str, Sequence[object]] = {
        key: [one[key] for one in said] for key in _NUMBERS if said
    }
    return Film.of(
        controls.slider_of(_EPSILON),
        dict(zip(epsilons, pictures, strict=True)),
        texts=texts | {_EPSILON: epsilons},
        stepped=True,
    )


def _curve_of(sure: Guarantee) -> TradeOff:
    return TradeOff.of_guarantee(sure.epsilon, sure.delta)


def _curve(view: AttackerView, prior: float) -> Picture:
    return tradeoff_picture(view, _curve_of(view.guarantee), prior)


def _counts(view: AttackerView, _: float) -> Picture:
    return worlds_picture(view)


def _worlds(subject: InterpretationSubject) -> None:
    """Show the odds as counts of worlds."""
    told = subject.told
    if subject.dragged:
        results.show_film(_by_epsilon(subject, _counts), told.guarantee.epsilon, "worlds")
    else:
        results.show(worlds_picture(told), "worlds", simulated=True)
    st.caption(
        f"{literal(worlds_text(subject.told))} In a study of 963 people, counts were "
        "understood best (Nanayakkara, Smart and others 2023)."
    )


def _trade_off(subject: InterpretationSubject) -> None:
    """Show the one number and the curve, the risk at a prior, and the noise for a risk."""
    first, second = controls.row([1, 1])
    prior = 1 / first.number(
        "Prior: a guess is right 1 time in",
        20.0,
        (_SURE, 1e9),
        key="meaning-guess",
        note="How often the attacker guesses right without the release: 1 in 20 records, "
        "diagnoses or blocks. 2 is even odds.",
    )
    wanted = 1 / second.number(
        "Acceptable risk: right at most 1 time in",
        10.0,
        (_SURE, 1e9),
        key="meaning-risk",
        note="How often that guess may be right with the release. Its noise is below.",
    )
    curve = subject.curve()
    relation = subject.facts.relation
    mu, regret, risk = _numbers(curve, prior, relation).values()
    row = st.container(horizontal=True, gap="large")
    results.metrics(
        {
            "Gaussian DP μ": (
                mu,
                "The smallest μ whose trade-off function is nowhere above this one.",
            ),
            "Regret": (
                regret,
                "The largest gap between the two curves, rounded up. It is no privacy loss.",
            ),
            f"Risk at prior {one_in(prior)}": (
                risk,
                "By the trade-off function, rounded up: the point in the chart.",
            ),
        },
        places=[row.container(key=key, width="content") for key in _NUMBERS],
        narrow=True,
    )
    if subject.dragged:
        film = _by_epsilon(subject, _curve, prior)
        results.show_film(film, subject.told.guarantee.epsilon, "tradeoff")
    else:
        results.show(tradeoff_picture(subject.told, curve, prior), "tradeoff", simulated=True)
    st.caption(
        f"About {literal(subject.name)}. The risk limits inferring an attribute and "
        f"reconstructing a record alike.{_of_odds(subject, prior)}\n\n"
        "Regret says how far μ is from the exact curve. It is no privacy loss, and need not "
        "fall with ε."
    )
    if wanted < prior:
        st.info("The acceptable risk is below the prior. No noise lowers a risk below its prior.")
        return
    st.markdown(f"**For a risk of at most {one_in(wanted)} at prior {one_in(prior)}**")
    delta = subject.told.guarantee.delta
    results.table(noise_for_risk(prior, wanted, relation, delta=delta), key="noise-for-risk")


def _numbers(curve: TradeOff, prior: float, relation: NeighboringRelation) -> dict[str, str]:
    """Return what is said beside a trade-off function, by the keys of its places."""
    level = curve.level
    mu = "∞" if level.mu == math.inf else epsilon_text(level.mu)
    risk = at_most(curve.risk(prior, relation))
    return dict(zip(_NUMBERS, (mu, regret_text(level), risk), strict=True))


def _of_odds(subject: InterpretationSubject, prior: float) -> str:
    """Say why the tab of odds has a smaller limit at a prior, where it has."""
    sure = subject.told.guarantee
    if sure.delta > 0 or subject.facts.relation is NeighboringRelation.SUBSTITUTION:
        return ""
    return (
        f" It can be above the {surest(sure.epsilon, prior=prior)} of Odds, which asks whether "
        "you are in the table. Under add/remove, two candidates are two changes apart."
    )


def details() -> None:
    """Define the words, and say where the formulas come from."""
    st.markdown(
        "**Attacker.** Knows every other record, and both records in question; sees the "
        "release; asks which of the two was used. Real attackers know "
        "less.\n\n**Guarantee.** (ε, δ): each set of releases is at most e^ε times as likely "
        "with one dataset as with the other, plus δ. The best guess is right δ + (1 - δ) e^ε/(1 + "
        "e^ε) of the time at even odds (Kairouz, Oh and Viswanath 2015). Without a δ the "
        "odds change by a factor of e^ε at most. Limits are rounded up: 73.2% for "
        "73.106%.\n\n**Advantage.** True-positive minus "
        "false-positive rate of the best test: the total variation distance of the two "
        "laws.\n\n**Trade-off function.** The least false negative rate of a test "
        "about one record, at each false positive rate α (Dong, Roth and Su 2022). A guess "
        "right with probability α without the release is right with at most 1 - f(α) with it "
        "(Kulynych and others 2025). Under substitution it is right with at most the r for which r "
        "= 1 - f(α (1 - r)/(1 - α)). **μ and regret.** The smallest level of Gaussian DP that "
        "holds, and its largest gap to f along the diagonal (Gomez and others 2025). Losses "
        "are convolved upwards, and μ leaves out what is rarer than 10⁻¹²."
        "\n\n**Mechanism.** The two laws are its noise around two numbers at "
        f"the most revealing place. One {session.unit().noun} can move the answer by their "
        "distance (the sensitivity). Best tests are thresholds (Neyman and Pearson), worked "
        "out exactly. Where several numbers are released at once, the limits that hold for "
        "all tables are shown instead."
    )


def _label(subject: InterpretationSubject) -> None:
    """Show the label of the account."""
    facts = subject.facts
    with st.container(border=True, key="label"):
        for section in sections(facts):
            lines = "\n".join(f"- {literal(line)}" for line in section.lines)
            st.markdown(f"**{section.heading}**\n\n{lines}")
    with st.expander("Copy as text"):
        st.code(text_of(facts), language=None, wrap_lines=True)


_SAME = "what compares with an account here"
_UNITS = {
    _SAME: None,
    "anything": None,
    "all data of a person": Protects.PERSON,
    "a part of them: a day, a month, one device": Protects.SLICE,
    "a single event, row or trip": Protects.PART,
    "something else, or not recorded": Protects.OTHER,
}
_MODELS = {"anywhere": None, "in the center": Model.CENTRAL, "on each device": Model.LOCAL}


def _precedents(subject: InterpretationSubject) -> None:
    """Show the uses that the reader chooses, beside the budget of the account."""
    first, second, _ = controls.row([2, 1, 1])
    unit = first.selectbox(
        "Protects",
        list(_UNITS),
        key="precedent-unit",
        note="A budget here protects all data of a person, with one permanent total "
        "and noise added "
        "in the center. Few deployments give the same guarantee.",
    )
    those = (
        tuple(one for one in precedents() if one.compares)
        if unit == _SAME
        else _chosen(unit, second)
    )
    if not those:
        st.info("No recorded deployment is of this kind. Choose another unit or model.")
        return
    own = _own_guarantee(subject) if unit == _SAME else {}
    for _, guarantee in own.values():
        st.caption(f"Yours: {literal(guarantee)}.")
    if any(one.epsilon is not None for one in those):
        picture = precedents_picture(those, own=own.get("epsilon"))
        results.show(picture, "precedents", simulated=True)
    delta = None
    if any(one.rho is not None for one in those):
        st.caption("ρ (zCDP) is another measure. Each δ makes another ε of it.")
        delta = controls.row([1, 3])[0].delta(
            "ρ as ε at δ",
            key="precedent-delta",
            note="The list below converts each ρ to the largest ε at this δ. The δ is "
            "your choice, not theirs.",
        )
        picture = precedents_picture(those, notion="rho", own=own.get("rho"))
        results.show(picture, "precedents-rho", simulated=True)
    with st.expander(f"All {len(those)} deployments, with sources"):
        st.markdown("\n".join(f"- {_line(one, delta)}" for one in those))
    st.caption(
        f"{len(those)} of {len(precedents())} deployments, {CONFIRMED}: OpenDP Deployments "
        "Registry, July 2026. An ε is comparable only for the same privacy unit and period."
    )


def _chosen(unit: str, cell: controls.Cell) -> tuple[Precedent, ...]:
    """Return the uses with that unit, and with the model that is chosen in a cell."""
    model = cell.selectbox(
        "Noise added",
        list(_MODELS),
        key="precedent-model",
        note="On each device nobody holds all records. In the center the curator does.",
    )
    if _UNITS[unit] is not Protects.OTHER:
        return chosen(precedents(), protects=_UNITS[unit], model=_MODELS[model])
    rest = chosen(precedents(), model=_MODELS[model])
    kinds = {Protects.OTHER, Protects.UNKNOWN}
    return tuple(one for one in rest if one.protects in kinds)


def _own_guarantee(subject: InterpretationSubject) -> dict[str, tuple[float, str]]:
    """Return the reader's own number, with what it is of, by what it is counted in.

    It is the guarantee that the page speaks of; of a whole budget in rho, that rho.
    """
    budget, sure = subject.facts.budget, subject.told.guarantee
    noun = subject.facts.unit.noun
    if subject.whole and budget.rho is not None:
        number, name = float(budget.rho), "rho"
        loss = f"ρ = {in_full(number)}"
    else:
        number, name = sure.epsilon, "epsilon"
        at = f" at δ = {in_full(sure.delta)}" if sure.delta else ""
        loss = f"ε = {epsilon_text(number)}{at}"
    of_account = "" if subject.name == loss else f", {subject.name}"
    return {name: (number, f"{loss} for one {noun}{of_account}")}


def _line(one: Precedent, delta: float | None) -> str:
    aside = f" {literal(one.note)}" if one.note else ""
    if one.rho is not None and one.epsilon is None and delta is not None:
        level = epsilon_text(epsilon_of_rho(one.rho, delta=delta))
        aside += f" Converted here: ε = {level} at most, at δ = {in_full(delta)}."
    return (
        f"**{literal(one.name)}** ({literal(one.curator)}, {one.published}): "
        f"**{literal(one.guarantee)}**; {_where(one.model)}. "
        f"[Source](<{one.source}>).{aside}"
    )


def _where(model: Model) -> str:
    return {
        Model.CENTRAL: "noise added in the center (central model)",
        Model.LOCAL: "noise added on each device (local model)",
        Model.VARIES: "model varies",
    }[model]
