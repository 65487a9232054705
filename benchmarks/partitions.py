"""A table larger than one would load: ``python -m benchmarks.partitions FOLDER``.

Writes 10,000,000 rows of 10 columns as Parquet into a new folder in FOLDER, and deletes
it at the end. Times are of the processor, which another program does not lengthen, and
stand beside that of reading the column alone by pyarrow.
"""

from __future__ import annotations

import resource
import sys
import tempfile
import time
from multiprocessing import get_context
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from benchmarks.timing import median
from dpcore.data.bounds import Interval
from dpcore.data.columns import Column, ColumnKind, MissingPolicy
from dpcore.data.partitions.opening import open_table
from dpcore.individual.distribution import loss_distribution, loss_of_row
from dpcore.relations import NeighboringRelation, PrivacyUnit, TableSize
from dpcore.releases.request import Request
from dpcore.statistics.bins import equal_edges
from dpcore.statistics.kinds import StatisticKind
from dpcore.statistics.query import Query

if TYPE_CHECKING:
    from collections.abc import Callable

_FILES, _ROWS, _COLUMNS, _GROUP = 10, 1_000_000, 10, 500_000
_RUNS = 3
_BOUNDS = Interval(lower=0.0, upper=100.0)


def main() -> None:
    """Measure each step, and print it with the memory that was needed at most."""
    with tempfile.TemporaryDirectory(dir=sys.argv[1]) as named:
        folder = Path(named)
        place = folder / "table"
        place.mkdir()
        # In a process of its own, whose memory is not that of what is measured.
        writer = get_context("spawn").Process(target=_write, args=(place,))
        writer.start()
        writer.join()
        size = sum(path.stat().st_size for path in place.iterdir()) / 2**20
        print(f"{_FILES * _ROWS:,} rows x {_COLUMNS} columns, {size:,.0f} MB")
        before = _peak()
        _measure(folder, place)
        print(f"memory at most: {_peak():,.0f} MB ({before:,.0f} MB before opening)")


def _measure(folder: Path, place: Path) -> None:
    read = _seconds(lambda: _read(place), _RUNS)
    print(f"reading the column alone: {read:.2f} s")
    print(f"opening: {_seconds(lambda: open_table(folder, 'table'), _RUNS):.3f} s")
    column = Column(
        name="v0",
        kind=ColumnKind.NUMBER,
        bounds=_BOUNDS,
        missing=MissingPolicy.REPLACE,
        replacement=50.0,
    )
    table = open_table(folder, "table").with_columns(column)
    for kind, more in {
        StatisticKind.SUM: {},
        StatisticKind.MEAN: {},
        StatisticKind.VARIANCE: {},
        StatisticKind.MEDIAN: {},
        StatisticKind.QUANTILES: {"qs": (0.25, 0.5, 0.75)},
        StatisticKind.HISTOGRAM: {"edges": equal_edges(_BOUNDS, 20)},
    }.items():
        query = _query(kind, column, table.people, more)
        took = _seconds(lambda query=query: query.value(table), _RUNS)
        print(f"{kind}: {took:.2f} s ({took / read:.1f} reads)")
    query = _query(StatisticKind.MEAN, column, table.people, {})
    plan = Request(query=query, mechanism_key="laplace", epsilon=1.0).plan
    took = _seconds(lambda: loss_distribution(plan, query, table), 1)
    print(f"everybody's loss from the mean: {took:.2f} s ({took / read:.1f} reads)")
    took = _seconds(lambda: loss_of_row(plan, query, table, 5_000_000), 1)
    print(f"one person's: {took:.2f} s ({took / read:.1f} reads)")
    took = _seconds(lambda: table.fingerprint(b"sixteen bytes ..."), 1)
    print(f"fingerprint, every byte: {took:.2f} s")


def _query(
    kind: StatisticKind, column: Column, people: int, more: dict[str, object]
) -> Query:
    return Query(
        kind=kind,
        column=column,
        relation=NeighboringRelation.SUBSTITUTION,
        unit=PrivacyUnit(),
        size=TableSize(people=people, public=True),
        **more,
    )


def _write(place: Path) -> None:
    for number in range(_FILES):
        rng = np.random.default_rng(number)
        columns = {f"v{i}": rng.normal(50, 20, _ROWS) for i in range(_COLUMNS)}
        path = place / f"part-{number:02}.parquet"
        pq.write_table(pa.table(columns), path, row_group_size=_GROUP)


def _read(place: Path) -> None:
    for path in sorted(place.iterdir()):
        pq.read_table(path, columns=["v0"])


def _seconds(step: Callable[[], object], runs: int) -> float:
    return median(step, runs, clock=time.process_time)


def _peak() -> float:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**10


if __name__ == "__main__":
    main()
