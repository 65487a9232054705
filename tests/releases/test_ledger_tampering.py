"""Whatever is done to the ledger, its checkpoint or its key buys nothing."""

# ruff: noqa: S608 - statements of this file's own making

import contextlib
import hashlib
import os
import shutil
import sqlite3

import pytest

from dpcore.analyses.identity import canonical
from dpcore.errors import LedgerError, UntrustedLedgerError
from dpcore.ledger.chain import EntryTable
from dpcore.ledger.ledger import Ledger
from dpcore.ledger.store import keyfile
from dpcore.privacy_filter import PrivacyBudget
from dpcore.relations import NeighboringRelation
from tests.releases.sample_releases import TENTH, spend

COLUMNS = ("sequence", "recorded", "fingerprint", "kind", "request", "body", "previous", "digest")
ENTRIES = 7


@pytest.fixture(scope="module")
def template(tmp_path_factory):
    folder = tmp_path_factory.mktemp("ledger")
    write(folder / "ledger.sqlite3")
    return folder


@pytest.fixture
def path(template, tmp_path):
    home = shutil.copytree(template, tmp_path / "home")
    written = home / "ledger.sqlite3"
    Ledger.at(written).account("table")  # the checkpoint knows how this copy looks
    return written


def write(path, requests=("a-1", "a-2", "a-3")):
    ledger = Ledger.at(path)
    relation = NeighboringRelation.SUBSTITUTION
    ledger.open_account("table", PrivacyBudget.of(epsilon=1.0), relation)
    for request in requests:
        spend(ledger, request)
    return ledger


def run(path, *statements):
    with contextlib.closing(sqlite3.connect(path, isolation_level=None)) as connection:
        for statement in statements:
            connection.execute(*(statement if isinstance(statement, tuple) else (statement,)))


def unlocked(path, *statements):
    triggers = ("entries_are_not_changed", "entries_are_not_removed")
    run(path, *(f"DROP TRIGGER {name}" for name in triggers), *statements)


def refused(path, match="ledger"):
    """Look and charge, by a new object as by a new program: both are refused."""
    for ask in (
        lambda ledger: ledger.account("table"),
        lambda ledger: ledger.stored("a-1"),
        lambda ledger: ledger.releases("table"),
        lambda ledger: spend(ledger, "b-1"),
        lambda ledger: spend(ledger, "a-1"),
        lambda ledger: ledger.change_budget("table", PrivacyBudget.of(epsilon=9.0), "more"),
        lambda ledger: ledger.open_account(
            "new", PrivacyBudget.of(rho=1.0), NeighboringRelation.ADD_REMOVE
        ),
        lambda ledger: ledger.verify(),
    ):
        with pytest.raises(UntrustedLedgerError, match=match) as error:
            ask(Ledger.at(path))
        assert "Put back a copy" in str(error.value)
        assert "start a new ledger" in str(error.value)


@pytest.mark.parametrize("column", COLUMNS)
@pytest.mark.parametrize("entry", [1, 2, 3, ENTRIES])
def test_no_field_can_be_changed(path, entry, column):
    new = "8" if column == "sequence" else f"'~' || coalesce({column}, '')"
    unlocked(path, f"UPDATE entries SET {column} = {new} WHERE sequence = {entry}")
    refused(path)


@pytest.mark.parametrize("new", ["NULL", "''", "x'00'", "CAST(x'ff' AS TEXT)"])
@pytest.mark.parametrize("column", ["recorded", "fingerprint", "request", "body"])
def test_no_field_can_be_of_another_type(path, column, new):
    with contextlib.suppress(sqlite3.IntegrityError):
        unlocked(path, f"UPDATE entries SET {column} = {new} WHERE sequence = 2")
        refused(path, "entry 2 ")


def test_a_debit_of_nothing_does_not_give_the_budget_back(path):
    free = canonical({"cost": {"delta": "0", "epsilon": "0", "rho": "0"}})
    unlocked(path, ("UPDATE entries SET body = ? WHERE kind = 'debit'", (free,)))
    refused(path, "entry 2 ")


def rehashed(path, first):
    """Give every entry from ``first`` on the digest, and the link, that fits it."""
    with contextlib.closing(sqlite3.connect(path)) as connection:
        rows = connection.execute(
            f"SELECT {', '.join(COLUMNS)} FROM entries ORDER BY sequence"
        ).fetchall()
    statements = []
    previous = rows[first - 2][-1] if first > 1 else "0" * 64
    for row in rows[first - 1 :]:
        columns = [*row[:-2], previous]
        text = canonical([None if part is None else str(part) for part in columns])
        digest = hashlib.sha256(text.encode()).hexdigest()
        statements.append(
            (
                "UPDATE entries SET previous = ?, digest = ? WHERE sequence = ?",
                (previous, digest, row[0]),
            )
        )
        previous = digest
    return statements


def test_an_entry_with_a_new_digest_breaks_the_link_of_the_next(path):
    unlocked(path, "UPDATE entries SET body = '{}' WHERE sequence = 3")
    run(path, rehashed(path, 3)[0])
    refused(path, "entry 4 ")


@pytest.mark.parametrize("first", [1, 4, ENTRIES])
def test_a_chain_that_was_built_anew_is_found(path, first):
    unlocked(path, f"UPDATE entries SET recorded = '2000' WHERE sequence = {first}")
    run(path, *rehashed(path, first))
    refused(path, f"entry {ENTRIES} .* is not the one")


def test_a_changed_debit_buys_nothing_even_if_the_file_looks_as_before(path):
    """The sums are sealed: the debits are not added up again."""
    look = path.stat()
    content = path.read_bytes()
    debit = b'{"cost":{"delta":"0.0","epsilon":"0.1"'
    assert content.count(debit) == 3
    with path.open("r+b") as file:
        file.write(content.replace(debit, debit.replace(b"0.1", b"0.0")))
    os.utime(path, ns=(look.st_atime_ns, look.st_mtime_ns))
    ledger = Ledger.at(path)
    assert ledger.account("table").spent.epsilon == 3 * TENTH.epsilon
    with pytest.raises(UntrustedLedgerError, match="entry 2 "):
        ledger.verify()


@pytest.mark.parametrize(
    "statement",
    [
        "DELETE FROM entries",
        *(f"DELETE FROM entries WHERE sequence = {n}" for n in (1, 2, 4, ENTRIES)),
        "DELETE FROM entries WHERE sequence > 3",
        "UPDATE entries SET sequence = sequence + 100",
        "UPDATE entries SET sequence = -sequence",
        "DROP TABLE entries",
        "ALTER TABLE entries DROP COLUMN recorded",
        "PRAGMA user_version = 0",
    ],
)
def test_no_entry_can_be_removed_or_moved(path, statement):
    unlocked(path, statement)
    refused(path)


def test_entries_cannot_change_places(path):
    unlocked(
        path,
        "UPDATE entries SET sequence = 100 WHERE sequence = 2",
        "UPDATE entries SET sequence = 2 WHERE sequence = 4",
        "UPDATE entries SET sequence = 4 WHERE sequence = 100",
    )
    refused(path, "entry 2 ")


def test_a_replaced_entry_is_found_although_no_trigger_sees_it(path):
    run(
        path,
        "REPLACE INTO entries SELECT sequence, recorded, fingerprint, kind, request, "
        "'{}', previous, digest FROM entries WHERE sequence = 2",
    )
    refused(path, "entry 2 ")


@pytest.mark.parametrize("keep", [0, 1, 100, 4096, 5000, 0.5])
def test_a_file_cannot_be_cut(path, keep):
    content = path.read_bytes()
    size = int(len(content) * keep) if isinstance(keep, float) else keep
    path.write_bytes(content[:size])
    refused(path)


def test_a_file_cannot_be_removed(path):
    path.unlink()
    refused(path, "7 were written")


@pytest.mark.parametrize("byte", [0, 20, 100, 4096, 4200])
def test_bytes_of_noise_are_found_or_harmless(path, byte):
    content = bytearray(path.read_bytes())
    content[byte : byte + 16] = b"\xa5" * 16
    path.write_bytes(bytes(content))
    with contextlib.suppress(LedgerError):
        assert Ledger.at(path).account("table").spent.epsilon == 3 * TENTH.epsilon


def test_an_older_copy_is_found(path):
    copy = path.with_name("copy")
    shutil.copy2(path, copy)
    spend(Ledger.at(path), "a-4")
    content = path.read_bytes()
    shutil.copy2(copy, path)
    refused(path, "9 were written")
    path.write_bytes(content)
    assert Ledger.at(path).account("table").spent.epsilon == 4 * TENTH.epsilon


def test_another_ledger_is_found(path, tmp_path):
    other = tmp_path / "other" / "ledger.sqlite3"
    write(other, ["b-1", "b-2", "b-3", "b-4"])
    shutil.copy(other, path)
    refused(path, "is not the one")


def test_a_key_that_is_gone_is_not_replaced(path):
    key = path.with_name("key")
    content = key.read_bytes()
    key.unlink()
    refused(path, "the key of the ledger is gone")
    with pytest.raises(UntrustedLedgerError, match="gone"):
        keyfile(path.parent)
    key.write_bytes(content)
    assert spend(Ledger.at(path), "b-1").id == "b-1"


@pytest.mark.parametrize("content", [b"", b"short", bytes(range(32))])
def test_another_key_is_found(path, content):
    path.with_name("key").write_bytes(content)
    refused(path, "key")


def test_a_checkpoint_that_is_gone_is_noticed(path):
    path.with_name("checkpoint").unlink()
    refused(path, "the checkpoint of the ledger is gone")


@pytest.mark.parametrize("place", [0, 70, -1])
def test_a_changed_checkpoint_is_found(path, place):
    checkpoint = path.with_name("checkpoint")
    content = bytearray(checkpoint.read_bytes())
    content[place] ^= 1
    checkpoint.write_bytes(bytes(content))
    refused(path, "checkpoint of the ledger was changed")
    checkpoint.write_bytes(b"")
    refused(path, "checkpoint of the ledger was changed")


def test_an_older_checkpoint_only_means_more_to_follow(path):
    checkpoint = path.with_name("checkpoint")
    old = checkpoint.read_bytes()
    spend(Ledger.at(path), "a-4")
    checkpoint.write_bytes(old)
    assert Ledger.at(path).account("table").releases == 4
    assert spend(Ledger.at(path), "a-5").id == "a-5"
    assert Ledger.at(path).account("table").spent.epsilon == 5 * TENTH.epsilon


def as_before_checkpoints(path):
    run(path, "PRAGMA user_version = 1")
    path.with_name("checkpoint").unlink()


def test_a_ledger_of_before_opens_and_gets_its_checkpoint(path):
    ledger = Ledger.at(path)
    before = ledger.account("table"), ledger.history("table")
    as_before_checkpoints(path)
    assert (ledger.account("table"), ledger.history("table")) == before
    assert path.with_name("checkpoint").exists()
    spend(ledger, "a-4")
    path.with_name("checkpoint").unlink()
    refused(path, "checkpoint of the ledger is gone")


def test_a_ledger_of_before_is_followed_as_a_whole_once(path):
    as_before_checkpoints(path)
    unlocked(path, "UPDATE entries SET body = '{}' WHERE sequence = 4")
    refused(path, "entry 4 ")
    assert not path.with_name("checkpoint").exists()


def test_only_what_comes_after_the_checkpoint_is_followed(path, monkeypatch):
    ledger = write(path, [f"b-{number}" for number in range(4)])
    followed, walk = [], EntryTable.walk

    def counted(*args):
        for entry in walk(*args):
            followed.append(entry.sequence)
            yield entry

    monkeypatch.setattr(EntryTable, "walk", counted)
    ledger.account("table")
    assert followed == [15]
    ledger.verify()
    assert followed == [15, *range(1, 16)]
