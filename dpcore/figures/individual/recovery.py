"""An attacker's view of a loss that was told: candidates, and the truth among them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dpcore.figures.marks import NAME, above, dot, points, vertical
from dpcore.figures.theme import (
    CONFIDENTIAL,
    DOTTED,
    PUBLIC,
    ROWS,
    Picture,
    axis,
    plain,
)
from dpcore.wording import brief, epsilon_text, measured, significant

if TYPE_CHECKING:
    from dpcore.studies.individual.recovery import Recovery

_HEIGHT = 320
_LONGEST = 30


def told_text(found: Recovery) -> str:
    """Return the loss that was told, with the digits that it was told with."""
    return f"{found.told:.9g}" if found.slack == 0 else epsilon_text(found.told)


def recovery_picture(found: Recovery, *, what: str, unit: str) -> Picture:
    """Return the release with its noise, the candidates, and the truth, on one axis.

    ``what`` is attacked, such as "mean of age".
    """
    suffix = f" {unit}" if unit else ""
    rows = {
        "released": ([found.release], PUBLIC, "circle", found.reach),
        "possible, given the loss": (
            [*found.candidates],
            CONFIDENTIAL,
            "diamond-open",
            found.slack,
        ),
        "the attacker's choice": (
            [found.recovered],
            CONFIDENTIAL,
            "diamond",
            found.slack,
        ),
    }
    known = [found.truth, found.release, *found.candidates]
    ends = [*known, found.release - found.reach, found.release + found.reach]
    margin = 0.08 * (max(ends) - min(ends)) or 1.0
    exact = found.error <= 1e-6 * max(abs(found.truth), found.reach)
    gain = found.reach / found.error if found.error > 0 else float("inf")
    result = (
        f"Told a loss of {told_text(found)}, the attacker computes "
        f"{significant(found.recovered, 6)}{suffix}: "
        + (
            "the exact answer"
            if exact
            else f"off by {significant(found.error)}, where the release may be off by "
            f"{significant(found.reach)}, {significant(gain, 2)} times more"
        )
    )
    return Picture.of(
        result,
        {
            "what": [
                "without noise",
                "released",
                *["possible"] * len(found.candidates),
                "found",
            ],
            "value": [
                found.truth,
                found.release,
                *found.candidates,
                found.recovered,
            ],
        },
        alt=f"{result}. Without noise the {what} is {significant(found.truth, 6)}"
        f"{suffix}; released {measured(found.release, found.reach)}{suffix}.",
        traces=[
            points(
                xs,
                [name] * len(xs),
                name,
                dot(color, 13, symbol),
                hover="%{x:.6g}",
                aside=NAME,
                error_x={"type": "constant", "value": reach, "thickness": 2},
            )
            for name, (xs, color, symbol, reach) in rows.items()
        ],
        height=_HEIGHT,
        showlegend=False,
        margin={"l": 60, "r": 24, "t": 40, "b": 50},
        xaxis=axis(
            plain(brief(what, _LONGEST)),
            range=[min(ends) - margin, max(ends) + margin],
        ),
        yaxis=ROWS,
        shapes=[vertical(found.truth, stroke=DOTTED)],
        annotations=[above("without noise", found.truth, xanchor="auto")],
    )
