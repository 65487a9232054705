"""What holds a number for every person is in memory only while a page shows it."""

from __future__ import annotations

import gc
import types
from collections.abc import Iterator

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

from dpcore.data.dataset import Dataset
from tests.app.conftest import close_tab
from tests.app.test_pages import by_label, charts, use_upload
from tests.conftest import PATIENCE, few
from ui import session
from ui.individual.subject import SubjectKind


def after(*way: str) -> list[str]:
    """Return what was computed on the way through views of some pages, in order."""
    close_tab()  # All these apps are one tab.
    app = AppTest.from_string(
        """
import streamlit as st
from ui import session

session.start()
computed = st.session_state.setdefault("computed", [])

def value(slot, key):
    def compute():
        computed.append(slot + key)
        return slot + key
    return compute

page, view = st.session_state["page"], st.session_state["view"]
with session.only_what_is_shown(page):
    session.remember("kept", "a", value("kept", "a"))
    if view in {"both", "first", "cut"}:
        session.while_shown("first", "a", value("first", "a"))
    if view == "cut":
        session.end_page()
    if view == "both":
        session.while_shown("second", "a", value("second", "a"))
        session.this_run("third", "a", value("third", "a"))
        session.this_run("third", "a", value("third", "a"))
    if view == "here":
        session.while_here("busy", "a", value("busy", "a"))
    if view == "stays":
        session.stay(["first"])
""",
        default_timeout=PATIENCE,
    )
    for stop in way:
        app.session_state["page"], app.session_state["view"] = stop.split()
        app.run()
    return list(app.session_state["computed"])


ALL = ["kepta", "firsta", "seconda", "thirda"]


@pytest.mark.parametrize(
    ("way", "again"),
    [
        (("A both", "A both"), []),
        (("A both", "A none", "A both"), ["firsta", "seconda"]),
        (("A both", "A first", "A both"), ["seconda"]),
        (("A both", "A cut", "A both"), []),
        (("A both", "A stays", "A both"), ["seconda"]),
        (("A both", "A stays", "A none", "A both"), ["firsta", "seconda"]),
        (("A both", "B none", "A both"), []),
        (("A both", "B none", "B none", "A both"), []),
        (("A both", "B none", "A none", "A both"), ["firsta", "seconda"]),
        (("A both", "B none", "C none", "A both"), ["firsta", "seconda"]),
        (("A both", "B first", "C none", "A both"), ["seconda"]),
    ],
)
def test_a_slot_is_forgotten_once_neither_this_page_nor_the_last_shows_it(way, again):
    computed = after(*way)
    assert computed[: len(ALL)] == ALL
    runs = sum(stop.endswith("both") for stop in way)
    assert sorted([each for each in computed[len(ALL) :] if each != "thirda"]) == sorted(again)
    assert computed.count("thirda") == runs


@pytest.mark.parametrize(
    ("way", "times"),
    [
        (("A here", "A here"), 1),
        (("A here", "A cut", "A none", "A here"), 1),
        (("A here", "B cut", "A here"), 2),
        (("A here", "B none", "A here", "A here"), 2),
    ],
)
def test_what_keeps_something_busy_is_forgotten_on_another_page(way, times):
    assert after(*way).count("busya") == times


# No picture has as many points.
PEOPLE = 211
TABLE = "age,smoker\n" + "".join(
    f"{20 + i * i % 50},{'yes' if i % 3 == 0 else 'no'}\n" for i in range(PEOPLE)
)


def of_everybody(vault) -> set[str]:
    """Return the slots from which an array of a number for every person is reached."""
    return {
        slot
        for slot, (_, result) in vault.found.items()
        if any(PEOPLE in each.shape for each in arrays(result))
    }


def arrays(root: object) -> Iterator[np.ndarray]:
    """Yield the arrays that an object holds, the table's own left out."""
    waiting, seen = [root], set()
    while waiting:
        one = waiting.pop()
        if id(one) in seen or isinstance(one, (type, types.ModuleType, Dataset)):
            continue
        seen.add(id(one))
        if isinstance(one, np.ndarray):
            yield one
        elif isinstance(one, types.FunctionType):
            waiting += one.__closure__ or ()
        else:
            waiting += gc.get_referents(one)


@pytest.fixture
def vault(monkeypatch):
    kept = session._Vault(remove_files=lambda: None)  # noqa: SLF001 - no public way
    monkeypatch.setattr(session, "_vault", lambda: kept)
    return kept


def look(open_page, kind: SubjectKind) -> AppTest:
    """Open everybody's losses."""
    app = open_page("privacy_loss")
    by_label(app.radio, "What is released").set_value(kind.value).run()
    for toggle in app.toggle:
        if not toggle.value:
            toggle.set_value(True).run()
    assert not app.error
    return app


def shown(app: AppTest) -> list[object]:
    """Return the numbers, texts, lists and pictures of everybody's losses."""
    numbers = [(each.label, each.value) for each in app.metric]
    lists = [each.value.to_dict() for each in app.dataframe]
    return [numbers, lists, [each.value for each in app.markdown], charts(app)]


@pytest.mark.parametrize("kind", few(1, SubjectKind.STATISTIC, SubjectKind.MODEL))
def test_coming_back_shows_the_same_and_leaving_holds_nothing(open_page, vault, kind):
    use_upload(open_page, TABLE, lower=0.0, upper=100.0)
    first, held = shown(look(open_page, kind)), of_everybody(vault)
    assert held
    # A page that is opened by its file runs without the frame that forgets.
    for page in ("one", "another", "a third"):
        with session.only_what_is_shown(page):
            pass
    assert not of_everybody(vault)
    assert shown(look(open_page, kind)) == first
    assert of_everybody(vault) == held
