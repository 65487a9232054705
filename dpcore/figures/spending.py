"""What was spent of a budget, release by release, and what is left."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import accumulate
from typing import Final

from dpcore.figures.theme import GUIDE, PUBLIC, LineStyle, Picture, axis, plain
from dpcore.figures.traces import level, line, note
from dpcore.formatting import significant
from dpcore.ledger.account import Account
from dpcore.privacy_filter import PrivacyCost
from dpcore.releases.record import Release, charges

_MOST_NAMES: Final = 6
"""More names than that would cover each other."""
_LONGEST: Final = 28
_HALF: Final = 0.5


def spending_picture(releases: Sequence[Release], account: Account) -> Picture:
    """Return the cost of the releases of an account, added up in the order of time.

    What was charged for anything else comes first, as a step of its own. Costs are in
    ρ where the budget is.
    """
    symbol, total = _measure(account)
    costs = [_amount(cost, symbol) for cost in charges(releases)]
    other = max(_amount(account.spent, symbol) - sum(costs), 0.0)
    steps = [("start", "", 0.0)]
    if other > total * 1e-9:
        steps.append(("other charges", "", other))
    named = zip(releases, costs, strict=True)
    steps += [(each.known_as, each.created[:16].replace("T", " "), cost) for each, cost in named]
    spent = [*accumulate(cost for _, _, cost in steps)]
    count = len(steps) - 1
    return Picture.of(
        f"{len(releases)} release{'s' * (len(releases) != 1)} spent {symbol} = "
        f"{significant(spent[-1], up=True)} of {significant(total)}",
        {
            "step": [name for name, _, _ in steps],
            "time (UTC)": [time for _, time, _ in steps],
            f"{symbol} charged": [cost for _, _, cost in steps],
            f"{symbol} spent so far": spent,
        },
        drawn="A step for each release, up towards the limit",
        height=260,
        traces=[
            line(
                [*range(count + 1), count + 1],
                [*spent, spent[-1]],
                "",
                LineStyle(color=PUBLIC),
                hover="%{text}",
                steps=True,
                text=[
                    *(f"{plain(name)}: {symbol} = {significant(cost)}" for name, _, cost in steps),
                    "",
                ],
                fill="rgba(0,114,178,0.12)",
                showlegend=False,
                mode="lines",
            )
        ],
        shapes=[
            level(
                total,
                f"limit {symbol} = {significant(total)}",
                GUIDE,
                textposition="start",
                yanchor="top",
            )
        ],
        annotations=_names(steps, spent) if count <= _MOST_NAMES else [],
        xaxis=axis("releases, in order", range=[0, count + 1], tickvals=[*range(1, count + 1)]),
        yaxis=axis(f"{symbol} spent", range=[0, 1.12 * max(total, spent[-1])]),
    )


def _names(
    steps: Sequence[tuple[str, str, float]], spent: Sequence[float]
) -> list[dict[str, object]]:
    """Return what each step is called, on the side where there is room."""
    last = len(steps)
    return [
        note(
            plain(name if len(name) <= _LONGEST else f"{name[: _LONGEST - 1]}…"),
            at if at < _HALF * last else at + 1,
            height,
            xanchor="left" if at < _HALF * last else "right",
            yanchor="bottom",
        )
        for at, ((name, _, _), height) in enumerate(zip(steps, spent, strict=True))
        if at
    ]


def _measure(account: Account) -> tuple[str, float]:
    """Return what the budget counts in, and how much of it there is."""
    budget = account.budget
    if budget.rho is not None:
        return "ρ", float(budget.rho)
    return "ε", float(budget.epsilon or 0)


def _amount(cost: PrivacyCost, symbol: str) -> float:
    return float(cost.rho if symbol == "ρ" else cost.epsilon)
