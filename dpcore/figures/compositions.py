"""What several releases cost together, counted in four ways, as bars."""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import accumulate
from typing import Any, Final

import numpy as np

from dpcore.figures.theme import GUIDE, NEUTRAL, PUBLIC, ROWS, LineStyle, Picture, axis, plain
from dpcore.figures.traces import level, line, note, rows
from dpcore.formatting import epsilon_text, significant
from dpcore.ledger.account import Account
from dpcore.planning.plan_cost import PlanCost
from dpcore.privacy.composition import Totals
from dpcore.privacy_filter import PrivacyCost
from dpcore.releases.record import Release, charges

BASIC: Final = "basic composition"
ADVANCED: Final = "advanced composition"
ZCDP: Final = "zCDP"
PLD: Final = "privacy loss distribution (PLD)"
"""Ways of counting in plain words, with the words of the field beside them."""


def totals_picture(totals: Totals, *, charged: float, delta: float, plans: bool = False) -> Picture:
    """Return what was charged, and the four totals of the same releases, as bars.

    A way of counting without a limit has no bar, and says so in its place.
    ``plans`` tells whether some releases were charged together, as a plan.
    """
    by = "a plan as a whole" if plans else "release by release"
    ways = {
        f"charged, {by}": charged,
        BASIC: totals.basic,
        ADVANCED: totals.advanced,
        ZCDP: totals.zcdp,
        PLD: totals.pld,
    }
    told = [_total_text(name, value) for name, value in ways.items()]
    title = (
        f"Tightest total if planned jointly: ε = {epsilon_text(min(ways.values()))} (δ = "
        f"{epsilon_text(delta)}), charged ε = {epsilon_text(charged)}"
    )
    return Picture.of(
        title,
        {"counted by": list(ways), "epsilon": list(ways.values())},
        alt=f"{title}. "
        + "; ".join(f"{name}: {text}" for name, text in zip(ways, told, strict=True)),
        **loss_rows(
            list(ways),
            list(ways.values()),
            told,
            [*[NEUTRAL] * (len(ways) - 1), PUBLIC],
            f"total ε at δ = {epsilon_text(delta)}",
        ),
    )


def loss_rows(
    names: Sequence[str],
    losses: Sequence[float],
    texts: Sequence[str],
    colors: Sequence[str],
    title: str,
) -> dict[str, Any]:
    """Return what is drawn: a bar a loss, and none where nothing limits it."""
    lengths = [loss if np.isfinite(loss) else 0.0 for loss in losses]
    return {
        "traces": [rows(names, lengths, texts, colors)],
        # Room for the number at the end of the longest bar, on a phone, too.
        "xaxis": axis(title, range=[0, 1.3 * max(lengths) or 1.0]),
        "yaxis": ROWS,
    }


def _total_text(name: str, value: float) -> str:
    if np.isfinite(value):
        return epsilon_text(value)
    return "∞ (no bound in ρ)" if name == ZCDP else "∞ (no bound)"


_ONE_BY_ONE, _CHARGED = "sequential releases", " ← charged"


def prices_picture(price: PlanCost) -> Picture:
    """Return what the questions cost one by one, and together by four theorems.

    Ways of counting have plain names, with those of the field beside them.
    The tightest is drawn in color and said to be what a plan is charged.
    """
    totals = price.totals
    ways = {
        _ONE_BY_ONE: float(price.added.epsilon),
        BASIC: totals.basic,
        ADVANCED: totals.advanced,
        ZCDP: totals.zcdp,
        PLD: totals.pld,
    }
    charged = float(price.cost.epsilon)
    best = min(ways, key=ways.__getitem__)
    if price.adds_up:
        best = _ONE_BY_ONE
    texts = [
        f"{_price_text(value)}{_CHARGED if name == best else ''}" for name, value in ways.items()
    ]
    at = f"at δ = {epsilon_text(price.delta)}" if price.delta else "at δ = 0"
    return Picture.of(
        _takeaway(charged, float(price.added.epsilon), best, at),
        {"counted by": list(ways), "epsilon": list(ways.values())},
        more="; ".join(f"{n}: {_price_text(value)}" for n, value in ways.items()),
        **loss_rows(
            list(ways),
            list(ways.values()),
            texts,
            [PUBLIC if name == best else NEUTRAL for name in ways],
            f"total ε, {at}",
        ),
    )


def _takeaway(charged: float, added: float, best: str, at: str) -> str:
    if best == _ONE_BY_ONE:
        return (
            f"The plan costs ε = {epsilon_text(charged)}, the same as sequential releases; "
            f"joint composition is not tighter {at}"
        )
    return (
        f"Joint composition ({best}): ε = {epsilon_text(charged)} {at} instead of "
        f"{epsilon_text(added)} for sequential releases"
    )


def _price_text(value: float) -> str:
    return epsilon_text(value) if math.isfinite(value) else "∞ (no bound)"


# What was spent of a budget, release by release, and what is left.

_LONGEST: Final = 28
_HALF: Final = 0.5
_LINE: Final = 0.1
"""The height of a name, as a share of that of the axis: lower steps have none."""


def spending_picture(releases: Sequence[Release], account: Account) -> Picture:
    """Return the cost of the releases of an account, added up in the order of time.

    What was charged for anything else comes first, as a step of its own. A plan is one
    step: it was charged once. Costs are in ρ where the budget is.
    """
    symbol, total = _measure(account)
    costs = [_amount(cost, symbol) for cost in charges(releases)]
    other = max(_amount(account.spent, symbol) - sum(costs), 0.0)
    steps = [("start", "", 0.0)]
    if other > total * 1e-9:
        steps.append(("other charges", "", other))
    first: dict[str, tuple[str, str, float]] = {}
    for each, cost in zip(releases, costs, strict=True):
        plan = each.plan
        name = each.known_as if plan is None else f"plan of {plan.releases} questions"
        step = name, each.created[:16].replace("T", " "), cost
        first.setdefault(each.id if plan is None else plan.name, step)
    steps += first.values()
    spent = [*accumulate(cost for _, _, cost in steps)]
    count, top = len(steps) - 1, 1.12 * max(total, spent[-1])
    return Picture.of(
        f"{len(releases)} release{'s' * (len(releases) != 1)} spent {symbol} = "
        f"{significant(spent[-1], up=True)} of {significant(total)}",
        {
            "step": [name for name, _, _ in steps],
            "time (UTC)": [time for _, time, _ in steps],
            f"{symbol} charged": [cost for _, _, cost in steps],
            f"{symbol} spent so far": spent,
        },
        drawn="A step for each release or plan, up towards the limit",
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
        annotations=_names(steps, spent, top),
        xaxis=axis("charges, in order", range=[0, count + 1], tickvals=[*range(1, count + 1)]),
        yaxis=axis(f"{symbol} spent", range=[0, top]),
    )


def _names(
    steps: Sequence[tuple[str, str, float]], spent: Sequence[float], top: float
) -> list[dict[str, object]]:
    """Return what steps are called, on the side where there is room.

    To the right there is none above a step: the next one rises there. A low step there has
    no name, and neither has one whose name would cover an earlier one.
    """
    last, line_height, covered = len(steps), _LINE * top, 0.0
    names = []
    for at, ((name, _, _), height) in enumerate(zip(steps, spent, strict=True)):
        left = at < _HALF * last
        low = height - line_height * left
        if not at or low < covered:
            continue
        covered = low + line_height
        names.append(
            note(
                plain(name if len(name) <= _LONGEST else f"{name[: _LONGEST - 1]}…"),
                at if left else at + 1,
                height,
                xanchor="left" if left else "right",
                yanchor="top" if left else "bottom",
            )
        )
    return names


def _measure(account: Account) -> tuple[str, float]:
    """Return what the budget counts in, and how much of it there is."""
    budget = account.budget
    if budget.rho is not None:
        return "ρ", float(budget.rho)
    return "ε", float(budget.epsilon or 0)


def _amount(cost: PrivacyCost, symbol: str) -> float:
    return float(cost.rho if symbol == "ρ" else cost.epsilon)
