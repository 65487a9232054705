"""A table of a database, or what a SELECT gives, read as its CSV would be."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Generator, Mapping
from concurrent.futures import ThreadPoolExecutor, wait
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Final, TypeVar

from dpcore.data.columns import MAX_LABELS, Column, ColumnKind, yes_no
from dpcore.data.proposals import proposed
from dpcore.data.readers.databases.query import GatheredRows
from dpcore.data.readers.databases.sources import NO_DRIVER, Database, asked
from dpcore.data.readers.file_table import column_names
from dpcore.data.readers.files import Opened
from dpcore.errors import DataError

if TYPE_CHECKING:
    from dpcore.data.readers.databases.query import ColumnComment

_T = TypeVar("_T")
_YES_NO: Final = ("False", "True")
_LONGEST: Final = 300
"""Most characters of a meaning."""
_MOMENT: Final = 0.1
"""Seconds between which reading can be stopped."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Progress:
    """How far reading is. CONFIDENTIAL.

    Attributes:
        rows: How many rows were read so far.
        expected: About how many there are in all, where the server has counted.
        opened: The table, once all of them were read.

    """

    rows: int
    expected: int | None = None
    opened: Opened | None = field(default=None, repr=False)


def read(database: Database, text: str) -> Generator[Progress, None, None]:
    """Read a table, or what a SELECT gives, and yield some times a second how far.

    The last progress has the table, every cell of the type that it has in the database
    (``dpcore.data.column_storage.typed_column``). NULL is missing. The index counts rows as
    lines, the first being line 2. Comments on columns and the answers of an enumeration
    are proposed; bounds never.

    Nothing can be written. Closing the generator stops the query on the server.

    Args:
        database: From where.
        text: The name of a table, or one statement that begins with SELECT, WITH or
            VALUES.

    Raises:
        DataError: The database cannot be reached or refuses, there is no such table or
            column, it would write, the connection was dropped, or what it gives is no
            table. No message holds an address or a cell.

    """
    statement = asked(text)
    try:
        from dpcore.data.readers.databases.query import DatabaseQuery, TableHeader  # noqa: PLC0415 - needs a driver
    except ImportError:
        raise DataError(NO_DRIVER) from None
    query = DatabaseQuery(database, statement)
    gathered = GatheredRows([])
    comments: Mapping[str, ColumnComment] = {}
    progress = Progress(rows=0)
    with contextlib.closing(_waited_for(query.blocks(), query.cancel)) as blocks:
        for block in blocks:
            if isinstance(block, TableHeader):
                gathered = GatheredRows(column_names([*block.names], None))
                comments = block.comments
                progress = Progress(rows=0, expected=block.expected)
            elif block is not None:
                gathered.add(block)
                progress = replace(progress, rows=gathered.rows)
            yield progress
    frame, answers = gathered.whole()
    columns = (
        replace(yes_no(column.name, _YES_NO), missing_codes=())
        if column.name in answers
        else column
        for column in proposed(frame, missing_codes=())
    )
    described = tuple(_described(column, comments.get(column.name)) for column in columns)
    yield replace(progress, opened=Opened(frame=frame, columns=described))


def read_whole(database: Database, text: str) -> Opened:
    """Return a table, or what a SELECT gives, as ``read`` does, once all of it is read.

    Raises:
        DataError: As ``read`` does.

    """
    *_, last = read(database, text)
    assert last.opened is not None, "the last progress has the table"  # noqa: S101
    return last.opened


def _waited_for(
    blocks: Generator[_T, None, None], cancel: Callable[[], None]
) -> Generator[_T | None, None, None]:
    """Yield what ``blocks`` gives, and ``None`` ten times a second while it works.

    The next block is fetched while the last one is used. Whoever asks no longer has
    stopped it: then ``cancel`` is called if it works, and ``blocks`` is closed where it
    was running, without being waited for.
    """
    pool = ThreadPoolExecutor(max_workers=1, thread_name_prefix="database")
    coming = pool.submit(next, blocks, None)
    try:
        while True:
            while not wait([coming], timeout=_MOMENT).done:
                yield None
            block = coming.result()
            if block is None:
                return
            coming = pool.submit(next, blocks, None)
            yield block
    finally:
        if not coming.done():
            cancel()
        pool.submit(blocks.close)
        pool.shutdown(wait=False)


def _described(column: Column, comment: ColumnComment | None) -> Column:
    if comment is None:
        return column
    answers = tuple(each.strip() for each in comment.answers if each.strip())
    fit = column.kind is ColumnKind.CATEGORY and len(set(answers)) <= MAX_LABELS
    return replace(
        column,
        description=comment.meaning.strip()[:_LONGEST],
        labels=tuple(dict.fromkeys(answers)) if fit else column.labels,
    )
