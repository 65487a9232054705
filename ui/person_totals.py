"""What each person has lost over all releases of the ledger. CONFIDENTIAL."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ui.study import Study
    from ui.subject import Subject


def show(subject: Subject, study: Study) -> None:
    """Show the view of a subject."""
