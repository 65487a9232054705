"""A total of the plan chosen from the data privately, at a price."""

from __future__ import annotations

import math
from typing import Final

import numpy as np
import streamlit as st

from dpcore.errors import ParameterError
from dpcore.formatting import in_full
from dpcore.planning.analysis_plan import LEAST, MOST, Split
from dpcore.planning.comparison import Option
from dpcore.planning.private_total import MISSED, TOLD, AboveThreshold, ChoiceRequest
from ui import controls, offering, plans, session
from ui.planning.privacy_loss import Asked
from ui.study import Study
from ui.text import sentence_of

_TOTALS: Final = 12
_SHARE: Final = 0.05
_DIGITS: Final = 3


def show(plan: Option, asked: Asked, study: Study) -> None:
    """Offer the choice of a total: its settings, its cost, and its answer."""
    nouns = session.unit().nouns
    st.header("Choose the total privately")
    st.markdown(
        f"Returns the largest total for which at most so many {nouns} exceed the threshold "
        "(sparse vector technique). It costs ε like any release."
    )
    try:
        request = _ask(plan, asked, study)
    except ParameterError as error:
        st.info(sentence_of(error), icon="✏️")
        return
    off = request.plan.off_by
    first, *_, last = request.totals
    st.caption(
        f"{len(request.totals)} totals from ε = {in_full(first)} to {in_full(last)} are tried. The "
        f"noise miscounts by at most {off:,} {nouns} (95%). Allow clearly more than that."
    )
    answer = offering.offer(request, study, key="choice", plannable=False)
    if answer is not None:
        with offering.frame(answer, answer.said):
            if TOLD in answer.unsaid:
                st.markdown("Too many exceed the threshold even at the smallest total tried.")
            else:
                (total,) = answer.values
                st.metric(
                    "Chosen total ε",
                    in_full(total),
                    help="Public: found by a search with noise, which was charged.",
                )
                st.button(
                    "Use as the total of the plan",
                    key="choice-take",
                    on_click=plans.give,
                    args=(total, Split.TYPED),
                )
            offering.badge(answer, "choice")


def _ask(plan: Option, asked: Asked, study: Study) -> ChoiceRequest:
    """Show the settings, and return what is asked for.

    Raises:
        ParameterError: Nothing can be asked for with them.

    """
    generation, planned = session.generation(), plan.basket.planned
    if not 0 < planned < math.inf:
        raise ParameterError("this plan has no total that could be chosen.")
    first, second, third, fourth = controls.row(4)
    epsilon = second.charged_epsilon(
        "ε for the choice",
        0.1,
        (0.001, 10.0, 0.1),
        key="choice-epsilon",
        kept="table",
        more="It is charged besides the plan.",
    )
    search = AboveThreshold.calibrate(epsilon=epsilon.inside, threshold=0)
    allowed = first.number(
        "Allowed above the threshold",
        max(round(_SHARE * study.size().people), search.off_by(_TOTALS, missed=MISSED) + 1),
        (0, 10**9),
        key=f"choice-allowed-{generation}",
        kept="session",
        note="How many may lose more than the threshold at the top.",
    )
    least = third.number(
        "Smallest total tried",
        max(_rounded(planned / 10), LEAST),
        (LEAST, MOST),
        key=f"choice-least-{generation}",
        kept="session",
        note="Public: choose it without looking at the data.",
    )
    most = fourth.number(
        "Largest total tried",
        min(_rounded(2 * planned), MOST),
        (LEAST, MOST),
        key=f"choice-most-{generation}",
        kept="session",
        note="Public: choose it without looking at the data.",
    )
    if not least < most:
        raise ParameterError("the largest total must be above the smallest one.")
    totals = sorted({_rounded(x) for x in np.geomspace(least, most, _TOTALS)})
    return ChoiceRequest(
        requests=tuple(item.request for item in plan.basket.items),
        totals=tuple(totals),
        limit=asked.limit,
        allowed=int(allowed),
        epsilon=epsilon.inside,
    )


def _rounded(total: float) -> float:
    return float(f"{total:.{_DIGITS}g}")


METHODS: Final = (
    "**Choosing privately.** The sparse vector technique with one answer is by Dwork and "
    "Roth (2014, algorithm 1) and by Lyu, Su and Li (2017). Noise of scale 2/ε is added to "
    "the allowed number and to each number above the threshold. One person changes each "
    "number by one at most, all in the same direction. For that, losses are counted from a "
    "person's own record and public numbers alone. For sums, and for means with a public "
    "number of rows, with Laplace noise or BIT, it is their own effect on the result. Every "
    "other question counts at its worst case. So a loss may be overestimated, never "
    "underestimated.\n\n**Relative risk.** Zhu and Castro Fernandez (*Within-dataset "
    "disclosure risk for differential privacy*, arXiv 2310.13104) let curators choose ε by "
    "how the risks of people compare. A ratio or a variance of all risks is not used here: "
    "its sensitivity is too large. The number of people above a threshold has a sensitivity "
    "of 1."
)
