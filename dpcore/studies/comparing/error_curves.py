"""Bias, variance and error of the mechanisms, from public numbers only.

Every curve is a closed form of the mechanism; ``simulated`` draws from the same law, so
that a picture can show that the formula and the experiment agree.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Protocol, Self

import numpy as np
from numpy.typing import NDArray

from dpcore.analyses.base import Question
from dpcore.analyses.groups import GroupedQuery
from dpcore.analyses.marginals import MarginalsQuery
from dpcore.arrays import FloatArray
from dpcore.errors import ParameterError
from dpcore.mechanisms.catalog import EVERY
from dpcore.mechanisms.mechanism import Mechanism
from dpcore.statistics.kinds import StatisticKind


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


_WINDOW = 200.0
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


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class ErrorMoments:
    """The errors of a mechanism at one or several positions."""

    bias: FloatArray
    spread: FloatArray
    rmse: FloatArray
    epsilon: float
    """The privacy that is really given."""


class ComparedPoint(Protocol):
    """A point of a comparison, which can be moved along each axis. PUBLIC."""

    @property
    def epsilon(self) -> float:
        """Privacy parameter of every mechanism."""

    @property
    def window(self) -> tuple[float, float]:
        """The stretch of true values that are compared."""

    @property
    def position(self) -> float:
        """The true value."""

    @property
    def people(self) -> int:
        """The number of people that the errors depend on."""

    @property
    def fewest(self) -> int:
        """The fewest people that the answer is defined for."""

    @property
    def narrow(self) -> float:
        """The epsilon at which the noise is as wide as the bounds."""

    @property
    def people_label(self) -> str:
        """What the number of people is called on an axis."""

    @property
    def position_label(self) -> str:
        """What the true value is called on an axis."""

    @property
    def each(self) -> str:
        """Which number of the answer is compared; empty where it has one."""

    @property
    def unit(self) -> str:
        """Unit of the answer."""

    def at_epsilon(self, epsilon: float) -> Self:
        """Return the setting with another epsilon."""

    def of_people(self, people: int) -> Self:
        """Return the setting for another number of people."""

    def at_place(self, place: float) -> Self:
        """Return the setting with another true value, as a share of the window."""

    def moments(self, key: str, at: FloatArray | float) -> ErrorMoments:
        """Return the errors of a mechanism at true values."""


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
