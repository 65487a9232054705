"""How a request is carried out: at what cost, by which draw, with which answer."""

from __future__ import annotations

import math
from dataclasses import dataclass, field, replace
from typing import Any, Final, Protocol, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from dpcore.analyses import secure, sharpening
from dpcore.analyses.sharpening import EarlierAnswer
from dpcore.arrays import FloatArray
from dpcore.codec import ENDS, NUMBER, Schema, by_name, optional
from dpcore.data.bounds import Interval
from dpcore.errors import ParameterError
from dpcore.formatting import in_full, significant
from dpcore.inference.intervals import LEVEL, Intervals, intervals, level_of_each, noise_half_width
from dpcore.inference.proportion_intervals import Average, population_intervals
from dpcore.mechanisms.exponential import Exponential
from dpcore.mechanisms.mechanism import Mechanism, Sensitivity
from dpcore.privacy.events import PrivacyEvent
from dpcore.privacy_filter import PrivacyCost
from dpcore.statistics.histogram import Proportions
from dpcore.statistics.statistic import Statistic


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """What is released. PUBLIC: a function of secure draws and public numbers.

    Attributes:
        labels: Name of each number.
        values: The numbers, in that order.
        intervals: Intervals around them, where they can be had from public numbers.
        derived: What follows from the numbers at no further cost, by name.
        unsaid: Names of numbers that were asked for and cannot be said.

    """

    labels: tuple[str, ...]
    values: tuple[float, ...]
    intervals: LabelledIntervals | None = None
    derived: dict[str, float] = field(default_factory=dict)
    unsaid: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Width:
    """The half-width of an answer at 95%.

    Attributes:
        half: In ``unit``, at least 0; infinite where nothing can be said.
        unit: Empty for a share or another number without one.
        of: Of what it is one where that is not the answer alone, or why nothing can be
            said; else empty.

    """

    half: float
    unit: str = ""
    of: str = ""

    @property
    def text(self) -> str:
        """Return the half-width as it is written; places are whole, and rounded up.

        >>> Width(half=77.6, unit="ranks").text, Width(half=77.62, unit="years").text
        ('78', '77.6')
        """
        whole = self.unit == "ranks" and math.isfinite(self.half)
        return significant(math.ceil(self.half) if whole else self.half)

    @property
    def relative(self) -> bool:
        """Tell whether it is a share of something else than the answer."""
        return self.unit.startswith("of ")

    @property
    def assumed(self) -> bool:
        """Tell whether it is that of a group of a size that was assumed."""
        return self.of.startswith(("a group", "the difference, if"))


def interval_ends(ends: FloatArray) -> tuple[float, float]:
    """Return the two ends of an interval as a record keeps them."""
    return float(ends[0]), float(ends[1])


class Drawing(Protocol):
    """How an answer is drawn, fixed by public numbers."""

    @property
    def noise(self) -> float:
        """Scale of the noise; the largest one where there are several."""

    @property
    def event(self) -> PrivacyEvent:
        """What the accountant has to know of it."""

    def width(self, *, unit: str, group: int) -> Width:
        """Return how far off the answer will be, the worst of several numbers at once.

        ``unit`` is that of differences of the answer, ``group`` of how many people a
        group is meant, where the answer is a ratio of groups: their sizes are private.
        """

    def answer(self, value: Any, *, cost: PrivacyCost) -> Answer:  # noqa: ANN401 - what the request's ``value`` returns
        """Draw securely from ``value`` (CONFIDENTIAL) and return what is released."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SimulatedDraws:
    """How releases are simulated: always with the same draws.

    Attributes:
        draws: How many there are.
        seed: Of the generator.

    """

    draws: int
    seed: int = 1

    @property
    def rng(self) -> np.random.Generator:
        """Return the generator at its beginning."""
        return np.random.default_rng(self.seed)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class SimulatedAnswers:
    """Answers of many simulated releases that follow from noisy numbers. PUBLIC.

    A mean of a group divides a noisy sum by a noisy count, and a covariance is drawn
    within what the released variances leave for it: no closed form is known for their
    errors. The values of the table are assumed, and nothing is computed from one.

    Attributes:
        values: The answers.
        released: Which of them would be released: the others have too few people.

    """

    values: FloatArray
    released: NDArray[np.bool_]

    def errors(self, truth: float) -> FloatArray:
        """Return how far off the released answers are, NaN for the others."""
        return np.where(self.released, self.values - truth, np.nan)


def check_within(bounds: Interval, assumed: float) -> None:
    """Refuse a value that an answer cannot have.

    Raises:
        ParameterError: If so.

    """
    if not bounds.lower <= assumed <= bounds.upper:
        raise ParameterError(
            f"the answer lies from {in_full(bounds.lower)} to {in_full(bounds.upper)}."
        )


def middle(bounds: Interval) -> float:
    """Return the middle of the bounds; 0 where they have none."""
    found = (bounds.lower + bounds.upper) / 2
    return float(found) if np.isfinite(found) else 0.0


class Plan(Drawing, Protocol):
    """A way to answer a request, fixed by public numbers.

    ``pairwise_epsilon`` and ``worst_case`` are about the statistic that the plan reads, so
    that everybody's privacy loss is a question to the plan.
    """

    def worst_case(self, *, delta: float = 0.0) -> float:
        """Return the epsilon that it gives at ``delta``, over all tables."""

    @property
    def rho(self) -> float:
        """Zero-concentrated DP level, over all tables."""

    def pairwise_epsilon(
        self, first: ArrayLike, second: ArrayLike, *, delta: float = 0.0
    ) -> FloatArray:
        """Return the epsilon at ``delta`` between two values of the statistic."""

    def half_widths(self, level: float) -> FloatArray:
        """Return how far off each number is with probability ``level``, at most."""

    @property
    def usual(self) -> float | None:
        """Return a value to assume of an answer, where ``outcomes`` says something."""
        return None

    def outcomes(
        self,
        assumed: float,  # noqa: ARG002 - the common signature
        levels: FloatArray,  # noqa: ARG002
        *,
        group: int,  # noqa: ARG002
        simulation: SimulatedDraws,  # noqa: ARG002
    ) -> FloatArray | None:
        """Return quantiles of an answer if the table had ``assumed``.

        Of several numbers it is the first one; of a ratio of every group, that of one of
        ``group`` people. ``None`` where the law is no law around one value.

        Raises:
            ParameterError: The answer cannot have that value.

        """
        return None

    def errors(
        self,
        place: float,  # noqa: ARG002 - the common signature
        *,
        group: int,  # noqa: ARG002
        number: int,  # noqa: ARG002
        simulation: SimulatedDraws,  # noqa: ARG002
    ) -> FloatArray:
        """Return simulated errors of one number, NaN where it would not be given.

        ``place`` is where the true value is between its bounds, from 0 to 1.

        Raises:
            ParameterError: The question names no ``simulated`` numbers.

        """
        raise ParameterError("errors of these answers are not simulated.")


@dataclass(frozen=True, slots=True, kw_only=True)
class OneMechanism(Plan):
    """What plans have in common whose only draw is that of one mechanism.

    Attributes:
        mechanism: Draws the answer.
        sensitivity: What one unit can change, rounding errors included.

    """

    mechanism: Mechanism | Exponential
    sensitivity: Sensitivity

    @property
    def noise(self) -> float:
        """Return the scale of the noise."""
        return self.mechanism.noise

    def worst_case(self, *, delta: float = 0.0) -> float:
        """Return the epsilon of the mechanism at ``delta``."""
        return self.mechanism.epsilon(self.sensitivity, delta=delta)

    @property
    def rho(self) -> float:
        """Return the zCDP level of the mechanism."""
        return self.mechanism.rho(self.sensitivity)

    @property
    def event(self) -> PrivacyEvent:
        """Return the event of the mechanism."""
        return self.mechanism.event(self.sensitivity)

    def pairwise_epsilon(
        self, first: ArrayLike, second: ArrayLike, *, delta: float = 0.0
    ) -> FloatArray:
        """Return what the mechanism reveals about a pair of values."""
        return self.mechanism.pairwise_epsilon(first, second, delta=delta)


@dataclass(frozen=True, slots=True, kw_only=True)
class Direct(OneMechanism):
    """Noise on every coordinate of the statistic, released as it is drawn.

    Attributes:
        earlier: The answer that this one sharpens, ``None`` if it stands alone.

    """

    mechanism: Mechanism
    statistic: Statistic
    bounds: Interval
    earlier: EarlierAnswer | None = None

    @property
    def numbers(self) -> int:
        """Return how many numbers are told, whose intervals hold together."""
        return len(self.statistic.labels)

    def half_widths(self, level: float) -> FloatArray:
        """Return the same half-width for every coordinate."""
        width = noise_half_width(self.mechanism, bounds=self.bounds, level=level)
        return np.full(len(self.statistic.labels), width)

    def width(self, *, unit: str, group: int) -> Width:  # noqa: ARG002 - a common signature
        """Return the half-width of the worst of all numbers at once, at 95%."""
        each = self.half_widths(level_of_each(self.numbers))
        return Width(half=float(each.max()), unit=unit)

    @property
    def usual(self) -> float:
        """Return the middle of where the answer must lie."""
        return middle(self.bounds)

    def outcomes(
        self,
        assumed: float,
        levels: FloatArray,
        *,
        group: int,  # noqa: ARG002 - the common signature
        simulation: SimulatedDraws,  # noqa: ARG002
    ) -> FloatArray:
        """Return the quantiles of the mechanism around ``assumed``."""
        check_within(self.bounds, assumed)
        return np.asarray(self.mechanism.quantile(levels, assumed))

    def answer(self, value: FloatArray, *, cost: PrivacyCost) -> Answer:
        """Return the draw with its intervals: those of one answer, sharpened or not."""
        noise, sensitivity = self.mechanism, self.sensitivity
        if self.earlier is None:
            drawn = secure.draw(noise, value, sensitivity=sensitivity, cost=cost)
        else:
            drawn = sharpening.sharper_draw(
                noise, value, self.earlier, sensitivity=sensitivity, cost=cost
            )
        labels = self.statistic.labels
        return Answer(
            labels=labels,
            values=tuple(drawn.tolist()),
            intervals=LabelledIntervals.of(labels, self._around(drawn)),
        )

    def _around(self, drawn: FloatArray) -> Intervals:
        """Return the intervals of a draw.

        Shares of the table's own people are binomial in a sample. A normal sampling
        error would be too small for rare ones, so that their law itself is inverted.
        """
        found = intervals(self.mechanism, self.statistic, drawn, bounds=self.bounds)
        shares = self.statistic
        if not isinstance(shares, Proportions) or shares.constant is not None:
            return found
        law = Average(mechanism=self.mechanism, draws=1, bounds=self.bounds)
        total = population_intervals(
            law, drawn, people=shares.size.people, tail=(1 - LEVEL) / len(drawn)
        )
        return replace(found, total=total)


Ends = dict[str, tuple[float, float]]


@dataclass(frozen=True, slots=True, kw_only=True)
class LabelledIntervals:
    """Intervals around a release, computed from public numbers only.

    Attributes:
        level: Confidence of all coordinates together, such as 0.95.
        noise: Lower and upper end for each label: where the statistic of the table
            lies. ``None`` if not computed.
        total: The same for the population that the table is a sample of.

    """

    level: float
    noise: Ends | None = None
    total: Ends | None = None

    def __post_init__(self) -> None:
        if not 0 < self.level < 1:
            raise ParameterError(f"the level must lie between 0 and 1, got {self.level}.")

    @classmethod
    def of(cls, labels: tuple[str, ...], around: Intervals) -> Self:
        """Return intervals as the record keeps them."""

        def ends(rows: FloatArray) -> Ends:
            pairs = [(float(low), float(high)) for low, high in rows]
            return dict(zip(labels, pairs, strict=True))

        return cls(level=around.level, noise=ends(around.noise), total=ends(around.total))


_ENDS = optional(by_name(ENDS))
INTERVALS: Final = Schema(LabelledIntervals, level=NUMBER, noise=_ENDS, total=_ENDS)
