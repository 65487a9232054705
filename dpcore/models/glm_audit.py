"""Everybody's shift in a nonlinear model: approximated, audited, and mended."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

import numpy as np

from dpcore.models.glm_removals import (
    chord_steps,
    exact_refits,
    newton_steps,
    step_shifts,
)
from dpcore.models.metrics import ISOTROPIC

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from dpcore.data.bounds import FloatArray
    from dpcore.models.glm import GlmFit
    from dpcore.models.metrics import Metric

    People = NDArray[np.intp]

TOLERATED: Final = 0.05
"""Relative error of the one-step approximation from which chord steps replace it."""
_NEGLIGIBLE: Final = 1e-9
_MOST_CHORDS: Final = 1000


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class AuditedRemovals:
    """What happens to a nonlinear fit when each person leaves. CONFIDENTIAL.

    Attributes:
        leverages: ``curvature x^T H^-1 x`` of each person, shape ``(n,)``.
        shifts: Length of the move of the coefficients, shape ``(n,)``: exact for
            ``refitted``, after a chord step for ``stepped_twice``, after one Newton
            step for the others. Infinite where there is no fit without the person.
        refitted: Who was left out exactly: the most exposed and some at random.
        stepped_twice: For whom a chord step was needed.
        one_step_error: Largest relative error of the one-step approximation among the
            refitted.
        chord_error: The same of the chord step among those of the refitted who were
            most exposed; NaN if it was not needed.

    """

    leverages: FloatArray = field(repr=False)
    shifts: FloatArray = field(repr=False)
    refitted: People = field(repr=False)
    stepped_twice: People = field(repr=False)
    one_step_error: float = field(repr=False)
    chord_error: float = field(repr=False)


def audited_removals(
    fit: GlmFit,
    metric: Metric = ISOTROPIC,
    *,
    rng: np.random.Generator,
    top: int = 50,
    drawn: int = 50,
) -> AuditedRemovals:
    """Return everybody's leave-one-out shift, with the error that an audit found.

    The ``top`` people with the largest approximate shifts and ``drawn`` people at
    random are left out exactly. If the approximation misses any of them by more than 5
    percent, all with more than half of the largest shift (at most 1,000 people) get a
    chord step. Since epsilon grows at least in proportion to the shift, these include
    all with more than half of the largest epsilon.
    """
    steps = newton_steps(fit)
    approximate = step_shifts(fit, steps, metric)
    refitted = _audit_sample(approximate, top=top, drawn=drawn, rng=rng)
    moved = fit.theta - exact_refits(fit, steps, refitted)
    exact = metric.lengths(moved, fit.factor)
    exact[np.isnan(exact)] = np.inf
    error = _largest_error(approximate[refitted], exact)
    shifts = approximate.copy()
    shifts[refitted] = exact
    twice = np.empty(0, dtype=np.intp)
    chord_error = np.nan
    if error > TOLERATED:
        exposed = _exposed(approximate)
        starts = fit.theta - steps.moves(fit.features[exposed], exposed)
        ends = chord_steps(fit, steps, exposed, starts)
        lengths = metric.lengths(fit.theta - ends, fit.factor)
        lengths = np.where(np.isfinite(lengths), lengths, approximate[exposed])
        known = np.isin(exposed, refitted)
        places = np.searchsorted(refitted, exposed[known])
        chord_error = _largest_error(lengths[known], exact[places])
        twice = exposed[~known]
        shifts[twice] = lengths[~known]
    return AuditedRemovals(
        leverages=steps.leverages,
        shifts=shifts,
        refitted=refitted,
        stepped_twice=twice,
        one_step_error=error,
        chord_error=chord_error,
    )


def _audit_sample(
    shifts: FloatArray, *, top: int, drawn: int, rng: np.random.Generator
) -> People:
    """Return the most exposed people and some at random, ascending."""
    n = len(shifts)
    top, drawn = min(top, n), min(drawn, n)
    most = np.argpartition(shifts, n - top)[n - top :] if top else np.empty(0, np.intp)
    return np.union1d(most, rng.choice(n, size=drawn, replace=False)).astype(np.intp)


def _exposed(shifts: FloatArray) -> People:
    """Return who has a finite shift above half of the largest of those, ascending."""
    finite = np.where(np.isfinite(shifts), shifts, 0.0)
    exposed = np.flatnonzero(finite > finite.max() / 2)
    if len(exposed) > _MOST_CHORDS:
        order = np.argpartition(finite[exposed], -_MOST_CHORDS)[-_MOST_CHORDS:]
        exposed = np.sort(exposed[order])
    return exposed


def _largest_error(approximate: FloatArray, exact: FloatArray) -> float:
    """Return the largest relative error, leaving out shifts that are all but 0."""
    if len(exact) == 0:
        return float("nan")
    known = np.isfinite(exact)
    if np.isfinite(approximate[~known]).any():
        return float("inf")
    if not known.any():
        return 0.0
    counted = known & (exact > _NEGLIGIBLE * exact[known].max())
    if not counted.any():
        return 0.0
    return float(np.max(np.abs(approximate[counted] / exact[counted] - 1)))
