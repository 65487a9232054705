"""The most that anybody could lose who joins a table: found, and bounded.

CONFIDENTIAL: it depends on everybody in the table.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Final

import numpy as np
from scipy.special import expit

from dpcore.arrays import FloatArray
from dpcore.errors import ParameterError
from dpcore.models import guarantees, leverage_and_residual
from dpcore.models.design import Design
from dpcore.models.factor import principal_ways
from dpcore.models.glm import GlmFit
from dpcore.models.influence import addition_certificate
from dpcore.models.loss_functions import Logistic, Poisson
from dpcore.models.loss_tables import sampled_epsilon
from dpcore.models.metrics import ISOTROPIC, Metric
from dpcore.models.question import Fit
from dpcore.models.ridge import RidgeFit
from dpcore.models.ridge_influence import additions

_BOUNDS: Final = guarantees.RecordBounds()
_STEPS: Final = 120
_FIRST_STEP: Final = 0.5


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class LargestAddition:
    """The most that a newcomer can move the coefficients of a fit. CONFIDENTIAL."""

    found: float = field(repr=False)
    """The largest shift that a search found: a value that is reached."""
    certificate: float = field(repr=False)
    """A bound that no newcomer exceeds."""
    row: FloatArray = field(repr=False)
    """The newcomer's row where it is found, shape ``(d,)``."""
    target: float = field(repr=False)
    """The newcomer's target there."""


def candidates(fit: Fit, design: Design) -> FloatArray:
    """Return rows within the bounds in directions that matter, shape ``(m, d)``."""
    axes, ahead = principal_ways(fit.factor, fit.theta)
    ways = np.concatenate([axes, ahead[np.newaxis], axes + ahead])
    corners = np.sign(np.concatenate([ways, -ways]))
    reach = math.sqrt(len(ahead))
    return design.legal(np.concatenate([ways, -ways, reach * ways, corners * reach]))


def largest_moves(fit: Fit, metric: Metric, design: Design) -> tuple[float, float]:
    """Return the largest move by an added record that was found, and a bound on all."""
    if not fit.linear:
        return _glm_moves(fit, metric, design)

    def search() -> LargestAddition:
        return largest_addition(fit, metric, legal=design.legal, targets=design.target_range)

    most = fit.keep("added records", (metric.name, design), search)
    return most.found, most.certificate


def within_unit_ball(rows: FloatArray) -> FloatArray:
    """Return the nearest rows that are at most 1 long."""
    lengths = np.linalg.norm(rows, axis=-1, keepdims=True)
    return np.asarray(rows / np.maximum(lengths, 1.0))


def largest_addition(
    fit: RidgeFit,
    metric: Metric = ISOTROPIC,
    *,
    legal: Callable[[FloatArray], FloatArray] = within_unit_ball,
    targets: tuple[float, float] = (-1.0, 1.0),
) -> LargestAddition:
    """Return the most that one newcomer can move the coefficients.

    The shift is not a concave function of the row, so that it is searched for by
    gradient ascent from the eigenvectors of ``H``, the coefficients, and sums of them.
    ``legal`` returns, for any rows, ones that a person can have; ``targets`` are the
    least and the largest.

    Raises:
        ParameterError: A legal row is longer than 1, or a target beyond -1 and 1.

    """
    if max(map(abs, targets)) > 1:
        raise ParameterError("targets must lie within -1 and 1; scale them by their public bounds.")
    starts = legal(_starts(fit))
    if np.linalg.norm(starts, axis=1).max() > 1 + 1e-9:
        raise ParameterError("rows must be at most 1 long; let the design keep them so.")
    best = (-np.inf, starts[0], targets[0])
    for target in targets:
        shifts, rows = _ascended(fit, metric, starts.copy(), target, legal)
        place = int(np.argmax(shifts))
        if shifts[place] > best[0]:
            best = (float(shifts[place]), rows[place], target)
    return LargestAddition(
        found=best[0], certificate=addition_certificate(fit, metric), row=best[1], target=best[2]
    )


def _glm_moves(fit: GlmFit, metric: Metric, design: Design) -> tuple[float, float]:
    """Return the move of one Newton step at the rows tried, and a bound.

    A newcomer moves the coefficients by at most the gradient at the present fit over
    the convexity of the penalty (Wang 2019, lemma 13).
    """
    x = candidates(fit, design)
    ends = np.array(design.target_range)
    eta = np.repeat(x @ fit.theta, len(ends))
    rows, y = np.repeat(x, len(ends), axis=0), np.tile(ends, len(x))
    slopes, weights = fit.loss.slope(eta, y), fit.loss.curvature(eta, y)
    halves = rows @ fit.factor.inverse_root
    spread = 1 + weights * np.einsum("ij,ij->i", halves, halves)
    moves = fit.factor.solve(rows.T).T * (slopes / spread)[:, np.newaxis]
    found = float(metric.lengths(moves, fit.factor).max())
    strength = fit.penalty.constant
    if strength == 0:
        return found, math.inf
    bound = _steepest(fit, design) / strength * math.sqrt(metric.largest)
    return min(found, bound), bound


def _steepest(fit: GlmFit, design: Design) -> float:
    """Return the largest slope of a loss at the present coefficients."""
    reach = float(np.linalg.norm(fit.theta))  # no prediction of a row is larger
    if isinstance(fit.loss, Logistic):
        return float(expit(reach))
    if isinstance(fit.loss, Poisson):
        most = design.target_range[1]
        return max(math.exp(min(reach, 700.0)), most)
    return min(fit.loss.steepest, 1 + reach)


def sampled_losses(
    fit: Fit, design: Design, *, gamma: float, samples: int, delta: float
) -> tuple[float, float]:
    """Return the largest loss by posterior samples that was found, and a bound."""
    x, ends = candidates(fit, design), np.array(design.target_range)
    halves = x @ fit.factor.inverse_root
    leverage = np.einsum("ij,ij->i", halves, halves)
    residual = np.abs(ends - (x @ fit.theta)[:, np.newaxis]).max(axis=1)
    scaled = math.sqrt(gamma) * residual
    # Of several samples the divergences of one add up; a bound holds for one as well.
    smallest = 1 / float(np.linalg.norm(fit.factor.inverse_root, 2)) ** 2
    length = float(np.linalg.norm(fit.theta))
    if samples > 1:
        m = _BOUNDS.leverage(smallest)
        e = float(guarantees.covering_residual(m, _BOUNDS.residual(length)))
        worst = sampled_epsilon(
            np.append(leverage, m),
            np.append(scaled, e * math.sqrt(gamma)),
            delta=delta,
            samples=samples,
        )
        return float(worst[:-1].max()), float(worst[-1])
    bound = guarantees.for_all(
        gamma=gamma, delta=delta, floor=smallest, length=length, bounds=_BOUNDS, proved=True
    )
    found = leverage_and_residual.epsilon_of(leverage, scaled, delta)
    return float(found.max()), float(bound)


def _starts(fit: RidgeFit) -> FloatArray:
    """Return rows to start the search from, shape ``(m, d)``."""
    axes, ahead = principal_ways(fit.factor, fit.theta)
    mixed = np.concatenate([axes + ahead, axes - ahead])
    return np.concatenate([axes, ahead[np.newaxis], mixed])


def _ascended(
    fit: RidgeFit,
    metric: Metric,
    rows: FloatArray,
    target: float,
    legal: Callable[[FloatArray], FloatArray],
) -> tuple[FloatArray, FloatArray]:
    """Return shifts and rows after projected gradient ascent from each of ``rows``."""
    directions = metric.directions(fit.factor)
    squared = directions @ directions.T
    inverse = fit.factor.inverse_root @ fit.factor.inverse_root.T

    def logarithm(rows: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Return the logarithm of the shift and its gradient, of length 1."""
        errors = target - rows @ fit.theta
        solved, moved = rows @ inverse, rows @ squared
        spread = 1 + np.einsum("ij,ij->i", rows, solved)
        squares = np.einsum("ij,ij->i", rows, moved)
        value = np.log(np.abs(errors)) + np.log(squares) / 2 - np.log(spread)
        slope = moved / squares[:, np.newaxis] - fit.theta / errors[:, np.newaxis]
        slope -= 2 * solved / spread[:, np.newaxis]
        return value, slope / np.linalg.norm(slope, axis=1, keepdims=True)

    sizes = np.full(len(rows), _FIRST_STEP)
    with np.errstate(divide="ignore", invalid="ignore"):
        values, slopes = logarithm(rows)
        for _ in range(_STEPS):
            tried = legal(rows + sizes[:, np.newaxis] * np.nan_to_num(slopes))
            reached, ahead = logarithm(tried)
            better = reached > values
            rows[better], values[better] = tried[better], reached[better]
            slopes[better] = ahead[better]
            sizes *= np.where(better, 1.3, 0.5)
    return additions(fit, rows, np.full(len(rows), target), metric), rows
