"""The languages that papers for people without English are written in."""

from __future__ import annotations

from enum import StrEnum


class Language(StrEnum):
    """What a paper is written in, by its own name."""

    ENGLISH = "English"
    GERMAN = "Deutsch"
