"""The checklist based on NIST SP 800-226, filled in where the program knows."""

from __future__ import annotations

from dpcore.documents.context import DocumentContext, cost_text


def checklist(subject: DocumentContext) -> str:
    """Return the checklist; what only people know is a line to write on."""
    return subject.fill("checklist.html", cost=cost_text(subject.cost))
