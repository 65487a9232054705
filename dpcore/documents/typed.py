"""What only people know of a release, typed once for all of its documents."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from dpcore.codec import TEXT, Schema, several, since


@dataclass(frozen=True, slots=True, kw_only=True)
class Typed:
    """What only people know; empty where a line to write on shall stand. PUBLIC.

    Attributes:
        purpose: What the numbers are for.
        period: From when to when, and which people.
        reason: Why this budget, and not the other one.
        deciders: Who decides, a name each.
        place: Where it is signed.
        publisher: Who publishes the numbers and holds the table.
        contact: Whom people can ask.
        signed: Whether the page was signed, in words: when, and by whom.

    """

    purpose: str = ""
    period: str = ""
    reason: str = ""
    deciders: tuple[str, ...] = ()
    place: str = ""
    publisher: str = ""
    contact: str = ""
    signed: str = ""

    @property
    def decided(self) -> str:
        """Return who decided, why, and what was signed; empty where nobody said so."""
        by = f"Decided by {', '.join(self.deciders)}" if self.deciders else ""
        reason = self.reason.rstrip(". ")
        why = ": ".join(part for part in (by, reason) if part)
        return "; ".join(part for part in (why, self.signed) if part)


TYPED: Final = Schema(
    Typed,
    purpose=since(TEXT),
    period=since(TEXT),
    reason=since(TEXT),
    deciders=since(several(TEXT)),
    place=since(TEXT),
    publisher=since(TEXT),
    contact=since(TEXT),
    signed=since(TEXT),
)
"""How it is kept until its table comes again."""
