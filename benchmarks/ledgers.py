"""Ledgers read, added up and released to by many: ``python -m benchmarks.ledgers``.

A ledger of a thousand releases is read and added up, beside the time that writing and
parsing its records as JSON takes, which no reader of a ledger can beat. Forty
threads then release at once, in a quiet process, and beside threads that keep its
interpreter busy, as pages that are drawn do.
"""

from __future__ import annotations

import contextlib
import json
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime
from functools import partial
from pathlib import Path

import numpy as np

from benchmarks.timing import median
from dpcore.analyses.base import Mode, Request
from dpcore.analyses.number import Query
from dpcore.data.bounds import Interval
from dpcore.data.columns import Column, ColumnKind, MissingPolicy
from dpcore.errors import LedgerError
from dpcore.ledger.chain import SqliteEntries
from dpcore.ledger.ledger import Ledger, LocalLedger
from dpcore.ledger.store import FileDatabase
from dpcore.ledger.transaction import release
from dpcore.privacy.composition import compose
from dpcore.privacy.events import event_from
from dpcore.privacy_filter import PrivacyBudget
from dpcore.relations import NeighboringRelation, PrivacyUnit, TableSize
from dpcore.releases.record import Release
from dpcore.statistics.kinds import StatisticKind

_RELEASES, _RUNS, _LIMIT = 1_000, 5, 0.3
_DELTA, _TABLE = 1e-6, "benchmark"
_PEOPLE, _BUSY = 40, 2
_KINDS = ("laplace", "gaussian", "bit", "truncated", "averaged")


def main() -> None:
    """Measure each step in one process, and print it."""
    ledger = _ledger()
    bodies = [one.to_json() for one in ledger.releases(_TABLE)]
    parsed = _seconds(lambda: [json.loads(json.dumps(json.loads(b))) for b in bodies])
    print(f"{_RELEASES:,} releases; their records parsed and written: {parsed:.3f} s")
    steps = {
        "records read anew": lambda: [Release.from_json(body) for body in bodies],
        "chain checked and records looked up": partial(ledger.releases, _TABLE),
        "added up anew, four ways of counting": lambda: _totals(ledger),
    }
    for name, step in steps.items():
        took = _seconds(step)
        print(f"{name}: {took:.3f} s (at most {_LIMIT}; ratio {took / parsed:.1f})")
    for busy in (0, _BUSY):
        with tempfile.TemporaryDirectory() as folder:
            _at_once(Path(folder) / "home" / "ledger.sqlite3", busy)


def _at_once(path: Path, busy: int) -> None:
    """Release in forty threads at once, each as a page does, and print the times."""
    held: list[float] = []
    times: list[float] = []
    refused: list[str] = []
    ended = threading.Event()
    together = threading.Barrier(_PEOPLE)

    class Watched(FileDatabase):
        @contextlib.contextmanager
        def writing(self, patience: float) -> Iterator[SqliteEntries]:
            with super().writing(patience) as entries:
                began = time.perf_counter()
                yield entries
            held.append(time.perf_counter() - began)

    def work() -> None:
        while not ended.is_set():
            sum(range(1_000))

    def ask(number: int) -> None:
        together.wait()
        began = time.perf_counter()
        try:
            _spend(_opened(LocalLedger(Watched(path))), epsilon=0.1, draw=number + 2)
        except LedgerError as error:
            refused.append(str(error))
        times.append(time.perf_counter() - began)

    _spend(_opened(Ledger.at(path)), epsilon=0.1)
    for _ in range(busy):
        threading.Thread(target=work, daemon=True).start()
    with ThreadPoolExecutor(_PEOPLE) as pool:
        list(pool.map(ask, range(_PEOPLE)))
    ended.set()
    ledger = Ledger.at(path)
    ledger.verify()
    answers = len(ledger.releases(_TABLE)) - 1
    middle, late = np.quantile(times, (0.5, 0.95))
    print(
        f"{_PEOPLE} at once beside {busy} busy threads: {answers} answered, "
        f"{len(refused)} refused; median {middle:.2f} s, 95% {late:.2f} s; the file "
        f"locked for {1000 * sum(held) / max(1, answers):.0f} ms per release"
    )
    for text in set(refused):
        print(f"  {text}")


def _totals(ledger: Ledger) -> object:
    return compose([event_from(one.event) for one in ledger.releases(_TABLE)], delta=_DELTA)


def _seconds(step: Callable[[], object]) -> float:
    return median(step, _RUNS, clock=time.process_time)


def _ledger() -> Ledger:
    """Return a ledger with releases of five mechanisms, most at prices of their own."""
    ledger = _opened(Ledger.in_memory())
    prices = np.random.default_rng(0).uniform(1e-3, 0.1, _RELEASES)
    for at, epsilon in enumerate(prices):
        _spend(ledger, epsilon=round(float(epsilon), 4), kind=_KINDS[at % len(_KINDS)])
    return ledger


def _opened(ledger: Ledger) -> Ledger:
    ledger.open_account(
        _TABLE, PrivacyBudget.of(epsilon=1e4, delta=0.1), NeighboringRelation.SUBSTITUTION
    )
    return ledger


def _spend(ledger: Ledger, *, epsilon: float, kind: str = "laplace", draw: int = 1) -> None:
    column = Column(
        name="age",
        kind=ColumnKind.NUMBER,
        bounds=Interval(lower=0.0, upper=100.0),
        missing=MissingPolicy.REPLACE,
        replacement=50.0,
    )
    query = Query(
        kind=StatisticKind.MEAN,
        column=column,
        relation=NeighboringRelation.SUBSTITUTION,
        unit=PrivacyUnit(),
        size=TableSize(people=1_000, public=True),
    )
    request = Request(
        query=query,
        mechanism_key=kind,
        epsilon=epsilon,
        delta=1e-9 if kind == "gaussian" else 0.0,
        draw=draw,
    )
    release(
        request,
        np.asarray([50.0]),
        ledger=ledger,
        fingerprint=_TABLE,
        mode=Mode.RELEASE,
        now=datetime(2026, 11, 23, tzinfo=UTC),
    )


if __name__ == "__main__":
    main()
