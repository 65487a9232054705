"""The parts of a resample: the rows drawn once, twice, and so on.

The published procedure adds noise to every part on its own and adds up the parts
(Brawner and Honaker 2018, equations 19 to 26). With ``p_i`` the share of rows drawn
``i`` times, part ``i`` gets the variance ``i p_i D^2 / (2 rho)``. Since ``sum i p_i =
1``, all parts together have the variance ``D^2 / (2 rho)``: their total has the law of
the statistic of one resample plus one Gaussian, and is drawn like that.
"""

from __future__ import annotations

import math

import numpy as np

from dpcore.arrays import FloatArray
from dpcore.errors import ParameterError
from dpcore.privacy.bootstrap.profile import multiplicities


def part_variances(people: int, *, sensitivity: float, rho: float) -> FloatArray:
    """Return the variance of the noise of parts 1, 2, ..., ``i p_i D^2 / (2 rho)``.

    Args:
        people: Number of people.
        sensitivity: ``D``: how much one person changes the statistic, in [0, inf).
        rho: What this one bootstrap is claimed to cost, positive.

    Raises:
        ParameterError: One of these is outside its domain.

    >>> part_variances(500, sensitivity=0.2, rho=0.01)[:3].round(4).tolist()
    [0.7365, 0.7365, 0.3675]

    """
    _require_rho(rho)
    if not 0 <= sensitivity < math.inf:
        raise ParameterError(f"the sensitivity must be in [0, inf), got {sensitivity}.")
    chances = multiplicities(people)
    times = np.arange(1, len(chances))
    return np.asarray(times * chances[1:] * (sensitivity * sensitivity / (2 * rho)))


def part_levels(people: int, *, rho: float) -> FloatArray:
    """Return the zCDP level of parts 1, 2, ... had they been released: ``i rho / p_i``.

    A row that was drawn ``i`` times moves part ``i`` by ``i D``. This is why only the
    total of the parts may leave.

    >>> part_levels(500, rho=1.0)[[0, 1, 2]].round(1).tolist()
    [2.7, 10.9, 49.0]
    """
    _require_rho(rho)
    chances = multiplicities(people)
    times = np.arange(1, len(chances))
    return np.asarray(times * rho / chances[1:])


def _require_rho(rho: float) -> None:
    if not 0 < rho < math.inf:
        raise ParameterError(f"rho must be positive and finite, got {rho}.")
