"""What the curator calls a question: kept with its answer, and no part of it.

The question is the same under every name, and so is its answer.
"""

from __future__ import annotations

import streamlit as st

from dpcore.analyses.base import Releasable
from dpcore.errors import DPCoreError
from dpcore.planning.analysis_plan import LONGEST_NAME, PlannedQuery
from ui import plans, session
from ui.study import Study


def ask(request: Releasable, study: Study) -> str:
    """Let a question be named that has no name in the plan; return its name, if any."""
    planned = plans.planned(study, request)
    if planned is not None:
        return planned.own_name
    key = _key(request)
    if key is None:
        return ""
    typed = st.text_input(
        "Name of the question",
        max_chars=LONGEST_NAME,
        placeholder="such as patients ever positive",
        key=key,
        persist_state="session",
        help="Pages, documents and files use this name. The recipe stays beside it. "
        "The question and its privacy cost do not depend on the name.",
    )
    return " ".join(typed.split())


def name_of(request: Releasable, study: Study) -> str:
    """Return the name that a question was given in the plan, or else on its page."""
    planned = plans.planned(study, request)
    if planned is not None:
        return planned.own_name
    key = _key(request)
    typed = None if key is None else session.public(key)
    return " ".join(typed.split()) if isinstance(typed, str) else ""


def _key(request: Releasable) -> str | None:
    """Return the key of the field of a question, whatever its epsilon is.

    None where it cannot be carried out, and so has no name.
    """
    try:
        return f"question-name-{session.generation()}-{PlannedQuery.of(request).key}"
    except DPCoreError:
        return None
