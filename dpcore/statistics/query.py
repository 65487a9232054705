"""A question about one column, in public terms only."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from dpcore.data.columns import ColumnKind, MissingPolicy
from dpcore.errors import ParameterError
from dpcore.relations import NeighboringRelation, PrivacyUnit, TableSize
from dpcore.statistics.averages import Mean, Proportion
from dpcore.statistics.bins import bin_labels, check_edges
from dpcore.statistics.entries import label_entries, number_entries
from dpcore.statistics.histogram import Histogram
from dpcore.statistics.parameters import (
    column_from,
    column_parameters,
    membership_from,
    membership_parameters,
)
from dpcore.statistics.spread import StandardDeviation, Variance
from dpcore.statistics.sums import Count, Sum

if TYPE_CHECKING:
    from typing import Self

    from numpy.typing import NDArray

    from dpcore.data.bounds import FloatArray, Interval
    from dpcore.data.columns import Column
    from dpcore.data.dataset import Dataset
    from dpcore.mechanisms.base import Sensitivity
    from dpcore.statistics.base import Statistic
    from dpcore.statistics.membership import Membership


class StatisticKind(StrEnum):
    """What is asked of a column."""

    COUNT = "count"
    SUM = "sum"
    MEAN = "mean"
    PROPORTION = "proportion"
    VARIANCE = "variance"
    STANDARD_DEVIATION = "standard deviation"
    HISTOGRAM = "histogram"

    @property
    def of_members(self) -> bool:
        """Tell whether it counts the people who meet a condition."""
        return self in {StatisticKind.COUNT, StatisticKind.PROPORTION}


_OF_NUMBERS: Final[dict[StatisticKind, type[Mean | Sum | Variance]]] = {
    StatisticKind.MEAN: Mean,
    StatisticKind.SUM: Sum,
    StatisticKind.VARIANCE: Variance,
    StatisticKind.STANDARD_DEVIATION: StandardDeviation,
}
_OF_LABELS: Final = (
    StatisticKind.PROPORTION,
    StatisticKind.COUNT,
    StatisticKind.HISTOGRAM,
)


def allowed(column_kind: ColumnKind) -> tuple[StatisticKind, ...]:
    """Return what can be asked of such a column, the most usual first."""
    if column_kind is ColumnKind.NUMBER:
        return (*_OF_NUMBERS, *_OF_LABELS)
    return _OF_LABELS


@dataclass(frozen=True, slots=True, kw_only=True)
class Query:
    """A statistic of one column, with everything public that it depends on. PUBLIC.

    Attributes:
        kind: Which statistic.
        column: What is declared about the column.
        relation: Which tables are neighbors.
        unit: Whom the guarantee protects.
        size: What is public about the number of people. It must be private under
            add/remove, and where people with a missing value are dropped.
        membership: Whom a count or proportion counts; ``None`` for the others.
        edges: Edges of the bins for a histogram of a number; ``None`` for the others.

    """

    kind: StatisticKind
    column: Column
    relation: NeighboringRelation
    unit: PrivacyUnit
    size: TableSize
    membership: Membership | None = None
    edges: tuple[float, ...] | None = None

    def __post_init__(self) -> None:
        if self.kind not in allowed(self.column.kind):
            message = (
                f"{self.column.name!r} is a {self.column.kind.value} column; "
                f"it has no {self.kind.value}."
            )
            raise ParameterError(message)
        self._check_size()
        self._check_membership()
        self._check_edges()
        # Builds the statistic once, so that its own demands are met from here on.
        _ = self.sensitivity

    @property
    def statistic(self) -> Statistic:
        """Return the statistic itself."""
        if self.kind is StatisticKind.COUNT:
            return Count(size=self.size)
        if self.kind is StatisticKind.PROPORTION:
            return Proportion(size=self.size)
        if self.kind is StatisticKind.HISTOGRAM:
            return Histogram(labels=self._cells, size=self.size)
        if self.column.bounds is None:
            message = f"{self.column.name!r} needs public bounds for its {self.kind}."
            raise ParameterError(message)
        return _OF_NUMBERS[self.kind](bounds=self.column.bounds, size=self.size)

    @property
    def sensitivity(self) -> Sensitivity:
        """Return the most that one unit, with all its rows, can change the answer."""
        statistic = self.statistic
        return statistic.sensitivity(self.relation).times(
            self.unit.rows, coordinates=len(statistic.labels)
        )

    @property
    def bounds(self) -> Interval:
        """Return the public interval that holds every coordinate of the answer."""
        return self.statistic.range

    @property
    def title(self) -> str:
        """Return the question in words, such as "mean of age"."""
        name = self.column.name
        if self.membership is None:
            return f"{self.kind.value} of {name}"
        if not self.membership.everyone:
            amount = "number" if self.kind is StatisticKind.COUNT else "share"
            return f"{amount} of {self._counted} with {self.membership.phrase(name)}"
        if self.column.missing is MissingPolicy.DROP:
            return f"number of {self._counted} with a value of {name}"
        return f"number of {self._counted}"

    @property
    def unit_text(self) -> str:
        """Return the unit of the answer, empty where it has none."""
        if self.kind in {StatisticKind.COUNT, StatisticKind.HISTOGRAM}:
            return self._counted
        if self.kind is StatisticKind.PROPORTION or not self.column.unit:
            return ""
        squared = self.kind is StatisticKind.VARIANCE
        return f"({self.column.unit})²" if squared else self.column.unit

    def rows(self, dataset: Dataset) -> NDArray[np.intp]:
        """Return the row, from 0, of each entry of ``values``. CONFIDENTIAL."""
        if self.column.missing is MissingPolicy.DROP:
            return np.flatnonzero(~dataset.missing(self.column.name))
        return np.arange(dataset.people)

    def values(self, dataset: Dataset) -> FloatArray:
        """Return one number for each person behind the statistic. CONFIDENTIAL.

        Missing values are dropped or replaced as the column says. Numbers are as in the
        table: the statistic clamps them.

        Raises:
            DataError: If the column cannot be read as declared.
            ParameterError: If the data set declares the column otherwise.

        """
        if self.column.kind is ColumnKind.NUMBER:
            return number_entries(
                dataset, self.column, membership=self.membership, edges=self.edges
            )
        return label_entries(dataset, self.column, membership=self.membership)

    def parameters(self) -> dict[str, Any]:
        """Return all that defines the analysis, ready for JSON.

        Equal analyses have equal parameters, whatever their columns are described as.
        """
        return {
            "kind": self.kind.value,
            "column": column_parameters(self.column),
            "relation": self.relation.value,
            "unit": {"noun": self.unit.noun, "rows": self.unit.rows},
            "size": {"people": self.size.people, "public": self.size.public},
            "membership": membership_parameters(self.membership),
            "edges": None
            if self.edges is None
            else [float(edge) + 0.0 for edge in self.edges],
        }

    @classmethod
    def from_parameters(cls, parameters: dict[str, Any]) -> Self:
        """Return the query that ``parameters`` describe.

        Raises:
            ParameterError: If something is missing, unknown or outside its domain.

        """
        try:
            edges = parameters["edges"]
            return cls(
                kind=StatisticKind(parameters["kind"]),
                column=column_from(parameters["column"]),
                relation=NeighboringRelation(parameters["relation"]),
                unit=PrivacyUnit(**parameters["unit"]),
                size=TableSize(**parameters["size"]),
                membership=membership_from(parameters["membership"]),
                edges=None if edges is None else tuple(map(float, edges)),
            )
        except (KeyError, TypeError, ValueError, AttributeError):
            message = "these are not the parameters of an analysis."
            raise ParameterError(message) from None

    @property
    def _counted(self) -> str:
        if self.unit.rows > 1:
            return "rows"
        return "people" if self.unit.noun == "person" else f"{self.unit.noun}s"

    @property
    def _cells(self) -> tuple[str, ...]:
        if self.edges is not None:
            return bin_labels(self.edges)
        labels = self.column.labels
        if self.column.kind is ColumnKind.YES_NO:
            return labels
        other = "other"
        while other in labels:
            other += " values"
        return (*labels, other)

    def _check_size(self) -> None:
        if not self.size.public:
            return
        if self.relation is NeighboringRelation.ADD_REMOVE:
            message = "the number of people is private under add/remove."
            raise ParameterError(message)
        if self.column.missing is MissingPolicy.DROP:
            message = (
                "the number of people is private where people with a missing "
                f"{self.column.name!r} are left out."
            )
            raise ParameterError(message)

    def _check_membership(self) -> None:
        membership = self.membership
        if (membership is not None) is not self.kind.of_members:
            verb = "needs" if self.kind.of_members else "has no use for"
            message = f"a {self.kind.value} {verb} a condition that people meet."
            raise ParameterError(message)
        if membership is None:
            return
        if membership.everyone:
            if self.kind is StatisticKind.PROPORTION:
                message = "the share of everybody is 1; name a condition."
                raise ParameterError(message)
            if self.relation is NeighboringRelation.SUBSTITUTION:
                message = "the number of people is public under substitution."
                raise ParameterError(message)
        numeric = self.column.kind is ColumnKind.NUMBER
        if membership.interval is not None and not numeric:
            message = f"{self.column.name!r} has labels; name one instead of a range."
            raise ParameterError(message)
        if membership.label is not None and membership.label not in self.column.labels:
            message = (
                f"{self.column.name!r} is a number; name a range instead of a label."
                if numeric
                else f"the label is not on the public list of {self.column.name!r}."
            )
            raise ParameterError(message)

    def _check_edges(self) -> None:
        binned = (
            self.kind is StatisticKind.HISTOGRAM
            and self.column.kind is ColumnKind.NUMBER
        )
        if binned is not (self.edges is not None):
            verb = "needs" if binned else "has no use for"
            message = (
                f"the {self.kind.value} of a {self.column.kind.value} column "
                f"{verb} edges of bins."
            )
            raise ParameterError(message)
        if self.edges is not None:
            check_edges(self.edges)
