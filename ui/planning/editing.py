"""The settings of a plan, and its questions edited one by one."""

from __future__ import annotations

import math
from dataclasses import replace

import streamlit as st

from dpcore.errors import ParameterError
from dpcore.formatting import capital, epsilon_text
from dpcore.planning.analysis_plan import HEAVIEST, LEAST, MOST, AnalysisPlan, PlannedQuery, Split
from dpcore.planning.splits import settled
from dpcore.planning.targets import epsilon_for, people_for, size_condition_text
from ui import controls, plans, session
from ui.controls import EPSILON_HELP, Typed
from ui.text import after_number, literal, sentence_of

_ERROR, _EPSILON, _PEOPLE = "error from ε", "ε from the error", "people from both"
_MOST_PEOPLE = 10**9
_ANEW = "plan-shown-anew"


def edit(basket: AnalysisPlan) -> AnalysisPlan:
    """Let one question be changed, and return the plan with it."""
    st.header("Change a question")
    left, right = controls.row(2)
    place = left.selectbox(
        "Question",
        range(len(basket.items)),
        format_func=lambda at: f"{at + 1}. {basket.items[at].name}",
        key=_chosen(basket),
        kept="session",
    )
    item = basket.items[place]
    st.caption(f"{literal(capital(item.request.statement))}.")
    try:
        changed = _labelled(_priced(item, right))
    except ParameterError as error:
        st.info(sentence_of(error), icon="✏️")
        return basket
    finally:
        st.button(
            "Take it out of the plan",
            key=f"plan-out-{item.key}",
            on_click=plans.remove,
            args=(item.key,),
        )
    told = size_condition_text(changed)
    if told:
        st.caption(literal(told))
    if changed.epsilon != item.epsilon and basket.split is not Split.TYPED:
        # What was typed stays; what is not locked makes room.
        changed = replace(changed, locked=True)
    return basket.with_item(changed)


def show_anew(shown: AnalysisPlan, dealt: AnalysisPlan) -> None:
    """Draw the page once more where the split changed the question after it was shown.

    What it must show is typed above the total that is shared out: its box of ε and its
    error would stay those of before.
    """
    place = session.public(_chosen(shown))
    if not isinstance(place, int) or session.take(_ANEW):
        return
    if shown.items[place].epsilon != dealt.items[place].epsilon:
        session.set_public(_ANEW, value=True)
        st.rerun()


def _chosen(basket: AnalysisPlan) -> str:
    return f"plan-item-{session.generation()}-{len(basket.items)}"


def _priced(item: PlannedQuery, cell: controls.Cell) -> PlannedQuery:
    """Let epsilon or the error be typed, or both to see how many people they take."""
    if not item.divisible:
        cell.place.markdown(
            f"It costs ε {epsilon_text(item.epsilon)}, as it was asked: that cannot be "
            "changed here."
        )
        return item
    way = cell.radio(
        "Work out", [_ERROR, _EPSILON, _PEOPLE], key="plan-work-out",
        note="Type the one and get the other; or type both, and get how many "
        f"{session.unit().counted} it "
        "takes.",
    )  # fmt: skip
    first, second, third = controls.row(3)
    width = item.width
    unit = after_number(width.unit)
    of = f" ({width.of})" if width.of else ""
    if way == _ERROR:
        changed = item.at(_epsilon(first, item, "epsilon").inside)
        second.place.metric(
            "Error, 95 times of 100",
            f"± {changed.width.text}{unit}{of}",
            help="In 95 of 100 releases the answer lies no farther than this from the "
            f"exact one. More ε or more {session.unit().counted} make it smaller.",
        )
        return changed
    error = _error(second if way == _PEOPLE else first, item, way)
    if way == _EPSILON:
        changed = item
        if not math.isclose(error, item.width.half, rel_tol=1e-12):
            changed = item.at(epsilon_for(item, error))
        second.place.metric(
            "ε it takes",
            epsilon_text(changed.epsilon),
            help="The least ε of this question with which its error is as small as "
            "typed. The plan takes it over.",
        )
        return changed
    supposed = item.at(_epsilon(first, item, "supposed").inside)
    people = people_for(supposed, error)
    third.place.metric(
        "Rows needed",
        "more do not help" if people is None else f"{people:,}",
        help="In the table; in a group, where a question is asked by group. The plan "
        "is not changed by it.",
    )
    return item


def _epsilon(cell: controls.Cell, item: PlannedQuery, name: str) -> Typed:
    key = f"plan-{name}-{item.key}"
    note = f"What this question gets. From {LEAST:g} to {MOST:g}."
    found = _number(cell, "ε of this question", item.epsilon, key=key, note=note)
    return Typed(label="ε", number=found, least=LEAST, most=MOST)


def _error(cell: controls.Cell, item: PlannedQuery, way: str) -> float:
    half = item.width.half
    if not math.isfinite(half):
        raise ParameterError(f"the error of it cannot be said in advance: {item.width.of}.")
    key = f"plan-half-{way == _PEOPLE}-{item.key}"
    unit = f", {literal(item.width.unit)}" if item.width.unit else ""
    return _number(
        cell,
        f"Error at 95 %{literal(unit)}",
        half,
        (0.0, None),
        key=key,
        note="The half-width: 95 of 100 answers, with all their numbers, fall within "
        "it of the table's own value.",
    )


def _number(
    cell: controls.Cell,
    label: str,
    value: float,
    within: tuple[float | None, float | None] = (None, None),
    *,
    key: str,
    note: str,
) -> float:
    """Show a box for a number of the question."""

    def show() -> float:
        return cell.number(label, value, within, key=key, kept="session", note=note)

    return plans.box(key, value, show)


def _labelled(item: PlannedQuery) -> PlannedQuery:
    """Let its name, what it must show, its weight and its lock be changed."""
    first, second, third, fourth = controls.row((2, 1, 1, 1))
    key = item.key
    named, lock = f"plan-name-{key}", f"plan-lock-{key}"
    name = plans.box(
        named,
        item.name,
        lambda: first.place.text_input("Name", item.name, key=named, persist_state="session"),
    )
    unit = f", {literal(item.width.unit)}" if item.width.unit else ""
    wanted = _number(
        second,
        f"Must show{unit}",
        float(item.wanted or 0.0),
        (0.0, None),
        key=f"plan-wanted-{key}",
        note="How small a difference must be seen, such as a gap of 3,000. An error "
        "beyond it is marked. 0: nothing is said.",
    )
    weight = _number(
        third,
        "Weight",
        float(item.weight),
        (1e-6, HEAVIEST),
        key=f"plan-weight-{key}",
        note="Beside the others, for the split by weight.",
    )
    locked = plans.box(
        lock,
        item.locked,
        lambda: fourth.place.checkbox(
            "Locked",
            item.locked,
            key=lock,
            persist_state="session",
            help="It keeps its ε when the total is split.",
        ),
    )
    group = item.group
    if item.width.assumed:
        sized = f"plan-group-{key}"
        group = plans.box(
            sized,
            item.group,
            lambda: first.number(
                "A group of how many?",
                item.group,
                (1, _MOST_PEOPLE),
                key=sized,
                kept="session",
                note="Sizes of groups are private: name a size to see its error.",
            ),
        )
    return replace(
        item,
        name=" ".join(name.split()),
        wanted=wanted or None,
        weight=weight,
        locked=locked,
        group=group,
    )


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
    total = _setting(
        first, "Total ε", basket.total, (LEAST, MOST), f"total-{generation}",
        "What all questions share, as it is dealt out. It starts from what is left of "
        f"the budget. Typing a total shares it out. {EPSILON_HELP}",
    )  # fmt: skip
    delta = _setting(
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


def _setting(
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
