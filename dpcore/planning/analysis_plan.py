"""A plan: the questions that are meant to be asked, and the total that they share."""

from __future__ import annotations

import math
from dataclasses import dataclass, fields, replace
from enum import StrEnum
from functools import cached_property, lru_cache
from hashlib import blake2b
from typing import Any, Final, Self, cast

from dpcore.analyses.base import Releasable, Request
from dpcore.analyses.identity import canonical
from dpcore.analyses.measurement import Direct, Width
from dpcore.analyses.quantiles import RankPlan
from dpcore.errors import ParameterError
from dpcore.formatting import in_full
from dpcore.statistics.kinds import StatisticKind

LEAST, MOST = 1e-9, 700.0
"""The epsilons that a question can be planned with."""
HEAVIEST: Final = 1e6
AS_GOOD: Final = 1 + 1e-9
"""By how much an error may exceed the one wanted for the errors of computing it."""
_SCALED: Final = ("laplace", "exponential")
_SHARED: Final = ("key", "divisible", "_of_one")
"""What a question keeps at another epsilon, once it is known."""
USUAL_GROUP: Final = 100
LONGEST_NAME = 200
MOST_PEOPLE: Final = 10**9
"""How many people a group can be said to have."""


@dataclass(frozen=True, kw_only=True)
class PlannedQuery:
    """A question of a plan. PUBLIC.

    Attributes:
        request: The question, with its mechanism and what it costs now.
        name: What people call it, from 1 to 200 characters.
        weight: What it is worth beside the others, in (0, 1e6].
        locked: Whether it keeps its epsilon when the total is split.
        wanted: The half-width at 95% that shows what must be seen, positive; ``None``
            where nobody said so.
        group: Of how many people a group is meant, where sizes are private: at least 1.

    Raises:
        ParameterError: One of these is outside its domain.

    """

    request: Releasable
    name: str
    weight: float = 1.0
    locked: bool = False
    wanted: float | None = None
    group: int = USUAL_GROUP

    def __post_init__(self) -> None:
        if not 0 < len(self.name.strip()) <= LONGEST_NAME:
            raise ParameterError(f"a planned question needs a name of 1 to {LONGEST_NAME} letters.")
        if self.divisible and not LEAST <= self.epsilon <= MOST:
            raise ParameterError(
                f"the ε of a planned question must be from {in_full(LEAST)} to {in_full(MOST)}."
            )
        if not 0 <= getattr(self.request, "delta", 0.0) < 1:
            raise ParameterError("the δ of a planned question must be at least 0 and below 1.")
        if not 0 < self.weight <= HEAVIEST:
            raise ParameterError(f"a weight must be above 0 and at most {HEAVIEST:,.0f}.")
        if self.wanted is not None and not 0 < self.wanted < math.inf:
            raise ParameterError("what must be seen must be a positive number.")
        if not 1 <= self.group <= MOST_PEOPLE:
            raise ParameterError(f"a group has 1 to {MOST_PEOPLE:,} people.")

    @classmethod
    def of(cls, request: Releasable) -> Self:
        """Return a request as an item with the usual settings, its title as name."""
        first = cast("Releasable", replace(cast("Any", request), draw=1))
        return cls(request=first, name=first.title[:LONGEST_NAME])

    def __hash__(self) -> int:
        return hash((self.key, self.epsilon))

    @property
    def own_name(self) -> str:
        """Return the name if somebody gave it; empty where it is the title."""
        return "" if self.name == self.request.title[:LONGEST_NAME] else self.name

    @cached_property
    def key(self) -> str:
        """Return what the question is known by, whatever its epsilon is."""
        asked = self.at(1.0).request if self.divisible else self.request
        text = canonical(asked.parameters())
        return blake2b(text.encode(), digest_size=8).hexdigest()

    @cached_property
    def divisible(self) -> bool:
        """Tell whether its epsilon can be chosen; otherwise it costs what it costs."""
        named = {field.name for field in fields(cast("Any", self.request))}
        return "epsilon" in named and getattr(self.request, "gamma", None) is None

    @property
    def epsilon(self) -> float:
        """Return what it is calibrated to; what it costs where that is fixed."""
        if self.divisible:
            return float(cast("Any", self.request).epsilon)
        return float(self.request.cost.epsilon)

    @property
    def fixed(self) -> bool:
        """Tell whether a split leaves its epsilon as it is."""
        return self.locked or not self.divisible

    def at(self, epsilon: float) -> Self:
        """Return the item with another epsilon.

        Raises:
            ParameterError: Its epsilon is fixed, or cannot be that one.

        """
        if not self.divisible:
            raise ParameterError(f"what “{self.name}” costs is fixed where it was asked.")
        if not LEAST <= epsilon <= MOST:
            raise ParameterError(
                f"epsilon must be from {in_full(LEAST)} to {in_full(MOST)}, got {in_full(epsilon)}."
            )
        if epsilon == self.epsilon:
            return self
        changed = replace(cast("Any", self.request), epsilon=epsilon)
        other = replace(self, request=changed)
        vars(other).update({name: vars(self)[name] for name in _SHARED if name in vars(self)})
        return other

    @cached_property
    def width(self) -> Width:
        """Return how far off the answer will be; nothing where it cannot be given.

        That of a correlation depends on the released variances.
        """
        if self._is_correlation:
            return Width(half=math.inf, of=MARGIN_UNKNOWN)
        return _width(self.request, self.group)

    @property
    def _is_correlation(self) -> bool:
        request = self.request
        return isinstance(request, Request) and request.query.kind is StatisticKind.CORRELATION

    def half_at(self, epsilon: float) -> float:
        """Return the half-width at an epsilon; infinite where it cannot be that one."""
        return math.inf if self._is_correlation else self.noise_at(epsilon)

    def noise_at(self, epsilon: float) -> float:
        """Return how wide the noise is by which a total is divided.

        Of a correlation it is that of variances and covariances, as a part of the largest.
        """
        if self._of_one is not None:
            return self._of_one / epsilon
        try:
            return _width(self.at(epsilon).request, self.group).half
        except ParameterError:
            return math.inf

    @cached_property
    def _of_one(self) -> float | None:
        """Return the half-width at epsilon 1 where it is in proportion to 1/epsilon.

        So is the scale of Laplace noise, and of the exponential mechanism, to the last
        bit, and with it all that they do to numbers that have no bounds.
        """
        request = self.request
        if not isinstance(request, Request) or request.mechanism_key not in _SCALED:
            return None
        if not isinstance(request.plan, Direct | RankPlan):
            return None
        return self.at(1.0).width.half

    @property
    def seen(self) -> bool | None:
        """Tell whether the answer shows what must be seen; None if nothing must.

        Or if its margin is known only once it is released.
        """
        if self.wanted is None or math.isinf(self.width.half):
            return None
        return self.width.half / AS_GOOD <= self.wanted

    def of_people(self, people: int) -> Self | None:
        """Return the question to a table of so many people.

        ``None`` where how many there are is not what its error hangs on, or hangs on
        more than their number.
        """
        request = self.request
        if isinstance(request, Request):
            if self.width.assumed:
                return replace(self, group=people)
            if not request.query.kind.pooled:
                asked = request.query.resized(people)
                return replace(self, request=replace(request, query=asked))
        return None


@lru_cache(maxsize=20_000)
def _width(request: Releasable, group: int) -> Width:
    """Return the half-width of public numbers; what was asked before is remembered."""
    try:
        return request.width(group=group)
    except ParameterError as error:
        return Width(half=math.inf, of=str(error))


MARGIN_UNKNOWN: Final = "known after release"
"""What stands for a margin that depends on what is released."""
MOST_ITEMS = 200


class Split(StrEnum):
    """How the total is split over the questions that are not locked."""

    TYPED = "as typed"
    EQUAL = "equal parts"
    WEIGHTS = "by weight"
    BEST = "best for what must be seen"

    @property
    def label(self) -> str:
        """Return what it is called on screen; its value is that of stored plans."""
        return {
            Split.TYPED: "Manual",
            Split.EQUAL: "Equal",
            Split.WEIGHTS: "Weighted",
            Split.BEST: "Closest to all targets",
        }[self]


@dataclass(frozen=True, kw_only=True)
class AnalysisPlan:
    """A plan. PUBLIC.

    Attributes:
        items: The questions, at most 200, no two of them alike.
        total: The epsilon that they share, from 1e-9 to 700.
        delta: At which delta all of them together are counted, in [0, 0.1].
        split: How the total is split.
        follows_budget: Whether the total is what is left of the budget, until somebody
            types one. Plans of older files have a total of their own.

    Raises:
        ParameterError: One of these is outside its domain.

    """

    items: tuple[PlannedQuery, ...] = ()
    total: float = 1.0
    delta: float = 0.0
    split: Split = Split.EQUAL
    follows_budget: bool = False

    def __post_init__(self) -> None:
        if not LEAST <= self.total <= MOST:
            raise ParameterError(f"the total must be from {in_full(LEAST)} to {in_full(MOST)}.")
        if not 0 <= self.delta <= 0.1:  # noqa: PLR2004
            raise ParameterError("the delta of a plan must be from 0 to 0.1.")
        if len(self.items) > MOST_ITEMS:
            raise ParameterError(f"a plan holds at most {MOST_ITEMS} questions.")
        if len(set(self.keys)) < len(self.items):
            raise ParameterError("this question is in the plan already; change it there.")

    @property
    def keys(self) -> tuple[str, ...]:
        """Return the key of each question."""
        return tuple(item.key for item in self.items)

    @property
    def planned(self) -> float:
        """Return the sum of the epsilons."""
        return math.fsum(item.epsilon for item in self.items)

    @property
    def dealt(self) -> float:
        """Return the total that the questions have now.

        As typed, it is the sum of their epsilons; the total may be larger.
        """
        return self.planned if self.split is Split.TYPED else self.total

    def with_item(self, item: PlannedQuery) -> Self:
        """Return the plan with a question more, or with another form of one."""
        place = {key: at for at, key in enumerate(self.keys)}.get(item.key)
        if place is None:
            return replace(self, items=(*self.items, item))
        return replace(self, items=(*self.items[:place], item, *self.items[place + 1 :]))

    def without(self, key: str) -> Self:
        """Return the plan without a question."""
        return replace(self, items=tuple(i for i in self.items if i.key != key))
