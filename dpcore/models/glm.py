"""Logistic, Poisson and Huber regression with a ridge penalty, by Newton's method.

``theta = argmin sum_i loss(x_i^T theta, y_i) + theta^T Lambda theta / 2``. The Hessian
is ``H = X^T W X + Lambda`` with the curvatures of the losses in ``W``.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

import numpy as np

from dpcore.errors import DataError
from dpcore.models.blocks import row_blocks
from dpcore.models.factor import checked_table, factorize

if TYPE_CHECKING:
    from dpcore.data.bounds import FloatArray
    from dpcore.models.factor import Factor
    from dpcore.models.losses import Loss
    from dpcore.models.penalty import Penalty

GRADIENT: Final = 1e-10
"""Length of the gradient that a fit reaches, unless rounding leaves more of it."""
_STILL: Final = 1e-6
_STEPS: Final = 60
_HALVINGS: Final = 60


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class GlmFit:
    """A fitted model, with the table it was fitted to. CONFIDENTIAL.

    Attributes:
        features: Rows, shape ``(n, d)``.
        target: Targets, shape ``(n,)``.
        loss: What missing a target costs.
        penalty: The penalty.
        factor: The factor of the Hessian at the fit.
        theta: The coefficients, shape ``(d,)``.
        tolerance: Length from which a gradient counts as 0: 1e-10, or what rounding
            leaves of a sum over many people.
        found: Whether the search came that far; otherwise ``theta`` is where it
            stopped.

    """

    features: FloatArray = field(repr=False)
    target: FloatArray = field(repr=False)
    loss: Loss
    penalty: Penalty
    factor: Factor = field(repr=False)
    theta: FloatArray = field(repr=False)
    tolerance: float = field(repr=False)
    found: bool = field(default=True, repr=False)

    @property
    def people(self) -> int:
        """Return the number of people."""
        return len(self.target)

    @property
    def predictions(self) -> FloatArray:
        """Return ``X theta``, shape ``(n,)``."""
        return linear(self.features, self.theta)

    def refit(
        self, person: int, start: FloatArray, *, copies: int = 1
    ) -> FloatArray | None:
        """Return the coefficients without a person; ``None`` if there are none.

        Args:
            person: Who leaves.
            start: Where the search begins, such as a one-step approximation.
            copies: How many rows like theirs leave. Where the table has fewer, there
                may be no minimum.

        """
        if self.people <= copies:
            return None if self.penalty.convexity(1) == 0 else np.zeros_like(start)
        problem = _Problem(
            x=self.features,
            y=self.target,
            loss=self.loss,
            diagonal=self.penalty.diagonal(len(start), self.people - copies),
            without=person,
            copies=copies,
        )
        # A start beyond the reach of floats, or worse than the fit, leads nowhere.
        reached, _ = problem.value(start, linear(self.features, start))
        if not reached <= problem.value(self.theta, self.predictions)[0]:
            start = self.theta
        try:
            theta, _, _, found = _minimized(problem, start)
        except (DataError, np.linalg.LinAlgError):
            return None
        return theta if found else None

    def pulled(self, pull: FloatArray) -> FloatArray:
        """Return the minimum of the objective plus ``pull^T theta``, shape ``(d,)``.

        Where every coefficient is penalized it is at worst where the search stopped.

        Raises:
            DataError: There is none, as without a penalty.

        """
        problem = _Problem(
            x=self.features,
            y=self.target,
            loss=self.loss,
            diagonal=self.penalty.diagonal(len(pull), self.people),
            pull=pull,
        )
        return _minimized(problem, self.theta - self.factor.solve(pull))[0]


def fit_glm(x: FloatArray, y: FloatArray, *, loss: Loss, penalty: Penalty) -> GlmFit:
    """Return the fit of targets ``y``, shape ``(n,)``, to rows ``x``, shape ``(n, d)``.

    Where every coefficient is penalized there is always one, though the search may stop
    short of it (``found``).

    Raises:
        DataError: There is nobody, or no finite coefficients are the only best ones.
        ParameterError: The shapes do not fit, a number is missing or beyond 1e100, or
            the loss is not for such targets.

    >>> from dpcore.models.losses import Logistic
    >>> from dpcore.models.penalty import Penalty
    >>> x, y = np.ones((4, 1)), np.array([0.0, 1.0, 1.0, 1.0])
    >>> fit = fit_glm(x, y, loss=Logistic(), penalty=Penalty(strength=0.0))
    >>> fit.theta.round(12) - np.log(3).round(12)
    array([0.])

    """
    x, y = checked_table(x, y)
    loss.check(y)
    n, d = x.shape
    problem = _Problem(x=x, y=y, loss=loss, diagonal=penalty.diagonal(d, n))
    theta, factor, tolerance, found = _minimized(problem, np.zeros(d))
    return GlmFit(
        features=x,
        target=y,
        loss=loss,
        penalty=penalty,
        factor=factor,
        theta=theta,
        tolerance=tolerance,
        found=found,
    )


def glm_of_nobody(columns: int, *, loss: Loss, penalty: Penalty) -> GlmFit:
    """Return the fit to no rows at all: the penalty alone makes coefficients 0.

    Raises:
        DataError: A coefficient goes unpenalized.

    """
    x, y = np.empty((0, columns)), np.empty(0)
    return GlmFit(
        features=x,
        target=y,
        loss=loss,
        penalty=penalty,
        factor=factorize(x, y, penalty.diagonal(columns, 1)),
        theta=np.zeros(columns),
        tolerance=GRADIENT,
    )


def linear(x: FloatArray, theta: FloatArray) -> FloatArray:
    """Return ``X theta``, a block of rows at a time."""
    result = np.empty(len(x))
    for rows in row_blocks(*x.shape):
        result[rows] = x[rows] @ theta
    return result


def weighted_sum(x: FloatArray, weights: FloatArray) -> FloatArray:
    """Return ``X^T w``, a block of rows at a time."""
    result = np.zeros(x.shape[1])
    for rows in row_blocks(*x.shape):
        result += weights[rows] @ x[rows]
    return result


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class _Problem:
    """A penalized sum of losses, perhaps without one person or with a linear term.

    Without more copies of a person than there are, the person's losses count below 0.
    """

    x: FloatArray
    y: FloatArray
    loss: Loss
    diagonal: FloatArray
    without: int | None = None
    copies: int = 1
    pull: FloatArray | None = None

    def value(self, theta: FloatArray, eta: FloatArray) -> tuple[float, float]:
        """Return the objective, and what rounding may make of it."""
        losses = self._others(self.loss.value(eta, self.y))
        ridge = float((self.diagonal * theta * theta).sum() / 2)
        pulled = 0.0 if self.pull is None else float(self.pull @ theta)
        gross = float(np.abs(losses).sum()) + ridge + abs(pulled)
        return float(losses.sum()) + ridge + pulled, 1e-12 * (1 + gross)

    def slopes(
        self, theta: FloatArray, eta: FloatArray
    ) -> tuple[FloatArray, FloatArray, float]:
        """Return the gradient, everybody's curvature, and what rounding may leave."""
        slopes = self._others(self.loss.slope(eta, self.y))
        weights = self._others(self.loss.curvature(eta, self.y))
        # A prediction is as uncertain as its last digit, and a slope as it makes it.
        sizes = np.abs(weights)
        doubt = np.abs(slopes).sum() + sizes.sum() + sizes @ np.abs(eta)
        largest = max(float(self.x.max(initial=0.0)), -float(self.x.min(initial=0.0)))
        rounding = 4 * float(np.finfo(np.float64).eps) * float(doubt) * largest
        gradient = weighted_sum(self.x, slopes) + self.diagonal * theta
        if self.pull is not None:
            gradient = gradient + self.pull
        return gradient, weights, rounding

    def factor(self, weights: FloatArray) -> Factor:
        return factorize(self.x, self.y, self.diagonal, weights=weights)

    def majorant(self, eta: FloatArray) -> FloatArray:
        return self._others(self.loss.majorant(eta, self.y))

    def _others(self, values: FloatArray) -> FloatArray:
        if self.without is not None:
            own = values[self.without]
            values[self.without] = own * (1 - self.copies) if self.copies > 1 else 0.0
        return values


def _minimized(
    problem: _Problem, theta: FloatArray
) -> tuple[FloatArray, Factor, float, bool]:
    """Return the minimum, the factor of the Hessian there, and the tolerance reached.

    Where no finite minimum exists, as when the features separate yes from no, the
    gradient vanishes but the steps do not; so both have to. Where a penalty sees to it
    that there is one, the last point is returned, and False, instead of an error: that
    a search fails would tell about the table.
    """
    eta = linear(problem.x, theta)
    for _ in range(_STEPS):
        gradient, weights, rounding = problem.slopes(theta, eta)
        length = float(np.linalg.norm(gradient))
        tolerance = max(GRADIENT, rounding)
        flat = length <= tolerance
        try:
            factor = problem.factor(weights)
        except DataError:
            if flat:
                break
            factor = problem.factor(problem.majorant(eta))
        step = factor.solve(gradient)
        change = linear(problem.x, step)
        still = _STILL * (1 + np.abs(eta).max(initial=0.0))
        if flat and np.abs(change).max(initial=0.0) <= still:
            return theta - step, factor, tolerance, True
        scale = _step_length(problem, theta, eta, (step, change), gradient)
        theta = theta - scale * step
        eta = linear(problem.x, theta)
    if (problem.diagonal > 0).all() and np.isfinite(theta).all():
        _, weights, rounding = problem.slopes(theta, eta)
        return theta, problem.factor(weights), max(GRADIENT, rounding), False
    message = (
        "the model has no single best fit with finite coefficients, or none was found: "
        "some combination of features may tell the targets apart without error "
        "(separation), or too few people have a say in a coefficient. Increase the "
        "penalty, or leave a feature out."
    )
    raise DataError(message)


def _step_length(
    problem: _Problem,
    theta: FloatArray,
    eta: FloatArray,
    step: tuple[FloatArray, FloatArray],
    gradient: FloatArray,
) -> float:
    """Return the first of 1, 1/2, 1/4, ... that lowers the objective enough."""
    start, rounding = problem.value(theta, eta)
    slope = float(gradient @ step[0])
    scale = 1.0
    for _ in range(_HALVINGS):
        value, _ = problem.value(theta - scale * step[0], eta - scale * step[1])
        if value <= start - 1e-4 * scale * slope + rounding:
            return scale
        scale /= 2
    return scale
