"""An account that moves to another machine takes all along, and pays once."""

import hashlib
import json
from dataclasses import replace
from datetime import UTC, datetime

import pytest

from dpcore.budget_filter import PrivacyBudget, PrivacyCost
from dpcore.errors import BudgetExceeded, DataError, LedgerError, ParameterError
from dpcore.relations import NeighboringRelation
from dpcore.releases import moving
from dpcore.releases.ledger import Ledger
from dpcore.releases.renewal import begin_anew
from tests.releases.sample_releases import TENTH, spend
from tests.releases.test_release_all import PRICE, THREE, alone, ask
from tests.releases.test_release_all import run as run_plan

RELATION = NeighboringRelation.SUBSTITUTION
CODE = moving.new_code()


def table(key, content=b"rows"):
    return hashlib.blake2b(content, key=key).hexdigest()


def other_table(key):
    return table(key, b"other rows")


def pack(ledger, code=CODE, fingerprint="table"):
    return moving.packed(ledger, fingerprint, code=code, table=table)


def unpack(text, code=CODE):
    return moving.unpacked(text, code=code, table=table)


def move(source, target, here="table", there="elsewhere"):
    moving.close(source, here, reason="a new server")
    text = pack(source, fingerprint=here)
    moving.arrive(target, there, unpack(text))
    return text


@pytest.fixture
def there():
    return Ledger.in_memory()


def test_all_of_an_account_arrives_and_nothing_is_left_behind(ledger, there):
    ledger.change_budget("table", PrivacyBudget.of(epsilon=2.0), "board")
    made = run_plan(ledger)
    single = alone(ledger, ask(0.1))
    before = ledger.account("table")
    move(ledger, there)
    after = there.account("elsewhere")
    assert replace(after, fingerprint="table") == before
    assert after.releases == 4
    answers = there.releases("elsewhere")
    assert [one.values for one in answers] == [one.values for one in (*made, single)]
    assert [one.plan for one in answers] == [one.plan for one in (*made, single)]
    changes = [e.content["reason"] for e in there.history("elsewhere") if _cap(e)]
    assert changes[0].startswith("board (recorded ")
    assert changes[1] == "moved here from another machine: a new server"
    closed = ledger.account("table")
    assert (closed.spent, closed.remaining.epsilon) == (before.spent, 0)
    ledger.verify()
    there.verify()


def _cap(entry):
    return entry.kind == "budget"


def test_answers_are_free_in_both_places_and_the_rest_is_paid_in_one(ledger, there):
    made = run_plan(ledger)
    move(ledger, there)
    assert run_plan(ledger) == made
    again = run_plan(there, fingerprint="elsewhere")
    assert [one.values for one in again] == [one.values for one in made]
    assert there.account("elsewhere").spent == PRICE
    assert there.draws("elsewhere", THREE[0].analysis("elsewhere")) == 1
    spend(there, "b-1", fingerprint="elsewhere")
    for refused in (
        lambda: spend(ledger, "b-1"),
        lambda: alone(ledger, ask(0.1)),
        lambda: run_plan(ledger, (ask(0.1), ask(0.2))),
        lambda: ledger.change_budget("table", PrivacyBudget.of(epsilon=9.0), "more"),
    ):
        with pytest.raises(LedgerError, match="moved to another machine"):
            refused()


@pytest.mark.parametrize("rho", [False, True])
def test_an_account_of_which_nothing_was_spent_moves_too(there, rho):
    source = Ledger.in_memory()
    budget = PrivacyBudget.of(rho=0.5) if rho else PrivacyBudget.of(epsilon=1.0)
    source.open_account("table", budget, RELATION, 3)
    there.open_account("elsewhere", PrivacyBudget.of(epsilon=7.0), NeighboringRelation.ADD_REMOVE)
    move(source, there)
    account = there.account("elsewhere")
    assert (account.budget, account.unit_rows) == (budget, 3)
    assert (account.relation, account.spent) == (RELATION, PrivacyCost())
    with pytest.raises(LedgerError, match="moved"):
        spend(source, "a-1", cost=PrivacyCost())


def test_an_account_goes_round_and_comes_back(ledger, there):
    third = Ledger.in_memory()
    alone(ledger, ask(0.1))
    move(ledger, there)
    run_plan(there, fingerprint="elsewhere")
    move(there, third, "elsewhere", "third")
    move(third, ledger, "third", "table")
    account = ledger.account("table")
    assert (account.releases, account.moved) == (4, None)
    assert account.spent == ask(0.1).cost + PRICE
    assert account.budget == PrivacyBudget.of(epsilon=1.0)
    assert ledger.releases("table")[0].cost == ask(0.1).cost
    with pytest.raises(BudgetExceeded):
        alone(ledger, ask(0.7))
    move(ledger, there)
    assert there.account("elsewhere").spent == account.spent
    for book in (ledger, there, third):
        book.verify()


def test_a_file_arrives_once_and_joins_no_other_account(ledger, there):
    spend(ledger, "a-1")
    text = move(ledger, there)
    with pytest.raises(DataError, match="arrived here already"):
        moving.arrive(there, "elsewhere", unpack(text))
    there.open_account("busy", PrivacyBudget.of(epsilon=1.0), RELATION)
    spend(there, "b-1", fingerprint="busy")
    with pytest.raises(DataError, match="cannot be joined"):
        moving.arrive(there, "busy", unpack(text))
    moving.close(there, "busy", reason="it leaves")
    with pytest.raises(DataError, match="cannot be joined"):
        moving.arrive(there, "busy", unpack(text))


def test_a_move_that_went_nowhere_is_taken_back(ledger):
    spend(ledger, "a-1")
    before = ledger.account("table")
    moving.close(ledger, "table", reason="a mistake")
    moving.arrive(ledger, "table", unpack(pack(ledger)))
    assert ledger.account("table") == before
    spend(ledger, "a-2")
    assert ledger.account("table").spent == TENTH + TENTH


def test_a_file_that_is_wrong_is_refused(ledger):
    run_plan(ledger)
    with pytest.raises(LedgerError, match="close the account first"):
        pack(ledger)
    for reason in ("", " "):
        with pytest.raises(ParameterError, match="reason"):
            moving.close(ledger, "table", reason=reason)
    moving.close(ledger, "table", reason="a new server")
    with pytest.raises(LedgerError, match="no open account"):
        moving.close(ledger, "table", reason="again")
    text = pack(ledger)
    assert unpack(text, CODE.lower().replace("-", " ")).spent == PRICE
    file = json.loads(text)
    cheaper = file | {"account": file["account"].replace('"0.55"', '"0.05"')}
    assert cheaper != file
    for wrong, code in [(text, moving.new_code()), (json.dumps(cheaper), CODE)]:
        with pytest.raises(DataError, match="code is not the one"):
            unpack(wrong, code)
    for wrong in ("", "[]", "{}", "[" * 100_000, json.dumps(file | {"format": "x"})):
        with pytest.raises(DataError, match="not the file of an account"):
            unpack(wrong)
    with pytest.raises(DataError, match="another table"):
        moving.unpacked(text, code=CODE, table=other_table)


def test_a_file_holds_neither_code_nor_fingerprint_of_the_ledger(ledger):
    spend(ledger, "a-1")
    moving.close(ledger, "table", reason="a new server")
    first, second = (unpack(pack(ledger, code), code) for code in (CODE, "ABCD"))
    assert first.move == second.move
    assert first.table != second.table

    assert CODE not in pack(ledger)


def test_costs_whose_answers_were_lost_keep_their_relation(tmp_path, there):
    path = tmp_path / "home" / "ledger.sqlite3"
    ledger = Ledger.at(path)
    ledger.open_account("table", PrivacyBudget.of(epsilon=1.0), RELATION)
    spend(ledger, "a-1")
    path.write_bytes(b"")
    begin_anew(path, reason="the disk broke", now=datetime(2026, 1, 2, tzinfo=UTC))
    move(ledger, there)
    account = there.account("elsewhere")
    assert (account.spent, account.releases) == (TENTH, 0)
    with pytest.raises(LedgerError, match="costs were charged for"):
        there.change_relation("elsewhere", NeighboringRelation.ADD_REMOVE, 1)


def test_what_was_moved_stays_closed_when_the_ledger_is_begun_anew(tmp_path):
    path = tmp_path / "home" / "ledger.sqlite3"
    ledger = Ledger.at(path)
    ledger.open_account("table", PrivacyBudget.of(epsilon=1.0), RELATION)
    spend(ledger, "a-1")
    moving.close(ledger, "table", reason="a new server")
    path.write_bytes(b"")
    begin_anew(path, reason="the disk broke", now=datetime(2026, 1, 2, tzinfo=UTC))
    with pytest.raises(LedgerError, match="moved to another machine"):
        spend(ledger, "a-2")
    with pytest.raises(LedgerError, match="was made before"):
        pack(ledger)
