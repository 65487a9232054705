"""The amber area: what only the curator may see.

In Live mode it is closed until the curator opens it, on every page anew after a
reload, so that a shared screen shows nothing by accident. In Classroom mode it is open.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

import streamlit as st

from dpcore.analyses.base import Mode
from dpcore.errors import DPCoreError, InPartsError
from ui import roles, session
from ui.text import sentence_of

_T = TypeVar("_T")


def area(key: str, what: str, draw: Callable[[], _T], *, ready: bool = True) -> _T | None:
    """Frame confidential content, and draw it where it may be shown; return what that returns.

    Where it cannot be worked out, the area says why. Classroom mode opens it without
    being asked where it is ``ready``. A built-in example is public.
    """
    tables = (session.study(), session.draft())
    own = any(table is not None and table.example is None for table in tables)
    if own and not roles.may(roles.Action.SEE):
        st.caption("Only a curator can open the confidential part of this page.")
        return None
    with st.container(border=True, key=f"confidential-{key}"):
        st.badge("Confidential: curator only", icon=":material/lock:", color="orange")
        switch = f"show-{key}"
        # Where a run ended above it, the browser draws the switch anew and off, while
        # the session still has it on: said again, both have the same.
        session.set_public(switch, bool(session.public(switch)))
        shown = (ready and session.mode() is Mode.CLASSROOM) or st.toggle(
            f"Show {what}",
            key=switch,
            help="Computed from the table without differential privacy. Nothing in "
            "this area may be published, and no export contains it.",
        )
        try:
            return draw() if shown else None
        except InPartsError as error:
            st.info(sentence_of(error))
        except DPCoreError as error:
            st.error(sentence_of(error))
    return None
