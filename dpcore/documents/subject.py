"""What documents are about: an account and its releases, or a plan not yet run."""

from __future__ import annotations

import math
from dataclasses import dataclass, field, replace
from datetime import date
from decimal import Decimal
from functools import cached_property
from typing import TYPE_CHECKING, Final, NamedTuple

from dpcore import __version__
from dpcore.budget_filter import plain
from dpcore.documents.numerals import Exact, Numerals
from dpcore.documents.typed import Typed
from dpcore.privacy.composition import Totals, compose
from dpcore.privacy.events import event_from
from dpcore.wording import capital, epsilon_text, significant

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from dpcore.budget_filter import PrivacyBudget, PrivacyCost
    from dpcore.data.columns import Column
    from dpcore.documents.question import Question
    from dpcore.figures.meaning.label import Facts
    from dpcore.releases.hash_chain import EntryKind

USUAL_DELTA: Final = 1e-6
"""At which totals are told where an account has no delta."""
PLANNED: Final = "Only planned: nothing of this has been released."
LESSON: Final = "Classroom: not a private release."
NOTHING_LEFT: Final = "no limit"
_ALMOST_ALL: Final = Decimal("0.99999")


class Change(NamedTuple):
    """A change of a budget, on record.

    Attributes:
        when: When it was written, UTC.
        before: What the budget was, in symbols.
        after: What it is since then.
        why: The reason that was given.

    """

    when: str
    before: str
    after: str
    why: str

    @property
    def day(self) -> date:
        """Return the day of the change."""
        return date.fromisoformat(self.when[:10])


@dataclass(frozen=True, slots=True, kw_only=True)
class Head:
    """Where the chain of the ledger stood, and what this account wrote into it.

    Attributes:
        entries: How many entries the account has.
        digest: Digest of its last one, which the digests before it lead up to.
        recorded: When that was written.
        changes: What was changed about the budget.
        kinds: What its entries record, and how many record it.

    """

    entries: int
    digest: str
    recorded: str
    changes: tuple[Change, ...] = ()
    kinds: tuple[tuple[EntryKind, int], ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Time:
    """A period with a limit of its own, in words.

    Attributes:
        name: What people call it.
        days: Its first and last day, ISO 8601.
        limit: What may be spent in it, what it took over included.
        spent: What was spent in it.

    """

    name: str
    days: str
    limit: str
    spent: str


@dataclass(frozen=True, kw_only=True)
class Subject:
    """What a document is about. PUBLIC.

    Attributes:
        facts: The account, with whom it protects.
        questions: Those that were answered, in order; or those that are planned.
        charged: What the questions of a plan are charged together; ``None`` of what was
            released, of which the account says it.
        delta: At which totals are told.
        columns: What is declared of the columns in question.
        missing: What becomes of missing values of each, by its name.
        everybody: Whether the table holds everybody, and is no sample.
        head: The ledger; ``None`` where nothing is written in it yet.
        times: The periods of the account that have limits of their own.
        tables: What the tables are called, where it is about several of an account.
        name: What the table in use is called, where there are several.
        before: What was typed for the others of them, by name.
        today: The day, ISO 8601.
        numerals: How numbers are written.
        typed: What only people know, of the table in use.

    """

    facts: Facts
    questions: tuple[Question, ...]
    charged: PrivacyCost | None = None
    delta: float = USUAL_DELTA
    columns: tuple[Column, ...] = ()
    missing: Mapping[str, str] = field(default_factory=dict)
    everybody: bool = False
    head: Head | None = None
    times: tuple[Time, ...] = ()
    tables: tuple[str, ...] = ()
    name: str = ""
    before: Mapping[str, Typed] = field(default_factory=dict)
    today: str = ""
    numerals: Numerals = Numerals.POINT
    typed: Typed = field(default_factory=Typed)

    def written(self, numerals: Numerals) -> Subject:
        """Return it with its numbers in other marks."""
        return replace(self, numerals=numerals)

    def knowing(self, typed: Typed) -> Subject:
        """Return it with what people have typed."""
        return replace(self, typed=typed)

    @property
    def planned(self) -> bool:
        """Tell whether it is a plan."""
        return self.charged is not None

    @property
    def used_up(self) -> bool:
        """Tell whether releases have left no more of the budget than rounding does."""
        budget, spent = self.facts.budget, self.facts.spent
        if budget.rho is not None:
            return spent.rho >= budget.rho * _ALMOST_ALL
        return budget.epsilon is not None and (
            spent.epsilon >= budget.epsilon * _ALMOST_ALL
        )

    @property
    def mark(self) -> str:
        """Return what must not be overlooked; or nothing."""
        marks = (PLANNED,) * self.planned + (LESSON,) * self.facts.lesson
        return " ".join(marks)

    @property
    def foot(self) -> str:
        """Return what made the document, and when."""
        return f"Made by Epsilon Studio, version {__version__}, on {self.today}."

    @property
    def cost(self) -> PrivacyCost:
        """Return what the questions cost together."""
        return self.facts.spent if self.charged is None else self.charged

    @property
    def guarantee(self) -> tuple[float, float]:
        """Return epsilon and delta of the questions together, for odds."""
        return replace(self.facts, spent=self.cost).so_far

    @cached_property
    def totals(self) -> Totals:
        """Return the total of the questions by four ways of counting, at ``delta``."""
        return compose(
            [event_from(question.event) for question in self.questions],
            delta=self.delta,
        )

    @property
    def limit(self) -> str:
        """Return the budget in symbols."""
        return symbols(self.facts.budget.describe())

    @property
    def whom(self) -> str:
        """Return who is protected, and as what."""
        unit = self.facts.unit
        if unit.cap is not None:
            return f"every {unit.noun}, with {unit.owned}"
        if unit.rows == 1:
            where = "each table" if len(self.tables) > 1 else "the table"
            return f"every {unit.noun}, with the one row they have in {where}"
        return f"every {unit.noun}, with up to {unit.rows:,} rows of the table"

    @property
    def size(self) -> str:
        """Return what is public about the number of people."""
        known = self.facts.number
        if known is None:
            return "not published: it is protected, too"
        counted = self.facts.unit.number(known)
        return f"{counted}, a number that is published without noise"

    @property
    def about(self) -> str:
        """Return whom the numbers describe."""
        if self.facts.unit.cap is not None:
            return "the rows of this table that count, and no larger group"
        if self.everybody:
            return f"all {self.facts.unit.nouns} they are about are in the table"
        return "the table is a sample of a larger group"

    @property
    def sizes(self) -> dict[str, int]:
        """Return the public numbers of people of several tables, by name."""
        found: dict[str, int] = {}
        for question in self.questions:
            size = question.asked.get("size")
            if question.table and isinstance(size, dict) and size.get("public") is True:
                found[question.table] = int(size["people"])
        return found

    def each(self, say: Callable[[Typed], str]) -> tuple[tuple[str, str], ...]:
        """Return what was typed of each table, where not all of it is the same.

        What is the same for all, or about one table, has an empty name. What nobody
        typed is empty.
        """
        known = {**self.before, self.name: self.typed}
        told = {name: say(known.get(name, Typed())) for name in self.tables}
        if len({*told.values()}) > 1:
            return tuple(told.items())
        return (("", next(iter(told.values()), say(self.typed))),)

    @property
    def sampler(self) -> str:
        """Return what draws or drew the noise."""
        return ", ".join(dict.fromkeys(q.sampler for q in self.questions if q.sampler))


def own(text: str) -> str:
    """Return what somebody wrote, with every character of it."""
    return Exact(" ".join(text.split()))


def of_each(told: tuple[tuple[str, str], ...], *, unknown: str, quoted: str) -> str:
    """Return what was typed of each table in a row.

    ``unknown`` stands where nobody typed anything, and ``quoted`` is how a name is
    written.

    >>> of_each((("Q3", "by Ann"), ("Q4", "")), unknown="not said", quoted="‘{}’")
    '‘Q3’: by Ann; ‘Q4’: not said'
    """
    if len(told) == 1:
        return own(told[0][1])
    return own(
        "; ".join(
            f"{quoted.format(name)}: {text.strip().rstrip('.') or unknown}"
            for name, text in told
        )
    )


def spelled(cost: PrivacyCost, *, rho: bool = True) -> str:
    """Return a cost in symbols, rounded up.

    >>> from dpcore.budget_filter import PrivacyCost
    >>> spelled(PrivacyCost.of(epsilon=0.5, delta=1e-6))
    'ε 0.5, δ 1e-6'
    """
    parts = [f"ε {epsilon_text(float(cost.epsilon))}"]
    if cost.delta:
        parts.append(f"δ {significant(float(cost.delta), up=True)}")
    if rho and math.isfinite(float(cost.rho)) and cost.rho:
        parts.append(f"ρ {significant(float(cost.rho), up=True)}")
    return ", ".join(parts)


def left_of(budget: PrivacyBudget, left: PrivacyCost) -> str:
    """Return what is left of a budget, in symbols, as all pages round it.

    >>> from dpcore.budget_filter import PrivacyBudget, PrivacyCost
    >>> budget = PrivacyBudget.of(epsilon=3.0)
    >>> left_of(budget, budget.remaining(PrivacyCost.of(epsilon=2.7999971)))
    'ε 0.2'

    What rounding alone has left is nothing:

    >>> left_of(budget, budget.remaining(PrivacyCost.of(epsilon=2.999998)))
    'ε 0'
    """
    if budget.rho is not None:
        return f"ρ {significant(_more_than_rounding(left.rho, budget.rho))}"
    whole = budget.epsilon or Decimal(0)
    text = f"ε {significant(_more_than_rounding(left.epsilon, whole))}"
    return f"{text}, δ {significant(float(left.delta))}" if budget.delta else text


def _more_than_rounding(left: Decimal, whole: Decimal) -> float:
    return float(left) if left > whole * (1 - _ALMOST_ALL) else 0.0


def counted(count: int) -> str:
    """Return how many answers there are.

    >>> counted(1), counted(2)
    ('1 answer', '2 answers')
    """
    return "1 answer" if count == 1 else f"{count} answers"


def symbols(text: str) -> str:
    """Return a budget in words with the letters of the field.

    >>> symbols("epsilon 1 and delta 0.000001 in total")
    'ε 1 and δ 0.000001 in total'
    """
    for word, letter in (("epsilon", "ε"), ("delta", "δ"), ("rho", "ρ")):
        text = text.replace(word, letter)
    return text


def exact(cost: PrivacyCost) -> dict[str, str]:
    """Return the parts of a cost with every digit that was charged."""
    return {name: plain(getattr(cost, name)) for name in ("epsilon", "delta", "rho")}


def sentence(text: str) -> str:
    """Return a text as a sentence."""
    text = capital(text.strip())
    return text if not text or text.endswith((".", "?", "!")) else f"{text}."
