"""How accurate the planned answers will be, by total, and what their margins leave out."""

from __future__ import annotations

import streamlit as st

from dpcore.figures.plans import margins_picture
from dpcore.formatting import capital
from dpcore.planning.analysis_plan import AnalysisPlan, Split
from dpcore.planning.comparison import around, compare
from dpcore.planning.needs import smallest_text
from ui import plans, results
from ui.text import literal


def show(plan: AnalysisPlan) -> None:
    """Show the margin of error of each question against the total. Public numbers only."""
    results.show(margins_picture(compare(plan, around(plan.dealt))), "plan-slide", simulated=True)
    notes = []
    smallest = smallest_text(plan.items)
    if smallest:
        notes.append(f"**{literal(capital(smallest))}.**")
    notes.append("Margins are 95%, noise only.")
    assumed = sorted({item.group for item in plan.items if item.width.assumed})
    if assumed:
        sizes = " and ".join(f"{size:,}" for size in assumed)
        notes.append(f"\\* assumes {sizes} rows in a group.")
    if any(item.width.unit == "of maximum" for item in plan.items):
        notes.append("Margins “of maximum” are for variances and covariances, not correlations.")
    if plan.split is Split.BEST and any(i.wanted is None and not i.fixed for i in plan.items):
        notes.append("Without a target, a tenth of the range of the answer is assumed.")
    st.caption(" ".join([*notes, plans.imputed(plan.items)]))
