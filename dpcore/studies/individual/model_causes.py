"""Why people are exposed in a released model: their leverage, and their residual.

What a release tells about a person depends on how strongly the record pulls on the
coefficients and on how far the prediction without the person misses the target. Which
measure of leverage says all depends on the shape of the noise. CONFIDENTIAL.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from dpcore.arrays import FloatArray
from dpcore.models.blocks import row_blocks
from dpcore.models.fits import Fit
from dpcore.models.influence import Influence
from dpcore.models.laws.law import Law, LossAt
from dpcore.models.metrics import Metric


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Causes:
    """Leverage and residual of everybody, what a loss is made of. CONFIDENTIAL."""

    name: str
    """What is meant by leverage, in words."""
    short: str
    """The same in a word or two, as the head of a column."""
    leverage: FloatArray = field(repr=False)
    """Of each person, shape ``(n,)``."""
    residual: FloatArray = field(repr=False)
    """What the prediction without the person misses, shape ``(n,)``."""
    loss_at: LossAt | None = field(repr=False)
    """The loss for a leverage and a residual, where these decide it."""
    variation: FloatArray | None = field(repr=False)
    """Total variation of the two laws of each person, shape ``(n,)``; ``None`` where it
    is not known fast.
    """


def causes(
    law: Law,
    fit: Fit,
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
    here = Influence(
        leverage=leverage,
        residual=residual,
        move=shift,
        square=np.broadcast_to(np.nan, shift.shape),
        spread=np.broadcast_to(np.nan, shift.shape),
    )
    real = fit.law_of(law)
    loss_at = real.loss_by(delta)
    variation = None if loss_at is None else real.variation(here, delta=delta)
    if real.public:
        pull = _pulls(fit, real.metric)
        missed = residual
        if leaves:
            with np.errstate(divide="ignore", invalid="ignore"):
                by_move = np.copysign(shift / pull, residual)
            missed = np.where(pull > 0, by_move, residual)
        return Causes(
            name="pull of the record: move of the model per unit of residual",
            short="pull",
            leverage=pull,
            residual=missed,
            loss_at=loss_at if leaves else None,
            variation=variation,
        )
    return Causes(
        name="leverage of the record (without the person)",
        short="leverage without them",
        leverage=here.outside,
        residual=residual,
        loss_at=loss_at,
        variation=variation,
    )


def _pulls(fit: Fit, metric: Metric) -> FloatArray:
    directions = metric.directions(fit.factor)
    pulls = np.empty(fit.people)
    for rows in row_blocks(*fit.features.shape):
        moved = fit.features[rows] @ directions
        pulls[rows] = np.sqrt(np.einsum("ij,ij->i", moved, moved))
    return pulls
