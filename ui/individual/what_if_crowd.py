"""Blend into the crowd: copies, more people, another penalty. CONFIDENTIAL."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
import streamlit as st

from dpcore.analyses.matrix import JointQuery
from dpcore.analyses.number import Query
from dpcore.arrays import FloatArray
from dpcore.figures.individual import counterfactuals
from dpcore.figures.individual.counterfactuals import crowd_picture
from dpcore.studies.individual import crowd
from dpcore.studies.individual.crowd import RidgeCrowd, StatisticCrowd
from ui import controls, results, session
from ui.individual import persons
from ui.individual.persons import Person
from ui.individual.subject import ModelSubject, StatisticSubject, Subject
from ui.study import Study

_TIMES = (1 / 8, 1 / 4, 1 / 2, 1, 2, 4, 8, 16, 32)
_PENALTIES = np.geomspace(1e-3, 1e3, 31)
_SEED = 1


def show_crowd(subject: Subject, study: Study) -> None:
    """Show how a person's loss falls as others join."""
    st.markdown(
        f"Standing out costs privacy. How much less would this {session.unit().noun} "
        f"lose among {session.unit().nouns} "
        "with the same record, or in a larger table? The noise stays as it is."
    )
    person = persons.choose(subject, study, "crowd")
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
    view = controls.HERE.radio("What changes", list(views), key="crowd-view")
    if view is not None:
        views[view](subject, person, study)
    if isinstance(subject, ModelSubject):
        st.caption(persons.COMPARED)


def _copies(subject: Subject, person: Person, study: Study) -> None:
    more = crowd.copies(subject.exposure.people)

    def compute() -> FloatArray:
        if isinstance(subject, StatisticSubject):
            return _of_statistic(subject, person).copies(more)
        return _of_model(subject, person).copies(more)

    x = [1 + count for count in more]
    _draw(subject, person, study, counterfactuals.COPIES, x, compute, today=1)
    st.markdown(
        f"With every copy the {session.unit().noun} is less special: the table says "
        "the same without "
        "any one of them."
    )


def _people(subject: Subject, person: Person, study: Study) -> None:
    people = subject.exposure.people
    if isinstance(subject, StatisticSubject):
        sizes: Sequence[float] = crowd.sizes(people)

        def compute() -> FloatArray:
            rng = np.random.default_rng(_SEED)
            return _of_statistic(subject, person).people(crowd.sizes(people), rng=rng)
    else:
        sizes = [people * times for times in _TIMES]

        def compute() -> FloatArray:
            return _of_model(subject, person).people(_TIMES)

    _draw(subject, person, study, counterfactuals.PEOPLE, sizes, compute, today=people)
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

    def compute() -> FloatArray:
        return _of_model(subject, person).penalties(x)

    now = today or x[0]
    _draw(subject, person, study, counterfactuals.PENALTY, x, compute, today=now)
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
    grown: counterfactuals.Growth,
    x: Sequence[float],
    compute: Callable[[], FloatArray],
    *,
    today: float,
) -> None:
    key = f"{subject.identity(study)} {person.entry}"
    losses = session.remember(f"crowd-{grown.axis}", key, compute)
    picture = crowd_picture(grown, x, losses, today=today, key=subject.request.mechanism_key)
    results.show(picture, "crowd")
