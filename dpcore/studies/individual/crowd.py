"""Blend into the crowd: how one person's loss falls as others join. CONFIDENTIAL.

The noise stays as it is now. Whoever calibrates it anew to a larger table trades the
lower losses for a more precise answer.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Final

import numpy as np

from dpcore.analyses.base import Request
from dpcore.analyses.matrix import JointQuery
from dpcore.analyses.number import Query
from dpcore.arrays import FloatArray
from dpcore.errors import DataError, ParameterError
from dpcore.individual.counterfactual import quick_law
from dpcore.individual.per_instance_loss import StatisticLosses
from dpcore.models.influence import Influence
from dpcore.models.model_mechanisms.model_mechanism import ModelMechanism
from dpcore.models.penalty import Penalty
from dpcore.models.ridge import RidgeFit
from dpcore.relations import TableSize

MOST_ROWS: Final = 2_000_000
"""Rows of the largest table that is built for a statistic."""
_FEWEST: Final = 10
_SINGULAR: Final = 1e-13


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class RidgeCrowd:
    """A person behind a linear model, among more or other people. CONFIDENTIAL.

    Raises:
        ParameterError: The penalty is one per person.

    """

    fit: RidgeFit = field(repr=False)
    law: ModelMechanism
    person: int
    """A position among its rows."""
    delta: float
    """What goes with every loss."""
    rows: int = 1
    """How many rows like the person's own one unit owns."""

    def __post_init__(self) -> None:
        if self.fit.penalty.per_person:
            raise ParameterError("larger tables need a penalty of the sum of losses.")

    def copies(self, more: Sequence[int]) -> FloatArray:
        """Return the loss where there are so many copies of the person more.

        With ``k`` more copies the leverage is ``h/(1 + k h)`` and the residual
        ``r/(1 + k h)``.
        """
        x, y = self._record
        gram, right, xx = self.fit.factor.hessian, self._right, np.outer(x, x)
        return np.array([self._loss(gram + k * xx, right + k * y * x) for k in more])

    def people(self, times: Sequence[float]) -> FloatArray:
        """Return the loss if there were so many times as many of everybody."""
        x, y = self._record
        penalty, xx = np.diag(self._diagonal(self.fit.penalty)), np.outer(x, x)
        rest, right = self.fit.factor.hessian - penalty - xx, self._right - y * x
        # The person stays once; all others are as many times there.
        return np.array([self._loss(c * rest + xx + penalty, c * right + y * x) for c in times])

    def penalties(self, strengths: Sequence[float]) -> FloatArray:
        """Return the loss under other penalties; the noise stays."""
        gram = self.fit.factor.hessian - np.diag(self._diagonal(self.fit.penalty))
        others = [replace(self.fit.penalty, strength=each) for each in strengths]
        return np.array(
            [
                self._loss(gram + np.diag(self._diagonal(other)), self._right, other)
                for other in others
            ]
        )

    @property
    def _record(self) -> tuple[FloatArray, float]:
        return self.fit.features[self.person], float(self.fit.target[self.person])

    @property
    def _right(self) -> FloatArray:
        """Return ``X^T y``."""
        return np.asarray(self.fit.factor.root.T @ self.fit.factor.projected)

    def _diagonal(self, penalty: Penalty) -> FloatArray:
        return penalty.diagonal(len(self.fit.theta), self.fit.people)

    def _loss(
        self, hessian: FloatArray, right: FloatArray, penalty: Penalty | None = None
    ) -> float:
        """Return the loss in the fit with this Hessian and right side."""
        (x, y), law = self._record, quick_law(self.fit, self.law)
        scales = np.sqrt(np.diag(hessian))
        if not (scales > 0).all():
            return float("inf")
        scaled = hessian / scales / scales[:, np.newaxis]
        eigenvalues = np.linalg.eigvalsh(scaled)
        if eigenvalues[0] <= _SINGULAR * eigenvalues[-1]:
            return float("inf")
        both = np.linalg.solve(scaled, (np.column_stack([right, x]).T / scales).T)
        theta, direction = both.T / scales
        matrix = np.eye(len(x)) if law.metric.matrix is None else law.metric.matrix
        here = Influence.of_members(
            leverage=np.clip([x @ direction], 0.0, 1.0),
            residual=np.array([y - x @ theta]),
            length=np.array([direction @ matrix @ direction]),
            square=np.array([x @ x]),
        )
        strength = (penalty or self.fit.penalty).constant
        units = here.owned(self.rows, strength=strength, largest=law.metric.largest)
        return float(law.losses(units, delta=self.delta)[0])


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class StatisticCrowd:
    """A person behind a statistic, among more or fewer people. CONFIDENTIAL."""

    request: Request
    exposure: StatisticLosses = field(repr=False)
    """Everybody's loss from it."""
    entry: int
    """The person, as a position among the values of ``exposure``."""

    def copies(self, more: Sequence[int]) -> FloatArray:
        """Return the loss where there are so many copies of the person more."""
        values, entry = self.exposure.values, self.entry
        tables = (np.concatenate([values, np.repeat(values[[entry]], k, axis=0)]) for k in more)
        return np.array([self._loss(table, entry) for table in tables])

    def people(self, people: Sequence[int], *, rng: np.random.Generator) -> FloatArray:
        """Return the loss in tables of so many people.

        Smaller tables are drawn from this one, each within the next, and keep the
        person; larger ones repeat everybody. At most ``MOST_ROWS`` people.

        Raises:
            ParameterError: A number of people is below 2 or too large.

        """
        if min(people) < 2 or max(people) > MOST_ROWS:  # noqa: PLR2004 - one more than nobody
            raise ParameterError(f"tables must have from 2 to {MOST_ROWS:,} people.")
        order = rng.permutation(self.exposure.people)
        order = np.concatenate([[self.entry], order[order != self.entry]])
        values = self.exposure.values[order]
        tables = (np.resize(values, (size, *values.shape[1:])) for size in people)
        return np.array([self._loss(table, 0) for table in tables])

    def _loss(self, values: FloatArray, entry: int) -> float:
        query = self.request.query
        if query.unit.cap is not None or not isinstance(query, Query | JointQuery):
            raise ParameterError(
                "larger tables are not compared for statistics of groups, nor where "
                "several rows of a person count."
            )
        if query.size.public:
            query = replace(query, size=TableSize(people=len(values), public=True))
        statistic = query.statistic
        shifts = statistic.neighbors(values, self.exposure.relation)
        actual = np.asarray(shifts.actual)
        others = shifts.of_person(entry)
        if np.isnan(others).any():
            raise DataError("the statistic is undefined with one person less.")
        rows = query.unit.rows
        if rows > 1:
            others = statistic.range.clip(actual + rows * (others - actual))
        losses = self.request.plan.pairwise_epsilon(actual, others, delta=self.exposure.delta)
        return float(np.max(losses))


def copies(people: int) -> tuple[int, ...]:
    """Return numbers of copies more to compare, up to as many as there are people.

    >>> copies(120)
    (0, 1, 3, 10, 30, 100)
    """
    steps = [factor * 10**power for power in range(9) for factor in (1, 3)]
    most = min(people, MOST_ROWS - people)
    return (0, *(step for step in steps if step <= most))


def sizes(people: int) -> tuple[int, ...]:
    """Return numbers of people to compare, a factor of two apart, with today's.

    >>> sizes(100)
    (12, 25, 50, 100, 200, 400, 800, 1600)
    """
    smaller: list[int] = []
    size = people // 2
    while size >= _FEWEST and len(smaller) < 6:  # noqa: PLR2004 - enough to see a slope
        smaller.append(size)
        size //= 2
    larger = [people * 2**k for k in range(5) if people * 2**k <= MOST_ROWS]
    return (*smaller[::-1], *(larger or [people]))


def slope(people: Sequence[float], losses: FloatArray) -> float:
    """Return the slope of ``log loss`` in ``log people``: -1 is a decay like 1/n.

    By least squares over the finite, positive losses; NaN for fewer than two.
    """
    at = np.log(np.asarray(people, dtype=float))
    known = np.isfinite(losses) & (losses > 0)
    if np.count_nonzero(known) < 2:  # noqa: PLR2004 - a line
        return float("nan")
    at, logs = at[known] - at[known].mean(), np.log(losses[known])
    return float(at @ (logs - logs.mean()) / (at @ at))
