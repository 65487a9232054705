"""How far the chain is known to be right, and what every account came to by then.

The checkpoint lies beside the key and is sealed with it. Each time the ledger is used,
its chain has to hold the checkpoint's last entry; what comes after it is followed entry
by entry and added. So a debit that was changed buys nothing: the sums are those that
were sealed. And an end that was cut off, a file that was emptied or swapped with an
older copy, and another key are noticed.

Entries in the middle are followed again whenever the file does not look as this program
left it. That takes long in a long chain, and is not needed otherwise.

Order of events: entries are committed first, the checkpoint follows. A crash in between
leaves a ledger that is ahead by entries that can be followed, and never a checkpoint
that is ahead of its ledger.
"""

from __future__ import annotations

import hashlib
import hmac
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from json import loads

from dpcore.analyses.identity import canonical
from dpcore.codec import TEXT, WHOLE, Schema, several
from dpcore.errors import UntrustedLedgerError
from dpcore.ledger import chain
from dpcore.ledger.account import ACCOUNT, TERMS, Account, account_after, name_in
from dpcore.ledger.chain import EntryTable, LedgerEntry

_PURPOSE = b"epsilon-studio: checkpoint of the ledger\n"


@dataclass(frozen=True, slots=True, kw_only=True)
class Checkpoint:
    """A place in the chain, with what its accounts came to.

    Attributes:
        length: How many entries lead up to it.
        head: Digest of the last of them.
        accounts: For each fingerprint, both as JSON text; for that of another table
            about the same people, the name of their account.
        look: How the file looked when this program left it. While it looks the same,
            nobody else wrote to it.

    """

    length: int = 0
    head: str = chain.ORIGIN
    accounts: Mapping[str, str] = field(default_factory=dict)
    look: tuple[int, ...] = ()

    def account(self, fingerprint: str) -> Account | None:
        """Return the account of a table's people, ``None`` if there is none."""
        text = self.accounts.get(canonical(fingerprint))
        if text is None:
            return None
        content = loads(text)
        if _HOLDER not in content:
            return ACCOUNT.read(content, fingerprint=fingerprint)
        holder = TEXT.read(content[_HOLDER])
        held = loads(self.accounts[canonical(holder)])
        return ACCOUNT.read(held, fingerprint=fingerprint, holder=holder)

    def every_account(self) -> Iterator[Account]:
        """Yield all accounts, in the order in which they were opened."""
        for name, text in self.accounts.items():
            content = loads(text)
            if _HOLDER not in content:
                yield ACCOUNT.read(content, fingerprint=TEXT.read(loads(name)))

    def sealed(self, key: bytes) -> bytes:
        """Return the checkpoint as text that nobody can change without the key."""
        # One line an account: a look at one of many need not read the others.
        lines = [canonical(_PLACE.write(self)), *map("\t".join, self.accounts.items())]
        content = "\n".join(lines).encode()
        return f"{_seal(content, key)}\n".encode() + content

    @classmethod
    def unsealed(cls, text: bytes, key: bytes) -> Checkpoint:
        """Return the checkpoint that ``sealed`` wrote.

        Raises:
            UntrustedLedgerError: It was changed, or sealed with another key.

        """
        seal, _, content = text.partition(b"\n")
        if not hmac.compare_digest(seal, _seal(content, key).encode()):
            raise UntrustedLedgerError(
                f"the checkpoint of the ledger was changed, or the key was replaced. {chain.WAY_ON}"
            )
        place, *lines = content.decode().split("\n")
        split = (line.partition("\t") for line in lines)
        accounts = {name: text for name, _, text in split}
        return _PLACE.read(loads(place), accounts=accounts)


_HOLDER = "account"
_PLACE = Schema(Checkpoint, length=WHOLE, head=TEXT, look=several(WHOLE))


class Tally:
    """What the accounts come to while the chain is followed from a checkpoint."""

    def __init__(self, known: Checkpoint) -> None:
        self._known = known
        self._length, self._head = known.length, known.head
        self._changed: dict[str, Account] = {}
        self._held: dict[str, str] = {}

    def follow(self, entries: EntryTable, *, whole: bool) -> None:
        """Follow the chain to its end: from its first entry, or the checkpoint's last.

        Raises:
            UntrustedLedgerError: An entry was changed, removed or put in, or the chain
                does not lead up to the checkpoint.

        """
        known = self._known
        reached = 0
        for entry in entries.walk(1 if whole else max(1, known.length)):
            reached = entry.sequence
            if reached == known.length and entry.digest != known.head:
                raise UntrustedLedgerError(_another(known.length))
            if reached > known.length:
                self._count(entry)
        if reached < known.length:
            raise UntrustedLedgerError(_behind(known.length))

    def reached(self, look: tuple[int, ...]) -> Checkpoint:
        """Return the checkpoint at the last entry that was found right."""
        changed = {
            canonical(name): canonical(ACCOUNT.write(account))
            for name, account in self._changed.items()
        }
        held = {
            canonical(name): canonical({_HOLDER: holder}) for name, holder in self._held.items()
        }
        return Checkpoint(
            length=self._length,
            head=self._head,
            accounts={**self._known.accounts, **changed, **held},
            look=look,
        )

    def _count(self, entry: LedgerEntry) -> None:
        if entry.kind in TERMS:
            name = name_in(entry)
            if name != entry.fingerprint:
                self._held[entry.fingerprint] = name
            before = self._changed.get(name) or self._known.account(name)
            self._changed[name] = account_after(before, entry)
        self._length, self._head = entry.sequence, entry.digest


def followed(
    entries: EntryTable, known: Checkpoint | None, look: tuple[int, ...], *, whole: bool
) -> Checkpoint:
    """Return where the chain stands now, the file looking as it does.

    Args:
        entries: The database, seen at or after the time when ``known`` was read.
        known: The checkpoint, ``None`` if there is none.
        look: How the file looks now.
        whole: Follow the chain from its first entry, and not from the checkpoint's.

    Raises:
        UntrustedLedgerError: The ledger is not as it was left.

    """
    if known is None and entries.version() >= chain.WITH_CHECKPOINT:
        raise UntrustedLedgerError(f"the checkpoint of the ledger is gone. {chain.WAY_ON}")
    tally = Tally(known or Checkpoint())
    tally.follow(entries, whole=whole)
    return tally.reached(look)


def _seal(content: bytes, key: bytes) -> str:
    return hmac.new(key, _PURPOSE + content, hashlib.sha256).hexdigest()


def _another(length: int) -> str:
    return (
        f"entry {length} of the ledger is not the one that was written: entries were "
        f"changed, or the file is another one. {chain.WAY_ON}"
    )


def _behind(length: int) -> str:
    return (
        f"the ledger has lost entries: {length} were written. The file was emptied, "
        f"cut, removed or swapped with an older copy. {chain.WAY_ON}"
    )
