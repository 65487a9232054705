"""The columns of a file, put together from blocks of its records."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from dpcore.data.storage import column_of, joined

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    import pandas as pd
    import pyarrow as pa

_CELLS: Final = 1 << 17
_FEWEST: Final = 4096


def records_together(columns: int) -> int:
    """Return how many records a block has, so that it takes about a megabyte."""
    return max(_FEWEST, _CELLS // columns)


def parts_of(text: bytes, size: int) -> Iterator[bytes]:
    """Yield the records of a file in parts of that many bytes or a little more.

    The header is left out, and no record has a line end in its middle.
    """
    start = text.index(b"\n") + 1
    while start < len(text):
        end = text.find(b"\n", start + size) + 1 or len(text)
        yield text[start:end]
        start = end


def gathered(
    blocks: Iterable[Sequence[pa.Array]], names: Sequence[str]
) -> dict[str, pd.Series]:
    """Return each column of a table by its name, of blocks of its records.

    What was gathered is given up column by column, so that nothing is held twice.
    """
    columns: list[list[pa.Array]] = [[] for _ in names]
    for block in blocks:
        for parts, cells in zip(columns, block, strict=True):
            parts.append(cells)
    table = {}
    for place, name in enumerate(names):
        parts, columns[place] = columns[place], []
        table[name] = column_of(joined(parts))
    return table
