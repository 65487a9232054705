"""Noisy bootstraps: populations, coverage by formula and simulation, and real cost.

Their values are clamped to public bounds, and drawn independently.

A table of ``n`` people is drawn from a population, and its mean released: at once, or
as the average of ``k`` noisy bootstraps, at one ``rho``.

The counterpart of ``coverage`` that assumes nothing about the laws.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import ClassVar, Final, Self

import numpy as np
from scipy.special import gammainc, gammaincinv, ndtr

from dpcore.arrays import FloatArray
from dpcore.data.bounds import Interval
from dpcore.errors import ParameterError
from dpcore.inference.bootstrap_intervals import (
    FEWEST,
    Bootstraps,
    BoughtVariance,
    Clipping,
    Method,
    Rule,
    resampling_variance,
)
from dpcore.privacy.bootstrap_cost import claimed_epsilon, resampled_epsilon
from dpcore.privacy.bootstrap_profiles import Bound

_AGE_GROUPS: Final = (
    (15, 19, 2_450_888),
    (20, 24, 2_381_288),
    (25, 34, 5_229_062),
    (35, 44, 5_485_341),
    (45, 54, 4_331_635),
    (55, 59, 1_467_252),
    (60, 64, 1_146_841),
    (65, 74, 1_887_823),
    (75, 84, 1_282_178),
    (85, 93, 425_657),
)
"""First and last age of each group, and how many Californians of the census of 2000."""
_ADULT = 18


@dataclass(frozen=True, slots=True, kw_only=True)
class Ages:
    """Adults of California in 2000: whole years from 18 to 93, within 0 and 100.

    The public counts of age groups of that census, spread evenly over the years of a
    group (the last one ends at 93): a stand-in for the sample of the source, which is
    not shipped.
    """

    name: str = "ages of adults"
    unit: str = "years"

    @property
    def bounds(self) -> Interval:
        """Return 0 to 100 years."""
        return Interval(lower=0.0, upper=100.0)

    @property
    def mean(self) -> float:
        """Return the mean age.

        >>> round(Ages().mean, 5), round(Ages().sd, 5)
        (43.93744, 17.59333)
        """
        years, shares = _ages()
        return float(years @ shares)

    @property
    def sd(self) -> float:
        """Return the standard deviation of the ages."""
        years, shares = _ages()
        return math.sqrt(float((years - self.mean) ** 2 @ shares))

    def draw(self, rng: np.random.Generator, size: int) -> FloatArray:
        """Draw ages, each with its share in the population."""
        years, shares = _ages()
        place = np.searchsorted(np.cumsum(shares), rng.random(size), side="right")
        return np.asarray(years[np.minimum(place, len(years) - 1)])


@dataclass(frozen=True, slots=True, kw_only=True)
class Normal:
    """A standard normal variable, clamped to ``+-half_width``.

    Raises:
        ParameterError: ``half_width`` is not in (0, inf).

    """

    mean: ClassVar = 0.0
    """The bounds are symmetric."""
    half_width: float = 3.0
    """The public bounds, in standard deviations; positive and finite."""
    name: str = "a normal variable"
    unit: str = ""

    def __post_init__(self) -> None:
        if not 0 < self.half_width < math.inf:
            raise ParameterError(f"the half-width must be in (0, inf), got {self.half_width}.")

    @property
    def bounds(self) -> Interval:
        """Return the bounds around 0."""
        return Interval(lower=-self.half_width, upper=self.half_width)

    @property
    def sd(self) -> float:
        """Return the standard deviation after clamping.

        ``E min(x^2, w^2) = (1 - 2 Q) - 2 w phi(w) + 2 w^2 Q``, ``Q`` the tail beyond
        ``w``.
        """
        w = self.half_width
        tail = float(ndtr(-w))
        density = math.exp(-w * w / 2) / math.sqrt(2 * math.pi)
        return math.sqrt(1 - 2 * tail - 2 * w * density + 2 * w * w * tail)

    def draw(self, rng: np.random.Generator, size: int) -> FloatArray:
        """Draw clamped normal values."""
        return self.bounds.clip(rng.standard_normal(size))


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class People:
    """The people of a table, taken as the whole population. CONFIDENTIAL."""

    values: FloatArray
    """Their values, clamped."""
    bounds: Interval
    """The public bounds of the values."""
    name: str
    unit: str
    mean: float
    sd: float
    """Their standard deviation, with divisor ``N``."""

    @classmethod
    def of(cls, values: FloatArray, *, bounds: Interval, name: str, unit: str = "") -> Self:
        """Return the population of these people.

        Raises:
            ParameterError: There are no values, or some are not within the bounds.

        """
        if values.size == 0:
            raise ParameterError("a population needs at least one person.")
        if not np.all((values >= bounds.lower) & (values <= bounds.upper)):
            raise ParameterError("clamp the values of a population to its bounds first.")
        return cls(
            values=values,
            bounds=bounds,
            name=name,
            unit=unit,
            mean=float(values.mean()),
            sd=float(values.std()),
        )

    def draw(self, rng: np.random.Generator, size: int) -> FloatArray:
        """Draw people with replacement."""
        return np.asarray(self.values[rng.integers(self.values.size, size=size)])


Population = Ages | Normal | People
"""Where the people of simulated tables come from."""


@lru_cache(maxsize=1)
def _ages() -> tuple[FloatArray, FloatArray]:
    """Return the years from 18 on, and the share of each."""
    oldest = _AGE_GROUPS[-1][1]
    people = np.zeros(oldest + 1)
    for first, last, count in _AGE_GROUPS:
        people[first : last + 1] = count / (last - first + 1)
    adults = people[_ADULT:]
    return np.arange(_ADULT, oldest + 1, dtype=np.float64), adults / adults.sum()


_NODES, _WEIGHTS = np.polynomial.legendre.leggauss(100)
_MOST_PEOPLE, _MOST_TIMES = 100_000, 2_000
_OUTSIDE = 0.1


@dataclass(frozen=True, slots=True, kw_only=True)
class Experiment:
    """One setting in which standard errors are judged.

    Raises:
        ParameterError: One of these is outside its domain.

    """

    population: Population = field(default_factory=Ages)
    """Where the people come from."""
    people: int = 500
    """How many are in the table, ``n``, public, from 2."""
    rho: float = 0.5
    """What the release of the mean is claimed to cost, in zCDP."""
    times: int = 50
    """Number of bootstraps ``k``, from 2."""
    factor: float = 1.0
    """By how much the variance of the noise is larger than as published."""

    def __post_init__(self) -> None:
        if self.people != int(self.people) or not FEWEST <= self.people <= _MOST_PEOPLE:
            raise ParameterError(
                f"people must be a whole number from 2 to {_MOST_PEOPLE:,}, got {self.people}."
            )
        if self.times > _MOST_TIMES:
            raise ParameterError(f"at most {_MOST_TIMES:,} bootstraps can be studied.")
        _ = self.bootstraps

    @property
    def sensitivity(self) -> float:
        """Return how much one person changes the mean: range over ``n``."""
        return self.population.bounds.width / self.people

    @property
    def bootstraps(self) -> Bootstraps:
        """Return the bootstraps with their noise."""
        return Bootstraps.from_cost(
            times=self.times,
            rho=self.rho,
            sensitivity=self.sensitivity,
            factor=self.factor,
            people=self.people,
        )

    @property
    def one_shot_noise(self) -> float:
        """Return the variance ``D^2 / (2 rho)`` of the noise of a one-shot release."""
        return self.sensitivity**2 / (2 * self.rho)

    @property
    def sampling(self) -> float:
        """Return the variance of the mean over tables, ``sd^2 / n``."""
        return self.population.sd**2 / self.people

    @property
    def resampling(self) -> float:
        """Return the variance ``a`` of the mean over resamples of a table."""
        return resampling_variance(self.population.sd, self.people)

    @property
    def one_shot_error(self) -> float:
        """Return the true standard error of a one-shot release."""
        return math.sqrt(self.sampling + self.one_shot_noise)

    @property
    def bagged_error(self) -> float:
        """Return the true standard error of the average of the bootstraps."""
        return math.sqrt(self.sampling + (self.resampling / self.times) + self.bootstraps.noise)

    @property
    def one_shot_error_given_table(self) -> float:
        """Return how far a one-shot release is off the mean of the table itself."""
        return math.sqrt(self.one_shot_noise)

    @property
    def bagged_error_given_table(self) -> float:
        """Return the same of the average: noise, and the error of resampling."""
        return math.sqrt(self.bootstraps.noise + self.resampling / self.times)


def exact_coverage(experiment: Experiment, method: Method) -> float:
    """Return the coverage as far as means are normal, by quadrature.

    The mean of ``2 Phi(q sqrt(V(s2) / V_true)) - 1`` over ``s2 = (a + k V) u / (k -
    1)``, ``u`` chi-squared, in the quantiles of ``u`` by Gauss and Legendre's rule,
    split where the rule clips.

    >>> from dpcore.inference.bootstrap_intervals import Method, Rule
    >>> round(exact_coverage(Experiment(), Method(rule=Rule.PUBLISHED, tail=None)), 4)
    0.8043

    """
    true = experiment.bagged_error
    if true == 0:
        return 1.0
    spread, weight = _spreads(experiment, method)
    reach = method.half_width(experiment.bootstraps, spread)
    return float(weight @ (1 - 2 * ndtr(-reach / true)))


def mean_error(experiment: Experiment, method: Method) -> float:
    """Return the mean of the estimated standard errors, by the same quadrature."""
    spread, weight = _spreads(experiment, method)
    return float(weight @ np.sqrt(method.variance(experiment.bootstraps, spread)))


def error_range(experiment: Experiment, method: Method) -> tuple[float, float]:
    """Return which estimated standard errors all but a tenth lie between.

    Every rule grows with the sample variance, so that its quantiles are those of a
    chi-squared variable, put through the rule.
    """
    half = (experiment.times - 1) / 2
    share = np.array([_OUTSIDE / 2, 1 - _OUTSIDE / 2])
    spread = _expected(experiment) * gammaincinv(half, share) / half
    low, high = np.sqrt(method.variance(experiment.bootstraps, spread)).tolist()
    return low, high


def mean_length(experiment: Experiment, method: Method) -> float:
    """Return the mean length of the intervals."""
    return (2 * method.quantile(experiment.bootstraps)) * mean_error(experiment, method)


def no_length(experiment: Experiment, method: Method) -> float:
    """Return the probability of a standard error of 0."""
    if method.rule is not Rule.PUBLISHED or method.clipping is Clipping.SAMPLING:
        return 0.0
    return _clipped(experiment, method)


def _expected(experiment: Experiment) -> float:
    return experiment.resampling + experiment.times * experiment.bootstraps.noise


def _clipped(experiment: Experiment, method: Method) -> float:
    """Return the probability that the rule raises something to 0."""
    known, k = experiment.bootstraps, experiment.times
    expected = _expected(experiment)
    if expected == 0:
        return 0.0
    edge = k * known.noise * known.subtracted(method.tail)
    if method.rule is Rule.PUBLISHED and method.clipping is Clipping.WHOLE:
        edge -= known.noise
    half = (k - 1) / 2
    return float(gammainc(half, max(edge, 0.0) / expected * half))


def _spreads(experiment: Experiment, method: Method) -> tuple[FloatArray, FloatArray]:
    """Return sample variances and their weights, a rule for each side of the clip."""
    split = _clipped(experiment, method)
    low = split * (_NODES + 1) / 2
    share = np.concatenate([low, (split + (1 - split) * (_NODES + 1) / 2)])
    weight = np.concatenate([split * _WEIGHTS, (1 - split) * _WEIGHTS]) / 2
    half = (experiment.times - 1) / 2
    return np.asarray(_expected(experiment) * gammaincinv(half, share) / half), weight


_BLOCK = 1 << 18
_PART = 50


@dataclass(frozen=True, slots=True, kw_only=True)
class Runs:
    """What simulated tables led to, one entry a table."""

    means: FloatArray
    """Mean of the table."""
    variances: FloatArray
    """Its variance (divisor ``n``)."""
    centers: FloatArray
    """Average of its noisy bootstraps."""
    spreads: FloatArray
    """Their sample variance (divisor ``k - 1``)."""
    one_shots: FloatArray
    """A release of its mean with all of the budget at once."""

    @property
    def tables(self) -> int:
        """Return how many tables there are."""
        return len(self.means)

    @classmethod
    def joined(cls, parts: list[Runs]) -> Runs:
        """Return several parts as one."""
        names = ("means", "variances", "centers", "spreads", "one_shots")
        return cls(**{n: np.concatenate([getattr(p, n) for p in parts]) for n in names})


def simulate(experiment: Experiment, tables: int, rng: np.random.Generator) -> Runs:
    """Draw ``tables`` tables, and everything that is released of them.

    Bootstraps are made in blocks: memory does not grow with their number.
    """
    found = np.empty((5, tables))
    for i in range(tables):
        values = experiment.population.draw(rng, experiment.people)
        drawn = _bootstraps(experiment, values, rng)
        found[:4, i] = values.mean(), values.var(), drawn.mean(), drawn.var(ddof=1)
    found[4] = found[0] + math.sqrt(experiment.one_shot_noise) * rng.standard_normal(tables)
    return Runs(
        means=found[0], variances=found[1], centers=found[2], spreads=found[3], one_shots=found[4]
    )


def run(
    experiment: Experiment, tables: int, rng: np.random.Generator, *, part: int = _PART
) -> Iterator[Runs]:
    """Yield the simulated tables in parts, so that a run can be stopped."""
    for start in range(0, tables, part):
        yield simulate(experiment, min(part, tables - start), rng)


def one_table(experiment: Experiment, rng: np.random.Generator) -> FloatArray:
    """Return the noisy bootstraps of one simulated table."""
    values = experiment.population.draw(rng, experiment.people)
    return _bootstraps(experiment, values, rng)


def coverage(experiment: Experiment, method: Method, runs: Runs) -> float:
    """Return the share of the intervals that hold the mean of the population."""
    reach = method.half_width(experiment.bootstraps, runs.spreads)
    return float(np.mean(np.abs(runs.centers - experiment.population.mean) <= reach))


def z_scores(experiment: Experiment, method: Method, runs: Runs) -> FloatArray:
    """Return how many estimated standard errors each average is off, or ``+-inf``."""
    away = runs.centers - experiment.population.mean
    errors = np.sqrt(method.variance(experiment.bootstraps, runs.spreads))
    with np.errstate(divide="ignore", invalid="ignore"):
        scores = away / errors
    return np.where(away == 0, 0.0, scores)


def bought_coverage(
    experiment: Experiment,
    bought: BoughtVariance,
    runs: Runs,
    rng: np.random.Generator,
    *,
    level: float,
) -> tuple[float, float]:
    """Return coverage and mean length of the intervals with a bought variance."""
    means, variances = bought.simulate(runs.means, runs.variances, rng=rng)
    reach = bought.half_width(variances, level=level)
    held = np.abs(means - experiment.population.mean) <= reach
    return float(held.mean()), float(2 * reach.mean())


def _bootstraps(experiment: Experiment, values: FloatArray, rng: np.random.Generator) -> FloatArray:
    """Return the noisy means of resamples, a block of resamples at a time."""
    n, k = len(values), experiment.times
    means = np.empty(k)
    rows = max(1, _BLOCK // n)
    for start in range(0, k, rows):
        stop = min(start + rows, k)
        chosen = rng.integers(n, size=(stop - start, n), dtype=np.uint32)
        means[start:stop] = values[chosen].mean(axis=1)
    noise = math.sqrt(k * experiment.bootstraps.noise)
    return np.asarray(means + noise * rng.standard_normal(k))


@dataclass(frozen=True, slots=True, kw_only=True)
class BootstrapLevels:
    """Epsilon at one delta of all bootstraps together, by what is known of it."""

    times: int
    claimed: float
    """As published: that of Gaussian noise with this ``rho``."""
    attained: float
    """At least that: two neighboring tables are that far apart."""
    mean: float
    """At most that, for means and sums."""
    generic: float
    """At most that, for every additive statistic."""

    @classmethod
    def of(cls, found: Sequence[float], *, rho: float, delta: float, times: int) -> Self:
        """Return the levels made of what ``parts`` gave, all three of them."""
        attained, mean, generic = found
        return cls(
            times=times,
            claimed=claimed_epsilon(rho, delta),
            attained=attained,
            mean=mean,
            generic=generic,
        )


def parts(
    *, rho: float, delta: float, people: int, times: int, factor: float = 1.0
) -> Iterator[float]:
    """Yield the three levels of one number of bootstraps, the least one first.

    Raises:
        ParameterError: One of the parameters is outside its domain.

    """
    for bound in (Bound.ATTAINED, Bound.MEAN, Bound.GENERIC):
        yield resampled_epsilon(
            factor, rho=rho, times=times, people=people, delta=delta, bound=bound
        )


def levels(
    *, rho: float, delta: float, people: int, times: int, factor: float = 1.0
) -> BootstrapLevels:
    """Return the levels of one number of bootstraps; errors as for ``parts``."""
    found = parts(rho=rho, delta=delta, people=people, times=times, factor=factor)
    return BootstrapLevels.of(tuple(found), rho=rho, delta=delta, times=times)
