"""What each way of keeping to the bounds gives away, and how biased it is."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from dpcore.figures.marks import rows, vertical
from dpcore.figures.theme import NEUTRAL, ROWS, STROKES, Picture, Stroke, axis, plain
from dpcore.wording import epsilon_text, percent

_MOST_TIMES: Final = 2.6
"""End of the axis, in promised epsilons: no way gives away more than 2."""
_MOST_BIAS: Final = 62.0
"""End of the axis, in percent: no answer is more than half of the range too high."""
_PROMISE: Final = Stroke(color=NEUTRAL, dash="dash", width=2)


@dataclass(frozen=True, slots=True, kw_only=True)
class Fault:
    """One way of keeping to the bounds.

    Attributes:
        name: What it is called on the page.
        epsilon: What it gives away.
        bias: How far too high it is at the lower bound, as a share of the range.
        key: The mechanism, for its color.

    """

    name: str
    epsilon: float
    bias: float
    key: str


def faults_picture(faults: Sequence[Fault], *, promised: float) -> Picture:
    """Return what was given away above, as bars, and the biases below.

    The upper bars are drawn over what was ``promised``, so that no axis moves with it.
    """
    worst = max(faults, key=lambda fault: fault.epsilon)
    title = (
        f"ε {promised:g} was promised; “{worst.name}” gives away ε "
        f"{epsilon_text(worst.epsilon)}, and near the bound all of them are biased"
    )
    names = [plain(fault.name) for fault in faults]
    colors = [STROKES[fault.key].color for fault in faults]
    promise = vertical(1.0, stroke=_PROMISE) | {"y0": 0.61}
    return Picture.of(
        title,
        {
            "way": [fault.name for fault in faults],
            "epsilon given away": [fault.epsilon for fault in faults],
            "too high by, share of the range": [fault.bias for fault in faults],
        },
        drawn="; ".join(
            f"{fault.name}: gives away ε {epsilon_text(fault.epsilon)}, too high by "
            f"{percent(fault.bias)}"
            for fault in faults
        ),
        height=400,
        traces=[
            rows(
                names,
                [fault.epsilon / promised for fault in faults],
                [f"ε {epsilon_text(fault.epsilon)}" for fault in faults],
                colors,
            ),
            rows(
                names,
                [100 * fault.bias for fault in faults],
                [f"{percent(fault.bias).removesuffix(' %')} points" for fault in faults],
                colors,
                xaxis="x2",
                yaxis="y2",
            ),
        ],
        shapes=[promise],
        xaxis=axis(
            "given away (dashed: promised)",
            range=[0, _MOST_TIMES],
            tickvals=[0, 1, 2],
            ticktext=["0", "as promised", "twice"],
            anchor="y",
        ),
        yaxis=axis("", domain=[0.63, 1], **ROWS),
        xaxis2=axis("too high, percentage points", range=[0, _MOST_BIAS], anchor="y2"),
        yaxis2=axis("", domain=[0, 0.33], anchor="x2", **ROWS),
        showlegend=False,
    )
