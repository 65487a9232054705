"""Everybody's privacy loss from one release: exact, or counted on a grid. CONFIDENTIAL."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from dpcore.arrays import FloatArray
from dpcore.errors import DataError, InPartsError, ParameterError
from dpcore.formatting import epsilon_text
from dpcore.relations import PERSON, NeighboringRelation, PrivacyUnit

MOST_KEPT: Final = 10
"""Of how many of the most exposed people more than the loss is kept, where it is counted."""
CELLS: Final = 1_000
"""Cells of a grid from 0 to the guarantee."""
SAME: Final = 1e-9
"""Relative difference of losses by rounding."""
_FEW: Final = 1_000
"""People of whom those who lose most rule out most of the others."""


class ExposedPerson(NamedTuple):
    """A person's loss, and what decides it as far as that is known. CONFIDENTIAL."""

    entry: int
    """Position among the values, from 0; ``Query.rows`` has the row of the table. Where
    losses are counted, the row of the table itself, from 0.
    """
    epsilon: float
    shift: float = math.nan
    """Largest change of the statistic, added up over its coordinates; of a model, how far
    the coefficients move, in the norm of the noise.
    """
    values: tuple[float, ...] = ()
    """The person's values behind the release, not clamped: of a model the target, scaled."""
    leverage: float = math.nan
    residual: float = math.nan

    @property
    def value(self) -> float:
        """Return the first of the values."""
        return self.values[0]


class GroupLosses(NamedTuple):
    """The losses of a group of people."""

    label: str
    people: int
    mean: float
    median: float
    ninth_decile: float
    maximum: float


class Cells(NamedTuple):
    """How many people lose how much, counted in equally long cells. CONFIDENTIAL."""

    counts: FloatArray
    """People whose loss is above an edge and at most the next, ``(k,)``; the first cell has
    those of no loss, too. Infinite losses are in none.
    """
    people: int
    total: float
    """All losses added up."""
    infinite: int = 0
    """How many people's loss is infinite."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Losses:
    """Everybody's privacy loss from one release. CONFIDENTIAL.

    Exact, or ``counted``: each person's loss is then not at hand, and quantiles and shares of
    people lie between two numbers.

    Attributes:
        ordered: Everybody's losses, ascending; where they are counted, the ends of the cells,
            from 0 to the guarantee or as far as somebody loses more by a change that it is
            not about.
        everybody: Loss of each person, shape ``(n,)``; ``None`` where they are counted.
        cells: How they are counted; ``None`` where they are exact.
        most: Who loses most, most first, where losses are counted.
        groups: Who bears the loss, where losses are counted and a column was asked for.
            Medians and other quantiles are ends of a cell: at most so much too large.
        worst_case: The guarantee: the loss over all tables and people; infinite if none is
            known. Public.
        relation: Which change of a person's record the losses are about.
        delta: What goes with every epsilon.
        for_all: The most that anybody was found to lose, in this table or joining it with a
            record within the bounds; NaN where nobody looked.
        certificate: What nobody can exceed; infinite if no bound is known.
        error: Largest relative error of approximate losses that an audit found.
        note: What losses are where they are not exact, but for that error.
        upper: Whether they are upper bounds rather than what is lost.

    """

    ordered: FloatArray = field(repr=False)
    everybody: FloatArray | None = field(default=None, repr=False)
    cells: Cells | None = field(default=None, repr=False)
    most: tuple[ExposedPerson, ...] = field(default=(), repr=False)
    groups: tuple[GroupLosses, ...] = field(default=(), repr=False)
    worst_case: float = math.inf
    relation: NeighboringRelation | None = None
    delta: float = 0.0
    for_all: float = field(default=math.nan, repr=False)
    certificate: float = field(default=math.nan, repr=False)
    error: float = field(default=0.0, repr=False)
    note: str = ""
    upper: bool = False

    @classmethod
    def of(cls, epsilon: FloatArray) -> Losses:
        """Return exact losses, shape ``(n,)``, of which nothing else is known."""
        return Losses(everybody=epsilon, ordered=np.sort(epsilon))

    @property
    def counted(self) -> bool:
        """Return whether losses are counted on a grid rather than exact."""
        return self.cells is not None

    @property
    def epsilon(self) -> FloatArray:
        """Return the loss of each person, shape ``(n,)``.

        Raises:
            InPartsError: Losses are counted.

        """
        if self.everybody is None:
            raise InPartsError("each person's loss is not kept of a table that lies in parts.")
        return self.everybody

    @property
    def counts(self) -> FloatArray:
        """Return how many people are in each cell, shape ``(k,)``.

        Raises:
            ParameterError: Losses are exact, and not counted.

        """
        if self.cells is None:
            raise ParameterError("losses that are exact are not counted.")
        return self.cells.counts

    @property
    def infinite(self) -> int:
        """Return how many people's loss is infinite."""
        if self.cells is not None:
            return self.cells.infinite
        return self.people - int(np.searchsorted(self.ordered, np.inf, side="left"))

    @property
    def people(self) -> int:
        """Return the number of people who have a loss."""
        return len(self.ordered) if self.cells is None else self.cells.people

    @property
    def maximum(self) -> float:
        """Return the largest loss of a person in the table, exactly."""
        return float(self.ordered[-1]) if self.cells is None else self.most[0].epsilon

    @property
    def mean(self) -> float:
        """Return the mean loss."""
        if self.cells is None:
            return float(self.epsilon.mean())
        return self.cells.total / self.cells.people

    def most_exposed(self, count: int = MOST_KEPT) -> tuple[ExposedPerson, ...]:
        """Return the people who lose most, most first; ties in the table's order."""
        return self.most[:count]

    def quantile(self, q: float) -> tuple[float, float]:
        """Return two losses that the ``q``-quantile lies between; the same if it is exact.

        The quantile is the smallest loss that at least a share ``q`` of people stay within.
        Counted, it is above the first number, or 0, and at most the second; both are infinite
        where fewer people stay within anything.

        Raises:
            ParameterError: Unless ``q`` is above 0 and at most 1.

        """
        if not 0 < q <= 1:
            raise ParameterError(f"q must be above 0 and at most 1, got {q}.")
        if self.cells is None:
            exact = float(self.quantiles(q))
            return exact, exact
        if math.ceil(q * self.people - SAME) > self.people - self.cells.infinite:
            return math.inf, math.inf
        lower, upper = _quantile(self.cells.counts, self.ordered, q)
        return lower, min(upper, self.maximum)

    def exceeding(self, threshold: float) -> tuple[float, float]:
        """Return two shares that of the people who lose more than it lies between.

        They are the same where losses are exact, or nobody's lies in the same cell.
        """
        if self.cells is None:
            within = np.searchsorted(self.ordered, threshold, side="right")
            share = float(1 - within / self.people)
            return share, share
        cell = int(np.searchsorted(self.ordered, threshold, side="left"))
        counts = np.concatenate([[0.0], np.cumsum(self.cells.counts)])
        if threshold >= self.maximum:
            return 0.0, 0.0
        at_least, at_most = counts[cell], counts[max(cell - 1, 0)]
        if threshold == self.ordered[cell]:
            at_most = at_least
        return 1 - float(at_least / self.people), 1 - float(at_most / self.people)

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
        ranks = np.ceil(np.asarray(q) * self.people - SAME).astype(np.intp)
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
    ) -> tuple[GroupLosses, ...]:
        """Return a summary for each group that has people, in the order of ``labels``.

        ``codes`` holds each person's index into ``labels``; ``len(labels)`` stands for
        "other" and -1 for "missing".

        Raises:
            ParameterError: Unless there is one code a person.

        """
        if len(codes) != self.people:
            raise ParameterError(f"{self.people} people need as many codes, got {len(codes)}.")
        names = (*labels, "other", "missing")
        groups = np.where(codes < 0, len(labels) + 1, codes)
        order = np.argsort(groups, kind="stable")
        present, starts = np.unique(groups[order], return_index=True)
        members = np.split(self.epsilon[order], starts[1:])
        quantiles = [np.quantile(some, [0.5, 0.9], method="inverted_cdf") for some in members]
        return tuple(
            GroupLosses(
                label=names[code],
                people=len(some),
                mean=float(some.mean()),
                median=float(median),
                ninth_decile=float(ninth_decile),
                maximum=float(some.max()),
            )
            for code, some, (median, ninth_decile) in zip(present, members, quantiles, strict=True)
        )

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
        return largest * (1 - SAME) if np.isfinite(largest) else np.inf


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class LossGrid:
    """Cells from 0 to an end; losses above an edge and at most the next are in one.

    A loss times ``k / end``, rounded up, is the number of its cell, from 1. A product
    is rounded, too, so each edge is the largest float whose product is not above its
    number: no loss is counted in a cell beside its own, and none has to be looked up.

    Attributes:
        edges: Ends of the ``k`` cells, ascending from 0, shape ``(k + 1,)``.
        cells_per_loss: What losses are multiplied by: no product is above ``k``.

    """

    edges: FloatArray = field(repr=False)
    cells_per_loss: float

    @classmethod
    def of(cls, *, end: float, cells: int = CELLS) -> LossGrid:
        """Return the grid of so many cells from 0 to a positive ``end``."""
        number = np.arange(1.0, cells + 1)
        per_loss = cells / end
        while end * per_loss > cells:
            per_loss = math.nextafter(per_loss, 0)
        edges = number / per_loss
        while (too_far := edges * per_loss > number).any():
            edges = np.where(too_far, np.nextafter(edges, 0), edges)
        while (further := np.nextafter(edges, np.inf) * per_loss <= number).any():
            edges = np.where(further, np.nextafter(edges, np.inf), edges)
        edges = np.concatenate([[0.0], edges[:-1], [end]])
        return cls(edges=edges, cells_per_loss=per_loss)

    @property
    def end(self) -> float:
        """Return where the last cell ends."""
        return float(self.edges[-1])

    def counts(self, losses: FloatArray) -> FloatArray:
        """Return how many losses, from 0 to the end, are in each cell, ``(k,)``.

        The first cell has those that are 0, too.

        >>> LossGrid.of(end=2.0, cells=4).counts(np.array([0.0, 0.5, 0.6, 2.0]))
        array([2., 1., 0., 1.])
        """
        cell = losses * self.cells_per_loss
        np.ceil(cell, out=cell)
        counts = np.bincount(cell.astype(np.int32), minlength=len(self.edges))
        counts[1] += counts[0]
        return counts[1:].astype(np.float64)


class CountedPart(NamedTuple):
    """What is kept of the losses of some people, those of a part. CONFIDENTIAL."""

    end: float
    """Where the grid ends."""
    cells: Cells
    most: tuple[ExposedPerson, ...]
    """Those who lose most."""


@dataclass(slots=True, kw_only=True, eq=False)
class LossCount:
    """A count of people's losses that goes on, some people at a time. CONFIDENTIAL."""

    grid: LossGrid
    counts: FloatArray = field(init=False, repr=False)
    totals: list[float] = field(default_factory=list, repr=False)
    people: int = 0
    infinite: int = field(default=0, repr=False)
    at: NDArray[np.intp] = field(default_factory=lambda: np.empty(0, dtype=np.intp), repr=False)
    """Numbers of those who lose most so far, most first."""
    most: FloatArray = field(default_factory=lambda: np.empty(0), repr=False)
    """Their losses."""

    def __post_init__(self) -> None:
        self.counts = np.zeros(len(self.grid.edges) - 1)

    def add(self, epsilon: FloatArray) -> None:
        """Count some people more, beyond the grid as at its end, infinite ones apart."""
        if not len(epsilon):
            return
        largest, inside = float(epsilon.max()), epsilon
        if math.isinf(largest):
            inside = epsilon[np.isfinite(epsilon)]
            self.infinite += len(epsilon) - len(inside)
        if largest > self.grid.end:
            inside = np.minimum(inside, self.grid.end)
        self.counts += self.grid.counts(inside)
        self.totals.append(float(epsilon.sum()))
        self._rank(epsilon, largest)
        self.people += len(epsilon)

    def part(self, most: tuple[ExposedPerson, ...]) -> CountedPart:
        """Return what is kept, with what is known of ``self.at``."""
        total = math.fsum(self.totals)
        cells = Cells(self.counts, self.people, total, self.infinite)
        return CountedPart(self.grid.end, cells, most)

    def _rank(self, epsilon: FloatArray, largest: float) -> None:
        """Keep those who lose most of these people and later ones.

        Of those who are tied the earlier ones are kept.
        """
        full = len(self.at) == MOST_KEPT
        if full and largest <= self.most[-1]:
            return
        if full:
            rivals = np.flatnonzero(epsilon > self.most[-1])
        else:
            # The first few rule out most of the others, and are soon looked through.
            rivals = np.flatnonzero(epsilon >= _least_kept(epsilon[:_FEW]))
        # Whoever is tied with the last who is kept, too.
        rivals = rivals[epsilon[rivals] >= _least_kept(epsilon[rivals])]
        at = np.concatenate([self.at, rivals + self.people])
        losses = np.concatenate([self.most, epsilon[rivals]])
        order = np.argsort(-losses, kind="stable")[:MOST_KEPT]
        self.at, self.most = at[order], losses[order]


def counted_together(parts: Sequence[CountedPart]) -> Losses:
    """Return the losses of the people of all parts, with what was counted of them.

    Grids have as many cells; where one ends farther, its end is a power of 2 times the
    others'. The whole grid up to the guarantee is kept, and beyond as far as somebody is.

    Raises:
        DataError: There is nobody.

    """
    most = sorted(
        (person for part in parts for person in part.most),
        key=lambda one: (-one.epsilon, one.entry),
    )
    if not most:
        raise DataError("nobody has a value, so nobody's privacy loss exists.")
    end = max(part.end for part in parts)
    counts = np.sum([_coarser(part.cells.counts, part.end, end) for part in parts], axis=0)
    occupied = np.flatnonzero(counts)
    kept = max(CELLS, int(occupied[-1]) + 1) if len(occupied) else CELLS
    cells = Cells(
        counts=counts[:kept],
        people=sum(part.cells.people for part in parts),
        total=math.fsum(part.cells.total for part in parts),
        infinite=sum(part.cells.infinite for part in parts),
    )
    edges = LossGrid.of(end=end, cells=len(counts)).edges[: kept + 1]
    return Losses(ordered=edges, cells=cells, most=tuple(most[:MOST_KEPT]))


class GroupCounts(NamedTuple):
    """How the losses of each group of people were counted."""

    cells: FloatArray
    """How many of each group are in each cell of a grid."""
    totals: FloatArray
    most: FloatArray
    """The largest loss of each group."""

    @classmethod
    def of_nobody(cls, groups: int, grid: LossGrid) -> GroupCounts:
        """Return those of nobody."""
        cells = np.zeros((groups, len(grid.edges) - 1))
        return cls(cells, np.zeros(groups), np.zeros(groups))

    def add(self, epsilon: FloatArray, codes: NDArray[np.int64], grid: LossGrid) -> None:
        """Count some people more, whose groups are ``codes``."""
        for group in np.unique(codes):
            members = epsilon[codes == group]
            self.cells[group] += grid.counts(members)
            self.totals[group] += members.sum()
            self.most[group] = max(self.most[group], members.max())

    def summaries(self, labels: Sequence[str], edges: FloatArray) -> tuple[GroupLosses, ...]:
        """Return a summary of each group that has people."""
        every = zip(labels, self.cells, self.totals.tolist(), self.most.tolist(), strict=True)
        return tuple(
            GroupLosses(
                label=label,
                people=int(cells.sum()),
                mean=total / cells.sum(),
                median=min(_quantile(cells, edges, 0.5)[1], largest),
                ninth_decile=min(_quantile(cells, edges, 0.9)[1], largest),
                maximum=float(largest),
            )
            for label, cells, total, largest in every
            if cells.any()
        )


def _least_kept(epsilon: FloatArray) -> float:
    """Return the least loss of those that are kept of these people."""
    last = max(len(epsilon) - MOST_KEPT, 0)
    return float(np.partition(epsilon, last)[last])


def _coarser(counts: FloatArray, end: float, wanted: float) -> FloatArray:
    """Return counts in cells as long as those of a grid that ends at ``wanted``."""
    while end < wanted:
        pairs = counts.reshape(-1, 2).sum(axis=1)
        counts, end = np.concatenate([pairs, np.zeros(len(pairs))]), 2 * end
    return counts


def _quantile(counts: FloatArray, edges: FloatArray, q: float) -> tuple[float, float]:
    """Return the ends of the cell that a quantile of counted people is in."""
    rank = math.ceil(q * counts.sum() - SAME)
    cell = int(np.searchsorted(np.cumsum(counts), rank, side="left"))
    return float(edges[cell]), float(edges[cell + 1])


# The chain of guarantees, from all tables down to the average person here.
#
# Each number is at least as large as the next, where all compare the same tables.

_ONE = 1e-12


@dataclass(frozen=True, slots=True, kw_only=True)
class GuaranteeLadder:
    """Losses from the widest to the narrowest claim.

    Attributes:
        guarantee: Over all tables and people (DP). Infinite where there is none.
        for_all: The most that anybody is found to lose, in this table or joining it;
            NaN where it was not searched for.
        certificate: A bound that the loss for all never exceeds; NaN or infinite where
            none is known. It equals ``for_all`` where that is exact.
        maximum: The most that somebody in the table loses.
        mean: What the average person in the table loses.
        relation: What the losses compare with; ``None`` if it is what the guarantee
            compares with.
        promised: What the guarantee compares with.
        upper: Whether people's losses are upper bounds.
        unit: The privacy unit, for its name.

    """

    guarantee: float
    for_all: float
    certificate: float
    maximum: float
    mean: float
    relation: NeighboringRelation | None = None
    promised: NeighboringRelation | None = None
    upper: bool = False
    unit: PrivacyUnit = PERSON

    @property
    def mixed(self) -> bool:
        """Tell whether losses and the guarantee answer different questions."""
        return self.relation is not None and self.relation is not self.promised

    @property
    def proved(self) -> float:
        """Return what nobody here can exceed; NaN where nothing finite is known.

        A guarantee about the same change bounds everybody's loss, too.
        """
        known = self.certificate
        if not self.mixed:
            known = max(float(np.fmin(known, self.guarantee)), self.for_all)
        return known if np.isfinite(known) else np.nan

    @property
    def anybody(self) -> tuple[str, str]:
        """Return the most that anybody could lose, and how well that is known.

        The second is empty where the first is just that.
        """
        if np.isinf(self.for_all):
            return epsilon_text(self.for_all), ""
        if self.upper and np.isnan(self.proved):
            # Bounds for people here are no loss that was found.
            return "not known", ""
        if np.isnan(self.proved):
            return epsilon_text(self.for_all), "found by search"
        if self.upper or self.proved > self.for_all * (1 + _ONE):
            return epsilon_text(self.proved), "at most (proved)"
        return epsilon_text(self.for_all), ""

    @property
    def texts(self) -> tuple[str, ...]:
        """Return the loss of each step in words, rounded up."""
        return tuple(epsilon_text(loss) for _, loss in self.steps)

    @property
    def steps(self) -> tuple[tuple[str, float], ...]:
        """Return the name and the loss of each step that is known, widest first."""
        worst = "worst case, this table"
        proved = self.proved
        above = proved > self.for_all * (1 + _ONE)
        certified = np.isnan(proved) or self.upper or above
        if np.isinf(self.for_all):
            certified = False
        found = np.nan if self.upper else self.for_all
        known = [
            ("guarantee (DP)", self.guarantee),
            (f"{worst}: at most", proved if certified else np.nan),
            (f"{worst}: found" if certified else worst, found),
            (f"most exposed {self.unit.noun} here", self.maximum),
            (f"average {self.unit.noun} here", self.mean),
        ]
        return tuple((name, loss) for name, loss in known if not np.isnan(loss))
