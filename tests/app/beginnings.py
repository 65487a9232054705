"""Where many tests begin: walked once a worker, and taken up from there by the next ones."""

from __future__ import annotations

import copy
import functools
import os
import shutil
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pytest
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg
from streamlit.testing.v1 import AppTest, element_tree

from ui import session

_TAB = "test session id"  # of all AppTests
_OWN = ("_finished_page_script_hash", "_page_hash", "query_params", "_registered_pages")
_found: dict[object, Beginning] = {}


class Opener:
    """Opens pages of a tab by their names; knows whether a test began as others do."""

    def __init__(self, tab: AppTest, request: pytest.FixtureRequest) -> None:
        self.tab, self.alike = tab, begins_alike(request)
        self.folders: pytest.TempPathFactory = request.getfixturevalue("tmp_path_factory")

    def __call__(self, name: str) -> AppTest:
        """Open a page."""
        self.alike = False
        return self.tab.switch_page(f"pages/{name}.py").run()


def begins_alike(request: pytest.FixtureRequest) -> bool:
    """Return whether a test changes nothing before its first page is drawn."""
    known = request.node._fixtureinfo  # noqa: SLF001 - no public way
    always = request.session._fixturemanager._getautousenames(request.node)  # noqa: SLF001
    waiting, seen = [*set(known.initialnames).difference(always)], set()
    while waiting:
        name = waiting.pop()
        if name in seen or name in {"tab", "open_page"}:
            continue
        seen.add(name)
        waiting += [each for one in known.name2fixturedefs.get(name, ()) for each in one.argnames]
    return seen.isdisjoint({"app", "monkeypatch"})


def begun_once(begin: Callable[..., AppTest]) -> Callable[..., AppTest]:
    """Let tests that begin alike take up what the first of them came to."""

    @functools.wraps(begin)
    def begun(open_page: Opener, *settings: Any, **named: Any) -> AppTest:
        if not getattr(open_page, "alike", False) or (home().exists() and any(home().iterdir())):
            return begin(open_page, *settings, **named)
        name = (begin.__module__, begin.__name__, settings, *named.items())
        if name in _found:
            open_page.alike = False
            return _found[name].taken_up(open_page.tab)
        app = begin(open_page, *settings, **named)
        _found[name] = Beginning.of(app, open_page.folders.mktemp("begun"))
        return app

    return begun


@dataclass(frozen=True, kw_only=True)
class Beginning:
    """A tab, what it shows and holds, and what it wrote on the disk."""

    own: dict[str, Any]
    state: Any
    vault: Any
    messages: tuple[ForwardMsg, ...]
    home: Path

    @classmethod
    def of(cls, app: AppTest, kept: Path) -> Beginning:
        """Return a copy of where a tab is; of what it wrote, in that folder."""
        _copy(home(), kept)
        return cls(
            own={name: copy.copy(getattr(app, name)) for name in _OWN},
            state=_copied(app._session_state._state),  # noqa: SLF001
            vault=_vault_like(session._vaults._objects[_TAB]),  # noqa: SLF001
            messages=app._tree.messages,  # noqa: SLF001
            home=kept,
        )

    def taken_up(self, app: AppTest) -> AppTest:
        """Return a new tab that is where the other one was."""
        _copy(self.home, home())
        for name, value in self.own.items():
            setattr(app, name, copy.copy(value))
        object.__setattr__(app._session_state, "_state", _copied(self.state))  # noqa: SLF001
        session._vaults._objects[_TAB] = _vault_like(self.vault)  # noqa: SLF001
        app._tree = parsed(self.messages)  # noqa: SLF001
        app._tree._runner = app  # noqa: SLF001
        return app


def parsed(messages: list[ForwardMsg] | tuple[ForwardMsg, ...]) -> element_tree.ElementTree:
    """Return what a page shows, with the messages that it came in."""
    tree = element_tree.parse_tree_from_messages([*messages])
    tree.messages = (*messages,)
    return tree


def _vault_like(vault: Any) -> Any:
    """Return a copy without what is only remembered, and without lessons."""
    return replace(_copied(vault), found={}, lessons={})


def _copied(value: Any) -> Any:
    """Return a copy of state with containers of its own; what they hold is not changed."""
    if not type(value).__module__.startswith(("streamlit.runtime.state", "ui.session")):
        return copy.copy(value) if isinstance(value, dict | set) else value
    new = copy.copy(value)
    names = {*getattr(value, "__dict__", ()), *getattr(value, "__slots__", ())} - {"__weakref__"}
    for name in names:
        setattr(new, name, _copied(getattr(value, name)))
    return new


def home() -> Path:
    return Path(os.environ["EPSILON_STUDIO_HOME"])


def _copy(source: Path, target: Path) -> None:
    if source.exists():
        shutil.copytree(source, target, dirs_exist_ok=True)
