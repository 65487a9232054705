"""Releasing a fitted model: the secure draw, its intervals, and units of the columns.

Noise of a public shape is added by OpenDP to ``F theta``, whose shifts have the length
of the norm ``|v|_A = |F v|``; turning the answer back is post-processing. The other
releases turn OpenDP's normal numbers by matrices that come from the table, in floating
point. Their last digits could tell about the matrix, so that the result is rounded to a
public grid that is a million times finer than the noise and far coarser than the errors
of rounding.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import numpy as np
from scipy.special import chdtri, ndtri

from dpcore.budget import PrivacyCost, computed
from dpcore.errors import ClaimError
from dpcore.inference.intervals import LEVEL
from dpcore.mechanisms.base import Sensitivity
from dpcore.mechanisms.gaussian import Gaussian
from dpcore.models.adaptive_posterior import AdaptivePosterior
from dpcore.models.penalty import Penalty
from dpcore.models.release_laws import NoisyFit, PerturbedObjective, SampledFit
from dpcore.models.ridge import RidgeFit
from dpcore.privacy.composition import PrivacyEvent
from dpcore.releases import secure
from dpcore.releases.labelled import LabelledIntervals
from dpcore.releases.model_guarantees import longest_fit
from dpcore.releases.plans import Answer

if TYPE_CHECKING:
    from dpcore.data.bounds import FloatArray
    from dpcore.models.design import Design
    from dpcore.models.glm import GlmFit
    from dpcore.models.release_laws import Law
    from dpcore.releases.model_question import ModelQuestion

_FINE: Final = 2.0**-20
_CONSTANT: Final = "constant, in units"


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class ModelPlan:
    """How a model is released. PUBLIC.

    Attributes:
        question: The model.
        law: The law of the release, given the fit.
        mu: Parameter of the Gaussian mechanism over all tables; infinite if it is none.
        epsilon: The guarantee at ``delta``; infinite if there is none.
        delta: What goes with it.

    """

    question: ModelQuestion
    law: Law
    mu: float
    epsilon: float
    delta: float

    @property
    def noise(self) -> float:
        """Return the scale of the noise, in the unit that the mechanism has for it."""
        return self.law.noise

    @property
    def event(self) -> PrivacyEvent:
        """Return what the accountant has to know of it."""
        if math.isfinite(self.mu):
            return PrivacyEvent.of("gaussian", self.mu)
        return PrivacyEvent(
            kind="approximate", parameter=self.epsilon, delta=self.delta
        )

    @property
    def labels(self) -> tuple[str, ...]:
        """Return the name of each released number."""
        names = self.question.labels
        if isinstance(self.law, AdaptivePosterior):
            return ("smallest eigenvalue", *names)
        samples = self.law.samples if isinstance(self.law, SampledFit) else 1
        if samples == 1:
            return names
        return tuple(f"{name}, {k + 1}" for k in range(samples) for name in names)

    @property
    def half_widths(self) -> FloatArray | None:
        """Return how far off coefficients are, all together, in 95 of 100 draws.

        ``None`` where it is not public: without a guarantee, for a mean of several
        samples, and where the precision depends on what is drawn.
        """
        law = self.law
        adaptive = isinstance(law, AdaptivePosterior)
        several = isinstance(law, SampledFit) and law.samples > 1
        if adaptive or several or not math.isfinite(self.epsilon):
            return None
        return self._half_widths(law, len(self.question.labels))

    @property
    def unit_half_widths(self) -> FloatArray | None:
        """Return the same in the units of the columns, the constant first.

        Only for noise of a public shape, whose covariance is known: units are a linear
        map of the coefficients. ``None`` for other releases.
        """
        law = self.law
        known = isinstance(law, NoisyFit) and law.metric.public
        if not known or not math.isfinite(self.epsilon):
            return None
        design, columns = self.question.design, len(self.question.labels)
        corners = [
            list(in_units(design, theta).values())
            for theta in (np.zeros(columns), *np.eye(columns))
        ]
        linear = np.array(corners[1:]) - corners[0]
        if isinstance(law, NoisyFit) and law.metric.matrix is not None:
            root = np.linalg.cholesky(law.metric.matrix)
            linear = np.linalg.solve(root, linear)
        spread = np.linalg.norm(linear, axis=0) * law.noise
        return np.asarray(spread * _two_sided(len(spread)))

    @property
    def mostly_noise(self) -> bool:
        """Return whether noise is larger than all that a penalty leaves possible."""
        widths = self.half_widths
        return widths is not None and bool(widths.min() >= longest_fit(self.question))

    def answer(self, value: RidgeFit | GlmFit, *, cost: PrivacyCost) -> Answer:
        """Draw securely from a fit (CONFIDENTIAL) and return what is released.

        Raises:
            ClaimError: There is no guarantee, so that nothing may be drawn in earnest.

        """
        if not math.isfinite(self.epsilon):
            message = "a release without a guarantee can be simulated, not drawn."
            raise ClaimError(message)
        law = self.law
        if isinstance(law, AdaptivePosterior):
            return self._adapted(law, value)
        columns = len(value.theta)
        if isinstance(law, NoisyFit):
            drawn = self._noisy(law, value, cost)
        else:
            samples = law.samples if isinstance(law, SampledFit) else 1
            normal = standard_normal(samples * columns).reshape(samples, columns)
            drawn = gridded(law.transformed(value, normal), self._spread(law, value))
        return self._packed(drawn.reshape(-1, columns), self._half_widths(law, columns))

    def derived(self, theta: FloatArray) -> dict[str, float]:
        """Return coefficients in the units of the columns, by name."""
        return in_units(self.question.design, theta)

    def _noisy(
        self, law: NoisyFit, fit: RidgeFit | GlmFit, cost: PrivacyCost
    ) -> FloatArray:
        columns = len(fit.theta)
        root = law.metric.root(fit.factor)
        reach = self.mu * law.noise
        sensitivity = Sensitivity(
            coordinates=columns,
            l1=reach * math.sqrt(columns),
            l2=reach,
            largest=reach,
        )
        drawn = secure.draw(
            Gaussian(noise=law.noise),
            root @ fit.theta,
            sensitivity=sensitivity,
            cost=cost,
        )
        return np.asarray(np.linalg.solve(root, drawn))

    def _adapted(self, law: AdaptivePosterior, fit: RidgeFit | GlmFit) -> Answer:
        """Release the eigenvalue, and then the sample that it allows."""
        gram = fit.features.T @ fit.features
        eigenvalue = max(float(np.linalg.eigvalsh(gram)[0]), 0.0)
        one = Sensitivity(coordinates=1, l1=1.0, l2=1.0, largest=1.0)
        released = float(
            secure.draw(
                Gaussian(noise=law.noise),
                np.array([eigenvalue]),
                sensitivity=one,
                cost=PrivacyCost(rho=computed(law.noise**-2 / 2)),
            )[0]
        )
        normal = standard_normal(law.columns)
        tuning = law.tune(law.floor(released))
        if not isinstance(fit, RidgeFit):
            message = "only a linear model has an adaptive posterior sample."
            raise ClaimError(message)
        tuned = fit.with_penalty(Penalty(strength=tuning.penalty))
        sample = SampledFit(gamma=tuning.gamma)
        spread = 1 / math.sqrt(tuning.gamma * (tuning.penalty + law.people))
        theta = gridded(sample.transformed(tuned, normal[np.newaxis]), spread)
        least = 1 / math.sqrt(tuning.gamma * (tuning.floor + tuning.penalty))
        width = least * _two_sided(law.columns)
        answer = self._packed(theta, np.full(law.columns, width))
        chosen = {
            "chosen penalty": tuning.penalty,
            "chosen precision": tuning.gamma,
            "eigenvalue at least": tuning.floor,
        }
        return Answer(
            labels=self.labels,
            values=(released, *answer.values),
            intervals=answer.intervals,
            derived=chosen | answer.derived,
        )

    def _packed(self, drawn: FloatArray, widths: FloatArray) -> Answer:
        """Return releases, one a row, with intervals around the fit of the table."""
        names, flat = self.question.labels, drawn.ravel()
        labels = self.labels if len(self.labels) == len(flat) else names
        middle = drawn.mean(axis=0)
        around: dict[str, tuple[float, float]] = {}
        if len(drawn) == 1:
            around = {
                name: (float(number - width), float(number + width))
                for name, number, width in zip(names, middle, widths, strict=True)
            }
        derived = self.derived(middle)
        if len(drawn) > 1:
            means = zip(names, middle.tolist(), strict=True)
            derived = {f"mean of {name}": mean for name, mean in means} | derived
        return Answer(
            labels=labels,
            values=tuple(flat.tolist()),
            intervals=LabelledIntervals(level=LEVEL, noise=around) if around else None,
            derived=derived,
        )

    def _spread(self, law: Law, fit: RidgeFit | GlmFit) -> float:
        """Return a public number below the least standard deviation of a release."""
        # No Hessian exceeds the penalty plus the number of people.
        largest = fit.penalty.convexity(1) + self.question.most_people
        if isinstance(law, PerturbedObjective):
            return law.sigma / largest
        return law.noise / math.sqrt(largest)

    def _half_widths(self, law: Law, columns: int) -> FloatArray:
        """Return how far off the coefficients are, all together, in 95 of 100 draws.

        Where the shape of the noise comes from the table, the least curvature that the
        penalty gives bounds it.
        """
        strength = self.question.penalty.convexity(1)
        if isinstance(law, PerturbedObjective):
            # |theta' - theta| <= |b| / lambda, and |b|^2 is chi-square.
            longest = law.sigma * math.sqrt(float(chdtri(columns, 1 - LEVEL)))
            return np.full(columns, longest / strength)
        if isinstance(law, NoisyFit) and law.metric.matrix is not None:
            spread = np.sqrt(np.diag(np.linalg.inv(law.metric.matrix)))
        elif isinstance(law, NoisyFit):
            spread = np.ones(columns)
        else:
            spread = np.full(columns, 1 / math.sqrt(strength))
        return np.asarray(law.noise * spread * _two_sided(columns))


def standard_normal(size: int) -> FloatArray:
    """Return secure standard normal numbers, shape ``(size,)``."""
    # Noise on zeros: no table is involved, so that any sensitivity may be named.
    cost = PrivacyCost(rho=computed(0.5))
    one = Sensitivity(coordinates=size, l1=1.0, l2=1.0, largest=1.0)
    return secure.draw(Gaussian(noise=1.0), np.zeros(size), sensitivity=one, cost=cost)


def gridded(numbers: FloatArray, spread: float) -> FloatArray:
    """Return numbers rounded to a public grid, a millionth of ``spread`` fine.

    >>> gridded(np.array([1.0, 1.0 + 2.0**-30]), 1.0).tolist()
    [1.0, 1.0]
    """
    step = 2.0 ** math.floor(math.log2(spread * _FINE))
    return np.asarray(np.round(numbers / step) * step)


def in_units(design: Design, theta: FloatArray) -> dict[str, float]:
    """Return coefficients in the units of the columns, by name."""
    plain = design.in_units(theta)
    slopes = zip(design.terms, plain.slopes.tolist(), strict=True)
    return {_CONSTANT: plain.constant} | {
        f"{term.name}, in units": slope for term, slope in slopes
    }


def _two_sided(columns: int) -> float:
    """Return how many deviations hold ``columns`` normal numbers at once.

    By Šidák's inequality, whatever their correlation.
    """
    each = LEVEL ** (1 / columns)
    return float(-ndtri((1 - each) / 2))
