"""Where a curve of delta comes down to 0, so that its line ends."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from dpcore.data.bounds import FloatArray

WORDS = "δ is 0 from here on"


def ending(
    epsilon: FloatArray, delta: FloatArray, *, least: float, color: str
) -> list[dict[str, Any]]:
    """Return a mark where ``delta`` comes down to 0, or nothing where it does not.

    Args:
        epsilon: Ascending.
        delta: At these.
        least: The lower end of the logarithmic axis, where the mark stands.
        color: That of the line.

    """
    (gone,) = np.nonzero(delta <= 0)
    if not len(gone) or gone[0] == 0:
        return []
    at = float(epsilon[gone[0]])
    middle = float(np.sqrt(max(epsilon[0], 1e-12) * epsilon[-1]))
    mark = {
        "type": "scatter",
        "x": [at],
        "y": [least],
        "mode": "markers+text",
        "marker": {"symbol": "x", "size": 9, "color": color},
        "text": [WORDS],
        "textposition": "top right" if at < middle else "top left",
        "textfont": {"color": color},
        "cliponaxis": False,
        "showlegend": False,
        "name": WORDS,
        "hovertemplate": "from ε %{x:.4g} on δ is 0<extra></extra>",
    }
    return [mark]
