"""What a plan shares out, and how: the total, its delta, and the split."""

from __future__ import annotations

from dataclasses import replace

import streamlit as st

from dpcore.errors import ParameterError
from dpcore.planning.analysis_plan import LEAST, MOST, AnalysisPlan, Split
from dpcore.planning.splits import settled
from ui import controls, plans, session
from ui.controls import EPSILON_HELP, Typed
from ui.text import sentence_of

_LARGEST_DELTA = 0.1
_MEANING = {
    Split.TYPED: "every question has the ε that was typed for it; a smaller total that "
    "you type cuts all of them in proportion",
    Split.EQUAL: "every question gets the same ε",
    Split.WEIGHTS: "a question of twice the weight gets twice the ε",
    Split.BEST: "the question that is worst off is as good as it can be: the largest "
    "ratio of an error to what must be seen is made as small as possible",
}


def ask(basket: AnalysisPlan) -> AnalysisPlan:
    """Show the settings of the whole plan, and return it with them."""
    first, second, third = controls.row((1, 1, 2))
    generation = session.generation()
    total = _number(
        first, "Total ε", basket.total, (LEAST, MOST), f"total-{generation}",
        "What all questions share, as it is dealt out. It starts from what is left of "
        f"the budget. Typing a total shares it out. {EPSILON_HELP}",
    )  # fmt: skip
    delta = _number(
        second, "δ of the plan", basket.delta, (0.0, _LARGEST_DELTA),
        f"delta-{generation}",
        "At which δ all questions are counted together. At 0 nothing but adding up is "
        f"valid; a small δ, far below one in the number of {session.unit().counted}, "
        "lets a plan of "
        "several questions be counted tighter, and is then charged as a whole.",
    )  # fmt: skip
    key = f"plan-split-{generation}"
    note = "\n".join(f"- **{split}**: {_MEANING[split]}." for split in Split)
    note += "\n\nA locked question keeps its ε; the others share what is left."
    typed = total.number != basket.total and LEAST <= total.number <= MOST
    # Typing a total shares it out.
    shares = typed and basket.follows_budget and basket.split is Split.TYPED
    start = Split.EQUAL if shares else basket.split
    split = plans.box(
        key,
        start,
        lambda: third.radio(
            "Split", list(Split), index=list(Split).index(start), key=key, kept="session", note=note
        ),
    )
    try:
        return replace(
            basket,
            total=total.inside,
            delta=delta.inside,
            split=split,
            follows_budget=basket.follows_budget and not typed,
        )
    except ParameterError as error:
        st.info(sentence_of(error), icon="✏️")
        return replace(basket, split=split)


def deal(basket: AnalysisPlan, *, told: bool) -> AnalysisPlan:
    """Return the plan with its total split, or as it is where it cannot be.

    What is in the way is ``told``.
    """
    try:
        return settled(basket)
    except ParameterError as error:
        if told:
            st.warning(sentence_of(error))
        return basket


def _number(
    cell: controls.Cell, label: str, value: float, within: tuple[float, float], name: str, note: str
) -> Typed:
    """Show a box that takes every number, so that what is in force is on screen."""
    key = f"plan-{name}"
    least, most = within
    said = f"{note} From {least:g} to {most:g}."
    found = plans.box(
        key, value, lambda: cell.number(label, value, key=key, kept="session", note=said)
    )
    return Typed(label=label, number=found, least=least, most=most)
