"""What every question and every request can say of itself, in public terms only."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from functools import cached_property, partial
from typing import TYPE_CHECKING, Any, ClassVar, Final, Self, cast

import numpy as np
from numpy.typing import NDArray

from dpcore import secure_noise
from dpcore.analyses import secure, sharpening
from dpcore.analyses.identity import analysis_id
from dpcore.analyses.measurement import Direct, Drawing, Plan, Width
from dpcore.analyses.sharpening import EARLIER, SHARPENED, EarlierAnswer
from dpcore.arrays import FloatArray
from dpcore.codec import NUMBER, TEXT, Part, Schema, if_any, list_in, several
from dpcore.data.bounds import Interval
from dpcore.data.columns import Column, MissingPolicy
from dpcore.data.dataset import Dataset, DescribedTable
from dpcore.data.partitions.table import PartitionedDataset, Table
from dpcore.data.quantities import Quantity
from dpcore.errors import ParameterError
from dpcore.formatting import epsilon_text, in_full
from dpcore.mechanisms.catalog import (
    CATALOG,
    DISCRETE,
    EXPONENTIAL,
    LABEL_ROUNDS,
    LABEL_SELECTION,
    SPANNING_TREE,
    Entry,
)
from dpcore.mechanisms.covariances import MECHANISMS
from dpcore.mechanisms.mechanism import Mechanism, Sensitivity
from dpcore.models.question import ModelQuestion
from dpcore.postprocessing.share_constraints import CONSTRAINT, Constraint
from dpcore.privacy.conversions import rho_of_pure
from dpcore.privacy_filter import PrivacyCost, computed, difference, typed
from dpcore.relations import NeighboringRelation, PrivacyUnit, TableSize
from dpcore.statistics.conditions import missing_values, statement
from dpcore.statistics.entries import joint_entries, joint_rows
from dpcore.statistics.grouping import Grouping
from dpcore.statistics.kinds import StatisticKind
from dpcore.statistics.parameters import COLUMN, GROUPING
from dpcore.statistics.statistic import Partial, Statistic
from dpcore.statistics.user_level import entries_of_people, of_people, owners_of


class Mode(StrEnum):
    """Whether an answer spends a budget, or only shows how one would look."""

    RELEASE = "release"
    CLASSROOM = "classroom"


FEWEST_PEOPLE: Final = 3


@dataclass(frozen=True, slots=True, kw_only=True)
class NumberOfGroups:
    """A number that an answer gives of every group. PUBLIC.

    Attributes:
        names: What it is called in the answer, by group.
        noun: What each is, such as "mean".
        quantity: What each is a number of.
        is_share: Whether it is a share.
        is_average: Whether that of all groups is an average of theirs.

    """

    names: dict[str, str]
    noun: str
    quantity: Quantity
    is_share: bool = False
    is_average: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class QuestionTerms:
    """What every question of a notebook is asked with, whatever its shape. PUBLIC.

    Attributes:
        kind: Which statistic.
        columns: The columns in question, at least one.
        relation: Which tables are neighbors.
        unit: The privacy unit.
        named: Returns the column of a name.
        size_of: Returns what is public about the number of people with values of columns.

    """

    kind: StatisticKind
    columns: tuple[Column, ...]
    relation: NeighboringRelation
    unit: PrivacyUnit
    named: Callable[[str], Column]
    size_of: Callable[[Sequence[Column]], TableSize]

    @property
    def column(self) -> Column:
        """Return the one column in question.

        Raises:
            ParameterError: There are several.

        """
        if len(self.columns) > 1:
            raise ParameterError(f"“{self.kind}” is asked of one column.")
        return self.columns[0]

    def grouping(self, by: str | Sequence[str]) -> Grouping:
        """Return the groups that the columns of some names make together."""
        return Grouping.of(*map(self.named, [by] if isinstance(by, str) else by))


class Question:
    """A statistic of some columns, with everything public that it depends on. PUBLIC.

    Implementations are frozen dataclasses.
    """

    __slots__ = ()
    kinds: ClassVar[tuple[StatisticKind, ...]] = ()
    """The kinds that are always questions of this class."""
    noise_unit: ClassVar[str] = ""
    """What noise is a number of; empty where that is what the answer is one of."""

    if TYPE_CHECKING:  # fields or properties

        @property
        def kind(self) -> StatisticKind:
            """Which statistic."""

        @property
        def column(self) -> Column:
            """The column that it is about, or the first of several."""

        @property
        def relation(self) -> NeighboringRelation:
            """Which tables are neighbors."""

        @property
        def unit(self) -> PrivacyUnit:
            """The privacy unit."""

        @property
        def size(self) -> TableSize:
            """What is public about the number of people."""

        @property
        def of_rows(self) -> Statistic:
            """The statistic of rows, whoever has them."""

        @property
        def title(self) -> str:
            """The question in words, such as "mean of age"."""

        @property
        def conditions(self) -> tuple[str, ...]:
            """What becomes of values before they are counted, in words."""

        @property
        def unit_text(self) -> str:
            """The unit of the answer, empty where it has none."""

        def parameters(self) -> dict[str, Any]:
            """Return all that defines the analysis, ready for JSON."""

    @property
    def statistic(self) -> Statistic:
        """Return the statistic itself: of entries that are people with all rows."""
        cap = self.unit.cap
        return self.of_rows if cap is None else of_people(self.of_rows, cap)

    def counted_rows(self, dataset: Dataset) -> NDArray[np.intp]:
        """Return the rows of a table, from 0, that count. CONFIDENTIAL."""
        return joint_rows(dataset, self.measured)

    def row_values(self, dataset: Dataset) -> FloatArray:
        """Return an entry for each row that counts. CONFIDENTIAL.

        Numbers of the columns ``measured``, as in the table, and the code of the group:
        the last group is that of everybody without a label on the public list. Missing
        values are dropped or replaced as the columns say.

        Raises:
            DataError: A column cannot be read as declared.
            ParameterError: The data set declares a column otherwise.

        """
        rows = self.counted_rows(dataset)
        return joint_entries(dataset, rows, self.measured, self.grouping)

    def rows(self, dataset: Dataset) -> NDArray[np.intp]:
        """Return the row, from 0, of each entry of ``values``. CONFIDENTIAL.

        Where people have several, their number in the order of the table.
        """
        return owners_of(self.counted_rows(dataset), dataset, self.unit)

    def values(self, dataset: Dataset) -> FloatArray:
        """Return one entry for each person behind the statistic. CONFIDENTIAL.

        That of the row, or those of all rows of a person in one line where several
        count (``user_level.packed``).

        Raises:
            DataError: A column cannot be read as declared.
            ParameterError: The data set declares a column otherwise, or counts another
                number of rows a person.

        """
        values = self.row_values(dataset)
        if dataset.cap is None and self.unit.cap is None:
            return values  # one row a person, whichever it is
        return entries_of_people(values, self.counted_rows(dataset), dataset, self.unit)

    def missing_values(self, column: Column) -> str:
        """Return how missing values of one of its columns are treated, in words."""
        group = self.grouping
        return missing_values(column, grouped=group is not None and column in group.columns)

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

    @classmethod
    def read(cls, content: Mapping[str, Any], dataset: DescribedTable, unit: PrivacyUnit) -> Self:
        """Return the question that ``parameters()`` describe, of columns of a table.

        Raises:
            LookupError, TypeError, ValueError: They are those of no such question.
            ParameterError: The table has no such columns, or the parts contradict.

        """
        raise NotImplementedError

    @classmethod
    def from_terms(cls, terms: QuestionTerms, **parts: Any) -> Self:  # noqa: ANN401 - see the shape
        """Return the question that a notebook asks. Its ``parts`` are those of the shape.

        Raises:
            ParameterError: The parts do not fit together.
            TypeError: The shape has no such part, or lacks one.

        """
        raise NotImplementedError

    def plan(self, request: Request) -> Plan:
        """Return how a request for it is carried out."""
        return Direct(
            mechanism=request.mechanism,
            statistic=self.statistic,
            sensitivity=request.sensitivity,
            bounds=self.bounds,
        )

    @property
    def sensitivity(self) -> Sensitivity:
        """Return the most that one unit, with all its rows, can change the answer."""
        return whole_unit(self.statistic, self.relation, self.unit)

    @property
    def bounds(self) -> Interval:
        """Return the public interval that holds every coordinate of the answer."""
        return self.statistic.range

    @property
    def span(self) -> float:
        """Return how far apart answers can be, by public numbers."""
        return float(self.size.people) if self.kind.of_counts else self.bounds.width

    @property
    def quantity(self) -> Quantity:
        """Return what the answer is a number of."""
        return Quantity(unit=self.unit_text, whole=self.is_whole)

    @property
    def is_whole(self) -> bool:
        """Return whether the answer is a whole number, such as a count."""
        return self.kind.of_counts

    @property
    def labels(self) -> tuple[str, ...]:
        """Return the name of each number that is asked for."""
        return self.statistic.labels

    @property
    def follows(self) -> bool:
        """Return whether the answer follows from other numbers, which noise is added to."""
        return self.labels != self.statistic.labels

    @property
    def fewest_people(self) -> int:
        """Return the fewest people that every statistic of this kind is defined for."""
        return FEWEST_PEOPLE

    def resized(self, people: int) -> Self:
        """Return the same question of another number of people (of a group, if by group).

        Raises:
            ParameterError: There are too few, see ``fewest_people``.

        """
        sized = cast("Any", self)
        return cast("Self", replace(sized, size=replace(self.size, people=people)))

    @property
    def measured(self) -> tuple[Column, ...]:
        """Return the columns whose values the statistic is of, without that of groups."""
        return (self.column,)

    @property
    def columns(self) -> tuple[Column, ...]:
        """Return every column that it reads, those of the groups last."""
        return (*self.measured, *(self.grouping.columns if self.grouping else ()))

    @property
    def grouping(self) -> Grouping | None:
        """Return what makes the groups of people that it is asked of, if any."""
        return getattr(self, "group", None)

    @property
    def entry_columns(self) -> tuple[Column, ...]:
        """Return a column for each number of an entry: those measured, then the groups."""
        return (*self.measured, *(() if self.grouping is None else (self.grouping.column,)))

    def clamp(self, column: Column) -> tuple[float, float]:
        """Return the bounds that values are moved to; infinite where they are not."""
        bounds = column.bounds
        return (-math.inf, math.inf) if bounds is None else (bounds.lower, bounds.upper)

    def raw(self, values: FloatArray, codes: NDArray[np.intp]) -> FloatArray:
        """Return the statistic of values as they are, shape ``(k,)``. CONFIDENTIAL.

        No bounds, no public minimum. ``values`` are of the columns ``measured``, shape
        ``(n, d)``, none missing, and ``codes`` everybody's group. Whatever is not
        defined, such as the mean of nobody, is NaN; the caller silences what numpy says.
        """
        raise NotImplementedError

    def raw_as_read(self, values: FloatArray, codes: NDArray[np.intp]) -> FloatArray:
        """Return the same of values of which some are missing. CONFIDENTIAL."""
        there = ~np.isnan(values).any(axis=1)
        return self.raw(values[there], codes[there])

    @property
    def units(self) -> dict[str, str]:
        """Return the unit of each number by name, where they do not share one."""
        return {}

    @property
    def listed_groups(self) -> tuple[str, ...]:
        """Return the labels of the groups that it asks of; none if it asks of no groups."""
        return ()

    @property
    def of_each_group(self) -> tuple[NumberOfGroups, ...]:
        """Return which numbers an answer gives of every group."""
        return ()

    @property
    def released_sizes(self) -> str:
        """Return the name of the column whose groups are counted with the answer."""
        return ""

    @property
    def simulated(self) -> tuple[str, ...]:
        """Return the numbers of the answer that have laws of their own, which are simulated.

        None where the errors of the answer are those of noise on each number.
        """
        return ()

    def unit_of(self, number: int) -> str:  # noqa: ARG002 - one of several
        """Return the unit of one of the ``simulated`` numbers."""
        return self.unit_text

    def window(self, number: int) -> tuple[float, float]:  # noqa: ARG002 - one of several
        """Return where the true value of one of the ``simulated`` numbers can be."""
        return 0.0, 1.0


def partial_of(question: Question, part: Dataset) -> Partial:
    """Return what the statistic of a question needs of some rows. CONFIDENTIAL."""
    return question.statistic.partial(question.values(part))


def column_from(content: object, dataset: DescribedTable) -> Column:
    """Return the column of a table that the parameters of a question declare.

    Raises:
        LookupError, TypeError, ValueError: It is not described, or not as it should be.
        ParameterError: The table has no such column, or its parts contradict.

    """
    return _as_now(COLUMN.read(content), dataset)


def _as_now(declared: Column, dataset: DescribedTable) -> Column:
    now = dataset.column(declared.name)
    return replace(
        declared,
        unit=now.unit,
        description=now.description,
        display_name=now.display_name,
        found_epsilon=now.found_epsilon if _declare_alike(now, declared) else None,
        complete=now.complete and declared.missing is MissingPolicy.REPLACE,
        at_least=now.at_least if declared.missing is MissingPolicy.DROP else None,
    )


def _declare_alike(one: Column, other: Column) -> bool:
    return (one.bounds, one.labels) == (other.bounds, other.labels)


def grouping_from(content: object, dataset: DescribedTable) -> Grouping:
    """Return the columns that make groups, as ``column_from``."""
    return Grouping.of(*(_as_now(column, dataset) for column in GROUPING.read(content).columns))


def columns_from(content: object, dataset: DescribedTable) -> tuple[Column, ...]:
    """Return several columns, as ``column_from``."""
    return tuple(column_from(one, dataset) for one in list_in(content))


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
    def due(self) -> PrivacyCost:
        """What is charged: less than the cost where an earlier answer paid for a part."""
        return self.cost

    @property
    def sampler(self) -> str:
        """Return the name of what draws the answer."""
        return secure_noise.sampler()

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
        """Return the privacy unit."""
        return self.asked.unit

    def width(self, *, group: int) -> Width:
        """Return the half-width of the answer at 95%, the worst of several numbers.

        So that 95 of 100 answers, with all their numbers at once, fall within it of the
        table's own value. Who happens to be in the table, if that is a sample, comes on
        top and costs nothing. ``group`` is of how many people a group is meant, where
        the answer is a ratio of every group: their sizes are private.

        Raises:
            ParameterError: The request cannot be carried out.

        """
        return self.plan.width(unit=self.quantity.of_differences, group=group)

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


MOST_PEOPLE = 10**8
"""The largest table whose rounding errors are covered where the range is infinite."""
CLAIM_TOLERANCE = 1e-9
"""By how much of itself an epsilon may be off for the error of computing it."""
SUMMED = (
    "laplace",
    "gaussian",
    "gaussian-classic",
    "gaussian-pdp",
    "gaussian-pdp-exact",
    "gaussian-pdp-one-sided",
)
"""Noise whose sums have a law that is known, and that no bound cuts off."""


_ONLY = {
    StatisticKind.LABELS: LABEL_SELECTION,
    StatisticKind.LABEL_ROUNDS: LABEL_ROUNDS,
    StatisticKind.SYNTHETIC: SPANNING_TREE,
    StatisticKind.BOUNDS: CATALOG["laplace"],
}


def offered(kind: StatisticKind) -> dict[str, Entry]:
    """Return the mechanisms that can answer a question, by key."""
    if kind.of_ranks:
        return {EXPONENTIAL.key: EXPONENTIAL}
    if kind.of_matrix:
        return {key: CATALOG[key] for key in CATALOG if key in MECHANISMS}
    if kind in _ONLY:
        return {_ONLY[kind].key: _ONLY[kind]}
    if kind.of_known_sums:
        return {key: CATALOG[key] for key in CATALOG if key in SUMMED}
    return CATALOG | {DISCRETE.key: DISCRETE} if kind.of_counts else CATALOG


@dataclass(frozen=True, kw_only=True)
class Request(OfQuery):
    """A question with the mechanism that shall answer it, and the price. PUBLIC.

    Attributes:
        query: The question.
        mechanism_key: Key of a mechanism that is ``offered`` for it.
        epsilon: What the mechanism is calibrated to.
        delta: The same; not used where the mechanism needs none.
        constraint: How shares are made to add up to 1; ``None`` if they are not.
        weights: How a covariance matrix splits the budget, one weight for each number;
            ``None`` for equal parts.
        sharpens: The answer to the same question that it makes sharper (``sharpening``);
            ``None`` if it is asked by itself.

    """

    query: Question
    mechanism_key: str
    epsilon: float
    delta: float = 0.0
    draw: int = 1
    constraint: Constraint | None = None
    weights: tuple[float, ...] | None = None
    sharpens: EarlierAnswer | None = None

    def __post_init__(self) -> None:
        entries = offered(self.query.kind)
        if self.mechanism_key not in entries:
            raise ParameterError(
                f"the mechanism for a {self.query.kind} must be one of {', '.join(entries)}."
            )
        if self.constraint is not None and self.query.kind is not StatisticKind.PROPORTIONS:
            raise ParameterError("only all shares together can be made to add up to 1.")
        if self.weights is not None and not self.query.kind.of_matrix:
            raise ParameterError("only a covariance matrix splits its budget.")
        if self.sharpens is None:
            return
        if self.mechanism_key not in SHARPENED:
            raise ParameterError("only answers with Laplace noise can be sharpened.")
        if not self.epsilon > self.sharpens.epsilon:
            raise ParameterError("a sharper answer needs a larger ε than the earlier one.")

    @property
    def title(self) -> str:
        """Return the question in words, and that its shares are made to add up."""
        asked = self.query.title
        return asked if self.constraint is None else f"{asked}, {self.constraint.text}"

    @property
    def entry(self) -> Entry:
        """Return what the catalog says about the mechanism."""
        return offered(self.query.kind)[self.mechanism_key]

    @property
    def mechanism_label(self) -> str:
        """Return the name of the mechanism."""
        return self.entry.label

    @property
    def used_delta(self) -> float:
        """Return ``delta``, or 0 where the mechanism needs none."""
        return self.delta if self.entry.needs_delta else 0.0

    @property
    def used_weights(self) -> tuple[float, ...] | None:
        """Return ``weights``; equal ones are the equal parts that there are anyway."""
        return self.weights if len(set(self.weights or ())) > 1 else None

    @property
    def sensitivity(self) -> Sensitivity:
        """Return the sensitivity of the answer as floats compute it.

        Counts are exact. What else has no finite range is at most as large as the
        change by one unit times ``MOST_PEOPLE``. A sharper answer is of a statistic that
        was computed twice: each of two tables errs by 40 units for its own difference
        and, for that of its two sums, by 80; together less than 2 ``ROUNDING_UNITS``.
        """
        sensitivity, bounds = self.query.sensitivity, self.query.bounds
        if self.query.kind.exact:
            return sensitivity
        largest = max(abs(bounds.lower), abs(bounds.upper))
        if math.isinf(largest):
            largest = sensitivity.largest * MOST_PEOPLE
        return secure.widen(sensitivity, largest if self.sharpens is None else 2 * largest)

    @cached_property
    def mechanism(self) -> Mechanism:
        """Return the mechanism that draws each number of the answer.

        For a question about ranks, a covariance matrix, and shares that are made to add
        up, ask the ``plan``.
        """
        return self.entry.calibrate(
            sensitivity=self.sensitivity,
            epsilon=self.epsilon,
            delta=self.used_delta,
            bounds=self.query.bounds,
        )

    @cached_property
    def plan(self) -> Plan:
        """Return how the request is carried out."""
        plan = self.query.plan(self)
        if self.sharpens is None:
            return plan
        if type(plan) is not Direct:
            raise ParameterError("only answers with noise on each number can be sharpened.")
        return replace(plan, earlier=self.sharpens)

    @cached_property
    def effective_epsilon(self) -> float:
        """Return the epsilon that is given at ``used_delta``, over all tables."""
        return self.plan.worst_case(delta=self.used_delta)

    @property
    def claim_holds(self) -> bool:
        """Tell whether the epsilon is given that was asked for."""
        return self.effective_epsilon <= self.epsilon * (1 + CLAIM_TOLERANCE)

    def refusal(self, mode: Mode) -> str | None:
        """Return why it cannot be released in a mode; ``None`` if it can."""
        if not self.entry.releasable:
            return (
                f"{self.entry.label} has no secure sampler, so it cannot be released. Choose "
                "another mechanism."
            )
        if mode is Mode.RELEASE and not self.claim_holds:
            return (
                f"{self.entry.label} has ε = {epsilon_text(self.effective_epsilon)} here "
                f"instead of {in_full(self.epsilon)}. Choose another mechanism."
            )
        return None

    def value(self, dataset: Dataset | PartitionedDataset) -> FloatArray:
        """Return the statistic of a table, shape ``(k,)``. CONFIDENTIAL."""
        return self.query.value(dataset)

    @cached_property
    def cost(self) -> PrivacyCost:
        """Return what the answer costs: its real epsilon where the claim fails."""
        return PrivacyCost(
            epsilon=typed(self.epsilon) if self.claim_holds else computed(self.effective_epsilon),
            delta=typed(self.used_delta),
            rho=computed(self.plan.rho),
        )

    @property
    def due(self) -> PrivacyCost:
        """Return the cost, less that of the answer it sharpens.

        Not in rho: see ``sharpening``.
        """
        earlier = self.sharpens
        if earlier is None:
            return self.cost
        before = self.sensitivity.l1 / earlier.scale
        return PrivacyCost(
            epsilon=difference(self.cost.epsilon, typed(earlier.epsilon)),
            rho=computed(float(rho_of_pure(self.plan.worst_case() + before))),
        )

    @property
    def sampler(self) -> str:
        """Return the name of what draws the answer."""
        return secure_noise.sampler() if self.sharpens is None else sharpening.sampler()

    def parameters(self) -> dict[str, object]:
        """Return the public parameters that define the analysis, ready for JSON."""
        return {"query": self.query.parameters(), **REQUEST.write(self)}


REQUEST: Final = Schema(
    Request,
    mechanism=Part(codec=TEXT, argument="mechanism_key"),
    epsilon=NUMBER,
    delta=Part(codec=NUMBER, of=lambda request: request.used_delta),
    constraint=if_any(CONSTRAINT),
    weights=if_any(several(NUMBER), of=lambda request: request.used_weights),
    sharpens=if_any(EARLIER),
)
