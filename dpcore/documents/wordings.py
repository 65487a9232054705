"""Sentences that several documents share, on what a guarantee leaves an attacker."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Final

from dpcore.figures.meaning.label import sections
from dpcore.figures.meaning.odds import Sides, Told, worlds_text
from dpcore.studies.meaning.guarantee import Guarantee
from dpcore.wording import brief

if TYPE_CHECKING:
    from collections.abc import Sequence

    from dpcore.documents.numerals import Numerals
    from dpcore.documents.subject import Change, Subject

_LONGEST: Final = 120
_CAN: Final = "What an attacker can learn"
_CANNOT: Final = "What an attacker cannot learn"
_BEYOND: Final = "What this does not cover"
GAPS: Final = (
    (
        "Whose a row is was declared: each of one person, as many as was said, or of "
        "whom a column names. The program cannot check that."
    ),
    (
        "Bounds, categories and minimum sizes have to be known without the table. "
        "Whoever chose them by looking at it has told something that no budget counts."
    ),
    (
        "Only releases of this account are counted. That a table is about the same "
        "people as another one, so that both share an account, is for whoever uses it "
        "to say."
    ),
    (
        "Intervals are about the number that was computed: what bounds, filled-in "
        "values and minimum sizes do to it is in none of them."
    ),
    "Whoever can measure the time or the memory of the server is not defended against.",
    (
        "Where a table itself shapes the noise (posterior samples, objective "
        "perturbation), exact draws are transformed and rounded to a public grid. That "
        "closes the known leaks of floating-point noise and is no proof."
    ),
    (
        "Whoever can delete the ledger with its key, or put back older copies of both, "
        "can make it forget what was spent."
    ),
)
"""What is known not to be covered, beside what the label says."""


def changed(changes: Sequence[Change], numerals: Numerals) -> str:
    """Say how often a budget was changed, and the last change; nothing where never."""
    known = [one for one in changes if one.before != one.after]
    if not known:
        return ""
    times = f"{len(known)} times" if len(known) > 1 else "once"
    last = known[-1]
    before, after = numerals.written(last.before), numerals.written(last.after)
    return (
        f"; it was changed {times} so far, last on {last.day.isoformat()} from "
        f"{before} to {after}: “{brief(last.why, _LONGEST)}”"
    )


def worlds(subject: Subject) -> tuple[str, ...]:
    """Return the odds in counts of worlds: an introduction, and what follows.

    In the wording that 963 people understood best (`dpcore.figures.meaning.odds`).
    Nothing where the questions cost nothing yet, or without a limit.
    """
    epsilon, delta = subject.guarantee
    if not (0 < epsilon < math.inf and 0 <= delta < 1):
        return ()
    sure = Guarantee(epsilon=epsilon, delta=delta)
    told = Told(guarantee=sure, sides=Sides.of(subject.facts.relation))
    first, *others = worlds_text(told).replace("**", "").split("\n\n")
    return first, *(line.removeprefix("- ") for line in others)


def can(subject: Subject) -> tuple[str, ...]:
    """Return what an attacker can learn if the whole budget is used."""
    return _lines(subject, _CAN)


def cannot(subject: Subject) -> tuple[str, ...]:
    """Return what an attacker cannot learn."""
    return _lines(subject, _CANNOT)


def beyond(subject: Subject) -> tuple[str, ...]:
    """Return what the limit does not cover."""
    return _lines(subject, _BEYOND)


def _lines(subject: Subject, heading: str) -> tuple[str, ...]:
    found = dict(sections(subject.facts))
    return found[heading]
