"""Answers from a secret sample: the sample, noise, and back to the table."""

from __future__ import annotations

import math
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Final, cast

import numpy as np
from numpy.typing import ArrayLike, NDArray

from dpcore.analyses import secure
from dpcore.analyses.base import CLAIM_TOLERANCE, Mode, OfQuery, Request
from dpcore.analyses.measurement import Answer, LabelledIntervals, Width
from dpcore.analyses.number import Query
from dpcore.arrays import FloatArray
from dpcore.codec import NUMBER, WHOLE, Part, Schema, keyed, optional
from dpcore.data.partitions.table import Table, in_memory
from dpcore.errors import ParameterError
from dpcore.formatting import in_full, significant
from dpcore.inference.intervals import LEVEL, Intervals, intervals, noise_half_width
from dpcore.mechanisms.mechanism import require_budget
from dpcore.privacy import subsampling_amplification
from dpcore.privacy.events import FixedSampleEvent, SampleEvent
from dpcore.privacy.subsampling_amplification import NoiseLaw, base_epsilon
from dpcore.privacy_filter import PrivacyCost, computed, typed
from dpcore.relations import NeighboringRelation, TableSize
from dpcore.secure_samples import fixed_size_sample, poisson_sample
from dpcore.statistics.kinds import StatisticKind
from dpcore.statistics.statistic import Statistic


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Entries:
    """What the sample is drawn from. CONFIDENTIAL.

    Attributes:
        values: One entry for each person behind the statistic.
        rows: The row of the table, from 0, of each of them.
        people: The number of rows of the table.

    """

    values: FloatArray = field(repr=False)
    rows: NDArray[np.intp] = field(repr=False)
    people: int = field(repr=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class SubsampledPlan:
    """Noise on the statistic of a secret sample, scaled up to the table. PUBLIC.

    Attributes:
        base: The question to the sample, with the mechanism that answers it there.
        rate: The chance that a row is in the sample, in (0, 1].
        people: The rows of the table where they are public, and then the sample has a
            fixed size; ``None`` where everybody is taken with the same chance.

    """

    base: Request
    rate: float
    people: int | None

    @property
    def law(self) -> NoiseLaw:
        """Return the law of the noise."""
        return cast("NoiseLaw", self.base.mechanism_key)

    @property
    def scale(self) -> float:
        """Return what the answer from the sample is multiplied by: a total grows."""
        kind = self.base.query.kind
        total = kind in {StatisticKind.SUM, StatisticKind.COUNT}
        return 1 / self.rate if total else 1.0

    @property
    def noise(self) -> float:
        """Return the scale of the noise in the answer."""
        return self.scale * self.base.mechanism.noise

    @property
    def event(self) -> SampleEvent:
        """Return the noise on the sample, and the rate."""
        whole = self.base.mechanism.event(self.base.sensitivity)
        scheme = SampleEvent if self.people is None else FixedSampleEvent
        return scheme(law=self.law, parameter=whole.parameter, rate=self.rate)

    @property
    def rho(self) -> float:
        """Return the zCDP level: a sample does not lower that of Gaussian noise."""
        return self.event.rho

    def worst_case(self, *, delta: float = 0.0) -> float:
        """Return the epsilon at ``delta`` over all tables, of the final answer."""
        level = subsampling_amplification.subsampled_epsilon(
            self.law, self.event.ratio, self.rate, delta
        )
        return float(level)

    @property
    def shift(self) -> float | None:
        """Return by how much more a person moves the sample than the table, if fixed.

        A person in the sample moves its mean by ``people`` over its size as much as the
        mean of the table, a total by the same amount. With a private number of people
        the share that one has in a mean depends on who else is sampled: ``None``.
        """
        if self.scale != 1 or self.rate == 1:
            return 1.0
        kind, size = self.base.query.kind, self.base.query.size
        if kind in {StatisticKind.SUM, StatisticKind.COUNT}:
            return 1.0
        return 1 / self.rate if size.public else None

    def pairwise_epsilon(
        self, first: ArrayLike, second: ArrayLike, *, delta: float = 0.0
    ) -> FloatArray:
        """Return an epsilon at ``delta`` between two values of the table's statistic.

        With one person more or less, and ``delta_i`` the profile of a person who is in
        the sample for sure, that of the release is at most ``q delta_i`` at the
        amplified level: exactly so at ``delta = 0``, and for any delta where nobody
        else's being drawn can show. Where a person's weight in the sample is not fixed
        (``shift``), it is the worst case of all tables, also where two means are equal:
        samples of the tables still differ.

        In a sample of a fixed size another row takes the place of a person who is not
        in it, so that how far the two are apart counts, too (Balle, Barthe and Gaboardi
        2018, theorem 9). What holds whatever the other rows are is the loss if it were
        told who is in the sample, and the worst case: the smaller one, an upper bound.
        """
        first = np.asarray(first, dtype=np.float64)
        moved = np.asarray(second, dtype=np.float64) - first
        if self.shift is None:
            return np.full(moved.shape[:-1], self.worst_case(delta=delta))
        distance = np.sqrt(np.sum(moved * moved, axis=-1)) * self.shift
        ratio = distance / self.base.mechanism.noise
        if self.people is None:
            return subsampling_amplification.subsampled_epsilon(self.law, ratio, self.rate, delta)
        told = subsampling_amplification.subsampled_epsilon(self.law, ratio, 1.0, delta)
        return np.minimum(told, self.worst_case(delta=delta))

    def noise_half_width(self, level: float = LEVEL) -> float:
        """Return how far off noise alone takes the answer, with that confidence."""
        bounds, mechanism = self.base.query.bounds, self.base.mechanism
        return self.scale * noise_half_width(mechanism, bounds=bounds, level=level)

    def drawn(self, value: Entries) -> FloatArray:
        """Draw a sample, and noise around its statistic, shape ``(1,)``.

        The size of a sample without a fixed size stays secret too.
        """
        taken = (
            poisson_sample(value.people, self.rate)
            if self.people is None
            else fixed_size_sample(value.people, self.base_rows)
        )
        entries = value.values[taken[value.rows]]
        return secure.draw(
            self.base.mechanism,
            self.base.query.statistic.value(entries),
            sensitivity=self.base.sensitivity,
            cost=self.base.cost,
        )

    def width(self, *, unit: str, group: int) -> Width:  # noqa: ARG002 - a common signature
        """Return the half-width of the worst of all numbers at once, at 95%."""
        of = "the noise; who is sampled adds to it"
        return Width(half=self.noise_half_width(), unit=unit, of=of)

    def answer(self, value: Entries, *, cost: PrivacyCost) -> Answer:  # noqa: ARG002 - OpenDP confirms the level on the sample
        """Draw from a sample, and scale up to the table."""
        drawn = self.drawn(value)
        query, mechanism = self.base.query, self.base.mechanism
        statistic = query.statistic
        table, population = (
            # Of a statistic they only ask the sampling error.
            intervals(mechanism, cast("Statistic", part), drawn, bounds=query.bounds)
            for part in (self._of_table, self._of_population)
        )
        around = Intervals(
            level=table.level, noise=self.scale * table.total, total=self.scale * population.total
        )
        return Answer(
            labels=statistic.labels,
            values=tuple((self.scale * drawn).tolist()),
            intervals=LabelledIntervals.of(statistic.labels, around),
        )

    @property
    def base_rows(self) -> int:
        """Return the size of a sample of fixed size."""
        return round(self.rate * (self.people or 0))

    @property
    def _of_table(self) -> _Sampled:
        """Return the statistic with the error of sampling from this very table."""
        n = self.people
        left = 1 - self.rate if n is None else (n - self.base_rows) / (n - 1) if n > 1 else 0.0
        return _Sampled(statistic=self.base.query.statistic, share=left, floor=self._sd)

    @property
    def _of_population(self) -> _Sampled:
        """Return the statistic with the error of sampling from a population."""
        return _Sampled(statistic=self.base.query.statistic, share=1.0, floor=self._sd)

    @property
    def _sd(self) -> float:
        """Return the least bound on the standard deviation of a sampled mean.

        A sample may fall below its public minimum of people, and its mean is then drawn
        to the middle of the bounds. With ``M`` that minimum, ``R/2 sqrt(M + 1)/M``.
        """
        query = self.base.query
        if query.size.public or self.scale != 1 or self.shift == 1:
            return 0.0
        least = query.size.people
        return query.bounds.width / 2 * math.sqrt(least + 1) / least


@dataclass(frozen=True, slots=True, kw_only=True)
class _Sampled:
    """A statistic of a sample whose sampling error is a part of that of a population.

    Attributes:
        statistic: The statistic of the sample.
        share: The variance over that of a sample from an endless population, in [0, 1].
        floor: Least bound on the standard deviation, before ``share``.

    """

    statistic: Statistic
    share: float
    floor: float

    def sampling_sd(self, estimate: FloatArray) -> FloatArray:
        if self.share == 0:
            return np.zeros_like(np.asarray(estimate, dtype=np.float64))
        whole = np.maximum(self.statistic.sampling_sd(estimate), self.floor)
        return math.sqrt(self.share) * whole


def fixed_size(relation: NeighboringRelation) -> bool:
    """Tell whether samples have a fixed size: where the number of rows is public."""
    return relation is NeighboringRelation.SUBSTITUTION


LAWS: Final = {"laplace": "Laplace", "gaussian": "Gaussian (analytic)"}
"""The noise that a sample can get, by the key of its mechanism."""
_KEYS: Final = {law: f"subsampled-{law}" for law in LAWS}
KINDS: Final = (
    StatisticKind.MEAN,
    StatisticKind.PROPORTION,
    StatisticKind.SUM,
    StatisticKind.COUNT,
)
"""What can be asked of a sample."""


@dataclass(frozen=True, kw_only=True)
class SubsampledRequest(OfQuery):
    """A mean, share, total or count of a table, answered from a secret sample. PUBLIC.

    Where a neighbor has one person more or less, everybody is sampled with the same
    chance (Poisson); where a record is replaced, and the number of rows is public, a
    sample of fixed size is drawn without replacement. A total of the sample is scaled
    up. The final epsilon is what is paid; the level on the sample follows from it.

    Attributes:
        query: The question to the whole table.
        law: "laplace" or "gaussian".
        epsilon: What the answer may cost, positive and finite.
        share: Which part of the rows is sampled, in (0, 1].
        delta: For Gaussian noise, above 0 and below the share; not used for Laplace.
        people: The number of rows where it is public (a record is replaced); else None.

    Raises:
        ParameterError: A parameter is outside its domain, the sample would hold nobody,
            or one unit has more than one row: they would be sampled apart.

    """

    query: Query
    law: str
    epsilon: float
    share: float
    delta: float = 0.0
    people: int | None = None
    draw: int = 1

    def __post_init__(self) -> None:
        require_budget(self.epsilon, self.delta)
        self._check_question()
        if not 0 < self.share <= 1:
            raise ParameterError(
                f"the share of rows in the sample must be above 0 and at most 1, got {self.share}."
            )
        if self._fewest < 1:
            raise ParameterError(
                f"a share of {in_full(self.share)} of "
                f"{self.query.unit.number(self.query.size.people)} is less than one: "
                "the sample would be empty. Sample more."
            )
        if self.law == "gaussian" and not 0 < self.delta < self.rate:
            raise ParameterError(
                f"Gaussian noise on a sample needs a delta above 0 and below its rate "
                f"{in_full(self.rate)}, got {in_full(self.delta)}."
            )
        if not math.isfinite(self.base_epsilon):
            raise ParameterError("the epsilon on the sample is not finite. Sample more.")
        # Refuses here what the question to the sample refuses.
        _ = self.plan.event

    @property
    def title(self) -> str:
        """Return the question in words."""
        return f"{self.query.title}, from a sample of {significant(100 * self.rate, 4)}%"

    @property
    def mechanism_key(self) -> str:
        """Return the key of the mechanism."""
        return _KEYS[self.law]

    @property
    def mechanism_label(self) -> str:
        """Return the name of the mechanism."""
        return f"{LAWS[self.law]} on a secret sample"

    @property
    def used_delta(self) -> float:
        """Return ``delta``, or 0 where the noise needs none."""
        return self.delta if self.law == "gaussian" else 0.0

    @property
    def rate(self) -> float:
        """Return the chance that a row is in the sample: of whole rows if of many."""
        if self.people is None:
            return self.share
        return self._part_of(self.people) / self.people

    @property
    def base_epsilon(self) -> float:
        """Return the level on the sample that ends at ``epsilon``."""
        return float(base_epsilon(self.epsilon, self.rate))

    @cached_property
    def plan(self) -> SubsampledPlan:
        """Return how the answer is drawn."""
        size = TableSize(people=self._fewest, public=self.query.size.public)
        base = Request(
            query=replace(self.query, size=size),
            mechanism_key=self.law,
            epsilon=self.base_epsilon,
            delta=self.used_delta / self.rate,
        )
        return SubsampledPlan(base=base, rate=self.rate, people=self.people)

    @cached_property
    def effective_epsilon(self) -> float:
        """Return the epsilon that is given at ``used_delta``, over all tables."""
        return self.plan.worst_case(delta=self.used_delta)

    @property
    def cost(self) -> PrivacyCost:
        """Return what the answer costs."""
        real = self.effective_epsilon
        holds = real <= self.epsilon * (1 + CLAIM_TOLERANCE)
        return PrivacyCost(
            epsilon=typed(self.epsilon) if holds else computed(real),
            delta=typed(self.used_delta),
            rho=computed(self.plan.rho),
        )

    def refusal(self, mode: Mode) -> str | None:
        """Return ``None``: the price is that of the privacy that is really given."""
        return self.plan.base.refusal(mode)

    def parameters(self) -> dict[str, object]:
        """Return the public parameters that define the analysis, ready for JSON."""
        return {"kind": "subsampled", "query": self.query.parameters(), **SUBSAMPLED.write(self)}

    def value(self, dataset: Table) -> Entries:
        """Return what the sample is drawn from. CONFIDENTIAL.

        Raises:
            DataError: The column cannot be read as it is declared.
            ParameterError: The table does not have the public number of rows, or it
                lies in parts.

        """
        held = in_memory(dataset, "a secret sample")
        if self.people is not None and held.people != self.people:
            raise ParameterError(
                f"the public number of rows is {self.people}, and the table has another one."
            )
        return Entries(
            values=self.query.values(held), rows=self.query.rows(held), people=held.people
        )

    @property
    def _fewest(self) -> int:
        """Return how many people the sample has, or is to be expected to have."""
        return self._part_of(self.query.size.people)

    def _part_of(self, people: int) -> int:
        # In decimals: a tenth of 30 rows are 3 rows.
        return math.floor(typed(self.share) * people)

    def _check_question(self) -> None:
        if self.law not in LAWS:
            raise ParameterError(f"the noise on a sample must be one of {', '.join(LAWS)}.")
        if self.query.kind not in KINDS:
            raise ParameterError(
                f"a sample answers for a {', '.join(KINDS)}, not for a {self.query.kind}."
            )
        if self.query.unit.several:
            raise ParameterError(
                f"a sample needs one row for each {self.query.unit.noun}: several rows "
                "of one would be sampled apart."
            )
        if fixed_size(self.query.relation) is (self.people is None):
            raise ParameterError("the number of rows is public exactly where a record is replaced.")
        size = self.query.size
        if self.people is not None and self.people < size.people:
            raise ParameterError(f"{size.people} people need as many rows, got {self.people}.")


SUBSAMPLED: Final = Schema(
    SubsampledRequest,
    mechanism=Part(codec=keyed(_KEYS), argument="law"),
    epsilon=NUMBER,
    delta=Part(codec=NUMBER, of=lambda request: request.used_delta),
    share=NUMBER,
    people=optional(WHOLE),
)
