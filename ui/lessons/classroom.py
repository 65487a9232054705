"""A class that answers from its phones: the side of whoever leads, and that of a seat.

What is shared between tabs is in `dpcore.lessons.classroom`: which public question is
open, and how often each answer was chosen.
"""

from __future__ import annotations

import secrets
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Final, cast

import streamlit as st

from dpcore.errors import ParameterError
from dpcore.lessons.catalog import LESSONS
from dpcore.lessons.classroom import LENGTH
from dpcore.lessons.lesson import Step
from dpcore.wording import people
from ui import session
from ui.lessons.sharing import code as code_of
from ui.lessons.sharing import link
from ui.text import literal

if TYPE_CHECKING:
    from dpcore.lessons.classroom import Room
    from dpcore.lessons.lesson import Question
    from ui.lessons.choosing import Place

_CODE, _SEAT, _LED = "class", "seat", "_class_led"
_SECONDS: Final = 2
_WIDTH: Final = 260


def lead(place: Place) -> None:
    """Let the phones of a class that is led from this tab see the step on screen."""
    code = _led()
    if code:
        session.classes().lead(
            code,
            lesson=place.lesson.key,
            taking=place.step is Step.PREDICT,
            now=datetime.now(UTC),
        )


def offer() -> None:
    """Let a class be opened; once it is, show how to join and how many answered."""
    code = _led()
    if not code:
        st.button(
            "Let them answer from their phones",
            on_click=_open,
            key="class-open",
            help="Opens a class on this server. Phones see the question and send the "
            "place of an answer: no names, and nothing of any table.",
        )
        notice = session.take("_class_notice")
        if notice is not None:
            st.warning(literal(str(notice)))
        return
    address = link(str(st.context.url or ""), {_CODE: code})
    st.markdown(
        f"Phones answer at the address below, or on Lessons with the code **{code}**."
    )
    st.image(code_of(address), alt="QR code of the link below", width=_WIDTH)
    st.code(address, language=None, wrap_lines=True)
    st.button("End the class", on_click=_close, args=(code,), key="class-close")


def gathered(place: Place) -> None:
    """Show how to join, and, again and again, how many have answered."""
    code, lesson = _led(), place.lesson.key
    if not code or place.step is not Step.PREDICT:
        return

    def count() -> None:
        room = session.classes().room(code)
        number = len(room.answers.get(lesson, {})) if room is not None else 0
        st.markdown(f"Class **{code}**: {people(number, 'answer')} so far.")

    st.fragment(count, run_every=_SECONDS)()


def counts(lesson: str, question: Question) -> list[int]:
    """Return how many of the class chose each answer; none where no class is led."""
    code, choices = _led(), len(question.choices)
    room = session.classes().room(code) if code else None
    return [0] * choices if room is None else room.counts(lesson, choices)


def join() -> None:
    """Ask for the code of a class, to take a seat in it."""
    area = st.expander("Join a class", key="class-join", on_change="rerun")
    if not area.open:
        return
    with area:
        code = st.text_input(
            "Code of the class", max_chars=LENGTH, key="class-code"
        ).strip()
        if code and session.classes().room(code) is None:
            st.info("There is no class by this code now; ask whoever leads it.")
        elif code:
            st.query_params.clear()
            st.query_params[_CODE] = code.upper()
            st.rerun()


def seated() -> bool:
    """Show the page of a seat, where the address is that of a class."""
    code = str(st.query_params.get(_CODE, "")).strip().upper()
    if not code:
        return False
    if not st.query_params.get(_SEAT):
        # In the address, so that a phone that reloads keeps its one seat.
        st.query_params[_SEAT] = secrets.token_urlsafe(6)
    seat = str(st.query_params[_SEAT])
    st.header(f"Class {literal(code)}", anchor=False)
    st.fragment(lambda: _seat(code, seat), run_every=_SECONDS)()
    st.button("Leave the class", on_click=_leave, key="class-leave")
    return True


def _seat(code: str, seat: str) -> None:
    room = session.classes().room(code)
    if room is None:
        st.info("This class has ended, or its code was mistyped.")
        return
    if room.lesson not in LESSONS:
        st.info("Nothing has been asked yet. This page turns by itself.")
        return
    question = LESSONS[room.lesson].telling().predict
    chosen = room.answered(room.lesson, seat)
    if room.open:
        _asked(room, question, seat, chosen)
    else:
        _told(question, chosen)


def _asked(room: Room, question: Question, seat: str, chosen: int | None) -> None:
    st.markdown(f"**{literal(question.text)}**")
    for place, choice in enumerate(question.choices):
        st.button(
            choice.text,
            type="primary" if place == chosen else "secondary",
            width="stretch",
            on_click=_answer,
            args=(room.code, room.lesson, seat, place),
            key=f"seat-{room.lesson}-{place}",
        )
    st.caption(
        "Nobody sees who chose what."
        if chosen is None
        else f"Your answer: {literal(question.choices[chosen].text)}. It can be "
        "changed until the truth is shown."
    )


def _told(question: Question, chosen: int | None) -> None:
    st.markdown(f"**{literal(question.text)}**")
    if chosen is None:
        st.info("Look up: the answer is on the screen.")
        return
    choice, right = question.choices[chosen], question.right
    said = f"You chose “{literal(choice.text)}”. {literal(choice.why)}"
    if choice.right:
        st.success(f"Right. {said}", icon=":material/check:")
    else:
        st.warning(f"Not so. {said}", icon=":material/close:")
        st.markdown(f"**{literal(right.text)}.** {literal(right.why)}")


def _answer(code: str, lesson: str, seat: str, choice: int) -> None:
    session.classes().answer(code, lesson=lesson, seat=seat, choice=choice)


def _led() -> str:
    return cast("str | None", session.public(_LED)) or ""


def _open() -> None:
    try:
        code = session.classes().open(now=datetime.now(UTC), draw=secrets.choice)
    except ParameterError as error:
        session.set_public("_class_notice", str(error))
        return
    session.set_public(_LED, code)


def _close(code: str) -> None:
    session.classes().close(code)
    session.set_public(_LED, None)


def _leave() -> None:
    st.query_params.clear()
