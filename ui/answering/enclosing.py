"""An interval around a released quantile: two more quantiles, asked for and paid."""

from __future__ import annotations

from functools import partial
from typing import cast

import streamlit as st

from dpcore.analyses.base import Request
from dpcore.analyses.number import Query
from dpcore.formatting import percent
from dpcore.inference.intervals import LEVEL
from dpcore.ledger.account import Account
from dpcore.privacy_filter import PrivacyCost
from dpcore.releases.amounts import cost_text
from dpcore.releases.enclosing import Enclosure, enclosures, sides_of
from dpcore.releases.record import Release
from ui import accounts, offering, releasing, session
from ui.answering.previews import price
from ui.releasing import Pressed
from ui.study import Study
from ui.text import after_number, literal

_PRESSED = "_enclosing"


def show(answer: Release, asked: Request, study: Study, account: Account) -> None:
    """Say that a quantile has no interval of its own, and offer one or show it."""
    if not asked.query.kind.of_ranks or not isinstance(asked.query, Query):
        return
    released = session.ledger().releases(study.fingerprint)
    known = enclosures(released, sampled=study.sampled)
    found = next((one for one in known if one.quantile.id == answer.id), None)
    if found is not None:
        _interval(found, asked)
        return
    sides = sides_of(asked, sampled=study.sampled)
    needed = [side for side in sides if side is not None]
    missing = [one for one in needed if releasing.latest(study.fingerprint, one) is None]
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
    else:
        _offer(asked, missing, study, account, both=len(needed) > 1)


def _offer(
    asked: Request, missing: list[Request], study: Study, account: Account, *, both: bool
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
    costs = cost_text(cost)
    name = _name(asked, study)
    st.button(
        "Release the interval",
        key=f"enclose-{name}",
        disabled=not fits,
        on_click=_press,
        args=(name,),
    )
    left = accounts.left(account)
    each = f" together, {price(missing[0])} each" if len(missing) > 1 else ""
    st.caption(f"Costs {costs}{each}" + ("." if fits else f", and {left} is left."))
    if fits and releasing.waiting(name) is not None:
        yes = partial(_press, name, confirmed=True)
        offering.confirm(account, costs, cost, key="interval", yes=yes)


def _name(asked: Request, study: Study) -> str:
    """Return what a press is noted under, apart from one of the question itself."""
    return f"interval of {asked.analysis(study.fingerprint)}"


def _press(name: str, *, confirmed: bool = False) -> None:
    session.set_public(_PRESSED, Pressed(name, 1, session.mode(), confirmed=confirmed))


def _release(missing: list[Request], study: Study) -> None:
    for one in missing:
        press = Pressed(one.analysis(study.fingerprint), 1, session.mode(), confirmed=True)
        if not releasing.carry_out(one, study, press):
            return


def _interval(found: Enclosure, asked: Request) -> None:
    """Show the interval that the two other answers make."""
    low, high = found.text
    whose = "these data and the population" if found.sampled else "these data"
    ends = " and ".join(f"the {literal(end.title)}" for end in found.ends)
    bound = " and the bound of the column" if len(found.ends) == 1 else ""
    st.markdown(
        f"**Interval: {low} to {high}{after_number(asked.query.quantity.suffix)}** "
        f"({percent(found.level)}, for {whose}), for the {literal(asked.statement)}. "
        f"Its ends are {ends}{bound}, which were released and charged by themselves. "
        "Half a step of the grid is added on each side."
    )


def _unit(asked: Request) -> str:
    return literal(asked.query.quantity.name) or "the column's unit"
