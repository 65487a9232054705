"""Densities of a release: what an outsider may see, with and without a person."""

from __future__ import annotations

import numpy as np

from dpcore.figures.attackers import belief_text
from dpcore.figures.marks import densities
from dpcore.figures.theme import OTHER, STROKES, Picture, Stroke, axis, plain
from dpcore.mechanisms.base import Mechanism
from dpcore.wording import epsilon_text, significant

_POINTS = 400
_HEADROOM = 1.08
HEIGHT = "how likely (1: likeliest answer)"
"""Densities are drawn over the highest of them, so that every epsilon has one scale."""


def two_worlds_picture(
    mechanism: Mechanism,
    *,
    key: str,
    epsilon: float,
    worlds: tuple[tuple[str, float], tuple[str, float]],
    window: tuple[float, float],
    answer: str,
) -> Picture:
    """Return the densities of the release in two worlds that differ in one person.

    The takeaway is what the guarantee leaves an attacker who was undecided. Neither
    axis moves with it: ``window`` is public, and the highest density has height 1.

    Each of ``worlds`` has a name and the number that the noise is added to;
    ``mechanism`` guarantees ``epsilon`` without a delta.
    """
    positions = [position for _, position in worlds]
    x = np.sort(np.concatenate([np.linspace(*window, _POINTS), positions]))
    laws = {name: mechanism.pdf(x, position) for name, position in worlds}
    strokes = (Stroke(color=STROKES[key].color), OTHER)
    said = belief_text(epsilon, about=" which of the two is true")
    title = said[0].upper() + said[1:]
    bumps = "; ".join(f"{name}, around {significant(at)}" for name, at in worlds)
    return Picture.of(
        title,
        {answer: x, **laws},
        alt=f"Two overlapping bumps: {bumps}. Their ratio never exceeds e to the "
        f"{epsilon_text(epsilon)}. {title}.",
        traces=densities(
            x,
            {plain(name): density for name, density in laws.items()},
            strokes,
            hover="%{x:.4g}",
            fill="rgba(127,127,127,0.10)",
        ),
        xaxis=axis(plain(answer), range=list(window)),
        yaxis=axis(HEIGHT, range=[0, _HEADROOM], tickvals=[0, 1]),
    )
