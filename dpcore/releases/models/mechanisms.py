"""The mechanisms that can release a fitted model, and what each claims. PUBLIC."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from dpcore.models.loss_functions import ModelKind
from dpcore.models.metrics import DEMOCRATIC, FISHER, Metric
from dpcore.models.model_mechanisms.adaptive_posterior import AdaptivePosterior
from dpcore.models.model_mechanisms.model_mechanism import ModelMechanism
from dpcore.models.model_mechanisms.noisy_coefficients import NoisyFit
from dpcore.models.model_mechanisms.perturbed_objective import PerturbedObjective
from dpcore.models.model_mechanisms.posterior_samples import SampledFit

if TYPE_CHECKING:
    from dpcore.releases.models.request import ModelRequest


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
    "one count can move the coefficients of a Poisson regression by any amount, so "
    "that no noise covers all tables; model the count with a linear or a Huber "
    "regression instead"
)
_SHAPED_FLAW: Final = (
    "the shape of the noise is itself read from the table, so that seeing the noise "
    "tells about people, and no bound over all tables is known for this noise; choose "
    "“Posterior sample (OPS)”, whose noise takes its shape from the table, too, but "
    "has a proof that counts it"
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
                "the guarantee of objective perturbation needs losses of bounded "
                "slope, and squared losses have none; use noise on the coefficients or "
                "a posterior sample"
            ),
        ),
        ModelEntry(
            key="adaptive",
            label="Adaptive sample (AdaOPS)",
            sentence=(
                "Releases first how well the table determines the coefficients, and "
                "then a posterior sample as precise as that allows, with a penalty of "
                "its own choice."
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
