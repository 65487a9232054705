"""Why people are exposed in a released model: their leverage, and their residual.

What a release tells about a person depends on how strongly the record pulls on the
coefficients and on how far the prediction without the person misses the target. Which
measure of leverage says all depends on the shape of the noise. CONFIDENTIAL.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np
from scipy.special import erf

from dpcore.models import posterior_profile
from dpcore.models.blocks import row_blocks
from dpcore.models.metrics import Shape
from dpcore.models.release_laws import NoisyFit, SampledFit
from dpcore.privacy import gaussian

if TYPE_CHECKING:
    from dpcore.data.bounds import FloatArray
    from dpcore.models.glm import GlmFit
    from dpcore.models.metrics import Metric
    from dpcore.models.release_laws import Law
    from dpcore.models.ridge import RidgeFit
    from dpcore.studies.individual.leverage_map import LossAt


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Causes:
    """Leverage and residual of everybody, and what they make of a loss. CONFIDENTIAL.

    Attributes:
        name: What is meant by leverage, in words.
        leverage: Of each person, shape ``(n,)``.
        residual: What the prediction without the person misses, shape ``(n,)``.
        loss_at: The loss for a leverage and a residual, where these decide it.
        variation: Total variation of the two laws of each person, shape ``(n,)``;
            ``None`` where it is not known fast.

    """

    name: str
    leverage: FloatArray = field(repr=False)
    residual: FloatArray = field(repr=False)
    loss_at: LossAt | None = field(repr=False)
    variation: FloatArray | None = field(repr=False)


def causes(
    law: Law,
    fit: RidgeFit | GlmFit,
    *,
    leverage: FloatArray,
    residual: FloatArray,
    shift: FloatArray,
    delta: float,
    leaves: bool = True,
) -> Causes:
    """Return what decides everybody's loss.

    For noise of a public shape, leverage is the move of the coefficients for each unit
    of residual, ``|H^-1 x|_A``; for a posterior sample ``x' H^-1 x`` without the
    person. For others no two numbers decide the loss.

    Args:
        law: The law of the release.
        fit: The model.
        leverage: ``x' H^-1 x`` with the person, shape ``(n,)``.
        residual: What the prediction without the person misses, shape ``(n,)``.
        shift: Length of the move of the coefficients, in the norm of the noise.
        delta: What goes with the losses.
        leaves: Whether people leave, rather than have another record.

    """
    if isinstance(law, NoisyFit) and law.metric.public:
        return _of_noise(law, fit, residual, shift, delta if leaves else None)
    with np.errstate(divide="ignore"):
        outside = leverage / np.maximum(1 - leverage, 0.0)
    fisher = isinstance(law, NoisyFit) and law.metric.shape is Shape.FISHER
    if fisher or (isinstance(law, SampledFit) and law.samples == 1):
        root = 1 / law.noise

        def sampled(m: FloatArray, e: FloatArray) -> FloatArray:
            return posterior_profile.epsilon_of(m, root * e, delta)

        known = np.isfinite(outside) & np.isfinite(residual)
        variation = np.ones(len(outside))
        variation[known] = posterior_profile.delta_of(
            outside[known], root * np.abs(residual[known]), 0.0
        )
        return Causes(
            name="leverage of the record (without the person)",
            leverage=outside,
            residual=residual,
            loss_at=sampled,
            variation=variation,
        )
    return Causes(
        name="leverage of the record (without the person)",
        leverage=outside,
        residual=residual,
        loss_at=None,
        variation=None,
    )


def _of_noise(
    law: NoisyFit,
    fit: RidgeFit | GlmFit,
    residual: FloatArray,
    shift: FloatArray,
    delta: float | None,
) -> Causes:
    root = math.sqrt(law.gamma)
    pull = _pulls(fit, law.metric)
    # 2 Phi(mu/2) - 1.
    variation = np.asarray(erf(root * shift / math.sqrt(8)))
    name = "pull of the record: move of the model per unit of residual"
    if delta is None:
        return Causes(
            name=name,
            leverage=pull,
            residual=residual,
            loss_at=None,
            variation=variation,
        )
    with np.errstate(divide="ignore", invalid="ignore"):
        missed = np.where(pull > 0, np.copysign(shift / pull, residual), residual)

    def noisy(p: FloatArray, e: FloatArray) -> FloatArray:
        return gaussian.epsilon_of(root * p * np.abs(e), delta)

    return Causes(
        name=name,
        leverage=pull,
        residual=missed,
        loss_at=noisy,
        variation=variation,
    )


def _pulls(fit: RidgeFit | GlmFit, metric: Metric) -> FloatArray:
    directions = metric.directions(fit.factor)
    pulls = np.empty(fit.people)
    for rows in row_blocks(*fit.features.shape):
        moved = fit.features[rows] @ directions
        pulls[rows] = np.sqrt(np.einsum("ij,ij->i", moved, moved))
    return pulls
