"""A model with the mechanism that shall release it, and the price."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from typing import Final

from dpcore.codec import NUMBER, TEXT, WHOLE, Part, Schema, optional, several
from dpcore.data.partitions.table import Table
from dpcore.errors import ParameterError
from dpcore.formatting import in_full
from dpcore.models.loss_functions import ModelKind
from dpcore.models.metrics import Metric
from dpcore.models.model_mechanisms.model_mechanism import ModelMechanism
from dpcore.models.question import Fit, ModelQuestion
from dpcore.privacy_filter import PrivacyCost, computed, typed
from dpcore.releases.models.mechanisms import MODEL_MECHANISMS, ModelEntry, offered_for
from dpcore.releases.models.plan import ModelPlan, slope_units
from dpcore.releases.record import Mode
from dpcore.releases.releasable import Releasable
from dpcore.statistics.conditions import statement


@dataclass(frozen=True, kw_only=True)
class ModelRequest(Releasable):
    """A model with the mechanism that shall release it, and the price. PUBLIC.

    Attributes:
        question: The model.
        mechanism_key: Key of a mechanism that is offered for it.
        epsilon: What the mechanism is calibrated to.
        delta: The same, in (0, 1/2).
        gamma: Precision of the release, one over the variance of its noise in the unit
            that the mechanism has for it. ``None`` to calibrate it to epsilon and
            delta, which needs a guarantee.
        samples: How many posterior samples are drawn.
        matrix: The public matrix ``A`` of noise of a public shape, row by row.
        share: Part of epsilon that an adaptive sample spends on the eigenvalue.

    Raises:
        ParameterError: A parameter lies outside its domain, is missing, or has no use.

    """

    question: ModelQuestion
    mechanism_key: str
    epsilon: float
    delta: float
    draw: int = 1
    gamma: float | None = None
    samples: int = 1
    matrix: tuple[tuple[float, ...], ...] | None = None
    share: float = 0.5

    def __post_init__(self) -> None:
        entries = offered_for(self.question.model)
        if self.mechanism_key not in entries:
            raise ParameterError(
                f"the mechanism for a {self.question.model} regression must be one of "
                f"{', '.join(entries)}."
            )
        if not (0 < self.epsilon < math.inf and 0 < self.delta < 0.5):  # noqa: PLR2004
            raise ParameterError(
                "epsilon must lie in (0, inf) and delta in (0, 1/2), got epsilon "
                f"{self.epsilon} and delta {self.delta}."
            )
        if self.gamma is not None and not 0 < self.gamma < math.inf:
            raise ParameterError(f"the precision gamma must lie in (0, inf), got {self.gamma}.")
        if self.samples < 1 or (self.samples > 1 and self.mechanism_key != "posterior"):
            raise ParameterError("only a posterior is sampled, at least once.")
        if (self.matrix is not None) is not (self.mechanism_key == "output-public"):
            raise ParameterError("noise of a public shape needs a public matrix, other noise none.")
        if self.matrix is not None and not Metric.fixed(self.matrix).moderate:
            raise ParameterError("public precisions must lie between 1e-12 and 1e12.")
        _ = self.law

    @property
    def entry(self) -> ModelEntry:
        """Return what the catalog says about the mechanism."""
        return MODEL_MECHANISMS[self.mechanism_key]

    @property
    def asked(self) -> ModelQuestion:
        """Return the model."""
        return self.question

    @property
    def statement(self) -> str:
        """Return of what the coefficients are those."""
        conditions = (self._penalized, *self.question.conditions)
        return statement(self.title, conditions, self.question.columns)

    @property
    def _penalized(self) -> str:
        """Return in words what pulls the coefficients towards 0."""
        if self.mechanism_key == "adaptive":
            return "coefficients pulled towards 0 by a penalty that the first look sets"
        strength = in_full(self.question.penalty.strength)
        return f"coefficients pulled towards 0 by a penalty of {strength}"

    @property
    def units(self) -> dict[str, str]:
        """Return the units of coefficients in units of the columns, by name."""
        question = self.question
        numbers = question.model in {ModelKind.LINEAR, ModelKind.HUBER}
        return slope_units(question.design) if numbers else {}

    @property
    def mechanism_label(self) -> str:
        """Return the name of the mechanism."""
        return self.entry.label

    @cached_property
    def law(self) -> ModelMechanism:
        """Return the law of the release, given the fit.

        Raises:
            ParameterError: It can be calibrated to no guarantee, and has no ``gamma``.

        """
        law = self.entry.law(self)
        if self.gamma is not None:
            return law if law.precision is None else law.at(self.gamma)
        known = None
        if self.question.model in self.entry.guaranteed:
            known = law.calibrated(self.question, epsilon=self.epsilon, delta=self.delta)
        if known is None:
            raise ParameterError(
                "this release cannot be calibrated to a guarantee: "
                f"{self._obstacle()}. Or set its precision yourself, to study it."
            )
        return known

    @cached_property
    def guarantee(self) -> float:
        """Return the epsilon at ``delta`` over all tables; infinite if unknown."""
        if self.question.model not in self.entry.guaranteed:
            return math.inf
        return self.law.guarantee(
            self.question, delta=self.delta, asked=self.epsilon, calibrated=self.gamma is None
        )

    @property
    def rho(self) -> float:
        """Return the zCDP level over all tables; infinite if none is known."""
        return self._mu**2 / 2

    @property
    def cost(self) -> PrivacyCost:
        """Return what the answer costs, rounded up; infinite without a guarantee."""
        real = self.guarantee
        holds = real <= self.epsilon * (1 + 1e-9) and self.gamma is None
        return PrivacyCost(
            epsilon=typed(self.epsilon) if holds else computed(real),
            delta=typed(self.delta),
            rho=computed(self.rho),
        )

    @cached_property
    def plan(self) -> ModelPlan:
        """Return how the request is carried out."""
        return ModelPlan(
            question=self.question,
            law=self.law,
            mu=self._mu,
            epsilon=self.guarantee,
            delta=self.delta,
        )

    def refusal(self, mode: Mode) -> str | None:
        """Return why it cannot be released in a mode and what to do; None if it can."""
        if not self.question.covers_excess:
            return (
                "This regression was planned in an earlier version. Its price does "
                "not cover a table with more rows than the public maximum. Plan it "
                "again: it is a new question."
            )
        if math.isfinite(self.guarantee):
            return None
        where = (
            "It can be studied in Classroom mode"
            if mode is Mode.RELEASE
            else "A classroom draw is simulated below"
        )
        return f"This release guarantees nothing: {self._obstacle()}. {where}."

    def parameters(self) -> dict[str, object]:
        """Return the public parameters that define the analysis, ready for JSON."""
        return {
            "kind": "model",
            "question": self.question.parameters(),
            **MODEL_REQUEST.write(self),
        }

    def value(self, dataset: Table) -> Fit:
        """Return the fitted model. CONFIDENTIAL.

        Raises:
            DataError: It cannot be fitted to this table.

        """
        return self.question.fit(dataset)

    @property
    def _mu(self) -> float:
        """Return the parameter of the Gaussian mechanism over all tables."""
        if self.question.model not in self.entry.guaranteed:
            return math.inf
        return self.law.mu(self.question)

    def _obstacle(self) -> str:
        """Return, as a part of a sentence, why there is no guarantee."""
        question = self.question
        if question.model not in self.entry.guaranteed:
            return self.entry.flaw
        if question.penalty.constant == 0:
            return "every coefficient needs a public penalty of the sum of losses"
        return self.entry.law(self).shortfall(question, self.epsilon)


MODEL_REQUEST: Final = Schema(
    ModelRequest,
    mechanism=Part(codec=TEXT, argument="mechanism_key"),
    epsilon=NUMBER,
    delta=NUMBER,
    gamma=optional(NUMBER),
    samples=WHOLE,
    matrix=optional(several(several(NUMBER))),
    share=Part(
        codec=optional(NUMBER),
        of=lambda asked: asked.share if asked.mechanism_key == "adaptive" else None,
    ),
)
