"""The two laws of the release on the page, for one person. CONFIDENTIAL."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dpcore.individual.models.losses import laws_of_model
from dpcore.models.influence import Influence
from dpcore.relations import NeighboringRelation
from dpcore.studies.individual.one_person import laws_of_statistic
from ui.individual.subject import StatisticSubject

if TYPE_CHECKING:
    from dpcore.mechanisms.person_laws import PersonLaws
    from ui.individual.subject import Subject


def missing(subject: Subject) -> str:
    """Say why there is nothing to see of this release; empty where there is."""
    if isinstance(subject, StatisticSubject):
        return ""
    return subject.fit.law_of(subject.request.law).obstacle


def laws_of(subject: Subject, entry: int) -> PersonLaws:
    """Return the two laws of the release for a person.

    Raises:
        DPCoreError: There is no law without the person, or no closed form.

    """
    request = subject.request
    if isinstance(subject, StatisticSubject):
        unit = subject.request.unit_text
        label = f"released {request.title}" + (f", {unit}" if unit else "")
        return laws_of_statistic(subject.request, subject.exposure, entry, label=label)
    fit = subject.fit
    law = fit.law_of(subject.request.law)
    replaced = subject.relation is NeighboringRelation.SUBSTITUTION
    if law.public and (replaced or subject.codes is not None):
        return law.pair(Influence.of_moves(subject.exposure.shift_lengths[[entry]]))
    if subject.codes is not None and fit.linear:
        return law.unit_pair(fit, subject.codes, entry)
    return laws_of_model(fit, law, entry, rows=request.unit.rows)
