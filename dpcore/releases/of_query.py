"""What requests have in common that put a question about columns."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dpcore.releases.identity import analysis_id
from dpcore.statistics.conditions import statement
from dpcore.statistics.grouped_query import GroupedQuery
from dpcore.statistics.joint_query import JointQuery

if TYPE_CHECKING:
    from dpcore.relations import NeighboringRelation, PrivacyUnit
    from dpcore.statistics.question import Question


class OfQuery:
    """A request whose field ``query`` is the question that it puts. PUBLIC."""

    __slots__ = ()

    if TYPE_CHECKING:

        @property
        def query(self) -> Question:
            """The question."""

        def parameters(self) -> dict[str, object]:
            """Return what defines the analysis."""

    @property
    def title(self) -> str:
        """Return the question in words."""
        return self.query.title

    @property
    def statement(self) -> str:
        """Return of what the answer is one: the question with its conditions."""
        return statement(self.title, self.query.conditions)

    @property
    def unit_text(self) -> str:
        """Return the unit of the answer."""
        return self.query.unit_text

    @property
    def units(self) -> dict[str, str]:
        """Return the unit of each number by name, where they do not share one."""
        if isinstance(self.query, JointQuery | GroupedQuery):
            return self.query.units
        return {}

    @property
    def relation(self) -> NeighboringRelation:
        """Return which tables are neighbors."""
        return self.query.relation

    @property
    def unit(self) -> PrivacyUnit:
        """Return whom the guarantee protects."""
        return self.query.unit

    def analysis(self, fingerprint: str) -> str:
        """Return the name of the analysis of this table, the same for every draw."""
        return analysis_id(fingerprint, self.parameters())
