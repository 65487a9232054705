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
from typing import TYPE_CHECKING

import numpy as np

from dpcore.errors import DataError, ParameterError
from dpcore.individual.losses import Losses
from dpcore.privacy import gaussian
from dpcore.privacy.conversions import epsilons_of_rho, rho_of_pure
from dpcore.privacy.event_distributions import needs_delta

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import ArrayLike

    from dpcore.data.bounds import FloatArray
    from dpcore.individual.release_losses import ReleaseLosses


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
        epsilon = self.of[way]
        return Losses(epsilon=epsilon, ordered=np.sort(epsilon))


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

    >>> from dpcore.individual.release_losses import ReleaseLosses
    >>> from dpcore.privacy.composition import PrivacyEvent
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


def odometer(
    losses: Sequence[ReleaseLosses], person: int, *, delta: float
) -> tuple[PersonTotals, ...]:
    """Return one person's totals after each of the releases, in their order."""
    alone = [one.alone(person) for one in losses]
    return tuple(
        person_totals(alone[:last], people=1, delta=delta)
        for last in range(1, len(alone) + 1)
    )


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
