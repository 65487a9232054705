"""What the Individual privacy page is about: one release, and everybody's loss from it.

Every view of the page is shown the same subject. CONFIDENTIAL: it holds losses, and for
a model the fit.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum

import numpy as np
from numpy.typing import NDArray

from dpcore.analyses.base import Request
from dpcore.analyses.model import ModelRequest
from dpcore.analyses.reading import ResampledRequest, StatisticRequest
from dpcore.individual.model_losses import ModelLosses
from dpcore.individual.per_instance_loss import StatisticLosses
from dpcore.models.glm_influence import AuditedRemovals
from dpcore.models.question import Fit
from dpcore.relations import NeighboringRelation
from ui import exposures
from ui.study import Study


class SubjectKind(StrEnum):
    """What kind of thing is released."""

    STATISTIC = "a number (statistic)"
    MODEL = "a regression model"
    RESAMPLES = "a number from resamples"


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class _OfRelease:
    """What is released, and which change of a record losses of it are about. PUBLIC."""

    request: Request | ResampledRequest | ModelRequest
    relation: NeighboringRelation


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class _OfNumber(_OfRelease):
    """A number, and everybody's loss from its release. CONFIDENTIAL."""

    request: Request | ResampledRequest
    exposure: StatisticLosses = field(repr=False)

    def rows(self, study: Study) -> NDArray[np.intp]:
        """Return the row of the table, from 0, of everybody behind the release."""
        return self.request.query.rows(study.in_memory)

    def identity(self, study: Study) -> str:
        """Return what results about this subject are remembered by."""
        return f"{self.relation} {self.request.analysis(study.fingerprint)}"


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class StatisticSubject(_OfNumber):
    """A statistic, and everybody's loss from its release. CONFIDENTIAL."""

    request: Request


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class ResampledSubject(_OfNumber):
    """A number from resamples, and everybody's loss from it. CONFIDENTIAL."""

    request: ResampledRequest


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class ModelSubject(_OfRelease):
    """A regression model, and everybody's loss from its release. CONFIDENTIAL.

    Attributes:
        unit_column: Position of the column that numbers units; ``None`` where rows
            stand for themselves. Public.
        codes: Everybody's unit, from 0; ``None`` without such a column.
        audited: The audit of a nonlinear model.

    """

    request: ModelRequest
    exposure: ModelLosses = field(repr=False)
    fit: Fit = field(repr=False)
    unit_column: int | None = None
    codes: NDArray[np.intp] | None = field(default=None, repr=False)
    audited: AuditedRemovals | None = field(default=None, repr=False)

    def rows(self, study: Study) -> NDArray[np.intp]:
        """Return the row of the table, from 0, of everybody behind the release."""
        return self.request.question.rows(study.in_memory)

    def identity(self, study: Study) -> str:
        """Return what results about this subject are remembered by."""
        checked = 0 if self.audited is None else len(self.audited.refitted)
        analysis = self.request.analysis(study.fingerprint)
        return f"{self.relation} {analysis} {self.unit_column} {checked}"


def guarantee(asked: StatisticRequest | ModelRequest) -> tuple[float, float]:
    """Return the epsilon over all tables, infinite if none is known, and its delta. PUBLIC."""
    if isinstance(asked, ModelRequest):
        return asked.guarantee, asked.delta
    delta = exposures.delta_of(asked)
    if isinstance(asked, Request):
        return asked.effective_epsilon, delta
    return asked.plan.worst_case(delta=delta), delta


Subject = StatisticSubject | ModelSubject
AnySubject = StatisticSubject | ModelSubject | ResampledSubject
"""What the page can be about; a number from resamples does not have every view."""
