"""Controls that ask for a model: which columns, which model, released how.

Public settings are in the URL; the columns are not, and nothing that came with the
data.
"""

from __future__ import annotations

import math
from dataclasses import replace
from typing import TYPE_CHECKING, Final

import streamlit as st

from dpcore.data.columns import ColumnKind
from dpcore.errors import ParameterError
from dpcore.figures.wording import epsilon_text, significant
from dpcore.models.design import Design
from dpcore.models.kinds import USUAL_THRESHOLD, ModelKind
from dpcore.models.penalty import Penalty
from dpcore.relations import NeighboringRelation
from dpcore.releases.model_mechanisms import offered_for
from dpcore.releases.model_question import ModelQuestion
from ui import session
from ui.asking import inputs
from ui.models import model_columns, model_noise, model_scaling
from ui.text import literal

if TYPE_CHECKING:
    from dpcore.data.columns import Column
    from dpcore.releases.model_mechanisms import ModelEntry
    from dpcore.releases.model_request import ModelRequest
    from ui.study import Study

_ASKED: Final = "_model_asked"


def ask(study: Study) -> ModelRequest:
    """Show the controls of a model and return it; explain in place what is missing.

    Where the model cannot be asked for yet, the page stops below the explanation. What
    is declared here is kept: read the study from ``session`` afterwards.
    """
    target, features = model_columns.choose(study)
    dataset = model_columns.declared(study.dataset, (target, *features))
    study = replace(study, dataset=dataset)
    chosen = tuple(dataset.column(name) for name in (target, *features))
    _reset(chosen[0])
    first, second, third, fourth = st.columns([3, 5, 3, 3])
    try:
        with first:
            model = _model(chosen[0])
        with second:
            key = _mechanism(model)
        epsilon = third.number_input(
            "ε for this release",
            min_value=1e-6,
            max_value=100.0,
            value=1.0,
            step=0.1,
            format="%g",
            key="model-epsilon",
            bind="query-params",
            help=inputs.EPSILON_HELP,
        )
        delta = fourth.number_input(
            "δ for this release",
            min_value=1e-15,
            max_value=0.1,
            value=1e-6,
            format="%g",
            key="model-delta",
            bind="query-params",
            help=inputs.DELTA_HELP,
        )
        return _request(study, chosen, model, (key, epsilon, delta))
    except ParameterError as error:
        st.info(literal(str(error)), icon="✏️")
        st.stop()


def _reset(target: Column) -> None:
    """Begin with what suits the target on another table, or for one of another kind.

    The settings of a link hold for the first table.
    """
    now = (session.generation(), target.kind.value)
    before = session.public(_ASKED)
    session.set_public(_ASKED, now)
    if before in {None, now}:
        return
    model = suitable(target)[0]
    session.set_public("model", model)
    session.set_public("model-mechanism", next(iter(offered_for(model))))


def _model(target: Column) -> ModelKind:
    """Return the model, of those that suit the target."""
    kinds = suitable(target)
    if session.public("model") not in {None, *kinds}:
        session.set_public("model", kinds[0])
    return st.selectbox(
        "Model",
        kinds,
        key="model",
        bind="query-params",
        format_func=_capital,
        help="Linear: a number, by least squares. Huber: the same, less swayed by "
        "outliers. Logistic: the odds of yes. Poisson: how often something happens.",
    )


def suitable(target: Column) -> list[ModelKind]:
    """Return the models that a declared target can have."""
    if target.kind is ColumnKind.YES_NO:
        return [ModelKind.LOGISTIC, ModelKind.LINEAR]
    kinds = [ModelKind.LINEAR, ModelKind.HUBER]
    counts = target.bounds is not None and target.bounds.lower >= 0
    return [*kinds, ModelKind.POISSON] if counts else kinds


def _capital(kind: ModelKind) -> str:
    return kind.value[:1].upper() + kind.value[1:]


def _mechanism(model: ModelKind) -> str:
    entries = offered_for(model)
    keys = list(entries)
    if session.public("model-mechanism") not in {None, *keys}:
        session.set_public("model-mechanism", keys[0])
    return st.selectbox(
        "Released by",
        keys,
        format_func=lambda key: _named(entries[key], model),
        key="model-mechanism",
        bind="query-params",
        help="\n".join(f"- {e.label}: {e.sentence}" for e in entries.values()),
    )


def _named(entry: ModelEntry, model: ModelKind) -> str:
    """Return the name of a mechanism, and whether it can never be released."""
    return entry.label + ("" if model in entry.guaranteed else " (classroom only)")


def _request(
    study: Study,
    chosen: tuple[Column, ...],
    model: ModelKind,
    release: tuple[str, float, float],
) -> ModelRequest:
    """Return the request that the controls describe, with the advanced ones.

    Raises:
        ParameterError: Something is missing, or does not go together.

    """
    key, epsilon, delta = release
    size = study.size(*chosen)
    place = st.expander("Penalty and noise", key="model-more", on_change="rerun")
    with place:
        # Nobody joins or leaves then; missing values can only make it fewer.
        fixed = study.terms.relation is NeighboringRelation.SUBSTITUTION
        most = study.dataset.people if fixed else _most_people(size.people)
        left, middle, right = st.columns(3)
        strength = left.number_input(
            "Penalty λ",
            min_value=0.0,
            max_value=1e9,
            value=float(usual_penalty(most)),
            format="%g",
            key=f"penalty-{session.generation()}",
            persist_state="session",
            help="How strongly large coefficients are penalized. A larger penalty "
            "needs less noise and pulls coefficients towards 0. The usual one is twice "
            "the root of the number of people.",
        )
        origin = model_scaling.origin(middle, study, chosen[0], model)
        threshold = _threshold(right, model)
        intercept = st.checkbox(
            "Intercept",
            value=True,
            key="intercept",
            bind="query-params",
            help="Whether the prediction has a constant term. It is penalized, too.",
        )
        apart = model_scaling.others_apart(chosen[1:])
        question = ModelQuestion(
            design=Design(
                target=chosen[0],
                features=chosen[1:],
                intercept=intercept,
                counts=model is ModelKind.POISSON,
                origin=origin,
                others_apart=apart,
            ),
            model=model,
            penalty=Penalty(strength=strength),
            relation=study.terms.relation,
            unit=study.terms.unit,
            most_people=most,
            threshold=threshold,
        )
        return model_noise.released(question, key, epsilon, delta)


def usual_penalty(people: int) -> float:
    """Return twice the root of a number of people, to two digits.

    >>> usual_penalty(20190)
    280.0
    """
    return float(f"{2 * math.sqrt(people):.2g}")


def _most_people(least: int) -> int:
    most = int(
        st.number_input(
            "Public maximum number of people",
            min_value=1,
            value=max(10 * least, 1000),
            key=f"most-people-{session.generation()}",
            persist_state="session",
            help="How many people the table has at most: some bounds on what one "
            "person can do need it.",
        )
    )
    st.caption(
        f"This maximum is a promise: the first {most:,} people of the table are read "
        "and no more. Where it is too small, tables around it are protected as for two "
        "moves of a record, not one."
    )
    return most


def _threshold(
    place: st.delta_generator.DeltaGenerator, model: ModelKind
) -> float | None:
    if model is not ModelKind.HUBER:
        return None
    return place.number_input(
        "Residuals count in full up to",
        min_value=1e-6,
        max_value=2.0,
        value=USUAL_THRESHOLD,
        format="%g",
        key="huber",
        bind="query-params",
        help="In halves of the width of the target's bounds. Larger residuals count "
        "in proportion to their size only.",
    )


def price(request: ModelRequest) -> str:
    """Return the guarantee of a request in words."""
    if math.isinf(request.guarantee):
        return "no guarantee"
    delta = significant(request.delta, up=True)
    return f"ε {epsilon_text(request.guarantee)}, δ {delta}"
