"""What each person has lost over several releases together. CONFIDENTIAL.

For the table at hand every release is a question about two laws for each person: with
the record, and without it or with another one. The losses of independent draws compose
like those of any mechanisms, so that each way of adding up the guarantees of a ledger
adds up the losses of a person as well (Wang 2019, section 2), and Gaussian noise
composes exactly: the squares of the shifts over the noise add up.

A total is the loss of a person from a plan that is fixed in advance. Where a release
was chosen after earlier answers it describes what happened, and guarantees nothing.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from enum import StrEnum
from typing import TYPE_CHECKING, Literal, Protocol

import numpy as np

from dpcore.errors import DataError, ParameterError
from dpcore.individual.exposure import Revealing, expose
from dpcore.privacy import gaussian
from dpcore.privacy.composition import PrivacyEvent
from dpcore.privacy.conversions import epsilons_of_rho, rho_of_pure
from dpcore.privacy.event_distributions import epsilon_of, needs_delta
from dpcore.privacy.laplace import rho_of
from dpcore.relations import NeighboringRelation

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import ArrayLike, NDArray

    from dpcore.data.bounds import FloatArray
    from dpcore.statistics.base import Statistic

_OwnKind = Literal["laplace", "gaussian", "pure"]


class Counting(StrEnum):
    """How the losses of several releases are put together."""

    SIMPLE = "added up"
    ADVANCED = "advanced composition"
    ZCDP = "zero-concentrated (zCDP)"
    GAUSSIAN = "Gaussian noise exactly, the rest added up"
    BEST = "the smallest of these"


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
        own: Each person's shift over the noise (Laplace, Gaussian), or pure epsilon,
            shape ``(n,)``; ``None`` where everybody is counted at the worst case.

    """

    event: PrivacyEvent
    own: FloatArray | None = field(default=None, repr=False)

    def of(self, person: int) -> PrivacyEvent:
        """Return the release as it concerns one person."""
        if self.own is None:
            return self.event
        return PrivacyEvent.of(self._kind, float(self.own[person]))

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
        return (rho_of if self._kind == "laplace" else rho_of_pure)(self.own)

    @property
    def _kind(self) -> _OwnKind:
        kind = self.event.kind
        return kind if kind in {"laplace", "gaussian"} else "pure"


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


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class PersonTotals:
    """Everybody's loss over all releases together, at one delta. CONFIDENTIAL.

    Attributes:
        delta: The delta of every epsilon here.
        of: Everybody's total, shape ``(n,)``, for each way of counting; ``inf`` where
            a way says nothing.

    """

    delta: float
    of: dict[Counting, FloatArray] = field(repr=False)

    def most_exposed(
        self, count: int = 10, counting: Counting = Counting.BEST
    ) -> NDArray[np.intp]:
        """Return who loses most, most first; ties in the table's order."""
        totals = self.of[counting]
        count = min(count, len(totals))
        threshold = np.partition(totals, len(totals) - count)[-count]
        candidates = np.flatnonzero(totals >= threshold)
        order = np.argsort(-totals[candidates], kind="stable")
        return candidates[order[:count]]


def person_totals(
    losses: Sequence[ReleaseLosses], *, people: int, delta: float
) -> PersonTotals:
    """Return what all releases together reveal about each person.

    The deltas of approximate releases are set aside first. Added up and by advanced
    composition, each of ``g`` releases with Gaussian noise gets an equal part of the
    rest, as in ``privacy.composition.compose``.

    Raises:
        DataError: There are no people.
        ParameterError: ``delta`` is not in [0, 1).

    >>> one = ReleaseLosses(event=PrivacyEvent.of("gaussian", 1.0), own=np.ones(1))
    >>> both = person_totals([one] * 4, people=1, delta=1e-6)
    >>> alone = gaussian.epsilon_of([2.0], 1e-6)
    >>> bool(both.of[Counting.BEST] == alone)
    True

    """
    if people < 1:
        message = "there is nobody in the table."
        raise DataError(message)
    if not 0 <= delta < 1:
        message = f"delta must be at least 0 and below 1, got {delta}."
        raise ParameterError(message)
    left = delta - math.fsum(one.event.delta for one in losses)
    sharing = sum(needs_delta(one.event) for one in losses)
    of = {
        Counting.SIMPLE: _simple(losses, left, sharing),
        Counting.ADVANCED: _advanced(losses, left, sharing),
        Counting.ZCDP: epsilons_of_rho(_sum([one.rho() for one in losses]), delta),
        Counting.GAUSSIAN: _gaussian_together(losses, left, sharing),
    }
    everybody = {
        way: np.ascontiguousarray(np.broadcast_to(total, people))
        for way, total in of.items()
    }
    everybody[Counting.ADVANCED] = np.minimum(
        everybody[Counting.ADVANCED], everybody[Counting.SIMPLE]
    )
    everybody[Counting.BEST] = np.minimum.reduce(list(everybody.values()))
    return PersonTotals(delta=delta, of=everybody)


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


def _simple(losses: Sequence[ReleaseLosses], left: float, sharing: int) -> FloatArray:
    if left < 0:
        return np.array(math.inf)
    return _sum([one.epsilon(left / max(sharing, 1)) for one in losses])


def _advanced(losses: Sequence[ReleaseLosses], left: float, sharing: int) -> FloatArray:
    """Return the closed form of Kairouz, Oh and Viswanath (2015)."""
    if left <= 0:
        return np.array(math.inf)
    slack = left / 2 if sharing else left
    mean, squares = np.zeros(()), np.zeros(())
    for one in losses:
        epsilon = np.asarray(one.epsilon(left / (2 * max(sharing, 1))))
        with np.errstate(over="ignore"):
            mean = mean + rho_of_pure(epsilon)
            squares = squares + epsilon * epsilon
    tail = np.minimum(-math.log(slack), np.log(math.e + np.sqrt(squares) / slack))
    return np.asarray(mean + np.sqrt(2 * squares * tail))


def _gaussian_together(
    losses: Sequence[ReleaseLosses], left: float, sharing: int
) -> FloatArray:
    """Return one Gaussian release of all that are, plus the epsilons of the others.

    A Gaussian event on a sample is not among them: it shares the delta.
    """
    if left < 0:
        return np.array(math.inf)
    pure = [one for one in losses if one.event.kind != "gaussian"]
    gauss = [one for one in losses if one.event.kind == "gaussian"]
    shared = sharing - len(gauss) + bool(gauss)
    share = left / max(shared, 1)
    squares = _sum([2 * np.asarray(one.rho()) for one in gauss])
    together = gaussian.epsilon_of(np.sqrt(squares), share)
    return np.asarray(together + _sum([one.epsilon(share) for one in pure]))


def _sum(parts: Sequence[ArrayLike]) -> FloatArray:
    total = np.zeros(())
    for part in parts:
        total = total + np.asarray(part)
    return np.asarray(total)
