"""The size of a group that a reader assumes. Sizes are private."""

from __future__ import annotations

import math
from typing import Final

from dpcore.analyses.base import Question
from dpcore.formatting import significant
from dpcore.planning.analysis_plan import USUAL_GROUP
from dpcore.releases.table import TOO_FEW
from dpcore.statistics.kinds import StatisticKind
from ui import session
from ui.controls import Cell

_MOST: Final = 10**9
SIZES: Final = (10, 30, 100, 300, 1_000, 10_000)
"""Sizes that margins of error are listed for."""


def most_people() -> int:
    """Return how many people a group can have: no more than the table, if public."""
    study = session.require_study()
    return study.dataset.people if study.public_number else _MOST


def ask(cell: Cell, query: Question) -> int:
    """Ask for the size of a group, of each of two, or of everybody together."""
    label, key, usual = _size(query)
    return cell.number(
        label,
        usual,
        (1, most_people()),
        key=key,
        kept="session",
        note="The sizes of groups are private, so their errors cannot be known in advance. "
        "Name a size to see them; nothing is released by that. It starts from an equal share of "
        f"the public number of people, “other” included, and at least {USUAL_GROUP}.",
    )


def assumed(query: Question) -> int:
    """Return the size that is assumed, asked for or not."""
    _, key, usual = _size(query)
    asked = session.public(key)
    return asked if isinstance(asked, int) else usual


def _size(query: Question) -> tuple[str, str, int]:
    """Return the name and the key of the control, and what it starts from.

    That is an equal part of the people that are public, or of their public minimum, for each
    label of the column and for all others.
    """
    study, most = session.require_study(), most_people()
    known = most if study.public_number else study.terms.minimum_people
    groups = len(query.grouping.groups) if query.grouping and query.listed_groups else 1
    usual = max(min(USUAL_GROUP, most // 2), known // groups, 1)
    label, what = "Assumed group size", "a-group"
    if query.kind is StatisticKind.DIFFERENCE:
        label, what = "Assumed size of each group", "a-pair"
    elif not query.listed_groups:
        label, what = f"Assumed number of {query.unit.counted}", "everybody"
        usual = most if most < _MOST else usual
    return label, f"size-of-{what}-{session.generation()}", usual


def margin_text(off: float, unit: str = "") -> str:
    """Return a margin of error for a group; NaN where the group is too small to say."""
    return TOO_FEW if math.isnan(off) else f"± {significant(off)}{unit}"
