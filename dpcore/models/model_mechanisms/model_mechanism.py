"""What every law of a released model can be asked.

A law is fixed by public numbers. For each person it has two laws of the release, with
the person and without; losses, bounds and charts are all taken from that pair, and the
pair from the numbers of ``models.influence``. Whoever adds a mechanism writes one file.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import ClassVar, Protocol, Self

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtri

from dpcore.arrays import FloatArray
from dpcore.errors import ParameterError
from dpcore.mechanisms.person_laws import PersonLaws
from dpcore.models.design import Design
from dpcore.models.glm import GlmFit
from dpcore.models.glm_influence import (
    AuditedRemovals,
    audited_influence,
    audited_removals,
    refitted_influence,
)
from dpcore.models.influence import Influence
from dpcore.models.loss_tables import Span
from dpcore.models.metrics import ISOTROPIC, Metric
from dpcore.models.question import Fit, ModelQuestion
from dpcore.models.ridge import RidgeFit
from dpcore.models.ridge_influence import removals
from dpcore.privacy_filter import PrivacyCost

LossAt = Callable[[FloatArray, FloatArray], FloatArray]
"""The losses for leverages and residuals of that size, in which they ascend."""


class Source(Protocol):
    """Where secure noise comes from."""

    def added(
        self, values: FloatArray, *, noise: float, reach: float, cost: PrivacyCost | None = None
    ) -> FloatArray:
        """Return values with Gaussian noise, of which one person moves ``reach``."""

    def normal(self, draws: int, columns: int) -> FloatArray:
        """Return standard normal numbers, shape ``(draws, columns)``."""

    def gridded(self, numbers: FloatArray, spread: float) -> FloatArray:
        """Return numbers on a public grid, far finer than ``spread``."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Drawn:
    """What was drawn in earnest. PUBLIC."""

    theta: FloatArray
    """The coefficients, a draw a row."""
    widths: FloatArray
    """How far off the coefficients of a draw may be, all together."""
    first: tuple[float, ...] = ()
    """What was released before them."""
    chosen: dict[str, float] = field(default_factory=dict)
    """What was chosen by it, by name."""


class ModelMechanism(ABC):
    """The law of a released model, given its fit. PUBLIC.

    What a method says here is what holds for a law that knows nothing better.
    """

    __slots__ = ()

    upper: ClassVar[bool] = False
    """Whether losses are upper bounds."""
    note: ClassVar[str] = ""
    """What losses are where they are not exact."""
    obstacle: ClassVar[str] = ""
    """Why nobody has a ``pair``; empty where people have."""

    @property
    @abstractmethod
    def noise(self) -> float:
        """Return the scale of the noise, in the unit that the mechanism has for it."""

    @property
    def metric(self) -> Metric:
        """Return the norm of the moves that the noise hides."""
        return ISOTROPIC

    @property
    def samples(self) -> int:
        """Return how many draws of all coefficients are released."""
        return 1

    @property
    def public(self) -> bool:
        """Return whether the noise has a public shape, so that moves decide losses."""
        return False

    @property
    def precision(self) -> float | None:
        """Return ``noise^-2``; ``None`` where it depends on what is drawn."""
        return self.noise**-2

    @property
    def units_known(self) -> bool:
        """Return whether ``unit_losses`` are known."""
        return False

    @property
    def tables(self) -> bool:
        """Return whether losses of many people are read from a table that spans all."""
        return False

    def span(self, people: Influence) -> Span:
        """Return between which ends the numbers of people lie that losses depend on.

        Raises:
            ParameterError: Losses are not read from a table.

        """
        raise ParameterError("these losses are read from no table.")

    def tabled(self, span: Span, *, delta: float) -> ModelMechanism:
        """Return the law that reads everybody's losses from one table for a span."""
        return self

    def seen_with(self, x: FloatArray, y: FloatArray) -> ModelMechanism:
        """Return the law of ``linear`` for a fit that has but some rows and targets."""
        return self

    def calibrated(
        self, question: ModelQuestion, *, epsilon: float, delta: float
    ) -> ModelMechanism | None:
        """Return the law with the least noise for a guarantee; ``None`` without one."""
        return self

    def shortfall(self, question: ModelQuestion, epsilon: float) -> str:
        """Return, as a part of a sentence, why no noise is known to be enough."""
        return "the penalty is too small for this epsilon and delta; raise the penalty"

    def guarantee(
        self, question: ModelQuestion, *, delta: float, asked: float, calibrated: bool
    ) -> float:
        """Return the epsilon at ``delta`` over all tables; infinite if unknown.

        ``asked`` is the epsilon asked for, and what a ``calibrated`` law gives.
        """
        return asked

    def guarantees(
        self, question: ModelQuestion, precisions: FloatArray, *, delta: float
    ) -> FloatArray:
        """Return the epsilon over all tables at each precision."""
        laws = [self.at(precision) for precision in precisions.tolist()]
        return np.array(
            [law.guarantee(question, delta=delta, asked=math.inf, calibrated=False) for law in laws]
        )

    def mu(self, question: ModelQuestion) -> float:
        """Return the parameter of the Gaussian mechanism that it is over all tables.

        Infinite if it is none.
        """
        return math.inf

    def labels(self, names: tuple[str, ...]) -> tuple[str, ...]:
        """Return the name of each released number, given those of coefficients."""
        return names

    def half_widths(self, columns: int, *, strength: float, level: float) -> FloatArray:
        """Return how far off single draws are, all together with chance ``level``.

        Where the shape of the noise comes from the table, the least curvature that the
        penalty ``strength`` gives bounds it.
        """
        widest = self.deviation(strength) * together(columns, level)
        return np.full(columns, widest)

    def deviation(self, curvature: float) -> float:
        """Return the deviation of a draw where that is the curvature of ``H``.

        For noise of a public shape the largest one, in any direction.
        """
        return self.noise / math.sqrt(curvature)

    def draw(self, fit: Fit, source: Source, question: ModelQuestion, *, level: float) -> Drawn:
        """Draw securely from a fit (CONFIDENTIAL)."""
        columns, strength = len(fit.theta), question.penalty.convexity(1)
        normal = source.normal(self.samples, columns)
        # No Hessian exceeds the penalty plus the number of people.
        least = self.deviation(strength + question.most_people)
        return Drawn(
            theta=source.gridded(self.transformed(fit, normal), least),
            widths=self.half_widths(columns, strength=strength, level=level),
        )

    @abstractmethod
    def at(self, precision: float) -> Self:
        """Return the law at another precision.

        Raises:
            ParameterError: It has none.

        """

    def linear(self, fit: RidgeFit) -> ModelMechanism:
        """Return the law that the release of a linear fit really has."""
        return self

    def nonlinear(self, fit: GlmFit) -> ModelMechanism:
        """Return the law that the release of a nonlinear fit really has.

        Raises:
            ParameterError: Losses of nonlinear models are not known under this law.

        """
        raise ParameterError(
            "for this model losses are known under noise of a public shape and under "
            "objective perturbation: choose one of these."
        )

    def simulations(self, fit: Fit, *, rng: np.random.Generator, draws: int = 1) -> FloatArray:
        """Return simulated releases, shape ``(draws, d)``; of several samples the mean.

        Raises:
            ParameterError: The law is not for such a model.

        """
        normal = rng.standard_normal((draws * self.samples, len(fit.theta)))
        released = self.transformed(fit, normal)
        return np.asarray(released.reshape(draws, self.samples, -1).mean(axis=1))

    def for_fit(self, fit: Fit) -> ModelMechanism:
        """Return the mechanism that the release of a fit really is.

        Raises:
            ParameterError: Losses of nonlinear models are not known under this mechanism.

        """
        return self.linear(fit) if fit.linear else self.nonlinear(fit)

    @abstractmethod
    def transformed(self, fit: Fit, normal: FloatArray) -> FloatArray:
        """Return single draws from normal numbers, both of shape ``(m, d)``.

        Raises:
            ParameterError: More than these numbers decide a draw.

        """

    def influence(
        self,
        fit: Fit,
        *,
        rows: int = 1,
        people: NDArray[np.intp] | None = None,
        audited: AuditedRemovals | None = None,
        rng: np.random.Generator | None = None,
    ) -> Influence:
        """Return what everybody is to a fit, under a mechanism of ``for_fit``.

        Exactly for a linear fit; audited, or by refits, for a nonlinear one.

        Args:
            fit: What is released.
            rows: How many rows like each person's own one unit owns.
            people: Of whom, as positions among the rows, by a refit without each.
            audited: Everybody's moves, of so many rows in the norm of the mechanism, where
                an audit found them already.
            rng: Draws the people of an audit otherwise; the same ones if not given.

        Raises:
            ParameterError: The penalty is per person, for noise shaped by the data, or the
                audit was about other units.

        """
        if fit.linear:
            return self.linear_influence(fit, rows=rows, people=people)
        if people is not None:
            return refitted_influence(fit, people, self.metric, rows=rows)
        if audited is None:
            rng = np.random.default_rng(0) if rng is None else rng
            audited = audited_removals(fit, self.metric, rng=rng, copies=rows)
        return audited_influence(fit, audited, self.metric, rows=rows)

    def linear_influence(
        self, fit: RidgeFit, *, rows: int = 1, people: NDArray[np.intp] | None = None
    ) -> Influence:
        """Return what everybody, or each of some ``people``, is to a linear fit."""
        if fit.penalty.per_person and not self.public:
            raise ParameterError("losses need a penalty of the sum of losses, not one per person.")
        strength, largest = fit.penalty.constant, self.metric.largest
        found = removals(fit, self.metric, people)
        return found.owned(rows, strength=strength, largest=largest)

    @abstractmethod
    def losses(self, people: Influence, *, delta: float) -> FloatArray:
        """Return everybody's epsilon at ``delta``, shape ``(m,)``.

        Exact, or interpolated where that is slow and there are many people
        (``loss_tables``). Infinite for people whom the fit rests on alone.
        """

    def losses_at(self, people: Influence, precisions: FloatArray, *, delta: float) -> FloatArray:
        """Return everybody's epsilon at each precision, shape ``(points, m)``."""
        laws = [self.at(precision) for precision in precisions.tolist()]
        return np.stack([law.losses(people, delta=delta) for law in laws])

    def loss_by(self, delta: float) -> LossAt | None:
        """Return the epsilon at ``delta`` by leverage and residual, if they decide it.

        The leverage is the move for each unit of residual where the noise has a public
        shape, and ``outside`` for others.
        """
        return None

    def unit_losses(
        self, fit: RidgeFit, codes: NDArray[np.intp], *, delta: float
    ) -> tuple[FloatArray, FloatArray, str]:
        """Return for each row what its unit loses, all of whose rows leave together.

        Epsilon and length of the move by rows, for everybody's unit in ``codes``, and
        what to know of them: empty where they are exact, as for upper bounds otherwise.

        Raises:
            ParameterError: They are not known.

        """
        raise ParameterError(
            "losses of units whose rows are known need noise of a public shape or "
            "posterior samples: choose noise on the coefficients."
        )

    def pair(self, person: Influence) -> PersonLaws:
        """Return the two laws of the release for one person, arrays of shape ``(1,)``.

        Raises:
            DataError: There is no fit without the person.
            ParameterError: They have no closed form.

        """
        raise ParameterError(self.obstacle)

    def unit_pair(self, fit: RidgeFit, codes: NDArray[np.intp], person: int) -> PersonLaws:
        """Return the two laws with all rows of a person's unit, and without them.

        Raises:
            DataError: There is no fit without the unit.
            ParameterError: They have no known form.

        """
        raise ParameterError("the rows of a unit leave together here for posterior samples only.")

    def evidence(self, fit: RidgeFit, person: int, released: FloatArray) -> float:
        """Return ``log Q - log P`` of released coefficients, shape ``(T, d)``.

        ``P`` is the law without the person, ``Q`` that with them.

        Raises:
            DataError: There is no fit without the person.
            ParameterError: The release has no density of this kind.

        """
        raise ParameterError(self.obstacle)

    def variation(self, people: Influence, *, delta: float) -> FloatArray | None:
        """Return the total variation of everybody's two laws, shape ``(m,)``.

        An upper bound where losses at ``delta`` are; ``None`` where it is not known.
        """
        return None

    def added_record_losses(self, fit: Fit, design: Design, *, delta: float) -> tuple[float, float]:
        """Return the largest loss of a newcomer that was found, and a bound on all.

        Of people with records within the bounds of ``design``; 0 and infinity where
        neither is known.
        """
        return 0.0, math.inf

    def causes(self, people: Influence) -> tuple[FloatArray, ...]:
        """Return by what people are exposed, all together and then cause by cause."""
        return (people.move, people.move)

    @abstractmethod
    def error(self, fit: Fit) -> float:
        """Return the mean squared error of the coefficients that the noise adds.

        Raises:
            ParameterError: It depends on what is drawn first.

        """


def together(columns: int, level: float) -> float:
    """Return how many deviations hold ``columns`` normal numbers at once.

    By Šidák's inequality, whatever their correlation.
    """
    each = level ** (1 / columns)
    return float(-ndtri((1 - each) / 2))


def check(number: float, name: str) -> None:
    """Refuse a number outside (0, inf)."""
    if not 0 < number < math.inf:
        raise ParameterError(f"{name} must lie in (0, inf), got {number}.")
