"""What a class predicted, beside what is true."""

from __future__ import annotations

from collections.abc import Sequence

from dpcore.figures.marks import rows
from dpcore.figures.theme import NEUTRAL, PUBLIC, ROWS, Picture, axis, plain
from dpcore.wording import brief, percent

_LONGEST = 34
_ROW = 44


def votes_picture(choices: Sequence[str], counts: Sequence[int], *, right: int) -> Picture:
    """Return how many chose each answer, with the right one marked.

    ``right`` is its place among the ``choices``. At least one count is positive.
    """
    total = sum(counts)
    names = [plain(choice) for choice in choices]
    # Answers may be alike once they are cut short.
    ticks = [
        plain(f"{'✓ ' if place == right else ''}{brief(text, _LONGEST)}")
        for place, text in enumerate(choices)
    ]
    title = f"{counts[right]} of {total} predicted it ({percent(counts[right] / total)})"
    return Picture.of(
        title,
        {
            "answer": list(choices),
            "right": ["yes" if i == right else "no" for i in range(len(choices))],
            "predicted by": list(counts),
        },
        drawn="A bar for each answer, as long as the number of people who chose it",
        height=70 + _ROW * len(choices),
        traces=[
            rows(
                names,
                list(counts),
                [f"{count}" for count in counts],
                [PUBLIC if i == right else NEUTRAL for i in range(len(choices))],
            )
        ],
        xaxis=axis("people", range=[0, 1.2 * max(counts)]),
        yaxis=ROWS | {"tickvals": names, "ticktext": ticks},
        showlegend=False,
    )
