"""The rows that a database gives, gathered to a table."""

from __future__ import annotations

import contextlib
import datetime as dt
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from typing import TYPE_CHECKING, Any, Final
from uuid import UUID

from dpcore.data import limits
from dpcore.data.cells import float_texts
from dpcore.data.readers.file_table import typed_frame
from dpcore.errors import DataError

if TYPE_CHECKING:
    import pandas as pd
    import pyarrow as pa

_WRITTEN: Final = frozenset((str, int, float, Decimal, dt.date, dt.time, UUID))
"""Types that may stand in one column, as they are written."""


@dataclass(slots=True)
class GatheredRows:
    """A table of which some rows are there. CONFIDENTIAL.

    Attributes:
        names: The names of its columns.
        rows: How many rows there are so far.

    """

    names: Sequence[str]
    rows: int = 0
    _bytes: int = 0
    _columns: list[list[pa.Array]] = field(default_factory=list)

    def add(self, columns: Sequence[pa.Array]) -> None:
        """Take over the next rows, at least one, as an array of each column.

        Raises:
            DataError: There are too many.

        """
        self.rows += len(columns[0])
        limits.check_rows(self.rows, len(columns))
        if not self._columns:
            self._columns = [[] for _ in self.names]
        for blocks, block in zip(self._columns, columns, strict=True):
            blocks.append(block)
            self._bytes += block.nbytes
            limits.check_unpacked(self._bytes)

    def whole(self) -> tuple[pd.DataFrame, frozenset[str]]:
        """Return the table, and which columns say yes or no by their type.

        What was gathered is given up column by column, so that nothing is held twice.

        Raises:
            DataError: There are no rows.

        """
        if not self.rows:
            raise DataError("what is asked for has columns and no rows. Ask for other rows.")
        yes_no: set[str] = set()
        frame = typed_frame(self._columns_joined(yes_no), self.rows)
        return frame, frozenset(yes_no)

    def _columns_joined(self, yes_no: set[str]) -> Iterator[tuple[str, pa.ChunkedArray]]:
        """Yield each column, and note those that say yes or no by their type."""
        import pyarrow as pa  # noqa: PLC0415 - slow to import

        for place, name in enumerate(self.names):
            blocks, self._columns[place] = self._columns[place], []
            values = _joined(blocks)
            if pa.types.is_boolean(values.type):
                yes_no.add(name)
            yield name, values


def arrays_of(rows: Sequence[Sequence[object]]) -> list[pa.Array]:
    """Return the columns of some rows, at least one, by the types that values have.

    Text, and what is read as text, is one copy of each answer.

    Raises:
        DataError: One holds what is no number, text or day; says its place.

    """
    return [
        _array_of(values, place) for place, values in enumerate(zip(*rows, strict=True), start=1)
    ]


def _array_of(values: Sequence[Any], place: int) -> pa.Array:
    import pyarrow as pa  # noqa: PLC0415 - slow to import

    found = set(map(type, values)) - {type(None)}
    if not found:
        return pa.nulls(len(values))
    (only,) = found if len(found) == 1 else (None,)
    typed: dict[type | None, pa.DataType] = {bool: pa.bool_(), int: pa.int64(), float: pa.float64()}
    held = typed.get(only)
    if held is not None:
        # An integer of many digits is text.
        with contextlib.suppress(OverflowError):
            return pa.array(values, held)
    if only is dt.date:
        return pa.array(values, pa.date32()).cast(pa.string()).dictionary_encode()
    if only is dt.datetime:
        # Those of a time zone by the clock of Greenwich: so the table is the same whatever
        # zone a server or a session is set to.
        zoned = any(value is not None and value.tzinfo is not None for value in values)
        return pa.array(values, pa.timestamp("us", tz="UTC" if zoned else None))
    if found <= _WRITTEN:
        return _texts(values)
    named = ", ".join(sorted(kind.__name__ for kind in found - _WRITTEN))
    raise DataError(
        f"column {place} holds values of the type {named}, which is neither a number, "
        "nor text, nor a day. Leave it out, or ask for it as text: CAST(… AS text).",
        column=place,
    )


def _texts(values: Sequence[Any]) -> pa.Array:
    """Return values as they are written, one copy of each for all rows.

    A float is written as in a column of floats: 5.0 as "5". A decimal is written in plain
    digits, however many there are.
    """
    import pyarrow as pa  # noqa: PLC0415 - slow to import

    floats = float_texts(value for value in values if isinstance(value, float))

    def text(value: object) -> str | None:
        if isinstance(value, float):
            return floats[value]
        return f"{value:f}" if isinstance(value, Decimal) else str(value)

    texts = [None if value is None else text(value) for value in values]
    return pa.array(texts, pa.string()).dictionary_encode()


def _joined(blocks: list[pa.Array]) -> pa.ChunkedArray:
    """Return all blocks of a column: as what all of them are, or as text.

    A database whose columns have no types may give integers beside floats: an integer
    keeps all of its digits.
    """
    import pyarrow as pa  # noqa: PLC0415 - slow to import

    kinds = {block.type for block in blocks if not pa.types.is_null(block.type)}
    if not kinds:
        return pa.chunked_array(blocks, pa.null())
    if len(kinds) > 1:
        blocks = [_texts(block.to_pylist()) for block in blocks]
        kinds = {blocks[0].type}
    (kind,) = kinds
    return pa.chunked_array([block.cast(kind) for block in blocks]).unify_dictionaries()
