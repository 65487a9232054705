"""The block of a page that offers a release: its price, its button, its refusal.

The first time that a tab spends on a table in Live mode, it asks once more: Release and
Plan alike. Later presses spend at once what the button says.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import partial
from typing import cast

import streamlit as st

from dpcore.analyses.base import Mode, Releasable
from dpcore.figures.attackers import belief_text
from dpcore.formatting import capital, epsilon_text
from dpcore.ledger.account import Account
from dpcore.privacy_filter import PrivacyCost
from dpcore.releases.digits import cost_text
from dpcore.releases.record import Release
from ui import accounts, plans, recovery, releasing, results, session
from ui.study import Study
from ui.text import literal


def offer(
    request: Releasable,
    study: Study,
    *,
    key: str,
    price: str | None = None,
    before: Callable[[Account, bool], None] | None = None,
    plannable: bool = True,
) -> Release | None:
    """Offer a release and return its newest answer, for the page to show.

    The page calls it once in a run, wherever the block shall stand, with the question
    that is on screen. Pressing the button carries it out: what stands above the block
    and reads the ledger is drawn after it. ``None`` is returned also where the ledger
    cannot be used; the block says so.

    ``price`` is what it costs, in words other than those of the cost. ``before`` says
    why it cannot be released, in words of the page. What is not ``plannable`` is no
    question of a plan.
    """
    with recovery.told():
        _carry_out(request, study)
        answer = releasing.latest(study.fingerprint, request)
        account = session.account(study)
        # An answer on screen is paid for.
        fits = answer is not None or account.admits(request.due)
        (before or partial(_obstacles, request))(account, fits)
        costs = price or cost_text(request.due)
        ready = fits and request.refusal(session.mode()) is None
        actions = st.container(horizontal=True, vertical_alignment="center", key=f"actions-{key}")
        with actions:
            _buttons(request, account, answer=answer, ready=ready, price=costs, key=key)
        if ready and _confirm_first(request, account, costs, key=key):
            # The one thing that the keyboard comes to next.
            actions = st.container(horizontal=True, vertical_alignment="center")
        with actions:
            name = _name(request, study, key=key)
            if plannable:
                plans.button(request, study, key=key, name=name)
        _below(request, account, answer, costs, ready=ready)
        return answer
    return None


def _carry_out(request: Releasable, study: Study) -> None:
    pressed = releasing.pressed()
    with releasing.drawing(study, pressed):
        if pressed is not None:
            releasing.carry_out(request, study, pressed, called=plans.name_of(request, study))
    notice = session.notice()
    if notice is not None:
        st.error(literal(notice))


def _obstacles(request: Releasable, account: Account, fits: bool) -> None:  # noqa: FBT001
    cost, refusal = request.due, request.refusal(session.mode())
    if refusal is not None:
        st.warning(literal(refusal))
    elif not fits and accounts.is_endless(account.budget, cost):
        st.warning(
            "This cannot be released: its cost is unbounded in what the budget limits. Choose "
            "another mechanism, or a budget in ε and δ on Budget › Manage."
        )
    elif not fits:
        st.warning(accounts.way_on(account, cost, cost_text(cost)))


def _name(request: Releasable, study: Study, *, key: str) -> str:
    """Offer a name for the question, in a popover; return the one it has."""
    with st.popover("Name", key=f"name-{key}"):
        return plans.ask_name(request, study)


def badge(answer: Release, key: str, *, files: str = "Download") -> None:
    """Close the frame of an answer: what it cost, what drew it, and its files."""
    st.markdown(
        f"Cost: {cost_text(answer.cost)}. Release {answer.draw} of this question, "
        f"{literal(answer.mechanism_label)}, drawn by {literal(answer.sampler)}."
        + results.charged_with(answer)
    )
    results.release_files([answer], key, label=files)


def frame(answer: Release, said: str | None = None) -> st.delta_generator.DeltaGenerator:
    """Return a bordered container that first says what may leave, and ``said`` below it."""
    classroom = answer.mode is Mode.CLASSROOM
    container = st.container(border=True, key="classroom-answer" if classroom else "public-answer")
    with container:
        results.public_badge()
        if answer.name:
            st.markdown(f"**{literal(answer.name)}**")
        if said is not None:
            st.markdown(f"{literal(capital(said))}.")
    return container


def _buttons(
    request: Releasable,
    account: Account,
    *,
    answer: Release | None,
    ready: bool,
    price: str,
    key: str,
) -> None:
    """Show the button of a release, and the one of another draw where there is an answer.

    ``price`` is in words, ``key`` keeps the buttons of several pages apart.
    """
    analysis = request.analysis(account.fingerprint)
    never = request.refusal(session.mode()) is not None
    what = "Release" if never else f"Release and spend {price}"
    st.button(
        what if answer is None else "Released ✓",
        type="primary",
        key=f"release-{key}",
        disabled=not ready or answer is not None,
        on_click=releasing.press,
        args=(analysis, 1),
    )
    if answer is not None:
        st.button(
            f"Release again ({price})",
            key=f"again-{answer.id}",
            disabled=not (ready and account.admits(request.due)),
            on_click=releasing.press,
            args=(analysis, answer.draw + 1),
            help=f"New noise for the same question. It costs another {price}.",
        )


def _confirm_first(request: Releasable, account: Account, price: str, *, key: str) -> bool:
    """Ask once more where that is due, right after the pressed button; tell whether it is."""
    analysis = request.analysis(account.fingerprint)
    waiting = releasing.waiting(analysis)
    if waiting is not None:
        yes = partial(releasing.press, analysis, waiting.draw, confirmed=True)
        confirm(account, price, request.due, key=key, yes=yes)
    return waiting is not None


def _below(
    request: Releasable, account: Account, answer: Release | None, price: str, *, ready: bool
) -> None:
    """Say what is left, and what is known elsewhere."""
    if ready:
        st.caption(accounts.fitting(account, request.due, answered=answer is not None))
    known = releasing.released_before(account.fingerprint, request) if answer is None else None
    if known is not None:
        calibrated = cast("float | None", known.request.get("epsilon"))
        amount = f"ε = {epsilon_text(calibrated)}" if calibrated else cost_text(known.cost)
        st.info(
            f"This statistic was released before: {literal(known.mechanism_label)}, {amount}. "
            "The same settings show that result at no cost. Other settings are a new release "
            "with a cost of its own."
        )
    elif answer is None and ready:
        other = releasing.elsewhere(account, request)
        if other is not None:
            st.info(
                f"This question was answered on {other.created[:10]} about another table "
                f"of these {session.unit().nouns}, for {cost_text(other.cost)}. That answer is "
                "on Budget › History, at no cost. The table in use is another one, or has "
                f"its rows in another order: a new release costs another {price}."
            )
    told = releasing.told()
    if told is not None:
        st.info(told)


def confirm(
    account: Account, price: str, cost: PrivacyCost, *, key: str, yes: Callable[[], None]
) -> None:
    """Ask once more, before a tab spends on a table for the first time.

    "Spend" does ``yes``; the price of ``cost`` is in words.
    """
    with st.container(border=True, key=f"confirm-{key}"):
        total = accounts.left(account, cost)
        st.markdown(
            f"**{_which(account)}** It permanently spends {price} of the {total} left. To practice "
            f"first, use Classroom mode.{_together(account, cost)}"
        )
        with st.container(horizontal=True):
            st.button(f"Spend {price}", type="primary", key=f"spend-{key}", on_click=yes)
            st.button("Cancel", key=f"spare-{key}", on_click=releasing.forget_to_confirm)


def _together(account: Account, cost: PrivacyCost) -> str:
    """Say what all releases give away then; nothing where this is the first."""
    epsilon = float(account.spent.epsilon + cost.epsilon)
    if not account.spent.epsilon or math.isinf(epsilon):
        return ""
    delta = float(account.spent.delta + cost.delta)
    told = belief_text(epsilon, delta=delta, about=f" about one {session.unit().noun}")
    return (
        f" With the ε = {epsilon_text(float(account.spent.epsilon))} spent before, the total "
        f"is ε = {epsilon_text(epsilon)}: {told}."
    )


def _which(account: Account) -> str:
    """Say what is new about a release that has to be confirmed."""
    if account.releases == 0:
        return "This is the first real release about this table."
    made = "1 release was" if account.releases == 1 else f"{account.releases} releases were"
    return (
        f"{made} made about these {session.unit().nouns} before; this is the first from this tab."
    )
