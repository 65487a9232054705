"""What the Individual privacy page is about: one release, and everybody's loss from it.

Every view of the page is shown the same subject. CONFIDENTIAL: it holds losses, and for
a model the fit.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from dpcore.individual.exposure import Exposure
    from dpcore.individual.model_exposure import ModelExposure
    from dpcore.models.glm import GlmFit
    from dpcore.models.glm_audit import AuditedRemovals
    from dpcore.models.ridge import RidgeFit
    from dpcore.relations import NeighboringRelation
    from dpcore.releases.model_request import ModelRequest
    from dpcore.releases.rebuilding import ResampledRequest
    from dpcore.releases.request import Request


class SubjectKind(StrEnum):
    """What kind of thing is released."""

    STATISTIC = "a number (statistic)"
    MODEL = "a regression model"
    RESAMPLES = "a number from resamples"


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class StatisticSubject:
    """A statistic, and everybody's loss from its release. CONFIDENTIAL.

    Attributes:
        request: What is asked for. Public.
        exposure: Everybody's loss.
        relation: Which change of a person's record the losses are about. Public.

    """

    request: Request
    exposure: Exposure = field(repr=False)
    relation: NeighboringRelation

    @property
    def kind(self) -> SubjectKind:
        """Return what kind of thing is released."""
        return SubjectKind.STATISTIC


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class ModelSubject:
    """A regression model, and everybody's loss from its release. CONFIDENTIAL.

    Attributes:
        request: What is asked for. Public.
        exposure: Everybody's loss.
        relation: Which change of a person's record the losses are about. Public.
        fit: The model fitted to the table.
        unit_column: Position of the column that numbers units; ``None`` where rows
            stand for themselves. Public.
        codes: Everybody's unit, from 0; ``None`` without such a column.
        audited: The audit of a nonlinear model.

    """

    request: ModelRequest
    exposure: ModelExposure = field(repr=False)
    relation: NeighboringRelation
    fit: RidgeFit | GlmFit = field(repr=False)
    unit_column: int | None = None
    codes: NDArray[np.intp] | None = field(default=None, repr=False)
    audited: AuditedRemovals | None = field(default=None, repr=False)

    @property
    def kind(self) -> SubjectKind:
        """Return what kind of thing is released."""
        return SubjectKind.MODEL


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class ResampledSubject:
    """A number from resamples, and everybody's loss from its release. CONFIDENTIAL.

    Attributes:
        request: What is asked for. Public.
        exposure: Everybody's loss.
        relation: Which change of a person's record the losses are about. Public.

    """

    request: ResampledRequest
    exposure: Exposure = field(repr=False)
    relation: NeighboringRelation

    @property
    def kind(self) -> SubjectKind:
        """Return what kind of thing is released."""
        return SubjectKind.RESAMPLES


Subject = StatisticSubject | ModelSubject
AnySubject = StatisticSubject | ModelSubject | ResampledSubject
"""What the page can be about; a number from resamples does not have every view."""
