"""The buttons that spend a budget, and what they say before and after.

The first time that a tab spends on a table in Release mode, it asks once more. The
question stands below the button, so that an impatient hand that clicks three times asks
three times and spends nothing.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

import streamlit as st

from ui import accounts, releasing

if TYPE_CHECKING:
    from collections.abc import Callable

    from streamlit.delta_generator import DeltaGenerator

    from dpcore.releases.account import Account
    from dpcore.releases.record import Release
    from dpcore.releases.releasable import Releasable


def buttons(
    request: Releasable,
    account: Account,
    *,
    answer: Release | None,
    ready: bool,
    price: str,
    places: tuple[DeltaGenerator, DeltaGenerator],
    key: str,
) -> None:
    """Show "Release", "Draw again" where there is an answer, and what they cost.

    Args:
        request: The question on screen.
        account: That of the table in use.
        answer: The newest answer to the question, if there is one.
        ready: Whether it can be released and paid for.
        price: Its cost in words.
        places: Where the two buttons stand.
        key: Keeps the buttons of several pages apart.

    """
    once, again = places
    analysis = request.analysis(account.fingerprint)
    once.button(
        "Release",
        type="primary",
        key=f"release-{key}",
        disabled=not ready,
        on_click=releasing.press,
        args=(analysis, 1),
    )
    if ready:
        once.caption("Charged once. The same question has the same answer, for free.")
    if answer is not None:
        _again(request, account, answer, ready=ready, price=price, place=again)
    waiting = releasing.waiting(analysis)
    if ready and waiting is not None:
        yes = partial(releasing.press, analysis, waiting.draw, confirmed=True)
        confirm(account, price, key=key, yes=yes)
    told = releasing.told()
    if told is not None:
        st.info(told)


def _again(
    request: Releasable,
    account: Account,
    answer: Release,
    *,
    ready: bool,
    price: str,
    place: DeltaGenerator,
) -> None:
    fits = account.budget.admits(account.spent, request.cost)
    place.button(
        "Draw again",
        key=f"again-{answer.id}",
        disabled=not (ready and fits),
        on_click=releasing.press,
        args=(request.analysis(account.fingerprint), answer.draw + 1),
    )
    left = accounts.short(account.budget, account.remaining)
    place.caption(
        f"A fresh draw costs another {price}"
        + ("." if fits else f", and {left} is left.")
    )


def confirm(account: Account, price: str, *, key: str, yes: Callable[[], None]) -> None:
    """Ask once more, before a tab spends on a table for the first time.

    Args:
        account: That of the table in use.
        price: What would be spent, in words.
        key: Keeps the questions of several buttons apart.
        yes: What "Spend" does.

    """
    with st.container(border=True, key=f"confirm-{key}"):
        total = accounts.short(account.budget, account.budget.remaining(account.spent))
        st.markdown(
            f"**{_which(account)}** It spends {price} of {total}, for good: no reload, "
            "restart or other tab brings it back. In Classroom mode the same question "
            "can be tried for nothing."
        )
        left, right = st.columns(2)
        left.button(f"Spend {price}", type="primary", key=f"spend-{key}", on_click=yes)
        right.button(
            "Not now", key=f"spare-{key}", on_click=releasing.forget_to_confirm
        )


def _which(account: Account) -> str:
    """Say what is new about a release that has to be confirmed."""
    if account.releases == 0:
        return "This is the first real release about this table."
    made = "1 was" if account.releases == 1 else f"{account.releases} were"
    return (
        "This is the first real release about this table in this tab; "
        f"{made} made before."
    )
