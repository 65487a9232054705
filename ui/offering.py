"""The block of a page that offers a release: its price, its button, its refusal.

The first time that a tab spends on a table in Live mode, it asks once more. The
question stands below the button, so that an impatient hand that clicks three times asks
three times and spends nothing.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import partial

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from dpcore.analyses.base import Mode, Releasable
from dpcore.figures.attackers import belief_text
from dpcore.formatting import capital, epsilon_text, significant
from dpcore.ledger.account import Account
from dpcore.privacy_filter import PrivacyCost
from dpcore.releases.record import Release
from ui import accounts, plans, recovery, releasing, results, session
from ui.study import Study
from ui.text import literal

Places = tuple[DeltaGenerator, DeltaGenerator]


def offer(
    request: Releasable,
    study: Study,
    *,
    key: str,
    price: str | None = None,
    before: Callable[[Account, bool], Places] | None = None,
    plannable: bool = True,
) -> Release | None:
    """Offer a release and return its newest answer, for the page to show.

    The page calls it once in a run, wherever the block shall stand, with the question
    that is on screen. Pressing the button carries it out: what stands above the block
    and reads the ledger is drawn after it. ``None`` is returned also where the ledger
    cannot be used; the block says so.

    ``price`` is what it costs, in words other than those of the cost. ``before`` shows
    what stands above the buttons, and why they cannot be paid if they do not fit into
    the account; it returns where the two buttons stand. What is not ``plannable`` is
    no question of a plan.
    """
    with recovery.told():
        _carry_out(request, study)
        answer = releasing.latest(study.fingerprint, request)
        account = session.account(study)
        # An answer on screen is paid for.
        fits = answer is not None or account.admits(request.cost)
        _buttons(
            request,
            account,
            answer=answer,
            ready=fits and request.refusal(session.mode()) is None,
            price=price or priced(request.cost),
            places=(before or partial(_price, request))(account, fits),
            key=key,
        )
        name = plans.ask_name(request, study)
        if plannable:
            plans.button(request, study, key=key, name=name)
        return answer
    return None


def _carry_out(request: Releasable, study: Study) -> None:
    pressed = releasing.pressed()
    with releasing.drawing(study, pressed):
        if pressed is not None:
            called = plans.name_of(request, study)
            releasing.carry_out(request, study, pressed, called=called)
    notice = session.notice()
    if notice is not None:
        st.error(literal(notice))


def _price(request: Releasable, account: Account, fits: bool) -> Places:  # noqa: FBT001
    cost, refusal = request.cost, request.refusal(session.mode())
    left = accounts.left(account)
    price, once, again = st.columns(3)
    beyond = accounts.beyond(account.budget, cost)
    never = refusal is not None
    price.metric(
        "Price",
        "none" if never else priced(cost),
        delta="cannot be released" if never else f"{left} left" if fits else beyond,
        delta_color="off" if fits and not never else "inverse",
        delta_arrow="off",
        help="What the budget is charged, once. It is worked out from the noise that "
        "is really drawn, so that it may differ from the ε asked for.",
    )
    if refusal is not None:
        st.warning(literal(refusal))
    elif not fits and accounts.is_endless(account.budget, cost):
        st.warning(
            "This cannot be released: it guarantees nothing finite in what the budget "
            "counts. Choose other noise, or a budget in ε and δ on the Ledger page."
        )
    elif not fits:
        st.warning(accounts.way_on(account, cost, priced(cost)))
    return once, again


def badge(answer: Release, key: str) -> None:
    """Close the frame of an answer: what it cost, what drew it, and its files."""
    st.markdown(
        f"Cost: {priced(answer.cost)}. Draw {answer.draw} of this question, "
        f"{literal(answer.mechanism_label)}, drawn by {literal(answer.sampler)}."
        + results.in_plan(answer)
    )
    results.release_files([answer], key)


def frame(answer: Release, said: str | None = None) -> st.delta_generator.DeltaGenerator:
    """Return a bordered container whose first line says what may leave."""
    classroom = answer.mode is Mode.CLASSROOM
    container = st.container(border=True, key="classroom-answer" if classroom else "public-answer")
    with container:
        results.public_badge()
        if answer.name:
            st.markdown(f"**{literal(answer.name)}**")
        st.markdown(f"{literal(capital(said or answer.said))}.")
    return container


def priced(cost: PrivacyCost) -> str:
    """Return a cost in words, without the parts that are 0."""
    text = f"ε {epsilon_text(float(cost.epsilon))}"
    if cost.delta:
        text += f", δ {significant(float(cost.delta), up=True)}"
    return text


def _buttons(
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

    ``price`` is in words, ``key`` keeps the buttons of several pages apart.
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
    elif ready and (other := releasing.elsewhere(account, request)) is not None:
        st.info(
            f"This question was answered on {other.created[:10]} about another table "
            f"of these {session.unit().nouns}, for {priced(other.cost)}: “Ledger” has "
            "that answer, and "
            "it may be used for free. The table in use is another one, or has its rows "
            "in another order; a release about it is drawn anew and costs another "
            f"{price}."
        )
    waiting = releasing.waiting(analysis)
    if ready and waiting is not None:
        yes = partial(releasing.press, analysis, waiting.draw, confirmed=True)
        confirm(account, price, request.cost, key=key, yes=yes)
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
    fits = account.admits(request.cost)
    place.button(
        "Draw again",
        key=f"again-{answer.id}",
        disabled=not (ready and fits),
        on_click=releasing.press,
        args=(request.analysis(account.fingerprint), answer.draw + 1),
    )
    left = accounts.left(account)
    place.caption(
        f"A fresh draw costs another {price}" + ("." if fits else f", and {left} is left.")
    )


def confirm(
    account: Account, price: str, cost: PrivacyCost, *, key: str, yes: Callable[[], None]
) -> None:
    """Ask once more, before a tab spends on a table for the first time.

    "Spend" does ``yes``; the price of ``cost`` is in words.
    """
    with st.container(border=True, key=f"confirm-{key}"):
        total = accounts.left(account)
        st.markdown(
            f"**{_which(account)}** It spends {price} of {total}, for good: no reload, "
            "restart or other tab brings it back. In Classroom mode the same question "
            f"can be tried for nothing.{_together(account, cost)}"
        )
        left, right = st.columns(2)
        left.button(f"Spend {price}", type="primary", key=f"spend-{key}", on_click=yes)
        right.button("Not now", key=f"spare-{key}", on_click=releasing.forget_to_confirm)


def _together(account: Account, cost: PrivacyCost) -> str:
    """Say what all releases give away then; nothing where this is the first."""
    epsilon = float(account.spent.epsilon + cost.epsilon)
    if not account.spent.epsilon or math.isinf(epsilon):
        return ""
    delta = float(account.spent.delta + cost.delta)
    told = belief_text(epsilon, delta=delta, about=f" about one {session.unit().noun}")
    return (
        f" With the ε {epsilon_text(float(account.spent.epsilon))} spent before it "
        f"comes to ε {epsilon_text(epsilon)}: {told}."
    )


def _which(account: Account) -> str:
    """Say what is new about a release that has to be confirmed."""
    if account.releases == 0:
        return "This is the first real release about this table."
    made = "1 release was" if account.releases == 1 else f"{account.releases} releases were"
    return (
        f"{made} made about these {session.unit().nouns} before. This tab has spent "
        "nothing on the "
        "table in use so far, and asks once."
    )
