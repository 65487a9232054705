"""Long work that shows how far it is and can be stopped, inside any part of a page.

The work is an iterator of pieces. A run of it proceeds in parts of a part of a second
each, between which the page is heard; the rest of the page stays in use meanwhile.
"""

from __future__ import annotations

import time
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Generic, TypeVar

import streamlit as st

from ui import session

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

_T = TypeVar("_T")
_AT_FIRST, _PATIENCE = 0.25, 0.4
_PAUSE = 0.1
_NEARLY = 0.97


@dataclass(slots=True, kw_only=True)
class Work(Generic[_T]):
    """Work that may still be going on.

    Attributes:
        key: What it is about: public settings.
        total: How many pieces are expected.
        pieces: What it has given so far.
        finished: Whether all of it is done.

    """

    key: str
    total: int
    pieces: list[_T] = field(default_factory=list)
    finished: bool = False
    _pending: Iterator[_T]

    @property
    def share(self) -> float:
        """Return how much of the work is done, by estimate."""
        if self.finished:
            return 1.0
        return min(len(self.pieces) / self.total, _NEARLY)

    def go_on(self, seconds: float) -> None:
        """Work for about that long, at least one piece."""
        end = time.monotonic() + seconds
        while not self.finished:
            piece = next(self._pending, None)
            if piece is None:
                self.finished = True
                break
            self.pieces.append(piece)
            if time.monotonic() >= end:
                break


def follow(
    slot: str, key: str, total: int, begin: Callable[[], Iterator[_T]], *, doing: str
) -> list[_T] | None:
    """Return the pieces once all are there or the work was stopped; show how far it is.

    Args:
        slot: Which work of the page it is. A slot keeps its latest work only.
        key: Public settings: other settings begin anew.
        total: How many pieces are expected.
        begin: Starts the work.
        doing: What is being done, in plain words.

    Returns:
        ``None`` while it goes on.

    """
    work = session.remember(
        slot, key, lambda: Work(key=key, total=total, _pending=begin())
    )
    if not work.pieces:
        work.go_on(_AT_FIRST)
    if not _is_over(slot, work):
        st.fragment(_go_on, run_every=_PAUSE)(slot, work, doing)
        return None
    if not work.finished:
        st.warning(
            f"Stopped at {work.share:.0%}. What is shown is of the part that was done."
        )
        st.button("Go on", key=f"{slot}-resume", on_click=_resume, args=(slot,))
    return work.pieces


def _go_on(slot: str, work: Work[_T], doing: str) -> None:
    """Show how far the work is, and take it a piece further."""
    st.progress(work.share, text=doing)
    st.button("Stop", on_click=_stop, args=(slot, work.key), key=f"{slot}-stop")
    if not _is_over(slot, work):
        work.go_on(_PATIENCE)
    if _is_over(slot, work):
        st.rerun()


def _is_over(slot: str, work: Work[_T]) -> bool:
    return work.finished or session.public(f"_{slot}_stopped") == work.key


def _stop(slot: str, key: str) -> None:
    session.set_public(f"_{slot}_stopped", key)


def _resume(slot: str) -> None:
    session.set_public(f"_{slot}_stopped", None)
