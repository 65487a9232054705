"""What one of several releases reveals about each person. CONFIDENTIAL.

Losses are kept as what composes: the shift over the noise where the noise is Laplace's
or Gaussian, an epsilon otherwise.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Protocol

import numpy as np

from dpcore.individual.exposure import Revealing, expose
from dpcore.privacy import gaussian
from dpcore.privacy.composition import PrivacyEvent
from dpcore.privacy.conversions import rho_of_pure
from dpcore.privacy.event_distributions import epsilon_of
from dpcore.privacy.laplace import rho_of
from dpcore.relations import NeighboringRelation

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

    from dpcore.data.bounds import FloatArray
    from dpcore.individual.model_exposure import ModelExposure
    from dpcore.privacy.composition import EventKind
    from dpcore.statistics.base import Statistic

_KEPT = ("laplace", "gaussian", "approximate")


class Plan(Revealing, Protocol):
    """How a release was drawn, and what the accountant knows of it."""

    @property
    def noise(self) -> float:
        """Scale of the noise."""
        ...

    @property
    def event(self) -> PrivacyEvent:
        """What the accountant has to know of it."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class ReleaseLosses:
    """What one release reveals about each person. CONFIDENTIAL.

    Attributes:
        event: The worst case over all tables. Public.
        own: Each person's shift over the noise (Laplace, Gaussian), or epsilon (at the
            delta of the event), shape ``(n,)``; ``None`` where everybody is counted at
            the worst case.

    """

    event: PrivacyEvent
    own: FloatArray | None = field(default=None, repr=False)

    def of(self, person: int) -> PrivacyEvent:
        """Return the release as it concerns one person."""
        if self.own is None:
            return self.event
        own = PrivacyEvent.of(self._kind, float(self.own[person]))
        return replace(own, delta=self.event.delta)

    def alone(self, person: int) -> ReleaseLosses:
        """Return the release as it concerns one person, as if alone."""
        if self.own is None:
            return self
        return replace(self, own=self.own[person : person + 1])

    def epsilon(self, share: float) -> ArrayLike:
        """Return everybody's epsilon, where Gaussian noise at delta ``share``."""
        if self.own is None:
            return epsilon_of(self.event, share)
        if self._kind == "gaussian":
            return gaussian.epsilon_of(self.own, share)
        return self.own

    def rho(self) -> ArrayLike:
        """Return everybody's zCDP level."""
        if self.own is None:
            return self.event.rho
        if self._kind == "gaussian":
            return self.own * self.own / 2
        if self._kind == "approximate":
            return np.full(len(self.own), math.inf)
        return (rho_of if self._kind == "laplace" else rho_of_pure)(self.own)

    @property
    def _kind(self) -> EventKind:
        kind = self.event.kind
        return kind if kind in _KEPT else "pure"


@dataclass(frozen=True, slots=True, kw_only=True)
class _Lengths:
    """Asks a Gaussian release for the shift over its noise instead of an epsilon."""

    noise: float
    largest: float

    def worst_case(self, *, delta: float = 0.0) -> float:  # noqa: ARG002 - of no delta
        return self.largest

    def pair_epsilon(
        self,
        first: ArrayLike,
        second: ArrayLike,
        *,
        delta: float = 0.0,  # noqa: ARG002 - of no delta
    ) -> FloatArray:
        moved = np.abs(np.subtract(first, second, dtype=np.float64))
        length = moved[..., 0] if moved.shape[-1] == 1 else np.hypot.reduce(moved, -1)
        if self.noise == 0:
            return np.where(length > 0, np.inf, 0.0)
        return np.asarray(length / self.noise)


def release_losses(
    plan: Plan,
    statistic: Statistic,
    values: FloatArray,
    *,
    rows: NDArray[np.intp],
    people: int,
    relation: NeighboringRelation,
    unit_rows: int = 1,
) -> ReleaseLosses:
    """Return what a release reveals about each of ``people`` in the table.

    Who has no value behind the statistic loses nothing by being removed; had the record
    been another one, there might have been a value, and the worst newcomer counts.

    Args:
        plan: How it was drawn.
        statistic: What was drawn from.
        values: One entry for each person with a value, as ``Question.values``.
        rows: The row, from 0, of each entry, as ``Question.rows``.
        people: Number of rows of the table.
        relation: Which change of a person's record the losses are about.
        unit_rows: How many rows one unit may own.

    Raises:
        DataError: Nobody has a value.
        ParameterError: The statistic is undefined without one of the people.

    """
    event = plan.event
    gauss = event.kind == "gaussian"
    asked = _Lengths(noise=plan.noise, largest=event.ratio) if gauss else plan
    exposure = expose(asked, statistic, values, relation=relation, rows=unit_rows)
    if len(rows) == people:
        return ReleaseLosses(event=event, own=exposure.epsilon)
    own = np.zeros(people)
    if relation is NeighboringRelation.SUBSTITUTION:
        own[:] = _of_newcomers(asked, statistic, values, relation, unit_rows)
    own[rows] = exposure.epsilon
    return ReleaseLosses(event=event, own=own)


def model_release_losses(
    event: PrivacyEvent, exposure: ModelExposure, *, noise: float, people: int
) -> ReleaseLosses:
    """Return what the release of a model reveals about each of ``people``.

    Noise of a public shape composes by the shifts over it, any other release by
    everybody's epsilon at the delta of the event. Who is not behind the model loses
    nothing by being removed, and counts at the worst case for another record.

    Args:
        event: The worst case over all tables.
        exposure: Everybody's loss, at the delta of the event.
        noise: Scale of the noise, in the norm of the shifts.
        people: Number of rows of the table.

    """
    gauss = event.kind == "gaussian"
    here = exposure.shift_lengths / noise if gauss else exposure.epsilon
    if len(here) == people:
        return ReleaseLosses(event=event, own=here)
    removed = exposure.relation is NeighboringRelation.ADD_REMOVE
    own = np.full(people, 0.0 if removed else event.ratio)
    own[exposure.rows] = here
    return ReleaseLosses(event=event, own=own)


def _of_newcomers(
    plan: Revealing,
    statistic: Statistic,
    values: FloatArray,
    relation: NeighboringRelation,
    unit_rows: int,
) -> float:
    joined = statistic.additions(values, relation)
    if len(joined) == 0:
        return 0.0
    actual = statistic.value(values)
    if unit_rows > 1:
        joined = statistic.range.clip(actual + unit_rows * (joined - actual))
    return float(plan.pair_epsilon(actual, joined).max())
