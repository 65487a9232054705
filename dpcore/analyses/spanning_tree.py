"""The counts that a synthetic table is made of, in one release: MST.

The mechanism of McKenna, Miklau and Sheldon 2021 (Winning the NIST contest). Every column
is cut into public cells. Then

1. the counts of every column get noise, Gaussian if there is a delta,
2. a tree of pairs of columns is chosen, one pair after another, by the exponential
   mechanism: of the pairs that close no ring, one whose counts are far from those of
   independent columns,
3. the counts of the chosen pairs get such noise.

Pairs that are asked for are public. They are part of the tree, so that fewer are left to choose,
or none: then steps 1 and 3 share the budget.

**What one row can change.** It is in one cell of every column and of every pair. So among
``d`` columns, a row more or less moves ``d`` counts by 1, and a replaced one ``2 d``. The
length of that change is ``sqrt(k d)``, with ``k`` = 1 under add/remove and 2 under
substitution; that of the ``d - 1`` chosen pairs is ``sqrt(k (d - 1))``. The score of a
pair is the sum of absolute differences between its counts and what the noisy counts of
step 1 make of independent columns, less a public number. A row moves the counts of a pair
by ``k`` in sum, so it moves each score by at most ``k``.

**Cost.** Noise ``s`` on counts that move by the length ``D`` is ``D^2 / (2 s^2)``-zCDP,
and a choice by the exponential mechanism with ``e`` is ``e^2 / 8``-zCDP (Cesar and Rogers
2021). The levels of all steps add up, although later ones depend on earlier answers (Bun
and Steinke 2016). The total is the largest level that implies (epsilon, delta)-DP.

**Without a delta** the noise is Laplace noise. A row moves all columns by ``k d`` in sum, and the
chosen pairs by ``k (d - 1)``. Noise of scale ``b`` on what moves by ``D`` in sum costs ``D / b``,
and a choice ``e``. They add up to epsilon.

**Score.** The public number is what noise of step 3 adds up to, ``sqrt(2 / pi) s`` or ``b`` for
each cell: pairs with many cells, which noise would drown, are chosen less often (McKenna,
Mullins, Sheldon and Miklau 2022, AIM).

Missing values have a cell of their own: everybody is counted in every column.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations
from typing import Any, ClassVar, Final, NamedTuple, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from dpcore.analyses import secure
from dpcore.analyses.base import CLAIM_TOLERANCE, MOST_PEOPLE, QuestionTerms, Request
from dpcore.analyses.cross_table import (
    AXIS,
    MOST_CELLS,
    TABLES,
    OfHistograms,
    histograms_from,
    histograms_of,
)
from dpcore.analyses.groups import ANY_SIZE
from dpcore.analyses.measurement import Answer, LabelledIntervals, Plan, Width
from dpcore.analyses.number import Query
from dpcore.arrays import FloatArray
from dpcore.codec import Schema, if_any, several
from dpcore.data.bounds import Interval
from dpcore.data.columns import Column, MissingPolicy
from dpcore.data.dataset import Dataset, DescribedTable
from dpcore.data.partitions.table import Table
from dpcore.errors import ParameterError
from dpcore.formatting import distinct
from dpcore.inference.intervals import LEVEL, level_of_each
from dpcore.mechanisms.exponential import Exponential
from dpcore.mechanisms.gaussian import Gaussian
from dpcore.mechanisms.laplace import Laplace, least_scale
from dpcore.mechanisms.mechanism import Sensitivity, require_budget
from dpcore.privacy.conversions import epsilon_of_rho
from dpcore.privacy.events import GaussianChoicesEvent, PureEvent
from dpcore.privacy.halving import halved
from dpcore.privacy_filter import PrivacyCost, computed
from dpcore.relations import NeighboringRelation, PrivacyUnit, TableSize
from dpcore.statistics.checks import check_people
from dpcore.statistics.grouping import SIDE_BY_SIDE
from dpcore.statistics.histogram import Histogram
from dpcore.statistics.kinds import StatisticKind
from dpcore.statistics.parameters import SHARED, SIZE

MOST_COLUMNS: Final = 20
"""Columns of a synthetic table, at most."""
NO_VALUE: Final = "no value"
"""The cell of rows without a value, where a column leaves them out."""
SHARES: Final = (0.2, 0.2, 0.6)
"""The parts of the zCDP level, or of epsilon, of columns, choices and pairs."""
_HALF_NORMAL: Final = math.sqrt(2 / math.pi)


@dataclass(frozen=True, slots=True, kw_only=True)
class SyntheticQuery(OfHistograms):
    """The counts of several columns, and of the pairs that say most about each other.

    Attributes:
        axes: A question about the histogram of each column, of ``ANY_SIZE``.
        size: What is public about the number of rows: all of them count.
        kind: That it is this question.
        wanted: The pairs that are always counted, by the places of their columns from 0.

    Raises:
        ParameterError: They are no such questions, there are too many cells, or the pairs
            that are wanted form a cycle.

    """

    labels: ClassVar = ("counts",)
    kinds: ClassVar = (StatisticKind.SYNTHETIC,)
    most_columns: ClassVar[int] = MOST_COLUMNS
    axes: tuple[Query, ...]
    size: TableSize
    kind: StatisticKind = StatisticKind.SYNTHETIC
    wanted: tuple[tuple[int, int], ...] = ()

    def __post_init__(self) -> None:
        self.unit.check_one_row("synthetic data is")
        self.check_axes()
        self.size.check(self.relation, self.unit)
        if math.prod(sorted(self.shape)[-2:]) > MOST_CELLS:
            raise ParameterError(
                f"two columns together have {MOST_CELLS} cells at most; choose fewer bins or "
                "shorter lists."
            )
        for place, pair in enumerate(self.wanted):
            if pair not in joinable(len(self.axes), self.wanted[:place]):
                raise ParameterError(
                    f"the pairs to keep form a cycle with {self._named(pair)}; leave one out."
                )

    def _named(self, pair: tuple[int, int]) -> str:
        return " with ".join(f"“{self.columns[place].title}”" for place in pair)

    @classmethod
    def of(
        cls,
        columns: Sequence[tuple[Column, tuple[float, ...] | None]],
        *,
        relation: NeighboringRelation,
        unit: PrivacyUnit,
        size: TableSize,
        wanted: tuple[tuple[int, int], ...] = (),
    ) -> Self:
        """Return the question about columns with the edges of their bins, if any."""
        if not columns:
            raise ParameterError("choose at least two columns.")
        return cls(
            axes=tuple(
                Query(
                    kind=StatisticKind.HISTOGRAM,
                    column=column,
                    relation=relation,
                    unit=unit,
                    size=ANY_SIZE,
                    edges=edges,
                )
                for column, edges in columns
            ),
            size=size,
            wanted=wanted,
        )

    @property
    def names(self) -> tuple[tuple[str, ...], ...]:
        """Return what the cells of each column are called."""
        return tuple(
            (*each.statistic.labels, NO_VALUE) if _leaves_out(each) else each.statistic.labels
            for each in self.axes
        )

    @property
    def statistic(self) -> Histogram:
        """Return what a row can change of one column: the count of its cell, and of another."""
        return Histogram(labels=("a cell", "another cell"), size=self.size)

    @property
    def title(self) -> str:
        """Return the question in words."""
        return f"synthetic table of {len(self.axes)} columns"

    @property
    def conditions(self) -> tuple[str, ...]:
        """Return what becomes of values before they are counted, and which pairs always are."""
        wanted = [f"{self._named(pair)} always counted" for pair in self.wanted]
        each = [
            f"{condition.replace(' left out', f' counted as “{NO_VALUE}”')} ({each.column.title})"
            for each in self.axes
            for condition in each.conditions
        ]
        return (*each, *wanted)

    def plan(self, request: Request) -> Plan:
        """Return how a request for it is carried out."""
        return TreePlan(
            names=self.names,
            columns=tuple(column.name for column in self.columns),
            each=self.sensitivity,
            size=self.size,
            epsilon=request.epsilon,
            delta=request.used_delta,
            wanted=self.wanted,
        )

    def rows(self, dataset: Dataset) -> NDArray[np.intp]:
        """Return every row: all of them count. CONFIDENTIAL."""
        return np.arange(dataset.people)

    def values(self, dataset: Dataset) -> FloatArray:  # noqa: ARG002 - the common signature
        """Refuse: losses are not told apart, because every row is in one cell of each count.

        Raises:
            ParameterError: Always.

        """
        raise ParameterError(
            f"every {self.unit.noun} is in one cell of each count, so the guarantee stands "
            "for the loss of everybody."
        )

    def value(self, dataset: Table) -> FloatArray:
        """Return the counts of all pairs of columns, one after another. CONFIDENTIAL.

        Raises:
            DataError: The table cannot be read as declared.
            ParameterError: It has another public number of rows.

        """
        names = [column.name for column in self.columns]
        whole = np.stack([*dataset.each(self.counts, names)]).sum(axis=0)
        check_people(round(whole[: self.shape[0] * self.shape[1]].sum()), self.size)
        return np.asarray(whole)

    def counts(self, part: Dataset) -> FloatArray:
        """Return the counts of all pairs of some rows. CONFIDENTIAL."""
        cells = [cells_of(each, part) for each in self.axes]
        return np.concatenate(
            [
                np.bincount(cells[i] * self.shape[j] + cells[j], minlength=math.prod(shape))
                for (i, j), shape in pairs_of(self.shape)
            ]
        ).astype(np.float64)

    @classmethod
    def from_terms(  # type: ignore[override] # parts of this shape
        cls, terms: QuestionTerms, *, bins: int = 10, tables: Sequence[Sequence[str]] = ()
    ) -> Self:
        """Return the question about columns; those of numbers are divided into ``bins``.

        ``tables`` are pairs of columns, by name, that are always counted.
        """
        places = {column.name: place for place, column in enumerate(terms.columns)}
        pairs = [sorted(places[terms.named(name).name] for name in table) for table in tables]
        return cls(
            axes=histograms_of(terms, bins, ANY_SIZE),
            size=terms.size_of(()),
            wanted=tuple((first, second) for first, second in pairs),
        )

    @classmethod
    def read(cls, content: Mapping[str, Any], dataset: DescribedTable, unit: PrivacyUnit) -> Self:
        """Return the question that parameters describe."""
        axes = histograms_from(content, content["axes"], dataset, unit, size=ANY_SIZE)
        wanted = tuple((i, j) for i, j in TABLES.read(content.get("wanted", [])))
        return cls(axes=axes, size=SIZE.read(content["size"]), wanted=wanted)

    def parameters(self) -> dict[str, Any]:
        """Return all that defines the analysis, ready for JSON."""
        return SYNTHETIC.write(self)


SYNTHETIC: Final[Schema[Any]] = Schema(dict, **SHARED, axes=several(AXIS), wanted=if_any(TABLES))


def _leaves_out(query: Query) -> bool:
    return query.column.missing is MissingPolicy.DROP


def cells_of(query: Query, part: Dataset) -> NDArray[np.intp]:
    """Return the cell of every row, the last one where it has no value. CONFIDENTIAL."""
    found = np.full(part.rows, len(query.statistic.labels), dtype=np.intp)
    found[query.counted_rows(part)] = query.row_values(part).astype(np.intp)
    return found


def joinable(columns: int, chosen: Sequence[tuple[int, int]]) -> list[tuple[int, int]]:
    """Return the pairs of so many columns that form no cycle with those ``chosen``.

    >>> joinable(3, [(0, 1)])
    [(0, 2), (1, 2)]
    """
    trees = list(range(columns))
    for i, j in chosen:
        trees = [trees[i] if tree == trees[j] else tree for tree in trees]
    return [(i, j) for i, j in combinations(range(columns), 2) if trees[i] != trees[j]]


def pairs_of(shape: Sequence[int]) -> list[tuple[tuple[int, int], tuple[int, int]]]:
    """Return every pair of columns by their places, with how many cells each has."""
    return [((i, j), (shape[i], shape[j])) for i, j in combinations(range(len(shape)), 2)]


class TreeDraw(NamedTuple):
    """What the steps have drawn. PUBLIC.

    Attributes:
        columns: The noisy counts of all columns, one after another.
        chosen: The pairs, in the order of their choice.
        pairs: Their noisy counts, one after another.

    """

    columns: FloatArray
    chosen: tuple[tuple[int, int], ...]
    pairs: FloatArray


@dataclass(frozen=True, kw_only=True)
class TreePlan(Plan):
    """Noise on columns, the choice of a tree of pairs, and noise on these.

    Attributes:
        names: What the cells of each column are called.
        columns: The names of the columns.
        each: What one unit can change in the counts of one column, or of one pair.
        size: What is public about the number of rows.
        epsilon: What the answer costs.
        delta: The same; 0 makes all noise Laplace noise.
        wanted: The pairs that are always counted.

    """

    names: tuple[tuple[str, ...], ...]
    columns: tuple[str, ...]
    each: Sensitivity
    size: TableSize
    epsilon: float
    delta: float
    wanted: tuple[tuple[int, int], ...] = ()

    def __post_init__(self) -> None:
        require_budget(self.epsilon, self.delta)

    @cached_property
    def shape(self) -> tuple[int, ...]:
        """Return how many cells each column has."""
        return tuple(map(len, self.names))

    @property
    def steps(self) -> int:
        """Return how many pairs are counted."""
        return len(self.shape) - 1

    @property
    def choices(self) -> int:
        """Return how many of them are chosen."""
        return self.steps - len(self.wanted)

    @property
    def shares(self) -> tuple[float, float, float]:
        """Return the parts of the budget of columns, choices and pairs."""
        columns, choices, pairs = SHARES
        if self.choices:
            return SHARES
        return columns / (1 - choices), 0.0, pairs / (1 - choices)

    @property
    def is_pure(self) -> bool:
        """Return whether there is no delta, so that noise is Laplace noise and ε adds up."""
        return self.delta == 0

    @cached_property
    def target(self) -> float:
        """Return the largest zCDP level that implies the guarantee; without a delta, epsilon."""
        most = self.epsilon
        if not self.is_pure:
            most = halved(
                lambda rho: epsilon_of_rho(rho, self.delta) > self.epsilon, 0.0, 2 * most + 2
            )[0]
        return most * (1 - CLAIM_TOLERANCE)

    @cached_property
    def columns_noise(self) -> Gaussian | Laplace:
        """Return the noise on the counts of columns."""
        return self._noise(self.columns_sensitivity, self.shares[0])

    @cached_property
    def pairs_noise(self) -> Gaussian | Laplace:
        """Return the noise on the counts of chosen pairs."""
        return self._noise(self.pairs_sensitivity, self.shares[2])

    @cached_property
    def choice(self) -> Exponential:
        """Return the mechanism of one choice."""
        level = self.target * self.shares[1] / self.choices
        epsilon = level if self.is_pure else math.sqrt(8 * level)
        return Exponential.calibrate(
            sensitivity=self.score_sensitivity, epsilon=epsilon, bounds=Interval(lower=0, upper=1)
        )

    @property
    def columns_sensitivity(self) -> Sensitivity:
        """Return what one unit can change in the counts of all columns."""
        return _times(self.each, len(self.shape))

    @property
    def pairs_sensitivity(self) -> Sensitivity:
        """Return what one unit can change in the counts of all chosen pairs."""
        return _times(self.each, self.steps)

    @property
    def score_sensitivity(self) -> Sensitivity:
        """Return what one unit can change in a score, rounding errors included."""
        return secure.widen(Sensitivity.scalar(self.each.l1), 4 * MOST_PEOPLE)

    @cached_property
    def event(self) -> GaussianChoicesEvent | PureEvent:
        """Return what the accountant has to know of it."""
        choice = self.choice.epsilon(self.score_sensitivity) if self.choices else 0.0
        noisy = (
            (self.columns_sensitivity, self.columns_noise.noise),
            (self.pairs_sensitivity, self.pairs_noise.noise),
        )
        if self.is_pure:
            sums = [moved.l1 / scale for moved, scale in noisy]
            return PureEvent(parameter=math.fsum([*sums, self.choices * choice]))
        ratios = [moved.l2 / scale for moved, scale in noisy]
        return GaussianChoicesEvent.from_ratio(
            math.hypot(*ratios), choice=choice, choices=max(self.choices, 1)
        )

    @property
    def rho(self) -> float:
        """Return the zCDP level of all steps."""
        return self.event.rho

    def worst_case(self, *, delta: float = 0.0) -> float:
        """Return the epsilon at ``delta``."""
        return self.event.epsilon(delta)

    def pairwise_epsilon(
        self, first: ArrayLike, second: ArrayLike, *, delta: float = 0.0
    ) -> FloatArray:
        """Return the guarantee between two different tables: a bound for every pair."""
        differ = np.any(np.asarray(first) != np.asarray(second), axis=-1)
        return np.where(differ, self.worst_case(delta=delta), 0.0)

    @property
    def noise(self) -> float:
        """Return the largest scale of noise on a count; of Gaussian noise it is the SD."""
        return max(self.columns_noise.noise, self.pairs_noise.noise)

    @property
    def numbers(self) -> int:
        """Return how many counts are released at most."""
        largest = sorted(math.prod(shape) for _, shape in pairs_of(self.shape))
        return sum(self.shape) + sum(largest[-self.steps :])

    def half_widths(self, level: float) -> FloatArray:
        """Return how far off a count is, of a column and of a pair."""
        tail = 1 - (1 - level) / 2
        mechanisms = (self.columns_noise, self.pairs_noise)
        return np.array([float(one.quantile(tail, 0.0)) for one in mechanisms])

    def width(self, *, unit: str, group: int) -> Width:  # noqa: ARG002 - a common signature
        """Return the half-width of the worst of all counts at once, at 95%."""
        half = float(self.half_widths(level_of_each(self.numbers)).max())
        return Width(half=half, unit=unit)

    def answer(self, value: FloatArray, *, cost: PrivacyCost) -> Answer:  # noqa: ARG002 - each step has a cost of its own
        """Return the noisy counts of columns, then of the chosen pairs, in their order."""
        drawn = self.drawn(value)
        labels = (*self.column_labels, *(x for p in drawn.chosen for x in self.pair_labels[p]))
        values = np.concatenate([drawn.columns, drawn.pairs])
        halves = self.half_widths(level_of_each(len(values)))
        half = np.repeat(halves, (len(drawn.columns), len(drawn.pairs)))
        most = float(self.size.people) if self.size.public else math.inf
        low, high = (np.clip(values + way * half, 0.0, most) for way in (-1, 1))
        ends = zip(low.tolist(), high.tolist(), strict=True)
        return Answer(
            labels=labels,
            values=tuple(values.tolist()),
            intervals=LabelledIntervals(level=LEVEL, noise=dict(zip(labels, ends, strict=True))),
        )

    def drawn(self, value: FloatArray) -> TreeDraw:
        """Return what all steps draw, by the secure sampler."""
        columns = secure.draw(
            self.columns_noise,
            self.columns_of(value),
            sensitivity=self.columns_sensitivity,
            cost=self._cost(self.columns_noise, self.columns_sensitivity),
        )
        scores = self.scores(columns, value)
        chosen = list(self.wanted)
        for _ in range(self.choices):
            candidates = self.candidates(chosen)
            (index,) = secure.draw(
                self.choice,
                np.array([scores[pair] for pair in candidates]),
                sensitivity=self.score_sensitivity,
                cost=PrivacyCost(epsilon=computed(self.choice.epsilon(self.score_sensitivity))),
            )
            chosen.append(candidates[int(index)])
        pairs = secure.draw(
            self.pairs_noise,
            self.pairs_in(value, chosen),
            sensitivity=self.pairs_sensitivity,
            cost=self._cost(self.pairs_noise, self.pairs_sensitivity),
        )
        return TreeDraw(columns=columns, chosen=tuple(chosen), pairs=pairs)

    def recorded(self, labels: Sequence[str], values: Sequence[float]) -> TreeDraw:
        """Return what was drawn, from the labels and values of its record."""
        start = len(self.column_labels)
        firsts = {names[0]: pair for pair, names in self.pair_labels.items()}
        return TreeDraw(
            columns=np.array(values[:start]),
            chosen=tuple(firsts[label] for label in labels[start:] if label in firsts),
            pairs=np.array(values[start:]),
        )

    def scores(self, columns: FloatArray, value: FloatArray) -> dict[tuple[int, int], float]:
        """Return the score of every pair. CONFIDENTIAL."""
        tables = dict(self.tables(value))
        return {
            pair: float(np.abs(tables[pair] - alone).sum()) - self.penalty(pair)
            for pair, alone in self.independent(columns)
        }

    def candidates(self, chosen: Sequence[tuple[int, int]]) -> list[tuple[int, int]]:
        """Return the pairs that form no cycle with those ``chosen``."""
        return joinable(len(self.shape), chosen)

    def penalty(self, pair: tuple[int, int]) -> float:
        """Return what the noise on the counts of a pair adds up to on average."""
        i, j = pair
        each = 1.0 if self.is_pure else _HALF_NORMAL
        return each * self.pairs_noise.noise * self.shape[i] * self.shape[j]

    def independent(self, columns: FloatArray) -> Iterator[tuple[tuple[int, int], FloatArray]]:
        """Yield the counts of every pair, as noisy counts make them of independent columns."""
        parts = np.split(columns, np.cumsum(self.shape)[:-1])
        people = float(np.mean([part.sum() for part in parts]))
        people = float(self.size.people) if self.size.public else max(people, 1.0)
        held = [nearest_counts(part, people) for part in parts]
        for (i, j), _ in pairs_of(self.shape):
            yield (i, j), np.outer(held[i], held[j]) / people

    def tables(self, value: FloatArray) -> Iterator[tuple[tuple[int, int], FloatArray]]:
        """Yield the counts of every pair. CONFIDENTIAL."""
        start = 0
        for pair, shape in pairs_of(self.shape):
            stop = start + math.prod(shape)
            yield pair, value[start:stop].reshape(shape)
            start = stop

    def columns_of(self, value: FloatArray) -> FloatArray:
        """Return the counts of all columns. CONFIDENTIAL."""
        first = {j: counts for (i, j), counts in self.tables(value) if i == 0}
        sums = [first[1].sum(axis=1), *(first[j].sum(axis=0) for j in sorted(first))]
        return np.concatenate(sums)

    def pairs_in(self, value: FloatArray, chosen: Sequence[tuple[int, int]]) -> FloatArray:
        """Return the counts of chosen pairs. CONFIDENTIAL."""
        tables = dict(self.tables(value))
        return np.concatenate([tables[pair].ravel() for pair in chosen])

    def log_density(self, drawn: TreeDraw, value: FloatArray) -> float:
        """Return the log-density of what was drawn, but for a constant. CONFIDENTIAL."""
        found = 0.0
        noisy = (
            (drawn.columns, self.columns_of(value), self.columns_noise),
            (drawn.pairs, self.pairs_in(value, drawn.chosen), self.pairs_noise),
        )
        for released, exact, mechanism in noisy:
            off = np.abs(released - exact) / mechanism.noise
            found -= float(np.sum(off if self.is_pure else off**2 / 2))
        scores = self.scores(drawn.columns, value)
        for step in range(len(self.wanted), self.steps):
            among = self.candidates(drawn.chosen[:step])
            odds = self.choice.probabilities([scores[each] for each in among])
            found += math.log(odds[among.index(drawn.chosen[step])])
        return found

    @cached_property
    def column_labels(self) -> tuple[str, ...]:
        """Return the name of every count of a column."""
        return self._labels[: sum(self.shape)]

    @cached_property
    def pair_labels(self) -> dict[tuple[int, int], tuple[str, ...]]:
        """Return the names of the counts of every pair that may be chosen."""
        found, start = {}, sum(self.shape)
        for pair, shape in pairs_of(self.shape):
            stop = start + math.prod(shape)
            found[pair] = self._labels[start:stop]
            start = stop
        return found

    @cached_property
    def _labels(self) -> tuple[str, ...]:
        columns = [
            f"{column}: {name}"
            for column, names in zip(self.columns, self.names, strict=True)
            for name in names
        ]
        pairs = [
            f"{self.columns[i]}{SIDE_BY_SIDE}{self.columns[j]}: {one}{SIDE_BY_SIDE}{other}"
            for (i, j), _ in pairs_of(self.shape)
            for one in self.names[i]
            for other in self.names[j]
        ]
        return distinct([*columns, *pairs])

    def _noise(self, sensitivity: Sensitivity, share: float) -> Gaussian | Laplace:
        if self.is_pure:
            return Laplace(noise=least_scale(sensitivity.l1, self.target * share))
        return Gaussian(noise=sensitivity.l2 / math.sqrt(2 * self.target * share))

    def _cost(self, mechanism: Gaussian | Laplace, sensitivity: Sensitivity) -> PrivacyCost:
        epsilon, rho = mechanism.epsilon(sensitivity), mechanism.rho(sensitivity)
        return PrivacyCost(epsilon=computed(epsilon), rho=computed(rho))


def _times(each: Sensitivity, number: int) -> Sensitivity:
    """Return what changes if each of a number of histograms changes so much."""
    return Sensitivity(
        coordinates=each.coordinates * number,
        l1=each.l1 * number,
        l2=each.l2 * math.sqrt(number),
        largest=each.largest,
    )


def nearest_counts(noisy: FloatArray, people: float) -> FloatArray:
    """Return the nearest counts of at least 0 that sum to ``people``.

    The projection onto a simplex (Held, Wolfe and Crowder 1974).

    >>> nearest_counts(np.array([5.0, 3.0, -2.0]), 6.0).tolist()
    [4.0, 2.0, 0.0]
    """
    falling = np.sort(noisy)[::-1]
    shift = (np.cumsum(falling) - people) / np.arange(1, len(noisy) + 1)
    return np.asarray(np.maximum(noisy - shift[np.flatnonzero(falling > shift)[-1]], 0.0))
