"""Privacy against accuracy of a released model. CONFIDENTIAL picture."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from dpcore.figures.marks import NAME, line, points, ring
from dpcore.figures.theme import NEUTRAL, PUBLIC, STROKES, Picture, Stroke, log_axis
from dpcore.wording import epsilon_text, significant

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from dpcore.arrays import FloatArray
    from dpcore.studies.individual.frontier import Frontier

_PROMISE = Stroke(color=PUBLIC, dash="dash")
_PLAIN = Stroke(color=NEUTRAL, dash="dashdot")
_LIMIT = Stroke(color="#CC79A7", dash="longdash")


def frontier_picture(found: Frontier, *, key: str) -> Picture:
    """Return error over loss: one line for the guarantee and two for people here.

    The same noise is at the same height on every line; the page's own is marked.
    """
    color = STROKES[key].color
    curves = [
        ("guarantee (DP)", found.guarantee, _PROMISE),
        ("most exposed here", found.maximum, Stroke(color=color)),
        ("average here", found.mean, Stroke(color=color, dash="dot")),
    ]
    shown = np.concatenate([loss for _, loss, _ in curves])
    shown = shown[_known(shown)]
    ends = np.array([shown.min(), shown.max()] if len(shown) else [0.1, 1.0])
    levels = [
        ("without noise for privacy", found.without_noise, _PLAIN),
        ("Cramér-Rao limit", found.cramer_rao, _LIMIT),
    ]
    here = [(found.at(loss), stroke.color) for _, loss, stroke in curves]
    here = [(loss, color) for loss, color in here if _known(loss)]
    hover = "epsilon %{x:.3g}: error %{y:.3g}"
    title = _title(found)
    limit = (
        f" Cramér-Rao limit: {significant(found.cramer_rao)}."
        if np.isfinite(found.cramer_rao)
        else ""
    )
    return Picture.of(
        title,
        {
            "precision gamma": found.gamma,
            "typical error": found.error,
            "from the noise alone": found.noise,
            "epsilon, guarantee": found.guarantee,
            "epsilon, most exposed": found.maximum,
            "epsilon, average": found.mean,
        },
        alt=f"Lines that fall as more privacy is given up. {title}.{limit}",
        traces=[
            *(
                line(
                    loss[_known(loss)],
                    found.error[_known(loss)],
                    name,
                    stroke,
                    hover=hover,
                    aside=NAME,
                )
                for name, loss, stroke in curves
            ),
            points(
                [loss for loss, _ in here],
                [found.at(found.error)] * len(here),
                marker=ring([color for _, color in here], 12),
                hover="the page is set here: epsilon %{x:.3g}",
                showlegend=False,
            ),
            *(
                line(ends, [level, level], name, stroke, hover=hover, aside=NAME)
                for name, level, stroke in levels
                if np.isfinite(level)
            ),
        ],
        height=440,
        xaxis=log_axis("privacy loss, epsilon", dtick=1, exponentformat="power"),
        yaxis=log_axis("typical error of the coefficients", exponentformat="power"),
    )


def _known(losses: FloatArray | float) -> NDArray[np.bool_]:
    """Tell which losses have a place on a log axis."""
    return np.isfinite(losses) & (np.asarray(losses) > 0)


def _title(found: Frontier) -> str:
    noise = significant(found.at(found.noise), 3)
    if np.isfinite(found.without_noise):
        size = (
            f"{significant(found.at(found.error), 3)}: {noise} from the noise, "
            f"{significant(found.penalty, 3)} from the penalty and "
            f"{significant(found.targets, 3)} from the scatter of the targets"
        )
    else:
        size = f"{noise} from the noise alone"
    most = significant(found.at(found.maximum))
    average = significant(found.at(found.mean))
    promise = found.at(found.guarantee)
    guarantee = (
        f"the guarantee allows {epsilon_text(promise)}"
        if np.isfinite(promise)
        else "no guarantee is known"
    )
    return (
        f"The typical error of the coefficients is {size}; "
        f"{guarantee}, the most exposed person loses {most}, the average one {average}"
    )
