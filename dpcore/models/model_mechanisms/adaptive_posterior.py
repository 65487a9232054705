"""A posterior sample that adapts to the table: AdaOPS, made to keep its claim.

Wang 2019 (algorithm 1) releases the smallest eigenvalue of ``X'X`` first, and then
samples the posterior as precisely as that eigenvalue allows. The printed constants
could not be recovered, and those of the author's program claim too much
(see ``sample_delta``). This variant spends a third of delta on each of
three events:

1. The smallest eigenvalue changes by at most ``B_x^2`` between neighboring tables
   (Weyl); it is released with Gaussian noise, (epsilon_1, delta/3)-DP.
2. What is released, less a quantile of the noise, less ``B_x^2``, bounds the eigenvalue
   of BOTH neighboring tables from below, except with chance delta/3.
3. Given that bound, the largest leverage and residual of anybody in either table are
   known, and gamma is the largest for which the worst such pair is (epsilon_2,
   delta/3)-DP by its exact profile (``guarantees``, the corner with proof).

The neighbors are those of adding or removing one person; the number of people in the
larger table is public.

For comparison only, the constants of the program that goes with Wang 2018 ("Revisiting
differentially private linear regression"), with features of length at most 1: tail bounds
in place of exact profiles, each of whose three steps claims (epsilon/4 or epsilon/2,
delta/3).
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field, replace
from typing import ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import ndtri

from dpcore.arrays import FloatArray
from dpcore.errors import ParameterError
from dpcore.mechanisms.search import first_where
from dpcore.models import guarantees, leverage_and_residual
from dpcore.models.factor import row_blocks
from dpcore.models.guarantees import RecordBounds, covering_residual, gamma_for
from dpcore.models.influence import Influence
from dpcore.models.model_mechanisms.model_mechanism import Drawn, ModelMechanism, Source
from dpcore.models.model_mechanisms.posterior_samples import LINEAR_ONLY, SampledFit
from dpcore.models.penalty import Penalty
from dpcore.models.question import Fit, ModelQuestion
from dpcore.models.ridge import RidgeFit, fit_ridge
from dpcore.privacy import gaussian
from dpcore.privacy_filter import PrivacyCost, computed

_PENALTIES = 161
_WIDEST = 12.0  # powers of ten that the penalties tried span


@dataclass(frozen=True, slots=True, kw_only=True)
class Tuning:
    """What follows from the released bound. Public."""

    floor: float
    """The bound: least eigenvalue of ``X'X`` of the table and its neighbors."""
    penalty: float
    """``lambda`` of the regression."""
    gamma: float
    """Precision of the sample."""
    leverage: float
    """Largest leverage of anybody."""
    residual: float
    """Largest residual of anybody."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class AdaptiveSample:
    """What is released: the tuning and the sampled coefficients."""

    tuning: Tuning
    theta: FloatArray = field(repr=False)


class _InTwoSteps(ModelMechanism):
    """What cannot be asked of a law whose precision is drawn, too."""

    __slots__ = ()

    precision: ClassVar[None] = None
    obstacle: ClassVar[str] = (
        "An adaptive sample is released in two steps, whose laws together have no "
        "closed form. Choose a posterior sample to look at one person."
    )

    def at(self, precision: float) -> Self:
        """Refuse: the precision is drawn."""
        raise ParameterError(self.obstacle)

    def transformed(self, fit: Fit, normal: FloatArray) -> FloatArray:
        """Refuse: the eigenvalue is drawn before."""
        raise ParameterError(self.obstacle)

    def error(self, fit: Fit) -> float:
        """Refuse: it depends on the eigenvalue that is drawn."""
        raise ParameterError(self.obstacle)


@dataclass(frozen=True, slots=True, kw_only=True)
class AdaptivePosterior(_InTwoSteps):
    """The mechanism; all its attributes are public."""

    epsilon: float
    """Level of the guarantee, in (0, inf)."""
    delta: float
    """In (0, 1/2)."""
    people: int
    """Number of people in the larger of two neighboring tables."""
    columns: int
    bounds: RecordBounds = field(default_factory=RecordBounds)
    """Bounds of every record; records outside are to be clipped."""
    share: float = 0.5
    """Part of epsilon spent on the eigenvalue, in (0, 1)."""
    length: float = 1.0
    """How long the coefficients are expected to be, in (0, inf): weighs shrinkage
    against noise, and has no bearing on privacy.
    """

    def __post_init__(self) -> None:
        if not (0 < self.epsilon < math.inf and 0 < self.delta < 0.5):  # noqa: PLR2004 - beyond, quantiles change sign
            raise ParameterError(
                f"epsilon must be in (0, ∞) and delta in (0, 1/2), got ε = {self.epsilon}, δ "
                f"= {self.delta}."
            )
        if not (0 < self.share < 1 and 0 < self.length < math.inf):
            raise ParameterError("the share must be in (0, 1) and the length in (0, inf).")
        if self.people < 1 or self.columns < 1:
            raise ParameterError("there must be at least one person and one coefficient.")

    @property
    def epsilons(self) -> tuple[float, float]:
        """Return the levels of the eigenvalue and of the sample; their sum is epsilon.

        Rounded so that the sum does not exceed it.
        """
        first = self.share * self.epsilon
        return first, math.nextafter(self.epsilon - first, 0)

    @property
    def event_delta(self) -> float:
        """Return the part of delta that each of the three events may use."""
        return math.nextafter(self.delta / 3, 0)

    @property
    def noise(self) -> float:
        """Return the standard deviation of the noise of the eigenvalue."""
        mu = gaussian.mu_for(self.epsilons[0], self.event_delta)
        return self.bounds.features**2 / mu

    @classmethod
    def of(cls, question: ModelQuestion, *, epsilon: float, delta: float, share: float) -> Self:
        """Return the mechanism with this guarantee."""
        each, left = guarantees.per_move(epsilon, delta, question.moves)
        return cls(
            epsilon=each,
            delta=left,
            people=question.most_people,
            columns=len(question.labels),
            bounds=guarantees.BOUNDS,
            share=share,
        )

    def labels(self, names: tuple[str, ...]) -> tuple[str, ...]:
        """Return the names of all numbers, the eigenvalue first."""
        return ("smallest eigenvalue", *names)

    def draw(self, fit: Fit, source: Source, question: ModelQuestion, *, level: float) -> Drawn:
        """Release the eigenvalue, and then the sample that it allows."""
        if not fit.linear:
            raise ParameterError(LINEAR_ONLY)
        released = float(
            source.added(
                np.array([_smallest(fit.gram)]),
                noise=self.noise,
                reach=1.0,
                cost=PrivacyCost(rho=computed(self.noise**-2 / 2)),
            )[0]
        )
        normal = source.normal(1, self.columns)
        tuning = self.tune(self.floor(released))
        tuned = fit.with_penalty(Penalty(strength=tuning.penalty))
        sample = SampledFit(gamma=tuning.gamma)
        least = sample.deviation(tuning.penalty + self.people)
        return Drawn(
            theta=source.gridded(sample.transformed(tuned, normal), least),
            widths=sample.half_widths(
                self.columns, strength=tuning.floor + tuning.penalty, level=level
            ),
            first=(released,),
            chosen={
                "chosen penalty": tuning.penalty,
                "chosen precision": tuning.gamma,
                "eigenvalue at least": tuning.floor,
            },
        )

    def linear(self, fit: RidgeFit) -> TypicalSample:
        """Return the release for the eigenvalue as it is, without noise."""
        return fit.keep("typical", self, lambda: self._typical(fit))

    def losses(self, people: Influence, *, delta: float) -> FloatArray:
        """Refuse: they depend on the eigenvalue, see ``linear``."""
        raise ParameterError(self.obstacle)

    def simulations(self, fit: Fit, *, rng: np.random.Generator, draws: int = 1) -> FloatArray:
        """Return simulated coefficients, shape ``(draws, d)``."""
        if not fit.linear:
            raise ParameterError(LINEAR_ONLY)
        x, y = fit.features, fit.target
        return np.array([self.simulate(x, y, rng=rng).theta for _ in range(draws)])

    def _typical(self, fit: RidgeFit) -> TypicalSample:
        gram = fit.gram
        tuning = self.tune(self.floor(_smallest(gram)))
        tuned = fit.with_penalty(Penalty(strength=tuning.penalty))
        return TypicalSample(law=self, gamma=tuning.gamma, gram=gram, tuned=tuned)

    def floor(self, released: float) -> float:
        """Return the bound that a released eigenvalue gives, at least 0."""
        tail = -float(ndtri(self.event_delta))
        return max(released - self.noise * tail - self.bounds.features**2, 0.0)

    def tune(self, floor: float) -> Tuning:
        """Return penalty and gamma for a bound: a function of public numbers only.

        Of all penalties tried, the one with the least ``d/(2 gamma) + lambda
        length^2/2``: the mean optimization error of the sample plus what the penalty
        adds to the objective at the expected coefficients.

        Raises:
            ParameterError: The bound is not in [0, inf), or no penalty tried is enough
                for the level asked for.

        """
        if not 0 <= floor < math.inf:
            raise ParameterError(f"the bound of the eigenvalue must be in [0, inf), got {floor}.")
        unit = self.bounds.features**2
        penalties = unit * np.geomspace(10 ** (-_WIDEST / 2), 10**_WIDEST, _PENALTIES)
        leverages = unit / (floor + penalties)
        residuals = self.largest_residual(floor, penalties)
        gammas = gamma_for(
            epsilon=self.epsilons[1],
            delta=self.event_delta,
            leverage=leverages,
            residual=covering_residual(leverages, residuals),
        )
        possible = gammas > 0
        if not possible.any():
            raise ParameterError(
                "no penalty makes a sample this private: raise epsilon or delta, or "
                "lower the share of the eigenvalue."
            )
        error = self.columns / (2 * np.where(possible, gammas, 1.0))
        cost = np.where(possible, error + penalties * self.length**2 / 2, np.inf)
        best = int(np.argmin(cost))
        return Tuning(
            floor=floor,
            penalty=float(penalties[best]),
            gamma=float(gammas[best]),
            leverage=float(leverages[best]),
            residual=float(residuals[best]),
        )

    def largest_residual(self, floor: float, penalty: ArrayLike) -> FloatArray:
        """Return ``B_y + B_x sqrt(n) B_y max s/(s^2 + lambda)`` over ``s^2 >= floor``.

        The maximum is ``1/(2 sqrt(lambda))`` if ``floor <= lambda``, and at the floor
        otherwise (Wang 2019, lemma 18, sharpened).
        """
        penalty = np.asarray(penalty, dtype=np.float64)
        square = np.maximum(floor, penalty)
        slope = np.sqrt(square) / (square + penalty)
        length = math.sqrt(self.people) * self.bounds.target * slope
        return np.asarray(self.bounds.target + self.bounds.features * length)

    def simulate(self, x: ArrayLike, y: ArrayLike, *, rng: np.random.Generator) -> AdaptiveSample:
        """Return a simulated release for features ``(n, d)`` and targets ``(n,)``.

        Raises:
            ParameterError: The shapes do not fit, there are more people than public,
                or a record is not finite or outside the bounds.

        """
        x, y = np.asarray(x, dtype=np.float64), np.asarray(y, dtype=np.float64)
        self._check(x, y)
        released = _smallest(x.T @ x) + self.noise * float(rng.standard_normal())
        tuning = self.tune(self.floor(released))
        fit = fit_ridge(x, y, penalty=Penalty(strength=tuning.penalty))
        sample = SampledFit(gamma=tuning.gamma).simulations(fit, rng=rng)
        return AdaptiveSample(tuning=tuning, theta=sample[0])

    def _check(self, x: FloatArray, y: FloatArray) -> None:
        if x.shape != (len(y), self.columns) or len(y) > self.people:
            raise ParameterError(
                f"features need {self.columns} columns and a target for each person, "
                f"of at most {self.people}."
            )
        slack = 1 + 1e-12
        lengths = np.sqrt(np.einsum("ij,ij->i", x, x))
        within = np.all(lengths <= slack * self.bounds.features)
        if not (within and np.all(np.abs(y) <= slack * self.bounds.target)):
            raise ParameterError("a record is missing or outside the bounds: clip records first.")


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class TypicalSample(_InTwoSteps):
    """What an adaptive sample releases where the eigenvalue is drawn as it is.

    CONFIDENTIAL. The eigenvalue and the sample have half of delta each, and their
    losses are added up.
    """

    law: AdaptivePosterior
    gamma: float = field(repr=False)
    """Precision of the sample."""
    gram: FloatArray = field(repr=False)
    """``X'X``."""
    tuned: RidgeFit = field(repr=False)
    """The fit with the penalty that the eigenvalue allows."""
    note: ClassVar[str] = (
        "for the exact eigenvalue; the loss of a release depends on the drawn eigenvalue, "
        "and both parts are added"
    )

    @property
    def noise(self) -> float:
        """Return the standard deviation of the noise of the eigenvalue."""
        return self.law.noise

    def seen_with(self, x: FloatArray, y: FloatArray) -> TypicalSample:
        """Return the release for a fit that has but some rows and targets."""
        return replace(self, tuned=self.tuned.seen_with(x, y))

    def linear_influence(
        self, fit: RidgeFit, *, rows: int = 1, people: NDArray[np.intp] | None = None
    ) -> Influence:
        """Return what people are to the fit with the penalty that is chosen."""
        if fit.penalty.per_person:
            return ModelMechanism.linear_influence(self, fit)
        sample = SampledFit(gamma=self.gamma)
        return sample.linear_influence(self.tuned, rows=rows, people=people)

    def losses(self, people: Influence, *, delta: float) -> FloatArray:
        """Return the losses of everybody by the eigenvalue and by the sample."""
        sample = SampledFit(gamma=self.gamma).losses(people, delta=delta / 2)
        moved = smallest_eigenvalue_moves(self.gram, math.sqrt(people.rows) * self.tuned.features)
        return sample + gaussian.epsilon_of(moved / self.noise, delta / 2)


def smallest_eigenvalue_moves(gram: FloatArray, x: FloatArray) -> FloatArray:
    """Return ``lambda_min(G) - lambda_min(G - x x')`` for each row, shape ``(n,)``.

    With the eigenvalues ``l_j`` of ``G`` and the squares ``c_j`` of the entries of
    ``x`` along its eigenvectors, the smallest eigenvalue without the person is the root
    below ``l_1`` of the secular equation ``sum c_j/(l_j - t) = 1``, which lies between
    ``l_1 - |x|^2`` and ``l_1``. Rounded up.

    >>> smallest_eigenvalue_moves(np.diag([2.0, 5.0]), np.array([[1.0, 0.0]])).round(9)
    array([1.])
    """
    values, vectors = np.linalg.eigh(gram)
    gaps = values - values[0]
    moves = np.empty(len(x))
    for rows in row_blocks(*x.shape):
        moves[rows] = _secular_roots(gaps, (x[rows] @ vectors) ** 2)
    return moves


def _secular_roots(gaps: FloatArray, squares: FloatArray) -> FloatArray:
    """Return how far ``t`` lies below ``l_1``, shape ``(m,)``; ``gaps`` are from it."""

    def passed(fall: FloatArray) -> NDArray[np.bool_]:
        with np.errstate(divide="ignore", invalid="ignore"):
            parts = squares / (gaps + fall[:, np.newaxis])
        # The sum is above 1 until the root is passed.
        return np.asarray(np.where(np.isnan(parts), 0.0, parts).sum(axis=1) <= 1)

    return first_where(passed, np.zeros(len(squares)), squares.sum(axis=1))


def _smallest(gram: FloatArray) -> float:
    return max(float(np.linalg.eigvalsh(gram)[0]), 0.0)


def eigenvalue_noise(epsilon: float, delta: float) -> float:
    """Return the standard deviation ``sqrt(log(6/delta))/(epsilon/4)``."""
    return 4 * math.sqrt(math.log(6 / delta)) / epsilon


def eigenvalue_delta(epsilon: float, delta: float) -> float:
    """Return the exact delta at ``epsilon/4``, where ``delta/3`` is claimed.

    >>> [f"{eigenvalue_delta(epsilon, 1e-6):.1e}" for epsilon in (1, 4, 10)]
    ['6.4e-07', '3.7e-06', '1.9e-05']
    """
    mu = 1 / eigenvalue_noise(epsilon, delta)
    return float(gaussian.delta_of(mu, epsilon / 4))


def gamma(epsilon: float, delta: float, *, floor: float, residual: float) -> float:
    """Return gamma, the squared root ``g`` of a quadratic in the author's program.

    ``L^2/(2(h + 1)) g^2 + L sqrt(log(6/delta)/h) g + (1 + log(6/delta))/(2h) =
    epsilon/2``, with ``h`` the floor of the eigenvalues of ``X'X + lambda I`` and ``L``
    the largest residual; 0 where there is none.
    """
    log_odds = math.log(6 / delta)
    square = residual**2 / (2 * (floor + 1))
    linear = residual * math.sqrt(log_odds / floor)
    left = epsilon / 2 - (1 + log_odds) / (2 * floor)
    if left <= 0:
        return 0.0
    return (2 * left / (linear + math.sqrt(linear**2 + 4 * square * left))) ** 2


def sample_delta(epsilon: float, delta: float, *, floor: float, residual: float) -> float:
    """Return the exact delta of that sample at ``epsilon/2``; ``delta/3`` is claimed.

    Raises:
        ParameterError: The floor is too low for any sample.

    """
    precision = gamma(epsilon, delta, floor=floor, residual=residual)
    if precision == 0:
        raise ParameterError("no sample is drawn at so low a floor: raise lambda.")
    scaled = residual * math.sqrt(precision)
    return float(leverage_and_residual.delta_of(1 / floor, scaled, epsilon / 2))
