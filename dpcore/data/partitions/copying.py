"""A table of a database, copied in parts to a file that is opened where it lies.

For tables larger than memory: what is read of the database goes to the file at once.
"""

from __future__ import annotations

import contextlib
import re
import tempfile
from collections.abc import Generator, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO, Final

from dpcore.data.doors.databases.named import Database
from dpcore.data.doors.databases.querying import Block
from dpcore.data.doors.databases.reading import Progress, blocks_of
from dpcore.data.partitions.folder import VARIABLE, tables
from dpcore.data.reading import column_names
from dpcore.errors import DataError

if TYPE_CHECKING:
    import pyarrow as pa


_ROWS: Final = 1 << 18
"""Rows of a part, at least."""
_UNTYPED: Final = (
    "a column of this database may hold values of any type, and a column of a file of "
    "parts holds one. Read the table into memory."
)
_NAME: Final = re.compile(r"[^\W_][\w .-]*\.parquet")


def copied(
    database: Database, text: str, folder: Path, name: str
) -> Generator[Progress, None, None]:
    """Copy a table, or what a SELECT gives, to a file of the folder of large tables.

    Yields some times a second how far it is. ``open_table(folder, name)`` opens it once
    all of it was copied. Until then, and where it stopped or failed, there is no table.
    Only the user of this program may read the file.

    Args:
        database: From where; a PostgreSQL, whose columns have types.
        text: The name of a table, or one statement that begins with SELECT, WITH or
            VALUES.
        folder: The folder that ``EPSILON_STUDIO_TABLES`` names.
        name: What the table is to be called, ending in ``.parquet``.

    Raises:
        DataError: There is a table of this name, the folder cannot be written to, or
            as ``read`` does.

    """
    check_free(folder, name)
    descriptor, hidden = _begun(folder)
    try:
        with (
            open(descriptor, "wb") as file,  # noqa: PTH123 - it is open
            contextlib.closing(blocks_of(database, text)) as blocks,
        ):
            yield from _written(blocks, file)
        check_free(folder, name)
        hidden.rename(folder / name)
    except OSError:
        raise _unwritable() from None
    finally:
        hidden.unlink(missing_ok=True)


def check_free(folder: Path, name: str) -> None:
    """Refuse a name that a table in the folder has, or that none can have.

    Raises:
        DataError: It is such a name, or the folder cannot be read.

    """
    if not _NAME.fullmatch(name) or name in tables(folder):
        raise DataError(
            "choose another name, ending in .parquet and beginning with a letter or "
            "digit, that no table of the folder has."
        )


def _begun(folder: Path) -> tuple[int, Path]:
    """Return a new file, which only the user of this program may read.

    While its name begins with a dot it is no table.
    """
    try:
        descriptor, name = tempfile.mkstemp(prefix=".", suffix=".part", dir=folder)
    except OSError:
        raise _unwritable() from None
    return descriptor, Path(name)


def _written(blocks: Iterator[Block | None], file: BinaryIO) -> Generator[Progress, None, None]:
    """Write the rows as they come, some hundred thousand a group."""
    import pyarrow as pa  # noqa: PLC0415 - slow to import
    import pyarrow.parquet as pq  # noqa: PLC0415 - slow to import

    header = None
    while header is None:
        header = next(blocks)
        yield Progress(rows=0)
    schema = _schema(header)
    progress = Progress(rows=0, expected=header.expected)
    with pq.ParquetWriter(file, schema) as writer:
        waiting: list[pa.Table] = []
        for block in blocks:
            if block is not None:
                waiting.append(_table(block.columns, schema))
                progress = replace(progress, rows=progress.rows + len(waiting[-1]))
            if sum(map(len, waiting)) >= _ROWS:
                writer.write_table(pa.concat_tables(waiting))
                waiting.clear()
            yield progress
        if waiting:
            writer.write_table(pa.concat_tables(waiting))
    if not progress.rows:
        raise DataError("what is asked for has columns and no rows. Ask for other rows.")


def _schema(header: Block) -> pa.Schema:
    import pyarrow as pa  # noqa: PLC0415 - slow to import

    if None in header.types:
        raise DataError(_UNTYPED)
    kinds = {
        **dict.fromkeys((20, 21, 23, 26), pa.int64()),
        **dict.fromkeys((700, 701), pa.float64()),
        16: pa.bool_(),
        1082: pa.date32(),
        1114: pa.timestamp("us"),
        1184: pa.timestamp("us", tz="UTC"),
    }
    names = column_names(list(header.names), None)
    types = (kinds.get(number, pa.string()) for number in header.types)
    return pa.schema(list(zip(names, types, strict=True)))


def _table(columns: Sequence[pa.Array], schema: pa.Schema) -> pa.Table:
    import pyarrow as pa  # noqa: PLC0415 - slow to import

    arrays = [column.cast(field.type) for column, field in zip(columns, schema, strict=True)]
    return pa.table(arrays, schema=schema)


def _unwritable() -> DataError:
    message = (
        "the table cannot be written to the folder of large tables. Ask whoever runs "
        f"this program whether {VARIABLE} names a folder with room that it may write "
        "to."
    )
    return DataError(message)
