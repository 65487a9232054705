"""Many threads that release at once: first come, first served, nobody refused."""

import contextlib
import sqlite3
import threading
import time
from concurrent.futures import ThreadPoolExecutor

import pytest

from dpcore.errors import BudgetExceeded, LedgerError
from dpcore.ledger.chain import EntryKind
from dpcore.ledger.store import Turns
from dpcore.privacy_filter import PrivacyBudget
from dpcore.relations import NeighboringRelation
from tests.releases.sample_releases import TENTH, make_release, spend

PEOPLE = 40


@contextlib.contextmanager
def in_the_queue(turns, count, work):
    """Have ``count`` threads wait for a turn, each once the one before waits."""
    threads = []
    with turns.taken(0.0, "busy"):
        for number in range(count):
            thread = threading.Thread(target=work, args=(number,))
            thread.start()
            threads.append(thread)
            while len(turns._queue) < number + 2:  # noqa: SLF001 - who waits
                assert thread.is_alive()
                time.sleep(0.001)
        yield
    for thread in threads:
        thread.join()


def test_turns_are_taken_in_the_order_of_coming():
    turns, served = Turns(), []

    def work(number):
        with turns.taken(60.0, "busy"):
            served.append(number)

    with in_the_queue(turns, PEOPLE, work):
        assert served == []
        assert turns.is_awaited
    assert served == list(range(PEOPLE))
    assert not turns.is_awaited


def test_who_gives_up_leaves_the_queue_and_hears_the_reason():
    turns, said, served = Turns(), [], []

    def leave(_):
        try:
            with turns.taken(0.01, "another program"):
                served.append("too late")
        except LedgerError as error:
            said.append(str(error))

    for outside in (False, True):
        with in_the_queue(turns, 0, leave):
            waits = turns.outside() if outside else contextlib.nullcontext()
            with waits, ThreadPoolExecutor(3) as pool:
                list(pool.map(leave, range(3)))
    assert [text.partition(" are")[0] for text in said[:3]] == ["many releases"] * 3
    assert said[3:] == ["another program"] * 3
    with turns.taken(0.0, "busy"):
        served.append("next")
    assert served == ["next"]


def test_forty_people_are_all_answered_in_the_order_of_coming(place):
    ledger = place.ledger()
    relation = NeighboringRelation.SUBSTITUTION
    ledger.open_account("table", PrivacyBudget.of(epsilon=5.0), relation)
    turns = ledger._database.turns  # noqa: SLF001 - who waits
    answers = []

    def work(number):
        answers.append(spend(ledger, f"a-{number}").id)

    with in_the_queue(turns, PEOPLE, work):
        assert ledger.account("table").releases == 0
    names = [f"a-{number}" for number in range(PEOPLE)]
    assert sorted(answers) == sorted(names)
    history = ledger.history("table")
    for kind in (EntryKind.DEBIT, EntryKind.RELEASE):
        assert [entry.request for entry in history if entry.kind is kind] == names
    account = ledger.account("table")
    assert account.releases == PEOPLE
    assert account.spent.epsilon == PEOPLE * TENTH.epsilon
    ledger.verify()


def test_an_answer_is_drawn_before_the_turn_and_one_of_two_is_kept(place):
    """Two ask the same at once: both draw, one is charged, and both see its draw."""
    ledger = place.ledger()
    relation = NeighboringRelation.SUBSTITUTION
    ledger.open_account("table", PrivacyBudget.of(epsilon=0.1), relation)
    both = threading.Barrier(2)

    def ask(value):
        def compute():
            both.wait()  # fails if the second cannot draw while the first does
            return make_release("a-1", values=(value,))

        return ledger.charge("table", "a-1", TENTH, compute)

    with ThreadPoolExecutor(2) as pool:
        first, second = pool.map(ask, (1.0, 2.0))
    assert first == second == ledger.stored("a-1")
    assert ledger.account("table").spent == TENTH


def test_nothing_is_drawn_that_cannot_be_paid(place):
    ledger = place.ledger()
    relation = NeighboringRelation.SUBSTITUTION
    ledger.open_account("table", PrivacyBudget.of(epsilon=0.05), relation)
    with pytest.raises(BudgetExceeded, match="only ε"):
        ledger.charge("table", "a-1", TENTH, lambda: pytest.fail("drawn"))


def test_limits_are_checked_again_when_the_turn_has_come(place):
    """The budget is enough for one of eight that were all admitted beforehand."""
    ledger = place.ledger()
    relation = NeighboringRelation.SUBSTITUTION
    ledger.open_account("table", PrivacyBudget.of(epsilon=0.1), relation)
    together = threading.Barrier(8)

    def ask(number):
        def compute():
            together.wait()
            return make_release(f"a-{number}")

        try:
            return ledger.charge("table", f"a-{number}", TENTH, compute).id
        except BudgetExceeded:
            return None

    with ThreadPoolExecutor(8) as pool:
        answered = [name for name in pool.map(ask, range(8)) if name]
    assert len(answered) == 1
    assert [one.id for one in ledger.releases("table")] == answered
    assert ledger.account("table").spent == TENTH


def test_opening_an_account_again_takes_no_lock(place):
    if place.address:
        pytest.skip("of a file")
    ledger = place.ledger()
    terms = PrivacyBudget.of(epsilon=1.0), NeighboringRelation.SUBSTITUTION
    before = ledger.open_account("table", *terms)
    path = place.home / "ledger.sqlite3"
    with contextlib.closing(sqlite3.connect(path, isolation_level=None)) as foreign:
        foreign.execute("BEGIN IMMEDIATE")
        assert ledger.open_account("table", *terms) == before
