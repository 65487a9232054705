"""What the answers to a plan reveal about each person of a table, all together.

CONFIDENTIAL, all of it: it is computed from everybody's records, without noise. It
describes this table under a plan, and guarantees nothing; the guarantee of the plan is
the worst case over all tables.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Final, Self

import numpy as np
from numpy.typing import NDArray

from dpcore.analyses.base import Releasable, Request
from dpcore.analyses.model import ModelRequest
from dpcore.analyses.subsampled import SubsampledRequest
from dpcore.arrays import FloatArray
from dpcore.data.dataset import Dataset
from dpcore.errors import DPCoreError, ParameterError
from dpcore.individual.losses import Losses
from dpcore.individual.model_losses import model_losses
from dpcore.individual.per_instance_loss import Moves
from dpcore.individual.person_totals import Counting, gather
from dpcore.individual.release_losses import (
    ReleaseLosses,
    model_release_losses,
    release_losses,
    sampled_losses,
)
from dpcore.planning.analysis_plan import LEAST, MOST, PlannedQuery
from dpcore.privacy.events import GaussianEvent
from dpcore.relations import NeighboringRelation

MOST_KEPT: Final = 20_000_000
"""So many losses are kept: of larger plans some count at their worst case."""
_EXACT: Final = 1e-9
_STEPS: Final = 200
_PATIENCE: Final = 2
_FLAT: Final = 0.1


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class QuestionLosses:
    """What the answer to one question reveals about everybody. CONFIDENTIAL.

    Attributes:
        at_first: That at the epsilon which it was worked out at.
        noise: The scale of the noise there.
        anew: Works it out at another epsilon; what no epsilon changes is kept.

    """

    at_first: ReleaseLosses = field(repr=False)
    noise: float
    anew: Callable[[Any], ReleaseLosses] | None = field(repr=False)

    @property
    def known(self) -> bool:
        """Tell whether each person has a loss of their own."""
        return self.at_first.own is not None

    @classmethod
    def of(cls, request: Releasable, dataset: Dataset, relation: NeighboringRelation) -> Self:
        """Return what a question reveals, at its worst case where that is not known."""
        try:
            anew = _reading(request, dataset, relation)
            found = None if anew is None else anew(request)
        except DPCoreError:
            anew = found = None
        worst = ReleaseLosses(event=request.plan.event)
        return cls(at_first=found or worst, noise=request.plan.noise, anew=anew)

    def at(self, request: Releasable) -> ReleaseLosses:
        """Return what the same question reveals at the epsilon of ``request``.

        The shift over the noise of Laplace and of Gaussian noise is in proportion to
        one over its scale.
        """
        plan, first = request.plan, self.at_first
        if self.anew is None or first.own is None:
            return ReleaseLosses(event=plan.event)
        if _in_proportion(request):
            if plan.noise == self.noise:
                return first
            own = first.own * (self.noise / plan.noise)
            return replace(first, event=plan.event, own=own)
        return self.anew(request)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class PlanLosses:
    """What the questions of a plan reveal about everybody. CONFIDENTIAL.

    Attributes:
        people: How many people there are.
        relation: Which change of a record losses are about. Public.
        questions: What each reveals, in the order of the plan.

    """

    people: int
    relation: NeighboringRelation
    questions: tuple[QuestionLosses, ...] = field(repr=False)

    @classmethod
    def of(
        cls, items: Sequence[PlannedQuery], dataset: Dataset, relation: NeighboringRelation
    ) -> Self:
        """Return what the questions of a plan reveal about the people of a table."""
        most = max(1, MOST_KEPT // max(dataset.people, 1))
        by_price = sorted(items, key=lambda item: -item.epsilon)
        closely = {item.key for item in by_price[:most]}
        questions = [
            QuestionLosses.of(item.request, dataset, relation)
            if item.key in closely
            else QuestionLosses(
                at_first=ReleaseLosses(event=item.request.plan.event),
                noise=item.request.plan.noise,
                anew=None,
            )
            for item in items
        ]
        return cls(people=dataset.people, relation=relation, questions=tuple(questions))

    def totals(self, items: Sequence[PlannedQuery], *, delta: float) -> FloatArray:
        """Return everybody's loss from all answers, shape ``(n,)``, at ``delta``.

        ``items`` are the same questions, with whatever epsilon.
        """
        pairs = zip(self.questions, items, strict=True)
        losses = [question.at(item.request) for question, item in pairs]
        if any(one.event.needs_delta or one.event.delta for one in losses):
            found = gather(losses, people=self.people).at(delta).of[Counting.BEST]
            return np.asarray(found)
        total = np.zeros(self.people)
        for one in losses:
            total += np.asarray(one.epsilon(0.0))
        return total

    def each(
        self, items: Sequence[PlannedQuery], people: NDArray[np.intp], *, delta: float
    ) -> FloatArray:
        """Return what each answer alone reveals about some people, shape ``(q, p)``."""
        pairs = zip(self.questions, items, strict=True)
        found = [question.at(item.request).among(people).epsilon(delta) for question, item in pairs]
        return np.array([np.broadcast_to(one, len(people)) for one in found])

    def nobody_above(self, items: Sequence[PlannedQuery], limit: float, *, delta: float) -> float:
        """Return by which factor every epsilon of a plan may grow, or has to shrink.

        At the factor nobody's total is above ``limit``; at one that is larger by 1e-9
        of it somebody's is. Totals never fall as epsilon grows, and of Laplace noise
        they are in proportion, so that few of them are computed. What has a fixed
        price keeps it. It is infinite where no factor makes anybody lose so much.

        Raises:
            ParameterError: ``limit`` is not positive, or what is fixed alone takes
                somebody beyond it.

        """
        if not 0 < limit < math.inf:
            raise ParameterError("what nobody shall lose more than must be a positive number.")
        free = [item.epsilon for item in items if item.divisible]
        if not free:
            raise ParameterError("every question of the plan has a fixed cost.")

        def largest(log: float) -> float:
            factor = math.exp(log)
            try:
                changed = [times(item, factor) for item in items]
                return float(self.totals(changed, delta=delta).max())
            except ParameterError:
                # Some noise has no scale for so large an epsilon.
                return math.inf

        ends = math.log(LEAST / min(free)), math.log(MOST / max(free))
        return _last_within(largest, limit, ends)


def times(item: PlannedQuery, factor: float) -> PlannedQuery:
    """Return a question with so many times its epsilon; what is fixed stays."""
    if not item.divisible:
        return item
    return item.at(min(max(item.epsilon * factor, LEAST), MOST))


def as_losses(totals: FloatArray) -> Losses:
    """Return totals as losses, which can be summarized."""
    return Losses.of(totals)


def _last_within(
    largest: Callable[[float], float], limit: float, ends: tuple[float, float]
) -> float:
    """Return the largest factor with at most ``limit``, from logarithms of factors.

    Each step goes where the loss would be the limit if its logarithm went on as
    between the last two looks; where two steps do not halve what is left, the next one
    does.
    """
    (low, high), slow = ends, 0
    at, last = min(max(0.0, low), high), (math.nan, math.nan)
    for _ in range(_STEPS):
        value, before = largest(at), high - low
        if value > limit and at == ends[0]:
            raise ParameterError("what has a fixed price alone takes somebody beyond it.")
        if value <= limit and at == ends[1]:
            return math.inf
        low, high = (at, high) if value <= limit else (low, at)
        if high - low <= _EXACT:
            break
        slow = 0 if high - low <= before / 2 or slow == _PATIENCE else slow + 1
        here = at, math.log(value / limit) if value > 0 else -math.inf
        at, last = _aim(here, last), here
        if slow == _PATIENCE or not low < at < high:
            # Beyond an end: that end, if nobody has looked there yet.
            unseen = (at <= low == ends[0]) or (at >= high == ends[1])
            at = min(max(at, low), high) if unseen else (low + high) / 2
    return math.exp(low)


def _aim(here: tuple[float, float], last: tuple[float, float]) -> float:
    """Return where the loss would be the limit, from one look or two.

    A look is where, and the logarithm of the loss over the limit. Just within or just
    beyond it, so that both ends close in on what is found.
    """
    (at, level), (before, other) = here, last
    if not math.isfinite(level):
        return math.inf if level < 0 else math.nan
    slope = (level - other) / (at - before) if at != before else math.nan
    if not _FLAT < slope < 1 / _FLAT:
        slope = 1.0
    return at - level / slope + math.copysign(_EXACT / 4, -level)


def _reading(
    request: Releasable, dataset: Dataset, relation: NeighboringRelation
) -> Callable[[Any], ReleaseLosses] | None:
    """Return what works out losses at any epsilon; ``None`` where they are unknown."""
    if isinstance(request, ModelRequest):
        return _of_model(request, dataset, relation)
    if isinstance(request, Request):
        return _of_statistic(request, dataset, relation)
    if isinstance(request, SubsampledRequest):
        return _of_sample(request, dataset, relation)
    return None


def _of_statistic(
    request: Request, dataset: Dataset, relation: NeighboringRelation
) -> Callable[[Request], ReleaseLosses]:
    query = request.query
    values, rows = query.values(dataset), query.rows(dataset)
    moves = Moves.of(query.statistic, values, relation)

    def at(request: Request) -> ReleaseLosses:
        return release_losses(
            request.plan,
            query.statistic,
            values,
            rows=rows,
            people=dataset.people,
            relation=relation,
            unit_rows=query.unit.rows,
            known=moves,
        )

    return at


def _of_sample(
    request: SubsampledRequest, dataset: Dataset, relation: NeighboringRelation
) -> Callable[[SubsampledRequest], ReleaseLosses]:
    query = request.query
    # With a fixed size there is no sample with one person less.
    change = relation if request.people is None else query.relation
    values, rows = query.values(dataset), query.rows(dataset)

    def at(request: SubsampledRequest) -> ReleaseLosses:
        return sampled_losses(
            request.plan, query.statistic, values, rows=rows, people=dataset.people, relation=change
        )

    return at


def _of_model(
    request: ModelRequest, dataset: Dataset, relation: NeighboringRelation
) -> Callable[[ModelRequest], ReleaseLosses]:
    fit, rows = request.question.fit(dataset), request.question.rows(dataset)

    def at(request: ModelRequest) -> ReleaseLosses:
        plan = request.plan
        exposure = model_losses(request, fit, relation=relation, rows=rows)
        return model_release_losses(plan.event, exposure, noise=plan.noise, people=dataset.people)

    return at


def _in_proportion(request: Releasable) -> bool:
    """Tell whether losses are shifts over the noise, and those in proportion to it."""
    if not isinstance(request, Request):
        return False
    gauss = isinstance(request.plan.event, GaussianEvent)
    return gauss or request.mechanism_key == "laplace"
