"""What losses compare a table with, beside what the guarantee is about."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from dpcore.figures.wording import compared_with

if TYPE_CHECKING:
    from dpcore.relations import NeighboringRelation


@dataclass(frozen=True, slots=True, kw_only=True)
class Compared:
    """What losses compare with, and whether charges are for something else.

    Attributes:
        relation: Which change of a record the losses are about.
        mixed: Whether some charge is for another change.

    """

    relation: NeighboringRelation
    mixed: bool


def clause(compared: Compared | None) -> str:
    """Return the comparison in brackets; nothing where it is not known."""
    return "" if compared is None else f" ({compared_with(compared.relation)})"
