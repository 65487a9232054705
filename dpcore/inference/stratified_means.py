"""The mean of a population from released means of strata and their public sizes.

It is ``sum(N_h m_h) / sum(N_h)`` with ``N_h`` the public size of stratum ``h`` in the
population and ``m_h`` its released mean (Neyman 1934): post-processing, which costs
nothing. The intervals of all strata hold together at one level. So does what follows
from them: the weighted mean of their ends holds at that level, whatever the noise is.

**Finite population correction.** A stratum of ``N`` of which ``n`` rows are a simple random
sample without replacement has a sampling variance of ``1 - n/N`` times that of a sample
with replacement (Cochran 1977, section 2.5). So its interval reaches ``√(1 - n/N)`` times
as far beyond that of its table. ``n`` is the lower end of its released interval, and
``n/N`` counts as 0.9 at most, because rare values in a small rest have no normal law. The
intervals that are corrected bound sampling by Bernstein's inequality at the largest
variance, or at the largest one that a released standard deviation leaves. Tests enumerate
populations of 0 and 1, where that variance is reached.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from typing import Final

import numpy as np

from dpcore.errors import ParameterError
from dpcore.inference.group_differences import IntervalEstimate

_MOST_SAMPLED: Final = 0.9


def corrected(
    strata: Sequence[IntervalEstimate], sizes: Sequence[float], rows: Sequence[float]
) -> list[IntervalEstimate]:
    """Return the strata with the finite population correction.

    Args:
        strata: Their means, with intervals by Bernstein's inequality.
        sizes: The public number of rows of each in the population.
        rows: The least number of rows of each in the table that is not contradicted.

    Raises:
        ParameterError: There is not one size for each stratum, or one is less than ``rows``.

    >>> one = IntervalEstimate(value=10.0, noise=(9.0, 11.0), total=(5.0, 15.0))
    >>> corrected([one], [400], [300])[0].total
    (7.0, 13.0)

    """
    pairs = zip(rows, sizes, strict=False)
    if len(sizes) != len(strata) or any(known > size > 0 for known, size in pairs):
        raise ParameterError("a population has at least the rows of the table, in each group.")
    return [_reaching(*each) for each in zip(strata, sizes, rows, strict=True)]


def _reaching(one: IntervalEstimate, size: float, rows: float) -> IntervalEstimate:
    if one.total is None or size <= 0:
        return one
    part = math.sqrt(1 - min(rows / size, _MOST_SAMPLED))
    (low, high), (first, last) = one.noise, one.total
    return replace(one, total=(low - part * (low - first), high + part * (last - high)))


def stratified(strata: Sequence[IntervalEstimate], sizes: Sequence[float]) -> IntervalEstimate:
    """Return the mean of all strata by public sizes, with intervals.

    Raises:
        ParameterError: There is not one size for each stratum, at least 0 and not all 0.

    >>> one = IntervalEstimate(value=10.0, noise=(9.0, 11.0))
    >>> other = IntervalEstimate(value=20.0, noise=(19.0, 23.0))
    >>> stratified((one, other), (300, 100))
    IntervalEstimate(value=12.5, noise=(11.5, 14.0), total=None)

    """
    known = np.array(sizes, dtype=np.float64)
    if len(known) != len(strata) or not (known >= 0).all() or not 0 < known.sum() < np.inf:
        raise ParameterError(
            f"name {len(strata)} public sizes, one for each group, from 0 up and not all 0."
        )
    shares = known / known.sum()

    def weighted(numbers: Sequence[float]) -> float:
        return float(shares @ np.array(numbers))

    def ends(each: Sequence[tuple[float, float]]) -> tuple[float, float]:
        return weighted([low for low, _ in each]), weighted([high for _, high in each])

    totals = [one.total for one in strata if one.total is not None]
    return IntervalEstimate(
        value=weighted([one.value for one in strata]),
        noise=ends([one.noise for one in strata]),
        total=ends(totals) if len(totals) == len(strata) else None,
    )
