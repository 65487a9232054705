"""Labels that nobody knows, found by a release that is charged."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any, Final, cast

import numpy as np
import streamlit as st

from dpcore.analyses.base import Mode, Request
from dpcore.analyses.label_rounds import LabelRoundsPlan, LabelRoundsQuery
from dpcore.analyses.labels import LabelsPlan, LabelsQuery
from dpcore.data.columns import MAX_LABELS, Column, ColumnKind
from dpcore.data.declaration_grid import undeclared
from dpcore.data.partitions.table import Table
from dpcore.figures.found_labels import dependence_picture, rounds_picture, selection_picture
from dpcore.formatting import percent, significant
from dpcore.mechanisms.catalog import LABEL_ROUNDS, LABEL_SELECTION
from dpcore.mechanisms.label_rounds import LabelHoldings
from dpcore.releases.digits import interval_text, number_text
from dpcore.releases.record import Release
from ui import confidential, controls, offering, partwise, results, session
from ui.asking import finding, fit
from ui.data import declaring, grid
from ui.study import AccountTerms, Draft, Study

if TYPE_CHECKING:
    from streamlit.delta_generator import DeltaGenerator

_SHARE: Final = 0.1
"""The part of a budget in ε and δ that is proposed for the search."""
_USUAL: Final = (0.3, 1e-6)
_SURE: Final = 0.95
_METHODS: Final = {
    LABEL_SELECTION.key: "one round, with counts",
    LABEL_ROUNDS.key: "three rounds, labels only",
}
_NOTHING = (
    "**No labels found.** No label passed the threshold. The cost is paid. Type a list that "
    "you know, or search again with a larger ε."
)


def ask(
    dataset: Table, current: Draft | Study, agreed: AccountTerms, keep: Callable[[Table], None]
) -> DeltaGenerator | None:
    """Offer to find labels; return its block where an account has to be opened first."""
    places = [place for place, column in enumerate(dataset.columns) if _lacks_list(column)]
    return finding.offer(
        finding.block("labels", places),
        current,
        agreed,
        account_key="open-account-labels",
        question=partial(_question, dataset, places),
        tell=_tell_error,
        answer=partial(_answer, dataset, keep),
    )


def _lacks_list(column: Column) -> bool:
    known = column.labels and column.found_epsilon is None
    return column.kind is ColumnKind.CATEGORY and not known


def _question(dataset: Table, places: list[int], terms: AccountTerms) -> tuple[int, Request] | None:
    st.caption(
        "For a column whose labels nobody can list. Labels that enough "
        f"{terms.unit.nouns} have are released. The search costs ε and δ like any release."
    )
    first, second, third = controls.row(3)
    key = f"labels-column-{session.generation()}"
    place = finding.choose(first, "Column without a list", dataset, places, key=key)
    budget, most = terms.budget, float(terms.budget.delta or 0)
    total = None if budget.epsilon is None else float(budget.epsilon)
    epsilon = second.charged_epsilon(
        "ε for the labels",
        finding.proposed(total, _SHARE, usual=_USUAL[0]),
        (0.001, 10.0, 0.05),
        key=f"labels-epsilon-{session.generation()}",
        kept="session",
        more=f"A smaller ε finds only labels of more {terms.unit.nouns}.",
    )
    delta = third.charged_delta(
        "δ for the labels",
        round(_SHARE * most, 12) or _USUAL[1],
        key=f"labels-delta-{session.generation()}",
        kept="session",
    )
    if place is None:
        return None
    query = LabelsQuery.of(dataset.columns[place], relation=terms.relation, unit=terms.unit)
    one_round = Request(
        query=query, mechanism_key=LABEL_SELECTION.key, epsilon=epsilon.inside, delta=delta.inside
    )
    if (terms.unit.cap or 1) == 1:
        return place, one_round
    method = controls.HERE.radio(
        "Method",
        [*_METHODS],
        format_func=_METHODS.__getitem__,
        key=f"labels-rounds-{session.generation()}",
        kept="session",
        note="One round adds truncated geometric noise to every count (optimal partition "
        f"selection). Three rounds (DP-SIPS) let each {terms.unit.noun} spread a weight over "
        "their labels. Labels that were found leave more weight for the others.",
    )
    in_rounds = _asked_as(one_round, LabelRoundsQuery, LABEL_ROUNDS.key)
    _compare(one_round, in_rounds)
    return place, in_rounds if method == LABEL_ROUNDS.key else one_round


def _asked_as(request: Request, question: type[LabelsQuery], key: str) -> Request:
    """Return the same search by another method."""
    asked = request.query
    query = question.of(asked.column, relation=asked.relation, unit=asked.unit)
    return replace(request, query=query, mechanism_key=key)


def _compare(one_round: Request, in_rounds: Request) -> None:
    """Say how many people a label needs by either method, from public numbers."""
    unit, law = one_round.unit, cast("LabelRoundsPlan", in_rounds.plan).law
    single = cast("LabelsPlan", one_round.plan).law.people_needed(_SURE)
    least, most = (law.people_needed(_SURE, labels) for labels in (1, unit.cap or 1))
    better = ""
    if most < single:
        better = " Three rounds need fewer, whatever the other labels are."
    elif least > single:
        better = " One round needs fewer, whatever the other labels are."
    st.caption(
        f"To appear with a probability of {percent(_SURE)}, a label needs {single:,} {unit.nouns} "
        f"in one round. In three rounds it needs {least:,} to {most:,}, depending on how many of "
        f"their other labels are found first.{better}"
    )


def _tell_error(request: Request) -> None:
    """Say how many people a label needs, and draw it."""
    if isinstance(request.plan, LabelRoundsPlan):
        _tell_rounds(request, request.plan)
        return
    plan, unit = cast("LabelsPlan", request.plan), request.unit
    half, sure = (plan.law.people_needed(often) for often in (0.5, 0.95))
    many = request.unit_text
    alone = significant(plan.law.end_probability, up=True)
    st.caption(
        f"A label is released if its noisy number is above {plan.law.threshold:,}. "
        f"One of {half:,} {many} appears with a probability of 50%, one of {sure:,} with "
        f"95%. A label of one {unit.noun} alone appears with a probability of at most {alone}.",
        help="Truncated geometric noise is added to every count (optimal partition selection, "
        "Desfontaines and others 2022).",
    )
    if unit.cap is not None:
        st.caption(
            f"One {unit.noun} may have up to {unit.cap:,} labels. ε and δ cover all of them, "
            "and each gets an equal part."
        )
    results.show(selection_picture(plan, unit), "label-selection", simulated=True)


def _tell_rounds(request: Request, plan: LabelRoundsPlan) -> None:
    """Say what rounds release and what they do not, and draw how often they find a label."""
    unit = request.unit
    alone = significant(float(plan.law.released(1, 1)), up=True)
    st.caption(
        f"Three rounds release the labels alone, without the number of {unit.nouns} of each. One "
        f"{unit.noun} may have up to {unit.cap:,} labels, and ε and δ cover all of them. "
        f"A label of one {unit.noun} alone appears with a probability of at most {alone}."
    )
    one_round = _asked_as(request, LabelsQuery, LABEL_SELECTION.key)
    picture = rounds_picture(plan, cast("LabelsPlan", one_round.plan), unit)
    results.show(picture, "label-rounds", simulated=True)


def _answer(
    dataset: Table, keep: Callable[[Table], None], request: Request, study: Study, place: int
) -> None:
    """Offer the search, and its labels as the list of the column."""
    answer = offering.offer(request, study, key="labels", plannable=False)
    if answer is not None:
        with offering.frame(answer, answer.said):
            _show(answer)
            offering.badge(answer, "labels")
        _offer_list(answer, dataset, place, keep)
    if dataset.columns[place].labels:
        fit.check(dataset, place, codebook=study.example is not None, key="found-list-fit")
    draw = partial(_curator, request, study)
    confidential.area("label-chances", "whose label depends on them alone", draw)


def _show(answer: Release) -> None:
    if not answer.labels:
        st.markdown(_NOTHING)
        return
    pairs = _ranked(answer)
    number = len(pairs)
    st.subheader(f"{number:,} {'label' if number == 1 else 'labels'} found", anchor=False)
    if _of_rounds(answer):
        results.table(
            {
                "label": [label for label, _ in pairs],
                "round": [number_text(answer, *pair) for pair in pairs],
            },
            key="found-labels",
        )
        st.caption(
            "Sorted by the round in which a label was found. The number of people of each label "
            "stays private. So do labels that were not found, and their number."
        )
        return
    ends = [interval_text(answer, *pair) or ("", "") for pair in pairs]
    results.table(
        {
            "label": [label for label, _ in pairs],
            answer.unit: [number_text(answer, *pair) for pair in pairs],
            "95% interval": [" to ".join(each) for each in ends],
        },
        key="found-labels",
    )
    st.caption(
        "Sorted by released number. The intervals hold together with 95% confidence, given that "
        "these labels were released. Near the threshold that reaches further down than up. "
        "Labels below the threshold stay private, and so does their number."
    )


def _offer_list(answer: Release, dataset: Table, place: int, keep: Callable[[Table], None]) -> None:
    column = dataset.columns[place]
    found = tuple(sorted(label for label, _ in _ranked(answer)[:MAX_LABELS]))
    if not found:
        return
    if answer.mode is Mode.CLASSROOM:
        st.caption("A classroom result is not private, so it is not recorded as a list.")
    elif column.labels == found:
        st.caption("Recorded as the public list of this column.")
    elif _use_list():
        listed = replace(undeclared(column), labels=found, found_epsilon=float(answer.cost.epsilon))
        grid.take_over(dataset, declaring.redeclared(dataset, listed), keep)
        st.rerun()
    if len(found) < len(answer.labels):
        kept = "found first" if _of_rounds(answer) else "of the largest numbers"
        st.caption(f"A list has at most {MAX_LABELS} labels: those {kept}.")


def _use_list() -> bool:
    """Offer to declare the list, after what it means for all other values."""
    st.caption(
        "Values that are not on the list will count as “other” in counts, shares and groups. "
        "Missing values will be left out, and in groups they count as “other”."
    )
    return st.button("Use as the column's list", key="use-labels", type="primary")


def _ranked(answer: Release) -> list[tuple[str, float]]:
    """Return labels with their released numbers, the largest first, or by round.

    The order follows from the release alone.
    """
    pairs, way = zip(answer.labels, answer.values, strict=True), 1 if _of_rounds(answer) else -1
    return sorted(pairs, key=lambda pair: (way * pair[1], pair[0]))


def _of_rounds(answer: Release) -> bool:
    return answer.mechanism == LABEL_ROUNDS.key


def _curator(request: Request, study: Study) -> None:
    """Show how likely labels appear only because of one person. CONFIDENTIAL."""
    unit, plan = request.unit, request.plan
    counts = partwise.found(
        "label-counts",
        study.about(request.query),
        study.dataset,
        lambda table: cast("Mapping[Any, int]", request.value(table)),
        doing="Counting labels",
    )
    if counts is None:
        return
    if isinstance(plan, LabelRoundsPlan):
        alone = np.count_nonzero(LabelHoldings.of(counts).numbers == 1)
        st.markdown(
            f"Labels of one {unit.noun} alone: {alone:,}. Each appears with a probability of at "
            f"most {significant(float(plan.law.released(1, 1)), up=True)}."
        )
        st.caption(
            f"For other labels, the chance to appear only because of one {unit.noun} is not "
            f"computed, because rounds depend on each other. In any table it is at most "
            f"{significant(100 * plan.largest_chance, up=True)}%."
        )
        return
    st.markdown(
        f"Chance that a label appears only because of one {unit.noun}: its probability with "
        f"them, less that without. The guarantee limits it, for every {unit.noun} and table."
        + (" Each label counts." if unit.cap is not None else "")
    )
    sizes = np.array([*counts.values()], dtype=np.int64)
    picture = dependence_picture(cast("LabelsPlan", plan), sizes, unit)
    results.show(picture, "label-chances")
