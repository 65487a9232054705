import contextlib
import gc
import os
import sqlite3
import stat
import subprocess
import sys
import tempfile
import textwrap
from concurrent.futures import ThreadPoolExecutor
from decimal import Decimal
from pathlib import Path

import pytest

from dpcore.analyses.identity import analysis_id, request_id
from dpcore.errors import BudgetExceeded, LedgerError, ParameterError
from dpcore.ledger.chain import EntryKind
from dpcore.ledger.ledger import Ledger
from dpcore.ledger.store import keyfile
from dpcore.privacy_filter import PrivacyBudget, PrivacyCost
from tests.conftest import ROOT
from tests.releases.sample_releases import TENTH, make_release, spend
from tests.terms import ADD_REMOVE, SUBSTITUTION


def test_ten_tenths_fit_into_one_and_the_eleventh_does_not(ledger):
    for number in range(10):
        spend(ledger, f"a-{number}")
    with pytest.raises(BudgetExceeded) as refused:
        spend(ledger, "a-10")
    assert "costs ε = 0.1" in str(refused.value)
    assert "only ε = 0, δ = 0 is left" in str(refused.value)
    assert "raise the budget" in str(refused.value)
    account = ledger.account("table")
    assert (account.spent.epsilon, account.releases) == (1, 10)
    assert ledger.stored("a-10") is None


def test_the_same_request_has_one_answer_and_one_debit(ledger):
    first = spend(ledger, "a-1", value=1.0)
    again = spend(ledger, "a-1", value=2.0)
    assert again == first == ledger.stored("a-1")
    assert ledger.account("table").spent == TENTH
    assert ledger.releases("table") == (first,)


@pytest.mark.parametrize("failure", [ValueError, KeyboardInterrupt, SystemExit])
def test_a_failed_draw_leaves_neither_debit_nor_answer(ledger, failure):
    def fail():
        raise failure

    with pytest.raises(failure):
        ledger.charge("table", "a-1", TENTH, fail)
    assert ledger.account("table").spent == PrivacyCost()
    assert len(ledger.history("table")) == 1
    assert ledger.stored("a-1") is None
    assert spend(ledger, "a-1").id == "a-1"


@pytest.mark.parametrize(
    "changes", [{"name": "b-1"}, {"cost": PrivacyCost()}, {"relation": ADD_REMOVE}]
)
def test_an_answer_to_another_request_is_rolled_back(ledger, changes):
    with pytest.raises(LedgerError):
        ledger.charge("table", "a-1", TENTH, lambda: make_release(**changes))
    assert ledger.account("table").releases == 0


def test_no_draw_happens_beyond_the_budget(ledger):
    drawn = []
    with pytest.raises(BudgetExceeded):
        ledger.charge("table", "a-1", PrivacyCost.of(epsilon=2.0), lambda: drawn.append(1))
    assert drawn == []


def test_a_rho_budget_counts_rho_only(ledger):
    ledger.open_account("other", PrivacyBudget.of(rho=0.0101), SUBSTITUTION)
    for number in (1, 2):
        spend(ledger, f"o-{number}", fingerprint="other")
    with pytest.raises(BudgetExceeded, match="costs ρ"):
        spend(ledger, "o-3", fingerprint="other")
    left = ledger.account("other").remaining.rho
    assert Decimal("0.00009") < left < Decimal("0.0001")


def test_terms_are_set_once(ledger):
    account = ledger.open_account("table", PrivacyBudget.of(rho=9.0), ADD_REMOVE, 7)
    assert account.budget == PrivacyBudget.of(epsilon=1.0)
    assert (account.relation, account.unit_rows) == (SUBSTITUTION, 1)
    assert len(ledger.history("table")) == 1


def test_a_table_without_account_cannot_be_charged(ledger):
    assert ledger.account("stranger") is None
    with pytest.raises(LedgerError, match="Set its budget"):
        spend(ledger, "s-1", fingerprint="stranger")


def test_a_new_budget_is_an_entry_with_its_reason(ledger):
    spend(ledger, "a-1")
    with pytest.raises(ParameterError, match="reason"):
        ledger.change_budget("table", PrivacyBudget.of(epsilon=2.0), " ")
    account = ledger.change_budget("table", PrivacyBudget.of(epsilon=2.0), "board")
    assert account.remaining.epsilon == Decimal("1.9")
    kinds = [entry.kind for entry in ledger.history("table")]
    assert kinds == ["account", "debit", "release", "budget"]
    assert ledger.history("table")[-1].content["reason"] == "board"


def test_the_relation_is_fixed_by_the_first_release(ledger):
    account = ledger.change_relation("table", ADD_REMOVE, 3)
    assert (account.relation, account.unit_rows) == (ADD_REMOVE, 3)
    ledger.change_relation("table", SUBSTITUTION, 1)
    spend(ledger, "a-1")
    with pytest.raises(LedgerError, match="Keep the relation"):
        ledger.change_relation("table", ADD_REMOVE, 1)
    assert ledger.account("table").relation is SUBSTITUTION


def test_draws_of_one_analysis_are_counted(ledger):
    analysis = analysis_id("table", {"epsilon": 0.1})
    other = analysis_id("table", {"epsilon": 0.2})
    for draw in (1, 2):
        spend(ledger, request_id(analysis, draw))
    spend(ledger, request_id(other, 1))
    assert (ledger.draws("table", analysis), ledger.draws("table", other)) == (2, 1)
    assert ledger.draws("stranger", analysis) == 0


def test_an_analysis_is_named_by_its_table_and_parameters():
    name = analysis_id("table", {"a": 0.1, "b": [1, 2]})
    assert name == analysis_id("table", {"b": [1, 2], "a": 0.1})
    assert name != analysis_id("other", {"a": 0.1, "b": [1, 2]})
    assert name != analysis_id("table", {"a": 0.1 + 2**-56, "b": [1, 2]})
    with pytest.raises(ParameterError):
        analysis_id("table", {"a": float("nan")})
    with pytest.raises(ParameterError):
        request_id(name, 0)


@pytest.mark.slow
def test_200_concurrent_spends_are_granted_exactly_to_the_cap(ledger):
    ledger.open_account("busy", PrivacyBudget.of(epsilon=5.0), SUBSTITUTION)

    def attempt(number):
        try:
            spend(ledger, f"c-{number}", fingerprint="busy")
        except BudgetExceeded:
            return 0
        return 1

    with ThreadPoolExecutor(10) as pool:
        granted = sum(pool.map(attempt, range(200)))
    account = ledger.account("busy")
    assert (granted, account.releases, account.spent.epsilon) == (50, 50, 5)
    ledger.verify()


def test_memory_ledgers_are_isolated_and_freed():
    first, second = Ledger.in_memory(), Ledger.in_memory()
    first.open_account("table", PrivacyBudget.of(epsilon=1.0), SUBSTITUTION)
    assert second.account("table") is None
    del first
    gc.collect()
    assert second.account("table") is None


@pytest.fixture
def path(tmp_path):
    return tmp_path / "home" / "ledger.sqlite3"


@pytest.fixture
def written(path):
    ledger = Ledger.at(path)
    ledger.open_account("table", PrivacyBudget.of(epsilon=1.0), SUBSTITUTION)
    for number in (1, 2):
        spend(ledger, f"a-{number}")
    ledger.verify()
    return ledger


def run(path, *statements):
    with contextlib.closing(sqlite3.connect(path, isolation_level=None)) as connection:
        for statement in statements:
            connection.execute(statement)


@pytest.mark.parametrize("statement", ["UPDATE entries SET body = '{}'", "DELETE FROM entries"])
def test_entries_are_append_only(path, written, statement):
    with pytest.raises(sqlite3.IntegrityError, match="append-only"):
        run(path, statement)
    written.verify()


def test_only_the_owner_may_read_the_file_and_the_folder(path, written):
    spend(written, "a-3")
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert stat.S_IMODE(path.parent.stat().st_mode) == 0o700


def test_a_ledger_opens_again_with_everything_in_it(path, written):
    assert Ledger.at(path).history("table") == written.history("table")
    assert {entry.kind for entry in written.history("table")} == {
        EntryKind.ACCOUNT,
        EntryKind.DEBIT,
        EntryKind.RELEASE,
    }


def test_a_file_that_is_no_ledger_is_refused(tmp_path):
    path = tmp_path / "ledger.sqlite3"
    path.write_bytes(b"not a database at all" * 100)
    terms = PrivacyBudget.of(epsilon=1.0), SUBSTITUTION
    with pytest.raises(LedgerError):
        Ledger.at(path).open_account("table", *terms)
    with pytest.raises(LedgerError):
        Ledger.at(path / "below a file" / path.name).open_account("table", *terms)


def test_a_ledger_of_a_later_program_is_refused(path, written):
    run(path, "PRAGMA user_version = 4")
    for ledger in (written, Ledger.at(path)):
        with pytest.raises(LedgerError, match="format 4"):
            ledger.account("table")
        with pytest.raises(LedgerError, match="format 4"):
            spend(ledger, "a-3")


@pytest.mark.parametrize("rows", [1, 3])
def test_costs_for_other_rows_a_unit_are_not_charged(ledger, rows):
    ledger.change_relation("table", SUBSTITUTION, 2)
    with pytest.raises(LedgerError, match="at most 2 rows a unit"):
        ledger.charge("table", "a-1", TENTH, lambda: pytest.fail("drawn"), unit_rows=rows)
    assert ledger.account("table").spent == PrivacyCost()
    assert ledger.charge("table", "a-1", TENTH, make_release, unit_rows=2).id == "a-1"


def test_looking_creates_nothing(path):
    ledger = Ledger.at(path)
    assert ledger.account("table") is None
    assert ledger.stored("a-1") is None
    assert ledger.releases("table") == ledger.history("table") == ()
    assert ledger.draws("table", "a") == 0
    ledger.verify()
    assert not path.parent.exists()


@pytest.mark.parametrize("lock", ["IMMEDIATE", "EXCLUSIVE"])
def test_looking_needs_no_lock(path, written, lock):
    with contextlib.closing(sqlite3.connect(path, isolation_level=None)) as foreign:
        foreign.execute(f"BEGIN {lock}")
        assert written.account("table").releases == 2
        assert len(written.releases("table")) == 2
        assert written.draws("table", "a") == 2
        written.verify()


def test_a_ledger_that_another_program_holds_refuses_and_recovers(path, written, monkeypatch):
    monkeypatch.setattr("dpcore.ledger.ledger._PATIENCE", 0.05)
    with contextlib.closing(sqlite3.connect(path, isolation_level=None)) as foreign:
        foreign.execute("BEGIN IMMEDIATE")
        with pytest.raises(LedgerError, match="another program is still writing"):
            spend(written, "a-3")
        foreign.execute("COMMIT")
    assert written.account("table").releases == 2
    spend(written, "a-3")
    assert written.account("table").releases == 3


def test_a_full_disk_refuses_and_leaves_nothing(written, monkeypatch):
    connect = sqlite3.connect

    def full(*args, **named):
        connection = connect(*args, **named)
        connection.execute("PRAGMA max_page_count = 1")
        return connection

    monkeypatch.setattr(sqlite3, "connect", full)
    with pytest.raises(LedgerError, match=r"disk .* is full\. Nothing was charged"):
        spend(written, "a-3", labels=tuple(map(str, range(2000))))
    monkeypatch.setattr(sqlite3, "connect", connect)
    assert written.account("table").releases == len(written.releases("table")) == 2
    spend(written, "a-3")
    written.verify()


@pytest.mark.skipif(not hasattr(os, "setuid"), reason="permissions of POSIX")
def test_a_folder_for_reading_only_can_be_looked_at_and_not_charged():
    program = """
        import os, sys
        from pathlib import Path
        sys.path.insert(0, "tests/releases")
        from sample_releases import spend
        from dpcore.errors import LedgerError
        from dpcore.ledger.ledger import Ledger
        if os.geteuid() == 0:
            os.setuid(65534)
        ledger = Ledger.at(Path(sys.argv[1]))
        print(ledger.account("table").releases)
        try:
            spend(ledger, "a-2")
        except LedgerError as error:
            print(error)
    """
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        path = folder / "ledger.sqlite3"
        ledger = Ledger.at(path)
        ledger.open_account("table", PrivacyBudget.of(epsilon=1.0), SUBSTITUTION)
        spend(ledger, "a-1")
        for file in folder.iterdir():
            file.chmod(0o444)
        folder.chmod(0o555)
        command = [sys.executable, "-c", textwrap.dedent(program), str(path)]
        said = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout
        folder.chmod(0o755)
    assert said.startswith("1\n")
    assert "cannot be written to. Nothing was charged" in said


def test_the_key_is_made_once_for_its_owner(tmp_path):
    folder = tmp_path / "home"
    with ThreadPoolExecutor(8) as pool:
        keys = set(pool.map(lambda _: keyfile(folder), range(32)))
    assert len(keys) == 1
    assert len(keys.pop()) == 32
    assert [entry.name for entry in folder.iterdir()] == ["key"]
    assert stat.S_IMODE((folder / "key").stat().st_mode) == 0o600
    assert keyfile(tmp_path / "elsewhere") != keyfile(folder)


def test_a_damaged_key_is_refused(tmp_path):
    (tmp_path / "key").write_bytes(b"short")
    with pytest.raises(LedgerError, match="32 bytes, got 5"):
        keyfile(tmp_path)
