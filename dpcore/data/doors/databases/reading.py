"""A table of a database, or what a SELECT gives, read as its CSV would be."""

from __future__ import annotations

import contextlib
from collections.abc import Generator, Mapping
from dataclasses import dataclass, field, replace
from typing import Final

from dpcore.data.columns import MAX_LABELS, Column, ColumnKind, yes_no
from dpcore.data.doors.databases.asking import asked
from dpcore.data.doors.databases.gathering import Gathered
from dpcore.data.doors.databases.named import NO_DRIVER, Database
from dpcore.data.doors.databases.querying import Block, Said
from dpcore.data.doors.databases.waiting import waited_for
from dpcore.data.doors.opening import Opened
from dpcore.data.proposals import proposed
from dpcore.data.reading import column_names
from dpcore.errors import DataError

_YES_NO: Final = ("False", "True")
_LONGEST: Final = 300
"""Most characters of a meaning."""


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
    (``dpcore.data.storage.typed_column``). NULL is missing. The index counts rows as
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
    gathered = None
    said: Mapping[str, Said] = {}
    progress = Progress(rows=0)
    with contextlib.closing(blocks_of(database, text)) as blocks:
        for block in blocks:
            if block is not None and gathered is None:
                gathered = Gathered(column_names(list(block.names), None))
                said = block.said
                progress = Progress(rows=0, expected=block.expected)
            elif block is not None and gathered is not None:
                gathered.add(block.columns)
                progress = replace(progress, rows=gathered.rows)
            yield progress
    assert gathered is not None, "a query gives its header or fails"  # noqa: S101
    frame, answers = gathered.whole()
    columns = (
        replace(yes_no(column.name, _YES_NO), missing_codes=())
        if column.name in answers
        else column
        for column in proposed(frame, missing_codes=())
    )
    described = tuple(_described(column, said.get(column.name)) for column in columns)
    yield replace(progress, opened=Opened(frame=frame, columns=described))


def read_whole(database: Database, text: str) -> Opened:
    """Return a table, or what a SELECT gives, as ``read`` does, once all of it is read.

    Raises:
        DataError: As ``read`` does.

    """
    *_, last = read(database, text)
    assert last.opened is not None, "the last progress has the table"  # noqa: S101
    return last.opened


def blocks_of(database: Database, text: str) -> Generator[Block | None, None, None]:
    """Yield the header and the rows of what is asked for, and ``None`` while waiting.

    Closing it stops the query on the server.

    Raises:
        DataError: As ``read`` does.

    """
    what = asked(text)
    try:
        from dpcore.data.doors.databases.querying import Query  # noqa: PLC0415 - only where it is asked for
    except ImportError:
        raise DataError(NO_DRIVER) from None
    query = Query(database, what)
    yield from waited_for(query.blocks(), query.cancel)


def _described(column: Column, said: Said | None) -> Column:
    if said is None:
        return column
    answers = tuple(each.strip() for each in said.answers if each.strip())
    fit = column.kind is ColumnKind.CATEGORY and len(set(answers)) <= MAX_LABELS
    return replace(
        column,
        description=said.meaning.strip()[:_LONGEST],
        labels=tuple(dict.fromkeys(answers)) if fit else column.labels,
    )
