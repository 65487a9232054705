"""What one of several releases reveals about each person. CONFIDENTIAL.

Losses are kept as what composes: the shift over the noise where the noise is Laplace's
or Gaussian, an epsilon otherwise. On a sample it is the shift of a person who is in it,
of bootstraps that by one copy of the person's row.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Protocol

import numpy as np
from numpy.typing import ArrayLike, NDArray

from dpcore.analyses.subsampled import SubsampledPlan
from dpcore.arrays import FloatArray
from dpcore.errors import ParameterError
from dpcore.individual.model_losses import ModelLosses
from dpcore.individual.per_instance_loss import Moves, Revealing, per_instance_losses
from dpcore.privacy.events import (
    BootstrapEvent,
    FixedSampleEvent,
    GaussianEvent,
    PrivacyEvent,
    SampleEvent,
)
from dpcore.relations import NeighboringRelation
from dpcore.statistics.statistic import Statistic


class DrawnPlan(Revealing, Protocol):
    """How a release was drawn, and what the accountant knows of it."""

    @property
    def noise(self) -> float:
        """Scale of the noise."""

    @property
    def event(self) -> PrivacyEvent:
        """What the accountant has to know of it."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class ReleaseLosses:
    """What one release reveals about each person. CONFIDENTIAL.

    Attributes:
        event: The worst case over all tables. Public.
        own: Each person's shift over the noise (Laplace, Gaussian, also in a sample and
            for each bootstrap), or epsilon (at the delta of the event), shape ``(n,)``;
            ``None`` where everybody is counted at the worst case. It is never what the
            chance to be in a sample has amplified already: that is done here.
        replaced: Whether a record is replaced where everybody is sampled with the same
            chance; the event is about one person more or less. Public.

    """

    event: PrivacyEvent
    own: FloatArray | None = field(default=None, repr=False)
    replaced: bool = False

    def of(self, person: int) -> PrivacyEvent:
        """Return the release as it concerns one person."""
        if self.own is None:
            return self.event
        event, own = self.event, float(self.own[person])
        if self.replaced and isinstance(event, SampleEvent):
            # The profile bounds both directions, which is how that kind is composed.
            return FixedSampleEvent.from_ratio(own, law=event.law, rate=event.rate)
        return event.of_person(own)

    def alone(self, person: int) -> ReleaseLosses:
        """Return the release as it concerns one person, as if alone."""
        return self.among(np.array([person]))

    def among(self, people: NDArray[np.intp]) -> ReleaseLosses:
        """Return the release as it concerns some people, in their order."""
        return self if self.own is None else replace(self, own=self.own[people])

    def epsilon(self, share: float) -> ArrayLike:
        """Return everybody's epsilon, where one needs a delta at delta ``share``."""
        if self.own is None:
            return self.event.epsilon(share)
        return self.event.epsilon_of(self.own, share)

    def rho(self) -> ArrayLike:
        """Return everybody's zCDP level."""
        return self.event.rho if self.own is None else self.event.rho_of(self.own)


@dataclass(frozen=True, slots=True, kw_only=True)
class Lengths:
    """Asks a release for the shift over its noise instead of an epsilon.

    Attributes:
        noise: Standard deviation or scale of the noise.
        largest: The largest shift over it, over all tables.

    """

    noise: float
    largest: float

    def worst_case(self, *, delta: float = 0.0) -> float:  # noqa: ARG002 - of no delta
        """Return the largest shift over the noise."""
        return self.largest

    def pairwise_epsilon(
        self,
        first: ArrayLike,
        second: ArrayLike,
        *,
        delta: float = 0.0,  # noqa: ARG002 - of no delta
    ) -> FloatArray:
        """Return the shifts over the noise between two values of the statistic."""
        moved = np.abs(np.subtract(first, second, dtype=np.float64))
        length = moved[..., 0] if moved.shape[-1] == 1 else np.hypot.reduce(moved, -1)
        if self.noise == 0:
            return np.where(length > 0, np.inf, 0.0)
        return np.asarray(length / self.noise)


def release_losses(  # noqa: PLR0913 - what a release is of, and what is known of it
    plan: DrawnPlan,
    statistic: Statistic,
    values: FloatArray,
    *,
    rows: NDArray[np.intp],
    people: int,
    relation: NeighboringRelation,
    unit_rows: int = 1,
    known: Moves | None = None,
) -> ReleaseLosses:
    """Return what a release reveals about each of ``people`` in the table.

    A release from a secret sample is looked at by ``sampled_losses``. Who has no value
    behind the statistic loses nothing by being removed; had the record
    been another one, there might have been a value, and the worst newcomer counts.

    ``rows`` are the row, from 0, of each entry of ``values``, as ``Question.rows``;
    ``people`` is the number of rows of the table; ``known`` is how everybody moves the
    statistic, where that was found before.

    Raises:
        DataError: Nobody has a value.
        ParameterError: The statistic is undefined without one of the people, or the
            release is from a secret sample.

    """
    event = plan.event
    if isinstance(event, SampleEvent):
        raise ParameterError("losses from a secret sample are those of sampled_losses.")
    direct = isinstance(event, GaussianEvent | BootstrapEvent)
    asked = Lengths(noise=plan.noise, largest=event.ratio) if direct else plan
    exposure = per_instance_losses(
        asked,
        statistic,
        values,
        relation=relation,
        delta=0.0 if direct else event.delta,
        rows=unit_rows,
        known=known,
    )
    if len(rows) == people:
        return ReleaseLosses(event=event, own=exposure.epsilon)
    own = np.zeros(people)
    if relation is NeighboringRelation.SUBSTITUTION:
        own[:] = _of_newcomers(asked, statistic, values, relation, unit_rows, delta=event.delta)
    own[rows] = exposure.epsilon
    return ReleaseLosses(event=event, own=own)


def sampled_losses(
    plan: SubsampledPlan,
    statistic: Statistic,
    values: FloatArray,
    *,
    rows: NDArray[np.intp],
    people: int,
    relation: NeighboringRelation,
) -> ReleaseLosses:
    """Return what a release from a secret sample reveals about each of ``people``.

    Kept is the shift of a person who is in the sample, over the noise. Where it depends
    on who else is sampled, everybody behind the statistic counts at the worst case.
    With a sample of a fixed size losses are about another record instead of the
    person's: with one row less it would be another sample. They are upper bounds,
    because the rows that make room for a person count as well.

    Where everybody is sampled with the same chance and a record is *replaced*, the
    answer with either record is compared with that of a sample without the person, too:
    with ``Q`` that law, and ``P``, ``P'`` those with either record, the profile at the
    amplified level is at most ``q`` times the larger one of ``P`` to ``P'`` and ``P``
    to ``Q`` (advanced joint convexity, Balle, Barthe and Gaboardi 2018, theorem 2).

    Errors as for ``release_losses``.

    """
    event = plan.event
    fixed = isinstance(event, FixedSampleEvent)
    replaced = fixed or relation is NeighboringRelation.SUBSTITUTION
    steps = Lengths(noise=plan.noise * event.rate, largest=event.ratio)

    def largest(change: NeighboringRelation) -> tuple[FloatArray, float]:
        found = per_instance_losses(steps, statistic, values, relation=change).epsilon
        return found, _of_newcomers(steps, statistic, values, change, 1)

    if plan.shift is None:
        # A record that is replaced leaves, and another one joins.
        most = event.ratio * (2 if replaced and not fixed else 1)
        here, others = np.full(len(values), most), most
    elif fixed:
        here, others = largest(NeighboringRelation.SUBSTITUTION)
    else:
        here, others = largest(NeighboringRelation.ADD_REMOVE)
        if replaced:
            other, joined = largest(NeighboringRelation.SUBSTITUTION)
            others = max(others, joined)
            here = np.maximum(np.maximum(here, other), others)
    own = here
    if len(rows) < people:
        own = np.full(people, others if replaced else 0.0)
        own[rows] = here
    return ReleaseLosses(event=event, own=own, replaced=replaced and not fixed)


def model_release_losses(
    event: PrivacyEvent, exposure: ModelLosses, *, noise: float, people: int
) -> ReleaseLosses:
    """Return what the release of a model reveals about each of ``people``.

    Noise of a public shape composes by the shifts over it, any other release by
    everybody's epsilon at the delta of the event. Who is not behind the model loses
    nothing by being removed, and counts at the worst case for another record.
    """
    gauss = isinstance(event, GaussianEvent)
    here = exposure.influence.move / noise if gauss else exposure.epsilon
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
    *,
    delta: float = 0.0,
) -> float:
    """Return the most that anybody could lose by joining; 0 if nobody can join."""
    joined = statistic.neighbors_added(values, relation)
    if len(joined) == 0:
        return 0.0
    actual = statistic.value(values)
    if unit_rows > 1:
        joined = statistic.range.clip(actual + unit_rows * (joined - actual))
    return float(plan.pairwise_epsilon(actual, joined, delta=delta).max())
