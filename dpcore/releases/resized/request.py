"""A mean or a share by a resample: as published, or repaired."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from fractions import Fraction
from functools import cached_property
from typing import Final

from dpcore.arrays import FloatArray
from dpcore.codec import NUMBER, WHOLE, Part, Schema, keyed
from dpcore.data.partitions.table import Table, in_memory
from dpcore.errors import ParameterError
from dpcore.mechanisms import resized_bootstrap, resized_repair
from dpcore.mechanisms.resized_bootstrap import ResizedBootstrap
from dpcore.mechanisms.resized_repair import NoisyResample
from dpcore.privacy_filter import PrivacyCost, computed, typed
from dpcore.releases.record import Mode
from dpcore.releases.releasable import OfQuery
from dpcore.releases.resized.plan import PublishedPlan, RepairedPlan
from dpcore.statistics.checks import checked
from dpcore.statistics.kinds import StatisticKind
from dpcore.statistics.query import Query

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
                f"a resample needs a public number of {self.query.unit.counted}: "
                "declare a public value for missing ones, and use the table under "
                f"substitution with one row for each {self.query.unit.noun}."
            )
        if self.draws <= 1:
            raise ParameterError(f"more than one row must be drawn, got {self.draws}.")
        people = self.query.size.people
        if self.form is Form.REPAIRED and self.delta * people >= 1:
            raise ParameterError(
                f"a delta of {self.delta:g} is not below one in "
                f"{self.query.unit.number(people)}: "
                "with that chance somebody's value might be shown nearly as it is. "
                "Choose a smaller delta, or 0."
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
            f"The resized bootstrap as published has no finite epsilon: with "
            f"probability {delta:.3g}, far more than one in {people:,}, it shows "
            "somebody's value as it is. Release the repaired form, or look at the "
            "published one in Classroom mode."
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
