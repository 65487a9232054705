"""Reports of a person's own loss that may be told to that person.

Everybody's exact loss depends on everybody's records and must stay with the curator.
For objective perturbation there is a report that depends on public numbers, the release
and the person's own record only, free of cost (Redberg and Wang 2021).

A sharper one needs a noisy release of the Hessian first: with the curvature of the
table known roughly, a person's leverage no longer has to be bounded by the penalty
alone (algorithm 2). That release is a Gaussian mechanism of its own, to be added to the
cost of the fit.

The release minimizes ``sum f(x'c; y) + lambda |c|^2/2 + b'c`` with normal ``b`` of
standard deviation ``sigma``. At the release, ``slope`` and ``curvature`` are the first
and second derivative of ``f`` in ``x'c`` for the person, and ``length = |x|``.

The most that a person of a given value can lose, whoever else is in the table.

It depends on the person's own record and public numbers alone, so that it may be told
to the person: the personalized worst case, between the own loss and the guarantee.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import ndtri

from dpcore.arrays import FloatArray
from dpcore.data.bounds import Interval
from dpcore.errors import ParameterError
from dpcore.formatting import in_full
from dpcore.relations import NeighboringRelation, TableSize
from dpcore.statistics.kinds import StatisticKind

REPORT_FACTOR = 1.5
"""By which the noisy leverage is raised, to be between 1 and 3 times the true one."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PerturbedFit:
    """The public numbers of an objective perturbation.

    Attributes:
        penalty: ``lambda``, in (0, inf).
        sigma: Standard deviation of the perturbation, in (0, inf).

    """

    penalty: float
    sigma: float

    def __post_init__(self) -> None:
        if not (0 < self.penalty < math.inf and 0 < self.sigma < math.inf):
            raise ParameterError("the penalty and sigma must be in (0, inf).")

    @classmethod
    def calibrate(cls, *, epsilon: float, delta: float) -> PerturbedFit:
        """Return the least noise and penalty of the (epsilon, delta)-DP guarantee.

        ``lambda = 2 curvature/epsilon`` and ``sigma^2 = slope^2 (8 log(2/delta) + 4
        epsilon)/epsilon^2`` (Kifer, Smith and Thakurta 2012, theorem 2). The largest
        gradient of anybody's loss is 1 and the largest second derivative 1/4, as for
        logistic regression on features of length at most 1.

        Raises:
            ParameterError: Epsilon is not in (0, inf), or delta not in (0, 1).

        >>> round(PerturbedFit.calibrate(epsilon=1.0, delta=1e-3).sigma, 6)
        8.050293

        """
        if not (0 < epsilon < math.inf and 0 < delta < 1):
            raise ParameterError(
                f"epsilon must be in (0, ∞) and delta in (0, 1), got ε = {epsilon}, δ = {delta}."
            )
        return cls(
            penalty=0.5 / epsilon, sigma=math.sqrt(8 * math.log(2 / delta) + 4 * epsilon) / epsilon
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class NoisyHessian:
    """A release of the Hessian, so that reports may use it.

    Noise is symmetric and normal, with standard deviation ``sigma`` off the diagonal
    and ``sqrt(2) sigma`` on it, so that it looks the same from every direction.

    Attributes:
        columns: Number of coefficients.
        sigma: In (0, inf).

    """

    columns: int
    sigma: float

    def __post_init__(self) -> None:
        if self.columns < 1 or not 0 < self.sigma < math.inf:
            raise ParameterError("a Hessian needs a column, and sigma must be in (0, inf).")

    def cost(self, curvature: ArrayLike, length: ArrayLike) -> FloatArray:
        """Return ``mu`` of the Gaussian mechanism that a person's share amounts to.

        ``f'' |x|^2/(sqrt(2) sigma)``; with the largest of both, that of the
        guarantee. Its square adds to those of other releases.
        """
        ff = np.asarray(curvature, dtype=np.float64)
        square = np.asarray(length, dtype=np.float64) ** 2
        return np.asarray(ff * square / (math.sqrt(2) * self.sigma))

    def noise(self, draws: int, rng: np.random.Generator) -> FloatArray:
        """Return simulated noise, shape ``(draws, d, d)``."""
        shape = (draws, self.columns, self.columns)
        half = rng.standard_normal(shape) / math.sqrt(2)
        return np.asarray(self.sigma * (half + np.swapaxes(half, -1, -2)))

    def quantile(self, failure: float, rng: np.random.Generator) -> float:
        """Return the norm that the noise exceeds with chance ``failure``, simulated.

        Rounded up by three standard errors of the simulated rank.

        Raises:
            ParameterError: ``failure`` is not in (0, 1), or too small for the draws.

        """
        check_failure(failure)
        draws = 20_000
        spread = 3 * math.sqrt(draws * failure * (1 - failure))
        rank = math.ceil(draws * (1 - failure) + spread)
        if rank >= draws:
            raise ParameterError(f"{draws} draws are too few for a failure of {failure}.")
        norms = np.abs(np.linalg.eigvalsh(self.noise(draws, rng))).max(axis=1)
        return float(np.sort(norms)[rank])

    def leverage(
        self, x: ArrayLike, released: ArrayLike, *, penalty: float, quantile: float
    ) -> FloatArray:
        """Return ``1.5 x' H^-1 x`` with the released Hessian.

        Between 1 and 3 times the true leverage, unless the noise exceeds ``quantile``.

        Args:
            x: Shape ``(n, d)``.
            released: The noisy Hessian, shape ``(d, d)``.
            penalty: ``lambda``, which all eigenvalues of the true one exceed.
            quantile: As ``self.quantile``.

        Raises:
            ParameterError: The penalty is below twice the quantile.

        """
        if penalty < 2 * quantile:
            raise ParameterError(
                "the penalty must be at least twice the quantile of the noise: raise "
                "lambda, or add less noise at a higher cost."
            )
        rows = np.asarray(x, dtype=np.float64)
        solved = np.linalg.solve(np.asarray(released, dtype=np.float64), rows.T).T
        return np.asarray(REPORT_FACTOR * np.einsum("ij,ij->i", solved, rows))


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class AtRelease:
    """Some people at a release, members of the table and newcomers. CONFIDENTIAL."""

    fit: PerturbedFit
    slope: FloatArray
    """``f'`` at the release."""
    curvature: FloatArray
    """``f''`` at the release, at least 0."""
    length: FloatArray
    """``|x|``."""

    def realized(self, *, leverage: FloatArray, along: FloatArray, member: bool) -> FloatArray:
        """Return the exact loss of the release at hand. CONFIDENTIAL.

        ``|-log(1 + f'' m) + g^2/(2 sigma^2) + grad J'g/sigma^2|`` for a newcomer, and
        with both signs but that of the square turned for a member, ``g = f' x``.

        Args:
            leverage: ``m = x' H^-1 x``, ``H`` the Hessian at the release, of the table.
            along: ``x' b``; the gradient of the objective at the release is ``-b``.
            member: Whether the person is in the table.

        """
        variance = self.fit.sigma**2
        square = (self.slope * self.length) ** 2 / (2 * variance)
        turned = -self.slope * along / variance
        sign = -1.0 if member else 1.0
        with np.errstate(divide="ignore"):
            # Where a member's leverage is all of H, the loss is infinite.
            grown = np.log1p(np.maximum(sign * self.curvature * leverage, -1.0))
        return np.asarray(np.abs(-grown + square + sign * turned))

    def report(self, failure: float) -> FloatArray:
        """Return a bound on a person's realized loss that reveals nobody else.

        ``log(1 + f'' |x|^2/lambda) + (f' |x|)^2/(2 sigma^2) + |f'| |x| z/sigma`` with
        ``z`` the normal quantile at ``1 - failure/2``: a function of public numbers,
        the release and the person's own record, for members and newcomers alike. It
        fails with chance ``failure`` at most, over the perturbation, for a person fixed
        before; divide ``failure`` by the number of people for all of them at once.

        The first term covers both cases because a member's leverage is at most ``q/(1 +
        q)`` with ``q = f'' |x|^2/lambda``; it is below the published ``-log(1 - q)``
        and needs no lower bound on lambda.

        Raises:
            ParameterError: ``failure`` is not in (0, 1).

        """
        return np.asarray(np.log1p(self._most) + self._gradient_part(failure))

    def published_report(self, failure: float) -> FloatArray:
        """Return the published report (theorem 8), whose first term is ``-log(1 - q)``.

        ``inf`` from ``q = f'' |x|^2/lambda = 1`` on. Errors as for ``report``.
        """
        return np.asarray(_lost(self._most) + self._gradient_part(failure))

    def sharper_report(self, failure: float, *, leverage: FloatArray, member: bool) -> FloatArray:
        """Return the report with a leverage from ``NoisyHessian.leverage``.

        ``-log(1 - f'' m)`` for a member and ``log(1 + f'' m)`` for a newcomer, each at
        most what ``report`` has in its place. It fails with the sum of the chances of
        both releases, and costs the Hessian's release in addition.
        """
        seen = self.curvature * leverage
        seen = _lost(seen) if member else np.log1p(seen)
        least = np.minimum(seen, np.log1p(self._most))
        return np.asarray(least + self._gradient_part(failure))

    @property
    def _most(self) -> FloatArray:
        """Return ``q = f'' |x|^2/lambda``."""
        return self.curvature * self.length**2 / self.fit.penalty

    def _gradient_part(self, failure: float) -> FloatArray:
        """Return what the gradient contributes to a report, see ``report``."""
        check_failure(failure)
        shift = np.abs(self.slope) * self.length / self.fit.sigma
        return np.asarray(shift * (shift / 2 - float(ndtri(failure / 2))))


def _lost(share: FloatArray) -> FloatArray:
    """Return ``-log(1 - q)``, infinite from 1 on."""
    within = share < 1
    return np.where(within, -np.log1p(-np.where(within, share, 0.0)), np.inf)


def check_failure(failure: float) -> None:
    """Refuse a chance outside (0, 1).

    Raises:
        ParameterError: ``failure`` is not in (0, 1).

    """
    if not 0 < failure < 1:
        raise ParameterError(f"the chance of failure must be in (0, 1), got {failure}.")


def own_worst_shift(
    kind: StatisticKind,
    value: float,
    *,
    bounds: Interval,
    size: TableSize,
    relation: NeighboringRelation,
) -> float | None:
    """Return how far a person of that value can move a sum or a mean, at most.

    ``|x|`` for a sum that the person leaves, ``r = max(x - c0, c1 - x)`` where the record
    becomes another one. A mean of a public number ``n`` of people moves by ``r / n``. That of
    a private number, at least ``N``, moves by ``r / N``, since the divisor is ``max(n, N)``.
    A person who leaves it, or has no value any more, moves it by ``|x - m'| / n <= r / (N + 1)``
    above ``N`` people, where ``m'`` is the mean of the others. Up to ``N`` people the move is
    ``|x - c| / N <= r / (N + 1)`` with ``c`` the middle of the bounds. ``None`` for other
    statistics.

    Raises:
        ParameterError: The value lies outside the bounds.

    >>> from dpcore.data.bounds import Interval
    >>> from dpcore.relations import TableSize
    >>> own_worst_shift(
    ...     StatisticKind.MEAN,
    ...     20.0,
    ...     bounds=Interval(lower=0.0, upper=100.0),
    ...     size=TableSize(people=10, public=True),
    ...     relation=NeighboringRelation.SUBSTITUTION,
    ... )
    8.0

    """
    if not bounds.lower <= value <= bounds.upper:
        raise ParameterError(
            f"the value must lie within {in_full(bounds.lower)} and {in_full(bounds.upper)}, "
            f"got {in_full(value)}."
        )
    replaced = max(value - bounds.lower, bounds.upper - value)
    if kind is StatisticKind.SUM:
        if relation is NeighboringRelation.ADD_REMOVE:
            return abs(value)
        # Where people may be left out, the record can also become one without a value.
        return replaced if size.public else max(replaced, abs(value))
    if kind is not StatisticKind.MEAN:
        return None
    return replaced / (size.people + (relation is NeighboringRelation.ADD_REMOVE))
