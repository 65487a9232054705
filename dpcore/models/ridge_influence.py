"""How far the coefficients of a ridge fit lie from those without each person.

With ``h = x^T H^-1 x`` the leverage and ``r = y - x^T theta`` the residual, the fit
without a person leaves the residual ``e = r / (1 - h)``, and (Wang 2019, eq. 4; the
Sherman-Morrison formula)::

    theta - theta_-i = H^-1 x e
    |theta - theta_-i|_A = |e| sqrt(x^T H^-1 A H^-1 x)

A penalty per person shrinks with them. Then ``H_2`` and ``theta_2`` are those of all
rows under the smaller penalty, ``h`` and ``e`` belong to them, and::

    theta - theta_-i = (theta - theta_2) + H_2^-1 x e

How far ridge coefficients move when other records come or go.

A newcomer ``(x, y)`` moves them by ``H^-1 x e / (1 + m)``, with ``e`` the residual that
the present fit leaves and ``m = x^T H^-1 x``. Replacing a record is leaving and coming.
A group ``G`` that leaves, with rows ``X_G``, in-sample residuals ``r`` and ``U = X_G
R^-1`` for ``H = R^T R``, moves them by ``R^-1 (I - U^T U)^-1 U^T r`` (the Woodbury
formula, in the form whose size does not grow with the group).

How far ridge coefficients move when a person's record becomes another one: a search.

The worst record of a person has no closed form. Once the person has left, with
coefficients ``theta_-`` and ``K = H_-^-1``, a newcomer ``(x, y)`` moves the fit with
the person by ``theta_- - theta + K x e / (1 + x^T K x)``, ``e = y - x^T theta_-``. That
is linear in ``y``, so that an end of its range is worst; the row is found by projected
gradient ascent from many starts, for each person apart. In large tables that is done
for those who are exposed most; everybody else is tried with the records found for them.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from typing import Final

import numpy as np
from numpy.typing import NDArray

from dpcore.arrays import FloatArray
from dpcore.errors import ParameterError
from dpcore.models.design import Design
from dpcore.models.factor import principal_ways, row_blocks
from dpcore.models.influence import (
    UNIQUE_FROM,
    Influence,
    substitution_certificates,
    unit_substitution_certificate,
)
from dpcore.models.metrics import ISOTROPIC, Metric
from dpcore.models.ridge import RidgeFit


def removals(
    fit: RidgeFit, metric: Metric = ISOTROPIC, people: NDArray[np.intp] | None = None
) -> Influence:
    """Return what everybody is to a linear fit, exact, in one pass over the rows.

    Or what some ``people`` are. Errors are NaN and moves infinite where the fit without
    the person does not exist.
    """
    if people is not None:
        return _removals(fit, metric, people)
    return fit.keep("removals", metric.name, lambda: _removals(fit, metric, None))


def _removals(fit: RidgeFit, metric: Metric, some: NDArray[np.intp] | None) -> Influence:
    rest = fit.with_penalty_of(fit.people - 1)
    x, y = (fit.features, fit.target) if some is None else fit.table.some(some)
    people = np.arange(len(y)) if some is None else some
    leverages, errors, shifts = (np.empty(len(y)) for _ in range(3))
    offset = (fit.theta - rest.theta) @ metric.root(fit.factor).T
    inverse_root = rest.factor.inverse_root
    directions = metric.directions(fit.factor, rest.factor)
    for part in row_blocks(*x.shape):
        # A person a column: sums over the entries of each then run along all people.
        block = x[part].T
        halves = inverse_root.T @ block
        h = np.einsum("ji,ji->i", halves, halves)
        kept = np.where(h >= UNIQUE_FROM, 1.0, 1 - h)
        missed = (y[part] - rest.theta @ block) / kept
        steps, pull = directions.T @ block, np.abs(missed)
        if rest is not fit:
            steps *= missed
            steps += offset[:, np.newaxis]
            pull = np.ones(len(missed))
        lengths = np.sqrt(np.einsum("ji,ji->i", steps, steps))
        leverages[part], errors[part], shifts[part] = h, missed, pull * lengths
    for place in np.flatnonzero(leverages >= UNIQUE_FROM):
        theta = fit.refit(people[[place]])
        if theta is None:
            errors[place], shifts[place] = np.nan, np.inf
            continue
        errors[place] = y[place] - x[place] @ theta
        shifts[place] = metric.lengths(fit.theta - theta, fit.factor)
    return Influence(
        leverage=leverages,
        residual=errors,
        move=shifts,
        square=np.einsum("ij,ij->i", x, x),
        spread=np.broadcast_to(np.nan, len(x)),
    )


def moves(fit: RidgeFit, people: NDArray[np.intp]) -> FloatArray:
    """Return ``theta - theta_-i`` of some people, shape ``(m, d)``.

    NaN where the fit without the person does not exist.
    """
    rest = fit.with_penalty_of(fit.people - 1)
    x, y = fit.table.some(people)
    halves = x @ rest.factor.inverse_root
    leverages = np.einsum("ij,ij->i", halves, halves)
    unique = leverages >= UNIQUE_FROM
    errors = (y - x @ rest.theta) / np.where(unique, 1, 1 - leverages)
    found = (fit.theta - rest.theta) + errors[:, np.newaxis] * rest.factor.solve(x.T).T
    for place in np.flatnonzero(unique):
        theta = fit.refit(people[[place]])
        found[place] = np.nan if theta is None else fit.theta - theta
    return np.asarray(found)


_TOGETHER: Final = 1 << 18
"""Numbers in the matrices of the groups that are solved at once."""


def additions(
    fit: RidgeFit, x: FloatArray, y: FloatArray, metric: Metric = ISOTROPIC
) -> FloatArray:
    """Return the shift when one of ``m`` people joins, shape ``(m,)``."""
    rest = fit.with_penalty_of(fit.people + 1)
    halves = x @ rest.factor.inverse_root
    factors = (y - x @ rest.theta) / (1 + np.einsum("ij,ij->i", halves, halves))
    moved = x @ metric.directions(fit.factor, rest.factor)
    offset = (rest.theta - fit.theta) @ metric.root(fit.factor).T
    return np.asarray(np.linalg.norm(factors[:, np.newaxis] * moved + offset, axis=-1))


def substitutions(
    fit: RidgeFit, record: tuple[FloatArray, float], metric: Metric = ISOTROPIC
) -> FloatArray:
    """Return the shift when each person's record becomes ``record``, shape ``(n,)``.

    ``record`` is a row, shape ``(d,)``, and a target. The number of people, and so the
    penalty, stays. Infinite where the coefficients are then not determined.
    """
    x, y = np.asarray(record[0], dtype=np.float64), float(record[1])
    own = fit.factor.solve(x)
    inverse_root = fit.factor.inverse_root
    directions = metric.directions(fit.factor)
    moved_by_record = own @ metric.root(fit.factor).T
    base, error = 1 + x @ own, y - x @ fit.theta
    shifts = np.empty(fit.people)
    unique = []
    for rows in row_blocks(*fit.features.shape):
        block = fit.features[rows]
        halves = block @ inverse_root
        h = np.einsum("ij,ij->i", halves, halves)
        unique.extend(rows.start + np.flatnonzero(h >= UNIQUE_FROM))
        kept = np.where(h >= UNIQUE_FROM, 1.0, 1 - h)
        errors = (fit.target[rows] - block @ fit.theta) / kept
        across = block @ own
        # What the record does to the fit without the person, per unit of its direction.
        factors = (error + across * errors) / (base + across * across / kept)
        stay = errors - across * factors / kept
        moves = stay[:, np.newaxis] * (block @ directions)
        moves -= factors[:, np.newaxis] * moved_by_record
        shifts[rows] = np.sqrt(np.einsum("ij,ij->i", moves, moves))
    for person in unique:
        theta = fit.refit(np.array([person]), (x, y))
        shifts[person] = np.inf if theta is None else metric.lengths(fit.theta - theta, fit.factor)
    return shifts


def group_removals(
    fit: RidgeFit, codes: NDArray[np.intp], metric: Metric = ISOTROPIC
) -> FloatArray:
    """Return the shift when each group leaves together, shape ``(G,)``.

    ``codes`` has everybody's group, from 0 to ``G - 1``. A group of nobody has shift 0;
    it is infinite where the others do not determine the coefficients.

    Raises:
        ParameterError: There is not one code a person, or the penalty is per person.

    """
    # A move R^-1 v has the length of F R^-1 v.
    root = metric.root(fit.factor) @ fit.factor.inverse_root
    shifts = np.zeros(_count(fit, codes))
    for found, grams, pulls in group_moments(fit, codes):
        kept = np.eye(len(root)) - grams
        near = np.linalg.eigvalsh(kept)[:, 0] > 1 - UNIQUE_FROM
        solved = np.linalg.solve(kept[near], pulls[near][..., np.newaxis])[..., 0]
        shifts[found[near]] = np.linalg.norm(solved @ root.T, axis=1)
        for group in found[~near]:
            theta = fit.refit(np.flatnonzero(codes == group))
            shifts[group] = (
                np.inf if theta is None else metric.lengths(fit.theta - theta, fit.factor)
            )
    return shifts


def group_moments(
    fit: RidgeFit, codes: NDArray[np.intp]
) -> Iterator[tuple[NDArray[np.intp], FloatArray, FloatArray]]:
    """Yield some groups at a time, with ``U^T U`` and ``U^T r`` of each.

    Shapes ``(m,)``, ``(m, d, d)`` and ``(m, d)``. Groups of nobody are left out.
    Arguments and errors as for ``group_removals``.
    """
    groups, d = _count(fit, codes), fit.features.shape[1]
    order = np.argsort(codes, kind="stable")
    starts = np.searchsorted(codes[order], np.arange(groups + 1))
    step = max(1, _TOGETHER // (d * d))
    for first in range(0, groups, step):
        ends = starts[first : first + step + 1]
        found = np.flatnonzero(np.diff(ends) > 0)
        if len(found) > 0:
            rows = order[ends[0] : ends[-1]]
            begins = ends[found] - ends[0]
            yield first + found, *_moments(fit, rows, begins, fit.factor.inverse_root)


def _count(fit: RidgeFit, codes: NDArray[np.intp]) -> int:
    if codes.shape != fit.target.shape or (len(codes) and codes.min() < 0):
        raise ParameterError(f"{fit.people} people need as many codes of groups, at least 0.")
    if fit.penalty.per_person:
        raise ParameterError("groups need a penalty of the sum of losses, not one per person.")
    return int(codes.max()) + 1


def _moments(
    fit: RidgeFit, rows: NDArray[np.intp], begins: NDArray[np.intp], inverse_root: FloatArray
) -> tuple[FloatArray, FloatArray]:
    """Return ``U^T U`` and ``U^T r`` of groups of consecutive ``rows``."""
    d = len(inverse_root)
    groups = np.repeat(np.arange(len(begins)), np.diff(np.append(begins, len(rows))))
    grams, pulls = np.zeros((len(begins), d, d)), np.zeros((len(begins), d))
    for part in row_blocks(len(rows), d):
        block = fit.features[rows[part]]
        halves = block @ inverse_root
        residuals = fit.target[rows[part]] - block @ fit.theta
        # Groups run on: the first of a block may have begun in the one before.
        present, firsts = np.unique(groups[part], return_index=True)
        squares = halves[:, :, np.newaxis] * halves[:, np.newaxis]
        grams[present] += np.add.reduceat(squares, firsts, axis=0)
        pulls[present] += np.add.reduceat(halves * residuals[:, np.newaxis], firsts, axis=0)
    return grams, pulls


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
