"""The score of a game about one person. CONFIDENTIAL, unless it is made up."""

from __future__ import annotations

import numpy as np

from dpcore.arrays import FloatArray
from dpcore.figures.attacks.looks import BEFORE, CARELESS, PRIVATE, SHARE_OF_GUESSES
from dpcore.figures.marks import NAME, level, line, rows, vertical
from dpcore.figures.theme import GUIDE, ROWS, Picture, axis
from dpcore.wording import at_most, epsilon_text, nearest, three_digits

_HEIGHT = 260
_TICKS = 10


def machine_picture(
    *, careless: float, private: float, expected: float, epsilon: float, limit: float
) -> Picture:
    """Return how often the likelihood ratio test is right, and what is promised.

    ``careless`` and ``private`` are shares of simulated rounds, ``expected`` is the
    exact chance, and ``limit`` what epsilon allows any test.
    """
    shares = {
        "tossing a coin": 0.5,
        "exact total": careless,
        f"private total, ε {epsilon_text(epsilon)}": private,
    }
    return Picture.of(
        f"Against the exact total the test is right {nearest(careless)} of the time, "
        f"against the private one {nearest(private)}; ε {epsilon_text(epsilon)} "
        f"promises at most {at_most(limit)}",
        {
            "against": [*shares, "private total, exactly", "promised at most"],
            "right": [*shares.values(), expected, limit],
        },
        drawn="Bars: how often the guess is right, and a line at what is promised",
        height=_HEIGHT,
        traces=[
            rows(
                list(shares),
                [100 * share for share in shares.values()],
                [three_digits(share) for share in shares.values()],
                [BEFORE.color, CARELESS.color, PRIVATE.color],
            )
        ],
        xaxis=axis(SHARE_OF_GUESSES, range=[0, 118], tickvals=[0, 25, 50, 75, 100]),
        yaxis=ROWS,
        shapes=[vertical(100 * limit, "promised", GUIDE)],
    )


def score_picture(yours: FloatArray, machine: FloatArray, *, limit: float) -> Picture:
    """Return the reader's score after each round, beside the machine's.

    ``yours`` and ``machine`` say of each round whether the guess was right, 1 or 0.
    """
    played = np.arange(1, len(yours) + 1)
    mine, other = (np.cumsum(each) / played for each in (yours, machine))
    count = "1 round" if len(yours) == 1 else f"{len(yours)} rounds"
    return Picture.of(
        f"After {count} you were right {nearest(float(mine[-1]))} of the time, the "
        f"machine {nearest(float(other[-1]))}; in the long run at most "
        f"{at_most(limit)}",
        {"round": played, "you": mine, "the machine": other},
        drawn="Two lines: the share of right guesses after each round",
        height=_HEIGHT,
        traces=[
            line(
                played,
                100 * share,
                name,
                stroke,
                hover="after %{x} rounds: %{y:.0f} %",
                aside=NAME,
                marker={"color": stroke.color, "size": 7, "symbol": stroke.symbol},
            )
            for name, share, stroke in (("you", mine, PRIVATE), ("the machine", other, BEFORE))
        ],
        xaxis=axis("round", range=[0.5, len(yours) + 0.5], dtick=-(-len(yours) // _TICKS)),
        yaxis=axis(SHARE_OF_GUESSES, range=[-4, 106]),
        shapes=[level(100 * limit, "promised", GUIDE, textposition="start")],
    )
