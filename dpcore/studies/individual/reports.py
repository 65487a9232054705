"""Reports of a person's own loss, held against the secret truth.

One objective perturbation of a logistic regression is drawn. Everybody's realized loss
is secret; beside it stand the reports that depend on public numbers, the release and
the person's own record only, and so may be told (Redberg and Wang 2021). A report fails
with a small chance over the draw; how often it really does is simulated.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, field, replace

import numpy as np
from scipy.special import expit

from dpcore.arrays import FloatArray
from dpcore.errors import ParameterError
from dpcore.individual.publishable import AtRelease, NoisyHessian, PerturbedFit, check_failure
from dpcore.models.glm import GlmFit, fit_glm
from dpcore.models.guarantees import CURVATURE
from dpcore.models.loss_functions import Logistic
from dpcore.models.penalty import Penalty
from dpcore.privacy import gaussian

_TAU_MARGIN = 2.02
_LENGTH_ROUNDING = 1e-9


@dataclass(frozen=True, slots=True, kw_only=True)
class Sharper:
    """A noisy Hessian to be released in addition, and what it costs."""

    epsilon: float
    """Its own cost, in (0, inf)."""
    delta: float
    """Its own delta, in (0, 1)."""

    def hessian(self, columns: int) -> NoisyHessian:
        """Return the release with the least noise that costs no more.

        ``sigma = f''/(sqrt(2) mu)`` for rows of length at most 1.
        """
        mu = gaussian.mu_for(self.epsilon, self.delta)
        if not 0 < mu < math.inf:
            raise ParameterError("a noisy Hessian needs a delta in (0, 1).")
        return NoisyHessian(columns=columns, sigma=CURVATURE / (math.sqrt(2) * mu))


@dataclass(frozen=True, slots=True, kw_only=True)
class ReportSettings:
    """What is released, and how surely reports shall hold. Public."""

    epsilon: float = 1.0
    """Guarantee of the fit, in (0, inf)."""
    delta: float = 1e-3
    """The same, in (0, 1)."""
    failure: float = 0.05
    """Chance that a report fails, for a person fixed before, in (0, 1)."""
    sharper: Sharper | None = None
    """A noisy Hessian, or ``None``."""

    def __post_init__(self) -> None:
        check_failure(self.failure)
        _ = self.fit

    @property
    def fit(self) -> PerturbedFit:
        """Return the least noise and penalty of the guarantee."""
        return PerturbedFit.calibrate(epsilon=self.epsilon, delta=self.delta)

    @property
    def cost(self) -> tuple[float, float]:
        """Return epsilon and delta of everything that is released."""
        if self.sharper is None:
            return self.epsilon, self.delta
        more = self.sharper
        return self.epsilon + more.epsilon, self.delta + more.delta


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Reports:
    """Everybody's realized loss from one draw, and what they may be told.

    CONFIDENTIAL, all together: a report may be told to its own person alone.
    """

    truth: FloatArray = field(repr=False)
    """The realized loss, shape ``(n,)``. Secret."""
    free: FloatArray = field(repr=False)
    """The report that costs nothing."""
    published: FloatArray = field(repr=False)
    """The same by the published formula."""
    sharper: FloatArray | None = field(default=None, repr=False)
    """The report that uses a noisy Hessian; ``None`` without one."""

    @property
    def by_name(self) -> dict[str, FloatArray]:
        """Return the reports by name."""
        reports = {"free report": self.free, "as published": self.published}
        if self.sharper is not None:
            reports["with a noisy Hessian"] = self.sharper
        return reports

    def covered(self) -> dict[str, float]:
        """Return which share of the people lost at most each report says."""
        return {name: float((self.truth <= told).mean()) for name, told in self.by_name.items()}


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class ReportStudy:
    """A table, the fit to it, and the settings of its reports. CONFIDENTIAL."""

    settings: ReportSettings
    fit: PerturbedFit
    """The public numbers of the perturbation, with the penalty in use."""
    model: GlmFit = field(repr=False)
    """The fit without perturbation."""
    quantile: float | None = None
    """The norm that noise on the Hessian exceeds with half of the chance of failure;
    ``None`` without one.
    """

    def draws(self, rng: np.random.Generator) -> Iterator[Reports]:
        """Return one simulated release after the other, without end."""
        while True:
            yield self._draw(rng)

    def _draw(self, rng: np.random.Generator) -> Reports:
        x, y = self.model.features, self.model.target
        pull = np.asarray(self.fit.sigma * rng.standard_normal(x.shape[1]))
        eta = x @ self.model.pulled(pull)
        loss = Logistic()
        curvature = loss.curvature(eta, y)
        here = AtRelease(
            fit=self.fit,
            slope=loss.slope(eta, y),
            curvature=curvature,
            length=np.sqrt(np.einsum("ij,ij->i", x, x)),
        )
        hessian = (x.T * curvature) @ x + self.fit.penalty * np.eye(x.shape[1])
        leverage = np.einsum("ij,ij->i", np.linalg.solve(hessian, x.T).T, x)
        failure = self.settings.failure
        reports = Reports(
            truth=here.realized(leverage=leverage, along=x @ pull, member=True),
            free=here.report(failure),
            published=here.published_report(failure),
        )
        if self.settings.sharper is None or self.quantile is None:
            return reports
        noisy = self.settings.sharper.hessian(x.shape[1])
        raised = noisy.leverage(
            x, hessian + noisy.noise(1, rng)[0], penalty=self.fit.penalty, quantile=self.quantile
        )
        told = here.sharper_report(failure / 2, leverage=raised, member=True)
        return replace(reports, sharper=told)


def study(
    x: FloatArray, y: FloatArray, settings: ReportSettings, *, rng: np.random.Generator
) -> ReportStudy:
    """Return the study of a table: rows ``x`` of length at most 1, targets 0 and 1.

    A noisy Hessian needs a large penalty, ``lambda >= 2 tau sigma``, which is then used
    for the fit as well.

    Raises:
        DataError: There is nobody.
        ParameterError: A row is longer than 1, or a target neither 0 nor 1.

    """
    if len(x) and not np.einsum("ij,ij->i", x, x).max() <= 1 + _LENGTH_ROUNDING:
        raise ParameterError("rows must be at most 1 long: divide or clip them.")
    fit, quantile = settings.fit, None
    if settings.sharper is not None:
        quantile = settings.sharper.hessian(x.shape[1]).quantile(settings.failure / 2, rng)
        fit = replace(fit, penalty=max(fit.penalty, _TAU_MARGIN * quantile))
    model = fit_glm(x, y, loss=Logistic(), penalty=Penalty(strength=fit.penalty))
    return ReportStudy(settings=settings, fit=fit, model=model, quantile=quantile)


def simulated_table(
    rng: np.random.Generator, *, people: int = 2_000
) -> tuple[FloatArray, FloatArray]:
    """Return rows of length 1 and targets 0 and 1 that nobody owns."""
    x = rng.standard_normal((people, 5))
    x /= np.linalg.norm(x, axis=1, keepdims=True)
    chance = expit(2 * x[:, 0] - x[:, 1])
    return x, (rng.random(people) < chance).astype(np.float64)
