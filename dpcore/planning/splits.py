"""Splitting a total over the questions of a plan.

The best split makes the question that is worst off as good as it can be: it minimizes
the largest ratio of a half-width to the one that is wanted. A weighted sum of errors
would buy a little of an easy question for all of a hard one; a plan of which everything
must be seen is as good as its worst answer. So it needs to know what must be seen of
every question that is not locked; where nobody said so, it is assumed (``aims``).
"""

from __future__ import annotations

import math
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from decimal import ROUND_FLOOR, Context, Decimal
from functools import lru_cache, partial
from itertools import accumulate

import numpy as np
from numpy.typing import NDArray

from dpcore.arrays import FloatArray
from dpcore.errors import ParameterError
from dpcore.formatting import epsilon_text, in_full
from dpcore.mechanisms.search import first_where
from dpcore.planning.analysis_plan import LEAST, MOST, AnalysisPlan, PlannedQuery, Split
from dpcore.planning.targets import aim, least_epsilon
from dpcore.privacy.halving import halved

# A part of a total as people read it; never more than it, so that parts still fit.
_READABLE = Context(prec=6, rounding=ROUND_FLOOR)
_BEFORE_THE_LAST_BITS = Context(prec=14)
_PER_DECADE = 6
_DECADES = 5
_HALVINGS = 40
_LARGEST = 1e300
_UNSAID = math.log(_LARGEST) / 2
_EDGE = 2e-5
_ROUNDING = 1e-12
_CLOSE = 1e-3
"""How far a half-width may be from where its curve has it, as a logarithm."""
_ROUNDS = 24
"""Brackets of a grid are halved that often: far more than a kink needs."""


def settled(basket: AnalysisPlan) -> AnalysisPlan:
    """Return the plan with its total split as it says.

    As typed, a total that nobody typed cuts no epsilon that somebody did: where the
    plan follows the budget, the total is the sum of the epsilons if that is more.

    Raises:
        ParameterError: What is locked leaves nothing for the others, or it is not said
            what must be seen.

    """
    if basket.split is Split.TYPED and basket.follows_budget:
        total = min(max(basket.total, basket.planned), MOST)
        return replace(basket, total=total) if total != basket.total else basket
    epsilons = parts(basket.items, basket.total, basket.split)
    items = tuple(
        item if item.fixed else item.at(epsilon)
        for item, epsilon in zip(basket.items, epsilons, strict=True)
    )
    return replace(basket, items=items) if items != basket.items else basket


def parts(items: tuple[PlannedQuery, ...], total: float, split: Split) -> tuple[float, ...]:
    """Return the epsilon of each question where they share ``total``.

    Locked questions, and those whose price is fixed, keep theirs. As typed, the others
    keep theirs too, unless they are more than what is left.

    Raises:
        ParameterError: As for ``settled``.

    """
    return _parts(items if split is Split.TYPED else comparable(items), total, split)


def comparable(items: Sequence[PlannedQuery]) -> tuple[PlannedQuery, ...]:
    """Return questions alike that differ by an epsilon that a split gives them."""
    return tuple(item if item.fixed else item.at(1.0) for item in items)


@lru_cache(maxsize=512)
def _parts(items: tuple[PlannedQuery, ...], total: float, split: Split) -> tuple[float, ...]:
    return _dealt(items, total, partial(_shares, split=split))


def can_split(items: Sequence[PlannedQuery], split: Split) -> bool:
    """Tell whether it is known what the split needs: for the best one, what must show.

    Where nobody said it, a part of the range of the answer is assumed
    (`dpcore.planning.targets`). Questions that keep their epsilon need none.
    """
    if split is not Split.BEST:
        return True
    return all(item.fixed or aim(item) is not None for item in items)


def scaled(items: tuple[PlannedQuery, ...], total: float, split: Split) -> tuple[float, ...]:
    """Return the epsilons at another total; as typed, in the typed proportions.

    Raises:
        ParameterError: As for ``settled``.

    """
    if split is not Split.TYPED:
        return parts(items, total, split)
    return _dealt(items, total, _proportional)


def _dealt(
    items: tuple[PlannedQuery, ...],
    total: float,
    deal: Callable[[Sequence[PlannedQuery], float], Sequence[float]],
) -> tuple[float, ...]:
    """Return each question's epsilon: fixed, or dealt of what those leave."""
    free = [item for item in items if not item.fixed]
    kept = math.fsum(item.epsilon for item in items if item.fixed)
    room = total - kept
    if room < (LEAST * len(free) if free else -_ROUNDING * total):
        if not kept:
            raise ParameterError(
                f"a total of {epsilon_text(total)} is too small for {len(free)} "
                f"questions: each needs {in_full(LEAST)} at least."
            )
        raise ParameterError(
            f"the questions that keep their ε take {epsilon_text(kept)} of "
            f"{epsilon_text(total)} and leave nothing for the others. Unlock one, or "
            "plan with more."
        )
    dealt = iter(deal(free, room) if free else ())
    return tuple(item.epsilon if item.fixed else next(dealt) for item in items)


def _shares(free: Sequence[PlannedQuery], room: float, *, split: Split) -> Sequence[float]:
    if split is Split.TYPED:
        typed = [item.epsilon for item in free]
        fits = math.fsum(typed) <= room * (1 + _ROUNDING)
        return typed if fits else _proportional(free, room)
    if split is Split.BEST:
        return _best(free, room)
    return _by_weight([1.0 if split is Split.EQUAL else item.weight for item in free], room)


def _proportional(free: Sequence[PlannedQuery], room: float) -> list[float]:
    return _by_weight([item.epsilon for item in free], room)


def _by_weight(weights: Sequence[float], room: float) -> list[float]:
    whole = math.fsum(weights)
    return [readable(room * weight / whole) for weight in weights]


def readable(epsilon: float) -> float:
    """Return an epsilon with 6 digits, rounded down.

    >>> readable(0.6 - 1e-16), readable(2 / 3)
    (0.6, 0.666666)
    """
    # What the format leaves below a short number is not worth a digit of it.
    exact = _BEFORE_THE_LAST_BITS.plus(Decimal(epsilon))
    return max(float(_READABLE.plus(exact)), LEAST)


def _best(free: Sequence[PlannedQuery], room: float) -> list[float]:
    """Return the split with the smallest largest ratio of half-width to the wanted one.

    At the optimum no question does better than the worst one for more than the least
    epsilon: for a ratio ``r`` question ``i`` needs the least epsilon with a half-width
    of at most ``r`` times the wanted one, and the smallest ``r`` whose epsilons fit
    into the room is found by halving. Half-widths are known on a grid of epsilons and
    interpolated between, as powers. Where the true half-width at the split that was
    found is not the interpolated one, the curve gets more points there, and the split
    is found again.

    It is within ``_CLOSE`` of the optimum because half-widths never rise with epsilon:
    any other split of the room gives some question less, whose half-width is then no
    smaller. That a curve is flat, or has a kink as that of a bounded answer has where
    its noise begins to stay within the bounds, takes more rounds and no accuracy.

    Where the room is too small to say something of every question, no split is better
    than another by its worst one. Those that need most for it then get next to
    nothing, and the others the best split among themselves.
    """
    for item in free:
        if aim(item) is None:
            raise ParameterError(
                f"the best split needs to know what must be seen of “{item.name}”. Say "
                "it below, or lock that question."
            )
    decade = math.ceil(math.log10(room))
    curves = [_curve(item, decade) for item in free]
    told = _sayable(curves, room)
    if not told:
        return _by_weight([1.0] * len(free), room)
    left = room - LEAST * (len(free) - len(told))
    known = {place: curves[place] for place in told}
    best: dict[int, float] = {}
    least = math.inf
    for _ in range(_ROUNDS):
        found = map(readable, _smallest_ratio(list(known.values()), left))
        dealt = dict(zip(told, found, strict=True))
        true = {place: _log_ratio(free[place], dealt[place]) for place in told}
        if not best or max(true.values()) < least:
            best, least = dealt, max(true.values())
        missed = [
            place for place in told if abs(known[place].level(dealt[place]) - true[place]) > _CLOSE
        ]
        if not missed:
            break
        for place in missed:
            known[place] = known[place].refined(free[place], dealt[place])
    if least > 0:
        # The search is close and not exact: where every target can be met, it is.
        exact = [least_epsilon(item) for item in free]
        if math.fsum(exact) <= room:
            return _by_weight(exact, room)
    return [best.get(place, LEAST) for place in range(len(free))]


def _sayable(curves: Sequence[_Curve], room: float) -> list[int]:
    """Return the places of the questions of which something can be said, all at once.

    Given up are those that need the largest epsilon for it, until the others fit.
    """
    least = [curve.needed(_UNSAID) for curve in curves]
    places = sorted(range(len(curves)), key=least.__getitem__)
    while places and not math.fsum(least[place] for place in places) <= room:
        places.pop()
    return sorted(places)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class _Curve:
    """The logarithm of a half-width over the wanted one, by that of epsilon.

    It never rises; what cannot be said counts as very wide. Of plain numbers, because a
    split asks thousands of times for one of them.
    """

    logs: list[float]
    levels: list[float]
    rising: list[float]
    """The levels with the other sign."""

    @classmethod
    def of(cls, item: PlannedQuery, grid: FloatArray) -> _Curve:
        """Return the curve of a question, with both sides of where it can be said."""
        levels = [_log_ratio(item, epsilon) for epsilon in grid.tolist()]
        said = int(np.argmax(np.array(levels) < _UNSAID))
        if said == 0:
            return cls._falling(np.log(grid).tolist(), levels)

        def known(logs: FloatArray) -> NDArray[np.bool_]:
            return np.array([_log_ratio(item, math.exp(logs[0])) < _UNSAID])

        before, after = np.log(grid[said - 1 : said + 1])
        first = first_where(known, np.array([before]), np.array([after]))
        # Parts are rounded down to 6 digits, and shall not fall over the edge by that.
        edge = min(float(first[0]) + _EDGE, float(after))
        before_and_after = np.log(grid).tolist()
        logs = [*before_and_after[:said], edge - _EDGE, edge, *before_and_after[said:]]
        at = _log_ratio(item, math.exp(edge))
        return cls._falling(logs, [*levels[:said], levels[said - 1], at, *levels[said:]])

    @classmethod
    def _falling(cls, logs: list[float], levels: Sequence[float]) -> _Curve:
        least = [*accumulate(levels, min)]
        return cls(logs=logs, levels=least, rising=[-level for level in least])

    def level(self, epsilon: float) -> float:
        """Return the level at an epsilon, interpolated."""
        return float(np.interp(math.log(epsilon), self.logs, self.levels))

    def refined(self, item: PlannedQuery, epsilon: float) -> _Curve:
        """Return the curve with the true level at an epsilon, and one point more.

        The latter is in the middle of where the level that was expected there must be,
        so that whatever the curve is like, that stretch is halved.
        """
        log, expected = math.log(epsilon), self.level(epsilon)
        true = _log_ratio(item, epsilon)
        after = bisect_left(self.logs, log)
        other = min(after, len(self.logs) - 1) if true > expected else max(after - 1, 0)
        middle = (log + self.logs[other]) / 2
        halfway = _log_ratio(item, math.exp(middle))
        return self.through(log, true).through(middle, halfway)

    def through(self, log: float, level: float) -> _Curve:
        """Return the curve with a point more that it goes through."""
        place = bisect_left(self.logs, log)
        return self._falling(
            [*self.logs[:place], log, *self.logs[place:]],
            [*self.levels[:place], level, *self.levels[place:]],
        )

    def needed(self, level: float) -> float:
        """Return the least epsilon with at most that level; else infinity."""
        if self.levels[-1] > level:
            return math.inf
        logs, rising = self.logs, self.rising
        place = bisect_right(rising, -level) - 1
        if place < 0:
            return math.exp(logs[0])
        log, beyond = logs[place], -level - rising[place]
        if beyond > 0:
            run = rising[place + 1] - rising[place]
            log += (logs[place + 1] - log) / run * beyond
        return math.exp(log)


@lru_cache(maxsize=2_000)
def _curve(item: PlannedQuery, decade: int) -> _Curve:
    """Return the curve of a question for rooms within a decade; others share it."""
    steps = np.arange((decade - _DECADES) * _PER_DECADE, decade * _PER_DECADE + 1)
    return _Curve.of(item, np.clip(10.0 ** (steps / _PER_DECADE), LEAST, None))


def _log_ratio(item: PlannedQuery, epsilon: float) -> float:
    half = item.noise_at(min(max(epsilon, LEAST), MOST))
    return math.log(min(max(half, 1 / _LARGEST), _LARGEST) / (aim(item) or 1.0))


def _smallest_ratio(curves: Sequence[_Curve], room: float) -> list[float]:
    """Return the epsilons of the smallest ratio that fits; what is left goes to all."""

    def needed(level: float) -> list[float]:
        return [curve.needed(level) for curve in curves]

    low = min(float(curve.levels[-1]) for curve in curves)
    high = max(float(curve.levels[0]) for curve in curves)
    _, level = halved(lambda level: math.fsum(needed(level)) <= room, low, high, times=_HALVINGS)
    epsilons = needed(level)
    whole = math.fsum(epsilons)
    if not whole <= room:
        return [room / len(curves)] * len(curves)
    return [epsilon * room / whole for epsilon in epsilons]
