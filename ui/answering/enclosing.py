"""An interval around a released quantile: two more quantiles, asked for and paid."""

from __future__ import annotations

import math
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, cast

import streamlit as st

from dpcore.budget_filter import PrivacyCost
from dpcore.inference.intervals import LEVEL
from dpcore.statistics.kinds import StatisticKind
from dpcore.statistics.query import Query
from dpcore.wording import percent, significant
from ui import accounts, offering, releasing, session
from ui.answering.previews import price
from ui.releasing import Pressed
from ui.text import after_number, literal

if TYPE_CHECKING:
    from dpcore.releases.account import Account
    from dpcore.releases.plans.ranks import RankPlan
    from dpcore.releases.record import Release
    from dpcore.releases.request import Request
    from ui.study import Study

_PRESSED = "_enclosing"
_PLACES = 1000
"""Quantiles are asked for in tenths of a percent, rounded away from the middle."""


def show(answer: Release, asked: Request, study: Study, account: Account) -> None:
    """Say that a quantile has no interval of its own, and offer one or show it."""
    if not asked.query.kind.of_ranks or not isinstance(asked.query, Query):
        return
    plan = cast("RankPlan", asked.plan)
    lower, upper = plan.enclosing(LEVEL, sampled=study.sampled)
    sides = (
        None if lower is None else _asking(asked, math.floor(lower * _PLACES)),
        None if upper is None else _asking(asked, math.ceil(upper * _PLACES)),
    )
    needed = [side for side in sides if side is not None]
    missing = [
        one for one in needed if releasing.latest(study.fingerprint, one) is None
    ]
    name = _name(asked, study)
    noted = cast("Pressed | None", session.take(_PRESSED))
    if missing and noted is not None and noted.is_of(name):
        if noted.confirmed or not releasing.asks_first(study):
            _release(missing, study)
            st.rerun()
        releasing.wait(noted)
    if not needed:
        st.info(
            f"It has no interval: so few {session.unit().counted} leave so many places "
            "open at this ε "
            "that only the bounds of the column enclose it. Spend more on it."
        )
    elif missing:
        _offer(asked, missing, study, account, both=len(needed) > 1)
    else:
        _interval(answer, asked, sides, study)


def _asking(asked: Request, place: int) -> Request | None:
    """Return the request for a quantile in thousandths; none where it is a bound."""
    if not 0 < place < _PLACES:
        return None
    query = replace(
        cast("Query", asked.query), kind=StatisticKind.QUANTILE, q=place / _PLACES
    )
    return replace(asked, query=query, draw=1)


def _offer(
    asked: Request,
    missing: list[Request],
    study: Study,
    account: Account,
    *,
    both: bool,
) -> None:
    """Say what an interval needs and costs, and offer to release it."""
    cost = sum((one.cost for one in missing), PrivacyCost())
    fits = account.admits(cost)
    names = " and ".join(f"the {literal(one.query.title)}" for one in missing)
    whose = "of the population behind this table" if study.sampled else "of this table"
    between = "them" if both else "it and the bound of the column on the other side"
    counted = "; ".join(asked.query.conditions)
    st.markdown(
        f"**This answer has no interval in {_unit(asked)}.** How far off it is depends "
        "on how dense the data are around it, which is not public. An interval needs "
        f"more: {names}, asked for in the same way ({literal(counted)}). In "
        f"{percent(LEVEL)} of cases the {asked.query.kind} {whose} lies between "
        f"{between}."
    )
    costs = _costs(missing)
    name = _name(asked, study)
    st.button(
        "Release the interval",
        key=f"enclose-{name}",
        disabled=not fits,
        on_click=_press,
        args=(name,),
    )
    left = accounts.left(account)
    st.caption(f"Costs {costs}" + ("." if fits else f", and {left} is left."))
    if fits and releasing.waiting(name) is not None:
        yes = partial(_press, name, confirmed=True)
        offering.confirm(account, costs, cost, key="interval", yes=yes)


def _name(asked: Request, study: Study) -> str:
    """Return what a press is noted under, apart from one of the question itself."""
    return f"interval of {asked.analysis(study.fingerprint)}"


def _costs(missing: list[Request]) -> str:
    each = price(missing[0])
    return f"{len(missing)} × {each}" if len(missing) > 1 else each


def _press(name: str, *, confirmed: bool = False) -> None:
    session.set_public(_PRESSED, Pressed(name, 1, session.mode(), confirmed=confirmed))


def _release(missing: list[Request], study: Study) -> None:
    for one in missing:
        press = Pressed(
            one.analysis(study.fingerprint), 1, session.mode(), confirmed=True
        )
        if not releasing.carry_out(one, study, press):
            return


def _interval(
    answer: Release,
    asked: Request,
    sides: tuple[Request | None, Request | None],
    study: Study,
) -> None:
    """Show the interval that the two other answers make."""
    plan = cast("RankPlan", asked.plan)
    statistic, value = plan.statistic, answer.values[0]
    bounds, margin = statistic.bounds, statistic.grid_error

    def end(side: Request | None, bound: float, step: float) -> float:
        found = None if side is None else releasing.latest(study.fingerprint, side)
        return bound if found is None else found.values[0] + step

    low = min(end(sides[0], bounds.lower, -margin), value)
    high = max(end(sides[1], bounds.upper, margin), value)
    whose = (
        "of the population behind this table"
        if study.sampled
        else "of this table, noise alone"
    )
    quantity = asked.query.quantity
    inside = float(bounds.clip(low)), float(bounds.clip(high))
    ends = quantity.ends(*inside, 2 * margin)
    asked_for = " and ".join(
        f"{significant(100 * cast('Query', side.query).q)} %"  # type: ignore[operator] # a quantile has one
        for side in sides
        if side is not None
    )
    st.markdown(
        f"**Interval: {ends[0]} to {ends[1]}{after_number(quantity.suffix)}** "
        f"({percent(LEVEL)}, {whose}), for the {literal(asked.statement)}. Its ends "
        f"are the released quantiles of {asked_for}, which have a draw and a price of "
        "their own, half a step of the grid added; a side without one is the bound of "
        "the column."
    )


def _unit(asked: Request) -> str:
    return literal(asked.query.quantity.name) or "the column's unit"
