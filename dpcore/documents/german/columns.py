"""What columns are called in German: the names that preparing a table has made.

What somebody typed stays as it is: a column, an answer, and whatever is in quotation
marks because it is more than a word.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from dpcore.data.preparation.conditions import Comparison
from dpcore.data.preparation.recipes import Recipe
from dpcore.documents.german.numbers import german

if TYPE_CHECKING:
    from collections.abc import Callable

    from dpcore.data.columns import Column

_RECIPES: Final = {
    Recipe.MEAN: "Mittelwert von",
    Recipe.SUM: "Summe von",
    Recipe.MAXIMUM: "Maximum von",
    Recipe.MINIMUM: "Minimum von",
    Recipe.EARLIEST: "frühester Wert von",
    Recipe.LATEST: "spätester Wert von",
    Recipe.FIRST: "erster Wert von",
    Recipe.LAST: "letzter Wert von",
    Recipe.MOST_FREQUENT: "häufigster Wert von",
    Recipe.DISTINCT: "verschiedene Werte von",
}
_COMPARED: Final = {
    Comparison.AT_LEAST: "mindestens",
    Comparison.AT_MOST: "höchstens",
    Comparison.ABOVE: "über",
    Comparison.BELOW: "unter",
}
_MADE: Final = re.compile(
    rf"({'|'.join(_RECIPES)}) (.+?) per (.+?)(?= where |, at most|$)"
)
_ANY: Final = re.compile(
    rf"{Recipe.ANY} ((?:\"(?:[^\"\\]|\\.)*\"|[^\"])+?) per (.+?)(?= where |, at most|$)"
)
_ROWS: Final = re.compile(r"rows per (.+?)(?= where |, at most|$)")
_CAP: Final = re.compile(r", at most (\d+) rows? per (.+?)(?= where |$)")
_CODE: Final = r'(?:-?[0-9][0-9.,e+-]*|"(?:[^"\\]|\\.)*")'
_CODES: Final = re.compile(rf" without ({_CODE}(?: or {_CODE})*)(?= per | where |,|$)")
_PLACE: Final = r'("(?:[^"\\]|\\.)*"|\S+)'
_NUMBER: Final = re.compile(rf"{_PLACE} ({'|'.join(Comparison)}) (\S+)( and |$)")
_ANSWER: Final = re.compile(rf"{_PLACE} is ({_PLACE}(?: or {_PLACE})*)( and |$)")


def called(name: str) -> str:
    """Return the name of a column; what steps have added to it in German.

    >>> called("mean of stay per patient where age at least 60 and ward is north")
    'Mittelwert von stay je patient, nur age mindestens 60 und ward ist north'
    >>> called("stay, at most 5 rows per patient")
    'stay, höchstens 5 Zeilen je patient'
    >>> called('mean of stay without -9.5 or "n/a" per patient')
    'Mittelwert von stay ohne -9,5 oder "n/a" je patient'
    >>> called('any result is positive or "very per" per patient')
    'mindestens einmal result ist positive oder "very per" je patient'
    >>> called("rows per patient"), called("mean of stay")
    ('Zeilen je patient', 'mean of stay')
    """
    made, where, conditions = name.partition(" where ")
    known = _conditions(conditions) if where else ""
    if known is None:
        return name
    made = _CODES.sub(_without, made, count=1)
    made = _MADE.sub(_recipe, made, count=1) if _MADE.match(made) else made
    made = _ANY.sub(_any, made, count=1) if _ANY.match(made) else made
    made = _ROWS.sub(_counted, made, count=1) if _ROWS.match(made) else made
    made = _CAP.sub(_capped, made)
    return f"{made}, nur {known}" if known else made


def titled(column: Column) -> str:
    """Return what a column is called: the name that was typed, or its own in German."""
    return column.display_name or called(column.name)


def meaning(column: Column) -> str:
    """Return what a column holds: its recipe where that is not shown, and more."""
    recipe = called(column.name) if column.display_name else ""
    return "; ".join(part for part in (recipe, column.description) if part)


def _recipe(found: re.Match[str]) -> str:
    return f"{_RECIPES[Recipe(found[1])]} {found[2]} je {_owners(found[3])}"


def _any(found: re.Match[str]) -> str:
    met = _conditions(found[1])
    if met is None:
        return found[0]
    return f"mindestens einmal {met} je {_owners(found[2])}"


def _without(found: re.Match[str]) -> str:
    codes = re.findall(_CODE, found[1])
    told = (code if code.startswith('"') else german(code) for code in codes)
    return f" ohne {' oder '.join(told)}"


def _counted(found: re.Match[str]) -> str:
    return f"Zeilen je {_owners(found[1])}"


def _capped(found: re.Match[str]) -> str:
    rows = "1 Zeile" if found[1] == "1" else f"{found[1]} Zeilen"
    return f", höchstens {rows} je {_owners(found[2])}"


def _owners(names: str) -> str:
    alone = " or row without one"
    whose = names.removesuffix(alone).replace(" and ", " und ")
    return f"{whose} oder Zeile ohne Angabe" if names.endswith(alone) else whose


def _conditions(text: str) -> str | None:
    """Return conditions in German; nothing where they are not what steps have made."""
    told = []
    readings: dict[re.Pattern[str], Callable[[re.Match[str]], str]] = {
        _NUMBER: lambda found: (
            f"{found[1]} {_COMPARED[Comparison(found[2])]} {german(found[3])}"
        ),
        _ANSWER: lambda found: f"{found[1]} ist {_either(found[2])}",
    }
    start = 0
    while start < len(text):
        for pattern, reading in readings.items():
            found = pattern.match(text, start)
            if found is not None:
                told.append(reading(found))
                start = found.end()
                break
        else:
            return None
    return " und ".join(told)


def _either(answers: str) -> str:
    """Return answers of which one is given; an "or" in quotation marks is their own."""
    words = (found[0] for found in re.finditer(_PLACE, answers))
    return " ".join("oder" if word == "or" else word for word in words)
