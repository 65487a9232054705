"""The documents that there are, by name."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from dpcore.documents.checklist import checklist
from dpcore.documents.methods import methods
from dpcore.documents.notice import notice
from dpcore.documents.report import report

if TYPE_CHECKING:
    from collections.abc import Callable

    from dpcore.documents.subject import Subject

_HTML: Final = "text/html"


@dataclass(frozen=True, slots=True, kw_only=True)
class Document:
    """A document on offer.

    Attributes:
        name: What people call it.
        sentence: What it is for.
        file: Name of its file: stem and ending.
        mime: Its media type.
        text: Makes it.
        read: Whether it is read by people, with numbers in their marks.

    """

    name: str
    sentence: str
    file: tuple[str, str]
    mime: str
    text: Callable[[Subject], str]
    read: bool = True

    def named(self, subject: Subject) -> str:
        """Return the name of the file about a subject."""
        stem, ending = self.file
        kinds = ("classroom",) * subject.facts.lesson + ("plan",) * subject.planned
        return "-".join((*kinds, stem, subject.today)) + f".{ending}"


DOCUMENTS: Final[tuple[Document, ...]] = (
    Document(
        name="Public notice",
        sentence="One sheet in plain words, for the people in the table. Opens in any "
        "browser and prints on A4.",
        file=("notice", "html"),
        mime=_HTML,
        text=lambda subject: notice(subject).html(),
    ),
    Document(
        name="Full report",
        sentence="Every question with its unit, bounds, noise, price and interval; "
        "totals, ledger, known gaps. Opens in any browser and prints on A4.",
        file=("report", "html"),
        mime=_HTML,
        text=lambda subject: report(subject).html(),
    ),
    Document(
        name="Checklist after NIST SP 800-226",
        sentence="What a guarantee rests on, level by level: filled in where the "
        "program knows, blank where only people do.",
        file=("checklist", "html"),
        mime=_HTML,
        text=lambda subject: checklist(subject).html(),
    ),
    Document(
        name="Methods paragraph",
        sentence="What was done, in sentences for a paper.",
        file=("methods", "txt"),
        mime="text/plain",
        text=lambda subject: methods(subject) + "\n",
    ),
)
"""All documents, the most public first."""
