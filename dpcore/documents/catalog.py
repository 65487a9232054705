"""The documents that there are, by name."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from dpcore.documents.context import DocumentContext
from dpcore.documents.gathering import plan_text, schema
from dpcore.documents.notice import notice
from dpcore.documents.report import checklist, methods, registry_entry, report
from dpcore.documents.reproduction import notebook, script

_HTML: Final = "text/html"
_JSON: Final = "application/json"


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
        dated: Whether its file is named after a subject and a day.
        of_plans: Whether a plan has it; the file of a plan itself is on its page.
        asks: Whether it holds what only people know.

    """

    name: str
    sentence: str
    file: tuple[str, str]
    mime: str
    text: Callable[[DocumentContext], str]
    read: bool = True
    dated: bool = True
    of_plans: bool = True
    asks: bool = False

    def named(self, subject: DocumentContext) -> str:
        """Return the name of the file about a subject."""
        stem, ending = self.file
        if not self.dated:
            return f"{stem}.{ending}"
        kinds = ("classroom",) * subject.facts.lesson + ("plan",) * subject.planned
        return "-".join((*kinds, stem, subject.today)) + f".{ending}"


DOCUMENTS: Final[tuple[Document, ...]] = (
    Document(
        name="Public notice",
        sentence="One sheet in plain words for the people in the table, then a list of "
        "every number. Opens in any browser and prints on A4.",
        file=("notice", "html"),
        mime=_HTML,
        text=notice,
        asks=True,
    ),
    Document(
        name="Full report",
        sentence="Every question with its bounds, noise, privacy cost and intervals, with "
        "methods and ledger. Opens in any browser and prints on A4.",
        file=("report", "html"),
        mime=_HTML,
        text=report,
        asks=True,
    ),
    Document(
        name="Checklist based on NIST SP 800-226",
        sentence="The assumptions behind the guarantee, in eight levels. Empty lines are to be "
        "filled in by hand.",
        file=("checklist", "html"),
        mime=_HTML,
        text=checklist,
        asks=True,
    ),
    Document(
        name="Methods paragraph",
        sentence="The methods section of a paper, with sources.",
        file=("methods", "txt"),
        mime="text/plain",
        text=methods,
    ),
    Document(
        name="Script that redoes the accounting",
        sentence="Recomputes privacy costs and totals in Python, names what it cannot recompute, "
        "and draws one example. Requires OpenDP and dp_accounting only.",
        file=("accounting", "py"),
        mime="text/x-python",
        text=script,
        read=False,
    ),
    Document(
        name="Notebook that redoes the accounting",
        sentence="The same steps as a Jupyter notebook.",
        file=("accounting", "ipynb"),
        mime="application/x-ipynb+json",
        text=notebook,
        read=False,
    ),
    Document(
        name="Registry entry",
        sentence="For a public registry of deployments, in YAML. Fill in the marked places first.",
        file=("registry-entry", "yaml"),
        mime="application/yaml",
        text=registry_entry,
        asks=True,
        read=False,
    ),
    Document(
        name="Questions as a plan",
        sentence="The questions in JSON. Load the file on Plan to ask them again, for "
        "example of a later table.",
        file=("questions", "json"),
        mime=_JSON,
        text=plan_text,
        read=False,
        of_plans=False,
    ),
    Document(
        name="Schema of plans",
        sentence="The JSON schema of plan files, with meanings and units. For programs that "
        "write or check plans.",
        file=("plan.schema", "json"),
        mime=_JSON,
        text=lambda _: schema(),
        read=False,
        dated=False,
    ),
)
"""All documents, the most public first."""


def offered(subject: DocumentContext) -> dict[str, Document]:
    """Return the documents that there are about a subject, by name."""
    known = (one for one in DOCUMENTS if one.of_plans or not subject.planned)
    return {document.name: document for document in known}
