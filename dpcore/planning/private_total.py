"""Choosing the total of a plan from the table: privately, and at a price.

Asked for is the largest of some public totals at which not more than ``k`` people lose
more than ``x``. Looking that up tells who is in the table. Here the totals are tried
from the smallest up by ``AboveThreshold``, on the *number* of people who lose more.

For that one person may change each number by one only, so that what a person loses is
counted from their own record and public numbers alone (``row_losses``): of a sum, and
of a mean of a public number of people, with Laplace noise or BIT, by how far the own
value moves it; of everything else at its worst case, which is alike for everybody. So
one person added or removed, or one record replaced, changes the number of people above
``x`` by at most one, and at every total in the same direction: the loss of a person is
one number times the total. A ratio of the largest to the smallest loss, or their
variance, has no such bound: one person changes it from one end to the other.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import Any, ClassVar, Final

import numpy as np
from numpy.typing import ArrayLike, NDArray

from dpcore.analyses.base import Mode, Question, Releasable, Request
from dpcore.analyses.measurement import Answer, Width
from dpcore.analyses.number import Query
from dpcore.arrays import FloatArray
from dpcore.data.dataset import Dataset
from dpcore.data.partitions.table import Table
from dpcore.errors import ParameterError
from dpcore.formatting import in_full
from dpcore.mechanisms.laplace import least_scale
from dpcore.mechanisms.mechanism import require_budget
from dpcore.models.question import ModelQuestion
from dpcore.planning.analysis_plan import LEAST, MOST
from dpcore.privacy.events import PureEvent
from dpcore.privacy_filter import PrivacyCost, computed, float_below, typed
from dpcore.relations import NeighboringRelation
from dpcore.secure_noise import covering
from dpcore.statistics.kinds import StatisticKind

KEY: Final = "above-threshold"
LABEL: Final = "Sparse vector (above threshold)"
TOLD: Final = "total ε"
MOST_TOTALS: Final = 50
_OWN: Final = {"laplace", "bit"}
MISSED: Final = 0.05


@dataclass(frozen=True, slots=True, kw_only=True)
class ChoicePlan:
    """How a total is chosen. PUBLIC.

    Attributes:
        search: The private search.
        totals: The public totals, ascending.

    """

    search: AboveThreshold
    totals: tuple[float, ...]

    @property
    def noise(self) -> float:
        """Return the scale of the noise on numbers of people."""
        return self.search.noise

    @property
    def event(self) -> PureEvent:
        """Return what the accountant has to know: only the pure level is used."""
        return PureEvent.from_ratio(self.search.epsilon)

    @property
    def off_by(self) -> int:
        """Return by how many people it may misjudge, 95% no more."""
        return self.search.off_by(len(self.totals), missed=MISSED)

    def width(self, *, unit: str, group: int) -> Width:  # noqa: ARG002 - a common signature
        """Return that nothing is known of it beforehand."""
        return Width(half=math.inf, of="depends on the answer")

    def answer(self, value: NDArray[np.int64], *, cost: PrivacyCost) -> Answer:
        """Draw securely from the numbers of people above, and tell a total.

        ``value`` has shape ``(m,)``. All noise is drawn whatever it is, so that the
        time says nothing.
        """
        # Each release of noise may use half of what the choice costs.
        level = float_below(cost.epsilon / 2)
        exact = [*map(int, value), self.search.threshold]
        measure = covering("discrete", len(exact), self.noise, 1, level)
        *counts, threshold = measure(exact)
        place = self.search.first_above(counts, threshold)
        off = {"people misjudged at most, 95%": float(self.off_by)}
        if place == 0:
            return Answer(labels=(), values=(), derived=off, unsaid=(TOLD,))
        return Answer(labels=(TOLD,), values=(self.totals[place - 1],), derived=off)


@dataclass(frozen=True, kw_only=True)
class ChoiceRequest(Releasable):
    """The choice of a total of a plan, and its price. PUBLIC.

    Attributes:
        requests: The questions of the plan with their epsilons, at least one.
        totals: Among which totals is chosen, ascending, from 1 to 50.
        limit: What hardly anybody should lose more than, positive.
        allowed: How many people may, at least 0.
        epsilon: What the choice itself costs.

    Raises:
        ParameterError: One of these is outside its domain, a unit may own several rows,
            or a question guarantees nothing finite.

    """

    mechanism_label: ClassVar = LABEL
    mechanism_key: ClassVar = KEY
    requests: tuple[Releasable, ...]
    totals: tuple[float, ...]
    limit: float
    allowed: int
    epsilon: float
    draw: int = 1

    def __post_init__(self) -> None:
        totals = self.totals
        steps = all(a < b for a, b in pairwise(totals))
        inside = totals and totals[0] >= LEAST and totals[-1] <= MOST
        if not (inside and steps and len(totals) <= MOST_TOTALS):
            raise ParameterError(f"choose among 1 to {MOST_TOTALS} ascending totals.")
        if not 0 < self.limit < math.inf or self.allowed < 0:
            raise ParameterError(
                "what nobody should lose more than must be positive, and how many may at least 0."
            )
        if not self.requests or self.unit.several:
            raise ParameterError(
                "a total is chosen for at least one question, with one row a unit."
            )
        if not math.isfinite(self.planned):
            raise ParameterError("one of the planned questions has no finite ε.")
        _ = self.plan

    @cached_property
    def planned(self) -> float:
        """Return the total that the questions have now."""
        return math.fsum(float(each.cost.epsilon) for each in self.requests)

    @cached_property
    def plan(self) -> ChoicePlan:
        """Return how the total is chosen."""
        search = AboveThreshold.calibrate(epsilon=self.epsilon, threshold=self.allowed)
        return ChoicePlan(search=search, totals=self.totals)

    @property
    def asked(self) -> Question | ModelQuestion:
        """Return the first question; all are asked under the same terms."""
        return self.requests[0].asked

    @property
    def title(self) -> str:
        """Return what is chosen, in words."""
        return (
            "the largest total ε of a plan at which at most "
            f"{self.unit.number(self.allowed)} lose more than {in_full(self.limit)}"
        )

    @property
    def statement(self) -> str:
        """Return what is chosen, and among what."""
        return (
            f"{self.title}, of {len(self.totals)} totals from "
            f"{in_full(self.totals[0])} to {in_full(self.totals[-1])}"
        )

    @property
    def cost(self) -> PrivacyCost:
        """Return what the choice costs, whatever the plan will."""
        return PrivacyCost(epsilon=typed(self.epsilon), rho=computed(self.plan.event.rho))

    def refusal(self, mode: Mode) -> str | None:  # noqa: ARG002 - the same in all
        """Return nothing: what cannot be chosen cannot be asked."""
        return None

    def parameters(self) -> dict[str, object]:
        """Return the public parameters that define the choice, ready for JSON."""
        return {
            "kind": "choice of a total",
            "questions": [request.parameters() for request in self.requests],
            "totals": list(self.totals),
            "limit": self.limit,
            "allowed": self.allowed,
            "epsilon": self.epsilon,
            "mechanism": KEY,
        }

    def value(self, dataset: Table) -> Any:  # noqa: ANN401 - as the class says
        """Return how many lose more than the limit at each total. CONFIDENTIAL."""
        columns = {c.name for request in self.requests for c in request.asked.columns}
        counts = [*dataset.each(self._counted, sorted(columns))]
        return np.asarray(np.sum(counts, axis=0, dtype=np.int64))

    def _counted(self, part: Dataset) -> NDArray[np.int64]:
        own = self.row_losses(part)
        factors = np.array(self.totals) / self.planned
        return np.array(
            [np.count_nonzero(own * factor > self.limit) for factor in factors], dtype=np.int64
        )

    def row_losses(self, dataset: Dataset) -> FloatArray:
        """Return what each row is counted to lose by the plan as it is, ``(n,)``.

        At least what it loses. Each number is computed from its own row alone, by the
        same steps in every table. CONFIDENTIAL.
        """
        total = np.zeros(dataset.people)
        for request in self.requests:
            total += _own_losses(request, dataset)
        return total


def _own_losses(request: Releasable, dataset: Dataset) -> FloatArray:
    """Return what each row loses by one answer, from that row and public numbers."""
    worst = float(request.cost.epsilon)
    found = np.full(dataset.people, worst)
    query = request.asked
    if (
        not isinstance(request, Request)
        or not isinstance(query, Query)
        or request.mechanism_key not in _OWN
    ):
        return found
    moved = _moved(query, dataset)
    if moved is None:
        return found
    rows, distances = moved
    if query.relation is NeighboringRelation.ADD_REMOVE:
        # Who has no value behind the sum does not move it by leaving.
        found[:] = 0.0
    found[rows] = np.minimum(distances / request.plan.noise, worst)
    return found


def _moved(query: Query, dataset: Dataset) -> tuple[NDArray[np.intp], FloatArray] | None:
    """Return how far rows move an answer at most; ``None`` where others matter too.

    Of a sum by leaving: the clamped value. With another record in its place: how far it
    is from the farther bound, where everybody keeps a value.
    """
    summed = query.kind is StatisticKind.SUM
    averaged = query.kind is StatisticKind.MEAN and query.size.public
    removed = query.relation is NeighboringRelation.ADD_REMOVE
    bounds = query.column.bounds
    if bounds is None or not (summed or averaged):
        return None
    if not (query.size.public or (removed and summed)):
        return None
    clamped = bounds.clip(query.values(dataset))
    if removed:
        distances = np.abs(clamped)
    else:
        distances = np.maximum(clamped - bounds.lower, bounds.upper - clamped)
    return query.rows(dataset), distances / (query.size.people if averaged else 1)


_NEVER: Final = 1e-18


@dataclass(frozen=True, slots=True, kw_only=True)
class AboveThreshold:
    """The first of several counts that is above a threshold, privately.

    The sparse vector technique with one answer (``AboveThreshold``, Dwork and Roth
    2014, algorithm 1; Lyu, Su and Li 2017 for counts that move together). Whole-numbered
    Laplace noise is added to a threshold and to each count; the place of the first noisy
    count above the noisy threshold is released, and nothing else.

    It is ``epsilon``-DP where a neighbor changes every count by at most one, and all of
    them in the same direction or not at all. With scale ``b = 2/epsilon``, ``c`` and
    ``c'`` the counts of neighbors, ``k`` the threshold, and noise ``r`` on it and
    ``v_i`` on the counts, the place ``j`` is told with probability

        sum over z of P[r = z] P[c_i + v_i <= k + z for all i < j] P[c_j + v_j > k + z].

    Where no ``c'`` is below ``c``, hold the term at ``z`` against that of the neighbor
    at ``z + 1``: the first factor falls by ``e^(1/b)`` at most, the second does not
    fall, as ``c'_i <= c_i + 1``, nor does the third by more than ``e^(1/b)``, as ``c'_j
    >= c_j``. Where no ``c'`` is above ``c``, hold it against that at the same ``z``:
    the first two do not fall, and the third by ``e^(1/b)`` at most. So no probability
    differs by more than ``e^(2/b)``; that none is above, likewise.

    Attributes:
        noise: The scale ``b`` of all noise.
        threshold: What a count must be above, a whole number of at least 0.

    Raises:
        ParameterError: One of these is outside its domain.

    """

    noise: float
    threshold: int

    def __post_init__(self) -> None:
        if not 0 < self.noise < math.inf or self.threshold < 0:
            raise ParameterError("a search needs positive noise and a threshold of at least 0.")

    @classmethod
    def calibrate(cls, *, epsilon: float, threshold: int) -> AboveThreshold:
        """Return the search that is ``epsilon``-DP."""
        require_budget(epsilon)
        return cls(noise=least_scale(2.0, epsilon), threshold=threshold)

    @property
    def epsilon(self) -> float:
        """Return what it guarantees, ``2/b``."""
        return 2 / self.noise

    def first_above(self, counts: Sequence[float], threshold: float) -> int:
        """Return the place of the first noisy count above; their number if none is."""
        above = np.flatnonzero(np.asarray(counts) > threshold)
        return int(above[0]) if len(above) else len(counts)

    def probabilities(self, counts: ArrayLike) -> FloatArray:
        """Return the law of the place, of ``m`` counts shape ``(m + 1,)``.

        The last is the probability that none is above. What is less likely than 1e-18
        of the noise on the threshold is left out.
        """
        counts = np.asarray(counts, dtype=np.float64)
        reach = math.ceil(-self.noise * math.log(_NEVER))
        z = np.arange(-reach, reach + 1.0)
        below = self._below(self.threshold + z[:, np.newaxis] - counts)
        passed = np.cumprod(below, axis=1)
        before = np.concatenate([np.ones((len(z), 1)), passed], axis=1)
        here = np.concatenate([1 - below, np.ones((len(z), 1))], axis=1)
        return np.asarray(self._mass(z) @ (before * here))

    def off_by(self, searches: int, *, missed: float) -> int:
        """Return by how much a count may be misjudged, but with probability ``missed``.

        Whole-numbered noise exceeds a whole number ``t`` in size with probability ``2
        e^(-(t + 1)/b)/(1 + e^(-1/b))``, at most ``e^(-t/b)``; that on the threshold and
        on ``searches`` counts together stays within ``t = b log((searches +
        1)/missed)``, rounded up.
        """
        return 2 * math.ceil(self.noise * math.log((searches + 1) / missed))

    def _mass(self, z: FloatArray) -> FloatArray:
        """Return the probability of noise ``z``."""
        ratio = math.exp(-1 / self.noise)
        return np.asarray((1 - ratio) / (1 + ratio) * ratio ** np.abs(z))

    def _below(self, z: FloatArray) -> FloatArray:
        """Return the probability of noise of at most ``z``."""
        ratio = math.exp(-1 / self.noise)
        with np.errstate(over="ignore"):
            left = ratio ** np.maximum(-z, 0.0) / (1 + ratio)
            right = 1 - ratio ** (np.maximum(z, -1.0) + 1) / (1 + ratio)
        return np.where(z < 0, left, right)
