"""A label of consequences, as on food: who sees what, and what it can give away.

Descriptions of how noise works set wrong expectations; what follows from it for people
sets right ones (Smart and others 2024). So every line says a consequence, for the
budget, the unit and the relation of one account, and none judges.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

from dpcore.figures.attackers import belief_text, odds_text
from dpcore.formatting import capital, epsilon_text, in_full, significant
from dpcore.privacy.conversions import epsilon_of_rho
from dpcore.privacy_filter import PrivacyBudget, PrivacyCost
from dpcore.relations import NeighboringRelation, PrivacyUnit
from dpcore.releases.digits import is_used_up

_RECORD = "record"
USUAL_DELTA = 1e-6
"""At which a budget in rho is told in odds."""


class LabelSection(NamedTuple):
    """A part of the label: its heading, and a sentence a line."""

    heading: str
    lines: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class LabelFacts:
    """What the label is about. PUBLIC.

    Attributes:
        budget: What all releases together may cost.
        spent: What they cost so far.
        relation: Which tables count as neighbors.
        unit: The privacy unit.
        number: The number of people where it is public, otherwise ``None``.
        releases: How many numbers or sets of numbers were released so far.
        lesson: Whether this is a lesson, that nobody agreed to.
        proposed: Whether the budget is only being thought about.
        joined: Whether each row was made of all rows of one unit.

    """

    budget: PrivacyBudget
    spent: PrivacyCost
    relation: NeighboringRelation
    unit: PrivacyUnit
    number: int | None = None
    releases: int = 0
    lesson: bool = False
    proposed: bool = False
    joined: bool = False

    @property
    def total(self) -> tuple[float, float]:
        """Return epsilon and delta if all is spent."""
        if self.budget.rho is not None:
            return _of_rho(float(self.budget.rho))
        return float(self.budget.epsilon or 0), float(self.budget.delta or 0)

    @property
    def so_far(self) -> tuple[float, float]:
        """Return epsilon and delta of what is spent."""
        if self.budget.rho is not None:
            return _of_rho(float(self.spent.rho))
        return float(self.spent.epsilon), float(self.spent.delta)

    @property
    def used_up(self) -> bool:
        """Tell whether nothing is left of what the budget counts."""
        return is_used_up(self.budget, self.budget.remaining(self.spent))


def _of_rho(rho: float) -> tuple[float, float]:
    if rho == 0:
        return 0.0, 0.0
    return epsilon_of_rho(rho, delta=USUAL_DELTA), USUAL_DELTA


def sections(facts: LabelFacts) -> tuple[LabelSection, ...]:
    """Return the label from the top down."""
    return (
        LabelSection("Who is protected", _protected(facts)),
        LabelSection("Who sees what", _seen(facts)),
        LabelSection("What an attacker can learn", _can(facts)),
        LabelSection("What an attacker cannot learn", _cannot(facts)),
        LabelSection("The budget", _budget(facts)),
        LabelSection("What this does not cover", _beyond(facts)),
    )


def text_of(facts: LabelFacts) -> str:
    """Return the label as plain text, to be copied."""
    title = "WHAT THE RELEASED NUMBERS CAN REVEAL"
    if facts.lesson or facts.proposed:
        title += f" ({_how(facts).lower()}, not agreed)"
    parts = [title]
    for section in sections(facts):
        parts.append(f"\n{section.heading.upper()}")
        parts += [f"- {line}" for line in section.lines]
    return "\n".join(parts)


def _protected(facts: LabelFacts) -> tuple[str, ...]:
    unit = facts.unit
    rows = f"Every {unit.noun} with {unit.protected(joined=facts.joined)}."
    if facts.relation is NeighboringRelation.ADD_REMOVE:
        hidden = (
            f"The limit below applies to whether {unit.indefinite} is in the table at all, and "
            "so to everything in their record."
        )
    else:
        hidden = (
            f"The limit below applies to what {_record(unit)} says: any other record could be in "
            "its place."
        )
    same = "The limit is the same for everybody, including outliers."
    return rows, hidden, same


def _seen(facts: LabelFacts) -> tuple[str, ...]:
    counted = facts.unit.nouns
    count = f"a public minimum in place of the number of {counted}"
    if facts.unit.keeps_number(facts.relation):
        known = "" if facts.number is None else f" ({facts.number:,})"
        count = f"the number of {counted}{known}"
    released = (
        "Everybody may see the released numbers, which contain random noise on purpose, their "
        "margins of error, and the cost of each."
    )
    declared = (
        f"Everybody may also see what was declared as public: {count}, the questions, and the "
        "names, bounds and categories of their columns."
    )
    whole = "The curator sees the whole table. Nobody else sees a row."
    return whole, released, declared


def _can(facts: LabelFacts) -> tuple[str, ...]:
    (spent, lost), noun = facts.so_far, facts.unit.noun
    group = (
        "What is true of the group as a whole: that is the purpose. What follows from "
        "it for a member of the group follows for everybody, in the table or not."
    )
    limits = {"all releases together": facts.total}
    if spent > 0 and not facts.used_up:
        limits = {
            "the releases so far": (spent, lost),
            "all releases that the budget allows": facts.total,
        }
    return (
        group,
        *(
            f"About one {noun}: from {which}, "
            f"{belief_text(epsilon, delta=delta, about=f' about one {noun}')}."
            for which, (epsilon, delta) in limits.items()
        ),
        "What they already knew from elsewhere.",
    )


def _cannot(facts: LabelFacts) -> tuple[str, ...]:
    noun, (_, delta) = facts.unit.noun, facts.total
    more = (
        f"More than that about one {noun}, whatever else they know, now or later, and "
        "however well they calculate."
    )
    if delta > 0:
        share = significant(delta, up=True)
        more += f" The chance δ = {share} that the limit on odds fails is counted in it."
    again = (
        "More by asking again: the same question has the same answer, and a fresh "
        "answer is charged."
    )
    return more, again


def _budget(facts: LabelFacts) -> tuple[str, ...]:
    (epsilon, delta), (spent, lost) = facts.total, facts.so_far
    agreed = f"{_how(facts)} for all releases together: {facts.budget.describe()}."
    if facts.budget.rho is not None:
        agreed += f" That is at most ε = {epsilon_text(epsilon)} at δ = {in_full(USUAL_DELTA)}."
    if facts.used_up:
        return agreed, f"All of it is spent: {_odds(epsilon, delta, facts)}.", _after(facts)
    if spent > 0:
        many = "1 release" if facts.releases == 1 else f"{facts.releases} releases"
        so_far = f"Spent so far, by {many}: {_odds(spent, lost, facts)}."
    else:
        so_far = "Nothing is spent so far: nothing was released on this account."
    return (
        agreed,
        *([] if facts.proposed else [so_far]),
        f"If all of it is spent: {_odds(epsilon, delta, facts)}.",
        _after(facts),
    )


def _how(facts: LabelFacts) -> str:
    """Return whose decision the budget is."""
    if facts.proposed:
        return "Proposed"
    return "Tried in a lesson" if facts.lesson else "Agreed"


def _after(facts: LabelFacts) -> str:
    return (
        f"Then nothing more can be released about these {facts.unit.nouns} unless the budget "
        "is raised. Raising it weakens the guarantee and is recorded with a reason. The "
        "guarantee for released results is permanent, whatever computers or other data "
        "appear later."
    )


def _odds(epsilon: float, delta: float, facts: LabelFacts) -> str:
    return odds_text(epsilon, delta, noun=facts.unit.noun).split(": ", 1)[1]


def _record(unit: PrivacyUnit) -> str:
    """Return what is protected of a unit; of some tables it is the record itself."""
    if unit.noun == _RECORD:
        return "a record"
    return f"the record of {unit.indefinite}"


def _beyond(facts: LabelFacts) -> tuple[str, ...]:
    unit = facts.unit
    whose = "a person" if unit.noun == _RECORD else unit.indefinite
    elsewhere = (
        f"Other releases about the same {unit.nouns}, made elsewhere or charged to "
        "another account: their costs add up, and are not counted here."
    )
    return (
        "The table itself, if it is stolen, lost or passed on.",
        elsewhere,
        "Bounds, categories or questions that were chosen by looking at the table.",
        f"Conclusions about a group that {whose} belongs to.",
        _several(facts, whose),
    )


def _several(facts: LabelFacts, whose: str) -> str:
    """Return whom the limit protects less, having more rows than was declared."""
    unit = facts.unit
    if unit.cap is not None or (facts.joined and not unit.several):
        return (
            f"{capital(whose)} whose rows stand under several names or numbers: the "
            "limit holds for each of them."
        )
    if unit.rows == 1:
        return (
            f"{capital(whose)} with several rows after all: the limit holds for each "
            "row, and all of them together reveal more."
        )
    return f"{capital(whose)} with more than {unit.rows:,} rows after all."
