"""Plans as files: the download of the plan in use, and the box that takes a file."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import streamlit as st

from dpcore.errors import DPCoreError
from dpcore.ledger.store import LARGEST
from dpcore.planning.analysis_plan import AnalysisPlan
from dpcore.planning.plan_files import to_json
from ui import downloads, plans, session
from ui.study import Study
from ui.text import literal


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
