"""Long work that shows how far it is and can be stopped.

The work is an iterator of pieces. It proceeds in parts of a part of a second each,
between which the page is heard. `follow` begins as soon as its settings are known,
inside any part of a page, and the rest of the page stays in use meanwhile. `latest` is
for a page that is about one simulation: a button begins it, settings that were changed
since wait for the button, and what is on screen is always the latest run. `whole` and
`once` are for work of which a part is worth nothing, after a press and without.
"""

from __future__ import annotations

import contextlib
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any, Generic, NamedTuple, TypeVar

import streamlit as st

from dpcore.formatting import percent
from ui import session

_S = TypeVar("_S")
_T = TypeVar("_T")
_AT_FIRST, _PATIENCE = 0.25, 0.4
_WITHOUT_PROGRESS = 1.0
_PAUSE = 0.1
_NEARLY = 0.97


class Told(NamedTuple):
    """How far work is: the share that is done, if that is known, and words."""

    share: float | None
    words: str


@dataclass(slots=True, kw_only=True)
class Work(Generic[_T]):
    """Work that may still be going on.

    Attributes:
        key: What it is about: public settings, or which run it is.
        total: How many pieces are expected.
        pieces: What it has given so far.
        finished: Whether all of it is done.
        closed: Whether it was ended before that.

    """

    key: str
    total: int
    pieces: list[_T] = field(default_factory=list)
    finished: bool = False
    closed: bool = False
    pending: Iterator[_T] = field(repr=False)

    @property
    def share(self) -> float:
        """Return how much of the work is done, by estimate."""
        return 1.0 if self.finished else min(len(self.pieces) / self.total, _NEARLY)

    def close(self) -> None:
        """End it, from any thread: what it has open is closed, and nothing more comes.

        Where another thread works on a piece just now, it is the one that closes.
        """
        self.closed = True
        close = getattr(self.pending, "close", None)
        if close is not None:
            # Raised by a generator that is running.
            with contextlib.suppress(ValueError):
                close()

    def go_on(self, seconds: float) -> None:
        """Work for about that long, at least one piece."""
        end = time.monotonic() + seconds
        while not self.finished:
            piece = next(self.pending, None)
            if self.closed:
                self.close()
            if piece is None or self.closed:
                self.finished = True
                break
            self.pieces.append(piece)
            if time.monotonic() >= end:
                break


@dataclass(slots=True, kw_only=True)
class Run(Work[_T], Generic[_S, _T]):
    """Work that a button began.

    Attributes:
        asked: The settings that it runs.

    """

    asked: _S


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
    work = session.remember(slot, key, lambda: Work(key=key, total=total, pending=begin()))
    if not work.pieces:
        work.go_on(_AT_FIRST)
    if not _is_over(slot, work):
        _proceed(slot, work, lambda: Told(work.share, doing))
        return None
    if not work.finished:
        st.warning(f"Stopped at {percent(work.share)}. What is shown is of the part that was done.")
        _offer_to_go_on(slot, "Go on")
    return work.pieces


def latest(
    slot: str, asked: _S, *, total: int, begin: Callable[[], Iterator[_T]], button: str, pieces: str
) -> Run[_S, _T]:
    """Return the latest run once it is finished or stopped; show how far it is.

    While it goes on, the page ends here.

    Args:
        slot: Which simulation of the app it is.
        asked: The settings on screen, to run at the next press.
        total: How many pieces they make.
        begin: Starts them.
        button: Words on the button.
        pieces: What one piece is called, in the plural.

    """
    runs = f"_{slot}_run"
    st.button(button, type="primary", on_click=session.count_up, args=(runs,), key=f"{slot}-run")
    number = str(session.count(runs))
    run = session.remember(
        slot, number, lambda: Run(key=number, total=total, asked=asked, pending=begin())
    )
    if not run.pieces:
        with st.spinner(f"Simulating {total} {pieces} …"):
            run.go_on(_WITHOUT_PROGRESS)
    if not _is_over(slot, run):
        _proceed(
            slot, run, lambda: Told(run.share, f"{len(run.pieces)} of {run.total} {pieces} done")
        )
        session.end_page()
    if not run.finished:
        st.warning(
            f"Stopped after {len(run.pieces)} of {run.total} {pieces}. What is shown "
            "below is theirs."
        )
        _offer_to_go_on(slot, "Continue")
    # Always there: an element more would move all others, to be drawn anew.
    hint = st.empty()
    if asked != run.asked:
        hint.info(f"The settings have changed since this run. “{button}” shows them.")
    return run


def whole(
    slot: str, key: str, begin: Callable[[], Iterator[_T]] | None, told: Callable[[_T], Told]
) -> _T | None:
    """Return the last piece, once; show how far the work is until all of it is done.

    Work that is stopped, or whose page is left, is forgotten with all that it holds.
    How many pieces it has need not be known.

    Args:
        slot: Which work of the page it is.
        key: Which press began it.
        begin: Starts it, in the run after the press; else ``None``.
        told: How far it is, by its latest piece.

    Returns:
        ``None`` while it goes on, and where there is none.

    """
    work = session.while_here(
        slot, key, lambda: None if begin is None else Work(key=key, total=1, pending=begin())
    )
    if work is None:
        return None
    if not work.pieces:
        work.go_on(_AT_FIRST)
    if _is_over(slot, work):
        session.let_go([slot])
        return work.pieces[-1] if work.finished else None
    _proceed(slot, work, lambda: told(work.pieces[-1]))
    return None


def once(
    slot: str, key: str, begin: Callable[[], Iterator[_T]], told: Callable[[_T], Told]
) -> _T | None:
    """Return the last piece, as long as it is shown; show how far the work is.

    It begins as soon as its settings are known, as `follow` does, for work of which a
    part is worth nothing: as `whole` it is forgotten where it is stopped, or its page
    is left, and it can be begun anew.

    Args:
        slot: Which work of the page it is. A slot keeps its latest piece only.
        key: Public settings: other settings begin anew.
        begin: Starts it.
        told: How far it is, by its latest piece.

    Returns:
        ``None`` while it goes on, and where it was stopped.

    """
    found: list[_T] = session.while_shown(f"{slot}-found", key, list)
    if found:
        return found[0]
    if was_stopped(slot, key):
        session.let_go([slot])
        st.info("Stopped. Nothing of it is kept.")
        _offer_to_go_on(slot, "Begin again")
        return None
    last = whole(slot, key, begin, told)
    if last is not None:
        found.append(last)
    return last


def was_stopped(slot: str, key: str) -> bool:
    """Tell whether this very work was stopped."""
    return session.public(f"_{slot}_stopped") == key


def forget_stop(slot: str) -> None:
    """Let work that was stopped begin anew."""
    session.take(f"_{slot}_stopped")


def _proceed(slot: str, work: Work[Any], told: Callable[[], Told]) -> None:
    """Show how far the work is, and take it further again and again."""

    def go_on() -> None:
        share, words = told()
        if share is None:
            st.markdown(words)
        else:
            st.progress(min(share, _NEARLY), text=words)
        st.button("Stop", on_click=_stop, args=(slot, work.key), key=f"{slot}-stop")
        if not _is_over(slot, work):
            work.go_on(_PATIENCE)
        if _is_over(slot, work):
            st.rerun()

    st.fragment(go_on, run_every=_PAUSE)()


def _is_over(slot: str, work: Work[Any]) -> bool:
    # Asked first: at this reading Streamlit turns to what was pressed meanwhile. The
    # rerun after the last piece would forget a link among it.
    return was_stopped(slot, work.key) or work.finished


def _stop(slot: str, key: str) -> None:
    session.set_public(f"_{slot}_stopped", key)


def _offer_to_go_on(slot: str, words: str) -> None:
    st.button(words, key=f"{slot}-resume", on_click=_stop, args=(slot, None))
