"""What if a record were another one: its own loss, and everybody's. CONFIDENTIAL.

The controls hold how far values move, not the values; nothing is in the address.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import NamedTuple, Self

import numpy as np
import streamlit as st
from numpy.typing import NDArray

from dpcore.analyses.matrix import JointQuery
from dpcore.analyses.number import Query
from dpcore.arrays import FloatArray
from dpcore.data.columns import Column, ColumnKind
from dpcore.figures.individual.counterfactuals import (
    COPIES,
    PENALTY,
    PEOPLE,
    Growth,
    crowd_picture,
    moved_picture,
)
from dpcore.figures.theme import Picture
from dpcore.formatting import capital, significant
from dpcore.individual.counterfactual import (
    Moved,
    move_in_glm,
    move_in_ridge,
    move_in_statistic,
    record_in_units,
    record_of,
    ridge_base,
)
from dpcore.relations import NeighboringRelation
from dpcore.statistics.grouping import name_of_others
from dpcore.studies.individual import crowd
from dpcore.studies.individual.crowd import RidgeCrowd, StatisticCrowd
from ui import controls, layout, results, session
from ui.controls import Cell
from ui.individual import one_person
from ui.individual.one_person import Person
from ui.individual.subject import ModelSubject, StatisticSubject, Subject
from ui.study import Study
from ui.text import literal

_MOVE, _JOIN = "move a person", "let a newcomer join"
# Interpolated losses would seem to move, and exact ones take their time.
_MOST_SAMPLED, _MOST_PERTURBED = 20_000, 30
_SLOW_FIT = 100_000


def show(subject: Subject, study: Study) -> None:
    """Show the view of a subject."""
    if study.dataset.cap is not None:
        st.info(needs_one_row("moving somebody"))
        return
    moving = "Move one person, watch everybody"
    move = one_person.with_noun(moving, session.unit().noun)
    sides = {move: _moves, "Blend into the crowd": show_crowd}
    layout.show(sides, subject, study, key="what-if-side", older={moving: move})
    layout.methods(
        f"One {session.unit().noun}'s loss depends on everybody's records. An outlier "
        "changes the mean or the fit, and so the losses of others. So a loss is no property of "
        f"one {session.unit().noun} alone, and must stay confidential, even from its owner.\n\n"
        "For a linear model the losses after a "
        "move follow from a change of the Hessian of rank two (Sherman, Morrison and "
        "Woodbury), exactly. With k more copies of a record, its "
        "leverage h becomes h/(1 + k h) and its residual r becomes r/(1 + k h). Other "
        "models and statistics are recomputed. The noise scale is kept. If it were "
        "calibrated for the larger table, losses would not shrink.",
        "what-if-definitions",
    )


def _moves(subject: Subject, study: Study) -> None:
    """Move one person, or let a newcomer join: show the controls and what it does."""
    st.markdown(
        f"Give one {session.unit().noun} other values, and see what happens to their "
        "own loss, and to "
        f"everybody else's. {_direction(subject)}"
    )
    who, person = _MOVE, None
    # Nobody can join a table whose number of people is public.
    if isinstance(subject, ModelSubject) or not subject.request.query.size.public:
        who = controls.HERE.radio(
            "What to do",
            [_MOVE, _JOIN],
            format_func=partial(one_person.with_noun, noun=session.unit().noun),
            key="move-who",
            kept="session",
        )
    if who == _MOVE:
        person = one_person.choose(subject, study, "move", usual=one_person.TYPICAL)
        if person is None:
            return
    entry = None if person is None else person.entry
    if isinstance(subject, StatisticSubject):
        seen = _statistic(subject, entry)
    else:
        seen = _model(subject, study, entry)
    if seen is None:
        return
    results.show(seen.picture, "moved")
    if seen.watched < subject.exposure.people - 1:
        st.caption(
            f"{seen.watched:,} others are watched, drawn at random: losses under this "
            "release take a while to compute."
        )
    if isinstance(subject, ModelSubject):
        st.caption(one_person.COMPARED)
    if seen.others_change:
        st.markdown(
            "The others have not changed a single value of theirs; what changed is how "
            "much they stand out."
        )


class _Seen(NamedTuple):
    """What is shown of a move: little, where the losses are as long as the table."""

    picture: Picture
    watched: int
    others_change: bool

    @classmethod
    def of(cls, moved: Moved, subject: Subject) -> Self:
        picture = moved_picture(moved, key=subject.request.mechanism_key)
        return cls(picture, moved.watched, bool(moved.rising or moved.falling))


def _direction(subject: Subject) -> str:
    """Say which way a loss mostly rises: it depends on what is compared."""
    if (
        isinstance(subject, StatisticSubject)
        and subject.relation is NeighboringRelation.SUBSTITUTION
    ):
        return (
            "The loss compares with the most revealing other record, usually at the farther "
            "bound. A value near the middle has a smaller loss, a value near a bound a "
            "larger one. Try both."
        )
    return (
        "A loss here is about the table without them: a person who moves away from the others "
        "usually loses more, towards them less. Try both."
    )


def _statistic(subject: StatisticSubject, entry: int | None) -> _Seen | None:
    """Ask for other values behind a statistic."""
    query = subject.request.query
    values = np.asarray(subject.exposure.values)
    now = None if entry is None else np.atleast_1d(values[entry])
    if query.kind.of_members or query.kind.of_cells:
        if values.ndim > 1:
            st.info("Moves are not shown for counts and shares by group.")
            return None
        key = _key(f"{query.title} {hash(_cells(subject))}", now)
        code = _label(controls.HERE, "Answer", _cells(subject), now, 0, key)
        moved = move_in_statistic(subject.request, subject.exposure, entry, code)
        return _Seen.of(moved, subject)
    row = _record(query.entry_columns, now)
    value = row if values.ndim > 1 else float(row[0])
    moved = move_in_statistic(subject.request, subject.exposure, entry, value)
    return _Seen.of(moved, subject)


def _cells(subject: StatisticSubject) -> tuple[str, ...]:
    query = subject.request.query
    return ("does not count", "counts") if query.kind.of_members else tuple(query.statistic.labels)


def _model(subject: ModelSubject, study: Study, entry: int | None) -> _Seen | None:
    """Ask for another record of a model."""
    design, fit = subject.request.question.design, subject.fit
    now = None
    if entry is not None:
        now = record_in_units(design, fit.features[entry], float(fit.target[entry]))
    values = _record(design.columns, now)
    record = record_of(design, values)
    law, delta = subject.request.law, subject.exposure.delta
    key = subject.identity(study)
    asked = f"{key} {entry} {values.tolist()}"
    if not fit.linear:
        if fit.people > _SLOW_FIT and not st.button("Refit the model"):
            st.caption(f"With this many {session.unit().nouns} a fit takes a few seconds.")
            return None
        return session.remember(
            "moved",
            asked,
            lambda: _Seen.of(move_in_glm(fit, law, entry, record, delta=delta), subject),
        )

    def moved() -> Moved:
        base = session.while_shown(
            "moved-base",
            key,
            lambda: ridge_base(
                fit,
                law,
                _watched(subject, fit.people),
                delta=delta,
                owned=subject.request.unit.rows,
            ),
        )
        return move_in_ridge(base, law, entry, record, delta=delta)

    return session.remember("moved", asked, lambda: _Seen.of(moved(), subject))


def _watched(subject: ModelSubject, people: int) -> NDArray[np.intp]:
    """Return everybody, or as many people at random as can be computed at once."""
    most = _MOST_SAMPLED
    if subject.request.law.public:
        most = people
    elif subject.request.mechanism_key in {"objective", "output-democratic"}:
        most = _MOST_PERTURBED
    if most >= people:
        return np.arange(people)
    return np.sort(np.random.default_rng(1).choice(people, most, replace=False))


def _record(columns: tuple[Column, ...], now: FloatArray | None) -> FloatArray:
    """Ask for a record: how far each value moves, or each value of a newcomer.

    The controls hold moves, and no value of the table.
    """
    cells = controls.row(min(len(columns), 3))
    row = np.empty(len(columns))
    told = []
    for place, column in enumerate(columns):
        cell, name = cells[place % len(cells)], literal(column.title)
        if column.bounds is None:
            # As the studio counts labels: those that are not listed come last.
            listed = (*column.labels, name_of_others(column.labels))
            names = column.labels if column.kind is ColumnKind.YES_NO else listed
            key = _key(column.name, now)
            row[place] = _label(cell, name, names, now, place, key)
            continue
        bounds = column.bounds
        unit = f" ({literal(column.unit)})" if column.unit not in {"", column.name} else ""
        key = _key(column.name, now)
        if now is None:
            row[place] = cell.slider(
                f"{name}{unit}",
                float(bounds.lower + bounds.width / 2),
                (float(bounds.lower), float(bounds.upper)),
                format="%.6g",
                key=key,
                kept="page",
            )
            continue
        by = cell.slider(
            f"Move {name} by{unit}",
            # The first one moves far at once, so that there is something to see.
            float(bounds.width / 2) if place == 0 else 0.0,
            (-float(bounds.width), float(bounds.width)),
            format="%.6g",
            key=key,
            note="The value stays within the public bounds.",
            kept="page",
        )
        before = float(bounds.clip(now[place]))
        row[place] = float(bounds.clip(before + by))
        told.append(f"{name} {significant(before, 4)} → {significant(row[place], 4)}")
    if told:
        st.caption("; ".join(told))
    return row


def _key(name: str, now: FloatArray | None) -> str:
    """Return the key of a control: a move of one column is none of another."""
    return f"move-{session.generation()}-{name}-{'join' if now is None else 'by'}"


def _label(
    cell: Cell, name: str, labels: tuple[str, ...], now: FloatArray | None, at: int, key: str
) -> float:
    """Ask for one of some labels; the person's own is not preset."""
    offered = [*range(len(labels))] if now is None else [-1, *range(len(labels))]
    code = cell.selectbox(
        name if now is None else f"{name} becomes",
        offered,
        format_func=lambda code: "unchanged" if code < 0 else labels[code],
        key=key,
        kept="page",
    )
    return float(now[at]) if code < 0 and now is not None else float(code)


_TIMES = (1 / 8, 1 / 4, 1 / 2, 1, 2, 4, 8, 16, 32)
_PENALTIES = np.geomspace(1e-3, 1e3, 31)
_SEED = 1


def show_crowd(subject: Subject, study: Study) -> None:
    """Show how a person's loss falls as others join."""
    st.markdown(
        f"Standing out costs privacy. How much less would this {session.unit().noun} lose "
        f"among {session.unit().nouns} with the same record, or in a larger table? The noise "
        "stays the same."
    )
    person = one_person.choose(subject, study, "crowd")
    if person is None:
        return
    views = {"copies of the person": _copies, "a larger table": _people}
    if isinstance(subject, ModelSubject):
        if not subject.fit.linear:
            st.info(
                "For a nonlinear model every point of these curves is a fit of its "
                "own; they are drawn for linear models and statistics."
            )
            return
        views["another penalty"] = _penalty
    elif not isinstance(subject.request.query, Query | JointQuery):
        st.info("Larger tables are not compared for statistics by group.")
        return
    view = controls.HERE.radio(
        "What changes",
        list(views),
        format_func=partial(one_person.with_noun, noun=session.unit().noun),
        key="crowd-view",
    )
    if view is not None:
        views[view](subject, person, study)
    if isinstance(subject, ModelSubject):
        st.caption(one_person.COMPARED)


def _copies(subject: Subject, person: Person, study: Study) -> None:
    more = crowd.copies(subject.exposure.people)
    among = (
        _of_statistic(subject, person)
        if isinstance(subject, StatisticSubject)
        else _of_model(subject, person)
    )
    x = [1 + count for count in more]
    _draw(subject, person, study, COPIES, x, partial(among.copies, more), today=1)
    st.markdown(
        f"With every copy the {session.unit().noun} is less special: the table says "
        "the same without "
        "any one of them."
    )


def _people(subject: Subject, person: Person, study: Study) -> None:
    people = subject.exposure.people
    if isinstance(subject, StatisticSubject):
        counts = crowd.sizes(people)
        sizes: Sequence[float] = counts
        rng = np.random.default_rng(_SEED)
        compute = partial(_of_statistic(subject, person).people, counts, rng=rng)
    else:
        sizes = [people * times for times in _TIMES]
        compute = partial(_of_model(subject, person).people, _TIMES)
    _draw(subject, person, study, PEOPLE, sizes, compute, today=people)
    st.markdown(
        "Smaller tables are drawn from this one, larger ones repeat it."
        if isinstance(subject, StatisticSubject)
        else f"Everybody but the {session.unit().noun} is there so many times, or with "
        "so much of "
        "their weight."
    )


def _penalty(subject: Subject, person: Person, study: Study) -> None:
    if isinstance(subject, StatisticSubject):
        return
    today = subject.fit.penalty.strength
    strengths = np.unique(np.append(_PENALTIES * max(today, 1e-3), today))
    strengths = strengths[strengths > 0]
    x = strengths.tolist()
    compute = partial(_of_model(subject, person).penalties, x)
    _draw(subject, person, study, PENALTY, x, compute, today=today or x[0])
    st.markdown(
        "A larger penalty lets nobody pull the coefficients far, and shrinks them "
        "towards 0 for everybody."
    )


def _of_statistic(subject: StatisticSubject, person: Person) -> StatisticCrowd:
    return StatisticCrowd(request=subject.request, exposure=subject.exposure, entry=person.entry)


def _of_model(subject: ModelSubject, person: Person) -> RidgeCrowd:
    if not subject.fit.linear:
        raise TypeError
    return RidgeCrowd(
        fit=subject.fit,
        law=subject.request.law,
        person=person.entry,
        delta=subject.exposure.delta,
        rows=subject.request.unit.rows,
    )


def _draw(
    subject: Subject,
    person: Person,
    study: Study,
    grown: Growth,
    x: Sequence[float],
    compute: Callable[[], FloatArray],
    *,
    today: float,
) -> None:
    key = f"{subject.identity(study)} {person.entry}"
    losses = session.remember(f"crowd-{grown.axis}", key, compute)
    picture = crowd_picture(grown, x, losses, today=today, key=subject.request.mechanism_key)
    results.show(picture, "crowd")


def needs_one_row(what: str) -> str:
    """Return, in a sentence, that ``what`` needs one row a person.

    >>> needs_one_row("moving somebody")
    'Moving somebody is shown where one row is a person: make one of each on Data.'
    """
    return f"{capital(what)} is shown where one row is a person: make one of each on Data."
