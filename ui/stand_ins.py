"""What stands in for missing values in planned questions: no ± and no ✓ covers it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import streamlit as st

from dpcore.data.quantities import replacement_text
from dpcore.documents import rests
from dpcore.planning.analysis_plan import PlannedQuery
from ui import partwise
from ui.text import literal

_SHOWN: Final = (
    " How much that is here, the confidential area on “Release” shows for each question."
)


def say(items: Sequence[PlannedQuery]) -> None:
    """Name the values, and where the curator sees how much they move here.

    How many values are missing is confidential: nothing here hangs on it.
    """
    found = rests.filled(items)
    if not found:
        return
    told = "; ".join(f"{column.title}: {replacement_text(column)}" for column in found)
    st.caption(
        "**± and ✓ do not hold what values move that stand in for missing ones** "
        f"({literal(told)}).{_SHOWN * partwise.moves_are_shown()} “Data” says what "
        "becomes of a missing value."
    )
