"""The errors of an answer at one setting: in closed form, or simulated.

Noise on each number of an answer has a closed form. The answers of groups, differences
and matrices follow from several noisy numbers, and are simulated from an assumed table,
with the same draws at every setting. PUBLIC.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import ClassVar, Final

import numpy as np

from dpcore.analyses.base import Question, Request
from dpcore.analyses.groups import GroupedQuery
from dpcore.analyses.marginals import MarginalsQuery
from dpcore.analyses.measurement import SimulatedDraws
from dpcore.analyses.number import Query
from dpcore.arrays import FloatArray
from dpcore.errors import ParameterError
from dpcore.mechanisms.catalog import EVERY
from dpcore.mechanisms.mechanism import Mechanism
from dpcore.statistics.kinds import StatisticKind

DRAWS: Final = 4000
SIMULATION: Final = SimulatedDraws(draws=DRAWS)
_MOST_UNTOLD: Final = 0.5
"""From which part of answers on that cannot be given no error is shown."""
_FEWEST: Final = 3
_SHARE: Final = "share of the largest variance"


_WINDOW = 200.0


def comparable(query: Question) -> bool:
    """Tell whether noise on each number of the answer can answer the question.

    Not one of ranks or of ratios, which follow from other numbers, nor a whole matrix.
    """
    return not (query.follows or query.kind.of_matrix)


def each_number(query: Question) -> str:
    """Return what one of several numbers of the answer is; empty if there is one.

    All have noise of their own of the same law, so that comparing one compares all.
    """
    if isinstance(query, GroupedQuery):
        return f"{query.kind} of one group"
    if not query.kind.of_cells:
        return ""
    if isinstance(query, MarginalsQuery):
        return "count of one cell" + ", before tables are made consistent" * query.consistent
    if query.kind is StatisticKind.CROSS_TABLE:
        return "count of one cell"
    noun = "count" if query.kind is StatisticKind.HISTOGRAM else "share"
    cell = "bin" if query.column.kind.is_numeric else "category"
    return f"{noun} of one {cell}"


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class ErrorMoments:
    """The errors of a mechanism at one or several positions."""

    bias: FloatArray
    spread: FloatArray
    rmse: FloatArray
    epsilon: float
    """The privacy that is really given."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ErrorSetting:
    """One point of the comparison.

    Raises:
        ParameterError: If the statistic is not ``comparable``.

    """

    query: Question
    """The statistic with its public numbers."""
    epsilon: float
    """Privacy parameter of every mechanism."""
    delta: float
    """Used by the Gaussian mechanism only."""
    place: float
    """Where the true value lies between its bounds, from 0 to 1."""

    def __post_init__(self) -> None:
        if not comparable(self.query):
            raise ParameterError(
                f"a {self.query.kind} is not a number with noise on it; ask for another statistic."
            )

    def mechanism(self, key: str) -> Mechanism:
        """Return the calibrated mechanism of that key."""
        entry = EVERY[key]
        return entry.calibrate(
            sensitivity=self.query.sensitivity,
            epsilon=self.epsilon,
            delta=self.delta if entry.needs_delta else 0.0,
            bounds=self.query.bounds,
        )

    @property
    def window(self) -> tuple[float, float]:
        """Return the stretch of positions that ``place`` runs over.

        It is the statistic's range; an infinite side is cut at 200 times what one unit
        can change, which are 20 noise scales at epsilon 0.1. No epsilon moves it.
        """
        ends = self.query.bounds.cut(_WINDOW * self.query.sensitivity.l1)
        return ends.lower, ends.upper

    @property
    def position(self) -> float:
        """Return the true value at ``place``."""
        low, high = self.window
        return low + self.place * (high - low)

    @property
    def people(self) -> int:
        """Return the number of people that the errors depend on."""
        return self.query.size.people

    @property
    def fewest(self) -> int:
        """Return the fewest people that the statistic is defined for."""
        return self.query.fewest_people

    @property
    def narrow(self) -> float:
        """Return the epsilon at which the noise is as wide as the bounds."""
        return self.query.sensitivity.l1 / self.query.bounds.width

    @property
    def people_label(self) -> str:
        """Return what the number of people is called on an axis."""
        by_group = isinstance(self.query, GroupedQuery)
        return f"number of {self.query.unit.counted}{' in a group' * by_group}"

    @property
    def position_label(self) -> str:
        """Return what the true value is called on an axis."""
        return f"true {self.each or self.query.title}"

    @property
    def each(self) -> str:
        """Return which number of the answer is compared; empty where it has one."""
        return each_number(self.query)

    @property
    def unit(self) -> str:
        """Return the unit of the answer."""
        return self.query.unit_text

    def at_epsilon(self, epsilon: float) -> ErrorSetting:
        """Return the setting with another epsilon."""
        return replace(self, epsilon=epsilon)

    def of_people(self, people: int) -> ErrorSetting:
        """Return the setting for another number of people."""
        return replace(self, query=self.query.resized(people))

    def at_place(self, place: float) -> ErrorSetting:
        """Return the setting with another true value, as a share of the window."""
        return replace(self, place=place)

    def moments(self, key: str, at: FloatArray | float) -> ErrorMoments:
        """Return the errors of a mechanism at true values, and the epsilon it gives.

        That is the one asked for, or the real one where the claim does not hold.
        """
        mechanism, delta = self.mechanism(key), self.delta if EVERY[key].needs_delta else 0.0
        holds = EVERY[key].claim_holds
        return ErrorMoments(
            bias=mechanism.bias(at),
            spread=np.sqrt(mechanism.variance(at)),
            rmse=np.sqrt(mechanism.mse(at)),
            epsilon=self.epsilon
            if holds
            else mechanism.epsilon(self.query.sensitivity, delta=delta),
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class AnswerSetting:
    """One point of a comparison of answers that are simulated. PUBLIC.

    Attributes:
        request: The question, with its epsilon.
        delta: Used by the Gaussian mechanism only.
        group: Of how many people a group is assumed.
        place: Where the true value is assumed between its bounds, from 0 to 1: the mean
            of a group or of both groups, the variance of values with a mean in the
            middle, or every variance of a matrix without correlation.
        number: Which of ``numbers`` the errors are those of.

    Raises:
        ParameterError: The answers of the question are not simulated.

    """

    narrow: ClassVar = math.inf
    """The usual least epsilon: below it too few people are told."""
    request: Request
    delta: float
    group: int
    place: float
    number: int = 0

    def __post_init__(self) -> None:
        if not self.request.query.simulated:
            raise ParameterError(f"the errors of a {self.request.query.kind} are not simulated.")

    @property
    def numbers(self) -> tuple[str, ...]:
        """Return the numbers of the answer whose errors have laws of their own."""
        return self.request.query.simulated

    @property
    def each(self) -> str:
        """Return what the errors are those of."""
        return self.numbers[self.number]

    @property
    def unit(self) -> str:
        """Return the unit of the number."""
        return self.request.query.unit_of(self.number)

    @property
    def epsilon(self) -> float:
        """Return the privacy parameter of every mechanism."""
        return self.request.epsilon

    @property
    def people(self) -> int:
        """Return the number of people that the errors depend on."""
        return self.request.query.size.people if self.of_table else self.group

    @property
    def fewest(self) -> int:
        """Return the fewest people that the answer is defined for."""
        return max(_FEWEST, self.request.query.fewest_people)

    @property
    def people_label(self) -> str:
        """Return what that number is called."""
        where = "" if self.of_table else " in a group"
        return f"number of {self.request.query.unit.counted}{where}"

    @property
    def window(self) -> tuple[float, float]:
        """Return what ``place`` runs over, in the unit of the axis."""
        return self.request.query.window(self.number)

    @property
    def position(self) -> float:
        """Return the true value at ``place``."""
        low, high = self.window
        return low + self.place * (high - low)

    @property
    def position_label(self) -> str:
        """Return what the true value is called on an axis."""
        if self.request.query.kind.of_matrix:
            return _SHARE
        both = self.request.query.kind is StatisticKind.DIFFERENCE
        return "mean of both groups" if both else f"true {self.each}"

    def at_epsilon(self, epsilon: float) -> AnswerSetting:
        """Return the setting with another epsilon."""
        return replace(self, request=replace(self.request, epsilon=epsilon))

    def of_people(self, people: int) -> AnswerSetting:
        """Return the setting for another number of people."""
        if not self.of_table:
            return replace(self, group=people)
        asked = self.request.query.resized(people)
        return replace(self, request=replace(self.request, query=asked))

    def at_place(self, place: float) -> AnswerSetting:
        """Return the setting with another true value, as a share of the window."""
        return replace(self, place=place)

    def moments(self, key: str, at: FloatArray | float) -> ErrorMoments:
        """Return the errors of a mechanism at positions.

        A bias within two standard errors of the simulation is returned as 0. NaN where
        most answers have too few people to say, or epsilon is too small to answer with.
        """
        low, high = self.window
        places = np.clip((np.asarray(at, dtype=float) - low) / (high - low), 0.0, 1.0)
        asked = self.by(key)
        try:
            plan, epsilon = asked.plan, asked.effective_epsilon
        except ParameterError:
            nothing = np.full(np.shape(at), np.nan)
            return ErrorMoments(bias=nothing, spread=nothing, rmse=nothing, epsilon=self.epsilon)
        rows = [
            moments_of(
                plan.errors(float(x), group=self.group, number=self.number, simulation=SIMULATION)
            )
            for x in np.ravel(places)
        ]
        bias, spread, rmse = np.moveaxis(np.array(rows).reshape((*np.shape(at), 3)), -1, 0)
        return ErrorMoments(bias=bias, spread=spread, rmse=rmse, epsilon=epsilon)

    def answered_by(self, keys: Sequence[str]) -> tuple[str, ...]:
        """Return the mechanisms that can answer the question."""
        return tuple(key for key in keys if self._is_answered_by(key))

    @property
    def of_table(self) -> bool:
        """Return whether the answer is about everybody in the table, and not about a group."""
        query = self.request.query
        return query.kind.of_matrix or isinstance(query, Query)

    def by(self, key: str) -> Request:
        """Return the question by another mechanism."""
        needed = EVERY[key].needs_delta
        return replace(self.request, mechanism_key=key, delta=self.delta if needed else 0.0)

    def _is_answered_by(self, key: str) -> bool:
        try:
            _ = self.by(key).plan
        except ParameterError:
            return False
        return True


ComparedPoint = ErrorSetting | AnswerSetting
"""A point of a comparison, which can be moved along each axis."""


def error_table(setting: AnswerSetting, keys: Sequence[str]) -> dict[str, FloatArray]:
    """Return the RMSE of every number of the answer, by mechanism."""
    each = [replace(setting, number=number) for number in range(len(setting.numbers))]
    return {
        key: np.array([float(one.moments(key, one.position).rmse) for one in each]) for key in keys
    }


def moments_of(errors: FloatArray) -> tuple[float, float, float]:
    """Return bias, standard deviation and RMSE of simulated errors."""
    given = errors[np.isfinite(errors)]
    if len(given) <= _MOST_UNTOLD * len(errors):
        return np.nan, np.nan, np.nan
    bias, spread = float(given.mean()), float(given.std())
    seen = abs(bias) > 2 * spread / np.sqrt(len(given))
    return bias if seen else 0.0, spread, float(np.sqrt(np.mean(given**2)))
