"""Tables about the same people share an account; questions stay their table's own."""

from datetime import UTC, datetime

import pytest

from dpcore.errors import BudgetExceeded, LedgerError
from dpcore.ledger import people
from dpcore.ledger.ledger import Ledger
from dpcore.ledger.people import Description, likenesses
from dpcore.ledger.renewal import begin_anew
from dpcore.privacy_filter import PrivacyBudget
from dpcore.relations import NeighboringRelation
from tests.releases.sample_releases import spend

RELATION = NeighboringRelation.SUBSTITUTION
Q3 = Description(name="pay Q3 2026.csv", columns=("pay", "sex", "level"))
Q4 = Description(name="pay Q4 2026.csv", columns=("level", "pay", "sex"))
OTHER = Description(name="beds.csv", columns=("ward", "beds"))


def join(ledger, table="next", name="table", about=Q4, relation=RELATION, rows=1):
    people.join(ledger, table, name, about, relation=relation, unit_rows=rows)


def test_the_next_quarter_spends_on_from_the_same_budget(ledger):
    people.describe(ledger, "table", Q3)
    spend(ledger, "a-1")
    join(ledger)
    for number in range(9):
        spend(ledger, f"b-{number}", fingerprint="next" if number % 2 else "table")
    for table in ("table", "next"):
        with pytest.raises(BudgetExceeded):
            spend(ledger, f"{table}-more", fingerprint=table)
    here, there = (ledger.account(name) for name in ("table", "next"))
    assert (here.spent, here.releases) == (there.spent, there.releases)
    assert (there.fingerprint, there.name) == ("next", "table")
    assert here.fingerprints == there.fingerprints == ("table", "next")
    assert (here.title, len(ledger.accounts())) == ("pay Q3 2026.csv", 1)
    assert len(ledger.releases("table")) + len(ledger.releases("next")) == 10
    assert spend(ledger, "b-1", value=0.0, fingerprint="next").values == (41.25,)
    ledger.change_budget("next", PrivacyBudget.of(epsilon=2.0), "board")
    spend(ledger, "more", fingerprint="table")
    assert ledger.account("table").budget == ledger.account("next").budget
    ledger.verify()


def test_an_account_is_opened_with_its_description_at_once(ledger):
    terms = PrivacyBudget.of(epsilon=2.0), RELATION, 3
    for _ in range(2):
        people.open_account(ledger, "new", *terms, Q3, others=("table",))
        account = ledger.account("new")
        assert (account.budget, account.relation, account.unit_rows) == terms
        assert account.title == Q3.name
        assert len(ledger.history("new")) == 2
    people.open_account(ledger, "table", *terms, Q4)
    assert ledger.account("table").budget != terms[0]
    assert ledger.account("table").title == Q4.name
    ledger.verify()


def test_a_table_surely_has_no_account_where_every_described_one_has_other_columns(ledger):
    assert people.may_have_account(ledger, ("beds",))  # "table" is not described
    people.describe(ledger, "table", Q3)
    assert not people.may_have_account(ledger, OTHER.columns)
    assert people.may_have_account(ledger, ("beds", "level"))
    join(ledger, about=OTHER)
    assert people.may_have_account(ledger, OTHER.columns)


def test_a_table_is_put_under_an_account_once_and_not_once_it_has_paid(ledger):
    join(ledger)
    join(ledger)
    assert len(ledger.descriptions()) == 1
    ledger.open_account("own", PrivacyBudget.of(epsilon=1.0), RELATION)
    join(ledger, "own")
    assert ledger.account("own").name == "table"
    ledger.open_account("paid", PrivacyBudget.of(epsilon=1.0), RELATION)
    spend(ledger, "p-1", fingerprint="paid")
    for table, terms, said in (
        ("paid", {}, "cannot be joined"),
        ("table", {"name": "paid"}, "cannot be joined"),
        ("new", {"name": "nobody"}, "not in the ledger"),
        ("new", {"rows": 2}, "at most 1 row of one person"),
        ("new", {"relation": NeighboringRelation.ADD_REMOVE}, "other terms cannot be added"),
    ):
        with pytest.raises(LedgerError, match=said):
            join(ledger, table, **terms)
    with pytest.raises(LedgerError, match="Set its budget"):
        people.describe(ledger, "new", Q3)


def test_what_is_alike_is_offered_first_and_nothing_else_is_called_alike():
    ledger = Ledger.in_memory()
    terms = PrivacyBudget.of(epsilon=1.0), RELATION, 1
    ledger.open_account("old", *terms)
    for name, about in (("beds", OTHER), ("pay", Q3)):
        people.open_account(ledger, name, *terms, about, others=["old"])
    found = likenesses(ledger, Q4)
    assert [(one.account.name, one.alike) for one in found] == [("pay", True), ("beds", False)]
    assert (found[0].shared, found[0].columns, found[0].same_name) == (3, 3, True)
    found = likenesses(ledger, Q4, same_columns=["old"])
    assert [one.account.name for one in found] == ["pay", "old", "beds"]
    assert found[1].alike
    assert not found[1].name
    # One column that was renamed, and one that came to it, change nobody.
    grown = Description(name="export.csv", columns=("pay", "gender", "level", "sex"))
    assert likenesses(ledger, grown)[0].alike
    far = Description(name="pay Q1.csv", columns=("pay", "a", "b", "c", "d", "e"))
    assert likenesses(ledger, far)[0].alike
    assert not likenesses(ledger, Description(name="pay.csv", columns=("x",)))[0].alike


def test_tables_stay_together_when_the_ledger_is_begun_anew(place):
    ledger = place.ledger()
    ledger.open_account("table", PrivacyBudget.of(epsilon=1.0), RELATION)
    people.describe(ledger, "table", Q3)
    join(ledger)
    spend(ledger, "b-1", fingerprint="next")
    before = ledger.account("next")
    begin_ledger_anew(place, ledger)
    assert place.ledger().account("next").spent == before.spent
    assert place.ledger().account("next").fingerprints == before.fingerprints


def begin_ledger_anew(place, ledger):
    now = datetime(2026, 1, 2, tzinfo=UTC)
    if place.address:
        with ledger._database.writing(1.0) as entries:  # noqa: SLF001 - a damage
            entries.keep(b"damaged")
        ledger.begin_anew(reason="damaged", now=now)
        return
    path = place.home / "ledger.sqlite3"
    path.write_bytes(b"")
    begin_anew(path, reason="damaged", now=now)


def test_tables_whose_files_are_called_alike_have_a_number_each(ledger):
    people.describe(ledger, "table", Q3)
    join(ledger)
    assert ledger.account("next").names == {"table": Q3.name, "next": Q4.name}
    join(ledger, "third", about=Q3)
    assert ledger.account("table").names == {
        "table": f"{Q3.name} (1)",
        "next": Q4.name,
        "third": f"{Q3.name} (2)",
    }
