"""A fitted model: mechanisms, the secure draw, intervals, and units of the columns.

Noise of a public shape is added by OpenDP to ``F theta``, whose shifts have the length
of the norm ``|v|_A = |F v|``; turning the answer back is post-processing. The other
releases turn OpenDP's normal numbers by matrices that come from the table, in floating
point. Their last digits could tell about the matrix, so that the result is rounded to a
public grid that is a million times finer than the noise and far coarser than the errors
of rounding.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Final

import numpy as np

from dpcore.analyses import secure
from dpcore.analyses.base import Mode, Releasable, column_from, columns_from
from dpcore.analyses.measurement import Answer, LabelledIntervals, Width
from dpcore.arrays import FloatArray
from dpcore.codec import NUMBER, TEXT, WHOLE, Part, Schema, optional, several
from dpcore.data.dataset import DescribedTable
from dpcore.data.partitions.table import Table
from dpcore.data.quantities import quantity_of
from dpcore.errors import ClaimError, ParameterError
from dpcore.formatting import in_full, singular_of
from dpcore.inference.intervals import LEVEL
from dpcore.mechanisms.gaussian import Gaussian
from dpcore.mechanisms.mechanism import Sensitivity
from dpcore.models.design import Design
from dpcore.models.guarantees import longest_fit
from dpcore.models.loss_functions import ModelKind
from dpcore.models.metrics import DEMOCRATIC, FISHER, Metric
from dpcore.models.model_mechanisms.adaptive_posterior import AdaptivePosterior
from dpcore.models.model_mechanisms.model_mechanism import Drawn, ModelMechanism, together
from dpcore.models.model_mechanisms.noisy_coefficients import NoisyFit
from dpcore.models.model_mechanisms.perturbed_objective import PerturbedObjective
from dpcore.models.model_mechanisms.posterior_samples import SampledFit
from dpcore.models.question import DESIGN, MODEL, Fit, ModelQuestion
from dpcore.privacy.events import ApproximateEvent, GaussianEvent, PrivacyEvent
from dpcore.privacy_filter import PrivacyCost, computed, typed
from dpcore.relations import PrivacyUnit
from dpcore.statistics.conditions import statement

_FINE: Final = 2.0**-20
IN_UNITS: Final = ", in units"
"""Ends the name of a coefficient in the units of the columns."""
_CONSTANT: Final = f"constant{IN_UNITS}"


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
            return GaussianEvent.from_ratio(self.mu)
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

    def width(self, *, unit: str, group: int) -> Width:  # noqa: ARG002 - a common signature
        """Return the half-width of the worst of all numbers at once, at 95%."""
        widths = self.half_widths
        if widths is None:
            return Width(half=math.inf, of="depends on the table")
        return Width(half=float(widths.max()), of="coefficients on the scale of the model")

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
    return {_CONSTANT: plain.constant} | {f"{term.name}{IN_UNITS}": slope for term, slope in slopes}


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
        f"{term.name}{IN_UNITS}": f"{target} per {singular_of(units[term.name])}"
        if units[term.name]
        else target
        for term in design.terms
        if term.label is not None or units[term.name]
    }
    return {_CONSTANT: of.unit} | per


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelEntry:
    """What is known of a mechanism on models.

    Attributes:
        key: Its name in requests and records.
        label: Its name for people.
        sentence: What it does, in words.
        claim: What it guarantees, and on which ground.
        law: Its law for a request, with any precision.
        models: The models that it can release.
        guaranteed: Those of them for which a guarantee over all tables is known.
        flaw: Why there is none for the others.

    """

    key: str
    label: str
    sentence: str
    claim: str
    law: Callable[[ModelRequest], ModelMechanism]
    models: frozenset[ModelKind]
    guaranteed: frozenset[ModelKind]
    flaw: str = ""


_ALL: Final = frozenset(ModelKind)
_LINEAR: Final = frozenset({ModelKind.LINEAR})
_LOGISTIC: Final = frozenset({ModelKind.LOGISTIC})
_POISSON_FLAW: Final = (
    "one count can change the coefficients of a Poisson regression without limit, so no "
    "noise is enough. Use a linear or Huber regression instead"
)
_SHAPED_FLAW: Final = (
    "the shape of the noise is computed from the data and reveals something about people. No "
    "guarantee is known for this noise. Choose “Posterior sample (OPS)”, which has a proof"
)


def _public(asked: ModelRequest) -> NoisyFit:
    return NoisyFit(gamma=1.0, metric=Metric.fixed(asked.matrix or ()))


def _adaptive(asked: ModelRequest) -> AdaptivePosterior:
    return AdaptivePosterior.of(
        asked.question, epsilon=asked.epsilon, delta=asked.delta, share=asked.share
    )


MODEL_MECHANISMS: Final[dict[str, ModelEntry]] = {
    entry.key: entry
    for entry in (
        ModelEntry(
            key="output",
            label="Noise on the coefficients",
            sentence="Adds the same Gaussian noise to every coefficient.",
            claim=(
                "(ε, δ) by the exact profile of Gaussian noise, for the largest move "
                "that one person can make in any table."
            ),
            law=lambda _: NoisyFit(gamma=1.0),
            models=_ALL,
            guaranteed=_ALL - {ModelKind.POISSON},
            flaw=_POISSON_FLAW,
        ),
        ModelEntry(
            key="output-public",
            label="Noise of a public shape",
            sentence=(
                "Adds Gaussian noise whose precision in each direction is a public "
                "matrix, such as one from earlier data."
            ),
            claim=(
                "(ε, δ) by the exact profile of Gaussian noise, for the largest move "
                "in the norm of that matrix."
            ),
            law=_public,
            models=_ALL,
            guaranteed=_ALL - {ModelKind.POISSON},
            flaw=_POISSON_FLAW,
        ),
        ModelEntry(
            key="posterior",
            label="Posterior sample (OPS)",
            sentence=(
                "Draws the coefficients, once or several times, from the posterior "
                "distribution of a Bayesian model."
            ),
            claim=(
                "(ε, δ) by the exact profile of the worst pair of any leverage and "
                "residual that the bounds allow."
            ),
            law=lambda asked: SampledFit(gamma=1.0, samples=asked.samples),
            models=_LINEAR,
            guaranteed=_LINEAR,
        ),
        ModelEntry(
            key="objective",
            label="Objective perturbation",
            sentence=("Adds a random linear term to what is minimized, and releases the minimum."),
            claim=(
                "(ε, δ) for logistic regression with a penalty of at least 1/(2 ε) "
                "(Kifer, Smith and Thakurta 2012, theorem 2)."
            ),
            law=lambda _: PerturbedObjective(sigma=1.0),
            models=_LINEAR | _LOGISTIC,
            guaranteed=_LOGISTIC,
            flaw=(
                "objective perturbation needs a loss function of bounded slope, and squared "
                "loss has none. Use noise on the coefficients or a posterior sample"
            ),
        ),
        ModelEntry(
            key="adaptive",
            label="Adaptive sample (AdaOPS)",
            sentence=(
                "First releases how well the data determine the coefficients. Then releases "
                "a posterior sample of matching precision, with its own penalty."
            ),
            claim=(
                "(ε, δ): a variant of algorithm 1 of Wang 2019 that keeps its claim, "
                "by exact profiles; the printed constants are reconstructions."
            ),
            law=_adaptive,
            models=_LINEAR,
            guaranteed=_LINEAR,
        ),
        ModelEntry(
            key="output-fisher",
            label="Fisher noise, H",
            sentence=(
                "Adds Gaussian noise that is smaller where the table determines the "
                "coefficients better: A is the Hessian H of the fit."
            ),
            claim="None that is known.",
            law=lambda _: NoisyFit(gamma=1.0, metric=FISHER),
            models=_LINEAR,
            guaranteed=frozenset(),
            flaw=_SHAPED_FLAW,
        ),
        ModelEntry(
            key="output-democratic",
            label="Democratic noise, H²",
            sentence=(
                "Adds Gaussian noise that hides rows of the same length equally well, "
                "wherever they point: A is the square of the Hessian."
            ),
            claim="None that is known.",
            law=lambda _: NoisyFit(gamma=1.0, metric=DEMOCRATIC),
            models=_LINEAR,
            guaranteed=frozenset(),
            flaw=_SHAPED_FLAW,
        ),
    )
}


def offered_for(model: ModelKind) -> dict[str, ModelEntry]:
    """Return the mechanisms that can release a model, those with a guarantee first."""
    fitting = {key: entry for key, entry in MODEL_MECHANISMS.items() if model in entry.models}
    return dict(sorted(fitting.items(), key=lambda item: model not in item[1].guaranteed))


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
                f"epsilon must be in (0, ∞) and delta in (0, 1/2), got ε = {self.epsilon}, δ "
                f"= {self.delta}."
            )
        if self.gamma is not None and not 0 < self.gamma < math.inf:
            raise ParameterError(f"the precision gamma must lie in (0, inf), got {self.gamma}.")
        if self.samples < 1 or (self.samples > 1 and self.mechanism_key != "posterior"):
            raise ParameterError("only a posterior is sampled, at least once.")
        if (self.matrix is not None) is not (self.mechanism_key == "output-public"):
            raise ParameterError("noise of a public shape needs a public matrix, other noise none.")
        if self.matrix is not None and not Metric.fixed(self.matrix).moderate:
            raise ParameterError("public precisions must be between 10⁻¹² and 10¹².")
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
    def title(self) -> str:
        """Return the question in words, and that its coefficients are penalized."""
        return f"penalized {self.question.title}"

    @property
    def statement(self) -> str:
        """Return of what the coefficients are those."""
        conditions = (self._penalized, *self.question.conditions)
        return statement(self.title, conditions, self.question.columns)

    @property
    def _penalized(self) -> str:
        """Return in words what shrinks the coefficients, and what they are not."""
        adaptive = self.mechanism_key == "adaptive"
        strength = "that the first look sets" if adaptive else f"of {self.strength}"
        return (
            f"coefficients shrunk together towards 0 by a penalty {strength}, not those of "
            f"{self.question.model.unpenalized}"
        )

    @property
    def strength(self) -> str:
        """Return the penalty in digits; empty where the first look sets it."""
        return "" if self.mechanism_key == "adaptive" else in_full(self.question.penalty.strength)

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


def model_question_from(
    content: Mapping[str, object], dataset: DescribedTable, unit: PrivacyUnit
) -> ModelQuestion:
    """Return the question about a model that parameters describe, of a table's columns."""
    design = DESIGN.read(
        content,
        target=column_from(content["target"], dataset),
        features=columns_from(content["features"], dataset),
        counts=content["model"] == ModelKind.POISSON,
    )
    asked = MODEL.read(content, unit=unit, design=design)
    # Parameters of earlier versions do not name it: their price did not cover it.
    covered = "covers_excess" in content or not asked.exchanges
    return asked if covered else replace(asked, covers_excess=False)
