"""A plan as a file: to hand on, and to load."""

from __future__ import annotations

from typing import TYPE_CHECKING

import streamlit as st

from dpcore.errors import DPCoreError
from dpcore.planning.files import LARGEST, to_json
from ui import plans, session
from ui.text import literal

if TYPE_CHECKING:
    from dpcore.planning.basket import Basket
    from ui.study import Study

_FILES, _NOTICE = "_plan-files", "_plan-notice"


def show(basket: Basket) -> None:
    """Offer the plan as a file, and take one."""
    left, right = st.columns(2)
    with left:
        st.download_button(
            "Download the plan (JSON)",
            to_json(basket),
            file_name="plan.json",
            mime="application/json",
            key="plan-json",
            on_click="ignore",
            help="Questions, bounds, ε and what must be seen: all of it public, and "
            "nothing computed from the table. Loaded again it is the same plan.",
        )
        st.button("Empty the plan", key="plan-clear", on_click=plans.clear)
    with right:
        take()


def take() -> None:
    """Take the plan of a file into use."""
    key = f"plan-file-{session.count(_FILES)}"
    st.file_uploader(
        "Load a plan (JSON)",
        type="json",
        key=key,
        max_upload_size=1,
        on_change=_load,
        args=(key,),
    )
    notice = session.take(_NOTICE)
    if notice is not None:
        st.error(literal(str(notice)))


def _load(key: str) -> None:
    file, study = session.public(key), session.study()
    if file is None or study is None:
        return
    session.count_up(_FILES)
    _try(study, file.read(LARGEST + 1))  # type: ignore[attr-defined] # an uploaded file


def _try(study: Study, text: bytes) -> None:
    try:
        plans.load(study, text)
    except DPCoreError as error:
        session.set_public(_NOTICE, str(error))
