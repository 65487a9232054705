"""Bootstraps, secret samples and small resamples: ``python -m benchmarks.resampling``.

Releases are timed as a person waits for them: check, debit, draws by the randomness of
the operating system, and the record. Memory is what is allocated beyond the column,
the most at any moment, measured in a run of its own.
"""

from __future__ import annotations

import os
import tracemalloc
from collections.abc import Callable
from datetime import UTC, datetime

import numpy as np
import pandas as pd

from benchmarks.timing import median
from dpcore.analyses.base import Mode, Releasable
from dpcore.analyses.bootstrap import BootstrapRequest
from dpcore.analyses.number import Query
from dpcore.analyses.resized import ResizedRequest
from dpcore.analyses.subsampled import SubsampledRequest
from dpcore.data.bounds import Interval
from dpcore.data.columns import Column, ColumnKind, MissingPolicy
from dpcore.data.dataset import Dataset
from dpcore.ledger.ledger import Ledger
from dpcore.ledger.transaction import release
from dpcore.privacy.bootstrap_cost import calibration_steps
from dpcore.privacy_filter import PrivacyBudget
from dpcore.relations import NeighboringRelation, PrivacyUnit, TableSize
from dpcore.statistics.kinds import StatisticKind
from dpcore.studies.resampling.bootstrap_study import Ages, Experiment, simulate

_PEOPLE, _RUNS = 1_000_000, 3
_TABLES, _IN_A_TABLE, _BOOTSTRAPS = 1000, 500, 200
_EXPERIMENTS_LIMIT, _RELEASE_LIMIT = 5.0, 3.0
_RHO, _DELTA, _EPSILON, _SHARE, _Z = 0.5, 1e-6, 0.5, 0.1, 10
_FEW, _MANY = 5, 50
_FINGERPRINT = "benchmark"


def main() -> None:
    """Measure each step in one process, and print it."""
    _experiments()
    _calibration()
    values = np.random.default_rng(0).normal(15, 1.5, _PEOPLE).clip(10, 20)
    table = Dataset(name="million", frame=pd.DataFrame({"value": values}), columns=(_column(),))
    public, private = _query(public=True), _query(public=False)
    bootstraps = {k: _bootstraps(public, k) for k in (_FEW, _MANY)}
    sample = SubsampledRequest(query=private, law="laplace", epsilon=_EPSILON, share=_SHARE)
    fixed = SubsampledRequest(
        query=public, law="laplace", epsilon=_EPSILON, share=_SHARE, people=_PEOPLE
    )
    resample = ResizedRequest(query=public, draws=_PEOPLE // _Z, epsilon=_EPSILON)
    print(f"releases from {_PEOPLE:,} rows")
    _report(f"{_MANY} bootstraps", bootstraps[_MANY], table, limit=_RELEASE_LIMIT)
    _report("Poisson sample of a tenth", sample, table)
    _report("sample of a tenth, fixed size", fixed, table)
    _report("resized bootstrap, repaired, Z = 10", resample, table)
    for k, request in bootstraps.items():
        peak = _peak(lambda request=request: _release(request, table))
        print(f"memory for {k} bootstraps: {peak / 1e6:.0f} MB at the peak")


def _experiments() -> None:
    """Simulate tables and their bootstraps."""
    experiment = Experiment(population=Ages(), people=_IN_A_TABLE, rho=_RHO, times=_BOOTSTRAPS)
    took = median(lambda: simulate(experiment, _TABLES, np.random.default_rng(1)), _RUNS)
    _say(
        f"{_TABLES:,} experiments with {_BOOTSTRAPS} bootstraps of {_IN_A_TABLE} rows",
        took,
        limit=_EXPERIMENTS_LIMIT,
    )


def _calibration() -> None:
    """Find the noise of bootstraps at settings that nobody asked for before."""
    for people in (_IN_A_TABLE, _PEOPLE):
        fresh = iter(np.linspace(0.4, 0.6, _RUNS + 1))
        took = median(
            lambda people=people, fresh=fresh: list(
                calibration_steps(rho=float(next(fresh)), delta=_DELTA, times=_MANY, people=people)
            ),
            _RUNS,
        )
        _say(f"calibration of {_MANY} bootstraps of {people:,} rows", took)


def _bootstraps(query: Query, times: int) -> BootstrapRequest:
    """Return a question whose noise is known: looking for it is timed by itself."""
    request = BootstrapRequest(query=query, rho=_RHO, delta=_DELTA, times=times)
    _ = request.cost
    return request


def _query(*, public: bool) -> Query:
    relation = NeighboringRelation.SUBSTITUTION if public else NeighboringRelation.ADD_REMOVE
    return Query(
        kind=StatisticKind.MEAN if public else StatisticKind.SUM,
        column=_column(),
        relation=relation,
        unit=PrivacyUnit(),
        size=TableSize(people=_PEOPLE if public else _PEOPLE // 2, public=public),
    )


def _column() -> Column:
    return Column(
        name="value",
        kind=ColumnKind.NUMBER,
        bounds=Interval(lower=10.0, upper=20.0),
        missing=MissingPolicy.REPLACE,
        replacement=15.0,
    )


def _release(request: Releasable, table: Dataset) -> None:
    """Release an answer from a new account."""
    ledger = Ledger.in_memory()
    ledger.open_account(_FINGERPRINT, PrivacyBudget.of(epsilon=100.0, delta=0.1), request.relation)
    release(
        request,
        request.value(table),
        ledger=ledger,
        fingerprint=_FINGERPRINT,
        mode=Mode.RELEASE,
        now=datetime.now(UTC),
    )


def _report(name: str, request: Releasable, table: Dataset, *, limit: float | None = None) -> None:
    _say(name, median(lambda: _release(request, table), _RUNS), limit=limit)


def _say(name: str, seconds: float, *, limit: float | None = None) -> None:
    within = ""
    if limit is not None:
        within = f", limit {limit:g} s: {'kept' if seconds <= limit else 'BROKEN'}"
    load = os.getloadavg()[0]
    print(f"{name}: {seconds:.3f} s{within} (load {load:.1f})", flush=True)


def _peak(step: Callable[[], object]) -> int:
    """Return the most bytes that a step has allocated at any moment."""
    tracemalloc.start()
    step()
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    return peak


if __name__ == "__main__":
    main()
