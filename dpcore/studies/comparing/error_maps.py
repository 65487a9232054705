"""Maps of bias, variance and MSE over where the value lies and how wide the noise is.

Everything is a share of the range ``R`` of the statistic: the position is ``theta/R``,
the scale ``b/R`` that of the Laplace mechanism at the same nominal epsilon.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum

import numpy as np
from numpy.typing import NDArray

from dpcore.arrays import FloatArray
from dpcore.errors import ParameterError
from dpcore.mechanisms.boundary_inflated import BoundaryInflatedLaplace
from dpcore.mechanisms.folded import FoldedLaplace
from dpcore.mechanisms.laplace import Laplace
from dpcore.mechanisms.mechanism import Mechanism, Sensitivity
from dpcore.mechanisms.truncated import TruncatedLaplace
from dpcore.studies.comparing.error_curves import Fairness
from dpcore.studies.teaching.laboratory import UNIT, Setup, measure

FLIP_AT_BOUND = 1.126501506201142
"""``R/b`` above which BIT beats truncation for a value on a bound, at equal scale.

The root of ``2 P_3(x) = P_1(x) P_2(x)``.
"""

FLIP_ONE_SIDED = 1.148309812961043
"""``(theta - c0)/b`` below which BIT beats truncation, at equal scale.

For a value near one bound whose other bound is far away: the root of ``2 [P_3(x) + 1]
= [P_1(x) + 1] [P_2(x) + 1]``.
"""

CLEARLY = 0.01
"""The least lead, as a logarithm, of which a map is said to be the lowest."""

_NARROWEST, _WIDEST = 0.02, 5.0
_PLACES, _SCALES = 49, 40
_TINY = 1e-12


class MapQuantity(StrEnum):
    """What a map shows."""

    MSE = "mean squared error"
    BIAS = "bias"
    VARIANCE = "variance"


@dataclass(frozen=True, slots=True, kw_only=True)
class ErrorMaps:
    """One map a mechanism, and which of them is the lowest where."""

    quantity: MapQuantity
    """What the maps show; of the bias its absolute value."""
    fairness: Fairness
    """What the mechanisms have in common."""
    keys: tuple[str, ...]
    """The mechanisms, of length ``k``."""
    place: FloatArray
    """Shape ``(p,)``: positions as a share of the range."""
    scale: FloatArray
    """Shape ``(s,)``: scale of the Laplace mechanism over the range."""
    heights: FloatArray
    """Shape ``(k, s, p)``: MSE and variance as a share of the squared range, bias of
    the range.
    """
    lead: FloatArray
    """Shape ``(k, s, p)``: log of the lowest other map over this one, positive where
    this one is the lowest.
    """
    best: NDArray[np.intp]
    """Shape ``(s, p)``: index into ``keys``; ``k`` where the best two differ by about 1
    % or less.
    """

    def share(self, index: int) -> float:
        """Return the share of the map that has that index in ``best``."""
        return float(np.mean(self.best == index))

    def level_line(self, key: str, level: float) -> FloatArray:
        """Return the smallest scale at which the map of ``key`` reaches ``level``.

        Shape ``(p,)``, NaN where it lies off the map. Bias and MSE grow with the scale
        at every position. So does the variance, but for that of folding, which falls a
        little where the noise is wider than the range.

        Raises:
            ParameterError: ``level`` is not positive, or ``key`` is not on the map.

        """
        if level <= 0 or key not in self.keys:
            raise ParameterError("a level line needs a positive level and a mechanism of the map.")
        columns = self.heights[self.keys.index(key)].T
        logs = np.log(self.scale)
        return np.array([_crossing(column, logs, level) for column in columns])


def error_maps(quantity: MapQuantity, fairness: Fairness, shift: float) -> ErrorMaps:
    """Return the maps of BIT, truncated, folded and unbounded Laplace noise.

    At the same nominal epsilon all have the scale ``b = shift/epsilon``; at the same
    true epsilon truncation gets the larger one that it needs, folding the smaller one
    that suffices, both for values ``shift`` apart.

    Raises:
        ParameterError: ``shift`` is not in (0, 1].

    """
    if not 0 < shift <= 1:
        raise ParameterError(f"shift must be in (0, 1], got {shift}.")
    place = np.linspace(0.0, 1.0, _PLACES)
    scale = np.geomspace(_NARROWEST, _WIDEST, _SCALES)
    rows = [dict(_at_scale(float(b), fairness, shift)) for b in scale]
    keys = tuple(rows[0])
    heights = np.array([[_height(row[key], quantity, place) for row in rows] for key in keys])
    logs = np.log(np.maximum(heights, _TINY))
    if quantity is MapQuantity.BIAS:
        logs[keys.index("laplace")] = np.inf
    others = [np.delete(logs, index, axis=0).min(axis=0) for index in range(len(keys))]
    lead = np.array(others) - logs
    return ErrorMaps(
        quantity=quantity,
        fairness=fairness,
        keys=keys,
        place=place,
        scale=scale,
        heights=heights,
        lead=lead,
        best=np.where(lead.max(axis=0) < CLEARLY, len(keys), np.argmax(lead, axis=0)),
    )


def _at_scale(b: float, fairness: Fairness, shift: float) -> Iterator[tuple[str, Mechanism]]:
    yield "laplace", Laplace(noise=b)
    yield "bit", BoundaryInflatedLaplace(noise=b, bounds=UNIT)
    if fairness is Fairness.NOMINAL:
        yield "truncated-published", TruncatedLaplace(noise=b, bounds=UNIT)
        yield "folded", FoldedLaplace(noise=b, bounds=UNIT)
        return
    one, epsilon = Sensitivity.scalar(shift), shift / b
    for key, family in (("truncated", TruncatedLaplace), ("folded", FoldedLaplace)):
        yield key, family.calibrate(sensitivity=one, epsilon=epsilon, bounds=UNIT)


def _height(mechanism: Mechanism, quantity: MapQuantity, place: FloatArray) -> FloatArray:
    if quantity is MapQuantity.BIAS:
        return np.abs(mechanism.bias(place))
    if quantity is MapQuantity.VARIANCE:
        return mechanism.variance(place)
    return mechanism.mse(place)


def _crossing(column: FloatArray, logs: FloatArray, level: float) -> float:
    highest = np.maximum.accumulate(column)
    if not highest[0] <= level <= highest[-1]:
        return float("nan")
    heights = np.log(np.maximum(highest, np.finfo(float).tiny))
    after = max(int(np.searchsorted(highest, level)), 1)
    pair = slice(after - 1, after + 1)
    return float(np.exp(np.interp(np.log(level), heights[pair], logs[pair])))


COMPARED = (
    "bit",
    "folded",
    "truncated",
    "truncated-published",
    "laplace",
    "bounded-gaussian",
    "limited",
    "bit-gaussian",
    "truncated-gaussian",
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Remedy:
    """One mechanism at one value."""

    key: str
    place: float
    """The value, as a share of the range."""
    real: float
    """The epsilon that it really gives."""
    bias: float
    """Mean of the release less the value, as a share of the range."""
    rmse: float
    """Root mean squared error, as a share of the range."""


def remedies(shift: float, epsilon: float, places: Sequence[float]) -> tuple[Remedy, ...]:
    """Return every mechanism compared at each of ``places``, place by place.

    Truncation as published is listed too, with the larger epsilon that it gives.

    Raises:
        ParameterError: A parameter lies outside its domain.

    """
    return tuple(
        _remedy(Setup(key=key, epsilon=epsilon, place=place, shift=shift))
        for place in places
        for key in COMPARED
    )


def _remedy(setup: Setup) -> Remedy:
    mechanism = setup.mechanism()
    return Remedy(
        key=setup.key,
        place=setup.place,
        real=measure(setup).real,
        bias=float(mechanism.bias(setup.place)),
        rmse=float(np.sqrt(mechanism.mse(setup.place))),
    )
