"""Study 1: a covariance matrix of two variables, sanitized many times.

Liu 2016, section 4.1: one and the same matrix is sanitized many times, for several
correlations and numbers of people. The numbers of the original design were lost with
its formulas; the defaults here are reconstructed.

For the means: the variances' laws are closed forms, and so is the mean of a covariance
on a given range. Averaging the latter over the former takes a double integral, done by
Gauss and Legendre's rule on pieces over which the integrand is smooth. Integrating over
the standard deviations, ``v = s^2``, makes the range ``s_1 s_2``.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import lru_cache
from typing import Final

import numpy as np
import pandas as pd
from scipy.special import ndtr, ndtri

from dpcore.arrays import FloatArray
from dpcore.errors import ParameterError
from dpcore.formatting import in_full
from dpcore.mechanisms import laplace_law as law
from dpcore.mechanisms.bounded import Bounding, draw
from dpcore.mechanisms.catalog import CATALOG
from dpcore.mechanisms.covariances import (
    CovarianceRelease,
    correlations_of,
    largest_variance,
    least_private_scales,
    matrix_of,
    vector_of,
)
from dpcore.mechanisms.mechanism import Mechanism
from dpcore.postprocessing.psd_repair import Repaired, repair

LABELS: Final = {
    "v1": "first variance",
    "v2": "second variance",
    "cov": "covariance",
    "r": "correlation",
}
STATISTICS: Final = tuple(LABELS)
"""The two variances, their covariance, and the correlation computed from them."""
COMPARED: Final = ("truncated-published", "bit", "truncated")
"""Keys of the mechanisms that keep a covariance matrix within its bounds."""
_MOST_ENTRIES = 12
_FEWEST_REPETITIONS = 2
_MOST_REPETITIONS = 200_000


class Degenerate(StrEnum):
    """What a release counts as whose correlation is not defined (a variance is 0)."""

    ZERO = "count as 0"
    """Covariance and correlation are 0."""
    DROP = "leave out"
    """The release counts for the two variances only."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CovarianceDesign:
    """Everything that Study 1 depends on.

    Raises:
        ParameterError: One of these lies outside its domain.

    """

    deviations: tuple[float, float] = (1.0, 2.0)
    """Standard deviations of the two variables."""
    half_widths: tuple[float, float] = (4.0, 8.0)
    """The public bounds are ``+-`` these."""
    correlations: tuple[float, ...] = (0.0, -0.5, 0.9)
    """Correlations of the confidential matrix."""
    people: tuple[int, ...] = (50, 100, 200, 400, 800)
    """Numbers of people."""
    epsilon: float = 1.0
    """Nominal budget of the whole matrix."""
    weights: tuple[float, float, float] = (1.0, 1.0, 1.0)
    """Its split over first variance, second variance and covariance."""
    repetitions: int = 500
    """How often each matrix is sanitized."""
    keys: tuple[str, ...] = COMPARED
    """The mechanisms compared, of ``COMPARED``."""
    degenerate: Degenerate = Degenerate.ZERO
    """What counts where the correlation is not defined."""

    def __post_init__(self) -> None:
        _require_list("correlations", self.correlations)
        _require_list("numbers of people", self.people)
        _require_list("mechanisms", self.keys)
        if not all(-1 <= rho <= 1 for rho in self.correlations):
            raise ParameterError("every correlation must be in [-1, 1].")
        if not set(self.keys) <= set(COMPARED):
            raise ParameterError(f"the mechanisms must be of {COMPARED}.")
        if not _FEWEST_REPETITIONS <= self.repetitions <= _MOST_REPETITIONS:
            raise ParameterError(f"repetitions must be in [2, {_MOST_REPETITIONS:,}].")
        for n in self.people:
            release = self.release(self.keys[0], n)
            for sd, width in zip(self.deviations, release.widths, strict=True):
                if not 0 < sd * sd <= largest_variance(width, n):
                    raise ParameterError(
                        "every standard deviation must be positive and possible within "
                        f"the bounds, got {in_full(sd)} within {in_full(width)}."
                    )

    def release(self, key: str, people: int) -> CovarianceRelease:
        """Return the release of one mechanism for one number of people."""
        first, second = self.half_widths
        return CovarianceRelease(
            widths=(2 * first, 2 * second),
            people=people,
            key=key,
            epsilon=self.epsilon,
            weights=self.weights,
        )

    def truth(self, correlation: float) -> FloatArray:
        """Return the confidential numbers, in the order of ``STATISTICS``."""
        first, second = self.deviations
        covariance = correlation * first * second
        return np.array([first * first, second * second, covariance, correlation])

    @property
    def shares(self) -> tuple[float, float]:
        """Return how much of a centered Gaussian the bounds of each variable hold."""
        pairs = zip(self.half_widths, self.deviations, strict=True)
        first, second = (float(1 - 2 * ndtr(-width / sd)) for width, sd in pairs)
        return first, second

    @property
    def scenarios(self) -> tuple[Scenario, ...]:
        """Return all scenarios, in the order in which they are run."""
        return tuple(
            Scenario(key=key, correlation=correlation, people=people)
            for correlation, people, key in itertools.product(
                self.correlations, self.people, self.keys
            )
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Scenario:
    """One mechanism at one correlation and number of people."""

    key: str
    correlation: float
    people: int


def half_widths_holding(share: float, deviations: tuple[float, float]) -> tuple[float, float]:
    """Return bounds ``+-`` which hold ``share`` of centered Gaussians.

    >>> half_widths_holding(0.95, (1.0, 2.0))
    (1.959963984540054, 3.919927969080108)

    Raises:
        ParameterError: ``share`` is not in (0, 1).

    """
    if not 0 < share < 1:
        raise ParameterError(f"the share within the bounds must be in (0, 1), got {share}.")
    z = float(-ndtri((1 - share) / 2))
    return z * deviations[0], z * deviations[1]


def _require_list(name: str, entries: tuple[object, ...]) -> None:
    if not 1 <= len(entries) <= _MOST_ENTRIES or len(set(entries)) < len(entries):
        raise ParameterError(f"enter 1 to {_MOST_ENTRIES} different {name}.")


_CUTS = (-12.0, -3.0, -0.5, 0.0, 0.5, 3.0, 12.0, 40.0)
_NODES, _WEIGHTS = np.polynomial.legendre.leggauss(10)


@lru_cache(maxsize=1024)
def exact_means(design: CovarianceDesign, scenario: Scenario) -> dict[str, float]:
    """Return the means that infinitely many repetitions would have, by statistic."""
    release = design.release(scenario.key, scenario.people)
    means = expected_means(
        release,
        design.truth(scenario.correlation)[:3],
        dropping=design.degenerate is Degenerate.DROP,
    )
    return dict(zip(STATISTICS, means.tolist(), strict=True))


@lru_cache(maxsize=1024)
def zero_variance(design: CovarianceDesign, scenario: Scenario) -> float:
    """Return the probability that the first released variance is exactly 0."""
    release = design.release(scenario.key, scenario.people)
    first = release.step(0, float(release.largest[0])).mechanism
    return float(first.atoms(design.truth(scenario.correlation)[0])[0])


@lru_cache(maxsize=256)
def real_levels(design: CovarianceDesign, key: str, people: int) -> tuple[FloatArray, float]:
    """Return the real epsilon of each of the three steps, and that of the matrix."""
    release = design.release(key, people)
    return release.levels, release.effective_epsilon


def expected_means(release: CovarianceRelease, value: FloatArray, *, dropping: bool) -> FloatArray:
    """Return the means of both variances, covariance and correlation, two columns.

    Args:
        release: A bounded release of two columns.
        value: The confidential numbers, shape ``(3,)``.
        dropping: Whether releases with a variance of 0 are left out of the means of
            covariance and correlation, or count as 0. NaN if all are left out.

    The integrals are right to about 1e-3 of the standard deviations.

    """
    laws = [release.step(j, float(release.largest[j])).mechanism for j in (0, 1)]
    means = [float(value[j] + laws[j].bias(value[j])) for j in (0, 1)]
    (s1, w1), (s2, w2) = (_nodes(laws[j], float(value[j])) for j in (0, 1))
    reach = np.outer(s1, s2)
    weight = np.outer(w1, w2)
    noise = release.covariance_scales(2, reach)
    centers = _conditional_means(float(value[2]), noise, reach, clamped=release.key == "bit")
    total = weight.sum() if dropping else 1.0
    with np.errstate(invalid="ignore"):
        covariance = (weight * centers).sum() / total
        correlation = (weight * (centers / reach)).sum() / total
    return np.array([*means, covariance, correlation])


def _nodes(mechanism: Mechanism, center: float) -> tuple[FloatArray, FloatArray]:
    """Return standard deviations and the weights of their squares, but for 0."""
    top = mechanism.bounds.upper  # type: ignore[attr-defined]
    cuts = np.clip(center + mechanism.noise * np.array(_CUTS), 0.0, top)
    edges = np.unique(np.sqrt([0.0, *cuts, top]))
    half = np.diff(edges)[:, np.newaxis] / 2
    s = (edges[:-1, np.newaxis] + half * (1 + _NODES)).ravel()
    w = (half * _WEIGHTS).ravel() * 2 * s * mechanism.pdf(s * s, center)
    at_zero, at_top = (float(atom) for atom in mechanism.atoms(center))
    w *= (1 - at_zero - at_top) / w.sum()
    return np.append(s, np.sqrt(top)), np.append(w, at_top)


def _conditional_means(
    value: float, noise: FloatArray, reach: FloatArray, *, clamped: bool
) -> FloatArray:
    """Return the mean of the covariance on each range (Liu 2016, eq. 6 and 7)."""
    nearest = np.clip(value, -reach, reach)
    a, d = (nearest + reach) / noise, (reach - nearest) / noise
    if clamped:
        weight = np.exp(-np.abs(value - nearest) / noise)
        return np.asarray(nearest + weight * noise / 2 * law.incomplete_difference(1, d, a))
    mass = law.incomplete_sum(1, a, d)
    return np.asarray(nearest + noise * law.incomplete_difference(2, d, a) / mass)


PERCENTS: Final = (2.5, 25.0, 50.0, 75.0, 97.5)
_MOST_AT_ONCE = 200_000
"""Repetitions that one mechanism draws at once, over all settings."""

Setting = tuple[float, int]
"""A correlation and a number of people."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Summary:
    """One statistic over all repetitions of a scenario."""

    truth: float
    """Its confidential value."""
    mean: float
    """Mean of the sanitized values."""
    sd: float
    percentiles: tuple[float, ...]
    """Those at ``PERCENTS``."""
    kept: int
    """How many repetitions count; where none does, the others are NaN."""
    at_ends: float
    """Share of sanitized correlations that are exactly -1 or 1; 0 for others."""
    design: CovarianceDesign
    scenario: Scenario
    statistic: str
    """Which of ``STATISTICS``."""

    @property
    def exact(self) -> float:
        """Return the mean that infinitely many repetitions would have."""
        return exact_means(self.design, self.scenario)[self.statistic]

    @property
    def bias(self) -> float:
        """Return the mean less the truth."""
        return self.mean - self.truth

    @property
    def exact_bias(self) -> float:
        """Return the bias that infinitely many repetitions would have."""
        return self.exact - self.truth

    @property
    def error(self) -> float:
        """Return the standard error of the mean."""
        return self.sd / math.sqrt(self.kept) if self.kept else math.nan


@dataclass(frozen=True, slots=True, kw_only=True)
class ScenarioOutcome:
    """What one scenario gave."""

    design: CovarianceDesign
    scenario: Scenario
    of: dict[str, Summary]
    """The summaries, by the names in ``STATISTICS``."""
    degenerate: float
    """Share of releases whose correlation is not defined."""

    @property
    def largest(self) -> dict[str, float]:
        """Return the largest possible value of each statistic."""
        release = self.design.release(self.scenario.key, self.scenario.people)
        return dict(zip(STATISTICS, (*release.largest.tolist(), 1.0), strict=True))

    @property
    def zero_variance(self) -> float:
        """Return the probability that the first released variance is exactly 0."""
        return zero_variance(self.design, self.scenario)

    @property
    def spent(self) -> float:
        """Return the epsilon that the release of the matrix really costs."""
        return real_levels(self.design, self.scenario.key, self.scenario.people)[1]


def run(design: CovarianceDesign, rng: np.random.Generator) -> Iterator[ScenarioOutcome]:
    """Yield the outcomes one by one, in the order of ``design.scenarios``.

    Settings are drawn in blocks, each with a generator of its own that is spawned from
    ``rng``: stopping early changes nothing about those before.
    """
    settings = tuple(itertools.product(design.correlations, design.people))
    together = max(_MOST_AT_ONCE // design.repetitions, 1)
    blocks = [settings[first : first + together] for first in range(0, len(settings), together)]
    for block, own in zip(blocks, rng.spawn(len(blocks)), strict=True):
        columns = [_outcomes(design, key, block, own) for key in design.keys]
        yield from itertools.chain.from_iterable(zip(*columns, strict=True))


def draws(
    design: CovarianceDesign, key: str, settings: Sequence[Setting], rng: np.random.Generator
) -> FloatArray:
    """Return sanitized variances and covariances of several settings.

    Shape ``(3, len(settings), design.repetitions)``: first and second variance, and the
    covariance on the range that they leave.
    """
    releases = {n: design.release(key, n) for n in {n for _, n in settings}}
    tops = np.array([releases[n].largest for _, n in settings]).T
    shifts = np.array([releases[n].sensitivities[2] for _, n in settings])
    scales_of = {n: release.scales for n, release in releases.items()}
    scales = np.array([scales_of[n] for _, n in settings]).T
    truth = np.array([design.truth(correlation) for correlation, _ in settings]).T
    bounding = Bounding.INFLATED if key == "bit" else Bounding.TRUNCATED
    shape = (len(settings), design.repetitions)
    drawn = np.empty((3, *shape))
    for place in (0, 1):
        drawn[place] = draw(
            np.broadcast_to(truth[place][:, np.newaxis], shape),
            noise=scales[place][:, np.newaxis],
            bounding=bounding,
            upper=tops[place][:, np.newaxis],
            rng=rng,
        )
    reach = np.sqrt(drawn[0]) * np.sqrt(drawn[1])
    noise = np.broadcast_to(scales[2][:, np.newaxis], shape)
    if key == "truncated":
        share = float(next(iter(releases.values())).epsilons[2])
        noise = least_private_scales(shifts[:, np.newaxis], share, 2 * reach)
    drawn[2] = draw(
        truth[2][:, np.newaxis], noise=noise, bounding=bounding, lower=-reach, upper=reach, rng=rng
    )
    return drawn


def _outcomes(
    design: CovarianceDesign, key: str, settings: Sequence[Setting], rng: np.random.Generator
) -> list[ScenarioOutcome]:
    first, second, covariance = draws(design, key, settings, rng)
    reach = np.sqrt(first) * np.sqrt(second)
    undefined = reach == 0
    correlation = covariance / np.where(undefined, 1.0, reach)
    if design.degenerate is Degenerate.DROP:
        covariance[undefined] = correlation[undefined] = np.nan
    values = np.stack([first, second, covariance, correlation])
    ordered = np.sort(values, axis=-1)  # NaN last
    size = values.shape[-1]
    kept = size - np.count_nonzero(np.isnan(ordered), axis=-1)
    with np.errstate(invalid="ignore", divide="ignore"):
        mean = np.nansum(ordered, axis=-1) / kept
        squares = np.square(ordered - mean[..., np.newaxis])
        sd = np.sqrt(np.nansum(squares, axis=-1) / (kept - 1))
    sd[kept <= 1] = np.nan
    # Between the two nearest of the values that count, as NumPy does.
    place = np.maximum(kept - 1, 0)[..., np.newaxis] * (np.array(PERCENTS) / 100)
    below = place.astype(np.intp)
    low = np.take_along_axis(ordered, below, axis=-1)
    high = np.take_along_axis(ordered, np.minimum(below + 1, size - 1), axis=-1)
    part = place - below
    percentiles = np.where(part > 0, low + (high - low) * part, low)
    at_ends = np.zeros(kept.shape)
    ends = np.count_nonzero(np.abs(correlation) == 1, axis=-1)
    at_ends[3] = ends / np.maximum(kept[3], 1)
    degenerate = undefined.mean(axis=-1)
    outcomes = []
    for column, (rho, people) in enumerate(settings):
        scenario = Scenario(key=key, correlation=rho, people=people)
        truth = design.truth(rho).tolist()
        summaries = {
            name: Summary(
                truth=truth[row],
                mean=float(mean[row, column]),
                sd=float(sd[row, column]),
                percentiles=tuple(percentiles[row, column].tolist()),
                kept=int(kept[row, column]),
                at_ends=float(at_ends[row, column]),
                design=design,
                scenario=scenario,
                statistic=name,
            )
            for row, name in enumerate(STATISTICS)
        }
        outcomes.append(
            ScenarioOutcome(
                design=design, scenario=scenario, of=summaries, degenerate=float(degenerate[column])
            )
        )
    return outcomes


def numbers(
    outcomes: Iterable[ScenarioOutcome], statistics: Sequence[str] = STATISTICS
) -> pd.DataFrame:
    """Return one row for each scenario and statistic, in full precision."""
    rows = []
    for outcome in outcomes:
        known = outcome.scenario
        for name in statistics:
            summary = outcome.of[name]
            percentiles = zip(PERCENTS, summary.percentiles, strict=True)
            rows.append(
                {
                    "mechanism": CATALOG[known.key].label,
                    "correlation": known.correlation,
                    "people": known.people,
                    "statistic": LABELS[name],
                    "true value": summary.truth,
                    "mean, simulated": summary.mean,
                    "mean, exact": summary.exact,
                    "bias, simulated": summary.bias,
                    "standard deviation": summary.sd,
                    **{f"percentile {in_full(p)}": value for p, value in percentiles},
                    "repetitions counted": summary.kept,
                    "share exactly -1 or 1": summary.at_ends,
                    "share without a correlation": outcome.degenerate,
                    "real epsilon": outcome.spent,
                }
            )
    return pd.DataFrame(rows)


def costs(design: CovarianceDesign) -> pd.DataFrame:
    """Return what each step really costs, by mechanism and number of people."""
    rows = []
    for key in design.keys:
        for people in design.people:
            levels, spent = real_levels(design, key, people)
            first, second, covariance = (float(level) for level in levels)
            rows.append(
                {
                    "mechanism": CATALOG[key].label,
                    "people": people,
                    "nominal epsilon": design.epsilon,
                    "first variance": first,
                    "second variance": second,
                    "covariance": covariance,
                    "real epsilon": spent,
                }
            )
    return pd.DataFrame(rows)


SIZES: Final = (2, 3)
"""Numbers of variables that can be demonstrated."""
_MANY = 1000
_BROKEN = -1e-9


@dataclass(frozen=True, slots=True, kw_only=True)
class Demonstration:
    """One simulated release of a matrix, before and after its repair."""

    truth: FloatArray
    """The matrix that was sanitized, shape ``(d, d)``."""
    repaired: Repaired
    """The release and its repair."""
    undefined: float
    """Share of such releases in which a correlation is not defined."""
    broken: float
    """Share of such releases that need a repair."""


def demonstrate(
    design: CovarianceDesign,
    *,
    key: str,
    correlation: float,
    people: int,
    columns: int,
    rng: np.random.Generator,
) -> Demonstration:
    """Sanitize one matrix, and a thousand more to count the odd ones.

    The second variable is that of the design; a third is like the first, and the
    correlation of the first with the third is ``correlation ** 2``, which makes the
    matrix possible. The budget is split equally.

    Raises:
        ParameterError: ``columns`` is not one of ``SIZES``.

    """
    if columns not in SIZES:
        raise ParameterError(f"the demonstration has {SIZES[0]} or {SIZES[1]} variables.")
    first, second = design.deviations
    narrow, wide = (2 * width for width in design.half_widths)
    deviations = np.array([first, second, first])[:columns]
    steps = np.abs(np.subtract.outer(np.arange(columns), np.arange(columns)))
    truth = np.outer(deviations, deviations) * np.power(correlation, steps)
    release = CovarianceRelease(
        widths=(narrow, wide, narrow)[:columns], people=people, key=key, epsilon=design.epsilon
    )
    value = vector_of(truth)
    drawn = release.simulate(value, rng=rng)
    many = release.simulate(value, rng=rng, size=(_MANY,))
    undefined = np.isnan(correlations_of(many)).any(axis=-1)
    return Demonstration(
        truth=truth,
        repaired=repair(matrix_of(drawn)),
        undefined=float(undefined.mean()),
        broken=float(_broken(many).mean()),
    )


def _broken(values: FloatArray) -> FloatArray:
    """Return which matrices no table could have, judged by their correlations.

    Without a variance there is nothing to contradict: such a column counts as
    uncorrelated.
    """
    correlations = np.nan_to_num(correlations_of(values))
    ones = np.ones((*values.shape[:-1], values.shape[-1] - correlations.shape[-1]))
    whole = matrix_of(np.concatenate([ones, correlations], axis=-1))
    return np.asarray(np.linalg.eigvalsh(whole)[..., 0] < _BROKEN)
