"""What in a table would let somebody in the room recognize a person.

For a teacher who wants to show a table of their own. It looks for the usual traps, and
finding none proves nothing: people are recognized by what others know of them.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING, Final

from dpcore.formatting import percent, significant

if TYPE_CHECKING:
    import pandas as pd

_NAMED: Final = re.compile(
    r"(?<![a-z])(name|names|first ?name|last ?name|surname|vorname|nachname|"
    r"e-?mail|mail|phone|telefon|mobile|handy|street|stra(?:ß|ss)e|address|adresse|"
    r"iban|ssn|passport|ausweis|birth|birthday|dob|geburt|geboren|patient|pupil|"
    r"student|schüler(?:in)?|employee|personal|matrikel|user)(?![a-z])|"
    r"(nummer|number|nr)\.?$|(?<![a-z])id$|geburts|birth",
    re.IGNORECASE,
)
_NUMBERED: Final = re.compile(
    r"(?:person|patient|customer|client|user|member|employee|student|pupil|household|respondent|"
    r"participant|subject|resident|citizen|cardholder|passenger|kunden?|personal|matrikel)"
    r" ?(?:id|nr|no|number|nummer|code|key)?|id",
    re.IGNORECASE,
)
_MAIL: Final = re.compile(r"[^@\s]+@[^@\s]+\.[^@\s]+")
_PHONE: Final = re.compile(r"\+?\d[\d\s()/.-]{6,}\d")
_DAY: Final = re.compile(r"\d{4}-\d{2}-\d{2}.*|\d{1,2}[./]\d{1,2}[./]\d{2,4}")
_FEW_ROWS: Final = 3
_ALONE: Final = 0.5
"""Which part of the rows must stand alone for a column to single people out."""
_LOOKED_AT: Final = 2_000
_SOME: Final = 0.05
_LONG_TEXT: Final = 40
_MOST_ANSWERS: Final = 50
_MOST_COLUMNS: Final = 6


class RiskKind(StrEnum):
    """A usual way of being recognized in a table."""

    NAME = "a column name that suggests names"
    CONTACT = "e-mail addresses or telephone numbers"
    DAY = "dates, such as dates of birth"
    TEXT = "free text"
    ALONE = "unique values"
    RARE = "rare answers"
    TOGETHER = "unique combinations of columns"


@dataclass(frozen=True, slots=True, kw_only=True)
class DisclosureRisk:
    """Something that a person may be recognized by. CONFIDENTIAL.

    Attributes:
        kind: Of which kind it is.
        columns: Where it was found.
        what: What was found, with its number.
        advice: What to do about it.

    """

    kind: RiskKind
    columns: tuple[str, ...]
    what: str
    advice: str


_LEAVE_OUT: Final = "Remove the column, or replace its values."


def names_people(heading: str) -> bool:
    """Return whether a column's heading says that it tells people apart.

    >>> names_people("Personalnr"), names_people("Patient"), names_people("age")
    (True, True, False)
    """
    return _NAMED.search(heading.replace("_", " ")) is not None


def numbers_people(heading: str) -> bool:
    """Return whether a column's heading says whose row it is, by a number or not.

    >>> numbers_people("customer_id"), numbers_people("Patient"), numbers_people("id")
    (True, True, True)
    >>> numbers_people("county_id"), numbers_people("household size")
    (False, False)
    """
    return _NUMBERED.fullmatch(heading.strip().replace("_", " ")) is not None


def disclosure_risks(frame: pd.DataFrame) -> tuple[DisclosureRisk, ...]:
    """Return what people of a table may be recognized by, the plainest first.

    Of a long column of text, 2,000 different values are looked at. A heading alone is a
    finding, too: nobody should have to look into the column to leave it out.
    """
    found = [one for name in frame.columns for one in _of_column(str(name), frame[name])]
    found += _together(frame)
    order = list(RiskKind)
    return tuple(sorted(found, key=lambda one: order.index(one.kind)))


def _of_column(name: str, values: pd.Series) -> Iterator[DisclosureRisk]:
    from pandas.api.types import is_numeric_dtype  # noqa: PLC0415 - slow to import

    if names_people(name):
        yield DisclosureRisk(
            kind=RiskKind.NAME,
            columns=(name,),
            what="The column name suggests a name, an ID or an address.",
            advice=_LEAVE_OUT,
        )
    counts = values.value_counts()
    if not is_numeric_dtype(values.dtype):
        yield from _of_text(name, [str(cell) for cell in counts.index[:_LOOKED_AT]])
    people = int(counts.sum())
    alone = int((counts == 1).sum())
    if people and alone > _ALONE * people:
        yield DisclosureRisk(
            kind=RiskKind.ALONE,
            columns=(name,),
            what=f"{percent(alone / people)} of the rows have a unique value. Anyone who knows the "
            "value finds the row.",
            advice="Remove the column, or bin it (“Derived columns”).",
        )
    elif len(counts) <= _MOST_ANSWERS:
        rare = int((counts < _FEW_ROWS).sum())
        if rare:
            yield DisclosureRisk(
                kind=RiskKind.RARE,
                columns=(name,),
                what=f"{rare} of {len(counts)} answers were given by one or two rows.",
                advice="Merge rare answers before the upload.",
            )


def _of_text(name: str, cells: list[str]) -> Iterator[DisclosureRisk]:
    def share(pattern: re.Pattern[str]) -> float:
        return sum(bool(pattern.fullmatch(cell)) for cell in cells) / max(len(cells), 1)

    if share(_MAIL) > _SOME or share(_PHONE) > _ALONE > share(_DAY):
        yield DisclosureRisk(
            kind=RiskKind.CONTACT,
            columns=(name,),
            what="It contains e-mail addresses or telephone numbers.",
            advice=_LEAVE_OUT,
        )
    elif share(_DAY) > _ALONE:
        yield DisclosureRisk(
            kind=RiskKind.DAY,
            columns=(name,),
            what=f"It contains dates ({significant(len(cells))} different ones). Family "
            "and friends "
            "know a date of birth or of a visit.",
            advice="Keep only the year or the quarter, or remove the column.",
        )
    elif cells and sum(map(len, cells)) > _LONG_TEXT * len(cells):
        yield DisclosureRisk(
            kind=RiskKind.TEXT,
            columns=(name,),
            what="It contains long texts, which can identify their authors.",
            advice=_LEAVE_OUT,
        )


def _together(frame: pd.DataFrame) -> Iterable[DisclosureRisk]:
    """Look whether few columns, each harmless, single people out when combined."""
    different = {str(name): frame[name].nunique() for name in frame.columns}
    usual = [name for name, count in different.items() if 1 < count <= _MOST_ANSWERS]
    names = sorted(usual, key=lambda name: -different[name])[:_MOST_COLUMNS]
    if len(names) < 2:  # noqa: PLR2004 - one column is looked at by itself
        return
    sizes = frame.groupby(names, observed=True, dropna=False).size()
    alone = int((sizes == 1).sum())
    if alone > _SOME * len(frame):
        yield DisclosureRisk(
            kind=RiskKind.TOGETHER,
            columns=tuple(names),
            what=f"{percent(alone / len(frame))} of the rows have a unique combination of these "
            "answers.",
            advice="Remove some of these columns, or make the answers coarser.",
        )
