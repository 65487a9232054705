"""Why noisy resamples are not as private as was claimed: two short proofs.

Take the pair of tables of ``profile``, with ``P = sum_j w_j N(j mu, 1)`` and
``Q = N(0, 1)``. Being rho-zCDP means that no Renyi divergence ``D_a(P || Q)`` exceeds
``a rho`` (Bun and Steinke 2016), and a resample with ``mu = sqrt(2 rho)`` is claimed to
be (Brawner and Honaker 2018, remark 3).

* ``D_2`` is ``log E[exp(2 rho J J')]`` for two independent multiplicities, each 1 on
  average, and so above ``2 rho`` whatever ``rho > 0`` is (Jensen).
* ``D_a / a`` tends to the loss of the largest multiplicity, which is ``n``: the least
  level that holds is ``n^2 rho``.
"""

from __future__ import annotations

import math

import numpy as np
from scipy.special import logsumexp

from dpcore.arrays import FloatArray
from dpcore.errors import ParameterError
from dpcore.privacy.bootstrap.profile import require_mu, require_people

MOST_PEOPLE = 10**6
"""The order-2 divergence is summed over all multiplicities up to that many people."""
_SMALL = 1.0


def zcdp_level(mu: float, *, people: int) -> float:
    """Return the exact zCDP level of one noisy resample, ``n^2 mu^2 / 2``.

    No ``mu`` and no number of people makes it ``mu^2 / 2``, but a single person.

    >>> zcdp_level(1.0, people=500)
    125000.0
    """
    require_mu(mu)
    require_people(people)
    return people * people * mu * mu / 2


def renyi_two(mu: float, *, people: int) -> float:
    """Return the Renyi divergence of order 2 of one resample; ``mu^2`` is claimed.

    ``log sum_j w_j (1 + (e^(j mu^2) - 1) / n)^n``, by the moments of a binomial.

    Raises:
        ParameterError: ``mu`` is not in [0, inf), or ``people`` not from 1 to 10^6.

    >>> round(renyi_two(0.02**0.5, people=500), 6)
    0.020619

    """
    require_mu(mu)
    require_people(people)
    if people > MOST_PEOPLE:
        raise ParameterError(f"the number of people must be at most {MOST_PEOPLE}, got {people}.")
    if mu == 0:
        return 0.0
    powers = np.arange(people + 1) * (mu * mu)
    near = np.expm1(np.minimum(powers, _SMALL)) / people
    far = powers - math.log(people)
    far += np.log1p((people - 1) * np.exp(-powers))
    moments = people * np.where(powers < _SMALL, np.log1p(near), far)
    chances = _log_chances(people)
    if float((chances + moments).max()) > 0:
        return float(logsumexp(chances + moments))
    small = np.exp(chances) * np.expm1(np.minimum(moments, _SMALL))
    large = np.exp(chances + moments) - np.exp(chances)
    return math.log1p(float(np.where(moments < _SMALL, small, large).sum()))


def _log_chances(people: int) -> FloatArray:
    """Return the logarithms of the probabilities of all multiplicities."""
    if people == 1:
        return np.array([-np.inf, 0.0])
    j = np.arange(1, people + 1)
    steps = np.log((people - j + 1) / (j * (people - 1.0)))
    start = people * math.log1p(-1 / people)
    return np.concatenate([[start], start + np.cumsum(steps)])
