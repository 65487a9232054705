"""The control for the size of a group that a reader assumes. Sizes are private."""

from __future__ import annotations

from typing import Final

from dpcore.planning.analysis_plan import USUAL_GROUP
from ui import session
from ui.controls import Cell

_MOST: Final = 10**9
SIZES: Final = (10, 30, 100, 300, 1_000, 10_000)
"""Sizes that margins of error are listed for."""


def most_people() -> int:
    """Return how many people a group can have: no more than the table, if public."""
    study = session.require_study()
    return study.dataset.people if study.public_number else _MOST


def ask(cell: Cell, *, of_pair: bool) -> int:
    """Ask for the size of a group, or of each of two."""
    most = most_people()
    return cell.number(
        "Groups of how many?" if of_pair else "A group of how many?",
        min(USUAL_GROUP, max(most // 2, 1)),
        (1, most),
        key=f"size-of-a-{'pair' if of_pair else 'group'}-{session.generation()}",
        kept="session",
        note="The sizes of groups are private, so their errors cannot be known in advance. "
        "Name a size to see them; nothing is released by that.",
    )
