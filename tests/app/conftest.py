"""Pages in process, without a browser."""

from __future__ import annotations

import contextlib
import copy
from collections.abc import Callable, Generator
from pathlib import Path
from typing import Any
from unittest.mock import MagicMock

import numpy as np
import pytest
import streamlit as st
from streamlit.navigation import page
from streamlit.navigation.page import StreamlitPage
from streamlit.runtime import Runtime
from streamlit.runtime.pages_manager import PagesManager
from streamlit.runtime.scriptrunner.script_cache import ScriptCache
from streamlit.runtime.scriptrunner_utils import script_run_context
from streamlit.testing.v1 import AppTest, app_test, local_script_runner

from dpcore.arrays import FloatArray
from dpcore.ledger.transaction import release
from dpcore.mechanisms.mechanism import Mechanism
from dpcore.releases.record import Release
from tests.app import asking, beginnings
from tests.conftest import PATIENCE, ROOT
from ui import session
from ui.downloads import Offer


def close_tab() -> None:
    """Let go of everything confidential: all AppTests share the id of one tab."""
    session._vaults.clear()  # noqa: SLF001 - no public way
    st.cache_resource.clear()


_OPEN = {"Declaration", "Edit column", "First rows", "Glossary", "Remove data", "Replace"}


@pytest.fixture
def tab() -> AppTest:
    """A new tab, in which nothing was drawn yet."""
    close_tab()
    return AppTest.from_file(str(ROOT / "app.py"), default_timeout=PATIENCE)


@pytest.fixture
def app(tab: AppTest) -> AppTest:
    """The same tab, on Home."""
    return tab.run()


@pytest.fixture
def framed(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let app.py frame every page, as in a server; AppTest runs pages alone."""
    real = PagesManager.__init__

    def after_navigation(self: PagesManager, *args: Any, **named: Any) -> None:
        real(self, *args, **named)
        PagesManager.uses_pages_directory = False

    monkeypatch.setattr(PagesManager, "__init__", after_navigation)


@pytest.fixture(autouse=True, scope="session")
def pages_are_drawn_to_the_end() -> Generator[None]:
    """Fail wherever a page breaks off, so that no test has to ask for it."""
    run = AppTest._run  # noqa: SLF001 - every run goes through it

    def checked(self: AppTest, *args: Any, **named: Any) -> AppTest:
        drawn = run(self, *args, **named)
        assert not drawn.exception
        return drawn

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(AppTest, "_run", checked)
        yield


@pytest.fixture(autouse=True, scope="session")
def what_is_the_same_in_all_runs_is_made_once() -> Generator[None]:
    """Leave out what AppTest does anew in each run, and what no test looks at."""
    read, runtime = ScriptCache(), MagicMock(spec=Runtime)
    create, known, draw = page._create_page, {}, StreamlitPage.run  # noqa: SLF001

    def created(script: Path, *, default: bool = False) -> StreamlitPage:
        if (script, default) not in known:
            known[script, default] = create(script, default=default)
        return copy.copy(known[script, default])

    def drawn(self: StreamlitPage) -> None:
        # As app.py does, where it frames the page.
        framed = session._book.get()  # noqa: SLF001
        with contextlib.nullcontext() if framed else session.ledger_read_once():
            draw(self)

    def ended(runner: local_script_runner.LocalScriptRunner, timeout: float) -> None:
        # No look at it each millisecond, for which the page has to wait.
        runner._script_thread.join(timeout)  # noqa: SLF001
        assert runner.script_stopped(), "the page never ends"

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(app_test, "ScriptCache", lambda: read)
        patch.setattr(local_script_runner, "ScriptCache", lambda: read)
        patch.setattr(app_test, "MagicMock", lambda **_: runtime)
        patch.setattr(local_script_runner, "require_widgets_deltas", ended)
        patch.setattr(script_run_context, "populate_hash_if_needed", lambda _: None)
        patch.setattr(local_script_runner, "parse_tree_from_messages", beginnings.parsed)
        patch.setattr(page, "_create_page", created)
        patch.setattr(StreamlitPage, "run", drawn)
        yield


@pytest.fixture(autouse=True)
def popovers_are_open(monkeypatch: pytest.MonkeyPatch) -> None:
    """Show what a popover draws once it is open, as if it had been opened."""
    closed = st.popover

    def popover(label: str, **settings: Any) -> Any:
        made = closed(label, **settings)
        if label in _OPEN:
            made.open = True
        return made

    monkeypatch.setattr(st, "popover", popover)


@pytest.fixture(autouse=True)
def no_components_of_packages(monkeypatch: pytest.MonkeyPatch) -> None:
    """Leave out the search of all installed packages that each new app begins with."""
    monkeypatch.setattr(
        "streamlit.components.v2.manifest_scanner.scan_component_manifests", lambda *_, **__: []
    )


@pytest.fixture(autouse=True)
def simulations_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Wait for simulations: no time of its own passes between two runs of a page."""
    monkeypatch.setattr("ui.work._WITHOUT_PROGRESS", 60.0)
    monkeypatch.setattr("ui.individual.publishing._PATIENCE", 60.0)


@pytest.fixture(autouse=True)
def nothing_set_aside(monkeypatch: pytest.MonkeyPatch) -> None:
    """Collect no garbage for every tab that a test leaves: all are of one process."""
    monkeypatch.setattr("ui.open_tabs.set_aside", lambda: None)
    monkeypatch.setattr("ui.session._tidying.request", lambda: None)


@pytest.fixture
def known_noise(monkeypatch: pytest.MonkeyPatch) -> None:
    """Draw from a seed, where what a page says depends on the draw.

    Whether there are too few to say, or bars that noise took far below nobody, is
    decided by chance: now and then a group of nobody looks like one of many.
    """
    rng = np.random.default_rng(3)

    def draw(mechanism: Mechanism, value: FloatArray, **_: object) -> FloatArray:
        return mechanism.simulate(value, rng=rng, size=value.shape)

    monkeypatch.setattr("dpcore.analyses.secure.draw", draw)


@pytest.fixture
def files(monkeypatch: pytest.MonkeyPatch) -> dict[str, Callable[[], str | bytes]]:
    """What is offered to be downloaded, by its label: as if it was just pressed."""
    found: dict[str, Callable[[], str | bytes]] = {}
    offered = st.download_button

    def download(label: str, data: Any, **settings: Any) -> bool:
        found[label] = data
        return offered(label, data, **settings)

    def at_once(self: Offer, press: int) -> str | bytes:
        return self._files[press].content()

    monkeypatch.setattr(st, "download_button", download)
    monkeypatch.setattr(Offer, "content", at_once)
    return found


@pytest.fixture
def open_page(tab: AppTest, request: pytest.FixtureRequest) -> beginnings.Opener:
    """Open a page by its name; Home is drawn first only where a test asks for it."""
    if "app" not in request.fixturenames:
        with pytest.MonkeyPatch.context() as bare:
            bare.setattr(StreamlitPage, "run", lambda _: None)
            tab.run()
    return beginnings.Opener(tab, request)


@pytest.fixture
def follow(monkeypatch: pytest.MonkeyPatch) -> Callable[[AppTest], asking.Seen]:
    records: list[Release] = []

    def noted(*args: object, **named: object) -> Release:
        records.append(release(*args, **named))
        return records[-1]

    monkeypatch.setattr("ui.releasing.release", noted)
    return lambda app: asking.follow(app, records)


@pytest.fixture
def records(monkeypatch):
    """Every answer that the pages get, new or known."""
    known: list[Release] = []

    def noted(*args, **named):
        known.append(release(*args, **named))
        return known[-1]

    monkeypatch.setattr("ui.releasing.release", noted)
    return known
