"""What the last digits of noise give away. Of typed numbers alone."""

from __future__ import annotations

from dpcore.figures.attacks.looks import CARELESS, PRIVATE
from dpcore.figures.marks import rows
from dpcore.figures.theme import ROWS, Picture, axis
from dpcore.studies.attacks.floating_point import LowBits
from dpcore.wording import three_digits

_ROWS = ("b·log(u) in floating point", "whole steps of a public grid")
_HEIGHT = 220


def low_bits_picture(careless: LowBits, private: LowBits) -> Picture:
    """Return which share of the releases is possible from one answer only."""
    shares = [careless.given_away, private.given_away]
    count = len(careless.releases)
    return Picture.of(
        f"{three_digits(shares[0])} of {count:,} careless releases give the answer "
        f"away by their last digits, and {three_digits(shares[1])} of those on a grid",
        {"noise": _ROWS, "releases that the other answer cannot give": shares},
        drawn="Two bars: the share of releases that only one of the two answers can give",
        height=_HEIGHT,
        traces=[
            rows(
                _ROWS,
                [100 * share for share in shares],
                [three_digits(share) for share in shares],
                [CARELESS.color, PRIVATE.color],
            )
        ],
        xaxis=axis("releases that give it away, %", range=[0, 118]),
        yaxis=ROWS,
    )
