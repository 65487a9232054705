"""Workers of a cluster give the same answer, whichever of them are lost on the way."""

import contextlib
import copy
import gc
import os
import signal
import subprocess
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import partial

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dpcore.analyses.base import Mode, Request
from dpcore.data.partitions import engine
from dpcore.data.partitions.engine import VARIABLE, cluster_address
from dpcore.errors import DataError
from dpcore.individual.per_instance_loss import counted_losses
from dpcore.ledger.ledger import Ledger
from dpcore.ledger.transaction import release
from dpcore.privacy_filter import PrivacyBudget
from tests import clusters
from tests.conftest import PATIENCE, few
from tests.data.partitions.held import Held, counting, process_of, quoting, square
from tests.data.partitions.test_partitions import KEY, PEOPLE, QUESTIONS, opened, rows, write
from tests.terms import SUBSTITUTION

pytestmark = pytest.mark.skipif(not clusters.AVAILABLE, reason=clusters.MISSING)
GONE = r"cannot be reached\. Nothing was charged"
REQUEST = Request(query=QUESTIONS["mean"], mechanism_key="laplace", epsilon=1.0)


@pytest.fixture(scope="module")
def started():
    with clusters.running(PATIENCE) as machines:
        yield machines


@pytest.fixture
def machines(started, monkeypatch):
    started.staff(2)
    monkeypatch.setenv(VARIABLE, started.address)
    return started


@pytest.fixture
def alone(monkeypatch):
    """A cluster of one test, whose scheduler may die."""
    with clusters.running(PATIENCE) as machines:
        monkeypatch.setenv(VARIABLE, machines.address)
        yield machines


@pytest.fixture
def table(tmp_path):
    write(tmp_path / "tables", rows(), (20, 40))
    return opened(tmp_path / "tables")


@pytest.fixture
def held(table, tmp_path):
    (tmp_path / "at work").mkdir()
    return Held(table, tmp_path / "at work")


@pytest.fixture
def in_threads(table, monkeypatch):
    """What threads of this machine make of the question."""
    with monkeypatch.context() as without:
        without.delenv(VARIABLE, raising=False)
        return QUESTIONS["mean"].value(table)


def account(table):
    ledger = Ledger.in_memory()
    budget = PrivacyBudget.of(epsilon=2.0, delta=0.0)
    ledger.open_account(table.fingerprint(KEY), budget, SUBSTITUTION)
    return ledger


def released(table, ledger):
    return answered(REQUEST.value(table), ledger, table.fingerprint(KEY))


def answered(value, ledger, fingerprint):
    return release(
        REQUEST,
        value,
        ledger=ledger,
        fingerprint=fingerprint,
        mode=Mode.RELEASE,
        now=datetime(2026, 11, 23, tzinfo=UTC),
    )


def debits(ledger, table):
    return len(ledger.releases(table.fingerprint(KEY)))


@pytest.mark.usefixtures("machines")
@pytest.mark.parametrize("name", QUESTIONS)
def test_workers_give_the_value_that_threads_give(table, name, monkeypatch):
    value = QUESTIONS[name].value(table)
    monkeypatch.delenv(VARIABLE)
    assert cluster_address() is None
    np.testing.assert_array_equal(value, QUESTIONS[name].value(table))


def test_parts_are_read_by_all_workers_and_come_in_order(machines, held):
    with ThreadPoolExecutor(1) as pool:
        reading = pool.submit(lambda: list(held.each(process_of, ["age"])))
        machines.wait(lambda: len(held.at_work()) == 2)
        held.go()
        read = reading.result()
    assert set(read) == set(held.at_work())
    assert os.getpid() not in read
    starts = held.each(lambda part: int(part.frame.index[0]), ["age"])
    assert list(starts) == [part.start + 2 for part in held.parts]


def test_a_part_of_a_lost_worker_is_read_by_another_and_paid_once(machines, held, in_threads):
    ledger, asked = account(held), held.fingerprint(KEY)
    with ThreadPoolExecutor(1) as pool:
        reading = pool.submit(REQUEST.value, held)
        machines.wait(lambda: len(held.at_work()) == 2)
        machines.kill(held.at_work()[0])
        held.go()
        value = reading.result()
    np.testing.assert_array_equal(value, in_threads)
    first = answered(value, ledger, asked)
    # The same question has the same answer, whoever reads the table.
    assert released(held, ledger) == first
    assert debits(ledger, held) == 1


@dataclass(frozen=True)
class Losing:
    """A plan between whose two rounds over the table a worker is lost."""

    plan: object
    machines: object

    def __reduce__(self):  # a worker gets the plan alone
        return copy.copy, (self.plan,)

    def worst_case(self, *, delta=0.0):
        self.machines.kill_one()
        return self.plan.worst_case(delta=delta)

    def pairwise_epsilon(self, first, second, *, delta=0.0):
        return self.plan.pairwise_epsilon(first, second, delta=delta)


def test_a_worker_lost_between_two_rounds_is_not_missed(machines, table, monkeypatch):
    question, plan = QUESTIONS["mean"], REQUEST.plan
    found = counted_losses(Losing(plan, machines), question, table)
    monkeypatch.delenv(VARIABLE)
    expected = counted_losses(plan, question, table)
    np.testing.assert_array_equal(found.counts, expected.counts)
    assert [one[:4] for one in found.most] == [one[:4] for one in expected.most]
    assert found.cells.total == expected.cells.total


def test_a_scheduler_that_goes_is_told_and_nothing_charged(alone, held, monkeypatch):
    alone.staff(2)
    ledger = account(held)
    with ThreadPoolExecutor(1) as pool:
        answer = pool.submit(released, held, ledger)
        alone.wait(lambda: len(held.at_work()) == 2)
        alone.kill_scheduler()
        with pytest.raises(DataError, match=GONE):
            answer.result()
    assert debits(ledger, held) == 0
    # And it is still gone for whoever asks next.
    monkeypatch.setattr(engine, "_CONNECT", 1.0)
    with pytest.raises(DataError, match=GONE):
        released(held, ledger)
    assert debits(ledger, held) == 0


def test_a_scheduler_that_stands_still_is_not_waited_for(machines, held, monkeypatch):
    ledger = account(held)
    with ThreadPoolExecutor(1) as pool:
        answer = pool.submit(released, held, ledger)
        machines.wait(lambda: len(held.at_work()) == 2)
        monkeypatch.setattr(engine, "_ANSWER", 1.0)
        os.kill(machines.scheduler, signal.SIGSTOP)
        try:
            with pytest.raises(DataError, match=GONE):
                answer.result()
        finally:
            os.kill(machines.scheduler, signal.SIGCONT)
            held.go()
    assert debits(ledger, held) == 0


@pytest.mark.usefixtures("alone")
def test_a_cluster_without_workers_is_not_waited_for(table, monkeypatch):
    monkeypatch.setattr(engine, "_NOBODY", 0.0)
    with pytest.raises(DataError, match=r"no workers\. Nothing was charged"):
        QUESTIONS["mean"].value(table)


@pytest.mark.parametrize("parts", [0, 1, 5, 32, 101])
def test_parts_keep_their_order_however_many_a_task_has(machines, parts):
    squares = engine.on_cluster(machines.address, square, range(parts))
    assert list(squares) == [part**2 for part in range(parts)]


@given(parts=st.integers(0, 2_000), threads=st.integers(1, 40))
def test_no_thread_has_a_task_more_than_another(parts, threads):
    tasks = [*engine.shares(range(parts), threads)]
    assert [part for some in tasks for part in some] == [*range(parts)]
    sizes = [len(some) for some in tasks]
    assert max(sizes, default=1) <= 6
    assert max(sizes, default=1) - min(sizes, default=1) <= 1
    if parts >= threads:
        assert len(tasks) % threads == 0 or len(tasks) == parts
        assert len(tasks) >= min(parts, 8 * threads)


@pytest.mark.parametrize("address", few(1, "tcp://127.0.0.1:1", "nowhere", "x://127.0.0.1:1"))
def test_a_scheduler_that_is_not_there_is_told(table, monkeypatch, address):
    monkeypatch.setattr(engine, "_CONNECT", 1.0)
    monkeypatch.setenv(VARIABLE, address)
    ledger, before = account(table), threading.active_count()
    with pytest.raises(DataError, match=GONE):
        released(table, ledger)
    assert debits(ledger, table) == 0
    assert threading.active_count() <= before + 1


@pytest.mark.slow
def test_nothing_is_left_of_a_client_that_reached_nobody(table, monkeypatch):
    """Collected in the midst of another one's start, it would wait for ever."""
    from distributed import Client  # noqa: PLC0415 - slow to import, not for all

    monkeypatch.setattr(engine, "_CONNECT", 0.2)
    monkeypatch.setenv(VARIABLE, "tcp://127.0.0.1:1")
    gone: list[str] = []
    stop = Client.__del__

    def noted(client):
        gone.append(client.status)
        stop(client)

    gc.collect()  # those of other tests
    monkeypatch.setattr(Client, "__del__", noted)
    gc.disable()
    try:
        with pytest.raises(DataError, match=GONE):
            QUESTIONS["mean"].value(table)
        assert len(gone) == 1
        gc.collect()
        assert len(gone) == 1
    finally:
        gc.enable()


@pytest.mark.usefixtures("machines")
def test_a_damaged_part_has_the_same_words(table, monkeypatch):
    file = table.folder / "visits" / "part-1.parquet"
    data = bytearray(file.read_bytes())
    data[4:200] = b"\xff" * 196
    file.write_bytes(data)
    table = opened(table.folder)
    said = []
    for _ in range(2):
        with pytest.raises(DataError) as error:
            QUESTIONS["mean"].value(table)
        said.append(str(error.value))
        monkeypatch.delenv(VARIABLE, raising=False)
    assert said[0] == said[1]
    assert "part-1.parquet, rows" in said[0]


@pytest.mark.usefixtures("machines")
def test_no_error_and_no_log_of_a_worker_quotes_a_cell(machines, tmp_path, capfd):
    answers = pa.array(["secret"] * PEOPLE)
    write(tmp_path, rows().set_column(1, "ward", answers))
    with pytest.raises(DataError, match=r"\(ValueError\)") as said:
        list(opened(tmp_path).each(quoting, ["ward"]))
    assert "secret" not in str(said.value)
    assert said.value.__cause__ is None
    assert "secret" not in machines.log()
    assert "secret" not in "".join(capfd.readouterr())


def test_work_goes_on_only_when_asked(machines, tmp_path):
    write(tmp_path / "tables", rows(), group=1)
    (tmp_path / "begun").mkdir()
    work = opened(tmp_path / "tables").each(partial(counting, tmp_path / "begun"), ["age"])
    with contextlib.closing(work):
        next(work)
    machines.staff(2)
    assert 0 < len(list((tmp_path / "begun").iterdir())) < PEOPLE / 2


def test_nobody_without_a_cluster_imports_what_speaks_to_one():
    program = "import dpcore.data.partitions.table, sys; print(*sys.modules)"
    found = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )
    assert "distributed" not in found.stdout.split()
