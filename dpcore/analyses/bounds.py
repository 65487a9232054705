"""Public bounds of a column that nobody knows, found at a price.

Values are counted in bins that grow with their size: 0, and from one of 1, 2, 5, 10, 20,
50 and so on to the next, on both signs. All counts get Laplace noise. The bounds are the
outer ends of the outermost bins whose noisy counts exceed a threshold. This is the
algorithm of Wilson, Zhang, Lam, Desfontaines, Simmons-Marengo and Gipson 2020
(Differentially private SQL with bounded user contribution, approximate bounds), with
round numbers for the powers of 2. The bins are public and everybody is in one of them, so
that the counts are a histogram, with the sensitivity of one. All else is post-processing.

**The threshold.** With Laplace noise of scale ``b`` an empty bin exceeds ``t`` with
probability ``exp(-t / b) / 2``, and the noise of ``K`` bins is independent. So none of
them passes while all are empty with probability ``(1 - exp(-t / b) / 2)^K``, which is
``1 - EMPTY_PASSES`` for ::

    t = -b log(2 (1 - (1 - EMPTY_PASSES)^(1 / K)))

In any table fewer bins are empty, so that an empty one passes at most that often.

**Why not two private quantiles.** The exponential mechanism needs candidates between
bounds that are known already. It spends half of the budget on either end. It always
answers: of a column with too few values it returns some candidate, and nothing says that
this is noise. It has to cut off a share of the values that is chosen before. Counts in
bins spend all of the budget on both ends at once, say how many rows a bin needs, and find
nothing where nothing can be found. What they lack is a fine grid: an end lies up to a
factor of 2.5 beyond the outermost value of its bin.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, Final, Self, cast

import numpy as np

from dpcore.analyses import secure
from dpcore.analyses.base import Question, QuestionTerms, Request, column_from
from dpcore.analyses.groups import ANY_SIZE
from dpcore.analyses.measurement import Answer, Direct, Plan, Width
from dpcore.arrays import FloatArray
from dpcore.codec import WHOLE, Schema, several
from dpcore.data.columns import Column, ColumnKind, MissingPolicy
from dpcore.data.dataset import Dataset, DescribedTable
from dpcore.data.declaration_grid import undeclared
from dpcore.data.quantities import COUNTS, quantity_of
from dpcore.errors import ParameterError
from dpcore.formatting import in_full
from dpcore.privacy_filter import PrivacyCost
from dpcore.relations import NeighboringRelation, PrivacyUnit, TableSize
from dpcore.statistics.conditions import filled
from dpcore.statistics.histogram import Histogram
from dpcore.statistics.kinds import StatisticKind
from dpcore.statistics.parameters import COLUMN, SHARED
from dpcore.statistics.statistic import Statistic

EMPTY_PASSES: Final = 0.01
"""The probability that an empty bin passes the threshold, at most."""
_ENDS: Final = ("lower bound", "upper bound")
_DECADES: Final = {ColumnKind.NUMBER: (-6, 12), ColumnKind.WHOLE: (0, 12), ColumnKind.DATE: (0, 5)}
"""The powers of 10 of the smallest and largest edge of bins; those of dates are in days."""
_FARTHEST: Final = 99


@dataclass(frozen=True, slots=True, kw_only=True)
class BoundsQuery(Question):
    """The bounds of a column of numbers or dates that has none.

    Attributes:
        column: The column, without bounds: rows without a value are left out.
        relation: Which tables are neighbors.
        unit: The privacy unit.
        size: ``ANY_SIZE``, or another private number: it is not used.
        decades: Powers of 10 of the least and of the largest edge of bins.
        kind: That it is this question.

    Raises:
        ParameterError: The column has bounds already, or a part is outside its domain.

    """

    labels: ClassVar = _ENDS
    kinds: ClassVar = (StatisticKind.BOUNDS,)
    noise_unit: ClassVar = COUNTS
    column: Column
    relation: NeighboringRelation
    unit: PrivacyUnit
    size: TableSize
    decades: tuple[int, ...]
    kind: StatisticKind = StatisticKind.BOUNDS

    def __post_init__(self) -> None:
        column = self.column
        open_ = column.bounds is None and column.missing is MissingPolicy.DROP
        if not (column.kind.is_numeric and open_ and self.kind is StatisticKind.BOUNDS):
            raise ParameterError(f"bounds of {column.name!r} cannot be looked for.")
        if len(self.decades) != len(_ENDS) or not (
            -_FARTHEST <= self.decades[0] < self.decades[1] <= _FARTHEST
        ):
            raise ParameterError("bins go from a power of 10 to a larger one.")
        if self.size.public:
            raise ParameterError("the number of values is private where missing ones are left out.")

    @classmethod
    def of(cls, column: Column, *, relation: NeighboringRelation, unit: PrivacyUnit) -> Self:
        """Return the question about a column, whatever bounds it has."""
        return cls(
            column=undeclared(column),
            relation=relation,
            unit=unit,
            size=ANY_SIZE,
            decades=_DECADES[column.kind],
        )

    @property
    def magnitudes(self) -> FloatArray:
        """Return the edges of the bins of positive numbers, from 0.

        A bin holds its upper edge. What is larger than the last edge counts in the last
        bin.
        """
        least, largest = self.decades
        powers = range(least, largest)
        edges = [float(f"{digit}e{power}") for power in powers for digit in (1, 2, 5)]
        return np.array([0.0, *edges, float(f"1e{largest}")])

    @property
    def lower_ends(self) -> FloatArray:
        """Return the lower end of every bin, ascending; mirrored, they are the upper ones.

        >>> from dpcore.relations import NeighboringRelation
        >>> counted = BoundsQuery(
        ...     column=Column(name="items", kind=ColumnKind.WHOLE),
        ...     relation=NeighboringRelation.ADD_REMOVE,
        ...     unit=PrivacyUnit(),
        ...     size=TableSize(people=3, public=False),
        ...     decades=(0, 1),
        ... )
        >>> counted.lower_ends.tolist()
        [-10.0, -5.0, -2.0, -1.0, 0.0, 0.0, 1.0, 2.0, 5.0]
        """
        edges = self.magnitudes
        return np.concatenate([-edges[:0:-1], [0.0], edges[:-1]])

    @property
    def of_rows(self) -> Statistic:
        """Return the counts of all bins."""
        lows = self.lower_ends
        names = tuple(
            f"{in_full(low)} to {in_full(0.0 - high)}"
            for low, high in zip(lows, lows[::-1], strict=True)
        )
        return Histogram(labels=names, size=self.size)

    @property
    def title(self) -> str:
        """Return the question in words."""
        return f"bounds of {self.column.title}"

    @property
    def conditions(self) -> tuple[str, ...]:
        """Return how missing values are treated."""
        return filled(self.column, self.unit)

    @property
    def unit_text(self) -> str:
        """Return the unit of the column."""
        return quantity_of(self.column).unit

    def plan(self, request: Request) -> Plan:
        """Return how a request for it is carried out."""
        return BoundsPlan(
            mechanism=request.mechanism,
            statistic=self.statistic,
            sensitivity=request.sensitivity,
            bounds=self.bounds,
            lower_ends=tuple(self.lower_ends.tolist()),
        )

    def row_values(self, dataset: Dataset) -> FloatArray:
        """Return the bin of every row that has a value. CONFIDENTIAL."""
        return self.bins(Question.row_values(self, dataset)[:, 0])

    def bins(self, numbers: FloatArray) -> FloatArray:
        """Return the bin of each number, which depends on no other one. CONFIDENTIAL."""
        edges = self.magnitudes
        last = len(edges) - 1
        places = np.minimum(np.searchsorted(edges, np.abs(numbers)), last)
        return last + np.sign(numbers) * places

    @classmethod
    def from_terms(cls, terms: QuestionTerms, **parts: Any) -> Self:  # noqa: ANN401 - it has none
        """Return the question about a column."""
        return cls.of(terms.column, relation=terms.relation, unit=terms.unit, **parts)

    @classmethod
    def read(cls, content: Mapping[str, Any], dataset: DescribedTable, unit: PrivacyUnit) -> Self:
        """Return the question that parameters describe."""
        column = column_from(content["column"], dataset)
        return cast("Self", BOUNDS.read(content, unit=unit, column=column))

    def parameters(self) -> dict[str, Any]:
        """Return all that defines the analysis, ready for JSON."""
        return BOUNDS.write(self)


BOUNDS: Final = Schema(BoundsQuery, **SHARED, column=COLUMN, decades=several(WHOLE))


@dataclass(frozen=True, slots=True, kw_only=True)
class BoundsPlan(Direct):
    """Noise on the count of every bin; bounds follow from the bins that pass.

    Attributes:
        lower_ends: The lower end of every bin, ascending; mirrored, the upper ends.

    """

    lower_ends: tuple[float, ...]

    @property
    def threshold(self) -> float:
        """Return what the noisy count of a bin has to exceed."""
        passes = -math.expm1(math.log1p(-EMPTY_PASSES) / len(self.lower_ends))
        return -self.noise * math.log(2 * passes)

    def width(self, *, unit: str, group: int) -> Width:  # noqa: ARG002 - a common signature
        """Return that bounds have no margin of error."""
        return Width(half=math.inf, of="bounds have no margin of error")

    def answer(self, value: FloatArray, *, cost: PrivacyCost) -> Answer:
        """Return the bounds, or that none were found."""
        drawn = secure.draw(self.mechanism, value, sensitivity=self.sensitivity, cost=cost)
        passed = np.flatnonzero(drawn > self.threshold)
        if not len(passed):
            return Answer(labels=(), values=(), unsaid=_ENDS)
        lower, upper = self.lower_ends[passed[0]], -self.lower_ends[-1 - passed[-1]]
        if lower == upper:  # of zeros alone: up to the least edge
            upper = -self.lower_ends[len(self.lower_ends) // 2 - 1]
        return Answer(labels=_ENDS, values=(lower + 0.0, upper + 0.0))
