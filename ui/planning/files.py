"""A box that takes the file of a plan."""

from __future__ import annotations

from collections.abc import Callable

import streamlit as st

from dpcore.errors import DPCoreError
from dpcore.ledger.store import LARGEST
from ui import session
from ui.study import Study
from ui.text import literal


def box(label: str, *, name: str, use: Callable[[Study, bytes], None]) -> None:
    """Take a file, and ``use`` it once; say below what is wrong with it.

    ``name`` is the start of its key, for a view may have several such boxes.
    """
    key = f"{name}-{session.count(f'_{name}s')}"
    st.file_uploader(
        label, type="json", key=key, max_upload_size=1, on_change=_load, args=(key, name, use)
    )
    notice = session.take(f"_{name}-notice")
    if notice is not None:
        st.error(literal(str(notice)))


def _load(key: str, name: str, use: Callable[[Study, bytes], None]) -> None:
    file, study = session.public(key), session.study()
    if file is None or study is None:
        return
    session.count_up(f"_{name}s")
    try:
        use(study, file.read(LARGEST + 1))  # type: ignore[attr-defined] # an uploaded file
    except DPCoreError as error:
        session.set_public(f"_{name}-notice", str(error))
