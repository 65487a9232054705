"""A ledger on a server: machines that share it, and whatever is done to its tables."""

# ruff: noqa: S608 - statements of this file's own making

import builtins
from datetime import UTC, datetime

import pytest

from dpcore.errors import LedgerError, ParameterError, UntrustedLedgerError
from dpcore.ledger.chain import EntryKind
from dpcore.ledger.opening import address, on_server
from dpcore.privacy_filter import PrivacyBudget
from dpcore.relations import NeighboringRelation
from tests.releases.places import Place
from tests.releases.sample_releases import TENTH, spend

RELATION = NeighboringRelation.SUBSTITUTION
NOW = datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC)
ENTRIES, STATE = "epsilon_studio_entries", "epsilon_studio_ledger"
UNGUARDED = "SET session_replication_role = replica"
TAMPERED = {
    "a debit": f"UPDATE {ENTRIES} SET body = '{{}}' WHERE sequence = 4",
    "the last entry": f"UPDATE {ENTRIES} SET recorded = '2000' WHERE sequence = 5",
    "an end": f"DELETE FROM {ENTRIES} WHERE sequence > 3",
    "a middle": f"DELETE FROM {ENTRIES} WHERE sequence = 4",
    "everything": f"TRUNCATE {ENTRIES}",
    "the table": f"DROP TABLE {ENTRIES}",
    "a column": f"ALTER TABLE {ENTRIES} DROP COLUMN recorded",
    "all tables": f"DROP TABLE {ENTRIES}, {STATE}",
    "the checkpoint": f"UPDATE {STATE} SET checkpoint = 'x'",
    "no checkpoint": f"UPDATE {STATE} SET checkpoint = ''",
}


@pytest.fixture
def execute(cluster, server):
    schema = server.address.rpartition("%3D")[2]

    def run(*statements):
        return cluster.run(*statements, schema=schema)

    return run


@pytest.fixture
def written(server):
    """Two machines that know the ledger; the first knows of two releases."""
    ledger = server.ledger()
    ledger.open_account("table", PrivacyBudget.of(epsilon=1.0), RELATION)
    spend(ledger, "a-1")
    assert server.ledger(1).account("table").releases == 1
    spend(ledger, "a-2")
    return ledger


def spent(ledger):
    return ledger.account("table").spent.epsilon


def test_machines_with_the_key_share_accounts_and_answers(server, written):
    other = server.ledger(1)
    assert spent(other) == 2 * TENTH.epsilon
    assert other.stored("a-1") == written.stored("a-1")
    spend(other, "a-3")
    assert written.account("table").releases == 3
    assert written.history("table") == other.history("table")
    written.verify()


def test_looking_creates_nothing_on_the_server_or_beside_it(server, execute):
    ledger = server.ledger()
    assert ledger.account("table") is ledger.stored("a-1") is None
    assert ledger.releases("table") == ledger.history("table") == ()
    ledger.verify()
    assert execute(f"SELECT to_regclass('{STATE}')") == [(None,)]
    assert not server.home.exists()


@pytest.mark.parametrize("own_key", [False, True])
def test_a_machine_without_the_key_is_told_to_get_it(server, written, tmp_path, own_key):
    home = tmp_path / "stranger"
    stranger = Place(home=home, address=server.address)
    if own_key:
        home.mkdir()
        (home / "key").write_bytes(bytes(32))
    ledger = stranger.ledger()
    for ask in (lambda: ledger.account("table"), lambda: spend(ledger, "b-1")):
        with pytest.raises(LedgerError, match="Copy the file “key”") as refused:
            ask()
        # Nobody is to begin the ledger of others anew for that.
        assert not isinstance(refused.value, UntrustedLedgerError)
    assert spent(written) == 2 * TENTH.epsilon
    stranger.close()


def test_the_key_never_goes_to_the_server(server, written, execute):
    key = (server.home / "key").read_bytes()
    spend(written, "a-3")
    found = execute(f"SELECT {ENTRIES}::text FROM {ENTRIES}")
    found += execute(f"SELECT {STATE}::text FROM {STATE}")
    assert len(found) == 8
    assert key.hex() not in str(found)


@pytest.mark.parametrize("statement", TAMPERED.values(), ids=TAMPERED)
def test_what_is_done_to_the_tables_buys_nothing(server, written, execute, statement):
    execute(UNGUARDED, statement)
    ledger = written
    with pytest.raises(UntrustedLedgerError, match="start a new ledger"):
        ledger.verify()
    if statement in {TAMPERED["a debit"], TAMPERED["a middle"]}:
        # In the middle; the sums are sealed, and the whole chain was followed above.
        assert spent(ledger) == 2 * TENTH.epsilon
        return
    with pytest.raises(UntrustedLedgerError):
        spend(ledger, "b-1")
    ledger.begin_anew(reason="the server broke", now=NOW)
    assert spent(ledger) == 2 * TENTH.epsilon
    (entry,) = ledger.beginnings()
    assert entry.content["reason"] == "the server broke"
    # The other machine saw less than was carried over: it goes on.
    other = server.ledger(1)
    spend(other, "b-1")
    assert spent(other) == spent(ledger) == 3 * TENTH.epsilon
    ledger.verify()


def test_nobody_without_the_key_can_add_an_entry(server, written):
    with written._database.writing(1.0) as entries:  # noqa: SLF001 - past the seal
        body = '{"budget":{"delta":"0","epsilon":"9"},"reason":"mine"}'
        entries.append(fingerprint="table", kind=EntryKind.BUDGET, body=body)
    with pytest.raises(UntrustedLedgerError, match="without its key"):
        spent(server.ledger())


def test_an_older_copy_of_the_tables_is_noticed(server, written, execute):
    execute(f"CREATE TABLE old AS TABLE {ENTRIES}", f"CREATE TABLE seal AS TABLE {STATE}")
    spend(written, "a-3")
    execute(
        UNGUARDED,
        f"DELETE FROM {ENTRIES}",
        f"INSERT INTO {ENTRIES} TABLE old",
        f"UPDATE {STATE} SET checkpoint = seal.checkpoint FROM seal",
    )
    with pytest.raises(UntrustedLedgerError, match="7 were written"):
        spent(written)
    # This one saw no more than the copy holds; once it spends, the two have parted.
    spend(server.ledger(1), "b-1")
    with pytest.raises(UntrustedLedgerError, match="not the one that was written"):
        spent(written)


def test_entries_are_append_only(execute, written):
    for statement in TAMPERED["a debit"], TAMPERED["an end"], TAMPERED["everything"]:
        with pytest.raises(Exception, match="append-only"):
            execute(statement)
    written.verify()


def test_a_ledger_in_order_is_not_begun_anew(written):
    with pytest.raises(LedgerError, match="in order"):
        written.begin_anew(reason="more, please", now=NOW)
    with pytest.raises(ParameterError, match="reason"):
        written.begin_anew(reason=" ", now=NOW)


def test_a_folder_that_cannot_be_written_keeps_nobody_from_the_server(server, written, monkeypatch):
    def full(*_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("dpcore.ledger.server.write_whole", full)
    assert spend(written, "a-3").id == "a-3"
    assert spent(server.ledger(1)) == spent(written) == 3 * TENTH.epsilon


def test_how_the_connection_is_made_makes_no_other_ledger(server, written):
    before = set(server.home.iterdir())
    again = on_server(f"{server.address}&sslmode=prefer", server.home)
    assert spent(again) == spent(written)
    again.close()
    assert set(server.home.iterdir()) == before


def test_a_connection_that_broke_is_made_anew(cluster, written):
    cluster.run(
        "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE pid <> "
        "pg_backend_pid() AND backend_type = 'client backend'"
    )
    assert spend(written, "a-3").id == "a-3"


def test_a_writer_that_does_not_end_is_told_and_charges_nothing(server, written, monkeypatch):
    monkeypatch.setattr("dpcore.ledger.server._PATIENCE", 0.05)
    held = server.ledger()._database.writing(1.0)  # noqa: SLF001 - a writer that stays
    with held:
        with pytest.raises(LedgerError, match="is still writing"):
            spend(written, "a-3")
        assert spent(written) == 2 * TENTH.epsilon  # looking waits for nobody
    spend(written, "a-3")


def test_errors_are_plain_and_never_tell_the_secret(cluster, tmp_path):
    cluster.run("DROP ROLE IF EXISTS guest", "CREATE ROLE guest LOGIN PASSWORD 'right'")
    secret = "hunter2"  # noqa: S105 - a wrong one
    wrong = {
        cluster.address(user="guest", password=secret): "password is wrong",
        f"postgresql://guest:right@/nowhere?host={cluster.folder}": "has no database",
        f"postgresql://a:{secret}@/b?host=/nowhere": "cannot be reached",
        f"postgresql://a:{secret}@127.0.0.1:1/b": "cannot be reached",
        f"mysql://a:{secret}@127.0.0.1/b": "must be the address of a PostgreSQL",
        f"a:{secret}@127.0.0.1/b": "must be the address of a PostgreSQL",
        f"postgresql://a:{secret}@host:port/b": "must be the address of a PostgreSQL",
    }
    for where, said in wrong.items():
        with pytest.raises(LedgerError, match=said) as refused:
            on_server(where, tmp_path).account("table")
        error = refused.value
        assert error.__context__ is None or error.__suppress_context__
        assert secret not in f"{error!r} {error}"
    assert list(tmp_path.iterdir()) == []


def test_a_user_who_may_only_read_looks_and_is_not_charged(server, written, execute, cluster):
    schema = server.address.rpartition("%3D")[2]
    execute(
        "DROP ROLE IF EXISTS guest",
        "CREATE ROLE guest LOGIN PASSWORD 'right'",
        f"GRANT USAGE ON SCHEMA {schema} TO guest",
        f"GRANT SELECT ON ALL TABLES IN SCHEMA {schema} TO guest",
    )
    where = cluster.address(schema, user="guest", password="right")  # noqa: S106
    reader = on_server(where, server.home)
    assert spent(reader) == 2 * TENTH.epsilon
    with pytest.raises(LedgerError, match="does not let this user write"):
        spend(reader, "a-3")
    assert spent(written) == 2 * TENTH.epsilon
    reader.close()
    execute("DROP OWNED BY guest", "DROP ROLE guest")


def test_packages_that_are_missing_are_named(monkeypatch, tmp_path):
    real = builtins.__import__

    def absent(name, *args, **named):
        if name == "dpcore.ledger.server":
            raise ImportError(name)
        return real(name, *args, **named)

    monkeypatch.setattr(builtins, "__import__", absent)
    with pytest.raises(LedgerError, match=r"requirements-postgresql\.txt"):
        on_server("postgresql://host/name", tmp_path)


def test_without_an_address_the_ledger_is_a_file(monkeypatch):
    assert address() == ""
    monkeypatch.setenv("EPSILON_STUDIO_LEDGER", " postgresql://host/name ")
    assert address() == "postgresql://host/name"
