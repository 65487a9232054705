"""Which columns make groups, of which no missing value is filled in."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Iterable

    from dpcore.data.columns import Column
    from dpcore.models.question import ModelQuestion
    from dpcore.statistics.question import Question

WITHOUT: Final = "none, or another one, counts to all others"


def only_groups(asked: Iterable[Question | ModelQuestion]) -> frozenset[Column]:
    """Return the columns that make groups in some question, and are read in no other.

    Whoever has no label there, or another one, belongs to the group of all others,
    whatever is declared of missing values.
    """
    groups: set[Column] = set()
    read: set[Column] = set()
    for one in asked:
        group = getattr(one, "group", None)
        groups |= set() if group is None else {group}
        read |= {column for column in one.columns if column != group}
    return frozenset(groups - read)
