"""Controls that ask a question: statistic, mechanism, split of the budget, and cost.

Public settings are in the URL; the column is not, and nothing that came with the data.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import Final, cast

import pandas as pd
import streamlit as st

from dpcore.analyses.base import Question, Request, offered
from dpcore.analyses.matrix import rebalanced
from dpcore.analyses.shares import fitting
from dpcore.data.columns import ColumnKind
from dpcore.formatting import significant
from dpcore.mechanisms.covariances import sensitivity_split
from dpcore.postprocessing.share_constraints import MOST_SYNTHESES, Constraint, ConstraintKind
from dpcore.statistics.covariance import CovarianceMatrix
from dpcore.statistics.kinds import ASKED_OF_PEOPLE, StatisticKind, allowed
from ui import controls, session
from ui.answering import views
from ui.asking import columns, question_controls
from ui.study import Study

_REPLACED = "_replaced_statistic"
EPSILON: Final = "epsilon"
_USUAL_EPSILON = 0.5


_EQUAL, _BY_SENSITIVITY, _OWN = "equal parts", "same noise on all", "own shares"
_Shares = tuple[tuple[float, ...], tuple[bool, ...]]
_MEANING = {
    ConstraintKind.RESCALE: "every share is divided by the sum of all",
    ConstraintKind.PROJECT: "the nearest shares that are at least 0 and add up to 1",
    ConstraintKind.ALL_BUT_ONE: "one category gets what the others leave, and all of their noise",
    ConstraintKind.TREE: "sums of categories are released too, then made consistent; "
    "pays off from about 32 categories on",
}


def ask(study: Study, *, priced: bool = True) -> Request:
    """Show the controls of a question and return it; explain in place what is missing.

    Where the question cannot be asked yet, the page stops below the explanation. One
    that is not ``priced`` gets its ε of a plan.
    """
    with st.container(key="question"):
        first, second, by = controls.row(3)
        third, *rest, fold = controls.row(2 + priced, vertical_alignment="bottom")
    with second.place:
        position = columns.choose(study.dataset)
    column = study.dataset.columns[position]
    kinds = _offered(column.kind, study.dataset.cap)
    changed = _settle_statistic(kinds)
    kind = first.selectbox(
        "Statistic", kinds, key="statistic", kept="table", note=_explained(kinds, study.dataset.cap)
    )
    key = mechanism(third, kind)
    epsilons = [
        cell.charged_epsilon(
            "ε for this release", _USUAL_EPSILON, (1e-9, 700.0, 0.1), key=EPSILON, kept="table"
        )
        for cell in rest
    ]
    if changed:
        st.caption(f"This column has no {changed}; the question is now its {kind}.")
    elif StatisticKind.MEAN not in kinds:
        st.caption("Means, sums and quantiles need a column of numbers.")
    place = st.container()
    with controls.valid():
        dataset = columns.folded(study.dataset, position, "bounds", fold.place)
        if dataset is None:
            session.end_page()
        column = dataset.columns[position]
        study = replace(study, dataset=dataset)
        with place:
            cells = iter([by])
            query = views.form(kind)(
                question_controls.QuestionForm(
                    kind=kind, column=column, study=study, by=cells, cells=question_controls.rows()
                )
            )
            for cell in cells:  # no groups are asked for
                cell.place.selectbox("By group", [], disabled=True, placeholder="–")
            request = Request(
                query=query,
                mechanism_key=key,
                epsilon=epsilons[0].inside if epsilons else _USUAL_EPSILON,
                delta=controls.row(4)[0].charged_delta(key="delta", kept="table").inside
                if offered(kind)[key].needs_delta
                else 0.0,
                constraint=constraint(key, query.statistic.labels)
                if query.kind is StatisticKind.PROPORTIONS
                else None,
                weights=weights(query) if kind.of_matrix else None,
            )
        _ = request.plan
    return request


def _offered(column: ColumnKind, cap: int | None) -> tuple[StatisticKind, ...]:
    """Return what can be asked, fewer where several rows of a person count."""
    kinds = allowed(column)
    return kinds if cap is None else tuple(kind for kind in kinds if kind in ASKED_OF_PEOPLE)


def _settle_statistic(kinds: tuple[StatisticKind, ...]) -> StatisticKind | None:
    """Choose a statistic that the column has; return the one it does not have.

    At the next column that has it, the statistic that was asked comes back, unless
    another one was chosen meanwhile.
    """
    key = f"{_REPLACED}-{session.generation()}"
    chosen, replaced = session.public("statistic"), session.public(key)
    if isinstance(replaced, tuple) and replaced[0] == chosen and replaced[1] in kinds:
        session.set_public("statistic", replaced[1])
        return None
    if chosen is None or chosen in kinds:
        return None
    session.set_public(key, (kinds[0], chosen))
    session.set_public("statistic", kinds[0])
    return StatisticKind(str(chosen))


def _explained(kinds: Iterable[StatisticKind], cap: int | None) -> str:
    """Return the meanings of those statistics, as a list, and why no more are there."""
    lines = [f"- **{kind}**: {kind.meaning}" for kind in kinds if kind.meaning]
    if cap is not None:
        one = session.unit().noun
        lines += [
            "",
            f"Spreads, quantiles and relations of columns need one row per {one}.",
            f"Make one of each on “Data”: here several rows of one {one} count.",
        ]
    return "\n".join(lines)


def mechanism(cell: controls.Cell, kind: StatisticKind) -> str:
    """Show the mechanisms that can answer this kind of question; return the key."""
    entries = offered(kind)
    # A question that few mechanisms can answer does not undo the usual choice.
    scope = "-ranks" if kind.of_ranks else "-matrix" if kind.of_matrix else ""
    scope = "-chain" if kind.of_known_sums else scope
    return cell.selectbox(
        "Mechanism",
        list(entries),
        index=list(entries).index("bit") if kind.of_matrix else 0,
        format_func=lambda key: entries[key].label,
        key=f"mechanism{scope}",
        disabled=len(entries) == 1,
        kept="table",
        note="\n\n".join(f"**{e.label}**: {e.sentence}" for e in entries.values()),
    )


def constraint(key: str, cells: tuple[str, ...]) -> Constraint | None:
    """Show how shares may be made to add up to 1."""
    kinds = list(fitting(key))
    first, second, third, _ = controls.row(4)
    if not kinds:
        first.place.caption("With this mechanism shares are released as they are drawn.")
        return None
    kind = first.place.selectbox(
        "Make the shares add up to 1",
        kinds,
        index=None,
        placeholder="no, as they are drawn",
        key=f"constraint-{session.generation()}-{'-'.join(kinds)}",
        persist_state="session",
        help="Costs nothing, but choose it before you release: with and without it "
        "are two questions, "
        "each with its own cost.\n\n"
        + "\n\n".join(f"**{kind}**: {_MEANING[kind]}." for kind in kinds),
    )
    if kind is None:
        return None
    remainder, branching = None, 2
    if kind is ConstraintKind.ALL_BUT_ONE:
        remainder = second.selectbox(
            "Left over for",
            range(len(cells)),
            index=len(cells) - 1,
            format_func=cells.__getitem__,
            key=f"remainder-{session.generation()}-{len(cells)}",
            kept="session",
        )
    elif kind is ConstraintKind.TREE:
        branching = second.number("Children of a node", 2, (2, 10), key="branching", kept="table")
    syntheses = third.number(
        "Independent answers",
        1,
        (1, MOST_SYNTHESES),
        key="syntheses",
        kept="table",
        note="Multiple synthesis: each answer gets an equal part of the budget, their mean is "
        "released, and their spread estimates the error. One release with a noise-aware "
        "interval needs less noise.",
    )
    return Constraint(kind=kind, remainder=remainder, branching=branching, syntheses=syntheses)


def weights(query: Question) -> tuple[float, ...] | None:
    """Show how a covariance matrix splits the budget over its numbers."""
    statistic = query.statistic
    if not isinstance(statistic, CovarianceMatrix):
        return None
    choice = controls.row(4)[0].selectbox(
        "Split the budget",
        [_EQUAL, _BY_SENSITIVITY, _OWN],
        key="split",
        kept="table",
        note="Over all variances and covariances. Equal parts suit columns of "
        "different widths; the same noise on all suits columns of one unit.",
    )
    if choice == _BY_SENSITIVITY:
        return sensitivity_split([bounds.width for bounds in statistic.bounds])
    if choice == _OWN:
        return _own(statistic.labels)
    return None


def _own(labels: tuple[str, ...]) -> tuple[float, ...]:
    """Let every share be edited, and locked while the others make room."""
    st.caption("Change a share and lock it: what is not locked makes room, in proportion.")
    key = f"shares-{session.generation()}-{hash(labels)}"
    start, last = f"_{key}-start", f"_{key}-last"
    if session.public(key) is None:
        # The editor forgets its rows with every page: begin where it was left.
        equal = ((100 / len(labels),) * len(labels), (False,) * len(labels))
        session.set_public(start, session.public(last) or equal)
    before, locks = cast("_Shares", session.public(start))
    edited = st.data_editor(
        pd.DataFrame({"number": labels, "share of the budget, %": before, "locked": locks}),
        disabled=["number"],
        hide_index=True,
        key=key,
    )
    typed = tuple(edited["share of the budget, %"].astype(float))
    locked = tuple(edited["locked"].astype(bool))
    shares = rebalanced(typed, locked)
    session.set_public(last, (typed, locked))
    used = zip(labels, shares, strict=True)
    st.caption("In use: " + ", ".join(f"{label} {significant(s)}%" for label, s in used) + ".")
    return shares
