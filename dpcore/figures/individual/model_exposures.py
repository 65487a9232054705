"""The chain of guarantees, and why the most exposed people are. CONFIDENTIAL pictures.

From the loss over all tables and people down to that of the average person here, each
number is at least as large as the next.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from dpcore.figures.individual.ladder import ladder
from dpcore.figures.marks import dot, points, vertical
from dpcore.figures.theme import DOTTED, PUBLIC, ROWS, STROKES, Picture, log_axis
from dpcore.wording import compared_with, epsilon_text, significant

if TYPE_CHECKING:
    from collections.abc import Sequence

    from dpcore.arrays import FloatArray
    from dpcore.individual.chain import Chain

_ONE = 1e-12
_ALIKE = 1.1
_NEARLY = 1.05


def chain_picture(chain: Chain, *, key: str) -> Picture:
    """Return nested losses, each with how many times it is the average person's."""
    steps = chain.steps
    losses = np.array([loss for _, loss in steps])
    texts = chain.texts
    times = [_times(loss, chain.mean) for loss in losses.tolist()]
    if chain.mixed:
        times[0] = ""
    title = _chain_title(chain)
    listed = "; ".join(
        f"{name} {text}" + (f" ({factor})" if factor else "")
        for (name, _), text, factor in zip(steps, texts, times, strict=True)
    )
    return Picture.of(
        title,
        {
            "who": [name for name, _ in steps],
            "epsilon": losses,
            "times the average person": [
                loss / chain.mean
                if chain.mean > 0 and (place or not chain.mixed)
                else np.nan
                for place, loss in enumerate(losses.tolist())
            ],
        },
        alt=f"{title}. Points from the widest claim to the narrowest, with multiples "
        f"of the average person's loss: {listed}.",
        **ladder(
            [
                name.replace(", ", ",<br>").replace(" here", "<br>here")
                for name, _ in steps
            ],
            losses.tolist(),
            [
                f"{text}<br>{factor}" if factor else text
                for text, factor in zip(texts, times, strict=True)
            ],
            [PUBLIC, *[STROKES[key].color] * (len(steps) - 1)],
        ),
    )


def _times(loss: float, mean: float) -> str:
    if not (np.isfinite(loss) and mean > 0) or loss < _NEARLY * mean:
        return ""
    return f"{significant(loss / mean, 2)} × average"


def _chain_title(chain: Chain) -> str:
    bound = "at most " if chain.upper else ""
    most = bound + significant(chain.maximum, up=chain.upper)
    average = bound + significant(chain.mean, up=chain.upper)
    if np.isinf(chain.guarantee):
        return (
            f"No guarantee over all tables is known; here the most exposed person "
            f"loses {most}, the average one {average}"
        )
    promise = epsilon_text(chain.guarantee)
    if chain.mixed and chain.relation is not None and chain.promised is not None:
        return (
            f"{compared_with(chain.relation).capitalize()}, the most exposed person "
            f"here loses {most}, the average one {average}; the guarantee of {promise} "
            f"is for {chain.promised.phrase}, which is another question"
        )
    if not chain.mean > 0:
        return f"The guarantee allows {promise}; nobody here loses anything"
    if np.isinf(chain.maximum):
        return f"The most exposed person here is given away; the guarantee is {promise}"
    if chain.guarantee <= _ALIKE * chain.mean:
        return (
            f"The guarantee allows {promise}, and everybody here loses about as much: "
            f"the most exposed person {most}, the average one {average}"
        )
    factor = significant(chain.guarantee / chain.maximum, 2)
    return (
        f"The guarantee allows {promise}: {factor} times what the most exposed person "
        f"here loses ({most}), {significant(chain.guarantee / chain.mean, 2)} times "
        f"the average ({average})"
    )


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Split:
    """Why the most exposed people are: an unusual record, or a badly predicted one.

    The move of the coefficients is the product of both, so that each is told in
    multiples of the median person's. Shapes ``(k,)``, the most exposed first.

    Attributes:
        rows: Row of each person in the table, from 1.
        pull: How strongly the record pulls, over the median of all people.
        cause: What the first is called.
        miss: How far the prediction without the person misses, over that median.
        epsilon: Own loss of each person.

    """

    rows: Sequence[int]
    pull: FloatArray
    cause: str
    miss: FloatArray
    epsilon: FloatArray


def split_picture(split: Split) -> Picture:
    """Return, for each of the most exposed, both causes in multiples of the median."""
    names = [f"row {row}" for row in split.rows]
    parts = [
        (f"how unusual the record is ({split.cause})", split.pull, STROKES["laplace"]),
        ("how far the prediction misses it", split.miss, STROKES["bit"]),
    ]
    drawn = np.clip([split.pull, split.miss, np.ones(len(names))], 1e-3, 1e6)
    return Picture.of(
        _split_title(split),
        {
            "row": list(split.rows),
            f"{split.cause}, times the median": split.pull,
            "residual, times the median": split.miss,
            "own epsilon": split.epsilon,
        },
        drawn=f"Two dots for each of {len(names)} people",
        traces=[
            points(
                np.clip(times, 1e-3, 1e6),
                names,
                name,
                dot(stroke.color, 11, stroke.symbol),
                hover="%{y}: %{x:.3g} times the median",
            )
            for name, times, stroke in parts
        ],
        height=130 + 30 * len(names),
        xaxis=log_axis("times the median person", drawn.min() / 2, 2 * drawn.max()),
        yaxis=ROWS,
        shapes=[vertical(1, stroke=DOTTED)],
    )


def _split_title(split: Split) -> str:
    pull, miss = float(split.pull[0]), float(split.miss[0])
    who = f"Row {split.rows[0]} is most exposed"
    if not (np.isfinite(pull) and np.isfinite(miss)):
        return f"{who}: the fit rests on this record alone"
    return (
        f"{who}: the record pulls the model {significant(pull, 2)} times as hard as "
        f"that of the median person, and the prediction is {significant(miss, 2)} "
        "times as far off"
    )


def audit_text(error: float, *, people: int, refitted: int = 100) -> str:
    """Return what the audit of an approximation found, as a sentence.

    ``refitted`` people, at most, were fitted again without them.

    >>> print(audit_text(0.012, people=5000))
    Checked on up to 100 of 5,000 people: fitted again without them, the approximation \
was off by at most 1.2 %.
    """
    checked = (
        f"all {people:,} people"
        if refitted >= people
        else f"up to {refitted:,} of {people:,} people"
    )
    found = (
        "somebody is left without a fit"
        if np.isinf(error)
        else f"the approximation was off by at most {significant(100 * error, 2)} %"
    )
    return f"Checked on {checked}: fitted again without them, {found}."
