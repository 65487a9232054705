"""The controls of how an answer is made: mechanism, constraint, split of the budget."""

from __future__ import annotations

from typing import cast

import pandas as pd
import streamlit as st

from dpcore.analyses.base import Question
from dpcore.analyses.request import offered
from dpcore.analyses.shares import MOST_SYNTHESES, Constraint, ConstraintKind, fitting
from dpcore.formatting import significant
from dpcore.mechanisms.covariances import sensitivity_split
from dpcore.releases.splits import rebalanced
from dpcore.statistics.covariance import CovarianceMatrix
from dpcore.statistics.kinds import StatisticKind
from ui import controls, session

_EQUAL, _BY_SENSITIVITY, _OWN = "equal parts", "same noise on all", "own shares"
_OF_KNOWN_SUMS = {StatisticKind.QUANTILES, StatisticKind.DIFFERENCE, StatisticKind.MEANS}
_Shares = tuple[tuple[float, ...], tuple[bool, ...]]
_MEANING = {
    ConstraintKind.RESCALE: "every share is divided by the sum of all",
    ConstraintKind.PROJECT: "the nearest shares that are at least 0 and add up to 1",
    ConstraintKind.ALL_BUT_ONE: "one category gets what the others leave, and all of their noise",
    ConstraintKind.TREE: "sums of categories are released too, then made consistent; "
    "pays off from about 32 categories on",
}


def mechanism(cell: controls.Cell, kind: StatisticKind) -> str:
    """Show the mechanisms that can answer this kind of question; return the key."""
    entries = offered(kind)
    # A question that few mechanisms can answer does not undo the usual choice.
    scope = "-ranks" if kind.of_ranks else "-matrix" if kind.of_matrix else ""
    scope = "-chain" if kind in _OF_KNOWN_SUMS else scope
    return cell.selectbox(
        "Mechanism",
        list(entries),
        index=list(entries).index("bit") if kind.of_matrix else 0,
        format_func=lambda key: entries[key].label,
        key=f"mechanism{scope}",
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
        help="Costs nothing, but choose it before you release: with and without it are "
        "two questions, with a price each.\n\n"
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
        note="Multiple synthesis: each answer gets an equal part of the budget, their "
        "mean is released, and their scatter tells the error. One answer with an "
        "interval that knows the noise needs less of it.",
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
    st.caption("In use: " + ", ".join(f"{label} {significant(s)} %" for label, s in used) + ".")
    return shares
