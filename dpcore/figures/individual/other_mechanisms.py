"""Losses of the same people through several mechanisms. CONFIDENTIAL picture."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from dpcore.figures.marks import dot, points
from dpcore.figures.theme import ROWS, STROKES, Picture, log_axis
from dpcore.mechanisms.catalog import CATALOG
from dpcore.wording import epsilon_text, significant

if TYPE_CHECKING:
    from collections.abc import Sequence

    from dpcore.studies.individual.other_mechanisms import OtherExposure

_ROUNDING = 1e-6
_VISIBLE = 1e-3


def others_picture(others: Sequence[OtherExposure]) -> Picture:
    """Return guarantee, largest and average loss of each mechanism, one a row."""
    names = [CATALOG[other.key].label for other in others]
    colors = [STROKES[other.key].color for other in others]
    kinds = [
        ("guarantee (DP)", [o.worst_case for o in others], "line-ns-open"),
        ("most exposed here", [o.maximum for o in others], "diamond"),
        ("average here", [o.mean for o in others], "circle"),
    ]
    listed = "; ".join(
        f"{name}: most exposed {significant(o.maximum)}, average {significant(o.mean)}"
        for name, o in zip(names, others, strict=True)
    )
    title = _title(others)
    return Picture.of(
        title,
        {
            "mechanism": names,
            "noise scale": [o.noise for o in others],
            "guarantee": [o.worst_case for o in others],
            "most exposed": [o.maximum for o in others],
            "average": [o.mean for o in others],
            "smallest loss / Laplace": [o.least for o in others],
            "largest loss / Laplace": [o.most for o in others],
        },
        alt=f"{title}. {listed}.",
        traces=[
            points(
                [x if np.isfinite(x) and x > 0 else None for x in losses],
                [name.replace(", ", ",<br>") for name in names],
                name,
                dot(
                    colors,
                    13,
                    symbol,
                    line={
                        "width": 3 if symbol.endswith("open") else 0,
                        "color": colors,
                    },
                ),
                hover=f"%{{y}}, {name}: %{{x:.4g}}",
            )
            for name, losses, symbol in kinds
        ],
        height=150 + 42 * len(names),
        xaxis=log_axis("privacy loss, epsilon", exponentformat="power"),
        yaxis=ROWS,
    )


def _title(others: Sequence[OtherExposure]) -> str:
    most = max(others, key=lambda other: other.maximum)
    least = min(others, key=lambda other: other.maximum)
    return (
        f"The most exposed person loses {significant(least.maximum)} through "
        f"{CATALOG[least.key].label} and {significant(most.maximum)} through "
        f"{CATALOG[most.key].label}"
    )


def sentences(others: Sequence[OtherExposure]) -> tuple[str, ...]:
    """Say what clamping and redrawing do to everybody's loss, and why."""
    said = []
    for other in others:
        if np.isnan(other.least):
            continue
        if other.key == "bit":
            same = max(abs(other.least - 1), abs(other.most - 1)) <= _ROUNDING
            said.append(
                "BIT (clamping) changes nobody's loss: the noise is the same, and "
                "moving an answer to the bound is done without looking at the table."
                if same
                else "BIT (clamping) changes losses here, because an answer without "
                "somebody lies beyond the bounds."
            )
        if other.key == "truncated-published":
            said.append(_redrawing(other))
        if other.key == "truncated":
            said.append(_calibrated(other))
    return tuple(said)


def _redrawing(other: OtherExposure) -> str:
    why = "how often a draw is thrown away depends on the secret answer."
    if other.most < 1 + _VISIBLE:
        return (
            "Truncation (redrawing), as published, at the same noise raises losses, "
            "but here by less than 0.1 %: the bounds are far away on the scale of the "
            f"noise, so that it rarely happens; {why}"
        )
    return (
        "Truncation (redrawing), as published, at the same noise raises losses to "
        f"{other.least:.3g} to {other.most:.3g} times those without it: {why} Its "
        f"guarantee, {epsilon_text(other.worst_case)}, is larger for the same reason."
    )


def _calibrated(other: OtherExposure) -> str:
    return (
        "Truncation, calibrated, adds more noise first, so that its guarantee holds "
        f"although it redraws: losses are {other.least:.3g} to {other.most:.3g} times "
        "those through Laplace noise of the same guarantee."
    )
