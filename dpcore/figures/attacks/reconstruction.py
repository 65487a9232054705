"""How much of a secret column counts give away. CONFIDENTIAL, unless it is made up."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from dpcore.arrays import FloatArray
from dpcore.figures.attacks.looks import BEFORE, CARELESS, PRIVATE, SHARE_OF_GUESSES
from dpcore.figures.marks import NAME, dot, level, line, now, points, rows
from dpcore.figures.theme import DOTTED, GUIDE, ROWS, Picture, axis, log_axis
from dpcore.wording import at_most, epsilon_text, nearest, three_digits

_HEIGHT = 280


@dataclass(frozen=True, slots=True, kw_only=True)
class Bars:
    """How many guesses are right.

    Attributes:
        guessing: Without any counts.
        careless: By exact and rounded counts, by their names.
        private: By private counts of a total epsilon.
        epsilon: That total.
        ceiling: The most that any attack can expect at that total.

    """

    guessing: float
    careless: Mapping[str, float]
    private: float
    epsilon: float
    ceiling: float


def bars_picture(found: Bars) -> Picture:
    """Return the share of the column recovered from each kind of counts."""
    total = f"private, total ε {epsilon_text(found.epsilon)}"
    shares = {"guessing": found.guessing, **found.careless, total: found.private}
    exact = next(iter(found.careless.values()))
    colors = [BEFORE.color, *[CARELESS.color for _ in found.careless], PRIVATE.color]
    title = (
        f"Exact counts give away {nearest(exact)} of the secret column, private ones "
        f"{nearest(found.private)}, where guessing gets {nearest(found.guessing)}"
    )
    return Picture.of(
        title,
        {
            "counts": [*shares, "no attack can expect more"],
            "share of the column": [*shares.values(), found.ceiling],
        },
        drawn="Bars: how much of the column is guessed right, from each kind of "
        f"counts; at that ε no attack can expect more than {at_most(found.ceiling)}",
        height=_HEIGHT,
        traces=[
            rows(
                list(shares),
                [100 * share for share in shares.values()],
                [three_digits(share) for share in shares.values()],
                colors,
            )
        ],
        xaxis=axis(SHARE_OF_GUESSES, range=[0, 118], tickvals=[0, 25, 50, 75, 100]),
        yaxis=ROWS,
    )


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Curve:
    """How much is recovered under several totals.

    Attributes:
        epsilons: The totals, ascending, shape ``(k,)``.
        shares: Recovered shares, one list of runs a total.
        ceilings: What no attack can expect to pass, shape ``(k,)``.
        guessing: What is guessed without counts.
        chosen: The total that the page is set to.

    """

    epsilons: FloatArray
    shares: Sequence[FloatArray]
    ceilings: FloatArray
    guessing: float
    chosen: float


def curve_picture(found: Curve) -> Picture:
    """Return what is recovered as the total grows, below what is possible at all."""
    means = np.array([float(each.mean()) for each in found.shares])
    lows = np.array([float(each.min()) for each in found.shares])
    highs = np.array([float(each.max()) for each in found.shares])
    enough = np.flatnonzero(means >= _NEARLY_ALL)
    if enough.size:
        total = epsilon_text(float(found.epsilons[enough[0]]))
        title = f"Noise stops protecting the column at a total ε of about {total}"
    else:
        title = "At none of these totals do the counts give the column away"
    return Picture.of(
        title,
        {
            "total epsilon": found.epsilons,
            "recovered, mean of the runs": means,
            "least": lows,
            "most": highs,
            "no attack can expect more": found.ceilings,
        },
        drawn="Recovered shares as dots that rise with epsilon, below the line of what "
        "epsilon allows",
        height=_HEIGHT + 60,
        traces=[
            line(
                found.epsilons,
                100 * found.ceilings,
                "what ε allows any attack",
                GUIDE,
                hover="ε %{x:.3g}: at most %{y:.1f} %",
                aside=NAME,
            ),
            points(
                found.epsilons,
                100 * means,
                "this attack, mean and range of the runs",
                dot(PRIVATE.color, 9),
                hover="ε %{x:.3g}: %{y:.1f} %",
                aside=NAME,
                error_y={
                    "array": 100 * (highs - means),
                    "arrayminus": 100 * (means - lows),
                    "thickness": 1.6,
                    "width": 4,
                },
            ),
        ],
        xaxis=log_axis("total ε of all counts together", 0.07, 1500, exponentformat="none"),
        yaxis=axis(SHARE_OF_GUESSES, range=[40, 104]),
        shapes=[
            now(float(np.clip(found.chosen, 0.07, 1500)), yanchor="top", xanchor="left"),
            level(100 * found.guessing, "guessing", DOTTED, textposition="end", yanchor="top"),
        ],
    )


_NEARLY_ALL = 0.95
