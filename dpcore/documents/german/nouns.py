"""What the rows of a table are called in German."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

if TYPE_CHECKING:
    from dpcore.relations import PrivacyUnit


class Noun(NamedTuple):
    """What one protected unit is called: with "a", with "every", and in the plural."""

    a: str
    every: str
    one: str
    many: str


NOUNS: Final = {
    "person": Noun("eine Person", "jede Person", "Person", "Personen"),
    "record": Noun("ein Datensatz", "jeder Datensatz", "Datensatz", "Datensätze"),
    "household": Noun("ein Haushalt", "jeder Haushalt", "Haushalt", "Haushalte"),
    "person-year": Noun(
        "ein Personenjahr", "jedes Personenjahr", "Personenjahr", "Personenjahre"
    ),
    "visit": Noun("ein Besuch", "jeder Besuch", "Besuch", "Besuche"),
}


def noun(unit: PrivacyUnit) -> Noun:
    """Return what a protected unit is called; a name that is not known stays as it is.

    >>> from dpcore.relations import PrivacyUnit
    >>> noun(PrivacyUnit(noun="Klasse", plural="Klassen"))[2:]
    ('Klasse', 'Klassen')
    """
    one, many = unit.noun, unit.nouns
    other = Noun(f"eine Einheit ({one})", f"jede Einheit ({one})", one, many)
    return NOUNS.get(one, other)


def counted(unit: PrivacyUnit) -> str:
    """Return what is counted, in the plural.

    >>> from dpcore.relations import PrivacyUnit
    >>> counted(PrivacyUnit(noun="household")), counted(PrivacyUnit(rows=2))
    ('Haushalte', 'Zeilen')
    """
    return "Zeilen" if unit.several else noun(unit).many


def feminine(unit: PrivacyUnit) -> str:
    """Return what a unit is called in sentences that need one gender.

    >>> from dpcore.relations import PrivacyUnit
    >>> feminine(PrivacyUnit()), feminine(PrivacyUnit(noun="household"))
    ('Person', 'Einheit (Haushalt)')
    """
    one = noun(unit).one
    return one if one == "Person" else f"Einheit ({one})"
