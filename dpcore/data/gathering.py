"""The columns of a file, put together from blocks of its records.

Numbers are copied to their place while the next block is parsed into the memory that
this one leaves: joined at the end, a large table would be held twice.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final

import numpy as np
from numpy.typing import NDArray

from dpcore.data.limits import Proceed
from dpcore.data.storage import column_of, joined

if TYPE_CHECKING:
    import pandas as pd
    import pyarrow as pa


_CELLS: Final = 1 << 17
_FEWEST: Final = 4096


def records_together(columns: int) -> int:
    """Return how many records a block has, so that it takes about a megabyte."""
    return max(_FEWEST, _CELLS // columns)


def parts_of(text: bytes, size: int, proceed: Proceed) -> Iterator[bytes]:
    """Yield the records of a file in parts of that many bytes or a little more.

    The header is left out, and no record has a line end in its middle. Each part is
    preceded by a call of ``proceed``.
    """
    start = text.index(b"\n") + 1
    while start < len(text):
        proceed()
        end = text.find(b"\n", start + size) + 1 or len(text)
        yield text[start:end]
        start = end


def gathered(
    blocks: Iterable[Sequence[pa.Array]], names: Sequence[str], records: int
) -> dict[str, pd.Series]:
    """Return each column of a table by its name, of blocks of its ``records``.

    Raises:
        ValueError: The blocks have fewer records.

    """
    columns = [_Column(records=records) for _ in names]
    for block in blocks:
        for column, cells in zip(columns, block, strict=True):
            column.add(cells)
    if any(column.rows != records for column in columns):
        raise ValueError(f"the blocks do not have {records} records.")
    table = {}
    for place, name in enumerate(names):
        # Given up one by one, so that no two are held twice.
        column, columns[place] = columns[place], _Column(records=0)
        table[name] = column_of(column.whole())
    return table


@dataclass(slots=True, kw_only=True)
class _Column:
    """A column of which some blocks are there."""

    records: int
    numbers: NDArray[Any] | None = None
    blank: NDArray[np.bool_] | None = None
    text: list[pa.Array] = field(default_factory=list)
    rows: int = 0

    def add(self, cells: pa.Array) -> None:
        """Take over the next block."""
        import pyarrow as pa  # noqa: PLC0415 - slow to import

        nothing = pa.types.is_null(cells.type)
        if not (nothing or pa.types.is_primitive(cells.type)) or self._differ(cells):
            self._write_out()
            self.text.append(cells)
        elif self.text or (nothing and self.numbers is None):
            self.text.append(cells)
        else:
            self._place(cells)
        self.rows += len(cells)

    def whole(self) -> pa.ChunkedArray:
        """Return all blocks in turn, as numbers where they are so in all."""
        import pyarrow as pa  # noqa: PLC0415 - slow to import

        if self.numbers is None:
            return joined(self.text)
        return pa.chunked_array([pa.array(self.numbers, mask=self.blank)])

    def _differ(self, cells: pa.Array) -> bool:
        """Return whether a block holds numbers of another type than those before."""
        import pyarrow as pa  # noqa: PLC0415 - slow to import

        if self.numbers is None or pa.types.is_null(cells.type):
            return False
        return bool(cells.type.to_pandas_dtype() != self.numbers.dtype)

    def _place(self, cells: pa.Array) -> None:
        """Copy numbers to their place."""
        here = slice(self.rows, self.rows + len(cells))
        if self.numbers is None:
            self.numbers = np.zeros(self.records, cells.type.to_pandas_dtype())
        if cells.null_count:
            if self.blank is None:
                self.blank = np.zeros(self.records, dtype=np.bool_)
            self.blank[here] = cells.is_null().to_numpy(zero_copy_only=False)
            cells = cells.cast(self._type()).fill_null(0)
        self.numbers[here] = cells.to_numpy(zero_copy_only=False)

    def _type(self) -> pa.DataType:
        import pyarrow as pa  # noqa: PLC0415 - slow to import

        assert self.numbers is not None  # noqa: S101 - where some were placed
        return pa.from_numpy_dtype(self.numbers.dtype)

    def _write_out(self) -> None:
        """Hold the blocks before as what they are: text was found among them."""
        import pyarrow as pa  # noqa: PLC0415 - slow to import

        if self.numbers is None:
            return
        before = slice(0, self.rows)
        blank = None if self.blank is None else self.blank[before]
        # Copied, so that the place of all records is given up.
        self.text.append(pa.array(self.numbers[before].copy(), mask=blank))
        self.numbers = self.blank = None
