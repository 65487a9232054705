"""A press on a release button is carried out once for its question, or said to be lost.

Streamlit cuts a run short where a later one is asked for, anywhere a page calls it.
"""

from __future__ import annotations

from collections.abc import Callable
from types import SimpleNamespace

import pytest
import streamlit as st
from streamlit.runtime.scriptrunner import RerunData, RerunException, StopException
from streamlit.testing.v1 import AppTest

from dpcore.analyses.base import Mode
from tests.app.asking import use_survey
from tests.app.test_pages import again_button, press_release, release_button
from tests.app.test_questions import set_to, shown
from tests.conftest import PATIENCE, ROOT, assert_says, few
from ui import releasing, session
from ui.releasing import Pressed

ANSWER = "Release 1 of this question"
PRESSED = Pressed("of another page", 1, Mode.RELEASE, confirmed=True)


@pytest.fixture
def asked(open_page: Callable[[str], AppTest]) -> AppTest:
    use_survey(open_page)
    app = open_page("release")
    assert ANSWER not in shown(app)
    # The first press of a tab asks for a second one.
    return release_button(app).click().run()


def spend(app: AppTest) -> AppTest:
    return next(b for b in app.button if b.label.startswith("Spend ")).click()


@pytest.mark.usefixtures("framed")
def test_press_is_carried_out_and_shown_in_one_run(
    asked: AppTest, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole, runs = st.title, []

    def title(words: str) -> object:
        runs.append(words)
        return whole(words)

    def spent() -> str:
        (gauge,) = asked.sidebar.get("progress")
        return str(gauge.proto.text)

    monkeypatch.setattr(st, "title", title)
    assert spent().startswith("Budget: 0 of ")
    spend(asked).run()
    assert runs == ["Release"]
    assert ANSWER in shown(asked)
    # What stands above the button and what stands below it know of the answer.
    assert not spent().startswith("Budget: 0 of ")
    assert "Released so far" in [header.value for header in asked.header]


@pytest.mark.parametrize("name", few(1, "spinner", "title"))
def test_press_outlives_runs_that_are_cut_short(
    asked: AppTest, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    whole, cuts = getattr(st, name), [2]

    def cut(*args: object, **named: object) -> object:
        if cuts[0]:
            cuts[0] -= 1
            st.rerun()
        return whole(*args, **named)

    monkeypatch.setattr(st, name, cut)
    spend(asked).run()
    assert cuts == [0]
    assert ANSWER in shown(asked)


def test_second_word_is_kept_where_the_run_that_drew_is_cut_short(
    asked: AppTest, monkeypatch: pytest.MonkeyPatch
) -> None:
    noted, cuts = session.set_public, [1]

    def cut(key: str, value: object) -> None:
        if key == "_confirmed" and cuts[0]:
            cuts[0] -= 1
            st.rerun()
        noted(key, value)

    monkeypatch.setattr(session, "set_public", cut)
    spend(asked).run()
    assert cuts == [0]
    assert ANSWER in shown(asked)
    # Draws of another answer follow without being asked about once more.
    monkeypatch.setattr(releasing, "_SAME_CLICK", 0.0)
    again_button(asked).click().run()
    assert "Release 2 of this question" in shown(asked)


def test_click_right_after_an_answer_draws_no_other_one(
    asked: AppTest, monkeypatch: pytest.MonkeyPatch
) -> None:
    now = [100.0]
    monkeypatch.setattr(releasing, "time", SimpleNamespace(monotonic=lambda: now[0]))
    spend(asked).run()
    now[0] += 1.9
    again_button(asked).click().run()
    assert_says(shown(asked), "That was the same click twice")
    assert "Release 2 of this question" not in shown(asked)
    now[0] += 0.2
    again_button(asked).click().run()
    assert "Release 2 of this question" in shown(asked)


def test_press_whose_question_is_gone_is_lost_and_said_to_be() -> None:
    app = AppTest.from_file(str(ROOT / "app.py"), default_timeout=PATIENCE)
    app.session_state["_pressed"] = PRESSED
    assert "The release was not made" in shown(app.run())
    assert "_pressed" not in app.session_state


@pytest.mark.parametrize(
    ("end", "kept"),
    [
        (RerunException(RerunData()), True),
        # So ends a run that a later one takes the place of.
        (StopException(), True),
        (session.PageEnded(), False),
        (ValueError("a fault of the page"), False),
    ],
)
def test_press_waits_for_the_next_run_only_where_this_one_is_cut_short(
    monkeypatch: pytest.MonkeyPatch, end: BaseException, *, kept: bool
) -> None:
    notes: dict[str, object] = {"_pressed": PRESSED}
    monkeypatch.setattr(releasing.session, "public", notes.get)
    monkeypatch.setattr(releasing.session, "take", lambda key: notes.pop(key, None))
    with pytest.raises(type(end)), releasing.heard():
        raise end
    assert ("_pressed" in notes) is kept


def test_a_statistic_that_was_released_with_another_epsilon_is_known(
    open_page: Callable[[str], AppTest],
) -> None:
    use_survey(open_page)
    app = open_page("release")
    assert "released before" not in shown(app)
    press_release(app)
    assert "released before" not in shown(app)
    set_to(app, "number_input", "ε for this release", 1.0)
    assert_says(shown(app), "This statistic was released before: Laplace, ε = 0.5")
