"""What others chose: one line each, with its unit, period, model and source."""

from __future__ import annotations

import streamlit as st

from dpcore.figures.precedents import precedents_picture
from dpcore.privacy.conversions import epsilon_of_rho
from dpcore.studies.meaning.precedents import (
    CONFIRMED,
    Model,
    Precedent,
    Protects,
    chosen,
    precedents,
)
from dpcore.wording import epsilon_text, in_full
from ui import controls, results
from ui.meaning.asking import InterpretationSubject
from ui.text import literal

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


def show_precedents(subject: InterpretationSubject) -> None:
    """Show the uses that the reader chooses, beside the budget of the account."""
    st.markdown(
        "What did others promise? An ε says nothing without **whom** it protects and "
        "**how soon it is spent again**: “every day anew” means that a year of it is "
        "365 times as much. So each line says all three."
    )
    first, second, _ = controls.row([2, 1, 1])
    unit = first.selectbox(
        "Protects",
        list(_UNITS),
        key="precedent-unit",
        note="An account of this studio protects all that a person has in the table, "
        "with one total for good, and adds its noise in the center. Few uses promise "
        "the same.",
    )
    those = _comparable() if unit == _SAME else _chosen(unit, second)
    if not those:
        st.info("No recorded use is of this kind. Choose another unit or model.")
        return
    own = _own(subject) if unit == _SAME else {}
    for _, promise in own.values():
        st.markdown(f"**Yours** is what “Speak of” says at the top: {literal(promise)}.")
    if any(one.epsilon is not None for one in those):
        picture = precedents_picture(those, own=own.get("epsilon"))
        results.show(picture, "precedents", simulated=True)
    delta = None
    if any(one.rho is not None for one in those):
        st.markdown(
            "Some count in ρ (zero-concentrated privacy). That is another measure, "
            "with a picture of its own: it becomes an ε only at a δ, and at each "
            "another one."
        )
        delta = controls.row([1, 3])[0].delta(
            "ρ as ε at δ",
            key="precedent-delta",
            note="In the lines below each ρ is also said as the ε that it is at most "
            "at this δ. The choice is yours, not that of those who made the release.",
        )
        picture = precedents_picture(those, notion="rho", own=own.get("rho"))
        results.show(picture, "precedents-rho", simulated=True)
    st.markdown("\n".join(f"- {_line(one, delta)}" for one in those))
    st.caption(
        f"{len(those)} of {len(precedents())} uses, {CONFIRMED}: OpenDP Deployments "
        "Registry, as of July 2026. Years are those of the first publication. That "
        "others chose a number does not make it right for other people or other data."
    )


def _comparable() -> tuple[Precedent, ...]:
    return tuple(one for one in precedents() if one.compares)


def _chosen(unit: str, cell: controls.Cell) -> tuple[Precedent, ...]:
    """Return the uses with that unit, and with the model that is chosen in a cell."""
    model = cell.selectbox(
        "Noise is added",
        list(_MODELS),
        key="precedent-model",
        note="On each device nobody has the records; in the center the curator has "
        "them all. At the same ε these are two different promises.",
    )
    if _UNITS[unit] is not Protects.OTHER:
        return chosen(precedents(), protects=_UNITS[unit], model=_MODELS[model])
    rest = chosen(precedents(), model=_MODELS[model])
    kinds = {Protects.OTHER, Protects.UNKNOWN}
    return tuple(one for one in rest if one.protects in kinds)


def _own(subject: InterpretationSubject) -> dict[str, tuple[float, str]]:
    """Return the reader's own number, with what it is of, by what it is counted in.

    It is the guarantee that the page speaks of; of a whole budget in rho, that rho.
    """
    budget, sure = subject.facts.budget, subject.told.guarantee
    noun = subject.facts.unit.noun
    if subject.whole and budget.rho is not None:
        number, name = float(budget.rho), "rho"
        loss = f"ρ {in_full(number)}"
    else:
        number, name = sure.epsilon, "epsilon"
        at = f" at δ {in_full(sure.delta)}" if sure.delta else ""
        loss = f"ε {epsilon_text(number)}{at}"
    return {name: (number, f"{loss} for one {noun}, {subject.name}")}


def _line(one: Precedent, delta: float | None) -> str:
    aside = f" {literal(one.note)}" if one.note else ""
    if one.rho is not None and one.epsilon is None and delta is not None:
        level = epsilon_text(epsilon_of_rho(one.rho, delta=delta))
        aside += f" Worked out here: ε {level} at most, at δ {in_full(delta)}."
    return (
        f"**{literal(one.name)}** ({literal(one.curator)}, {one.published}): "
        f"**{literal(one.promise)}**; {_where(one.model)}. "
        f"[Source](<{one.source}>).{aside}"
    )


def _where(model: Model) -> str:
    return {
        Model.CENTRAL: "noise added in the center (central model)",
        Model.LOCAL: "noise added on each device (local model)",
        Model.VARIES: "model varies",
    }[model]
