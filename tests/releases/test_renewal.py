"""A ledger that cannot be trusted is begun anew, and forgets as little as it can."""

import json
from datetime import UTC, datetime

import pytest

from dpcore.errors import BudgetExceeded, LedgerError, ParameterError, UntrustedLedgerError
from dpcore.ledger.ledger import Ledger
from dpcore.ledger.renewal import begin_anew
from dpcore.ledger.store import FileDatabase
from dpcore.privacy_filter import PrivacyBudget, PrivacyCost
from dpcore.relations import NeighboringRelation
from tests.releases.sample_releases import TENTH, make_release

NOW = datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC)
FILES = ("ledger.sqlite3", "checkpoint", "key")


@pytest.fixture
def path(tmp_path):
    written = tmp_path / "home" / "ledger.sqlite3"
    ledger = Ledger.at(written)
    relation = NeighboringRelation.SUBSTITUTION
    ledger.open_account("table", PrivacyBudget.of(epsilon=1.0), relation, 3)
    ledger.open_account("idle", PrivacyBudget.of(rho=0.5), relation)
    spend(ledger, "a-1", cost=PrivacyCost.of(epsilon=0.9))
    return written


def spend(ledger, name, cost=TENTH):
    ledger.charge("table", name, cost, lambda: make_release(name, cost=cost), unit_rows=3)


def emptied(path):
    path.write_bytes(b"")


def removed(path):
    path.unlink()


def noise(path):
    path.write_bytes(b"noise" * 3000)


def no_checkpoint(path):
    path.with_name("checkpoint").unlink()


def bad_checkpoint(path):
    path.with_name("checkpoint").write_bytes(b"{}")


def cut(path):
    content = path.read_bytes()
    path.write_bytes(content[: len(content) // 2])


@pytest.mark.parametrize("harm", [emptied, removed, noise, no_checkpoint, bad_checkpoint, cut])
def test_what_was_spent_is_carried_over(path, harm):
    before = Ledger.at(path).account("table")
    harm(path)
    with pytest.raises(UntrustedLedgerError) as found:
        Ledger.at(path).account("table")
    begin_anew(path, reason="the disk broke", now=NOW)
    ledger = Ledger.at(path)
    ledger.verify()
    after = ledger.account("table")
    assert (after.budget, after.relation, after.unit_rows, after.spent) == (
        before.budget,
        before.relation,
        before.unit_rows,
        before.spent,
    )
    assert ledger.account("idle").budget == PrivacyBudget.of(rho=0.5)
    (entry,) = ledger.beginnings()
    assert entry.content["reason"] == "the disk broke"
    assert entry.content["found"] == str(found.value)
    assert (path.parent / str(entry.content["kept"])).is_dir()
    spend(ledger, "b-1")
    with pytest.raises(BudgetExceeded):
        spend(ledger, "b-2")
    with pytest.raises(LedgerError, match="Keep the relation"):
        ledger.change_relation("table", NeighboringRelation.ADD_REMOVE, 1)


def test_a_lost_key_starts_new_accounts_on_record(path):
    path.with_name("key").unlink()
    begin_anew(path, reason="lost", now=NOW)
    ledger = Ledger.at(path)
    assert len(path.with_name("key").read_bytes()) == 32
    assert "key of the ledger is gone" in ledger.beginnings()[0].content["found"]
    ledger.verify()


def test_the_old_files_are_kept_and_can_be_put_back(path):
    contents = {name: path.with_name(name).read_bytes() for name in FILES}
    path.with_name("checkpoint").unlink()
    begin_anew(path, reason="lost", now=NOW)
    kept = path.parent / json.loads(Ledger.at(path).beginnings()[0].body)["kept"]
    assert sorted(file.name for file in kept.iterdir()) == ["key", "ledger.sqlite3"]
    for name in FILES:
        path.with_name(name).write_bytes(contents[name])
    assert Ledger.at(path).account("table").releases == 1


def test_a_ledger_in_order_is_not_begun_anew(path):
    with pytest.raises(LedgerError, match="in order"):
        begin_anew(path, reason="a new budget, please", now=NOW)
    path.with_name("checkpoint").unlink()
    with pytest.raises(ParameterError, match="reason"):
        begin_anew(path, reason="  ", now=NOW)
    with pytest.raises(UntrustedLedgerError):
        Ledger.at(path).account("table")


class Crash(BaseException):
    """Stands for the end of the process."""


@pytest.mark.parametrize("harm", [emptied, noise, no_checkpoint])
@pytest.mark.parametrize("step", ["set_aside", "keep", "replace", "writing"])
@pytest.mark.parametrize("after", [False, True])
def test_a_crash_at_any_step_forgets_nothing(path, monkeypatch, harm, step, after):
    spent = Ledger.at(path).account("table").spent
    harm(path)
    real = getattr(FileDatabase, step)

    def crash(self, *args):
        if after:
            real(self, *args)
        raise Crash

    with monkeypatch.context() as patched:
        patched.setattr(FileDatabase, step, crash)
        with pytest.raises(Crash):
            begin_anew(path, reason="lost", now=NOW)
    done = step == "replace" and after
    if not done:
        with pytest.raises(UntrustedLedgerError):
            Ledger.at(path).account("table")
        begin_anew(path, reason="lost", now=NOW.replace(year=2027))
    assert Ledger.at(path).account("table").spent == spent
