"""Splitting a budget by shares, some of them locked."""

from __future__ import annotations

import math

from dpcore.errors import ParameterError

_ALL = 100.0
_MOST = 1e6


def rebalanced(shares: tuple[float, ...], locked: tuple[bool, ...]) -> tuple[float, ...]:
    """Return shares in percent with sum 100: locked ones stay, the others make room.

    The others keep their proportions. If all are locked, they have to fit.

    Raises:
        ParameterError: A share is not positive or beyond a million percent, or the
            locked ones leave no room.

    >>> rebalanced((60.0, 50.0, 50.0), (True, False, False))
    (60.0, 20.0, 20.0)

    """
    if not all(0 < share <= _MOST for share in shares):
        raise ParameterError(f"every share of the budget must be positive, at most {_MOST:,.0f} %.")
    pairs = list(zip(shares, locked, strict=True))
    kept = math.fsum(share for share, lock in pairs if lock)
    free = math.fsum(share for share, lock in pairs if not lock)
    room = _ALL - kept
    if free == 0:
        if not math.isclose(kept, _ALL):
            raise ParameterError(f"all shares are locked and add up to {kept:g} %, not 100 %.")
        return shares
    if room <= 0:
        raise ParameterError(f"the locked shares add up to {kept:g} %; leave room for the others.")
    return tuple(share if lock else share * room / free for share, lock in pairs)
