"""Public bins of a number."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING, Final

import numpy as np

from dpcore.errors import ParameterError

if TYPE_CHECKING:
    from dpcore.arrays import FloatArray
    from dpcore.data.bounds import Interval

MOST_BINS: Final = 200


def equal_edges(bounds: Interval, bins: int) -> tuple[float, ...]:
    """Return the edges of ``bins`` bins of equal width between the bounds.

    Raises:
        ParameterError: Unless there are 2 to 200 bins, with finite edges.

    >>> from dpcore.data.bounds import Interval
    >>> equal_edges(Interval(lower=0, upper=100), 4)
    (0.0, 25.0, 50.0, 75.0, 100.0)

    """
    if not 2 <= bins <= MOST_BINS:  # noqa: PLR2004 - one bin tells nothing apart
        message = f"a histogram needs 2 to {MOST_BINS} bins, got {bins}."
        raise ParameterError(message)
    edges = tuple(np.linspace(bounds.lower, bounds.upper, bins + 1).tolist())
    check_edges(edges)
    return edges


def check_edges(edges: tuple[float, ...]) -> None:
    """Refuse edges that are not finite and ascending, or make too few or many bins.

    Raises:
        ParameterError: If so.

    """
    if not 3 <= len(edges) <= MOST_BINS + 1:  # noqa: PLR2004 - edges of two bins
        message = f"a histogram needs 3 to {MOST_BINS + 1} edges, got {len(edges)}."
        raise ParameterError(message)
    if not (np.isfinite(edges).all() and (np.diff(edges) > 0).all()):
        message = "the edges of the bins must be finite and ascending."
        raise ParameterError(message)


def bin_labels(edges: tuple[float, ...]) -> tuple[str, ...]:
    """Return the name of each bin; all but the last leave out their upper edge.

    >>> bin_labels((0.0, 18.0, 65.0))
    ('[0, 18)', '[18, 65]')
    """
    for digits in (12, 17):  # 17 tell any two floats apart
        ends = [f"{edge:.{digits}g}" for edge in edges]
        names = [f"[{lower}, {upper})" for lower, upper in pairwise(ends)]
        if len(set(names)) == len(names):
            break
    return (*names[:-1], f"[{ends[-2]}, {ends[-1]}]")


def bins_of(numbers: FloatArray, edges: tuple[float, ...]) -> FloatArray:
    """Return each number's bin; numbers beyond the edges fall into the end bins.

    >>> bins_of(np.array([-5.0, 17.9, 18.0, 65.0, 99.0]), (0.0, 18.0, 65.0))
    array([0., 0., 1., 1., 1.])
    """
    inner = np.asarray(edges[1:-1])
    return np.searchsorted(inner, numbers, side="right").astype(np.float64)
