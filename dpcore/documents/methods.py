"""The paragraph on methods, to be pasted into a paper."""

from __future__ import annotations

import math

from dpcore.documents.context import DocumentContext
from dpcore.formatting import significant


def methods(subject: DocumentContext) -> str:
    """Return what was done, in sentences for a paper, with sources."""
    pld = subject.totals.pld
    return subject.fill(
        "methods.txt",
        pld=significant(pld, up=True) if subject.questions and math.isfinite(pld) else "",
        has_intervals=any(question.level is not None for question in subject.questions),
    )
