"""A synthetic table from one release: its question, its price, and how far it can be off."""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import combinations
from typing import TYPE_CHECKING, Final, cast

import numpy as np
import streamlit as st

from dpcore.analyses.base import Mode, Question, Request
from dpcore.analyses.clamping_bias import bias
from dpcore.analyses.reading import as_declared
from dpcore.analyses.spanning_tree import MOST_COLUMNS, SyntheticQuery, TreePlan
from dpcore.arrays import FloatArray
from dpcore.data.dataset import Dataset
from dpcore.documents.data_sheet import DataSheet
from dpcore.errors import DPCoreError
from dpcore.figures.synthesis import distances_picture
from dpcore.formatting import listed, percent, significant
from dpcore.inference.intervals import level_of_each
from dpcore.mechanisms.catalog import SPANNING_TREE
from dpcore.releases.record import Release
from dpcore.statistics.bins import usual_edges
from dpcore.synthesis import released_counts
from dpcore.synthesis.fitting import plant
from dpcore.synthesis.pair_distances import PairDistance, pair_distances
from dpcore.synthesis.released_counts import axes_of
from ui import (
    confidential,
    controls,
    downloads,
    offering,
    plans,
    recovery,
    releasing,
    results,
    session,
    typed,
)
from ui import synthetic_table as made_table
from ui.study import Study
from ui.synthetic_table import Sources, SyntheticTable
from ui.text import literal

if TYPE_CHECKING:
    from dpcore.planning.analysis_plan import PlannedQuery

_FIRST: Final = 10
_MOST_NUMBERS: Final = 8


def show(study: Study) -> None:
    """Offer the release, and show the table that is made of it."""
    with controls.valid():
        request = _ask(study)
        plan = cast("TreePlan", request.plan)
    column, pair = (significant(float(x)) for x in plan.half_widths(level_of_each(plan.numbers)))
    st.caption(
        f"Margins of error in {study.terms.unit.counted} (95%, noise only, all counts at once). "
        f"One column: ± {column}. "
        f"A counted pair: ± {pair}. Pairs get {percent(plan.shares[2])} of the budget, columns "
        f"{percent(plan.shares[0])}{'; the rest chooses pairs' if plan.choices else ''}. "
        "Relations of other pairs may be lost."
    )
    answer = offering.offer(request, study, key="synthetic", plannable=False)
    if answer is None:
        return
    query = cast("SyntheticQuery", request.query)
    chosen = plan.recorded(answer.labels, answer.values).chosen
    with offering.frame(answer, f"{request.title} from one release"):
        names = [f"{query.columns[i].title} with {query.columns[j].title}" for i, j in chosen]
        st.markdown(
            f"Pairs counted together: {literal(', '.join(names))}. The relation of any other pair "
            "may be lost."
        )
        offering.badge(answer, "synthetic", files="Download counts")
    _show_table(request, answer, study)


def _ask(study: Study) -> Request:
    """Return the question that the controls ask."""
    ready = [column for column in study.dataset.columns if column.is_declared]
    if len(ready) < 2:  # noqa: PLR2004 - a pair
        st.info("Fewer than two columns have bounds or a category list.")
        st.page_link("pages/data.py", label="Go to Data")
        session.end_page()
    columns = made_table.choose_columns(
        study,
        ready,
        key="synthetic-columns",
        first=_FIRST,
        note=f"2 to {MOST_COLUMNS} columns with bounds or a category list.",
    )
    wanted = _wanted([study.dataset.short(column.name) for column in columns])
    first, second, third = controls.row(3)
    bins = first.number(
        "Bins per number",
        8,
        (2, made_table.MOST_BINS),
        key="synthetic-bins",
        kept="table",
        note=made_table.BINS_NOTE,
    )
    epsilon = second.charged_epsilon(
        "ε for the table",
        made_table.usual_epsilon(study),
        (0.001, 100.0, 0.1),
        key=f"synthetic-epsilon-{session.generation()}",
        kept="session",
    )
    delta = third.charged_delta(
        "δ for the table",
        made_table.usual_delta(study),
        within=(0.0, 0.1),
        key=f"synthetic-delta-{session.generation()}",
        kept="session",
    )
    query = SyntheticQuery.of(
        [(one, usual_edges(one, bins) if one.kind.is_numeric else None) for one in columns],
        relation=study.terms.relation,
        unit=study.terms.unit,
        size=study.size(),
        wanted=wanted,
    )
    return Request(
        query=query, mechanism_key=SPANNING_TREE.key, epsilon=epsilon.inside, delta=delta.inside
    )


def _wanted(names: Sequence[str]) -> tuple[tuple[int, int], ...]:
    """Return the pairs of columns whose relation must be kept, by their places."""
    pairs = [*combinations(range(len(names)), 2)]
    chosen = st.multiselect(
        "Pairs to keep",
        range(len(pairs)),
        format_func=lambda place: " with ".join(names[at] for at in pairs[place]),
        placeholder="chosen by the mechanism",
        key=f"synthetic-pairs-{session.generation()}-{hash(tuple(names))}",
        persist_state="session",
        help=f"Their relation is kept up to noise. {len(names) - 1} pairs are counted; the "
        "mechanism chooses the others. Choose by what the table is for, not by looking at it.",
    )
    return tuple(pairs[place] for place in chosen)


def _show_table(request: Request, answer: Release, study: Study) -> None:
    """Show the rows, what they preserve, and the answers to planned questions."""
    sources = Sources(
        key=answer.id, forest=plant(released_counts.read(answer, request)), level=0.95
    )
    with controls.valid():
        made = made_table.make(sources, study)
    if made is None:
        return
    query, plan = cast("SyntheticQuery", request.query), cast("TreePlan", request.plan)
    distances = session.remember(
        "synthetic-distances",
        made.key,
        lambda: pair_distances(
            plan, plan.recorded(answer.labels, answer.values), axes_of(query), made.table
        ),
    )
    made_table.show_made(made)
    _offer_sheet(request, answer, made, distances, study)
    st.header("What it preserves and distorts")
    results.show(
        distances_picture(distances, [column.name for column in query.columns]),
        "synthetic-distances",
    )
    st.caption(
        "Each cell bounds the share of rows whose pair of values would have to change to agree "
        "with the original. It is the total variation distance if both have as many rows. All "
        "bounds hold together "
        "with 95% confidence. Pairs that were counted together are bold."
    )
    made_table.breaks(sources)
    pairs = plan.recorded(answer.labels, answer.values).chosen
    together = {frozenset(query.columns[at].name for at in pair) for pair in pairs}
    names = {*made.written}
    items = [
        item
        for item in plans.plan(study).items
        if isinstance(item.request, Request)
        and {column.name for column in item.request.query.columns} <= names
    ]
    # The synthetic rows under the declarations of the table.
    columns = tuple(study.dataset.column(str(name)) for name in made.written)
    synthetic = Dataset(frame=made.written, columns=columns, name="synthetic-data.csv")
    answers = [_answers(item, synthetic) for item in items]
    rows: list[dict[str, str]] = []
    with recovery.told():
        rows = [_row(item, own, together, study) for item, own in zip(items, answers, strict=True)]
    if rows:
        _show_planned(rows, "synthetic-planned")
        st.caption(
            "Margins are 95%, noise only, at the ε of the plan. Answers from synthetic data have "
            "no interval. A direct release has."
        )
    else:
        st.caption("Questions on Plan are answered from the synthetic rows here.")

    def draw() -> None:
        if rows:
            truths = [_answers(item, study.in_memory) for item in items]
            compared = zip(items, answers, truths, strict=True)
            _show_planned([_compared(*each) for each in compared], "synthetic-planned-original")
        chosen = made_table.ask_question(sources)
        made_table.beside_the_original(sources, made, chosen, study)

    confidential.area("synthetic", "the comparison with the original", draw)


def _offer_sheet(
    request: Request,
    answer: Release,
    made: SyntheticTable,
    distances: list[PairDistance],
    study: Study,
) -> None:
    """Offer the data sheet of the table."""
    sheet = DataSheet(
        request=request,
        release=answer,
        rows=made.counts.people,
        seed=made.seed,
        distances=distances,
        typed=typed.of(study),
    )
    if session.mode() is not Mode.CLASSROOM:
        file = downloads.File(name="data-sheet.html", mime="text/html", content=sheet.html)
        downloads.button("Download data sheet", file, key="synthetic-sheet")


def _answers(item: PlannedQuery, dataset: Dataset) -> FloatArray | None:
    """Return the answer of a table to a question without noise; ``None`` if it has none."""
    request = cast("Request", item.request)
    try:
        return bias(request.query, as_declared(request, dataset)).computed
    except DPCoreError:
        return None


def _show_planned(rows: list[dict[str, str]], key: str) -> None:
    """Show answers to planned questions, their texts in full."""
    st.markdown("**Your planned questions**")
    longest = {name: max(len(row[name]) for row in rows) for name in rows[0]}
    wrapped = [name for name, length in longest.items() if length > results.MEDIUM_LINE]
    results.table(
        rows,
        key=key,
        column_config=dict.fromkeys(wrapped, results.MEDIUM),
        row_height=results.height_of(max(longest.values()), results.MEDIUM_LINE),
    )


def _row(
    item: PlannedQuery, own: FloatArray | None, together: set[frozenset[str]], study: Study
) -> dict[str, str]:
    """Return what is public about a planned question and its synthetic answer."""
    width = item.request.width(group=item.group)
    known = releasing.released_before(study.fingerprint, item.request)
    return {
        "question": item.name,
        "from synthetic data": _text(item, own),
        "note": _note(cast("Request", item.request).query, together),
        "margin of a direct release": f"± {width.text} {width.unit}".rstrip()
        + (f" ({width.of})" if width.of else ""),
        "released": "" if known is None else _released(study.renamed(known)),
    }


def _compared(
    item: PlannedQuery, own: FloatArray | None, truth: FloatArray | None
) -> dict[str, str]:
    """Return the synthetic answer beside that of the original. CONFIDENTIAL."""
    return {
        "question": item.name,
        "from synthetic data": _text(item, own),
        "original": _text(item, truth),
        "largest error of synthetic": ""
        if own is None or truth is None
        else significant(_largest(own - truth)),
    }


def _note(query: Question, together: set[frozenset[str]]) -> str:
    """Return what the released counts leave out of a question. PUBLIC."""
    pairs = [*combinations(query.columns, 2)]
    apart = [
        f"{one.title} and {other.title}"
        for one, other in pairs
        if frozenset((one.name, other.name)) not in together
    ]
    notes = []
    if apart:
        notes.append(f"Not counted together: {listed(apart)}. Their relation may be lost.")
    elif pairs:
        notes.append("Counted together.")
    if not query.kind.of_counts and any(column.kind.is_numeric for column in query.measured):
        notes.append("Values are uniform within bins, which shifts means.")
    return " ".join(notes)


def _text(item: PlannedQuery, answer: FloatArray | None) -> str:
    """Return the numbers of an answer, with their names where there are several."""
    if answer is None:
        return "none"
    numbers = ["none" if math.isnan(one) else significant(float(one)) for one in answer]
    if len(numbers) == 1:
        return numbers[0]
    if len(numbers) > _MOST_NUMBERS:
        return f"{len(numbers)} numbers"
    labels = cast("Request", item.request).query.labels
    return ", ".join(map(": ".join, zip(labels, numbers, strict=True)))


def _released(release: Release) -> str:
    """Return a released answer, which costs nothing to read again."""
    numbers = len(release.labels)
    if numbers > _MOST_NUMBERS:
        return f"{numbers} numbers, see Released"
    return results.answer_text(release)


def _largest(errors: FloatArray) -> float:
    known = np.abs(errors[~np.isnan(errors)])
    return float(known.max(initial=0.0))
