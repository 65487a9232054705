"""What if a record were another one: its own loss, and everybody's. CONFIDENTIAL."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ui.study import Study
    from ui.subject import Subject


def show(subject: Subject, study: Study) -> None:
    """Show the view of a subject."""
