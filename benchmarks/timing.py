"""How long a step takes."""

from __future__ import annotations

import statistics
import time
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable


def median(
    step: Callable[[], object],
    runs: int,
    *,
    clock: Callable[[], float] = time.perf_counter,
) -> float:
    """Return the seconds that a step takes: the median, after one to warm up."""
    times = []
    for _ in range(runs + 1):
        begun = clock()
        step()
        times.append(clock() - begun)
    return statistics.median(times[1:])
