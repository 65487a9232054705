"""The plural and the article of a noun, as English usually forms them."""

from __future__ import annotations

from typing import Final

_IRREGULAR: Final = {"person": "people", "child": "children", "man": "men", "woman": "women"}
_HISSING: Final = ("s", "x", "z", "ch", "sh")
_VOWELS: Final = "aeiou"
_SPOKEN_AS_CONSONANT: Final = ("uni", "use", "eu", "one")
_SPOKEN_AS_VOWEL: Final = ("hour", "heir", "honor")


def plural_of(noun: str) -> str:
    """Return the usual plural of a noun, which a curator may replace.

    >>> plural_of("person"), plural_of("household"), plural_of("person-year")
    ('people', 'households', 'person-years')
    >>> plural_of("city"), plural_of("survey"), plural_of("box")
    ('cities', 'surveys', 'boxes')
    """
    for singular, plural in _IRREGULAR.items():
        before = noun.removesuffix(singular)
        if before != noun and before[-1:] in {"", " ", "-"}:
            return before + plural
    if noun.endswith("y") and noun[-2:-1] not in {"", *_VOWELS}:
        return f"{noun[:-1]}ies"
    return f"{noun}es" if noun.endswith(_HISSING) else f"{noun}s"


def with_article(noun: str) -> str:
    """Return a noun after its indefinite article.

    >>> with_article("household"), with_article("employee"), with_article("unit")
    ('a household', 'an employee', 'a unit')
    """
    first = noun.casefold()
    vowel = first.startswith(tuple(_VOWELS)) and not first.startswith(_SPOKEN_AS_CONSONANT)
    return f"{'an' if vowel or first.startswith(_SPOKEN_AS_VOWEL) else 'a'} {noun}"
