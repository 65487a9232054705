"""What the pictures of the resized bootstrap have in common."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from dpcore.figures.theme import STROKES
from dpcore.mechanisms.resized import bootstrap as resized_bootstrap
from dpcore.mechanisms.resized import repair as resized_repair
from dpcore.wording import significant

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

    from dpcore.studies.resampling.resized.attacks import AttackCurve

_FEW = 100
_MARGIN = 0.04
PUBLISHED = STROKES[resized_bootstrap.KEY]
REPAIRED = STROKES[resized_repair.KEY]
RARE = "#D55E00"
"""Color of what concerns a trait that one person has."""


COMMON = "#8C510A"
"""Color of a trait that several people have, where it stands beside the repair."""


def chance(share: float) -> str:
    """Return a probability as a percentage, with three digits.

    >>> chance(0.0952078), chance(0.0), chance(1.0)
    ('9.52 %', '0 %', '100 %')
    """
    return f"{significant(100 * share)} %"


def whole(numbers: ArrayLike) -> dict[str, Any]:
    """Return the ticks of a logarithmic axis of whole numbers: 1, 10, 100.

    Where they span less than that, 1, 2 and 5 as well. The axis ends at a power of ten,
    so that it seldom moves.

    >>> whole([1, 40])["tickvals"], whole([1, 40_000])["tickvals"][-2:]
    ([1, 2, 5, 10, 20, 50], [10000, 100000])
    """
    most = max(int(np.max(numbers)), 2)
    powers = range(math.ceil(math.log10(most)) + 1)
    steps = (1, 2, 5) if most < _FEW else (1,)
    ticks = [step * 10**power for power in powers for step in steps]
    ticks = ticks[: next((i for i, t in enumerate(ticks) if t >= most), len(ticks)) + 1]
    return {
        "tickvals": ticks,
        "ticktext": [f"{tick:,}" for tick in ticks],
        "range": [-_MARGIN, powers[-1] + _MARGIN],
    }


def attack_table(curve: AttackCurve) -> pd.DataFrame:
    """Return the twin of a figure of an attack."""
    return pd.DataFrame(
        {
            "scores": curve.scores,
            "exact": curve.exact,
            "simulated": curve.simulated,
            "standard error": curve.error,
        }
    )
