"""What several processes, and processes that die, do to a ledger file."""

import subprocess
import sys
import textwrap
from pathlib import Path

import pytest

from dpcore.budget import PrivacyBudget, PrivacyCost
from dpcore.relations import NeighboringRelation
from dpcore.releases.ledger import Ledger
from tests.releases.sample_releases import TENTH, make_release, spend

ROOT = Path(__file__).resolve().parents[2]
PROLOGUE = """
    import os, signal, sys
    from pathlib import Path
    sys.path.insert(0, {here!r})
    from sample_releases import TENTH, make_release, spend
    from dpcore.budget import PrivacyBudget
    from dpcore.errors import BudgetExceeded
    from dpcore.relations import NeighboringRelation
    from dpcore.releases.ledger import Ledger
    ledger = Ledger.at(Path(sys.argv[1]))
    ledger.open_account(
        "table", PrivacyBudget.of(epsilon=5.0), NeighboringRelation.SUBSTITUTION
    )
"""


def start(program, *arguments):
    prologue = PROLOGUE.format(here=str(Path(__file__).parent))
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


def test_four_processes_spend_exactly_the_cap(path):
    program = """
        granted = 0
        for number in range(50):
            try:
                spend(ledger, f"{sys.argv[2]}-{number}")
                granted += 1
            except BudgetExceeded:
                pass
        print(granted)
    """
    workers = [start(program, path, name) for name in "abcd"]
    granted = sum(int(worker.communicate(timeout=60)[0]) for worker in workers)
    assert [worker.returncode for worker in workers] == [0] * 4
    ledger = Ledger.at(path)
    account = ledger.account("table")
    assert (granted, account.releases, account.spent.epsilon) == (50, 50, 5)
    ledger.verify()


def test_a_process_killed_before_the_commit_leaves_nothing(path):
    program = """
        def compute():
            print("drawing", flush=True)
            sys.stdin.read()
        ledger.charge("table", "a-1", TENTH, compute)
    """
    worker = start(program, path)
    assert worker.stdout.readline() == "drawing\n"
    worker.kill()
    worker.communicate(timeout=30)
    ledger = Ledger.at(path)
    ledger.verify()
    assert ledger.stored("a-1") is None
    assert ledger.account("table").spent == PrivacyCost()
    assert [entry.kind for entry in ledger.history("table")] == ["account"]
    assert spend(ledger, "a-1").id == "a-1"


def test_a_process_killed_after_the_commit_has_answered(path):
    program = """
        spend(ledger, "a-1", value=7.5)
        os.kill(os.getpid(), signal.SIGKILL)
    """
    worker = start(program, path)
    worker.communicate(timeout=30)
    assert worker.returncode < 0
    ledger = Ledger.at(path)
    ledger.verify()
    again = ledger.charge("table", "a-1", TENTH, lambda: pytest.fail("a second draw"))
    assert again == make_release("a-1", values=(7.5,))
    assert ledger.account("table").spent == TENTH


def test_the_budget_outlives_the_process(path):
    ledger = Ledger.at(path)
    relation = NeighboringRelation.SUBSTITUTION
    ledger.open_account("table", PrivacyBudget.of(epsilon=0.1), relation)
    program = """
        try:
            spend(ledger, "a-1"), spend(ledger, "a-2")
        except BudgetExceeded as error:
            print(error)
    """
    said, _ = start(program, path).communicate(timeout=30)
    assert said.startswith("the release costs epsilon 0.1")
    assert ledger.account("table").remaining.epsilon == 0
