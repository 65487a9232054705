"""One sanitized matrix of two or three variables, and how often such a one is odd."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np

from dpcore.arrays import FloatArray
from dpcore.errors import ParameterError
from dpcore.mechanisms.covariances import CovarianceRelease, correlations_of, matrix_of, vector_of
from dpcore.postprocessing.psd_repair import Repaired, repair
from dpcore.studies.covariances.design import Design

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
    design: Design,
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
