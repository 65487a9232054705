"""In which language a paper is written: one control wherever papers are made."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from dpcore.documents.language import Language

if TYPE_CHECKING:
    from ui.controls import Cell

_CAPTIONS: Final = {
    Language.ENGLISH: "numbers as you choose",
    Language.GERMAN: "with German numbers",
}


def ask(cell: Cell, *, key: str) -> Language:
    """Ask for the language; what people typed stays as it is."""
    return Language(
        cell.radio(
            "Language of the paper",
            [language.value for language in Language],
            key=key,
            captions=[_CAPTIONS[language] for language in Language],
            note="The page to sign and the public notice can be had in German. Names "
            "of columns, units and all that you type stay as they are.",
        )
    )
