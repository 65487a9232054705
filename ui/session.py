"""State of one browser tab. The only module that touches ``st.session_state``.

Confidential objects live in a session-scoped resource, which Streamlit drops the moment
the tab closes or reloads; session state itself outlives a closed tab. Session state
therefore holds public settings only.
"""

from __future__ import annotations

import threading
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, TypeVar, cast

import streamlit as st
from streamlit.runtime.scriptrunner import get_script_run_ctx

from dpcore.errors import LedgerError
from dpcore.inference import psd_repair
from dpcore.privacy.composition import PrivacyEvent, compose
from dpcore.releases import secure
from dpcore.releases.ledger import Ledger
from dpcore.releases.record import Mode
from dpcore.releases.storage import default_folder, keyfile

if TYPE_CHECKING:
    from collections.abc import Callable

    from dpcore.data.dataset import Dataset
    from dpcore.data.dialects import Dialect
    from dpcore.releases.account import Account
    from ui.study import Study
    from ui.upload import Draft

_T = TypeVar("_T")

_ROUTED = "_routed"
_ASKED_PAGE = "_asked_page"
_GENERATION = "_generation"
_NOTICE = "_notice"
_MODE = "mode"
_UPLOADS = "_uploads"
_WANTED = "_wanted"
_FAILURE = "_failure"
_DIALECT = "_dialect"
_PENDING_MODE = "_pending_mode"


@dataclass(slots=True)
class _Vault:
    """Holder of everything confidential in a tab."""

    draft: Draft | None = None
    study: Study | None = None
    lessons: Ledger = field(default_factory=Ledger.in_memory)
    memory: dict[str, tuple[str, object]] = field(default_factory=dict)


@st.cache_resource(scope="session", show_spinner=False)
def _vault() -> _Vault:
    return _Vault()


@st.cache_resource(show_spinner=False)
def _warm_up() -> None:
    """Import sampler and accountant in the background, once for the server."""
    threading.Thread(target=_import_slow_packages, daemon=True).start()


def _import_slow_packages() -> None:
    secure.warm_up()
    compose([PrivacyEvent.of("laplace", 1.0)], delta=1e-6)
    psd_repair.warm_up()


def start() -> None:
    """Mark that ``app.py`` framed this session, and carry out what waits for that."""
    st.session_state[_ROUTED] = True
    st.session_state.setdefault(_GENERATION, 0)
    pending = st.session_state.pop(_PENDING_MODE, None)
    if pending is not None:
        st.session_state[_MODE] = pending
    _warm_up()


def require_router(page: str) -> None:
    """Send a page opened without ``app.py`` to the entry point, and back.

    While no session has run ``app.py``, Streamlit runs a linked page on its own.
    """
    if _ROUTED not in st.session_state:
        st.session_state[_ASKED_PAGE] = page
        st.switch_page("app.py", query_params=st.query_params.to_dict())


def go_where_asked() -> None:
    """Open the page that was asked for before ``app.py`` had run."""
    page = st.session_state.pop(_ASKED_PAGE, None)
    if page is not None:
        st.switch_page(page, query_params=st.query_params.to_dict())


def generation() -> int:
    """Return a number that changes with the table, to key its widgets by."""
    return cast("int", st.session_state[_GENERATION])


def start_anew() -> None:
    """Forget what was declared about the columns of another table."""
    st.session_state[_GENERATION] += 1


def uploads() -> int:
    """Return a number that changes once a table is accepted, to empty the uploader."""
    return cast("int", st.session_state.setdefault(_UPLOADS, 0))


def ask_to_read(source: str) -> None:
    """Note that the next run shall read "example", "upload" or the file anew."""
    st.session_state[_WANTED] = source


def ask_to_read_as(dialect: Dialect) -> None:
    """Note that the next run shall read the uploaded file in this dialect."""
    st.session_state[_WANTED] = "dialect"
    st.session_state[_DIALECT] = dialect


def wanted() -> str | None:
    """Return what shall be read in this run."""
    return cast("str | None", st.session_state.get(_WANTED))


def wanted_dialect() -> Dialect | None:
    """Return the dialect that the user set, or ``None`` to guess it."""
    if wanted() != "dialect":
        return None
    return cast("Dialect", st.session_state[_DIALECT])


def done_reading(failure: str | None) -> None:
    """Note that reading has ended, and why it failed if it did."""
    st.session_state[_WANTED] = None
    st.session_state[_FAILURE] = failure


def failure() -> str | None:
    """Return why the last reading failed."""
    return cast("str | None", st.session_state.get(_FAILURE))


def draft() -> Draft | None:
    """Return the table that was read but is not in use yet."""
    return _vault().draft


def keep_draft(new: Draft) -> None:
    """Keep a table that was read; it becomes the table in use once accepted."""
    _vault().draft = new
    start_anew()


def redraft(dataset: Dataset) -> None:
    """Take over what was newly declared about the columns of the draft."""
    vault = _vault()
    if vault.draft is not None:
        vault.draft = replace(vault.draft, dataset=dataset)


def redeclare(dataset: Dataset) -> None:
    """Take over what was newly declared about the columns of the table in use."""
    vault = _vault()
    if vault.study is not None:
        vault.study = replace(vault.study, dataset=dataset)


def study() -> Study | None:
    """Return the table in use with its public facts."""
    return _vault().study


def use(new: Study) -> None:
    """Put a table in use and drop the raw bytes it came from."""
    vault = _vault()
    vault.study, vault.draft = new, None
    vault.lessons = Ledger.in_memory()
    vault.memory.clear()
    mode_after = Mode.RELEASE if new.example is None else Mode.CLASSROOM
    st.session_state[_PENDING_MODE] = mode_after
    _drop_uploads()


def forget() -> None:
    """Drop this tab's table, its classroom releases and the bytes it came from."""
    vault = _vault()
    vault.study = vault.draft = None
    vault.lessons = Ledger.in_memory()
    vault.memory.clear()
    start_anew()
    _drop_uploads()


def _drop_uploads() -> None:
    st.session_state[_UPLOADS] = uploads() + 1
    st.session_state[_FAILURE] = st.session_state[_WANTED] = None
    context = get_script_run_ctx()
    if context is not None:
        context.uploaded_file_mgr.remove_session_files(context.session_id)


def mode() -> Mode:
    """Return the mode in force."""
    return Mode(st.session_state.get(_MODE, Mode.RELEASE))


def require_study() -> Study:
    """Return the table in use, or stop the page with a pointer to where to get one."""
    current = study()
    if current is None:
        st.info("Choose a table first: a built-in survey, or a CSV of your own.")
        st.page_link("pages/data.py", label="Go to Data")
        st.stop()
    return current


def ledger() -> Ledger:
    """Return the ledger of the mode: on disk, or of this tab's lessons only."""
    if mode() is Mode.CLASSROOM:
        return _vault().lessons
    return Ledger.at(default_folder() / "ledger.sqlite3")


def real_releases(of: Study) -> int:
    """Return how many releases of a table are on disk, whatever the mode."""
    path = default_folder() / "ledger.sqlite3"
    try:
        return len(Ledger.at(path).releases(of.fingerprint)) if path.exists() else 0
    except LedgerError:
        return 0


def fingerprint_key() -> bytes:
    """Return the key that fingerprints are made with."""
    return keyfile(default_folder())


def account(of: Study) -> Account:
    """Return the ledger account of a table, opened on the study's terms if new."""
    book = ledger()
    return book.account(of.fingerprint) or book.open_account(
        of.fingerprint, of.terms.budget, of.terms.relation, of.terms.unit.rows
    )


def remember(slot: str, key: str, compute: Callable[[], _T]) -> _T:
    """Return ``compute()``, or what it returned for ``key`` before, in this tab.

    CONFIDENTIAL results stay in the vault: nothing is shared between sessions. Each
    slot keeps the latest result only, so that memory stays a few columns of the table.
    """
    memory = _vault().memory
    if slot not in memory or memory[slot][0] != key:
        memory.pop(slot, None)
        memory[slot] = (key, compute())
    return cast("_T", memory[slot][1])


def notice(message: str | None = None) -> str | None:
    """Keep a message for the next run, or hand out the kept one."""
    if message is not None:
        st.session_state[_NOTICE] = message
        return None
    return cast("str | None", st.session_state.pop(_NOTICE, None))


def set_public(key: str, value: object) -> None:
    """Set a public note of this tab, or the value of a widget with a public setting."""
    st.session_state[key] = value


def public(key: str) -> object:
    """Return a public note, or the value of a widget with a public setting."""
    return st.session_state.get(key)


def take(key: str) -> object:
    """Return a public note of this tab, once."""
    return st.session_state.pop(key, None)
