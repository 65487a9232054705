"""Where a guarantee begins to hold, for numbers without a closed form."""

from __future__ import annotations

from collections.abc import Callable

_MOST = 200


def halved(
    holds: Callable[[float], bool],
    low: float,
    high: float,
    *,
    times: int = _MOST,
    within: float = 0.0,
) -> tuple[float, float]:
    """Return the ends of a bracket, halved, between which ``holds`` turns true.

    It is taken not to hold at ``low`` and to hold at ``high``, and to turn once. Which
    of the two ends lies on the private side is known to the caller.

    Args:
        holds: What is asked of a number.
        low: Where it does not hold.
        high: Where it does.
        times: After so many halvings it ends, or when no float lies in between.
        within: It also ends when the bracket is no wider than this share of ``high``.

    >>> low, high = halved(lambda x: x * x >= 2, 0.0, 9.0)
    >>> low * low < 2 <= high * high, round(high, 12)
    (True, 1.414213562373)

    """
    for _ in range(times):
        middle = (low + high) / 2
        if middle in {low, high} or high - low <= within * high:
            break
        low, high = (low, middle) if holds(middle) else (middle, high)
    return low, high
