"""Labels that nobody knows, found by a release that is charged."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Final, cast

import numpy as np
import streamlit as st

from dpcore.analyses.base import Mode, Request
from dpcore.analyses.labels import LabelsPlan, LabelsQuery
from dpcore.data.columns import MAX_LABELS, Column, ColumnKind
from dpcore.data.declaration_grid import undeclared
from dpcore.data.partitions.table import Table
from dpcore.figures.found_labels import dependence_picture, selection_picture
from dpcore.formatting import significant
from dpcore.mechanisms.catalog import LABEL_SELECTION
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
        f"{terms.unit.nouns} have are released with noisy counts. The search costs ε and δ "
        "like any release."
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
    return place, Request(
        query=query, mechanism_key=LABEL_SELECTION.key, epsilon=epsilon.inside, delta=delta.inside
    )


def _tell_error(request: Request) -> None:
    """Say how many people a label needs, and draw it."""
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


def _answer(
    dataset: Table, keep: Callable[[Table], None], request: Request, study: Study, place: int
) -> None:
    """Offer the search, and its labels as the list of the column."""
    answer = offering.offer(request, study, key="labels", plannable=False)
    if answer is not None:
        with offering.frame(answer):
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
        st.caption(f"A list has at most {MAX_LABELS} labels: those of the largest numbers.")


def _use_list() -> bool:
    """Offer to declare the list, after what it means for all other values."""
    st.caption(
        "Values that are not on the list will count as “other” in counts, shares and groups. "
        "Missing values will be left out, and in groups they count as “other”."
    )
    return st.button("Use as the column's list", key="use-labels", type="primary")


def _ranked(answer: Release) -> list[tuple[str, float]]:
    """Return labels with their released numbers, the largest first.

    The order follows from the release alone.
    """
    pairs = zip(answer.labels, answer.values, strict=True)
    return sorted(pairs, key=lambda pair: (-pair[1], pair[0]))


def _curator(request: Request, study: Study) -> None:
    """Show how likely labels appear only because of one person. CONFIDENTIAL."""
    unit = request.unit
    counts = partwise.found(
        "label-counts",
        study.about(request.query),
        study.dataset,
        lambda table: cast("Mapping[str, int]", request.value(table)),
        doing="Counting labels",
    )
    if counts is None:
        return
    st.markdown(
        f"Chance that a label appears only because of one {unit.noun}: its probability with "
        f"them, less that without. The guarantee limits it, for every {unit.noun} and table."
        + (" Each label counts." if unit.cap is not None else "")
    )
    sizes = np.array([*counts.values()], dtype=np.int64)
    picture = dependence_picture(cast("LabelsPlan", request.plan), sizes, unit)
    results.show(picture, "label-chances")
