"""What documents are about: an account and its releases, or a plan not yet run."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import date
from decimal import Decimal
from functools import cached_property
from typing import Final, NamedTuple

from dpcore import secure_noise
from dpcore.codec import TEXT, Schema, several, since
from dpcore.data.columns import Column
from dpcore.documents import claims
from dpcore.documents.assumptions import Treatments
from dpcore.documents.question import DocumentEntry
from dpcore.documents.rendering import Numerals, render
from dpcore.figures.privacy_label import LabelFacts
from dpcore.figures.risks import PRIOR, level_text, risk_text
from dpcore.formatting import capital, delta_text, epsilon_text, significant
from dpcore.ledger.chain import EntryKind
from dpcore.privacy.composition import Totals, compose
from dpcore.privacy.events import event_from
from dpcore.privacy.tradeoff import TradeOff, of_events
from dpcore.privacy_filter import PrivacyBudget, PrivacyCost, plain
from dpcore.releases.digits import NOTHING, is_used_up

USUAL_DELTA: Final = 1e-6
"""At which totals are told where an account has no delta."""
PLANNED: Final = "Only planned: nothing of this has been released."
LESSON: Final = "Classroom: not a private release."
_UNKNOWN: Final = "see the documents of that time"


@dataclass(frozen=True, slots=True, kw_only=True)
class CuratorInput:
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
    CuratorInput,
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


class BudgetChange(NamedTuple):
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


def changes_of_amount(changes: Sequence[BudgetChange]) -> tuple[BudgetChange, ...]:
    """Return the changes of a budget that changed its amount."""
    return tuple(change for change in changes if change.before != change.after)


@dataclass(frozen=True, slots=True, kw_only=True)
class LedgerHead:
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
    changes: tuple[BudgetChange, ...] = ()
    kinds: tuple[tuple[EntryKind, int], ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class PeriodText:
    """A period with a limit of its own, in words.

    Attributes:
        name: What people call it.
        days: Its first and last day, ISO 8601.
        limit: What may be spent in it, what it took over included.
        spent: What was spent in it.
        left: What is left of its limit.

    """

    name: str
    days: str
    limit: str
    spent: str
    left: str


@dataclass(frozen=True, kw_only=True)
class DocumentContext:
    """What a document is about. PUBLIC.

    Attributes:
        facts: The account, with whom it protects.
        questions: Those that were answered, in order; or those that are planned.
        charged: What the questions of a plan are charged together; ``None`` of what was
            released, of which the account says it.
        delta: At which totals are told.
        columns: What is declared of the columns in question.
        missing: What questions do with missing values of each, by its name.
        everybody: Whether the table holds everybody, and is no sample.
        joined: Whether each row was made of all rows of one unit.
        head: The ledger; ``None`` where nothing is written in it yet.
        periods: The periods of the account that have limits of their own.
        tables: What the tables are called, where it is about several of an account.
        name: What the table in use is called, where there are several.
        before: What was typed for the others of them, by name.
        today: The day, ISO 8601.
        numerals: How numbers are written.
        typed: What only people know, of the table in use.

    """

    facts: LabelFacts
    questions: tuple[DocumentEntry, ...]
    charged: PrivacyCost | None = None
    delta: float = USUAL_DELTA
    columns: tuple[Column, ...] = ()
    missing: Treatments = field(default_factory=dict)
    everybody: bool = False
    joined: bool = False
    head: LedgerHead | None = None
    periods: tuple[PeriodText, ...] = ()
    tables: tuple[str, ...] = ()
    name: str = ""
    before: Mapping[str, CuratorInput] = field(default_factory=dict)
    today: str = ""
    numerals: Numerals = Numerals.POINT
    typed: CuratorInput = field(default_factory=CuratorInput)

    def written(self, numerals: Numerals) -> DocumentContext:
        """Return it with its numbers in other marks."""
        return replace(self, numerals=numerals)

    def with_input(self, typed: CuratorInput) -> DocumentContext:
        """Return it with what people have typed."""
        return replace(self, typed=typed)

    def fill(self, template: str, **facts: object) -> str:
        """Return a document about it, by a template."""
        return render(template, self.numerals, subject=self, mark=self.mark, **facts)

    @property
    def planned(self) -> bool:
        """Tell whether it is a plan."""
        return self.charged is not None

    @property
    def used_up(self) -> bool:
        """Tell whether releases have left no more of the budget than rounding does."""
        budget = self.facts.budget
        return is_used_up(budget, budget.remaining(self.facts.spent))

    @property
    def mark(self) -> str:
        """Return what must not be overlooked; or nothing."""
        marks = (PLANNED,) * self.planned + (LESSON,) * self.facts.lesson
        return " ".join(marks)

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
            added=sum((question.cost for question in self.questions), PrivacyCost()),
        )

    @cached_property
    def curve(self) -> TradeOff:
        """Return the trade-off function of the questions as a fixed set."""
        return of_events([event_from(question.event) for question in self.questions])

    @property
    def level(self) -> str:
        """Return its level of Gaussian DP, with the regret."""
        return level_text(self.curve.level)

    @property
    def risk(self) -> str:
        """Return the largest success rate of a guess about one unit, in a sentence."""
        return f"{capital(risk_text(self.curve, PRIOR, self.facts.relation))}."

    @property
    def limit(self) -> str:
        """Return the budget in symbols."""
        return budget_text(self.facts.budget)

    @property
    def neighbors(self) -> str:
        """Return in what neighboring tables differ."""
        return claims.neighbors(self.facts.relation, self.facts.unit)

    @property
    def accuracy(self) -> str:
        """Return how often an attacker is right who sees all figures, at most."""
        return claims.accuracy(*self.guarantee)

    @property
    def accuracy_of_limit(self) -> str:
        """Return the same once the whole limit is used."""
        return claims.accuracy(*self.facts.total)

    @property
    def changes(self) -> tuple[BudgetChange, ...]:
        """Return the changes of the budget that changed its amount."""
        return () if self.head is None else changes_of_amount(self.head.changes)

    @property
    def sizes(self) -> dict[str, int]:
        """Return the public numbers of people of several tables, by name."""
        found: dict[str, int] = {}
        for question in self.questions:
            size = question.asked.get("size")
            if question.table and isinstance(size, dict) and size.get("public") is True:
                found[question.table] = int(size["people"])
        return found

    def typed_text(self, name: str) -> str:
        """Return what was typed about the tables: once, or for each where it differs."""
        known = {**self.before, self.name: self.typed}
        said = {table: getattr(known.get(table, CuratorInput()), name) for table in self.tables}
        if len({*said.values()}) <= 1:
            return str(next(iter(said.values()), getattr(self.typed, name)))
        return "; ".join(
            f"“{table}”: {text.strip().rstrip('.') or _UNKNOWN}" for table, text in said.items()
        )

    @property
    def has_population_ranges(self) -> bool:
        """Tell whether figures have ranges for a population that the table is from."""
        return any(number.total for one in self.questions for number in one.numbers)

    @property
    def most_counted(self) -> int | None:
        """Return how many rows of one unit count at most in some questions, but not in all."""
        caps = {question.unit_of_rows.cap for question in self.questions}
        return max(cap or 0 for cap in caps) if len(caps) > 1 else None

    @property
    def mechanisms(self) -> Counter[str]:
        """Return the names of the mechanisms, and how many questions each answers."""
        return Counter(question.mechanism for question in self.questions)

    @property
    def drawn_by(self) -> str:
        """Return what drew the noise, or would draw it now."""
        return self.sampler or secure_noise.sampler()

    @property
    def sampler(self) -> str:
        """Return what draws or drew the noise."""
        return ", ".join(dict.fromkeys(q.sampler for q in self.questions if q.sampler))


def cost_text(cost: PrivacyCost, *, rho: bool = True) -> str:
    """Return a cost in symbols, rounded up, for readers without powers of ten.

    >>> from dpcore.privacy_filter import PrivacyCost
    >>> cost_text(PrivacyCost.of(epsilon=0.5, delta=1e-6))
    'ε = 0.5, δ = 0.000001 (1 in 1,000,000)'
    """
    told = guarantee_text(float(cost.epsilon), float(cost.delta))
    if rho and math.isfinite(float(cost.rho)) and cost.rho:
        told += f", ρ = {significant(float(cost.rho), up=True)}"
    return told


def guarantee_text(epsilon: float, delta: float) -> str:
    """Return an epsilon and a delta in symbols, rounded up; no delta that is 0."""
    text = f"ε = {epsilon_text(epsilon)}"
    return f"{text}, δ = {delta_text(delta)}" if delta else text


def budget_text(budget: PrivacyBudget) -> str:
    """Return a budget as it was typed, in symbols.

    >>> from dpcore.privacy_filter import PrivacyBudget
    >>> budget_text(PrivacyBudget.of(epsilon=1.0, delta=1e-6))
    'ε = 1, δ = 0.000001 (1 in 1,000,000)'
    """
    if budget.rho is not None:
        return f"ρ = {plain(budget.rho)}"
    text = f"ε = {plain(budget.epsilon or Decimal())}"
    return f"{text}, δ = {delta_text(float(budget.delta))}" if budget.delta else text


def remaining_text(budget: PrivacyBudget, left: PrivacyCost) -> str:
    """Return what is left of a budget, with the digits that pages give it.

    >>> from dpcore.privacy_filter import PrivacyBudget, PrivacyCost
    >>> budget = PrivacyBudget.of(epsilon=3.0, delta=1e-5)
    >>> remaining_text(budget, budget.remaining(PrivacyCost.of(epsilon=2.7999971)))
    'ε = 0.2, δ = 0.00001 (1 in 100,000)'
    >>> remaining_text(budget, budget.remaining(PrivacyCost.of(epsilon=2.999998)))
    'nothing'
    """
    if is_used_up(budget, left):
        return NOTHING
    if budget.rho is not None:
        return f"ρ = {significant(float(left.rho))}"
    text = f"ε = {significant(float(left.epsilon))}"
    if not budget.delta:
        return text
    return f"{text}, δ = {delta_text(float(left.delta))}"


def exact(cost: PrivacyCost) -> dict[str, str]:
    """Return the parts of a cost with every digit that was charged."""
    return {name: plain(getattr(cost, name)) for name in ("epsilon", "delta", "rho")}
