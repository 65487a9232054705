"""Public bins of a number."""

from __future__ import annotations

from itertools import pairwise
from typing import Final

import numpy as np

from dpcore.arrays import FloatArray
from dpcore.data.bounds import Interval
from dpcore.errors import ParameterError

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
        raise ParameterError(f"a histogram needs 2 to {MOST_BINS} bins, got {bins}.")
    edges = tuple(np.linspace(bounds.lower, bounds.upper, bins + 1).tolist())
    check_edges(edges)
    return edges


def whole_edges(bounds: Interval, bins: int) -> tuple[float, ...]:
    """Return edges on whole numbers, of as equal bins as there are.

    The last edge is the first number above the bounds, which is in no bin: bins of
    whole numbers are named by the first and the last number in them. There are fewer
    bins where the bounds hold fewer whole numbers.

    Raises:
        ParameterError: Unless there are 2 to 200 bins of whole numbers.

    >>> from dpcore.data.bounds import Interval
    >>> whole_labels(whole_edges(Interval(lower=0, upper=100), 5))
    ('0 to 19', '20 to 39', '40 to 59', '60 to 79', '80 to 100')
    >>> whole_labels(whole_edges(Interval(lower=0, upper=2), 5))
    ('0', '1', '2')

    """
    low, high = np.ceil(bounds.lower), np.floor(bounds.upper)
    count = high - low + 1
    inside = (
        np.arange(low, high + 1)
        if count <= bins
        else np.unique(np.rint(np.linspace(low, high, bins + 1)))[:-1]
    )
    return edges_at(bounds, tuple(inside[1:].tolist()), whole=True)


def edges_at(
    bounds: Interval, inside: tuple[float, ...], *, whole: bool = False
) -> tuple[float, ...]:
    """Return the bounds as the outer edges, with typed edges between them.

    An edge belongs to the bin above it. Of ``whole`` numbers the last edge is the first
    number above the bounds.

    Raises:
        ParameterError: The edges are not between the bounds, or not ascending; or not
            whole, where the numbers are.

    >>> from dpcore.data.bounds import Interval
    >>> edges_at(Interval(lower=0, upper=100), (18.0, 65.0))
    (0.0, 18.0, 65.0, 100.0)

    """
    low, high = float(bounds.lower), float(bounds.upper)
    if whole:
        low, high = float(np.ceil(low)), float(np.floor(high)) + 1
        if any(edge != np.rint(edge) for edge in inside):
            raise ParameterError("the edges of bins of whole numbers are whole numbers.")
    if not all(low < edge < high for edge in inside):
        raise ParameterError("the edges of the bins lie between the bounds of the column.")
    edges = (low, *inside, high)
    check_edges(edges)
    return edges


def check_edges(edges: tuple[float, ...]) -> None:
    """Refuse edges that are not finite and ascending, or make too few or many bins.

    Raises:
        ParameterError: If so.

    """
    if not 3 <= len(edges) <= MOST_BINS + 1:  # noqa: PLR2004 - edges of two bins
        raise ParameterError(f"a histogram needs 3 to {MOST_BINS + 1} edges, got {len(edges)}.")
    if not (np.isfinite(edges).all() and (np.diff(edges) > 0).all()):
        raise ParameterError("the edges of the bins must be finite and ascending.")


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


def whole_labels(edges: tuple[float, ...]) -> tuple[str, ...]:
    """Return the first and the last whole number of each bin.

    >>> whole_labels((0.0, 18.0, 19.0, 66.0))
    ('0 to 17', '18', '19 to 65')
    """
    pairs = ((int(one), int(other) - 1) for one, other in pairwise(edges))
    return tuple(f"{first}" if first == last else f"{first} to {last}" for first, last in pairs)


def bins_of(numbers: FloatArray, edges: tuple[float, ...]) -> FloatArray:
    """Return each number's bin; numbers beyond the edges fall into the end bins.

    >>> bins_of(np.array([-5.0, 17.9, 18.0, 65.0, 99.0]), (0.0, 18.0, 65.0))
    array([0., 0., 1., 1., 1.])
    """
    inner = np.asarray(edges[1:-1])
    return np.searchsorted(inner, numbers, side="right").astype(np.float64)
