"""What the release of a model reveals about each person, by the law of the release.

Everything is about two laws for each person: the release with the table, and that with
the table without the person (Wang 2019, definition 2). Where a unit owns ``k`` rows and
nothing says which, the loss is that of a unit with ``k`` rows like the person's own:
``k`` times the leverage, and the root of ``k`` times the residual.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

import numpy as np
from scipy.special import ndtri

from dpcore.errors import ParameterError
from dpcore.models.eigenvalue_moves import smallest_eigenvalue_moves
from dpcore.models.glm import GlmFit
from dpcore.models.glm_audit import audited_removals
from dpcore.models.loss_tables import perturbed_epsilon, sampled_epsilon
from dpcore.models.metrics import DEMOCRATIC, FISHER, ISOTROPIC
from dpcore.models.objective_perturbation import PerturbedPairs
from dpcore.models.penalty import Penalty
from dpcore.models.posterior_sampling import PosteriorPairs
from dpcore.models.records import group_removals
from dpcore.models.release_laws import NoisyFit, PerturbedObjective, SampledFit
from dpcore.models.removals import UNIQUE_FROM, removals
from dpcore.models.ridge import fit_ridge
from dpcore.privacy import gaussian

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from dpcore.data.bounds import FloatArray
    from dpcore.models.adaptive_posterior import AdaptivePosterior
    from dpcore.models.release_laws import Law
    from dpcore.models.ridge import RidgeFit

_CURVATURE: Final = 0.25
"""Largest curvature of a logistic loss."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Leaving:
    """What happens when each person leaves. CONFIDENTIAL.

    Attributes:
        epsilon: Loss of each person, shape ``(n,)``.
        leverage: Share of a prediction that the person's own record makes, in [0, 1].
        residual: What the fit without the person misses the person's target by: of
            the prediction for linear and Huber models, of the mean for others, there
            after one Newton step.
        lengths: How far the coefficients move in the norm of the noise.
        error: Largest relative error of approximate moves that an audit found; 0 where
            they are exact.
        exact: Whether the losses are exact, but for that error.
        note: What they are otherwise, or what to know of them.

    """

    epsilon: FloatArray = field(repr=False)
    leverage: FloatArray = field(repr=False)
    residual: FloatArray = field(repr=False)
    lengths: FloatArray = field(repr=False)
    error: float = field(default=0.0, repr=False)
    exact: bool = True
    note: str = ""


def leaving(
    law: Law,
    fit: RidgeFit | GlmFit,
    *,
    delta: float,
    rows: int = 1,
    codes: NDArray[np.intp] | None = None,
    rng: np.random.Generator,
) -> Leaving:
    """Return what the release reveals about whether each person is there.

    Args:
        law: How the model is released.
        fit: The fit to the table.
        delta: What goes with every epsilon, in (0, 1).
        rows: How many rows one unit may own.
        codes: Everybody's unit, from 0, where it is known; it replaces ``rows``.
        rng: Draws the people of an audit.

    Raises:
        ParameterError: Losses under this law are not known for such a model.

    """
    if isinstance(fit, GlmFit):
        return _nonlinear(law, fit, delta=delta, rows=rows, codes=codes, rng=rng)
    if codes is not None and not _is_gaussian(law):
        message = (
            "losses of units whose rows are known are exact for noise of a public "
            "shape only: choose noise on the coefficients."
        )
        raise ParameterError(message)
    if isinstance(law, NoisyFit) and law.metric.shape is FISHER.shape:
        law = SampledFit(gamma=law.gamma)
    elif isinstance(law, NoisyFit) and law.metric.shape is DEMOCRATIC.shape:
        law = PerturbedObjective(sigma=law.noise)
    if isinstance(law, NoisyFit):
        return _noisy(law, fit, delta=delta, rows=rows, codes=codes)
    if fit.penalty.per_person:
        message = "losses need a penalty of the sum of losses, not one per person."
        raise ParameterError(message)
    if isinstance(law, SampledFit):
        return _sampled(law, fit, delta=delta, rows=rows)
    if isinstance(law, PerturbedObjective):
        return _perturbed(law, fit, delta=delta, rows=rows)
    return _adaptive(law, fit, delta=delta, rows=rows)


def gaussian_epsilon(law: NoisyFit, lengths: FloatArray, *, delta: float) -> FloatArray:
    """Return the exact epsilon of moves of some lengths."""
    return gaussian.epsilon_of(math.sqrt(law.gamma) * lengths, delta)


def _is_gaussian(law: Law) -> bool:
    return isinstance(law, NoisyFit) and law.metric.public


def _noisy(
    law: NoisyFit,
    fit: RidgeFit,
    *,
    delta: float,
    rows: int,
    codes: NDArray[np.intp] | None,
) -> Leaving:
    found = removals(fit, law.metric)
    lengths = found.shifts
    if codes is not None:
        lengths = group_removals(fit, codes, law.metric)[codes]
    elif rows > 1:
        left = 1 - np.minimum(rows * found.leverages, 1.0)
        with np.errstate(divide="ignore", invalid="ignore"):
            lengths = np.where(
                left > 0, lengths * rows * (1 - found.leverages) / left, np.inf
            )
    return Leaving(
        epsilon=gaussian_epsilon(law, lengths, delta=delta),
        leverage=found.leverages,
        residual=found.residuals,
        lengths=lengths,
    )


def _sampled(law: SampledFit, fit: RidgeFit, *, delta: float, rows: int) -> Leaving:
    found = removals(fit, FISHER)
    leverage, residual = _owned(fit, found.leverages, rows)
    pairs = PosteriorPairs.of_members(
        leverage=leverage, residual=residual, gamma=law.gamma
    )
    return Leaving(
        epsilon=sampled_epsilon(
            pairs.leverage, pairs.residual, delta=delta, samples=law.samples
        ),
        leverage=found.leverages,
        residual=found.residuals,
        lengths=found.shifts,
    )


def _perturbed(
    law: PerturbedObjective, fit: RidgeFit, *, delta: float, rows: int
) -> Leaving:
    found = removals(fit, DEMOCRATIC)
    leverage, residual = _owned(fit, found.leverages, rows)
    usual = leverage < UNIQUE_FROM
    squares = np.einsum("ij,ij->i", fit.features, fit.features)
    inverse = fit.factor.solve(np.eye(len(fit.theta)))
    solved = fit.features @ inverse
    pairs = PerturbedPairs.of_members(
        leverage=leverage[usual],
        spread=rows * np.einsum("ij,ij->i", solved, solved)[usual],
        square=rows * squares[usual],
        residual=residual[usual],
        sigma=law.sigma,
    )
    epsilon = np.full(fit.people, np.inf)
    epsilon[usual] = perturbed_epsilon(pairs, delta=delta)
    return Leaving(
        epsilon=epsilon,
        leverage=found.leverages,
        residual=found.residuals,
        lengths=found.shifts,
    )


def _adaptive(
    law: AdaptivePosterior, fit: RidgeFit, *, delta: float, rows: int
) -> Leaving:
    """Add the loss of the eigenvalue and that of the sample it allows, half delta each.

    The sample is that of the eigenvalue as it is, without noise: a typical release.
    """
    gram = fit.features.T @ fit.features
    values = np.linalg.eigvalsh(gram)
    tuning = law.tune(law.floor(max(float(values[0]), 0.0)))
    tuned = fit_ridge(
        fit.features, fit.target, penalty=Penalty(strength=tuning.penalty)
    )
    sampled = _sampled(
        SampledFit(gamma=tuning.gamma), tuned, delta=delta / 2, rows=rows
    )
    moved = smallest_eigenvalue_moves(gram, math.sqrt(rows) * fit.features)
    eigenvalue = gaussian.epsilon_of(moved / law.noise, delta / 2)
    return Leaving(
        epsilon=sampled.epsilon + eigenvalue,
        leverage=sampled.leverage,
        residual=sampled.residual,
        lengths=sampled.lengths,
        exact=False,
        note=(
            "for the eigenvalue as it is; the loss of a release depends on the "
            "eigenvalue that it draws, and the two parts are added up"
        ),
    )


def _nonlinear(
    law: Law,
    fit: GlmFit,
    *,
    delta: float,
    rows: int,
    codes: NDArray[np.intp] | None,
    rng: np.random.Generator,
) -> Leaving:
    if codes is not None:
        message = "units whose rows are known need a linear model."
        raise ParameterError(message)
    gaussian_law = law if isinstance(law, NoisyFit) and law.metric.public else None
    if gaussian_law is None and not isinstance(law, PerturbedObjective):
        message = (
            "for this model losses are known under noise of a public shape and under "
            "objective perturbation: choose one of these."
        )
        raise ParameterError(message)
    metric = gaussian_law.metric if gaussian_law is not None else ISOTROPIC
    found = audited_removals(fit, metric, rng=rng)
    kept = np.maximum(1 - found.leverages, 1 - UNIQUE_FROM)
    residual = -fit.loss.slope(fit.predictions, fit.target) / kept
    lengths = rows * found.shifts
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
        exact=gaussian_law is not None,
        note=(
            ""
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
    strength = fit.penalty.convexity(fit.people)
    squares = np.einsum("ij,ij->i", fit.features, fit.features)
    with np.errstate(divide="ignore"):
        q = _CURVATURE * squares / np.float64(strength)
    g = rows * np.sqrt(squares) / law.sigma
    return np.asarray(rows * np.log1p(q) + g * (g / 2 - float(ndtri(delta / 2))))


def _remaining(one_step: float, chord: float) -> float:
    """Return the error that is left once chord steps replaced single ones."""
    return one_step if math.isnan(chord) else chord


def _owned(
    fit: RidgeFit, leverages: FloatArray, rows: int
) -> tuple[FloatArray, FloatArray]:
    """Return leverage and in-sample residual of ``rows`` rows like each person's."""
    return np.minimum(rows * leverages, 1.0), math.sqrt(rows) * fit.residuals
