"""What only people know of a table: in this tab, and in a file beside its account.

It is typed, public once a document holds it, and stands in no address.
"""

from __future__ import annotations

import contextlib
import json
from typing import Final, cast

from dpcore.codec import parsed
from dpcore.documents.context import TYPED, CuratorInput
from dpcore.errors import LedgerError
from dpcore.ledger.store import StoredTexts, default_folder
from ui import session
from ui.study import Study

SIGNED: Final = "the page was signed"
STATES: Final = {"Not signed": "", "Signed": SIGNED, "No signature needed": "nobody had to sign"}
"""What can be said of the page to sign, and how documents say it."""
_MOST_NAMES: Final = 12
_FOLDER: Final = "typed"
_PLACES: Final = "_typed-places"
_NOTED: Final = "_typed-noted"
_TEXTS: Final = ("purpose", "period", "reason", "place", "publisher", "contact")
_OF_ALL_TABLES: Final = ("purpose", "place", "publisher", "contact")


def key(name: str, study: Study) -> str:
    """Return the key of a field about a table; it tells nothing of the table."""
    return f"sign-{name}-{_place(study.fingerprint, study)}"


def of(study: Study) -> CuratorInput:
    """Return what is typed of the table in use, and keep it for when it comes again."""
    place = _place(study.fingerprint, study)
    typed = _in_tab(place)
    noted = cast("dict[int, CuratorInput]", session.public(_NOTED) or {})
    if typed != noted.get(place, CuratorInput()):
        session.set_public(_NOTED, noted | {place: typed})
        if session.of_account(study):
            with contextlib.suppress(LedgerError):
                _kept().keep(study.fingerprint, json.dumps(TYPED.write(typed)))
    return typed


def of_other_tables(study: Study) -> dict[str, CuratorInput]:
    """Return what was typed of the other tables of the account, by their names."""
    if not session.of_account(study):
        return {}
    others = {
        name: _in_tab(_place(fingerprint, study))
        for fingerprint, name in session.account(study).names.items()
        if fingerprint != study.fingerprint
    }
    return {name: typed for name, typed in others.items() if typed != CuratorInput()}


def lacks(study: Study, other: CuratorInput) -> bool:
    """Tell whether something was typed of another table that is not typed here yet."""
    typed = _in_tab(_place(study.fingerprint, study))
    names = (*_OF_ALL_TABLES, "deciders")
    return any(getattr(other, x) and not getattr(typed, x) for x in names)


def take_over(study: Study, typed: CuratorInput) -> None:
    """Let what was typed of another table stand here, too, but for what was decided.

    Period, reason and signature are each table's own; what is typed here stays.
    """
    here = _in_tab(_place(study.fingerprint, study))
    for name in _OF_ALL_TABLES:
        if not getattr(here, name):
            session.set_public(key(name, study), getattr(typed, name))
    if not here.deciders:
        session.set_public(key("names", study), "\n".join(typed.deciders))


def unsign(study: Study) -> None:
    """Forget that a page was signed: its questions are gone."""
    for name in ("state", "signed"):
        session.take(key(name, study))


def lines(names: str) -> tuple[str, ...]:
    """Return the names that were typed, one a line."""
    found = [line.strip() for line in names.splitlines() if line.strip()]
    return tuple(found[:_MOST_NAMES])


def _in_tab(place: int) -> CuratorInput:
    def field(name: str) -> str:
        return str(session.public(f"sign-{name}-{place}") or "")

    told, when = STATES.get(field("state"), ""), field("signed").strip()
    return CuratorInput(
        **{name: field(name) for name in _TEXTS},
        deciders=lines(field("names")),
        signed=f"{told}: {when}" if told == SIGNED and when else told,
    )


def _place(fingerprint: str, study: Study) -> int:
    """Return the number of a table in this tab; its fields are filled as they were."""
    places = cast("dict[str, int]", session.public(_PLACES) or {})
    if fingerprint in places:
        return places[fingerprint]
    place = len(places)
    session.set_public(_PLACES, places | {fingerprint: place})
    typed = _read(fingerprint) if session.of_account(study) else CuratorInput()
    noted = cast("dict[int, CuratorInput]", session.public(_NOTED) or {})
    session.set_public(_NOTED, noted | {place: typed})
    _fill(place, typed)
    return place


def _fill(place: int, typed: CuratorInput) -> None:
    told, _, when = typed.signed.partition(": ")
    state = next((word for word, said in STATES.items() if told and said == told), "")
    fields = {name: getattr(typed, name) for name in _TEXTS}
    fields |= {"names": "\n".join(typed.deciders), "state": state, "signed": when}
    for name, text in fields.items():
        if text:
            session.set_public(f"sign-{name}-{place}", text)


def _read(fingerprint: str) -> CuratorInput:
    text = _kept().read(fingerprint)
    with contextlib.suppress(LookupError, TypeError, ValueError, RecursionError):
        return CuratorInput() if text is None else TYPED.read(parsed(text))
    return CuratorInput()


def _kept() -> StoredTexts:
    return StoredTexts(default_folder() / _FOLDER)
