"""How often somebody may try something within a time."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Final

MOST_KEYS: Final = 10_000
"""How many names are counted at once; beyond them all others are at their limit."""


@dataclass(slots=True, kw_only=True)
class RateLimit:
    """A count by name, which begins anew after some time. The caller holds a lock.

    Attributes:
        most: How often a name may be counted within the time.
        within: The time.

    """

    most: int
    within: timedelta
    _counts: dict[str, int] = field(default_factory=dict)
    _window: float = -math.inf

    def reached(self, name: str, *, now: datetime) -> bool:
        """Return whether a name is at its limit."""
        self._begin(now)
        if name not in self._counts and len(self._counts) >= MOST_KEYS:
            return True
        return self._counts.get(name, 0) >= self.most

    def count(self, name: str, *, now: datetime) -> None:
        """Count a name once."""
        self._begin(now)
        self._counts[name] = self._counts.get(name, 0) + 1

    def _begin(self, now: datetime) -> None:
        """Forget the counts of an earlier time."""
        window = now.timestamp() // self.within.total_seconds()
        if window != self._window:
            self._window = window
            self._counts.clear()
