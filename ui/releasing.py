"""Carrying out a release when its button was pressed.

The button only notes which question was asked. The page, once it knows the question on
screen, carries it out if it still is the same: a value that was typed but not entered
reaches the page together with the click. There is no Streamlit call between debit and
answer, so that a second click cannot interrupt it half-way, and the draw number is part
of the request, so that a second click on the same button asks for the same answer.
"""

from __future__ import annotations

import time
from dataclasses import replace
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, NamedTuple, cast

from dpcore.errors import DataError, DPCoreError
from dpcore.releases.identity import request_id
from dpcore.releases.transaction import release
from ui import session

if TYPE_CHECKING:
    from dpcore.releases.record import Mode, Release
    from dpcore.releases.releasable import Releasable
    from ui.study import Study

_PRESSED, _DRAWN = "_pressed", "_drawn"
_SAME_CLICK = 2.0
_CHANGED = (
    "The question changed while you pressed the button. Nothing was charged: look at "
    "the question again, and press once more."
)
_TWICE = (
    "That was the same click twice, so it was charged once. For another draw press "
    "again."
)
_UNREADABLE = (
    "The table cannot be read as declared. Nothing was charged. The confidential area "
    "on “Data” says where."
)


class Pressed(NamedTuple):
    """A press of a release button: of which question, for which draw, in which mode."""

    analysis: str
    draw: int
    mode: Mode


def press(analysis: str, draw: int) -> None:
    """Note which question a release was asked of, and in which mode."""
    session.set_public(_PRESSED, Pressed(analysis, draw, session.mode()))


def pressed() -> Pressed | None:
    """Hand out what was noted when the button was pressed, once."""
    return cast("Pressed | None", session.take(_PRESSED))


def latest(fingerprint: str, request: Releasable) -> Release | None:
    """Return the newest answer to this very question, if it was ever asked."""
    ledger = session.ledger()
    analysis = request.analysis(fingerprint)
    draws = ledger.draws(fingerprint, analysis)
    return ledger.stored(request_id(analysis, draws)) if draws else None


def carry_out(request: Releasable, study: Study, pressed: Pressed) -> bool:
    """Release the question on screen if the button was pressed for it.

    A refusal, or a question that changed under the hand, leaves a notice. Return
    whether something was released.
    """
    analysis, draw, mode = pressed
    if (analysis, mode) != (request.analysis(study.fingerprint), session.mode()):
        session.notice(_CHANGED)
        return False
    if (
        draw > 1
        and time.monotonic() - cast("float", session.public(_DRAWN) or 0.0)
        < _SAME_CLICK
    ):
        # The third click of an impatient hand lands on the next button.
        session.notice(_TWICE)
        return False
    try:
        # Every releasable question is a frozen dataclass.
        again = cast("Releasable", replace(cast("Any", request), draw=draw))
        _release(again, study)
    except DataError:
        # Where it fails depends on the table: that is for the curator's area only.
        session.notice(_UNREADABLE)
        return False
    except DPCoreError as error:
        session.notice(str(error))
        return False
    session.set_public(_DRAWN, time.monotonic())
    return True


def _release(request: Releasable, study: Study) -> None:
    release(
        request,
        request.value(study.dataset),
        ledger=session.ledger(),
        fingerprint=study.fingerprint,
        mode=session.mode(),
        now=datetime.now(UTC),
    )
