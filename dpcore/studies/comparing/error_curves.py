"""Bias, variance and error of the mechanisms along an axis.

From public numbers, but for the errors of quantiles: these depend on how dense the
values of the table are, so that they are computed from the table itself. CONFIDENTIAL.
``simulated`` draws from the law of a closed form, so that a picture can show that the
formula and the experiment agree.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Any, Final, cast

import numpy as np
from numpy.typing import NDArray

from dpcore.analyses.base import Request
from dpcore.analyses.quantiles import ChainPlan, RankPlan
from dpcore.arrays import FloatArray
from dpcore.errors import ParameterError
from dpcore.inference.quantile_intervals import estimated_places
from dpcore.mechanisms.catalog import EVERY
from dpcore.statistics.quantiles import split_at_each
from dpcore.studies.comparing.compared_points import (
    SIMULATION,
    ComparedPoint,
    ErrorSetting,
    moments_of,
)

_PLACES = 5
_ALIKE = 0.01


class ErrorMetric(StrEnum):
    """What a curve shows."""

    RMSE = "typical error"
    BIAS = "bias"
    SPREAD = "spread"


class Fairness(StrEnum):
    """What the compared mechanisms have in common."""

    TRUE = "same actual ε"
    NOMINAL = "same nominal ε"

    @property
    def mechanisms(self) -> tuple[str, ...]:
        """Return the keys of the mechanisms compared, in display order."""
        truncated = "truncated" if self is Fairness.TRUE else "truncated-published"
        return ("laplace", "bit", truncated, "gaussian")

    def with_chosen(self, key: str) -> tuple[str, ...]:
        """Return the mechanisms compared, and the chosen one among them.

        One whose guarantee fails has no noise of its own for the same actual epsilon:
        there it stays out.
        """
        usual = self.mechanisms
        breaks = self is Fairness.TRUE and not EVERY[key].claim_holds
        return usual if key in usual or breaks else (*usual, key)


@dataclass(frozen=True, slots=True, kw_only=True)
class ErrorCurve:
    """Bias, standard deviation and root mean squared error along an axis."""

    key: str
    x: FloatArray
    """Shape ``(m,)``: epsilon, number of people, or position."""
    bias: FloatArray
    """Shape ``(m,)``, in units of the statistic."""
    spread: FloatArray
    """Standard deviation of the release."""
    rmse: FloatArray
    epsilon: FloatArray
    """The privacy that is really given at each point (delta of the setting)."""

    def joined_by(self, other: ErrorCurve) -> ErrorCurve:
        """Return the curve with the points of another one of the same mechanism.

        Where both have a point, this one's stays.
        """
        x, first = np.unique(np.concatenate([self.x, other.x]), return_index=True)

        def of_both(mine: FloatArray, others: FloatArray) -> FloatArray:
            return np.concatenate([mine, others])[first]

        return ErrorCurve(
            key=self.key,
            x=x,
            bias=of_both(self.bias, other.bias),
            spread=of_both(self.spread, other.spread),
            rmse=of_both(self.rmse, other.rmse),
            epsilon=of_both(self.epsilon, other.epsilon),
        )

    def of(self, metric: ErrorMetric) -> FloatArray:
        """Return the values of one metric."""
        return {
            ErrorMetric.RMSE: self.rmse,
            ErrorMetric.BIAS: self.bias,
            ErrorMetric.SPREAD: self.spread,
        }[metric]


@dataclass(frozen=True, slots=True, kw_only=True)
class Dots:
    """A curve's experiment: means over simulated draws, with two standard errors."""

    key: str
    x: FloatArray
    value: FloatArray
    error: FloatArray


def at_setting(setting: ComparedPoint, keys: Sequence[str]) -> tuple[ErrorCurve, ...]:
    """Return one curve a mechanism with a single point: the setting itself."""
    return against_epsilon(setting, keys, np.array([setting.epsilon]))


def error_range(
    settings: Sequence[ComparedPoint], keys: Sequence[str], metric: ErrorMetric
) -> tuple[float, float]:
    """Return the least and the largest positive ``metric`` over settings and places.

    Of settings at the ends of the controls it is what an axis can hold still at.
    """
    sizes = np.concatenate(
        [
            np.abs(curve.of(metric))
            for setting in settings
            for curve in against_position(setting, keys, _PLACES)
        ]
    )
    seen = sizes[sizes > np.finfo(float).tiny]
    return (float(seen.min()), float(seen.max())) if len(seen) else (1.0, 1.0)


def against_epsilon(
    setting: ComparedPoint, keys: Sequence[str], epsilons: FloatArray
) -> tuple[ErrorCurve, ...]:
    """Return one curve a mechanism over the privacy parameter."""
    settings = [setting.at_epsilon(float(epsilon)) for epsilon in epsilons]
    return tuple(_curve(key, epsilons, settings) for key in keys)


def against_people(
    setting: ComparedPoint, keys: Sequence[str], people: FloatArray
) -> tuple[ErrorCurve, ...]:
    """Return one curve a mechanism over the number of people.

    Raises:
        ParameterError: If a number of people is too small for the statistic.

    """
    settings = [setting.of_people(int(n)) for n in people]
    return tuple(_curve(key, people, settings) for key in keys)


def against_position(
    setting: ComparedPoint, keys: Sequence[str], points: int
) -> tuple[ErrorCurve, ...]:
    """Return one curve a mechanism over where the true value lies."""
    positions = np.linspace(*setting.window, points)
    found = {key: setting.moments(key, positions) for key in keys}
    return tuple(
        ErrorCurve(
            key=key,
            x=positions,
            bias=each.bias,
            spread=each.spread,
            rmse=each.rmse,
            epsilon=np.full(points, each.epsilon),
        )
        for key, each in found.items()
    )


def simulated(
    keys: Sequence[str],
    x: FloatArray,
    settings: Sequence[ErrorSetting],
    metric: ErrorMetric,
    *,
    draws: int,
    rng: np.random.Generator,
) -> tuple[Dots, ...]:
    """Return simulated values of ``metric`` at ``settings``, for each mechanism.

    ``x`` is where the settings lie on the axis, one number for each. The error of a
    root is carried over from the mean square by the delta method.

    Raises:
        ParameterError: If there are not as many settings as places.

    """
    if len(x) != len(settings):
        raise ParameterError("one setting is needed for each simulated point.")
    dots = []
    for key in keys:
        pairs = [_experiment(key, each, metric, draws, rng) for each in settings]
        value, error = np.array(pairs).T
        dots.append(Dots(key=key, x=x, value=value, error=error))
    return tuple(dots)


@dataclass(frozen=True, slots=True, kw_only=True)
class Winners:
    """Which mechanism has the smallest error, over position and epsilon."""

    keys: tuple[str, ...]
    position: FloatArray
    """Shape ``(p,)``, as a share of the way between the bounds."""
    epsilon: FloatArray
    """Shape ``(e,)``."""
    best: NDArray[np.intp]
    """Shape ``(e, p)``: index into ``keys``; ``len(keys)`` where the best two differ by
    less than 1%.
    """
    saving: FloatArray
    """Shape ``(e, p)``: how much smaller its RMSE is than the runner-up's."""

    def share(self, index: int) -> float:
        """Return the share of the map that has that index in ``best``."""
        return float(np.mean(self.best == index))


def winners(
    setting: ErrorSetting, keys: Sequence[str], epsilons: FloatArray, points: int
) -> Winners:
    """Return the mechanism of least mean squared error at each place and epsilon."""
    places = np.linspace(0.0, 1.0, points)
    low, high = setting.window
    positions = low + places * (high - low)
    rmse = np.array(
        [
            [
                np.sqrt(replace(setting, epsilon=float(e)).mechanism(key).mse(positions))
                for e in epsilons
            ]
            for key in keys
        ]
    )
    ranked = np.sort(rmse, axis=0)
    with np.errstate(invalid="ignore", divide="ignore"):
        saving = np.nan_to_num(1 - ranked[0] / ranked[1])
    return Winners(
        keys=tuple(keys),
        position=places,
        epsilon=np.asarray(epsilons),
        best=np.where(saving < _ALIKE, len(keys), np.argmin(rmse, axis=0)),
        saving=saving,
    )


def _curve(key: str, x: FloatArray, settings: Sequence[ComparedPoint]) -> ErrorCurve:
    rows = [setting.moments(key, setting.position) for setting in settings]
    return ErrorCurve(
        key=key,
        x=np.asarray(x, dtype=float),
        bias=np.array([row.bias for row in rows]),
        spread=np.array([row.spread for row in rows]),
        rmse=np.array([row.rmse for row in rows]),
        epsilon=np.array([row.epsilon for row in rows]),
    )


def _experiment(
    key: str, setting: ErrorSetting, metric: ErrorMetric, draws: int, rng: np.random.Generator
) -> tuple[float, float]:
    at = setting.position
    errors = setting.mechanism(key).simulate(at, rng=rng, size=(draws,)) - at
    if metric is ErrorMetric.BIAS:
        return float(errors.mean()), float(2 * errors.std() / np.sqrt(draws))
    if metric is ErrorMetric.SPREAD:
        errors = errors - errors.mean()
    square = errors**2
    root = float(np.sqrt(square.mean()))
    slope = 2 * root if root > 0 else 1.0
    return root, float(2 * square.std() / np.sqrt(draws) / slope)


_TABLE_DRAWS: Final = 200


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
    drawn = plan.mechanism.simulate(value, rng=SIMULATION.rng, size=(_TABLE_DRAWS, len(value)))
    share = plan.shares[number : number + 1]
    places = [estimated_places(*split_at_each(one), share)[0] for one in drawn]
    answers = plan.statistic.grid[np.array(places, dtype=np.intp)]
    return moments_of(answers - plan.truth(value)[number])
