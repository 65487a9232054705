"""Statistics of several columns: of a matrix variances first, then covariances."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from typing import Any, ClassVar, Final, Self, cast

import numpy as np
from numpy.typing import ArrayLike, NDArray

from dpcore import secure_noise
from dpcore.analyses import secure
from dpcore.analyses.base import (
    FEWEST_PEOPLE,
    Question,
    QuestionTerms,
    Request,
    columns_from,
    grouping_from,
)
from dpcore.analyses.measurement import (
    Answer,
    LabelledIntervals,
    Plan,
    SimulatedAnswers,
    SimulatedDraws,
    Width,
)
from dpcore.arrays import FloatArray
from dpcore.codec import TRUTH, WHOLE, Part, Schema, if_any, several
from dpcore.data.bounds import Interval
from dpcore.data.columns import Column, MissingPolicy
from dpcore.data.dataset import DescribedTable
from dpcore.data.quantities import quantity_of
from dpcore.errors import ParameterError
from dpcore.formatting import in_full, significant
from dpcore.inference.intervals import (
    LEVEL,
    Coordinate,
    Intervals,
    intervals_of_each,
    level_of_each,
)
from dpcore.mechanisms.bounded import FLAT_BELOW
from dpcore.mechanisms.covariances import (
    CovarianceRelease,
    Step,
    columns_in,
    correlations_of,
    matrix_of,
    pairs_of,
    places_of,
    reaches_of,
    vector_of,
)
from dpcore.mechanisms.laplace_law import uniform
from dpcore.postprocessing.psd_repair import repair
from dpcore.privacy.conversions import rho_of_pure
from dpcore.privacy.events import PureEvent
from dpcore.privacy_filter import PrivacyCost
from dpcore.relations import NeighboringRelation, PrivacyUnit, TableSize
from dpcore.statistics.conditions import clamped, divided, filled, ungrouped
from dpcore.statistics.covariance import Covariance, CovarianceMatrix
from dpcore.statistics.grouping import Grouping
from dpcore.statistics.kinds import StatisticKind, allowed
from dpcore.statistics.parameters import COLUMN, GROUPING, SHARED, SIZE
from dpcore.statistics.pooled import GroupSizes, PooledCovariance, PooledVariance
from dpcore.statistics.statistic import Statistic

MOST_COLUMNS: Final = 20
"""Columns of a covariance matrix: 210 numbers share the budget then."""
_COLUMNS: Final = {
    StatisticKind.COVARIANCE: (2, 2),
    StatisticKind.CORRELATION: (2, 2),
    StatisticKind.COVARIANCE_MATRIX: (2, MOST_COLUMNS),
    StatisticKind.POOLED_VARIANCE: (1, 1),
    StatisticKind.POOLED_COVARIANCE: (2, 2),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class JointQuery(Question):
    """A statistic of several columns of numbers, within groups for a pooled one.

    A correlation is that of a released covariance matrix of two columns: its own
    sensitivity is 2, whatever the number of people.

    Attributes:
        kind: Which statistic.
        numbers: What is declared about each column of numbers, all different.
        relation: Which tables are neighbors.
        unit: The privacy unit.
        size: What is public about the number of people; private under add/remove, and
            where people with a missing value are dropped.
        group: The column that makes the groups of a pooled statistic, else ``None``.
        groups: What is public about those groups. People of no listed label are the
            last one; it may be left out where it is public that there are none.

    """

    kinds: ClassVar = tuple(_COLUMNS)
    kind: StatisticKind
    numbers: tuple[Column, ...]
    relation: NeighboringRelation
    unit: PrivacyUnit
    size: TableSize
    group: Grouping | None = None
    groups: GroupSizes | None = None

    def __post_init__(self) -> None:
        if self.kind not in _COLUMNS:
            raise ParameterError(f"{self.kind} is asked of one column, not of several.")
        self._check_numbers()
        self._check_groups()
        self._check_size()
        # Builds the statistic once, so that its own demands are met from here on.
        _ = self.sensitivity

    @property
    def column(self) -> Column:
        """Return the first column."""
        return self.numbers[0]

    @property
    def statistic(self) -> Statistic:
        """Return the statistic itself."""
        none = Interval(lower=0.0, upper=0.0)
        bounds = tuple(column.bounds or none for column in self.numbers)
        if self.groups is not None:
            if self.kind is StatisticKind.POOLED_VARIANCE:
                return PooledVariance(bounds=bounds[0], groups=self.groups)
            return PooledCovariance(bounds=(bounds[0], bounds[1]), groups=self.groups)
        if self.kind is StatisticKind.COVARIANCE:
            return Covariance(bounds=(bounds[0], bounds[1]), size=self.size)
        names = tuple(column.name for column in self.numbers)
        return CovarianceMatrix(names=names, bounds=bounds, size=self.size)

    @property
    def title(self) -> str:
        """Return the question in words, such as "covariance of age and income"."""
        *first, last = (column.title for column in self.numbers)
        names = f"{', '.join(first)} and {last}" if first else last
        within = f" within {self.group.title}" if self.group else ""
        return f"{self.kind.value} of {names}{within}"

    @property
    def conditions(self) -> tuple[str, ...]:
        """Return what becomes of values and groups before they are counted."""
        each = [
            condition
            for column in self.numbers
            for condition in (*clamped(column, named=True), *filled(column, self.unit, named=True))
        ]
        grouped = () if self.group is None else ungrouped(*self.group.columns)
        return (*each, *grouped, *divided(self.kind, self.size, self.unit))

    @property
    def unit_text(self) -> str:
        """Return the unit of the answer, empty where it has none or several."""
        units = [quantity_of(column).of_differences for column in self.numbers]
        if self.kind.of_matrix or not all(units):
            return ""
        return f"({units[0]})²" if self.kind.squared else " × ".join(units)

    @property
    def simulated(self) -> tuple[str, ...]:
        """Return the correlation that is asked for, and the numbers of the matrix."""
        own = (self.title,) if self.kind is StatisticKind.CORRELATION else ()
        return (*own, *self.statistic.labels) if self.kind.of_matrix else ()

    def unit_of(self, number: int) -> str:
        """Return the unit of a number of the matrix."""
        return self.units.get(self.simulated[number], "")

    @property
    def units(self) -> dict[str, str]:
        """Return the unit of each number of a matrix, by name, where there is one."""
        if not self.kind.of_matrix:
            return {}
        units = [quantity_of(column).of_differences for column in self.numbers]
        pairs = [(units[i], units[j]) for i, j in places_of(len(units))]
        return {
            name: f"({first})²" if first == second else f"{first} × {second}"
            for name, (first, second) in zip(self.statistic.labels, pairs, strict=True)
            if first and second
        }

    @property
    def span(self) -> float:
        """Return how far apart answers can be: of a correlation, as of its released matrix, 1."""
        return 1.0 if self.kind is StatisticKind.CORRELATION else self.bounds.width

    @property
    def labels(self) -> tuple[str, ...]:
        """Return the name of each number of the matrix, or of the one that is asked for."""
        correlation = self.kind is StatisticKind.CORRELATION
        return (self.title,) if correlation else self.statistic.labels

    @property
    def fewest_people(self) -> int:
        """Return the fewest people that the groups of a pooled statistic may have."""
        return max(FEWEST_PEOPLE, self.groups.fewest_people if self.groups else 0)

    def resized(self, people: int) -> Self:
        """Return the same question of more or fewer people; groups keep their proportions."""
        groups = self.groups and self.groups.resized(people)
        return replace(self, size=replace(self.size, people=people), groups=groups)

    @property
    def measured(self) -> tuple[Column, ...]:
        """Return the columns of numbers."""
        return self.numbers

    def raw(self, values: FloatArray, codes: NDArray[np.intp]) -> FloatArray:
        """Return the statistic of values as they are, within groups where there are some."""
        scatter = np.zeros((len(self.numbers), len(self.numbers)))
        for code in np.unique(codes):
            away = values[codes == code]
            away = away - away.sum(axis=0) / len(away)
            scatter += away.T @ away
        lost = 1 if self.groups is None else self.groups.people - self.groups.freedom
        covariances = scatter / (len(values) - lost) if len(values) > lost else scatter * np.nan
        if self.kind is StatisticKind.CORRELATION:
            first, second = np.diag(covariances)
            return np.array([covariances[0, 1] / np.sqrt(first * second)])
        return vector_of(covariances) if self.kind.of_matrix else covariances[:1, -1]

    def plan(self, request: Request) -> Plan:
        """Return how a request for it is carried out."""
        if not self.kind.of_matrix:
            return Question.plan(self, request)
        statistic = cast("CovarianceMatrix", self.statistic)
        if self.unit.several:
            raise ParameterError(f"a covariance matrix needs one row for each {self.unit.noun}.")
        release = CovarianceRelease(
            widths=tuple(bounds.width for bounds in statistic.bounds),
            people=statistic.size.people,
            key=request.mechanism_key,
            epsilon=request.epsilon,
            weights=request.weights,
            # No variance exceeds half of its squared width.
            rounding=secure.ROUNDING_UNITS * 2.0**-54,
        )
        return MatrixPlan(
            release=release, statistic=statistic, correlation=self.kind is StatisticKind.CORRELATION
        )

    @classmethod
    def from_terms(  # type: ignore[override] # parts of this shape
        cls, terms: QuestionTerms, *, by: str | Sequence[str] = ()
    ) -> Self:
        """Return a statistic of all columns, for a pooled one within groups ``by`` columns.

        The group of a row is private.
        """
        size, group, groups = terms.size_of(terms.columns), None, None
        if by:
            group = terms.grouping(by)
            sizes = (size.people, *(0 for _ in group.labels))
            groups = GroupSizes(sizes=sizes, labels_public=False)
        return cls(
            kind=terms.kind,
            numbers=terms.columns,
            relation=terms.relation,
            unit=terms.unit,
            size=size,
            group=group,
            groups=groups,
        )

    @classmethod
    def read(cls, content: Mapping[str, Any], dataset: DescribedTable, unit: PrivacyUnit) -> Self:
        """Return the question that parameters describe."""
        numbers, group, groups = columns_from(content["columns"], dataset), None, None
        if "group" in content:
            group = grouping_from(content["group"], dataset)
            # Private labels: only the sum and the number of sizes are used, and stored.
            public = TRUTH.read(content["labels_public"])
            known = (
                {}
                if public
                else {"sizes": (SIZE.read(content["size"]).people, *(0 for _ in group.labels))}
            )
            groups = GROUPS.read(content, **known)
        return cast(
            "Self", JOINT.read(content, unit=unit, numbers=numbers, group=group, groups=groups)
        )

    def parameters(self) -> dict[str, Any]:
        """Return all that defines the analysis, ready for JSON."""
        groups = {} if self.groups is None else GROUPS.write(self.groups)
        return JOINT.write(self) | groups

    def _check_numbers(self) -> None:
        least, most = _COLUMNS[self.kind]
        names = {column.name for column in self.numbers}
        if not least <= len(self.numbers) <= most or len(names) < len(self.numbers):
            number = f"{least}" if least == most else f"{least} to {most}"
            plural = "" if most == 1 else "s"
            raise ParameterError(f"a {self.kind} needs {number} different column{plural}.")
        for column in self.numbers:
            if column.kind.is_numeric and self.kind not in allowed(column.kind):
                raise ParameterError(f"{column.name!r} is a date column; it has no {self.kind}.")
            if not column.kind.is_numeric or column.bounds is None:
                raise ParameterError(
                    f"{column.name!r} needs to be a column of numbers with public "
                    "bounds; declare them on the Data page."
                )

    def _check_groups(self) -> None:
        if self.kind.pooled is not (self.group is not None and self.groups is not None):
            verb = "needs" if self.kind.pooled else "has no use for"
            raise ParameterError(f"a {self.kind} {verb} a column of public groups.")
        if self.group is None or self.groups is None:
            return
        cells = len(self.group.labels) + 1
        possible = (cells - 1, cells) if self.groups.labels_public else (cells,)
        if self.groups.count not in possible:
            raise ParameterError(
                f"{self.group.name!r} has {cells} groups, {self.unit.counted} of no "
                f"listed label included, got sizes of {self.groups.count}."
            )
        if not self.size.public or self.groups.people != self.size.people:
            raise ParameterError(
                f"a pooled statistic needs a public number of {self.unit.counted}: use "
                f"substitution with one row for each {self.unit.noun}, and impute "
                "missing values."
            )

    def _check_size(self) -> None:
        self.unit.check_one_row(f"the {self.kind} is")
        self.size.check(self.relation, self.unit)
        dropped = any(c.missing is MissingPolicy.DROP for c in self.numbers)
        if self.size.public and dropped:
            raise ParameterError(
                f"the number of {self.unit.counted} is private where those with a "
                "missing value are left out."
            )


JOINT: Final = Schema(
    JointQuery,
    **SHARED,
    columns=Part(codec=several(COLUMN), argument="numbers"),
    group=if_any(GROUPING),
)
GROUPS: Final = Schema(
    GroupSizes,
    labels_public=TRUTH,
    # Where labels are private, only the sum and number of sizes are used.
    sizes=if_any(several(WHOLE), of=lambda g: g.sizes if g.labels_public else None),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class MatrixPlan(Plan):
    """Draws step by step, each step fixed by public numbers and earlier answers.

    Raises:
        ParameterError: A share of the budget is too small to truncate with.

    """

    release: CovarianceRelease
    statistic: CovarianceMatrix
    correlation: bool = False

    def __post_init__(self) -> None:
        if self.release.key.startswith("truncated"):
            # A covariance may be left a range as narrow as its noise: refuse now what
            # could not be drawn then, when the variances are out.
            share = float(self.release.epsilons.min())
            try:
                secure_noise.candidates(share, 1.0)
            except ParameterError:
                raise ParameterError(
                    f"a share of ε = {significant(share)} is too small to truncate with; "
                    "choose BIT Laplace, spend more, or give no number so little."
                ) from None

    @property
    def noise(self) -> float:
        """Return the largest scale of the noise."""
        return float(self.release.scales.max())

    def worst_case(self, *, delta: float = 0.0) -> float:  # noqa: ARG002 - pure DP
        """Return the sum of the steps' levels."""
        return self.release.effective_epsilon

    @property
    def rho(self) -> float:
        """Return the sum of the steps' zCDP levels, each that of its pure level."""
        return float(np.sum(rho_of_pure(self.release.levels)))

    @property
    def event(self) -> PureEvent:
        """Return a pure event of the whole level."""
        return PureEvent.from_ratio(self.release.effective_epsilon)

    def pairwise_epsilon(
        self,
        first: ArrayLike,
        second: ArrayLike,
        *,
        delta: float = 0.0,  # noqa: ARG002 - pure DP
    ) -> FloatArray:
        """Return what all steps together reveal about a pair of matrices.

        Exact for Laplace and BIT. Truncated noise may reveal more of a shorter move
        the other way, towards a bound, and ``CovarianceMatrix.neighbors`` gives the
        longer one only: for it, a bound on moves of each number either way.
        """
        levels = self.release.levels_between(first, second)
        if self.release.key.startswith("truncated"):
            first, second = (np.asarray(end, dtype=float) for end in (first, second))
            other_way = self.release.levels_between(first, 2 * first - second)
            levels = np.maximum(levels, other_way)
        return np.asarray(levels.sum(axis=-1))

    def half_widths(self, level: float) -> FloatArray:
        """Return the half-width of each number's noise; bounds only make it smaller.

        A covariance may be off by more where the released variances leave it a range
        that does not reach it; its released interval takes that into account.
        """
        reach = -np.log1p(-level) * self.release.scales
        return np.asarray(np.minimum(reach, 2 * self.release.largest))

    def width(self, *, unit: str, group: int) -> Width:  # noqa: ARG002 - a common signature
        """Return the half-width of the worst of all numbers at once, at 95%."""
        each = self.half_widths(level_of_each(len(self.statistic.labels)))
        parts = each / self.release.largest
        return Width(
            half=float(parts.max()),
            unit="of maximum",
            of="variances and covariances as a share of their maximum, not for correlations",
        )

    def errors(
        self,
        place: float,
        *,
        group: int,  # noqa: ARG002 - there are none
        number: int,
        simulation: SimulatedDraws,
    ) -> FloatArray:
        """Return errors of the correlation that was asked for, or of a released number."""
        release, rng = self.release, simulation.rng
        value = np.where(np.arange(len(release.largest)) < release.columns, place, 0.0)
        value = value * release.largest
        if self.correlation and number == 0:
            return self._correlation(value, rng, simulation.draws).errors(0.0)
        which = number - self.correlation
        return np.asarray(self._number(which, value, rng, simulation.draws) - value[which])

    def _number(
        self, place: int, value: FloatArray, rng: np.random.Generator, draws: int
    ) -> FloatArray:
        """Return one simulated number: only what it depends on is drawn."""
        release, columns = self.release, self.release.columns
        if place < columns:
            mechanism = release.step(place, release.largest[place]).mechanism
            return mechanism.simulate(value[place], rng=rng, size=(draws,))
        reach = self._reach(pairs_of(columns)[place - columns], value, rng, draws)
        return release.covariance_quantiles(
            place, uniform(rng, (draws,)), float(value[place]), reach
        )

    def _reach(
        self, pair: tuple[int, int], value: FloatArray, rng: np.random.Generator, draws: int
    ) -> FloatArray:
        """Return how large the covariance of two columns can be, by simulated variances."""
        both = np.column_stack([self._number(column, value, rng, draws) for column in pair])
        (reach,) = reaches_of(both).T
        return np.asarray(reach)

    def _correlation(
        self, value: FloatArray, rng: np.random.Generator, draws: int
    ) -> SimulatedAnswers:
        """Return the correlation of two columns; not released where a variance is released as 0."""
        reach = self._reach((0, 1), value, rng, draws)
        drawn = self.release.covariance_quantiles(2, uniform(rng, (draws,)), float(value[2]), reach)
        released = reach > 0
        return SimulatedAnswers(
            values=np.clip(drawn / np.where(released, reach, 1.0), -1.0, 1.0), released=released
        )

    def answer(self, value: FloatArray, *, cost: PrivacyCost) -> Answer:  # noqa: ARG002 - each step has a cost of its own
        """Return the numbers as drawn, the correlations, and the repaired matrix."""
        drawn = self.release.release(value, _secure)
        labels, derived = self.statistic.labels, self._derived(drawn)
        around = self._around(drawn)
        correlated = [place for place, name in enumerate(self._correlated) if name in derived]
        # They follow from the intervals of the numbers, and hold whenever those do.
        around = Intervals(
            level=around.level,
            noise=_with_correlations(around.noise, correlated),
            total=_with_correlations(around.total, correlated),
        )
        named = tuple(self._correlated[place] for place in correlated)
        return Answer(
            labels=labels,
            values=tuple(drawn.tolist()),
            intervals=LabelledIntervals.of((*labels, *named), around),
            derived=derived,
        )

    def _around(self, drawn: FloatArray) -> Intervals:
        """Return an interval for each number, all of them holding together."""
        level = level_of_each(len(drawn))
        largest, reaches = self.release.largest, self._reaches(drawn)
        parts = self.statistic.parts
        noise = np.array([[part.range.lower, part.range.upper] for part in parts])
        total = noise.copy()
        # What was not drawn: nothing is known of it.
        known = np.flatnonzero(reaches > largest * FLAT_BELOW)
        found = intervals_of_each(
            [
                Coordinate(
                    mechanism=self.release.step(place, float(reaches[place])).mechanism,
                    statistic=parts[place],
                    value=float(drawn[place]),
                    bounds=parts[place].range,
                )
                for place in known.tolist()
            ],
            tail=1 - level,
        )
        noise[known] = found.noise
        # At an end of what the variances leave, it may lie anywhere beyond.
        beyond = np.stack([drawn <= -reaches, drawn >= reaches], axis=-1)[known]
        total[known] = np.where(beyond, total[known], found.total)
        return Intervals(level=LEVEL, noise=noise, total=total)

    def _reaches(self, drawn: FloatArray) -> FloatArray:
        """Return how large each number could be when it was drawn."""
        largest, columns = self.release.largest, self.release.columns
        if self.release.key == "laplace":  # earlier answers make no difference to it
            return largest
        return np.concatenate([largest[:columns], reaches_of(drawn[:columns])])

    def _derived(self, drawn: FloatArray) -> dict[str, float]:
        """Return what follows from released numbers: post-processing, and free."""
        labels = self.statistic.labels

        def correlations(numbers: FloatArray) -> dict[str, float]:
            # Without bounds a covariance may be larger than its variances allow.
            known = np.clip(correlations_of(numbers), -1, 1)
            named = zip(self._correlated, known.tolist(), strict=True)
            return {name: number for name, number in named if not math.isnan(number)}

        derived = correlations(drawn)
        repaired = repair(matrix_of(drawn))
        if repaired.changed:
            after = vector_of(repaired.after)
            for label, number in zip(labels, after, strict=True):
                derived[f"repaired {label}"] = float(number)
            for name, number in correlations(after).items():
                derived[f"repaired {name}"] = number
        return derived

    @property
    def _correlated(self) -> tuple[str, ...]:
        """Return the name of each correlation, in the order of the covariances."""
        covariances = self.statistic.labels[self.release.columns :]
        return tuple(f"corr{label.removeprefix('cov')}" for label in covariances)


def _with_correlations(ends: FloatArray, kept: list[int]) -> FloatArray:
    """Return intervals of a matrix's numbers, then those of some correlations."""
    return np.concatenate([ends, correlation_intervals(ends)[kept]])


def _secure(step: Step, value: FloatArray) -> FloatArray:
    cost = PrivacyCost(epsilon=Decimal(step.epsilon))
    return secure.draw(step.mechanism, value, sensitivity=step.sensitivity, cost=cost)


def correlation_intervals(ends: ArrayLike) -> FloatArray:
    """Return intervals of all correlations, shape ``(pairs, 2)``.

    Where every variance ``v`` and covariance ``c`` lies in its interval, ``r = c /
    sqrt(v w)`` lies between the quotients of their ends: an end of ``c`` above 0 over
    the largest of ``sqrt(v w)`` for the lower end of ``r`` and over the smallest for
    the upper one; below 0 the other way round. They hold as often as the intervals of
    the numbers do all together, and whatever a repair makes of the numbers.

    Args:
        ends: Shape ``(k, 2)``: of variances, then covariances.

    >>> correlation_intervals([[1, 4], [1, 4], [0.4, 0.8]]).tolist()
    [[0.1, 0.8]]
    >>> correlation_intervals([[0, 4], [1, 4], [-0.4, 0.8]]).tolist()
    [[-1.0, 1.0]]

    """
    ends = np.asarray(ends, dtype=np.float64)
    columns = columns_in(len(ends))
    least, most = reaches_of(np.maximum(ends[:columns].T, 0.0))
    lower, upper = ends[columns:].T
    low = _over(lower, np.where(lower < 0, least, most))
    high = _over(upper, np.where(upper < 0, most, least))
    return np.stack([low, high], axis=-1)


def _over(covariances: FloatArray, reaches: FloatArray) -> FloatArray:
    """Return the quotients, within [-1, 1]; over 0 the end on the side of the sign."""
    known = np.sign(covariances)
    with np.errstate(over="ignore"):
        np.divide(covariances, reaches, out=known, where=reaches > 0)
    return np.clip(known, -1.0, 1.0)


_ALL = 100.0
_MOST = 1e6


def rebalanced(shares: tuple[float, ...], locked: tuple[bool, ...]) -> tuple[float, ...]:
    """Return shares in percent with sum 100: locked ones stay, the others make room.

    The others keep their proportions. If all are locked, they have to fit.

    Raises:
        ParameterError: A share is not positive or beyond a million percent, or the
            locked ones leave no room.

    >>> rebalanced((60.0, 50.0, 50.0), (True, False, False))
    (60.0, 20.0, 20.0)

    """
    if not all(0 < share <= _MOST for share in shares):
        raise ParameterError(f"every share of the budget must be positive, at most {_MOST:,.0f}%.")
    pairs = list(zip(shares, locked, strict=True))
    kept = math.fsum(share for share, lock in pairs if lock)
    free = math.fsum(share for share, lock in pairs if not lock)
    room = _ALL - kept
    if free == 0:
        if not math.isclose(kept, _ALL):
            raise ParameterError(f"all shares are locked and add up to {in_full(kept)}%, not 100%.")
        return shares
    if room <= 0:
        raise ParameterError(
            f"the locked shares add up to {in_full(kept)}%; leave room for the others."
        )
    return tuple(share if lock else share * room / free for share, lock in pairs)
