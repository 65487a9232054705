"""A ledger of a thousand releases, read and added up: ``python -m benchmarks.ledgers``.

Beside it the time that writing and parsing its records as JSON takes, which whoever
reads a ledger cannot beat.
"""

from __future__ import annotations

import json
import time
from datetime import UTC, datetime
from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from benchmarks.timing import median
from dpcore.budget_filter import PrivacyBudget
from dpcore.data.bounds import Interval
from dpcore.data.columns import Column, ColumnKind, MissingPolicy
from dpcore.privacy.composition import compose
from dpcore.privacy.events import event_from
from dpcore.relations import NeighboringRelation, PrivacyUnit, TableSize
from dpcore.releases.ledger import Ledger
from dpcore.releases.record import Mode, Release
from dpcore.releases.request import Request
from dpcore.releases.transaction import release
from dpcore.statistics.kinds import StatisticKind
from dpcore.statistics.query import Query

if TYPE_CHECKING:
    from collections.abc import Callable

_RELEASES, _RUNS, _LIMIT = 1_000, 5, 0.3
_DELTA, _TABLE = 1e-6, "benchmark"
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


def _totals(ledger: Ledger) -> object:
    events = [event_from(one.event) for one in ledger.releases(_TABLE)]
    return compose(events, delta=_DELTA)


def _seconds(step: Callable[[], object]) -> float:
    return median(step, _RUNS, clock=time.process_time)


def _ledger() -> Ledger:
    """Return a ledger with releases of five mechanisms, most at prices of their own."""
    ledger = Ledger.in_memory()
    relation = NeighboringRelation.SUBSTITUTION
    ledger.open_account(_TABLE, PrivacyBudget.of(epsilon=1e4, delta=0.1), relation)
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
        relation=relation,
        unit=PrivacyUnit(),
        size=TableSize(people=1_000, public=True),
    )
    prices = np.random.default_rng(0).uniform(1e-3, 0.1, _RELEASES)
    for at, epsilon in enumerate(prices):
        kind = _KINDS[at % len(_KINDS)]
        request = Request(
            query=query,
            mechanism_key=kind,
            epsilon=round(float(epsilon), 4),
            delta=1e-9 if kind == "gaussian" else 0.0,
        )
        release(
            request,
            np.asarray([50.0]),
            ledger=ledger,
            fingerprint=_TABLE,
            mode=Mode.RELEASE,
            now=datetime(2026, 11, 23, tzinfo=UTC),
        )
    return ledger


if __name__ == "__main__":
    main()
