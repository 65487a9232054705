"""What questions about groups of people have in common."""

from __future__ import annotations

from dataclasses import dataclass

from dpcore.data.columns import Column
from dpcore.relations import NeighboringRelation, PrivacyUnit, TableSize
from dpcore.statistics.query import Query
from dpcore.statistics.question import Question


@dataclass(frozen=True, slots=True, kw_only=True)
class OfGroups(Question):
    """A question about a column, asked of groups that another column makes.

    Attributes:
        part: The question asked of each group, of ``ANY_SIZE``.
        group: The column of a public list of labels that makes the groups.

    """

    part: Query
    group: Column

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
        """Return that the size of a group is private."""
        return self.part.size
