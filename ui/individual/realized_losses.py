"""What actual releases cost one person, after the fact. CONFIDENTIAL."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import streamlit as st

from dpcore.errors import LedgerError
from dpcore.figures.individual.one_person import realized_picture
from dpcore.individual.models.losses import evidence_of_release
from dpcore.mechanisms.person_laws import ScalarLaws
from dpcore.relations import NeighboringRelation
from dpcore.releases.record import Mode
from dpcore.studies.individual import one_person
from ui import controls, releasing, results, session
from ui.individual.subject import StatisticSubject

if TYPE_CHECKING:
    from dpcore.mechanisms.person_laws import PersonLaws
    from dpcore.releases.record import Release
    from ui.individual.persons import Person
    from ui.individual.subject import ModelSubject, Subject
    from ui.study import Study

_DRAWS = 20_000


def show(subject: Subject, person: Person, laws: PersonLaws, *, study: Study) -> None:
    """Show the losses of possible releases, and of the latest actual one."""
    rng = np.random.default_rng(1)
    found = (
        one_person.realized(laws, present=False, draws=_DRAWS, rng=rng),
        one_person.realized(laws, present=True, draws=_DRAWS, rng=rng),
    )
    if len(found[0].losses) == 0:
        st.info(
            "Several numbers are released here at once; the loss of one release is "
            "not computed for them."
        )
        return
    classroom = session.mode() is Mode.CLASSROOM
    observed = _of_latest(subject, person, laws, study)
    source = "The latest release of this very question is marked."
    if observed is None and classroom:
        number = controls.draw(
            st,
            "Draw number",
            "Another number draws another release, with the person in the table.",
            key="realized-draw",
        )
        seeded = np.random.default_rng([number, person.entry])
        observed = abs(float(laws.evidence(1, present=True, rng=seeded)[0]))
        source = "The release that is marked is simulated: another number, another one."
    if observed is None:
        source = _unmarked(subject)
    exposure = subject.exposure
    picture = realized_picture(
        found, own=person.epsilon, delta=exposure.delta, observed=observed
    )
    results.show(picture, "person-realized")
    st.markdown(
        f"{source} Before a release ε has to cover every outcome; afterwards the loss "
        "is that of the one number that came. The curves are simulated, by "
        f"{_DRAWS:,} releases of each world."
    )


def _of_latest(
    subject: Subject, person: Person, laws: PersonLaws, study: Study
) -> float | None:
    """Return the loss that the latest release of the question caused, if known."""
    try:
        release = releasing.latest(study.fingerprint, subject.request)
    except LedgerError:
        return None  # the side bar says what is wrong
    if release is None:
        return None
    if not isinstance(subject, StatisticSubject):
        return _of_model(subject, person, release)
    if not isinstance(laws, ScalarLaws) or laws.coordinate is None:
        return None
    released = release.values[laws.coordinate]
    loss = abs(float(laws.evidence_of(released)))
    return loss if np.isfinite(loss) else None


def _of_model(subject: Subject, person: Person, release: Release) -> float | None:
    if isinstance(subject, StatisticSubject) or not subject.fit.linear:
        return None
    if subject.request.mechanism_key == "adaptive" or subject.request.unit.rows > 1:
        return None
    if not _of_leaving(subject):
        return None
    columns = len(subject.fit.theta)
    coefficients = np.array(release.values).reshape(-1, columns)
    loss = evidence_of_release(
        subject.fit, subject.request.law, person.entry, coefficients
    )
    return abs(loss)


def _of_leaving(subject: ModelSubject) -> bool:
    """Tell whether losses are those of a single row that leaves."""
    leaves = subject.relation is NeighboringRelation.ADD_REMOVE
    return leaves and subject.codes is None


def _unmarked(subject: Subject) -> str:
    """Say why no release is marked."""
    if isinstance(subject, StatisticSubject) or _of_leaving(subject):
        return "Nothing was released for this very question yet, so none is marked."
    return (
        "A release of a model is marked where losses compare with the table without "
        "the person, and rows stand for themselves."
    )
