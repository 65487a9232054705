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
from typing import Final

import numpy as np

from dpcore.arrays import FloatArray
from dpcore.data.quantities import quantity_of
from dpcore.errors import ClaimError
from dpcore.inference.intervals import LEVEL
from dpcore.mechanisms.base import Sensitivity
from dpcore.mechanisms.gaussian import Gaussian
from dpcore.models.design import Design
from dpcore.models.guarantees import longest_fit
from dpcore.models.model_mechanisms.model_mechanism import Drawn, ModelMechanism, together
from dpcore.models.question import Fit, ModelQuestion
from dpcore.privacy.events import ApproximateEvent, GaussianEvent, PrivacyEvent
from dpcore.privacy_filter import PrivacyCost, computed
from dpcore.releases import secure
from dpcore.releases.labelled import LabelledIntervals
from dpcore.releases.plans.plan import Answer

_FINE: Final = 2.0**-20
_CONSTANT: Final = "constant, in units"


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class ModelPlan:
    """How a model is released. PUBLIC.

    ``mu`` is the parameter of the Gaussian mechanism over all tables, infinite if it is
    none; ``epsilon`` the guarantee at ``delta``, infinite if there is none.
    """

    question: ModelQuestion
    law: ModelMechanism
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
            return GaussianEvent.of(self.mu)
        return ApproximateEvent(parameter=self.epsilon, delta=self.delta)

    @property
    def labels(self) -> tuple[str, ...]:
        """Return the name of each released number."""
        return self.law.labels(self.question.labels)

    @property
    def half_widths(self) -> FloatArray | None:
        """Return how far off coefficients are, all together, in 95 of 100 draws.

        ``None`` where it is not public: without a guarantee, for a mean of several
        samples, and where the precision depends on what is drawn.
        """
        law, question = self.law, self.question
        several = law.precision is None or law.samples > 1
        if several or not math.isfinite(self.epsilon):
            return None
        strength = question.penalty.convexity(1)
        return law.half_widths(len(question.labels), strength=strength, level=LEVEL)

    @property
    def unit_half_widths(self) -> FloatArray | None:
        """Return the same in the units of the columns, the constant first.

        Only for noise of a public shape, whose covariance is known: units are a linear
        map of the coefficients. ``None`` for other releases.
        """
        law = self.law
        if not law.public or not math.isfinite(self.epsilon):
            return None
        design, columns = self.question.design, len(self.question.labels)
        corners = [
            list(in_units(design, theta).values())
            for theta in (np.zeros(columns), *np.eye(columns))
        ]
        linear = np.array(corners[1:]) - corners[0]
        if law.metric.matrix is not None:
            root = np.linalg.cholesky(law.metric.matrix)
            linear = np.linalg.solve(root, linear)
        spread = np.linalg.norm(linear, axis=0) * law.noise
        return np.asarray(spread * together(len(spread), LEVEL))

    @property
    def prediction_noise(self) -> float | None:
        """Return the deviation that the noise adds to a prediction, at most.

        Over all rows of at most length 1; ``None`` where it is not public.
        """
        if self.law.precision is None or not math.isfinite(self.epsilon):
            return None
        strength = self.question.penalty.convexity(1)
        return self.law.deviation(strength) / math.sqrt(self.law.samples)

    @property
    def mostly_noise(self) -> bool:
        """Return whether noise is larger than all that a penalty leaves possible."""
        widths = self.half_widths
        return widths is not None and bool(widths.min() >= longest_fit(self.question))

    def answer(self, value: Fit, *, cost: PrivacyCost) -> Answer:
        """Draw securely from a fit (CONFIDENTIAL) and return what is released.

        Raises:
            ClaimError: There is no guarantee, so that nothing may be drawn in earnest.

        """
        if not math.isfinite(self.epsilon):
            raise ClaimError("a release without a guarantee can be simulated, not drawn.")
        source = _Secure(cost=cost)
        return self._packed(self.law.draw(value, source, self.question, level=LEVEL))

    def derived(self, theta: FloatArray) -> dict[str, float]:
        """Return coefficients in the units of the columns, by name."""
        return in_units(self.question.design, theta)

    def _packed(self, drawn: Drawn) -> Answer:
        """Return releases with intervals around the fit of the table."""
        names, middle = self.question.labels, drawn.theta.mean(axis=0)
        around: dict[str, tuple[float, float]] = {}
        derived = self.derived(middle)
        if len(drawn.theta) > 1:
            means = zip(names, middle.tolist(), strict=True)
            derived = {f"mean of {name}": mean for name, mean in means} | derived
        else:
            released = dict(zip(names, middle.tolist(), strict=True))
            around = _around(released, drawn.widths)
            if self.unit_half_widths is not None:
                around |= _around(derived, self.unit_half_widths)
        return Answer(
            labels=self.labels,
            values=(*drawn.first, *drawn.theta.ravel().tolist()),
            intervals=LabelledIntervals(level=LEVEL, noise=around) if around else None,
            derived=drawn.chosen | derived,
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class _Secure:
    """OpenDP's noise, at the cost of an answer."""

    cost: PrivacyCost

    def added(
        self, values: FloatArray, *, noise: float, reach: float, cost: PrivacyCost | None = None
    ) -> FloatArray:
        """Return values with Gaussian noise, of which one person moves ``reach``."""
        cells = len(values)
        sensitivity = Sensitivity(
            coordinates=cells, l1=reach * math.sqrt(cells), l2=reach, largest=reach
        )
        return secure.draw(
            Gaussian(noise=noise),
            values,
            sensitivity=sensitivity,
            cost=self.cost if cost is None else cost,
        )

    def normal(self, draws: int, columns: int) -> FloatArray:
        """Return standard normal numbers, shape ``(draws, columns)``."""
        # Noise on zeros: no table is involved, so that any sensitivity may be named.
        zeros, cost = np.zeros(draws * columns), PrivacyCost(rho=computed(0.5))
        drawn = self.added(zeros, noise=1.0, reach=1.0, cost=cost)
        return drawn.reshape(draws, columns)

    def gridded(self, numbers: FloatArray, spread: float) -> FloatArray:
        """Return numbers on a public grid, far finer than ``spread``."""
        return gridded(numbers, spread)


def _around(numbers: dict[str, float], widths: FloatArray) -> dict[str, tuple[float, float]]:
    return {
        name: (number - width, number + width)
        for (name, number), width in zip(numbers.items(), widths.tolist(), strict=True)
    }


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
    return {_CONSTANT: plain.constant} | {f"{term.name}, in units": slope for term, slope in slopes}


def slope_units(design: Design) -> dict[str, str]:
    """Return the unit of each coefficient ``in_units`` of a target that is a number."""
    of = quantity_of(design.target)
    target = of.of_differences
    if not target:
        return {}
    units = {
        term.name: "" if term.label else quantity_of(term.column).of_differences
        for term in design.terms
    }
    per = {
        f"{term.name}, in units": f"{target} per {units[term.name]}" if units[term.name] else target
        for term in design.terms
        if term.label is not None or units[term.name]
    }
    return {_CONSTANT: of.unit} | per
