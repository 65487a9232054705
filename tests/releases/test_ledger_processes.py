"""What several processes, and processes that die, do to a ledger."""

import os
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest

from dpcore.ledger import scheduling
from dpcore.ledger.chain import EntryKind
from dpcore.ledger.ledger import Ledger
from dpcore.privacy_filter import PrivacyBudget, PrivacyCost
from dpcore.relations import NeighboringRelation
from tests.conftest import PATIENCE, everything
from tests.releases.sample_releases import HALF, TENTH, YEAR, make_release, spend

# Each test starts processes.
pytestmark = pytest.mark.slow
ROOT = Path(__file__).resolve().parents[2]
PROLOGUE = """
    import os, signal, sys
    from pathlib import Path
    sys.path.insert(0, {here!r})
    from sample_releases import TENTH, make_release, spend
    from tests.releases.places import opened
    from dpcore.privacy_filter import PrivacyBudget
    from dpcore.errors import BudgetExceeded
    from dpcore.relations import NeighboringRelation
    ledger = opened(sys.argv[1])
"""
OPENED = """
    ledger.open_account(
        "table", PrivacyBudget.of(epsilon=5.0), NeighboringRelation.SUBSTITUTION
    )
"""


def start(program, *arguments, opened=True):
    prologue = PROLOGUE.format(here=str(Path(__file__).parent))
    prologue += OPENED if opened else ""
    text = textwrap.dedent(prologue) + textwrap.dedent(program)
    return subprocess.Popen(
        [sys.executable, "-c", text, *map(str, arguments)],
        cwd=ROOT,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )


@pytest.fixture
def path(tmp_path):
    return tmp_path / "home" / "ledger.sqlite3"


@pytest.mark.parametrize(
    ("where", "processes"), [pytest.param("server", 4, marks=pytest.mark.server), ("file", 8)]
)
def test_processes_that_spend_at_once_spend_exactly_the_cap(request, path, where, processes):
    """On a server they are of two machines."""
    program = """
        numbers = []
        for name, opening in enumerate(sys.argv[1:]):
            reading, writing = os.pipe()
            if os.fork() == 0:
                granted = 0
                for number in range(5):
                    try:
                        spend(opened(opening), f"{name}-{number}")
                        granted += 1
                    except BudgetExceeded:
                        pass
                os.write(writing, str(granted).encode())
                os._exit(0)
            os.close(writing)
            numbers.append(reading)
        print(*[os.read(reading, 9).decode() for reading in numbers])
    """
    if where == "server":
        server = request.getfixturevalue("server")
        openings = [server.opening(machine) for machine in (0, 0, 1, 1)]
        ledger = server.ledger()
    else:
        openings, ledger = [path] * processes, Ledger.at(path)
    relation = NeighboringRelation.SUBSTITUTION
    ledger.open_account("table", PrivacyBudget.of(epsilon=1.0), relation)
    worker = start(program, *openings, opened=False)
    granted = [int(n) for n in worker.communicate(timeout=PATIENCE)[0].split()]
    assert len(granted) == processes
    account = ledger.account("table")
    assert (sum(granted), account.releases, account.spent.epsilon) == (10, 10, 1)
    assert len(ledger.releases("table")) == 10
    ledger.verify()


def test_a_process_killed_before_the_commit_leaves_nothing_and_after_it_has_answered(place):
    program = """
        def compute():
            os.kill(os.getpid(), signal.SIGKILL)

        def run(part):
            child = os.fork()
            if child == 0:
                part(opened(sys.argv[1]))
                os.kill(os.getpid(), signal.SIGKILL)
            assert os.waitpid(child, 0)[1] == signal.SIGKILL

        run(lambda ledger: ledger.charge("table", "a-1", TENTH, compute))
        run(lambda ledger: spend(ledger, "a-2", value=7.5))
    """
    worker = start(program, place.opening())
    worker.communicate(timeout=PATIENCE)
    assert worker.returncode == 0
    ledger = place.ledger()
    ledger.verify()
    assert ledger.stored("a-1") is None
    assert [entry.kind for entry in ledger.history("table")] == ["account", "debit", "release"]
    again = ledger.charge("table", "a-2", TENTH, lambda: pytest.fail("a second draw"))
    assert again == make_release("a-2", values=(7.5,))
    assert ledger.account("table").spent == TENTH
    assert spend(ledger, "a-1").id == "a-1"


def test_a_process_killed_around_its_checkpoint_loses_no_debit(tmp_path):
    """Call 1 is that of a new ledger, 2 follows the account, 3 the first debit."""
    program = """
        from dpcore.ledger.store import FileDatabase

        def dying(owner, step, call, after):
            real, calls = getattr(owner, step), []

            def died(self, *args):
                calls.append(1)
                last = len(calls) == call
                if not last or after:
                    real(self, *args)
                if last:
                    os.kill(os.getpid(), signal.SIGKILL)

            setattr(owner, step, died)

        for step, owner in (("keep", FileDatabase), ("replace", type(Path()))):
            for call in (1, 2, 3):
                for after in (False, True):
                    place = Path(sys.argv[1]).parents[1] / f"{step}-{call}-{after}"
                    child = os.fork()
                    if child == 0:
                        ledger = opened(str(place / "ledger.sqlite3"))
                        dying(owner, step, call, after)
                        ledger.open_account(
                            "table",
                            PrivacyBudget.of(epsilon=5.0),
                            NeighboringRelation.SUBSTITUTION,
                        )
                        for number in range(3):
                            print(place.name, spend(ledger, f"a-{number}").id, flush=True)
                    assert os.waitpid(child, 0)[1] == signal.SIGKILL
    """
    worker = start(program, tmp_path / "first" / "ledger.sqlite3", opened=False)
    said = [line.split()[0] for line in worker.communicate(timeout=PATIENCE)[0].splitlines()]
    assert worker.returncode == 0
    homes = [home for home in tmp_path.iterdir() if home.name != "first"]
    assert len(homes) == 12
    for home in homes:
        ledger = Ledger.at(home / "ledger.sqlite3")
        ledger.verify()
        account = ledger.account("table")
        paid = 0 if account is None else account.releases
        assert said.count(home.name) <= paid == len(ledger.releases("table")) <= 1
        relation = NeighboringRelation.SUBSTITUTION
        ledger.open_account("table", PrivacyBudget.of(epsilon=0.2), relation)
        for number in range(2):
            spend(ledger, f"a-{number}")
        account = ledger.account("table")
        assert (account.releases, account.spent.epsilon) == (2, 2 * TENTH.epsilon)
        ledger.verify()
        assert not (home / "checkpoint.new").exists()


def test_a_plan_killed_at_any_moment_is_made_as_a_whole_or_not_at_all(place):
    """Children, each killed after a random part of the time that a plan takes."""
    children = 50 if everything() else 15
    program = """
        import random, time

        def run(ledger, name):
            requests = [f"{name}-{number}" for number in range(5)]
            ledger.charge_all(
                name,
                dict.fromkeys(requests, TENTH),
                lambda _: TENTH,
                lambda request, plan: make_release(request, plan=plan),
            )

        def opened_account(name):
            ledger.open_account(
                name, PrivacyBudget.of(epsilon=1.0), NeighboringRelation.SUBSTITUTION
            )
            return name

        run(ledger, opened_account("warm"))
        began = time.perf_counter()
        run(opened(sys.argv[1]), opened_account("whole"))
        took = time.perf_counter() - began
        rng = random.Random(1)
        for number in range(int(sys.argv[2])):
            name = opened_account(str(number))
            child = os.fork()
            if child == 0:
                run(opened(sys.argv[1]), name)
                signal.pause()
            time.sleep(rng.uniform(0, 1.2 * took))
            os.kill(child, signal.SIGKILL)
            os.waitpid(child, 0)
    """
    worker = start(program, place.opening(), children, opened=False)
    worker.communicate(timeout=PATIENCE)
    assert worker.returncode == 0
    ledger = place.ledger()
    ledger.verify()
    paid = {account.fingerprint: account for account in ledger.accounts()}
    assert len(paid) == children + 2
    for name, account in paid.items():
        answers = len(ledger.releases(name))
        assert answers in {0, 5}
        assert account.releases == answers
        assert account.spent == (TENTH if answers else PrivacyCost())
    ledger.open_account("after", PrivacyBudget.of(epsilon=1.0), NeighboringRelation.SUBSTITUTION)
    assert spend(ledger, "after-1", fingerprint="after").id == "after-1"


KILLS = int(os.environ.get("EPSILON_STUDIO_KILLS", "8"))
"""Processes that are killed in mid-release; the full number is 300."""


def test_processes_killed_in_mid_release_lose_and_overspend_nothing(place, tmp_path):
    """Each has three threads that release; the budget is spent before the last dies."""
    program = """
        import random, threading, time

        kills, shown = int(sys.argv[2]), sys.argv[3]
        budget = PrivacyBudget.of(epsilon=round(0.3 * kills, 1))

        def work(name, into):
            ledger = opened(sys.argv[1])
            for number in range(100):
                value = random.SystemRandom().random()
                try:
                    answer = spend(ledger, f"{name}-{number}", value=value)
                except BudgetExceeded:
                    signal.pause()
                os.write(into, f"{answer.id} {answer.values[0]}\\n".encode())

        ledger.open_account("table", budget, NeighboringRelation.SUBSTITUTION)
        began = time.perf_counter()
        spend(opened(sys.argv[1]), "warm")
        took = time.perf_counter() - began
        rng = random.Random(1)
        for kill in range(kills):
            child = os.fork()
            if child == 0:
                into = os.open(shown, os.O_WRONLY | os.O_CREAT | os.O_APPEND)
                for thread in range(3):
                    name = f"{kill}-{thread}"
                    threading.Thread(target=work, args=(name, into)).start()
                signal.pause()
            time.sleep(rng.uniform(0, 4 * took))
            os.kill(child, signal.SIGKILL)
            os.waitpid(child, 0)
    """
    shown = tmp_path / "shown"
    shown.touch()
    worker = start(program, place.opening(), KILLS, shown, opened=False)
    worker.communicate(timeout=PATIENCE)
    assert worker.returncode == 0
    ledger = place.ledger()
    ledger.verify()
    history = ledger.history("table")
    debits = [e.request for e in history if e.kind is EntryKind.DEBIT]
    answers = {one.id: one.values[0] for one in ledger.releases("table")}
    assert debits == list(answers)
    account = ledger.account("table")
    assert account.releases == len(answers)
    assert account.spent.epsilon == len(answers) * TENTH.epsilon
    assert account.spent.epsilon <= account.budget.epsilon
    seen = dict(line.split() for line in shown.read_text().splitlines())
    assert {name: answers[name] for name in seen} == {
        name: float(value) for name, value in seen.items()
    }
    sys.stdout.write(
        f"{KILLS} killed: {len(debits)} debits, {len(answers)} answers, {len(seen)} of "
        f"them shown; ε = {account.spent.epsilon} of {account.budget.epsilon} spent\n"
    )


def test_periods_killed_while_they_change_are_as_before_or_as_after(place):
    """Killed at every entry of opening, moving and closing a period, and after."""
    program = """
        from sample_releases import HALF, YEAR
        from dpcore.ledger import scheduling
        from dpcore.ledger.chain import EntryTable
        real, calls = EntryTable.append, []

        def dying(*args, **known):
            calls.append(1)
            if len(calls) == call and not after:
                os.kill(os.getpid(), signal.SIGKILL)
            real(*args, **known)
            if len(calls) == call and after:
                os.kill(os.getpid(), signal.SIGKILL)

        def run(name):
            scheduling.open_period(ledger, name, YEAR)
            scheduling.change_period(ledger, name, YEAR.name, HALF, reason="less")
            scheduling.close_period(ledger, name, YEAR.name, reason="done")
            scheduling.close_account(ledger, name, reason="over")

        for call in range(1, 5):
            for after in (False, True):
                name = f"{call} {after}"
                ledger.open_account(
                    name,
                    PrivacyBudget.of(epsilon=1.0),
                    NeighboringRelation.SUBSTITUTION,
                )
                child = os.fork()
                if child == 0:
                    ledger = opened(sys.argv[1])
                    EntryTable.append = dying
                    run(name)
                os.waitpid(child, 0)
    """
    worker = start(program, place.opening(), opened=False)
    worker.communicate(timeout=PATIENCE)
    assert worker.returncode == 0
    ledger = place.ledger()
    ledger.verify()
    for call in range(1, 5):
        for after in (False, True):
            account = ledger.account(f"{call} {after}")
            # What is in the middle of a transaction is not there at all.
            done = call - 1
            periods = [(one.budget, one.closed) for one in account.periods]
            assert periods == [[], [(YEAR.budget, None)], [(HALF, None)], [(HALF, "done")]][done], (
                call,
                after,
            )
            assert account.closed is None
    name = "4 True"
    scheduling.close_account(ledger, name, reason="over")
    assert ledger.account(name).closed == "over"
