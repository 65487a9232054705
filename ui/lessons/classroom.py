"""A class that answers from its phones, and predictions: the side of the teacher.

What is shared between tabs and phones is in `dpcore.lessons.classroom`: which public
question is open, and how often each answer was chosen.
"""

from __future__ import annotations

import secrets
from collections.abc import Callable
from datetime import UTC, datetime
from typing import Final, cast
from urllib.parse import urlsplit, urlunsplit

import streamlit as st

from dpcore.errors import ParameterError
from dpcore.figures.lessons import votes_picture
from dpcore.figures.theme import Picture
from dpcore.formatting import people
from dpcore.lessons.classroom import SEATS_OF_CLIENT, seat_of, spaced, token_of
from dpcore.lessons.lesson import Lesson, LessonStep, QuizQuestion
from ui import controls, session
from ui.lessons import phones
from ui.lessons.lesson_choice import LessonPlace
from ui.lessons.phones import KEY, ROOMS
from ui.text import literal

_LED, _SHARED = "_class_led", "class-shares-address"
_ADDRESS: Final = "class"
"""What in the address names the class that is led; a cookie of this name has its key.

After a reload both lead the class again. Whoever copies the address has no cookie.
"""
_SECONDS: Final = 2


def lead(place: LessonPlace) -> None:
    """Let the phones of a class that is led from this tab see the step on screen."""
    code, lesson_text = _led(), place.lesson.text()
    if code:
        st.query_params[_ADDRESS] = code
        ROOMS.lead(
            code,
            lesson=place.lesson.key,
            situation=lesson_text.situation,
            question=lesson_text.predict,
            taking=place.step is LessonStep.PREDICT,
            now=datetime.now(UTC),
        )


def offer(code_of: Callable[[str], str], width: int) -> None:
    """Let a class be opened; once it is, show how phones join it.

    ``code_of`` returns the QR code of an address, which is shown at a width.
    """
    page = phones.page_for_devices() if phones.are_served() else None
    if page is None:
        phones.explain()
    if not phones.are_served():
        return
    code = _led()
    if not code:
        st.button(
            "Open a class for phones",
            type="primary",
            on_click=_open,
            key="class-open",
            help="Phones answer the question of “Predict”, and then show the result. "
            "Phones send no names, and get nothing of any table.",
        )
        notice = session.take("_class_notice")
        if notice is not None:
            st.warning(literal(str(notice)))
        return
    address = _address(page or str(st.context.url or ""), code)
    st.markdown(f"Class code: **{spaced(code)}**")
    if page is not None:
        st.image(code_of(address), alt="QR code of the address below", width=width)
    st.code(address, language=None, wrap_lines=True)
    st.checkbox(
        "All phones use the school’s Wi-Fi",
        value=_shares(code),
        key=_SHARED,
        on_change=_share,
        args=(code,),
        help="A school’s network may give all phones one address. Without this tick "
        f"{SEATS_OF_CLIENT} phones of one address can join, so that nobody fills the class alone.",
    )
    st.button("End the class", on_click=_close, args=(code,), key="class-close")
    key = f"{_cookie(code)}={token_of(code, code=code, key=KEY)}; SameSite=Strict"
    st.html(f"<script>document.cookie = '{key}'</script>", unsafe_allow_javascript=True)


def gathered(place: LessonPlace) -> None:
    """Show again and again how many answered and were refused; say what is asked aloud."""
    code, lesson = _led(), place.lesson.key
    if not code:
        return
    if place.step is LessonStep.QUESTIONS:
        st.caption("Phones do not show these questions. Ask them aloud.")

    def count() -> None:
        room = ROOMS.room(code)
        if room is None:
            return
        if room.crowded:
            st.warning(
                f"{people(room.crowded, 'attempt')} to join failed: {SEATS_OF_CLIENT} phones of "
                "one network have joined. Press “Teach”, and tick “All phones use the school’s "
                "Wi-Fi”. Then let these phones press “Join” again."
            )
        if place.step is LessonStep.PREDICT:
            answers, phones_here = room.turnout(lesson)
            closed = "" if room.open else " The result was shown, so answers are closed."
            st.markdown(
                f"Class **{spaced(code)}**: {answers} of {people(phones_here, 'phone')} "
                f"answered.{closed}"
            )

    st.fragment(count, run_every=_SECONDS)()


def counts(lesson: str, question: QuizQuestion) -> list[int]:
    """Return how many of the class chose each answer; none where no class is led."""
    code, choices = _led(), len(question.choices)
    room = ROOMS.room(code) if code else None
    return [0] * choices if room is None else room.counts(lesson, choices)


def join() -> None:
    """Lead to the page on which a class is joined."""
    if phones.are_served():
        st.link_button("Join a class", _address(str(st.context.url or "")), type="tertiary")


def _address(page: str, *code: str) -> str:
    """Return where phones join, on the host of a page."""
    parts = urlsplit(page)
    return urlunsplit((parts.scheme, parts.netloc, phones.path(*code), "", ""))


def _led() -> str:
    """Return the code of the class that this tab leads, also after a reload."""
    led = cast("str | None", session.public(_LED))
    code = st.query_params.get(_ADDRESS, "")
    token = str(st.context.cookies.get(_cookie(code), ""))
    if led is None and seat_of(token, code=code, key=KEY) == code and ROOMS.room(code):
        session.set_public(_LED, code)
        return code
    return led or ""


def _cookie(code: str) -> str:
    return f"{_ADDRESS}-{code}"


def _shares(code: str) -> bool:
    room = ROOMS.room(code)
    return room is not None and room.shares_address


def _open() -> None:
    try:
        code = ROOMS.open(now=datetime.now(UTC), draw=secrets.choice)
    except ParameterError as error:
        session.set_public("_class_notice", str(error))
        return
    session.set_public(_LED, code)


def _share(code: str) -> None:
    ROOMS.share_address(code, shared=session.public(_SHARED) is True)


def _close(code: str) -> None:
    ROOMS.close(code)
    session.set_public(_LED, None)
    st.query_params.pop(_ADDRESS, None)


_MOST = 999


def ask(lesson: Lesson, question: QuizQuestion) -> int | None:
    """Ask what the reader expects, and return which answer was chosen, if any."""
    key = f"predict-{lesson.key}"
    return choose(question, key, lambda: _note(lesson, key))


def choose(question: QuizQuestion, key: str, heard: Callable[[], None] | None = None) -> int | None:
    """Show a question with its answers, none of them chosen at first.

    ``heard`` is called before the page is drawn anew with the answer that was chosen.
    """
    texts = [choice.text for choice in question.choices]
    found = controls.HERE.radio(
        question.text,
        list(range(len(texts))),
        format_func=lambda place: texts[place],
        index=None,
        on_change=heard,
        key=key,
        kept="session",
        horizontal=False,
    )
    return cast("int | None", found)


def known(lesson: Lesson) -> int | None:
    """Return what the reader has predicted, if anything."""
    return cast("int | None", session.public(_noted(lesson)))


def count_hands(lesson: Lesson, question: QuizQuestion) -> None:
    """Let a teacher type how many raised a hand for each answer."""
    with st.expander("Count raised hands"):
        counts = [
            controls.HERE.number(
                choice.text, 0, (0, _MOST), key=f"votes-{lesson.key}-{place}", kept="session"
            )
            for place, choice in enumerate(question.choices)
        ]
    session.set_public(_counted(lesson), counts)


def predicted_counts(lesson: Lesson, question: QuizQuestion) -> list[int]:
    """Return how many of the class chose each answer; empty if nobody was counted.

    Hands that were typed and phones add up.
    """
    typed = cast("list[int] | None", session.public(_counted(lesson)))
    sent = counts(lesson.key, question)
    found = [sum(pair) for pair in zip(typed or [0] * len(sent), sent, strict=True)]
    return found if any(found) else []


def predictions(lesson: Lesson, question: QuizQuestion) -> Picture | None:
    """Return what the class expected beside what is true, if it was counted."""
    found = predicted_counts(lesson, question)
    if not found:
        return None
    texts = [choice.text for choice in question.choices]
    return votes_picture(texts, found, right=question.choices.index(question.right))


def _note(lesson: Lesson, key: str) -> None:
    session.set_public(_noted(lesson), session.public(key))


def _noted(lesson: Lesson) -> str:
    return f"_predicted-{lesson.key}"


def _counted(lesson: Lesson) -> str:
    return f"_counted-{lesson.key}"
