"""State of one browser tab. The only module that touches ``st.session_state``.

Confidential objects live in a vault, which is dropped within a second after the tab
closes or reloads; session state itself outlives a closed tab. Session state therefore
holds public settings only.
"""

from __future__ import annotations

import contextlib
import secrets
import threading
from collections.abc import Callable, Iterable, Iterator
from contextvars import ContextVar
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from functools import cache, partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn, TypeVar, cast

import streamlit as st
from streamlit.delta_generator_singletons import context_dg_stack, get_default_dg_stack_value
from streamlit.runtime.scriptrunner import StopException, get_script_run_ctx
from streamlit.runtime.scriptrunner_utils.script_requests import ScriptRequestType
from streamlit.runtime.uploaded_file_manager import UploadedFile

from dpcore import memory, secure_noise
from dpcore.analyses.base import Mode
from dpcore.data.limits import MAX_BYTES
from dpcore.data.partitions.table import Table
from dpcore.errors import LedgerError
from dpcore.ledger import opening, renewal
from dpcore.ledger.account import Account
from dpcore.ledger.chain import LedgerEntry
from dpcore.ledger.ledger import Ledger
from dpcore.ledger.opening import ReadOnceLedger
from dpcore.ledger.store import KEY_BYTES, LEDGER, default_folder, keyfile, stored_key
from dpcore.postprocessing import psd_repair
from dpcore.privacy.composition import compose
from dpcore.privacy.events import LaplaceEvent
from dpcore.relations import NeighboringRelation, PrivacyUnit
from ui import drawn_once, logging, open_tabs, roles, run_queue
from ui.open_tabs import OpenTabs
from ui.study import Draft, Study, Taken, Upload

if TYPE_CHECKING:
    from dpcore.ledger.server import ServerLedger

_T = TypeVar("_T")

_ROUTED, _SCRIPT = "_routed", "_script"
_ASKED_PAGE = "_asked_page"
_GENERATION = "_generation"
_NOTICE = "_notice"
_MODE, _CHOSEN = "mode", "_mode_chosen"
_UPLOADS = "_uploads"
_WANTED = "_wanted"
_FAILURE = "_failure"
_PENDING_MODE = "_pending_mode"
# What the page on screen and the one before it show is remembered.
_PAGES = 2
_OTHER_KEY = (
    "the key of the ledger has changed since this table was put in use. Its folder is "
    "missing or was replaced. Put it back, or use the table again on Data."
)


MODES = {Mode.RELEASE: "Live", Mode.CLASSROOM: "Classroom"}
"""What modes are called on pages."""
_book: ContextVar[ReadOnceLedger | None] = ContextVar("_book", default=None)


@dataclass(slots=True, weakref_slot=True)
class _Vault:
    """Holder of everything confidential in a tab."""

    remove_files: Callable[[], None]
    upload: Upload | None = None
    draft: Draft | None = None
    study: Study | None = None
    lessons: dict[tuple[str, NeighboringRelation, int], Ledger] = field(default_factory=dict)
    spare_key: bytes = field(default_factory=partial(secrets.token_bytes, KEY_BYTES), repr=False)
    found: dict[str, tuple[str, object]] = field(default_factory=dict)
    passing: set[str] = field(default_factory=set)
    asked: set[str] = field(default_factory=set)
    shown: dict[str, frozenset[str]] = field(default_factory=dict)
    page: str = ""
    closed: bool = False
    here: dict[str, str] = field(default_factory=dict)

    def holds_a_table(self) -> bool:
        """Return whether a table is in it, in use or on the way."""
        return any(part is not None for part in (self.upload, self.draft, self.study))


def _close(vault: _Vault) -> None:
    """End the work of a closed tab, and remove what no script has taken over."""
    vault.closed = True
    if vault.holds_a_table():
        _tidying.request()
    vault.remove_files()
    vault.upload = vault.draft = vault.study = None
    _drop(vault, [*vault.found])


def _drop(vault: _Vault, slots: Iterable[str]) -> None:
    """Forget some results; work among them that is not done holds nothing any more."""
    for slot in slots:
        _, result = vault.found.pop(slot, ("", None))
        close = getattr(result, "close", None)
        if close is not None:
            close()


_vaults = OpenTabs(_close)
_tidying = open_tabs.Postponed(open_tabs.collect)


def _vault() -> _Vault:
    context = get_script_run_ctx()
    assert context is not None, "only the script of a tab has a vault"  # noqa: S101
    remove = context.uploaded_file_mgr.remove_session_files
    make = partial(_Vault, remove_files=partial(remove, context.session_id))
    return _vaults.get(context.session_id, make)


@cache
def _warm_up() -> None:
    """Import sampler and accountant in the background, once for the server."""
    logging.warn_without_wall()
    memory.give_back_columns()
    open_tabs.keep_uploads(MAX_BYTES)
    open_tabs.set_aside()
    run_queue.install()
    drawn_once.install()
    threading.Thread(target=_import_slow_packages, daemon=True).start()


def _import_slow_packages() -> None:
    secure_noise.warm_up()
    compose([LaplaceEvent.from_ratio(1.0)], delta=1e-6)
    psd_repair.warm_up()


def start() -> None:
    """Mark that ``app.py`` framed this session, and carry out what waits for that."""
    # A press that comes as a part of the page ends its run is run by the same thread,
    # and Streamlit forgets to leave that part: the page would be drawn into it.
    context_dg_stack.set(get_default_dg_stack_value())
    _forget_parts_elsewhere()
    st.session_state[_ROUTED] = True
    st.session_state.setdefault(_GENERATION, 0)
    pending = st.session_state.pop(_PENDING_MODE, None)
    if pending is not None:
        st.session_state[_MODE] = pending
    _warm_up()


def _forget_parts_elsewhere() -> None:
    """Let no part of the page that was left run again.

    Its timer may have asked for that before the browser heard of this page. Streamlit
    would begin such a run with the page that was left, and the browser would empty this
    one. First no more of them are accepted, then one that was is dropped.
    """
    context = get_script_run_ctx()
    assert context is not None, "only the script of a tab has parts"  # noqa: S101
    page, requests = context.page_script_hash, context.script_requests
    if st.session_state.get(_SCRIPT) == page or requests is None:
        return
    st.session_state[_SCRIPT] = page
    context.fragment_storage.clear()
    # There is no public way.
    with requests._lock:  # noqa: SLF001
        if requests._state is ScriptRequestType.RERUN and requests._rerun_data.fragment_id_queue:  # noqa: SLF001
            requests._state = ScriptRequestType.CONTINUE  # noqa: SLF001


def require_router(page: str) -> None:
    """Send a page opened without ``app.py`` to the entry point, and back.

    While no session has run ``app.py``, Streamlit runs a linked page on its own.
    """
    if _ROUTED not in st.session_state:
        st.session_state[_ASKED_PAGE] = page
        go("app.py", keep_address=True)


def go_where_asked() -> None:
    """Open the page that was asked for before ``app.py`` had run."""
    page = st.session_state.pop(_ASKED_PAGE, None)
    if page is not None:
        go(page, keep_address=True)


def go(page: str, *, keep_address: bool = False) -> NoReturn:
    """Open another page.

    The address of a page holds what its bound controls were set to. Streamlit refuses
    to take over or to drop such a setting as it switches, and fails, unless it is told
    the settings of the next page one by one: none, or those of an address that no page
    has read yet.
    """
    kept = st.query_params.to_dict() if keep_address else {}
    st.switch_page(page, query_params=kept)


def while_open() -> Callable[[], None]:
    """Return what ends long work of this run, if called once its tab is closed.

    A script is stopped where it calls Streamlit alone, and such work does not.
    """
    vault = _vault()

    def proceed() -> None:
        if vault.closed:
            raise StopException

    return proceed


class PageEnded(StopException):
    """The page has nothing more to show; nobody cut it short."""


def end_page() -> NoReturn:
    """End the page here.

    `st.stop` would also forget what is pressed meanwhile in a part of the page that
    runs by itself, such as "Stop" below the progress of long work.
    """
    raise PageEnded


def generation() -> int:
    """Return a number that changes with the table, to key its widgets by."""
    return cast("int", st.session_state[_GENERATION])


def start_anew() -> None:
    """Forget what was declared about the columns of another table."""
    st.session_state[_GENERATION] += 1


def uploads() -> int:
    """Return a number that changes with every file taken over, to empty the uploader.

    Streamlit keeps what its uploader shows after the tab is closed.
    """
    return cast("int", st.session_state.setdefault(_UPLOADS, 0))


def take_upload(key: str) -> None:
    """Move the file of the uploader of that key into the vault, to be read next."""
    file = st.session_state[key]
    try:
        roles.require(roles.Action.PLAN)
    except roles.RoleError as error:
        _drop_uploads()
        fail(str(error))
        return
    # A tab may send a file again that was taken over, and is gone.
    if isinstance(file, UploadedFile):
        _vault().upload = Upload(name=file.name, data=file.getvalue())
        _drop_uploads()
        ask_to_read("upload")


def upload() -> Upload | None:
    """Return the uploaded file, until its table is in use."""
    return _vault().upload


def note_upload(**noted: Any) -> None:  # noqa: ANN401 - fields of the upload
    """Note how the uploaded file is or was read, and what it suggests itself."""
    vault = _vault()
    if vault.upload is not None:
        vault.upload = replace(vault.upload, **noted)


def read_again(**noted: Any) -> None:  # noqa: ANN401 - fields of the upload
    """Note how the uploaded file is to be read in the next run."""
    note_upload(**noted)
    ask_to_read("upload")


def ask_to_read(source: str) -> None:
    """Note that the next run shall read the "example" or the "upload"."""
    st.session_state[_WANTED] = source
    st.session_state[_FAILURE] = None


def wanted() -> str | None:
    """Return what shall be read in this run, until reading begins."""
    return cast("str | None", st.session_state.get(_WANTED))


def begin_reading() -> None:
    """Note that reading has begun: if it breaks off, only the user tries again."""
    st.session_state[_WANTED] = None
    fail("reading broke off. Read it again in another way, or choose another file.")


def fail(reason: str) -> None:
    """Keep why the last reading failed."""
    st.session_state[_FAILURE] = reason


def failure() -> str | None:
    """Return why the last reading failed."""
    return cast("str | None", st.session_state.get(_FAILURE))


def draft() -> Draft | None:
    """Return the table that was read but is not in use yet."""
    return _vault().draft


def keep_draft(new: Draft) -> None:
    """Keep a table that was read; it becomes the table in use once accepted."""
    if new.example is None:
        roles.require(roles.Action.PLAN)
    vault = _vault()
    vault.draft = new
    if new.example is not None:
        vault.upload = None
    st.session_state[_FAILURE] = None
    start_anew()


def forget_upload() -> None:
    """Drop the uploaded file and why it could not be read."""
    _vault().upload = None
    _drop_uploads()


def forget_draft() -> None:
    """Drop the table that is not in use yet, and the file that it was read from."""
    _vault().draft = None
    if failure() is None:
        forget_upload()
    start_anew()


def redraft(dataset: Table) -> None:
    """Take over what was newly declared about the columns of the draft."""
    vault = _vault()
    if vault.draft is not None:
        vault.draft = replace(vault.draft, dataset=dataset)


def keep_taken(taken: Taken) -> None:
    """Keep the fingerprint of the draft: who presses again does not wait again."""
    vault = _vault()
    if vault.draft is not None:
        vault.draft = replace(vault.draft, taken=taken)


def redeclare(dataset: Table) -> None:
    """Take over what was newly declared about the columns of the table in use."""
    vault = _vault()
    if vault.study is not None:
        vault.study = replace(vault.study, dataset=dataset)


def study() -> Study | None:
    """Return the table in use with its public facts."""
    return _vault().study


def unit() -> PrivacyUnit:
    """Return the privacy unit of the table in use, with the name of its rows."""
    current = study()
    return PrivacyUnit() if current is None else current.terms.unit


def use(new: Study) -> None:
    """Put a table in use and drop the raw bytes it came from."""
    if new.example is None:
        roles.require(roles.Action.PLAN)
    vault = _vault()
    vault.study, vault.draft, vault.upload = new, None, None
    _drop(vault, [*vault.found])
    st.session_state[_PENDING_MODE] = mode_in_use(new.example)
    _drop_uploads()


def forget() -> None:
    """Drop this tab's table, its classroom releases and the bytes it came from."""
    vault = _vault()
    vault.study = vault.draft = vault.upload = None
    vault.lessons.clear()
    _drop(vault, [*vault.found])
    start_anew()
    _drop_uploads()
    _tidying.request()


def _drop_uploads() -> None:
    st.session_state[_UPLOADS] = uploads() + 1
    st.session_state[_FAILURE] = st.session_state[_WANTED] = None
    _vault().remove_files()


def mode() -> Mode:
    """Return the mode in force: practice on a table of one's own shows the truth."""
    current = study()
    if current is not None and current.example is None and not roles.may(roles.Action.SEE):
        return Mode.RELEASE
    return Mode(st.session_state.get(_MODE, Mode.RELEASE))


def choose_mode() -> None:
    """Note that the mode in force was chosen: no other table changes it."""
    st.session_state[_CHOSEN] = True


def mode_in_use(example: str | None) -> Mode:
    """Return the mode that a table is put in use in: the chosen one, if one was."""
    if st.session_state.get(_CHOSEN):
        return mode()
    return Mode.RELEASE if example is None else Mode.CLASSROOM


def of_account(about: Study) -> bool:
    """Tell whether what people say of a table is kept beside its account.

    In a lesson it is the tab's alone.
    """
    return about.example is None or mode() is Mode.RELEASE


def require_study() -> Study:
    """Return the table in use, or stop the page with a pointer to where to get one."""
    current = study()
    if current is None:
        st.info("Choose a table first: a built-in survey, or a CSV of your own.")
        st.page_link("pages/data.py", label="Go to Data")
        tell_kept()
        end_page()
    return current


def tell_kept() -> None:
    """Say how to go on with an earlier table, where the ledger has a release.

    Whose it is, is not known after a reload: every visitor reads the same, and can see all
    accounts on “Released”.
    """
    with contextlib.suppress(LedgerError):
        if any(account.releases for account in kept_ledger().accounts()):
            with st.container(border=True, key="kept"):
                st.markdown(
                    "**No table is in use.** A table is discarded when its tab is closed or "
                    "reloaded. What was spent stays in the ledger. To continue, upload the same "
                    "file again. Its account is recognized by its column names and cells."
                )
                st.page_link("pages/released.py", label="See what was released")


def ledger() -> Ledger:
    """Return the ledger of the mode: on disk, or of this tab's lesson only."""
    current = study()
    if mode() is Mode.CLASSROOM:
        return Ledger.in_memory() if current is None else lesson(current)
    if current is not None:
        book, folder = _book.get(), default_folder()
        if (stored_key(folder) if book is None else book.key(folder)) != current.key:
            raise LedgerError(_OTHER_KEY)
    return kept_ledger()


def lesson(about: Study) -> Ledger:
    """Return the ledger of this tab's lesson about a table on its terms.

    Costs under other relations or units do not add up: each has a lesson of its own,
    which is there again when they come back.
    """
    terms, lessons = about.terms, _vault().lessons
    name = (about.fingerprint, terms.relation, terms.unit.rows)
    if name not in lessons:
        lessons[name] = Ledger.in_memory()
    return lessons[name]


def kept_ledger() -> Ledger:
    """Return the ledger that outlives the program: in a file, or on a server."""
    return _book.get() or _opened()


@contextlib.contextmanager
def ledger_read_once() -> Iterator[None]:
    """Look at the ledger that outlives the program once in this run of a page."""
    token = _book.set(ReadOnceLedger(_opened()))
    try:
        yield
    finally:
        _book.reset(token)


def _opened() -> Ledger:
    address = opening.address()
    if address:
        return _server_ledger(address, str(default_folder()))
    return Ledger.at(default_folder() / LEDGER)


def on_server() -> bool:
    """Tell whether the ledger is on a server, which other machines may use."""
    return bool(opening.address())


@st.cache_resource(show_spinner=False)
def _server_ledger(address: str, folder: str) -> ServerLedger:
    """Return the ledger on a server; its connections are kept for all tabs."""
    return opening.on_server(address, Path(folder))


def real_releases(of: Study) -> int:
    """Return how many releases of a table are in the ledger, whatever the mode."""
    try:
        return len(kept_ledger().releases(of.fingerprint))
    except LedgerError:
        return 0


def beginnings() -> tuple[LedgerEntry, ...]:
    """Return when the ledger was begun anew; its whole chain is followed."""
    book = kept_ledger()
    book.verify()
    return book.beginnings()


def begin_anew(reason: str) -> None:
    """Put a new ledger in the place of the one that cannot be trusted."""
    roles.require(roles.Action.RELEASE)
    now, address = datetime.now(UTC), opening.address()
    if address:
        book = _server_ledger(address, str(default_folder()))
        book.begin_anew(reason=reason, now=now)
    else:
        renewal.begin_anew(default_folder() / LEDGER, reason=reason, now=now)
    view = _book.get()
    if view is not None:
        view.forget()


def fingerprint_key() -> bytes:
    """Return the key that fingerprints are made with."""
    return keyfile(default_folder())


def spare_key() -> bytes:
    """Return the key of fingerprints in this tab, for lessons without a ledger."""
    return _vault().spare_key


def account(of: Study) -> Account:
    """Return the ledger account of a table, as it would be opened if it has none.

    Looking writes nothing: an account is opened when an upload is put in use, or when
    something is spent.
    """
    terms = of.terms
    return ledger().account(of.fingerprint) or Account(
        fingerprint=of.fingerprint,
        budget=terms.budget,
        relation=terms.relation,
        unit_rows=terms.unit.rows,
    )


def opened_ledger(of: Study) -> Ledger:
    """Return the ledger of the mode with an account of the table in it, to write to.

    Raises:
        RoleError: It outlives the program, and only a curator writes to it.

    """
    if mode() is Mode.RELEASE:
        roles.require(roles.Action.RELEASE)
    book, terms = ledger(), of.terms
    book.open_account(of.fingerprint, terms.budget, terms.relation, terms.unit.rows)
    return book


def remember(slot: str, key: str, compute: Callable[[], _T]) -> _T:
    """Return ``compute()``, or what it returned for ``key`` before, in this tab.

    CONFIDENTIAL results stay in the vault: nothing is shared between sessions. Each
    slot keeps the latest result only, which is small: what holds a number for every
    person is remembered `while_shown`.
    """
    found = _vault().found
    if slot not in found or found[slot][0] != key:
        let_go([slot])
        found[slot] = (key, compute())
    return cast("_T", found[slot][1])


def while_shown(slot: str, key: str, compute: Callable[[], _T]) -> _T:
    """Return ``compute()`` as `remember` does, as long as a page shows what it is for.

    It is forgotten where the page does so no more, or two others were opened since: a
    reader who goes back and forth does not wait again. So memory holds the table, and
    what is or just was on screen of everybody.
    """
    vault = _vault()
    vault.asked.add(slot)
    vault.passing.add(slot)

    def with_blocks_at_hand() -> _T:
        with memory.some_at_hand():
            return compute()

    return remember(slot, key, with_blocks_at_hand)


def while_here(slot: str, key: str, compute: Callable[[], _T]) -> _T:
    """Return ``compute()`` as `remember` does, until another page is opened.

    For work that keeps something busy which others wait for.
    """
    vault = _vault()
    vault.here[slot] = vault.page
    return remember(slot, key, compute)


def this_run(slot: str, key: str, compute: Callable[[], _T]) -> _T:
    """Return ``compute()`` as `remember` does, until this run of the page ends.

    For what is asked for several times in a run, is as large as a part of the table,
    and is quickly found again.
    """
    _vault().passing.add(slot)
    return remember(slot, key, compute)


def stay(slots: Iterable[str]) -> None:
    """Keep what is remembered in some slots, although this run does not ask for it."""
    _vault().asked.update(slots)


@contextlib.contextmanager
def only_what_is_shown(page: str) -> Iterator[None]:
    """Run a page, and forget what was remembered while shown and is so no more.

    A run that is cut short, to run anew or because a setting is not valid yet, forgets
    nothing. Garbage is collected a moment later, once for all tabs that ran meanwhile.
    """
    vault = _vault()
    vault.page = page
    elsewhere = [slot for slot, of in vault.here.items() if of != page]
    let_go(elsewhere)
    for slot in elsewhere:
        del vault.here[slot]
    vault.asked.clear()
    try:
        yield
    finally:
        if vault.holds_a_table():
            _tidying.request()
    vault.shown.pop(page, None)
    vault.shown[page] = frozenset(vault.asked)
    for left in [*vault.shown][:-_PAGES]:
        del vault.shown[left]
    gone = vault.passing.difference(*vault.shown.values())
    if gone:
        let_go(gone)
        vault.passing -= gone
        memory.give_back()


def let_go(slots: Iterable[str]) -> None:
    """Forget the results in some slots: nothing on screen is about them any more."""
    _drop(_vault(), slots)


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


def once(key: str, make: Callable[[], _T]) -> _T:
    """Return a public note of this tab, made when it is first asked for."""
    if key not in st.session_state:
        st.session_state[key] = make()
    return cast("_T", st.session_state[key])


def take(key: str) -> object:
    """Return a public note of this tab, once."""
    return st.session_state.pop(key, None)


def count(key: str) -> int:
    """Return how often something was asked for anew in this tab."""
    return cast("int", st.session_state.get(key, 0))


def count_up(key: str) -> None:
    """Ask for something anew."""
    st.session_state[key] = count(key) + 1
