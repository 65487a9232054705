"""The columns of a file, put together from blocks of its records.

Joined at the end, the blocks of a large table are held twice; so each is copied to its
place while the next one is parsed into the memory that it leaves.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    import pandas as pd
    from numpy.typing import NDArray

_INTEGER, _FLOAT = np.dtype("int64"), np.dtype("float64")
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
    blocks: Iterable[pd.DataFrame], records: int
) -> dict[str, NDArray[Any] | pd.Series | None] | None:
    """Return each column of a table by its name, or ``None`` of other length.

    A column is ``None`` where its blocks are of different kinds, or of one that no
    column can have: text beside numbers, Python objects, true and false. Integers
    beside floats become floats.
    """
    columns: dict[str, _Column] = {}
    start = 0
    for block in blocks:
        end = start + len(block)
        if end > records:
            return None
        for name in block.columns:
            column = columns.setdefault(name, _Column(records=records))
            column.add(block[name], slice(start, end))
        start = end
    if start < records:
        return None
    return {name: column.whole() for name, column in columns.items()}


@dataclass(slots=True, kw_only=True)
class _Column:
    """A column of which some blocks are there."""

    records: int
    numbers: NDArray[Any] | None = None
    others: list[pd.Series] = field(default_factory=list)

    def add(self, block: pd.Series, place: slice) -> None:
        """Take over the next block."""
        if block.dtype not in {_INTEGER, _FLOAT}:
            self.others.append(block)
            return
        found = block.to_numpy()
        if self.numbers is None:
            self.numbers = np.empty(self.records, found.dtype)
        elif self.numbers.dtype == _INTEGER and found.dtype == _FLOAT:
            self.numbers = self.numbers.astype(_FLOAT)
        self.numbers[place] = found

    def whole(self) -> NDArray[Any] | pd.Series | None:
        """Return all blocks, one after the other, if they are of one kind."""
        import pandas as pd  # noqa: PLC0415 - slow to import

        if not self.others:
            return self.numbers
        kind, *more = {block.dtype for block in self.others}
        if self.numbers is not None or more or kind in (object, bool):
            return None
        return pd.concat(self.others, ignore_index=True)
