"""The most that anybody could lose who joins a table: found, and bounded.

CONFIDENTIAL: it depends on everybody in the table.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Final

import numpy as np
from scipy.special import expit

from dpcore.models import posterior_guarantees as guarantees
from dpcore.models.glm import GlmFit
from dpcore.models.losses import Logistic, Poisson
from dpcore.models.metrics import FISHER
from dpcore.models.posterior_sampling import PosteriorPairs
from dpcore.models.release_laws import NoisyFit, SampledFit
from dpcore.models.worst_shifts import largest_addition
from dpcore.privacy import gaussian

if TYPE_CHECKING:
    from dpcore.data.bounds import FloatArray
    from dpcore.models.design import Design
    from dpcore.models.release_laws import Law
    from dpcore.models.ridge import RidgeFit

_BOUNDS: Final = guarantees.RecordBounds()


def for_all(
    law: Law, fit: RidgeFit | GlmFit, *, design: Design, delta: float
) -> tuple[float, float]:
    """Return the largest loss of a newcomer that was found, and a bound on all.

    0 and infinity where neither is known.

    Args:
        law: How the model is released.
        fit: The fit to the table that somebody joins.
        design: What records are within the bounds.
        delta: What goes with every epsilon.

    """
    if isinstance(law, NoisyFit) and law.metric.public:
        found, bound = (
            _nonlinear(law, fit, design)
            if isinstance(fit, GlmFit)
            else _linear(law, fit, design)
        )
        root = math.sqrt(law.gamma)
        pair = gaussian.epsilon_of(root * np.array([found, bound]), delta)
        return float(pair[0]), float(pair[1])
    if isinstance(law, NoisyFit) and law.metric.shape is FISHER.shape:
        law = SampledFit(gamma=law.gamma)
    if isinstance(law, SampledFit) and not isinstance(fit, GlmFit):
        return _sampled(law, fit, design, delta)
    return 0.0, math.inf


def candidates(fit: RidgeFit | GlmFit, design: Design) -> FloatArray:
    """Return rows within the bounds in directions that matter, shape ``(m, d)``."""
    _, vectors = np.linalg.eigh(fit.factor.hessian)
    length = float(np.linalg.norm(fit.theta))
    ahead = fit.theta / length if length > 0 else vectors[:, -1]
    ways = np.concatenate([vectors.T, ahead[np.newaxis], vectors.T + ahead])
    corners = np.sign(np.concatenate([ways, -ways]))
    reach = math.sqrt(len(ahead))
    return design.legal(np.concatenate([ways, -ways, reach * ways, corners * reach]))


def _linear(law: NoisyFit, fit: RidgeFit, design: Design) -> tuple[float, float]:
    most = largest_addition(
        fit, law.metric, legal=design.legal, targets=design.target_range
    )
    return most.found, most.certificate


def _nonlinear(law: NoisyFit, fit: GlmFit, design: Design) -> tuple[float, float]:
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
    found = float(law.metric.lengths(moves, fit.factor).max())
    strength = fit.penalty.convexity(fit.people)
    if strength == 0 or fit.penalty.per_person:
        return found, math.inf
    bound = _steepest(fit, design) / strength * math.sqrt(law.metric.largest)
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


def _sampled(
    law: SampledFit, fit: RidgeFit, design: Design, delta: float
) -> tuple[float, float]:
    x, ends = candidates(fit, design), np.array(design.target_range)
    halves = x @ fit.factor.inverse_root
    leverage = np.einsum("ij,ij->i", halves, halves)
    residual = np.abs(ends - (x @ fit.theta)[:, np.newaxis]).max(axis=1)
    pairs = PosteriorPairs.of_newcomers(
        leverage=leverage, residual=residual, gamma=law.gamma
    )
    # Of several samples the divergences of one add up; a bound holds for one as well.
    smallest = 1 / float(np.linalg.norm(fit.factor.inverse_root, 2)) ** 2
    length = float(np.linalg.norm(fit.theta))
    if law.samples > 1:
        return _several(law, pairs, smallest, length, delta)
    bound = guarantees.for_all(
        gamma=law.gamma,
        delta=delta,
        floor=smallest,
        length=length,
        bounds=_BOUNDS,
        proved=True,
    )
    return float(pairs.epsilon(delta).max()), float(bound)


def _several(
    law: SampledFit,
    pairs: PosteriorPairs,
    smallest: float,
    length: float,
    delta: float,
) -> tuple[float, float]:
    from dpcore.models.loss_tables import sampled_epsilon  # noqa: PLC0415

    m = _BOUNDS.leverage(smallest)
    e = float(guarantees.covering_residual(m, _BOUNDS.residual(length)))
    worst = sampled_epsilon(
        np.append(pairs.leverage, m),
        np.append(pairs.residual, e * math.sqrt(law.gamma)),
        delta=delta,
        samples=law.samples,
    )
    return float(worst[:-1].max()), float(worst[-1])
