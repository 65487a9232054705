"""Carrying out a release when its button was pressed.

The button only notes which question was asked. The page, once it knows the question on
screen, carries it out if it still is the same: a value that was typed but not entered
reaches the page together with the click. There is no Streamlit call between debit and
answer, so that a second click cannot interrupt it half-way, and the draw number is part
of the request, so that a second click on the same button asks for the same answer.

A run may be cut short by the next one before it came to the question. The press then
waits for that one. It is given up, and said to be, where a run got to its end without.

What a table in parts is answered with takes some runs of the page to compute, and is
held until then: the press is asked for anew in each of them. It is the last of them
that charges, and draws around what was computed; nothing is charged where it is
stopped, the page is left, or the question changes meanwhile.
"""

from __future__ import annotations

import contextlib
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any, NamedTuple, cast

import streamlit as st

from dpcore.analyses.base import Mode, Releasable
from dpcore.analyses.identity import canonical, request_id
from dpcore.errors import ChangedError, DataError, DPCoreError
from dpcore.ledger.account import Account
from dpcore.ledger.transaction import release, release_all
from dpcore.privacy_filter import PrivacyCost
from dpcore.releases.record import Release
from ui import partwise, roles, session
from ui.run_queue import RUNS
from ui.study import Study

_PRESSED, _DRAWN = "_pressed", "_drawn"
_COMPUTED = "_computed"
_UNCONFIRMED, _CONFIRMED, _TOLD = "_unconfirmed", "_confirmed", "_told"
_SAME_CLICK = 2.0
_CHANGED = (
    "The question changed while you pressed the button. Nothing was charged: look at the "
    "question again, then press the button again."
)
_UNHEARD = (
    "The release was not made, because its question is no longer on the page. Nothing was charged."
)
_STOPPED = "Stopped. Nothing was released, and nothing was charged."
_TWICE = "That was the same click twice, so it was charged once. For another draw press again."
_FREE = "The same answer as before: nothing was charged for it again."
_UNREADABLE = (
    "The table cannot be read as declared. Nothing was charged. The confidential area "
    "on “Data” says where."
)


class Pressed(NamedTuple):
    """A press of a release button: of which question, for which draw, in which mode.

    ``confirmed`` tells whether it was said before what it would spend.
    """

    analysis: str
    draw: int
    mode: Mode
    confirmed: bool

    def is_of(self, analysis: str) -> bool:
        """Tell whether it is of that question, in the mode that is in force."""
        return (self.analysis, self.mode) == (analysis, session.mode())


def press(analysis: str, draw: int, *, confirmed: bool = False) -> None:
    """Note which question a release was asked of, and in which mode."""
    partwise.forget_stop()
    session.set_public(_PRESSED, Pressed(analysis, draw, session.mode(), confirmed))


def pressed() -> Pressed | None:
    """Return what was pressed and not carried out yet."""
    return cast("Pressed | None", session.public(_PRESSED))


@contextlib.contextmanager
def heard() -> Iterator[None]:
    """Give up, at the end of a page's run, a press that its question did not meet.

    Nobody is to be charged when the question comes back later. A run that is cut short,
    or begins anew, has not got there: its press is for the one that follows.
    """
    # What was computed in the run before is for the press that asked for it.
    computed = session.take(_COMPUTED)
    if computed is not None and pressed() is None:
        session.set_public(_PRESSED, computed)
    try:
        yield
    except (session.PageEnded, Exception):
        # Cut short, it ends by another exception of Streamlit, which is no Exception.
        _give_up(computed=computed is not None)
        raise
    _give_up(computed=computed is not None)


def _give_up(*, computed: bool) -> None:
    if pressed() is None:
        return
    st.warning(_UNHEARD)
    session.take(_PRESSED)
    if computed:
        partwise.forget_values()


def asks_first(study: Study) -> bool:
    """Tell whether this tab would spend on the table for real, for the first time."""
    return session.mode() is Mode.RELEASE and study.fingerprint not in _confirmed()


def wait(pressed: Pressed) -> None:
    """Let what was pressed wait for a second word."""
    session.set_public(_UNCONFIRMED, pressed)


def waiting(analysis: str) -> Pressed | None:
    """Return what waits for a second word, if it is of that question."""
    pressed = cast("Pressed | None", session.public(_UNCONFIRMED))
    return pressed if pressed is not None and pressed.is_of(analysis) else None


def forget_to_confirm() -> None:
    """Let nothing wait for a second word."""
    session.take(_UNCONFIRMED)


def told() -> str | None:
    """Hand out what a press came to, once, where it charged nothing."""
    return cast("str | None", session.take(_TOLD))


def latest(fingerprint: str, request: Releasable) -> Release | None:
    """Return the newest answer to this very question, if it was ever asked.

    Its rows have the name that they have now.
    """
    ledger = session.ledger()
    analysis = request.analysis(fingerprint)
    draws = ledger.draws(fingerprint, analysis)
    stored = ledger.stored(request_id(analysis, draws)) if draws else None
    study = session.study()
    return stored if stored is None or study is None else study.renamed(stored)


def released_before(fingerprint: str, request: Releasable) -> Release | None:
    """Return the newest release of the same statistic, with any mechanism and epsilon."""
    query = request.parameters().get("query")
    if query is None:
        return None
    asked = canonical(query)
    return next(
        (
            each
            for each in reversed(session.ledger().releases(fingerprint))
            if not each.sharpens and canonical(each.request.get("query")) == asked
        ),
        None,
    )


def elsewhere(account: Account, request: Releasable) -> Release | None:
    """Return an answer to this question about another table of these people."""
    others = (name for name in account.fingerprints if name != account.fingerprint)
    found = (latest(name, request) for name in others)
    return next((answer for answer in found if answer is not None), None)


@contextlib.contextmanager
def drawing(study: Study, pressed: Pressed | None) -> Iterator[None]:
    """Give what was pressed a place, and say that an answer is drawn."""
    said: AbstractContextManager[object] = contextlib.nullcontext()
    if pressed is not None and study.parts is None:
        said = st.spinner("Drawing, and writing to the ledger …")
    # Always there: an element more would move all others, to be drawn anew.
    with st.container() if study.parts is not None else st.empty(), said:
        yield


def carry_out(request: Releasable, study: Study, pressed: Pressed, *, called: str = "") -> bool:
    """Release the question on screen if the button was pressed for it.

    ``called`` is what the curator calls it. A refusal, or a question that changed under
    the hand, leaves a notice. Return whether something was released.
    """
    return _heeded(pressed, lambda: _carry_out(request, study, pressed, called))


def _heeded(pressed: Pressed, carry_out: Callable[[], bool]) -> bool:
    """Do what was pressed for, where that is permitted; it is not pressed any more then."""
    try:
        done = _is_permitted(pressed) and carry_out()
    except DPCoreError as error:
        session.notice(_why(error))
        done = False
    # Not before: where the run is cut short, the next one asks for the same draw.
    session.take(_PRESSED)
    return done


def _carry_out(request: Releasable, study: Study, pressed: Pressed, called: str) -> bool:
    analysis, draw, mode, confirmed = pressed
    if not pressed.is_of(request.analysis(study.fingerprint)):
        partwise.forget_values()
        session.notice(_CHANGED)
        return False
    free = session.ledger().draws(study.fingerprint, analysis) >= draw
    account = session.account(study)
    fits = account.admits(request.due)
    if asks_first(study) and fits and not (free or confirmed):
        wait(pressed)
        return False
    forget_to_confirm()
    if draw > 1 and time.monotonic() - cast("float", session.public(_DRAWN) or 0.0) < _SAME_CLICK:
        # The third click of an impatient hand lands on the next button.
        session.notice(_TWICE)
        return False
    # Every releasable question is a frozen dataclass.
    again = cast("Releasable", replace(cast("Any", request), draw=draw))
    if not _release(again, study, pressed, stored=free, called=called):
        return False
    # The run that drew it may have been cut short before it could note the second word.
    if mode is Mode.RELEASE and (confirmed or not free):
        session.set_public(_CONFIRMED, _confirmed() | {study.fingerprint})
    if free:
        session.set_public(_TOLD, _FREE)
    session.set_public(_DRAWN, time.monotonic())
    return True


def carry_out_all(
    requests: Sequence[Releasable],
    study: Study,
    pressed: Pressed,
    *,
    name: str,
    called: Sequence[str],
    cost: Callable[[Sequence[Releasable]], PrivacyCost],
) -> bool:
    """Release all questions of a plan, or none, if its button was pressed.

    ``name`` is that of the plan on screen, and ``called`` what the curator calls each
    question; ``cost`` is what questions without an answer are charged together. Return
    whether answers were given.
    """
    return _heeded(
        pressed,
        lambda: _carry_out_all(requests, study, pressed, name=name, called=called, cost=cost),
    )


def _carry_out_all(
    requests: Sequence[Releasable],
    study: Study,
    pressed: Pressed,
    *,
    name: str,
    called: Sequence[str],
    cost: Callable[[Sequence[Releasable]], PrivacyCost],
) -> bool:
    if not pressed.is_of(name):
        partwise.forget_values()
        session.notice(_CHANGED)
        return False
    new = unanswered(requests, study)
    account = session.account(study)
    fits = account.admits(cost(new))
    if asks_first(study) and fits and new and not pressed.confirmed:
        wait(pressed)
        return False
    forget_to_confirm()
    values = _values(requests, new, study, pressed)
    if values is None:
        return False
    release_all(
        requests,
        values,
        cost=cost,
        ledger=session.opened_ledger(study),
        fingerprint=study.fingerprint,
        mode=session.mode(),
        now=datetime.now(UTC),
        called=called,
    )
    if pressed.mode is Mode.RELEASE and (pressed.confirmed or new):
        session.set_public(_CONFIRMED, _confirmed() | {study.fingerprint})
    if not new:
        session.set_public(_TOLD, _FREE)
    return True


def _is_permitted(pressed: Pressed) -> bool:
    """Refuse a real release to whoever may only plan it, before anything is computed."""
    try:
        if Mode.RELEASE in (pressed.mode, session.mode()):
            roles.require(roles.Action.RELEASE)
    except roles.RoleError as error:
        session.notice(f"{error} Nothing was charged.")
        return False
    return True


def _why(error: DPCoreError) -> str:
    """Return why nothing was released, in words that anybody may see."""
    if isinstance(error, DataError) and not isinstance(error, ChangedError):
        # Where it fails depends on the table: that is for the curator's area only.
        return _UNREADABLE
    return str(error)


def unanswered(requests: Sequence[Releasable], study: Study) -> list[Releasable]:
    """Return those questions that have no answer yet."""
    known = answers(requests, study)
    pairs = zip(requests, known, strict=True)
    return [request for request, answer in pairs if answer is None]


def answers(requests: Sequence[Releasable], study: Study) -> list[Release | None]:
    """Return the newest answer to each question; the ledger is read once."""
    known = {each.id: each for each in session.ledger().releases(study.fingerprint)}
    found = []
    for request in requests:
        analysis, draw = request.analysis(study.fingerprint), 1
        answer = None
        while (name := request_id(analysis, draw)) in known:
            answer, draw = known[name], draw + 1
        found.append(None if answer is None else study.renamed(answer))
    return found


def _confirmed() -> frozenset[str]:
    """Return the tables that this tab has spent on for real."""
    return cast("frozenset[str]", session.public(_CONFIRMED) or frozenset())


def _release(
    request: Releasable, study: Study, pressed: Pressed, *, stored: bool, called: str
) -> bool:
    """Release a question; return whether that is done, and does not wait for a value.

    ``stored`` tells whether it has an answer already.
    """
    values = _values([request], [] if stored else [request], study, pressed)
    if values is None:
        return False
    RUNS.step_aside()
    release(
        request,
        values[0],
        ledger=session.opened_ledger(study),
        fingerprint=study.fingerprint,
        mode=session.mode(),
        now=datetime.now(UTC),
        called=called,
    )
    return True


def _values(
    requests: Sequence[Releasable], new: Sequence[Releasable], study: Study, pressed: Pressed
) -> list[object] | None:
    """Return what requests are answered from; ``None`` while it is computed.

    Where the table is in parts, nothing is read for those that are not ``new``: their
    answers are stored, and no other is drawn.
    """
    press = f"{pressed.analysis} {pressed.draw} {pressed.mode}"
    read = requests if study.parts is None else new
    found = partwise.values(read, study, press)
    if found is None and partwise.was_stopped(press):
        session.set_public(_TOLD, _STOPPED)
    elif found is None:
        session.set_public(_COMPUTED, pressed)
    if found is None:
        return None
    names = [each.analysis(study.fingerprint) for each in requests]
    if not found.keys() >= {each.analysis(study.fingerprint) for each in read}:
        # An answer that was there when computing began is not there any more.
        session.notice(_CHANGED)
        return None
    return [found.get(name) for name in names]
