"""A mean or a share by a resample: as published, or repaired."""

from __future__ import annotations

import math
from dataclasses import dataclass
from decimal import Decimal
from enum import StrEnum
from fractions import Fraction
from functools import cached_property
from typing import ClassVar, Final

import numpy as np
from numpy.typing import ArrayLike

from dpcore.analyses import secure
from dpcore.analyses.base import Mode, OfQuery
from dpcore.analyses.measurement import Answer, LabelledIntervals, Width
from dpcore.analyses.number import Query
from dpcore.arrays import FloatArray
from dpcore.codec import NUMBER, WHOLE, Part, Schema, keyed
from dpcore.data.bounds import Interval
from dpcore.data.partitions.table import Table, in_memory
from dpcore.errors import ParameterError
from dpcore.formatting import in_full, significant
from dpcore.inference.intervals import Intervals, intervals
from dpcore.mechanisms import resized_bootstrap, resized_repair
from dpcore.mechanisms.laplace import Laplace, least_scale
from dpcore.mechanisms.mechanism import Sensitivity
from dpcore.mechanisms.resized_bootstrap import ResizedBootstrap
from dpcore.mechanisms.resized_repair import NoisyResample
from dpcore.privacy.conversions import pure_epsilon_of
from dpcore.privacy.events import ApproximateEvent, PureEvent
from dpcore.privacy_filter import PrivacyCost, computed, typed
from dpcore.relations import TableSize
from dpcore.secure_samples import secure_counts
from dpcore.statistics.checks import checked
from dpcore.statistics.kinds import StatisticKind
from dpcore.statistics.sums_and_means import Mean


@dataclass(frozen=True, slots=True, kw_only=True)
class PublishedPlan:
    """The mean of a resample as it is: no noise, and no epsilon."""

    noise: ClassVar = 0.0
    bootstrap: ResizedBootstrap
    bounds: Interval
    shares: bool
    """Whether all rows are 0 or 1."""
    label: str

    @property
    def event(self) -> ApproximateEvent:
        """Return (0, tau)-DP, which is all that there is."""
        delta = self.bootstrap.delta()
        return ApproximateEvent(parameter=0.0, delta=delta)

    def worst_case(self, *, delta: float = 0.0) -> float:
        """Return the epsilon at ``delta`` over all tables: infinite below tau."""
        return self.bootstrap.epsilon(delta)

    def pairwise_epsilon(
        self, first: ArrayLike, second: ArrayLike, *, delta: float = 0.0
    ) -> FloatArray:
        """Return the epsilon at ``delta`` between two means, shape ``(..., 1)``.

        Exact for shares. The mean of numbers may show which rows were drawn, so that
        for them it is what holds for all tables: an upper bound. Of several rows a unit
        the means may be equal, and the rows not.
        """
        p, q = (np.asarray(mean, dtype=np.float64)[..., 0] for mean in (first, second))
        if not self.shares:
            same = (p == q) & (self.bootstrap.rows == 1)
            return np.where(same, 0.0, self.worst_case(delta=delta))
        people = self.bootstrap.people
        counts = np.stack(np.broadcast_arrays(np.rint(p * people), np.rint(q * people)))
        distinct, place = np.unique(
            np.sort(counts.reshape(2, -1), axis=0), axis=1, return_inverse=True
        )
        levels = [
            0.0
            if low == high
            else self.bootstrap.pair(int(low), more=int(high - low)).epsilon(delta)
            for low, high in distinct.T
        ]
        return np.asarray(levels)[place.ravel()].reshape(counts.shape[1:])

    def width(self, *, unit: str, group: int) -> Width:  # noqa: ARG002 - a common signature
        """Return the half-width of the worst of all numbers at once, at 95%."""
        return Width(half=math.inf, unit=unit, of="depends on who is drawn")

    def answer(self, value: FloatArray, *, cost: PrivacyCost) -> Answer:  # noqa: ARG002 - the common signature
        """Return the mean of a resample of the rows ``value``."""
        drawn = resampled_mean(value, self.bootstrap.draws, self.bounds)
        return Answer(labels=(self.label,), values=(drawn,))


@dataclass(frozen=True, slots=True, kw_only=True)
class RepairedPlan:
    """The mean of a resample, plus Laplace noise.

    It guarantees ``epsilon`` with ``delta``, which is 0 for a pure guarantee.
    """

    resample: NoisyResample
    bounds: Interval
    label: str
    epsilon: float
    delta: float = 0.0

    @property
    def sensitivity(self) -> Sensitivity:
        """Return what one row of the resample changes, as floats compute the mean."""
        largest = max(abs(self.bounds.lower), abs(self.bounds.upper))
        one = Sensitivity.scalar(self.bounds.width / self.resample.draws)
        return secure.widen(one, largest)

    @property
    def noise(self) -> float:
        """Return the scale of the noise."""
        return least_scale(self.sensitivity.l1, self.resample.level)

    @property
    def event(self) -> PureEvent:
        """Return the guarantee: pure, or with a delta."""
        if self.delta == 0:
            return PureEvent(parameter=self.epsilon)
        return ApproximateEvent(parameter=self.epsilon, delta=self.delta)

    def worst_case(self, *, delta: float = 0.0) -> float:
        """Return an epsilon at ``delta`` over all tables."""
        known = float(pure_epsilon_of(self.resample.epsilon(), delta))
        return min(known, self.epsilon) if delta >= self.delta else known

    def pairwise_epsilon(
        self, first: ArrayLike, second: ArrayLike, *, delta: float = 0.0
    ) -> FloatArray:
        """Return an epsilon at ``delta`` between two means, shape ``(..., 1)``.

        Two means that one unit's rows set apart. Exact at ``delta = 0`` for shares, an
        upper bound for numbers and at a ``delta``; never above ``worst_case``, which it
        is for numbers of which a unit has several: their mean does not say how far each
        of them moves.
        """
        lower, width = self.bounds.lower, self.bounds.width
        p, q = (
            (np.asarray(mean, dtype=np.float64)[..., 0] - lower) / width for mean in (first, second)
        )
        if self.resample.shares:
            levels = self.resample.pairwise_epsilon(p, q)
        elif self.resample.rows > 1:
            return np.full(np.broadcast(p, q).shape, self.worst_case(delta=delta))
        else:
            # Rounding of the means must not make a change look smaller than it is.
            moved = self.resample.people * np.abs(p - q)
            slack = self.resample.people * 2.0**-48 * (p != q)
            levels = self.resample.change_epsilon(moved + slack)
        known = pure_epsilon_of(levels, delta) if delta else levels
        return np.minimum(known, self.worst_case(delta=delta))

    def width(self, *, unit: str, group: int) -> Width:  # noqa: ARG002 - a common signature
        """Return the half-width of the worst of all numbers at once, at 95%."""
        return Width(half=math.inf, unit=unit, of="depends on who is drawn")

    def answer(self, value: FloatArray, *, cost: PrivacyCost) -> Answer:  # noqa: ARG002 - the level of the noise is checked, not that of the table
        """Return a noisy mean of a resample of the rows ``value``, with intervals."""
        mechanism = Laplace(noise=self.noise)
        drawn = secure.draw(
            mechanism,
            np.array([resampled_mean(value, self.resample.draws, self.bounds)]),
            sensitivity=self.sensitivity,
            cost=PrivacyCost(epsilon=Decimal(self.resample.level)),
        )
        return Answer(
            labels=(self.label,),
            values=(float(drawn[0]),),
            intervals=self._intervals(mechanism, drawn),
        )

    def _intervals(self, mechanism: Laplace, drawn: FloatArray) -> LabelledIntervals:
        """Return where the mean of the table, and that of its population, lies.

        The resample is a sample of ``m`` from the table. From the population it is one
        of fewer, ``1 / (1/m + 1/n)``, because the table is a sample itself.
        """
        m, n = self.resample.draws, self.resample.people
        of_table, of_population = (
            intervals(
                mechanism,
                Mean(bounds=self.bounds, size=TableSize(people=people, public=True)),
                drawn,
                bounds=self.bounds,
            )
            for people in (m, max(1, m * n // (m + n)))
        )
        around = Intervals(level=of_table.level, noise=of_table.total, total=of_population.total)
        return LabelledIntervals.of((self.label,), around)


def resampled_mean(rows: FloatArray, draws: int, bounds: Interval) -> float:
    """Return the mean of ``draws`` rows drawn with replacement, securely.

    ``rows`` lie within ``bounds``, and so does the mean.

    Raises:
        ParameterError: There are no rows.

    """
    if len(rows) == 0:
        raise ParameterError("a resample needs at least one row.")
    counts = secure_counts(len(rows), draws)
    return float(bounds.clip((counts * rows).sum() / draws))


_KINDS = (StatisticKind.MEAN, StatisticKind.PROPORTION)


class Form(StrEnum):
    """Which resized bootstrap."""

    REPAIRED = "repaired"
    """A resample, and Laplace noise on its mean."""
    PUBLISHED = "published"
    """The mean of a resample as it is."""


_KEYS: Final = {Form.REPAIRED: resized_repair.KEY, Form.PUBLISHED: resized_bootstrap.KEY}


@dataclass(frozen=True, kw_only=True)
class ResizedRequest(OfQuery):
    """A mean or a share by a resample, and its price. PUBLIC.

    Attributes:
        query: The mean of a number, or the share of people who meet a condition. Its
            number of people is public, because it says how many rows are drawn.
        draws: How many rows ``m`` are drawn: more than 1, ``n/Z`` rounded up.
        epsilon: What the repaired form guarantees. The published one guarantees none.
        delta: The same, below one over the number of people; 0 for a pure guarantee.
        form: As published, or repaired.

    Raises:
        ParameterError: A parameter lies outside its domain.

    """

    query: Query
    draws: int
    epsilon: float = 0.5
    delta: float = 0.0
    form: Form = Form.REPAIRED
    draw: int = 1

    def __post_init__(self) -> None:
        self.query.unit.check_one_row("a resample is")
        if self.query.kind not in _KINDS:
            raise ParameterError("a resample answers with the mean of a number, or with a share.")
        if not self.query.size.public:
            raise ParameterError(
                f"a resample needs a public number of {self.query.unit.counted}. Impute "
                "missing values, and use substitution with one row for each "
                f"{self.query.unit.noun}."
            )
        if self.draws <= 1:
            raise ParameterError(f"more than one row must be drawn, got {self.draws}.")
        people = self.query.size.people
        if self.form is Form.REPAIRED and self.delta * people >= 1:
            raise ParameterError(
                f"δ = {in_full(self.delta)} is not below one in "
                f"{self.query.unit.number(people)}. With that probability one value could be "
                "nearly exposed. Choose a smaller δ, or 0."
            )
        _ = self.plan

    @property
    def bootstrap(self) -> ResizedBootstrap:
        """Return the published mechanism that draws so many rows."""
        people = self.query.size.people
        return ResizedBootstrap(people=people, ratio=Fraction(people, self.draws))

    @property
    def shares(self) -> bool:
        """Tell whether all rows are 0 or 1."""
        return self.query.kind is StatisticKind.PROPORTION

    @cached_property
    def plan(self) -> PublishedPlan | RepairedPlan:
        """Return how the request is carried out."""
        bounds, bootstrap = self.query.bounds, self.bootstrap
        (label,) = self.query.statistic.labels
        if self.form is Form.PUBLISHED:
            return PublishedPlan(
                bootstrap=bootstrap, bounds=bounds, shares=self.shares, label=label
            )
        resample = NoisyResample.calibrate(
            people=bootstrap.people,
            draws=bootstrap.draws,
            epsilon=self.epsilon,
            delta=self.delta,
            shares=self.shares,
        )
        return RepairedPlan(
            resample=resample, bounds=bounds, label=label, epsilon=self.epsilon, delta=self.delta
        )

    @property
    def title(self) -> str:
        """Return the question in words."""
        return f"{self.query.title}, of a resample"

    @property
    def mechanism_key(self) -> str:
        """Return the key of the mechanism."""
        return _KEYS[self.form]

    @property
    def mechanism_label(self) -> str:
        """Return the name of the mechanism."""
        published = self.form is Form.PUBLISHED
        return resized_bootstrap.LABEL if published else resized_repair.LABEL

    @property
    def cost(self) -> PrivacyCost:
        """Return what the answer costs: (0, tau) as published, else what is asked."""
        rho = computed(self.plan.event.rho)
        if self.form is Form.PUBLISHED:
            return PrivacyCost(delta=computed(self.bootstrap.delta()), rho=rho)
        return PrivacyCost(epsilon=typed(self.epsilon), delta=typed(self.delta), rho=rho)

    def refusal(self, mode: Mode) -> str | None:
        """Return why it cannot be released in a mode and what to do; None if it can."""
        if self.form is not Form.PUBLISHED or mode is not Mode.RELEASE:
            return None
        delta, people = self.bootstrap.delta(), self.bootstrap.people
        return (
            "The resized bootstrap as published has no finite ε. It exposes an exact value "
            f"with probability {significant(delta)}, far above one in {people:,}. Release the "
            "corrected form, or study the published one in Classroom mode."
        )

    def parameters(self) -> dict[str, object]:
        """Return the public parameters that define the analysis, ready for JSON."""
        return {
            "kind": "resized",
            "query": self.query.parameters(),
            **RESIZED[self.mechanism_key].write(self),
        }

    def value(self, dataset: Table) -> FloatArray:
        """Return everybody's value within the bounds, shape ``(n,)``. CONFIDENTIAL.

        Raises:
            DataError: A cell is not what the column is declared to hold.
            ParameterError: There are not as many people as was said, or the table lies
                in parts.

        """
        held = in_memory(dataset, "a resized bootstrap")
        rows = checked(self.query.values(held), self.query.size)
        return self.query.bounds.clip(rows)


_PUBLISHED = Schema(
    ResizedRequest, mechanism=Part(codec=keyed(_KEYS), argument="form"), draws=WHOLE
)
RESIZED: Final = {
    resized_bootstrap.KEY: _PUBLISHED,
    resized_repair.KEY: Schema(ResizedRequest, **_PUBLISHED.parts, epsilon=NUMBER, delta=NUMBER),
}
"""By the key of the mechanism: as published, it guarantees nothing."""
