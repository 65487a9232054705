"""The fit behind a model, and what is found with it. CONFIDENTIAL.

Of a table in parts that takes some runs of the page, with a bar and “Stop”; nothing of
it is known until then.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TypeVar

import streamlit as st

from dpcore.analyses.model import ModelRequest
from dpcore.analyses.reading import as_declared
from dpcore.data.dataset import Dataset
from dpcore.models.design import Design
from dpcore.models.question import Fit
from ui import partwise, session
from ui.study import Study

_T = TypeVar("_T")


def fitted(study: Study, asked: ModelRequest) -> Fit | None:
    """Return the fit to the table, kept while it is shown; ``None`` until it is there.

    Raises:
        DataError: No model can be fitted to the table.

    """
    key, table = study.about(asked.question), study.parts
    if table is None:
        with st.spinner("Fitting …"):
            return session.while_shown("model-fit", key, lambda: asked.value(study.dataset))
    return partwise.found(
        "model-fit-of-parts",
        key,
        as_declared(asked, table),
        asked.value,
        doing="Fitting the model",
        passes=1 if asked.question.loss is None else None,
    )


def everybody(study: Study, asked: ModelRequest) -> int | None:
    """Return how many people of the table have all that the model needs.

    More than those behind the fit where the public maximum is none; ``None`` until
    they are counted.
    """
    design, table = asked.question.design, study.parts
    if table is None:
        return len(design.rows(study.in_memory))
    names = [column.name for column in design.columns]
    return partwise.found(
        "model-people",
        study.about(asked.question),
        as_declared(asked, table),
        lambda read: sum(read.each(partial(_people, design), names)),
        doing=f"Counting the {session.unit().counted} of the model",
    )


def _people(design: Design, part: Dataset) -> int:
    return len(design.rows(part))


def found(
    slot: str, key: str, study: Study, fit: Fit, compute: Callable[[Fit], _T], *, doing: str
) -> _T | None:
    """Return what is found with a fit, kept while it is shown.

    Args:
        slot: Which result of the page it is.
        key: Public settings: other settings begin anew.
        study: The table.
        fit: The fit to it.
        compute: Finds it, with the fit to a table that is read here.
        doing: What is being done, in plain words.

    Returns:
        ``None`` while parts of the table are read, and where that was stopped.

    Raises:
        DPCoreError: It cannot be computed.

    """
    table = study.parts
    if table is None:
        return session.while_shown(slot, key, lambda: compute(fit))
    return partwise.found(
        f"{slot}-of-parts",
        key,
        table,
        lambda read: compute(fit.read_by(read)),
        doing=doing,
        passes=None,
    )
