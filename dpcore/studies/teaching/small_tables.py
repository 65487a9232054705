"""Small tables, many at once, and the value of a statistic in each.

A table has one row a person: a value, a second value and the index of a group. Arrays
of tables have shape ``(..., n, 3)``; a statistic of them has shape ``(...)`` and is NaN
where it has no value.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from math import ceil

import numpy as np
from numpy.typing import NDArray

from dpcore.arrays import FloatArray
from dpcore.data.bounds import Interval
from dpcore.errors import ParameterError
from dpcore.statistics.checks import check_bounds

VALUE, SECOND, GROUP = 0, 1, 2
_SAME = 1e-9
"""Values closer than this share of the width count as equal: rounding is no spread."""


class RecordChange(StrEnum):
    """How a neighboring table differs from the one at hand."""

    SUBSTITUTION = "one record replaced"
    ADDITION = "one person added"
    REMOVAL = "one person removed"


class Columns(StrEnum):
    """Which columns of the table a statistic reads."""

    ONE = "value"
    TWO = "two values"
    GROUPED = "value and group"


@dataclass(frozen=True, slots=True, kw_only=True)
class TableSetting:
    """What is public besides the number of people in each group.

    Raises:
        ParameterError: If the bounds are infinite or equal, or another number lies
            outside its domain.

    """

    bounds: Interval
    """Interval of both values."""
    level: float = 0.5
    """Which quantile, in [0, 1]."""
    groups: int = 1
    """Number of groups ``J``, the same in all neighboring tables."""
    group_is_public: bool = True
    """Whether a replaced record keeps its group."""

    def __post_init__(self) -> None:
        check_bounds(self.bounds)
        if not 0 <= self.level <= 1:
            raise ParameterError(f"the level of a quantile must be in [0, 1], got {self.level}.")
        if self.groups < 1:
            raise ParameterError(f"the number of groups must be at least 1, got {self.groups}.")

    @property
    def middle(self) -> float:
        """Return the middle of the bounds; people from there on are counted."""
        return self.bounds.lower + self.bounds.width / 2


def same_x(tables: FloatArray, setting: TableSetting) -> NDArray[np.bool_]:
    """Tell of each table whether everybody has the same value."""
    return _is_constant(tables[..., VALUE], setting)


def rank(people: int, level: float) -> int:
    """Return which value, counted from 1, is the quantile: ``ceil(level n)``.

    >>> rank(10, 0.25), rank(10, 0.3), rank(10, 0.0)
    (3, 3, 1)
    """
    return max(1, ceil(level * people - _SAME))


def total(tables: FloatArray, _: TableSetting) -> FloatArray:
    """Return the sum of the values."""
    return np.asarray(tables[..., VALUE].sum(axis=-1))


def mean(tables: FloatArray, _: TableSetting) -> FloatArray:
    """Return the mean of the values."""
    return np.asarray(tables[..., VALUE].mean(axis=-1))


def count(tables: FloatArray, setting: TableSetting) -> FloatArray:
    """Return how many values lie in the upper half of the bounds."""
    return np.asarray(_members(tables, setting).sum(axis=-1))


def proportion(tables: FloatArray, setting: TableSetting) -> FloatArray:
    """Return the share of values in the upper half of the bounds."""
    return np.asarray(_members(tables, setting).mean(axis=-1))


def variance(tables: FloatArray, _: TableSetting) -> FloatArray:
    """Return the variance with divisor n - 1."""
    return np.asarray(_squares(tables) / (tables.shape[-2] - 1))


def population_variance(tables: FloatArray, _: TableSetting) -> FloatArray:
    """Return the variance with divisor n."""
    return np.asarray(_squares(tables) / tables.shape[-2])


def standard_deviation(tables: FloatArray, setting: TableSetting) -> FloatArray:
    """Return the square root of ``variance``."""
    return np.sqrt(variance(tables, setting))


def median(tables: FloatArray, _: TableSetting) -> FloatArray:
    """Return the middle value, or the mean of the two in the middle."""
    return np.asarray(np.median(tables[..., VALUE], axis=-1))


def quantile(tables: FloatArray, setting: TableSetting) -> FloatArray:
    """Return the value at ``rank``, for the level of the setting."""
    place = rank(tables.shape[-2], setting.level) - 1
    return np.asarray(np.sort(tables[..., VALUE], axis=-1)[..., place])


def covariance(tables: FloatArray, _: TableSetting) -> FloatArray:
    """Return the covariance of both values, with divisor n - 1."""
    return np.asarray(_products(tables)[2] / (tables.shape[-2] - 1))


def correlation(tables: FloatArray, setting: TableSetting) -> FloatArray:
    """Return the correlation; NaN where either value is the same for everybody."""
    xx, yy, xy = _products(tables)
    flat = same_x(tables, setting)
    flat = flat | _is_constant(tables[..., SECOND], setting)
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(flat, np.nan, np.clip(xy / np.sqrt(xx * yy), -1, 1))


def slope(tables: FloatArray, setting: TableSetting) -> FloatArray:
    """Return the least-squares slope of the second value over the first.

    NaN where the first is the same for everybody.
    """
    xx, _, xy = _products(tables)
    flat = same_x(tables, setting)
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(flat, np.nan, xy / xx)


def pooled_variance(tables: FloatArray, setting: TableSetting) -> FloatArray:
    """Return the sum of squares around the means of the groups, over ``n - J``."""
    values, groups = tables[..., VALUE], tables[..., GROUP]
    squares = np.zeros(tables.shape[:-2])
    for group in range(setting.groups):
        member = groups == group
        people = np.maximum(member.sum(axis=-1, keepdims=True), 1)
        center = (values * member).sum(axis=-1, keepdims=True) / people
        squares += (np.square(values - center) * member).sum(axis=-1)
    freedom = tables.shape[-2] - setting.groups
    return squares / freedom if freedom > 0 else np.full_like(squares, np.nan)


def _members(tables: FloatArray, setting: TableSetting) -> FloatArray:
    return (tables[..., VALUE] >= setting.middle).astype(np.float64)


def _is_constant(values: FloatArray, setting: TableSetting) -> NDArray[np.bool_]:
    spread = values.max(axis=-1) - values.min(axis=-1)
    return np.asarray(spread <= _SAME * setting.bounds.width)


def _deviations(tables: FloatArray, column: int) -> FloatArray:
    values = tables[..., column]
    return np.asarray(values - values.mean(axis=-1, keepdims=True))


def _squares(tables: FloatArray) -> FloatArray:
    return np.asarray(np.square(_deviations(tables, VALUE)).sum(axis=-1))


def _products(tables: FloatArray) -> tuple[FloatArray, FloatArray, FloatArray]:
    x, y = _deviations(tables, VALUE), _deviations(tables, SECOND)
    return (x * x).sum(axis=-1), (y * y).sum(axis=-1), (x * y).sum(axis=-1)
