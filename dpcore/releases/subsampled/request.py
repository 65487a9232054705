"""A question that is answered from a secret sample of the table, and its price."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Final

from dpcore.codec import NUMBER, WHOLE, Part, Schema, keyed, optional
from dpcore.data.partitions.table import Table, in_memory
from dpcore.errors import ParameterError
from dpcore.mechanisms.base import require_budget
from dpcore.privacy.amplification import base_epsilon
from dpcore.privacy_filter import PrivacyCost, computed, typed
from dpcore.relations import TableSize
from dpcore.releases.record import Mode
from dpcore.releases.releasable import OfQuery
from dpcore.releases.request import CLAIM_TOLERANCE, Request
from dpcore.releases.subsampled.plan import Entries, SubsampledPlan, fixed_size
from dpcore.statistics.kinds import StatisticKind
from dpcore.statistics.query import Query

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
                f"a share of {self.share:g} of "
                f"{self.query.unit.number(self.query.size.people)} is less than one: "
                "the sample would be empty. Sample more."
            )
        if self.law == "gaussian" and not 0 < self.delta < self.rate:
            raise ParameterError(
                f"Gaussian noise on a sample needs a delta above 0 and below its rate "
                f"{self.rate:g}, got {self.delta:g}."
            )
        if not math.isfinite(self.base_epsilon):
            raise ParameterError("the epsilon on the sample is not finite. Sample more.")
        # Refuses here what the question to the sample refuses.
        _ = self.plan.event

    @property
    def title(self) -> str:
        """Return the question in words."""
        return f"{self.query.title}, from a sample of {100 * self.rate:.4g} %"

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
    def real_epsilon(self) -> float:
        """Return the epsilon that is given at ``used_delta``, over all tables."""
        return self.plan.worst_case(delta=self.used_delta)

    @property
    def cost(self) -> PrivacyCost:
        """Return what the answer costs."""
        real = self.real_epsilon
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
