"""Controls that say what a target and categories are compared with. Public."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import streamlit as st

from dpcore.data.columns import Column, ColumnKind
from dpcore.models.design import Design
from dpcore.models.loss_functions import ModelKind
from ui import controls, session
from ui.controls import Cell
from ui.study import Study
from ui.text import literal

# Published averages: a visit to a doctor every four months, as other surveys of the
# time report it, too.
_USUAL: Final = {("rand-hie", "visits"): 3.0}
_NAMED: Final = 4


def origin(cell: Cell, study: Study, target: Column, model: ModelKind) -> float | None:
    """Ask for a usual value of the target; ``None`` where the middle of its bounds is.

    A target that is yes/no or counts has none.
    """
    bounds = target.bounds
    if bounds is None or model not in {ModelKind.LINEAR, ModelKind.HUBER}:
        return None
    middle = (bounds.lower + bounds.upper) / 2
    names = [column.name for column in study.dataset.columns]
    known = _USUAL.get((study.example or "", target.name), middle)
    usual = cell.number(
        "Usual value of the target",
        # The bounds of an example can be declared anew.
        known if bounds.lower <= known <= bounds.upper else middle,
        (float(bounds.lower), float(bounds.upper)),
        key=f"origin-{session.generation()}-{names.index(target.name)}-{middle:g}",
        kept="session",
        note="A public guess of an average, from elsewhere and not from this table. "
        "The penalty pulls predictions towards it; far from the truth it spoils the "
        "fit.",
    )
    return None if usual == middle else float(usual)


def others_apart(features: Sequence[Column]) -> bool:
    """Ask what the labels of categories are compared with, where there are any."""
    if all(column.kind is not ColumnKind.CATEGORY for column in features):
        return False
    return controls.HERE.checkbox(
        "Compare labels with values that are not listed",
        key="others-apart",
        kept="table",
        note="Otherwise they are compared with the first public label, and values that "
        "are not listed count with it.",
    )


def references(design: Design) -> None:
    """Say in a sentence what the labels of each category are compared with."""
    found = [c for c in design.features if c.kind is ColumnKind.CATEGORY]
    if not found:
        return
    if design.others_apart:
        names = ", ".join(f"“{column.title}”" for column in found)
        text = f"The labels of {names} are compared with values that are not listed."
    else:
        parts = [f"“{column.title}” with “{column.labels[0]}”" for column in found]
        more = "" if len(parts) <= _NAMED else ", and so on"
        text = (
            f"Labels are compared with a public reference: {', '.join(parts[:_NAMED])}"
            f"{more}. People whose value is not listed count with it."
        )
    st.caption(literal(text))


def compared_with(design: Design, column: Column) -> str:
    """Return what a label of a category is compared with, in a few words."""
    return "values not listed" if design.others_apart else column.labels[0]
