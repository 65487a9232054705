"""What a plan costs as a whole, counted in four ways, as bars."""

from __future__ import annotations

import math

from dpcore.figures.budgets import ADVANCED, BASIC, PLD, ZCDP, loss_rows
from dpcore.figures.theme import NEUTRAL, PUBLIC, Picture
from dpcore.planning.totals import Price
from dpcore.wording import epsilon_text

_ONE_BY_ONE, _CHARGED = "one by one, added up", " ← charged"


def prices_picture(price: Price) -> Picture:
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
    texts = [f"{_told(value)}{_CHARGED if name == best else ''}" for name, value in ways.items()]
    at = f"at δ {epsilon_text(price.delta)}" if price.delta else "at δ 0"
    title = _takeaway(charged, float(price.added.epsilon), best, at)
    colors = [PUBLIC if name == best else NEUTRAL for name in ways]
    return Picture.of(
        title,
        {"counted by": list(ways), "epsilon": list(ways.values())},
        alt=f"{title}. " + "; ".join(f"{n}: {_told(value)}" for n, value in ways.items()) + ".",
        **loss_rows(list(ways), list(ways.values()), texts, colors, f"total ε of the plan, {at}"),
    )


def _takeaway(charged: float, added: float, best: str, at: str) -> str:
    if best == _ONE_BY_ONE:
        return (
            f"The plan costs ε {epsilon_text(charged)}, what its questions cost one by "
            f"one: no other way of counting is much tighter {at}"
        )
    return (
        f"As a plan it costs ε {epsilon_text(charged)} {at}, and its questions one by "
        f"one ε {epsilon_text(added)}: counted {best}"
    )


def _told(value: float) -> str:
    return epsilon_text(value) if math.isfinite(value) else "∞ (no bound)"
