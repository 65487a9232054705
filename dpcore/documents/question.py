"""A question as documents tell it: asked and answered, or only planned."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Final

from dpcore.analyses.base import Releasable, Request
from dpcore.analyses.identity import mark_of
from dpcore.analyses.label_rounds import LabelRoundsPlan
from dpcore.analyses.labels import LabelsPlan
from dpcore.analyses.model import IN_UNITS, ModelRequest
from dpcore.analyses.model_errors import shrinkage_text
from dpcore.analyses.reading import is_model
from dpcore.data.columns import Column
from dpcore.data.quantities import Quantity, found_text
from dpcore.documents import claims
from dpcore.documents.assumptions import treatment
from dpcore.errors import ParameterError
from dpcore.formatting import epsilon_text, people, significant, singular_of
from dpcore.mechanisms.catalog import EVERY, EXPONENTIAL, LABEL_ROUNDS
from dpcore.planning.analysis_plan import PlannedQuery
from dpcore.privacy_filter import PrivacyCost
from dpcore.relations import NeighboringRelation, PrivacyUnit
from dpcore.releases.declared import each_bounds, minimum_of, people_text
from dpcore.releases.digits import (
    ends_text,
    is_group_size,
    noise_unit,
    noise_unit_in,
    number_text,
    quantity_in,
    query_of,
    spelled,
)
from dpcore.releases.record import Release
from dpcore.releases.table import unsaid_text
from dpcore.statistics.grouping import name_of_others
from dpcore.statistics.kinds import StatisticKind

_AS_ASKED: Final = 1 + 1e-9
_IN_RANKS: Final = "away in the sorted table"
_OF_MODELS: Final = (
    "a regression of one column on others, with coefficients shrunk together towards 0"
)
_COEFFICIENT: Final = ", penalized coefficient"
MODEL_SCALE: Final = f"{_COEFFICIENT} on the model scale"
_OF_THE_PENALTY: Final = {"smallest eigenvalue", "eigenvalue at least", "chosen penalty"}
"""Numbers of a model that are none of its coefficients."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Number:
    """A released number as it is written, with no more digits than the noise leaves.

    Attributes:
        label: Its name.
        value: The number, or that it cannot be said.
        unit: Empty where it has none.
        noise: Where the table's own number lies, as text; empty if not known.
        total: The same for those whom the table is a sample of.
        beside: Whether it is a number of people that was not asked for, and that the
            answer follows from.
        count: Whether it is a number of people, rows or other units.
        gap: Whether it is how far two groups are apart.
        unsaid: Whether it cannot be said.
        one: What one of its unit is called, where it is a number of those; else empty.

    """

    label: str
    value: str
    unit: str = ""
    noise: str = ""
    total: str = ""
    beside: bool = False
    count: bool = False
    gap: bool = False
    unsaid: bool = False
    one: str = ""

    @property
    def text(self) -> str:
        """Return it with its unit."""
        unit = self.unit
        if self.value.lstrip("-−") == "1":
            unit = self.one or singular_of(unit)
        return f"{self.value}%" if unit == "%" else f"{self.value} {unit}".rstrip()

    @property
    def range_text(self) -> str:
        """Return where the number without noise lies, and whether it may be 0."""
        if not self.noise:
            return "not known"
        if _IN_RANKS in self.noise:
            return f"{self.noise}; the distance in the unit is not public"
        low, to, high = self.noise.partition(" to ")
        minus = ("-", "−")
        empty = self.count and low.startswith("0")
        equal = self.gap and bool(to) and low.startswith(minus) > high.startswith(minus)
        return f"{self.noise}: may be 0" if empty or equal else self.noise


@dataclass(frozen=True, kw_only=True)
class DocumentEntry:
    """A question with its price and, once it was paid for, its answer. PUBLIC.

    Attributes:
        name: What is asked, in words.
        statement: The same with what becomes of values before they are counted.
        parameters: What defines it, as in the record of a release.
        key: Key of the mechanism.
        mechanism: Name of the mechanism.
        cost: What it costs alone.
        event: What an accountant has to know of it.
        noise: Scale of the noise; not known of a plan that is not of one draw.
        relation: In what neighboring tables differ.
        unit: Of its numbers; empty where they have none, or several.
        width: How far off it will be, at 95%, in words; empty once it is released.
        numbers: What was released; empty while it is planned.
        level: Confidence of the intervals of all its numbers together.
        when: When it was drawn, and the how-manieth draw it was.
        together: How many releases it was charged with; 0 if it was charged alone.
        plan: The name of the debit that paid for those; empty if it was charged alone.
        charged: What all of those were charged; ``None`` if it was charged alone.
        sampler: What drew the noise.
        request: The question itself; ``None`` if its record cannot be read.
        repeatable: Whether the table in use has its columns, so that it can be asked again.
        unit_of_rows: Whom it protects, by the name that rows have now.
        table: What the table is called, where a document is about several.
        called: What people call it, if they gave it a name of their own.
        conclusions: What follows from the answer and a statement of the reader, by name.

    """

    name: str
    statement: str
    parameters: Mapping[str, object]
    key: str
    mechanism: str
    cost: PrivacyCost
    event: dict[str, str | float]
    noise: float
    relation: NeighboringRelation
    unit: str = ""
    width: str = ""
    numbers: tuple[Number, ...] = ()
    level: float | None = None
    when: str = ""
    draw: int = 1
    together: int = 0
    plan: str = ""
    charged: PrivacyCost | None = None
    sampler: str = ""
    replaces: str = ""
    noise_unit: str = ""
    request: Releasable | None = field(default=None, repr=False)
    repeatable: bool = True
    unit_of_rows: PrivacyUnit = field(default_factory=PrivacyUnit)
    table: str = ""
    called: str = ""
    conclusions: tuple[tuple[str, str], ...] = ()

    @classmethod
    def of_release(cls, release: Release, request: Releasable | None) -> DocumentEntry:
        """Return a question that was answered.

        Its columns have the names that they have now, whatever the record says.
        """
        columns = () if request is None else request.asked.columns
        one = "" if request is None or request.unit.several else request.unit.noun
        around = release.intervals
        return cls(
            name=release.title if request is None else request.title,
            statement=release.said if request is None else request.statement,
            parameters=release.request,
            key=release.mechanism,
            mechanism=release.mechanism_label,
            cost=release.cost,
            event=release.event,
            noise=release.noise,
            relation=release.relation,
            unit=Quantity(unit=release.unit).name,
            numbers=tuple(
                replace(
                    number, label=relabelled(number.label, columns), one=one if number.count else ""
                )
                for number in _numbers(release)
            ),
            level=None if around is None else around.level,
            when=release.created[:19].replace("T", " ") + " UTC",
            draw=release.draw,
            together=0 if release.plan is None else release.plan.releases,
            plan="" if release.plan is None else release.plan.name,
            charged=None if release.plan is None else release.plan.cost,
            sampler=release.sampler,
            replaces=_replaced(release),
            noise_unit=noise_unit(release),
            request=request,
            unit_of_rows=release.privacy_unit if request is None else request.unit,
        )

    @classmethod
    def of_item(cls, item: PlannedQuery) -> DocumentEntry:
        """Return a question that is planned.

        Raises:
            ParameterError: It cannot be carried out.

        """
        request, width = item.request, item.width
        wide = f"± {width.text} {width.unit}".rstrip()
        return cls(
            name=item.name,
            statement=request.statement,
            parameters=request.parameters(),
            key=request.mechanism_key,
            mechanism=request.mechanism_label,
            cost=request.cost,
            event=request.plan.event.to_dict(),
            noise=request.plan.noise,
            relation=request.relation,
            unit=request.quantity.name,
            noise_unit=noise_unit_in(
                request.parameters(), request.mechanism_key, request.quantity.of_differences
            ),
            width=f"{wide} ({width.of})" if width.of else wide,
            request=request,
            unit_of_rows=request.unit,
        )

    @property
    def known_as(self) -> str:
        """Return what people call it, or its name, with that of the table."""
        if not self.called or not self.table:
            return self.called or self.name
        return f"{self.called}, in “{self.table}”"

    @property
    def full_name(self) -> str:
        """Return what it is called, with what it asks where people named it."""
        return f"{self.known_as} ({self.asks})" if self.called else self.known_as

    @property
    def minimum(self) -> int | None:
        """Return the public minimum of people that it is divided by, if by any."""
        return minimum_of(self.parameters)

    @property
    def mark(self) -> str:
        """Return the digits that it has on every paper."""
        return mark_of(self.parameters)

    @property
    def asks(self) -> str:
        """Return its name without that of the table."""
        return self.name.removesuffix(f", in “{self.table}”")

    @property
    def asked(self) -> Mapping[str, Any]:
        """Return what describes the question itself, its columns by their titles."""
        found = self.parameters.get("query", self.parameters.get("question"))
        return titled(found, self._columns) if isinstance(found, dict) else {}

    @property
    def _columns(self) -> tuple[Column, ...]:
        return () if self.request is None else self.request.asked.columns

    @property
    def meaning(self) -> str:
        """Return what is computed; empty where nothing is known of it."""
        if self.is_model:
            return _OF_MODELS
        kind = self.asked.get("kind")
        if kind not in set(StatisticKind):
            return ""
        return StatisticKind(str(kind)).definition.format(many=self.unit_of_rows.counted)

    @property
    def neighbors(self) -> str:
        """Return in what neighboring tables differ."""
        return claims.neighbors(self.relation, self.unit_of_rows)

    @property
    def mechanism_text(self) -> str:
        """Return what the mechanism does; empty where the catalog does not know it."""
        entry = EVERY.get(self.key)
        return "" if entry is None else entry.sentence

    @property
    def each_bounds(self) -> tuple[str, ...]:
        """Return the public bounds of each column, with the cost of those that were found."""
        found = {column.title: found_text(column) for column in self._columns}
        return each_bounds({"query": self.asked}, found)

    @property
    def bounds(self) -> str:
        """Return the public bounds of its columns."""
        return "; ".join(self.each_bounds)

    @property
    def missing_values(self) -> str:
        """Return how missing values are treated; empty where that is not known."""
        if self.request is None:
            return ""
        asked = self.request.asked
        return "; ".join(
            f"{column.title}: {treatment(asked.missing_values(column))}" for column in asked.columns
        )

    @property
    def people(self) -> str:
        """Return what is public about the number of people."""
        return people_text(self.parameters)

    @property
    def claimed(self) -> str:
        """Return what it was said to cost, and costs; empty where that is the same."""
        claim = getattr(self.request, "claimed", self.parameters.get("epsilon"))
        real = float(self.cost.epsilon)
        if not isinstance(claim, int | float) or real <= claim * _AS_ASKED:
            return ""
        return (
            f"The literature claims ε = {epsilon_text(claim)} for this mechanism. Its "
            f"actual cost is ε = {epsilon_text(real)}, which is charged."
        )

    @property
    def others(self) -> tuple[str, ...]:
        """Return what the figures for values on no public list are called."""
        columns = getattr(self.request and self.request.asked, "entry_columns", self._columns)
        names = dict.fromkeys(name_of_others(column.labels) for column in columns if column.labels)
        return tuple(
            name for name in names if any(number.label.endswith(name) for number in self.numbers)
        )

    @property
    def has_negative_counts(self) -> bool:
        """Tell whether noise has made a count of less than nobody."""
        return any(
            number.count and number.value.startswith(("-", "−")) and number.noise.startswith("0")
            for number in self.numbers
        )

    @property
    def is_known_in_ranks(self) -> bool:
        """Tell whether what is known of its error is a number of places alone."""
        return bool(self.numbers) and all(_IN_RANKS in one.noise for one in self.numbers)

    @property
    def is_cross_table(self) -> bool:
        """Tell whether it counts pairs of two answers, with the sums of them."""
        return self.asked.get("kind") == StatisticKind.CROSS_TABLE

    @property
    def is_model(self) -> bool:
        """Tell whether it is a regression: without a penalty, no release has a guarantee."""
        return is_model(self.parameters)

    @property
    def shrinkage(self) -> str:
        """Return how strongly its public penalty shrinks; empty where that is not known."""
        asked = self.request
        if not isinstance(asked, ModelRequest) or not asked.strength:
            return ""
        many = self.unit_of_rows.number(asked.question.most_people)
        text = shrinkage_text(asked.question)
        return f"A penalty of {asked.strength} for {many} shrinks coefficients: {text}"

    @property
    def counted_column(self) -> str:
        """Return of which column one needs a value to be in a group that is counted.

        Empty where everybody is, or no sizes of groups follow from the answer.
        """
        column = self.asked.get("column")
        dropped = isinstance(column, dict) and column.get("missing") == "drop"
        if not dropped or not any(number.beside for number in self.numbers):
            return ""
        return str(self.asked["column"]["name"])

    @property
    def thresholds(self) -> str:
        """Return what noisy numbers of released labels exceed, by round; empty of others."""
        plan = None if self.request is None else self.request.plan
        found = plan.thresholds if isinstance(plan, LabelsPlan | LabelRoundsPlan) else ()
        return ", ".join(map(significant, found))

    @property
    def sensitivity(self) -> str:
        """Return by how much one unit can change the answer; empty if not known.

        Where there are several numbers, all of them together: the sum of the changes,
        and of Gaussian noise the root of the sum of their squares.
        """
        asked = self.request
        if not isinstance(asked, Request) or asked.query.kind.of_matrix:
            return ""
        try:
            known = asked.sensitivity
        except ParameterError:
            return ""
        of_length = self.key.startswith("gaussian") or self.key == LABEL_ROUNDS.key
        largest = known.l2 if of_length else known.l1
        if asked.query.kind.of_ranks:  # of each candidate's own place
            largest = known.largest
        return significant(largest, 6)

    @property
    def answer(self) -> str:
        """Return the answer or the error in one line."""
        if not self.numbers:
            return self.width
        if len(self.numbers) == 1:
            return self.numbers[0].text
        return f"{self.published} numbers"

    @property
    def published(self) -> int:
        """Return how many numbers were published: those that can be said."""
        return sum(not number.unsaid for number in self.numbers)


def _replaced(release: Release) -> str:
    """Return which answer a sharper one replaces, in a sentence; empty if none."""
    earlier = release.request.get("sharpens")
    if not isinstance(earlier, dict):
        return ""
    values = ", ".join(significant(value) for value in earlier["values"])
    return (
        f"This answer replaces the earlier answer {values}, released at ε = "
        f"{epsilon_text(earlier['epsilon'])}. Its cost includes the earlier cost"
    )


def _numbers(release: Release) -> tuple[Number, ...]:
    if release.mechanism == EXPONENTIAL.key and len(release.labels) == len(release.derived):
        # How many places it is off at most is its error, and no number of its own.
        places = math.ceil(max(release.derived.values()))
        off = f"at most {people(places, 'rank')} {_IN_RANKS}"
        pairs = zip(release.labels, release.values, strict=True)
        return tuple(replace(_number(release, label, value), noise=off) for label, value in pairs)
    told = [_number(release, label, value) for label, value in release.numbers.items()]
    if release.mechanism == LABEL_ROUNDS.key:
        told = [replace(number, noise="none: a round, not a count") for number in told]
    return (
        *told,
        *(
            Number(label=spelled(x), value=unsaid_text(release, x), unsaid=True)
            for x in release.unsaid
        ),
    )


def _number(release: Release, label: str, value: float) -> Number:
    """Return a number with as many digits as its interval, or the noise, leaves."""
    quantity, beside = quantity_in(release, label), is_group_size(release, label)
    # Of a population that the table is a sample of, no count and no sum is known.
    of_table = beside or _statistic_is(release, lambda kind: kind.of_totals)
    return Number(
        label=_of_model(label) if is_model(release.request) else spelled(label),
        value=number_text(release, label, value),
        unit=quantity.suffix,
        noise=_ends(release.noise_ends.get(label), value, quantity),
        total="" if of_table else _ends(release.total_ends.get(label), value, quantity),
        beside=beside,
        count=beside or _statistic_is(release, lambda kind: kind.of_counts),
        gap=query_of(release).get("kind") == StatisticKind.DIFFERENCE and " less " in label,
    )


def _of_model(label: str) -> str:
    """Return the name of a number of a model, which says that coefficients are penalized.

    >>> _of_model("age, in units"), _of_model("age")
    ('age, penalized coefficient', 'age, penalized coefficient on the model scale')
    """
    if label in _OF_THE_PENALTY:
        return label
    in_units = label.removesuffix(IN_UNITS)
    return f"{in_units}{MODEL_SCALE if in_units == label else _COEFFICIENT}"


def _statistic_is(release: Release, what: Callable[[StatisticKind], bool]) -> bool:
    """Tell what holds for the statistic of a release; nothing of one that is not known."""
    kind = query_of(release).get("kind")
    return any(what(one) for one in StatisticKind if one == kind)


def _ends(ends: tuple[float, float] | None, value: float, quantity: Quantity) -> str:
    return "" if ends is None else " to ".join(ends_text(ends, value, quantity))


def titled(parameters: Mapping[str, Any], columns: Iterable[Column]) -> dict[str, Any]:
    """Return the parameters of a question with the titles of its columns for names.

    >>> from dpcore.data.columns import Column, ColumnKind
    >>> stay = Column(name="stay", kind=ColumnKind.NUMBER, display_name="days")
    >>> titled({"column": {"name": "stay", "kind": "number"}}, [stay])
    {'column': {'name': 'days', 'kind': 'number'}}
    """
    titles = {column.name: column.title for column in columns if column.display_name}
    return {name: _titled(part, titles) for name, part in parameters.items()}


def relabelled(label: str, columns: Iterable[Column]) -> str:
    """Return the name of a number with the titles of columns for their names."""
    named = [column for column in columns if column.display_name]
    for column in sorted(named, key=lambda one: -len(one.name)):
        whole = rf"(?<!\w){re.escape(column.name)}(?!\w)"
        label = column.title.join(re.split(whole, label))
    return label


def _titled(part: object, titles: Mapping[str, str]) -> object:
    if isinstance(part, list):
        return [_titled(one, titles) for one in part]
    if not isinstance(part, dict):
        return part
    found = {name: _titled(one, titles) for name, one in part.items()}
    # Of all parts, columns alone have a name.
    if isinstance(name := part.get("name"), str):
        found["name"] = titles.get(name, name)
    return found
