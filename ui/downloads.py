"""Files that hold what is on the screen, with the field that is still being typed in.

A browser sends what is typed when its field is left, which the press on a button does.
Streamlit makes the file of a button from what the run before that press knew. So a file
waits for the run that its own press asks for, and is made of what that run offers.
Streamlit also forgets the file of a button as soon as a later run has ended, which may be
before it takes up the press. So it is kept for a while longer.
"""

from __future__ import annotations

import contextlib
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING, Final, Literal, NamedTuple, cast

import streamlit as st
from streamlit.runtime.media_file_manager import MediaFileManager
from streamlit.runtime.scriptrunner import StopException

from ui import session

if TYPE_CHECKING:
    from streamlit.delta_generator import DeltaGenerator

_PATIENCE: Final = 120.0
"""Seconds after which a press is taken for lost: no run of its page ever ends."""
_KEPT: Final = 20.0
"""Seconds that the file of a button is kept after the run that offered it anew."""


class File(NamedTuple):
    """A file on offer.

    Attributes:
        name: Its name, with the ending.
        mime: Its media type.
        content: Makes it, once it is asked for; in another thread, without a session.

    """

    name: str
    mime: str
    content: Callable[[], str | bytes]


@dataclass(slots=True)
class Offer:
    """One download button: its presses, and the files that the page offers for them.

    The script of the page offers and counts presses; another thread makes the file.
    Streamlit keeps callbacks of a closed tab for minutes, and the offer with them. So the
    offer alone holds files, and a closed one those alone that were pressed and not yet made.
    """

    _files: dict[int, File] = field(default_factory=dict)
    _made: int = 0
    _pressed: int = 0
    _offered: int = 0
    _closed: bool = False
    _changed: threading.Condition = field(default_factory=threading.Condition)

    def renew(self, file: File) -> int:
        """Offer a file, and return the number that the next press on it has."""
        with self._changed:
            press = self._pressed + 1
            # The press before may still be answered.
            self._files = {press - 1: self._files.get(press - 1, file), press: file}
            self._answer()
            return press

    def press(self) -> None:
        """Count a press: called at the start of the run that it asks for."""
        with self._changed:
            self._pressed += 1

    def end_run(self) -> None:
        """Let presses have their own file that this run of the page did not renew."""
        with self._changed:
            self._answer()

    def close(self) -> None:
        """Let every press have its own file: the page is left."""
        with self._changed:
            self._closed = True
            awaited = range(self._made + 1, self._pressed + 1)
            self._files = {press: self._files[press] for press in awaited if press in self._files}
            self._changed.notify_all()

    def content(self, press: int) -> str | bytes:
        """Return the content after a press, made of what the page offers by then.

        That of the file whose button was pressed, where the page offers one of another
        name meanwhile, or none.

        Raises:
            LookupError: The page was left before.
            TimeoutError: The run that the press asked for never ends.

        """
        with self._changed:
            file = self._files.pop(press, None) if self._closed else self._files.get(press)
            if file is None:
                raise LookupError("the page of this download button was left.")
            self._made = max(self._made, press)
            if not self._changed.wait_for(
                lambda: self._closed or self._offered >= press, _PATIENCE
            ):
                raise TimeoutError("the page did not answer the press on its download button.")
            latest = self._files.get(press + 1, file)
        return (latest if latest.name == file.name else file).content()

    def _answer(self) -> None:
        self._offered = self._pressed
        self._changed.notify_all()


@dataclass(slots=True)
class _Offers:
    """The download buttons of the page on screen, by their keys."""

    known: dict[str, Offer] = field(default_factory=dict)

    def close(self) -> None:
        for offer in self.known.values():
            offer.close()


def _offers() -> dict[str, Offer]:
    return session.while_here("downloads", "", _Offers).known


def button(
    label: str,
    file: File,
    *,
    key: str,
    place: DeltaGenerator | None = None,
    kind: Literal["primary", "secondary"] = "secondary",
    note: str | None = None,
) -> None:
    """Offer a file, made once it is asked for, of what is on the screen then."""
    offer = _offers().setdefault(key, Offer())
    press = offer.renew(file)
    with contextlib.nullcontext() if place is None else place:
        st.download_button(
            label,
            partial(offer.content, press),
            file_name=file.name,
            mime=file.mime,
            key=key,
            on_click=offer.press,
            type=kind,
            help=note,
        )


def _forget_files(manager: MediaFileManager) -> None:
    """Forget what no page offers any more, and nobody can have pressed just now."""
    shown = manager._files_by_session_and_coord.values()  # noqa: SLF001 - there is no public way
    offered = {name for files in shown for name in files.values()}
    now = time.monotonic()
    for name, entry in [*manager._deferred_callables.items()]:  # noqa: SLF001
        if name in offered:
            continue
        left = cast("dict[str, float]", entry).setdefault("left", now)
        if now - left > _KEPT:
            manager._drop_deferred_id(name)  # noqa: SLF001


def keep_pressed() -> None:
    """Keep the files of buttons for a while, in all of the process."""
    MediaFileManager._remove_orphaned_deferred_callables = _forget_files  # type: ignore[assignment] # noqa: SLF001


@contextlib.contextmanager
def answered() -> Iterator[None]:
    """Run a page, and answer the presses on buttons that it shows no more.

    A run that is cut short to begin anew answers nothing: the next one does.
    """
    try:
        yield
    except StopException:
        _end_run()
        raise
    _end_run()


def _end_run() -> None:
    for offer in _offers().values():
        offer.end_run()
