"""Bias, SD and RMSE of answers that follow from several noisy numbers.

Those of groups, differences and matrices are simulated from an assumed table, with the
same draws at every setting. Those of quantiles depend on how dense the values of the
table are, so that they are computed from the table itself. CONFIDENTIAL.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Final, cast

import numpy as np

from dpcore.analyses.base import Request
from dpcore.analyses.measurement import SimulatedDraws
from dpcore.analyses.quantiles import ChainPlan, RankPlan
from dpcore.arrays import FloatArray
from dpcore.errors import ParameterError
from dpcore.inference.quantile_intervals import estimated_places
from dpcore.mechanisms.catalog import EVERY
from dpcore.statistics.kinds import StatisticKind
from dpcore.statistics.quantiles import split_at_each
from dpcore.studies.comparing.error_curves import ErrorCurve, ErrorMoments

DRAWS: Final = 4000
_TABLE_DRAWS: Final = 200
_SIMULATION: Final = SimulatedDraws(draws=DRAWS)
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
        return self.request.query.window(self.number)

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
        both = self.request.query.kind is StatisticKind.DIFFERENCE
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
        rows = [
            _moments(
                plan.errors(float(x), group=self.group, number=self.number, simulation=_SIMULATION)
            )
            for x in np.ravel(places)
        ]
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
        needed = EVERY[key].needs_delta
        return replace(self.request, mechanism_key=key, delta=self.delta if needed else 0.0)

    def _is_answered_by(self, key: str) -> bool:
        try:
            _ = self.by(key).plan
        except ParameterError:
            return False
        return True


def error_table(setting: AnswerSetting, keys: Sequence[str]) -> dict[str, FloatArray]:
    """Return the RMSE of every number of the answer, by mechanism."""
    each = [replace(setting, number=number) for number in range(len(setting.numbers))]
    return {
        key: np.array([float(one.moments(key, one.position).rmse) for one in each]) for key in keys
    }


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
    drawn = plan.mechanism.simulate(value, rng=_SIMULATION.rng, size=(_TABLE_DRAWS, len(value)))
    share = plan.shares[number : number + 1]
    places = [estimated_places(*split_at_each(one), share)[0] for one in drawn]
    answers = plan.statistic.grid[np.array(places, dtype=np.intp)]
    return _moments(answers - plan.truth(value)[number])
