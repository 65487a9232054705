"""The parts of the Individual privacy page. CONFIDENTIAL, all but the worst case."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
import streamlit as st

from dpcore.data.columns import ColumnKind
from dpcore.figures import exposures as figures
from dpcore.figures.wording import epsilon_text, significant
from dpcore.individual.explanation import explain
from dpcore.individual.exposure import expose
from dpcore.releases.identity import canonical
from dpcore.releases.record import Mode
from dpcore.statistics.blocks import shifts_of
from dpcore.statistics.entries import name_of_others
from dpcore.statistics.grouped_query import GroupedQuery
from dpcore.statistics.query import Query
from ui import results, session
from ui.text import literal

if TYPE_CHECKING:
    from dpcore.individual.exposure import Exposure
    from dpcore.relations import NeighboringRelation
    from dpcore.releases.request import Request
    from ui.study import Study
    from ui.subject import StatisticSubject

_MOST = 10


def everybody(study: Study, asked: Request, relation: NeighboringRelation) -> Exposure:
    """Return everybody's loss under the question on screen. CONFIDENTIAL."""
    question = f"{study.fingerprint} {canonical(asked.query.parameters())}"
    values = session.remember(
        "values", question, lambda: asked.query.values(study.dataset)
    )
    statistic = asked.query.statistic
    shifts = session.remember(
        f"shifts {relation}", question, lambda: shifts_of(statistic, values, relation)
    )
    return session.remember(
        "exposure",
        f"{relation} {asked.analysis(study.fingerprint)}",
        lambda: expose(
            asked.plan,
            statistic,
            values,
            relation=relation,
            delta=asked.used_delta,
            rows=asked.query.unit.rows,
            shifts=shifts,
        ),
    )


def show(subject: StatisticSubject, study: Study) -> None:
    """Show everybody's loss from the release of a statistic."""
    exposure, asked = subject.exposure, subject.request
    distribution(exposure, asked)
    most_exposed(exposure, asked, study)
    groups(exposure, asked, study)
    why_not_publish(exposure)


def distribution(exposure: Exposure, asked: Request) -> None:
    """Show the distribution over all people, and the chain of guarantees."""
    watermark = session.mode() is Mode.CLASSROOM
    key = asked.mechanism_key
    results.show(
        figures.exposure_picture(exposure, key=key, watermark=watermark), "exposure"
    )
    _chain(exposure)
    threshold = st.number_input(
        "Nobody should lose more than",
        min_value=0.0,
        value=round(exposure.worst_case / 2, 6),
        format="%g",
        key="threshold",
        persist_state="session",
    )
    st.markdown(f"{figures.exceeding_text(exposure.exceeding(threshold), threshold)}.")


def _chain(exposure: Exposure) -> None:
    """Show the chain of ever narrower maxima, down to the average person."""
    cells = st.columns(4)
    cells[0].metric(
        "Any table, anybody (DP)",
        epsilon_text(exposure.worst_case),
        help="The guarantee: the largest loss over all tables and all people.",
    )
    cells[1].metric(
        "This table, anybody",
        epsilon_text(exposure.for_all),
        help="The largest loss of anybody, in this table or joining it.",
    )
    cells[2].metric("Most exposed person here", epsilon_text(exposure.maximum))
    cells[3].metric("Average person here", epsilon_text(exposure.mean))
    if exposure.mean > 0:
        factor = significant(exposure.worst_case / exposure.mean)
        st.markdown(
            "The average person loses as much as the guarantee allows."
            if factor == "1"
            else f"The guarantee is {factor} times what the average person loses."
        )


def groups(exposure: Exposure, asked: Request, study: Study) -> None:
    """Show who bears the loss, by a category."""
    choices = [
        column.name
        for column in study.dataset.columns
        if column.kind is not ColumnKind.NUMBER and column.labels
    ]
    if not choices:
        st.caption("Declare a yes/no or category column on “Data” to compare groups.")
        return
    position = st.selectbox(
        "Compare groups by",
        range(len(choices)),
        index=None,
        format_func=choices.__getitem__,
        placeholder="a yes/no or category column",
        key=f"groups-{session.generation()}",
        persist_state="session",
    )
    if position is None:
        return
    column = study.dataset.column(choices[position])
    codes = study.dataset.codes(column.name)[asked.query.rows(study.dataset)]
    results.show(
        figures.groups_picture(
            exposure.by_group(codes, column.labels),
            by=column.name,
            key=asked.mechanism_key,
            watermark=session.mode() is Mode.CLASSROOM,
        ),
        "groups",
    )


def most_exposed(exposure: Exposure, asked: Request, study: Study) -> None:
    """List who is most exposed, by row number and the value in use, and why."""
    rows = asked.query.rows(study.dataset)
    persons = exposure.most_exposed(_MOST)
    st.markdown("**Who is most exposed, and why**")
    st.markdown(literal(explain(persons[0], exposure, asked.query)))
    table: dict[str, list[Any]] = {
        "row": [int(rows[person.entry]) + 1 for person in persons]
    }
    table |= _in_use(asked, exposure, [person.entry for person in persons])
    if not asked.query.kind.of_ranks:
        table["moves the answer by"] = [person.shift for person in persons]
    table["own epsilon"] = [person.epsilon for person in persons]
    st.dataframe(
        pd.DataFrame(table),
        column_config={"moves the answer by": results.THREE_DIGITS},
        hide_index=True,
        key="most-exposed",
    )


def why_not_publish(exposure: Exposure) -> None:
    """Say why these numbers stay with the curator."""
    st.markdown(
        "**Why none of this may be published.** Each number here is a function of "
        "everybody's records: who is told that their own loss is, say, "
        f"{epsilon_text(exposure.maximum)} can often solve for the exact answer. Even "
        "the average or the picture above has no privacy guarantee."
    )


def details() -> None:
    """Define per-instance privacy loss and the chain of guarantees."""
    st.markdown(
        "A person's own loss is the largest change in the odds of any answer between "
        "two tables only: this one with the person's record, and this one without it "
        "(or with another record). Differential privacy is the largest of these over "
        "all tables and people, so it is never smaller.\n\n"
        "Clamping (BIT) never changes a person's loss while both values lie within the "
        "bounds; redrawing (truncation) raises it, most near a bound.\n\n"
        "Source: Y.-X. Wang, Per-instance Differential Privacy, 2019, definitions 2 "
        "and 7; the losses are exact profiles of the mechanisms, not tail bounds."
    )


def _in_use(
    asked: Request, exposure: Exposure, entries: list[int]
) -> dict[str, list[Any]]:
    """Return values as the statistic counts them: clamped to the public bounds.

    No column of the table can be called like one that stands beside them.
    """
    query = asked.query
    part = query.part if isinstance(query, GroupedQuery) else query
    counted = isinstance(part, Query) and bool(part.membership or part.edges)
    values = np.asarray(exposure.values)[entries]
    if values.ndim == 1 and query.kind.of_cells:
        cells = query.statistic.labels
        return {"category or bin": [cells[int(code)] for code in values]}
    if values.ndim == 1:
        bounds = None if counted else query.column.bounds
        clamped = values if bounds is None else bounds.clip(values)
        return {"value in use": clamped.tolist()}
    shown: dict[str, list[Any]] = {}
    for place, (column, cells) in enumerate(zip(query.columns, values.T, strict=True)):
        if counted and place == 0:
            shown["counted"] = cells.tolist()
        elif column.bounds is not None:
            shown[f"{column.name} in use"] = column.bounds.clip(cells).tolist()
        else:
            names = (*column.labels, name_of_others(column.labels))
            shown[f"{column.name} in use"] = [names[int(code)] for code in cells]
    return shown
