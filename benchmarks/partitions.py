"""Tables larger than one would load: ``python -m benchmarks.partitions FOLDER``.

Writes tables of 10 columns (7 of floats, 3 of integers) as Parquet into a new folder in
FOLDER, one after the other (``--rows 1e6 1e7``, unless told otherwise; 1e8 rows take
8 GB), and deletes each once it was measured. Numbers are ratios within one run: beside
each time stands how many *reads* it is, that is, times that of reading the same columns
by pyarrow with two threads into memory, and nothing else
(``pyarrow.dataset(...).to_table``), measured in between.

The processor's time, which another program does not lengthen, is printed, too. Memory
is that of a process that does every step once and reads nothing for comparison. A
cluster of a scheduler and workers with one thread each, on this machine, does the same
once with one of them and once with two.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import redirect_stdout
from dataclasses import dataclass
from datetime import UTC, datetime
from multiprocessing import get_context
from pathlib import Path
from unittest.mock import patch

import numpy as np
import pyarrow as pa
import pyarrow.dataset as ds
import pyarrow.parquet as pq

from benchmarks.server import memory_of
from benchmarks.timing import Spans
from dpcore import memory
from dpcore.analyses.base import Mode, Request
from dpcore.analyses.model import ModelRequest
from dpcore.analyses.number import Query
from dpcore.data.bounds import Interval
from dpcore.data.columns import Column, ColumnKind, MissingPolicy
from dpcore.data.partitions.engine import VARIABLE
from dpcore.data.partitions.table import PartitionedDataset, open_table
from dpcore.individual.model_losses import counted_model_losses
from dpcore.individual.per_instance_loss import counted_losses, person_of_row
from dpcore.ledger.ledger import Ledger
from dpcore.ledger.transaction import release
from dpcore.models.design import Design
from dpcore.models.loss_functions import ModelKind
from dpcore.models.penalty import Penalty
from dpcore.models.question import ModelQuestion
from dpcore.privacy_filter import PrivacyBudget
from dpcore.relations import NeighboringRelation, PrivacyUnit, TableSize
from dpcore.statistics.bins import equal_edges
from dpcore.statistics.kinds import StatisticKind
from tests import clusters

_FILE, _FLOATS, _COLUMNS = 1_000_000, 7, 10
_RUNS, _THREADS, _PATIENCE = 5, 2, 60.0
_BOUNDS = Interval(lower=0.0, upper=100.0)
_NOW = datetime(2026, 11, 25, tzinfo=UTC)
_RELATION = NeighboringRelation.SUBSTITUTION
_FEATURES = 8


def _column(name: str, upper: float) -> Column:
    return Column(
        name=name,
        kind=ColumnKind.NUMBER,
        bounds=Interval(lower=0.0, upper=upper),
        missing=MissingPolicy.REPLACE,
        replacement=upper / 2,
    )


_AGE = _column("v0", 100.0)
_NUMBERS = tuple(_column(f"v{i}", 100.0 if i < _FLOATS else 1e12) for i in range(1, _FEATURES + 1))


def main() -> None:
    """Measure tables of each size, and print what it took."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder")
    parser.add_argument("--rows", type=float, nargs="+", default=[1e6, 1e7])
    parser.add_argument("--runs", type=int, default=_RUNS, help="of each step")
    asked = parser.parse_args()
    pa.set_cpu_count(_THREADS)
    before: dict[str, float] = {}
    for rows in map(int, asked.rows):
        # As the app does while it computes.
        with tempfile.TemporaryDirectory(dir=asked.folder) as named, memory.some_at_hand():
            measured = _of_size(Path(named), rows, asked.runs)
        for name, each in measured.items():
            if name in before:
                print(f"{name}, a row beside the table before: x{each / before[name]:.2f}")
        before = measured


def _of_size(folder: Path, rows: int, runs: int) -> dict[str, float]:
    """Return the seconds that a row of a table takes, by what is done with it."""
    place = folder / "table"
    place.mkdir()
    _in_a_process(_write, place, rows)
    size = sum(path.stat().st_size for path in place.iterdir()) / 2**20
    print(f"\n{rows:,} rows x {_COLUMNS} columns, {size:,.0f} MB")
    opening = Spans()
    opening.again(lambda: open_table(folder, "table"), runs)
    print(f"opening: {1000 * opening.middle:.1f} ms")
    table = _opened(folder)
    beside = _Beside(place=place, runs=runs)
    took = {
        name: beside.measure(name, columns, step) / rows for name, columns, step in _steps(table)
    }
    _in_a_process(_remember, folder)
    _workers(table, runs)
    return took


def _opened(folder: Path) -> PartitionedDataset:
    return open_table(folder, "table").with_columns(_AGE, *_NUMBERS)


def _in_a_process(act: Callable[..., None], *args: object) -> None:
    """Do it in a process of its own, whose memory is that of nothing else."""
    process = get_context("spawn").Process(target=act, args=args)
    process.start()
    process.join()
    if process.exitcode:
        sys.exit(process.exitcode)


def _remember(folder: Path) -> None:
    """Do every step once, and print how much memory that took."""
    before = _peak()
    with memory.some_at_hand(), redirect_stdout(None):
        for _, _, step in _steps(_opened(folder)):
            step()
    print(
        f"memory of a process that does each of this once: at most {_peak():,.0f} MB, "
        f"of these {before:,.0f} MB before it opens the table",
        flush=True,
    )


def _steps(table: PartitionedDataset) -> Iterator[tuple[str, list[str], Callable[[], object]]]:
    """Yield what is done with some columns, by name: first of all what has a limit."""
    # A regression of the first column on the next, noise on its numbers.
    question = ModelQuestion(
        model=ModelKind.LINEAR,
        design=Design(features=_NUMBERS, target=_AGE),
        penalty=Penalty(strength=1.0),
        relation=NeighboringRelation.ADD_REMOVE,
        unit=PrivacyUnit(),
        most_people=table.people,
    )
    model = ModelRequest(question=question, mechanism_key="output", epsilon=1.0, delta=1e-6)
    yield (
        f"ridge on {_FEATURES} features, with everybody's loss",
        [column.name for column in (_AGE, *_NUMBERS)],
        lambda: counted_model_losses(model, model.value(table)),
    )
    for name, step in _of_one_column(table):
        yield name, [_AGE.name], step


def _of_one_column(table: PartitionedDataset) -> Iterator[tuple[str, Callable[[], object]]]:
    query = _query(StatisticKind.MEAN, table.people, {})
    released = _Released.about(table)
    yield "a mean, released", lambda: released.once_more(query)
    for key in ("laplace", "bit"):
        plan = Request(query=query, mechanism_key=key, epsilon=1.0).plan
        yield (
            f"everybody's loss from the mean ({key})",
            lambda plan=plan: counted_losses(plan, query, table),
        )
    for kind, more in {
        StatisticKind.SUM: {},
        StatisticKind.VARIANCE: {},
        StatisticKind.MEDIAN: {},
        StatisticKind.QUANTILES: {"qs": (0.25, 0.5, 0.75)},
        StatisticKind.HISTOGRAM: {"edges": equal_edges(_BOUNDS, 20)},
    }.items():
        asked = _query(kind, table.people, more)
        yield str(kind), lambda asked=asked: asked.value(table)
    plan = Request(query=query, mechanism_key="laplace", epsilon=1.0).plan
    yield "one person's loss", lambda: person_of_row(plan, query, table, table.rows - 1)


def _workers(table: PartitionedDataset, runs: int) -> None:
    """Print how much faster two workers are than one, who do the same."""
    if not clusters.AVAILABLE:
        print(clusters.MISSING)
        return
    query = _query(StatisticKind.MEAN, table.people, {})
    plan = Request(query=query, mechanism_key="laplace", epsilon=1.0).plan
    found: dict[int, Spans] = {}
    with clusters.running(_PATIENCE) as machines:
        for number in (1, 2):
            machines.staff(number)
            with patch.dict("os.environ", {VARIABLE: machines.address}):
                found[number] = Spans()
                found[number].again(lambda: counted_losses(plan, query, table), runs)
    print(
        f"everybody's loss from the mean by one worker {found[1].least:.2f} s, by two "
        f"{found[2].least:.2f} s: {found[1].least / found[2].least:.2f} times as fast"
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class _Beside:
    """Times beside that of reading the column, in between."""

    place: Path
    runs: int

    def measure(self, name: str, columns: list[str], step: Callable[[], object]) -> float:
        """Print how long a step takes, and return the seconds."""
        reading, took = Spans(), Spans()
        step()
        for _ in range(self.runs):
            reading.once(lambda: self._read(columns))
            took.once(step)
        print(
            f"{name}: {took.middle:.3f} s, at least {took.least:.3f} s, "
            f"{took.busy:.3f} s of the processor ({took.middle / reading.middle:.1f}, "
            f"{took.least / reading.least:.1f}, {took.busy / reading.busy:.1f} reads)",
            flush=True,
        )
        return took.least

    def _read(self, columns: list[str]) -> None:
        ds.dataset(self.place).to_table(columns=columns)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Released:
    """Releases about a table in a ledger of their own, each a draw of its own."""

    table: PartitionedDataset
    ledger: Ledger
    fingerprint: str

    @classmethod
    def about(cls, table: PartitionedDataset) -> _Released:
        """Open an account. The fingerprint, of every byte, is taken once a table."""
        begun = time.perf_counter()
        ledger, fingerprint = Ledger.in_memory(), table.fingerprint(b"sixteen bytes ...")
        print(f"fingerprint, every byte: {time.perf_counter() - begun:.2f} s")
        ledger.open_account(fingerprint, PrivacyBudget.of(epsilon=1e4, delta=0.0), _RELATION)
        return cls(table=table, ledger=ledger, fingerprint=fingerprint)

    def once_more(self, query: Query) -> None:
        """Read the table, draw, charge and store."""
        request = Request(
            query=query,
            mechanism_key="laplace",
            epsilon=1.0,
            draw=len(self.ledger.releases(self.fingerprint)) + 1,
        )
        release(
            request,
            request.value(self.table),
            ledger=self.ledger,
            fingerprint=self.fingerprint,
            mode=Mode.RELEASE,
            now=_NOW,
        )


def _query(kind: StatisticKind, people: int, more: dict[str, object]) -> Query:
    return Query(
        kind=kind,
        column=_AGE,
        relation=_RELATION,
        unit=PrivacyUnit(),
        size=TableSize(people=people, public=True),
        **more,
    )


def _write(place: Path, rows: int) -> None:
    for number, start in enumerate(range(0, rows, _FILE)):
        rng, count = np.random.default_rng(number), min(_FILE, rows - start)
        columns = {
            f"v{i}": rng.normal(50, 20, count) if i < _FLOATS else rng.integers(0, 10**12, count)
            for i in range(_COLUMNS)
        }
        pq.write_table(pa.table(columns), place / f"part-{number:03}.parquet")


def _peak() -> float:
    """Return the most memory this process ever had, in MB.

    ``getrusage`` would tell that of the process that started it, where that had more.
    """
    return memory_of("self", "VmHWM") / 2**20


if __name__ == "__main__":
    main()
