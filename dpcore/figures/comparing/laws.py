"""Densities of a release: what an outsider may see, with and without a person."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from dpcore.figures.theme import NEUTRAL, STROKES, Picture, canvas, plain
from dpcore.figures.wording import at_most, epsilon_text, significant
from dpcore.privacy.interpretation import best_guess

if TYPE_CHECKING:
    from dpcore.mechanisms.base import Mechanism

_POINTS = 400


def two_worlds_picture(
    mechanism: Mechanism,
    *,
    key: str,
    worlds: tuple[tuple[str, float], tuple[str, float]],
    window: tuple[float, float],
    axis: str,
    watermark: bool,
) -> Picture:
    """Return the densities of the release in two worlds that differ in one person.

    The takeaway is what an attacker who was undecided can learn from the release.
    """
    positions = [position for _, position in worlds]
    x = np.sort(np.concatenate([np.linspace(*window, _POINTS), positions]))
    figure = canvas(x=axis, y="how likely is each answer", watermark=watermark)
    lines = ((STROKES[key].color, "solid"), (NEUTRAL, "dash"))
    densities = {}
    for (name, position), (color, dash) in zip(worlds, lines, strict=True):
        densities[name] = mechanism.pdf(x, position)
        figure.add_scatter(
            x=x,
            y=densities[name],
            mode="lines",
            name=plain(name),
            line={"color": color, "dash": dash, "width": 2.5},
            fill="tozeroy",
            fillcolor="rgba(127,127,127,0.10)",
            hovertemplate="%{x:.4g}<extra>%{fullData.name}</extra>",
        )
    figure.update_yaxes(showticklabels=False)
    first, second = (np.array([position]) for position in positions)
    epsilon = float(mechanism.pair_epsilon(first, second))
    guess = float(best_guess(epsilon))
    title = (
        f"An attacker who was 50 % sure which of the two is true becomes at most "
        f"{at_most(guess)} sure"
    )
    bumps = "; ".join(f"{name}, around {significant(at)}" for name, at in worlds)
    alt = (
        f"Two overlapping bumps: {bumps}. Their ratio never exceeds e to the "
        f"{epsilon_text(epsilon)}. {title}."
    )
    return Picture(
        title=title,
        figure=figure,
        alt=alt,
        table=pd.DataFrame({axis: x, **densities}),
    )
