"""How questions come into the plan: asked, or from a file; and the plan as a file."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
from functools import partial

import streamlit as st

from dpcore.analyses.quantiles import ChainPlan
from dpcore.errors import DPCoreError
from dpcore.ledger.store import LARGEST
from dpcore.planning.analysis_plan import MOST_PEOPLE, AnalysisPlan, PlannedQuery
from dpcore.planning.group_sizes import tells_sizes
from dpcore.planning.plan_files import to_json
from ui import controls, downloads, plan_notes, plans, session
from ui.asking import inputs
from ui.study import Study
from ui.text import after_number, literal


def typed(study: Study) -> None:
    """Ask for a question by the controls of the Release page, and offer to plan it.

    Where it cannot be asked yet, the page ends here.
    """
    st.header("Add a question")
    st.caption(
        "Every page that offers a release has the same button: models, samples and "
        "bootstraps can be planned from there."
    )
    request = inputs.ask(study)
    st.markdown(f"**{literal(request.title)}**")
    item = PlannedQuery.of(request)
    group = _group(item)
    width = replace(item, group=group).width
    if math.isfinite(width.half):
        of = f", of {width.of}" if width.of else ""
        st.caption(
            "At this ε 95 of 100 answers would fall within ± "
            f"{width.text}{after_number(width.unit)}{literal(of)}."
        )
    if width.unit == "ranks" and not isinstance(request.plan, ChainPlan):
        st.caption(
            "It is in places of the sorted table: what that is in the unit of the "
            "column is confidential. Several quantiles in one question, such as 25, 50 "
            "and 75 %, have intervals in that unit, and cost more."
        )
    study = session.require_study()
    name = plans.ask_name(request, study)
    plans.button(request, study, key="typed", group=group, name=name)


def _group(item: PlannedQuery) -> int:
    """Ask of how many people a group is meant, where the error hangs on it."""
    if not item.width.assumed:
        return item.group
    known = plan_notes.smallest_of((item,), session.require_study()).get(item.key)
    by = tells_sizes(item.request.asked)
    first, second = controls.row((1, 2))
    if known is not None:
        second.place.caption(
            f"By the answer of {known.day} the smallest, {literal(known.label)}, has "
            f"{known.least:,} to {known.most:,}."
        )
    return first.number(
        "A group of how many?",
        item.group if known is None else max(known.least, 1),
        (1, MOST_PEOPLE),
        key=f"plan-add-group-{session.generation()}-{hash(by)}",
        kept="session",
        note="Sizes of groups are private: name a size to see its error. It goes into "
        "the plan with the question.",
    )


def show(basket: AnalysisPlan) -> None:
    """Offer the plan as a file, and take one."""
    left, right = st.columns(2)
    with left:
        downloads.button(
            "Download the plan (JSON)",
            downloads.File(
                name="plan.json", mime="application/json", content=partial(to_json, basket)
            ),
            key="plan-json",
            note="Questions, bounds, ε and what must be seen: all of it public, and "
            "nothing computed from the table. Loaded again it is the same plan.",
        )
        st.button("Empty the plan", key="plan-clear", on_click=plans.clear)
    with right:
        take()


def take() -> None:
    """Take the plan of a file into use."""
    box("Load a plan (JSON)", name="plan-file", use=plans.load)


def box(label: str, *, name: str, use: Callable[[Study, bytes], None]) -> None:
    """Take a file, and ``use`` it once; say below what is wrong with it.

    ``name`` is the start of its key, for a page may have several such boxes.
    """
    key = f"{name}-{session.count(_counted(name))}"
    st.file_uploader(
        label, type="json", key=key, max_upload_size=1, on_change=_load, args=(key, name, use)
    )
    notice = session.take(_noted(name))
    if notice is not None:
        st.error(literal(str(notice)))


def _load(key: str, name: str, use: Callable[[Study, bytes], None]) -> None:
    file, study = session.public(key), session.study()
    if file is None or study is None:
        return
    session.count_up(_counted(name))
    try:
        use(study, file.read(LARGEST + 1))  # type: ignore[attr-defined] # an uploaded file
    except DPCoreError as error:
        session.set_public(_noted(name), str(error))


def _counted(name: str) -> str:
    return f"_{name}s"


def _noted(name: str) -> str:
    return f"_{name}-notice"
