"""The release record: everything about a sanitized answer that is public."""

from __future__ import annotations

import dataclasses
import json
import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from dpcore import codec
from dpcore.analyses.base import Mode
from dpcore.analyses.measurement import INTERVALS, Ends, LabelledIntervals
from dpcore.errors import DataError, DPCoreError, ParameterError
from dpcore.privacy_filter import BUDGET, COST, PrivacyBudget, PrivacyCost
from dpcore.relations import NeighboringRelation, PrivacyUnit
from dpcore.statistics.parameters import UNIT

SCHEMA_VERSION = 1
WATERMARK = "Classroom: not a private release"
A_SAMPLE, EVERYBODY = "a sample", "the whole population (census)"


def these_rows(unit: PrivacyUnit) -> str:
    """Return what a table holds of which several rows of one unit count."""
    return f"at most {unit.cap or unit.rows} rows of each {unit.noun}"


@dataclass(frozen=True, slots=True, kw_only=True)
class InPlan:
    """The plan that a release was made in: questions fixed before the first answer.

    Attributes:
        name: Name of the debit that paid for it, the same in all its releases.
        releases: How many releases it paid for.
        cost: What they cost together. It may be less than what they would have cost one
            after another, because none was chosen in view of an answer.

    """

    name: str
    releases: int
    cost: PrivacyCost


@dataclass(frozen=True, slots=True, kw_only=True)
class Release:
    """A sanitized answer. PUBLIC: it holds no number that the table alone determines.

    Attributes:
        id: Name of the request that it answers, unique in its ledger.
        request: The public parameters that define the analysis.
        title: What was asked, in words.
        labels: Name of each coordinate.
        values: The sanitized coordinates, in the order of ``labels``.
        mechanism: Key of the mechanism in the catalog.
        mechanism_label: Its name.
        noise: Scale of the noise: Laplace ``b`` or Gaussian ``sigma``.
        cost: What it spent; in a plan, what it would have spent alone.
        event: How it composes with others: kind and parameter of a privacy event.
        relation: Which tables are neighbors.
        unit: Unit of the values, such as "years"; empty where they have none.
        created: When it was drawn, ISO 8601, UTC.
        draw: The how-manieth draw of the same analysis it is, from 1.
        mode: Whether it is private, or a classroom demonstration.
        sampler: What drew the noise.
        intervals: Intervals around it, if they were computed.
        derived: What follows from the values at no further cost, such as correlations
            from a covariance matrix, by name.
        statement: Of what it is an answer: the title with what became of values before
            they were counted. Empty in records from before it was kept.
        budget: What all releases of the table together might cost when it was drawn.
        version: Version of the program that drew it; empty in older records.
        units: Unit of single numbers by name, where they do not share ``unit``.
        unsaid: Names of numbers that were asked for and cannot be said, such as the
            mean of a group with too few people.
        plan: The plan that it was made in, and that was charged for it; ``None`` if it
            was released by itself.
        nouns: What the rows of the table were called, in the plural; empty where that
            is the plural of their key (``PrivacyUnit``).
        name: What the curator called the question; empty if nothing. It is no part of
            what was asked.
        charged: What was charged for it, where it sharpens an earlier answer that paid
            for the rest of ``cost``; else ``None``.

    """

    id: str
    request: dict[str, object]
    title: str
    labels: tuple[str, ...]
    values: tuple[float, ...]
    mechanism: str
    mechanism_label: str
    noise: float
    cost: PrivacyCost
    event: dict[str, str | float]
    relation: NeighboringRelation
    unit: str
    created: str
    draw: int
    mode: Mode
    sampler: str
    intervals: LabelledIntervals | None = None
    derived: dict[str, float] = field(default_factory=dict)
    statement: str = ""
    budget: PrivacyBudget | None = None
    version: str = ""
    units: dict[str, str] = field(default_factory=dict)
    unsaid: tuple[str, ...] = ()
    plan: InPlan | None = None
    nouns: str = ""
    name: str = ""
    charged: PrivacyCost | None = None

    def __post_init__(self) -> None:
        if not (self.labels or self.unsaid) or len(self.labels) != len(self.values):
            raise ParameterError("a release has one label for each of its values.")
        numbers = (self.noise, *self.values, *self.derived.values())
        if not all(map(math.isfinite, numbers)):
            raise ParameterError("the values and the noise of a release must be finite.")
        if self.draw < 1:
            raise ParameterError(f"draws are counted from 1, got {self.draw}.")

    @property
    def said(self) -> str:
        """Return of what it is an answer, as far as the record says."""
        return self.statement or self.title

    @property
    def known_as(self) -> str:
        """Return what the curator called the question, or else its title."""
        return self.name or self.title

    @property
    def sharpens(self) -> str:
        """Return the name of the release that it makes sharper; empty if it does not."""
        earlier = self.request.get("sharpens")
        return str(earlier["id"]) if isinstance(earlier, dict) else ""

    @property
    def debit(self) -> PrivacyCost:
        """Return what was charged for it, released by itself."""
        return self.charged or self.cost

    @property
    def numbers(self) -> dict[str, float]:
        """Return every number by name, with what follows from the values."""
        return dict(zip(self.labels, self.values, strict=True)) | self.derived

    @property
    def noise_ends(self) -> Ends:
        """Return the interval from the noise of each number that has one, by name."""
        return (self.intervals and self.intervals.noise) or {}

    @property
    def total_ends(self) -> Ends:
        """Return the interval for the population of each number that has one, by name."""
        return (self.intervals and self.intervals.total) or {}

    def unit_of(self, label: str) -> str:
        """Return the unit of a number; of derived ones only where it is told."""
        return self.units.get(label, self.unit if label in self.labels else "")

    @property
    def privacy_unit(self) -> PrivacyUnit:
        """Return whom it protects, by the name that the rows had then."""
        asked = self.request.get("query", self.request.get("question"))
        content = asked.get("unit") if isinstance(asked, dict) else None
        unit = UNIT.read(content) if content else PrivacyUnit()
        return dataclasses.replace(unit, noun=unit.key, plural=self.nouns)

    @property
    def of_several_rows(self) -> bool:
        """Tell whether several rows of one unit may count: they are no random sample."""
        return self.privacy_unit.several

    def of_everybody(self) -> Release:
        """Return it without intervals for a population: the table is all of it."""
        if self.intervals is None:
            return self
        alone = dataclasses.replace(self.intervals, total=None)
        return dataclasses.replace(self, intervals=alone)

    def to_json(self, *, table: str = "") -> str:
        """Return the record as JSON text, keys sorted, for ``from_json`` to read.

        A file for readers says what the ``table`` holds, too: ``A_SAMPLE``,
        ``EVERYBODY`` or ``these_rows``. That is declared of the table and not kept with
        the record.
        """
        content = RELEASE.write(self) | {"schema_version": SCHEMA_VERSION}
        if self.mode is Mode.CLASSROOM:
            content["watermark"] = WATERMARK
        if table:
            content["table"] = table
        return json.dumps(content, sort_keys=True, indent=2, ensure_ascii=False, allow_nan=False)

    @classmethod
    def from_json(cls, text: str) -> Release:
        """Return the record that ``to_json`` wrote.

        Raises:
            DataError: The text is no such record; the message names the field.

        """
        content = _fields_of(text)
        decoded: dict[str, Any] = {}
        for name, held in content.items():
            try:
                decoded[name] = RELEASE.parts[name].codec.read(held)
            except (LookupError, TypeError, ValueError, OverflowError, DPCoreError):
                raise DataError(f"not a release record: the field {name!r} is not valid.") from None
        try:
            return cls(**decoded)
        except ParameterError as error:
            raise DataError(f"not a release record: {error}") from None


def charges(releases: Iterable[Release]) -> list[PrivacyCost]:
    """Return what was charged as each release was made.

    A plan was charged once: its cost stands at the first of its releases, and the
    others have none. An answer that sharpens one of the others cost the difference.
    """
    paid: set[str] = set()
    costs = []
    for release in releases:
        plan = release.plan
        if plan is None:
            costs.append(release.debit if release.sharpens in paid else release.cost)
            paid.add(release.id)
        else:
            costs.append(PrivacyCost() if plan.name in paid else plan.cost)
            paid.add(plan.name)
    return costs


def sharper(releases: Iterable[Release]) -> dict[str, Release]:
    """Return the release that sharpens each of the others, by the name of that other."""
    return {release.sharpens: release for release in releases if release.sharpens}


def in_force(releases: Sequence[Release]) -> tuple[Release, ...]:
    """Return the releases that no other one of them sharpens.

    The others follow from these by post-processing, so that all together reveal what
    these do.
    """
    known = sharper(releases)
    return tuple(release for release in releases if release.id not in known)


def _fields_of(text: str) -> dict[str, object]:
    try:
        content = json.loads(text, parse_constant=_refuse)
    except (ValueError, RecursionError):
        raise DataError("not a release record: the text is not JSON.") from None
    if not isinstance(content, dict):
        raise DataError("not a release record: it must be a JSON object.")
    version = content.pop("schema_version", None)
    if version != SCHEMA_VERSION:
        raise DataError(f"the record's schema_version must be {SCHEMA_VERSION}.")
    watermark = content.pop("watermark", None)
    if watermark != (WATERMARK if content.get("mode") == Mode.CLASSROOM else None):
        raise DataError("not a release record: the watermark does not fit the mode.")
    content.pop("table", None)
    needed = {name for name, part in RELEASE.parts.items() if part.needed}
    missing = needed - content.keys()
    if missing or content.keys() - RELEASE.parts.keys():
        what = f"{sorted(missing)} missing" if missing else "unknown ones there"
        raise DataError(f"not a release record: fields {what}.")
    return content


def _refuse(constant: str) -> None:
    raise ValueError(f"JSON has no {constant}.")


def _event(content: object) -> dict[str, str | float]:
    # Whole numbers stay whole, so that a record read back is the same to the byte.
    return {
        name: part if type(part) in {str, int} else codec.NUMBER.read(part)
        for name, part in codec.object_in(content).items()
    }


IN_PLAN: Final = codec.Schema(InPlan, name=codec.TEXT, releases=codec.WHOLE, cost=COST)
RELEASE: Final = codec.Schema(
    Release,
    id=codec.TEXT,
    request=codec.OBJECT,
    title=codec.TEXT,
    labels=codec.several(codec.TEXT),
    values=codec.several(codec.NUMBER),
    mechanism=codec.TEXT,
    mechanism_label=codec.TEXT,
    noise=codec.NUMBER,
    cost=COST,
    event=codec.Pair(dict, _event),
    relation=codec.choice(NeighboringRelation),
    unit=codec.TEXT,
    created=codec.TEXT,
    draw=codec.WHOLE,
    mode=codec.choice(Mode),
    sampler=codec.TEXT,
    intervals=codec.optional(INTERVALS),
    derived=codec.since(codec.by_name(codec.NUMBER)),
    statement=codec.since(codec.TEXT),
    budget=codec.since(codec.optional(BUDGET)),
    version=codec.since(codec.TEXT),
    units=codec.since(codec.by_name(codec.TEXT)),
    unsaid=codec.Part(codec=codec.several(codec.TEXT), needed=False, empty=False),
    plan=codec.if_any(IN_PLAN),
    nouns=codec.if_any(codec.TEXT, of=lambda release: release.nouns or None),
    name=codec.if_any(codec.TEXT, of=lambda release: release.name or None),
    charged=codec.if_any(COST),
)
