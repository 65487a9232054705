"""A model with the mechanism that shall release it, and the price."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from dpcore.budget import PrivacyCost, computed, typed
from dpcore.errors import ParameterError
from dpcore.models.adaptive_posterior import AdaptivePosterior
from dpcore.models.metrics import DEMOCRATIC, FISHER, ISOTROPIC, Metric
from dpcore.models.release_laws import NoisyFit, PerturbedObjective, SampledFit
from dpcore.privacy import gaussian
from dpcore.releases import model_guarantees as guarantees
from dpcore.releases.identity import analysis_id
from dpcore.releases.model_mechanisms import MODEL_MECHANISMS, offered_for
from dpcore.releases.model_plan import ModelPlan
from dpcore.releases.record import Mode

if TYPE_CHECKING:
    from dpcore.data.dataset import Dataset
    from dpcore.models.glm import GlmFit
    from dpcore.models.release_laws import Law
    from dpcore.models.ridge import RidgeFit
    from dpcore.relations import NeighboringRelation, PrivacyUnit
    from dpcore.releases.model_mechanisms import ModelEntry
    from dpcore.releases.model_question import ModelQuestion

_SHAPED = {"output-fisher": FISHER, "output-democratic": DEMOCRATIC}


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelRequest:
    """A model with the mechanism that shall release it, and the price. PUBLIC.

    Attributes:
        question: The model.
        mechanism_key: Key of a mechanism that is offered for it.
        epsilon: What the mechanism is calibrated to.
        delta: The same, in (0, 1/2).
        draw: The how-manieth answer to this question is asked for, from 1.
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
            message = (
                f"the mechanism for a {self.question.model} regression must be one of "
                f"{', '.join(entries)}."
            )
            raise ParameterError(message)
        if not (0 < self.epsilon < math.inf and 0 < self.delta < 0.5):  # noqa: PLR2004
            message = (
                "epsilon must lie in (0, inf) and delta in (0, 1/2), "
                f"got epsilon {self.epsilon} and delta {self.delta}."
            )
            raise ParameterError(message)
        if self.gamma is not None and not 0 < self.gamma < math.inf:
            message = f"the precision gamma must lie in (0, inf), got {self.gamma}."
            raise ParameterError(message)
        if self.samples < 1 or (self.samples > 1 and self.mechanism_key != "posterior"):
            message = "only a posterior is sampled, at least once."
            raise ParameterError(message)
        if (self.matrix is not None) is not (self.mechanism_key == "output-public"):
            message = "noise of a public shape needs a public matrix, other noise none."
            raise ParameterError(message)
        if self.matrix is not None and not self.metric.moderate:
            message = "public precisions must lie between 1e-12 and 1e12."
            raise ParameterError(message)
        _ = self.law

    @property
    def entry(self) -> ModelEntry:
        """Return what the catalog says about the mechanism."""
        return MODEL_MECHANISMS[self.mechanism_key]

    @property
    def title(self) -> str:
        """Return the question in words."""
        return self.question.title

    @property
    def unit_text(self) -> str:
        """Return nothing: coefficients have a unit each."""
        return ""

    @property
    def relation(self) -> NeighboringRelation:
        """Return which tables are neighbors."""
        return self.question.relation

    @property
    def unit(self) -> PrivacyUnit:
        """Return whom the guarantee protects."""
        return self.question.unit

    @property
    def mechanism_label(self) -> str:
        """Return the name of the mechanism."""
        return self.entry.label

    @property
    def metric(self) -> Metric:
        """Return the norm that the noise of output perturbation hides."""
        if self.matrix is not None:
            return Metric.fixed(np.array(self.matrix))
        return _SHAPED.get(self.mechanism_key, ISOTROPIC)

    @property
    def law(self) -> Law:
        """Return the law of the release, given the fit.

        Raises:
            ParameterError: It can be calibrated to no guarantee, and has no ``gamma``.

        """
        if self.mechanism_key == "adaptive":
            each, left = guarantees.per_move(
                self.epsilon, self.delta, self.question.moves
            )
            return AdaptivePosterior(
                epsilon=each,
                delta=left,
                people=self.question.most_people,
                columns=len(self.question.labels),
                bounds=guarantees.BOUNDS,
                share=self.share,
            )
        gamma = self._calibrated() if self.gamma is None else self.gamma
        if not 0 < gamma < math.inf:
            message = (
                "this release cannot be calibrated to a guarantee: "
                f"{self._obstacle()}. Or set its precision yourself, to study it."
            )
            raise ParameterError(message)
        if self.mechanism_key == "posterior":
            return SampledFit(gamma=gamma, samples=self.samples)
        if self.mechanism_key == "objective":
            return PerturbedObjective(sigma=1 / math.sqrt(gamma))
        return NoisyFit(gamma=gamma, metric=self.metric)

    @property
    def guarantee(self) -> float:
        """Return the epsilon at ``delta`` over all tables; infinite if unknown."""
        if self.question.model not in self.entry.guaranteed:
            return math.inf
        law = self.law
        if isinstance(law, NoisyFit):
            return float(gaussian.epsilon_of(self._mu(law), self.delta))
        if isinstance(law, PerturbedObjective):
            return self.epsilon if self._perturbed_enough(law) else math.inf
        if isinstance(law, SampledFit) and self.gamma is not None:
            return guarantees.posterior_epsilon(
                self.question, gamma=law.gamma, samples=law.samples, delta=self.delta
            )
        return self.epsilon

    @property
    def rho(self) -> float:
        """Return the zCDP level over all tables; infinite if none is known."""
        law = self.law
        if not isinstance(law, NoisyFit):
            return math.inf
        return self._mu(law) ** 2 / 2

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

    @property
    def plan(self) -> ModelPlan:
        """Return how the request is carried out."""
        law = self.law
        mu = self._mu(law) if isinstance(law, NoisyFit) else math.inf
        return ModelPlan(
            question=self.question,
            law=law,
            mu=mu,
            epsilon=self.guarantee,
            delta=self.delta,
        )

    def refusal(self, mode: Mode) -> str | None:
        """Return why it cannot be released in a mode and what to do; None if it can."""
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
            "mechanism": self.mechanism_key,
            "epsilon": float(self.epsilon),
            "delta": float(self.delta),
            "gamma": None if self.gamma is None else float(self.gamma),
            "samples": self.samples,
            "matrix": self.matrix and [[float(a) for a in row] for row in self.matrix],
            "share": float(self.share) if self.mechanism_key == "adaptive" else None,
        }

    def analysis(self, fingerprint: str) -> str:
        """Return the name of the analysis of this table, the same for every draw."""
        return analysis_id(fingerprint, self.parameters())

    def value(self, dataset: Dataset) -> RidgeFit | GlmFit:
        """Return the fitted model. CONFIDENTIAL.

        Raises:
            DataError: It cannot be fitted to this table.

        """
        return self.question.fit(dataset)

    def _calibrated(self) -> float:
        """Return the precision that epsilon and delta allow, 0 if none is known."""
        question, budget = self.question, {"epsilon": self.epsilon, "delta": self.delta}
        if question.model not in self.entry.guaranteed:
            return 0.0
        if self.mechanism_key == "posterior":
            return guarantees.posterior_gamma(question, samples=self.samples, **budget)
        if self.mechanism_key == "objective":
            return guarantees.objective_sigma(question, **budget) ** -2
        shift = guarantees.worst_shift(question, self.metric)
        if math.isinf(shift):
            return 0.0
        return guarantees.gaussian_gamma(shift, **budget)

    def _mu(self, law: NoisyFit) -> float:
        """Return the parameter of the Gaussian mechanism over all tables."""
        if self.question.model not in self.entry.guaranteed:
            return math.inf
        return math.sqrt(law.gamma) * guarantees.worst_shift(self.question, law.metric)

    def _perturbed_enough(self, law: PerturbedObjective) -> bool:
        """Tell whether noise and penalty are those of the guarantee."""
        question = self.question
        noise = guarantees.objective_sigma(
            question, epsilon=self.epsilon, delta=self.delta
        )
        least = guarantees.objective_penalty(question, epsilon=self.epsilon)
        strength = guarantees.strength_of(question)
        return law.sigma >= noise * (1 - 1e-12) and strength >= least

    def _obstacle(self) -> str:
        """Return, as a part of a sentence, why there is no guarantee."""
        question, key = self.question, self.mechanism_key
        if question.model not in self.entry.guaranteed:
            return self.entry.flaw
        if question.penalty.per_person or question.penalty.convexity(1) == 0:
            return "every coefficient needs a public penalty of the sum of losses"
        if key == "objective":
            least = guarantees.objective_penalty(question, epsilon=self.epsilon)
            return (
                f"the penalty must be at least {least:.4g} and the noise that of the "
                "theorem for this epsilon; raise the penalty, or leave the noise to it"
            )
        return "the penalty is too small for this epsilon and delta; raise the penalty"
