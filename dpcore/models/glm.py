"""Logistic, Poisson and Huber regression with a ridge penalty, by Newton's method.

``theta = argmin sum_i loss(x_i^T theta, y_i) + theta^T Lambda theta / 2``. The Hessian
is ``H = X^T W X + Lambda`` with the curvatures of the losses in ``W``.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from functools import partial
from typing import ClassVar, Final, Literal

import numpy as np

from dpcore.arrays import FloatArray
from dpcore.data.partitions.table import PartitionedDataset
from dpcore.errors import DataError
from dpcore.models.factor import (
    Factor,
    checked_table,
    factor_of,
    moments,
    nobody,
    row_blocks,
    triangle,
    undetermined,
)
from dpcore.models.loss_functions import Huber, Loss
from dpcore.models.penalty import Penalty
from dpcore.models.tables import InMemory, OfTable, Ones, Passes, Table, packed, summed, unpacked
from dpcore.statistics.statistic import Sums

_Kernel = Callable[[FloatArray, FloatArray, FloatArray], FloatArray]

GRADIENT: Final = 1e-10
"""Length of the gradient that a fit reaches, unless rounding leaves more of it.

In units of the steepest slope of the loss, where that is below 1.
"""
_STILL: Final = 1e-6
_STEPS: Final = 1000
"""Many more than were ever seen: a fit takes some ten, the hardest some seventy."""
_FEWER_STEPS: Final = 60
"""The same without a penalty, where there may be no minimum."""
_TRIALS: Final = 200
_FLAT: Final = 0.01


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class GlmFit(OfTable):
    """A fitted model, with the table it was fitted to. CONFIDENTIAL."""

    table: Table = field(repr=False)
    """Whom it was fitted to."""
    loss: Loss
    penalty: Penalty
    factor: Factor = field(repr=False)
    """The factor of the Hessian at the fit."""
    theta: FloatArray = field(repr=False)
    """The coefficients, shape ``(d,)``."""
    longest: float = field(repr=False)
    """Length of the longest row."""
    tolerance: float = field(repr=False)
    """Length from which a gradient counts as 0: ``GRADIENT``, or what rounding leaves
    of a sum over many people.
    """
    found: bool = field(default=True, repr=False)
    """Whether the search came that far; otherwise ``theta`` is where it stopped."""
    linear: ClassVar[Literal[False]] = False

    def seen_with(self, x: FloatArray, y: FloatArray) -> GlmFit:
        """Return the fit of everybody, with but some of the rows and targets."""
        some = InMemory(features=x, target=y, people=self.people)
        return replace(self, table=some)

    def read_by(self, dataset: PartitionedDataset) -> GlmFit:
        """Return the same fit, whose table in parts is read by another reader."""
        return replace(self, table=self.table.read_by(dataset))

    @property
    def predictions(self) -> FloatArray:
        """Return ``X theta``, shape ``(n,)``."""
        return linear(self.features, self.theta)

    def with_penalty(self, penalty: Penalty) -> GlmFit:
        """Return the fit to the same rows with another penalty."""
        return glm_of(self.table, loss=self.loss, penalty=penalty)

    def again(self, x: FloatArray, y: FloatArray, penalty: Penalty) -> GlmFit:
        """Return the fit of the same model to other rows."""
        return fit_glm(x, y, loss=self.loss, penalty=penalty)

    @property
    def gradient_variance(self) -> FloatArray:
        """Return that of the gradient, where nothing is penalized.

        The Hessian for a likelihood, and the sum of squared gradients for Huber's loss.
        """
        if not isinstance(self.loss, Huber):
            return self.factor.hessian
        slopes = self.loss.slope(self.predictions, self.target)
        weighted = self.features * slopes[:, np.newaxis]
        return weighted.T @ weighted

    @property
    def cramer_rao(self) -> float:
        """Return the least variance of unbiased coefficients; NaN for Huber's loss."""
        if isinstance(self.loss, Huber):
            return math.nan
        return float(np.trace(self.factor.solve(np.eye(len(self.theta)))))

    def refit(self, person: int, start: FloatArray, *, copies: int = 1) -> FloatArray | None:
        """Return the coefficients without a person; ``None`` if there are none.

        The search begins at ``start``. Where the table has fewer than ``copies`` rows
        like theirs, all of which leave, there may be no minimum.
        """
        if self.people <= copies:
            return None if self.penalty.convexity(1) == 0 else np.zeros_like(start)
        rest = self.table.without(np.array([person]))
        if copies > 1:
            own = InMemory.of(*self.table.some(np.array([person])))
        problem = _Problem(
            rows=rest,
            loss=self.loss,
            diagonal=self.penalty.diagonal(len(start), self.people - copies),
            longest=self.longest,
            missing=own if copies > 1 else None,
            copies=copies - 1,
        )
        try:
            theta, _, _, found = _minimized(problem, self._better(problem, start))
        except (DataError, np.linalg.LinAlgError):
            return None
        return theta if found else None

    def pulled(self, pull: FloatArray) -> FloatArray:
        """Return the minimum of the objective plus ``pull^T theta``, shape ``(d,)``.

        Or that of each of several pulls, shape ``(m, d)``. Where every coefficient is
        penalized it is at worst where the search stopped.

        Raises:
            DataError: There is none, as without a penalty.

        """
        if pull.ndim > 1:
            return np.array([self.pulled(one) for one in pull])
        problem = _Problem(
            rows=self.table,
            loss=self.loss,
            diagonal=self.penalty.diagonal(len(pull), self.people),
            longest=self.longest,
            pull=pull,
        )
        start = self.theta - self.factor.solve(pull)
        return _minimized(problem, self._better(problem, start))[0]

    def factor_with(self, diagonal: FloatArray) -> Factor:
        """Return the factor of the Hessian at the fit, with another penalty."""
        problem = _Problem(rows=self.table, loss=self.loss, diagonal=diagonal, longest=self.longest)
        return problem.factor(problem.at(self.theta))

    def _better(self, problem: _Problem, start: FloatArray) -> FloatArray:
        """Return where a search begins: ``start``, if it is better than the fit.

        One beyond the reach of floats, or worse than the fit, leads nowhere.
        """
        better = problem.value(start) <= problem.value(self.theta)
        return start if better else self.theta


def fit_glm(x: FloatArray, y: FloatArray, *, loss: Loss, penalty: Penalty) -> GlmFit:
    """Return the fit of targets ``y``, shape ``(n,)``, to rows ``x``, shape ``(n, d)``.

    Where every coefficient is penalized there is always one, though the search may stop
    short of it (``found``).

    Raises:
        DataError: There is nobody, or no finite coefficients are the only best ones.
        ParameterError: The shapes do not fit, a number is missing or beyond 1e100, or
            the loss is not for such targets.

    >>> from dpcore.models.loss_functions import Logistic
    >>> from dpcore.models.penalty import Penalty
    >>> x, y = np.ones((4, 1)), np.array([0.0, 1.0, 1.0, 1.0])
    >>> fit = fit_glm(x, y, loss=Logistic(), penalty=Penalty(strength=0.0))
    >>> fit.theta.round(12) - np.log(3).round(12)
    array([0.])

    """
    return glm_of(InMemory.of(*checked_table(x, y)), loss=loss, penalty=penalty)


def glm_of(table: Table, *, loss: Loss, penalty: Penalty) -> GlmFit:
    """Return the fit to a table, in a pass over the parts for each step.

    Of nobody, a penalty makes the coefficients 0.

    Raises:
        DataError: No finite coefficients are the only best ones, or a part cannot be
            read.
        ParameterError: The loss is not for such targets.

    """
    longest = max(table.each(partial(_longest, loss)))
    people = max(table.people, 1)
    if table.people == 0 and penalty.convexity(1) == 0:
        raise nobody()
    problem = _Problem(
        rows=table, loss=loss, diagonal=penalty.diagonal(table.columns, people), longest=longest
    )
    start = np.zeros(table.columns)
    theta, factor, tolerance, found = _minimized(problem, start)
    return GlmFit(
        table=table,
        loss=loss,
        penalty=penalty,
        factor=factor,
        theta=theta,
        longest=longest,
        tolerance=tolerance,
        found=found,
    )


def best_constant(table: Passes, loss: Loss) -> float:
    """Return the constant prediction that misses targets least, in some passes.

    Raises:
        DataError: None is the only best one, or a part cannot be read.

    """
    problem = _Problem(rows=Ones(rows=table), loss=loss, diagonal=np.zeros(1), longest=1.0)
    return float(_minimized(problem, np.zeros(1))[0][0])


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


def _longest(loss: Loss, x: FloatArray, y: FloatArray) -> float:
    """Return the length of the longest row of people whose targets suit the loss."""
    loss.check(y)
    squares = (
        float(np.einsum("ij,ij->i", x[rows], x[rows]).max()) for rows in row_blocks(*x.shape)
    )
    return math.sqrt(max(squares, default=0.0))


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class _Point:
    """Coefficients, and the derivatives of the objective there.

    ``gram`` and ``right`` are ``X^T W X`` and ``X^T W y`` with the curvatures ``W``.
    From the length ``tolerance`` on the gradient counts as 0.
    """

    theta: FloatArray
    gradient: FloatArray
    gram: FloatArray
    right: FloatArray
    length: float
    tolerance: float


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class _Problem:
    """A penalized sum of losses, perhaps without some losses or with a linear term.

    ``missing`` are people whose losses are taken away, ``copies`` times; they may not
    even be among the ``rows``. No row is longer than ``longest``.
    """

    rows: Passes
    loss: Loss
    diagonal: FloatArray
    longest: float
    missing: Passes | None = None
    copies: int = 0
    pull: FloatArray | None = None

    def value(self, theta: FloatArray) -> float:
        """Return the objective."""
        losses = float(self._sums(partial(_value, self.loss, theta)).total[0])
        pulled = 0.0 if self.pull is None else float(self.pull @ theta)
        return losses + float((self.diagonal * theta * theta).sum() / 2) + pulled

    def along(self, theta: FloatArray, step: FloatArray, scale: float) -> float:
        """Return the slope against a step, ``scale`` of it from ``theta``."""
        # Where an exponential overflows, this is no number.
        with np.errstate(invalid="ignore", over="ignore"):
            here = theta - scale * step
            slope = self._sums(partial(_slope, self.loss, theta, step, scale))
            return -float(slope.total[0]) - float(self._pull(here) @ step)

    def still(self, here: FloatArray, ahead: FloatArray) -> bool:
        """Tell whether a step changes no prediction to speak of."""
        most = list(self.rows.each(partial(_changes, here, ahead)))
        change, size = np.max(most, axis=0).tolist()
        return bool(change <= _STILL * (1 + size))

    def at(self, theta: FloatArray) -> _Point:
        """Return what is known of the objective at a point.

        Where an exponential overflows, the gradient has no length, or an infinite one.
        """
        with np.errstate(over="ignore", invalid="ignore"):
            return self._at(theta)

    def _at(self, theta: FloatArray) -> _Point:
        d = len(theta)
        sums = self._sums(partial(_derivatives, self.loss, theta), sizes=2)
        slopes, sizes, gradient, gram, right = unpacked(sums, (), (), (d,), (d, d), (d,))
        # A prediction is as uncertain as the last digits of what it is summed from.
        far = 1 + self.longest * np.linalg.norm(theta)
        doubt = float(slopes + sizes * far) * self.longest
        doubt += float(np.linalg.norm(self.diagonal * theta))
        doubt += 0.0 if self.pull is None else float(np.linalg.norm(self.pull))
        rounding = 4 * float(np.finfo(np.float64).eps) * doubt
        gradient = gradient + self._pull(theta)
        return _Point(
            theta=theta,
            gradient=gradient,
            gram=gram,
            right=right,
            length=float(np.linalg.norm(gradient)),
            tolerance=max(GRADIENT * min(1.0, self.loss.steepest), rounding),
        )

    def factor(self, here: _Point) -> Factor:
        """Return the factor of the Hessian at a point."""
        kernel = partial(_triangle, self.loss, here.theta)
        return self._factor(here.gram, here.right, kernel)

    def majorant(self, here: _Point) -> Factor:
        """Return the factor of a matrix that serves where curvatures are 0."""
        d = len(here.theta)
        sums = self._sums(partial(_majorant, self.loss, here.theta))
        gram, right = unpacked(sums, (d, d), (d,))
        return self._factor(gram, right, partial(_upper, self.loss, here.theta))

    def _factor(self, gram: FloatArray, right: FloatArray, kernel: _Kernel) -> Factor:
        def triangles(lengths: FloatArray) -> Iterator[FloatArray]:
            if self.missing is not None:  # whose weights are below 0
                raise undetermined()
            return self.rows.each(partial(kernel, lengths))

        return factor_of(gram, right, self.diagonal, triangles=triangles, people=self.rows.people)

    def _pull(self, theta: FloatArray) -> FloatArray:
        """Return the gradient of all but the losses."""
        ridge = self.diagonal * theta
        return ridge if self.pull is None else ridge + self.pull

    def _sums(self, kernel: Callable[[FloatArray, FloatArray], Sums], *, sizes: int = 0) -> Sums:
        """Return the sums over everybody, less those who are missing.

        The first so many sums are ``sizes``, which add up whatever their sign.
        """
        found = summed(self.rows.each(kernel))
        if self.missing is None:
            return found
        less = self.copies * summed(self.missing.each(kernel)).total
        less[:sizes] *= -1
        return replace(found, total=found.total - less)


def _value(loss: Loss, theta: FloatArray, x: FloatArray, y: FloatArray) -> Sums:
    return packed(len(y), float(loss.value(linear(x, theta), y).sum()))


def _slope(
    loss: Loss, theta: FloatArray, step: FloatArray, scale: float, x: FloatArray, y: FloatArray
) -> Sums:
    with np.errstate(invalid="ignore", over="ignore"):
        change = linear(x, step)
        slopes = loss.slope(linear(x, theta) - scale * change, y)
        return packed(len(y), float(slopes @ change))


def _changes(
    here: FloatArray, ahead: FloatArray, x: FloatArray, y: FloatArray
) -> tuple[float, float]:
    """Return the largest change of a prediction, and the largest prediction."""
    del y
    eta = linear(x, here)
    change = np.abs(linear(x, ahead) - eta).max(initial=0.0)
    return float(change), float(np.abs(eta).max(initial=0.0))


def _derivatives(loss: Loss, theta: FloatArray, x: FloatArray, y: FloatArray) -> Sums:
    """Return sizes of slopes and curvatures, gradient, ``X^T W X`` and ``X^T W y``."""
    d = len(theta)
    slopes_size = weights_size = 0.0
    gradient, gram, right = np.zeros(d), np.zeros((d, d)), np.zeros(d)
    with np.errstate(over="ignore", invalid="ignore"):
        for rows in row_blocks(*x.shape):
            block, answers = x[rows], y[rows]
            eta = block @ theta
            slopes, weights = loss.slope(eta, answers), loss.curvature(eta, answers)
            slopes_size += float(np.abs(slopes).sum())
            weights_size += float(np.abs(weights).sum())
            gradient += slopes @ block
            weighted = block * weights[:, np.newaxis]
            gram += weighted.T @ block
            right += weighted.T @ answers
    return packed(len(y), slopes_size, weights_size, gradient, gram, right)


def _majorant(loss: Loss, theta: FloatArray, x: FloatArray, y: FloatArray) -> Sums:
    return packed(len(y), *moments(x, y, loss.majorant(linear(x, theta), y)))


def _triangle(
    loss: Loss, theta: FloatArray, lengths: FloatArray, x: FloatArray, y: FloatArray
) -> FloatArray:
    return triangle(x, y, loss.curvature(linear(x, theta), y), lengths)


def _upper(
    loss: Loss, theta: FloatArray, lengths: FloatArray, x: FloatArray, y: FloatArray
) -> FloatArray:
    return triangle(x, y, loss.majorant(linear(x, theta), y), lengths)


def _minimized(problem: _Problem, theta: FloatArray) -> tuple[FloatArray, Factor, float, bool]:
    """Return the minimum, the factor of the Hessian there, and the tolerance reached.

    Newton's method. A full step that at least halves the shortest gradient so far is
    taken; that happens finitely often. From other steps a line is searched for where
    the slope is almost 0, and not above. With Hessians between a penalty ``lambda`` and
    ``L`` and the gradient ``g``, a line begins with the slope ``-a``, where
    ``a = g^T H^-1 g >= |g|^2/L``, and its curvature is at most ``L |g|^2/lambda^2``: to
    go on until 0.01 of that slope is left, or all the way, lowers the objective by
    ``c |g|^2`` for a constant ``c > 0``. The objective is within ``|g|^2/(2 lambda)``
    of its least value, so that the search converges from everywhere, to within
    ``|g|/lambda`` of the minimum. It takes no differences of objectives: rounding
    leaves nothing of them near the minimum where the losses are small.

    Where no finite minimum exists, as when the features separate yes from no, the
    gradient vanishes but the steps do not; so without a penalty both have to. Where a
    penalty sees to it that there is one, the last point is returned, and False, instead
    of an error: that a search fails would tell about the table.
    """
    here = problem.at(theta)
    shortest = here.length
    penalized = bool((problem.diagonal > 0).all())
    for _ in range(_STEPS if penalized else _FEWER_STEPS):
        flat = here.length <= here.tolerance < math.inf
        try:
            factor = problem.factor(here)
        except DataError:
            if flat:
                break
            factor = problem.majorant(here)
        step = factor.solve(here.gradient)
        ahead = problem.at(here.theta - step)
        if flat and (penalized or problem.still(here.theta, ahead.theta)):
            end = ahead if ahead.length <= here.length else here
            return end.theta, factor, here.tolerance, True
        if not ahead.length <= shortest / 2:
            scale = _step_length(problem, here, step)
            ahead = problem.at(here.theta - scale * step)
        shortest = min(shortest, ahead.length)
        here = ahead
    if penalized and np.isfinite(here.theta).all():
        return here.theta, problem.factor(here), here.tolerance, False
    raise DataError(
        "no unique fit with finite coefficients was found. Some features may separate the "
        "outcomes perfectly, or too few people determine a coefficient. Increase the "
        "penalty, or leave a feature out."
    )


def _step_length(problem: _Problem, here: _Point, step: FloatArray) -> float:
    """Return 1, or how far to go on a line where 1 would be too far.

    As far as the slope is still against the step, but hardly: by a ``_FLAT`` part of
    what it is at the start, at most. Trials aim as far below 0 as the nearest one was
    above, so that a good step stays one.
    """

    def slope(scale: float) -> float:
        return problem.along(here.theta, step, scale)

    start = -float(here.gradient @ step)
    low, low_slope, high, high_slope = 0.0, start, 1.0, slope(1.0)
    if high_slope <= 0:
        return high
    for trial in range(_TRIALS):
        aimed = min(high_slope, -start * _FLAT / 2)
        share = (-aimed - low_slope) / (high_slope - low_slope)
        # Every third trial halves what is left, wherever the slopes point.
        usual = trial % 3 < 2 and 0 < share < 1  # noqa: PLR2004 - all but each third
        middle = low + (share if usual else 0.5) * (high - low)
        found = slope(middle)
        if _FLAT * start <= found <= 0:
            return middle
        if found <= 0:
            low, low_slope = middle, found
        else:
            high, high_slope = middle, found
    return low if low > 0 else high
