"""A ledger of an earlier program opens, is followed and counts as it did.

Its accounts were moved to and from other machines, have periods that take over what an
earlier one left, and limits that promise more than is left: none can be made any more.
"""

import json
import shutil
from datetime import UTC, date, datetime
from pathlib import Path

import pytest

from dpcore.errors import BudgetExceeded, LedgerError
from dpcore.ledger import chain, periods
from dpcore.ledger.account import ACCOUNT, by_period
from dpcore.ledger.ledger import Ledger
from dpcore.ledger.renewal import begin_anew
from dpcore.privacy_filter import PrivacyBudget, PrivacyCost
from tests.releases.sample_releases import spend

VECTORS = Path(__file__).parents[1] / "vectors" / "ledger"
LAST = date(2026, 11, 20)
DAYS = [LAST, date(2026, 12, 31), date(2027, 1, 1), date(2027, 4, 1)]


@pytest.fixture
def path(tmp_path, monkeypatch):
    shutil.copytree(VECTORS, tmp_path / "home")
    on(monkeypatch, LAST)
    return tmp_path / "home" / "ledger.sqlite3"


def on(monkeypatch, day):
    now = datetime.combine(day, datetime.min.time(), UTC)
    monkeypatch.setattr(chain, "now", lambda: now)


def counted(ledger, monkeypatch):
    """Return all that the ledger counts, on several days, as JSON holds it."""
    found = {}
    for day in DAYS:
        on(monkeypatch, day)
        found[str(day)] = {account.name: _counted(account) for account in ledger.accounts()}
    found["draws"] = {name: ledger.draws(name, "a") for name in found[str(LAST)]}
    found["answers"] = {
        name: [one.id for one in ledger.releases(name)] for name in found[str(LAST)]
    }
    found["digests"] = [entry.digest for name in found[str(LAST)] for entry in ledger.history(name)]
    return json.loads(json.dumps(found))


def _counted(account):
    limits = {one.name: periods.limit(account.periods, one) for one in account.periods}
    return {
        **ACCOUNT.write(account),
        "fingerprints": account.fingerprints,
        "remaining": account.remaining.to_json(),
        "bar": account.bar,
        "admits": [
            account.admits(PrivacyCost.of(epsilon=epsilon, rho=epsilon / 20))
            for epsilon in (0.05, 0.1, 0.2, 0.3, 0.5, 0.9)
        ],
        "limits": {name: limit.to_json() for name, limit in limits.items()},
        "by_period": [[one and one.name, cost.to_json()] for one, cost in by_period(account)],
    }


def test_everything_counts_as_it_did(path, monkeypatch):
    ledger = Ledger.at(path)
    ledger.verify()
    expected = json.loads((VECTORS / "counted.json").read_text())
    assert counted(ledger, monkeypatch) == expected


def test_it_pays_on_within_every_limit(path):
    ledger = Ledger.at(path)
    # The quarter takes nothing over, and the year has less left than the quarter.
    spend(ledger, "a-10", fingerprint="quarters-2")
    for name, said in (
        ("quarters", "until the end of “2026”"),
        ("away", "moved to another machine"),
        ("closed", "closed, and cannot be charged"),
    ):
        with pytest.raises((BudgetExceeded, LedgerError), match=said):
            spend(ledger, "new", fingerprint=name)
    assert spend(ledger, "away-1", value=0.0, fingerprint="away").values == (41.25,)
    ledger.change_budget("back", PrivacyBudget.of(epsilon=3.0), "once more")
    ledger.verify()


def test_what_it_counts_outlives_a_ledger_that_is_begun_anew(path):
    before = Ledger.at(path).accounts()
    path.write_bytes(b"")
    begin_anew(path, reason="the disk broke", now=datetime(2026, 11, 20, tzinfo=UTC))
    found = Ledger.at(path).accounts()
    assert [(one.name, one.spent, one.periods) for one in found] == [
        (one.name, one.spent, one.periods) for one in before
    ]
    assert [one.remaining for one in found] == [one.remaining for one in before]
