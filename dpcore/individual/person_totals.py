"""What each person has lost over several releases together. CONFIDENTIAL.

For the table at hand every release is a question about two laws for each person: with
the record, and without it or with another one. The losses of independent draws compose
like those of any mechanisms, so that each way of adding up the guarantees of a ledger
adds up the losses of a person as well (Wang 2019, section 2), and Gaussian noise
composes exactly: the squares of the shifts over the noise add up.

A total is the loss of a person from a plan that is fixed in advance. Where a release
was chosen after earlier answers it describes what happened, and guarantees nothing.

Many people's numbers on few levels, so that a function of them is soon computed.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum
from typing import Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from dpcore.arrays import FloatArray
from dpcore.errors import DataError, ParameterError
from dpcore.individual.losses import Losses
from dpcore.individual.release_losses import ReleaseLosses
from dpcore.privacy import gaussian
from dpcore.privacy.conversions import advanced_epsilon, epsilons_of_rho, rho_of_pure
from dpcore.privacy.events import GaussianEvent


class Counting(StrEnum):
    """How the losses of several releases are put together."""

    SIMPLE = "added up"
    ADVANCED = "advanced composition"
    ZCDP = "zero-concentrated (zCDP)"
    GAUSSIAN = "Gaussian noise exactly, the rest added up"
    BEST = "the smallest of these"


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

    def losses(self, way: Counting = Counting.BEST) -> Losses:
        """Return everybody's total as losses, which can be summarized."""
        return Losses.of(self.of[way])


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class _Part:
    """Releases of one kind whose epsilon depends on delta: one, made several times.

    ``on_levels`` has the losses of the few levels, ``levels`` those of everybody; it is
    ``None`` where everybody counts at the worst case.
    """

    on_levels: ReleaseLosses
    levels: Levels | None
    count: int

    @classmethod
    def of(cls, losses: ReleaseLosses, count: int) -> Self:
        if losses.own is None:
            return cls(on_levels=losses, levels=None, count=count)
        levels = Levels.of(losses.own)
        few = replace(losses, own=levels.knots)
        return cls(on_levels=few, levels=levels, count=count)

    @property
    def gaussian(self) -> bool:
        return isinstance(self.on_levels.event, GaussianEvent)

    def epsilon(self, share: float) -> FloatArray:
        """Return the epsilon of every level."""
        return np.asarray(self.on_levels.epsilon(share), dtype=np.float64)

    def everybody(self, of_levels: FloatArray) -> FloatArray:
        """Return what everybody has, from what the levels have."""
        return of_levels if self.levels is None else self.levels.spread(of_levels)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class GatheredLosses:
    """What several releases reveal about everybody, ready for any delta. CONFIDENTIAL.

    Attributes:
        people: How many people there are.
        reserved: The deltas of approximate releases, added up.

    """

    people: int
    reserved: float
    _parts: tuple[_Part, ...] = field(repr=False)
    _pure: FloatArray = field(repr=False)
    _mean: FloatArray = field(repr=False)
    _squares: FloatArray = field(repr=False)
    _steps: Levels = field(repr=False)
    _rho: Levels = field(repr=False)

    def at(self, delta: float) -> PersonTotals:
        """Return everybody's totals at ``delta``.

        Raises:
            ParameterError: ``delta`` is not in [0, 1).

        """
        if not 0 <= delta < 1:
            raise ParameterError(f"delta must be at least 0 and below 1, got {delta}.")
        left = delta - self.reserved
        of = {
            Counting.SIMPLE: self._simple(left),
            Counting.ADVANCED: self._advanced(left),
            Counting.ZCDP: self._rho.map(lambda rho: epsilons_of_rho(rho, delta)),
            Counting.GAUSSIAN: self._gaussian_together(left),
        }
        everybody = {
            way: np.ascontiguousarray(np.broadcast_to(total, self.people))
            for way, total in of.items()
        }
        everybody[Counting.ADVANCED] = np.minimum(
            everybody[Counting.ADVANCED], everybody[Counting.SIMPLE]
        )
        everybody[Counting.BEST] = np.minimum.reduce(list(everybody.values()))
        return PersonTotals(delta=delta, of=everybody)

    @property
    def _sharing(self) -> int:
        """Return how many releases need a part of the delta."""
        return sum(part.count for part in self._parts)

    def _simple(self, left: float) -> FloatArray:
        if left < 0:
            return np.array(math.inf)
        return self._pure + _added(self._parts, left / max(self._sharing, 1))

    def _advanced(self, left: float) -> FloatArray:
        """Return the epsilons by advanced composition."""
        if left <= 0:
            return np.array(math.inf)
        sharing = self._sharing
        slack = left / 2 if sharing else left
        mean, squares = self._mean, self._squares
        for part in self._parts:
            epsilon = part.epsilon(left / (2 * sharing))
            with np.errstate(over="ignore"):
                mean = mean + part.count * part.everybody(rho_of_pure(epsilon))
                squares = squares + part.count * part.everybody(epsilon * epsilon)
        return advanced_epsilon(mean, squares, slack)

    def _gaussian_together(self, left: float) -> FloatArray:
        """Return one Gaussian release of all that are, plus the epsilons of the others.

        A Gaussian event on a sample is not among them: it shares the delta.
        """
        if left < 0:
            return np.array(math.inf)
        others = [part for part in self._parts if not part.gaussian]
        shared = sum(part.count for part in others)
        shared += len(others) < len(self._parts)
        share = left / max(shared, 1)
        together = self._steps.map(lambda mu: gaussian.epsilon_of(mu, share))
        return self._pure + together + _added(others, share)


def gather(losses: Sequence[ReleaseLosses], *, people: int) -> GatheredLosses:
    """Return what several releases reveal about everybody, ready for any delta.

    Of many people, losses that depend on delta are rounded up by at most 0.05% each.

    Raises:
        DataError: There are no people.

    """
    if people < 1:
        raise DataError("there is nobody in the table.")
    # A question that was answered several times is looked at once.
    counts = Counter(map(id, losses))
    parts, pure, mean, squares, rho, steps = [], *(np.zeros(()) for _ in range(5))
    for one in {id(one): one for one in losses}.values():
        count, level = counts[id(one)], np.asarray(one.rho())
        rho = rho + count * level
        if one.event.needs_delta:
            parts.append(_Part.of(one, count))
            if parts[-1].gaussian:
                steps = steps + 2 * count * level
            continue
        epsilon = np.asarray(one.epsilon(0.0))
        pure = pure + count * epsilon
        with np.errstate(over="ignore"):
            mean = mean + count * rho_of_pure(epsilon)
            squares = squares + count * epsilon * epsilon
    return GatheredLosses(
        people=people,
        reserved=math.fsum(one.event.delta for one in losses),
        _parts=tuple(parts),
        _pure=pure,
        _mean=mean,
        _squares=squares,
        _steps=Levels.of(np.sqrt(np.atleast_1d(steps))),
        _rho=Levels.of(np.atleast_1d(rho)),
    )


def person_totals(losses: Sequence[ReleaseLosses], *, people: int, delta: float) -> PersonTotals:
    """Return what all releases together reveal about each person.

    The deltas of approximate releases are set aside first. Added up and by advanced
    composition, each of ``g`` releases that need a delta (Gaussian noise, bootstraps)
    gets an equal part of the rest, as in ``privacy.composition.compose``.

    Raises:
        DataError: There are no people.
        ParameterError: ``delta`` is not in [0, 1).

    >>> from dpcore.individual.release_losses import ReleaseLosses
    >>> from dpcore.privacy.events import GaussianEvent
    >>> one = ReleaseLosses(event=GaussianEvent.from_ratio(1.0), own=np.ones(1))
    >>> both = person_totals([one] * 4, people=1, delta=1e-6)
    >>> alone = gaussian.epsilon_of([2.0], 1e-6)
    >>> bool(both.of[Counting.BEST] == alone)
    True

    """
    return gather(losses, people=people).at(delta)


def odometer(
    losses: Sequence[ReleaseLosses], person: int, *, delta: float
) -> tuple[PersonTotals, ...]:
    """Return one person's totals after each of the releases, in their order."""
    alone = [one.alone(person) for one in losses]
    return tuple(
        person_totals(alone[:last], people=1, delta=delta) for last in range(1, len(alone) + 1)
    )


def _added(parts: Iterable[_Part], share: float) -> FloatArray:
    """Return the epsilons of all parts at a share of delta, added up."""
    total = np.zeros(())
    for part in parts:
        total = total + part.count * part.everybody(part.epsilon(share))
    return total


EXACT_UP_TO = 50_000
"""So many numbers are kept as they are."""
_COUNT = 2**15
_DECADES = 7


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Levels:
    """Numbers of at least 0, each rounded up to the next of few levels. CONFIDENTIAL.

    The levels are 0.05% apart. Of many numbers a positive one below ``1e-7`` of the
    largest counts as that; 0, the largest one and infinity are kept.

    Attributes:
        knots: The levels, ascending.
        places: Which of them each number has; ``None`` where each has its own.

    """

    knots: FloatArray = field(repr=False)
    places: NDArray[np.uint16] | None = field(repr=False)

    @classmethod
    def of(cls, values: FloatArray) -> Self:
        """Return the levels of ``values``, shape ``(n,)``; NaN counts as infinite.

        >>> Levels.of(np.array([0.5, 2.0])).map(lambda level: 2 * level).tolist()
        [1.0, 4.0]
        """
        values = np.nan_to_num(values, nan=np.inf, posinf=np.inf)
        if len(values) <= EXACT_UP_TO:
            return cls(knots=values, places=None)
        finite = np.isfinite(values)
        top = float(np.max(values, initial=0.0, where=finite))
        knots = np.zeros(_COUNT + 2)
        knots[1:-1] = top * np.geomspace(10.0**-_DECADES, 1.0, _COUNT)
        knots[-2:] = top, math.inf
        with np.errstate(divide="ignore", invalid="ignore"):
            steps = np.log(values / top) * ((_COUNT - 1) / (_DECADES * math.log(10)))
        steps = np.nan_to_num(steps, nan=-_COUNT, posinf=_COUNT, neginf=-_COUNT)
        places = np.clip(np.ceil(steps) + _COUNT, 1, _COUNT).astype(np.uint16)
        # What rounding put one level too low.
        places += (knots[places] < values) & finite
        places[values == 0] = 0
        places[~finite] = _COUNT + 1
        return cls(knots=knots, places=places)

    def map(self, function: Callable[[FloatArray], ArrayLike]) -> FloatArray:
        """Return an increasing ``function`` of the numbers: of each, or of its level.

        So nothing comes out smaller than for the number itself.
        """
        return self.spread(np.asarray(function(self.knots), dtype=np.float64))

    def spread(self, of_knots: FloatArray) -> FloatArray:
        """Return what each number has, from what each level has."""
        return of_knots if self.places is None else of_knots[self.places]
