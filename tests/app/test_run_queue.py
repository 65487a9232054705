"""Runs wait in order, and a long one keeps nobody waiting."""

from __future__ import annotations

import threading
from contextlib import ExitStack

import pytest
from streamlit.runtime.scriptrunner import RerunData, RerunException

from ui.run_queue import RunQueue


def begun(queue, runs, name, end):
    """Start a run in a thread of its own; it lasts until ``end`` is set."""

    def run():
        with queue.turn():
            runs.put(name)
            end.wait()

    thread = threading.Thread(target=run, daemon=True)
    thread.start()
    return thread


class Runs:
    """Names of runs that have begun, to be waited for."""

    def __init__(self):
        self._names, self._changed = [], threading.Condition()

    def put(self, name):
        with self._changed:
            self._names.append(name)
            self._changed.notify_all()

    def first(self, count):
        with self._changed:
            assert self._changed.wait_for(lambda: len(self._names) >= count, 60)
            return self._names[:count]


def waiting(queue, count):
    """Wait until so many runs wait."""
    with queue._changed:  # noqa: SLF001 - nothing public tells
        some = queue._waiting  # noqa: SLF001
        assert queue._changed.wait_for(lambda: len(some) >= count, 60)  # noqa: SLF001


def test_runs_begin_in_the_order_in_which_they_wait():
    queue, runs = RunQueue(at_once=1, clock=lambda: 0.0), Runs()
    ends = [threading.Event() for _ in range(6)]
    threads = []
    for name, end in enumerate(ends):
        threads.append(begun(queue, runs, name, end))
        runs.first(1)
        waiting(queue, name)
    for end in ends:
        end.set()
    assert runs.first(6) == [0, 1, 2, 3, 4, 5]
    for thread in threads:
        thread.join()


def test_a_long_run_keeps_nobody_waiting():
    now = [0.0]
    queue, runs, end = (RunQueue(at_once=2, clock=lambda: now[0]), Runs(), threading.Event())
    with ExitStack() as turns:
        turns.enter_context(queue.turn())
        turns.enter_context(queue.turn())
        now[0] = 1.0  # Both have taken long.
        thread = begun(queue, runs, "next", end)
        assert runs.first(1) == ["next"]
        end.set()
        thread.join()


def test_a_run_that_steps_aside_lets_one_more_begin():
    queue, runs, end = RunQueue(at_once=1, clock=lambda: 0.0), Runs(), threading.Event()
    queue.step_aside()
    with queue.turn():
        queue.step_aside()
        threads = [begun(queue, runs, "next", end)]
        assert runs.first(1) == ["next"]
        threads.append(begun(queue, runs, "after", end))
        waiting(queue, 1)
        end.set()
        assert runs.first(2) == ["next", "after"]
    for each in threads:
        each.join()


def test_a_run_that_fails_gives_its_turn_back():
    queue, runs, end = RunQueue(at_once=1, clock=lambda: 0.0), Runs(), threading.Event()
    with pytest.raises(ZeroDivisionError), queue.turn():
        _ = 1 / 0
    end.set()
    thread = begun(queue, runs, "next", end)
    assert runs.first(1) == ["next"]
    thread.join()


def test_a_run_that_begins_anew_goes_first_once():
    queue, runs = RunQueue(at_once=1, clock=lambda: 0.0), Runs()
    end, others = threading.Event(), []

    def press():
        for name in ("press", "again", "once more"):
            try:
                with queue.turn():
                    runs.put(name)
                    if name == "press":
                        others.extend(begun(queue, runs, each, end) for each in "ab")
                        waiting(queue, 2)
                    raise RerunException(RerunData())  # noqa: TRY301 - as a page does
            except RerunException:
                continue

    thread = threading.Thread(target=press, daemon=True)
    end.set()
    thread.start()
    found = runs.first(5)
    assert (found[:2], found[-1], {*found[2:4]}) == (["press", "again"], "once more", {*"ab"})
    for each in (thread, *others):
        each.join()
