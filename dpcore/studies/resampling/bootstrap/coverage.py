"""How well standard errors from noisy bootstraps do, as far as means are normal.

A table of ``n`` people is drawn from a population, and its mean released: at once, or
as the average of ``k`` noisy bootstraps, at one ``rho``.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field

import numpy as np
from scipy.special import gammainc, gammaincinv, ndtr

from dpcore.arrays import FloatArray
from dpcore.errors import ParameterError
from dpcore.inference.bootstrap.errors import FEWEST, Bootstraps, Clipping, resampling_variance
from dpcore.inference.bootstrap.intervals import Method, Rule
from dpcore.studies.resampling.bootstrap.populations import Ages, Population

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
        return Bootstraps.of(
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
        bagging = self.resampling / self.times
        return math.sqrt(self.sampling + bagging + self.bootstraps.noise)

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

    >>> from dpcore.inference.bootstrap.intervals import Method, Rule
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
    errors = 2 * method.quantile(experiment.bootstraps)
    return errors * mean_error(experiment, method)


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
    share = known.subtracted(method.tail)
    edge = k * known.noise * share
    if method.rule is Rule.PUBLISHED and method.clipping is Clipping.WHOLE:
        edge -= known.noise
    half = (k - 1) / 2
    return float(gammainc(half, max(edge, 0.0) / expected * half))


def _spreads(experiment: Experiment, method: Method) -> tuple[FloatArray, FloatArray]:
    """Return sample variances and their weights, a rule for each side of the clip."""
    split = _clipped(experiment, method)
    low = split * (_NODES + 1) / 2
    high = split + (1 - split) * (_NODES + 1) / 2
    share = np.concatenate([low, high])
    weight = np.concatenate([split * _WEIGHTS, (1 - split) * _WEIGHTS]) / 2
    half = (experiment.times - 1) / 2
    spread = _expected(experiment) * gammaincinv(half, share) / half
    return np.asarray(spread), weight
