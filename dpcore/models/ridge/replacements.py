"""How far ridge coefficients move when a person's record becomes another one: a search.

The worst record of a person has no closed form. Once the person has left, with
coefficients ``theta_-`` and ``K = H_-^-1``, a newcomer ``(x, y)`` moves the fit with
the person by ``theta_- - theta + K x e / (1 + x^T K x)``, ``e = y - x^T theta_-``. That
is linear in ``y``, so that an end of its range is worst; the row is found by projected
gradient ascent from many starts, for each person apart. In large tables that is done
for those who are exposed most; everybody else is tried with the records found for them.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Final

import numpy as np
from numpy.typing import NDArray

from dpcore.arrays import FloatArray
from dpcore.models.design import Design
from dpcore.models.factor import principal_ways
from dpcore.models.influence import UNIQUE_FROM
from dpcore.models.metrics import ISOTROPIC, Metric
from dpcore.models.ridge.fit import RidgeFit
from dpcore.models.ridge.records import substitutions
from dpcore.models.ridge.removals import removals
from dpcore.models.worst_shifts import substitution_certificates, unit_substitution_certificate

_STEPS: Final = 40
_FIRST_STEP: Final = 0.5
_WORK: Final = 4_000_000
"""Rows of a table times records that everybody is tried with."""
_SEARCHED: Final = 60_000
"""People times starts times columns that are searched from."""
_CORNERS: Final = 16


def largest_substitutions(
    fit: RidgeFit,
    metric: Metric = ISOTROPIC,
    *,
    legal: Callable[[FloatArray], FloatArray],
    targets: tuple[float, float],
) -> FloatArray:
    """Return the largest shift by another record that was found, shape ``(n,)``.

    Values that are reached, with no proof that nothing is larger. ``legal`` returns,
    for any rows, ones that a person can have; ``targets`` are the least and largest.
    """
    found = removals(fit, metric)
    starts = legal(_starts(fit))
    count = max(1, _SEARCHED // (starts.size * len(targets)))
    usual = np.flatnonzero(found.leverage < UNIQUE_FROM)
    order = np.argsort(-found.move[usual], kind="stable")
    chosen = usual[order[:count]]
    lengths = np.zeros(fit.people)
    records, shifts = [], []
    for target in targets:
        reached, rows = _ascended(fit, metric, chosen, starts, target, legal)
        best = np.argmax(reached, axis=1)
        places = np.arange(len(chosen))
        np.maximum.at(lengths, chosen, reached[places, best])
        records += [(row, target) for row in rows[places, best]]
        shifts += reached[places, best].tolist()
    ranked = [records[place] for place in np.argsort(shifts)[::-1]]
    if not ranked:
        ranked = [(row, target) for row in starts for target in targets]
    # One record of each target at least: they may pull in opposite directions.
    for record in _different(ranked, max(4, min(32, _WORK // fit.people))):
        np.maximum(lengths, substitutions(fit, record, metric), out=lengths)
    return lengths


def replaced_moves(
    fit: RidgeFit, metric: Metric, design: Design, left: FloatArray, *, rows: int
) -> tuple[FloatArray, float]:
    """Return everybody's largest move by other records, and a bound on all of them.

    In a public norm. ``left`` are the moves of everybody who leaves. Of several rows
    that one unit may own, the move of one is multiplied.
    """
    lengths = fit.keep(
        "substitutions",
        (metric.name, design),
        lambda: largest_substitutions(fit, metric, legal=design.legal, targets=design.target_range),
    )
    if rows > 1:
        lengths = rows * lengths
    bound = fit.keep(
        "substitution bound",
        (metric.name, rows),
        lambda: _largest_certificate(fit, metric, left, rows),
    )
    return lengths, bound * math.sqrt(metric.largest)


def _largest_certificate(fit: RidgeFit, metric: Metric, left: FloatArray, rows: int) -> float:
    if rows > 1:
        return unit_substitution_certificate(fit, rows=rows)
    smallest = 1.0
    if metric.matrix is not None:
        smallest = float(np.linalg.eigvalsh(metric.matrix)[0])
    isotropic = left / math.sqrt(smallest)
    return float(substitution_certificates(fit, isotropic).max())


def _starts(fit: RidgeFit) -> FloatArray:
    """Return rows in directions that matter, shape ``(m, d)``."""
    d = len(fit.theta)
    axes, ahead = principal_ways(fit.factor, fit.theta)
    # A public seed: the same starts for every table of this width.
    corners = np.random.default_rng(0).choice([-1.0, 1.0], (_CORNERS, d))
    ways = np.concatenate([axes, ahead[np.newaxis], np.eye(d) * np.sqrt(d), corners])
    return np.concatenate([ways, -ways])


def _different(
    records: list[tuple[FloatArray, float]], most: int
) -> list[tuple[FloatArray, float]]:
    """Return the first ``most`` records that are not all but the same."""
    kept: dict[tuple[float, ...], tuple[FloatArray, float]] = {}
    for row, target in records:
        kept.setdefault((*np.round(row, 2).tolist(), target), (row, target))
    ends = {target for _, target in records}
    each = max(1, most // max(1, len(ends)))
    return [
        record for end in ends for record in [one for one in kept.values() if one[1] == end][:each]
    ]


def _ascended(
    fit: RidgeFit,
    metric: Metric,
    people: NDArray[np.intp],
    starts: FloatArray,
    target: float,
    legal: Callable[[FloatArray], FloatArray],
) -> tuple[FloatArray, FloatArray]:
    """Return shifts and rows, shapes ``(p, m)`` and ``(p, m, d)``."""
    inverse = fit.factor.inverse_root @ fit.factor.inverse_root.T
    root = metric.root(fit.factor)
    norm = root.T @ root
    own = fit.features[people]
    solved = own @ inverse
    kept = 1 - np.einsum("pd,pd->p", own, solved)
    missed = (fit.target[people] - own @ fit.theta) / kept
    away = -(solved * missed[:, np.newaxis])[:, np.newaxis]
    theta = fit.theta + away
    scaled = (solved / kept[:, np.newaxis])[:, np.newaxis]

    def objective(x: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Return half the squared shift, and its gradient of length 1."""
        across = np.einsum("pmd,pd->pm", x, solved)[..., np.newaxis]
        moved = x @ inverse + across * scaled
        spread = 1 + np.einsum("pmd,pmd->pm", x, moved)[..., np.newaxis]
        error = target - (x * theta).sum(axis=-1, keepdims=True)
        shift = away + moved * (error / spread)
        pull = shift @ norm
        value = np.einsum("pmd,pmd->pm", shift, pull) / 2
        back = np.einsum("pmd,pd->pm", pull, solved)[..., np.newaxis]
        along = (pull * moved).sum(axis=-1, keepdims=True) / spread
        slope = (pull @ inverse + back * scaled) * (error / spread)
        slope -= along * (theta + 2 * moved * (error / spread))
        lengths = np.linalg.norm(slope, axis=-1, keepdims=True)
        return value, slope / np.where(lengths > 0, lengths, 1.0)

    rows = np.broadcast_to(starts, (len(people), *starts.shape)).copy()
    sizes = np.full(rows.shape[:2], _FIRST_STEP)
    values, slopes = objective(rows)
    for _ in range(_STEPS):
        tried = legal(rows + sizes[..., np.newaxis] * slopes)
        reached, ahead = objective(tried)
        better = reached > values
        rows[better], values[better] = tried[better], reached[better]
        slopes[better] = ahead[better]
        sizes *= np.where(better, 1.5, 0.4)
    return np.sqrt(2 * values), rows
