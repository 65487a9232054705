"""Many people's numbers on few levels, so that a function of them is soon computed."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from dpcore.arrays import FloatArray

EXACT_UP_TO = 50_000
"""So many numbers are kept as they are."""
_COUNT = 2**15
_DECADES = 7


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Levels:
    """Numbers of at least 0, each rounded up to the next of few levels. CONFIDENTIAL.

    The levels are 0.05 % apart. Of many numbers a positive one below ``1e-7`` of the
    largest counts as that; 0, the largest one and infinity are kept.

    Attributes:
        knots: The levels, ascending.
        places: Which of them each number has; ``None`` where each has its own.

    """

    knots: FloatArray = field(repr=False)
    places: NDArray[np.uint16] | None = field(repr=False)

    @classmethod
    def of(cls, values: FloatArray) -> Self:
        """Return the levels of ``values``, shape ``(n,)``; NaN counts as infinite.

        >>> Levels.of(np.array([0.5, 2.0])).map(lambda level: 2 * level).tolist()
        [1.0, 4.0]
        """
        values = np.nan_to_num(values, nan=np.inf, posinf=np.inf)
        if len(values) <= EXACT_UP_TO:
            return cls(knots=values, places=None)
        finite = np.isfinite(values)
        top = float(np.max(values, initial=0.0, where=finite))
        knots = np.zeros(_COUNT + 2)
        knots[1:-1] = top * np.geomspace(10.0**-_DECADES, 1.0, _COUNT)
        knots[-2:] = top, math.inf
        with np.errstate(divide="ignore", invalid="ignore"):
            steps = np.log(values / top) * ((_COUNT - 1) / (_DECADES * math.log(10)))
        steps = np.nan_to_num(steps, nan=-_COUNT, posinf=_COUNT, neginf=-_COUNT)
        places = np.clip(np.ceil(steps) + _COUNT, 1, _COUNT).astype(np.uint16)
        # What rounding put one level too low.
        places += (knots[places] < values) & finite
        places[values == 0] = 0
        places[~finite] = _COUNT + 1
        return cls(knots=knots, places=places)

    def map(self, function: Callable[[FloatArray], ArrayLike]) -> FloatArray:
        """Return an increasing ``function`` of the numbers: of each, or of its level.

        So nothing comes out smaller than for the number itself.
        """
        return self.spread(np.asarray(function(self.knots), dtype=np.float64))

    def spread(self, of_knots: FloatArray) -> FloatArray:
        """Return what each number has, from what each level has."""
        return of_knots if self.places is None else of_knots[self.places]
