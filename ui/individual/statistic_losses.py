"""The parts of the Individual privacy page. CONFIDENTIAL, all but the worst case."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any, NamedTuple, cast

import numpy as np
import streamlit as st

from dpcore.analyses.base import Question, Request
from dpcore.analyses.groups import GroupedQuery
from dpcore.analyses.marginals import MarginalsQuery
from dpcore.analyses.measurement import OneMechanism
from dpcore.analyses.number import Query
from dpcore.analyses.reading import StatisticRequest
from dpcore.analyses.weighted import WeightedPlan, WeightedQuery
from dpcore.arrays import FloatArray
from dpcore.figures.individual.people import groups_picture, others_picture, sentences
from dpcore.formatting import epsilon_text, significant
from dpcore.individual.explanation import explain, tied_text
from dpcore.individual.generalization import lengths, total_variations
from dpcore.individual.losses import MOST_KEPT, ExposedPerson
from dpcore.individual.per_instance_loss import StatisticLosses
from dpcore.mechanisms.exponential import Exponential
from dpcore.mechanisms.gaussian import Gaussian
from dpcore.mechanisms.mechanism import Mechanism
from dpcore.relations import NeighboringRelation
from dpcore.statistics.grouping import name_of_others
from dpcore.statistics.user_level import unpacked
from dpcore.studies.individual.loss_comparisons import BoundCheck, gaussian_checks, other_exposures
from ui import layout, results, session
from ui.individual import everybody, one_person
from ui.individual.subject import StatisticSubject
from ui.study import Study
from ui.text import literal

_ALIKE = 0.5


def show(subject: StatisticSubject, study: Study) -> None:
    """Show everybody's loss from the release of a statistic."""
    everybody.show(
        subject.exposure,
        subject.request,
        remarks=partial(_remarks, subject, study),
        most_exposed=partial(most_exposed, subject.exposure, subject.request, study),
        groups=partial(everybody.groups, subject, study),
        closer=partial(_closer, subject, study),
    )


def _remarks(subject: StatisticSubject, study: Study) -> None:
    unit = subject.request.query.unit
    absent = 0 if unit.several else study.dataset.people - subject.exposure.people
    if absent:
        loss = "They lose nothing: without their record the result is the same."
        if subject.relation is NeighboringRelation.SUBSTITUTION:
            loss = (
                "With another record each of them could count, and loses up to "
                f"ε = {epsilon_text(subject.exposure.for_all)}. “All releases” adds that."
            )
        st.caption(
            f"{absent:,} of {study.dataset.people:,} {unit.counted} have no value that counts in "
            f"this release. The chart and shares below leave them out. {loss}"
        )
    if subject.relation is NeighboringRelation.SUBSTITUTION:
        st.caption(
            "All losses are similar, because a replacement may lie at the far bound. Compare with "
            "the table without the record to see differences."
            if subject.exposure.mean > _ALIKE * subject.exposure.worst_case
            else "Each loss is about the farthest value within the bounds."
        )


def _by_weight(subject: StatisticSubject) -> None:
    """Show how losses grow with the weight of a row."""
    plan, key = cast("WeightedPlan", subject.request.plan), subject.request.mechanism_key
    weights = np.asarray(subject.exposure.values)[:, 1]
    weight = cast("WeightedQuery", subject.request.query).weight
    counted = subject.request.query.unit.counted
    quarters = np.clip(np.ceil(4 * weights / plan.cap) - 1, 0, 3).astype(np.int64)
    first, second, third = (significant(plan.cap * part / 4) for part in (1, 2, 3))
    of = f"up to {first}", f"{first} to {second}", f"{second} to {third}", f"above {third}"
    counts = np.bincount(quarters, minlength=len(of))
    labels = tuple(f"{one} ({count:,})" for one, count in zip(of, counts, strict=True))
    losses = subject.exposure.by_group(quarters, labels)
    picture = groups_picture(losses, by=f"{weight.title} ({counted})", key=key, unit=session.unit())
    results.show(picture, "weights")


def _closer(subject: StatisticSubject, study: Study) -> None:
    """Offer what else can be read from the losses."""
    exposure, asked = subject.exposure, subject.request
    analysis = subject.identity(study)
    layout.folded(
        "The same table through other mechanisms",
        "closer-others",
        lambda: _others(subject, analysis),
    )
    if asked.query.kind.weighted and asked.query.unit.cap is None:
        layout.folded("Loss by weight", "closer-weights", lambda: _by_weight(subject))
    everybody.moments(subject, study)
    layout.folded(
        "What this says about overfitting",
        "closer-overfitting",
        lambda: everybody.overfitting(exposure, exposure.delta, _variation(subject, analysis)),
    )
    if isinstance(_mechanism(asked), Gaussian):
        layout.folded(
            "Published bounds beside the exact loss",
            "closer-bounds",
            lambda: everybody.bounds(_checks(subject, analysis)),
        )


def _mechanism(asked: Request) -> Mechanism | Exponential | None:
    """Return what draws the answer, where that is a single draw."""
    plan = asked.plan
    return plan.mechanism if isinstance(plan, OneMechanism) else None


def _others(subject: StatisticSubject, analysis: str) -> None:
    """Show the losses through other mechanisms, and say why they differ."""
    exposure, asked = subject.exposure, subject.request
    if asked.query.kind.of_ranks or asked.query.kind.of_matrix:
        st.info("This question has no other mechanism to be compared with.")
        return
    others = session.while_shown(
        "others", analysis, lambda: other_exposures(asked, exposure, delta=asked.used_delta or 1e-6)
    )
    for said in sentences(others):
        st.markdown(said)
    results.show(others_picture(others, session.unit()), "others")


def _variation(subject: StatisticSubject, analysis: str) -> FloatArray | None:
    asked = subject.request
    mechanism = _mechanism(asked)
    if mechanism is None:
        return None
    return session.while_shown(
        "variation",
        analysis,
        lambda: total_variations(
            mechanism,
            subject.exposure,
            within=asked.query.statistic.range,
            rows=asked.query.unit.rows,
        ),
    )


def _checks(subject: StatisticSubject, analysis: str) -> tuple[BoundCheck, ...]:
    asked, exposure = subject.request, subject.exposure
    noise = asked.plan.noise
    return session.remember(
        "bound-checks",
        analysis,
        lambda: gaussian_checks(
            lengths(exposure, rows=asked.query.unit.rows) / noise, exposure.delta
        ),
    )


def most_exposed(exposure: StatisticLosses, asked: StatisticRequest, study: Study) -> None:
    """List who is most exposed, by row number and the value in use, and why; ties share a rank."""
    listed = session.remember(
        "most-exposed",
        f"{exposure.relation} {asked.analysis(study.fingerprint)}",
        lambda: _most_exposed(exposure, asked, study),
    )
    st.markdown("\n\n".join(map(literal, listed.sentences)))
    everybody.list_people(listed.people, listed.table, upper=exposure.upper)


class _Listed(NamedTuple):
    """The people who lose most, and why. CONFIDENTIAL."""

    people: tuple[ExposedPerson, ...]
    sentences: tuple[str, ...]
    table: dict[str, Any]


def _most_exposed(exposure: StatisticLosses, asked: StatisticRequest, study: Study) -> _Listed:
    most = exposure.most_exposed()
    why = explain(most[0], exposure, asked.query)
    tied = tied_text(exposure, asked.query, listed=MOST_KEPT)
    entries = [person.entry for person in most]
    who = one_person.who(asked.query.rows(study.in_memory)[entries], study)
    used = of_people(most, asked, np.asarray(exposure.values)[entries])
    return _Listed(most, (why, tied) if tied else (why,), who | used)


def of_people(
    listed: Sequence[ExposedPerson], asked: StatisticRequest, values: FloatArray
) -> dict[str, list[Any]]:
    """Return the values of people in use, and how far each moves the answer."""
    shown = in_use(asked, values)
    if not asked.query.kind.of_places:
        shown["moves the answer by"] = [person.shift for person in listed]
    return shown


def definitions() -> str:
    """Define per-instance privacy loss and the chain of guarantees."""
    return (
        f"One {session.unit().noun}'s own loss compares only two tables. One has the "
        f"{session.unit().noun}'s record, the other lacks it or has another record. The loss "
        "is the largest change in the odds of any answer. Differential privacy is the "
        "largest of these "
        f"over all tables and {session.unit().nouns}, for the declared change of a record. If "
        "losses are about the same change, none exceeds the guarantee. A guarantee about leaving "
        "the table is no limit for a replaced record, and the other way round.\n\nWith Laplace "
        "noise a loss is the change of the answer, divided by the scale of the noise. Clamping "
        "(BIT) does not change it while both values lie within the bounds. Truncation raises "
        "it, most near a bound, because the rejection probability depends on the exact answer.\n\n"
        "Source: Y.-X. Wang, Per-instance Differential Privacy, 2019, definitions 2 and 7. The "
        "losses are exact "
        "profiles of the mechanisms, not tail bounds."
    )


def _rows_in_use(lines: FloatArray, query: Question, *, counted: bool) -> dict[str, list[Any]]:
    """Return how many rows of some people count, and what is in them on average."""
    rows, line = unpacked(lines, query.unit.cap or 1)
    owned = np.bincount(line, minlength=len(lines))
    shown: dict[str, list[Any]] = {"rows that count": owned.tolist()}
    if counted:
        total = np.bincount(line, weights=rows[:, 0], minlength=len(lines))
        return shown | {"counted": total.tolist()}
    bounds = query.column.bounds
    if bounds is not None:
        total = np.bincount(line, weights=bounds.clip(rows[:, 0]), minlength=len(lines))
        shown["mean in use"] = (total / owned).tolist()
    return shown


def in_use(asked: StatisticRequest, values: FloatArray) -> dict[str, list[Any]]:
    """Return values as the statistic counts them: clamped to the public bounds.

    No column of the table can be called like one that stands beside them.
    """
    query = asked.query
    part = query.part if isinstance(query, GroupedQuery) else query
    counted = isinstance(part, Query) and bool(part.membership or part.edges)
    if query.unit.cap is not None:
        return _rows_in_use(values, query, counted=counted)
    if isinstance(query, MarginalsQuery):
        answers = zip(query.columns, query.names, values.T, strict=True)
        return {
            f"{column.name} in use": [names[int(code)] for code in codes]
            for column, names, codes in answers
        }
    if values.ndim == 1 and query.kind.of_cells:
        cells = query.statistic.labels
        return {"category or bin": [cells[int(code)] for code in values]}
    if values.ndim == 1:
        bounds = None if counted else query.column.bounds
        clamped = values if bounds is None else bounds.clip(values)
        return {"value in use": clamped.tolist()}
    shown: dict[str, list[Any]] = {}
    for place, (column, cells) in enumerate(zip(query.entry_columns, values.T, strict=True)):
        if counted and place == 0:
            shown["counted"] = cells.tolist()
        elif column.bounds is not None:
            shown[f"{column.name} in use"] = column.bounds.clip(cells).tolist()
        else:
            names = (*column.labels, name_of_others(column.labels))
            shown[f"{column.name} in use"] = [names[int(code)] for code in cells]
    return shown
