"""The most that anybody could lose who joins a table: found, and bounded.

CONFIDENTIAL: it depends on everybody in the table.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Final

import numpy as np
from scipy.special import expit

from dpcore.arrays import FloatArray
from dpcore.models.design import Design
from dpcore.models.factor import principal_ways
from dpcore.models.loss_tables import sampled_epsilon
from dpcore.models.losses import Logistic, Poisson
from dpcore.models.metrics import Metric
from dpcore.models.posterior import guarantees, leverage_and_residual

if TYPE_CHECKING:
    from dpcore.models.fits import Fit
    from dpcore.models.glm.fit import GlmFit

_BOUNDS: Final = guarantees.RecordBounds()


def candidates(fit: Fit, design: Design) -> FloatArray:
    """Return rows within the bounds in directions that matter, shape ``(m, d)``."""
    axes, ahead = principal_ways(fit.factor, fit.theta)
    ways = np.concatenate([axes, ahead[np.newaxis], axes + ahead])
    corners = np.sign(np.concatenate([ways, -ways]))
    reach = math.sqrt(len(ahead))
    return design.legal(np.concatenate([ways, -ways, reach * ways, corners * reach]))


def glm_moves(fit: GlmFit, metric: Metric, design: Design) -> tuple[float, float]:
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
