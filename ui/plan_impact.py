"""What a plan means for the people of the table, and a total chosen privately.

What is computed from the table is CONFIDENTIAL; the example of a leak uses made-up tables.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from decimal import ROUND_FLOOR, Context, Decimal
from typing import Final

import numpy as np
import streamlit as st
from numpy.typing import NDArray

from dpcore.analyses.base import Request
from dpcore.arrays import FloatArray
from dpcore.errors import ParameterError
from dpcore.figures.plans import LossSummary, budgets_picture, groups_picture
from dpcore.formatting import epsilon_text, in_full, percent, significant
from dpcore.individual.explanation import role
from dpcore.individual.losses import Losses
from dpcore.planning.analysis_plan import LEAST, MOST, PlannedQuery
from dpcore.planning.comparison import BUDGETS, Option
from dpcore.planning.plan_losses import PlanLosses, as_losses, times
from dpcore.planning.private_total import TOLD, ChoiceRequest
from dpcore.relations import NeighboringRelation
from dpcore.releases.amounts import cost_text
from dpcore.releases.record import Release
from dpcore.studies.teaching.laboratory import COLLEAGUES, data_dependent_epsilon
from ui import controls, offering, plans, results, session
from ui.planning.comparison import sureness
from ui.study import Study
from ui.text import literal, sentence_of

_WORLDS: Final = {
    NeighboringRelation.ADD_REMOVE: "the person had not been there",
    NeighboringRelation.SUBSTITUTION: "the person's record had been another",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """What is looked at. PUBLIC.

    Attributes:
        limit: What nobody should lose more than.
        relation: Which change of a record losses are about.
        by: The column that groups are compared by, if any.

    """

    limit: float
    relation: NeighboringRelation
    by: str | None


def ask(plan: Option, study: Study) -> Asked:
    """Show the controls, and return what is asked."""
    first, second = controls.row((1, 2))
    epsilon = plan.basket.planned
    limit = first.number(
        "Nobody should lose more than ε",
        round(epsilon / 2, 6) if 0 < epsilon < math.inf else 1.0,
        (0.0, None),
        key=f"touched-limit-{session.generation()}",
        kept="session",
        note=f"One {session.unit().noun}'s own ε: by what factor, e to its power, all "
        "answers together "
        f"can change the odds about this {session.unit().noun}. It starts from half of "
        "the plan's ε.",
    )
    pooled = any(
        isinstance(item.request, Request) and item.request.query.kind.pooled
        for item in plan.basket.items
    )
    usual = study.terms.relation if pooled else NeighboringRelation.ADD_REMOVE
    known = tuple(_WORLDS)
    relation = second.radio(
        "What if",
        known,
        index=known.index(usual),
        format_func=_WORLDS.__getitem__,
        key="touched-what-if",
        note=f"Compared with the table without the {session.unit().noun}, or with the "
        "most revealing "
        "other record. Compared with another record everybody could have been at the "
        f"far bound, so that {session.unit().nouns} differ less.",
    )
    choices = [
        column.name
        for column in study.dataset.columns
        if not column.kind.is_numeric and column.labels
    ]
    by = None
    if choices:
        shown = [study.dataset.short(name) for name in choices]
        place = controls.row((1, 2))[0].selectbox(
            "Compare groups by",
            range(len(choices)),
            index=None,
            format_func=shown.__getitem__,
            placeholder="a yes/no or category column",
            key=f"touched-groups-{session.generation()}",
            kept="session",
        )
        by = None if place is None else choices[place]
    return Asked(limit=limit, relation=relation, by=by)


def promise(plan: Option, study: Study) -> None:
    """Show what the plan promises everybody in any table. Public."""
    with controls.valid():
        cost = plan.price.cost
    first, second = st.columns(2)
    first.metric(
        "The plan promises everybody, in any table",
        cost_text(cost),
        help="Public: it depends on bounds and noise alone. Nobody in this table can "
        "lose more, for the change of a record that it promises to hide.",
    )
    second.metric(
        "An attacker who was 50 % sure becomes at most",
        sureness(plan),
        help="Public: how sure somebody who would have bet even odds on "
        f"{session.unit().indefinite} "
        "taking part can be after all answers, in the worst case.",
    )
    if study.terms.relation is not NeighboringRelation.ADD_REMOVE:
        st.caption(
            f"The promise is {study.terms.relation.comparison}. What "
            f"{session.unit().indefinite} "
            "loses by being there at all is another question; choose the same above to "
            "compare like with like."
        )


_MOST: Final = 10
_READABLE: Final = Context(prec=4, rounding=ROUND_FLOOR)


def show_losses(plan: Option, asked: Asked, study: Study) -> None:
    """Show how many lose more than the limit, by budget and group, and who most."""
    items, delta = plan.basket.items, plan.guarantee[1]
    key = f"{study.fingerprint} {asked.relation} " + " ".join(plan.basket.keys)
    with st.spinner("Adding up everybody's losses …"):
        losses = session.while_shown(
            "plan-losses", key, lambda: PlanLosses.of(items, study.in_memory, asked.relation)
        )
        priced = f"{key} {delta} " + " ".join(str(item.epsilon) for item in items)
        own = session.while_shown(
            "plan-totals", priced, lambda: as_losses(losses.totals(items, delta=delta))
        )
        ordered = session.while_shown("plan-budgets", priced, lambda: _budgets(losses, plan, delta))
    _unknown(losses, items)
    st.markdown(
        f"Losses here are **{asked.relation.comparison}**, from all {len(items)} "
        "answers of the plan together."
    )
    _everybody(own, ordered, asked, plan)
    _nobody_above(losses, plan, asked, delta, priced)
    if asked.by is not None:
        _groups(own, asked, study, asked.by, priced)
    _most_exposed(losses, own, plan, delta, study, priced)


def definitions() -> None:
    """Say what a person's own loss is, and how those of several answers add up."""
    st.markdown(
        f"**One {session.unit().noun}'s own loss** is the largest change in the odds "
        "of any answer "
        "between two tables only: this one, and this one without the "
        f"{session.unit().noun}'s record, "
        "or with another one in its place (Y.-X. Wang, *Per-instance differential "
        "privacy*, 2019). The ε of the plan is the largest of these over all tables "
        f"and {session.unit().nouns}. Losses from several answers add up; where a plan "
        "has a δ, the "
        "smallest of several valid totals counts.\n\n**Nobody above.** All ε of the "
        "plan are multiplied by one factor: the largest one at which no total here is "
        "above what you typed. Totals never fall as ε grows, so that it is found by "
        "halving.\n\n**Why it stays here.** Each number in the area is a function of "
        "everybody's records. Nothing of it is written to a file, a document, an "
        "address or the ledger."
    )


def _budgets(losses: PlanLosses, plan: Option, delta: float) -> dict[float, FloatArray]:
    """Return everybody's total, ascending, under other totals of the plan."""
    found: dict[float, FloatArray] = {}
    planned = plan.basket.planned
    for total in BUDGETS if 0 < planned < math.inf else ():
        factor = total / planned
        try:
            items = [times(item, factor) for item in plan.basket.items]
            found[total] = np.sort(losses.totals(items, delta=delta))
        except ParameterError:
            # Some noise has no scale for so large an epsilon.
            continue
    return found


def _unknown(losses: PlanLosses, items: tuple[PlannedQuery, ...]) -> None:
    names = [
        item.name
        for item, question in zip(items, losses.questions, strict=True)
        if not question.known
    ]
    if names:
        st.caption(
            literal(
                "Counted at the worst case for everybody, because each "
                f"{session.unit().noun}'s own "
                f"loss is not worked out here: {', '.join(names)}."
            )
        )


def _crowd(name: str, ordered: FloatArray, limit: float) -> LossSummary:
    people = len(ordered)
    return LossSummary(
        name=name,
        people=people,
        above=people - int(np.searchsorted(ordered, limit, side="right")),
        median=float(ordered[(people - 1) // 2]),
        maximum=float(ordered[-1]),
    )


def _everybody(own: Losses, ordered: dict[float, FloatArray], asked: Asked, plan: Option) -> None:
    """Show how many people lose more than the limit under several totals."""
    totals = {total: (f"ε {significant(total)}", x) for total, x in ordered.items()}
    totals[plan.basket.planned] = (plan.name, own.ordered)
    places = sorted(totals)
    crowds = [_crowd(*totals[total], asked.limit) for total in places]
    now = places.index(plan.basket.planned)
    results.show(budgets_picture(crowds, own=now, limit=asked.limit), "touched-budgets")
    st.caption(
        f"Half of the {session.unit().nouns} lose at most "
        f"{significant(crowds[now].median)} under the "
        f"plan{_relative(crowds[now])}. Other totals are in its proportions; locked "
        "questions change with them."
    )


def _relative(crowd: LossSummary) -> str:
    """Return how the most exposed person compares with the median one."""
    if not 0 < crowd.median < crowd.maximum < math.inf:
        return ""
    ratio = significant(crowd.maximum / crowd.median)
    most = f"the most exposed {session.unit().noun}"
    return f", and {most} {ratio} times as much (relative risk)"


def _nobody_above(
    losses: PlanLosses, plan: Option, asked: Asked, delta: float, priced: str
) -> None:
    """Show the total at which nobody in this table loses more than the limit."""
    items, limit = plan.basket.items, asked.limit
    try:
        factor = session.remember(
            "plan-nobody-above",
            f"{priced} {limit}",
            lambda: losses.nobody_above(items, limit, delta=delta),
        )
    except ParameterError as error:
        st.info(sentence_of(error))
        return
    if math.isinf(factor):
        st.markdown("No total of the plan takes anybody here so far.")
        return
    total = math.fsum(times(item, factor).epsilon for item in items)
    st.metric(
        f"Nobody here loses more than {significant(limit)} up to a total ε of",
        f"{_READABLE.plus(Decimal(total)).normalize():f}",
        help="All ε of the plan times one factor; what has a fixed price keeps it.",
    )
    st.warning(
        "Do not take this total as the budget. It is computed from the table, and "
        f"whoever hears it learns about the {session.unit().noun} who loses most: see "
        "“Choosing ε by "
        "looking” below."
    )


def _groups(own: Losses, asked: Asked, study: Study, by: str, priced: str) -> None:
    """Show which share of each group loses more than the limit."""
    groups = session.while_shown(
        "touched-groups", f"{priced} {by}", lambda: _by_group(own, study, by)
    )
    crowds = [_crowd(name, ordered, asked.limit) for name, ordered in groups.items()]
    results.show(groups_picture(crowds, by=by, limit=asked.limit), "touched-groups")


def _by_group(own: Losses, study: Study, by: str) -> dict[str, FloatArray]:
    """Return the totals of everybody in each group that has people, ascending."""
    column, codes = study.dataset.column(by), study.in_memory.codes(by)
    names = (*column.labels, "other", "missing")
    places = np.where(codes < 0, len(column.labels) + 1, codes)
    order = np.argsort(places, kind="stable")
    present, starts = np.unique(places[order], return_index=True)
    members = np.split(own.epsilon[order], starts[1:])
    pairs = zip(present.tolist(), members, strict=True)
    return {names[place]: np.sort(totals) for place, totals in pairs}


def _most_exposed(
    losses: PlanLosses, own: Losses, plan: Option, delta: float, study: Study, priced: str
) -> None:
    """List who loses most: by their rank, and with values only if asked for."""
    st.markdown("**Who loses most**")
    rows = own.ranking(_MOST)
    items = plan.basket.items
    numbers = _numbers(plan, study)
    roles = session.remember(
        "touched-roles", priced, lambda: [role(numbers, int(row)) for row in rows]
    )
    most = np.argmax(losses.each(items, rows, delta=delta), axis=0).tolist()
    table: dict[str, list[str]] = {
        "who": roles,
        "loses ε": [significant(float(own.epsilon[row])) for row in rows],
        "most from": [items[place].name for place in most],
    }
    shown = st.toggle(
        "Show rows and values",
        key="touched-values",
        help="Off, so that the page can be projected: it says who somebody is by rank alone.",
    )
    if shown:
        table |= {"row": [f"{row + 1:,}" for row in rows], **_values(numbers, rows)}
    results.table(table, key="touched-most")
    if own.tied > _MOST:
        share = percent(own.tied / own.people)
        st.caption(f"{own.tied:,} {session.unit().nouns} ({share}) are tied at the top.")


def _numbers(plan: Option, study: Study) -> dict[str, FloatArray]:
    """Return everybody's numbers of the columns that the plan reads."""
    asked = [item.request.asked for item in plan.basket.items]
    columns = {column.name: column for one in asked for column in one.columns}
    return {
        name: study.in_memory.numbers(name)
        for name, column in columns.items()
        if column.kind.is_numeric
    }


def _values(numbers: dict[str, FloatArray], rows: NDArray[np.intp]) -> dict[str, list[str]]:
    return {
        f"{name}, value": [significant(float(x), 6) for x in values[rows]]
        for name, values in numbers.items()
    }


_TOTALS: Final = 12
_SHARE: Final = 0.05
_DIGITS: Final = 3


def show_choice(plan: Option, asked: Asked, study: Study) -> None:
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


def choice_definitions() -> None:
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


_BOUND: Final = 500_000.0


def show_leak() -> None:
    """Show two made-up neighbors for which the looked-at ε differs."""
    st.header("Choosing ε by looking")
    st.markdown(
        "It seems kind to choose the largest ε at which nobody here loses too much. "
        "But that ε is a function of everybody's records, without any noise. Two "
        "made-up tables of pay, alike but for one person; the sum is to be released, "
        f"with pay bounded at {_BOUND:,.0f} €:"
    )
    first, second, _ = controls.row(3)
    pay = first.number(
        "Pay of that person, € (made up)", 480_000.0, (1_000.0, _BOUND), key="looking-pay"
    )
    limit = second.number(
        "Nobody should lose more than",
        0.1,
        (0.001, 10.0),
        key="looking-limit",
        note="Of the made-up tables.",
    )
    found = data_dependent_epsilon(pay, limit=limit, bound=_BOUND)
    left, right = st.columns(2)
    left.metric(
        "ε chosen, the person is in the table",
        epsilon_text(found.inside),
        help="Made up: the ε at which nobody loses more than the limit, where the best-"
        "paid person is among them.",
    )
    right.metric(
        "ε chosen, the person is not",
        epsilon_text(found.outside),
        help="Made up: the same where that person is not in the table. The difference "
        "is what tells.",
    )
    if found.tells:
        st.markdown(
            "**The ε alone tells who is in the table**, before any answer, and it says "
            f"the pay: {limit:g} · {_BOUND:,.0f} € / ε = {found.read:,.0f} €. No noise "
            "that is added later takes that back."
        )
    else:
        st.markdown(
            f"Here both are the same: {max(COLLEAGUES):,} € is paid to somebody else "
            f"already. But the ε says *that* pay, to everybody: {limit:g} · "
            f"{_BOUND:,.0f} € / ε = {found.read:,.0f} €."
        )
    st.caption(
        "So a budget is agreed on from public numbers: what must be seen, what was "
        "promised elsewhere, what the odds mean. What this page shows of the table "
        "stays with the curator."
    )
