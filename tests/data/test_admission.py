"""A PostgreSQL that is starting or full is waited for; a wrong password is not."""

import itertools
import re

import pytest

from dpcore.data.readers.databases.reading import read_whole
from dpcore.data.readers.databases.sources import Database
from dpcore.errors import DataError, LedgerError
from dpcore.ledger.opening import on_server
from dpcore.privacy_filter import PrivacyBudget
from dpcore.relations import NeighboringRelation
from tests.postgresql import Doorman

REFUSALS = {
    "the database system is starting up": "is starting",
    "the database system is shutting down": "is starting or stopping",
    "the database system is not yet accepting connections": "is starting",
    "sorry, too many clients already": "no free connection",
    "remaining connection slots are reserved for roles with privileges of the "
    "pg_use_reserved_connections role": "no free connection",
    'too many connections for role "guest"': "no free connection",
    "no more connections allowed (max_client_conn)": "no free connection",
    "das Datenbanksystem startet": "stopping or full",
    "tut mir leid, schon zu viele Verbindungen": "stopping or full",
    "le système de bases de données se lance": "stopping or full",
}
FAULTS = {
    'password authentication failed for user "guest"': "the password is wrong",
    'role "guest" does not exist': "the password is wrong",
    "Passwort-Authentifizierung für »guest« fehlgeschlagen": "the password is wrong",
    'database "postgres" does not exist': "no database of",
    "Datenbank »postgres« existiert nicht": "no database of",
    'no pg_hba.conf entry for host "127.0.0.1", user "guest", database "postgres", no '
    "encryption": "does not permit",
}
SECRET = "hunter2"  # noqa: S105 - of nobody
_numbers = itertools.count()


def address(port, user="guest"):
    return f"postgresql://{user}:{SECRET}@127.0.0.1:{port}/postgres"


def both(where, folder):
    """Ask by both ways that the program connects; return what was said."""
    with pytest.raises(LedgerError) as of_ledger:
        on_server(where, folder).account("table")
    with pytest.raises(DataError) as of_table:
        read_whole(Database(name="clinic", address=where), "people")
    return str(of_ledger.value), str(of_table.value)


@pytest.mark.parametrize("words", REFUSALS | FAULTS)
def test_words_of_a_server_have_their_own_explanation(cluster, tmp_path, monkeypatch, words):
    monkeypatch.setattr("dpcore.data.readers.databases.connection._PATIENCE", 0.0)
    with Doorman(cluster=cluster, words=words, times=9).at_work() as port:
        for said in both(address(port), tmp_path):
            assert re.search((REFUSALS | FAULTS)[words], said)
            assert SECRET not in said
            if words in REFUSALS:
                assert "password" not in said


@pytest.mark.parametrize("words", REFUSALS)
def test_a_server_that_is_starting_or_full_is_waited_for(cluster, tmp_path, monkeypatch, words):
    monkeypatch.setattr("dpcore.data.readers.databases.connection._FIRST_PAUSE", 0.01)
    doorman = Doorman(cluster=cluster, words=words, times=2)
    schema = f"admitted_{next(_numbers)}"
    cluster.address(schema)
    with doorman.at_work() as port:
        where = f"{address(port, cluster.user)}?options=-csearch_path%3D{schema}"
        ledger = on_server(where, tmp_path / "home")
        ledger.open_account(
            "table", PrivacyBudget.of(epsilon=1.0), NeighboringRelation.SUBSTITUTION
        )
        assert ledger.account("table").releases == 0
        ledger.close()
    assert len(doorman.seen) >= 3


def test_a_wrong_password_is_said_at_once(cluster, tmp_path):
    words = 'password authentication failed for user "guest"'
    doorman = Doorman(cluster=cluster, words=words, times=99)
    with doorman.at_work() as port:
        both(address(port), tmp_path)
    assert len(doorman.seen) == 2
