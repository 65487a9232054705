"""What the release of a nonlinear model reveals about each person. CONFIDENTIAL."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Final

import numpy as np
from scipy.special import ndtri

from dpcore.errors import ParameterError
from dpcore.individual.leaving import (
    Leaving,
    copies_note,
    copies_reach,
    gaussian_epsilon,
)
from dpcore.models.metrics import ISOTROPIC
from dpcore.models.release_laws import NoisyFit, PerturbedObjective
from dpcore.models.removals import UNIQUE_FROM

if TYPE_CHECKING:
    from dpcore.data.bounds import FloatArray
    from dpcore.models.glm import GlmFit
    from dpcore.models.glm_audit import AuditedRemovals
    from dpcore.models.metrics import Metric
    from dpcore.models.release_laws import Law

_CURVATURE: Final = 0.25
"""Largest curvature of a logistic loss."""


def audited_metric(law: Law) -> Metric:
    """Return the norm in which moves under a law are audited.

    Raises:
        ParameterError: Losses of nonlinear models are not known under this law.

    """
    if isinstance(law, NoisyFit) and law.metric.public:
        return law.metric
    if isinstance(law, PerturbedObjective):
        return ISOTROPIC
    message = (
        "for this model losses are known under noise of a public shape and under "
        "objective perturbation: choose one of these."
    )
    raise ParameterError(message)


def nonlinear_leaving(
    law: Law, fit: GlmFit, found: AuditedRemovals, *, delta: float, rows: int
) -> Leaving:
    """Return what the release of a nonlinear model reveals about each person.

    Args:
        law: How the model is released.
        fit: The fit to the table.
        found: Everybody's moves in the norm of ``audited_metric``.
        delta: What goes with every epsilon, in (0, 1).
        rows: How many rows one unit may own.

    Raises:
        ParameterError: Losses under this law are not known for such a model.

    """
    gaussian_law = law if isinstance(law, NoisyFit) else None
    kept = np.maximum(1 - found.leverages, 1 - UNIQUE_FROM)
    slopes = fit.loss.slope(fit.predictions, fit.target)
    residual = -slopes / kept
    if found.copies != rows:
        message = f"the moves are those of {found.copies} rows a unit, not of {rows}."
        raise ParameterError(message)
    lengths = found.shifts
    if rows > 1 and not fit.penalty.per_person:
        reach = copies_reach(fit, np.abs(slopes), rows, audited_metric(law))
        lengths = np.minimum(lengths, reach)
    if gaussian_law is not None:
        epsilon = gaussian_epsilon(gaussian_law, lengths, delta=delta)
    else:
        epsilon = _perturbed_bound(law, fit, delta=delta, rows=rows)
    doubt = _remaining(found.one_step_error, found.chord_error)
    return Leaving(
        epsilon=epsilon,
        leverage=found.leverages,
        residual=residual,
        lengths=lengths,
        error=doubt,
        exact=gaussian_law is not None and rows == 1,
        upper=gaussian_law is None,
        note=(
            copies_note(rows)
            if gaussian_law is not None
            else "upper bounds that hold for every table, from the person's own record"
        ),
    )


def _perturbed_bound(law: Law, fit: GlmFit, *, delta: float, rows: int) -> FloatArray:
    """Return a bound on everybody's loss under objective perturbation.

    ``log(1 + q) + g^2/2 + g z`` with ``q = |x|^2/(4 lambda)``, ``g = |x|/sigma`` and
    the normal quantile ``z`` at ``1 - delta/2``: the loss, as a change of variables
    gives it, stays below it except with chance delta, under both laws.
    """
    if not (isinstance(law, PerturbedObjective) and fit.loss.steepest <= 1):
        message = "objective perturbation needs a logistic model here."
        raise ParameterError(message)
    return perturbed_bound(
        np.einsum("ij,ij->i", fit.features, fit.features),
        strength=fit.penalty.convexity(fit.people),
        sigma=law.sigma,
        delta=delta,
        rows=rows,
    )


def perturbed_bound(
    squares: FloatArray, *, strength: float, sigma: float, delta: float, rows: int = 1
) -> FloatArray:
    """Return the bound for logistic losses and rows of some squared lengths."""
    with np.errstate(divide="ignore"):
        q = _CURVATURE * squares / np.float64(strength)
    g = rows * np.sqrt(squares) / sigma
    return np.asarray(rows * np.log1p(q) + g * (g / 2 - float(ndtri(delta / 2))))


def _remaining(one_step: float, chord: float) -> float:
    """Return the error that is left once chord steps replaced single ones."""
    return one_step if math.isnan(chord) else chord
