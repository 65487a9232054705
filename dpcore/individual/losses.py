"""What can be said about everybody's privacy losses, whatever they come from."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from dpcore.arrays import FloatArray
from dpcore.errors import ParameterError

_SAME = 1e-9


class ExposedPerson(NamedTuple):
    """One person's exposure."""

    entry: int
    """Position among the values, from 0; ``Query.rows`` has the row of the table."""
    value: float
    """The person's value behind the statistic (the first of several), not clamped."""
    shift: float
    """Largest change of the statistic, added up over its coordinates."""
    epsilon: float


class GroupExposure(NamedTuple):
    """The exposure of a group of people."""

    label: str
    people: int
    mean: float
    median: float
    ninth_decile: float
    maximum: float


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Losses:
    """Everybody's privacy loss from one release. CONFIDENTIAL.

    Attributes:
        epsilon: Loss of each person, shape ``(n,)``.
        ordered: The same losses, ascending: sorted once, read by every summary.
        upper: Whether they are upper bounds rather than what is lost.

    """

    epsilon: FloatArray = field(repr=False)
    ordered: FloatArray = field(repr=False)
    upper: bool = False

    @property
    def people(self) -> int:
        """Return the number of people."""
        return len(self.epsilon)

    @property
    def maximum(self) -> float:
        """Return the largest loss of a person in the table."""
        return float(self.ordered[-1])

    @property
    def mean(self) -> float:
        """Return the mean loss."""
        return float(self.epsilon.mean())

    @property
    def tied(self) -> int:
        """Return how many people lose as much as the most exposed one."""
        return self.people - int(np.searchsorted(self.ordered, self._top, side="left"))

    def at_the_top(self) -> NDArray[np.intp]:
        """Return who is tied with the most exposed person, in the table's order."""
        return np.flatnonzero(self.epsilon >= self._top)

    def quantiles(self, q: ArrayLike) -> FloatArray:
        """Return the smallest losses that at least a share ``q`` of people stay within.

        An inverted distribution function: no interpolation, so infinities are safe.
        """
        # Just below a whole rank only for the rounding of the product.
        ranks = np.ceil(np.asarray(q) * self.people - 1e-9).astype(np.intp)
        return np.asarray(self.ordered[np.clip(ranks - 1, 0, self.people - 1)])

    def moment(self, order: float) -> float:
        """Return ``(mean of epsilon^order)^(1 / order)`` (Wang 2019, definition 7).

        Scaled by the maximum ``M``, ``M (mean of (epsilon / M)^order)^(1 / order)``, so
        that no power overflows.

        Raises:
            ParameterError: Unless ``order`` is positive.

        """
        if not order > 0:
            raise ParameterError(f"the order of a moment must be positive, got {order}.")
        largest = self.maximum
        if largest == 0 or np.isinf(largest) or np.isinf(order):
            return largest
        powers = (self.epsilon / largest) ** order
        return largest * float(powers.mean() ** (1 / order))

    def exceeding(self, threshold: float) -> float:
        """Return the share of people who lose more than ``threshold``."""
        within = np.searchsorted(self.ordered, threshold, side="right")
        return float(1 - within / self.people)

    def ecdf(self, points: int = 500) -> tuple[FloatArray, FloatArray]:
        """Return losses, ascending, and the share of people at or below each.

        At most ``points`` of them, equally far apart in share, the largest included.
        """
        ranks = np.linspace(0, self.people, min(points, self.people) + 1)[1:]
        losses = self.ordered[np.ceil(ranks).astype(np.intp) - 1]
        within = np.searchsorted(self.ordered, losses, side="right")
        return losses, within / self.people

    def histogram(self, edges: FloatArray) -> NDArray[np.intp]:
        """Return how many people lose more than an edge and at most the next.

        ``edges`` ascend; people below the first or above the last are not counted.
        """
        return np.diff(np.searchsorted(self.ordered, edges, side="right"))

    def by_group(
        self, codes: NDArray[np.int64], labels: tuple[str, ...]
    ) -> tuple[GroupExposure, ...]:
        """Return a summary for each group that has people, in the order of ``labels``.

        ``codes`` holds each person's index into ``labels``; ``len(labels)`` stands for
        "other" and -1 for "missing".

        Raises:
            ParameterError: Unless there is one code a person.

        """
        if len(codes) != self.people:
            raise ParameterError(f"{self.people} people need as many codes, got {len(codes)}.")
        return _by_group(self.epsilon, codes, labels)

    def ranking(self, count: int) -> NDArray[np.intp]:
        """Return who loses most, most first; ties in the table's order.

        Whoever is tied at the top is, however their losses were rounded.
        """
        count = min(count, self.people)
        threshold = min(float(self.ordered[self.people - count]), self._top)
        candidates = np.flatnonzero(self.epsilon >= threshold)
        losses = np.minimum(self.epsilon[candidates], self._top)
        order = np.argsort(-losses, kind="stable")
        return np.asarray(candidates[order[:count]])

    @property
    def _top(self) -> float:
        """Return the least loss that differs from the largest by rounding only."""
        largest = self.maximum
        return largest * (1 - _SAME) if np.isfinite(largest) else np.inf


def _by_group(
    epsilon: FloatArray, codes: NDArray[np.int64], labels: tuple[str, ...]
) -> tuple[GroupExposure, ...]:
    """Return a summary for each code that occurs; see ``Losses.by_group``."""
    names = (*labels, "other", "missing")
    groups = np.where(codes < 0, len(labels) + 1, codes)
    order = np.argsort(groups, kind="stable")
    present, starts = np.unique(groups[order], return_index=True)
    members = np.split(epsilon[order], starts[1:])
    return tuple(
        _summary(names[code], losses) for code, losses in zip(present, members, strict=True)
    )


def _summary(label: str, epsilon: FloatArray) -> GroupExposure:
    median, ninth_decile = np.quantile(epsilon, [0.5, 0.9], method="inverted_cdf")
    return GroupExposure(
        label=label,
        people=len(epsilon),
        mean=float(epsilon.mean()),
        median=float(median),
        ninth_decile=float(ninth_decile),
        maximum=float(epsilon.max()),
    )
