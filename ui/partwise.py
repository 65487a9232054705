"""What is computed over the parts of a table that stays in its files.

It takes as long as reading them: a bar says how many parts are done, and "Stop" ends
it. A table in memory answers at once.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from typing import Final, TypeVar, cast

import streamlit as st

from dpcore import memory
from dpcore.analyses.base import Releasable
from dpcore.analyses.reading import as_declared
from dpcore.data.partitions.progress import Found, Reached, stepwise
from dpcore.data.partitions.table import PartitionedDataset, Table, TableT
from dpcore.errors import DPCoreError
from ui import session, work
from ui.study import Study
from ui.work import Told

_T = TypeVar("_T")
_SLOT: Final = "release-values"
_STAY: Final = "Leaving the page stops it."


def found(
    slot: str,
    key: str,
    table: TableT,
    compute: Callable[[TableT], _T],
    *,
    doing: str,
    passes: int | None = 1,
) -> _T | None:
    """Return what is found in a table, kept while it is shown. CONFIDENTIAL.

    In memory that is at once.

    Args:
        slot: Which result of the page it is.
        key: Public settings: other settings begin anew.
        table: The table.
        compute: Finds it.
        doing: What is being done, in plain words.
        passes: How often it reads the parts; ``None`` where nobody knows that before.

    Returns:
        ``None`` while it is computed, and where that was stopped.

    Raises:
        DPCoreError: It cannot be computed.

    """
    if not isinstance(table, PartitionedDataset):
        return session.while_shown(slot, key, lambda: compute(table))
    last = work.once(
        slot,
        f"{key} of parts",
        lambda: _pieces(table, cast("Callable[[PartitionedDataset], _T]", compute)),
        lambda latest: _told(latest, doing, passes),
    )
    return None if last is None else _value(last)


def values(requests: Sequence[Releasable], study: Study, press: str) -> dict[str, object] | None:
    """Return what requests are answered from, by their names. CONFIDENTIAL.

    Of a table in parts that takes some runs of the page, each of which asks for it.

    Args:
        requests: What is asked.
        study: The table, which is read as it was declared for each.
        press: What was pressed; pressed twice, the work goes on.

    Returns:
        ``None`` while they are computed, and where that was stopped.

    Raises:
        DPCoreError: One of them cannot be computed.

    """
    of = partial(_values, {each.analysis(study.fingerprint): each for each in requests})
    table = study.parts
    if table is None or not requests:
        with memory.some_at_hand():
            return of(study.dataset)
    last = work.whole(
        _SLOT,
        press,
        lambda: _pieces(table, of),
        lambda latest: _told(latest, "Computing the answer", len(requests)),
    )
    return None if last is None else _value(last)


def forget_values() -> None:
    """End the computing that a press began."""
    session.let_go([_SLOT])


def was_stopped(press: str) -> bool:
    """Tell whether the computing that a press began was stopped."""
    return work.was_stopped(_SLOT, press)


def forget_stop() -> None:
    """Let what was stopped be computed when it is pressed again."""
    work.forget_stop(_SLOT)


def in_memory(study: Study, what: str) -> bool:
    """Tell whether all rows are in memory, as ``what`` needs; say so where not."""
    if study.parts is None:
        return True
    st.info(
        f"{what} is not offered for a table that stays in its files: all rows would have to be "
        "in memory. Upload a sample of the rows instead."
    )
    return False


def _values(requests: Mapping[str, Releasable], table: Table) -> dict[str, object]:
    return {name: each.value(as_declared(each, table)) for name, each in requests.items()}


def _pieces(
    table: PartitionedDataset, compute: Callable[[PartitionedDataset], _T]
) -> Iterator[Reached | Found[_T] | DPCoreError]:
    try:
        with memory.some_at_hand():
            yield from stepwise(table, compute)
    except DPCoreError as error:
        yield error


def _value(last: Reached | Found[_T] | DPCoreError) -> _T:
    if isinstance(last, Found):
        return last.value
    assert isinstance(last, DPCoreError), "work ends with what it finds"  # noqa: S101
    raise last


def _told(latest: object, doing: str, passes: int | None) -> Told:
    """Return how far the work is, in words; of unknown passes, how far this one is."""
    if not isinstance(latest, Reached):
        return Told(None, f"{doing}: all parts are read.")
    parts, done, ended = latest
    if passes is None:
        share, which = done / parts, f", reading {ended + 1}"
    else:
        share = (ended + done / parts) / max(passes, ended + 1)
        which = f", reading {ended + 1} of {passes}" if passes > 1 else ""
    words = f"{doing}: {done:,} of {parts:,} parts are read{which}. {_STAY}"
    return Told(share, words)
