"""Which mechanism has the least error, over position and epsilon."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from dpcore.arrays import FloatArray
    from dpcore.studies.comparing.tradeoffs import Setting

_SAME = 0.01


@dataclass(frozen=True, slots=True, kw_only=True)
class Winners:
    """Which mechanism has the smallest error, over position and epsilon.

    Attributes:
        keys: The mechanisms compared.
        position: Shape ``(p,)``, as a share of the way between the bounds.
        epsilon: Shape ``(e,)``.
        best: Shape ``(e, p)``: index into ``keys``; ``len(keys)`` where the best two
            differ by less than 1 %.
        saving: Shape ``(e, p)``: how much smaller its RMSE is than the runner-up's.

    """

    keys: tuple[str, ...]
    position: FloatArray
    epsilon: FloatArray
    best: NDArray[np.intp]
    saving: FloatArray

    def share(self, index: int) -> float:
        """Return the share of the map that has that index in ``best``."""
        return float(np.mean(self.best == index))


def winners(
    setting: Setting, keys: Sequence[str], epsilons: FloatArray, points: int
) -> Winners:
    """Return the mechanism of least mean squared error at each place and epsilon."""
    places = np.linspace(0.0, 1.0, points)
    low, high = setting.window
    positions = low + places * (high - low)
    rmse = np.array(
        [
            [
                np.sqrt(
                    replace(setting, epsilon=float(e)).mechanism(key).mse(positions)
                )
                for e in epsilons
            ]
            for key in keys
        ]
    )
    ranked = np.sort(rmse, axis=0)
    with np.errstate(invalid="ignore", divide="ignore"):
        saving = np.nan_to_num(1 - ranked[0] / ranked[1])
    return Winners(
        keys=tuple(keys),
        position=places,
        epsilon=np.asarray(epsilons),
        best=np.where(saving < _SAME, len(keys), np.argmin(rmse, axis=0)),
        saving=saving,
    )
