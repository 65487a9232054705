"""What each need of the plan takes, and what would take less, beside the slide."""

from __future__ import annotations

import math

import streamlit as st

from dpcore.formatting import capital, epsilon_text, significant
from dpcore.planning.analysis_plan import AnalysisPlan
from dpcore.planning.needs import Need, needs, smallest_text
from ui import results
from ui.study import Study
from ui.text import literal


def show(basket: AnalysisPlan, study: Study) -> None:
    """Say what the needs take that the plan does not meet; nothing where it meets all.

    Worked out once the area is opened: many searches for an epsilon.
    """
    short = [item for item in basket.items if item.seen is False]
    if not short:
        return
    place = st.expander(
        "What each need takes, and what would take less", key="plan-needs", on_change="rerun"
    )
    if not place.open:
        return
    with place:
        found = needs(basket, study.size())
        told = capital(smallest_text(basket.items))
        st.markdown(
            f"**{literal(told)}.** The plan deals out ε {significant(basket.planned)}."
            if told
            else f"The plan deals out ε {significant(basket.planned)}."
        )
        results.table([_row(need) for need in found], key="plan-needs-table")
        lines = [
            f"- **{literal(need.item.name)}**: {literal('; or '.join(need.cheaper))}"
            for need in found
            if need.cheaper
        ]
        if lines:
            heading = "What would take less:"
            st.markdown("\n".join([heading, "", *lines]))
        st.caption(
            "“Needs ε” is what the question itself takes; “total, split as now” what "
            "all questions would have to share for it. A cheaper question is another "
            "one: plan it instead, and see its price. Nothing here looks at the table."
        )


def _row(need: Need) -> dict[str, object]:
    item = need.item
    return {
        "question": item.name,
        "must show": f"{significant(item.wanted or 0.0, 6)} {item.width.unit}".rstrip(),
        "met": "✓ yes" if item.seen else "✗ no",
        "needs ε": _told(need.epsilon),
        "total, split as now": _told(need.total),
    }


def _told(epsilon: float) -> str:
    if math.isnan(epsilon):
        return "it is locked"
    return "no ε does" if math.isinf(epsilon) else epsilon_text(epsilon)
