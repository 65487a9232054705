"""Move one person, and watch everybody: a loss is not one's own property. CONFIDENTIAL.

``what_if_ridge`` has the formulas for linear models; other models and statistics are
computed anew.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Final, Protocol

import numpy as np

from dpcore.analyses.base import Question
from dpcore.arrays import FloatArray
from dpcore.errors import DataError, ParameterError
from dpcore.individual.exposure import Exposure, Revealing, expose
from dpcore.models.glm import GlmFit, fit_glm
from dpcore.models.glm_influence import audited_removals
from dpcore.models.influence import Influence
from dpcore.models.model_mechanisms.model_mechanism import ModelMechanism

SAME: Final = 1e-6
"""Relative change of a loss that counts as none."""
_TOP, _DRAWN, _SEED = 20, 20, 1


class Asking(Protocol):
    """A question about a statistic, and how it is answered. PUBLIC."""

    @property
    def query(self) -> Question:
        """The question."""

    @property
    def plan(self) -> Revealing:
        """How it is answered."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Moved:
    """Losses before and after one person's record became another. CONFIDENTIAL.

    Attributes:
        before: Losses of the others who are watched, shape ``(m,)``.
        after: Losses of the same people afterwards.
        own_before: The moved person's loss; NaN for a newcomer, who had none.
        own_after: The same afterwards.

    """

    before: FloatArray = field(repr=False)
    after: FloatArray = field(repr=False)
    own_before: float = field(repr=False)
    own_after: float = field(repr=False)

    @property
    def watched(self) -> int:
        """Return how many others are watched."""
        return len(self.before)

    @property
    def rising(self) -> int:
        """Return how many of the others lose more than before."""
        return int(np.count_nonzero(self.after > self.before * (1 + SAME)))

    @property
    def falling(self) -> int:
        """Return how many of the others lose less than before."""
        return int(np.count_nonzero(self.after < self.before * (1 - SAME)))

    @property
    def largest_rise(self) -> float:
        """Return by which factor the loss grows of whom it hits hardest."""
        known = (self.before > 0) & np.isfinite(self.before)
        if not known.any():
            return 1.0
        return float((self.after[known] / self.before[known]).max())


def move_in_statistic(
    request: Asking, exposure: Exposure, person: int | None, value: FloatArray | float
) -> Moved:
    """Return the losses before and after a value behind a statistic changes.

    ``person`` is a position among the values of ``exposure``, ``None`` for a newcomer.

    Raises:
        ParameterError: A newcomer cannot join a public number of people.

    """
    values = np.array(exposure.values)
    if person is None:
        if request.query.size.public:
            raise ParameterError("nobody can join a table whose number of people is public.")
        values = np.concatenate([values, np.asarray(value, dtype=float)[np.newaxis]])
    else:
        values[person] = value
    query = request.query
    after = expose(
        request.plan,
        query.statistic,
        values,
        relation=exposure.relation,
        delta=exposure.delta,
        rows=query.unit.rows,
    )
    others = np.ones(exposure.people, dtype=bool)
    if person is not None:
        others[person] = False
    return Moved(
        before=exposure.epsilon[others],
        after=after.epsilon[: exposure.people][others],
        own_before=np.nan if person is None else float(exposure.epsilon[person]),
        own_after=float(after.epsilon[-1 if person is None else person]),
    )


def move_in_glm(
    fit: GlmFit,
    law: ModelMechanism,
    person: int | None,
    record: tuple[FloatArray, float],
    *,
    delta: float,
) -> Moved:
    """Return the losses before and after a record of a nonlinear model changes.

    The model is fitted anew. Shifts of both fits are one-step approximations, with the
    most exposed people refitted (``models.glm_influence``); the moved person is refitted
    exactly.

    ``person`` is ``None`` for a newcomer; ``record`` is a row of features and a target.

    Raises:
        DataError: There is no fit with the new record, or none without the person.
        ParameterError: The law is another one, or the record is not one of the model.

    """
    if not law.public:
        raise ParameterError("this view of a nonlinear model needs noise of a public shape.")
    x, y = np.asarray(record[0], dtype=np.float64), float(record[1])
    if x.shape != fit.theta.shape:
        raise ParameterError(f"a record needs {len(fit.theta)} numbers and a target.")
    if person is None:
        features, target = np.vstack([fit.features, x]), np.append(fit.target, y)
    else:
        features, target = fit.features.copy(), fit.target.copy()
        features[person], target[person] = x, y
    other = fit_glm(features, target, loss=fit.loss, penalty=fit.penalty)
    before, after = (_glm_losses(one, law, delta) for one in (fit, other))
    others = np.ones(fit.people, dtype=bool)
    if person is not None:
        others[person] = False
    last = fit.people if person is None else person
    own = law.losses(_left_out(other, law, last), delta=delta)
    own_before = np.nan
    if person is not None:
        own_before = float(law.losses(_left_out(fit, law, person), delta=delta)[0])
    return Moved(
        before=before[others],
        after=after[: fit.people][others],
        own_before=own_before,
        own_after=float(own[0]),
    )


def _left_out(fit: GlmFit, law: ModelMechanism, person: int) -> Influence:
    found = law.influence(fit, people=np.array([person]))
    if not np.isfinite(found.move[0]):
        raise DataError("the model cannot be fitted without this person; choose another.")
    return found


def _glm_losses(fit: GlmFit, law: ModelMechanism, delta: float) -> FloatArray:
    """Return everybody's loss after a short audit."""
    rng = np.random.default_rng(_SEED)
    audited = audited_removals(fit, law.metric, rng=rng, top=_TOP, drawn=_DRAWN)
    return law.losses(law.influence(fit, audited=audited), delta=delta)
