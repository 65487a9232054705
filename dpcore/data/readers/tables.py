"""The table that a file holds, with what of the file is not in it."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import pandas as pd


@dataclass(frozen=True, slots=True, kw_only=True)
class FileTable:
    """A table as it was read from a file. CONFIDENTIAL.

    Attributes:
        frame: The table.
        notes: What the curator should know: columns that are left out, formulas without
            a value. A sentence each.

    """

    frame: pd.DataFrame = field(repr=False)
    notes: tuple[str, ...] = ()
