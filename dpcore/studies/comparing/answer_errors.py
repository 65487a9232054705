"""Bias, SD and RMSE of answers that follow from several noisy numbers.

Those of groups, differences and matrices are simulated from an assumed table, with the
same draws at every setting. Those of quantiles depend on how dense the values of the
table are, so that they are computed from the table itself. CONFIDENTIAL.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import singledispatch
from typing import Any, Final, cast

import numpy as np

from dpcore.analyses.base import Question, Request
from dpcore.analyses.differences import DifferencePlan, DifferenceQuery
from dpcore.analyses.groups import GroupedQuery, GroupPlan, ratio_of
from dpcore.analyses.matrix import JointQuery, MatrixPlan
from dpcore.analyses.means import MeansPlan, MeansQuery
from dpcore.analyses.quantiles import ChainPlan, RankPlan
from dpcore.arrays import FloatArray
from dpcore.data.quantities import quantity_of
from dpcore.errors import ParameterError
from dpcore.inference.group_ratios import exact_ratios
from dpcore.inference.quantile_intervals import estimated_places
from dpcore.mechanisms.catalog import CATALOG
from dpcore.planning.outcomes import (
    SimulatedAnswers,
    correlation_answers,
    difference_answers,
    group_answers,
    matrix_number,
    mean_answers,
)
from dpcore.statistics.group_sums import GroupMoments
from dpcore.statistics.kinds import StatisticKind
from dpcore.statistics.quantiles import split_at_each
from dpcore.studies.comparing.error_curves import ErrorCurve, ErrorMoments

DRAWS: Final = 4000
_TABLE_DRAWS: Final = 200
_SEED: Final = 1
_MOST_UNTOLD: Final = 0.5
"""From which part of answers on that cannot be given no error is shown."""
_SHARE: Final = "share of the largest variance"


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

    request: Request
    delta: float
    group: int
    place: float
    number: int = 0

    def __post_init__(self) -> None:
        if not simulated(self.request.query):
            raise ParameterError(f"the errors of a {self.request.query.kind} are not simulated.")

    @property
    def numbers(self) -> tuple[str, ...]:
        """Return the numbers of the answer whose errors have laws of their own."""
        query = self.request.query
        if isinstance(query, MeansQuery):
            return tuple(f"mean of {column.title}" for column in query.numbers)
        if isinstance(query, JointQuery):
            own = query.kind is StatisticKind.CORRELATION
            return (*((query.title,) if own else ()), *query.statistic.labels)
        return (f"{query.kind} of one group" if isinstance(query, GroupedQuery) else query.title,)

    @property
    def each(self) -> str:
        """Return what the errors are those of."""
        return self.numbers[self.number]

    @property
    def unit(self) -> str:
        """Return the unit of the number."""
        query = self.request.query
        if isinstance(query, MeansQuery):
            return quantity_of(query.numbers[self.number]).of_differences
        if isinstance(query, JointQuery):
            return query.units.get(self.each, "")
        return query.unit_text

    @property
    def epsilon(self) -> float:
        """Return the privacy parameter of every mechanism."""
        return self.request.epsilon

    @property
    def people(self) -> int:
        """Return the number of people that the errors depend on."""
        return self.request.query.size.people if self._is_matrix else self.group

    @property
    def people_label(self) -> str:
        """Return what that number is called."""
        where = "" if self._is_matrix else " in a group"
        return f"number of {self.request.query.unit.counted}{where}"

    @property
    def fewest(self) -> int:
        """Return the fewest people that the answer is defined for."""
        return 3

    @property
    def narrow(self) -> float:
        """Return the usual least epsilon: below it too few people are told."""
        return math.inf

    @property
    def window(self) -> tuple[float, float]:
        """Return what ``place`` runs over, in the unit of the axis."""
        query = self.request.query
        if self._is_matrix:
            return 0.0, 1.0
        if isinstance(query, MeansQuery):
            bounds = query.declared[self.number]
            return bounds.lower, bounds.upper
        if isinstance(query, DifferenceQuery):
            return query.declared.lower, query.declared.upper
        grouped = cast("GroupedQuery", query)
        ratio = ratio_of(grouped, cast("GroupMoments", grouped.moments))
        low, high = ratio.in_units(np.array([0.0, 1.0 if ratio.ddof is None else 0.25]))
        return float(low), float(high)

    @property
    def position(self) -> float:
        """Return the true value at ``place``."""
        low, high = self.window
        return low + self.place * (high - low)

    @property
    def position_label(self) -> str:
        """Return what the true value is called on an axis."""
        if self._is_matrix:
            return _SHARE
        both = isinstance(self.request.query, DifferenceQuery)
        return "mean of both groups" if both else f"true {self.each}"

    def at_epsilon(self, epsilon: float) -> AnswerSetting:
        """Return the setting with another epsilon."""
        return replace(self, request=replace(self.request, epsilon=epsilon))

    def of_people(self, people: int) -> AnswerSetting:
        """Return the setting for another number of people."""
        if not self._is_matrix:
            return replace(self, group=people)
        query = cast("Any", self.request.query)
        asked = replace(query, size=replace(query.size, people=people))
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
        rows = [_moments(_errors(plan, self, float(place))) for place in np.ravel(places)]
        bias, spread, rmse = np.moveaxis(np.array(rows).reshape((*np.shape(at), 3)), -1, 0)
        return ErrorMoments(bias=bias, spread=spread, rmse=rmse, epsilon=epsilon)

    def answered_by(self, keys: Sequence[str]) -> tuple[str, ...]:
        """Return the mechanisms that can answer the question."""
        return tuple(key for key in keys if self._is_answered_by(key))

    @property
    def _is_matrix(self) -> bool:
        return self.request.query.kind.of_matrix

    def by(self, key: str) -> Request:
        """Return the question by another mechanism."""
        needed = CATALOG[key].needs_delta
        return replace(self.request, mechanism_key=key, delta=self.delta if needed else 0.0)

    def _is_answered_by(self, key: str) -> bool:
        try:
            _ = self.by(key).plan
        except ParameterError:
            return False
        return True


def simulated(query: Question) -> bool:
    """Tell whether the errors of a question are simulated from an assumed table."""
    ratios = isinstance(query, GroupedQuery) and query.moments is not None
    return ratios or query.kind.of_matrix or isinstance(query, MeansQuery | DifferenceQuery)


def error_table(setting: AnswerSetting, keys: Sequence[str]) -> dict[str, FloatArray]:
    """Return the RMSE of every number of the answer, by mechanism."""
    each = [replace(setting, number=number) for number in range(len(setting.numbers))]
    return {
        key: np.array([float(one.moments(key, one.position).rmse) for one in each]) for key in keys
    }


@singledispatch
def _errors(
    plan: Any,  # noqa: ANN401 - any plan
    setting: AnswerSetting,  # noqa: ARG001 - the common signature
    place: float,  # noqa: ARG001
) -> FloatArray:
    """Return simulated errors of the answers that are given, NaN for the others."""
    raise ParameterError(f"answers of a {type(plan).__name__} are not simulated.")


@_errors.register(GroupPlan)
def _(plan: GroupPlan, setting: AnswerSetting, place: float) -> FloatArray:
    shares = np.array([1 - place, place])
    if plan.ratio.ddof is not None:
        # Values on either side of the middle, with a variance of a quarter of the place.
        variance = place / 4
        shares = np.array([variance + 0.25, 0.5 - 2 * variance, variance + 0.25])
    sums = setting.group * shares
    (truth,) = exact_ratios(sums[np.newaxis], plan.ratio)
    return _given(group_answers(plan, sums, _rng(), DRAWS), float(truth))


@_errors.register(DifferencePlan)
def _(plan: DifferencePlan, setting: AnswerSetting, place: float) -> FloatArray:
    return _given(difference_answers(plan, setting.group, (place, place), _rng(), DRAWS), 0.0)


@_errors.register(MeansPlan)
def _(plan: MeansPlan, setting: AnswerSetting, place: float) -> FloatArray:
    low, high = setting.window
    heights = _given(mean_answers(plan, setting.group, place, _rng(), DRAWS), place)
    return np.asarray((high - low) * heights)


@_errors.register(MatrixPlan)
def _(plan: MatrixPlan, setting: AnswerSetting, place: float) -> FloatArray:
    release = plan.release
    value = np.where(np.arange(len(release.largest)) < release.columns, place, 0.0)
    value = value * release.largest
    correlation = setting.request.query.kind is StatisticKind.CORRELATION
    if correlation and setting.number == 0:
        return _given(correlation_answers(release, value, _rng(), DRAWS), 0.0)
    number = setting.number - correlation
    return np.asarray(matrix_number(release, number, value, _rng(), DRAWS) - value[number])


def _rng() -> np.random.Generator:
    return np.random.default_rng(_SEED)


def _given(answers: SimulatedAnswers, truth: float) -> FloatArray:
    return np.where(answers.told, answers.values - truth, np.nan)


def _moments(errors: FloatArray) -> tuple[float, float, float]:
    """Return bias, standard deviation and RMSE of simulated errors."""
    given = errors[np.isfinite(errors)]
    if len(given) <= _MOST_UNTOLD * len(errors):
        return np.nan, np.nan, np.nan
    bias, spread = float(given.mean()), float(given.std())
    seen = abs(bias) > 2 * spread / np.sqrt(len(given))
    return bias if seen else 0.0, spread, float(np.sqrt(np.mean(given**2)))


def of_table(requests: Sequence[Request], value: FloatArray, *, number: int = 0) -> ErrorCurve:
    """Return the errors of a quantile of the table against epsilon. CONFIDENTIAL.

    Exact for one quantile; simulated for one of several.

    Args:
        requests: The question by one mechanism, with each epsilon, ascending.
        value: What the answers are drawn from.
        number: Which of several quantiles.

    """
    rows = [_of_table(cast("Any", asked.plan), value, number) for asked in requests]
    bias, spread, rmse = np.array(rows).T
    epsilons = np.array([asked.epsilon for asked in requests])
    key = requests[0].mechanism_key
    return ErrorCurve(key=key, x=epsilons, bias=bias, spread=spread, rmse=rmse, epsilon=epsilons)


def _of_table(
    plan: RankPlan | ChainPlan, value: FloatArray, number: int
) -> tuple[float, float, float]:
    if isinstance(plan, RankPlan):
        grid = plan.statistic.grid
        likely = plan.mechanism.probabilities(value)
        away = grid - grid[np.argmax(value)]
        bias = float(likely @ away)
        return bias, float(np.sqrt(likely @ (away - bias) ** 2)), float(np.sqrt(likely @ away**2))
    drawn = plan.mechanism.simulate(value, rng=_rng(), size=(_TABLE_DRAWS, len(value)))
    share = plan.shares[number : number + 1]
    places = [estimated_places(*split_at_each(one), share)[0] for one in drawn]
    answers = plan.statistic.grid[np.array(places, dtype=np.intp)]
    return _moments(answers - plan.truth(value)[number])
