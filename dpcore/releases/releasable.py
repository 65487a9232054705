"""What everything that can be released has in common: a question with its price."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import TYPE_CHECKING, Any

from dpcore.data.partitions.table import Table
from dpcore.data.quantities import Quantity
from dpcore.models.question import ModelQuestion
from dpcore.privacy_filter import PrivacyCost
from dpcore.relations import NeighboringRelation, PrivacyUnit
from dpcore.releases.identity import analysis_id
from dpcore.releases.plans.plan import Drawing
from dpcore.releases.record import Mode
from dpcore.statistics.conditions import statement
from dpcore.statistics.question import Question


class Releasable(ABC):
    """A question with what shall answer it, and the price. PUBLIC.

    Implementations are frozen dataclasses.
    """

    __slots__ = ()
    draw: int
    """The how-manieth answer to this question is asked for, from 1."""

    if TYPE_CHECKING:  # a field or a property

        @property
        def mechanism_key(self) -> str:
            """Key of the mechanism, for the record."""

        @property
        def plan(self) -> Drawing:
            """How the answer is drawn."""

    @property
    @abstractmethod
    def asked(self) -> Question | ModelQuestion:
        """The question."""

    @property
    @abstractmethod
    def mechanism_label(self) -> str:
        """Name of the mechanism, for people."""

    @property
    @abstractmethod
    def cost(self) -> PrivacyCost:
        """What the answer costs, rounded up; infinite where nothing is guaranteed."""

    @property
    def title(self) -> str:
        """Return the question in words."""
        return self.asked.title

    @property
    def statement(self) -> str:
        """Return of what the answer is one: the question with its conditions."""
        return statement(self.title, self.asked.conditions, self.asked.columns)

    @property
    def unit_text(self) -> str:
        """Return the unit of the answer, empty where it has none or several."""
        return ""

    @property
    def quantity(self) -> Quantity:
        """Return what the answer is a number of."""
        return Quantity(unit=self.unit_text)

    @property
    def units(self) -> dict[str, str]:
        """Return the unit of each number by name, where they do not share one."""
        return {}

    @property
    def relation(self) -> NeighboringRelation:
        """Return which tables are neighbors."""
        return self.asked.relation

    @property
    def unit(self) -> PrivacyUnit:
        """Return whom the guarantee protects."""
        return self.asked.unit

    @abstractmethod
    def refusal(self, mode: Mode) -> str | None:
        """Return why it cannot be released in a mode and what to do; None if it can."""

    @abstractmethod
    def parameters(self) -> dict[str, object]:
        """Return the public parameters that define the analysis, ready for JSON."""

    def analysis(self, fingerprint: str) -> str:
        """Return the name of the analysis of this table, the same for every draw."""
        return analysis_id(fingerprint, self.parameters())

    @abstractmethod
    def value(self, dataset: Table) -> Any:  # noqa: ANN401 - what the plan's ``answer`` takes
        """Return what the answer is drawn from. CONFIDENTIAL.

        Raises:
            DataError: The table cannot be read as it is declared.

        """


class OfQuery(Releasable):
    """A request whose field ``query`` is the question that it puts. PUBLIC."""

    __slots__ = ()
    query: Question

    @property
    def asked(self) -> Question:
        """Return the question."""
        return self.query

    @property
    def unit_text(self) -> str:
        """Return the unit of the answer."""
        return self.query.unit_text

    @property
    def quantity(self) -> Quantity:
        """Return what the answer is a number of."""
        return self.query.quantity

    @property
    def units(self) -> dict[str, str]:
        """Return the unit of each number by name, where they do not share one."""
        return self.query.units
