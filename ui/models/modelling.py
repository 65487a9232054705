"""Controls that ask for a model: which columns, which model, released how.

Public settings are in the URL; the columns are not, and nothing that came with the
data.
"""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Final

import streamlit as st

from dpcore.analyses.model import ModelEntry, ModelRequest, offered_for
from dpcore.analyses.model_errors import balanced_penalty
from dpcore.data.columns import Column, ColumnKind
from dpcore.formatting import epsilon_text, in_full, significant
from dpcore.models.design import Design
from dpcore.models.loss_functions import USUAL_THRESHOLD, ModelKind
from dpcore.models.penalty import Penalty
from dpcore.models.question import ModelQuestion
from ui import controls, session
from ui.controls import Cell
from ui.models import columns, noise, scaling
from ui.study import Study

_ASKED: Final = "_model_asked"


def ask(study: Study) -> ModelRequest:
    """Show the controls of a model and return it; explain in place what is missing.

    Where the model cannot be asked for yet, the page stops below the explanation. What
    is declared here is kept: read the study from ``session`` afterwards.
    """
    target, features = columns.choose(study)
    dataset = columns.declared(study.dataset, (target, *features))
    study = replace(study, dataset=dataset)
    chosen = tuple(dataset.column(name) for name in (target, *features))
    _reset(chosen[0])
    first, second, third, fourth = controls.row([3, 5, 3, 3])
    with controls.valid():
        with first.place:
            model = _model(chosen[0])
        with second.place:
            key = _mechanism(model)
        epsilon = third.charged_epsilon(
            "ε for this release", 1.0, (1e-6, 100.0, 0.1), key="model-epsilon", kept="table"
        )
        delta = fourth.charged_delta(key="model-delta", kept="table")
        return _request(study, chosen, model, (key, epsilon, delta))


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
    return controls.HERE.selectbox(
        "Model",
        kinds,
        key="model",
        kept="table",
        format_func=_capital,
        note="Linear: a number, by least squares. Huber: the same, less swayed by "
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
    return controls.HERE.selectbox(
        "Released by",
        keys,
        format_func=lambda key: _named(entries[key], model),
        key="model-mechanism",
        kept="table",
        note="\n".join(f"- {e.label}: {e.sentence}" for e in entries.values()),
    )


def _named(entry: ModelEntry, model: ModelKind) -> str:
    """Return the name of a mechanism, and whether it can never be released."""
    return entry.label + ("" if model in entry.guaranteed else " (classroom only)")


def _request(
    study: Study,
    chosen: tuple[Column, ...],
    model: ModelKind,
    release: tuple[str, controls.Typed, controls.Typed],
) -> ModelRequest:
    """Return the request that the controls describe, with the advanced ones.

    Raises:
        ParameterError: Something is missing, or does not go together.

    """
    key, *typed = release
    size = study.size(*chosen)
    place = st.expander("Penalty and noise", key="model-more", on_change="rerun")
    with place:
        # Missing values can only make a public number fewer.
        known = study.dataset.people if study.public_number else None
        most = _most_people(size.people) if known is None else known
        left, middle, right = controls.row(3)
        own = _own_penalty(left)
        origin = scaling.origin(middle, study, chosen[0], model)
        threshold = _threshold(right, model)
        intercept = controls.HERE.checkbox(
            "Intercept",
            value=True,
            key="intercept",
            kept="table",
            note="Whether the prediction has a constant term. It is penalized, too.",
        )
        apart = scaling.others_apart(chosen[1:])
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
            penalty=Penalty(strength=0.0 if own is None else own),
            relation=study.terms.relation,
            unit=study.terms.unit,
            most_people=most,
            threshold=threshold,
        )
        if known is None and question.truncated:
            _say_truncated(question)
        epsilon, delta = (one.inside for one in typed)
        if own is None:
            strength = balanced_penalty(question, epsilon=epsilon, delta=delta)
            question = replace(question, penalty=Penalty(strength=strength))
            left.place.caption(f"Penalty λ: {in_full(strength)}.")
        return noise.released(question, key, epsilon, delta)


def _own_penalty(cell: Cell) -> float | None:
    """Return a penalty of the reader's own, ``None`` for the balanced one."""
    if cell.checkbox(
        "Balance penalty and noise",
        value=True,
        key="balanced-penalty",
        kept="table",
        note="A larger penalty needs less noise and pulls coefficients towards 0. The "
        "balanced one moves predictions as far as the noise does, by public numbers: "
        "the size, ε and δ. Untick to set your own.",
    ):
        return None
    return cell.number(
        "Penalty λ",
        100.0,
        (0.0, 1e9),
        key=f"penalty-{session.generation()}",
        kept="session",
        note="How strongly large coefficients are penalized: λ/2 times the squared "
        "length of all of them is added to the sum of all losses.",
    )


def _most_people(least: int) -> int:
    return controls.HERE.number(
        f"Public maximum number of {session.unit().counted}",
        max(10 * least, 1000),
        (1, None),
        key=f"most-people-{session.generation()}",
        kept="session",
        note=f"How many {session.unit().counted} the table has at most. The guarantee "
        "holds where this number is too small; the errors on this page are then "
        "estimates.",
    )


def _say_truncated(question: ModelQuestion) -> None:
    """Say that the table is truncated, and what covers it."""
    unit = session.unit()
    text = f"Only the first {unit.number(question.most_people)} of the table are read."
    if question.exchanges:
        text += (
            f" A {unit.noun} who leaves may let another one in, so the noise covers "
            "two moves of a row. Regressions of earlier versions covered one move. "
            "Their results remain in the ledger, and this is a new question."
        )
    st.caption(text)


def _threshold(cell: Cell, model: ModelKind) -> float | None:
    if model is not ModelKind.HUBER:
        return None
    return cell.number(
        "Residuals count in full up to",
        USUAL_THRESHOLD,
        (1e-6, 2.0),
        key="huber",
        kept="table",
        note="In halves of the width of the target's bounds. Larger residuals count in "
        "proportion to their size only.",
    )


def price(request: ModelRequest) -> str:
    """Return the guarantee of a request in words."""
    if math.isinf(request.guarantee):
        return "no guarantee"
    delta = significant(request.delta, up=True)
    return f"ε {epsilon_text(request.guarantee)}, δ {delta}"
