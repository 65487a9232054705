"""Real uses of differential privacy, as they are recorded, and which of them compare.

A privacy parameter says nothing without whom it protects (the unit) and how soon it is
spent anew (the period): all three are said together, or not at all. Noise that is added
before anything leaves a person's device (the local model) is another guarantee than noise
on the answer of somebody who has all records (the central one). A ``rho`` is a fact of
its own, no epsilon.

The facts are those of the OpenDP Deployments Registry (public data under the MIT
licence, commit 3e9c812 of July 2026), where none of the entries was confirmed by its
board yet. The words about units and periods are ours.
"""

from __future__ import annotations

import csv
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, fields
from enum import StrEnum
from functools import cache
from pathlib import Path
from typing import Any, Final, get_type_hints

from dpcore.formatting import in_full

CONFIRMED: Final = "as recorded in the registry, not confirmed by its board"
"""How sure the facts are; it stands wherever they are shown."""
_FILE = Path(__file__).with_name("precedents.csv")


class Model(StrEnum):
    """Where the noise is added."""

    CENTRAL = "Central"
    LOCAL = "Local"
    VARIES = "Varies"


class Protects(StrEnum):
    """What the unit is of a person, from the most that can be guaranteed."""

    PERSON = "person"
    """All that a person has in the data."""
    SLICE = "slice"
    """A part of that: of some hours, a day or a month, or of one device."""
    PART = "part"
    """A single event, row or trip, of which a person may have many."""
    OTHER = "other"
    """Something that is not one person, such as a business."""
    UNKNOWN = "unknown"


class Anew(StrEnum):
    """When the whole epsilon may be spent again on the same unit's person."""

    ONCE = "once"
    EVENT = "event"
    QUERY = "query"
    HOURS = "6 hours"
    DAY = "day"
    MONTH = "month"
    UNKNOWN = "unknown"


@dataclass(frozen=True, slots=True, kw_only=True)
class Precedent:
    """One real use. PUBLIC.

    Attributes:
        name: What it is called.
        curator: Who holds the data, several separated by semicolons.
        published: The year.
        region: Where it is about.
        product: What was released.
        variant: The notion of privacy, as recorded.
        epsilon: As recorded, ``None`` where it is not.
        delta: As recorded, in words: it may be a formula. Empty where there is none.
        rho: Of zero-concentrated privacy, ``None`` where it is not recorded.
        recorded_unit: The unit in the registry's own words.
        unit: Whom or what the guarantee protects, in plain words.
        protects: What that is of a person.
        period: How soon it is spent anew, in plain words, or that this is not recorded.
        anew: The same, to choose by.
        model: Where the noise is added.
        note: What is easily misread about it; may be empty.
        source: Address of the description by those who made it.
        record: Name of its entry in the registry.

    """

    name: str
    curator: str
    published: int
    region: str
    product: str
    variant: str
    epsilon: float | None
    delta: str
    rho: float | None
    recorded_unit: str
    unit: str
    protects: Protects
    period: str
    anew: Anew
    model: Model
    note: str
    source: str
    record: str

    @property
    def loss(self) -> str:
        """Return what is given away, with the parts that are recorded.

        >>> precedents()[14].name, precedents()[14].loss
        ('User-URL Privacy Dataset', 'ε = 1.453 at δ = 10⁻⁵, ρ = 0.0728')
        """
        parts = []
        if self.epsilon is not None:
            at = f" at δ = {_written(self.delta)}" if self.delta else ""
            parts.append(f"ε = {in_full(self.epsilon)}{at}")
        if self.rho is not None:
            parts.append(f"ρ = {in_full(self.rho)}")
        return ", ".join(parts) or "ε not recorded"

    @property
    def guarantee(self) -> str:
        """Return the loss with its unit and its period, which belong to it.

        >>> precedents()[13].guarantee
        'ε = 2.64 for one user on one day, every day anew'
        """
        joint = " for " if (self.protects is not Protects.UNKNOWN) else ", "
        return f"{self.loss}{joint}{self.unit}, {self.period}"

    @property
    def compares(self) -> bool:
        """Tell whether it is the guarantee that an account of the studio makes.

        That is noise added in the center, for all that a person has in the table, with
        one total for good.
        """
        return (
            self.model is Model.CENTRAL
            and self.protects is Protects.PERSON
            and self.anew is Anew.ONCE
        )


@cache
def precedents() -> tuple[Precedent, ...]:
    """Return all of them, from the oldest.

    >>> len(precedents())
    41
    """
    with _FILE.open(encoding="utf-8", newline="") as file:
        return tuple(_read(row) for row in csv.DictReader(file))


def chosen(
    those: Iterable[Precedent], *, protects: Protects | None = None, model: Model | None = None
) -> tuple[Precedent, ...]:
    """Return those with that unit and model; ``None`` stands for any."""
    return tuple(
        one for one in those if protects in {None, one.protects} and model in {None, one.model}
    )


def _written(delta: str) -> str:
    """Return a recorded delta as texts write it; a formula stays as it is."""
    return in_full(float(delta)) if delta[:1].isdigit() else delta


def _read(row: Mapping[str, str]) -> Precedent:
    kinds = get_type_hints(Precedent)
    known = {field.name: row[field.name] for field in fields(Precedent)}
    return Precedent(**{name: _as(kinds[name], text) for name, text in known.items()})


def _as(kind: Any, text: str) -> Any:  # noqa: ANN401 - of whatever kind the field is
    """Return a cell as what the field holds; an empty number is none."""
    if kind == float | None:
        return float(text) if text else None
    return kind(text)
