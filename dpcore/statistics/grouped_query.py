"""The same question asked of every group of people, in public terms only."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from dpcore.data.columns import ColumnKind
from dpcore.errors import ParameterError
from dpcore.statistics.entries import group_codes
from dpcore.statistics.grouped import Grouped, Scalar
from dpcore.statistics.parameters import column_parameters
from dpcore.statistics.question import whole_unit

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from dpcore.data.bounds import FloatArray, Interval
    from dpcore.data.columns import Column
    from dpcore.data.dataset import Dataset
    from dpcore.mechanisms.base import Sensitivity
    from dpcore.relations import NeighboringRelation, PrivacyUnit, TableSize
    from dpcore.statistics.base import Statistic
    from dpcore.statistics.kinds import StatisticKind
    from dpcore.statistics.query import Query


@dataclass(frozen=True, slots=True, kw_only=True)
class GroupedQuery:
    """A statistic of one column for each label of another, and for all other people.

    Attributes:
        part: The question asked of each group. Its size is private: the public minimum
            number of people of a group.
        group: The column of a public list of labels that makes the groups.

    """

    part: Query
    group: Column

    def __post_init__(self) -> None:
        if not self.part.kind.by_group:
            message = (
                f"{self.part.kind} cannot be asked by group; choose a statistic that "
                "is one number, such as a mean."
            )
            raise ParameterError(message)
        if self.group.kind is ColumnKind.NUMBER or not self.group.labels:
            message = (
                f"{self.group.name!r} needs a public list of labels to make groups; "
                "declare it on the Data page."
            )
            raise ParameterError(message)
        # Builds the statistic once, so that its own demands are met from here on.
        _ = self.sensitivity

    @property
    def kind(self) -> StatisticKind:
        """Return which statistic each group has."""
        return self.part.kind

    @property
    def column(self) -> Column:
        """Return the column that the statistic is about."""
        return self.part.column

    @property
    def columns(self) -> tuple[Column, ...]:
        """Return both columns."""
        return (self.part.column, self.group)

    @property
    def relation(self) -> NeighboringRelation:
        """Return which tables are neighbors."""
        return self.part.relation

    @property
    def unit(self) -> PrivacyUnit:
        """Return whom the guarantee protects."""
        return self.part.unit

    @property
    def size(self) -> TableSize:
        """Return the public minimum number of people of a group."""
        return self.part.size

    @property
    def statistic(self) -> Statistic:
        """Return the statistic of all groups together, one coordinate for each."""
        part = self.part.statistic
        if not isinstance(part, Scalar):
            message = f"a {self.part.kind} cannot be asked by group."
            raise ParameterError(message)
        return Grouped.alike(labels_of_groups=self.group.labels, part=part)

    @property
    def sensitivity(self) -> Sensitivity:
        """Return the most that one unit, with all its rows, can change the answer."""
        return whole_unit(self.statistic, self.relation, self.unit)

    @property
    def bounds(self) -> Interval:
        """Return the public interval that holds every coordinate of the answer."""
        return self.statistic.range

    @property
    def title(self) -> str:
        """Return the question in words, such as "mean of age by region"."""
        return f"{self.part.title} by {self.group.name}"

    @property
    def unit_text(self) -> str:
        """Return the unit of the answer, empty where it has none."""
        return self.part.unit_text

    def rows(self, dataset: Dataset) -> NDArray[np.intp]:
        """Return the row, from 0, of each entry of ``values``. CONFIDENTIAL."""
        return self.part.rows(dataset)

    def values(self, dataset: Dataset) -> FloatArray:
        """Return each person's number and code of the group, (n, 2). CONFIDENTIAL.

        People without a label, or with one that is not on the public list, belong to
        the last group.

        Raises:
            DataError: If a column cannot be read as declared.
            ParameterError: If the data set declares a column otherwise.

        """
        codes = group_codes(dataset, self.group, self.rows(dataset))
        return np.column_stack([self.part.values(dataset), codes])

    def parameters(self) -> dict[str, Any]:
        """Return all that defines the analysis, ready for JSON."""
        return self.part.parameters() | {"group": column_parameters(self.group)}
