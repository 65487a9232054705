import pytest

from dpcore.errors import BudgetExceeded
from dpcore.ledger.opening import ReadOnceLedger
from tests.releases.sample_releases import spend


def seen(ledger):
    """Everything that a page looks at."""
    return (
        ledger.account("table"),
        ledger.accounts(),
        ledger.releases("table"),
        ledger.stored("a-1"),
        ledger.draws("table", "a"),
        ledger.history("table"),
        ledger.descriptions(),
    )


def test_a_look_is_not_taken_twice_until_it_is_told_to(ledger):
    view = ReadOnceLedger(ledger)
    before = seen(view)
    assert before == seen(ledger)
    spend(ledger, "a-1")
    assert seen(view) == before
    view.forget()
    assert seen(view) == seen(ledger) != before


def test_what_is_spent_through_it_is_seen_at_once(ledger):
    view = ReadOnceLedger(ledger)
    before = seen(view)
    spend(view, "a-1")
    assert seen(view) == seen(ledger) != before


def test_a_charge_is_checked_against_what_others_spent_meanwhile(ledger):
    view = ReadOnceLedger(ledger)
    assert view.account("table").releases == 0
    for number in range(10):
        spend(ledger, f"a-{number}")
    with pytest.raises(BudgetExceeded):
        spend(view, "a-10")
    assert spend(view, "a-1", value=7.0) == ledger.stored("a-1")
