"""Everybody's loss from an answer in numbers, wherever it is shown. CONFIDENTIAL."""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from dpcore.analyses.base import Request
from dpcore.analyses.reading import StatisticRequest
from dpcore.analyses.subsampled import SubsampledRequest
from dpcore.individual.per_instance_loss import Behind, Moves, StatisticLosses, per_instance_losses
from dpcore.relations import NeighboringRelation
from ui import session
from ui.study import Study

_BEHIND: Final = ("values", "shifts", "joined")
COLUMNS: Final = (*_BEHIND, "exposure", "others", "variation")
"""Slots with many numbers a person, which are quickly found again."""


def delta_of(asked: StatisticRequest) -> float:
    """Return the delta of the guarantee. PUBLIC."""
    return asked.used_delta if isinstance(asked, Request | SubsampledRequest) else asked.delta


def exposed(
    study: Study, asked: StatisticRequest, relation: NeighboringRelation
) -> StatisticLosses:
    """Return everybody's loss under the question on screen. CONFIDENTIAL."""
    question, statistic = study.about(asked.query), asked.query.statistic
    if len(asked.query.columns) == 1:
        # Of several columns all this would be as large as the table.
        session.stay(_BEHIND)

    def behind() -> Behind:
        values = session.this_run("values", question, lambda: asked.query.values(study.in_memory))
        about = f"{relation} {question}"
        shifts = session.this_run("shifts", about, lambda: statistic.neighbors(values, relation))
        joined = session.this_run(
            "joined", about, lambda: statistic.neighbors_added(values, relation)
        )
        return Behind(values, Moves(shifts, joined))

    def compute() -> StatisticLosses:
        values, known = behind()
        found = per_instance_losses(
            asked.plan,
            statistic,
            values,
            relation=relation,
            delta=delta_of(asked),
            rows=asked.query.unit.rows,
            known=known,
        )
        return replace(found, behind=behind)

    return session.while_shown(
        "exposure", f"{relation} {asked.analysis(study.fingerprint)}", compute
    )
