"""In which language a paper is written: one control wherever papers are made."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from dpcore.documents.language import Language
from ui import session

if TYPE_CHECKING:
    from ui.controls import Cell

_CHOSEN: Final = "_paper-language"
_CAPTIONS: Final = {
    Language.ENGLISH: "numbers as you choose",
    Language.GERMAN: "with German numbers",
}


def ask(cell: Cell, *, key: str) -> Language:
    """Ask for the language; what people typed stays as it is.

    Elsewhere it begins with the one that was chosen last.
    """
    every = [language.value for language in Language]
    chosen = Language(
        cell.radio(
            "Language of the paper",
            every,
            index=every.index(str(session.public(_CHOSEN) or Language.ENGLISH.value)),
            key=key,
            captions=[_CAPTIONS[language] for language in Language],
            note="The page to sign and the public notice can be had in German. Names "
            "of columns, units and all that you type stay as they are.",
        )
    )
    session.set_public(_CHOSEN, chosen.value)
    return chosen
