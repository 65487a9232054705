"""What the release of a model reveals about each person, by the law of the release.

Everything is about two laws for each person: the release with the table, and that with
the table without the person (Wang 2019, definition 2). Where a unit owns ``k`` rows and
nothing says which, the loss is that of a unit with ``k`` rows like the person's own:
``k`` times the leverage, and the root of ``k`` times the residual. A table may hold
fewer of them. Then that loss is no fact about it, and it is kept within what ``k`` rows
can do at all, since the Hessian without them is no less than the penalty.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from dpcore.errors import ParameterError
from dpcore.individual.leaving import (
    Leaving,
    copies_note,
    copies_reach,
    gaussian_epsilon,
)
from dpcore.individual.nonlinear_losses import audited_metric, nonlinear_leaving
from dpcore.models.eigenvalue_moves import smallest_eigenvalue_moves
from dpcore.models.glm import GlmFit
from dpcore.models.glm_audit import audited_removals
from dpcore.models.group_posterior import group_epsilon, group_pairs
from dpcore.models.loss_tables import perturbed_epsilon, sampled_epsilon
from dpcore.models.metrics import DEMOCRATIC, FISHER
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
    from dpcore.models.glm_audit import AuditedRemovals
    from dpcore.models.release_laws import Law
    from dpcore.models.ridge import RidgeFit


def leaving(
    law: Law,
    fit: RidgeFit | GlmFit,
    *,
    delta: float,
    rows: int = 1,
    codes: NDArray[np.intp] | None = None,
    audited: AuditedRemovals | None = None,
    rng: np.random.Generator,
) -> Leaving:
    """Return what the release reveals about whether each person is there.

    Args:
        law: How the model is released.
        fit: The fit to the table.
        delta: What goes with every epsilon, in (0, 1).
        rows: How many rows one unit may own.
        codes: Everybody's unit, from 0, where it is known; it replaces ``rows``.
        audited: Everybody's moves in a nonlinear model, where an audit found them
            already.
        rng: Draws the people of an audit otherwise.

    Raises:
        ParameterError: Losses under this law are not known for such a model.

    """
    if isinstance(fit, GlmFit):
        if codes is not None:
            message = "units whose rows are known need a linear model."
            raise ParameterError(message)
        metric = audited_metric(law)
        if audited is None:
            audited = audited_removals(fit, metric, rng=rng, copies=rows)
        return nonlinear_leaving(law, fit, audited, delta=delta, rows=rows)
    return _linear(law, fit, delta=delta, rows=rows, codes=codes)


def _linear(
    law: Law,
    fit: RidgeFit,
    *,
    delta: float,
    rows: int,
    codes: NDArray[np.intp] | None,
) -> Leaving:
    if codes is not None and not units_known(law, linear=True):
        message = (
            "losses of units whose rows are known need noise of a public shape or "
            "posterior samples: choose noise on the coefficients."
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
        if codes is not None:
            return _sampled_units(law, fit, codes, delta=delta)
        return _sampled(law, fit, delta=delta, rows=rows)
    if isinstance(law, PerturbedObjective):
        return _perturbed(law, fit, delta=delta, rows=rows)
    return _adaptive(law, fit, delta=delta, rows=rows)


def units_known(law: Law, *, linear: bool) -> bool:
    """Tell whether losses of units whose rows are known can be computed."""
    if isinstance(law, NoisyFit):
        return linear and (law.metric.public or law.metric.shape is FISHER.shape)
    return linear and isinstance(law, SampledFit)


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
        if law.metric.public and not fit.penalty.per_person:
            reach = copies_reach(fit, np.abs(fit.residuals), rows, law.metric)
            lengths = np.minimum(lengths, reach)
    alike = rows > 1 and codes is None
    return Leaving(
        epsilon=gaussian_epsilon(law, lengths, delta=delta),
        leverage=found.leverages,
        residual=found.residuals,
        lengths=lengths,
        exact=not alike,
        note=copies_note(rows) if alike else "",
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
        exact=rows == 1,
        note=copies_note(rows),
    )


def _sampled_units(
    law: SampledFit, fit: RidgeFit, codes: NDArray[np.intp], *, delta: float
) -> Leaving:
    """Return for each row what its unit loses, all of whose rows leave together."""
    found, pairs = removals(fit, FISHER), group_pairs(fit, codes)
    lost = group_epsilon(pairs, gamma=law.gamma, delta=delta, samples=law.samples)
    exact = bool(pairs.alike.all())
    return Leaving(
        epsilon=lost[codes],
        leverage=found.leverages,
        residual=found.residuals,
        lengths=found.shifts,
        exact=exact,
        upper=not exact,
        note=""
        if exact
        else "exact where the rows of a unit are alike, and upper bounds elsewhere",
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
        exact=rows == 1,
        note=copies_note(rows),
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


def _owned(
    fit: RidgeFit, leverages: FloatArray, rows: int
) -> tuple[FloatArray, FloatArray]:
    """Return leverage and in-sample residual of ``rows`` rows like each person's."""
    own = np.minimum(rows * leverages, 1.0)
    strength = fit.penalty.convexity(fit.people)
    if rows > 1 and strength > 0:
        squares = np.einsum("ij,ij->i", fit.features, fit.features)
        own = np.minimum(own, rows * squares / (strength + rows * squares))
    return own, math.sqrt(rows) * fit.residuals
