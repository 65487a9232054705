"""The two laws of the release on the page, for one person. CONFIDENTIAL."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dpcore.models.adaptive_posterior import AdaptivePosterior
from dpcore.models.glm import GlmFit
from dpcore.models.release_laws import NoisyFit, PerturbedObjective
from dpcore.relations import NeighboringRelation
from dpcore.studies.individual.model_person import (
    laws_of_model,
    laws_of_shift,
    laws_of_unit,
)
from dpcore.studies.individual.one_person import laws_of_statistic
from ui.individual.subject import StatisticSubject

if TYPE_CHECKING:
    from dpcore.studies.individual.person_laws import PersonLaws
    from ui.individual.subject import Subject


def missing(subject: Subject) -> str:
    """Say why there is nothing to see of this release; empty where there is."""
    if isinstance(subject, StatisticSubject):
        return ""
    law = subject.request.law
    if isinstance(law, PerturbedObjective) and isinstance(subject.fit, GlmFit):
        return (
            "For a nonlinear model released by objective perturbation only upper "
            "bounds on losses are known, and no law that could be drawn for one "
            "person. Choose output perturbation, or a linear model."
        )
    if isinstance(law, AdaptivePosterior):
        return (
            "An adaptive sample is released in two steps, whose laws together have no "
            "closed form. Choose a posterior sample to look at one person."
        )
    return ""


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
    law, replaced = subject.request.law, NeighboringRelation.SUBSTITUTION
    if isinstance(law, NoisyFit) and (
        subject.relation is replaced or subject.codes is not None
    ):
        return laws_of_shift(law, float(subject.exposure.shift_lengths[entry]))
    if subject.codes is not None:
        return laws_of_unit(subject.fit, law, subject.codes, entry)
    return laws_of_model(subject.fit, law, entry, rows=request.unit.rows)
