"""Posterior samples of a linear model, with several rows of one unit and without them.

In coordinates in which the posterior with everybody is standard, ``U^T U = V diag(s)
V^T`` for the rows ``U = X_G R^-1`` of a unit, and ``p = V^T U^T r`` for their in-sample
residuals ``r``. Without the unit the law is normal, too, with mean ``-p/(1 - s)`` and
variance ``1/(1 - s)``: coordinate by coordinate it is the pair of a single row with
leverage ``s`` and residual ``p/sqrt(s)``. So the unit is as exposed as independent
rows, one for each direction in which its rows differ. CONFIDENTIAL.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Final

import numpy as np
from numpy.typing import NDArray

from dpcore.arrays import FloatArray
from dpcore.models.influence import without
from dpcore.models.loss_tables import sampled_epsilon
from dpcore.models.posterior.repeated import absence_divergence, presence_divergence
from dpcore.models.ridge.fit import RidgeFit
from dpcore.models.ridge.records import group_moments
from dpcore.privacy import conversions

_ORDERS: Final = conversions.ORDERS[::8]
_NEGLIGIBLE: Final = 1e-12
_TOGETHER: Final = 1 << 12


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class GroupPairs:
    """The directions of each unit, strongest first. CONFIDENTIAL."""

    leverage: FloatArray = field(repr=False)
    """In [0, 1], shape ``(G, k)``: 0 where a unit has fewer directions."""
    residual: FloatArray = field(repr=False)
    """In-sample, shape ``(G, k)``."""

    @property
    def alike(self) -> NDArray[np.bool_]:
        """Return whose rows have one direction, so that the loss is exact, ``(G,)``."""
        return np.asarray((self.leverage[:, 1:] == 0).all(axis=1))

    @property
    def total(self) -> FloatArray:
        """Return the share of its predictions that each unit makes, shape ``(G,)``."""
        return np.asarray(self.leverage.sum(axis=1))


def group_pairs(fit: RidgeFit, codes: NDArray[np.intp]) -> GroupPairs:
    """Return the directions of each unit, of which ``codes`` are everybody's, from 0.

    Raises:
        ParameterError: There is not one code a person, or the penalty is per person.

    """
    sizes = np.bincount(codes) if len(codes) and codes.min() >= 0 else np.ones(1)
    width = max(1, min(fit.features.shape[1], int(sizes.max())))
    leverage, residual = (np.zeros((len(sizes), width)) for _ in range(2))
    for found, grams, pulls in group_moments(fit, codes):
        values, vectors = np.linalg.eigh(grams)
        s = values[:, ::-1][:, :width]
        p = np.einsum("gij,gi->gj", vectors, pulls)[:, ::-1][:, :width]
        real = s > _NEGLIGIBLE * np.maximum(s[:, :1], 0.0)
        s = np.where(real, np.minimum(s, 1.0), 0.0)
        leverage[found] = s
        residual[found] = np.where(real, p / np.sqrt(np.where(real, s, 1.0)), 0.0)
    return GroupPairs(leverage=leverage, residual=residual)


def group_epsilon(pairs: GroupPairs, *, gamma: float, delta: float, samples: int = 1) -> FloatArray:
    """Return the epsilon of each unit, shape ``(G,)``.

    Exact for units whose rows are alike (those of ``alike``). For others an upper
    bound, the smaller of two: the epsilons of the directions at their part of delta,
    added up, and what the sum of their Renyi divergences implies.
    """
    m, e = without(pairs.leverage, math.sqrt(gamma) * pairs.residual)
    epsilon = np.zeros(len(m))
    alike = pairs.alike
    epsilon[alike] = sampled_epsilon(m[alike, 0], e[alike, 0], delta=delta, samples=samples)
    count = np.count_nonzero(pairs.leverage, axis=1)
    for directions in np.unique(count[~alike]).tolist():
        units = np.flatnonzero(~alike & (count == directions))
        each = sampled_epsilon(
            m[units, :directions].ravel(),
            e[units, :directions].ravel(),
            delta=delta / directions,
            samples=samples,
        )
        added = each.reshape(len(units), directions).sum(axis=1)
        epsilon[units] = np.minimum(added, _by_divergences(m[units], e[units], delta, samples))
    return epsilon


def _by_divergences(m: FloatArray, e: FloatArray, delta: float, samples: int) -> FloatArray:
    """Return the epsilons that Renyi divergences imply, shape ``(G,)``."""
    price = np.log1p(-1 / _ORDERS) - (math.log(delta) + np.log(_ORDERS)) / (_ORDERS - 1)
    found = np.full(len(m), np.inf)
    # Of who is given away no divergence is finite.
    usual = np.flatnonzero(np.isfinite(m).all(axis=1))
    for first in range(0, len(usual), _TOGETHER):
        some = usual[first : first + _TOGETHER]
        ends = []
        for kind in (absence_divergence, presence_divergence):
            total = np.zeros((len(some), len(_ORDERS)))
            for k in range(m.shape[1]):
                total += kind(m[some, k, np.newaxis], e[some, k, np.newaxis], _ORDERS)
            ends.append((samples * total + price).min(axis=1))
        found[some] = np.maximum(np.maximum(*ends), 0.0)
    return found
