"""What is asked of a model: its columns, what they are compared with, penalty and noise."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from typing import Final, TypeVar

import numpy as np
import streamlit as st

from dpcore.analyses.model import MODEL_MECHANISMS, ModelEntry, ModelRequest, offered_for
from dpcore.analyses.model_errors import balanced_penalty
from dpcore.analyses.reading import as_declared
from dpcore.data.columns import Column, ColumnKind
from dpcore.data.dataset import Dataset
from dpcore.data.partitions.table import Table
from dpcore.errors import ParameterError
from dpcore.formatting import capital, epsilon_text, in_full, significant
from dpcore.models.design import Design
from dpcore.models.loss_functions import USUAL_THRESHOLD, ModelKind
from dpcore.models.penalty import Penalty
from dpcore.models.question import Fit, ModelQuestion
from ui import controls, partwise, session
from ui.asking import columns
from ui.controls import Cell
from ui.study import Study
from ui.text import literal

_ASKED: Final = "_model_asked"
_USUAL_GAMMA: Final = {"output": 100.0, "output-public": 100.0, "objective": 1.0}
_STARTS: Final = {
    "rand-hie": ("visits", ("coinsurance", "limitation", "chronic diseases")),
    "fair": ("affair", ("rating", "age", "years married")),
    "anes96": ("own position", ("party", "age", "income")),
}
_MOST_AT_FIRST: Final = 3
_EXPLAINED: Final = (ColumnKind.NUMBER, ColumnKind.WHOLE, ColumnKind.YES_NO)
_NO_PREDICTOR: Final = (ColumnKind.IDENTIFIER, ColumnKind.NOT_USED)
_FEWEST: Final = 2
_NAMED: Final = 4
# Published averages: a visit to a doctor every four months, as other surveys of the
# time report it, too.
_USUAL: Final = {("rand-hie", "visits"): 3.0}


def ask(study: Study) -> ModelRequest:
    """Show the controls of a model and return it; explain in place what is missing.

    Where the model cannot be asked for yet, the page stops below the explanation. What
    is declared here is kept: read the study from ``session`` afterwards.
    """
    target, features = choose(study)
    dataset = declared(study.dataset, (target, *features))
    study = replace(study, dataset=dataset)
    chosen = tuple(dataset.column(name) for name in (target, *features))
    _reset(chosen[0])
    first, second, third, fourth = controls.row([3, 5, 3, 3])
    with controls.valid():
        with first.place:
            kinds = suitable(chosen[0])
            if session.public("model") not in {None, *kinds}:
                session.set_public("model", kinds[0])
            model = controls.HERE.selectbox(
                "Model",
                kinds,
                key="model",
                kept="table",
                format_func=capital,
                note="Linear: a number, by least squares. Huber: the same, less swayed by "
                "outliers. Logistic: the odds of yes. Poisson: how often something happens.",
            )
        with second.place:
            entries = offered_for(model)
            keys = list(entries)
            if session.public("model-mechanism") not in {None, *keys}:
                session.set_public("model-mechanism", keys[0])
            key = controls.HERE.selectbox(
                "Mechanism",
                keys,
                format_func=lambda key: _named(entries[key], model),
                key="model-mechanism",
                kept="table",
                note="\n".join(f"- {e.label}: {e.sentence}" for e in entries.values()),
            )
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


def suitable(target: Column) -> list[ModelKind]:
    """Return the models that a declared target can have."""
    if target.kind is ColumnKind.YES_NO:
        return [ModelKind.LOGISTIC, ModelKind.LINEAR]
    kinds = [ModelKind.LINEAR, ModelKind.HUBER]
    counts = target.bounds is not None and target.bounds.lower >= 0
    return [*kinds, ModelKind.POISSON] if counts else kinds


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
    place = st.expander("Regularization (ridge λ)", key="model-more", on_change="rerun")
    with place:
        # Missing values can only make a public number fewer.
        known = study.dataset.people if study.public_number else None
        most = _most_people(size.people) if known is None else known
        left, middle, right = controls.row(3)
        own = _own_penalty(left)
        origin = usual_value(middle, study, chosen[0], model)
        threshold = _threshold(right, model)
        intercept = controls.HERE.checkbox(
            "Intercept",
            value=True,
            key="intercept",
            kept="table",
            note="Whether the prediction has a constant term. It is penalized, too.",
        )
        apart = others_apart(chosen[1:])
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
        return noisy_request(question, key, epsilon, delta)


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
    return f"ε = {epsilon_text(request.guarantee)}, δ = {delta}"


def noisy_request(question: ModelQuestion, key: str, epsilon: float, delta: float) -> ModelRequest:
    """Ask for what the mechanism needs besides, and return the request."""
    left, right = controls.row(2)
    samples, share, matrix = 1, 0.5, None
    if key == "posterior":
        samples = left.number(
            "Number of samples",
            1,
            (1, 100),
            key="samples",
            kept="table",
            note="Several samples show how uncertain the posterior is; each is less precise at the "
            "same cost.",
        )
    if key == "adaptive":
        share = left.slider(
            "Part of ε for the first look",
            0.5,
            (0.05, 0.95),
            key="share",
            kept="table",
            note="The mechanism first measures how well the table determines the "
            "coefficients (the smallest eigenvalue of XᵀX), and draws them with the "
            "rest of ε.",
        )
    if key == "output-public":
        matrix = _precisions(question, left)
    free = question.model not in MODEL_MECHANISMS[key].guaranteed
    gamma = _gamma(right, key, free=free) if key != "adaptive" else None
    return ModelRequest(
        question=question,
        mechanism_key=key,
        epsilon=epsilon,
        delta=delta,
        gamma=gamma,
        samples=samples,
        matrix=matrix,
        share=share,
    )


def _gamma(cell: controls.Cell, key: str, *, free: bool) -> float | None:
    """Return the precision, ``None`` where ε and δ determine it."""
    if not free and not cell.checkbox(
        "Set the precision instead of ε",
        key="own-gamma",
        kept="table",
        note="The privacy cost then follows from this precision.",
    ):
        return None
    return cell.charged(
        "Precision γ",
        _USUAL_GAMMA.get(key, 1.0),
        (1e-12, 1e12),
        key=f"gamma-{key}",
        kept="table",
        note="One over the variance of the noise, in the unit of the mechanism.",
    ).inside


def _precisions(question: ModelQuestion, cell: controls.Cell) -> tuple[tuple[float, ...], ...]:
    """Return a public diagonal matrix with an entry for each coefficient."""
    names = question.labels
    text = cell.place.text_input(
        "Public precision of each coefficient",
        " ".join("1" for _ in names),
        key=f"precisions-{session.generation()}-{len(names)}",
        persist_state="session",
        help=f"A number for each, separated by spaces: {literal(', '.join(names))}. "
        "Larger means less noise on it. They must not be read from this table.",
    )
    try:
        numbers = [float(part) for part in text.replace(",", " ").split()]
    except ValueError:
        numbers = []
    if len(numbers) != len(names) or not all(0 < n < math.inf for n in numbers):
        raise ParameterError(
            f"the public precisions must be {len(names)} positive numbers, separated by spaces."
        )
    return tuple(tuple(row) for row in np.diag(numbers).tolist())


def choose(study: Study) -> tuple[str, tuple[str, ...]]:
    """Return the names of the target and of the features."""
    columns_now = study.dataset.columns
    names = [column.name for column in columns_now]
    shown = [study.dataset.short(name) for name in names]
    usable = [p for p, column in enumerate(columns_now) if column.kind in _EXPLAINED]
    if len(names) < _FEWEST or not usable:
        st.info(
            "A regression needs a numeric or yes/no outcome and a predictor. Declare both "
            "on Data; a category of two labels can be declared as yes/no."
        )
        session.end_page()
    ready = [p for p in usable if columns_now[p].is_declared]
    start, others = _STARTS.get(study.example or "", ("", ()))
    left, right = controls.row([1, 3])
    target = left.selectbox(
        "Outcome",
        usable,
        # The column that an example starts with may have become a category.
        index=usable.index(next((p for p in usable if names[p] == start), (ready or usable)[0])),
        format_func=shown.__getitem__,
        key=f"model-target-{session.generation()}",
        kept="session",
        note="A number, a count or yes/no.",
    )
    out = [study.dataset.short(c.name) for c in columns_now if c.kind is ColumnKind.CATEGORY]
    if out:
        names_out = ", ".join(f"“{name}”" for name in out[:_NAMED])
        more = "" if len(out) <= _NAMED else f" and {len(out) - _NAMED} more"
        st.caption(
            f"Not offered as an outcome: {literal(names_out)}{more} (categories). Declare "
            "a category of two labels as yes/no on Data."
        )
    rest = [
        position
        for position, column in enumerate(columns_now)
        if position != target and column.kind not in _NO_PREDICTOR
    ]
    wanted = [names.index(name) for name in others if name in names]
    usual = [position for position in wanted if position != target]
    simple = [p for p in ready if p != target] or [p for p in usable if p != target] or rest
    chosen = right.place.multiselect(
        "Predictors",
        rest,
        default=usual or simple[:_MOST_AT_FIRST],
        format_func=shown.__getitem__,
        key=f"model-features-{session.generation()}-{target}",
        persist_state="session",
        help="A category has a coefficient for each public label but the first, its "
        "reference category.",
    )
    if not chosen:
        st.info("Choose at least one predictor.", icon="✏️")
        session.end_page()
    return names[target], tuple(names[position] for position in sorted(chosen))


def declared(dataset: Table, names: Sequence[str]) -> Table:
    """Ask for the bounds that are missing; the page ends below until they are there."""
    for name in names:
        position = [column.name for column in dataset.columns].index(name)
        slot = f"model-{position}"
        if not columns.is_open(slot, position, dataset.columns[position]):
            continue
        st.markdown(f"**{literal(name)}** needs public bounds:")
        entered = columns.until_done(slot, dataset, position)
        if entered is None or not entered.columns[position].is_declared:
            session.end_page()
        dataset = entered
    return dataset


def usual_value(cell: Cell, study: Study, target: Column, model: ModelKind) -> float | None:
    """Ask for a usual value of the target; ``None`` where the middle of its bounds is.

    A target that is yes/no or counts has none.
    """
    bounds = target.bounds
    if bounds is None or model not in {ModelKind.LINEAR, ModelKind.HUBER}:
        return None
    middle = (bounds.lower + bounds.upper) / 2
    names = [column.name for column in study.dataset.columns]
    known = _USUAL.get((study.example or "", target.name), middle)
    usual = cell.number(
        "Typical value of the outcome (public guess)",
        # The bounds of an example can be declared anew.
        known if bounds.lower <= known <= bounds.upper else middle,
        (float(bounds.lower), float(bounds.upper)),
        key=f"origin-{session.generation()}-{names.index(target.name)}-{middle:g}",
        kept="session",
        note="A public guess of an average, from elsewhere and not from this table. "
        "The penalty pulls predictions towards it; far from the truth it spoils the "
        "fit.",
    )
    return None if usual == middle else float(usual)


def others_apart(features: Sequence[Column]) -> bool:
    """Ask what the labels of categories are compared with, where there are any."""
    if all(column.kind is not ColumnKind.CATEGORY for column in features):
        return False
    return controls.HERE.checkbox(
        "Compare labels with values that are not listed",
        key="others-apart",
        kept="table",
        note="Otherwise they are compared with the first public label, and values that "
        "are not listed count with it.",
    )


def references(design: Design) -> None:
    """Say in a sentence what the labels of each category are compared with."""
    found = [c for c in design.features if c.kind is ColumnKind.CATEGORY]
    if not found:
        return
    if design.others_apart:
        names = ", ".join(f"“{column.title}”" for column in found)
        text = f"The labels of {names} are compared with values that are not listed."
    else:
        parts = [f"“{column.title}” with “{column.labels[0]}”" for column in found]
        more = "" if len(parts) <= _NAMED else ", and so on"
        text = (
            f"Labels are compared with a public reference: {', '.join(parts[:_NAMED])}"
            f"{more}. People whose value is not listed count with it."
        )
    st.caption(literal(text))


def compared_with(design: Design, column: Column) -> str:
    """Return what a label of a category is compared with, in a few words."""
    return "values not listed" if design.others_apart else column.labels[0]


# The fit behind a model, and what is found with it. CONFIDENTIAL.
#
# Of a table in parts that takes some runs of the page, with a bar and “Stop”; nothing of
# it is known until then.

_T = TypeVar("_T")


def fitted(study: Study, asked: ModelRequest) -> Fit | None:
    """Return the fit to the table, kept while it is shown; ``None`` until it is there.

    Raises:
        DataError: No model can be fitted to the table.

    """
    key, table = study.about(asked.question), study.parts
    if table is None:
        with st.spinner("Fitting …"):
            return session.while_shown("model-fit", key, lambda: asked.value(study.dataset))
    return partwise.found(
        "model-fit-of-parts",
        key,
        as_declared(asked, table),
        asked.value,
        doing="Fitting the model",
        passes=1 if asked.question.loss is None else None,
    )


def everybody(study: Study, asked: ModelRequest) -> int | None:
    """Return how many people of the table have all that the model needs.

    More than those behind the fit where the public maximum is none; ``None`` until
    they are counted.
    """
    design = asked.question.design
    names = [column.name for column in design.columns]
    return partwise.found(
        "model-people",
        study.about(asked.question),
        as_declared(asked, study.dataset),
        lambda read: sum(read.each(partial(_people, design), names)),
        doing=f"Counting the {session.unit().counted} of the model",
    )


def _people(design: Design, part: Dataset) -> int:
    return len(design.rows(part))


def found(
    slot: str, key: str, study: Study, fit: Fit, compute: Callable[[Fit], _T], *, doing: str
) -> _T | None:
    """Return what is found with a fit, kept while it is shown.

    Args:
        slot: Which result of the page it is.
        key: Public settings: other settings begin anew.
        study: The table.
        fit: The fit to it.
        compute: Finds it, with the fit to a table that is read here.
        doing: What is being done, in plain words.

    Returns:
        ``None`` while parts of the table are read, and where that was stopped.

    Raises:
        DPCoreError: It cannot be computed.

    """
    table = study.parts
    if table is None:
        return session.while_shown(slot, key, lambda: compute(fit))
    return partwise.found(
        f"{slot}-of-parts",
        key,
        table,
        lambda read: compute(fit.read_by(read)),
        doing=doing,
        passes=None,
    )
