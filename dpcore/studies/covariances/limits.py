"""What a setting of Study 1 has without any simulation, computed when it is asked for.

All of it follows from the settings, so that it is kept by them.

For the means: the variances' laws are closed forms, and so is the mean of a covariance
on a given range. Averaging the latter over the former takes a double integral, done by
Gauss and Legendre's rule on pieces over which the integrand is smooth. Integrating over
the standard deviations, ``v = s^2``, makes the range ``s_1 s_2``.
"""

from __future__ import annotations

from functools import lru_cache

import numpy as np

from dpcore.arrays import FloatArray
from dpcore.mechanisms import laplace_law as law
from dpcore.mechanisms.base import Mechanism
from dpcore.mechanisms.covariances import CovarianceRelease
from dpcore.studies.covariances.design import STATISTICS, Degenerate, Design, Scenario

_CUTS = (-12.0, -3.0, -0.5, 0.0, 0.5, 3.0, 12.0, 40.0)
_NODES, _WEIGHTS = np.polynomial.legendre.leggauss(10)


@lru_cache(maxsize=1024)
def exact_means(design: Design, scenario: Scenario) -> dict[str, float]:
    """Return the means that infinitely many repetitions would have, by statistic."""
    release = design.release(scenario.key, scenario.people)
    means = expected_means(
        release,
        design.truth(scenario.correlation)[:3],
        dropping=design.degenerate is Degenerate.DROP,
    )
    return dict(zip(STATISTICS, means.tolist(), strict=True))


@lru_cache(maxsize=1024)
def zero_variance(design: Design, scenario: Scenario) -> float:
    """Return the probability that the first released variance is exactly 0."""
    release = design.release(scenario.key, scenario.people)
    first = release.step(0, float(release.largest[0])).mechanism
    return float(first.atoms(design.truth(scenario.correlation)[0])[0])


@lru_cache(maxsize=256)
def costs(design: Design, key: str, people: int) -> tuple[FloatArray, float]:
    """Return the real epsilon of each of the three steps, and that of the matrix."""
    release = design.release(key, people)
    return release.levels, release.real_epsilon


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
        shift = weight * noise / 2 * law.incomplete_difference(1, d, a)
        return np.asarray(nearest + shift)
    mass = law.incomplete_sum(1, a, d)
    return np.asarray(nearest + noise * law.incomplete_difference(2, d, a) / mass)
