"""How long a step takes."""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable
from dataclasses import dataclass, field


def median(
    step: Callable[[], object], runs: int, *, clock: Callable[[], float] = time.perf_counter
) -> float:
    """Return the seconds that a step takes: the median, after one to warm up."""
    times = []
    for _ in range(runs + 1):
        begun = clock()
        step()
        times.append(clock() - begun)
    return statistics.median(times[1:])


@dataclass(frozen=True, slots=True, kw_only=True)
class Spans:
    """How long a step took, each time that it was done."""

    seconds: list[float] = field(default_factory=list)
    processor: list[float] = field(default_factory=list)

    def again(self, step: Callable[[], object], runs: int) -> None:
        """Do the step some more times, after once to warm up."""
        step()
        for _ in range(runs):
            self.once(step)

    def once(self, step: Callable[[], object]) -> None:
        """Do the step once more."""
        begun, used = time.perf_counter(), time.process_time()
        step()
        self.seconds.append(time.perf_counter() - begun)
        self.processor.append(time.process_time() - used)

    @property
    def middle(self) -> float:
        """Return the median of the seconds."""
        return statistics.median(self.seconds)

    @property
    def least(self) -> float:
        """Return the least of the seconds: what the least disturbed time took."""
        return min(self.seconds)

    @property
    def busy(self) -> float:
        """Return the median of the seconds of the processor."""
        return statistics.median(self.processor)

    def __str__(self) -> str:
        """Return the median, the range, and the median time of the processor."""
        return (
            f"{self.middle:.2f} s ({min(self.seconds):.2f} to {max(self.seconds):.2f} "
            f"in {len(self.seconds)} times, {statistics.median(self.processor):.2f} s "
            "of the processor)"
        )
