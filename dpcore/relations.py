"""Which tables count as neighbors, and what about them is public."""

from __future__ import annotations

from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Final

from dpcore.errors import ParameterError
from dpcore.formatting import plural_of, with_article

_LONGEST_NOUN: Final = 40
_BETWEEN_LETTERS: Final = " -'’"


class NeighboringRelation(StrEnum):
    """How two neighboring tables differ in one person."""

    SUBSTITUTION = "substitution"
    """One record is replaced by any other, or all rows of a unit by any others.

    The number of people is public; that of rows is not where a unit may own several.
    """
    ADD_REMOVE = "add-remove"
    """One person is there or not; the number of people is private."""

    @property
    def label(self) -> str:
        """Return what the relation is called.

        >>> NeighboringRelation.ADD_REMOVE.label
        'Add/remove'
        """
        return "Substitution" if self is NeighboringRelation.SUBSTITUTION else "Add/remove"

    @property
    def phrase(self) -> str:
        """Return the relation in plain words."""
        return {
            NeighboringRelation.SUBSTITUTION: "one person's record replaced by another",
            NeighboringRelation.ADD_REMOVE: "one person added or removed",
        }[self]

    @property
    def comparison(self) -> str:
        """Return what a loss compares the table of a person with, in words.

        >>> NeighboringRelation.ADD_REMOVE.comparison
        'compared with not being there'
        """
        if self is NeighboringRelation.ADD_REMOVE:
            return "compared with not being there"
        return "compared with another record in its place"


@dataclass(frozen=True, slots=True, kw_only=True)
class PrivacyUnit:
    """Who or what the guarantee protects, and what its rows are called.

    The names are no part of what identifies a question (``parameters.UNIT``): to rename
    the rows of a table changes no question about it, and charges none again.

    Attributes:
        noun: What one protected unit is called, such as "person": letters and digits,
            with spaces, hyphens or apostrophes between them.
        plural: What several of them are called; the usual plural if empty.
        key: Stands for the unit in the parameters of questions. It is no name: it was
            written with questions that were paid for, and stays as it is.
        rows: How many rows of the table one unit may own at most: none, one, or up to
            so many, and as many in a neighboring table or not. An assumption of the
            guarantee, which the studio cannot check: a unit with m times as many rows
            is protected by m times the epsilon. It multiplies every sensitivity (group
            privacy). A unit is as many places, each with a row or empty, and between
            neighbors each of them gets another row, loses it, or gets one.
        cap: How many rows of one unit count at most, where a column says whose they
            are: enforced and not promised, so that ``rows`` is 1 then. A unit counts
            with any number of rows from none to so many, and neighbors differ in all
            rows of one. ``None`` where a unit has one row, or ``rows`` are promised.

    """

    noun: str = "person"
    plural: str = ""
    key: str = "person"
    rows: int = 1
    cap: int | None = None

    def __post_init__(self) -> None:
        for name in (self.noun, self.plural or self.noun):
            _check_noun(name)
        if self.rows < 1:
            raise ParameterError(f"rows per {self.noun} must be at least 1, got {self.rows}.")
        if self.cap is not None and (self.cap < 1 or self.rows > 1):
            raise ParameterError(
                "of each at least one row counts, and it is counted or promised how "
                f"many there are, not both; got {self.cap} and {self.rows}."
            )

    @property
    def nouns(self) -> str:
        """Return what several units are called.

        >>> PrivacyUnit().nouns, PrivacyUnit(noun="Messwert", plural="Messwerte").nouns
        ('people', 'Messwerte')
        """
        return self.plural or plural_of(self.noun)

    @property
    def indefinite(self) -> str:
        """Return the noun after its article.

        >>> PrivacyUnit(noun="employee").indefinite
        'an employee'
        """
        return with_article(self.noun)

    @property
    def is_named(self) -> bool:
        """Tell whether it has another name than its key alone stands for."""
        return (self.noun, self.nouns) != (self.key, plural_of(self.key))

    def number(self, count: int) -> str:
        """Return so many units in words.

        >>> PrivacyUnit().number(1), PrivacyUnit(noun="household").number(3000)
        ('1 person', '3,000 households')
        """
        return f"{count:,} {self.noun if count == 1 else self.nouns}"

    def called(self, other: PrivacyUnit) -> PrivacyUnit:
        """Return this unit under the name of another one."""
        return replace(self, noun=other.noun, plural=other.plural)

    def change(self, relation: NeighboringRelation) -> str:
        """Return in what two neighboring tables differ.

        >>> PrivacyUnit(noun="household").change(NeighboringRelation.ADD_REMOVE)
        'one household added or removed'
        """
        if relation is NeighboringRelation.ADD_REMOVE:
            return f"one {self.noun} added or removed"
        if self.several:
            return f"the rows of one {self.noun} replaced by others"
        return f"one {self.noun}'s record replaced by another"

    @property
    def several(self) -> bool:
        """Return whether one unit may stand behind several rows.

        >>> PrivacyUnit(cap=5).several, PrivacyUnit(rows=2).several
        (True, True)
        """
        return self.rows > 1 or self.cap is not None

    def check_one_row(self, what: str) -> None:
        """Refuse what is not known where several rows of one unit count.

        Raises:
            ParameterError: It is so here.

        """
        if self.cap is not None:
            raise ParameterError(
                f"{what} not offered where several rows of one {self.noun} count. Make "
                f"one row of each {self.noun} on Data, or ask for counts, sums or "
                "means."
            )

    def keeps_number(self, relation: NeighboringRelation) -> bool:
        """Return whether all neighbors of a table have as many rows.

        Not where a unit joins or leaves, nor where it may own several rows: another
        unit, or the same one with other records, may own more or fewer.

        >>> PrivacyUnit(rows=2).keeps_number(NeighboringRelation.SUBSTITUTION)
        False
        """
        return relation is NeighboringRelation.SUBSTITUTION and not self.several

    @property
    def owned(self) -> str:
        """Return what one unit owns of the table, in words.

        >>> PrivacyUnit().owned, PrivacyUnit(rows=3).owned
        ('one row', 'up to 3 rows')
        >>> PrivacyUnit(cap=6).owned
        'all their rows, of which at most 6 count'
        """
        if self.cap is not None:
            counts = "one counts" if self.cap == 1 else f"at most {self.cap:,} count"
            return f"all their rows, of which {counts}"
        return "one row" if self.rows == 1 else f"up to {self.rows:,} rows"

    def protected(self, *, joined: bool) -> str:
        """Return which rows of one unit are protected together, in words.

        ``joined`` says whether each row of the table was made of all rows of one unit.

        >>> PrivacyUnit().protected(joined=False), PrivacyUnit().protected(joined=True)
        ('one row', 'all rows of the file together')
        """
        return "all rows of the file together" if joined and not self.several else self.owned

    @property
    def counted(self) -> str:
        """Return what is counted, in the plural: rows where a unit may own several.

        >>> PrivacyUnit().counted, PrivacyUnit(noun="visit").counted
        ('people', 'visits')
        """
        return "rows" if self.several else self.nouns

    @property
    def with_losses(self) -> str:
        """Return what has a privacy loss of its own, in the plural.

        Rows where a unit may own several and no column says which.

        >>> PrivacyUnit(cap=2).with_losses, PrivacyUnit(rows=2).with_losses
        ('people', 'rows')
        """
        return "rows" if self.rows > 1 else self.nouns


def _check_noun(noun: str) -> None:
    """Refuse a name that a sentence, a heading or a link cannot hold as it is."""
    words = noun.translate(dict.fromkeys(map(ord, _BETWEEN_LETTERS)))
    ends = noun[:1].isalnum() and noun[-1:].isalnum()
    if not (ends and words.isalnum() and len(noun) <= _LONGEST_NOUN):
        raise ParameterError(
            f"the name of a row has 1 to {_LONGEST_NOUN} letters or digits, with "
            "spaces, hyphens or apostrophes between them."
        )


PERSON: Final = PrivacyUnit()
"""Where the rows have no other name."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TableSize:
    """What is public about the number of people behind a statistic.

    Under substitution with every value present the number of people is public. Under
    add/remove, where people with a missing value are dropped, or where a unit may own
    several rows, it is private; then a public minimum stands in for it: statistics
    divide by ``max(n, people)``, which makes their sensitivity a public constant that
    holds for every table, of fewer people, too. A public number that is not that of
    the table is refused; the refusal is the same for all neighbors.

    Attributes:
        people: The number of people if ``public``, otherwise the public minimum.
        public: Whether the exact number is public.

    """

    people: int
    public: bool

    def __post_init__(self) -> None:
        if self.people < 1:
            raise ParameterError(f"the size of a table must be at least 1, got {self.people}.")

    def divisor(self, actual: int) -> int:
        """Return the number that averages divide by when ``actual`` people are there.

        >>> TableSize(people=100, public=False).divisor(250)
        250
        >>> TableSize(people=100, public=False).divisor(40)
        100
        """
        return self.people if self.public else max(actual, self.people)

    def check(self, relation: NeighboringRelation, unit: PrivacyUnit) -> None:
        """Refuse a public number that differs between neighbors.

        Raises:
            ParameterError: It is private under this relation, or for such units.

        """
        if not self.public or unit.keeps_number(relation):
            return
        if relation is NeighboringRelation.ADD_REMOVE:
            message = f"the number of {unit.counted} is private under add/remove."
        else:
            message = (
                f"the number of rows is private where one {unit.noun} may own several: "
                "how many may change. Name a public minimum instead."
            )
        raise ParameterError(message)
