"""What an attacker reads from one release, over all neighboring tables. PUBLIC.

Everything follows from the public numbers of a request: the sensitivity of its question
and the noise of its mechanism. No table is looked at, so that it may be shown, and
signed, before anything is released.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

from dpcore.data.bounds import Interval
from dpcore.mechanisms.base import Mechanism, Sensitivity
from dpcore.mechanisms.catalog import Entry
from dpcore.mechanisms.gaussian import Gaussian
from dpcore.releases.plans.plan import Direct, Plan
from dpcore.releases.request import Request
from dpcore.studies.meaning.guarantee import Guarantee
from dpcore.studies.meaning.pair import Pair, worst_pair
from dpcore.studies.meaning.profile import ProfileBound


@dataclass(frozen=True, kw_only=True, eq=False)
class Reading:
    """What one release tells at most, beside what its guarantee allows anybody.

    Attributes:
        guarantee: The epsilon and delta that are really given; ``None`` where there is
            none.
        attack: The best attacker against this very mechanism.
        largest_loss: The most that a release moves the log odds, over all neighbors;
            infinite where single releases may tell all.
        exact: Whether ``attack`` can be carried out, and is not only a limit.

    """

    guarantee: Guarantee | None
    attack: Pair | ProfileBound
    largest_loss: float
    exact: bool


class _Known(Protocol):
    """The epsilon of a plan, or of a mechanism, over all tables."""

    def __call__(self, *, delta: float) -> float:
        """Return it at a delta."""


def of_request(request: Request) -> Reading:
    """Return what the answer to a request tells an attacker."""
    plan = request.plan
    given = _guarantee(request.real_epsilon, request.used_delta)
    if isinstance(plan, Direct):
        exact = _pair_of(plan.mechanism, plan.sensitivity)
        if exact is not None:
            return _reading(given, exact, plan.worst_case)
    return _of_plan(given, plan)


def of_mechanism(
    entry: Entry, *, sensitivity: Sensitivity, epsilon: float, delta: float, bounds: Interval
) -> Reading:
    """Return what a mechanism of the catalog tells of one number.

    Raises:
        ParameterError: The budget is outside its domain.

    """
    used = delta if entry.needs_delta else 0.0
    mechanism = entry.calibrate(sensitivity=sensitivity, epsilon=epsilon, delta=used, bounds=bounds)

    def worst_case(*, delta: float) -> float:
        return mechanism.epsilon(sensitivity, delta=delta)

    given = _guarantee(worst_case(delta=used), used)
    return _reading(given, worst_pair(mechanism, sensitivity.largest), worst_case)


def _pair_of(mechanism: Mechanism, sensitivity: Sensitivity) -> Pair | None:
    """Return the worst pair where one number says all that a release tells.

    That is where a person changes a single coordinate, and with Gaussian noise, of
    which the part along the change says everything.
    """
    if isinstance(mechanism, Gaussian):
        return worst_pair(mechanism, sensitivity.l2)
    if sensitivity.coordinates == 1:
        return worst_pair(mechanism, sensitivity.largest)
    return None


def _reading(given: Guarantee | None, attack: Pair, worst_case: _Known) -> Reading:
    return Reading(guarantee=given, attack=attack, largest_loss=worst_case(delta=0.0), exact=True)


def _of_plan(given: Guarantee | None, plan: Plan) -> Reading:
    attack = ProfileBound.of(lambda delta: plan.worst_case(delta=delta))
    return Reading(guarantee=given, attack=attack, largest_loss=attack.largest_loss, exact=False)


def _guarantee(epsilon: float, delta: float) -> Guarantee | None:
    """Return what is really given; none where that is nothing finite."""
    known = 0 < epsilon < float("inf")
    return Guarantee(epsilon=epsilon, delta=delta) if known else None
