"""The mean of a population from released means of strata and their public sizes.

It is ``sum(N_h m_h) / sum(N_h)`` with ``N_h`` the public size of stratum ``h`` in the
population and ``m_h`` its released mean (Neyman 1934): post-processing, which costs
nothing. The intervals of all strata hold together at one level. So does what follows
from them: the weighted mean of their ends holds at that level, whatever the noise is.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from dpcore.errors import ParameterError
from dpcore.inference.group_differences import IntervalEstimate


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
