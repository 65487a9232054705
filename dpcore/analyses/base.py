"""What every question and every request can say of itself, in public terms only."""

from __future__ import annotations

from abc import ABC, abstractmethod
from enum import StrEnum
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from dpcore.analyses.identity import analysis_id
from dpcore.analyses.measurement import Drawing
from dpcore.arrays import FloatArray
from dpcore.data.bounds import Interval
from dpcore.data.columns import Column
from dpcore.data.dataset import Dataset
from dpcore.data.partitions.table import PartitionedDataset, Table
from dpcore.data.quantities import Quantity
from dpcore.errors import ParameterError
from dpcore.mechanisms.mechanism import Sensitivity
from dpcore.models.question import ModelQuestion
from dpcore.privacy_filter import PrivacyCost
from dpcore.relations import NeighboringRelation, PrivacyUnit, TableSize
from dpcore.statistics.conditions import statement
from dpcore.statistics.kinds import StatisticKind
from dpcore.statistics.statistic import Partial, Statistic


class Mode(StrEnum):
    """Whether an answer spends a budget, or only shows how one would look."""

    RELEASE = "release"
    CLASSROOM = "classroom"


class Question:
    """A statistic of some columns, with everything public that it depends on. PUBLIC.

    Implementations are frozen dataclasses.
    """

    __slots__ = ()

    if TYPE_CHECKING:  # fields or properties

        @property
        def kind(self) -> StatisticKind:
            """Which statistic."""

        @property
        def column(self) -> Column:
            """The column that it is about, or the first of several."""

        @property
        def columns(self) -> tuple[Column, ...]:
            """Every column that it reads."""

        @property
        def relation(self) -> NeighboringRelation:
            """Which tables are neighbors."""

        @property
        def unit(self) -> PrivacyUnit:
            """Whom the guarantee protects."""

        @property
        def size(self) -> TableSize:
            """What is public about the number of people."""

        @property
        def statistic(self) -> Statistic:
            """The statistic itself."""

        @property
        def title(self) -> str:
            """The question in words, such as "mean of age"."""

        @property
        def conditions(self) -> tuple[str, ...]:
            """What becomes of values before they are counted, in words."""

        @property
        def unit_text(self) -> str:
            """The unit of the answer, empty where it has none."""

        def rows(self, dataset: Dataset) -> NDArray[np.intp]:
            """Return the row, from 0, of each entry of ``values``. CONFIDENTIAL."""

        def values(self, dataset: Dataset) -> FloatArray:
            """Return one entry for each person behind the statistic. CONFIDENTIAL."""

        def parameters(self) -> dict[str, Any]:
            """Return all that defines the analysis, ready for JSON."""

    def value(self, dataset: Dataset | PartitionedDataset) -> FloatArray:
        """Return the statistic of a table, shape ``(k,)``. CONFIDENTIAL.

        Raises:
            DataError: The table cannot be read as declared.
            ParameterError: It is declared otherwise, or lies in parts, of which the
                statistic cannot be put together.

        """
        statistic = self.statistic
        if not (statistic.in_parts or isinstance(dataset, Dataset)):
            raise ParameterError(
                f"the {self.kind} is not computed of a table that lies in parts. Ask "
                "it of a sample of the rows, uploaded as a file."
            )
        names = [column.name for column in self.columns]
        parts = list(dataset.each(partial(partial_of, self), names))
        return statistic.finalize(statistic.combine(parts))

    @property
    def sensitivity(self) -> Sensitivity:
        """Return the most that one unit, with all its rows, can change the answer."""
        return whole_unit(self.statistic, self.relation, self.unit)

    @property
    def bounds(self) -> Interval:
        """Return the public interval that holds every coordinate of the answer."""
        return self.statistic.range

    @property
    def quantity(self) -> Quantity:
        """Return what the answer is a number of."""
        return Quantity(unit=self.unit_text, whole=self.is_whole)

    @property
    def is_whole(self) -> bool:
        """Return whether the answer is a whole number, such as a count."""
        return self.kind.of_counts

    @property
    def units(self) -> dict[str, str]:
        """Return the unit of each number by name, where they do not share one."""
        return {}


def partial_of(question: Question, part: Dataset) -> Partial:
    """Return what the statistic of a question needs of some rows. CONFIDENTIAL."""
    return question.statistic.partial(question.values(part))


def whole_unit(
    statistic: Statistic, relation: NeighboringRelation, unit: PrivacyUnit
) -> Sensitivity:
    """Return the most that one unit, with all its rows, can change a statistic.

    Its ``rows`` places change one after the other. Where a unit may own several rows,
    the number of rows is private (``PrivacyUnit.keeps_number``), and the sensitivity of
    a statistic to a replaced row covers one that only comes or goes, too.
    """
    return statistic.sensitivity(relation).times(unit.rows, coordinates=len(statistic.labels))


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
