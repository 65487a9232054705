"""The checklist based on NIST SP 800-226, filled in where the program knows."""

from __future__ import annotations

from dpcore.documents.context import DocumentContext, spelled


def checklist(subject: DocumentContext) -> str:
    """Return the checklist; what only people know is a line to write on."""
    return subject.fill("checklist.html", cost=spelled(subject.cost))
