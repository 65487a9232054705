"""Text that came with the data, made safe for widgets that read Markdown."""

from __future__ import annotations

import re
import string

# An underscore within a word has no meaning. Screen readers say labels as they are written.
_SPECIAL = re.compile(rf"(?!(?<=[^\W_])_(?=[^\W_]))([{re.escape(string.punctuation)}])")
# GitHub's Markdown makes links of bare addresses, escaped or not. An invisible word
# joiner inside them prevents it.
_ADDRESS = re.compile(r"(https?(?=:)|www(?=\.)|@)", re.IGNORECASE)
_JOINER = "\u2060"


def literal(text: str) -> str:
    r"""Return ``text`` escaped so that Markdown shows it letter by letter.

    Column names, category labels and file names are whatever an upload says they are.

    >>> literal("![x](https://example.org)")
    '\\!\\[x\\]\\(https\u2060\\:\\/\\/example\\.org\\)'
    >>> literal("cost_eur"), literal("_x_")
    ('cost_eur', '\\_x\\_')
    """
    inert = _ADDRESS.sub(rf"\1{_JOINER}", " ".join(text.split()))
    return _SPECIAL.sub(r"\\\1", inert)


def after_number(unit: str) -> str:
    """Return a unit as it stands after a number: nothing, where there is none."""
    return f" {literal(unit)}" if unit else ""


def ended(text: str) -> str:
    """Return a text with a full stop at its end.

    >>> ended("Bias falls with n"), ended("Does it?")
    ('Bias falls with n.', 'Does it?')
    """
    return text if text.endswith((".", "?", "!")) else f"{text}."


def sentence_of(error: Exception) -> str:
    r"""Return what an error says as a sentence, safe for Markdown.

    >>> sentence_of(ValueError("choose a column.")), sentence_of(ValueError("ε is 2."))
    ('Choose a column\\.', 'ε is 2\\.')
    """
    said = str(error)
    return literal(said[:1].upper() + said[1:] if said[:1].isascii() else said)
