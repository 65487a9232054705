"""The plan on screen: what budgets buy, its questions, and what they cost."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
import streamlit as st

from dpcore.analyses.quantiles import RankPlan
from dpcore.figures.compositions import prices_picture
from dpcore.figures.plans import slide_picture
from dpcore.formatting import epsilon_text, in_full, rounded, significant
from dpcore.ledger.account import Account
from dpcore.planning.analysis_plan import AnalysisPlan, PlannedQuery, Split
from dpcore.planning.comparison import compare
from dpcore.planning.group_sizes import too_few
from dpcore.planning.plan_cost import PlanCost, cost_of_plan
from dpcore.planning.targets import OF_A_DIFFERENCE, assumed_aim, is_difference, is_uninformative
from dpcore.privacy_filter import PrivacyCost
from dpcore.releases.amounts import cost_text, spent_text
from dpcore.releases.record import Release
from ui import accounts, plan_notes, plans, results, session
from ui.study import Study
from ui.text import literal

_MOST_DRAWN = 20
_ALL = 0.999
_NOTICED = 1.001
"""By how much a price has to be rounded up to be taken for a mistake."""
_WHY = (
    "**Why a plan may be charged its tightest total.** All questions of a plan are "
    "fixed before its first answer, and released together or not at all. No noise is "
    "chosen in view of an answer, so that every theorem of composition holds for them "
    "together; the smallest of the totals is the privacy that the plan really gives. "
    "Questions that are asked one after another may depend on the answers before: "
    "whoever asks could stop, or go on, where chance has told most. For them the "
    "tighter totals do not hold as they stand, and the account adds up."
)

_WAYS = (
    "What its questions cost one by one, and below it four ways to count the same plan "
    "as a whole, the roughest first; all are valid, and the smallest is charged. "
    f"{accounts.WAYS}"
)


def slide(basket: AnalysisPlan, study: Study) -> None:
    """Show what several budgets would buy. Public numbers only."""
    account = session.account(study)
    found = compare(basket)
    picture = slide_picture(found)
    if len(basket.items) <= _MOST_DRAWN:
        results.show(picture, "plan-slide", simulated=True)
    else:
        st.markdown(f"**{literal(picture.title)}**")
        results.table(
            {
                str(name): [significant(x) for x in column] if column.dtype.kind == "f" else column
                for name, column in picture.table.items()
            },
            key="plan-slide-table",
        )
    st.caption(
        "± is the noise alone, 95 times of 100, all numbers of an answer at once. ✓ "
        "shows what must be seen, ✗ (gray) does not. Every budget is split as above; "
        "locked questions keep their ε."
    )
    _say_left(found.totals, account)
    _say_assumed(basket, study)
    plan_notes.say_imputed(basket.items)
    left, right = st.columns(2)
    left.page_link("pages/compare.py", label="Hold it against another plan, and sign")
    right.page_link("pages/plan_privacy_loss.py", label="See whom it touches (curator only)")
    if len(found.totals) == 1:
        st.caption(
            "Every question keeps its ε, because it is locked or was released, so that "
            "another total would change nothing. Unlock questions to compare totals; a "
            "question with another ε is another one, and costs anew."
        )
    if np.isnan(found.halves).any():
        st.caption(
            "No room: such a budget is too small for what is locked, or, split for "
            "what must be seen, for all that must be seen. Unlock questions, say what "
            "must be seen of every question, or split in another way."
        )
    told = []
    if found.void.any():
        told.append("Says nothing: the error is as wide as all that the answer can be.")
    if np.isinf(found.halves).any():
        told.append(
            "Can’t say: a group of the size that was assumed could not be told from an empty one."
        )
    if told:
        st.caption(" ".join(told))
    if basket.planned < basket.total * _ALL:
        st.caption(
            f"Of the total of ε {significant(basket.total)}, "
            f"{significant(basket.planned)} is dealt out."
        )


def _say_left(totals: Sequence[float], account: Account) -> None:
    """Say which of the budgets are larger than what is left of the account."""
    if account.budget.epsilon is None:
        return
    left = float(account.remaining.epsilon)
    beyond = [total for total in totals if total > left]
    if beyond:
        told = " and ".join(f"ε {significant(total)}" for total in beyond)
        st.caption(
            f"The account has ε {significant(left)} left: {told}, added up, cannot be "
            "paid from it, whatever the slide shows."
        )


def _say_assumed(basket: AnalysisPlan, study: Study) -> None:
    """Say on which sizes of groups ✓ and ✗ hang, and what they mean of a difference."""
    judged = [item for item in basket.items if item.wanted is not None]
    sizes = {item.group for item in judged if item.width.assumed}
    if sizes:
        told = " and ".join(f"{size:,}" for size in sorted(sizes))
        st.caption(
            f"\\* hangs on a size of groups that was **assumed**, {told} "
            f"{session.unit().counted}: real "
            "sizes are private, and smaller groups have larger errors. “Change a "
            "question”, below, says from which size on it holds, and takes another."
        )
    known = plan_notes.smallest_of(judged, study)
    lines = [
        f"- **{literal(item.name)}** rests on {item.group:,}. {literal(known[item.key].text)}."
        for item in judged
        if item.seen and too_few(item, known)
    ]
    if lines:
        st.warning("\n".join(["✓ may be wrong:", "", *lines]))
    if any(map(is_difference, judged)):
        st.caption(OF_A_DIFFERENCE)


def _say_aims(basket: AnalysisPlan) -> None:
    """Say what the best split takes for what nobody said must be seen."""
    free = [item for item in basket.items if item.wanted is None and not item.fixed]
    if basket.split is not Split.BEST or not free:
        return
    many = "one question" if len(free) == 1 else f"{len(free)} questions"
    st.caption(
        f"Nobody said what must be seen of {many}. For the best split a tenth of what "
        "the answer can be by its public bounds is **assumed**, such as a tenth of the "
        "width of the bounds for a mean: marked in the list, and no ✓ or ✗ hangs on "
        "it. Say it under “Change a question”, and the split follows."
    )


def listing(basket: AnalysisPlan, study: Study) -> bool:
    """List the questions of the plan; return whether all of them can be released."""
    for name in plans.lost():
        st.warning(
            f"“{literal(name)}” was in the plan and cannot be asked of this table: a "
            "column went away, or is of another kind. It was left out."
        )
    account = session.account(study)
    results.table(
        [
            _row(number, item, account, assumed=basket.split is Split.BEST)
            for number, item in enumerate(basket.items, 1)
        ],
        key="plan-items",
    )
    _say_aims(basket)
    if any(item.width.unit == "ranks" for item in basket.items):
        single = any(isinstance(item.request.plan, RankPlan) for item in basket.items)
        advice = (
            " To have an interval in that unit, ask for several quantiles in one "
            "question, such as 25, 50 and 75 %; it costs more."
        )
        st.caption(
            "± in ranks is in places of the sorted table: what that is in the unit of "
            f"the column is confidential.{advice * single}"
        )
    ready = True
    for item in basket.items:
        refusal = (
            item.request.refusal(session.mode()) or _terms(item, account) or _number(item, study)
        )
        if refusal:
            ready = False
            st.warning(f"“{literal(item.name)}”: {literal(refusal)}")
    return ready


def _must(item: PlannedQuery, *, assumed: bool) -> str:
    """Return what must be seen; what the best split takes for it is marked."""
    if item.wanted is not None:
        return significant(item.wanted, 6)
    aim = assumed_aim(item) if assumed and not item.fixed else None
    return "" if aim is None else f"{significant(aim, 6)} (assumed)"


def _row(number: int, item: PlannedQuery, account: Account, *, assumed: bool) -> dict[str, object]:
    width = item.width
    return {
        "no.": number,
        "question": item.name,
        "ε": significant(item.epsilon, 6),
        "± at 95 %": f"{width.text} {width.unit}".rstrip()
        + ": says nothing" * is_uninformative(item),
        "± is of": width.of,
        "must show": _must(item, assumed=assumed),
        "shown": _judged(item),
        "weight": significant(item.weight, 6),
        "ε is": "locked" if item.locked else "shared" if item.divisible else "fixed",
        "mechanism": item.request.mechanism_label,
        "price": in_words(item.request.cost, account),
    }


def _judged(item: PlannedQuery) -> str:
    if item.seen is None:
        return ""
    of = f", if groups have {item.group:,}" if item.width.assumed else ""
    return f"{'✓ yes' if item.seen else '✗ no'}{of}"


def in_words(cost: PrivacyCost, account: Account) -> str:
    """Return a cost in what the account counts."""
    if account.budget.rho is not None:
        return spent_text(account.budget, cost)
    return cost_text(cost)


def _terms(item: PlannedQuery, account: Account) -> str:
    asked = item.request.relation, item.request.unit.rows
    if asked == (account.relation, account.unit_rows):
        return ""
    return (
        "it was planned under other terms than those of the account (who is protected, "
        f"or how many rows one {session.unit().noun} may own). See above what is "
        "declared now."
    )


def _number(item: PlannedQuery, study: Study) -> str:
    """Say that a question was planned for a table with other public numbers."""
    # Models have none: what they charge hangs on no number of people.
    planned = getattr(item.request.asked, "size", None)
    here = study.dataset.people
    if planned is None or not planned.public or planned.people == here:
        return ""
    return (
        f"it was planned for {planned.people:,} {session.unit().counted}, a public "
        "number, and the table "
        f"in use has {here:,}. Plan it with what is declared now, above: its error "
        "hangs on the number."
    )


def price(basket: AnalysisPlan, study: Study, known: Sequence[Release | None]) -> PlanCost:
    """Show what the plan costs as a whole, counted in four ways.

    Questions with an answer, which is ``known``, cost nothing more.
    """
    st.header("What the plan costs")
    pairs = zip(basket.items, known, strict=True)
    new = [item.request for item, answer in pairs if answer is None]
    found = cost_of_plan(new, delta=basket.delta)
    if len(new) < len(known):
        st.caption(
            f"{len(known) - len(new)} of {len(known)} questions have been answered: "
            "they cost nothing more, and are not part of the price. With another ε a "
            "question is another one, and costs anew."
        )
    if not new:
        return found
    account = session.account(study)
    first, second, third = st.columns(3)
    fits = account.admits(found.cost)
    left = accounts.left(account)
    first.metric(
        "As a plan",
        in_words(found.cost, account),
        delta=f"{left} left" if fits else accounts.beyond(account.budget, found.cost),
        delta_color="off" if fits else "inverse",
        delta_arrow="off",
        help="What the account is charged if all questions are released together.",
    )
    second.metric(
        "One after another",
        in_words(found.added, account),
        help="What the account is charged if each is released by itself.",
    )
    if account.budget.rho is None:
        saved = epsilon_text(found.saved) if found.saved else "nothing"
        third.metric(
            "Saved, ε",
            saved,
            help="How much less the plan costs as a whole than its questions one after another.",
        )
    else:
        st.caption("In ρ costs add up, and no way of counting does better.")
    if not fits:
        st.warning(accounts.way_on(account, found.cost, in_words(found.cost, account)))
        _offer_left(basket, account)
    results.show(prices_picture(found), "plan-price", simulated=True)
    st.caption(_WAYS)
    _say_rounding(found.cost)
    if not basket.delta:
        st.caption(
            "At δ 0 nothing but adding up is valid. With a δ above 0 at the top, which "
            "the account must have too, the other ways may be tighter."
        )
    return found


def _offer_left(basket: AnalysisPlan, account: Account) -> None:
    """Offer to share out what is left, where there is something to share."""
    left = account.remaining.epsilon
    counted = account.budget.epsilon is not None
    if not counted or left <= 0 or all(item.fixed for item in basket.items):
        return
    st.button(
        f"Share out what is left, ε {significant(float(left))}",
        key="plan-share-left",
        on_click=plans.share_left,
        help="Every question that is not locked gets its part of what is left of the "
        "budget. It spends nothing.",
    )


def _say_rounding(cost: PrivacyCost) -> None:
    """Say what is really charged where a price is rounded up to be read."""
    epsilon = float(cost.epsilon)
    shown = rounded([epsilon], up=True)[0]
    if not math.isfinite(epsilon) or shown <= epsilon * _NOTICED:
        return
    at = (
        f" and δ {significant(float(cost.delta), up=True)}, which is that of the plan "
        "as a whole and no part of its ε"
        if cost.delta
        else ""
    )
    st.caption(
        "Prices are rounded up to three digits, so that none reads smaller than it is: "
        f"charged are exactly ε {in_full(epsilon)}{at}."
    )


def details() -> None:
    """Say why, and how."""
    with st.expander("What is this?"):
        st.markdown(
            f"{_WHY}\n\n"
            f"**Four ways of counting.** {_WAYS} The formula is that of Kairouz, Oh "
            "and Viswanath (2015); ρ is converted after Canonne, Kamath and Steinke "
            "(2020); losses are convolved in cells that err upwards, so that the total "
            "is never below the truth. What is charged is rounded up.\n\n"
            "**The best split** makes the largest ratio of an error to what must be "
            "seen as small as it can be. A weighted sum of errors would give all of an "
            "easy question for a little of a hard one. Where the total is too small to "
            "say something of every question, those that need most for it get next to "
            "nothing, and the others share the rest.\n\n"
            "**The error** is that of the noise, at the least favorable value: the "
            "number that “Release” shows before a price is paid, and the half-width of "
            "the interval afterwards where it does not depend on the answer. Of a "
            "median it is in places of the sorted table; of a mean by group it is for "
            "a group of the size that you name."
        )
