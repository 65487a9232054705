"""What the plan costs: in one line, beside what is left, and a total that fits."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Final

import streamlit as st

from dpcore.figures.compositions import prices_picture
from dpcore.figures.risks import PRIOR, level_text, risk_text
from dpcore.formatting import capital, epsilon_text, in_full, rounded, significant
from dpcore.ledger.account import Account
from dpcore.planning.analysis_plan import AnalysisPlan
from dpcore.planning.plan_cost import PlanCost, cost_of_plan
from dpcore.privacy.tradeoff import of_events
from dpcore.privacy_filter import PrivacyCost
from dpcore.relations import NeighboringRelation
from dpcore.releases.digits import cost_text, spent_text
from dpcore.releases.record import Release
from ui import accounts, plans, results, session
from ui.study import Study

if TYPE_CHECKING:
    from streamlit.delta_generator import DeltaGenerator

_METHODS: Final = (
    "**Composition.** All questions are fixed before the first answer and released "
    "together. No mechanism is chosen in view of an answer, so every composition "
    "theorem holds, and the smallest total is the privacy loss of the plan. "
    "Releases made one after another may depend on earlier answers. Their costs "
    "are added up. Advanced composition is by Kairouz, Oh and Viswanath (2015). "
    "Conversion from zCDP is by Canonne, Kamath and Steinke (2020). The privacy "
    "loss distribution (PLD) is discretized upwards.\n\n"
    "**Optimal allocation** minimizes the largest ratio of a margin to its "
    "target. Where the total is too small, the questions that need most get next "
    "to nothing.\n\n"
    "**Margin of error** is the half-width of the 95% interval of the noise, at "
    "the least favorable value. For a mean by group it holds for the assumed "
    "group size."
)
_ROUNDED_FAR: Final = 1.001
"""By how much a cost has to be rounded up to be taken for a mistake."""


def due(plan: AnalysisPlan, known: Sequence[Release | None]) -> PlanCost:
    """Return what the questions cost together that have no ``known`` answer."""
    pairs = zip(plan.items, known, strict=True)
    new = [item.request for item, answer in pairs if answer is None]
    return cost_of_plan(new, delta=plan.delta)


def bar(place: DeltaGenerator, price: PlanCost, study: Study) -> None:
    """Show how much of what is left the plan would spend."""
    account = session.account(study)
    left, cost = float(account.remaining.epsilon), float(price.cost.epsilon)
    told = (
        f"Cost of the plan: {in_words(price.cost, account)} · left before it: "
        f"{accounts.left(account, price.cost)}"
    )
    share = cost / left if left > 0 else 1.0
    counted = account.budget.epsilon is not None and math.isfinite(share)
    place.progress(min(share, 1.0) if counted else 0.0, text=told)


def in_words(cost: PrivacyCost, account: Account) -> str:
    """Return a cost in what the account counts."""
    return spent_text(account.budget, cost) if account.budget.rho is not None else cost_text(cost)


def show(plan: AnalysisPlan, price: PlanCost, study: Study) -> None:
    """Show the composition in one line; its chart once it is asked for."""
    account = session.account(study)
    at = f" (δ = {significant(price.delta)})" if price.delta else ""
    parts = (
        ("basic", price.totals.basic),
        ("advanced", price.totals.advanced),
        ("zCDP", price.totals.zcdp),
        ("PLD", price.totals.pld),
    )
    ways = " · ".join(
        f"{name} {epsilon_text(value) if math.isfinite(value) else '∞'}" for name, value in parts
    )
    st.markdown(
        f"Composition{at}: **charged {in_words(price.cost, account)}** · {ways}",
        help="Basic composition adds up all ε. Advanced composition, zCDP and privacy loss "
        "distributions (PLD) are tighter bounds on the same loss. The questions are released "
        f"together, so the smallest is charged. One by one it is {in_words(price.added, account)}.",
    )
    epsilon = float(price.cost.epsilon)
    if math.isfinite(epsilon) and rounded([epsilon])[0] > epsilon * _ROUNDED_FAR:
        st.caption(
            f"Costs are rounded up to three digits. Charged exactly: ε = {in_full(epsilon)}."
        )
    if not account.admits(price.cost):
        _way_on(plan, price, account)


def methods(plan: AnalysisPlan, price: PlanCost, relation: NeighboringRelation) -> None:
    """Show the chart of the composition, the Gaussian level, and how margins are found."""
    results.show(prices_picture(price), "plan-price", simulated=True)
    st.caption(accounts.WAYS)
    curve = of_events(item.request.plan.event for item in plan.items)
    risk = capital(risk_text(curve, PRIOR, relation))
    st.markdown(f"**{level_text(curve.level)}.** {risk}.")
    st.markdown(_METHODS)


def _way_on(plan: AnalysisPlan, price: PlanCost, account: Account) -> None:
    """Say which total fits, and offer it; else how to go on."""
    left = float(account.remaining.epsilon)
    told = in_words(price.cost, account)
    smaller = any(not item.fixed for item in plan.items)
    if account.budget.epsilon is None or price.cost.delta > account.remaining.delta:
        smaller = False
    if left <= 0 or not smaller:
        st.warning(accounts.way_on(account, price.cost, told))
        st.page_link("pages/manage.py", label="Manage the budget")
        return
    st.warning(f"The plan costs {told}, and {accounts.left(account)} is left.")
    st.button(
        f"Use what is left: ε = {significant(left)}",
        key="plan-share-left",
        type="primary",
        on_click=plans.share,
    )
