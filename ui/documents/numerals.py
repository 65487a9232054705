"""How the numbers of a document are written: one control for all documents."""

from __future__ import annotations

from typing import Final

from dpcore.documents.page import Numerals
from ui.controls import Cell

_CAPTIONS: Final = {
    Numerals.POINT: "as in English",
    Numerals.COMMA: "as in German; the text is English",
}


def ask(cell: Cell, *, key: str) -> Numerals:
    """Ask how numbers are written; the words of documents are English either way."""
    return Numerals(
        cell.radio(
            "Numbers in it",
            [style.value for style in Numerals],
            key=key,
            captions=[_CAPTIONS[style] for style in Numerals],
            note="How a reader is used to see them. The text of documents is English; "
            "what you type stays as it is, in any language.",
        )
    )
