"""What stands in for missing values in planned questions: no ± and no ✓ covers it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import streamlit as st

from dpcore.documents import rests
from dpcore.wording import in_full
from ui import partwise
from ui.text import literal

if TYPE_CHECKING:
    from collections.abc import Sequence

    from dpcore.data.columns import Column
    from dpcore.planning.item import Item

_SHOWN: Final = (
    " How much that is here, the confidential area on “Release” shows for each "
    "question."
)


def say(items: Sequence[Item]) -> None:
    """Name the values, and where the curator sees how much they move here.

    How many values are missing is confidential: nothing here hangs on it.
    """
    found = rests.filled(items)
    if not found:
        return
    told = "; ".join(f"{column.title}: {_value(column)}" for column in found)
    st.caption(
        "**± and ✓ do not hold what values move that stand in for missing ones** "
        f"({literal(told)}).{_SHOWN * partwise.moves_are_shown()} “Data” says what "
        "becomes of a missing value."
    )


def _value(column: Column) -> str:
    value = column.replacement
    return value if isinstance(value, str) else in_full(float(value or 0.0))
