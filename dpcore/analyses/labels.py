"""Labels of a column that nobody knows, found at a price, with how many people have them.

Every label that somebody has gets its number of people plus truncated geometric noise,
and is released above a threshold (``mechanisms/label_selection``). Nothing else is: a
label that is not released is not distinguished from one that nobody has.

A person counts once for each label. Where several rows of a person count, at most that
many labels change with them.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, Final, Self, cast

import numpy as np
from numpy.typing import ArrayLike, NDArray

from dpcore.analyses.base import Question, QuestionTerms, Request, column_from
from dpcore.analyses.groups import ANY_SIZE
from dpcore.analyses.measurement import Answer, LabelledIntervals, Plan, Width
from dpcore.arrays import FloatArray
from dpcore.codec import WHOLE, Schema
from dpcore.data.cells import canonical_cells, text_of
from dpcore.data.columns import Column, ColumnKind, MissingPolicy
from dpcore.data.dataset import Dataset, DescribedTable
from dpcore.data.declaration_grid import undeclared
from dpcore.data.partitions.table import Table
from dpcore.errors import ParameterError
from dpcore.inference.intervals import LEVEL, level_of_each
from dpcore.mechanisms.label_selection import LabelSelection
from dpcore.privacy.events import ApproximateEvent
from dpcore.privacy_filter import PrivacyCost
from dpcore.relations import NeighboringRelation, PrivacyUnit, TableSize
from dpcore.statistics.conditions import filled
from dpcore.statistics.entries import joint_rows
from dpcore.statistics.histogram import Histogram
from dpcore.statistics.kinds import StatisticKind
from dpcore.statistics.parameters import COLUMN, SHARED
from dpcore.statistics.statistic import Statistic

LONGEST: Final = 100
"""Characters of a label, at most."""
_SEPARATORS: Final = frozenset(";\n\r")
ROUNDING: Final = 1 + 1e-9


@dataclass(frozen=True, slots=True, kw_only=True)
class LabelsQuery(Question):
    """The labels of a category column without a public list that enough people have.

    Attributes:
        column: The column, without a list: rows without a value are left out.
        relation: Which tables are neighbors.
        unit: The privacy unit.
        size: ``ANY_SIZE``, or another private number: it is not used.
        longest: Characters of a label, at most; rows with a longer one are left out, and
            those with a label that no list can hold.
        kind: That it is this question.

    Raises:
        ParameterError: The column has a list already, or a part is outside its domain.

    """

    labels: ClassVar = ("labels",)
    kinds: ClassVar = (StatisticKind.LABELS,)
    column: Column
    relation: NeighboringRelation
    unit: PrivacyUnit
    size: TableSize
    longest: int = LONGEST
    kind: StatisticKind = StatisticKind.LABELS

    def __post_init__(self) -> None:
        column = self.column
        open_ = not column.labels and column.missing is MissingPolicy.DROP
        if not (column.kind is ColumnKind.CATEGORY and open_ and self.kind in self.kinds):
            raise ParameterError(f"labels of {column.name!r} cannot be looked for.")
        if self.longest < 1:
            raise ParameterError("a label has at least one character.")
        if self.size.public:
            raise ParameterError("the number of values is private where missing ones are left out.")

    @classmethod
    def of(cls, column: Column, *, relation: NeighboringRelation, unit: PrivacyUnit) -> Self:
        """Return the question about a column, whatever list it has."""
        return cls(column=undeclared(column), relation=relation, unit=unit, size=ANY_SIZE)

    @property
    def of_rows(self) -> Statistic:
        """Return what a person can change: the count of their label, and of another one.

        Which labels there are is confidential, so that they have no names here.
        """
        return Histogram(labels=("a label", "another label"), size=self.size)

    @property
    def title(self) -> str:
        """Return the question in words."""
        return f"labels of {self.column.title}"

    @property
    def conditions(self) -> tuple[str, ...]:
        """Return which rows are left out."""
        long = f"labels of more than {self.longest} characters or with a semicolon left out"
        return (*filled(self.column, self.unit), long)

    @property
    def unit_text(self) -> str:
        """Return what the numbers of labels count: people, or rows where it is promised."""
        return self.unit.counted if self.unit.rows > 1 else self.unit.nouns

    def plan(self, request: Request) -> ApproximatePlan:
        """Return how a request for it is carried out."""
        law = LabelSelection.calibrate(
            epsilon=request.epsilon,
            delta=request.used_delta,
            changes=round(request.sensitivity.l1),
            of_one_label=self.unit.rows > 1,
        )
        return LabelsPlan(law=law, epsilon=request.epsilon, delta=request.used_delta)

    def counted_rows(self, dataset: Dataset) -> NDArray[np.intp]:
        """Return the rows, from 0, with a label that a list can hold. CONFIDENTIAL."""
        return self._labelled(dataset)[0]

    def row_values(self, dataset: Dataset) -> FloatArray:
        """Return that every row that counts has a label of its own. CONFIDENTIAL."""
        return np.zeros(len(self.counted_rows(dataset)))

    def value(self, dataset: Table) -> Any:  # noqa: ANN401 - counts by label
        """Return how many people have each label, by label, sorted. CONFIDENTIAL.

        Raises:
            DataError: The column cannot be read as declared.
            ParameterError: The table counts another number of rows a person.

        """
        found = Counter[Any]()
        for part in dataset.each(self.counts, [self.column.name]):
            found.update(part)
        return dict(sorted(found.items()))

    def counts(self, part: Dataset) -> Mapping[Any, int]:
        """Return how many people of a part have each label. CONFIDENTIAL."""
        _, codes, labels = self.held(part)
        counts = np.bincount(codes, minlength=len(labels)).tolist()
        return {label: count for label, count in zip(labels, counts, strict=True) if count}

    def held(self, part: Dataset) -> tuple[NDArray[np.intp], NDArray[np.intp], tuple[str, ...]]:
        """Return who has which label, each pair once, and the label of each code. CONFIDENTIAL."""
        rows, codes, labels = self._labelled(part)
        if part.cap != self.unit.cap:
            raise ParameterError(
                "the question and the table count another number of rows a person. Ask again."
            )
        if self.unit.cap is None:
            return rows, codes, labels
        people, codes = np.unique(np.stack([part.persons[rows], codes]), axis=1)
        return people, codes, labels

    def _labelled(
        self, dataset: Dataset
    ) -> tuple[NDArray[np.intp], NDArray[np.intp], tuple[str, ...]]:
        """Return the rows that have a label, the code of each, and the label of each code.

        What a cell means depends on no other cell: codes stand for the text alone.
        """
        import pandas as pd  # noqa: PLC0415 - slow to import

        table = dataset.with_columns(self.column)
        rows = joint_rows(table, self.columns)
        cells = table.frame[self.column.name].iloc[rows]
        text = canonical_cells(cells) if self.column.compares_numbers else text_of(cells)
        codes, labels = pd.factorize(text.to_numpy(dtype=object))
        names = tuple(map(str, labels))
        fits = np.array([self._fits(name) for name in names], dtype=bool)
        kept = fits[codes]
        return rows[kept], codes[kept].astype(np.intp), names

    def _fits(self, label: str) -> bool:
        """Tell whether a public list can hold a label, which follows from it alone."""
        whole = label == label.strip() and label.isprintable()
        return whole and 0 < len(label) <= self.longest and not _SEPARATORS & {*label}

    @classmethod
    def from_terms(cls, terms: QuestionTerms, **parts: Any) -> Self:  # noqa: ANN401 - it has none
        """Return the question about a column."""
        return cls.of(terms.column, relation=terms.relation, unit=terms.unit, **parts)

    @classmethod
    def read(cls, content: Mapping[str, Any], dataset: DescribedTable, unit: PrivacyUnit) -> Self:
        """Return the question that parameters describe."""
        column = column_from(content["column"], dataset)
        return cls(**LABELS.read(content, unit=unit, column=column))

    def parameters(self) -> dict[str, Any]:
        """Return all that defines the analysis, ready for JSON."""
        return LABELS.write(self)


LABELS: Final[Schema[Any]] = Schema(dict, **SHARED, column=COLUMN, longest=WHOLE)


@dataclass(frozen=True, slots=True, kw_only=True)
class ApproximatePlan(Plan):
    """A plan of which only its epsilon and delta are known.

    Attributes:
        epsilon: What the answer costs, for all that one unit can change.
        delta: The same.

    """

    rho: ClassVar = math.inf
    epsilon: float
    delta: float

    @property
    def event(self) -> ApproximateEvent:
        """Return what the accountant has to know of it."""
        return ApproximateEvent(parameter=self.epsilon, delta=self.delta)

    def worst_case(self, *, delta: float = 0.0) -> float:
        """Return the epsilon at ``delta``; none below that of the plan."""
        return self.epsilon if delta >= self.delta else math.inf


@dataclass(frozen=True, slots=True, kw_only=True)
class LabelsPlan(ApproximatePlan):
    """Noise on the number of people of every label; those above the threshold are released.

    Attributes:
        law: The noise and the threshold.

    """

    law: LabelSelection

    @property
    def noise(self) -> float:
        """Return the scale of the noise."""
        return self.law.noise

    @property
    def thresholds(self) -> tuple[int, ...]:
        """Return what the noisy number of people of a released label exceeds."""
        return (self.law.threshold,)

    def pairwise_epsilon(
        self, first: ArrayLike, second: ArrayLike, *, delta: float = 0.0
    ) -> FloatArray:
        """Return the epsilon at ``delta`` between two values of the statistic.

        An upper bound: so many changes as they are apart. It is exact where each label
        keeps somebody. A label that one person alone has loses nothing at ``delta``. More
        changes than neighbors have need a larger delta.
        """
        changes = np.abs(np.subtract(first, second, dtype=np.float64)).sum(axis=-1)
        least = changes * self.law.epsilon
        known = (delta * ROUNDING >= self.delta) & (least <= self.epsilon * ROUNDING)
        return np.where((changes == 0) | known, np.minimum(least, self.epsilon), np.inf)

    def half_widths(self, level: float) -> FloatArray:  # noqa: ARG002 - noise never is larger
        """Return how far off each number is at most: the threshold."""
        return np.array([float(self.law.threshold)])

    def width(self, *, unit: str, group: int) -> Width:  # noqa: ARG002 - a common signature
        """Return how far off the numbers of people of released labels are at most."""
        return Width(half=float(self.law.threshold), unit=unit)

    def answer(self, value: Mapping[str, int], *, cost: PrivacyCost) -> Answer:  # noqa: ARG002 - the law has it
        """Return the labels above the threshold, sorted, with their noisy numbers."""
        noisy = self.law.secure_draw(np.fromiter(value.values(), dtype=np.int64, count=len(value)))
        found = {
            label: number
            for label, number in zip(value, noisy.tolist(), strict=True)
            if number > self.law.threshold
        }
        if not found:
            return Answer(labels=(), values=(), unsaid=("labels",))
        labels = tuple(sorted(found))
        each = level_of_each(len(labels))
        around = {
            label: tuple(map(float, self.law.people_between(found[label], each)))
            for label in labels
        }
        return Answer(
            labels=labels,
            values=tuple(float(found[label]) for label in labels),
            intervals=LabelledIntervals(level=LEVEL, noise=cast("Any", around)),
        )
