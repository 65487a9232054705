"""A private number of people in the scale of the noise: the leak, and the cure."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from dpcore.arrays import FloatArray
from dpcore.figures.theme import NEUTRAL, STYLES, LineStyle, Picture, axis, log_axis, whole_decades
from dpcore.figures.traces import dot, interval, level, line, points
from dpcore.formatting import epsilon_text, percent, significant
from dpcore.studies.comparing.private_size import PrivateSize

_POINTS = 241
_LEAST, _LARGEST = 0.2, 3.1
"""Powers of ten of the numbers of people that the page knows."""
_WIDTHS = 3
"""How many widths of the bounds the figure looks beyond them."""


def leak_picture(size: PrivateSize, *, widest: float) -> Picture:
    """Return how much each possible answer speaks for or against one person.

    The axes hold what the epsilon ``widest`` needs, so that no smaller one moves them.
    """
    bounds, epsilon = size.bounds, size.epsilon
    reach = _WIDTHS * bounds.width
    y = np.linspace(bounds.lower - reach, bounds.upper + reach, _POINTS)
    revealed = size.log_ratio(y)
    inside = np.linspace(bounds.lower, bounds.upper, _POINTS)
    ends = size.log_ratio_at_bounds()
    clamped = np.concatenate([[ends[0]], size.log_ratio(inside[1:-1]), [ends[1]]])
    bit = STYLES["bit"]
    far = abs(float(revealed[0]))
    largest = replace(size, epsilon=max(widest, epsilon))
    deepest = abs(float(largest.log_ratio(y[:1])[0]))
    return Picture.of(
        (
            f"Promised ε = {epsilon_text(epsilon)}; an answer of {significant(y[0])} gives "
            f"away {epsilon_text(far)}, and farther out ever more"
        ),
        {"published mean": y, "log ratio, Laplace": revealed},
        drawn=f"A tent that falls on both sides without limit, to -{epsilon_text(far)} "
        f"at {significant(y[0])}. Clamped, it ends at the bounds, never farther from 0 "
        f"than {epsilon_text(size.clamped_level)}",
        traces=[
            line(y, revealed, "Laplace, not clamped", STYLES["laplace"]),
            line(inside, clamped, "BIT (clamped)", replace(bit, width=4)),
            points(
                [bounds.lower, bounds.upper],
                ends,
                "BIT at a bound",
                dot(bit.color, 10, bit.symbol),
                showlegend=False,
            ),
        ],
        shapes=[
            level(
                at,
                f"promised: {word}{epsilon_text(epsilon)}",
                LineStyle(color=NEUTRAL, dash="dash"),
                textposition="start",
                yanchor="bottom" if at > 0 else "top",
            )
            for at, word in ((epsilon, "at most "), (-epsilon, "at least −"))
        ],
        xaxis=axis("published mean", range=[float(y[0]), float(y[-1])]),
        yaxis=axis(
            "log likelihood ratio", range=[-1.1 * deepest, largest.clamped_level + 0.15 * deepest]
        ),
    )


def price_picture(
    sizes: Sequence[PrivateSize],
    simulated: FloatArray,
    now: PrivateSize,
    *,
    place: float,
    epsilons: tuple[float, float],
) -> Picture:
    """Return the error of the noisy average beside that of a public number of people.

    ``simulated`` holds the typical error of the noisy average and its standard error,
    shape ``(m, 2)``, one row for each of ``sizes``; the last row is that of ``now``.
    The axes hold every epsilon of ``epsilons``, from the least to the largest.
    """
    people = np.array([size.people for size in sizes], dtype=np.float64)
    public = np.array([size.public_error(place) for size in sizes])
    noisy, error = simulated[:, 0], simulated[:, 1]
    order = np.argsort(people)
    more = float(noisy[-1] / public[-1]) - 1
    price = (
        f"{percent(more)} more error than with a public number"
        if more > 0
        else "no more error than with a public number"
    )
    powers = {"exponentformat": "power", "dtick": 1}
    # The ends of the errors that any epsilon has, as powers of ten.
    known = [
        replace(size, epsilon=epsilon).public_error(place) for size in sizes for epsilon in epsilons
    ]
    # Of many people and few: a noisy average errs a few times as much.
    low, high = whole_decades(min(known), 3.0 * max(known))
    return Picture.of(
        f"Hiding the number among {now.people} people costs {price}",
        {
            "people": people[order],
            "noisy average": noisy[order],
            "standard error": error[order],
            "number public (BIT)": public[order],
        },
        drawn=f"Typical error against the number of people. At {now.people} people: "
        f"noisy average {significant(float(noisy[-1]))}, public number "
        f"{significant(float(public[-1]))}",
        traces=[
            line(people[order], public[order], "number public (BIT)", STYLES["bit"]),
            points(
                people,
                noisy,
                "noisy average, simulated",
                dot(NEUTRAL, 9, "diamond"),
                error_y=interval(2 * error, thickness=1.2, width=3),
            ),
        ],
        xaxis=log_axis("number of people", range=[_LEAST, _LARGEST], **powers),
        yaxis=log_axis("typical error", range=[math.log10(low), math.log10(high)], **powers),
    )
