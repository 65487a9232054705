"""Moments of everybody's losses, over their order. CONFIDENTIAL."""

from __future__ import annotations

import numpy as np

from dpcore.arrays import FloatArray
from dpcore.errors import ParameterError

_TOP, _GROUPS = 5000, 5000


def moment_curve(ordered: FloatArray, orders: FloatArray) -> FloatArray:
    """Return ``(mean of epsilon^order)^(1 / order)`` for each order.

    In a large table neighbors in the order of losses, all but the largest 5,000, count
    as having the mean of their group of about a five-thousandth of the people.

    Args:
        ordered: Losses, ascending, at least 0, shape ``(n,)``.
        orders: At least 1, shape ``(k,)``.

    Raises:
        ParameterError: Nobody is there, or an order is below 1.

    >>> moment_curve(np.array([0.0, 0.1, 0.2]), np.array([1.0, np.inf])).round(12)
    array([0.1, 0.2])

    """
    if len(ordered) == 0 or not np.all(orders >= 1):
        raise ParameterError("moments need at least one person, and orders of at least 1.")
    largest = float(ordered[-1])
    if largest == 0 or np.isinf(largest):
        return np.full(len(orders), largest)
    n = len(ordered)
    values, weights = ordered / largest, np.ones(n)
    if n > _TOP + _GROUPS:
        starts = np.linspace(0, n - _TOP, _GROUPS, endpoint=False).astype(np.intp)
        sizes = np.diff(np.append(starts, n - _TOP))
        means = np.add.reduceat(values[: n - _TOP], starts) / sizes
        values = np.concatenate([means, values[n - _TOP :]])
        weights = np.concatenate([sizes, np.ones(_TOP)])
    weights /= n
    found = [
        1.0 if np.isinf(order) else float((weights @ values**order) ** (1 / order))
        for order in orders.tolist()
    ]
    return largest * np.array(found)
