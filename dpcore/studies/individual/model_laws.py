"""The two laws of a released ridge regression, with a person and without. CONFIDENTIAL.

Noise on coefficients is ``person_laws.gaussian_laws``. A posterior sample, and the
minimizer of a perturbed objective, change their covariance with the person too; what
they tell is in ``models.posterior_profile`` and ``models.objective_perturbation``.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

import numpy as np
from scipy.special import chndtr, ndtr

from dpcore.errors import ParameterError
from dpcore.models import posterior_profile, repeated_posterior
from dpcore.models.objective_perturbation import PerturbedPairs
from dpcore.models.posterior_sampling import roc as posterior_roc
from dpcore.studies.individual.person_laws import POINTS, Line

if TYPE_CHECKING:
    from dpcore.data.bounds import FloatArray

_REACH: Final = 4.5
_TRIMMED: Final = 0.01


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class PosteriorLaws:
    """Posterior samples of a ridge regression: see ``models.posterior_profile``.

    With several samples the sum of the squared residuals says all, which is noncentral
    chi-square in both worlds.

    Attributes:
        leverage: ``x' H^-1 x`` without the person, in [0, inf).
        residual: ``sqrt(gamma) |y - x' theta|`` without the person, in [0, inf).
        samples: How many samples are released, at least 1.

    """

    leverage: float = field(repr=False)
    residual: float = field(repr=False)
    samples: int = 1

    def __post_init__(self) -> None:
        finite = 0 <= self.leverage < np.inf and 0 <= self.residual < np.inf
        if not finite or self.samples < 1:
            message = (
                "the two laws of a posterior sample need a leverage and a residual in "
                "[0, inf), and at least 1 sample."
            )
            raise ParameterError(message)

    @property
    def ceiling(self) -> float:
        """Return the most that the samples can speak for the person's presence."""
        return self.samples * float(
            posterior_profile.ceiling(self.leverage, self.residual)
        )

    def delta(self, epsilon: FloatArray) -> FloatArray:
        """Return the exact profile."""
        if self.leverage == 0:
            return np.zeros(np.shape(epsilon))
        if self.samples == 1:
            return posterior_profile.delta_of(self.leverage, self.residual, epsilon)
        return repeated_posterior.delta_of(
            self.leverage, self.residual, epsilon, samples=self.samples
        )

    def roc(self) -> tuple[FloatArray, FloatArray]:
        """Return the chances of the tests "present if the residuals are small"."""
        if self.samples == 1:
            return posterior_roc(self.leverage, self.residual, points=POINTS)
        if self.leverage == 0:
            alarm = np.linspace(0, 1, 3)
            return alarm, alarm
        absent, present = (self._sum_below(self._sums(), q) for q in (False, True))
        ends = ([0.0], [1.0])
        alarm, detection = (
            np.maximum.accumulate(np.concatenate([ends[0], part, ends[1]]))
            for part in (absent, present)
        )
        return alarm, detection

    def evidence(
        self, draws: int, *, present: bool, rng: np.random.Generator
    ) -> FloatArray:
        """Return the evidence ``T K - sum(u^2)/2`` of simulated releases."""
        center, deviation = self._law(present=present)
        u = center + deviation * rng.standard_normal((draws, self.samples))
        return np.asarray(self.ceiling - (u * u).sum(axis=1) / 2)

    def line(self) -> Line | None:
        """Return the laws of the residual, or of the sum of its squares."""
        if self.leverage == 0:
            return None
        if self.samples > 1:
            return self._line_of_sums()
        laws = [self._law(present=present) for present in (False, True)]
        low = min(center - _REACH * deviation for center, deviation in laws)
        high = max(center + _REACH * deviation for center, deviation in laws)
        x = np.linspace(low, high, POINTS)
        absent, present = (
            np.exp(-(((x - center) / deviation) ** 2) / 2)
            / (deviation * np.sqrt(2 * np.pi))
            for center, deviation in laws
        )
        return Line(
            label="miss of the person's target, in units of the noise",
            x=x,
            absent=absent,
            present=present,
        )

    def _line_of_sums(self) -> Line:
        x = self._sums()[::2]
        middle = (x[1:] + x[:-1]) / 2
        absent, present = (
            np.diff(self._sum_below(x, with_person)) / np.diff(x)
            for with_person in (False, True)
        )
        return Line(
            label="sum of squared misses of the target, × γ",
            x=middle,
            absent=absent,
            present=present,
        )

    def _law(self, *, present: bool) -> tuple[float, float]:
        """Return mean and standard deviation of the residual of one sample."""
        shrunk = 1 + self.leverage if present else 1.0
        return self.residual / shrunk, float(np.sqrt(self.leverage / shrunk))

    def _sums(self) -> FloatArray:
        """Return sums of squares that matter, ascending."""
        size, ends = np.sqrt(self.samples), []
        for present in (False, True):
            center, deviation = self._law(present=present)
            reach = (size + _REACH) * deviation
            ends += [max(size * center - reach, 0.0), size * center + reach]
        return np.asarray(np.linspace(min(ends), max(ends), 2 * POINTS)[1:] ** 2)

    def _sum_below(self, x: FloatArray, present: bool) -> FloatArray:  # noqa: FBT001 - mapped over both
        center, deviation = self._law(present=present)
        variance = deviation * deviation
        off = self.samples * center * center / variance
        return np.asarray(chndtr(x / variance, self.samples, off))


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class PerturbedLaws:
    """The minimizer of a perturbed ridge objective: two numbers matter, not one.

    Attributes:
        pairs: The two laws of this one person.

    """

    pairs: PerturbedPairs = field(repr=False)

    def __post_init__(self) -> None:
        if len(self.pairs.square) != 1:
            message = "the two laws are those of one person."
            raise ParameterError(message)

    def delta(self, epsilon: FloatArray) -> FloatArray:
        """Return the profile, as exact as the integral behind it."""
        levels = np.atleast_1d(np.asarray(epsilon, dtype=np.float64))
        columns = {
            name: np.repeat(getattr(self.pairs, name), len(levels))
            for name in ("leverage", "spread", "square", "residual")
        }
        pairs = self.pairs
        many = PerturbedPairs(**columns, sigma=pairs.sigma, nodes=pairs.nodes)
        return many.delta(levels)

    def roc(self) -> tuple[FloatArray, FloatArray]:
        """Return the chances of the tests "present if the evidence is large"."""
        levels = self._levels()
        below = [self._below(levels, present=present) for present in (False, True)]
        alarm, detection = (
            np.concatenate([[0.0], np.clip(1 - part[::-1], 0, 1), [1.0]])
            for part in below
        )
        return np.maximum.accumulate(alarm), np.maximum.accumulate(detection)

    def evidence(
        self, draws: int, *, present: bool, rng: np.random.Generator
    ) -> FloatArray:
        """Return the evidence of simulated releases."""
        mean, deviation, weight = self.pairs.mixture(0, present=present)
        nodes = rng.choice(len(weight), size=draws, p=weight / weight.sum())
        loss = mean[nodes] + deviation[nodes] * rng.standard_normal(draws)
        return np.asarray(loss if present else -loss)

    def line(self) -> Line | None:
        """Return the laws of the evidence itself: no single residual says all."""
        found = self._levels()
        low, high = np.quantile(found, (_TRIMMED, 1.0))
        if not high > low:
            return None
        levels = np.linspace(low, high, POINTS // 2)
        middle, steps = (levels[1:] + levels[:-1]) / 2, np.diff(levels)
        absent, present = (
            np.diff(self._below(levels, present=with_person)) / steps
            for with_person in (False, True)
        )
        return Line(
            label="evidence for presence (log of the ratio)",
            x=middle,
            absent=absent,
            present=present,
        )

    def _below(self, levels: FloatArray, *, present: bool) -> FloatArray:
        """Return the chances that the evidence is at most each level."""
        mean, deviation, weight = self.pairs.mixture(0, present=present)
        spread = np.maximum(deviation, 1e-12 * np.maximum(np.abs(mean), 1e-3))
        if present:
            return np.asarray(ndtr((levels[:, np.newaxis] - mean) / spread) @ weight)
        return np.asarray(ndtr((levels[:, np.newaxis] + mean) / spread) @ weight)

    def _levels(self) -> FloatArray:
        """Return levels of the evidence between which either law puts little."""
        rng = np.random.default_rng(1)  # fixes the grid only; chances on it are exact
        drawn = [
            self.evidence(4000, present=present, rng=rng) for present in (False, True)
        ]
        shares = np.linspace(0, 1, POINTS // 2)
        return np.unique(np.quantile(np.concatenate(drawn), shares))
