"""What budgets mean for the people of a table. CONFIDENTIAL pictures."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from dpcore.figures.marks import bars, rows
from dpcore.figures.theme import CONFIDENTIAL, NEUTRAL, ROWS, Picture, axis, plain
from dpcore.wording import brief, percent, significant

_MOST_GROUPS: Final = 30
_LONGEST: Final = 24
_ROOM: Final = 1.35


@dataclass(frozen=True, slots=True, kw_only=True)
class Crowd:
    """How much the people of a table lose under one total. CONFIDENTIAL.

    Attributes:
        name: What the total is called. Public.
        people: How many there are.
        above: How many lose more than the limit.
        median: What half of them lose at most.
        maximum: What the most exposed person loses.

    """

    name: str
    people: int
    above: int
    median: float
    maximum: float


def budgets_picture(crowds: Sequence[Crowd], *, own: int, limit: float) -> Picture:
    """Return how many people lose more than ``limit`` under several totals."""
    now = crowds[own]
    title = (
        f"Under {now.name} {now.above:,} of {now.people:,} lose more than "
        f"{significant(limit)} ({percent(now.above / now.people)}); the most exposed "
        f"person loses {significant(now.maximum)}"
    )
    return Picture.of(
        title,
        {
            "total": [crowd.name for crowd in crowds],
            "lose more": [crowd.above for crowd in crowds],
            "half lose at most": [crowd.median for crowd in crowds],
            "the most exposed loses": [crowd.maximum for crowd in crowds],
        },
        drawn="People who lose more than the limit, by total of the plan",
        traces=[
            bars(
                [plain(crowd.name) for crowd in crowds],
                [crowd.above for crowd in crowds],
                "",
                {"color": [CONFIDENTIAL if at == own else NEUTRAL for at in range(len(crowds))]},
                hover="%{x}: %{y:,} people",
                text=[f"{crowd.above:,}" for crowd in crowds],
                textposition="outside",
                cliponaxis=False,
            )
        ],
        showlegend=False,
        height=340,
        xaxis=axis("total ε of the plan, in its own proportions"),
        yaxis=axis(f"people who lose more than {significant(limit)}", rangemode="tozero"),
    )


def groups_picture(crowds: Sequence[Crowd], *, by: str, limit: float) -> Picture:
    """Return which share of each group loses more than ``limit``."""
    shown = crowds[:_MOST_GROUPS]
    shares = [crowd.above / crowd.people for crowd in shown]
    most = max(range(len(shown)), key=shares.__getitem__)
    least = min(range(len(shown)), key=shares.__getitem__)
    title = (
        f"By {by}, nobody loses more than {significant(limit)}"
        if not any(shares)
        else f"{percent(shares[most])} of “{shown[most].name}” lose more than "
        f"{significant(limit)}, and {percent(shares[least])} of “{shown[least].name}”"
    )
    texts = [
        f"{crowd.above:,} of {crowd.people:,}; most {significant(crowd.maximum)}" for crowd in shown
    ]
    # Labels may be alike once they are cut short.
    names = [plain(crowd.name) for crowd in shown]
    return Picture.of(
        title,
        {
            "group": [crowd.name for crowd in crowds],
            "people": [crowd.people for crowd in crowds],
            "lose more": [crowd.above for crowd in crowds],
            "half lose at most": [crowd.median for crowd in crowds],
            "the most exposed loses": [crowd.maximum for crowd in crowds],
        },
        drawn="Share of each group that loses more than the limit",
        traces=[rows(names, [100 * share for share in shares], texts, CONFIDENTIAL)],
        showlegend=False,
        height=90 + 44 * len(shown),
        xaxis=axis(
            f"lose more than {significant(limit)}, % of the group",
            range=[0, _ROOM * max(100 * max(shares), 1.0) * 1.3],
        ),
        yaxis=ROWS
        | {"tickvals": names, "ticktext": [plain(brief(crowd.name, _LONGEST)) for crowd in shown]},
    )
