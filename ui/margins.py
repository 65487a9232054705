"""The margin of error of a question against epsilon, and the errors of its quantiles."""

from __future__ import annotations

import math
from dataclasses import replace
from functools import partial

import numpy as np
import streamlit as st

from dpcore.analyses.base import SUMMED, Request
from dpcore.analyses.quantiles import ChainPlan, RankPlan
from dpcore.errors import ParameterError
from dpcore.figures.plans import margin_picture
from dpcore.figures.tradeoffs import SweepAxis, errors_picture
from dpcore.formatting import percent
from dpcore.mechanisms.catalog import CATALOG
from dpcore.planning.analysis_plan import AnalysisPlan, PlannedQuery, Split
from dpcore.planning.comparison import around, compare
from dpcore.studies.comparing.error_curves import ErrorCurve, of_table
from ui import confidential, controls, plans, results, session
from ui.study import Study
from ui.text import literal

_EPSILONS = np.geomspace(0.01, 10.0, 13)
_FEW_EPSILONS = _EPSILONS[::2]
"""Where the errors are simulated, which takes longer."""


def show(asked: Request, study: Study, group: int) -> None:
    """Show the margin of error against epsilon, with the target of the plan."""
    try:
        planned = plans.planned(study, asked)
        wanted = None if planned is None else planned.wanted
        item = replace(PlannedQuery.of(asked), wanted=wanted, group=group)
        plan = AnalysisPlan(items=(item,), total=asked.epsilon, split=Split.EQUAL)
    except ParameterError:
        return
    picture = margin_picture(compare(plan, around(plan.total)))
    named = replace(picture, title=f"{picture.title} ({asked.entry.label})")
    results.show(named, "margin", simulated=True)
    width = item.width
    of = f" It is for {literal(width.of)}." if width.assumed or width.relative else ""
    target = "" if wanted is not None else " Plan can set a target."
    st.caption(f"95%, noise only, for this mechanism.{of}{target}")
    if isinstance(asked.plan, ChainPlan):
        _each_quantile(asked.plan, asked)


def _each_quantile(plan: ChainPlan, asked: Request) -> None:
    people = asked.query.size.people
    results.table(
        {
            "quantile": plan.names,
            "± ranks": [math.ceil(ranks) for ranks in plan.ranks],
            f"± share of the {asked.query.unit.counted}": [
                percent(min(float(ranks) / people, 1.0)) for ranks in plan.ranks
            ],
        },
        key="quantile-margins",
    )
    st.caption("All quantiles at once, 95%.")


def of_quantiles(asked: Request, study: Study) -> None:
    """Show bias, SD and RMSE of a quantile in the unit of the column. CONFIDENTIAL."""
    plan = asked.plan
    if not isinstance(plan, RankPlan | ChainPlan):
        return
    draw = partial(_quantile_errors, plan, asked, study)
    what = "bias, SD and RMSE for this table"
    confidential.area("accuracy", what, draw, ready=isinstance(plan, RankPlan))


def _quantile_errors(plan: RankPlan | ChainPlan, asked: Request, study: Study) -> None:
    number, name = 0, asked.query.title
    if isinstance(plan, ChainPlan):
        number = controls.HERE.selectbox(
            "Quantile",
            range(len(plan.names)),
            format_func=plan.names.__getitem__,
            key=f"quantile-of-{session.generation()}",
            kept="page",
        )
        name = plan.names[number]
    curves, here = session.remember(
        "quantile-errors",
        f"{study.about(asked.query)} {asked} {number}",
        lambda: _errors(asked, study, number),
    )
    picture = errors_picture(
        curves,
        here=here,
        along=SweepAxis(label="ε", at=asked.epsilon, log=True),
        unit=asked.query.quantity.of_differences,
        each=name,
    )
    results.show(picture, "quantile-errors")
    st.caption(
        "By the exact law of the mechanism over its candidate values."
        if isinstance(plan, RankPlan)
        else "Simulated for this table."
    )


def _errors(
    asked: Request, study: Study, number: int
) -> tuple[tuple[ErrorCurve, ...], tuple[ErrorCurve, ...]]:
    """Return the errors of each mechanism against epsilon, and at this one. CONFIDENTIAL."""
    value = asked.value(study.in_memory)
    grid = _EPSILONS if isinstance(asked.plan, RankPlan) else _FEW_EPSILONS
    epsilons = np.unique([*grid, asked.epsilon]).tolist()
    each = [
        [_by(asked, key, epsilon) for epsilon in epsilons]
        for key in dict.fromkeys((asked.mechanism_key, *_others(asked)))
    ]
    curves = tuple(of_table(requests, value, number=number) for requests in each)
    place = epsilons.index(asked.epsilon)
    here = tuple(of_table([requests[place]], value, number=number) for requests in each)
    return curves, here


def _others(asked: Request) -> tuple[str, ...]:
    return SUMMED[:2] if isinstance(asked.plan, ChainPlan) else ()


def _by(asked: Request, key: str, epsilon: float) -> Request:
    needed = key in CATALOG and CATALOG[key].needs_delta
    delta = (asked.used_delta or 1e-6) if needed else 0.0
    return replace(asked, mechanism_key=key, epsilon=epsilon, delta=delta)
