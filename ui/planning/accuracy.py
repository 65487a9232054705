"""How accurate the planned answers will be, by total, and what their margins leave out."""

from __future__ import annotations

import math

import streamlit as st

from dpcore.figures.plans import margins_picture
from dpcore.formatting import capital, epsilon_text, rounded
from dpcore.planning.analysis_plan import MARGIN_UNKNOWN, AnalysisPlan, Split
from dpcore.planning.comparison import around, compare
from dpcore.planning.needs import smallest_text, smallest_total
from ui import plans, results, session
from ui.text import literal


def show(plan: AnalysisPlan) -> None:
    """Show the margin of error of each question against the total. Public numbers only."""
    results.show(margins_picture(compare(plan, around(plan.dealt))), "plan-slide", simulated=True)
    notes = []
    smallest = smallest_text(plan.items)
    if smallest:
        notes.append(f"**{literal(capital(smallest))}.**")
    notes.append("Margins are 95%, noise only.")
    if any(item.width.unit == "ranks" for item in plan.items):
        notes.append("Ranks are places in the sorted table.")
    assumed = sorted({item.group for item in plan.items if item.width.assumed})
    if assumed:
        sizes = " and ".join(f"{size:,}" for size in assumed)
        notes.append(f"\\* assumes {sizes} rows in a group.")
    if any(item.width.of == MARGIN_UNKNOWN for item in plan.items):
        notes.append(
            "The margin of a correlation depends on the variances, so it is known only afterwards."
        )
    if plan.split is Split.BEST and any(i.wanted is None and not i.fixed for i in plan.items):
        notes.append("Without a target, a tenth of the range of the answer is assumed.")
    st.caption(" ".join([*notes, plans.imputed(plan.items)]))
    if any(item.wanted is None for item in plan.items):
        return
    total = smallest_total(plan.items)
    if math.isfinite(total):
        enough = rounded([total])[0]
        account = session.account(session.require_study())
        fits = account.budget.epsilon is None or enough <= float(account.remaining.epsilon)
        st.button(
            f"Use ε = {epsilon_text(total)}{'' if fits else ' (more than is left)'}",
            key="plan-smallest",
            on_click=plans.give,
            args=(enough, Split.BEST),
            disabled=plan.split is Split.BEST and plan.total == enough,
            help="Sets the total and the optimal allocation, which meet every target.",
        )
