"""What a plan costs as a whole, counted in four ways.

Its questions are fixed before the first answer, so that no mechanism is chosen in view
of an answer, and every theorem of composition holds for all of them together. The
tightest total is then the privacy that the plan gives. Questions that are asked one
after another, each in view of the answers before, are charged by a filter that adds up:
the tighter theorems do not hold for them as they stand.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal
from functools import lru_cache, reduce
from operator import add

from dpcore.analyses.base import Releasable
from dpcore.privacy.composition import Totals, compose
from dpcore.privacy.events import PrivacyEvent
from dpcore.privacy_filter import PrivacyCost, computed, typed

_WORTH = Decimal("0.99")
"""A total has to be this part of the sum, or less, to be worth a larger delta."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PlanCost:
    """What a plan costs.

    Attributes:
        added: Sum of what the questions cost one by one, as a filter adds it up.
        totals: What they cost together at ``delta``, by four ways of counting.
        delta: At which they are counted.

    """

    added: PrivacyCost
    totals: Totals
    delta: float

    @property
    def tightest(self) -> float:
        """Return the smallest epsilon at ``delta``; all four ways are valid."""
        known = self.totals
        return min(known.basic, known.advanced, known.zcdp, known.pld)

    @property
    def adds_up(self) -> bool:
        """Tell whether the plan is charged what its questions cost one by one.

        Where they need less delta, a total at ``delta`` has to be worth it.
        """
        tight, delta = computed(self.tightest), typed(self.delta)
        if not tight.is_finite():
            return True
        less = self.added.delta < delta
        worth = tight / _WORTH if less else tight
        return self.added.delta <= delta and self.added.epsilon <= worth

    @property
    def cost(self) -> PrivacyCost:
        """Return what the plan is charged, rounded up.

        The tightest total at ``delta``, unless what adds up is no more. In rho costs
        add up, and no way of counting does better.
        """
        if self.adds_up:
            return self.added
        return PrivacyCost(
            epsilon=computed(self.tightest), delta=typed(self.delta), rho=self.added.rho
        )


def cost_of_plan(requests: Sequence[Releasable], *, delta: float) -> PlanCost:
    """Return what questions cost together that are fixed before the first answer.

    Raises:
        ParameterError: ``delta`` is not in [0, 1), or a request cannot be carried out.

    """
    added = reduce(add, (request.cost for request in requests), PrivacyCost())
    events = sorted(
        (request.plan.event for request in requests),
        key=lambda event: (event.kind, event.parameter, event.delta),
    )
    return PlanCost(added=added, totals=_composed(tuple(events), delta), delta=delta)


@lru_cache(maxsize=256)
def _composed(events: tuple[PrivacyEvent, ...], delta: float) -> Totals:
    if not events:
        return Totals(basic=0.0, advanced=0.0, zcdp=0.0, pld=0.0)
    totals = compose(events, delta=delta)
    return (
        totals
        if not math.isnan(totals.pld)
        else Totals(basic=totals.basic, advanced=totals.advanced, zcdp=totals.zcdp, pld=math.inf)
    )
