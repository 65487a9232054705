"""Choosing a total from the table, privately and at a price. Public."""

from __future__ import annotations

import math
from typing import Final

import numpy as np
import streamlit as st

from dpcore.errors import ParameterError
from dpcore.formatting import in_full
from dpcore.planning.analysis_plan import LEAST, MOST
from dpcore.planning.comparison import Option
from dpcore.planning.private_total import TOLD, ChoiceRequest
from dpcore.releases.record import Release
from ui import controls, offering, plans, session
from ui.study import Study
from ui.text import sentence_of
from ui.touching.asking import Asked

_TOTALS: Final = 12
_SHARE: Final = 0.05
_DIGITS: Final = 3


def show(plan: Option, asked: Asked, study: Study) -> None:
    """Offer the choice of a total: its settings, its price, and its answer."""
    st.header("Choosing ε privately, at a price")
    st.markdown(
        "The table may have a say in ε if that say is itself private, and paid for. "
        "Totals are tried from the smallest up; told is the last one before the number "
        f"of {session.unit().nouns} who lose more than your limit is above what you "
        "allow, with noise "
        "on both. It is charged like any answer, before it is told."
    )
    try:
        request = _ask(plan, asked, study)
    except ParameterError as error:
        st.info(sentence_of(error), icon="✏️")
        return
    off = request.plan.off_by
    st.markdown(
        f"At most **{request.allowed:,}** {session.unit().nouns} may lose more than "
        f"**{in_full(request.limit)}**. The noise misjudges how many do by at most "
        f"**{off:,}** {session.unit().nouns}, 95 times of 100: allow clearly more than "
        "that, or pay "
        "more. Totals tried: " + ", ".join(in_full(total) for total in request.totals) + "."
    )
    st.caption(
        "People are counted for the change of a record that the account promises to "
        "hide, and never to lose less than they do; “What is this?” says how."
    )
    answer = offering.offer(request, study, key="choice", plannable=False)
    if answer is not None:
        _answer(answer)


def _ask(plan: Option, asked: Asked, study: Study) -> ChoiceRequest:
    """Show the settings, and return what is asked for.

    Raises:
        ParameterError: Nothing can be asked for with them.

    """
    generation, planned = session.generation(), plan.basket.planned
    if not 0 < planned < math.inf:
        raise ParameterError("this plan has no total that could be chosen.")
    first, second, third, fourth = controls.row(4)
    allowed = first.number(
        "People who may lose more",
        max(1, round(_SHARE * study.size().people)),
        (0, 10**9),
        key=f"choice-allowed-{generation}",
        kept="session",
        note="How many may lose more than the limit at the top of the page.",
    )
    epsilon = second.charged_epsilon(
        "ε for the choice",
        0.1,
        (0.001, 10.0, 0.1),
        key="choice-epsilon",
        kept="table",
        more="It comes on top of what the plan itself costs.",
    )
    least = third.number(
        "Smallest total tried",
        max(_rounded(planned / 10), LEAST),
        (LEAST, MOST),
        key=f"choice-least-{generation}",
        kept="session",
        note="Public: choose it without looking at the table.",
    )
    most = fourth.number(
        "Largest total tried",
        min(_rounded(2 * planned), MOST),
        (LEAST, MOST),
        key=f"choice-most-{generation}",
        kept="session",
        note="Public: choose it without looking at the table.",
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


def _answer(answer: Release) -> None:
    """Show what was chosen."""
    with offering.frame(answer):
        if TOLD in answer.unsaid:
            st.markdown(
                "Even at the smallest total too many seem to lose more. Try smaller "
                "totals, or allow more."
            )
        else:
            (total,) = answer.values
            st.metric(
                "Chosen total ε",
                in_full(total),
                help="Public: chosen among the totals above by a search with noise, "
                "which was charged.",
            )
            st.button(
                "Take it as the total of the plan",
                key="choice-take",
                on_click=plans.share,
                args=(total,),
                help="All ε of the plan, times one factor. The plan still costs them.",
            )
        st.caption(
            "Released for real, it may be published, and used as the total of the "
            "plan. What it tells of anybody is limited by what it cost."
        )
        offering.badge(answer, "choice")


def definitions() -> None:
    """Say what the choice counts, why it is private, and why a ratio would not be."""
    st.markdown(
        "**Choosing privately.** The sparse vector technique with one answer (Dwork "
        "and Roth 2014, algorithm 1; Lyu, Su and Li 2017): noise of scale 2/ε on the "
        f"number of {session.unit().nouns} allowed and on each number of "
        f"{session.unit().nouns}. It is ε-private "
        f"because one {session.unit().noun} changes each number by one at most, and "
        "all in the same "
        f"direction. For that, what {session.unit().indefinite} loses is counted from "
        "their own record and "
        "public numbers alone: of a sum, and of a mean of a public number of "
        f"{session.unit().nouns}, "
        "with Laplace noise or BIT, by how far their own value moves it; of everything "
        "else at its worst case. So somebody may be counted to lose more than they do, "
        "and never less.\n\n**Relative risk.** Z. Zhu and R. Castro Fernandez "
        "(*Within-dataset disclosure risk for differential privacy*, arXiv 2310.13104) "
        f"let curators choose ε by how the risks of {session.unit().nouns} in the "
        "table compare with "
        "each other, and propose the sparse vector technique to do so privately. A "
        "ratio or a variance of everybody's risks is not used for the search here: one "
        f"{session.unit().noun} can take such a ratio from 1 to nearly 0, so that "
        "noise enough to hide "
        f"that {session.unit().noun} would hide the ratio. The number of "
        f"{session.unit().nouns} above a limit has a "
        "sensitivity of 1. Shown in the confidential area is "
        f"{session.unit().indefinite}'s loss over that "
        f"of the median {session.unit().noun}."
    )
